//! Which signals cannot all be true, by SAT.

use crate::limits::Limits;
use crate::solver::{Solver, SolverName};
use epitome_encodings::{Circuit, Encoder, Encoding, Lit, Polarity, Variables};
use rustc_hash::FxHashMap;

/// Knows one circuit, as it grows.
pub(super) struct Contradictions {
    solver: Box<dyn Solver>,
    encoder: Encoder,
    variables: Variables,
    known: FxHashMap<Box<[Lit]>, bool>,
}

impl Contradictions {
    pub(super) fn new(limits: &Limits) -> Contradictions {
        Contradictions {
            solver: SolverName::Cadical.start(limits),
            encoder: Encoder::new(Encoding::PlaistedGreenbaum),
            variables: Variables::default(),
            known: FxHashMap::default(),
        }
    }

    /// The signals cannot all be true. Who cannot find out says no. The circuit is the one asked about before,
    /// grown.
    pub(super) fn among(&mut self, circuit: &Circuit, signals: &[Lit]) -> bool {
        let mut signals: Vec<Lit> = signals.iter().copied().filter(|&signal| signal != Lit::TRUE).collect();
        signals.sort_unstable();
        signals.dedup();
        if signals.contains(&Lit::FALSE) || signals.windows(2).any(|pair| pair[0] == !pair[1]) {
            return true;
        }
        // Inputs alone contradict nothing else.
        if signals.iter().all(|&signal| matches!(circuit.gate(signal), epitome_encodings::Gate::Input(_))) {
            return false;
        }
        if let Some(&known) = self.known.get(&signals[..]) {
            return known;
        }
        let Contradictions { solver, encoder, variables, .. } = self;
        let claims: Vec<(Lit, Polarity)> = signals.iter().map(|&signal| (signal, Polarity::Positive)).collect();
        encoder.encode_all(circuit, &claims, variables, &mut |clause: &[i32]| solver.add(clause));
        let literals: Vec<i32> = signals.iter().filter_map(|&signal| encoder.literal(signal)).collect();
        let is_contradiction = solver.solve(&literals) == Ok(false);
        self.known.insert(signals.into(), is_contradiction);
        is_contradiction
    }
}

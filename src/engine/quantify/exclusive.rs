//! Which holes of a body are never active together, by SAT.

use crate::limits::Limits;
use crate::solver::{Solver, SolverName};
use epitome_encodings::{Body, Encoder, Encoding, Lit, Polarity, System, Variables};
use rustc_hash::FxHashMap;

/// Holes of a body up to which pairs are asked about.
const MOST_HOLES: usize = 100;

pub(super) struct Exclusive<'s> {
    system: &'s System,
    limits: &'s Limits,
    /// By guard and signals: what was found out.
    known: FxHashMap<(Lit, [Lit; 2]), bool>,
    current: Option<Current>,
}

/// The guard under which something was asked last.
struct Current {
    guard: Lit,
    solver: Box<dyn Solver>,
    encoder: Encoder,
    variables: Variables,
}

impl<'s> Exclusive<'s> {
    pub(super) fn new(system: &'s System, limits: &'s Limits) -> Exclusive<'s> {
        Exclusive { system, limits, known: FxHashMap::default(), current: None }
    }

    /// At most one of two signals of a body is true where its guard is.
    pub(super) fn of(&mut self, body: &Body, signals: [Lit; 2]) -> bool {
        if body.holes.len() > MOST_HOLES || signals.contains(&Lit::TRUE) {
            return signals.contains(&Lit::FALSE);
        }
        if let Some(&known) = self.known.get(&(body.guard, signals)) {
            return known;
        }
        let is_exclusive = self.ask(body.guard, signals);
        self.known.insert((body.guard, signals), is_exclusive);
        is_exclusive
    }

    fn ask(&mut self, guard: Lit, signals: [Lit; 2]) -> bool {
        let circuit = &self.system.circuit;
        let mut current = self.current.take().filter(|current| current.guard == guard).unwrap_or_else(|| Current {
            guard,
            solver: SolverName::Cadical.start(self.limits),
            encoder: Encoder::new(Encoding::PlaistedGreenbaum),
            variables: Variables::default(),
        });
        let Current { solver, encoder, variables, .. } = &mut current;
        let literals = [guard, signals[0], signals[1]].map(|signal| {
            encoder.encode(circuit, signal, Polarity::Positive, variables, &mut |clause: &[i32]| solver.add(clause))
        });
        // Who cannot find out says no.
        let is_exclusive = solver.solve(&literals) == Ok(false);
        self.current = Some(current);
        is_exclusive
    }
}

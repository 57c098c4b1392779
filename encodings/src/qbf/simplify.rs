//! Inputs whose best value is plain: what is claimed by itself, and what can only help or only harm.
//!
//! An input that exists and is a conjunct of the matrix has to be true. An input that occurs with one sign only
//! is best for its player with one value, whatever else is chosen (the rules for unit and pure literals, Cadoli,
//! Giovanardi and Schaerf 1998, on circuits). Other inputs may then become plain in turn.

use super::{Block, Qbf, Quantifier};
use crate::need::{Need, gains};
use crate::{Circuit, Gate, Lit, Substitution};
use rustc_hash::FxHashMap;

/// Rounds of finding plain inputs and putting in their values: what is left after these is left.
const MOST_ROUNDS: usize = 200;

impl Qbf {
    /// The same with plain inputs replaced by their values, and these values.
    ///
    /// ```
    /// use epitome_encodings::{Circuit, Qbf, Quantifier};
    /// let mut circuit = Circuit::new();
    /// let [x, y, z] = [0, 1, 2].map(|number| circuit.input(number));
    /// let (some, equal) = (circuit.or(x, y), circuit.iff(y, z));
    /// let all = circuit.and(some, equal);
    /// let qbf = Qbf::new(circuit, [(Quantifier::Exists, vec![0]), (Quantifier::Forall, vec![1]), (Quantifier::Exists, vec![2])], all);
    /// let (simple, values) = qbf.simplified();
    /// assert_eq!((simple.variables(), values), (2, vec![(0, true)]));
    /// ```
    pub fn simplified(self) -> (Qbf, Vec<(u32, bool)>) {
        let Qbf { mut circuit, prefix, mut matrix } = self;
        let owners = prefix.iter().flat_map(|block| block.inputs.iter().map(|&input| (input, block.quantifier)));
        let owners: FxHashMap<u32, Quantifier> = owners.collect();
        let mut values: Vec<(u32, bool)> = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let found = plain(&circuit, matrix, &owners);
            if found.is_empty() {
                break;
            }
            let known: FxHashMap<u32, bool> = found.iter().copied().collect();
            values.extend(found);
            let mut simpler = Circuit::new();
            let image = |input| known.get(&input).map(|&value| Lit::constant(value));
            matrix = Substitution::new(&circuit).substitute_all(&mut simpler, &[matrix], image)[0];
            circuit = simpler;
        }
        let prefix = prefix.into_iter().map(|Block { quantifier, inputs }| (quantifier, inputs));
        (Qbf::new(circuit, prefix, matrix), values)
    }
}

/// Inputs with their best values, by number.
fn plain(circuit: &Circuit, matrix: Lit, owners: &FxHashMap<u32, Quantifier>) -> Vec<(u32, bool)> {
    let is_existential = |input: u32| owners.get(&input) != Some(&Quantifier::Forall);
    let mut found: Vec<(u32, bool)> = gains(circuit, &[(matrix, Need::ONE)])
        .into_iter()
        .filter(|(_, need)| need.one != need.zero)
        .map(|(input, need)| (input, need.one == is_existential(input)))
        .collect();
    let mut open = vec![matrix];
    while let Some(signal) = open.pop() {
        match circuit.gate(signal) {
            Gate::And(a, b) if !signal.is_negated() => open.extend([a, b]),
            Gate::Input(input) if is_existential(input) => {
                found.push((input, !signal.is_negated()));
            }
            _ => {}
        }
    }
    found.sort_unstable();
    // A pure input may be claimed besides. Two claims that contradict each other leave one of them false.
    found.dedup_by_key(|(input, _)| *input);
    found
}

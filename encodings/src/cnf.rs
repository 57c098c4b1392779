//! Circuits as clauses (Tseitin 1968): a variable for each gate, three clauses for each conjunction.
//!
//! The encoder owns no clauses. It hands each one to a sink, so that the same encoder fills a list, a
//! file or a live solver. Literals are those of the DIMACS format: a variable's number from 1, negative
//! where the variable is false. Gates that were encoded keep their variables, so that a circuit may grow
//! between two calls and only what is new is written.

use crate::{Circuit, Gate, Lit};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Gates with their variables.
///
/// ```
/// use epitome_encodings::{Circuit, Tseitin};
/// let mut circuit = Circuit::new();
/// let (a, b) = (circuit.input(0), circuit.input(1));
/// let both = circuit.and(a, !b);
/// let (mut tseitin, mut clauses) = (Tseitin::default(), Vec::new());
/// let literal = tseitin.encode(&circuit, both, |clause| clauses.push(clause.to_vec()));
/// clauses.push(vec![literal]);
/// assert_eq!(clauses, [vec![-3, 1], vec![-3, -2], vec![3, -1, 2], vec![3]]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tseitin {
    variables: FxHashMap<usize, i32>,
}

impl Tseitin {
    /// The literal that is true exactly where the signal is. Hands the clauses that say so to `sink`.
    pub fn encode(&mut self, circuit: &Circuit, signal: Lit, mut sink: impl FnMut(&[i32])) -> i32 {
        let mut open = vec![signal.gate()];
        let mut cone = Vec::new();
        while let Some(gate) = open.pop() {
            if let Entry::Vacant(variable) = self.variables.entry(gate) {
                // The final number is given in order of evaluation, below.
                variable.insert(0);
                cone.push(gate);
                if let Gate::And(a, b) = circuit.gate_at(gate) {
                    open.extend([a.gate(), b.gate()]);
                }
            }
        }
        cone.sort_unstable();
        let first = self.variables.len() - cone.len() + 1;
        for (variable, &gate) in (first as i32..).zip(&cone) {
            self.variables.insert(gate, variable);
            match circuit.gate_at(gate) {
                Gate::False => sink(&[-variable]),
                Gate::Input(_) => {}
                Gate::And(a, b) => {
                    let (a, b) = (self.literal(a), self.literal(b));
                    sink(&[-variable, a]);
                    sink(&[-variable, b]);
                    sink(&[variable, -a, -b]);
                }
            }
        }
        self.literal(signal)
    }

    /// The variable of a gate that was encoded.
    pub fn variable(&self, signal: Lit) -> Option<i32> {
        self.variables.get(&signal.gate()).copied()
    }

    /// Variables given so far: those with numbers up to this.
    pub fn variables(&self) -> usize {
        self.variables.len()
    }

    fn literal(&self, signal: Lit) -> i32 {
        let variable = self.variables[&signal.gate()];
        if signal.is_negated() { -variable } else { variable }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For all values of three inputs, the clauses have exactly one solution, and in it each encoded
    /// literal has the value of its signal.
    #[test]
    fn solutions_are_evaluations() {
        let mut circuit = Circuit::new();
        let inputs = [0, 1, 2].map(|number| circuit.input(number));
        let parity = inputs.into_iter().fold(Lit::FALSE, |sum, input| circuit.xor(sum, input));
        let majority = circuit.ite(inputs[0], inputs[1], !inputs[2]);
        let signals = [parity, !majority, Lit::TRUE, Lit::FALSE, !inputs[1]];
        let (mut tseitin, mut clauses) = (Tseitin::default(), Vec::new());
        let literals = signals.map(|signal| tseitin.encode(&circuit, signal, |clause| clauses.push(clause.to_vec())));
        let variables = tseitin.variables.len();
        let holds = |values: u32, literal: i32| (values >> (literal.abs() - 1) & 1 == 1) == (literal > 0);
        let solutions: Vec<u32> = (0..1u32 << variables)
            .filter(|&values| clauses.iter().all(|clause| clause.iter().any(|&literal| holds(values, literal))))
            .collect();
        assert_eq!(solutions.len(), 8);
        for values in solutions {
            let input = |number: u32| tseitin.variable(inputs[number as usize]).is_some_and(|v| holds(values, v));
            for (signal, literal) in signals.into_iter().zip(literals) {
                assert_eq!(holds(values, literal), circuit.evaluate(signal, input));
            }
        }
    }
}

//! Which variables signals depend on, each signal looked at once: similar procedures share circuits, so
//! a hundred thousand of them ask the same few questions.

use super::ersm::Leaf;
use crate::syntax::Var;
use epitome_encodings::{Circuit, Lit};

/// Variables remembered at most: large guards that differ a little would take memory without end.
const MOST_REMEMBERED: usize = 20_000_000;

const UNKNOWN: (u32, u32) = (u32::MAX, 0);

/// The variables that signals of a circuit read.
pub struct Supports<'c> {
    circuit: &'c Circuit,
    /// By gate: where its variables begin and end in the list; [`UNKNOWN`] at first.
    known: Vec<(u32, u32)>,
    variables: Vec<Var>,
}

impl<'c> Supports<'c> {
    /// Nothing is known yet.
    pub fn new(circuit: &'c Circuit) -> Supports<'c> {
        Supports { circuit, known: vec![UNKNOWN; circuit.len()], variables: Vec::new() }
    }

    /// The variables a signal depends on, without choices.
    pub fn of(&mut self, lit: Lit) -> &[Var] {
        if lit.as_constant().is_some() {
            return &[];
        }
        if self.known[lit.gate()] == UNKNOWN {
            self.look(lit);
        }
        let (start, end) = self.known[lit.gate()];
        &self.variables[start as usize..end as usize]
    }

    fn look(&mut self, lit: Lit) {
        if self.variables.len() > MOST_REMEMBERED {
            self.known.fill(UNKNOWN);
            self.variables.clear();
        }
        let start = self.variables.len() as u32;
        let leaves = self.circuit.support([lit]).into_iter().map(Leaf::from_number);
        self.variables.extend(leaves.filter_map(|leaf| match leaf {
            Leaf::Var(var) => Some(var),
            Leaf::Choice(_) => None,
        }));
        self.known[lit.gate()] = (start, self.variables.len() as u32);
    }
}

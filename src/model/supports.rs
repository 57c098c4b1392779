//! Which variables signals depend on, each signal looked at once: similar procedures share circuits, so
//! a hundred thousand of them ask the same few questions.

use super::ersm::Leaf;
use crate::syntax::Var;
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Variables remembered at most: large guards that differ a little would take memory without end.
const MOST_REMEMBERED: usize = 20_000_000;

/// The variables that signals of a circuit read.
pub struct Supports<'c> {
    circuit: &'c Circuit,
    known: FxHashMap<usize, Range<u32>>,
    variables: Vec<Var>,
}

impl<'c> Supports<'c> {
    /// Nothing is known yet.
    pub fn new(circuit: &'c Circuit) -> Supports<'c> {
        Supports { circuit, known: FxHashMap::default(), variables: Vec::new() }
    }

    /// The variables a signal depends on, without choices.
    pub fn of(&mut self, lit: Lit) -> &[Var] {
        if lit.as_constant().is_some() {
            return &[];
        }
        let Supports { circuit, known, variables } = self;
        if variables.len() > MOST_REMEMBERED {
            known.clear();
            variables.clear();
        }
        let range = known.entry(lit.gate()).or_insert_with(|| {
            let start = variables.len() as u32;
            variables.extend(circuit.support([lit]).into_iter().filter_map(|number| match Leaf::from_number(number) {
                Leaf::Var(var) => Some(var),
                Leaf::Choice(_) => None,
            }));
            start..variables.len() as u32
        });
        &variables[range.start as usize..range.end as usize]
    }
}

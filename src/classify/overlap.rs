//! Can two of several guards hold together?
//!
//! The guards are gone through once, with a signal that some earlier one holds: two hold together if, at some
//! guard, it and that signal do. This is the sequential counter for "at most one" (Sinz, CP 2005), linear in the number
//! of guards where comparing pairs is quadratic, and one question for a SAT solver. Most vertices need none: as circuits
//! are hashed, a condition and its negation give the constant 0, and procedures that are alike give the same signal.
//!
//! A solver is kept from question to question, for what guards share is then encoded once. But a search may
//! assign variables that have nothing to do with the question, so it is put away when its formula has doubled.

use crate::limits::Limits;
use crate::solver::{Solver, SolverName};
use epitome_encodings::{Circuit, Lit, Tseitin};
use rustc_hash::FxHashSet;

/// How often, in all, solvers may look at their limits, which they do every few dozen decisions. Some seconds;
/// a number and not a time, so that the answer is always the same.
const MOST_LOOKS: u64 = 30_000;

/// Variables of a solver that is never put away.
const FEW_VARIABLES: usize = 1_000;

/// Answers for one vertex after the other.
pub(super) struct Overlaps {
    /// That of the machine, and the signals made here.
    circuit: Circuit,
    /// Signals that were found to be never true.
    refuted: FxHashSet<Lit>,
    limits: Limits,
    query: Option<Query>,
}

/// A solver, what it knows of the circuit, and how many variables that was after its first question.
struct Query {
    solver: Box<dyn Solver>,
    encoder: Tseitin,
    first: usize,
}

impl Overlaps {
    pub(super) fn new(circuit: &Circuit) -> Overlaps {
        let limits = Limits::none().with_looks(MOST_LOOKS);
        Overlaps { circuit: circuit.clone(), refuted: FxHashSet::default(), limits, query: None }
    }

    /// Some values satisfy two of the guards; `None` if that takes too long to find out.
    pub(super) fn two_of(&mut self, guards: impl Iterator<Item = Lit>) -> Option<bool> {
        let (mut one, mut two) = (Lit::FALSE, Lit::FALSE);
        for guard in guards {
            let both = self.circuit.and(one, guard);
            two = self.circuit.or(two, both);
            one = self.circuit.or(one, guard);
        }
        if let Some(constant) = two.as_constant() {
            return Some(constant);
        }
        if self.refuted.contains(&two) {
            return Some(false);
        }
        let possible = self.is_possible(two)?;
        if !possible {
            self.refuted.insert(two);
        }
        Some(possible)
    }

    fn is_possible(&mut self, signal: Lit) -> Option<bool> {
        self.query.take_if(|query| query.encoder.variables() > FEW_VARIABLES.max(2 * query.first));
        let start =
            || Query { solver: SolverName::default().start(&self.limits), encoder: Tseitin::default(), first: 0 };
        let Query { solver, encoder, first } = self.query.get_or_insert_with(start);
        let literal = encoder.encode(&self.circuit, signal, |clause| solver.add(clause));
        if *first == 0 {
            *first = encoder.variables();
        }
        let answer = solver.solve(&[literal]).ok();
        if answer.is_none() {
            // A solver that was interrupted is not asked again.
            self.query = None;
        }
        answer
    }
}

#[cfg(test)]
mod tests;

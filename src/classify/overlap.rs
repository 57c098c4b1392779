//! Can two of several guards hold together, and does it matter what a transition chooses?
//!
//! The guards are gone through once, with a signal that some earlier one holds: two hold together if, at some
//! guard, it and that signal do. That is the sequential counter for "at most one" (Sinz, CP 2005), linear in the number
//! of guards where comparing pairs is quadratic. Each guard is a question for a SAT solver, rather than all of a
//! vertex together, because the guard, assumed, mostly decides it without search. Most need none: as circuits are
//! hashed, a condition and its negation give the constant 0, and procedures that are alike give the same signals.
//!
//! A solver is kept from question to question, for what guards share is then encoded once. But a search may
//! assign variables that have nothing to do with the question, so it is put away when its formula has doubled.

use crate::limits::Limits;
use crate::model::Leaf;
use crate::solver::{Solver, SolverName};
use epitome_encodings::{Circuit, Encoder, Encoding, Lit, Polarity, Variables};
use rustc_hash::{FxHashMap, FxHashSet};

/// What all questions of a machine may cost: a decision of a solver costs as much as its formula has variables, all
/// of which it may assign. A few seconds; a number and not a time, so that the answer is always the same.
const MOST_WORK: u64 = 120_000_000;

/// And so much more for each gate, so that many easy questions are answered as well as a few.
const WORK_FOR_A_GATE: u64 = 6_000;

/// Variables of a solver that is never put away.
const FEW_VARIABLES: usize = 1_000;

/// Answers for one vertex after the other.
pub(super) struct Overlaps {
    /// That of the machine, and the signals made here.
    circuit: Circuit,
    /// Signals that were found to be never true.
    refuted: FxHashSet<Lit>,
    /// What may still be spent.
    work: u64,
    query: Option<Query>,
}

/// A solver, what it knows of the circuit, and the variables up to which it is kept.
struct Query {
    solver: Box<dyn Solver>,
    encoder: Encoder,
    variables: Variables,
    most: usize,
    limits: Limits,
    effort: u64,
}

impl Query {
    /// A solver for a first question of this size, which may cost so much.
    fn new(size: usize, work: u64) -> Query {
        let most = FEW_VARIABLES.max(2 * size);
        let effort = work / most as u64;
        let limits = Limits::none().with_effort(effort);
        let solver = SolverName::Batsat.start(&limits);
        let encoder = Encoder::new(Encoding::PlaistedGreenbaum);
        Query { solver, encoder, variables: Variables::default(), most, limits, effort }
    }

    /// What its questions have cost.
    fn spent(&self) -> u64 {
        self.most as u64 * (self.effort - self.limits.effort_left().unwrap_or(0))
    }
}

impl Overlaps {
    pub(super) fn new(circuit: &Circuit) -> Overlaps {
        let work = MOST_WORK + WORK_FOR_A_GATE * circuit.len() as u64;
        Overlaps { circuit: circuit.clone(), refuted: FxHashSet::default(), work, query: None }
    }

    /// Some values satisfy two of the guards; `None` if that takes too long to find out.
    pub(super) fn two_of(&mut self, guards: impl Iterator<Item = Lit>) -> Option<bool> {
        let mut earlier = Lit::FALSE;
        let mut result = Some(false);
        for guard in guards {
            let both = self.circuit.and(earlier, guard);
            match self.is_possible(both) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => result = None,
            }
            earlier = self.circuit.or(earlier, guard);
        }
        result
    }

    /// For some values of the variables the guard holds with two ways to choose, between which one of the
    /// signals differs;
    /// `None` if that takes too long to find out. There are so many choices.
    pub(super) fn choices_matter(&mut self, guard: Lit, signals: &[Lit], choices: usize) -> Option<bool> {
        let mut possible = self.with_other_choices(guard, choices);
        possible = self.circuit.and(guard, possible);
        let mut differs = Lit::FALSE;
        for &signal in signals {
            let other = self.with_other_choices(signal, choices);
            let differ = self.circuit.xor(signal, other);
            differs = self.circuit.or(differs, differ);
        }
        let both = self.circuit.and(possible, differs);
        self.is_possible(both)
    }

    /// A signal with other choices: the first is the one of this number.
    pub(super) fn with_other_choices(&mut self, signal: Lit, first: usize) -> Lit {
        let mut known = FxHashMap::default();
        let renamed = self.circuit.substitute(signal, &mut known, |circuit, number| {
            circuit.input(match Leaf::from_number(number) {
                Leaf::Choice(choice) => Leaf::Choice(choice + first as u32).number(),
                Leaf::Var(_) => number,
            })
        });
        self.work = self.work.saturating_sub(known.len() as u64);
        renamed
    }

    /// Some values make the signal true.
    fn is_possible(&mut self, signal: Lit) -> Option<bool> {
        match signal.as_constant() {
            None if self.refuted.contains(&signal) => return Some(false),
            None => {}
            constant => return constant,
        }
        if let Some(old) = self.query.take_if(|query| query.variables.count() as usize > query.most) {
            self.work = self.work.saturating_sub(old.spent());
        }
        let start = || Query::new(self.circuit.cone([signal]).len(), self.work);
        let Query { solver, encoder, variables, .. } = self.query.get_or_insert_with(start);
        let mut sink = |clause: &[i32]| solver.add(clause);
        let literal = encoder.encode(&self.circuit, signal, Polarity::Positive, variables, &mut sink);
        // A solver that was interrupted stays so; by then everything is spent.
        let possible = solver.solve(&[literal]).ok()?;
        if !possible {
            self.refuted.insert(signal);
        }
        Some(possible)
    }
}

#[cfg(test)]
mod tests;

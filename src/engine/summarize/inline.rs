//! The inline form: a machine without loops and recursion as one formula, answered by one call of a solver.
//!
//! All calls are written out (Godefroid, Theorem 4), so a formula can be exponentially larger than the
//! machine: it is taken only where its size, estimated beforehand, is within a budget. Its model is a
//! derivation, as the facts that a search would have found; equal ones are one. That it has no model says
//! that nothing is found, and no more: there are no summaries to look at.

use crate::engine::system::{Fact, facts_of};
use crate::limits::{Limits, Reason};
use crate::solver::SolverName;
use epitome_encodings::{Encoding, Extent, PredicateId, System, UnfoldError, Unfolding, Variables};
use std::time::{Duration, Instant};

/// Clauses of a formula that is tried without being asked for. A formula takes a microsecond a clause before
/// the solver sees it, so this is what may be lost (a few milliseconds) where summaries, linear in a hierarchy,
/// need next to nothing: E(n), say. What is won is a factor of ten and more where many variables pass through
/// calls, which summaries tell apart value by value. Larger formulas are as often slower as faster.
pub(super) const BUDGET: u64 = 5_000;

/// Clauses of a formula that somebody insists on.
pub(super) const MOST_CLAUSES: u64 = 50_000_000;

/// What to do where there is no formula.
pub(super) const ADVICE: &str = "--sat summaries or auto can answer";

/// Clauses that count as one step of work, where patience is limited.
const CLAUSES_A_STEP: u64 = 10;

/// What the one call found.
pub(super) struct Answer {
    /// The derivation, callees first, so that the last fact is the root's; nothing if there is none.
    pub(super) facts: Vec<Fact>,
    pub(super) variables: u64,
    pub(super) clauses: u64,
    pub(super) solver_time: Duration,
    pub(super) conflicts: u64,
}

/// The system as one formula, if it is acyclic and small enough.
pub(super) fn unfold(
    system: &System,
    root: PredicateId,
    most_clauses: u64,
    limits: &Limits,
) -> Result<Unfolding, UnfoldError> {
    let most_clauses = most_clauses.min(limits.patience().saturating_mul(CLAUSES_A_STEP));
    Unfolding::new(system, root, Extent { depth: None, most_clauses })
}

/// Why there is no formula, for people.
pub(super) fn refusal(error: &UnfoldError) -> Reason {
    let why = match error {
        UnfoldError::Cyclic => "a program with loops or recursion cannot be inlined".to_owned(),
        UnfoldError::TooLarge { .. } => format!("inlined, {error}; {MOST_CLAUSES} is the most"),
    };
    Reason::NotSupported(format!("{why}; {ADVICE}"))
}

/// Asks the solver.
pub(super) fn solve(unfolding: &Unfolding, solver: SolverName, limits: &Limits) -> Result<Answer, Reason> {
    let mut solver = solver.start(limits);
    let (mut variables, mut clauses) = (Variables::default(), 0);
    let encoder = unfolding.encode(Encoding::PlaistedGreenbaum, &mut variables, &mut |clause: &[i32]| {
        clauses += 1;
        solver.add(clause);
    });
    limits.check(0)?;
    let start = Instant::now();
    let is_derivable = solver.solve(&[])?;
    let solver_time = start.elapsed();
    let facts = match is_derivable {
        true => facts_of(unfolding, &unfolding.values(&encoder, |literal| solver.value(literal))),
        false => Vec::new(),
    };
    let conflicts = solver.conflicts();
    Ok(Answer { facts, variables: u64::from(variables.count()), clauses, solver_time, conflicts })
}

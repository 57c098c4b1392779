//! The fixpoint form: unfold deeper and deeper, until deeper adds nothing (Basler, Kroening and Weissenbacher,
//! SAT-based Summarization for Boolean Programs, SPIN 2007).
//!
//! A propositional formula with all calls written out, loops and recursion to a depth, asks whether something is found
//! that near. If not, a quantified formula asks, for each predicate that is recursive or has a loop, whether the next
//! depth would derive anything new (`epitome_encodings::adds_nothing`). Components are complete from the bottom up: one
//! whose callees are complete and to which the next depth adds nothing is unfolded no deeper. When all are complete
//! and nothing was found, there is nothing to find.
//!
//! This is how SAT summaries were computed before lemmas: for comparison. Formulas grow with the depth, and where
//! there are several calls exponentially.

use super::inline;
use crate::engine::Statistics;
use crate::engine::system::Fact;
use crate::limits::{Limits, Reason};
use crate::solver::{SolverName, qbf};
use epitome_encodings::{Components, PredicateId, System, UnfoldError, Unfolding, adds_nothing};

/// Clauses of one formula, at most.
const MOST_CLAUSES: u64 = 2_000_000;

/// A system, and how deep it is unfolded.
struct Fixpoint<'s> {
    system: &'s System,
    components: Components,
    /// By predicate.
    depths: Vec<u32>,
    /// By component: deeper adds nothing.
    complete: Vec<bool>,
    limits: &'s Limits,
    statistics: &'s mut Statistics,
}

/// The facts by which the root is derived, callees first; none if it cannot be. What it cost is counted in any case.
pub(super) fn derive(
    system: &System,
    root: PredicateId,
    solver: SolverName,
    limits: &Limits,
    statistics: &mut Statistics,
) -> Result<Vec<Fact>, Reason> {
    let components = system.components(root);
    let complete = vec![false; components.count as usize];
    let depths = vec![0; system.len()];
    let mut fixpoint = Fixpoint { system, components, depths, complete, limits, statistics };
    loop {
        let facts = fixpoint.find(root, solver)?;
        if !facts.is_empty() {
            return Ok(facts);
        }
        fixpoint.complete_components()?;
        if fixpoint.complete.iter().all(|&is_complete| is_complete) {
            return Ok(facts);
        }
        fixpoint.deepen();
    }
}

impl Fixpoint<'_> {
    /// The facts by which the root is derived within the depths.
    fn find(&mut self, root: PredicateId, solver: SolverName) -> Result<Vec<Fact>, Reason> {
        if self.statistics.iterations >= self.limits.patience() {
            return Err(Reason::Patience);
        }
        let unfolding = Unfolding::to_depths(self.system, root, &self.depths, MOST_CLAUSES).map_err(refusal)?;
        let answer = inline::solve(&unfolding, solver, self.limits)?;
        let statistics = &mut *self.statistics;
        statistics.variables = statistics.variables.max(answer.variables);
        statistics.clauses = statistics.clauses.max(answer.clauses);
        statistics.path_edges += answer.facts.len() as u64;
        statistics.iterations += 1;
        let sat = statistics.sat.get_or_insert_default();
        sat.queries += 1;
        sat.solver_time += answer.solver_time;
        sat.conflicts += answer.conflicts;
        Ok(answer.facts)
    }

    /// Finds out which components are complete, callees first.
    fn complete_components(&mut self) -> Result<(), Reason> {
        let of = |predicate: usize| self.components.of[predicate].map_or(0, |component| component as usize);
        let bottom_up = self.components.bottom_up.clone();
        for members in bottom_up.chunk_by(|&a, &b| of(a) == of(b)) {
            let own = of(members[0]);
            let callees =
                |member: &usize| self.system.callees(PredicateId(*member as u32)).iter().map(|c| of(c.index()));
            let mut inside = members.iter().flat_map(callees);
            if self.complete[own] || inside.clone().any(|callee| callee != own && !self.complete[callee]) {
                continue;
            }
            if !inside.any(|callee| callee == own) {
                self.complete[own] = true;
                continue;
            }
            let mut deeper = self.depths.clone();
            members.iter().for_each(|&member| deeper[member] += 1);
            let mut is_complete = true;
            for &member in members {
                is_complete = is_complete
                    && adds_nothing_to(self.system, member, [&self.depths, &deeper], self.limits, self.statistics)?;
            }
            self.complete[own] = is_complete;
        }
        Ok(())
    }

    /// Unfolds what is not complete one level deeper.
    fn deepen(&mut self) {
        for (depth, component) in self.depths.iter_mut().zip(&self.components.of) {
            if component.is_some_and(|component| !self.complete[component as usize]) {
                *depth += 1;
                let sat = self.statistics.sat.get_or_insert_default();
                sat.levels = sat.levels.max((*depth).into());
            }
        }
    }
}

/// One quantified formula.
fn adds_nothing_to(
    system: &System,
    predicate: usize,
    depths: [&[u32]; 2],
    limits: &Limits,
    statistics: &mut Statistics,
) -> Result<bool, Reason> {
    limits.check(0)?;
    let qbf = adds_nothing(system, PredicateId(predicate as u32), depths, MOST_CLAUSES).map_err(refusal)?;
    let cost = statistics.qbf.get_or_insert_default();
    Ok(cost.solve(&qbf, |formula| qbf::solve(formula, limits))?.is_true)
}

fn refusal(error: UnfoldError) -> Reason {
    Reason::NotSupported(format!("unfolded, {error}; {MOST_CLAUSES} is the most; {}", inline::ADVICE))
}

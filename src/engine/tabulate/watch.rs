//! What a search looks for and when it stops: targets, limits, progress.

use super::bdd::{Store, Var};
use super::sift::sift;
use crate::engine::Progress;
use crate::limits::{Limits, Reason};
use crate::model::{Goal, NodeId, NodeSet, ProcId, Procedure, Vertex};

/// Rounds between two looks at the limits while diagrams are small, and how small that is.
const INTERVAL: u64 = 1024;
const SMALL: usize = 100_000;

pub(super) struct Watch<'g> {
    goal: &'g Goal,
    limits: &'g Limits,
    progress: Progress<'g>,
    pub(super) reached: NodeSet,
    /// Targets that were not reached yet.
    missing: usize,
    /// Never stop for having found enough.
    pub(super) exhaustive: bool,
    /// Variables that stay together when they are reordered, if they are.
    groups: Option<Vec<Vec<Var>>>,
}

impl<'g> Watch<'g> {
    pub(super) fn new(goal: &'g Goal, nothing: NodeSet, limits: &'g Limits, progress: Progress<'g>) -> Watch<'g> {
        Watch { goal, limits, progress, reached: nothing, missing: goal.targets.len(), exhaustive: false, groups: None }
    }

    /// Notes that a vertex was reached. True if the search can stop: a target was found and one is
    /// enough, or all are found.
    pub(super) fn reach(&mut self, procedure: ProcId, vertex: Vertex) -> bool {
        let Vertex::Node(node) = vertex else { return false };
        let is_new = self.reached.insert(procedure, node);
        if !self.goal.targets.contains(procedure, node) {
            return false;
        }
        self.missing -= usize::from(is_new);
        !self.exhaustive && (!self.goal.all || self.missing == 0)
    }

    /// The procedure has a target, or makes a call that is looked for.
    pub(super) fn is_in(&self, id: ProcId, procedure: &Procedure) -> bool {
        let mut nodes = (0..procedure.nodes.len()).map(NodeId::from);
        nodes.any(|node| self.goal.targets.contains(id, node))
            || procedure.boxes.iter().any(|site| self.goal.calls.contains(&site.callee))
    }

    /// A call of this procedure is looked for, and the search may stop at it.
    pub(super) fn wants_call(&self, callee: ProcId) -> bool {
        !self.exhaustive && self.goal.calls.contains(&callee)
    }

    /// One target is enough, and a run to it is wanted.
    pub(super) fn wants_run(&self) -> bool {
        !self.goal.all
    }

    /// Looks at the limits now and then.
    pub(super) fn look(&mut self, rounds: u64, found: u64, store: &Store) -> Result<(), Reason> {
        if store.tidy()
            && let Some(groups) = &self.groups
        {
            sift(store, groups, || self.limits.check(0).is_ok());
        }
        if rounds.is_multiple_of(INTERVAL) || store.nodes() > SMALL {
            (self.progress)(found);
            self.limits.check(0)?;
        }
        Ok(())
    }

    /// Reorders variables when diagrams grow, by these groups.
    pub(super) fn reorder(&mut self, groups: Option<Vec<Vec<Var>>>) {
        self.groups = groups;
    }

    pub(super) fn limits(&self) -> &'g Limits {
        self.limits
    }
}

//! What a search looks for and when it stops: targets, limits, progress.

use super::{News, Progress};
use crate::limits::{Limits, Reason};
use crate::model::{Ersm, Goal, NodeId, NodeSet, ProcId};

/// A node of the whole machine: all procedures' nodes are numbered one after the other.
pub(super) type PlaceId = u32;

/// Watches a search.
pub(super) struct Watch<'g> {
    goal: &'g Goal,
    limits: &'g Limits,
    progress: Progress<'g>,
    reached: Vec<bool>,
    missing: usize,
    /// Never stop for having found enough.
    exhaustive: bool,
    found_call: bool,
    targets: Vec<bool>,
    /// By procedure: the place of its first node.
    first: Vec<PlaceId>,
}

impl<'g> Watch<'g> {
    /// Rows between two looks at the limits.
    pub(super) const INTERVAL: u32 = 4096;

    pub(super) fn new(ersm: &Ersm, goal: &'g Goal, limits: &'g Limits, progress: Progress<'g>) -> Watch<'g> {
        let nodes = ersm
            .procedures()
            .flat_map(|(id, procedure)| (0..procedure.nodes.len()).map(move |n| (id, NodeId::from(n))));
        let targets: Vec<bool> = nodes.map(|(procedure, node)| goal.targets.contains(procedure, node)).collect();
        let mut places = 0;
        let first = ersm.procedures.iter().map(|procedure| {
            places += procedure.nodes.len() as PlaceId;
            places - procedure.nodes.len() as PlaceId
        });
        let first = first.collect();
        Watch {
            goal,
            limits,
            progress,
            reached: vec![false; targets.len()],
            missing: goal.targets.len(),
            exhaustive: false,
            found_call: false,
            targets,
            first,
        }
    }

    /// Notes that a place was reached. True if it is new and the search can stop there.
    #[inline]
    pub(super) fn reach(&mut self, place: PlaceId) -> bool {
        match self.reached.get_mut(place as usize) {
            Some(reached) if !*reached => {
                *reached = true;
                if self.is_target(place) {
                    self.missing -= 1;
                    self.tell(place);
                }
                self.stops_at(place)
            }
            _ => false,
        }
    }

    /// Tells that a target was reached.
    fn tell(&mut self, place: PlaceId) {
        if !self.goal.all {
            return (self.progress)(News::Found);
        }
        let procedure = self.first.partition_point(|first| *first <= place) - 1;
        let node = (place - self.first[procedure]) as usize;
        (self.progress)(News::Reached(ProcId::from(procedure), NodeId::from(node)));
    }

    /// The search can stop at a place that was reached: it is a target and one is enough, or all are found.
    pub(super) fn stops_at(&self, place: PlaceId) -> bool {
        self.is_target(place) && !self.exhaustive && (!self.goal.all || self.missing == 0)
    }

    /// A call of this procedure is looked for, and the search may stop at it.
    pub(super) fn wants_call(&mut self, callee: ProcId) -> bool {
        let wanted = !self.exhaustive && self.goal.calls.contains(&callee);
        if wanted && !self.found_call {
            self.found_call = true;
            (self.progress)(News::Found);
        }
        wanted
    }

    /// What is looked for.
    pub(super) fn goal(&self) -> &'g Goal {
        self.goal
    }

    /// The search stopped at a call.
    pub(super) fn found_call(&self) -> bool {
        self.found_call
    }

    /// The place is one that is looked for.
    pub(super) fn is_target(&self, place: PlaceId) -> bool {
        self.targets.get(place as usize).copied().unwrap_or(false)
    }

    /// Something that is looked for was found, whether or not the search stopped for it.
    pub(super) fn found_something(&self) -> bool {
        self.found_call || self.missing < self.goal.targets.len()
    }

    /// Goes on after the first target, to explore everything, or stops there again.
    pub(super) fn exhaust(&mut self, exhaustive: bool) {
        self.exhaustive = exhaustive;
    }

    /// One target is enough, and a run to it is wanted.
    pub(super) fn wants_run(&self) -> bool {
        !self.goal.all
    }

    pub(super) fn limits(&self) -> &'g Limits {
        self.limits
    }

    /// Looks at the limits. `growth` is what the caller is about to allocate, in bytes.
    pub(super) fn check(&self, growth: usize) -> Result<(), Reason> {
        self.limits.check(growth)
    }

    /// Tells how far the search is, and looks at all limits.
    pub(super) fn look(&mut self, found: u64, growth: usize) -> Result<(), Reason> {
        (self.progress)(News::Work(found));
        if found > self.limits.patience() {
            return Err(Reason::Patience);
        }
        self.limits.check(growth)
    }

    /// The nodes reached.
    pub(super) fn into_reached(self, ersm: &Ersm) -> NodeSet {
        let mut set = NodeSet::new(ersm);
        let mut place = 0;
        for (index, procedure) in ersm.procedures.iter().enumerate() {
            for node in 0..procedure.nodes.len() {
                if self.reached[place] {
                    set.insert(ProcId::from(index), NodeId::from(node));
                }
                place += 1;
            }
        }
        set
    }
}

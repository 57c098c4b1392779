//! Accepting cycles of Alur-RSM's graph H (3.2, Lemmas 4 and 5), however its vertices came about.
//!
//! The graph has transitions, calls stepped over by a summary (in the paper's set F_a where the call passes through an
//! accepting state) and calls entered (the set F_u). A cycle without entering a call is one of a bounded stack; a cycle
//! through one lets the stack grow. Both are read off the strongly connected components: in a component all of whose steps
//! one cycle can pass through, it is enough that each kind of step is there.

use crate::limits::Reason;
use crate::logic::Stack;
use crate::temporal::{Growth, Head};
use epitome_encodings::Components;

/// Every cycle has a node; if there is one without, that is a mistake, and no proof that there is none.
pub(super) const NO_HEAD: Reason = Reason::Internal("a cycle without a head");

/// A step of the graph.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) from: u32,
    pub(super) to: u32,
    /// It enters a call.
    pub(super) enters: bool,
    /// It steps over a call that passes through an accepting state.
    pub(super) accepts: bool,
}

/// The graph.
pub(super) struct Cycles {
    /// By vertex, where its steps begin in the list; one more at the end.
    first: Vec<u32>,
    steps: Vec<Step>,
    /// Vertices that are accepting states.
    accepting: Vec<bool>,
}

/// What the cycles of a component have.
#[derive(Clone, Copy, Default)]
struct Found {
    accepting: bool,
    entering: bool,
}

impl Cycles {
    pub(super) fn new(steps: impl Iterator<Item = Step> + Clone, accepting: Vec<bool>) -> Cycles {
        let mut first = vec![0u32; accepting.len() + 1];
        steps.clone().for_each(|step| first[step.from as usize + 1] += 1);
        (0..accepting.len()).for_each(|vertex| first[vertex + 1] += first[vertex]);
        let none = Step { from: 0, to: 0, enters: false, accepts: false };
        let mut sorted = vec![none; first[accepting.len()] as usize];
        let mut next = first.clone();
        for step in steps {
            let place = &mut next[step.from as usize];
            sorted[*place as usize] = step;
            *place += 1;
        }
        Cycles { first, steps: sorted, accepting }
    }

    fn steps_of(&self, vertex: usize) -> &[Step] {
        &self.steps[self.first[vertex] as usize..self.first[vertex + 1] as usize]
    }

    /// The component of each vertex, with steps into calls or without, and what its cycles have.
    fn components(&self, calls: bool) -> (Vec<u32>, Vec<Found>) {
        let vertices = self.accepting.len();
        // Steps that do not count lead nowhere.
        let successor = |vertex: usize, n: usize| {
            let step = self.steps_of(vertex).get(n)?;
            Some(if step.enters && !calls { vertex } else { step.to as usize })
        };
        let components = Components::new(vertices, 0..vertices, successor);
        let of: Vec<u32> = components.of.iter().map(|of| of.unwrap_or(0)).collect();
        let mut found = vec![Found::default(); components.count as usize];
        for step in self.steps.iter().filter(|step| calls || !step.enters) {
            let own = of[step.from as usize];
            if own == of[step.to as usize] {
                let found = &mut found[own as usize];
                found.accepting |= step.accepts || self.accepting[step.from as usize];
                found.entering |= step.enters;
            }
        }
        (of, found)
    }

    /// A head of a cycle of the kind that is asked for; vertices that `can_be_head` give one.
    pub(super) fn head(
        &self,
        stack: Stack,
        can_be_head: impl Fn(u32) -> bool,
        head: impl Fn(u32, Growth) -> Option<Head>,
    ) -> Result<Option<Head>, Reason> {
        let mut found = None;
        if stack != Stack::Unbounded {
            found = self.bounded(can_be_head)?.map(|vertex| (vertex, Growth::Bounded));
        }
        if stack != Stack::Bounded && found.is_none() {
            found = self.unbounded().map(|vertex| (vertex, Growth::Unbounded));
        }
        found.map(|(vertex, growth)| head(vertex, growth).ok_or(NO_HEAD)).transpose()
    }

    /// A vertex that can be a head, on an accepting cycle that enters no call.
    fn bounded(&self, can_be_head: impl Fn(u32) -> bool) -> Result<Option<u32>, Reason> {
        let (of, found) = self.components(false);
        let on_cycle = || (0..of.len() as u32).filter(|&vertex| found[of[vertex as usize] as usize].accepting);
        match (on_cycle().find(|&vertex| can_be_head(vertex)), on_cycle().next()) {
            (None, Some(_)) => Err(NO_HEAD),
            (head, _) => Ok(head),
        }
    }

    /// An entry on an accepting cycle that enters it by a call.
    fn unbounded(&self) -> Option<u32> {
        let (of, found) = self.components(true);
        let is_on_cycle = |step: &&Step| {
            let own = of[step.from as usize];
            let Found { accepting, entering } = found[own as usize];
            step.enters && own == of[step.to as usize] && accepting && entering
        };
        self.steps.iter().find(is_on_cycle).map(|step| step.to)
    }
}

//! Symbolic execution of an acyclic region of a procedure: what its transitions do together.
//!
//! A region begins at one vertex, its other *sources* are nodes in topological order, and transitions
//! lead from sources to later sources or to *ends* outside. Values are signals over the variables where
//! the region begins and over *slots*, the choices of the whole passage.
//!
//! At a source, each transition reads the values there. What keeps the paths apart:
//! - the transitions of a source exclude each other: their guards do (one has a conjunct that another
//!   has negated), or they lead to different ends without meeting again, or *selectors*, slots of their
//!   own, decide between them;
//! - slots are numbered along paths: a transition takes slots after all those taken on any way to its
//!   source. Transitions of one source, and sources that no path visits both, share slots.
//!
//! Why this is exact. Fix the values where the region begins and the slots. At each source at most one
//! transition of those that meet again can be taken, so at most one path leads to each source and end;
//! where paths join, the value is therefore that of the one path that is taken, chosen by its condition.
//! Each choice of a path's transitions is read from slots of its own, and so are the selectors on it.
//! So a path can be taken with some choices of its transitions if and only if the region can be passed
//! along it with some values of the slots, and both leave the same values.
//!
//! Where two paths differ only by a last conjunct and its negation, they are joined by that conjunct
//! alone: after a branch has been closed nothing of it remains in the condition.

use super::exclusive::separate;
use super::signature::sign_effect;
use crate::model::{Edge, Leaf, Owner, Var};
use epitome_encodings::{Circuit, Gate, Lit, Substitution};
use rustc_hash::FxHashMap;

/// Where a transition of a region leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    /// To a later source.
    Source(usize),
    /// Out of the region.
    End(usize),
}

/// A vertex whose transitions are executed.
pub(super) struct Source<'e> {
    /// Who chooses the successor.
    pub(super) owner: Owner,
    /// The transitions.
    pub(super) edges: Vec<(&'e Edge, To)>,
}

/// A region: its sources in topological order, and how many ends it has.
pub(super) struct Region<'e> {
    pub(super) sources: Vec<Source<'e>>,
    pub(super) ends: usize,
}

impl Region<'_> {
    /// Regions of one circuit with the same signature do the same: all that their execution depends on.
    pub(super) fn signature(&self) -> Vec<u32> {
        let mut words = vec![self.ends as u32];
        for source in &self.sources {
            words.extend([source.edges.len() as u32, source.owner as u32]);
            for (edge, to) in &source.edges {
                words.push(match *to {
                    To::Source(source) => (source as u32) << 1,
                    To::End(end) => (end as u32) << 1 | 1,
                });
                sign_effect(edge, &mut words);
            }
        }
        words
    }
}

/// New values of the variables that are written.
pub(super) type Values = FxHashMap<Var, Lit>;

/// How a source or end is reached.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    /// Under this condition…
    pub(super) condition: Lit,
    /// …with these values.
    pub(super) values: Values,
    /// The first of the region's own transitions that leads here.
    pub(super) first: usize,
    /// Slots from here on are free.
    slot: usize,
}

/// What one transition does.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    /// The transition is passed under this condition (with those before it).
    pub(super) condition: Lit,
    /// The values it assigns.
    pub(super) assignments: Vec<(Var, Lit)>,
}

/// What a region does.
pub(super) struct Execution {
    /// How each end is reached, if it can be.
    pub(super) ends: Vec<Option<Arrival>>,
    /// By source: its transitions.
    pub(super) taken: Vec<Vec<Taken>>,
    /// Owners of the slots.
    pub(super) slots: Vec<Owner>,
}

/// Executes a region. Its circuits are read through `substitution`, the results are signals of `into`.
pub(super) fn execute(region: &Region<'_>, substitution: &mut Substitution<'_>, into: &mut Circuit) -> Execution {
    let sources = region.sources.len();
    let mut executor =
        Executor { substitution, into, arrivals: vec![Vec::new(); sources + region.ends], sources, slots: Vec::new() };
    let reach = reach(region);
    let start = Arrival { condition: Lit::TRUE, values: Values::default(), first: 0, slot: 0 };
    executor.arrivals[0].push(start);
    let mut taken = Vec::with_capacity(sources);
    for (index, source) in region.sources.iter().enumerate() {
        taken.push(executor.leave(index, source, &reach));
    }
    let arrivals = executor.arrivals.split_off(sources);
    let ends = arrivals.into_iter().map(|arrivals| executor.join(arrivals)).collect();
    Execution { ends, taken, slots: executor.slots }
}

/// By source: the sources and ends that can be reached from it, or `None` if they are too many for a
/// word; the bit of an end comes after those of the sources.
fn reach(region: &Region<'_>) -> Option<Vec<u64>> {
    let sources = region.sources.len();
    if sources + region.ends > 64 {
        return None;
    }
    let mut reach = vec![0; sources];
    for index in (0..sources).rev() {
        reach[index] = region.sources[index].edges.iter().fold(0, |all, (_, to)| all | beyond(&reach, sources, *to));
    }
    Some(reach)
}

/// What can be reached by a transition.
fn beyond(reach: &[u64], sources: usize, to: To) -> u64 {
    match to {
        To::Source(source) => 1 << source | reach[source],
        To::End(end) => 1 << (sources + end),
    }
}

struct Executor<'x, 'c> {
    substitution: &'x mut Substitution<'c>,
    into: &'x mut Circuit,
    /// By source, then by end: the paths that lead there.
    arrivals: Vec<Vec<Arrival>>,
    sources: usize,
    slots: Vec<Owner>,
}

impl Executor<'_, '_> {
    /// Takes all transitions of a source.
    fn leave(&mut self, index: usize, source: &Source<'_>, reach: &Option<Vec<u64>>) -> Vec<Taken> {
        let arrivals = std::mem::take(&mut self.arrivals[index]);
        let Some(mut here) = self.join(arrivals) else {
            let never = Taken { condition: Lit::FALSE, assignments: Vec::new() };
            return vec![never; source.edges.len()];
        };
        let masks = reach.as_ref().map(|reach| {
            let masks = source.edges.iter().map(|(_, to)| beyond(reach, self.sources, *to));
            masks.collect::<Vec<u64>>()
        });
        let edges: Vec<&Edge> = source.edges.iter().map(|(edge, _)| *edge).collect();
        let (selectors, codes) = separate(self.substitution.circuit(), &edges, masks.as_deref());
        let owners = vec![source.owner; selectors];
        let (selectors, free) = self.take_slots(here.slot, &owners);
        let mut taken = Vec::with_capacity(edges.len());
        for (position, &(edge, to)) in source.edges.iter().enumerate() {
            let mut condition = here.condition;
            for &(level, value) in codes.get(position).map_or(&[][..], Vec::as_slice) {
                condition = self.into.and(condition, selectors[level].negate_if(!value));
            }
            let last = position + 1 == source.edges.len();
            let values = if last { std::mem::take(&mut here.values) } else { here.values.clone() };
            let first = if index == 0 { position } else { here.first };
            taken.push(self.pass(edge, to, Arrival { condition, values, first, slot: free }));
        }
        taken
    }

    /// Takes one transition, under a condition and with the values before it.
    fn pass(&mut self, edge: &Edge, to: To, mut before: Arrival) -> Taken {
        let (slots, free) = self.take_slots(before.slot, &edge.choices);
        let signals: Vec<Lit> = edge.assignments.iter().map(|(_, lit)| *lit).chain([edge.guard]).collect();
        let values = &before.values;
        let mut signals =
            self.substitution.substitute_all(self.into, &signals, |number| match Leaf::from_number(number) {
                Leaf::Var(var) => values.get(&var).copied(),
                Leaf::Choice(choice) => slots.get(choice as usize).copied(),
            });
        let guard = signals.pop().unwrap_or(Lit::TRUE);
        let condition = self.into.and(before.condition, guard);
        let assignments: Vec<(Var, Lit)> = edge.assignments.iter().map(|(var, _)| *var).zip(signals).collect();
        if condition != Lit::FALSE {
            before.condition = condition;
            before.values.extend(assignments.iter().copied());
            before.slot = free;
            let place = match to {
                To::Source(source) => source,
                To::End(end) => self.sources + end,
            };
            self.arrivals[place].push(before);
        }
        Taken { condition, assignments }
    }

    /// Slots for choices of these owners from a number on, and the number of the first slot after them.
    fn take_slots(&mut self, mut free: usize, owners: &[Owner]) -> (Vec<Lit>, usize) {
        let mut taken = Vec::with_capacity(owners.len());
        for &owner in owners {
            while self.slots.get(free).is_some_and(|other| *other != owner) {
                free += 1;
            }
            if free == self.slots.len() {
                self.slots.push(owner);
            }
            taken.push(self.into.input(Leaf::Choice(free as u32).number()));
            free += 1;
        }
        (taken, free)
    }

    /// All paths to a place as one; none if none can be taken.
    fn join(&mut self, arrivals: Vec<Arrival>) -> Option<Arrival> {
        let mut open: Vec<Arrival> = Vec::new();
        for mut arrival in arrivals {
            // A branch that closes may be the half of another one.
            while let Some((at, common, decider)) = self.partner(&open, arrival.condition) {
                let other = open.swap_remove(at);
                arrival = self.merge(arrival, other, decider);
                arrival.condition = common;
            }
            open.push(arrival);
        }
        let mut open = open.into_iter();
        let first = open.next()?;
        Some(open.fold(first, |all, arrival| {
            let condition = self.into.or(all.condition, arrival.condition);
            let decider = arrival.condition;
            Arrival { condition, ..self.merge(arrival, all, decider) }
        }))
    }

    /// A path whose condition is the negation of this one up to a common part.
    fn partner(&self, open: &[Arrival], condition: Lit) -> Option<(usize, Lit, Lit)> {
        open.iter().enumerate().find_map(|(index, other)| {
            let (common, decider) = halves(self.into, condition, other.condition)?;
            Some((index, common, decider))
        })
    }

    /// The values of one path where `decider` holds, else those of the other.
    fn merge(&mut self, one: Arrival, other: Arrival, decider: Lit) -> Arrival {
        let mut vars: Vec<Var> = one.values.keys().chain(other.values.keys()).copied().collect();
        vars.sort_unstable();
        vars.dedup();
        let mut values = one.values;
        for var in vars {
            let unchanged = self.into.input(Leaf::Var(var).number());
            let then = values.get(&var).copied().unwrap_or(unchanged);
            let otherwise = other.values.get(&var).copied().unwrap_or(unchanged);
            let value = if then == otherwise { then } else { self.into.ite(decider, then, otherwise) };
            values.insert(var, value);
        }
        let (first, slot) = (one.first.min(other.first), one.slot.max(other.slot));
        Arrival { condition: one.condition, values, first, slot }
    }
}

/// The common part and the decider if the signals are `common & decider` and `common & !decider`.
fn halves(circuit: &Circuit, one: Lit, other: Lit) -> Option<(Lit, Lit)> {
    if one == !other {
        return Some((Lit::TRUE, one));
    }
    if one.is_negated() || other.is_negated() {
        return None;
    }
    let (Gate::And(a, b), Gate::And(c, d)) = (circuit.gate(one), circuit.gate(other)) else { return None };
    let ways = [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)];
    ways.into_iter().find(|(p, q, r, s)| p == r && *q == !*s).map(|(common, decider, _, _)| (common, decider))
}

//! Which states have an accepted run, and which have one if only some exit has (Alur-HSM 4.1: YES and MAYBE; 4.2 for several exits).
//!
//! A *position* is a state (or a call on the way to one) and a state of the automaton that reads the run from there. Whether a position has an
//! accepted run depends on the stack below through what holds at the exits only, and in a simple way: it has one if it has one that never leaves
//! its activation (the paper's YES, here `accepted`), or if it can leave the activation by an exit position that has one (MAYBE, here `leaves`).
//! Both are found without copying anything: exits backwards, calls being stepped over by what their entries reach;
//! then one graph of all steps, steps over calls and steps into calls, whose components with an accepting cycle are the
//! runs that never leave: those that go around in an activation, and those that call for ever (Alur-RSM 3.2).

use super::leaving::Leaving;
use super::structure::{State, Structure, Target};
use crate::limits::{Limits, Reason};
use crate::logic::Path;
use epitome_automata::{Buchi, Cube};
use epitome_encodings::Components;
use rustc_hash::FxHashMap;

/// Looks at the limits every so many steps.
pub(super) const INTERVAL: usize = 4096;

/// What the automaton does with a letter.
pub(super) struct Reading {
    /// By state, where it can go; states from which it accepts everything are left out.
    pub(super) next: Vec<Vec<u32>>,
    /// By state, where it can come from.
    pub(super) before: Vec<Vec<u32>>,
    /// By state: it goes to one from which everything is accepted.
    pub(super) done: Vec<bool>,
    /// By state: it accepts the letter, repeated for ever.
    pub(super) forever: Vec<bool>,
}

impl Reading {
    fn new(automaton: &Buchi, accepts_all: &[bool], letter: u64) -> Reading {
        let states = automaton.states();
        let mut all: Vec<Vec<u32>> = vec![Vec::new(); states];
        for (from, transitions) in automaton.transitions.iter().enumerate() {
            all[from].extend(transitions.iter().filter(|(cube, _)| cube.holds(letter)).map(|(_, to)| *to));
            all[from].sort_unstable();
            all[from].dedup();
        }
        let steps: Vec<Vec<Step>> = all.iter().map(|next| next.iter().map(|&to| (to, false)).collect()).collect();
        let forever = accepted(&|state| &steps[state], &automaton.accepting, []);
        let done = all.iter().map(|next| next.iter().any(|&to| accepts_all[to as usize])).collect();
        let next: Vec<Vec<u32>> = all
            .into_iter()
            .map(|next| next.into_iter().filter(|&to| !accepts_all[to as usize]).collect::<Vec<u32>>())
            .collect();
        let mut before = vec![Vec::new(); states];
        for (from, next) in next.iter().enumerate() {
            next.iter().for_each(|&to| before[to as usize].push(from as u32));
        }
        Reading { next, before, done, forever }
    }
}

/// By vertex of a graph: a path from it passes through accepting vertices or steps again and again, or comes to one of some others.
fn accepted<'g>(
    steps: &dyn Fn(usize) -> &'g [Step],
    accepting: &[bool],
    others: impl IntoIterator<Item = u32>,
) -> Vec<bool> {
    let vertices = accepting.len();
    let successor = |vertex: usize, n: usize| steps(vertex).get(n).map(|(to, _)| *to as usize);
    let components = Components::new(vertices, 0..vertices, successor);
    let of = |vertex: usize| components.of[vertex].unwrap_or(0) as usize;
    let mut is_accepted = vec![false; components.count as usize];
    for (vertex, &is_accepting) in accepting.iter().enumerate() {
        for &(to, passes) in steps(vertex).iter().filter(|(to, _)| of(*to as usize) == of(vertex)) {
            is_accepted[of(to as usize)] |= passes || is_accepting;
        }
    }
    others.into_iter().for_each(|vertex| is_accepted[of(vertex as usize)] = true);
    // Whoever leads to an accepted component comes after it; that its own component is, all of it must know before others ask.
    for members in components.bottom_up.chunk_by(|&a, &b| of(a) == of(b)) {
        let leads = |&vertex: &usize| steps(vertex).iter().any(|(to, _)| is_accepted[of(*to as usize)]);
        let is = members.iter().any(leads);
        is_accepted[of(members[0])] |= is;
    }
    (0..vertices).map(|vertex| is_accepted[of(vertex)]).collect()
}

/// A position that comes next, and whether an accepting state is passed on the way.
type Step = (u32, bool);

/// A way out of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Way {
    /// Where it begins.
    pub(super) from: u32,
    /// The exit position where it ends.
    pub(super) exit: u32,
    /// It passes through an accepting state.
    pub(super) passes: bool,
}

/// How a way begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Begins {
    /// It is at its end.
    AtExit,
    /// With a step; then it goes on like this.
    Step(Way),
    /// With a call, whose inside is this.
    Over { inside: Way, then: Way },
}

/// How one position leads to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Link {
    /// By a step, within the activation.
    Step,
    /// Over a call, inside of which is this way.
    Over(Way),
    /// Into a call.
    Into,
}

/// A step over a call.
pub(super) struct Over {
    pub(super) to: u32,
    pub(super) passes: bool,
    /// The exit position by which the call is left.
    pub(super) exit: u32,
}

/// What is known of the positions of a structure.
pub(super) struct Paths<'s> {
    pub(super) structure: &'s Structure,
    /// States of the automaton.
    pub(super) width: usize,
    pub(super) accepting: Vec<bool>,
    readings: Vec<Reading>,
    /// By state, its reading.
    reading: Vec<u32>,
    /// By position: an accepted run never leaves the activation.
    pub(super) accepted: Vec<bool>,
    /// By position: the exit positions by which it can leave, and whether it can on a way through an accepting state.
    pub(super) leaves: Vec<FxHashMap<u32, bool>>,
    /// By position of a call: the positions after it.
    pub(super) over: FxHashMap<u32, Vec<Over>>,
    /// Of all ways out, how they begin, and the states that they pass, if that is asked for.
    pub(super) ways: Option<FxHashMap<Way, (Begins, u64)>>,
}

impl<'s> Paths<'s> {
    /// Finds out which positions have an accepted run.
    pub(super) fn new(structure: &'s Structure, path: &Path, limits: &Limits) -> Result<Paths<'s>, Reason> {
        Paths::find(structure, path, false, limits)
    }

    /// The same in such a way that the runs can be told, to their end.
    pub(super) fn with_ways(structure: &'s Structure, path: &Path, limits: &Limits) -> Result<Paths<'s>, Reason> {
        Paths::find(structure, path, true, limits)
    }

    fn find(structure: &'s Structure, path: &Path, with_ways: bool, limits: &Limits) -> Result<Paths<'s>, Reason> {
        let automaton = &path.automaton;
        let everyone_goes_on = !with_ways && structure.everyone_goes_on();
        // Where every state has a run, a state of the automaton that accepts every run need not be followed.
        let accepts_all: Vec<bool> = (0..automaton.states())
            .map(|state| {
                let stays = |(cube, to): &(Cube, u32)| *cube == Cube::ANY && *to as usize == state;
                everyone_goes_on && automaton.accepting[state] && automaton.transitions[state].iter().any(stays)
            })
            .collect();
        let mut index: FxHashMap<u64, u32> = FxHashMap::default();
        let mut readings = Vec::new();
        let mut reading = Vec::with_capacity(structure.states.len());
        for state in 0..structure.states.len() as u32 {
            let letter = structure.letter(state, &path.reads);
            reading.push(*index.entry(letter).or_insert_with(|| {
                readings.push(Reading::new(automaton, &accepts_all, letter));
                readings.len() as u32 - 1
            }));
        }
        let width = automaton.states();
        let positions = structure.vertices() * width;
        if u32::try_from(positions).is_err() {
            return Err(Reason::TooManyStates);
        }
        limits.check(positions * 40)?;
        let mut paths = Paths {
            structure,
            width,
            accepting: automaton.accepting.clone(),
            readings,
            reading,
            accepted: vec![false; positions],
            leaves: vec![FxHashMap::default(); positions],
            over: FxHashMap::default(),
            ways: with_ways.then(FxHashMap::default),
        };
        if accepts_all[0] {
            (0..structure.vertices()).for_each(|vertex| paths.accepted[vertex * width] = true);
            return Ok(paths);
        }
        Leaving::new(&mut paths, limits).saturate()?;
        paths.accept(limits)?;
        Ok(paths)
    }

    /// The position of a state or call with a state of the automaton.
    pub(super) fn position(&self, target: Target, state: u32) -> u32 {
        (self.structure.vertex(target) * self.width) as u32 + state
    }

    pub(super) fn split(&self, position: u32) -> (Target, u32) {
        let (vertex, state) = (position / self.width as u32, position % self.width as u32);
        match vertex.checked_sub(self.structure.states.len() as u32) {
            Some(call) => (Target::Call(call), state),
            None => (Target::State(vertex), state),
        }
    }

    pub(super) fn reading(&self, state: u32) -> &Reading {
        &self.readings[self.reading[state as usize] as usize]
    }

    /// The exit positions that a position can leave by.
    pub(super) fn leaves(&self, position: u32) -> impl Iterator<Item = u32> + '_ {
        self.leaves[position as usize].keys().copied()
    }

    /// An exit position, left by a call that goes on at these targets: it has an accepted run already, or it has one if one of
    /// these positions has.
    pub(super) fn after(&self, exit: u32, targets: &[Target]) -> Result<Vec<u32>, bool> {
        let (Target::State(state), at) = self.split(exit) else { return Err(false) };
        let reading = self.reading(state);
        if targets.is_empty() {
            return Err(self.structure.states[state as usize].stays && reading.forever[at as usize]);
        }
        let mut positions = self.positions_after(exit, targets);
        match reading.done[at as usize] || positions.any(|position| self.accepted[position as usize]) {
            true => Err(true),
            false => Ok(self.positions_after(exit, targets).collect()),
        }
    }

    /// The positions that follow an exit position where a call goes on at these targets.
    pub(super) fn positions_after<'t>(&'t self, exit: u32, targets: &'t [Target]) -> impl Iterator<Item = u32> + 't {
        let (target, at) = self.split(exit);
        let next: &[u32] = match target {
            Target::State(state) => &self.reading(state).next[at as usize],
            Target::Call(_) => &[],
        };
        targets.iter().flat_map(move |&target| next.iter().map(move |&to| self.position(target, to)))
    }

    /// A call's targets after an exit.
    pub(super) fn targets(&self, call: u32, exit: u32) -> &'s [Target] {
        let structure = self.structure;
        let (Target::State(exit), _) = self.split(exit) else { return &[] };
        let returns = &structure.calls[call as usize].returns;
        returns.binary_search_by_key(&exit, |(own, _)| *own).map_or(&[], |at| &returns[at].1)
    }

    /// Finds the positions whose runs need not leave.
    fn accept(&mut self, limits: &Limits) -> Result<(), Reason> {
        let positions = self.accepted.len();
        limits.check(positions * 24)?;
        let mut first = Vec::with_capacity(positions + 1);
        let mut steps: Vec<Step> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        for position in 0..positions as u32 {
            first.push(steps.len() as u32);
            self.steps(position, |to, passes, _| steps.push((to, passes)));
            if self.ends(position).is_some() {
                open.push(position);
            }
            if (position as usize).is_multiple_of(INTERVAL) {
                limits.check(steps.capacity() * 8)?;
            }
        }
        first.push(u32::try_from(steps.len()).map_err(|_| Reason::TooManyStates)?);
        let steps_of = |position: usize| &steps[first[position] as usize..first[position + 1] as usize];
        let accepting: Vec<bool> = (0..positions).map(|position| self.accepting[position % self.width]).collect();
        self.accepted = accepted(&steps_of, &accepting, open);
        limits.check(0)
    }

    /// The steps from a position that stay in the activation or go deeper, with the accepting states that they pass besides those where
    /// they begin.
    pub(super) fn steps(&self, position: u32, mut each: impl FnMut(u32, bool, Link)) {
        let (target, at) = self.split(position);
        match target {
            Target::State(state) => {
                let next = &self.structure.next[state as usize];
                for &target in next.iter().filter(|_| !self.structure.states[state as usize].is_exit) {
                    for &to in &self.reading(state).next[at as usize] {
                        each(self.position(target, to), false, Link::Step);
                    }
                }
            }
            Target::Call(call) => {
                let from = self.entry(call, at);
                each(from, false, Link::Into);
                for &Over { to, passes, exit } in self.over.get(&position).into_iter().flatten() {
                    each(to, passes, Link::Over(Way { from, exit, passes }));
                }
            }
        }
    }

    /// A position at which an accepted run of this position comes to rest at once: its own, or an exit that a call can be left by and
    /// from which nothing leads on.
    pub(super) fn ends(&self, position: u32) -> Option<u32> {
        let (target, at) = self.split(position);
        match target {
            Target::State(state) => {
                let reading = self.reading(state);
                let State { is_exit, stays, .. } = self.structure.states[state as usize];
                let stays = stays && !is_exit && self.structure.next[state as usize].is_empty();
                // (Only where everyone goes on is anything done.)
                (reading.done[at as usize] || stays && reading.forever[at as usize]).then_some(position)
            }
            Target::Call(call) => self.leaves(self.entry(call, at)).find(|&exit| {
                let targets = self.targets(call, exit);
                targets.is_empty() && self.after(exit, targets) == Err(true)
            }),
        }
    }

    /// The position that a call enters.
    pub(super) fn entry(&self, call: u32, at: u32) -> u32 {
        self.position(Target::State(self.structure.calls[call as usize].entry), at)
    }

    pub(super) fn is_accepting(&self, position: u32) -> bool {
        self.accepting[position as usize % self.width]
    }

    /// A way out from a position by an exit position, if there is one.
    pub(super) fn way(&self, from: u32, exit: u32) -> Option<Way> {
        let &passes = self.leaves[from as usize].get(&exit)?;
        Some(Way { from, exit, passes })
    }

    /// How a way begins.
    pub(super) fn begins(&self, way: Way) -> Option<Begins> {
        self.ways.as_ref()?.get(&way).map(|(begins, _)| *begins)
    }

    /// The states that are passed on a way after the one where it begins.
    pub(super) fn length(&self, way: Way) -> u64 {
        self.ways.as_ref().and_then(|ways| ways.get(&way)).map_or(0, |(_, length)| *length)
    }

    /// The states that are passed by a step.
    pub(super) fn length_of(&self, link: Link, to: u32) -> u64 {
        let own = u64::from(matches!(self.split(to).0, Target::State(_)));
        match link {
            Link::Step | Link::Into => own,
            Link::Over(way) => self.length(way).saturating_add(1 + own),
        }
    }
}

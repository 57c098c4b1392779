//! What the environment can see at once: that threads cannot go on together in a child, and that children are alike.
//!
//! A claim that is contradicted one or two steps on need not become a node of the game first: threads are sent only where they can take two steps together
//! with those that are sent everywhere. And children that nothing tells apart may change places: their classes are those of the coarsest partition in which states of a
//! class have the same atoms, the same kind of choice, and as many successors in each class. The trees that an environment can make from
//! two states of one class are the same, so threads that are sent to children of their own are sent to the first of each class.

use super::super::structure::{Structure, Target};
use super::flat::Flat;
use super::tableau::{Tableau, Thread};
use crate::limits::{Limits, Reason};
use rustc_hash::FxHashMap;

/// Steps that are looked ahead.
const STEPS: u32 = 2;

/// Larger modules are not divided into classes.
const MOST_CLASSIFIED: usize = 2000;

/// What is known of configurations before the game gets there.
pub(super) struct Foresight<'c, 's> {
    pub(super) flat: &'c mut Flat<'s>,
    tableau: &'c Tableau<'c>,
    /// By state and stage that is an atom: it holds.
    atom: &'c dyn Fn(u32, usize) -> bool,
    limits: &'c Limits,
    /// By state.
    classes: Vec<u32>,
    /// By configuration, threads there, and steps: they can be taken.
    known: FxHashMap<(u32, Box<[Thread]>, u32), bool>,
}

impl<'c, 's> Foresight<'c, 's> {
    pub(super) fn new(
        flat: &'c mut Flat<'s>,
        tableau: &'c Tableau<'c>,
        atom: &'c dyn Fn(u32, usize) -> bool,
        limits: &'c Limits,
    ) -> Foresight<'c, 's> {
        let classes = classes(flat, atom, tableau.atoms());
        Foresight { flat, tableau, atom, limits, classes, known: FxHashMap::default() }
    }

    /// Nothing tells two configurations apart.
    pub(super) fn are_alike(&self, a: u32, b: u32) -> bool {
        let class = |configuration: u32| self.classes.get(self.flat.state(configuration) as usize);
        class(a).is_some() && class(a) == class(b)
    }

    /// Nothing speaks against these threads, in order, at a configuration.
    pub(super) fn is_possible(&mut self, configuration: u32, threads: Vec<Thread>) -> Result<bool, Reason> {
        // One thread alone finds out soon enough.
        Ok(threads.len() < 2 || self.can_go_on(configuration, threads.into(), STEPS)?)
    }

    fn can_go_on(&mut self, configuration: u32, threads: Box<[Thread]>, steps: u32) -> Result<bool, Reason> {
        if steps == 0 || threads.is_empty() {
            return Ok(true);
        }
        let key = (configuration, threads, steps);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        self.limits.check(self.known.len() * 100)?;
        let can = self.has_step(configuration, &key.1, steps)?;
        self.known.insert(key, can);
        Ok(can)
    }

    fn has_step(&mut self, configuration: u32, threads: &[Thread], steps: u32) -> Result<bool, Reason> {
        let state = self.flat.state(configuration);
        let atom = |stage: usize| (self.atom)(state, stage);
        let ways = match self.tableau.ways(threads, None, &atom, self.limits) {
            // What is too much, or not known, is no reason against them.
            Err(Reason::NotSupported(_)) => return Ok(true),
            ways => ways?,
        };
        if ways.is_empty() || steps == 1 {
            return Ok(!ways.is_empty());
        }
        let Ok(offers) = self.flat.offers(configuration) else { return Ok(true) };
        for way in ways {
            let everywhere: Vec<Thread> = way.all.iter().map(|(_, thread)| *thread).collect();
            let mut goes_on = false;
            for offer in &offers {
                goes_on = goes_on || self.is_offer_possible(offer, &everywhere, steps)?;
            }
            for &(_, thread) in &way.some {
                let with = merged(&everywhere, &[thread]);
                let mut is_sent = false;
                for &child in offers.iter().flatten() {
                    is_sent = is_sent || self.can_go_on(child, with.clone(), steps - 1)?;
                }
                goes_on &= is_sent;
            }
            if goes_on {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_offer_possible(&mut self, offer: &[u32], everywhere: &[Thread], steps: u32) -> Result<bool, Reason> {
        for &child in offer {
            if !self.can_go_on(child, merged(everywhere, &[]), steps - 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Threads of two lists, in order.
pub(super) fn merged(a: &[Thread], b: &[Thread]) -> Box<[Thread]> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// By state, its class; nothing where there are calls, or too many states.
fn classes(flat: &Flat<'_>, atom: &dyn Fn(u32, usize) -> bool, atoms: impl Iterator<Item = usize>) -> Vec<u32> {
    let structure = flat.structure();
    let states = structure.states.len();
    if !structure.calls.is_empty() || states > MOST_CLASSIFIED {
        return Vec::new();
    }
    let atoms: Vec<usize> = atoms.collect();
    let mut count = 0;
    let mut classes: Vec<u32> = vec![0; states];
    let mut first = true;
    loop {
        let mut numbers: FxHashMap<(Vec<u32>, Vec<Vec<u32>>), u32> = FxHashMap::default();
        let mut refined = Vec::with_capacity(states);
        for state in 0..states as u32 {
            let own = match first {
                true => atoms.iter().map(|&stage| u32::from(atom(state, stage))).collect(),
                false => vec![classes[state as usize]],
            };
            let next = if first { Vec::new() } else { choices(flat, structure, &classes, state) };
            let fresh = numbers.len() as u32;
            refined.push(*numbers.entry((own, next)).or_insert(fresh));
        }
        classes = refined;
        if numbers.len() == count {
            return classes;
        }
        (count, first) = (numbers.len(), false);
    }
}

/// The classes of what can be chosen between in a state.
fn choices(flat: &Flat<'_>, structure: &Structure, classes: &[u32], state: u32) -> Vec<Vec<u32>> {
    let class = |target: &Target| match target {
        Target::State(state) => classes[*state as usize],
        Target::Call(_) => u32::MAX,
    };
    let sorted = |targets: &[Target]| {
        let mut own: Vec<u32> = targets.iter().map(class).collect();
        own.sort_unstable();
        own
    };
    match flat.offers_of(state) {
        None => vec![sorted(&structure.next[state as usize])],
        Some(offers) if offers.iter().all(|offer| offer.len() == 1) => {
            let mut own: Vec<Vec<u32>> = offers.iter().map(|offer| sorted(offer)).collect();
            own.sort_unstable();
            own
        }
        // Where offers overlap, states are alike only to themselves.
        Some(_) => vec![vec![u32::MAX, state]],
    }
}

//! Generalized Büchi automata with acceptance on transitions, and Büchi automata.
//!
//! A word is accepted if some run on it passes through transitions of every acceptance set again and again; a Büchi
//! automaton has one set, of states.

use crate::formula::Atom;

/// What holds at a moment: atoms that must, and atoms that must not. Others are not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// Atoms that hold, a bit for each.
    pub yes: u64,
    /// Atoms that do not.
    pub no: u64,
}

impl Cube {
    /// Anything.
    pub const ANY: Cube = Cube { yes: 0, no: 0 };

    /// A single literal.
    pub(crate) fn literal(atom: Atom, is: bool) -> Cube {
        let bit = 1 << atom.0;
        if is { Cube { yes: bit, no: 0 } } else { Cube { yes: 0, no: bit } }
    }

    /// Both, if they do not contradict each other.
    pub(crate) fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube { yes: self.yes | other.yes, no: self.no | other.no };
        (both.yes & both.no == 0).then_some(both)
    }

    /// Whatever satisfies this satisfies the other.
    pub(crate) fn implies(self, other: Cube) -> bool {
        self.yes & other.yes == other.yes && self.no & other.no == other.no
    }

    /// It is satisfied where just these atoms hold.
    pub fn holds(self, atoms: u64) -> bool {
        self.yes & atoms == self.yes && self.no & atoms == 0
    }

    /// One cube for both, if there is one: they differ in the sign of one atom.
    pub(crate) fn joined(self, other: Cube) -> Option<Cube> {
        let differ = (self.yes ^ other.yes) | (self.no ^ other.no);
        let is_one = differ.count_ones() == 1 && self.yes | self.no == other.yes | other.no;
        is_one.then_some(Cube { yes: self.yes & !differ, no: self.no & !differ })
    }
}

/// The lowest bits, so many of them.
pub(crate) fn low_bits(count: u32) -> u64 {
    if count == 0 { 0 } else { u64::MAX >> (64 - count) }
}

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transition {
    /// What must hold.
    pub cube: Cube,
    /// Acceptance sets it is in, a bit for each.
    pub accepting: u64,
    /// Where it goes.
    pub to: u32,
}

/// A generalized Büchi automaton; the first state is where runs start.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    /// By state, the transitions that leave it.
    pub transitions: Vec<Vec<Transition>>,
    /// How many acceptance sets there are.
    pub sets: u32,
    /// Transitions that leave a state are in the same sets: acceptance is that of states.
    pub on_states: bool,
}

/// A Büchi automaton; the first state is where runs start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buchi {
    /// By state, what must hold and where it goes.
    pub transitions: Vec<Vec<(Cube, u32)>>,
    /// The states that must be visited again and again.
    pub accepting: Vec<bool>,
}

impl Automaton {
    /// Every set.
    pub(crate) fn all_sets(&self) -> u64 {
        low_bits(self.sets)
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.transitions.len()
    }
}

impl Buchi {
    /// How many states there are.
    pub fn states(&self) -> usize {
        self.transitions.len()
    }

    /// The same automaton with acceptance on transitions: those that leave accepting states.
    pub fn generalized(&self) -> Automaton {
        let leave = |(edges, &accepting): (&Vec<(Cube, u32)>, &bool)| {
            let edge = |&(cube, to): &(Cube, u32)| Transition { cube, accepting: u64::from(accepting), to };
            edges.iter().map(edge).collect()
        };
        Automaton {
            transitions: self.transitions.iter().zip(&self.accepting).map(leave).collect(),
            sets: 1,
            on_states: true,
        }
    }
}

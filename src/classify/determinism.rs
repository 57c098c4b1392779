//! Is every state's successor unique (Godefroid 2.4)?
//!
//! A procedure is deterministic if no state has two successors: the guards at each vertex exclude each other, and what
//! a transition or a call chooses makes no difference to where control goes and with which values (`schoose[a, !a]` is
//! `a`). Arbitrary values count as choices where they can be read: a local that may be read before
//! it is written is chosen anew at each call. The arbitrary values a computation starts with are not
//! choices but several initial states. Whether guards exclude each other, and whether choices matter, is asked of a SAT
//! solver (`super::overlap`); where that takes too long the answer is [`Determinism::Unknown`].

use super::overlap::Overlaps;
use super::unwritten::Unwritten;
use crate::model::{CallGraph, Edge, Ersm, Leaf, Procedure};
use epitome_encodings::Lit;
use std::fmt;

/// Whether a machine is deterministic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// Every state has at most one successor.
    Deterministic,
    /// Some state has two successors.
    Nondeterministic,
    /// Whether some state has two took too long to find out.
    Unknown,
}

impl Determinism {
    /// `true`, `false`, or nothing if unknown.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Determinism::Deterministic => Some(true),
            Determinism::Nondeterministic => Some(false),
            Determinism::Unknown => None,
        }
    }
}

impl fmt::Display for Determinism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Determinism::Deterministic => "yes",
            Determinism::Nondeterministic => "no",
            Determinism::Unknown => "unknown",
        })
    }
}

/// Decides for all procedures that can be called.
pub(super) fn determinism(ersm: &Ersm, calls: &CallGraph, unwritten: &mut Unwritten<'_>) -> Determinism {
    let mut result = Determinism::Deterministic;
    let mut overlaps = Overlaps::new(&ersm.circuit);
    let called = calls.called();
    for &id in &calls.bottom_up {
        if called[id.index()] && unwritten.reads_arbitrary_local(id) {
            return Determinism::Nondeterministic;
        }
        match splits(ersm, ersm.procedure(id), &mut overlaps) {
            Some(true) => return Determinism::Nondeterministic,
            Some(false) => {}
            None => result = Determinism::Unknown,
        }
    }
    result
}

/// Some of the signals has a choice. (A constant `if (*)` leaves none behind.)
fn choose(ersm: &Ersm, signals: &[Lit]) -> bool {
    let is_choice = |&number: &u32| matches!(Leaf::from_number(number), Leaf::Choice(_));
    signals.iter().any(|lit| lit.as_constant().is_none() && ersm.circuit.support([*lit]).iter().any(is_choice))
}

/// Some state of the procedure may have two successors; `None` if it is not known.
fn splits(ersm: &Ersm, procedure: &Procedure, overlaps: &mut Overlaps) -> Option<bool> {
    let mut result = Some(false);
    let calls = procedure.boxes.iter().filter(|call| !call.choices.is_empty());
    for call in calls.filter(|call| choose(ersm, &call.arguments)) {
        match overlaps.choices_matter(Lit::TRUE, &call.arguments, call.choices.len()) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => result = None,
        }
    }
    let mut edges: Vec<&Edge> = procedure.edges.iter().collect();
    edges.sort_by_key(|edge| edge.from);
    for group in edges.chunk_by(|a, b| a.from == b.from) {
        let (mut guards, mut choices) = (Vec::with_capacity(group.len()), 0);
        for edge in group {
            let values: Vec<Lit> = edge.assignments.iter().map(|(_, lit)| *lit).collect();
            if edge.choices.is_empty() || !choose(ersm, &[&values[..], &[edge.guard]].concat()) {
                guards.push(edge.guard);
                continue;
            }
            match overlaps.choices_matter(edge.guard, &values, edge.choices.len()) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => result = None,
            }
            // Each transition chooses for itself.
            guards.push(overlaps.with_other_choices(edge.guard, choices));
            choices += edge.choices.len();
        }
        match overlaps.two_of(guards.into_iter()) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => result = None,
        }
    }
    result
}

//! Is every state's successor unique (Godefroid 2.4)?
//!
//! A procedure is deterministic if the guards at each vertex exclude each other and nothing is
//! chosen. Arbitrary values count as choices where they can be read: a local that may be read before
//! it is written is chosen anew at each call. The arbitrary values a computation starts with are not
//! choices but several initial states. Whether guards exclude each other is asked of a SAT solver
//! (`super::overlap`); where that takes too long the answer is [`Determinism::Unknown`].

use super::overlap::Overlaps;
use super::unwritten::Unwritten;
use crate::model::{CallGraph, Ersm, Leaf, Procedure, Vertex};
use epitome_encodings::Lit;
use std::fmt;

/// Whether a machine is deterministic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// Every state has at most one successor.
    Deterministic,
    /// Some guards overlap, or something is chosen.
    Nondeterministic,
    /// Whether some guards overlap took too long to find out.
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
    let mut called = vec![false; ersm.procedures.len()];
    for &id in &calls.bottom_up {
        for callee in &calls.callees[id.index()] {
            called[callee.index()] = true;
        }
    }
    for &id in &calls.bottom_up {
        let procedure = ersm.procedure(id);
        if chooses(ersm, procedure) || called[id.index()] && unwritten.reads_arbitrary_local(id) {
            return Determinism::Nondeterministic;
        }
        match guards_overlap(procedure, &mut overlaps) {
            Some(true) => return Determinism::Nondeterministic,
            Some(false) => {}
            None => result = Determinism::Unknown,
        }
    }
    result
}

/// Some transition or argument list has a choice. (A constant `if (*)` leaves none behind.)
fn chooses(ersm: &Ersm, procedure: &Procedure) -> bool {
    let depends = |lit: Lit| {
        lit.as_constant().is_none()
            && ersm.circuit.support([lit]).iter().any(|&n| matches!(Leaf::from_number(n), Leaf::Choice(_)))
    };
    let edge_chooses = procedure
        .edges
        .iter()
        .filter(|edge| !edge.choices.is_empty())
        .any(|edge| depends(edge.guard) || edge.assignments.iter().any(|(_, lit)| depends(*lit)));
    edge_chooses
        || procedure
            .boxes
            .iter()
            .filter(|call| !call.choices.is_empty())
            .any(|call| call.arguments.iter().any(|l| depends(*l)))
}

/// At some vertex two guards hold together; `None` if it is not known.
fn guards_overlap(procedure: &Procedure, overlaps: &mut Overlaps) -> Option<bool> {
    let mut guards: Vec<(Vertex, Lit)> = procedure.edges.iter().map(|edge| (edge.from, edge.guard)).collect();
    guards.sort_by_key(|(from, _)| *from);
    let mut result = Some(false);
    for group in guards.chunk_by(|a, b| a.0 == b.0) {
        match overlaps.two_of(group.iter().map(|(_, guard)| *guard)) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => result = None,
        }
    }
    result
}

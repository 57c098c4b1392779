//! Is every state's successor unique (Godefroid 2.4)?
//!
//! A procedure is deterministic if the guards at each vertex exclude each other and nothing is
//! chosen. Arbitrary values count as choices where they can be read: a local that may be read before
//! it is written is chosen anew at each call. The arbitrary values a computation starts with are not
//! choices but several initial states. Guards are compared semantically, by trying all values of the
//! variables they read; where that is too many, or too much work in all, the answer is
//! [`Determinism::Unknown`].

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
    /// Some guards read too many variables to compare them.
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
    let mut work = MOST_WORK;
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
        match guards_exclude(ersm, procedure, &mut work) {
            Determinism::Nondeterministic => return Determinism::Nondeterministic,
            Determinism::Unknown => result = Determinism::Unknown,
            Determinism::Deterministic => {}
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

/// The guards at each vertex exclude each other.
fn guards_exclude(ersm: &Ersm, procedure: &Procedure, work: &mut u64) -> Determinism {
    let mut guards: Vec<(Vertex, Lit)> = Vec::with_capacity(procedure.edges.len());
    guards.extend(procedure.edges.iter().map(|edge| (edge.from, edge.guard)).filter(|(_, guard)| *guard != Lit::FALSE));
    guards.sort_by_key(|(from, _)| *from);
    let mut result = Determinism::Deterministic;
    for group in guards.chunk_by(|a, b| a.0 == b.0) {
        for (position, (_, a)) in group.iter().enumerate() {
            for (_, b) in &group[position + 1..] {
                match exclude(ersm, *a, *b, work) {
                    Some(true) => {}
                    Some(false) => return Determinism::Nondeterministic,
                    None if *work == 0 => return Determinism::Unknown,
                    None => result = Determinism::Unknown,
                }
            }
        }
    }
    result
}

/// Gates that are evaluated at most, in all.
const MOST_WORK: u64 = 20_000_000;

/// No valuation satisfies both; `None` if they read too many variables to try.
fn exclude(ersm: &Ersm, a: Lit, b: Lit, work: &mut u64) -> Option<bool> {
    const MOST_VARIABLES: usize = 12;
    if a == !b {
        return Some(true);
    }
    if a == Lit::TRUE && b == Lit::TRUE {
        return Some(false);
    }
    let (size, support) = (ersm.circuit.cone([a, b]).len(), ersm.circuit.support([a, b]));
    let cost = (size as u64) << support.len().min(MOST_VARIABLES);
    *work = work.saturating_sub(cost);
    if support.len() > MOST_VARIABLES || *work == 0 {
        return None;
    }
    let value =
        |valuation: u32, number: u32| support.binary_search(&number).is_ok_and(|place| valuation >> place & 1 == 1);
    let both = |v: u32| ersm.circuit.evaluate(a, |n| value(v, n)) && ersm.circuit.evaluate(b, |n| value(v, n));
    Some(!(0..1 << support.len()).any(both))
}

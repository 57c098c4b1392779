//! Which globals a procedure, with all it calls, reads or writes (Ball 3.3, MOD/REF).

use super::call_graph::CallGraph;
use super::ersm::{Ersm, Leaf, ProcId, Procedure};
use crate::syntax::Var;
use rustc_hash::FxHashMap;

/// Globals listed at most, in all: the lists of a long chain of procedures, each with a global of its
/// own, are quadratic.
const MOST_LISTED: usize = 10_000_000;

/// For each reachable procedure the sorted list of globals it reads or writes, callees included, or
/// `None` where that would be too much to list (then all globals are a bound).
pub fn globals_used(ersm: &Ersm, calls: &CallGraph) -> Vec<Option<Vec<u32>>> {
    let mut used: Vec<Option<Vec<u32>>> = vec![Some(Vec::new()); ersm.procedures.len()];
    let mut listed = 0;
    let component = |id: ProcId| calls.component[id.index()];
    for members in calls.bottom_up.chunk_by(|a, b| component(*a) == component(*b)) {
        let mut all = Vec::new();
        let mut known = listed < MOST_LISTED;
        for member in members {
            if !known {
                break;
            }
            own_globals(ersm, ersm.procedure(*member), &mut all);
            for callee in &calls.callees[member.index()] {
                match &used[callee.index()] {
                    Some(callee) => all.extend_from_slice(callee),
                    None => known = false,
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        listed += all.len() * members.len();
        for member in members {
            used[member.index()] = known.then(|| all.clone());
        }
    }
    used
}

fn own_globals(ersm: &Ersm, procedure: &Procedure, used: &mut Vec<u32>) {
    let mut supports: FxHashMap<usize, ()> = FxHashMap::default();
    let mut read = |lit: epitome_encodings::Lit, used: &mut Vec<u32>| {
        if supports.insert(lit.gate(), ()).is_none() {
            let leaves = ersm.circuit.support([lit]).into_iter().map(Leaf::from_number);
            used.extend(leaves.filter_map(|leaf| match leaf {
                Leaf::Var(Var::Global(index)) => Some(index),
                _ => None,
            }));
        }
    };
    let mut written = Vec::new();
    for edge in &procedure.edges {
        read(edge.guard, used);
        for (var, lit) in &edge.assignments {
            read(*lit, used);
            written.push(*var);
        }
    }
    for call in &procedure.boxes {
        call.arguments.iter().for_each(|lit| read(*lit, used));
        written.extend(call.results.iter().flatten());
    }
    used.extend(written.into_iter().filter_map(|var| match var {
        Var::Global(index) => Some(index),
        Var::Local(_) => None,
    }));
}

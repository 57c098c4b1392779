//! Which globals a procedure, with all it calls, reads or writes (Ball 3.3, MOD/REF).

use super::call_graph::CallGraph;
use super::ersm::{Ersm, Leaf, ProcId, Procedure};
use crate::syntax::Var;
use rustc_hash::FxHashMap;

/// For each reachable procedure the sorted list of globals it reads or writes, callees included;
/// procedures of one recursive component share one list.
pub fn globals_used(ersm: &Ersm, calls: &CallGraph) -> Vec<Vec<u32>> {
    let mut used: Vec<Vec<u32>> = vec![Vec::new(); ersm.procedures.len()];
    let component = |id: ProcId| calls.component[id.index()];
    for members in calls.bottom_up.chunk_by(|a, b| component(*a) == component(*b)) {
        let mut all = Vec::new();
        for member in members {
            own_globals(ersm, ersm.procedure(*member), &mut all);
            for callee in &calls.callees[member.index()] {
                all.extend_from_slice(&used[callee.index()]);
            }
        }
        all.sort_unstable();
        all.dedup();
        for member in members {
            used[member.index()].clone_from(&all);
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

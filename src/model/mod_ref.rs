//! Which globals a procedure, with all it calls, reads or writes (Ball 3.3, MOD/REF).

use super::call_graph::CallGraph;
use super::ersm::{Ersm, Footprint, ProcId, Procedure};
use super::supports::Supports;
use crate::syntax::Var;

/// Globals listed at most, in all: the lists of a long chain of procedures, each with a global of its
/// own, are quadratic.
const MOST_LISTED: usize = 10_000_000;

/// For each reachable procedure the globals it reads or writes, callees included, or `None` where that
/// would be too much to list (then all globals are a bound).
pub fn footprints(ersm: &Ersm, calls: &CallGraph) -> Vec<Option<Footprint>> {
    let mut known: Vec<Option<Footprint>> = vec![Some(Footprint::default()); ersm.procedures.len()];
    if ersm.globals.is_empty() {
        return known;
    }
    let mut listed = 0;
    let mut supports = Supports::new(&ersm.circuit);
    let component = |id: ProcId| calls.component[id.index()];
    for members in calls.bottom_up.chunk_by(|a, b| component(*a) == component(*b)) {
        let footprint =
            if listed < MOST_LISTED { of_component(ersm, calls, members, &known, &mut supports) } else { None };
        listed += footprint.as_ref().map_or(0, |footprint| footprint.used.len()) * members.len();
        for member in members {
            known[member.index()].clone_from(&footprint);
        }
    }
    known
}

/// The globals of procedures that call each other; `None` if those of some callee are not known.
fn of_component(
    ersm: &Ersm,
    calls: &CallGraph,
    members: &[ProcId],
    known: &[Option<Footprint>],
    supports: &mut Supports<'_>,
) -> Option<Footprint> {
    let (mut used, mut written) = (Vec::new(), Vec::new());
    for member in members {
        own_globals(ersm.procedure(*member), supports, &mut used, &mut written);
        for callee in &calls.callees[member.index()] {
            let callee = known[callee.index()].as_ref()?;
            used.extend_from_slice(&callee.used);
            written.extend_from_slice(&callee.written);
        }
    }
    used.extend_from_slice(&written);
    Some(Footprint { used: sorted(&mut used), written: sorted(&mut written) })
}

fn sorted(list: &mut Vec<u32>) -> Box<[u32]> {
    list.sort_unstable();
    list.dedup();
    list.as_slice().into()
}

fn own_globals(procedure: &Procedure, supports: &mut Supports<'_>, used: &mut Vec<u32>, written: &mut Vec<u32>) {
    let global = |var: &Var| match var {
        Var::Global(index) => Some(*index),
        Var::Local(_) => None,
    };
    for edge in &procedure.edges {
        used.extend(supports.of(edge.guard).iter().filter_map(global));
        for (var, lit) in &edge.assignments {
            used.extend(supports.of(*lit).iter().filter_map(global));
            written.extend(global(var));
        }
    }
    for call in &procedure.boxes {
        for lit in &call.arguments {
            used.extend(supports.of(*lit).iter().filter_map(global));
        }
        written.extend(call.results.iter().flatten().filter_map(global));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::build_bp;
    use crate::syntax::{Source, bp};

    #[test]
    fn reads_writes_and_callees() {
        let text = "decl a, b, c, d, e;
                    void main() begin p(a); q(); end
                    void p(x) begin decl y; y := q(); if (b) then p(y); fi end
                    bool q() begin c := d; return 1; end
                    void unused() begin e := 1; end";
        let (program, _) = bp::parse(&Source::new("t.bp", text)).unwrap_or_else(|e| panic!("{:?}", e[0]));
        let (ersm, _) = build_bp(&program);
        let found = footprints(&ersm, &CallGraph::new(&ersm));
        let lists: Vec<(&[u32], &[u32])> = found.iter().flatten().map(|f| (&*f.used, &*f.written)).collect();
        assert_eq!(
            lists,
            [
                (&[0, 1, 2, 3][..], &[2][..]),
                (&[1, 2, 3][..], &[2][..]),
                (&[2, 3][..], &[2][..]),
                (&[][..], &[][..]), // never called
            ]
        );
    }
}

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
    let mut lists = Lists { used: GlobalSet::new(ersm), written: GlobalSet::new(ersm) };
    let component = |id: ProcId| calls.component[id.index()];
    for members in calls.bottom_up.chunk_by(|a, b| component(*a) == component(*b)) {
        let is_listed = listed < MOST_LISTED && lists.collect(ersm, calls, members, &known, &mut supports).is_some();
        for member in members {
            known[member.index()] = is_listed.then(|| lists.footprint());
        }
        listed += if is_listed { lists.used.list.len() * members.len() } else { 0 };
    }
    known
}

/// A set of globals that is emptied and filled again and again.
struct GlobalSet {
    list: Vec<u32>,
    contains: Vec<bool>,
}

impl GlobalSet {
    fn new(ersm: &Ersm) -> GlobalSet {
        GlobalSet { list: Vec::new(), contains: vec![false; ersm.globals.len()] }
    }

    fn clear(&mut self) {
        self.list.drain(..).for_each(|global| self.contains[global as usize] = false);
    }

    fn insert(&mut self, global: u32) {
        if !std::mem::replace(&mut self.contains[global as usize], true) {
            self.list.push(global);
        }
    }

    fn insert_var(&mut self, var: Var) {
        if let Var::Global(index) = var {
            self.insert(index);
        }
    }
}

/// The globals of procedures that call each other.
struct Lists {
    used: GlobalSet,
    written: GlobalSet,
}

impl Lists {
    /// Fills the lists; `None` if those of some callee are not known.
    fn collect(
        &mut self,
        ersm: &Ersm,
        calls: &CallGraph,
        members: &[ProcId],
        known: &[Option<Footprint>],
        supports: &mut Supports<'_>,
    ) -> Option<()> {
        self.used.clear();
        self.written.clear();
        for member in members {
            self.add_own(ersm.procedure(*member), supports);
            for callee in &calls.callees[member.index()] {
                let callee = known[callee.index()].as_ref()?;
                callee.used.iter().for_each(|global| self.used.insert(*global));
                callee.written.iter().for_each(|global| self.written.insert(*global));
            }
        }
        let Lists { used, written } = self;
        written.list.iter().for_each(|global| used.insert(*global));
        used.list.sort_unstable();
        written.list.sort_unstable();
        Some(())
    }

    fn add_own(&mut self, procedure: &Procedure, supports: &mut Supports<'_>) {
        for edge in &procedure.edges {
            supports.of(edge.guard).iter().for_each(|var| self.used.insert_var(*var));
            for (var, lit) in &edge.assignments {
                supports.of(*lit).iter().for_each(|var| self.used.insert_var(*var));
                self.written.insert_var(*var);
            }
        }
        for call in &procedure.boxes {
            for lit in &call.arguments {
                supports.of(*lit).iter().for_each(|var| self.used.insert_var(*var));
            }
            call.results.iter().flatten().for_each(|target| self.written.insert_var(*target));
        }
    }

    fn footprint(&self) -> Footprint {
        Footprint { used: self.used.list.as_slice().into(), written: self.written.list.as_slice().into() }
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

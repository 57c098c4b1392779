//! The call graph: reachable procedures, recursion and depth, without recursion of our own.

use super::ersm::{Ersm, ProcId};

/// Who calls whom, from the initial procedures.
#[derive(Clone, Debug)]
pub struct CallGraph {
    /// Callees of each procedure, without repetition.
    pub callees: Vec<Vec<ProcId>>,
    /// The strongly connected component of each reachable procedure; callees have smaller or equal
    /// numbers than callers. `None` for procedures that are never called.
    pub component: Vec<Option<u32>>,
    /// Reachable procedures, callees before callers (within a component in any order).
    pub bottom_up: Vec<ProcId>,
    /// Some procedure calls itself, directly or not.
    pub recursive: bool,
    /// Procedures on the longest chain of calls (meaningful where `recursive` is false; otherwise
    /// counted in components).
    pub depth: usize,
}

impl CallGraph {
    /// Computes the call graph (Tarjan's algorithm with an explicit stack).
    pub fn new(ersm: &Ersm) -> CallGraph {
        let callees: Vec<Vec<ProcId>> = ersm
            .procedures
            .iter()
            .map(|procedure| {
                let mut callees: Vec<ProcId> = procedure.boxes.iter().map(|b| b.callee).collect();
                callees.sort_unstable();
                callees.dedup();
                callees
            })
            .collect();
        let mut search = Tarjan::new(&callees);
        for &(procedure, _) in &ersm.initial {
            search.visit(procedure);
        }
        let Tarjan { component, bottom_up, components, .. } = search;
        let recursive = bottom_up.iter().any(|procedure| {
            let own = component[procedure.index()];
            callees[procedure.index()].iter().any(|callee| component[callee.index()] == own)
        });
        let depth = depth_of(&callees, &component, &bottom_up, components as usize);
        CallGraph { callees, component, bottom_up, recursive, depth }
    }
}

/// Longest chain in the graph of components.
fn depth_of(callees: &[Vec<ProcId>], component: &[Option<u32>], bottom_up: &[ProcId], components: usize) -> usize {
    let mut depth = vec![1usize; components];
    for &procedure in bottom_up {
        let own = component[procedure.index()].unwrap_or(0) as usize;
        for callee in &callees[procedure.index()] {
            let other = component[callee.index()].unwrap_or(0) as usize;
            if own != other {
                depth[own] = depth[own].max(depth[other] + 1);
            }
        }
    }
    depth.into_iter().max().unwrap_or(0)
}

struct Tarjan<'a> {
    callees: &'a [Vec<ProcId>],
    order: Vec<Option<u32>>,
    low: Vec<u32>,
    component: Vec<Option<u32>>,
    bottom_up: Vec<ProcId>,
    open: Vec<ProcId>,
    next: u32,
    components: u32,
}

impl<'a> Tarjan<'a> {
    fn new(callees: &'a [Vec<ProcId>]) -> Tarjan<'a> {
        let n = callees.len();
        Tarjan {
            callees,
            order: vec![None; n],
            low: vec![0; n],
            component: vec![None; n],
            bottom_up: Vec::new(),
            open: Vec::new(),
            next: 0,
            components: 0,
        }
    }

    fn enter(&mut self, procedure: ProcId, path: &mut Vec<(ProcId, usize)>) {
        self.order[procedure.index()] = Some(self.next);
        self.low[procedure.index()] = self.next;
        self.next += 1;
        self.open.push(procedure);
        path.push((procedure, 0));
    }

    fn visit(&mut self, root: ProcId) {
        if self.order[root.index()].is_some() {
            return;
        }
        let mut path = Vec::new();
        self.enter(root, &mut path);
        while let Some((procedure, next)) = path.last_mut() {
            let procedure = *procedure;
            if let Some(&callee) = self.callees[procedure.index()].get(*next) {
                *next += 1;
                match self.order[callee.index()] {
                    None => self.enter(callee, &mut path),
                    Some(order) if self.component[callee.index()].is_none() => {
                        self.low[procedure.index()] = self.low[procedure.index()].min(order);
                    }
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.low[parent.index()] = self.low[parent.index()].min(self.low[procedure.index()]);
            }
            if Some(self.low[procedure.index()]) == self.order[procedure.index()] {
                self.close(procedure);
            }
        }
    }

    fn close(&mut self, root: ProcId) {
        while let Some(member) = self.open.pop() {
            self.component[member.index()] = Some(self.components);
            self.bottom_up.push(member);
            if member == root {
                break;
            }
        }
        self.components += 1;
    }
}

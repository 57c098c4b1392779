//! The call graph: reachable procedures, recursion and depth, without recursion of our own.

use super::ersm::{Ersm, ProcId};
use epitome_encodings::Components;

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
    /// Computes the call graph.
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
        let roots = ersm.initial.iter().map(|(procedure, _)| procedure.index());
        let callee = |caller: usize, n: usize| callees[caller].get(n).map(|callee: &ProcId| callee.index());
        let found = Components::new(callees.len(), roots, callee);
        let (component, components) = (found.of, found.count);
        let bottom_up: Vec<ProcId> = found.bottom_up.into_iter().map(ProcId::from).collect();
        let recursive = bottom_up.iter().any(|procedure| {
            let own = component[procedure.index()];
            callees[procedure.index()].iter().any(|callee| component[callee.index()] == own)
        });
        let depth = depth_of(&callees, &component, &bottom_up, components as usize);
        CallGraph { callees, component, bottom_up, recursive, depth }
    }

    /// By procedure: one that can be reached calls it.
    pub fn called(&self) -> Vec<bool> {
        let mut called = vec![false; self.callees.len()];
        for callee in self.bottom_up.iter().flat_map(|id| &self.callees[id.index()]) {
            called[callee.index()] = true;
        }
        called
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

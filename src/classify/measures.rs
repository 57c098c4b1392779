//! What decides the class of a machine: recursion, depth, cycles, determinism, the amount of
//! information that passes between procedures. Only procedures that control can come to count.

use super::bounds::Bounds;
use super::determinism::{Determinism, determinism};
use super::unwritten::Unwritten;
use crate::model::{CallGraph, Ersm, Lists, ProcId, Procedure, Vertex, bits_to_choose, footprints};

/// The measures of one procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcedureMeasures {
    /// The procedure.
    pub procedure: ProcId,
    /// Variables in its scope.
    pub scope: usize,
    /// Bits that pass into and out of it: inputs, outputs, the globals that it (with its callees) reads
    /// or writes, and the choice among its entries and exits. None if it is never called: it shares nothing
    /// with anyone.
    pub io_bits: usize,
    /// Entries.
    pub entries: usize,
    /// Exits.
    pub exits: usize,
}

/// The measures of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measures {
    /// Some procedure calls itself, directly or not.
    pub recursive: bool,
    /// Procedures on the longest chain of calls; with recursion, recursive components.
    pub depth: usize,
    /// No procedure has a cycle of nodes and boxes.
    pub acyclic: bool,
    /// Every state has at most one successor.
    pub deterministic: Determinism,
    /// The procedures that can be called, callees before callers.
    pub procedures: Vec<ProcedureMeasures>,
    /// Nodes, boxes, transitions and variables of the whole machine.
    pub size: usize,
    /// Most variables in the scope of a procedure.
    pub scope: usize,
    /// Most bits that pass into and out of a procedure.
    pub io_bits: usize,
    /// Variables whose initial value is arbitrary and may be read, globals and locals of the procedure that
    /// starts: two to the power of this many initial states may differ.
    pub initial_bits: usize,
    /// Largest over all procedures of the smaller of its numbers of entries and exits (Alur-RSM 2).
    pub theta: usize,
    /// Copies of procedure bodies if every call were written out (saturating; hierarchies only).
    pub inlined: usize,
}

impl Measures {
    /// Measures a machine.
    pub fn of(ersm: &Ersm) -> Measures {
        let calls = CallGraph::new(ersm);
        let globals = footprints(ersm, &calls);
        let called = calls.called();
        let reachable = || calls.bottom_up.iter().map(|&id| (id, ersm.procedure(id)));
        let passing = |id: ProcId, procedure: &Procedure| {
            procedure.inputs.len()
                + procedure.outputs.len()
                + globals[id.index()].as_ref().map_or(ersm.globals.len(), |footprint| footprint.used.len())
                + bits_to_choose(procedure.entries.len()) as usize
                + bits_to_choose(procedure.exits.len()) as usize
        };
        let measure = |(id, procedure): (ProcId, &Procedure)| ProcedureMeasures {
            procedure: id,
            scope: ersm.scope_size(id),
            io_bits: if called[id.index()] { passing(id, procedure) } else { 0 },
            entries: procedure.entries.len(),
            exits: procedure.exits.len(),
        };
        let procedures: Vec<ProcedureMeasures> = reachable().map(measure).collect();
        let mut unwritten = Unwritten::new(ersm, &calls, &globals);
        let most = |of: fn(&ProcedureMeasures) -> usize| procedures.iter().map(of).max().unwrap_or(0);
        Measures {
            recursive: calls.recursive,
            depth: calls.depth,
            acyclic: reachable().all(|(_, procedure)| is_acyclic(procedure)),
            deterministic: determinism(ersm, &calls, &mut unwritten),
            size: ersm.size(),
            scope: most(|p| p.scope),
            io_bits: most(|p| p.io_bits),
            initial_bits: unwritten.initial_bits(),
            theta: most(|p| p.entries.min(p.exits)),
            inlined: if calls.recursive { usize::MAX } else { inlined(ersm, &calls) },
            procedures,
        }
    }

    /// No variables anywhere in scope.
    pub fn variable_free(&self) -> bool {
        self.scope == 0
    }

    /// They fit Theorem 5: one run for each input of each procedure.
    pub fn fits_table(&self, bounds: &Bounds) -> bool {
        !self.variable_free()
            && !self.recursive
            && self.acyclic
            && self.deterministic == Determinism::Deterministic
            && self.io_bits <= bounds.io_bits
            && self.initial_bits <= bounds.io_bits
    }
}

/// Bodies if every call is written out: one for itself and those of each call.
fn inlined(ersm: &Ersm, calls: &CallGraph) -> usize {
    let mut bodies = vec![0usize; ersm.procedures.len()];
    for &id in &calls.bottom_up {
        let inside = ersm.procedure(id).boxes.iter().map(|call| bodies[call.callee.index()]);
        bodies[id.index()] = inside.fold(1, usize::saturating_add);
    }
    ersm.initial.iter().map(|(id, _)| bodies[id.index()]).fold(0, usize::saturating_add)
}

/// The graph of nodes and boxes has no cycle, guards aside (Godefroid 2.4): nodes without
/// predecessors are removed until none is left.
fn is_acyclic(procedure: &Procedure) -> bool {
    let nodes = procedure.nodes.len() as u32;
    let place = |vertex: Vertex| match vertex {
        Vertex::Node(node) => node.0,
        Vertex::Call(site, _) | Vertex::Return(site, _) => nodes + site.0,
    };
    let total = nodes + procedure.boxes.len() as u32;
    let after = Lists::new(total as usize, || procedure.edges.iter().map(|e| (place(e.from), place(e.to))));
    let mut before = vec![0u32; total as usize];
    procedure.edges.iter().for_each(|edge| before[place(edge.to) as usize] += 1);
    let mut ready: Vec<u32> = (0..total).filter(|&at| before[at as usize] == 0).collect();
    let mut removed = 0;
    while let Some(at) = ready.pop() {
        removed += 1;
        for &next in after.of(at) {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    removed == total
}

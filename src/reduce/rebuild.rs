//! Takes parts out of a machine and numbers the rest anew, in the old order.
//!
//! The reductions that remove control share this: they say what is kept. Entries and exits of a
//! procedure that is kept always stay, whatever is said about them: ports refer to their places in
//! the lists.

use super::{Back, ProcedureBack, Step, Task};
use crate::model::{BoxId, Ersm, Goal, NodeId, NodeSet, ProcId, Procedure, Vertex};
use rustc_hash::FxHashMap;

/// What is kept of a procedure. Boxes of kept ports, ends of kept transitions and callees of kept boxes
/// must be kept.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) nodes: Vec<bool>,
    pub(super) boxes: Vec<bool>,
    pub(super) edges: Vec<bool>,
}

impl Kept {
    /// Nothing but entries and exits.
    pub(super) fn ends_of(procedure: &Procedure) -> Kept {
        let mut kept = Kept {
            nodes: vec![false; procedure.nodes.len()],
            boxes: vec![false; procedure.boxes.len()],
            edges: vec![false; procedure.edges.len()],
        };
        for node in procedure.entries.iter().chain(&procedure.exits) {
            kept.nodes[node.index()] = true;
        }
        kept
    }

    fn is_all(&self) -> bool {
        [&self.nodes, &self.boxes, &self.edges].into_iter().all(|list| list.iter().all(|kept| *kept))
    }
}

const GONE: u32 = u32::MAX;

/// New numbers for what is kept, [`GONE`] for the rest.
fn numbers(kept: &[bool]) -> Vec<u32> {
    let mut next = 0..;
    kept.iter().map(|kept| if *kept { next.next().unwrap_or(GONE) } else { GONE }).collect()
}

/// Keeps the items for which `kept` says so.
fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(false));
}

/// Places of what is kept in the old list.
fn old_numbers<T: From<usize>>(kept: &[bool]) -> Vec<T> {
    kept.iter().enumerate().filter(|(_, kept)| **kept).map(|(index, _)| T::from(index)).collect()
}

/// The machine with the parts that are kept: `keep` has an entry for each procedure, `None` for those
/// that go.
pub(super) fn rebuild(task: Task, keep: &[Option<Kept>]) -> Step {
    if keep.iter().all(|kept| kept.as_ref().is_some_and(Kept::is_all)) {
        let back = Back::identity(&task.ersm);
        return Step { task, back };
    }
    let Task { mut ersm, goal } = task;
    let procedures = numbers(&keep.iter().map(Option::is_some).collect::<Vec<_>>());
    let nodes: Vec<Vec<u32>> =
        keep.iter().map(|kept| kept.as_ref().map_or(Vec::new(), |kept| numbers(&kept.nodes))).collect();
    let mut back = Back { procedures: Vec::new(), globals: (0..ersm.globals.len() as u32).collect() };
    let old = std::mem::take(&mut ersm.procedures);
    for ((index, mut procedure), kept) in old.into_iter().enumerate().zip(keep) {
        let Some(kept) = kept else { continue };
        back.procedures.push(ProcedureBack {
            procedure: ProcId::from(index),
            nodes: old_numbers(&kept.nodes),
            boxes: old_numbers(&kept.boxes),
            locals: (0..procedure.locals.len() as u32).collect(),
            inner: FxHashMap::default(),
            live: None,
        });
        shrink(&mut procedure, kept, &nodes[index], &procedures);
        ersm.procedures.push(procedure);
    }
    let map = |procedure: &mut ProcId, node: &mut NodeId| {
        let gone = procedures[procedure.index()] == GONE || nodes[procedure.index()][node.index()] == GONE;
        if !gone {
            *node = NodeId(nodes[procedure.index()][node.index()]);
            *procedure = ProcId(procedures[procedure.index()]);
        }
        !gone
    };
    ersm.initial.retain_mut(|(procedure, node)| map(procedure, node));
    ersm.places.retain_mut(|place| map(&mut place.procedure, &mut place.node));
    ersm.failures.retain_mut(|failure| map(&mut failure.procedure, &mut failure.node));
    let goal = goal_of(&ersm, &goal, &back, &procedures);
    Step { task: Task { ersm, goal }, back }
}

fn shrink(procedure: &mut Procedure, kept: &Kept, nodes: &[u32], procedures: &[u32]) {
    let boxes = numbers(&kept.boxes);
    retain(&mut procedure.nodes, &kept.nodes);
    retain(&mut procedure.boxes, &kept.boxes);
    retain(&mut procedure.edges, &kept.edges);
    for call in &mut procedure.boxes {
        call.callee = ProcId(procedures[call.callee.index()]);
    }
    let vertex = |vertex: Vertex| match vertex {
        Vertex::Node(node) => Vertex::Node(NodeId(nodes[node.index()])),
        Vertex::Call(site, entry) => Vertex::Call(BoxId(boxes[site.index()]), entry),
        Vertex::Return(site, exit) => Vertex::Return(BoxId(boxes[site.index()]), exit),
    };
    for edge in &mut procedure.edges {
        (edge.from, edge.to) = (vertex(edge.from), vertex(edge.to));
    }
    for node in procedure.entries.iter_mut().chain(&mut procedure.exits) {
        *node = NodeId(nodes[node.index()]);
    }
}

fn goal_of(ersm: &Ersm, goal: &Goal, back: &Back, procedures: &[u32]) -> Goal {
    let mut targets = NodeSet::new(ersm);
    for (index, procedure) in back.procedures.iter().enumerate() {
        for (node, old) in procedure.nodes.iter().enumerate() {
            if goal.targets.contains(procedure.procedure, *old) {
                targets.insert(index.into(), node.into());
            }
        }
    }
    let calls = goal.calls.iter().map(|callee| procedures[callee.index()]).filter(|&callee| callee != GONE);
    Goal { targets, calls: calls.map(ProcId).collect(), all: goal.all }
}

//! Takes parts out of a machine and numbers the rest anew, in the old order.
//!
//! The reductions that remove control share this: they say which vertices stay. Entries and exits of a
//! procedure that is kept always stay, whatever is said about them: ports refer to their places in
//! the lists.

use super::{Back, Draft, ProcedureBack};
use crate::model::{BoxId, Ersm, Flow, Goal, NodeId, NodeSet, ProcId, Procedure, Vertex};
use epitome_encodings::Lit;
use std::borrow::Cow;

/// Whether a procedure is kept. Most are kept as they are, and need no lists.
#[derive(Clone, Debug)]
enum Keep {
    Nothing,
    All,
    Some(Kept),
}

/// What is kept of a procedure. Boxes of kept ports, ends of kept transitions and callees of kept boxes
/// must be kept.
#[derive(Clone, Debug)]
struct Kept {
    nodes: Vec<bool>,
    boxes: Vec<bool>,
    edges: Vec<bool>,
}

impl Kept {
    /// Nothing but entries and exits.
    fn ends_of(procedure: &Procedure) -> Kept {
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
}

/// What is kept of each procedure if these vertices stay: transitions between them, boxes that are called, and
/// procedures that have such vertices, start, or are called.
fn keep(ersm: &Ersm, flow: &Flow, stays: &[bool]) -> Vec<Keep> {
    let called = |id: ProcId, site: usize| flow.call_ports(id, site.into()).any(|port| stays[port as usize]);
    let mut needed = vec![false; ersm.procedures.len()];
    ersm.initial.iter().for_each(|(id, _)| needed[id.index()] = true);
    for (id, procedure) in ersm.procedures() {
        needed[id.index()] |= flow.vertices(id).any(|vertex| stays[vertex as usize]);
        for (_, call) in procedure.boxes.iter().enumerate().filter(|(site, _)| called(id, *site)) {
            needed[call.callee.index()] = true;
        }
    }
    let of_procedure = |(id, procedure): (ProcId, &Procedure)| {
        if !needed[id.index()] {
            return Keep::Nothing;
        }
        let possible = procedure.edges.iter().all(|edge| edge.guard != Lit::FALSE);
        if possible
            && flow.vertices(id).all(|vertex| stays[vertex as usize])
            && (0..procedure.boxes.len()).all(|site| called(id, site))
        {
            return Keep::All;
        }
        let mut kept = Kept::ends_of(procedure);
        for (node, kept) in kept.nodes.iter_mut().enumerate() {
            *kept |= stays[flow.node(id, node.into()) as usize];
        }
        kept.boxes.iter_mut().enumerate().for_each(|(site, kept)| *kept = called(id, site));
        for (index, (edge, keep)) in procedure.edges.iter().zip(&mut kept.edges).enumerate() {
            let is_called = match edge.from {
                Vertex::Call(site, _) | Vertex::Return(site, _) => kept.boxes[site.index()],
                Vertex::Node(_) => true,
            };
            let (from, to) = flow.ends(id, index);
            *keep = is_called && edge.guard != Lit::FALSE && stays[from as usize] && stays[to as usize];
        }
        Keep::Some(kept)
    };
    ersm.procedures().map(of_procedure).collect()
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

/// Leaves what belongs to the vertices that stay; `None` if that is everything.
pub(super) fn rebuild(draft: &mut Draft<'_>, flow: &Flow, stays: &[bool]) -> Option<Back> {
    let keep = keep(&draft.ersm, flow, stays);
    if keep.iter().all(|keep| matches!(keep, Keep::All)) {
        return None;
    }
    let ersm = draft.ersm.to_mut();
    let procedures = numbers(&keep.iter().map(|keep| !matches!(keep, Keep::Nothing)).collect::<Vec<_>>());
    // Empty where nodes keep their numbers.
    let nodes: Vec<Vec<u32>> =
        keep.iter().map(|keep| if let Keep::Some(kept) = keep { numbers(&kept.nodes) } else { Vec::new() }).collect();
    let mut back = Back {
        procedures: Vec::with_capacity(ersm.procedures.len()),
        globals: (0..ersm.globals.len() as u32).collect(),
    };
    let mut index = 0..;
    ersm.procedures.retain_mut(|procedure| {
        let index = index.next().unwrap_or(keep.len());
        let id = ProcId::from(index);
        match &keep[index] {
            Keep::Nothing => return false,
            Keep::All => back.procedures.push(ProcedureBack::identity(id, procedure)),
            Keep::Some(kept) => {
                back.procedures.push(ProcedureBack {
                    nodes: old_numbers(&kept.nodes),
                    boxes: old_numbers(&kept.boxes),
                    ..ProcedureBack::identity(id, procedure)
                });
                shrink(procedure, kept, &nodes[index]);
            }
        }
        for call in &mut procedure.boxes {
            call.callee = ProcId(procedures[call.callee.index()]);
        }
        true
    });
    let map = |procedure: &mut ProcId, node: &mut NodeId| {
        let new = match procedures[procedure.index()] {
            GONE => GONE,
            _ => nodes[procedure.index()].get(node.index()).copied().unwrap_or(node.0),
        };
        (*procedure, *node) = (ProcId(procedures[procedure.index()]), NodeId(new));
        new != GONE
    };
    ersm.initial.retain_mut(|(procedure, node)| map(procedure, node));
    ersm.places.retain_mut(|place| map(&mut place.procedure, &mut place.node));
    ersm.failures.retain_mut(|failure| map(&mut failure.procedure, &mut failure.node));
    draft.goal = Cow::Owned(goal_of(ersm, &draft.goal, &back, &procedures));
    Some(back)
}

fn shrink(procedure: &mut Procedure, kept: &Kept, nodes: &[u32]) {
    let boxes = numbers(&kept.boxes);
    retain(&mut procedure.nodes, &kept.nodes);
    retain(&mut procedure.boxes, &kept.boxes);
    retain(&mut procedure.edges, &kept.edges);
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

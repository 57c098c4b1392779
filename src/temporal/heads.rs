//! Nodes of which every cycle has one.

use crate::model::{CallGraph, Ersm, NodeId, Procedure, Vertex};
use rustc_hash::FxHashMap;

/// By procedure: the heads of its loops, that is, the targets of the back edges of a depth-first search; a step over a call is a
/// step to whatever may follow it.
pub(super) fn loop_heads(ersm: &Ersm) -> Vec<Vec<NodeId>> {
    ersm.procedures.iter().map(heads_of).collect()
}

fn heads_of(procedure: &Procedure) -> Vec<NodeId> {
    let mut after: FxHashMap<u32, Vec<NodeId>> = FxHashMap::default();
    for edge in &procedure.edges {
        if let (Vertex::Return(site, _), Vertex::Node(node)) = (edge.from, edge.to) {
            after.entry(site.0).or_default().push(node);
        }
    }
    let mut successors: Vec<Vec<NodeId>> = vec![Vec::new(); procedure.nodes.len()];
    for edge in &procedure.edges {
        let Vertex::Node(from) = edge.from else { continue };
        match edge.to {
            Vertex::Node(to) => successors[from.index()].push(to),
            Vertex::Call(site, _) => successors[from.index()].extend(after.get(&site.0).into_iter().flatten()),
            Vertex::Return(..) => {}
        }
    }
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; procedure.nodes.len()];
    let mut is_head = vec![false; procedure.nodes.len()];
    let roots = procedure.entries.iter().map(|entry| entry.index()).chain(0..procedure.nodes.len());
    for root in roots {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::Open;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(successor) = successors[*node].get(*next) else {
                marks[*node] = Mark::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let successor = successor.index();
            match marks[successor] {
                Mark::New => {
                    marks[successor] = Mark::Open;
                    path.push((successor, 0));
                }
                Mark::Open => is_head[successor] = true,
                Mark::Done => {}
            }
        }
    }
    (0..is_head.len()).filter(|&node| is_head[node]).map(NodeId::from).collect()
}

/// By procedure: its entries, if it may call itself.
pub(super) fn entry_heads(ersm: &Ersm) -> Vec<Vec<NodeId>> {
    let graph = CallGraph::new(ersm);
    let is_recursive = |index: usize| {
        let own = graph.component[index];
        own.is_some() && graph.callees[index].iter().any(|callee| graph.component[callee.index()] == own)
    };
    let procedures = ersm.procedures.iter().enumerate();
    procedures
        .map(|(index, procedure)| if is_recursive(index) { procedure.entries.clone() } else { Vec::new() })
        .collect()
}

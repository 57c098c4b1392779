//! The vertices of a procedure in order: predecessors first, loops cut at their heads.
//!
//! A call port is followed by the return ports of its box. Every cycle goes through a head; what comes to a
//! head ends there, and what leaves it begins there.

use crate::model::{Ersm, Procedure, Vertex};
use rustc_hash::FxHashMap;

/// A way to come to a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// By the transition with this number, from a vertex.
    Step { edge: u32, from: usize },
    /// By a call that returns, from a call port.
    Return { call: usize },
}

impl Arrival {
    /// Where it comes from.
    pub(super) fn from(self) -> usize {
        match self {
            Arrival::Step { from, .. } => from,
            Arrival::Return { call } => call,
        }
    }
}

/// The vertices of a procedure that control can come to.
pub(in crate::engine) fn vertices(ersm: &Ersm, procedure: &Procedure) -> Vec<Vertex> {
    Graph::new(ersm, procedure).vertices
}

/// Vertices that control can come to.
pub(super) struct Graph {
    /// Predecessors first, those on a loop aside.
    pub(super) vertices: Vec<Vertex>,
    /// By vertex.
    pub(super) arrivals: Vec<Vec<Arrival>>,
    /// The vertex is the head of a loop.
    pub(super) is_head: Vec<bool>,
}

impl Graph {
    pub(super) fn new(ersm: &Ersm, procedure: &Procedure) -> Graph {
        let mut leaving: FxHashMap<Vertex, Vec<(Vertex, Option<u32>)>> = FxHashMap::default();
        for (index, edge) in procedure.edges.iter().enumerate() {
            leaving.entry(edge.from).or_default().push((edge.to, Some(index as u32)));
            if let Vertex::Call(site, _) = edge.to {
                let exits = ersm.procedure(procedure.boxes[site.index()].callee).exits.len() as u32;
                leaving.insert(edge.to, (0..exits).map(|exit| (Vertex::Return(site, exit), None)).collect());
            }
        }
        let (order, heads) = search(procedure, &leaving);
        let numbers: FxHashMap<Vertex, usize> = order.iter().enumerate().map(|(number, &v)| (v, number)).collect();
        let mut arrivals = vec![Vec::new(); order.len()];
        for (from, vertex) in order.iter().enumerate() {
            for &(to, edge) in leaving.get(vertex).map_or(&[][..], Vec::as_slice) {
                arrivals[numbers[&to]].push(match edge {
                    Some(edge) => Arrival::Step { edge, from },
                    None => Arrival::Return { call: from },
                });
            }
        }
        let mut is_head = vec![false; order.len()];
        heads.iter().for_each(|head| is_head[numbers[head]] = true);
        Graph { vertices: order, arrivals, is_head }
    }

    /// The heads of loops, in order.
    pub(super) fn heads(&self) -> Vec<Vertex> {
        let heads = self.vertices.iter().zip(&self.is_head).filter(|(_, is_head)| **is_head);
        heads.map(|(vertex, _)| *vertex).collect()
    }
}

type Leaving = FxHashMap<Vertex, Vec<(Vertex, Option<u32>)>>;

/// Reverse postorder from the entries, and the vertices at which a search meets its own path.
fn search(procedure: &Procedure, leaving: &Leaving) -> (Vec<Vertex>, Vec<Vertex>) {
    /// A vertex is on the path until it is done.
    const DONE: bool = true;
    let mut seen: FxHashMap<Vertex, bool> = FxHashMap::default();
    let (mut order, mut heads) = (Vec::new(), Vec::new());
    for &root in procedure.entries.iter().rev() {
        if seen.contains_key(&Vertex::Node(root)) {
            continue;
        }
        seen.insert(Vertex::Node(root), !DONE);
        let mut path = vec![(Vertex::Node(root), 0usize)];
        while let Some((vertex, next)) = path.last_mut() {
            let successor = leaving.get(vertex).and_then(|list| list.get(*next)).map(|&(to, _)| to);
            *next += 1;
            match successor {
                Some(to) => match seen.get(&to) {
                    None => {
                        seen.insert(to, !DONE);
                        path.push((to, 0));
                    }
                    Some(&DONE) => {}
                    Some(_) => heads.push(to),
                },
                None => {
                    order.push(*vertex);
                    seen.insert(*vertex, DONE);
                    path.pop();
                }
            }
        }
    }
    order.reverse();
    (order, heads)
}

//! The vertices of a procedure in an order in which each comes after those that lead to it, loops cut.
//!
//! What comes to a cut ends there, and what leaves it begins there; so a way into a cut puts nothing in order.
//! Vertices are taken when all that lead to them are (Kahn 1962). Those that are left are on a loop that is
//! not cut, or behind one.

use crate::model::{Ersm, Procedure, Vertex};
use rustc_hash::{FxHashMap, FxHashSet};

/// A way to come to a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// By a transition.
    Step {
        /// Its number.
        edge: usize,
        /// The vertex it leaves.
        from: usize,
    },
    /// From a call port, by a call that is left by this exit.
    Return {
        /// The call port.
        call: usize,
        /// The exit.
        exit: u32,
    },
}

/// The vertices that control can come to.
pub(super) struct Graph {
    /// In order.
    pub(super) vertices: Vec<Vertex>,
    /// By vertex.
    pub(super) ways: Vec<Vec<Way>>,
    /// By vertex: its number in the list of cuts.
    pub(super) cut: Vec<Option<u32>>,
    /// Places in the order.
    places: FxHashMap<Vertex, usize>,
}

/// Where a vertex leads, and by which transition.
type Leaving = FxHashMap<Vertex, Vec<(Vertex, Option<usize>)>>;

impl Graph {
    /// The graph of a procedure, or a vertex that is on or behind a loop without a cut.
    pub(super) fn new(ersm: &Ersm, procedure: &Procedure, cuts: &[Vertex]) -> Result<Graph, Vertex> {
        let numbers: FxHashMap<Vertex, u32> = cuts.iter().copied().zip(0..).collect();
        let mut leaving = Leaving::default();
        for (index, edge) in procedure.edges.iter().enumerate() {
            leaving.entry(edge.from).or_default().push((edge.to, Some(index)));
            if let Vertex::Call(site, _) = edge.to {
                let exits = ersm.procedure(procedure.boxes[site.index()].callee).exits.len() as u32;
                leaving.insert(edge.to, (0..exits).map(|exit| (Vertex::Return(site, exit), None)).collect());
            }
        }
        let reached = reached(procedure, &leaving);
        let successors = |vertex: &Vertex| leaving.get(vertex).map_or(&[][..], Vec::as_slice);
        let mut missing: FxHashMap<Vertex, usize> = FxHashMap::default();
        for (to, _) in reached.iter().flat_map(successors) {
            *missing.entry(*to).or_default() += 1;
        }
        let is_cut = |vertex: &Vertex| numbers.contains_key(vertex);
        let mut order: Vec<Vertex> =
            reached.iter().copied().filter(|v| is_cut(v) || !missing.contains_key(v)).collect();
        let mut next = 0;
        while let Some(vertex) = order.get(next).copied() {
            next += 1;
            for (to, _) in successors(&vertex).iter().filter(|(to, _)| !is_cut(to)) {
                let left = missing.entry(*to).or_default();
                *left -= 1;
                if *left == 0 {
                    order.push(*to);
                }
            }
        }
        if let Some(vertex) = reached.iter().find(|v| !is_cut(v) && missing.get(v).is_some_and(|&left| left > 0)) {
            return Err(*vertex);
        }
        Ok(Graph::ordered(order, &numbers, successors))
    }

    fn ordered<'l>(
        vertices: Vec<Vertex>,
        cuts: &FxHashMap<Vertex, u32>,
        successors: impl Fn(&Vertex) -> &'l [(Vertex, Option<usize>)],
    ) -> Graph {
        let places: FxHashMap<Vertex, usize> = vertices.iter().copied().zip(0..).collect();
        let mut ways = vec![Vec::new(); vertices.len()];
        for (from, vertex) in vertices.iter().enumerate() {
            for &(to, edge) in successors(vertex) {
                let way = match (edge, to) {
                    (Some(edge), _) => Way::Step { edge, from },
                    (None, Vertex::Return(_, exit)) => Way::Return { call: from, exit },
                    (None, _) => continue,
                };
                if let Some(&place) = places.get(&to) {
                    ways[place].push(way);
                }
            }
        }
        let cut = vertices.iter().map(|vertex| cuts.get(vertex).copied()).collect();
        Graph { vertices, ways, cut, places }
    }

    /// The place of a vertex in the order.
    pub(super) fn place(&self, vertex: Vertex) -> Option<usize> {
        self.places.get(&vertex).copied()
    }
}

/// What can be reached from the entries, each once.
fn reached(procedure: &Procedure, leaving: &Leaving) -> Vec<Vertex> {
    let mut seen: FxHashSet<Vertex> = FxHashSet::default();
    let mut found: Vec<Vertex> = Vec::new();
    let mut open: Vec<Vertex> = procedure.entries.iter().copied().map(Vertex::Node).collect();
    while let Some(vertex) = open.pop() {
        if seen.insert(vertex) {
            found.push(vertex);
            open.extend(leaving.get(&vertex).into_iter().flatten().map(|&(to, _)| to));
        }
    }
    found
}

//! Which vertices of a procedure stay when acyclic runs of nodes are compacted, and whose region each
//! other node belongs to.
//!
//! Kept are: entries, exits and targets; ports; heads of loops (targets of back edges of a depth-first
//! search); nodes of the environment that have a choice of successors; nodes that nothing leads to; nodes
//! that are entered from the regions of two kept vertices; and nodes for which the region they would
//! belong to has no room any more. Every other node is removed, and belongs to the region from which
//! alone it is entered.
//!
//! Without its back edges the graph is acyclic, and the reverse of the search's postorder is a
//! topological order of it. As all targets of back edges are kept, every transition into a removed node
//! comes from a vertex earlier in that order, so one pass decides: when a node's turn comes, all
//! vertices before it know their regions. Each removed node is in exactly one region, so each
//! transition is executed once, and all regions together are as large as the procedure. A region is
//! bounded, because a relation of very many merged statements can be much larger than its pieces.

use super::exclusive::are_exclusive;
use crate::model::{Edge, NodeId, Owner, Procedure, Vertex};
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Transitions that are executed together at most.
pub(super) const MOST_MERGED: usize = 32;

/// Choices of transitions that are executed together at most (a single transition may have more).
const MOST_CHOICES: usize = 8;

/// Assignments of transitions that are executed together at most.
const MOST_ASSIGNED: usize = 256;

/// The graph of a procedure: its nodes, then the ports that transitions touch, in one numbering.
pub(super) struct Graph<'e> {
    /// The vertices.
    pub(super) vertices: Vec<Vertex>,
    /// Transitions that may be taken, by their source; with the number of their target.
    edges: Vec<(&'e Edge, u32)>,
    /// Their places in the procedure's list.
    places: Vec<u32>,
    /// By vertex: its first transition. One more entry marks the end of the last.
    first: Vec<u32>,
}

impl<'e> Graph<'e> {
    /// The graph of a procedure.
    pub(super) fn new(procedure: &'e Procedure) -> Graph<'e> {
        let mut vertices: Vec<Vertex> = (0..procedure.nodes.len()).map(|node| Vertex::Node(node.into())).collect();
        let mut ports: FxHashMap<Vertex, u32> = FxHashMap::default();
        let mut number = |vertex: Vertex| match vertex {
            Vertex::Node(node) => node.0,
            port => *ports.entry(port).or_insert_with(|| {
                vertices.push(port);
                vertices.len() as u32 - 1
            }),
        };
        let possible = procedure.edges.iter().zip(0..).filter(|(edge, _)| edge.guard != Lit::FALSE);
        let ends: Vec<(u32, u32, (&Edge, u32))> =
            possible.map(|edge| (number(edge.0.from), number(edge.0.to), edge)).collect();
        let mut first = vec![0; vertices.len() + 1];
        for (from, _, _) in &ends {
            first[*from as usize + 1] += 1;
        }
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let mut order: Vec<u32> = vec![0; ends.len()];
        let mut next = first.clone();
        for (index, (from, _, _)) in ends.iter().enumerate() {
            order[next[*from as usize] as usize] = index as u32;
            next[*from as usize] += 1;
        }
        let sorted = || order.iter().map(|&index| ends[index as usize]);
        let edges = sorted().map(|(_, to, (edge, _))| (edge, to)).collect();
        let places = sorted().map(|(_, _, (_, place))| place).collect();
        Graph { vertices, edges, places, first }
    }

    /// The transitions that leave a vertex, with the numbers of their targets.
    pub(super) fn leaving(&self, vertex: u32) -> &[(&'e Edge, u32)] {
        &self.edges[self.range(vertex)]
    }

    /// Their places in the procedure's list.
    pub(super) fn places(&self, vertex: u32) -> &[u32] {
        &self.places[self.range(vertex)]
    }

    fn range(&self, vertex: u32) -> Range<usize> {
        self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize
    }
}

/// Who stays and who belongs to whom.
pub(super) struct Partition {
    /// All vertices, in an order in which removed nodes come after all that lead to them.
    pub(super) order: Vec<u32>,
    /// By vertex: the kept vertex to whose region it belongs; a kept vertex belongs to itself.
    pub(super) region: Vec<u32>,
}

impl Partition {
    /// The vertex is kept.
    pub(super) fn keeps(&self, vertex: u32) -> bool {
        self.region[vertex as usize] == vertex
    }
}

/// What a region costs.
#[derive(Clone, Copy, Default)]
struct Size {
    merged: usize,
    choices: usize,
    assigned: usize,
}

impl Size {
    fn of(circuit: &Circuit, edges: &[(&Edge, u32)]) -> Size {
        let choices = edges.iter().map(|(edge, _)| edge.choices.len()).max().unwrap_or(0);
        let assigned = edges.iter().map(|(edge, _)| edge.assignments.len()).sum();
        let selectors = match edges {
            [] | [_] => 0,
            [(one, _), (other, _)] if one.guard == !other.guard && one.choices == other.choices => 0,
            [(one, _), (other, _)] if are_exclusive(circuit, &[one, other]) => 0,
            many => many.len().next_power_of_two().ilog2() as usize,
        };
        Size { merged: edges.len(), choices: choices + selectors, assigned }
    }

    fn plus(self, other: Size) -> Size {
        Size {
            merged: self.merged + other.merged,
            choices: self.choices + other.choices,
            assigned: self.assigned + other.assigned,
        }
    }

    fn fits(self) -> bool {
        self.merged <= MOST_MERGED && self.choices <= MOST_CHOICES && self.assigned <= MOST_ASSIGNED
    }
}

/// Not entered yet, or from nowhere.
const NONE: u32 = u32::MAX;
/// Entered from several regions.
const SEVERAL: u32 = u32::MAX - 1;

/// Decides about all vertices of a procedure.
pub(super) fn partition(
    circuit: &Circuit,
    procedure: &Procedure,
    graph: &Graph<'_>,
    is_target: impl Fn(NodeId) -> bool,
) -> Partition {
    let mut kept: Vec<bool> = graph.vertices.iter().map(|vertex| !matches!(vertex, Vertex::Node(_))).collect();
    for node in procedure.entries.iter().chain(&procedure.exits) {
        kept[node.index()] = true;
    }
    for (index, node) in procedure.nodes.iter().enumerate() {
        let chosen = node.owner == Owner::Environment && graph.leaving(index as u32).len() > 1;
        kept[index] |= chosen || is_target(index.into());
    }
    let order = search(procedure, graph, &mut kept);
    let mut region = vec![NONE; kept.len()];
    let mut sizes = vec![Size::default(); kept.len()];
    for &vertex in &order {
        let here = vertex as usize;
        let size = Size::of(circuit, graph.leaving(vertex));
        let owner = region[here];
        if !kept[here] && owner < SEVERAL && sizes[owner as usize].plus(size).fits() {
            sizes[owner as usize] = sizes[owner as usize].plus(size);
        } else {
            region[here] = vertex;
            sizes[here] = size;
        }
        for &(_, to) in graph.leaving(vertex).iter().filter(|(_, to)| !kept[*to as usize]) {
            let into = region[to as usize];
            region[to as usize] = if into == NONE || into == region[here] { region[here] } else { SEVERAL };
        }
    }
    Partition { order, region }
}

/// Depth-first search from entries, return ports, and whatever is left: the reverse of its postorder.
/// Targets of its back edges are kept.
fn search(procedure: &Procedure, graph: &Graph<'_>, kept: &mut [bool]) -> Vec<u32> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; graph.vertices.len()];
    let mut order = Vec::with_capacity(graph.vertices.len());
    let entries = procedure.entries.iter().map(|node| node.0);
    let ports = procedure.nodes.len() as u32..graph.vertices.len() as u32;
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in entries.chain(ports).chain(0..procedure.nodes.len() as u32) {
        if marks[root as usize] == Mark::New {
            marks[root as usize] = Mark::Open;
            stack.push((root, 0));
        }
        while let Some((vertex, next)) = stack.last_mut() {
            let Some(&(_, to)) = graph.leaving(*vertex).get(*next) else {
                marks[*vertex as usize] = Mark::Done;
                order.push(*vertex);
                stack.pop();
                continue;
            };
            *next += 1;
            match marks[to as usize] {
                Mark::New => {
                    marks[to as usize] = Mark::Open;
                    stack.push((to, 0));
                }
                Mark::Open => kept[to as usize] = true,
                Mark::Done => {}
            }
        }
    }
    order.reverse();
    order
}

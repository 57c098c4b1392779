//! The regions of a procedure that is compacted: kept vertices, each with the removed nodes that belong to
//! it, in the new numbers.

use super::partition::{Graph, Partition};
use super::symbolic::{Region, Source, To};
use crate::model::{NodeId, Owner, Procedure, Vertex};

/// The kept nodes, and by node its new number.
pub(super) fn numbering(procedure: &Procedure, partition: &Partition) -> (Vec<NodeId>, Vec<Option<NodeId>>) {
    let mut nodes = Vec::new();
    let numbers = (0..procedure.nodes.len()).map(|node| {
        partition.keeps(node as u32).then(|| {
            nodes.push(NodeId::from(node));
            NodeId::from(nodes.len() - 1)
        })
    });
    let numbers = numbers.collect();
    (nodes, numbers)
}

/// A procedure that is divided into regions.
pub(super) struct Regions<'r, 'e> {
    pub(super) procedure: &'e Procedure,
    pub(super) graph: &'r Graph<'e>,
    pub(super) partition: &'r Partition,
    pub(super) numbers: &'r [Option<NodeId>],
}

impl<'e> Regions<'_, 'e> {
    /// The kept vertices with the removed nodes of their regions in topological order.
    pub(super) fn all(&self) -> Vec<(u32, Vec<u32>)> {
        let order = &self.partition.order;
        let kept: Vec<u32> = order.iter().copied().filter(|vertex| self.partition.keeps(*vertex)).collect();
        let mut place = vec![0; order.len()];
        kept.iter().enumerate().for_each(|(index, vertex)| place[*vertex as usize] = index);
        let mut all: Vec<(u32, Vec<u32>)> = kept.into_iter().map(|vertex| (vertex, Vec::new())).collect();
        for &vertex in order.iter().filter(|vertex| !self.partition.keeps(**vertex)) {
            all[place[self.partition.region[vertex as usize] as usize]].1.push(vertex);
        }
        all
    }

    /// The region of a kept vertex, and the vertices it leads to. `numbers` has a place for each vertex;
    /// it is empty before and after.
    pub(super) fn region(&self, vertex: u32, removed: &[u32], numbers: &mut [Option<To>]) -> (Region<'e>, Vec<u32>) {
        for (index, node) in removed.iter().enumerate() {
            numbers[*node as usize] = Some(To::Source(index + 1));
        }
        let mut ends = Vec::new();
        let mut sources = Vec::with_capacity(removed.len() + 1);
        for vertex in std::iter::once(vertex).chain(removed.iter().copied()) {
            let owner = match self.graph.vertices[vertex as usize] {
                Vertex::Node(node) => self.procedure.nodes[node.index()].owner,
                Vertex::Call(..) | Vertex::Return(..) => Owner::System,
            };
            let edges = self.graph.leaving(vertex).iter().map(|&(edge, to)| {
                let number = numbers[to as usize].get_or_insert_with(|| {
                    ends.push(to);
                    To::End(ends.len() - 1)
                });
                (edge, *number)
            });
            sources.push(Source { owner, edges: edges.collect() });
        }
        removed.iter().chain(&ends).for_each(|vertex| numbers[*vertex as usize] = None);
        (Region { sources, ends: ends.len() }, ends)
    }

    /// A kept vertex in the new numbers.
    pub(super) fn vertex(&self, vertex: u32) -> Vertex {
        self.renumbered(self.graph.vertices[vertex as usize])
    }

    /// A vertex in the new numbers.
    pub(super) fn renumbered(&self, vertex: Vertex) -> Vertex {
        match vertex {
            Vertex::Node(node) => Vertex::Node(self.numbers[node.index()].unwrap_or(node)),
            port => port,
        }
    }
}

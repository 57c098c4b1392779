//! Repeating heads of machines without variables, in O(n·theta²) (Alur-RSM 3.2, Theorem 3).
//!
//! The relations R of entries, vertices and exits are derived as for reachability (`components`), forward in components
//! with no more entries than exits, backward in the others. Then Z, "reached through an accepting state", follows
//! by the paper's linear rules: atoms of R that are atoms of Z make others so. The cycles of the graph H are read off last.

use super::components::Components;
use super::cycles::{Cycles, Step};
use super::graph::{At, Graph, VertexId};
use super::valuation::get;
use crate::engine::Statistics;
use crate::engine::watch::Watch;
use crate::limits::Reason;
use crate::logic::Stack;
use crate::model::{Leaf, Vertex};
use crate::temporal::{Growth, Head, Product};
use rustc_hash::FxHashMap;

/// A head of an accepting cycle, if there is one.
pub(super) fn find_head(
    product: &Product,
    stack: Stack,
    statistics: &mut Statistics,
    watch: &mut Watch<'_>,
) -> Result<Option<Head>, Reason> {
    let graph = Graph::expanded(&product.ersm, watch.limits())?;
    let mut components = Components::new(&graph);
    let end = components.run(watch);
    statistics.path_edges = components.path_edges();
    statistics.summary_edges = components.summary_edges();
    statistics.entries = graph.len() as u64;
    statistics.bytes = components.bytes() as u64;
    end?;
    let accepting: Vec<bool> = (0..graph.len() as u32).map(|vertex| accepts(product, &graph, vertex)).collect();
    let through = components.through(&accepting);
    watch.check(0)?;
    let steps = components.graph_h(&through);
    let cycles = Cycles::new(steps.iter().copied(), accepting);
    let is_node = |vertex: VertexId| matches!(graph.vertex(vertex), Vertex::Node(_));
    cycles.head(stack, is_node, |vertex, growth| head(&graph, vertex, growth))
}

/// The vertex is an accepting state.
pub(super) fn accepts(product: &Product, graph: &Graph<'_>, vertex: VertexId) -> bool {
    let values = graph.values(vertex);
    product.ersm.circuit.evaluate(product.accepting, |number| match Leaf::from_number(number) {
        Leaf::Var(var) => get(values, product.ersm.bit(var)) == Some(true),
        Leaf::Choice(_) => false,
    })
}

/// The head at a vertex that is a node.
pub(super) fn head(graph: &Graph<'_>, vertex: VertexId, growth: Growth) -> Option<Head> {
    let Vertex::Node(node) = graph.vertex(vertex) else { return None };
    let values = (0..graph.globals()).map(|bit| get(graph.values(vertex), bit)).collect();
    Some(Head { growth, procedure: graph.procedure(vertex), node, values })
}

impl Components<'_> {
    /// By atom: it holds by way of an accepting state (Z).
    fn through(&self, accepting: &[bool]) -> Vec<bool> {
        let mut through = vec![false; self.atoms.len()];
        let pairs = self.atoms.iter().map(|atom| (atom.anchor, atom.vertex));
        let index: FxHashMap<(VertexId, VertexId), u32> = pairs.zip(0..).collect();
        let mut open: Vec<u32> = Vec::new();
        for (number, atom) in self.atoms.iter().enumerate() {
            if accepting[atom.anchor as usize] || accepting[atom.vertex as usize] {
                through[number] = true;
                open.push(number as u32);
            }
        }
        while let Some(number) = open.pop() {
            let mut follow = |anchor: VertexId, vertex: VertexId| {
                if let Some(&next) = index.get(&(anchor, vertex))
                    && !std::mem::replace(&mut through[next as usize], true)
                {
                    open.push(next);
                }
            };
            self.follow(number, &mut follow);
            if let Some(&summary) = self.of_atom.get(&number) {
                self.lift(summary, &mut follow);
            }
        }
        through
    }

    /// Rules 2 and 3a: what a path that is longer at its end, or at its beginning, is.
    fn follow(&self, number: u32, follow: &mut impl FnMut(VertexId, VertexId)) {
        let (graph, atom) = (self.graph, self.atoms[number as usize]);
        let of = |list: Option<&Vec<u32>>| list.cloned().unwrap_or_default();
        if graph.entry_bound(graph.component(atom.vertex)) {
            graph.successors(atom.vertex).iter().for_each(|&after| follow(atom.anchor, after));
            if let At::Call(site, entry) = graph.at(atom.vertex) {
                for summary in of(self.from_entry.get(&entry)) {
                    let after = graph.return_port(site, self.summaries[summary as usize].exit);
                    after.into_iter().for_each(|after| follow(atom.anchor, after));
                }
            }
        } else {
            graph.predecessors(atom.vertex).iter().for_each(|&before| follow(atom.anchor, before));
            if let At::Return(site, exit) = graph.at(atom.vertex) {
                for summary in of(self.to_exit.get(&exit)) {
                    let before = graph.call_port(site, self.summaries[summary as usize].entry);
                    before.into_iter().for_each(|before| follow(atom.anchor, before));
                }
            }
        }
    }

    /// Rule 3b: paths that step over a call, by a summary that passes through an accepting state.
    fn lift(&self, summary: u32, follow: &mut impl FnMut(VertexId, VertexId)) {
        let (graph, summary) = (self.graph, self.summaries[summary as usize]);
        for &(call, site) in graph.calls_of(summary.entry) {
            let Some(back) = graph.return_port(site, summary.exit) else { continue };
            let (from, to) = if graph.entry_bound(graph.component(call)) { (call, back) } else { (back, call) };
            for &atom in &self.anchors[from as usize] {
                follow(self.atoms[atom as usize].anchor, to);
            }
        }
    }

    /// The steps of the graph H between the vertices that are reached.
    fn graph_h(&self, through: &[bool]) -> Vec<Step> {
        let graph = self.graph;
        let mut steps = Vec::new();
        for from in (0..graph.len() as u32).filter(|&vertex| self.found[vertex as usize].is_some()) {
            let plain = |to| Step { from, to, enters: false, accepts: false };
            steps.extend(graph.successors(from).iter().map(|&to| plain(to)));
            if let At::Call(site, entry) = graph.at(from) {
                steps.push(Step { enters: true, ..plain(entry) });
                for &summary in self.from_entry.get(&entry).into_iter().flatten() {
                    let summary = self.summaries[summary as usize];
                    let accepts = through[summary.atom as usize];
                    let back = graph.return_port(site, summary.exit);
                    steps.extend(back.map(|to| Step { accepts, ..plain(to) }));
                }
            }
        }
        steps
    }
}

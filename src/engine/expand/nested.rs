//! Cycles of hierarchical machines without variables, in linear time and without flattening: the nested depth-first search of
//! Alur-HSM 3.2, Fig. 5.
//!
//! A primary search goes through the product; when it backtracks from an accepting state, a secondary search looks for a way
//! back to the primary search's stack. A box is searched inside when its entry is met for the first time; after that
//! it is stepped over to the exits that were found, which the secondary search has visited if they are reached through an
//! accepting state, so that a cycle through the box then needs no accepting state outside.
//!
//! The paper's machines have one entry; those of a product have one for each state of the automaton in which they are entered.
//! So what is visited is a vertex together with the entry by which its component was entered: the paper's copies of a
//! component, one for each entry, made on demand. Nothing recurses: both searches have stacks of their own.

use super::cycles::NO_HEAD;
use super::graph::{At, Graph, VertexId};
use super::vertex_heads::{accepts, head};
use crate::engine::Statistics;
use crate::engine::watch::Watch;
use crate::limits::Reason;
use crate::logic::Stack;
use crate::model::Vertex;
use crate::temporal::{Growth, Head, Product};
use rustc_hash::FxHashMap;

/// A head of an accepting cycle, if there is one. The machine has no recursion.
pub(super) fn find_head(
    product: &Product,
    stack: Stack,
    statistics: &mut Statistics,
    watch: &mut Watch<'_>,
) -> Result<Option<Head>, Reason> {
    if stack == Stack::Unbounded {
        return Ok(None);
    }
    let graph = Graph::expanded(&product.ersm, watch.limits())?;
    let accepting = (0..graph.len() as u32).map(|vertex| accepts(product, &graph, vertex)).collect();
    let mut search = Nested { graph: &graph, accepting, rows: Vec::new(), index: FxHashMap::default(), visits: 0 };
    let mut found = None;
    for &start in graph.initial() {
        let row = search.row(start, start);
        if !search.rows[row as usize].primary {
            found = search.primary(row, watch)?;
        }
        if found.is_some() {
            break;
        }
    }
    statistics.path_edges = search.visits;
    statistics.entries = graph.len() as u64;
    found.map(|vertex| head(&graph, vertex, Growth::Bounded).ok_or(NO_HEAD)).transpose()
}

type RowId = u32;

/// A vertex of a component that was entered in some way.
struct Row {
    /// The entry by which the component was entered.
    entry: VertexId,
    vertex: VertexId,
    /// The primary, the secondary search has visited it.
    primary: bool,
    secondary: bool,
    on_stack: bool,
}

struct Nested<'g> {
    graph: &'g Graph<'g>,
    accepting: Vec<bool>,
    rows: Vec<Row>,
    index: FxHashMap<(VertexId, VertexId), RowId>,
    /// Visits of both searches.
    visits: u64,
}

/// A row that the primary search is at.
struct Frame {
    row: RowId,
    /// Successors, and how many of them are done. Those of a box are known once its inside is.
    next: Vec<(RowId, bool)>,
    done: usize,
    /// The inside of a box was searched.
    opened: bool,
}

impl Nested<'_> {
    fn row(&mut self, entry: VertexId, vertex: VertexId) -> RowId {
        let next = self.rows.len() as RowId;
        let row = *self.index.entry((entry, vertex)).or_insert(next);
        if row == next {
            self.rows.push(Row { entry, vertex, primary: false, secondary: false, on_stack: false });
        }
        row
    }

    /// Where a row leads, each with: a call on the way passes through an accepting state.
    fn successors(&mut self, row: RowId) -> Vec<(RowId, bool)> {
        let Row { entry, vertex, .. } = self.rows[row as usize];
        let graph = self.graph;
        let At::Call(site, callee) = graph.at(vertex) else {
            return graph.successors(vertex).iter().map(|&next| (self.row(entry, next), false)).collect();
        };
        let mut next = Vec::new();
        for &exit in graph.exits(graph.component(callee)) {
            let Some(&inside) = self.index.get(&(callee, exit)) else { continue };
            let Row { primary, secondary, .. } = self.rows[inside as usize];
            if let Some(back) = graph.return_port(site, exit).filter(|_| primary) {
                next.push((self.row(entry, back), secondary));
            }
        }
        next
    }

    fn frame(&mut self, row: RowId) -> Frame {
        self.visits += 1;
        self.rows[row as usize].primary = true;
        self.rows[row as usize].on_stack = true;
        let is_box = matches!(self.graph.at(self.rows[row as usize].vertex), At::Call(..));
        let next = if is_box { Vec::new() } else { self.successors(row) };
        Frame { row, next, done: 0, opened: !is_box }
    }

    /// The primary search from a row; a vertex on an accepting cycle, a node where there is one, if a cycle is found.
    fn primary(&mut self, start: RowId, watch: &mut Watch<'_>) -> Result<Option<VertexId>, Reason> {
        let mut stack = vec![self.frame(start)];
        while let Some(top) = stack.last_mut() {
            if self.visits.is_multiple_of(u64::from(Watch::INTERVAL)) {
                watch.look(self.visits, 0)?;
            }
            let row = top.row;
            if !top.opened {
                top.opened = true;
                let At::Call(_, callee) = self.graph.at(self.rows[row as usize].vertex) else { continue };
                let inside = self.row(callee, callee);
                if !self.rows[inside as usize].primary {
                    let frame = self.frame(inside);
                    stack.push(frame);
                    continue;
                }
            }
            let is_box = matches!(self.graph.at(self.rows[row as usize].vertex), At::Call(..));
            if is_box && top.done == 0 {
                top.next = self.successors(row);
            }
            if let Some(&(next, accepting)) = top.next.get(top.done) {
                if !self.rows[next as usize].primary {
                    let frame = self.frame(next);
                    stack.push(frame);
                    continue;
                }
                top.done += 1;
                if accepting && let Some(found) = self.secondary(row, Some(next), &stack) {
                    return Ok(Some(found));
                }
                continue;
            }
            if self.accepting[self.rows[row as usize].vertex as usize]
                && !self.rows[row as usize].secondary
                && let Some(found) = self.secondary(row, None, &stack)
            {
                return Ok(Some(found));
            }
            self.rows[row as usize].on_stack = false;
            stack.pop();
        }
        Ok(None)
    }

    /// The secondary search from a row, or from one step after it (over a call that passes through an accepting state).
    fn secondary(&mut self, from: RowId, step: Option<RowId>, stack: &[Frame]) -> Option<VertexId> {
        let first = match step {
            Some(next) if self.rows[next as usize].on_stack => return self.on_cycle(next, &[from], stack),
            Some(next) if self.rows[next as usize].secondary => return None,
            Some(next) => next,
            None => from,
        };
        self.visit(first);
        let mut path = vec![(first, self.successors(first), 0)];
        while let Some((_, next, done)) = path.last_mut() {
            let Some(&(next, _)) = next.get(*done) else {
                path.pop();
                continue;
            };
            *done += 1;
            if self.rows[next as usize].on_stack {
                let way: Vec<RowId> = path.iter().map(|(row, ..)| *row).collect();
                return self.on_cycle(next, &way, stack);
            }
            if !self.rows[next as usize].secondary {
                self.visit(next);
                path.push((next, self.successors(next), 0));
            }
        }
        None
    }

    fn visit(&mut self, row: RowId) {
        self.visits += 1;
        self.rows[row as usize].secondary = true;
    }

    /// A node of the cycle from a row of the stack to its top, and then by the way that was found.
    fn on_cycle(&self, first: RowId, way: &[RowId], stack: &[Frame]) -> Option<VertexId> {
        let below = stack.iter().position(|frame| frame.row == first).unwrap_or(0);
        let rows = stack[below..].iter().map(|frame| frame.row).chain(way.iter().copied());
        let mut vertices = rows.map(|row| self.rows[row as usize].vertex);
        let node = vertices.find(|&vertex| matches!(self.graph.vertex(vertex), Vertex::Node(_)));
        Some(node.unwrap_or(self.rows[first as usize].vertex))
    }
}

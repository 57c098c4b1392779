//! Repeating heads over explored rows: cycles of Alur-RSM's graph H (3.2, Lemmas 4 and 5) on valuations.
//!
//! The marked product is explored to its end, and every step between rows is kept: transitions, calls entered (the set F_u)
//! and calls stepped over by a summary (in F_a where the summary says so, which the marked machine tells in a variable). A cycle
//! without entering a call is one of a bounded stack; a cycle through one lets the stack grow. Whether there is one with an
//! accepting state is read off the strongly connected components, so the cost is linear in rows and steps.
//!
//! Rows leave values open that nobody has read. A cycle of rows is one of states for some values of what is open: what is
//! not touched on the way stays as it was, what is chosen again can be chosen as it was. So open variables of the head are
//! left open: the question for the run saves and compares them.

use super::compile::Compiled;
use super::forward::{End, Forward, Link};
use super::store::RowId;
use super::valuation::get;
use crate::engine::Statistics;
use crate::engine::watch::Watch;
use crate::limits::Reason;
use crate::logic::Stack;
use crate::model::{Leaf, ProcId, Vertex};
use crate::temporal::{Growth, Head, Marked};
use epitome_encodings::Components;

/// A head of an accepting cycle, if there is one.
pub(super) fn find_head(
    marked: &Marked,
    stack: Stack,
    statistics: &mut Statistics,
    watch: &mut Watch<'_>,
) -> Result<Option<Head>, Reason> {
    let compiled = Compiled::new(&marked.ersm);
    let mut search = Forward::new(&compiled, watch.limits()).with_links();
    let end = search.run(watch);
    statistics.algorithm = "forward";
    statistics.path_edges = search.path_edges();
    statistics.summary_edges = search.summary_edges();
    statistics.entries = search.entries();
    statistics.bytes = search.bytes() as u64;
    if let End::Stopped(reason) = end {
        return Err(reason);
    }
    let graph = Graph::new(&search, marked, &compiled);
    watch.check(0)?;
    let bounded = match stack {
        Stack::Any | Stack::Bounded => graph.bounded(),
        Stack::Unbounded => None,
    };
    Ok(bounded.or_else(|| match stack {
        Stack::Any | Stack::Unbounded => graph.unbounded(),
        Stack::Bounded => None,
    }))
}

/// The graph H over rows.
struct Graph<'g> {
    search: &'g Forward<'g>,
    marked: &'g Marked,
    compiled: &'g Compiled<'g>,
    /// By row, where its steps begin in the list; one more at the end.
    first: Vec<u32>,
    /// Where each step goes, and whether it enters a call.
    steps: Vec<(RowId, bool)>,
    accepts: Vec<bool>,
}

impl<'g> Graph<'g> {
    fn new(search: &'g Forward<'g>, marked: &'g Marked, compiled: &'g Compiled<'g>) -> Graph<'g> {
        let rows = search.path_edges() as usize;
        let mut first = vec![0u32; rows + 1];
        let links = search.links();
        links.iter().for_each(|link| first[link.from as usize + 1] += 1);
        (0..rows).for_each(|row| first[row + 1] += first[row]);
        let mut steps = vec![(0, false); links.len()];
        let mut next = first.clone();
        for &Link { from, to, enters } in links {
            steps[next[from as usize] as usize] = (to, enters);
            next[from as usize] += 1;
        }
        let mut graph = Graph { search, marked, compiled, first, steps, accepts: Vec::new() };
        graph.accepts = (0..rows as u32).map(|row| graph.accepts(row)).collect();
        graph
    }

    /// The row is in an accepting state, or comes after a call that passed through one.
    fn accepts(&self, row: RowId) -> bool {
        let (place, cells) = (self.search.place_of(row), self.search.cells_of(row));
        let ersm = &self.marked.ersm;
        let value = |number| match Leaf::from_number(number) {
            Leaf::Var(var) => get(cells, ersm.bit(var)) == Some(true),
            Leaf::Choice(_) => false,
        };
        let procedure = self.compiled.places[place as usize].procedure as usize;
        let inner = || get(cells, ersm.globals.len() + self.marked.inner[procedure] as usize) == Some(true);
        self.compiled.is_return_port(place) && inner() || ersm.circuit.evaluate(self.marked.accepting, value)
    }

    fn steps_of(&self, row: usize) -> &[(RowId, bool)] {
        &self.steps[self.first[row] as usize..self.first[row + 1] as usize]
    }

    /// By component of the graph, with steps into calls or without: it has an accepting cycle, and one into a call.
    fn cycles(&self, calls: bool) -> (Vec<u32>, Vec<(bool, bool)>) {
        let successor = |row: usize, n: usize| {
            // Steps into calls are counted, too, and lead nowhere if they are not wanted.
            let (to, enters) = *self.steps_of(row).get(n)?;
            Some(if enters && !calls { row } else { to as usize })
        };
        let rows = self.accepts.len();
        let components = Components::new(rows, 0..rows, successor);
        let of: Vec<u32> = components.of.iter().map(|of| of.unwrap_or(0)).collect();
        let mut found = vec![(false, false); components.count as usize];
        for row in 0..rows {
            for &(to, enters) in self.steps_of(row).iter().filter(|(_, enters)| calls || !enters) {
                if of[to as usize] == of[row] {
                    let found = &mut found[of[row] as usize];
                    found.0 |= self.accepts[row];
                    found.1 |= enters;
                }
            }
        }
        (of, found)
    }

    fn bounded(&self) -> Option<Head> {
        let (of, found) = self.cycles(false);
        let is_node = |row: RowId| (self.search.place_of(row) as usize) < self.compiled.node_places();
        let row = (0..of.len()).find(|&row| found[of[row] as usize].0 && is_node(row as RowId))?;
        self.head(row as RowId, Growth::Bounded)
    }

    fn unbounded(&self) -> Option<Head> {
        let (of, found) = self.cycles(true);
        let row = (0..of.len()).filter(|&row| found[of[row] as usize] == (true, true)).find_map(|row| {
            let inside = |(to, enters): &&(RowId, bool)| *enters && of[*to as usize] == of[row];
            self.steps_of(row).iter().find(inside).map(|(to, _)| *to)
        })?;
        self.head(row, Growth::Unbounded)
    }

    fn head(&self, row: RowId, growth: Growth) -> Option<Head> {
        let (place, cells) = (self.search.place_of(row), self.search.cells_of(row));
        let Vertex::Node(node) = self.compiled.vertex(place) else { return None };
        let procedure = ProcId(self.compiled.places[place as usize].procedure);
        let values = (0..self.marked.ersm.scope_size(procedure)).map(|bit| get(cells, bit)).collect();
        Some(Head { growth, procedure, node, values })
    }
}

//! Repeating heads over explored rows.
//!
//! The marked product is explored to its end, and every step between rows is kept; its summaries tell whether calls pass
//! through accepting states. Then cycles are read off (`cycles`), so the cost is linear in rows and steps.
//!
//! Rows leave values open that nobody has read. A cycle of rows is one of states for some values of what is open: what is
//! not touched on the way stays as it was, what is chosen again can be chosen as it was. So open variables of the head are
//! left open: the question for the run saves and compares them.

use super::compile::Compiled;
use super::cycles::{Cycles, Step};
use super::forward::{End, Forward};
use super::store::RowId;
use super::valuation::get;
use crate::engine::Statistics;
use crate::engine::watch::Watch;
use crate::limits::Reason;
use crate::logic::Stack;
use crate::model::{Leaf, ProcId, Vertex};
use crate::temporal::{Growth, Head, Marked};

/// A head of an accepting cycle, if there is one.
pub(super) fn find_head(
    marked: &Marked,
    stack: Stack,
    statistics: &mut Statistics,
    watch: &mut Watch<'_>,
) -> Result<Option<Head>, Reason> {
    let compiled = Compiled::new(&marked.ersm);
    let mut search = Forward::new(&compiled, watch.limits()).with_steps();
    let end = search.run(watch);
    statistics.path_edges = search.path_edges();
    statistics.summary_edges = search.summary_edges();
    statistics.entries = search.entries();
    statistics.bytes = search.bytes() as u64;
    if let End::Stopped(reason) = end {
        return Err(reason);
    }
    let rows = Rows { search: &search, marked, compiled: &compiled };
    let accepting = (0..search.path_edges() as u32).map(|row| rows.accepts(row)).collect();
    let cycles = Cycles::new(search.steps().iter().copied(), accepting);
    watch.check(0)?;
    cycles.head(stack, |row| rows.is_node(row), |row, growth| rows.head(row, growth))
}

struct Rows<'r> {
    search: &'r Forward<'r>,
    marked: &'r Marked,
    compiled: &'r Compiled<'r>,
}

impl Rows<'_> {
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

    fn is_node(&self, row: RowId) -> bool {
        (self.search.place_of(row) as usize) < self.compiled.node_places()
    }

    fn head(&self, row: RowId, growth: Growth) -> Option<Head> {
        let (place, cells) = (self.search.place_of(row), self.search.cells_of(row));
        let Vertex::Node(node) = self.compiled.vertex(place) else { return None };
        let procedure = ProcId(self.compiled.places[place as usize].procedure);
        let values = (0..self.marked.ersm.scope_size(procedure)).map(|bit| get(cells, bit)).collect();
        Some(Head { growth, procedure, node, values })
    }
}

impl Step {
    /// A step between rows; accepting calls are told by the row after them.
    pub(super) fn of_rows(from: RowId, to: RowId, enters: bool) -> Step {
        Step { from, to, enters, accepts: false }
    }
}

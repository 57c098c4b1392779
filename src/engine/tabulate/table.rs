//! Path edges of every vertex, and how they came about.
//!
//! New path edges of a vertex are kept apart from those that were worked on before (only they need to
//! be propagated). Where a run may be asked for, every addition is remembered with its cause: additions
//! are disjoint and each refers to earlier ones only, so that explaining a path edge always ends (these
//! are Ball's rings, 3.2, in the order of discovery).

use super::bdd::{Bdd, Full, Store};
use super::machine::VertexId;
use std::ops::Range;

/// How path edges of a vertex were found. Ranges are additions of the vertex they came from.
#[derive(Clone)]
pub(super) enum Cause {
    /// A computation starts here.
    Start,
    /// A transition, by its place in the list of the vertex `from`.
    Step { from: VertexId, step: u32, additions: Range<u32> },
    /// A call enters the procedure.
    Enter { call: VertexId, additions: Range<u32> },
    /// A call returns, by this summary of the callee's exit.
    Return { call: VertexId, exit: VertexId, summary: Bdd, additions: Range<u32> },
    /// The vertex's own loops, any number of times.
    Loop { additions: Range<u32> },
}

/// Path edges that were found at once.
pub(super) struct Addition {
    pub(super) set: Bdd,
    pub(super) cause: Cause,
}

pub(super) struct Table {
    /// Path edges found so far.
    pub(super) paths: Vec<Bdd>,
    /// Those that were not worked on yet.
    fresh: Vec<Bdd>,
    /// All additions, if they are remembered, and how many of them were worked on.
    pub(super) additions: Vec<Vec<Addition>>,
    worked_on: Vec<u32>,
    pub(super) remembers: bool,
    /// Additions in all.
    pub(super) count: u64,
}

impl Table {
    pub(super) fn new(store: &Store, vertices: usize, remembers: bool) -> Table {
        let mut additions = Vec::new();
        additions.resize_with(if remembers { vertices } else { 0 }, Vec::new);
        Table {
            paths: vec![store.bottom(); vertices],
            fresh: vec![store.bottom(); vertices],
            worked_on: vec![0; additions.len()],
            additions,
            remembers,
            count: 0,
        }
    }

    /// Adds path edges: Propagate. True if some were new.
    pub(super) fn add(&mut self, store: &Store, vertex: VertexId, set: &Bdd, cause: Cause) -> Result<bool, Full> {
        let index = vertex as usize;
        let Some(new) = store.extend(&mut self.paths[index], set)? else { return Ok(false) };
        store.extend(&mut self.fresh[index], &new)?;
        self.count += 1;
        if self.remembers {
            self.additions[index].push(Addition { set: new, cause });
        }
        Ok(true)
    }

    /// Takes the path edges that were not worked on yet, with the range of their additions.
    pub(super) fn take(&mut self, store: &Store, vertex: VertexId) -> (Bdd, Range<u32>) {
        let index = vertex as usize;
        let fresh = std::mem::replace(&mut self.fresh[index], store.bottom());
        (fresh, self.take_range(index))
    }

    /// All path edges of a vertex, with the range of their additions.
    pub(super) fn all(&self, vertex: VertexId) -> (Bdd, Range<u32>) {
        let index = vertex as usize;
        let end = self.additions.get(index).map_or(0, Vec::len) as u32;
        (self.paths[index].clone(), 0..end)
    }

    fn take_range(&mut self, index: usize) -> Range<u32> {
        if !self.remembers {
            return 0..0;
        }
        let end = self.additions[index].len() as u32;
        std::mem::replace(&mut self.worked_on[index], end)..end
    }
}

#[cfg(test)]
mod tests;

//! Path edges of every vertex, and how they came about.
//!
//! New path edges of a vertex are kept apart from those that were worked on before (only they need to
//! be propagated). Where a run may be asked for, every addition is remembered with its cause: additions
//! are disjoint and each refers to earlier ones only, so that explaining a path edge always ends (these
//! are Ball's rings, 3.2, in the order of discovery).

use super::bdd::{Bdd, Halt, Store};
use super::machine::VertexId;
use super::search::Stop;
use crate::limits::Limits;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::hash_map::Entry;
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
    remembers: bool,
    /// Unions of neighbouring additions of vertices that have many, made when they are first searched.
    unions: RefCell<FxHashMap<VertexId, Unions>>,
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
            unions: RefCell::default(),
            count: 0,
        }
    }

    /// Adds path edges: Propagate. True if some were new.
    pub(super) fn add(&mut self, store: &Store, vertex: VertexId, set: &Bdd, cause: Cause) -> Result<bool, Halt> {
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

    /// The first addition of a range for which `test` gives something. What it gives for a set it must
    /// also give for a larger one: of many additions, it is asked for unions of neighbours first.
    pub(super) fn first<T>(
        &self,
        store: &Store,
        vertex: VertexId,
        range: &Range<u32>,
        limits: &Limits,
        mut test: impl FnMut(&Bdd) -> Result<Option<T>, Stop>,
    ) -> Result<Option<(T, u32)>, Stop> {
        let additions = &self.additions[vertex as usize];
        let mut unions = self.unions.borrow_mut();
        let unions = match range.len() {
            0..MANY => None,
            _ => Some(match unions.entry(vertex) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(Unions::new(store, additions, limits)?),
            }),
        };
        let most = if unions.is_some() { u32::BITS } else { 0 };
        let (mut at, mut power) = (range.start, most);
        while at < range.end {
            power = power.min(at.trailing_zeros()).min((range.end - at).ilog2());
            let set = match &unions {
                Some(unions) if power > 0 => unions.get(power, at),
                _ => &additions[at as usize].set,
            };
            match test(set)? {
                Some(found) if power == 0 => return Ok(Some((found, at))),
                Some(_) => power -= 1,
                None => (at, power) = (at + (1 << power), most),
            }
        }
        Ok(None)
    }

    fn take_range(&mut self, index: usize) -> Range<u32> {
        if !self.remembers {
            return 0..0;
        }
        let end = self.additions[index].len() as u32;
        std::mem::replace(&mut self.worked_on[index], end)..end
    }
}

/// So many additions are searched by their unions.
const MANY: usize = 16;

/// Unions made between two looks at the limits.
const INTERVAL: usize = 1024;

/// The unions of 2, 4, 8, … neighbouring additions, each at a multiple of its length.
struct Unions(Vec<Vec<Bdd>>);

impl Unions {
    fn new(store: &Store, additions: &[Addition], limits: &Limits) -> Result<Unions, Stop> {
        let mut below: Vec<Bdd> = additions.iter().map(|addition| addition.set.clone()).collect();
        let mut powers = Vec::new();
        while below.len() > 1 {
            let mut unions = Vec::with_capacity(below.len() / 2);
            for (index, pair) in below.chunks_exact(2).enumerate() {
                if index % INTERVAL == 0 {
                    limits.check(0).map_err(Stop::Limit)?;
                }
                unions.push(store.or(&pair[0], &pair[1])?);
            }
            below = unions.clone();
            powers.push(unions);
        }
        Ok(Unions(powers))
    }

    fn get(&self, power: u32, start: u32) -> &Bdd {
        &self.0[power as usize - 1][(start >> power) as usize]
    }
}

#[cfg(test)]
mod tests;

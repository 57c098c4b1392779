//! What a store does between operations: it collects garbage, changes the order of its variables if it
//! may, and looks at the limits.
//!
//! The library collects garbage by itself when the store is nearly full, but in a thread of its own; here
//! it happens at the same place every time, and so does reordering, as in CUDD whenever the diagrams have
//! doubled. Both are safe at any time: diagrams that somebody holds are counted.

use super::super::sift::sift;
use super::{Halt, Store, Var};
use crate::limits::Limits;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Operations between two looks at the store while it is small, and how small that is. (A few operations
/// can make a store many times as large: who reorders looks each time.)
const INTERVAL: u32 = 8;
const SMALL: usize = 100_000;

/// Time between two looks at the limits.
const PAUSE: Duration = Duration::from_millis(10);

/// Fewer nodes than this are not worth collecting.
const WORTH_COLLECTING: usize = 1 << 18;

/// Fewer nodes than this are not worth reordering.
const WORTH_REORDERING: usize = 1 << 12;

pub(super) struct Upkeep {
    limits: Limits,
    /// Variables that stay together when they are reordered, if they are.
    groups: Option<Vec<Vec<Var>>>,
    operations: Cell<u32>,
    is_large: Cell<bool>,
    next_look: Cell<Instant>,
    /// Nodes at which garbage is collected next, and live nodes at which variables are reordered next.
    next_collection: Cell<usize>,
    next_reordering: Cell<usize>,
    reordered: Cell<bool>,
    peak: Cell<usize>,
}

impl Upkeep {
    /// For a store of so many nodes.
    pub(super) fn new(nodes: usize) -> Upkeep {
        Upkeep {
            limits: Limits::none(),
            groups: None,
            operations: Cell::new(0),
            is_large: Cell::new(false),
            next_look: Cell::new(Instant::now()),
            next_collection: Cell::new(next_collection(0, nodes)),
            next_reordering: Cell::new(WORTH_REORDERING),
            reordered: Cell::new(false),
            peak: Cell::new(0),
        }
    }

    pub(super) fn set_limits(&mut self, limits: &Limits) {
        self.limits = limits.clone();
    }

    pub(super) fn set_groups(&mut self, groups: Vec<Vec<Var>>) {
        self.groups = Some(groups);
    }

    /// The order is not the one it was made with.
    pub(super) fn reordered(&self) -> bool {
        self.reordered.get()
    }

    pub(super) fn note_reordering(&self) {
        self.reordered.set(true);
    }

    pub(super) fn peak(&self, store: &Store) -> usize {
        self.peak.get().max(store.nodes())
    }

    pub(super) fn before_operation(&self, store: &Store) -> Result<(), Halt> {
        let operations = self.operations.get().wrapping_add(1);
        self.operations.set(operations);
        if !operations.is_multiple_of(INTERVAL) && !self.is_large.get() && self.groups.is_none() {
            return Ok(());
        }
        let nodes = store.nodes();
        self.is_large.set(nodes > SMALL);
        self.peak.set(self.peak.get().max(nodes));
        if nodes >= self.next_collection.get() || self.groups.is_some() && nodes >= self.next_reordering.get() {
            self.tidy(store)?;
        }
        self.look()
    }

    /// Looks at the limits now and then.
    fn look(&self) -> Result<(), Halt> {
        let now = Instant::now();
        if now >= self.next_look.get() {
            self.limits.check(0).map_err(Halt::Limit)?;
            self.next_look.set(now + PAUSE);
        }
        Ok(())
    }

    /// Collects garbage, and reorders if the live nodes have doubled since the last time, or grown by more
    /// if reordering was of no use then.
    fn tidy(&self, store: &Store) -> Result<(), Halt> {
        store.collect();
        if let Some(groups) = &self.groups {
            let before = store.exact_nodes();
            let mut growth = 2;
            if before >= self.next_reordering.get() / 2 {
                sift(store, groups, || self.limits.check(0).is_ok());
                let is_worth_it = store.exact_nodes() < before / 10 * 9;
                growth = if is_worth_it { 2 } else { 8 };
            }
            self.next_reordering.set(WORTH_REORDERING.max(growth * store.exact_nodes()));
        }
        let (live, room) = (store.nodes(), store.nodes);
        self.next_collection.set(next_collection(live, room));
        // With less room than this, garbage would be collected again and again.
        if live > room / 8 * 7 { Err(Halt::Full) } else { Ok(()) }
    }
}

/// When the store has doubled, or half of the room that is left is used.
fn next_collection(live: usize, room: usize) -> usize {
    let nearly_full = (room / 4 * 3).max(live + room.saturating_sub(live) / 2);
    WORTH_COLLECTING.max(2 * live).min(nearly_full)
}

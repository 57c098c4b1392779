//! Ball's algorithm (Fig. 3): path edges and summary edges, from a worklist.
//!
//! The same search runs in three ways:
//! - *demanded*: as in the paper; a procedure is explored from the values with which it is entered, and
//!   exits make summaries;
//! - *summarizing*: every procedure that is called is explored from all values at once, without regard
//!   to who calls it. Recursion that goes 2^n levels deep before it returns (Moped's trouble with R(n))
//!   takes a few rounds this way, though relations can be larger;
//! - *walking*: the summaries are known; only calls of procedures in which there is something to find
//!   are entered. It completes a summarizing search, and in rings (see `rings`) it finds shortest runs.

use super::bdd::{Bdd, Halt};
use super::closure::Closure;
use super::machine::{CallPort, Kind, Machine, VertexId};
use super::table::{Cause, Table};
use crate::engine::watch::Watch;
use crate::limits::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;

/// A vertex with loops on itself is worked on so often before its loops are squared.
const PATIENCE_WITH_LOOPS: u32 = 16;

/// Rounds between two reports.
const INTERVAL: u64 = 1024;

/// Why a search ended before it was complete.
#[derive(Debug)]
pub(super) enum Stop {
    /// No room for nodes.
    Full,
    /// A limit was reached.
    Limit(Reason),
    /// What was looked for is at this vertex (or in a call from it).
    Found(VertexId),
    /// It took more work than it was given.
    Impatient,
    /// A path edge has no cause: a mistake of ours.
    Unexplained,
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Stop {
        match halt {
            Halt::Full => Stop::Full,
            Halt::Limit(reason) => Stop::Limit(reason),
        }
    }
}

/// Path edges of a vertex that are worked on, with the additions they are in.
pub(super) struct Batch {
    pub(super) vertex: VertexId,
    pub(super) set: Bdd,
    pub(super) additions: Range<u32>,
}

/// How a search goes about calls.
pub(super) enum Way<'s, 'e> {
    Demanded,
    Summarizing,
    /// With the summaries of another search, into these procedures.
    Walking {
        known: &'s Search<'s, 'e>,
        enter: &'s [bool],
    },
}

pub(super) struct Search<'s, 'e> {
    pub(super) machine: &'s Machine<'e>,
    pub(super) table: Table,
    way: Way<'s, 'e>,
    /// By exit: path edges as others see them.
    pub(super) summaries: Vec<Bdd>,
    /// By entry: values it was entered with.
    entered: Vec<Bdd>,
    closures: FxHashMap<VertexId, Option<Rc<Closure>>>,
    visits: Vec<u32>,
    queue: BinaryHeap<Reverse<VertexId>>,
    queued: Vec<bool>,
    /// Vertices worked on.
    pub(super) rounds: u64,
    pub(super) summary_count: u64,
    /// Times that something new entered a procedure.
    pub(super) entry_count: u64,
    work: u64,
    /// Something that was looked for, until it is told.
    found: Option<VertexId>,
}

impl<'s, 'e> Search<'s, 'e> {
    pub(super) fn new(machine: &'s Machine<'e>, way: Way<'s, 'e>, remembers: bool) -> Search<'s, 'e> {
        let vertices = machine.places.len();
        let summaries = if matches!(way, Way::Walking { .. }) { 0 } else { vertices };
        Search {
            machine,
            table: Table::new(machine.store, vertices, remembers),
            way,
            summaries: vec![machine.store.bottom(); summaries],
            entered: vec![machine.store.bottom(); vertices],
            closures: FxHashMap::default(),
            visits: vec![0; vertices],
            queue: BinaryHeap::new(),
            queued: vec![false; vertices],
            rounds: 0,
            summary_count: 0,
            entry_count: 0,
            work: 0,
            found: None,
        }
    }

    /// The loops of a vertex, if they were squared.
    pub(super) fn closure(&self, vertex: VertexId) -> Option<&Rc<Closure>> {
        self.closures.get(&vertex)?.as_ref()
    }

    /// Nodes of the largest set of path edges.
    pub(super) fn largest(&self) -> usize {
        // Sets of similar procedures are the same. (A diagram's identity does not change; what is
        // mutable in it is the library's count of references.)
        #[allow(clippy::mutable_key_type)]
        let sets: FxHashSet<&Bdd> = self.table.paths.iter().collect();
        sets.into_iter().map(|set| self.machine.store.size(set)).max().unwrap_or(0)
    }

    /// The search whose summaries are used.
    pub(super) fn summarizer(&self) -> &Search<'s, 'e> {
        match self.way {
            Way::Walking { known, .. } => known,
            _ => self,
        }
    }

    /// Puts in what is known from the beginning.
    pub(super) fn start(&mut self, watch: &mut Watch<'_>) -> Result<(), Stop> {
        let machine = self.machine;
        if matches!(self.way, Way::Summarizing) {
            for &entry in machine.entries.iter().flatten() {
                let frame = machine.frame(entry);
                if frame.interface.is_called {
                    self.enter(entry, &frame.any_values(), Cause::Start, watch)?;
                }
            }
            return Ok(());
        }
        for (entry, values) in &machine.initial {
            self.enter(*entry, values, Cause::Start, watch)?;
        }
        Ok(())
    }

    /// Works until everything is found, or something that was looked for, or `patience` is used up.
    /// Can be called again to go on.
    pub(super) fn run(&mut self, patience: u64, watch: &mut Watch<'_>) -> Result<(), Stop> {
        let store = self.machine.store;
        let end = self.work.saturating_add(patience);
        self.tell()?;
        while let Some(&Reverse(vertex)) = self.queue.peek() {
            if self.work >= end {
                return Err(Stop::Impatient);
            }
            self.queue.pop();
            self.queued[vertex as usize] = false;
            let before = store.nodes();
            let batch = self.take(vertex);
            let batch = self.go_round(batch)?;
            self.spread(&batch, watch, |_| true)?;
            self.cross(&batch, watch)?;
            self.rounds += 1;
            self.work += 1 + store.nodes().saturating_sub(before) as u64 / 16;
            self.look(watch)?;
            self.tell()?;
        }
        Ok(())
    }

    /// Tells how far the search is, now and then. (The store looks at the limits.)
    pub(super) fn look(&self, watch: &mut Watch<'_>) -> Result<(), Stop> {
        match self.rounds.is_multiple_of(INTERVAL) {
            true => watch.look(self.table.count, 0).map_err(Stop::Limit),
            false => Ok(()),
        }
    }

    /// Stops if something was found. A vertex is always worked on to the end first, so that the search
    /// can go on afterwards.
    pub(super) fn tell(&mut self) -> Result<(), Stop> {
        self.found.take().map_or(Ok(()), |vertex| Err(Stop::Found(vertex)))
    }

    /// The path edges of a vertex that were not worked on yet.
    pub(super) fn take(&mut self, vertex: VertexId) -> Batch {
        let (set, additions) = self.table.take(self.machine.store, vertex);
        Batch { vertex, set, additions }
    }

    /// The vertices that wait, in order.
    pub(super) fn waiting(&mut self) -> Vec<VertexId> {
        let mut waiting = Vec::with_capacity(self.queue.len());
        while let Some(Reverse(vertex)) = self.queue.pop() {
            self.queued[vertex as usize] = false;
            waiting.push(vertex);
        }
        waiting
    }

    /// Adds what the vertex's loops on itself lead to, if they are squared.
    fn go_round(&mut self, batch: Batch) -> Result<Batch, Stop> {
        let (machine, store, vertex) = (self.machine, self.machine.store, batch.vertex);
        let visits = &mut self.visits[vertex as usize];
        *visits += 1;
        if *visits == PATIENCE_WITH_LOOPS && machine.steps(vertex).iter().any(|step| step.to == vertex) {
            let closure = match Closure::new(machine, vertex) {
                Ok(closure) => closure,
                // Powers that do not fit are not worth a larger store.
                Err(Halt::Full) => None,
                Err(halt) => return Err(halt.into()),
            };
            self.closures.insert(vertex, closure);
        }
        let Some(closure) = self.closure(vertex).cloned() else { return Ok(batch) };
        let around = closure.image(store, &batch.set)?;
        self.table.add(store, vertex, &around, Cause::Loop { additions: batch.additions.clone() })?;
        let new = self.take(vertex);
        let set = store.or(&batch.set, &new.set)?;
        Ok(Batch { vertex, set, additions: batch.additions.start..new.additions.end })
    }

    /// Propagates path edges to those successors of their vertex that are `wanted`.
    pub(super) fn spread(
        &mut self,
        batch: &Batch,
        watch: &mut Watch<'_>,
        wanted: impl Fn(VertexId) -> bool,
    ) -> Result<(), Stop> {
        let (machine, from) = (self.machine, batch.vertex);
        let is_closed = self.closure(from).is_some();
        for (index, step) in machine.steps(from).iter().enumerate() {
            if wanted(step.to) && !(is_closed && step.to == from) {
                let image = step.transfer.image(machine.store, &batch.set)?;
                let cause = Cause::Step { from, step: index as u32, additions: batch.additions.clone() };
                self.add(step.to, &image, cause, watch)?;
            }
        }
        Ok(())
    }

    /// What follows from path edges at a call port or an exit.
    pub(super) fn cross(&mut self, batch: &Batch, watch: &mut Watch<'_>) -> Result<(), Stop> {
        match &self.machine.places[batch.vertex as usize].kind {
            Kind::Plain => Ok(()),
            Kind::Exit(exit) => self.leave(batch, *exit, watch),
            Kind::Call(port) => self.call(batch, port, watch),
        }
    }

    /// New path edges at an exit: new summaries, which are used at all calls.
    fn leave(&mut self, batch: &Batch, exit: u32, watch: &mut Watch<'_>) -> Result<(), Stop> {
        let (machine, store, vertex) = (self.machine, self.machine.store, batch.vertex);
        if matches!(self.way, Way::Walking { .. }) || !machine.frame(vertex).interface.is_called {
            return Ok(());
        }
        let summary = machine.frame(vertex).summary(store, &batch.set)?;
        let Some(new) = store.extend(&mut self.summaries[vertex as usize], &summary)? else { return Ok(()) };
        self.summary_count += 1;
        for &call in &machine.callers[machine.places[vertex as usize].procedure.index()] {
            let at_call = self.all(call);
            if !store.is_empty(&at_call.set)
                && let Kind::Call(port) = &machine.places[call as usize].kind
            {
                self.come_back(&at_call, port, (exit, vertex), &new, watch)?;
            }
        }
        Ok(())
    }

    /// All path edges of a vertex that were found so far.
    fn all(&self, vertex: VertexId) -> Batch {
        let (set, additions) = self.table.all(vertex);
        Batch { vertex, set, additions }
    }

    /// New path edges at a call: the callee is entered, and left by the summaries that are known.
    fn call(&mut self, batch: &Batch, port: &CallPort, watch: &mut Watch<'_>) -> Result<(), Stop> {
        let (machine, callee) = (self.machine, port.callee);
        if !matches!(self.way, Way::Summarizing) && watch.wants_call(callee) {
            self.found.get_or_insert(batch.vertex);
        }
        let enters = match self.way {
            Way::Demanded => true,
            Way::Summarizing => false,
            Way::Walking { enter, .. } => enter[callee.index()],
        };
        if enters {
            let values = port.call.enter(machine.store, &batch.set)?;
            let cause = Cause::Enter { call: batch.vertex, additions: batch.additions.clone() };
            self.enter(port.entry, &values, cause, watch)?;
        }
        for (exit, &vertex) in machine.exits[callee.index()].iter().enumerate() {
            let summary = self.summarizer().summaries[vertex as usize].clone();
            if !machine.store.is_empty(&summary) {
                self.come_back(batch, port, (exit as u32, vertex), &summary, watch)?;
            }
        }
        Ok(())
    }

    /// Enters a procedure with these values, as far as they are new.
    fn enter(&mut self, entry: VertexId, values: &Bdd, cause: Cause, watch: &mut Watch<'_>) -> Result<(), Stop> {
        let (machine, store) = (self.machine, self.machine.store);
        let Some(new) = store.extend(&mut self.entered[entry as usize], values)? else { return Ok(()) };
        self.entry_count += 1;
        let edges = machine.frame(entry).enter(store, &new, &machine.tag(entry)?)?;
        self.add(entry, &edges, cause, watch)
    }

    /// Path edges at a call and a summary of the callee's exit, the place of which in its list is given,
    /// give path edges at a return port.
    fn come_back(
        &mut self,
        batch: &Batch,
        port: &CallPort,
        (exit, vertex): (u32, VertexId),
        summary: &Bdd,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stop> {
        let Some(to) = port.returns[exit as usize] else { return Ok(()) };
        let after = port.call.join(self.machine.store, &batch.set, summary)?;
        let additions = batch.additions.clone();
        let cause = Cause::Return { call: batch.vertex, exit: vertex, summary: summary.clone(), additions };
        self.add(to, &after, cause, watch)
    }

    fn add(&mut self, vertex: VertexId, set: &Bdd, cause: Cause, watch: &mut Watch<'_>) -> Result<(), Stop> {
        if !self.table.add(self.machine.store, vertex, set, cause)? {
            return Ok(());
        }
        if !std::mem::replace(&mut self.queued[vertex as usize], true) {
            self.queue.push(Reverse(vertex));
        }
        if !matches!(self.way, Way::Summarizing)
            && let Some(node) = self.machine.places[vertex as usize].node
        {
            watch.reach(node);
            if watch.stops_at(node) {
                self.found.get_or_insert(vertex);
            }
        }
        Ok(())
    }
}

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

use super::bdd::{Bdd, Full};
use super::closure::Closure;
use super::machine::{Kind, Machine, VertexId};
use super::table::{Cause, Table};
use super::watch::Watch;
use crate::limits::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;

/// A vertex with loops on itself is worked on so often before its loops are squared.
const PATIENCE_WITH_LOOPS: u32 = 16;

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

impl From<Full> for Stop {
    fn from(_: Full) -> Stop {
        Stop::Full
    }
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
            for (procedure, entries) in machine.entries.iter().enumerate() {
                for (position, &entry) in entries.iter().enumerate() {
                    let frame = machine.frame(entry);
                    if frame.interface.is_called {
                        self.enter(entry, &frame.any_values(), (procedure, position), Cause::Start, watch)?;
                    }
                }
            }
            return Ok(());
        }
        for (entry, values) in &machine.initial {
            let procedure = machine.places[*entry as usize].procedure.index();
            let position = machine.entries[procedure].iter().position(|other| other == entry).unwrap_or(0);
            self.enter(*entry, values, (procedure, position), Cause::Start, watch)?;
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
            let (set, additions) = self.table.take(store, vertex);
            let (set, additions) = self.go_round(vertex, set, additions)?;
            self.spread(vertex, &set, &additions, watch, |_| true)?;
            self.cross(vertex, &set, &additions, watch)?;
            self.rounds += 1;
            self.work += 1 + store.nodes().saturating_sub(before) as u64 / 16;
            watch.look(self.rounds, self.table.count, store).map_err(Stop::Limit)?;
            self.tell()?;
        }
        Ok(())
    }

    /// Stops if something was found. A vertex is always worked on to the end first, so that the search
    /// can go on afterwards.
    pub(super) fn tell(&mut self) -> Result<(), Stop> {
        self.found.take().map_or(Ok(()), |vertex| Err(Stop::Found(vertex)))
    }

    /// The path edges of a vertex that were not worked on yet.
    pub(super) fn take(&mut self, vertex: VertexId) -> (Bdd, Range<u32>) {
        self.table.take(self.machine.store, vertex)
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
    fn go_round(&mut self, vertex: VertexId, set: Bdd, additions: Range<u32>) -> Result<(Bdd, Range<u32>), Stop> {
        let machine = self.machine;
        let visits = &mut self.visits[vertex as usize];
        *visits += 1;
        if *visits == PATIENCE_WITH_LOOPS && machine.steps(vertex).iter().any(|step| step.to == vertex) {
            // Powers that do not fit are not worth a larger store.
            self.closures.insert(vertex, Closure::new(machine, vertex).unwrap_or(None));
        }
        let Some(closure) = self.closure(vertex).cloned() else { return Ok((set, additions)) };
        let around = closure.image(machine.store, &set)?;
        self.table.add(machine.store, vertex, &around, Cause::Loop { additions: additions.clone() })?;
        let (new, more) = self.table.take(machine.store, vertex);
        Ok((machine.store.or(&set, &new)?, additions.start..more.end))
    }

    /// Propagates path edges of a vertex to those successors that are `wanted`.
    pub(super) fn spread(
        &mut self,
        vertex: VertexId,
        set: &Bdd,
        additions: &Range<u32>,
        watch: &mut Watch<'_>,
        wanted: impl Fn(VertexId) -> bool,
    ) -> Result<(), Stop> {
        let machine = self.machine;
        let is_closed = self.closure(vertex).is_some();
        for (index, step) in machine.steps(vertex).iter().enumerate() {
            if wanted(step.to) && !(is_closed && step.to == vertex) {
                let image = step.transfer.image(machine.store, set)?;
                let cause = Cause::Step { from: vertex, step: index as u32, additions: additions.clone() };
                self.add(step.to, &image, cause, watch)?;
            }
        }
        Ok(())
    }

    /// What follows from path edges at a call port or an exit.
    pub(super) fn cross(
        &mut self,
        vertex: VertexId,
        set: &Bdd,
        additions: &Range<u32>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stop> {
        match &self.machine.places[vertex as usize].kind {
            Kind::Plain => Ok(()),
            Kind::Exit(exit) => self.leave(vertex, *exit, set, watch),
            Kind::Call { .. } => self.call(vertex, set, additions, watch),
        }
    }

    /// New path edges at an exit: new summaries, which are used at all calls.
    fn leave(&mut self, exit: VertexId, position: u32, set: &Bdd, watch: &mut Watch<'_>) -> Result<(), Stop> {
        let (machine, store) = (self.machine, self.machine.store);
        if matches!(self.way, Way::Walking { .. }) || !machine.frame(exit).interface.is_called {
            return Ok(());
        }
        let summary = machine.frame(exit).summary(store, set)?;
        let Some(new) = store.extend(&mut self.summaries[exit as usize], &summary)? else { return Ok(()) };
        self.summary_count += 1;
        for &call in &machine.callers[machine.places[exit as usize].procedure.index()] {
            let (at_call, additions) = self.table.all(call);
            if !store.is_empty(&at_call) {
                self.come_back(call, exit, position, &at_call, &new, &additions, watch)?;
            }
        }
        Ok(())
    }

    /// New path edges at a call: the callee is entered, and left by the summaries that are known.
    fn call(&mut self, vertex: VertexId, set: &Bdd, additions: &Range<u32>, watch: &mut Watch<'_>) -> Result<(), Stop> {
        let machine = self.machine;
        let Kind::Call { call, callee, entry, .. } = &machine.places[vertex as usize].kind else { return Ok(()) };
        if watch.wants_call(*callee) && !matches!(self.way, Way::Summarizing) {
            self.found.get_or_insert(vertex);
        }
        let enters = match self.way {
            Way::Demanded => true,
            Way::Summarizing => false,
            Way::Walking { enter, .. } => enter[callee.index()],
        };
        if enters {
            let values = call.enter(machine.store, set)?;
            let cause = Cause::Enter { call: vertex, additions: additions.clone() };
            self.enter(*entry, &values, (callee.index(), call.entry as usize), cause, watch)?;
        }
        for (position, &exit) in machine.exits[callee.index()].iter().enumerate() {
            let summary = self.summarizer().summaries[exit as usize].clone();
            if !machine.store.is_empty(&summary) {
                self.come_back(vertex, exit, position as u32, set, &summary, additions, watch)?;
            }
        }
        Ok(())
    }

    /// Enters a procedure with these values, as far as they are new.
    fn enter(
        &mut self,
        entry: VertexId,
        values: &Bdd,
        (procedure, position): (usize, usize),
        cause: Cause,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stop> {
        let (machine, store) = (self.machine, self.machine.store);
        let Some(new) = store.extend(&mut self.entered[entry as usize], values)? else { return Ok(()) };
        let tag = machine.tag(procedure.into(), position)?;
        let edges = machine.frame(entry).enter(store, &new, &tag)?;
        self.add(entry, &edges, cause, watch)
    }

    /// Path edges at a call and a summary of the callee give path edges at a return port.
    #[allow(clippy::too_many_arguments)]
    fn come_back(
        &mut self,
        vertex: VertexId,
        exit: VertexId,
        position: u32,
        at_call: &Bdd,
        summary: &Bdd,
        additions: &Range<u32>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stop> {
        let (machine, store) = (self.machine, self.machine.store);
        let Kind::Call { call, returns, .. } = &machine.places[vertex as usize].kind else { return Ok(()) };
        let Some(port) = returns[position as usize] else { return Ok(()) };
        let after = call.join(store, at_call, summary)?;
        let cause = Cause::Return { call: vertex, exit, summary: summary.clone(), additions: additions.clone() };
        self.add(port, &after, cause, watch)
    }

    fn add(&mut self, vertex: VertexId, set: &Bdd, cause: Cause, watch: &mut Watch<'_>) -> Result<(), Stop> {
        if !self.table.add(self.machine.store, vertex, set, cause)? {
            return Ok(());
        }
        if !std::mem::replace(&mut self.queued[vertex as usize], true) {
            self.queue.push(Reverse(vertex));
        }
        let place = &self.machine.places[vertex as usize];
        if !matches!(self.way, Way::Summarizing) && watch.reach(place.procedure, place.vertex) {
            self.found.get_or_insert(vertex);
        }
        Ok(())
    }
}

//! The general algorithm: top-down tabulation over valuations (Godefroid 3.1, Ball 3.1 after Reps,
//! Horwitz and Sagiv).
//!
//! A path edge says that a place and valuation can be reached inside a procedure from one of the
//! inputs it was entered with; a summary edge says with which values a call can return. Only what is
//! reachable is generated. Rows are processed in the order they are found, so the search is breadth
//! first, and each row remembers the row it came from: a run to any row can be read off at no cost.

use super::action::Halt;
use super::compile::{Compiled, EdgeTo, Kind, PlaceId, Site};
use super::cycles::Step;
use super::history::{History, Inside};
use super::masks::Masks;
use super::program::Scratch;
use super::store::{Full, RowId, Store};
use super::valuation::{Cell, copy_prefix, get, set};
use crate::engine::watch::Watch;
use crate::limits::{Limits, Reason};
use std::collections::VecDeque;

/// How a row was found, next to its parent row.
const STEP: u32 = u32::MAX;
const SPLIT: u32 = u32::MAX - 1;
const ENTERED: u32 = u32::MAX - 2;
const STARTED: u32 = u32::MAX - 3;

const NONE: u32 = u32::MAX;

/// The inputs with which a procedure was entered.
struct Entry {
    row: RowId,
    /// First caller and first exit, as links into the lists.
    callers: u32,
    exits: u32,
}

/// A tabulation in progress.
pub(super) struct Forward<'e> {
    compiled: &'e Compiled<'e>,
    /// Path edges: the header is the place and the entry.
    rows: Store,
    /// For each row its parent, and how it was found (or the callee's exit row it returned from).
    parents: Vec<(RowId, u32)>,
    /// Inputs: the header is the entry's place; the row number is the entry's number.
    inputs: Store,
    entries: Vec<Entry>,
    /// Summary edges: exits with what the caller sees of them.
    summaries: Store,
    /// Linked lists of rows.
    links: Vec<(RowId, u32)>,
    scratch: Scratch,
    /// Working memory: results of transitions, and the valuation around a call.
    buffer: Vec<Cell>,
    base: Vec<Cell>,
    /// The first row that is a target, and how many rows to look at before being content with it.
    first: Option<(RowId, usize)>,
    /// The second search, for shortest runs.
    rings: Option<Rings>,
    /// All steps between rows, if they are wanted.
    steps: Option<Vec<Step>>,
}

/// A search that has met its target goes on until it has this many rows more, and twice as many: if it
/// has seen everything by then, the run that the second search finds is a shortest one of all.
const GRACE: usize = 50_000;

/// A breadth-first search over rows that are all known (Ball 3.2): a call is stepped over in one step,
/// through a summary that may have been found long after the call. It has parents of its own: those of
/// the first search say how each summary came about from summaries before it, these do not.
struct Rings {
    /// Rows to come, nearest first, each with how it would be reached.
    queue: VecDeque<(RowId, (RowId, u32))>,
    /// Parents of the rows whose distance is settled.
    parents: Vec<Option<(RowId, u32)>>,
}

impl Rings {
    /// The nearest row that is not settled yet. Only now is its parent known for good: a step that
    /// costs nothing may have brought it nearer since it was first pushed.
    fn settle(&mut self) -> Option<RowId> {
        while let Some((row, how)) = self.queue.pop_front() {
            if let Some(parent) = self.parents.get_mut(row as usize).filter(|parent| parent.is_none()) {
                *parent = Some(how);
                return Some(row);
            }
        }
        None
    }

    /// A way to a row, one step away or (`free`) none: choosing a value is not a step, entering a
    /// procedure is part of the step to its call, and returning part of the step after it.
    fn push(&mut self, row: RowId, how: (RowId, u32), free: bool) {
        if self.parents.get(row as usize).is_some_and(Option::is_none) {
            if free { self.queue.push_front((row, how)) } else { self.queue.push_back((row, how)) }
        }
    }
}

/// Why the search ended.
pub(super) enum End {
    /// Everything reachable was found.
    Complete,
    /// The watch saw what it wanted, at this row.
    Found(RowId),
    /// A limit was reached.
    Stopped(Reason),
}

impl From<Full> for End {
    fn from(_: Full) -> End {
        End::Stopped(Reason::TooManyStates)
    }
}

impl<'e> Forward<'e> {
    pub(super) fn new(compiled: &'e Compiled<'e>, limits: &Limits) -> Forward<'e> {
        Forward {
            compiled,
            rows: Store::new(compiled.width),
            parents: Vec::new(),
            inputs: Store::new(compiled.width),
            entries: Vec::new(),
            summaries: Store::new(compiled.width),
            links: Vec::new(),
            scratch: Scratch::new(limits),
            buffer: Vec::new(),
            base: Vec::new(),
            first: None,
            rings: None,
            steps: None,
        }
    }

    /// Keeps all steps between rows.
    pub(super) fn with_steps(mut self) -> Forward<'e> {
        self.steps = Some(Vec::new());
        self
    }

    /// The steps between rows, as far as they were kept.
    pub(super) fn steps(&self) -> &[Step] {
        self.steps.as_deref().unwrap_or_default()
    }

    /// The place of a row.
    pub(super) fn place_of(&self, row: RowId) -> PlaceId {
        self.rows.header(row) as u32
    }

    /// The valuation of a row.
    pub(super) fn cells_of(&self, row: RowId) -> &[Cell] {
        self.rows.cells(row)
    }

    /// After a complete exploration: a target with a shortest hierarchical run, if one was reached.
    pub(super) fn shortest(&mut self, watch: &mut Watch<'_>) -> End {
        self.rings = Some(Rings { queue: VecDeque::new(), parents: vec![None; self.rows.len()] });
        self.explore_rings(watch).err().unwrap_or(End::Complete)
    }

    fn explore_rings(&mut self, watch: &mut Watch<'_>) -> Result<(), End> {
        self.start(watch)?;
        let mut steps: u32 = 0;
        while let Some(row) = self.rings.as_mut().and_then(Rings::settle) {
            if steps.is_multiple_of(Watch::INTERVAL) {
                watch.check(0).map_err(End::Stopped)?;
            }
            if watch.is_target(self.rows.header(row) as u32) {
                return Err(End::Found(row));
            }
            self.process(row, watch)?;
            steps += 1;
        }
        Ok(())
    }

    /// Explores until everything is found or the watch says stop.
    pub(super) fn run(&mut self, watch: &mut Watch<'_>) -> End {
        let end = self.explore(watch).err().unwrap_or(End::Complete);
        match self.first {
            Some((row, _)) => End::Found(row),
            None => end,
        }
    }

    /// Notes a target. The search goes on for a while if a run is wanted.
    fn found(&mut self, row: RowId, watch: &Watch<'_>) -> Result<(), End> {
        if self.rings.is_some() || !watch.wants_run() {
            return Err(End::Found(row));
        }
        let enough = self.rows.len() * 2 + GRACE;
        self.first.get_or_insert((row, enough));
        Ok(())
    }

    fn explore(&mut self, watch: &mut Watch<'_>) -> Result<(), End> {
        self.start(watch)?;
        let mut next: RowId = 0;
        while (next as usize) < self.rows.len() {
            if next.is_multiple_of(Watch::INTERVAL) {
                watch.look(self.rows.len() as u64, self.growth()).map_err(End::Stopped)?;
            }
            if self.first.is_some_and(|(_, enough)| self.rows.len() >= enough) {
                break;
            }
            self.process(next, watch)?;
            next += 1;
        }
        Ok(())
    }

    fn start(&mut self, watch: &mut Watch<'_>) -> Result<(), End> {
        for &(procedure, node) in &self.compiled.ersm.initial {
            let place = self.compiled.node_base[procedure.index()] + node.0;
            let cells = self.compiled.initial_state(procedure.index());
            self.enter(place, &cells, 0, STARTED, watch)?;
        }
        Ok(())
    }

    fn process(&mut self, row: RowId, watch: &mut Watch<'_>) -> Result<(), End> {
        let compiled = self.compiled;
        let place = self.rows.header(row) as u32;
        match compiled.places[place as usize].kind {
            Kind::Plain => self.follow(row, place, compiled.edges_of(place), watch),
            Kind::Call(site) => self.call(row, place, &compiled.sites[site as usize], watch),
            Kind::Exit(_) if self.rings.is_some() => Ok(()), // all summaries are known
            Kind::Exit(_) => self.exit(row, place, watch),
        }
    }

    /// Takes every transition.
    fn follow(&mut self, row: RowId, place: PlaceId, edges: &'e [EdgeTo], watch: &mut Watch<'_>) -> Result<(), End> {
        let context = self.rows.header(row) & CONTEXT;
        for edge in edges {
            self.buffer.clear();
            let cells = self.rows.cells(row);
            let buffer = &mut self.buffer;
            let emit = &mut |out: &[Cell]| buffer.extend_from_slice(out);
            let result = self.compiled.apply(edge.action, (cells, cells), &mut self.scratch, emit);
            self.push_all(context | u64::from(edge.to), row, STEP, watch)?;
            match result {
                Ok(()) => {}
                Err(Halt::Split(bit)) => return self.split(row, context | u64::from(place), bit, watch),
                Err(Halt::Stopped(reason)) => return Err(End::Stopped(reason)),
            }
        }
        Ok(())
    }

    /// Puts the valuations in the buffer at a place.
    fn push_all(&mut self, header: u64, parent: RowId, via: u32, watch: &mut Watch<'_>) -> Result<(), End> {
        for start in (0..self.buffer.len()).step_by(self.compiled.width) {
            self.push(header, start, parent, via, watch)?;
        }
        Ok(())
    }

    /// Adds the row whose cells are in the buffer.
    #[inline]
    fn push(&mut self, header: u64, start: usize, parent: RowId, via: u32, watch: &mut Watch<'_>) -> Result<(), End> {
        let cells = &self.buffer[start..start + self.compiled.width];
        let (row, new) = self.rows.insert(header, cells)?;
        if let Some(steps) = self.steps.as_mut().filter(|_| !matches!(via, ENTERED | STARTED)) {
            steps.push(Step::of_rows(parent, row, false));
        }
        if let Some(rings) = &mut self.rings {
            let free = matches!(via, SPLIT | ENTERED | STARTED) || self.compiled.is_return_port(header as u32);
            rings.push(row, (parent, via), free);
        } else if new {
            self.parents.push((parent, via));
            if watch.reach(header as u32) {
                self.found(row, watch)?;
            }
        }
        Ok(())
    }

    /// Goes on with both values of an open variable.
    fn split(&mut self, row: RowId, header: u64, bit: usize, watch: &mut Watch<'_>) -> Result<(), End> {
        for value in [false, true] {
            self.buffer.clear();
            self.buffer.extend_from_slice(self.rows.cells(row));
            set(&mut self.buffer, bit, Some(value));
            self.push(header, 0, row, SPLIT, watch)?;
        }
        Ok(())
    }

    fn call(&mut self, row: RowId, place: PlaceId, site: &'e Site, watch: &mut Watch<'_>) -> Result<(), End> {
        let compiled = self.compiled;
        let header = self.rows.header(row) & CONTEXT | u64::from(place);
        let cells = self.rows.cells(row);
        self.base.clear();
        self.base.extend_from_slice(compiled.initial_locals(site.callee.index()));
        copy_prefix(cells, &mut self.base, compiled.ersm.globals.len());
        if let Some(masks) = &compiled.masks {
            masks.hide(site.callee, &mut self.base);
        }
        self.buffer.clear();
        let buffer = &mut self.buffer;
        let emit = &mut |out: &[Cell]| buffer.extend_from_slice(out);
        match compiled.apply(site.arguments, (cells, &self.base), &mut self.scratch, emit) {
            Ok(()) => {}
            Err(Halt::Split(bit)) => return self.split(row, header, bit, watch),
            Err(Halt::Stopped(reason)) => return Err(End::Stopped(reason)),
        }
        if !self.buffer.is_empty() && watch.wants_call(site.callee) {
            self.found(row, watch)?;
        }
        let inputs = std::mem::take(&mut self.buffer);
        for cells in inputs.chunks(compiled.width) {
            let entry = self.enter(site.entry_place, cells, row, ENTERED, watch)?;
            if let Some(steps) = &mut self.steps {
                steps.push(Step::of_rows(row, self.entries[entry as usize].row, true));
            }
            let mut exit = self.entries[entry as usize].exits;
            if self.rings.is_none() {
                self.links.push((row, self.entries[entry as usize].callers));
                self.entries[entry as usize].callers = self.links.len() as u32 - 1;
            }
            while exit != NONE {
                let (exit_row, next) = self.links[exit as usize];
                self.return_to(row, site, exit_row, watch)?;
                exit = next;
            }
        }
        self.buffer = inputs;
        Ok(())
    }

    /// The entry with these inputs, started if new.
    fn enter(
        &mut self,
        place: PlaceId,
        cells: &[Cell],
        parent: RowId,
        via: u32,
        watch: &mut Watch<'_>,
    ) -> Result<u32, End> {
        let (entry, new) = self.inputs.insert(u64::from(place), cells)?;
        if new {
            self.entries.push(Entry { row: self.rows.len() as u32, callers: NONE, exits: NONE });
        }
        if new || self.rings.is_some() {
            self.buffer.clear();
            self.buffer.extend_from_slice(cells);
            self.push(u64::from(entry) << 32 | u64::from(place), 0, parent, via, watch)?;
        }
        Ok(entry)
    }

    fn exit(&mut self, row: RowId, place: PlaceId, watch: &mut Watch<'_>) -> Result<(), End> {
        let compiled = self.compiled;
        let entry = (self.rows.header(row) >> 32) as usize;
        let procedure = &compiled.ersm.procedures[compiled.places[place as usize].procedure as usize];
        let globals = compiled.ersm.globals.len();
        let cells = self.rows.cells(row);
        self.buffer.clear();
        self.buffer.resize(compiled.width, 0);
        copy_prefix(cells, &mut self.buffer, globals);
        for &output in &procedure.outputs {
            let bit = globals + output as usize;
            set(&mut self.buffer, bit, get(cells, bit));
        }
        let (_, new) = self.summaries.insert((entry as u64) << 32 | u64::from(place), &self.buffer)?;
        if !new {
            return Ok(());
        }
        self.links.push((row, self.entries[entry].exits));
        self.entries[entry].exits = self.links.len() as u32 - 1;
        let mut caller = self.entries[entry].callers;
        while caller != NONE {
            let (caller_row, next) = self.links[caller as usize];
            let place = self.rows.header(caller_row) as u32;
            if let Kind::Call(site) = compiled.places[place as usize].kind {
                self.return_to(caller_row, &compiled.sites[site as usize], row, watch)?;
            }
            caller = next;
        }
        Ok(())
    }

    /// Carries a callee's exit back to a caller.
    fn return_to(&mut self, caller: RowId, site: &Site, exit: RowId, watch: &mut Watch<'_>) -> Result<(), End> {
        let compiled = self.compiled;
        let Kind::Exit(index) = compiled.places[self.rows.header(exit) as u32 as usize].kind else { return Ok(()) };
        let masks = compiled.masks.as_ref();
        after_call(compiled, masks, self.rows.cells(caller), site, self.rows.cells(exit), &mut self.base);
        let context = self.rows.header(caller) & CONTEXT;
        let after = compiled.return_of(site, index);
        if let Some(port) = after.port {
            self.buffer.clear();
            self.buffer.extend_from_slice(&self.base);
            return self.push(context | u64::from(port), 0, caller, exit, watch);
        }
        for edge in compiled.edges_after(after) {
            self.buffer.clear();
            let buffer = &mut self.buffer;
            let emit = &mut |out: &[Cell]| buffer.extend_from_slice(out);
            let cells = &self.base[..];
            let result = compiled.apply(edge.action, (cells, cells), &mut self.scratch, emit);
            if let Err(Halt::Stopped(reason)) = result {
                return Err(End::Stopped(reason));
            }
            debug_assert_eq!(result, Ok(()), "a transition that assigns nothing never splits");
            self.push_all(context | u64::from(edge.to), caller, exit, watch)?;
        }
        Ok(())
    }

    /// How a row was found: on the way to the target, by the second search if there was one.
    fn parent(&self, row: RowId, outer: bool) -> (RowId, u32) {
        let rings = self.rings.as_ref().filter(|_| outer);
        rings.and_then(|rings| rings.parents[row as usize]).unwrap_or(self.parents[row as usize])
    }

    pub(super) fn path_edges(&self) -> u64 {
        self.rows.len() as u64
    }

    pub(super) fn summary_edges(&self) -> u64 {
        self.summaries.len() as u64
    }

    pub(super) fn entries(&self) -> u64 {
        self.entries.len() as u64
    }

    pub(super) fn bytes(&self) -> usize {
        let stores = self.rows.bytes() + self.inputs.bytes() + self.summaries.bytes();
        let steps = self.steps.as_ref().map_or(0, |steps| steps.capacity() * size_of::<Step>());
        stores + self.parents.capacity() * 8 + self.links.capacity() * 8 + self.entries.capacity() * 12 + steps
    }

    /// What the tables may ask for next: they grow by doubling.
    fn growth(&self) -> usize {
        self.rows.next_growth()
            + if self.parents.len() == self.parents.capacity() { self.parents.capacity() * 8 } else { 0 }
            + self.steps.as_ref().map_or(0, |steps| steps.capacity() * size_of::<Step>())
    }
}

/// The half of a header that names the entry.
const CONTEXT: u64 = 0xffff_ffff_0000_0000;

/// The caller's valuation at the return port.
pub(super) fn after_call(
    compiled: &Compiled<'_>,
    masks: Option<&Masks>,
    caller: &[Cell],
    site: &Site,
    exit: &[Cell],
    out: &mut Vec<Cell>,
) {
    out.clear();
    out.extend_from_slice(caller);
    copy_prefix(exit, out, compiled.ersm.globals.len());
    if let Some(masks) = masks {
        masks.restore(site.callee, caller, out);
    }
    for &(output, target) in &site.results {
        set(out, target as usize, get(exit, output as usize));
    }
}

impl History for Forward<'_> {
    fn place(&self, row: RowId) -> PlaceId {
        self.place_of(row)
    }

    fn cells(&self, row: RowId) -> &[Cell] {
        self.cells_of(row)
    }

    fn path(&self, _entry: RowId, last: RowId, outer: bool) -> Vec<RowId> {
        let mut path = vec![last];
        let mut row = last;
        while !matches!(self.parent(row, outer).1, ENTERED | STARTED) {
            row = self.parent(row, outer).0;
            path.push(row);
        }
        path.reverse();
        path
    }

    fn inside(&self, _before: RowId, after: RowId, outer: bool) -> Inside {
        match self.parent(after, outer).1 {
            SPLIT => Inside::Split,
            STEP | ENTERED | STARTED => Inside::Nothing,
            exit => Inside::Call { entry: self.entry_row(exit), exit },
        }
    }

    fn entry_row(&self, row: RowId) -> RowId {
        self.entries[(self.rows.header(row) >> 32) as usize].row
    }

    fn caller(&self, entry: RowId) -> Option<RowId> {
        let (parent, via) = self.parent(entry, true);
        (via == ENTERED).then_some(parent)
    }
}

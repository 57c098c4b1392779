//! The linear algorithm for deterministic machines (Godefroid Theorem 11, Step 2).
//!
//! Where every state has one successor, every entry reaches at most one exit, so a state need not
//! remember the entry it was reached from: each is visited once, and time is linear in the reachable
//! states instead of states times entries. The paper labels each tree of the forest of visited
//! states with the exit it reaches; here a state points to its successor, and the exit is found by
//! following the pointers with path compression. The stack holds the calls that are not left yet.
//!
//! Determinism is not taken on trust: a second successor ends the search with [`Problem`], and the
//! general algorithm takes over. An open variable of the initial state that makes the difference is
//! enumerated instead: it only means that there are several initial states.

use super::action::Halt;
use super::compile::{Compiled, EdgeTo, Kind, PlaceId};
use super::forward::after_call;
use super::history::{History, Inside};
use super::masks::Masks;
use super::program::Scratch;
use super::store::{RowId, Store};
use super::valuation::{Cell, copy_prefix, get, set};
use crate::engine::watch::Watch;
use crate::limits::{Limits, Reason};
use rustc_hash::FxHashMap;

const NONE: RowId = RowId::MAX;

/// Why a search ended early.
pub(super) enum Problem {
    /// The watch saw what it wanted, at this row.
    Found(RowId),
    /// A limit was reached.
    Stopped(Reason),
    /// The machine is not deterministic after all.
    Nondeterministic,
    /// It would be, were this variable of the initial state not open.
    Open(usize),
}

impl From<Halt> for Problem {
    fn from(halt: Halt) -> Problem {
        match halt {
            Halt::Split(bit) => Problem::Open(bit),
            Halt::Stopped(reason) => Problem::Stopped(reason),
        }
    }
}

/// A call that is not left yet.
struct Frame {
    entry: RowId,
    /// The row of the call; `NONE` where the computation starts.
    call: RowId,
}

/// A search in progress.
pub(super) struct Deterministic<'e> {
    pub(super) compiled: &'e Compiled<'e>,
    pub(super) rows: Store,
    /// The successor of each row within its activation.
    pub(super) next: Vec<RowId>,
    /// Shortcuts along `next`.
    jump: Vec<RowId>,
    /// The entry that each call row enters.
    pub(super) called: FxHashMap<RowId, RowId>,
    stack: Vec<Frame>,
    scratch: Scratch,
    /// Working memory: results of transitions, and the valuation they are taken from.
    buffer: Vec<Cell>,
    base: Vec<Cell>,
    /// What calls pass on, where it is not what the machine says.
    pub(super) masks: Option<Masks>,
    /// Whether rows count as reached, or are only tabulated.
    pub(super) counting: bool,
    steps: u32,
    /// For the last path: the entry row of its rows that matter, and the caller of each entry.
    pub(super) entry_of: FxHashMap<RowId, RowId>,
    pub(super) caller_of: FxHashMap<RowId, RowId>,
}

impl<'e> Deterministic<'e> {
    pub(super) fn new(compiled: &'e Compiled<'e>, limits: &Limits) -> Deterministic<'e> {
        Deterministic {
            compiled,
            rows: Store::new(compiled.width),
            next: Vec::new(),
            jump: Vec::new(),
            called: FxHashMap::default(),
            stack: Vec::new(),
            scratch: Scratch::new(limits),
            buffer: Vec::new(),
            base: Vec::new(),
            masks: None,
            counting: true,
            steps: 0,
            entry_of: FxHashMap::default(),
            caller_of: FxHashMap::default(),
        }
    }

    /// Runs from every initial state; the variables in `enumerated` take both values.
    pub(super) fn run(&mut self, enumerated: &[usize], watch: &mut Watch<'_>) -> Result<(), Problem> {
        for (place, cells) in self.starts(enumerated) {
            self.run_from(place, &cells, watch)?;
        }
        Ok(())
    }

    /// Initial places and valuations.
    pub(super) fn starts(&self, enumerated: &[usize]) -> Vec<(PlaceId, Vec<Cell>)> {
        let mut starts = Vec::new();
        for &(procedure, node) in &self.compiled.ersm.initial {
            let place = self.compiled.node_base[procedure.index()] + node.0;
            let cells = self.compiled.initial_state(procedure.index());
            let open: Vec<usize> = enumerated.iter().copied().filter(|&bit| get(&cells, bit).is_none()).collect();
            for values in 0..1u64 << open.len() {
                let mut cells = cells.clone();
                for (index, &bit) in open.iter().enumerate() {
                    set(&mut cells, bit, Some(values >> index & 1 == 1));
                }
                starts.push((place, cells));
            }
        }
        starts
    }

    /// Runs from one state until the computation ends, repeats itself or is known from before.
    pub(super) fn run_from(&mut self, place: PlaceId, cells: &[Cell], watch: &mut Watch<'_>) -> Result<(), Problem> {
        self.stack.clear();
        self.buffer.clear();
        self.buffer.extend_from_slice(cells);
        let (mut current, new) = self.insert(place)?;
        if !new {
            return Ok(());
        }
        self.stack.push(Frame { entry: current, call: NONE });
        self.noted(current, watch)?;
        loop {
            self.count_step(watch)?;
            let found = match self.kind(current) {
                Kind::Exit(_) => return Ok(()), // only a start can be an exit here
                Kind::Plain => self.follow(current)?,
                Kind::Call(site) if self.counting && watch.wants_call(self.compiled.sites[site as usize].callee) => {
                    return Err(self.found(current));
                }
                Kind::Call(site) => match self.call(current, site)? {
                    Called::Entered(entry) => {
                        self.stack.push(Frame { entry, call: current });
                        current = entry;
                        self.noted(current, watch)?;
                        continue;
                    }
                    Called::Returned(found) => found,
                },
            };
            match self.advance(current, found, watch)? {
                Some(row) => current = row,
                None => return Ok(()),
            }
        }
    }

    /// Goes on from `row` to the row found after it, leaving calls whose end is known. `None` where
    /// the computation ends, repeats itself or never leaves some call.
    fn advance(
        &mut self,
        mut row: RowId,
        mut found: Option<(RowId, bool)>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<RowId>, Problem> {
        loop {
            let Some((after, new)) = found else { return Ok(None) };
            self.next[row as usize] = after;
            let end = self.end_of(after);
            if end == row {
                return Ok(None); // a cycle; no pointer closes it, so that following pointers ends
            }
            self.jump[row as usize] = after;
            if new {
                self.noted(after, watch)?;
                if !self.is_exit(after) {
                    return Ok(Some(after));
                }
            }
            if !self.is_exit(end) {
                return Ok(None);
            }
            match self.stack.pop() {
                Some(frame) if frame.call != NONE => row = frame.call,
                _ => return Ok(None),
            }
            found = self.returned(row, end)?;
        }
    }

    fn follow(&mut self, row: RowId) -> Result<Option<(RowId, bool)>, Problem> {
        let compiled = self.compiled;
        let mut base = std::mem::take(&mut self.base);
        base.clear();
        base.extend_from_slice(self.rows.cells(row));
        let place = self.successor(&base, compiled.edges_of(self.rows.header(row) as u32));
        self.base = base;
        place?.map(|place| self.insert(place)).transpose()
    }

    /// The one successor of a valuation, left in the buffer, and its place.
    fn successor(&mut self, cells: &[Cell], edges: &[EdgeTo]) -> Result<Option<PlaceId>, Problem> {
        let width = self.compiled.width;
        let mut place = None;
        self.buffer.clear();
        for edge in edges {
            let before = self.buffer.len();
            let buffer = &mut self.buffer;
            let emit = &mut |out: &[Cell]| buffer.extend_from_slice(out);
            let result = self.compiled.apply(edge.action, (cells, cells), &mut self.scratch, emit);
            result?;
            if self.buffer.len() > width {
                return Err(self.ambiguous(cells));
            }
            if self.buffer.len() > before {
                place = Some(edge.to);
            }
        }
        Ok(place)
    }

    /// Two successors: is it because of an open variable?
    fn ambiguous(&self, cells: &[Cell]) -> Problem {
        let width = self.compiled.width;
        let decided =
            |bit: &usize| get(cells, *bit).is_none() && self.buffer.chunks(width).any(|out| get(out, *bit).is_some());
        (0..width * 32).find(decided).map_or(Problem::Nondeterministic, Problem::Open)
    }

    fn call(&mut self, row: RowId, site: u32) -> Result<Called, Problem> {
        let compiled = self.compiled;
        let site = &compiled.sites[site as usize];
        let cells = self.rows.cells(row);
        self.base.clear();
        self.base.extend_from_slice(compiled.initial_locals(site.callee.index()));
        copy_prefix(cells, &mut self.base, compiled.ersm.globals.len());
        if let Some(masks) = self.masks.as_ref().or(compiled.masks.as_ref()) {
            masks.hide(site.callee, &mut self.base);
        }
        self.buffer.clear();
        let buffer = &mut self.buffer;
        let emit = &mut |out: &[Cell]| buffer.extend_from_slice(out);
        let result = compiled.apply(site.arguments, (cells, &self.base), &mut self.scratch, emit);
        result?;
        if self.buffer.len() > compiled.width {
            return Err(Problem::Nondeterministic);
        }
        if self.buffer.is_empty() {
            return Ok(Called::Returned(None));
        }
        let (entry, new) = self.insert(site.entry_place)?;
        self.called.insert(row, entry);
        if new {
            return Ok(Called::Entered(entry));
        }
        let end = self.end_of(entry);
        Ok(Called::Returned(if self.is_exit(end) { self.returned(row, end)? } else { None }))
    }

    /// The row after a call that left through `exit`.
    fn returned(&mut self, call: RowId, exit: RowId) -> Result<Option<(RowId, bool)>, Problem> {
        let compiled = self.compiled;
        let (Kind::Call(site), Kind::Exit(index)) = (self.kind(call), self.kind(exit)) else { return Ok(None) };
        let site = &compiled.sites[site as usize];
        let mut cells = std::mem::take(&mut self.base);
        let masks = self.masks.as_ref().or(compiled.masks.as_ref());
        after_call(compiled, masks, self.rows.cells(call), site, self.rows.cells(exit), &mut cells);
        let after = compiled.return_of(site, index);
        if let Some(port) = after.port {
            self.buffer.clear();
            self.buffer.extend_from_slice(&cells);
            self.base = cells;
            return self.insert(port).map(Some);
        }
        let place = self.successor(&cells, compiled.edges_after(after));
        self.base = cells;
        place?.map(|place| self.insert(place)).transpose()
    }

    pub(super) fn kind(&self, row: RowId) -> Kind {
        self.compiled.places[self.rows.header(row) as usize].kind
    }

    fn is_exit(&self, row: RowId) -> bool {
        matches!(self.kind(row), Kind::Exit(_))
    }

    /// The last row that a row is known to lead to within its activation: an exit, or where the search
    /// stands or ended.
    fn end_of(&mut self, row: RowId) -> RowId {
        let mut end = row;
        while self.jump[end as usize] != NONE {
            end = self.jump[end as usize];
        }
        let mut at = row;
        while at != end {
            at = std::mem::replace(&mut self.jump[at as usize], end);
        }
        end
    }

    /// The row at a place with the valuation in the buffer, and whether it is new.
    fn insert(&mut self, place: PlaceId) -> Result<(RowId, bool), Problem> {
        let full = |_| Problem::Stopped(Reason::TooManyStates);
        let (row, new) = self.rows.insert(u64::from(place), &self.buffer).map_err(full)?;
        if new {
            self.next.push(NONE);
            self.jump.push(NONE);
        }
        Ok((row, new))
    }

    /// Tells the watch about a new row of the current activation.
    fn noted(&mut self, row: RowId, watch: &mut Watch<'_>) -> Result<(), Problem> {
        let found = self.counting && watch.reach(self.rows.header(row) as u32);
        if found { Err(self.found(row)) } else { Ok(()) }
    }

    /// Ends the search at a row of the current activation.
    fn found(&mut self, row: RowId) -> Problem {
        let frames: Vec<(RowId, RowId)> = self.stack.iter().map(|f| (f.entry, f.call)).collect();
        self.remember(&frames, row);
        Problem::Found(row)
    }

    /// Keeps what a run to `last` needs: the activations (entry, call row) that lead to it.
    pub(super) fn remember(&mut self, frames: &[(RowId, RowId)], last: RowId) {
        let mut row = last;
        for &(entry, call) in frames.iter().rev() {
            self.entry_of.insert(row, entry);
            if call != NONE {
                self.caller_of.insert(entry, call);
            }
            row = call;
        }
    }

    fn count_step(&mut self, watch: &mut Watch<'_>) -> Result<(), Problem> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(Watch::INTERVAL) {
            watch.look(self.rows.len() as u64, self.rows.next_growth()).map_err(Problem::Stopped)?;
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes() + (self.next.capacity() + self.jump.capacity()) * 4 + self.called.capacity() * 9
    }
}

enum Called {
    Entered(RowId),
    Returned(Option<(RowId, bool)>),
}

impl History for Deterministic<'_> {
    fn place(&self, row: RowId) -> PlaceId {
        self.rows.header(row) as u32
    }

    fn cells(&self, row: RowId) -> &[Cell] {
        self.rows.cells(row)
    }

    fn path(&self, entry: RowId, last: RowId, _outer: bool) -> Vec<RowId> {
        let mut path = vec![entry];
        let mut row = entry;
        while row != last {
            row = self.next[row as usize];
            path.push(row);
        }
        path
    }

    fn inside(&self, before: RowId, _after: RowId, _outer: bool) -> Inside {
        let Some(&entry) = self.called.get(&before) else { return Inside::Nothing };
        let mut exit = entry;
        while self.jump[exit as usize] != NONE {
            exit = self.jump[exit as usize];
        }
        Inside::Call { entry, exit }
    }

    fn entry_row(&self, row: RowId) -> RowId {
        self.entry_of.get(&row).copied().unwrap_or(row)
    }

    fn caller(&self, entry: RowId) -> Option<RowId> {
        self.caller_of.get(&entry).copied()
    }
}

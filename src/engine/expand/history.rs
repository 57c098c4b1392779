//! From rows to a run: paths are read off the search's memory, open variables get values, and the
//! inside of each call becomes one fragment for each input and output (Ball 3.2, with sharing).
//!
//! Open variables are chosen backwards. If a variable is open before a step and chosen after it, the
//! step did not overwrite what it read of it (the search splits first where it would), so the value
//! after the step is the value before it; what is open at the end of the run is 0.

use super::compile::{Compiled, Kind, PlaceId};
use super::store::RowId;
use super::valuation::{CELL, Cell, copy_prefix, get, mask, set};
use crate::model::{Fragment, FragmentId, ProcId, Run, Vertex};
use rustc_hash::FxHashMap;

/// What lies between two neighbouring rows of a path.
pub(super) enum Inside {
    /// A plain transition.
    Nothing,
    /// Only a choice of a value: both rows are one point of the run.
    Split,
    /// A call, from the callee's entry row to its exit row.
    Call { entry: RowId, exit: RowId },
}

/// A search's memory of how it found its rows.
pub(super) trait History {
    /// Place of a row.
    fn place(&self, row: RowId) -> PlaceId;
    /// Valuation of a row.
    fn cells(&self, row: RowId) -> &[Cell];
    /// The rows from an entry to a row of the same activation, both included. `outer`: the activation is
    /// one that the run does not leave, not the inside of a call.
    fn path(&self, entry: RowId, last: RowId, outer: bool) -> Vec<RowId>;
    /// What lies between two neighbours of a path.
    fn inside(&self, before: RowId, after: RowId, outer: bool) -> Inside;
    /// The entry row of the activation in which a row was found.
    fn entry_row(&self, row: RowId) -> RowId;
    /// The row that first called this entry; `None` where the computation starts.
    fn caller(&self, entry: RowId) -> Option<RowId>;
}

/// The run that leads to a row, or (`to_call`) to the call that is made there.
pub(super) fn run_to(compiled: &Compiled<'_>, history: &dyn History, row: RowId, to_call: bool) -> Run<Vertex> {
    let call = to_call.then_some(row);
    let mut builder = Builder { compiled, history, call, fragments: Vec::new(), known: FxHashMap::default() };
    let mut state = chosen(history.cells(row), &context(compiled, history, row));
    let mut last = row;
    let mut inside = None;
    loop {
        let entry = history.entry_row(last);
        let (id, first) = builder.fragment(entry, last, state, inside);
        let Some(caller) = history.caller(entry) else { break };
        let mut fill = vec![0; compiled.width];
        copy_prefix(&first, &mut fill, compiled.ersm.globals.len());
        state = chosen(history.cells(caller), &fill);
        inside = Some(id);
        last = caller;
    }
    Run { fragments: builder.fragments }
}

/// Values of the globals that a search hides from callees which never use them: the innermost caller
/// that knows a value tells it.
fn context(compiled: &Compiled<'_>, history: &dyn History, row: RowId) -> Vec<Cell> {
    let mut fill = vec![0; compiled.width];
    let mut last = row;
    while let Some(caller) = history.caller(history.entry_row(last)) {
        let mut known = vec![0; compiled.width];
        copy_prefix(history.cells(caller), &mut known, compiled.ersm.globals.len());
        fill.iter_mut().zip(known).for_each(|(fill, known)| *fill |= known & !spread(*fill >> CELL));
        last = caller;
    }
    fill
}

/// Both halves of a cell from one.
fn spread(half: Cell) -> Cell {
    half | half << CELL
}

/// A completed call: entry row, exit row, values at the exit.
type Key = (RowId, RowId, Box<[Cell]>);

struct Builder<'h> {
    compiled: &'h Compiled<'h>,
    history: &'h dyn History,
    /// The last row of the run, if it ends at the call made there.
    call: Option<RowId>,
    fragments: Vec<Fragment<Vertex>>,
    /// Calls already written, with the values at their entry.
    known: FxHashMap<Key, (FragmentId, Box<[Cell]>)>,
}

/// A fragment in progress, from its last row to its first.
struct Open {
    rows: Vec<RowId>,
    key: Option<Key>,
    /// Values at the rows from `done` on, the last row's first.
    states: Vec<Cell>,
    /// Calls after rows, aligned with `rows`.
    insides: Vec<Option<FragmentId>>,
    /// Rows whose values are chosen.
    done: usize,
}

impl Builder<'_> {
    /// Writes the fragment from `entry` to `last` that ends with the values `state`, and all
    /// fragments inside it. Returns the values at its entry as well.
    fn fragment(
        &mut self,
        entry: RowId,
        last: RowId,
        state: Vec<Cell>,
        inside: Option<FragmentId>,
    ) -> (FragmentId, Box<[Cell]>) {
        let mut stack = vec![self.open(entry, last, state, None)];
        if let Some(slot) = stack[0].insides.last_mut() {
            *slot = inside;
        }
        let mut result = (FragmentId(0), Box::default());
        while let Some(top) = stack.last_mut() {
            if let Some(child) = self.advance(top) {
                stack.push(child);
                continue;
            }
            if let Some(open) = stack.pop() {
                result = self.close(open);
            }
        }
        result
    }

    fn open(&self, entry: RowId, last: RowId, state: Vec<Cell>, key: Option<Key>) -> Open {
        let rows = self.history.path(entry, last, key.is_none());
        let insides = vec![None; rows.len()];
        Open { rows, key, states: state, insides, done: 1 }
    }

    /// Chooses values row by row; stops at a call that is not written yet and returns it.
    fn advance(&mut self, open: &mut Open) -> Option<Open> {
        let width = self.compiled.width;
        while open.done < open.rows.len() {
            let index = open.rows.len() - open.done - 1;
            let (before, after) = (open.rows[index], open.rows[index + 1]);
            let next = (open.done - 1) * width;
            match self.history.inside(before, after, open.key.is_none()) {
                Inside::Nothing | Inside::Split => {
                    for (offset, &cell) in self.history.cells(before).iter().enumerate() {
                        open.states.push(chosen_cell(cell, open.states[next + offset]));
                    }
                }
                Inside::Call { entry, exit } => {
                    let next = open.states[next..].to_vec();
                    let at_exit = self.at_exit(before, exit, &next);
                    let key: Key = (entry, exit, at_exit.clone().into());
                    let Some((id, at_entry)) = self.known.get(&key) else {
                        return Some(self.open(entry, exit, at_exit, Some(key)));
                    };
                    open.insides[index] = Some(*id);
                    let mut fill = next;
                    copy_prefix(at_entry, &mut fill, self.compiled.ersm.globals.len());
                    open.states.extend(chosen(self.history.cells(before), &fill));
                }
            }
            open.done += 1;
        }
        None
    }

    /// Values at the callee's exit, given the caller's row and its values after the return.
    fn at_exit(&self, caller: RowId, exit: RowId, after: &[Cell]) -> Vec<Cell> {
        let mut fill = vec![0; self.compiled.width];
        copy_prefix(after, &mut fill, self.compiled.ersm.globals.len());
        if let Kind::Call(site) = self.compiled.places[self.history.place(caller) as usize].kind {
            for &(output, target) in &self.compiled.sites[site as usize].results {
                set(&mut fill, output as usize, get(after, target as usize));
                // A global that takes a result: what it is after the call says nothing about the callee,
                // which may have been kept from seeing the caller's value.
                if (target as usize) < self.compiled.ersm.globals.len() {
                    set(&mut fill, target as usize, get(self.history.cells(caller), target as usize));
                }
            }
        }
        chosen(self.history.cells(exit), &fill)
    }

    fn close(&mut self, open: Open) -> (FragmentId, Box<[Cell]>) {
        let width = self.compiled.width;
        let procedure = self.compiled.places[self.history.place(open.rows[0]) as usize].procedure;
        let variables = self.compiled.ersm.scope_size(ProcId(procedure));
        let mut fragment = Fragment::new(procedure, variables);
        let mut words = Vec::new();
        for (index, &row) in open.rows.iter().enumerate() {
            let place = self.history.place(row);
            let next = open.rows.get(index + 1);
            let split =
                next.is_some_and(|&next| matches!(self.history.inside(row, next, open.key.is_none()), Inside::Split));
            let vertex = self.compiled.vertex(place);
            if split || matches!(vertex, Vertex::Return(..)) {
                continue;
            }
            let at = (open.rows.len() - 1 - index) * width;
            pack(&open.states[at..at + width], variables, &mut words);
            let inside = open.insides[index];
            match (vertex, self.compiled.places[place as usize].kind) {
                (Vertex::Node(_), Kind::Call(site)) if inside.is_some() || next.is_none() && self.call == Some(row) => {
                    let site = &self.compiled.sites[site as usize];
                    fragment.push(vertex, &words, None);
                    fragment.push(Vertex::Call(site.site, site.entry), &words, inside);
                }
                _ => fragment.push(vertex, &words, inside),
            }
        }
        let id = FragmentId(self.fragments.len() as u32);
        self.fragments.push(fragment);
        let first: Box<[Cell]> = open.states[(open.rows.len() - 1) * width..].into();
        if let Some(key) = open.key {
            self.known.insert(key, (id, first.clone()));
        }
        (id, first)
    }
}

/// The valuation with open variables as in `fill` (0 where that is open too).
fn chosen(cells: &[Cell], fill: &[Cell]) -> Vec<Cell> {
    cells.iter().zip(fill).map(|(&cell, &fill)| chosen_cell(cell, fill)).collect()
}

fn chosen_cell(cell: Cell, fill: Cell) -> Cell {
    let low = Cell::from(u32::MAX);
    (cell | fill & !(cell >> CELL)) & low | mask(CELL) & !low
}

/// Values without the "chosen" halves, 64 to a word.
pub(super) fn pack(cells: &[Cell], variables: usize, words: &mut Vec<u64>) {
    words.clear();
    words.extend(cells.chunks(2).map(|pair| {
        let high = pair.get(1).map_or(0, |cell| cell & Cell::from(u32::MAX));
        pair[0] & Cell::from(u32::MAX) | high << CELL
    }));
    words.truncate(variables.div_ceil(64));
    if let Some(last) = words.last_mut().filter(|_| !variables.is_multiple_of(64)) {
        *last &= (1 << (variables % 64)) - 1;
    }
}

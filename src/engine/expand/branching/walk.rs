//! A run of a structure as a run of the machine, with values for all variables.
//!
//! States of a structure say nothing of variables that no longer matter. So a run is executed again, on the machine and with whole valuations: at
//! every move the transitions are tried until one leads to the state that is wanted. A variable that is chosen freely, and does not matter,
//! is 0. What has not been left yet are *frames*, so that a run can be stopped anywhere, copied, and taken on in another way.

use super::super::compile::{EdgeTo, Kind, PlaceId};
use super::super::forward::after_call;
use super::super::history::pack;
use super::super::valuation::{CELL, Cell, get, set};
use super::paths::Way;
use super::structure::Structure;
use super::unfold::Unfolding;
use crate::limits::Reason;
use crate::model::{Fragment, FragmentId, ProcId, Run, Vertex};
use rustc_hash::FxHashMap;

const LOST: Reason = Reason::Internal("a run of a structure is none of the machine");

/// A place with the values there.
type Passed = (PlaceId, Vec<Cell>);

/// What is looked for, by its number in the unfolding.
#[derive(Clone, Copy)]
enum Goal {
    State(u32),
    Call(u32),
}

/// Where an activation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    State(u32),
    /// In front of a call, or inside of it.
    Call(u32),
    /// A call has come back: the site, and the exit.
    Returned(u32, u32),
}

/// An activation.
#[derive(Clone)]
struct Frame {
    fragment: Fragment<Vertex>,
    cells: Vec<Cell>,
    at: At,
    /// If it may be known by the time it is left: as what.
    key: Option<Key>,
}

/// The inside of a call: a way, and the values at its beginning.
type Key = (Way, Box<[Cell]>);

/// A run up to some state.
#[derive(Clone)]
pub(super) struct Walk {
    done: Vec<Fragment<Vertex>>,
    frames: Vec<Frame>,
    /// Calls that came back: the fragment, the exit and the values there.
    known: FxHashMap<Key, (FragmentId, u32, Vec<Cell>)>,
    /// States passed, the one where it is included.
    pub(super) states: usize,
}

impl Walk {
    /// The calls that are waiting, and the state.
    pub(super) fn configuration(&self) -> Option<(Vec<u32>, u32)> {
        let (last, before) = self.frames.split_last()?;
        let call = |frame: &Frame| if let At::Call(call) = frame.at { Some(call) } else { None };
        let At::State(state) = last.at else { return None };
        Some((before.iter().filter_map(call).collect(), state))
    }

    /// How many activations have not been left.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The values in the innermost activation.
    pub(super) fn cells(&self) -> &[Cell] {
        self.frames.last().map_or(&[], |frame| &frame.cells)
    }

    /// The number that the place where the innermost activation is has, or will have, in its fragment.
    pub(super) fn step(&self) -> usize {
        let frame = self.frames.last();
        frame.map_or(0, |frame| frame.fragment.len() - usize::from(matches!(frame.at, At::State(_))))
    }
}

/// Executes runs.
pub(super) struct Walker<'u, 'e> {
    pub(super) unfolding: &'u mut Unfolding<'e>,
    pub(super) structure: &'u Structure,
}

impl<'e> Walker<'_, 'e> {
    /// The run that starts in an initial state.
    pub(super) fn start(&mut self, state: u32) -> Result<Walk, Reason> {
        let compiled = self.unfolding.compiled;
        let starts = compiled.ersm.initial.iter().map(|&(procedure, node)| {
            (compiled.node_base[procedure.index()] + node.0, compiled.initial_state(procedure.index()))
        });
        let origin = self.structure.states[state as usize].origin;
        let passed = self.reach(starts.collect(), Goal::State(origin))?.ok_or(LOST)?;
        let frame = self.frame(&passed, state, None)?;
        Ok(Walk { done: Vec::new(), frames: vec![frame], known: FxHashMap::default(), states: 1 })
    }

    /// To a state of the same activation.
    pub(super) fn go(&mut self, walk: &mut Walk, state: u32) -> Result<(), Reason> {
        let frame = walk.frames.last_mut().ok_or(LOST)?;
        let starts = self.next(frame)?;
        let origin = self.structure.states[state as usize].origin;
        let passed = self.reach(starts, Goal::State(origin))?.ok_or(LOST)?;
        self.push(&mut frame.fragment, &passed);
        frame.cells = passed.into_iter().next_back().ok_or(LOST)?.1;
        frame.at = At::State(state);
        walk.states += 1;
        Ok(())
    }

    /// Up to a call.
    pub(super) fn before(&mut self, walk: &mut Walk, call: u32) -> Result<(), Reason> {
        let frame = walk.frames.last_mut().ok_or(LOST)?;
        if frame.at == At::Call(call) {
            return Ok(());
        }
        let origin = self.structure.calls[call as usize].origin;
        let is_statement = match frame.at {
            At::State(state) => matches!(self.kind(state), Kind::Call(_)),
            _ => false,
        };
        if !is_statement {
            let starts = self.next(frame)?;
            let mut passed = self.reach(starts, Goal::Call(origin))?.ok_or(LOST)?;
            // The port is told together with what is inside the call.
            let (_, cells) = passed.pop().ok_or(LOST)?;
            self.push(&mut frame.fragment, &passed);
            frame.cells = cells;
        }
        frame.at = At::Call(call);
        Ok(())
    }

    /// What a call that is next enters.
    pub(super) fn entered(&mut self, walk: &Walk, call: u32) -> Result<Vec<Passed>, Reason> {
        let cells = walk.cells().to_vec();
        self.inside(&cells, self.structure.calls[call as usize].origin)?.ok_or(LOST)
    }

    /// Into a call; if its inside is this way, and known already, over it at once. Says whether it was.
    pub(super) fn into(&mut self, walk: &mut Walk, call: u32, way: Option<Way>) -> Result<bool, Reason> {
        self.before(walk, call)?;
        let passed = self.entered(walk, call)?;
        let key = way.map(|way| (way, passed.last().map_or(Box::default(), |(_, cells)| cells.as_slice().into())));
        if let Some((id, exit, cells)) = key.as_ref().and_then(|key| walk.known.get(key)) {
            let frame = walk.frames.last_mut().ok_or(LOST)?;
            self.returned(frame, *id, *exit, cells)?;
            return Ok(true);
        }
        walk.frames.push(self.frame(&passed, self.structure.calls[call as usize].entry, key)?);
        walk.states += 1;
        Ok(false)
    }

    /// Out of the innermost activation.
    pub(super) fn out(&mut self, walk: &mut Walk) -> Result<(), Reason> {
        let Frame { fragment, cells, at, key } = walk.frames.pop().ok_or(LOST)?;
        let At::State(state) = at else { return Err(LOST) };
        let Kind::Exit(exit) = self.kind(state) else { return Err(LOST) };
        let id = FragmentId(walk.done.len() as u32);
        walk.done.push(fragment);
        let caller = walk.frames.last_mut().ok_or(LOST)?;
        self.returned(caller, id, exit, &cells)?;
        if let Some(key) = key {
            walk.known.insert(key, (id, exit, cells));
        }
        Ok(())
    }

    /// The run, and by depth the fragments of activations that have not been left.
    pub(super) fn finish(&self, walk: Walk) -> (Run<Vertex>, Vec<FragmentId>) {
        let Walk { done: mut fragments, frames, .. } = walk;
        let mut spine = Vec::new();
        for mut frame in frames.into_iter().rev() {
            if let At::Call(call) = frame.at {
                let site = self.site(call);
                self.push_call(&mut frame, site, spine.last().copied());
            }
            spine.push(FragmentId(fragments.len() as u32));
            fragments.push(frame.fragment);
        }
        spine.reverse();
        (Run { fragments }, spine)
    }

    fn kind(&self, state: u32) -> Kind {
        let place = self.unfolding.rows.header(self.structure.states[state as usize].origin) as u32;
        self.unfolding.compiled.places[place as usize].kind
    }

    fn site(&self, call: u32) -> u32 {
        (self.unfolding.calls.header(self.structure.calls[call as usize].origin) >> 32) as u32
    }

    fn frame(&self, passed: &[Passed], state: u32, key: Option<Key>) -> Result<Frame, Reason> {
        let (place, cells) = passed.last().ok_or(LOST)?;
        let procedure = self.unfolding.compiled.places[*place as usize].procedure;
        let variables = self.unfolding.compiled.ersm.scope_size(ProcId(procedure));
        let mut fragment = Fragment::new(procedure, variables);
        self.push(&mut fragment, passed);
        Ok(Frame { fragment, cells: cells.clone(), at: At::State(state), key })
    }

    fn push(&self, fragment: &mut Fragment<Vertex>, passed: &[Passed]) {
        let variables = self.unfolding.compiled.ersm.scope_size(ProcId(fragment.procedure));
        let mut words = Vec::new();
        for (place, cells) in passed {
            let vertex = self.unfolding.compiled.vertex(*place);
            if !matches!(vertex, Vertex::Return(..)) {
                pack(cells, variables, &mut words);
                fragment.push(vertex, &words, None);
            }
        }
    }

    fn push_call(&self, frame: &mut Frame, site: u32, inside: Option<FragmentId>) {
        let compiled = self.unfolding.compiled;
        let site = &compiled.sites[site as usize];
        let mut words = Vec::new();
        pack(&frame.cells, compiled.ersm.scope_size(ProcId(frame.fragment.procedure)), &mut words);
        frame.fragment.push(Vertex::Call(site.site, site.entry), &words, inside);
    }

    /// The call of an activation has come back.
    fn returned(&self, frame: &mut Frame, id: FragmentId, exit: u32, cells: &[Cell]) -> Result<(), Reason> {
        let At::Call(call) = frame.at else { return Err(LOST) };
        let site = self.site(call);
        self.push_call(frame, site, Some(id));
        let compiled = self.unfolding.compiled;
        let caller = std::mem::take(&mut frame.cells);
        after_call(compiled, None, &caller, &compiled.sites[site as usize], cells, &mut frame.cells);
        frame.at = At::Returned(site, exit);
        Ok(())
    }

    /// Where the transitions lead that an activation can take.
    fn next(&mut self, frame: &Frame) -> Result<Vec<Passed>, Reason> {
        let compiled = self.unfolding.compiled;
        let edges: &[EdgeTo] = match frame.at {
            At::State(state) => {
                let place = self.unfolding.rows.header(self.structure.states[state as usize].origin) as u32;
                compiled.edges_of(place)
            }
            At::Returned(site, exit) => compiled.edges_after(compiled.return_of(&compiled.sites[site as usize], exit)),
            At::Call(_) => &[],
        };
        self.follow(edges, &frame.cells)
    }

    fn follow(&mut self, edges: &'e [EdgeTo], cells: &[Cell]) -> Result<Vec<Passed>, Reason> {
        let mut found = Vec::new();
        for edge in edges {
            let results = self.unfolding.results(edge.action, cells, <[Cell]>::to_vec)?;
            found.extend(results.into_iter().map(|cells| (edge.to, cells)));
        }
        Ok(found)
    }

    /// The places that are passed on the way to what is looked for, which is the last.
    fn reach(&mut self, starts: Vec<Passed>, goal: Goal) -> Result<Option<Vec<Passed>>, Reason> {
        let mut passed: Vec<(Passed, Option<usize>)> = Vec::new();
        let mut open: Vec<(Passed, Option<usize>)> = starts.into_iter().map(|start| (start, None)).collect();
        while let Some(((place, cells), from)) = open.pop() {
            if self.unfolding.state_at(place).is_some() {
                if let Goal::State(row) = goal
                    && let Some(cells) = self.as_row(place, &cells, row)
                {
                    return Ok(Some(trace(&passed, (place, cells), from)));
                }
                continue;
            }
            for cells in self.completed(place, &cells) {
                let index = passed.len();
                match (self.unfolding.compiled.places[place as usize].kind, goal) {
                    (Kind::Plain, _) => {
                        let edges = self.unfolding.compiled.edges_of(place);
                        let next = self.follow(edges, &cells)?;
                        open.extend(next.into_iter().map(|next| (next, Some(index))));
                        passed.push(((place, cells), from));
                    }
                    (Kind::Call(site), Goal::Call(call)) if self.calls((place, site), &cells, call)? => {
                        return Ok(Some(trace(&passed, (place, cells), from)));
                    }
                    _ => {}
                }
            }
        }
        Ok(None)
    }

    /// The values as those of a row of the unfolding, if they are.
    fn as_row(&self, place: PlaceId, cells: &[Cell], row: u32) -> Option<Vec<Cell>> {
        let unfolding = &*self.unfolding;
        if unfolding.rows.header(row) as u32 != place {
            return None;
        }
        let wanted = unfolding.rows.cells(row);
        let mut cells = cells.to_vec();
        for bit in self.variables(place) {
            if get(&cells, bit).is_none() {
                set(&mut cells, bit, Some(get(wanted, bit).unwrap_or(false)));
            }
        }
        let live = unfolding.live.place(place);
        let is_same = cells.iter().zip(live).zip(wanted).all(|((cell, live), wanted)| cell & live == *wanted);
        is_same.then_some(cells)
    }

    fn variables(&self, place: PlaceId) -> std::ops::Range<usize> {
        let compiled = self.unfolding.compiled;
        0..compiled.ersm.scope_size(ProcId(compiled.places[place as usize].procedure))
    }

    /// Valuations with values for all variables: all values of those that matter.
    fn completed(&self, place: PlaceId, cells: &[Cell]) -> Vec<Vec<Cell>> {
        let live = self.unfolding.live.place(place);
        let mut completed = vec![cells.to_vec()];
        for bit in self.variables(place).filter(|&bit| get(cells, bit).is_none()) {
            let matters = live[bit / CELL] >> (bit % CELL) & 1 == 1;
            for at in 0..completed.len() {
                if matters {
                    let mut other = completed[at].clone();
                    set(&mut other, bit, Some(true));
                    completed.push(other);
                }
                set(&mut completed[at], bit, Some(false));
            }
        }
        completed
    }

    /// A site at a place with these values is a call of the unfolding.
    fn calls(&mut self, (place, site): (PlaceId, u32), cells: &[Cell], call: u32) -> Result<bool, Reason> {
        let unfolding = &*self.unfolding;
        let kept = unfolding.live.kept(site).iter().zip(unfolding.live.place(place)).map(|(kept, live)| kept & live);
        let saved = unfolding.calls.cells(call);
        let is_same = (unfolding.calls.header(call) >> 32) as u32 == site
            && cells.iter().zip(kept).zip(saved).all(|((cell, kept), saved)| cell & kept == *saved);
        Ok(is_same && self.inside(cells, call)?.is_some())
    }

    /// The places from the entry to the state that a call of the unfolding enters, from these values of the caller.
    fn inside(&mut self, cells: &[Cell], call: u32) -> Result<Option<Vec<Passed>>, Reason> {
        let header = self.unfolding.calls.header(call);
        let entered = self.unfolding.entered((header >> 32) as u32, cells)?;
        self.reach(entered, Goal::State(header as u32))
    }
}

/// The places up to the last.
fn trace(passed: &[(Passed, Option<usize>)], last: Passed, mut from: Option<usize>) -> Vec<Passed> {
    let mut trace = vec![last];
    while let Some(index) = from {
        trace.push(passed[index].0.clone());
        from = passed[index].1;
    }
    trace.reverse();
    trace
}

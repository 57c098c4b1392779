//! From a machine with variables to a structure without (Godefroid Proposition 1), as far as it can be reached, on the fly.
//!
//! A row is a place and a valuation. Unlike searches for single runs, branching time can tell *when* a value is chosen, so every
//! variable that still matters has its value; the others are open: rows that differ only in them are bisimilar and are one row (live ranges,
//! with what letters read counted as read).
//!
//! Where a call goes on depends on the exits that its entry can reach. They are found backwards: each row is told the exits that it
//! reaches as they are found (Godefroid Theorem 11, Step 2, for more than one exit). A row of a deterministic machine reaches one
//! exit at most, whence this is linear there.

use super::super::action::Halt;
use super::super::compile::{Compiled, EdgeTo, Kind, PlaceId, Site};
use super::super::forward::after_call;
use super::super::program::Scratch;
use super::super::store::{Full, Store};
use super::super::valuation::{CELL, Cell, copy_prefix, get, mask, set};
use super::offers::{From as Begins, Offers};
use super::structure::{Call, State, Structure, Target};
use crate::limits::{Limits, Reason};
use crate::logic::Blocked;
use crate::model::{Edge, Ersm, Leaf, Liveness, Node, NodeId, Owner, ProcId, Span, Var, Vertex};
use crate::temporal::{self, Module};
use epitome_encodings::Lit;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Looks at the limits every so many steps.
const INTERVAL: u32 = 4096;

/// Steps for each state that patience has room for.
const STEPS_BY_STATE: u64 = 20;

/// What is asked of the states of a machine.
pub(in crate::engine) struct Letters<'l> {
    /// By procedure and node: what it is; none where the node is not a state.
    pub(in crate::engine) states: &'l [Vec<Option<temporal::State>>],
    /// By procedure: runs start in it and end at its exits.
    pub(in crate::engine) outer: &'l [bool],
    /// What becomes of runs that cannot go on.
    pub(in crate::engine) blocked: Blocked,
}

/// An unfolding in progress.
pub(super) struct Unfolding<'e> {
    pub(super) compiled: &'e Compiled<'e>,
    letters: &'e Letters<'e>,
    /// Whose choices are whose, if that matters.
    module: Option<&'e Module>,
    pub(super) offers: Offers,
    /// States: the header is the place. A row's number is that of its state.
    pub(super) rows: Store,
    /// Calls: the header is the site and the entry, the cells are the caller's locals that are needed after it.
    pub(super) calls: Store,
    pub(super) structure: Structure,
    pub(super) live: Live,
    /// By state and by call, who leads to it.
    before: [Vec<Vec<Target>>; 2],
    /// By state, the calls that enter it.
    callers: Vec<Vec<u32>>,
    /// By state and by call, the exits that it reaches.
    exits: [Vec<Vec<u32>>; 2],
    known: FxHashSet<(Target, u32)>,
    /// Exits that were found and not told yet, in the order in which they were found…
    news: VecDeque<(Target, u32)>,
    /// …and by state, how many of its exits were told.
    told: Vec<usize>,
    /// Calls that can be left through an exit, which is not followed yet.
    left: Vec<(u32, u32)>,
    scratch: Scratch,
    limits: &'e Limits,
    work: u32,
    /// Results of actions, and values that were chosen, so far.
    steps: u64,
}

/// Which variables still matter: masks over cells.
pub(super) struct Live {
    width: usize,
    /// By place.
    places: Vec<Cell>,
    /// By site: locals of the caller that are needed after the return.
    kept: Vec<Cell>,
}

impl Live {
    fn new(compiled: &Compiled<'_>, letters: &Letters<'_>) -> Live {
        let ersm = compiled.ersm;
        let liveness = Liveness::of(&with_letters(ersm, letters));
        let (flow, width) = (liveness.flow(), compiled.width);
        let mut live = Live { width, places: Vec::new(), kept: Vec::new() };
        let vars = |procedure: ProcId| {
            let locals = (0..ersm.procedure(procedure).locals.len() as u32).map(Var::Local);
            (0..ersm.globals.len() as u32).map(Var::Global).chain(locals)
        };
        let add = |cells: &mut Vec<Cell>, procedure: ProcId, is_live: &dyn Fn(Var) -> bool| {
            let start = cells.len();
            cells.resize(start + width, 0);
            for var in vars(procedure).filter(|var| is_live(*var)) {
                let bit = ersm.bit(var);
                cells[start + bit / CELL] |= mask(1) << (bit % CELL);
            }
        };
        for place in 0..compiled.places.len() as u32 {
            let procedure = ProcId(compiled.places[place as usize].procedure);
            let vertex = flow.id(procedure, compiled.vertex(place));
            let is_live = |var: Var| vertex.is_none_or(|vertex| liveness.is_live(vertex, var));
            add(&mut live.places, procedure, &is_live);
        }
        for site in &compiled.sites {
            let is_kept = |var: Var| {
                let mut ports = flow.return_ports(site.caller, site.site);
                matches!(var, Var::Local(_)) && ports.any(|port| liveness.is_live(port, var))
            };
            add(&mut live.kept, site.caller, &is_kept);
        }
        live
    }

    pub(super) fn place(&self, place: PlaceId) -> &[Cell] {
        &self.places[place as usize * self.width..(place as usize + 1) * self.width]
    }

    pub(super) fn kept(&self, site: u32) -> &[Cell] {
        &self.kept[site as usize * self.width..(site as usize + 1) * self.width]
    }
}

/// The machine with transitions that read what letters read, for the analysis of what is read.
fn with_letters(ersm: &Ersm, letters: &Letters<'_>) -> Ersm {
    let mut ersm = ersm.clone();
    for (procedure, states) in ersm.procedures.iter_mut().zip(letters.states) {
        let sink = NodeId::from(procedure.nodes.len());
        procedure.nodes.push(Node { propositions: Box::default(), owner: Owner::System, span: procedure.span });
        for (node, state) in states.iter().enumerate() {
            let read = state.iter().flat_map(|state| &state.letter).filter(|lit| lit.as_constant().is_none());
            procedure.edges.extend(read.map(|&guard| Edge {
                from: Vertex::Node(NodeId::from(node)),
                to: Vertex::Node(sink),
                guard,
                assignments: Box::default(),
                choices: Box::default(),
                label: None,
                span: Span::default(),
            }));
        }
    }
    ersm
}

impl From<Full> for Reason {
    fn from(_: Full) -> Reason {
        Reason::TooManyStates
    }
}

fn side(target: Target) -> (usize, usize) {
    match target {
        Target::State(state) => (0, state as usize),
        Target::Call(call) => (1, call as usize),
    }
}

impl<'e> Unfolding<'e> {
    /// The structure of what can be reached, with so many labels for each state, of which the atoms are filled in: by label, the atom that
    /// it is.
    pub(super) fn of(
        compiled: &'e Compiled<'e>,
        (letters, module): (&'e Letters<'e>, Option<&'e Module>),
        labels: &[Option<u32>],
        limits: &'e Limits,
        mut progress: impl FnMut(u64),
    ) -> Result<Unfolding<'e>, Reason> {
        let mut unfolding = Unfolding {
            compiled,
            letters,
            module,
            offers: Offers::default(),
            rows: Store::new(compiled.width),
            calls: Store::new(compiled.width),
            structure: Structure::new(labels.len()),
            live: Live::new(compiled, letters),
            before: Default::default(),
            callers: Vec::new(),
            exits: Default::default(),
            known: FxHashSet::default(),
            news: VecDeque::new(),
            told: Vec::new(),
            left: Vec::new(),
            scratch: Scratch::new(limits),
            limits,
            work: 0,
            steps: 0,
        };
        unfolding.start()?;
        let mut next = 0;
        loop {
            if let Some((call, exit)) = unfolding.left.pop() {
                unfolding.tick()?;
                unfolding.return_to(call, exit)?;
                continue;
            }
            if let Some((target, exit)) = unfolding.news.pop_front() {
                unfolding.tick()?;
                unfolding.tell(target, exit);
                continue;
            }
            if next == unfolding.structure.states.len() as u32 {
                break;
            }
            if next.is_multiple_of(INTERVAL) {
                progress(u64::from(next));
            }
            unfolding.tick()?;
            unfolding.expand(next)?;
            next += 1;
        }
        unfolding.structure.calls.iter_mut().for_each(|call| call.returns.sort_unstable_by_key(|(exit, _)| *exit));
        unfolding.atoms(labels);
        Ok(unfolding)
    }

    /// Looks at the limits now and then.
    pub(super) fn check(&mut self) -> Result<(), Reason> {
        self.work += 1;
        if self.work.is_multiple_of(INTERVAL) { self.limits.check(0) } else { Ok(()) }
    }

    fn tick(&mut self) -> Result<(), Reason> {
        self.work += 1;
        if self.work.is_multiple_of(INTERVAL) {
            let bytes = self.rows.next_growth() + self.calls.next_growth();
            self.limits.check(bytes)?;
        }
        Ok(())
    }

    /// There is patience for so many states.
    fn has_patience(&self, states: u64) -> Result<(), Reason> {
        if states > self.limits.patience() { Err(Reason::Patience) } else { Ok(()) }
    }

    /// Steps for which there is patience left.
    fn room(&self) -> u64 {
        self.limits.patience().saturating_mul(STEPS_BY_STATE).saturating_sub(self.steps)
    }

    fn start(&mut self) -> Result<(), Reason> {
        let mut seen = FxHashSet::default();
        for &(procedure, node) in &self.compiled.ersm.initial {
            let place = self.compiled.node_base[procedure.index()] + node.0;
            for target in self.arrive(place, self.compiled.initial_state(procedure.index()))? {
                if let Target::State(state) = target
                    && seen.insert(state)
                {
                    self.structure.initial.push(state);
                }
            }
        }
        Ok(())
    }

    pub(super) fn state_at(&self, place: PlaceId) -> Option<&'e temporal::State> {
        let Vertex::Node(node) = self.compiled.vertex(place) else { return None };
        let procedure = self.compiled.places[place as usize].procedure as usize;
        self.letters.states[procedure][node.index()].as_ref()
    }

    /// The successors of a state.
    fn expand(&mut self, state: u32) -> Result<(), Reason> {
        let compiled = self.compiled;
        let (place, cells) = (self.rows.header(state) as u32, self.rows.cells(state).to_vec());
        let mut next = match compiled.places[place as usize].kind {
            Kind::Plain => {
                let procedure = ProcId(compiled.places[place as usize].procedure);
                let at = (procedure, compiled.vertex(place));
                self.leave(Begins::State(state), at, compiled.edges_of(place), &cells)?
            }
            Kind::Call(site) => self.enter(site, &cells)?,
            Kind::Exit(_) => Vec::new(),
        };
        next.sort_unstable();
        next.dedup();
        for &target in &next {
            self.lead(Target::State(state), target);
        }
        self.structure.next[state as usize] = next.into();
        if self.structure.states[state as usize].is_exit {
            self.reaches(Target::State(state), state);
        }
        Ok(())
    }

    /// Notes that one leads to another, and what is known of the other.
    fn lead(&mut self, from: Target, to: Target) {
        let (kind, index) = side(to);
        self.before[kind][index].push(from);
        for at in 0..self.exits[kind][index].len() {
            self.reaches(from, self.exits[kind][index][at]);
        }
    }

    /// Notes that an exit can be reached.
    fn reaches(&mut self, target: Target, exit: u32) {
        if self.known.insert((target, exit)) {
            let (kind, index) = side(target);
            self.exits[kind][index].push(exit);
            self.news.push_back((target, exit));
        }
    }

    /// Tells others that an exit can be reached.
    fn tell(&mut self, target: Target, exit: u32) {
        let (kind, index) = side(target);
        for at in 0..self.before[kind][index].len() {
            self.reaches(self.before[kind][index][at], exit);
        }
        if let Target::State(state) = target {
            self.told[state as usize] += 1;
            self.left.extend(self.callers[state as usize].iter().map(|&call| (call, exit)));
        }
    }

    /// A call can be left through an exit.
    fn return_to(&mut self, call: u32, exit: u32) -> Result<(), Reason> {
        let compiled = self.compiled;
        let site = &compiled.sites[(self.calls.header(call) >> 32) as usize];
        let Kind::Exit(number) = compiled.places[self.rows.header(exit) as usize].kind else { return Ok(()) };
        let mut cells = Vec::new();
        after_call(compiled, None, self.calls.cells(call), site, self.rows.cells(exit), &mut cells);
        let at = (site.caller, Vertex::Return(site.site, number));
        let edges = compiled.edges_after(compiled.return_of(site, number));
        let mut next = self.leave(Begins::Exit(call, exit), at, edges, &cells)?;
        next.sort_unstable();
        next.dedup();
        for &target in &next {
            self.lead(Target::Call(call), target);
        }
        self.structure.calls[call as usize].returns.push((exit, next.into()));
        Ok(())
    }

    /// Where the transitions of a vertex lead; if the environment has a choice between them, this is noted.
    fn leave(
        &mut self,
        from: Begins,
        (procedure, vertex): (ProcId, Vertex),
        edges: &'e [EdgeTo],
        cells: &[Cell],
    ) -> Result<Vec<Target>, Reason> {
        let Some(groups) = self.module.and_then(|module| module.groups(procedure, vertex)) else {
            return self.follow(edges, cells);
        };
        let mut alternatives = Vec::with_capacity(edges.len());
        for (edge, &group) in edges.iter().zip(groups) {
            alternatives.push((group, self.follow(std::slice::from_ref(edge), cells)?));
        }
        let all = alternatives.iter().flat_map(|(_, targets)| targets.iter().copied()).collect();
        self.offers.insert(from, alternatives)?;
        Ok(all)
    }

    /// Where transitions lead.
    fn follow(&mut self, edges: &'e [EdgeTo], cells: &[Cell]) -> Result<Vec<Target>, Reason> {
        let mut targets = Vec::new();
        for edge in edges {
            for after in self.results(edge.action, cells, <[Cell]>::to_vec)? {
                targets.extend(self.arrive(edge.to, after)?);
            }
        }
        Ok(targets)
    }

    /// The states that a call enters.
    fn enter(&mut self, site: u32, cells: &[Cell]) -> Result<Vec<Target>, Reason> {
        let saved: Vec<Cell> = cells.iter().zip(self.live.kept(site)).map(|(cell, kept)| cell & kept).collect();
        let mut targets = Vec::new();
        for (place, inside) in self.entered(site, cells)? {
            for entry in self.arrive(place, inside)? {
                let Target::State(entry) = entry else {
                    return Err(Reason::Internal("a procedure that begins with a call of its own"));
                };
                targets.push(Target::Call(self.call(site, entry, &saved)?));
            }
        }
        Ok(targets)
    }

    /// The entry of a call, with the values there.
    pub(super) fn entered(&mut self, site: u32, cells: &[Cell]) -> Result<Vec<(PlaceId, Vec<Cell>)>, Reason> {
        let compiled = self.compiled;
        let Site { callee, entry_place, arguments, .. } = compiled.sites[site as usize];
        let base = |cells: &[Cell]| {
            let mut base = compiled.initial_locals(callee.index()).to_vec();
            copy_prefix(cells, &mut base, compiled.ersm.globals.len());
            base
        };
        Ok(self.results(arguments, cells, base)?.into_iter().map(|inside| (entry_place, inside)).collect())
    }

    fn call(&mut self, site: u32, entry: u32, saved: &[Cell]) -> Result<u32, Reason> {
        let (call, is_new) = self.calls.insert(u64::from(site) << 32 | u64::from(entry), saved)?;
        if is_new {
            self.structure.calls.push(Call { entry, returns: Vec::new(), origin: call });
            self.before[1].push(Vec::new());
            self.exits[1].push(Vec::new());
            self.callers[entry as usize].push(call);
            // The others will be told.
            let told = &self.exits[0][entry as usize][..self.told[entry as usize]];
            self.left.extend(told.iter().map(|&exit| (call, exit)));
        }
        Ok(call)
    }

    /// All results of an action.
    pub(super) fn results(
        &mut self,
        action: u32,
        cells: &[Cell],
        base: impl Fn(&[Cell]) -> Vec<Cell>,
    ) -> Result<Vec<Vec<Cell>>, Reason> {
        let mut results: Vec<Vec<Cell>> = Vec::new();
        let mut inputs = vec![cells.to_vec()];
        while let Some(mut input) = inputs.pop() {
            let base = base(&input);
            let room = self.room();
            let emit = &mut |out: &[Cell]| {
                if results.len() as u64 <= room {
                    results.push(out.to_vec());
                }
            };
            match self.compiled.apply(action, (&input, &base), &mut self.scratch, emit) {
                Ok(()) => {}
                Err(Halt::Stopped(reason)) => return Err(reason),
                Err(Halt::Split(bit)) => {
                    // It does not matter any more: whatever it is, what matters is the same.
                    debug_assert!(get(&input, bit).is_none());
                    for value in [true, false] {
                        set(&mut input, bit, Some(value));
                        inputs.push(input.clone());
                    }
                }
            }
            if results.len() as u64 > room {
                return Err(Reason::Patience);
            }
        }
        self.steps = self.steps.saturating_add(results.len() as u64);
        Ok(results)
    }

    /// The states, or calls, that someone gets to who arrives at a place: all values are chosen that still matter, and places that are
    /// no states are left at once.
    fn arrive(&mut self, place: PlaceId, cells: Vec<Cell>) -> Result<Vec<Target>, Reason> {
        let compiled = self.compiled;
        let mut targets = Vec::new();
        for cells in self.closed(place, cells)? {
            if let Some(state) = self.state_at(place) {
                targets.push(Target::State(self.state(place, &cells, state)?));
                continue;
            }
            match compiled.places[place as usize].kind {
                Kind::Plain => targets.extend(self.follow(compiled.edges_of(place), &cells)?),
                Kind::Call(site) => targets.extend(self.enter(site, &cells)?),
                Kind::Exit(_) => return Err(Reason::Internal("an exit that is no state")),
            }
        }
        Ok(targets)
    }

    /// Valuations with values for all variables that matter at a place, and for no others.
    fn closed(&mut self, place: PlaceId, mut cells: Vec<Cell>) -> Result<Vec<Vec<Cell>>, Reason> {
        let live = self.live.place(place);
        cells.iter_mut().zip(live).for_each(|(cell, live)| *cell &= live);
        let is_open = |bit: &usize| live[bit / CELL] >> (bit % CELL) & 1 == 1 && get(&cells, *bit).is_none();
        let open: Vec<usize> = (0..live.len() * CELL).filter(is_open).collect();
        let mut closed = vec![cells];
        for bit in open {
            self.limits.check(closed.len() * self.live.width * 16)?;
            self.has_patience(2 * closed.len() as u64)?;
            for at in 0..closed.len() {
                let mut other = closed[at].clone();
                set(&mut closed[at], bit, Some(false));
                set(&mut other, bit, Some(true));
                closed.push(other);
            }
        }
        self.steps = self.steps.saturating_add(closed.len() as u64);
        if self.room() > 0 { Ok(closed) } else { Err(Reason::Patience) }
    }

    fn state(&mut self, place: PlaceId, cells: &[Cell], state: &temporal::State) -> Result<u32, Reason> {
        let (row, is_new) = self.rows.insert(u64::from(place), cells)?;
        if is_new {
            self.has_patience(u64::from(row))?;
            let procedure = self.compiled.places[place as usize].procedure as usize;
            let leaves = matches!(self.compiled.places[place as usize].kind, Kind::Exit(_));
            let stays = state.is_end || self.letters.blocked == Blocked::Stutter;
            let is_exit = leaves && !self.letters.outer[procedure];
            self.structure.push_state(State { is_exit, stays, origin: row });
            self.before[0].push(Vec::new());
            self.exits[0].push(Vec::new());
            self.callers.push(Vec::new());
            self.told.push(0);
        }
        Ok(row)
    }

    /// Fills in which atoms hold.
    fn atoms(&mut self, labels: &[Option<u32>]) {
        let ersm = self.compiled.ersm;
        for row in 0..self.rows.len() as u32 {
            let Some(state) = self.state_at(self.rows.header(row) as u32) else { continue };
            let cells = self.rows.cells(row);
            for (label, atom) in labels.iter().enumerate() {
                let holds = atom.is_some_and(|atom| evaluate(ersm, state.letter[atom as usize], cells));
                self.structure.set(row, label, holds);
            }
        }
    }
}

/// The value of a signal, all of whose variables have values.
fn evaluate(ersm: &Ersm, lit: Lit, cells: &[Cell]) -> bool {
    match lit.as_constant() {
        Some(value) => value,
        None => ersm.circuit.evaluate(lit, |number| match Leaf::from_number(number) {
            Leaf::Var(var) => get(cells, ersm.bit(var)).unwrap_or(false),
            Leaf::Choice(_) => false,
        }),
    }
}

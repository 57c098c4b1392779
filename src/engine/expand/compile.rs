//! An ERSM laid out for exploration: places in one numbering, transitions grouped by source, equal
//! guards and assignments compiled once.
//!
//! Places are the nodes of all procedures, in order, then the ports that need a place of their own.
//! A call statement of a Boolean program *is* its call port; the call ports of machines, and return ports
//! whose transitions assign, get a place.

use super::action::{Action, Command, Halt};
use super::masks::Masks;
use super::program::Scratch;
use super::valuation::{Cell, cells_for, set};
use crate::model::{BoxId, CallBox, Edge, Ersm, Initial, NodeId, ProcId, Vertex};
use epitome_encodings::Lit;
use rustc_hash::FxHashMap;

/// Number of a place.
pub(super) type PlaceId = u32;

/// What happens at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Transitions lead on.
    Plain,
    /// The callee's exit with this index.
    Exit(u32),
    /// The call site with this index is entered.
    Call(u32),
}

/// A place.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) kind: Kind,
    pub(super) procedure: u32,
    /// First of its transitions.
    first_edge: u32,
    /// One past the last.
    last_edge: u32,
}

/// A compiled transition.
#[derive(Clone, Copy)]
pub(super) struct EdgeTo {
    pub(super) action: u32,
    pub(super) to: PlaceId,
}

/// A call site entered at one entry.
pub(super) struct Site {
    pub(super) site: BoxId,
    pub(super) entry: u32,
    pub(super) caller: ProcId,
    pub(super) callee: ProcId,
    pub(super) entry_place: PlaceId,
    pub(super) arguments: u32,
    /// Results: bit of the callee's output, bit of the caller's variable.
    pub(super) results: Box<[(u32, u32)]>,
    /// First of its returns, one for each exit of the callee.
    first_return: u32,
}

/// What follows a return through one exit.
#[derive(Clone, Copy)]
pub(super) struct Return {
    first_edge: u32,
    last_edge: u32,
    /// The return port's own place, if some transition assigns.
    pub(super) port: Option<PlaceId>,
}

/// A machine ready for exploration.
pub(super) struct Compiled<'e> {
    pub(super) ersm: &'e Ersm,
    /// Cells of a valuation.
    pub(super) width: usize,
    pub(super) places: Vec<Place>,
    actions: Vec<Action>,
    pub(super) sites: Vec<Site>,
    /// Place of each procedure's first node.
    pub(super) node_base: Vec<PlaceId>,
    edges: Vec<EdgeTo>,
    returns: Vec<Return>,
    ports: Vec<Vertex>,
    /// Valuations in which procedures start, before globals and arguments are filled in.
    initial: Vec<Cell>,
    /// What calls pass on, if procedures tell what they are concerned with.
    pub(super) masks: Option<Masks>,
}

impl<'e> Compiled<'e> {
    pub(super) fn new(ersm: &'e Ersm) -> Compiled<'e> {
        let widest = (0..ersm.procedures.len()).map(|p| ersm.scope_size(ProcId::from(p))).max().unwrap_or(0);
        let mut compiled = Compiled {
            ersm,
            // At least one, so that a list of valuations has a length even without variables.
            width: cells_for(widest).max(1),
            places: Vec::new(),
            actions: Vec::new(),
            sites: Vec::new(),
            node_base: Vec::new(),
            edges: Vec::new(),
            returns: Vec::new(),
            ports: Vec::new(),
            initial: Vec::new(),
            masks: Masks::of(ersm),
        };
        for (index, procedure) in ersm.procedures.iter().enumerate() {
            compiled.node_base.push(compiled.places.len() as u32);
            let plain = Place { kind: Kind::Plain, procedure: index as u32, first_edge: 0, last_edge: 0 };
            compiled.places.extend(std::iter::repeat_n(plain, procedure.nodes.len()));
            compiled.push_initial(index);
        }
        let mut cache = Cache::default();
        for index in 0..ersm.procedures.len() {
            Layout { compiled: &mut compiled, cache: &mut cache, index, sites: FxHashMap::default() }.run();
        }
        compiled
    }

    fn push_initial(&mut self, procedure: usize) {
        let start = self.initial.len();
        self.initial.resize(start + self.width, 0);
        let globals = self.ersm.globals.len();
        for (index, local) in self.ersm.procedures[procedure].locals.iter().enumerate() {
            if let Initial::Fixed(value) = local.initial {
                set(&mut self.initial[start..], globals + index, Some(value));
            }
        }
    }

    /// The valuation a procedure starts in, globals and inputs open.
    pub(super) fn initial_locals(&self, procedure: usize) -> &[Cell] {
        &self.initial[procedure * self.width..(procedure + 1) * self.width]
    }

    /// The valuation a computation starts in.
    pub(super) fn initial_state(&self, procedure: usize) -> Vec<Cell> {
        let mut cells = self.initial_locals(procedure).to_vec();
        for (index, global) in self.ersm.globals.iter().enumerate() {
            if let Initial::Fixed(value) = global.initial {
                set(&mut cells, index, Some(value));
            }
        }
        cells
    }

    /// Calls `emit` with every result of an action; see [`Action::apply`].
    #[inline]
    pub(super) fn apply(
        &self,
        action: u32,
        valuations: (&[Cell], &[Cell]),
        scratch: &mut Scratch,
        emit: &mut dyn FnMut(&[Cell]),
    ) -> Result<(), Halt> {
        self.actions[action as usize].apply(self.ersm, valuations, scratch, emit)
    }

    #[inline]
    pub(super) fn edges_of(&self, place: PlaceId) -> &[EdgeTo] {
        let place = &self.places[place as usize];
        &self.edges[place.first_edge as usize..place.last_edge as usize]
    }

    pub(super) fn return_of(&self, site: &Site, exit: u32) -> Return {
        self.returns[(site.first_return + exit) as usize]
    }

    pub(super) fn edges_after(&self, after: Return) -> &[EdgeTo] {
        &self.edges[after.first_edge as usize..after.last_edge as usize]
    }

    /// The place is a return port.
    pub(super) fn is_return_port(&self, place: PlaceId) -> bool {
        (place as usize)
            .checked_sub(self.node_places())
            .is_some_and(|port| matches!(self.ports[port], Vertex::Return(..)))
    }

    /// Places that are nodes; ports come after them.
    pub(super) fn node_places(&self) -> usize {
        self.places.len() - self.ports.len()
    }

    /// The vertex of a place.
    pub(super) fn vertex(&self, place: PlaceId) -> Vertex {
        match (place as usize).checked_sub(self.node_places()) {
            Some(port) => self.ports[port],
            None => {
                let procedure = self.places[place as usize].procedure as usize;
                Vertex::Node(((place - self.node_base[procedure]) as usize).into())
            }
        }
    }
}

/// Commands compiled so far.
type Cache = FxHashMap<Command, u32>;

/// Places of call ports, by box and entry.
type Ports = FxHashMap<(BoxId, u32), PlaceId>;

/// The node, box and entry if the group is a call statement: one unconditional transition, which assigns
/// nothing, into a box without a name.
fn call_statement(group: &[(Vertex, &Edge)], boxes: &[CallBox]) -> Option<(NodeId, BoxId, u32)> {
    let [(Vertex::Node(node), edge)] = group else { return None };
    let Vertex::Call(site, entry) = edge.to else { return None };
    let plain = edge.guard == Lit::TRUE && edge.assignments.is_empty() && boxes[site.index()].name.is_none();
    plain.then_some((*node, site, entry))
}

/// Lays out one procedure.
struct Layout<'c, 'e> {
    compiled: &'c mut Compiled<'e>,
    cache: &'c mut Cache,
    index: usize,
    /// Sites by box and entry.
    sites: FxHashMap<(BoxId, u32), u32>,
}

impl<'e> Layout<'_, 'e> {
    fn run(&mut self) {
        let ersm: &'e Ersm = self.compiled.ersm;
        let procedure = &ersm.procedures[self.index];
        for (exit, node) in procedure.exits.iter().enumerate() {
            self.place_of(*node).kind = Kind::Exit(exit as u32);
        }
        let mut by_source: Vec<(Vertex, &'e Edge)> = procedure.edges.iter().map(|edge| (edge.from, edge)).collect();
        by_source.sort_by_key(|(from, _)| *from);
        // Call sites first: transitions into them need their places, returns belong to them.
        let (mut others, mut ports) = (Vec::new(), Ports::default());
        for group in by_source.chunk_by(|a, b| a.0 == b.0) {
            match call_statement(group, &procedure.boxes) {
                Some((node, site, entry)) => {
                    let site = self.site(site, entry);
                    self.place_of(node).kind = Kind::Call(site);
                }
                None => others.push(group),
            }
        }
        for (_, edge) in others.iter().copied().flatten() {
            if let Vertex::Call(site, entry) = edge.to {
                let index = self.site(site, entry);
                ports.entry((site, entry)).or_insert_with(|| self.port(edge.to, Kind::Call(index)));
            }
        }
        let mut after: FxHashMap<(BoxId, u32), Return> = FxHashMap::default();
        for group in others {
            self.group(group, &ports, &mut after);
        }
        self.returns(&after);
    }

    /// Lays out the transitions that leave one vertex.
    fn group(&mut self, group: &[(Vertex, &'e Edge)], ports: &Ports, after: &mut FxHashMap<(BoxId, u32), Return>) {
        let first_edge = self.compiled.edges.len() as u32;
        for (_, edge) in group {
            self.edge(edge, ports);
        }
        let last_edge = self.compiled.edges.len() as u32;
        match group[0].0 {
            Vertex::Node(node) => {
                let place = self.place_of(node);
                (place.first_edge, place.last_edge) = (first_edge, last_edge);
            }
            from @ (Vertex::Return(site, exit) | Vertex::Call(site, exit)) => {
                let assigns = group.iter().any(|(_, edge)| !edge.assignments.is_empty());
                let port = assigns.then(|| self.port(from, Kind::Plain));
                if let Some(port) = port {
                    let place = &mut self.compiled.places[port as usize];
                    (place.first_edge, place.last_edge) = (first_edge, last_edge);
                }
                after.insert((site, exit), Return { first_edge, last_edge, port });
            }
        }
    }

    fn place_of(&mut self, node: NodeId) -> &mut Place {
        let base = self.compiled.node_base[self.index];
        &mut self.compiled.places[(base + node.0) as usize]
    }

    fn port(&mut self, vertex: Vertex, kind: Kind) -> PlaceId {
        let place = Place { kind, procedure: self.index as u32, first_edge: 0, last_edge: 0 };
        self.compiled.ports.push(vertex);
        self.compiled.places.push(place);
        self.compiled.places.len() as u32 - 1
    }

    fn edge(&mut self, edge: &Edge, ports: &Ports) {
        let to = match edge.to {
            Vertex::Node(node) => self.compiled.node_base[self.index] + node.0,
            Vertex::Call(site, entry) | Vertex::Return(site, entry) => ports[&(site, entry)],
        };
        let ersm = self.compiled.ersm;
        let assignments = edge.assignments.iter().map(|&(var, lit)| (ersm.bit(var), lit)).collect();
        let action = self.action(edge.guard, assignments, true);
        self.compiled.edges.push(EdgeTo { action, to });
    }

    fn action(&mut self, guard: Lit, assignments: Box<[(usize, Lit)]>, in_place: bool) -> u32 {
        let Compiled { actions, ersm, .. } = &mut *self.compiled;
        *self.cache.entry(Command { guard, assignments, in_place }).or_insert_with_key(|command| {
            actions.push(Action::new(ersm, command.clone()));
            actions.len() as u32 - 1
        })
    }

    fn site(&mut self, site: BoxId, entry: u32) -> u32 {
        if let Some(&index) = self.sites.get(&(site, entry)) {
            return index;
        }
        let ersm: &'e Ersm = self.compiled.ersm;
        let call = &ersm.procedures[self.index].boxes[site.index()];
        let callee = ersm.procedure(call.callee);
        let globals = ersm.globals.len();
        let inputs = callee.inputs.iter().zip(&call.arguments);
        let arguments =
            self.action(Lit::TRUE, inputs.map(|(&input, &lit)| (globals + input as usize, lit)).collect(), false);
        let outputs = callee.outputs.iter().zip(&call.results);
        let results =
            outputs.filter_map(|(&output, target)| Some((globals as u32 + output, ersm.bit((*target)?) as u32)));
        let index = self.compiled.sites.len() as u32;
        self.compiled.sites.push(Site {
            site,
            entry,
            caller: ProcId::from(self.index),
            callee: call.callee,
            entry_place: self.compiled.node_base[call.callee.index()] + callee.entries[entry as usize].0,
            arguments,
            results: results.collect(),
            first_return: 0,
        });
        self.sites.insert((site, entry), index);
        index
    }

    /// Fills in what follows each site's returns, once the procedure's transitions are laid out.
    fn returns(&mut self, after: &FxHashMap<(BoxId, u32), Return>) {
        let mut sites: Vec<(&(BoxId, u32), &u32)> = self.sites.iter().collect();
        sites.sort_unstable();
        let mut last: Option<(BoxId, u32)> = None;
        for (&(site, _), &index) in sites {
            // However a box is entered, it is left alike.
            if let Some((_, first_return)) = last.filter(|(last, _)| *last == site) {
                self.compiled.sites[index as usize].first_return = first_return;
                continue;
            }
            let callee = self.compiled.sites[index as usize].callee;
            let first_return = self.compiled.returns.len() as u32;
            self.compiled.sites[index as usize].first_return = first_return;
            last = Some((site, first_return));
            for exit in 0..self.compiled.ersm.procedure(callee).exits.len() as u32 {
                let none = Return { first_edge: 0, last_edge: 0, port: None };
                self.compiled.returns.push(after.get(&(site, exit)).copied().unwrap_or(none));
            }
        }
    }
}

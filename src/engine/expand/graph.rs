//! A machine without variables as a plain graph: vertices of all components in one numbering, nodes
//! first, then the ports that some transition uses.
//!
//! A product of such a machine and an automaton has the automaton's state in globals, and nothing else: it is a graph, too, of
//! vertices with values ([`Graph::expanded`]), of which only those are made that control can come to.

use super::action::{Action, Command, Halt};
use super::compile::PlaceId;
use super::program::Scratch;
use super::valuation::{CELL, Cell, set};
use crate::limits::{Limits, Reason};
use crate::model::{BoxId, Edge, Ersm, Initial, ProcId, Vertex};
use crate::temporal::Product;
use rustc_hash::FxHashMap;

/// Number of a vertex.
pub(super) type VertexId = u32;

/// A box of a component.
pub(super) type SiteId = (u32, BoxId);

/// What a vertex is.
#[derive(Clone, Copy)]
pub(super) enum At {
    Node,
    /// A call port: the box and the entry of the callee.
    Call(SiteId, VertexId),
    /// A return port: the box and the exit of the callee.
    Return(SiteId, VertexId),
}

/// The graph.
pub(super) struct Graph<'e> {
    ersm: &'e Ersm,
    component: Vec<u32>,
    at: Vec<At>,
    vertices: Vec<Vertex>,
    nodes: usize,
    successors: Vec<Vec<VertexId>>,
    predecessors: Vec<Vec<VertexId>>,
    entries: Vec<Vec<VertexId>>,
    exits: Vec<Vec<VertexId>>,
    is_entry: Vec<bool>,
    is_exit: Vec<bool>,
    ports: FxHashMap<(SiteId, bool, VertexId), VertexId>,
    calls: FxHashMap<VertexId, Vec<(VertexId, SiteId)>>,
    initial: Vec<VertexId>,
    /// Values of the globals at each vertex, if there are any.
    values: Vec<Cell>,
}

/// The most globals that are expanded: one cell of them.
const MOST_GLOBALS: usize = CELL;

/// The machine of which this is the product has no variables. (Its own are the automaton's state, which starts fixed.)
pub(super) fn is_expandable(product: &Product) -> bool {
    let ersm = &product.ersm;
    product.above.globals == 0
        && ersm.globals.len() <= MOST_GLOBALS
        && ersm.procedures.iter().all(|procedure| procedure.locals.is_empty())
}

impl<'e> Graph<'e> {
    pub(super) fn new(ersm: &'e Ersm, limits: &Limits) -> Result<Graph<'e>, Reason> {
        let mut base = Vec::new();
        let mut graph = Graph {
            ersm,
            component: Vec::new(),
            at: Vec::new(),
            vertices: Vec::new(),
            nodes: 0,
            successors: Vec::new(),
            predecessors: Vec::new(),
            entries: Vec::new(),
            exits: Vec::new(),
            is_entry: Vec::new(),
            is_exit: Vec::new(),
            ports: FxHashMap::default(),
            calls: FxHashMap::default(),
            initial: Vec::new(),
            values: Vec::new(),
        };
        for (index, procedure) in ersm.procedures.iter().enumerate() {
            base.push(graph.at.len() as u32);
            for node in 0..procedure.nodes.len() {
                graph.add(index as u32, At::Node, Vertex::Node(node.into()));
            }
        }
        graph.nodes = graph.at.len();
        for (index, procedure) in ersm.procedures.iter().enumerate() {
            let vertices = |nodes: &[crate::model::NodeId]| nodes.iter().map(|n| base[index] + n.0).collect::<Vec<_>>();
            graph.entries.push(vertices(&procedure.entries));
            graph.exits.push(vertices(&procedure.exits));
        }
        graph.is_entry = graph.marks(&graph.entries);
        graph.is_exit = graph.marks(&graph.exits);
        for index in 0..ersm.procedures.len() {
            graph.transitions(index, &base, limits)?;
        }
        graph.initial = ersm.initial.iter().map(|(p, n)| base[p.index()] + n.0).collect();
        Ok(graph)
    }

    /// The graph of a machine whose only variables are few globals: vertices with values that control can come to, if
    /// returns go to any caller.
    pub(super) fn expanded(ersm: &'e Ersm, limits: &Limits) -> Result<Graph<'e>, Reason> {
        Expansion::new(ersm, limits).run()
    }

    /// How many globals the machine has.
    pub(super) fn globals(&self) -> usize {
        self.ersm.globals.len()
    }

    /// The values of the globals at a vertex.
    pub(super) fn values(&self, vertex: VertexId) -> &[Cell] {
        &self.values[vertex as usize..=vertex as usize]
    }

    fn marks(&self, lists: &[Vec<VertexId>]) -> Vec<bool> {
        let mut marks = vec![false; self.at.len()];
        lists.iter().flatten().for_each(|&vertex| marks[vertex as usize] = true);
        marks
    }

    fn add(&mut self, component: u32, at: At, vertex: Vertex) -> VertexId {
        self.component.push(component);
        self.at.push(at);
        self.vertices.push(vertex);
        self.successors.push(Vec::new());
        self.predecessors.push(Vec::new());
        self.at.len() as u32 - 1
    }

    fn transitions(&mut self, index: usize, base: &[u32], limits: &Limits) -> Result<(), Reason> {
        let ersm = self.ersm;
        let mut scratch = Scratch::new(limits);
        for edge in &ersm.procedures[index].edges {
            if can_be_taken(ersm, edge, &mut scratch)? {
                let (from, to) = (self.end(index, edge.from, base), self.end(index, edge.to, base));
                self.successors[from as usize].push(to);
                self.predecessors[to as usize].push(from);
            }
        }
        Ok(())
    }

    fn end(&mut self, index: usize, vertex: Vertex, base: &[u32]) -> VertexId {
        let (site, port, call) = match vertex {
            Vertex::Node(node) => return base[index] + node.0,
            Vertex::Call(site, entry) => (site, entry, true),
            Vertex::Return(site, exit) => (site, exit, false),
        };
        let callee = self.ersm.procedures[index].boxes[site.index()].callee;
        let inner =
            if call { self.entries[callee.index()][port as usize] } else { self.exits[callee.index()][port as usize] };
        let id: SiteId = (index as u32, site);
        if let Some(&known) = self.ports.get(&(id, call, inner)) {
            return known;
        }
        let at = if call { At::Call(id, inner) } else { At::Return(id, inner) };
        let added = self.add(index as u32, at, vertex);
        self.ports.insert((id, call, inner), added);
        if call {
            self.calls.entry(inner).or_default().push((added, id));
        }
        added
    }

    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    pub(super) fn components(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn component(&self, vertex: VertexId) -> usize {
        self.component[vertex as usize] as usize
    }

    pub(super) fn procedure(&self, vertex: VertexId) -> ProcId {
        ProcId(self.component[vertex as usize])
    }

    /// The call port of a box without a name, which is a call statement.
    pub(super) fn is_call_statement(&self, vertex: VertexId) -> bool {
        match self.at(vertex) {
            At::Call((component, site), _) => {
                self.ersm.procedures[component as usize].boxes[site.index()].name.is_none()
            }
            At::Node | At::Return(..) => false,
        }
    }

    /// No more entries than exits: computed forward.
    pub(super) fn entry_bound(&self, component: usize) -> bool {
        self.entries[component].len() <= self.exits[component].len()
    }

    pub(super) fn entries(&self, component: usize) -> &[VertexId] {
        &self.entries[component]
    }

    pub(super) fn exits(&self, component: usize) -> &[VertexId] {
        &self.exits[component]
    }

    pub(super) fn initial(&self) -> &[VertexId] {
        &self.initial
    }

    pub(super) fn is_entry(&self, vertex: VertexId) -> bool {
        self.is_entry.get(vertex as usize).copied().unwrap_or(false)
    }

    pub(super) fn is_exit(&self, vertex: VertexId) -> bool {
        self.is_exit.get(vertex as usize).copied().unwrap_or(false)
    }

    pub(super) fn at(&self, vertex: VertexId) -> At {
        self.at[vertex as usize]
    }

    pub(super) fn vertex(&self, vertex: VertexId) -> Vertex {
        self.vertices[vertex as usize]
    }

    /// The place of a node; ports have none.
    pub(super) fn node_place(&self, vertex: VertexId) -> Option<PlaceId> {
        ((vertex as usize) < self.nodes).then_some(vertex)
    }

    pub(super) fn successors(&self, vertex: VertexId) -> &[VertexId] {
        &self.successors[vertex as usize]
    }

    pub(super) fn predecessors(&self, vertex: VertexId) -> &[VertexId] {
        &self.predecessors[vertex as usize]
    }

    pub(super) fn call_port(&self, site: SiteId, entry: VertexId) -> Option<VertexId> {
        self.ports.get(&(site, true, entry)).copied()
    }

    pub(super) fn return_port(&self, site: SiteId, exit: VertexId) -> Option<VertexId> {
        self.ports.get(&(site, false, exit)).copied()
    }

    /// Call ports that enter here, with their boxes.
    pub(super) fn calls_of(&self, entry: VertexId) -> &[(VertexId, SiteId)] {
        self.calls.get(&entry).map_or(&[], |list| list)
    }
}

/// A graph with values, while it grows.
struct Expansion<'e> {
    graph: Graph<'e>,
    scratch: Scratch,
    numbers: FxHashMap<(u32, Vertex, Cell), VertexId>,
    /// Transitions by procedure and where they begin.
    leaving: Vec<FxHashMap<Vertex, Vec<(Action, Vertex)>>>,
    /// Boxes that call a procedure.
    callers: Vec<Vec<SiteId>>,
    /// By procedure and exit: values with which it was left; by procedure: calls that were made of it.
    left: FxHashMap<(usize, u32), Vec<VertexId>>,
    open: Vec<VertexId>,
}

impl<'e> Expansion<'e> {
    fn new(ersm: &'e Ersm, limits: &Limits) -> Expansion<'e> {
        let procedures = ersm.procedures.len();
        let graph = Graph {
            ersm,
            component: Vec::new(),
            at: Vec::new(),
            vertices: Vec::new(),
            nodes: 0,
            successors: Vec::new(),
            predecessors: Vec::new(),
            entries: vec![Vec::new(); procedures],
            exits: vec![Vec::new(); procedures],
            is_entry: Vec::new(),
            is_exit: Vec::new(),
            ports: FxHashMap::default(),
            calls: FxHashMap::default(),
            initial: Vec::new(),
            values: Vec::new(),
        };
        let mut callers = vec![Vec::new(); procedures];
        let mut leaving = Vec::with_capacity(procedures);
        for (index, procedure) in ersm.procedures.iter().enumerate() {
            let boxes = procedure.boxes.iter().enumerate();
            boxes.for_each(|(site, call)| callers[call.callee.index()].push((index as u32, BoxId::from(site))));
            let mut own: FxHashMap<Vertex, Vec<(Action, Vertex)>> = FxHashMap::default();
            for edge in &procedure.edges {
                let assignments = edge.assignments.iter().map(|&(var, lit)| (ersm.bit(var), lit)).collect();
                let command = Command { guard: edge.guard, assignments, in_place: true };
                own.entry(edge.from).or_default().push((Action::new(ersm, command), edge.to));
            }
            leaving.push(own);
        }
        let (numbers, left, open) = Default::default();
        Expansion { graph, scratch: Scratch::new(limits), numbers, leaving, callers, left, open }
    }

    fn run(mut self) -> Result<Graph<'e>, Reason> {
        let ersm = self.graph.ersm;
        for &(procedure, node) in &ersm.initial {
            let mut cells = vec![0];
            for (bit, global) in ersm.globals.iter().enumerate() {
                set(&mut cells, bit, Some(global.initial == Initial::Fixed(true)));
            }
            let vertex = self.number(procedure.0, Vertex::Node(node), cells[0]);
            self.graph.initial.push(vertex);
        }
        while let Some(vertex) = self.open.pop() {
            self.follow(vertex)?;
            self.cross(vertex);
        }
        let mut graph = self.graph;
        graph.is_entry = graph.marks(&graph.entries);
        graph.is_exit = graph.marks(&graph.exits);
        Ok(graph)
    }

    fn number(&mut self, component: u32, vertex: Vertex, values: Cell) -> VertexId {
        if let Some(&known) = self.numbers.get(&(component, vertex, values)) {
            return known;
        }
        let number = self.graph.add(component, At::Node, vertex);
        self.graph.values.push(values);
        self.numbers.insert((component, vertex, values), number);
        self.open.push(number);
        if let Vertex::Node(node) = vertex {
            let procedure = &self.graph.ersm.procedures[component as usize];
            if procedure.entries.contains(&node) {
                self.graph.entries[component as usize].push(number);
            }
            if procedure.exits.contains(&node) {
                self.graph.exits[component as usize].push(number);
            }
        }
        number
    }

    /// Transitions.
    fn follow(&mut self, from: VertexId) -> Result<(), Reason> {
        let component = self.graph.component[from as usize];
        let cells = [self.graph.values[from as usize]];
        let mut next: Vec<(Vertex, Cell)> = Vec::new();
        let actions = self.leaving[component as usize].get(&self.graph.vertices[from as usize]);
        for (action, to) in actions.into_iter().flatten() {
            let emit = &mut |out: &[Cell]| next.push((*to, out[0]));
            match action.apply(self.graph.ersm, (&cells, &cells), &mut self.scratch, emit) {
                Err(Halt::Stopped(reason)) => return Err(reason),
                Ok(()) | Err(Halt::Split(_)) => {}
            }
        }
        for (to, values) in next {
            let to = self.number(component, to, values);
            if !self.graph.successors[from as usize].contains(&to) {
                self.graph.successors[from as usize].push(to);
                self.graph.predecessors[to as usize].push(from);
            }
        }
        Ok(())
    }

    /// Calls and returns.
    fn cross(&mut self, vertex: VertexId) {
        let (component, values) = (self.graph.component[vertex as usize], self.graph.values[vertex as usize]);
        let ersm = self.graph.ersm;
        match self.graph.vertices[vertex as usize] {
            Vertex::Call(site, entry) => {
                let callee = ersm.procedures[component as usize].boxes[site.index()].callee;
                let entry = Vertex::Node(ersm.procedure(callee).entries[entry as usize]);
                let entry = self.number(callee.0, entry, values);
                let site: SiteId = (component, site);
                self.graph.at[vertex as usize] = At::Call(site, entry);
                self.graph.ports.insert((site, true, entry), vertex);
                self.graph.calls.entry(entry).or_default().push((vertex, site));
                for exit in 0..ersm.procedure(callee).exits.len() as u32 {
                    for exit_vertex in self.left.get(&(callee.index(), exit)).cloned().unwrap_or_default() {
                        self.come_back(site, exit, exit_vertex);
                    }
                }
            }
            Vertex::Node(node) => {
                let exits = &ersm.procedures[component as usize].exits;
                if let Some(exit) = exits.iter().position(|exit| *exit == node) {
                    self.left.entry((component as usize, exit as u32)).or_default().push(vertex);
                    for site in self.callers[component as usize].clone() {
                        self.come_back(site, exit as u32, vertex);
                    }
                }
            }
            Vertex::Return(..) => {}
        }
    }

    fn come_back(&mut self, site: SiteId, exit: u32, exit_vertex: VertexId) {
        let port = Vertex::Return(site.1, exit);
        if self.leaving[site.0 as usize].contains_key(&port) {
            let values = self.graph.values[exit_vertex as usize];
            let back = self.number(site.0, port, values);
            self.graph.at[back as usize] = At::Return(site, exit_vertex);
            self.graph.ports.insert((site, false, exit_vertex), back);
        }
    }
}

/// Without variables a guard is a constant, or depends on choices that can be made to fit or not.
fn can_be_taken(ersm: &Ersm, edge: &Edge, scratch: &mut Scratch) -> Result<bool, Reason> {
    if let Some(value) = edge.guard.as_constant() {
        return Ok(value);
    }
    let mut taken = false;
    let command = Command { guard: edge.guard, assignments: Box::default(), in_place: true };
    let result = Action::new(ersm, command).apply(ersm, (&[0], &[0]), scratch, &mut |_| taken = true);
    match result {
        Err(Halt::Stopped(reason)) if !taken => Err(reason),
        _ => Ok(taken),
    }
}

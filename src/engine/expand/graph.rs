//! A machine without variables as a plain graph: vertices of all components in one numbering, nodes
//! first, then the ports that some transition uses.
//! (A product with an automaton is a graph, too: `expansion`.)

use super::action::{Action, Command, Halt};
use super::compile::PlaceId;
use super::program::Scratch;
use super::valuation::Cell;
use crate::limits::{Limits, Reason};
use crate::model::{BoxId, Edge, Ersm, ProcId, Vertex};
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
    pub(super) ersm: &'e Ersm,
    pub(super) component: Vec<u32>,
    pub(super) at: Vec<At>,
    pub(super) vertices: Vec<Vertex>,
    nodes: usize,
    pub(super) successors: Vec<Vec<VertexId>>,
    pub(super) predecessors: Vec<Vec<VertexId>>,
    pub(super) entries: Vec<Vec<VertexId>>,
    pub(super) exits: Vec<Vec<VertexId>>,
    pub(super) is_entry: Vec<bool>,
    pub(super) is_exit: Vec<bool>,
    pub(super) ports: FxHashMap<(SiteId, bool, VertexId), VertexId>,
    pub(super) calls: FxHashMap<VertexId, Vec<(VertexId, SiteId)>>,
    pub(super) initial: Vec<VertexId>,
    /// Values of the globals at each vertex, if there are any.
    pub(super) values: Vec<Cell>,
}

impl<'e> Graph<'e> {
    /// No vertices yet.
    pub(super) fn empty(ersm: &'e Ersm) -> Graph<'e> {
        Graph {
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
        }
    }

    pub(super) fn new(ersm: &'e Ersm, limits: &Limits) -> Result<Graph<'e>, Reason> {
        let mut base = Vec::new();
        let mut graph = Graph::empty(ersm);
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

    /// How many globals the machine has.
    pub(super) fn globals(&self) -> usize {
        self.ersm.globals.len()
    }

    /// The values of the globals at a vertex.
    pub(super) fn values(&self, vertex: VertexId) -> &[Cell] {
        &self.values[vertex as usize..=vertex as usize]
    }

    pub(super) fn marks(&self, lists: &[Vec<VertexId>]) -> Vec<bool> {
        let mut marks = vec![false; self.at.len()];
        lists.iter().flatten().for_each(|&vertex| marks[vertex as usize] = true);
        marks
    }

    pub(super) fn add(&mut self, component: u32, at: At, vertex: Vertex) -> VertexId {
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

//! The machine as the search sees it: vertices of all procedures in one list, with their relations.
//!
//! The number of a vertex is its priority: callees come before callers, so that a summary is complete
//! (recursion aside) before it is used, and within a procedure vertices come in reverse postorder, so
//! that all predecessors but those on a loop come first.

use super::bdd::{Bdd, Halt, Made, Store};
use super::call::{Call, Calls, Frame};
use super::layout::Layout;
use super::transfer::{Transfer, Transfers};
use crate::model::{CallGraph, Ersm, ProcId, Procedure, Vertex};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// A vertex of the whole machine.
pub(super) type VertexId = u32;

/// What a vertex is besides a place where transitions begin.
pub(super) enum Kind {
    Plain,
    /// The exit with this place in the procedure's list.
    Exit(u32),
    Call(CallPort),
}

pub(super) struct CallPort {
    pub(super) call: Rc<Call>,
    pub(super) callee: ProcId,
    /// The callee's entry.
    pub(super) entry: VertexId,
    /// Return ports by exit, as far as they are used.
    pub(super) returns: Box<[Option<VertexId>]>,
}

pub(super) struct Place {
    pub(super) procedure: ProcId,
    pub(super) vertex: Vertex,
    /// Its number among the nodes of all procedures, if it is one.
    pub(super) node: Option<u32>,
    pub(super) kind: Kind,
    edges: Range<u32>,
    /// A step to it counts in a run: call ports of Boolean programs are one place with the node before
    /// them, and return ports are no place at all.
    pub(super) counts: bool,
}

/// A transition.
pub(super) struct Step {
    pub(super) transfer: Rc<Transfer>,
    pub(super) to: VertexId,
    /// Its number in its procedure.
    pub(super) edge: u32,
}

pub(super) struct Machine<'e> {
    pub(super) ersm: &'e Ersm,
    pub(super) store: &'e Store,
    pub(super) layout: &'e Layout,
    pub(super) places: Vec<Place>,
    steps: Vec<Step>,
    /// By procedure.
    frames: Vec<Rc<Frame>>,
    /// Call ports that call a procedure.
    pub(super) callers: Vec<Vec<VertexId>>,
    /// Vertices of the entries of each procedure, by place in its list.
    pub(super) entries: Vec<Vec<VertexId>>,
    /// Vertices of the exits of each procedure.
    pub(super) exits: Vec<Vec<VertexId>>,
    /// Where computations start, with the values there.
    pub(super) initial: Vec<(VertexId, Bdd)>,
}

impl<'e> Machine<'e> {
    pub(super) fn new(ersm: &'e Ersm, store: &'e Store, layout: &'e Layout) -> Result<Machine<'e>, Halt> {
        let mut builder = Builder::new(ersm, store, layout);
        let graph = CallGraph::new(ersm);
        for (procedure, _) in ersm.procedures() {
            let frame = builder.calls.frame(&builder.transfers, procedure)?;
            builder.machine.frames.push(frame);
        }
        for &procedure in &graph.bottom_up {
            builder.number(procedure);
        }
        for &procedure in &graph.bottom_up {
            builder.connect(procedure)?;
        }
        builder.start()?;
        Ok(builder.machine)
    }

    pub(super) fn steps(&self, vertex: VertexId) -> &[Step] {
        let Range { start, end } = self.places[vertex as usize].edges;
        &self.steps[start as usize..end as usize]
    }

    /// The frame of a vertex's procedure.
    pub(super) fn frame(&self, vertex: VertexId) -> &Frame {
        &self.frames[self.places[vertex as usize].procedure.index()]
    }

    /// What is called at a vertex, if it is a call port.
    pub(super) fn call(&self, vertex: VertexId) -> Option<&Call> {
        match &self.places[vertex as usize].kind {
            Kind::Call(port) => Some(&port.call),
            Kind::Plain | Kind::Exit(_) => None,
        }
    }

    /// The tag of an entry.
    pub(super) fn tag(&self, entry: VertexId) -> Made {
        let tags = self.frame(entry).interface.tags;
        let entries = &self.entries[self.places[entry as usize].procedure.index()];
        let entry = entries.iter().position(|other| *other == entry).unwrap_or(0);
        self.store.cube((0..tags).map(|bit| (self.layout.tag(bit), entry >> bit & 1 == 1)))
    }
}

struct Builder<'e> {
    machine: Machine<'e>,
    transfers: Transfers<'e>,
    calls: Calls,
    numbers: Vec<FxHashMap<Vertex, VertexId>>,
    ranges: Vec<Range<u32>>,
    /// Nodes of the procedures before each one.
    first_nodes: Vec<u32>,
}

impl<'e> Builder<'e> {
    fn new(ersm: &'e Ersm, store: &'e Store, layout: &'e Layout) -> Builder<'e> {
        let procedures = ersm.procedures.len();
        let machine = Machine {
            ersm,
            store,
            layout,
            places: Vec::new(),
            steps: Vec::new(),
            frames: Vec::new(),
            callers: vec![Vec::new(); procedures],
            entries: vec![Vec::new(); procedures],
            exits: vec![Vec::new(); procedures],
            initial: Vec::new(),
        };
        let mut nodes = 0;
        let first = |procedure: &Procedure| {
            nodes += procedure.nodes.len() as u32;
            nodes - procedure.nodes.len() as u32
        };
        Builder {
            machine,
            first_nodes: ersm.procedures.iter().map(first).collect(),
            transfers: Transfers::new(ersm, store, layout),
            calls: Calls::new(ersm),
            numbers: vec![FxHashMap::default(); procedures],
            ranges: vec![0..0; procedures],
        }
    }

    /// Gives the vertices of a procedure their numbers.
    fn number(&mut self, id: ProcId) {
        let procedure = self.machine.ersm.procedure(id);
        let order = reverse_postorder(self.machine.ersm, procedure);
        let first = self.machine.places.len() as u32;
        for vertex in order {
            self.numbers[id.index()].insert(vertex, self.machine.places.len() as u32);
            let kind = match vertex {
                Vertex::Node(node) => match procedure.exits.iter().position(|exit| *exit == node) {
                    Some(exit) => Kind::Exit(exit as u32),
                    None => Kind::Plain,
                },
                _ => Kind::Plain,
            };
            let counts = match vertex {
                Vertex::Node(_) => true,
                Vertex::Call(site, _) => procedure.boxes[site.index()].name.is_some(),
                Vertex::Return(..) => false,
            };
            let node = match vertex {
                Vertex::Node(node) => Some(self.first_nodes[id.index()] + node.index() as u32),
                _ => None,
            };
            self.machine.places.push(Place { procedure: id, vertex, node, kind, edges: 0..0, counts });
        }
        let number = |node: &crate::model::NodeId| self.numbers[id.index()][&Vertex::Node(*node)];
        self.machine.entries[id.index()] = procedure.entries.iter().map(number).collect();
        self.machine.exits[id.index()] = procedure.exits.iter().map(number).collect();
        self.ranges[id.index()] = first..self.machine.places.len() as u32;
    }

    /// Transitions and calls of a procedure.
    fn connect(&mut self, id: ProcId) -> Result<(), Halt> {
        let ersm = self.machine.ersm;
        let procedure = ersm.procedure(id);
        let mut leaving: Vec<(VertexId, u32)> = Vec::with_capacity(procedure.edges.len());
        for (index, edge) in procedure.edges.iter().enumerate() {
            // What control never reaches has no number.
            if let Some(&from) = self.numbers[id.index()].get(&edge.from) {
                leaving.push((from, index as u32));
            }
        }
        leaving.sort_unstable();
        for (from, index) in leaving {
            let edge = &procedure.edges[index as usize];
            let transfer = self.transfers.of_edge(edge)?;
            let to = self.numbers[id.index()][&edge.to];
            let end = self.machine.steps.len() as u32 + 1;
            let range = &mut self.machine.places[from as usize].edges;
            *range = if range.start == range.end { end - 1..end } else { range.start..end };
            self.machine.steps.push(Step { transfer, to, edge: index });
        }
        for vertex in self.ranges[id.index()].clone() {
            if let Vertex::Call(site, entry) = self.machine.places[vertex as usize].vertex {
                let site_of = &procedure.boxes[site.index()];
                let call = self.calls.call(&mut self.transfers, site_of, entry)?;
                let exits = 0..ersm.procedure(site_of.callee).exits.len() as u32;
                let port = |exit| self.numbers[id.index()].get(&Vertex::Return(site, exit)).copied();
                let returns = exits.map(port).collect();
                let callee = site_of.callee;
                let entry = self.machine.entries[callee.index()][entry as usize];
                self.machine.places[vertex as usize].kind = Kind::Call(CallPort { call, callee, entry, returns });
                self.machine.callers[callee.index()].push(vertex);
            }
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), Halt> {
        let Machine { ersm, store, layout, .. } = self.machine;
        for &(procedure, node) in &ersm.initial {
            let globals = ersm.globals.iter().enumerate().filter_map(|(index, global)| match global.initial {
                crate::model::Initial::Fixed(value) => Some((layout.now(index as u32), value)),
                crate::model::Initial::Arbitrary => None,
            });
            let vertex = self.numbers[procedure.index()][&Vertex::Node(node)];
            let locals = self.machine.frame(vertex).any_values();
            let values = store.and(&locals, &store.cube(globals)?)?;
            self.machine.initial.push((vertex, values));
        }
        Ok(())
    }
}

/// Vertices of a procedure that control can reach, and all its entries and exits. A call port is
/// followed by the return ports of its box.
fn reverse_postorder(ersm: &Ersm, procedure: &Procedure) -> Vec<Vertex> {
    let mut leaving: FxHashMap<Vertex, Vec<Vertex>> = FxHashMap::default();
    for edge in &procedure.edges {
        leaving.entry(edge.from).or_default().push(edge.to);
        if let Vertex::Call(site, _) = edge.to {
            let exits = ersm.procedure(procedure.boxes[site.index()].callee).exits.len() as u32;
            leaving.insert(edge.to, (0..exits).map(|exit| Vertex::Return(site, exit)).collect());
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    let mut order = Vec::new();
    // Exits first: what is not reached otherwise ends up behind everything.
    for &root in procedure.exits.iter().chain(procedure.entries.iter().rev()) {
        let mut path = vec![(Vertex::Node(root), 0usize)];
        if !seen.insert(Vertex::Node(root)) {
            continue;
        }
        while let Some((vertex, next)) = path.last_mut() {
            let successor = leaving.get(vertex).and_then(|list| list.get(*next)).copied();
            *next += 1;
            match successor {
                Some(successor) if seen.insert(successor) => path.push((successor, 0)),
                Some(_) => {}
                None => {
                    order.push(*vertex);
                    path.pop();
                }
            }
        }
    }
    order.reverse();
    order
}

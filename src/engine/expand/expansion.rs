//! The product of a machine without variables and an automaton as a plain graph. The automaton's state is in globals, and there is
//! nothing else: vertices are those of the machine with values, of which only those are made that control can come to, if returns
//! go to any caller.

use super::action::{Action, Command, Halt};
use super::graph::{At, Graph, SiteId, VertexId};
use super::program::Scratch;
use super::valuation::{CELL, Cell, set};
use crate::limits::{Limits, Reason};
use crate::model::{BoxId, Ersm, Initial, Vertex};
use crate::temporal::Product;
use rustc_hash::FxHashMap;

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
    /// The graph of a product that can be expanded.
    pub(super) fn expanded(ersm: &'e Ersm, limits: &Limits) -> Result<Graph<'e>, Reason> {
        Expansion::new(ersm, limits).run()
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
    /// By procedure and exit: the vertices at which it was left.
    left: FxHashMap<(usize, u32), Vec<VertexId>>,
    open: Vec<VertexId>,
}

impl<'e> Expansion<'e> {
    fn new(ersm: &'e Ersm, limits: &Limits) -> Expansion<'e> {
        let procedures = ersm.procedures.len();
        let mut graph = Graph::empty(ersm);
        (graph.entries, graph.exits) = (vec![Vec::new(); procedures], vec![Vec::new(); procedures]);
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
                Ok(()) => {}
                Err(Halt::Stopped(reason)) => return Err(reason),
                // A successor that is lost would be a proof of nothing.
                Err(Halt::Split(_)) => return Err(Reason::Internal("the automaton's state is open")),
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

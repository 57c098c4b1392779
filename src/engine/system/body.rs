//! The body of a procedure's predicate: all its paths between two heads as one circuit.
//!
//! Every vertex has the values of the variables on arrival and a condition under which the way there could
//! be taken, both as signals: where several ways meet, free *selectors* choose one (Clarke, Kroening and
//! Lerda 2004 do this with guards; here the way is chosen backward from the place that is asked for, so that
//! it is one path even where guards overlap). So the circuit is linear in the procedure. Which vertices and
//! holes are on the path follows from the selectors, from the last vertex back.
//!
//! The same construction gives the [`Plan`], by which a model is read as a path.

use super::graph::{Arrival, Graph};
use super::interface::Interface;
use crate::model::{Ersm, Goal, Initial, Leaf, NodeId, ProcId, Procedure, Var, Vertex};
use epitome_encodings::{Body, Circuit, Hole, Lit, Substitution};
use rustc_hash::FxHashMap;

/// How a path came to a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The procedure was entered.
    Entry,
    /// It was here before: the hole for the procedure itself.
    Head(usize),
    /// From a vertex (its place in the plan).
    Step(usize),
    /// From a call port, by a hole.
    Return(usize, usize),
}

/// A vertex on some paths.
pub(super) struct Stop {
    pub(super) vertex: Vertex,
    /// Values of the scope on arrival.
    pub(super) state: Vec<Lit>,
    /// The way could be taken.
    condition: Lit,
    /// Ways to come here, with the signals that choose them.
    pub(super) origins: Vec<(Lit, Origin)>,
    /// It is on the path.
    on: Lit,
}

/// How to read a model.
pub(super) struct Plan {
    pub(super) stops: Vec<Stop>,
    /// Last vertices of paths, by place in `stops`, with the signals that they are, and the hole in which
    /// the target is found.
    pub(super) ends: Vec<(Lit, usize, Option<usize>)>,
    /// The hole for the procedure itself: the last one, if there is one.
    pub(super) own_hole: usize,
}

/// What bodies are made of.
pub(super) struct Source<'e> {
    pub(super) ersm: &'e Ersm,
    pub(super) goal: &'e Goal,
    pub(super) interfaces: &'e [Interface],
}

/// A call in the making: the hole's arguments are known when the path is.
struct Site {
    callee: ProcId,
    entry: u32,
    before: Vec<Lit>,
    arguments: Vec<Lit>,
    /// The callee's values on return.
    values: Vec<Lit>,
    /// Where it returns by each exit, and where the target is found inside.
    exits: Vec<Lit>,
    target: Lit,
}

struct Builder<'b, 'e> {
    source: &'b Source<'e>,
    circuit: &'b mut Circuit,
    substitution: &'b mut Substitution<'e>,
    id: ProcId,
    procedure: &'e Procedure,
    interface: &'e Interface,
    inputs: u32,
    stops: Vec<Stop>,
    /// By vertex of the graph: its stop, as a place that is left. (What comes to a head is another stop.)
    leaves: Vec<usize>,
    sites: Vec<Site>,
    /// By call port.
    site_of: FxHashMap<Vertex, usize>,
    constant: Vec<Lit>,
    entered: Vec<Lit>,
    tags: Vec<Lit>,
    head_values: Vec<Lit>,
}

/// The body of a procedure's predicate, the procedures called in its holes, and the plan.
pub(super) fn build<'e>(
    source: &Source<'e>,
    circuit: &mut Circuit,
    substitution: &mut Substitution<'e>,
    id: ProcId,
) -> (Body, Vec<ProcId>, Plan) {
    let (procedure, interface) = (source.ersm.procedure(id), &source.interfaces[id.index()]);
    let graph = Graph::new(source.ersm, procedure);
    let mut builder = Builder {
        source,
        circuit,
        substitution,
        id,
        procedure,
        interface,
        inputs: 0,
        stops: Vec::new(),
        leaves: vec![usize::MAX; graph.vertices.len()],
        sites: Vec::new(),
        site_of: FxHashMap::default(),
        constant: Vec::new(),
        entered: Vec::new(),
        tags: Vec::new(),
        head_values: Vec::new(),
    };
    builder.constant = builder.fresh_all(interface.constant.len());
    builder.entered = builder.fresh_all(interface.entered.len());
    builder.tags = builder.fresh_all(interface.tags as usize);
    if !interface.heads.is_empty() {
        builder.head_values = builder.fresh_all(interface.values.len());
    }
    for vertex in 0..graph.vertices.len() {
        builder.visit(&graph, vertex);
    }
    let arrivals: Vec<(Vertex, usize)> = (0..graph.vertices.len())
        .filter(|&vertex| graph.is_head[vertex])
        .map(|vertex| (graph.vertices[vertex], builder.arrive(&graph, vertex)))
        .collect();
    builder.finish(&graph, &arrivals)
}

impl<'e> Builder<'_, 'e> {
    fn fresh(&mut self) -> Lit {
        self.inputs += 1;
        self.circuit.input(self.inputs - 1)
    }

    fn fresh_all(&mut self, count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.fresh()).collect()
    }

    /// The vertex as a place that is left.
    fn visit(&mut self, graph: &Graph, vertex: usize) {
        self.leaves[vertex] = if graph.is_head[vertex] {
            let state = self.at_head();
            self.stop(graph.vertices[vertex], state, Lit::TRUE, vec![(Lit::TRUE, Origin::Head(vertex))])
        } else {
            self.arrive(graph, vertex)
        };
        if let Vertex::Call(site, entry) = graph.vertices[vertex] {
            self.call(graph.vertices[vertex], site.index(), entry, self.leaves[vertex]);
        }
    }

    fn stop(&mut self, vertex: Vertex, state: Vec<Lit>, condition: Lit, origins: Vec<(Lit, Origin)>) -> usize {
        self.stops.push(Stop { vertex, state, condition, origins, on: Lit::FALSE });
        self.stops.len() - 1
    }

    /// The values at a head, from the hole for the procedure itself.
    fn at_head(&mut self) -> Vec<Lit> {
        let interface = self.interface;
        let mut state = self.at_entry();
        for (&var, &value) in interface.values.iter().zip(&self.head_values) {
            if !interface.constant.contains(&var) {
                state[interface.index(var)] = value;
            }
        }
        state
    }

    /// The values at an entry.
    fn at_entry(&mut self) -> Vec<Lit> {
        let interface = self.interface;
        let mut state: Vec<Option<Lit>> = vec![None; interface.scope.len()];
        let known = interface.constant.iter().zip(&self.constant).chain(interface.entered.iter().zip(&self.entered));
        for (&var, &value) in known {
            state[interface.index(var)] = Some(value);
        }
        let initial = |var: Var| match var {
            Var::Global(global) => self.source.ersm.globals[global as usize].initial,
            Var::Local(local) if self.procedure.inputs.contains(&local) => Initial::Arbitrary,
            Var::Local(local) => self.procedure.locals[local as usize].initial,
        };
        let fixed: Vec<Option<Lit>> = interface
            .scope
            .iter()
            .map(|&var| match initial(var) {
                Initial::Fixed(value) => Some(Lit::constant(value)),
                Initial::Arbitrary => None,
            })
            .collect();
        let state = state.into_iter().zip(fixed);
        state.map(|(known, fixed)| known.or(fixed).unwrap_or_else(|| self.fresh())).collect()
    }

    /// The vertex as a place that is come to: its ways are merged.
    fn arrive(&mut self, graph: &Graph, vertex: usize) -> usize {
        let mut ways: Vec<(Lit, Vec<Lit>, Origin)> = Vec::new();
        if let Vertex::Node(node) = graph.vertices[vertex] {
            self.enter(node, &mut ways);
        }
        for &arrival in &graph.arrivals[vertex] {
            let from = self.leaves[arrival.from()];
            if from != usize::MAX {
                let way = match arrival {
                    Arrival::Step { edge, .. } => self.step(edge as usize, from),
                    Arrival::Return { .. } => self.come_back(graph.vertices[vertex], from),
                };
                ways.push(way);
            }
        }
        let (condition, state, origins) = self.merge(ways);
        self.stop(graph.vertices[vertex], state, condition, origins)
    }

    fn enter(&mut self, node: NodeId, ways: &mut Vec<(Lit, Vec<Lit>, Origin)>) {
        let starts = if self.interface.is_called {
            let place = self.procedure.entries.iter().position(|entry| *entry == node);
            place.map(|place| self.circuit.is_number(&self.tags, place))
        } else {
            self.source.ersm.initial.contains(&(self.id, node)).then_some(Lit::TRUE)
        };
        if let Some(condition) = starts {
            let state = self.at_entry();
            ways.push((condition, state, Origin::Entry));
        }
    }

    fn step(&mut self, edge: usize, from: usize) -> (Lit, Vec<Lit>, Origin) {
        let edge = &self.procedure.edges[edge];
        let choices = self.fresh_all(edge.choices.len());
        let mut signals = vec![edge.guard];
        signals.extend(edge.assignments.iter().map(|(_, value)| *value));
        let signals = self.substitute(&signals, from, &choices);
        let mut state = self.stops[from].state.clone();
        for ((var, _), &value) in edge.assignments.iter().zip(&signals[1..]) {
            state[self.interface.index(*var)] = value;
        }
        let condition = self.circuit.and(self.stops[from].condition, signals[0]);
        (condition, state, Origin::Step(from))
    }

    fn substitute(&mut self, signals: &[Lit], from: usize, choices: &[Lit]) -> Vec<Lit> {
        let (interface, state) = (self.interface, &self.stops[from].state);
        self.substitution.substitute_all(self.circuit, signals, |number| {
            Some(match Leaf::from_number(number) {
                Leaf::Var(var) => state[interface.index(var)],
                Leaf::Choice(choice) => choices[choice as usize],
            })
        })
    }

    fn call(&mut self, vertex: Vertex, site: usize, entry: u32, from: usize) {
        let site = &self.procedure.boxes[site];
        let choices = self.fresh_all(site.choices.len());
        let arguments = self.substitute(&site.arguments, from, &choices);
        let callee = &self.source.interfaces[site.callee.index()];
        let values = callee.values.iter().map(|&var| if callee.is_result(var) { self.fresh() } else { Lit::FALSE });
        let values = values.collect();
        self.site_of.insert(vertex, self.sites.len());
        self.sites.push(Site {
            callee: site.callee,
            entry,
            before: self.stops[from].state.clone(),
            arguments,
            values,
            exits: vec![Lit::FALSE; callee.exits.len()],
            target: Lit::FALSE,
        });
    }

    fn come_back(&mut self, vertex: Vertex, from: usize) -> (Lit, Vec<Lit>, Origin) {
        let hole = self.site_of[&self.stops[from].vertex];
        let site = &self.sites[hole];
        let callee = &self.source.interfaces[site.callee.index()];
        let value = |var: Var| callee.values.iter().position(|other| *other == var).map(|place| site.values[place]);
        let mut state = self.stops[from].state.clone();
        for &global in &callee.written {
            if let Some(value) = value(global) {
                state[self.interface.index(global)] = value;
            }
        }
        if let Vertex::Return(call, _) = vertex {
            for (output, target) in callee.outputs.iter().zip(&self.procedure.boxes[call.index()].results) {
                if let (Some(target), Some(value)) = (target, value(*output)) {
                    state[self.interface.index(*target)] = value;
                }
            }
        }
        (self.stops[from].condition, state, Origin::Return(from, hole))
    }

    /// One way out of several, chosen freely.
    fn merge(&mut self, ways: Vec<(Lit, Vec<Lit>, Origin)>) -> (Lit, Vec<Lit>, Vec<(Lit, Origin)>) {
        let mut origins = Vec::with_capacity(ways.len());
        let mut merged: Option<(Lit, Vec<Lit>)> = None;
        let mut none_before = Lit::TRUE;
        // The last way is what is left when no other was chosen.
        let count = ways.len();
        for (index, (condition, state, origin)) in ways.into_iter().enumerate() {
            let chosen = if index + 1 == count { Lit::TRUE } else { self.fresh() };
            let first = self.circuit.and(none_before, chosen);
            none_before = self.circuit.and(none_before, !chosen);
            origins.push((first, origin));
            merged = Some(match merged {
                None => (condition, state),
                Some((others, values)) => {
                    let condition = self.circuit.ite(first, condition, others);
                    let pairs = state.into_iter().zip(values);
                    (condition, pairs.map(|(a, b)| self.circuit.ite(first, a, b)).collect())
                }
            });
        }
        let (condition, state) = merged.unwrap_or_else(|| (Lit::FALSE, vec![Lit::FALSE; self.interface.scope.len()]));
        (condition, state, origins)
    }

    /// The places that are asked for, what is on the path to them, and the holes.
    fn finish(mut self, graph: &Graph, arrivals: &[(Vertex, usize)]) -> (Body, Vec<ProcId>, Plan) {
        let interface = self.interface;
        let target = if interface.has_target_bit() { self.fresh() } else { Lit::constant(interface.finds) };
        let place = self.fresh_all(interface.place_bits() as usize);
        let mut ends: Vec<(Lit, usize, Option<usize>)> = Vec::new();
        let number = |vertex: Vertex| graph.vertices.iter().position(|other| *other == vertex);
        for (index, &exit) in interface.exits.iter().enumerate() {
            if let Some(vertex) = number(Vertex::Node(exit)) {
                let here = self.circuit.is_number(&place, index);
                let stop = self.arrived(vertex, graph, arrivals);
                ends.push((self.circuit.and(!target, here), stop, None));
            }
        }
        for (index, &(_, stop)) in arrivals.iter().enumerate() {
            let here = self.circuit.is_number(&place, interface.exits.len() + index);
            ends.push((self.circuit.and(!target, here), stop, None));
        }
        let places = ends.len();
        let mut guard = Lit::FALSE;
        self.find_targets(graph, arrivals, target, &mut ends);
        for (on, stop, _) in &ends {
            let possible = self.circuit.and(*on, self.stops[*stop].condition);
            guard = self.circuit.or(guard, possible);
        }
        let values = self.values_at(&ends[..places]);
        self.mark(&ends);
        let mut arguments = self.constant.clone();
        arguments.extend(self.entered.iter().chain(&self.tags));
        arguments.extend(interface.has_target_bit().then_some(target));
        arguments.extend(place.iter().chain(&values));
        let (holes, callees) = self.holes(graph);
        let own_hole = holes.len().saturating_sub(1);
        let body = Body { arguments: arguments.into(), guard, holes: holes.into() };
        (body, callees, Plan { stops: self.stops, ends, own_hole })
    }

    /// The stop at which a vertex is come to.
    fn arrived(&self, vertex: usize, graph: &Graph, arrivals: &[(Vertex, usize)]) -> usize {
        let head = arrivals.iter().find(|(other, _)| *other == graph.vertices[vertex]);
        head.map_or(self.leaves[vertex], |&(_, stop)| stop)
    }

    /// Where the target is found: at a vertex, or inside a call.
    fn find_targets(
        &mut self,
        graph: &Graph,
        arrivals: &[(Vertex, usize)],
        target: Lit,
        ends: &mut Vec<(Lit, usize, Option<usize>)>,
    ) {
        let (source, id) = (self.source, self.id);
        let mut found: Vec<(usize, Option<usize>)> = Vec::new();
        for (vertex, &what) in graph.vertices.iter().enumerate() {
            match what {
                Vertex::Node(node) if source.goal.targets.contains(id, node) => {
                    found.push((self.arrived(vertex, graph, arrivals), None));
                }
                Vertex::Call(..) => {
                    let hole = self.site_of[&what];
                    let callee = self.sites[hole].callee;
                    let stop = self.leaves[vertex];
                    if source.goal.calls.contains(&callee) {
                        found.push((stop, None));
                    }
                    if source.interfaces[callee.index()].finds {
                        found.push((stop, Some(hole)));
                    }
                }
                _ => {}
            }
        }
        let mut left = target;
        let count = found.len();
        for (index, (stop, hole)) in found.into_iter().enumerate() {
            let chosen = if index + 1 == count { Lit::TRUE } else { self.fresh() };
            let here = self.circuit.and(left, chosen);
            left = self.circuit.and(left, !chosen);
            if let Some(hole) = hole {
                self.sites[hole].target = self.circuit.or(self.sites[hole].target, here);
            }
            ends.push((here, stop, hole));
        }
    }

    /// The values at the place that is asked for. Where nobody sees a value, it is any.
    fn values_at(&mut self, places: &[(Lit, usize, Option<usize>)]) -> Vec<Lit> {
        let interface = self.interface;
        let mut values = Vec::with_capacity(interface.values.len());
        for &var in &interface.values {
            let index = interface.index(var);
            let is_seen = |stop: usize| {
                let at_exit = matches!(self.stops[stop].vertex, Vertex::Node(node) if interface.exits.contains(&node));
                !at_exit || interface.is_result(var)
            };
            let seen: Vec<(Lit, Lit)> = places
                .iter()
                .filter(|(_, stop, _)| is_seen(*stop))
                .map(|&(on, stop, _)| (on, self.stops[stop].state[index]))
                .collect();
            let mut value = match seen.as_slice() {
                [(Lit::TRUE, value)] => *value,
                _ => self.fresh(),
            };
            for (on, here) in seen {
                value = self.circuit.ite(on, here, value);
            }
            values.push(value);
        }
        values
    }

    /// What is on the path: from the ends back. (Stops come after those they are reached from, those at
    /// which loops end after all others.)
    fn mark(&mut self, ends: &[(Lit, usize, Option<usize>)]) {
        for &(on, stop, _) in ends {
            self.stops[stop].on = self.circuit.or(self.stops[stop].on, on);
        }
        for index in (0..self.stops.len()).rev() {
            let on = self.stops[index].on;
            if on == Lit::FALSE {
                continue;
            }
            for (chosen, origin) in self.stops[index].origins.clone() {
                let here = self.circuit.and(on, chosen);
                match origin {
                    Origin::Entry | Origin::Head(_) => {}
                    Origin::Step(from) => self.stops[from].on = self.circuit.or(self.stops[from].on, here),
                    Origin::Return(from, hole) => {
                        self.stops[from].on = self.circuit.or(self.stops[from].on, here);
                        if let Vertex::Return(_, exit) = self.stops[index].vertex {
                            let exit = &mut self.sites[hole].exits[exit as usize];
                            *exit = self.circuit.or(*exit, here);
                        }
                    }
                }
            }
        }
    }

    /// The holes of all calls, and the one for the procedure itself.
    fn holes(&mut self, graph: &Graph) -> (Vec<Hole>, Vec<ProcId>) {
        let (mut holes, mut callees) = (Vec::new(), Vec::new());
        for site in std::mem::take(&mut self.sites) {
            callees.push(site.callee);
            holes.push(self.hole(site));
        }
        if !self.interface.heads.is_empty() {
            let heads = self.stops.iter().filter_map(|stop| match stop.origins[..] {
                [(_, Origin::Head(vertex))] => Some((graph.vertices[vertex], stop.on)),
                _ => None,
            });
            let heads: Vec<(Vertex, Lit)> = heads.collect();
            callees.push(self.id);
            holes.push(self.own_hole(&heads));
        }
        (holes, callees)
    }

    fn hole(&mut self, site: Site) -> Hole {
        let callee = &self.source.interfaces[site.callee.index()];
        let entering = |var: Var| match var {
            Var::Global(_) => site.before[self.interface.index(var)],
            Var::Local(_) => {
                let place = callee.inputs.iter().position(|input| *input == var);
                place.map_or(Lit::FALSE, |place| site.arguments[place])
            }
        };
        let mut arguments: Vec<Lit> = callee.constant.iter().chain(&callee.entered).map(|&var| entering(var)).collect();
        arguments.extend((0..callee.tags).map(|bit| Lit::constant(site.entry >> bit & 1 == 1)));
        arguments.extend(callee.has_target_bit().then_some(site.target));
        for bit in 0..callee.place_bits() {
            arguments.push(self.number_bit(&site.exits, 0, bit));
        }
        arguments.extend(&site.values);
        let left = site.exits.iter().fold(site.target, |any, &exit| self.circuit.or(any, exit));
        Hole { active: left, arguments: arguments.into() }
    }

    fn own_hole(&mut self, heads: &[(Vertex, Lit)]) -> Hole {
        let interface = self.interface;
        let mut arguments = self.constant.clone();
        arguments.extend(self.entered.iter().chain(&self.tags));
        arguments.extend(interface.has_target_bit().then_some(Lit::FALSE));
        let on: Vec<Lit> = interface
            .heads
            .iter()
            .map(|head| heads.iter().find(|(vertex, _)| vertex == head).map_or(Lit::FALSE, |(_, on)| *on))
            .collect();
        for bit in 0..interface.place_bits() {
            arguments.push(self.number_bit(&on, interface.exits.len(), bit));
        }
        arguments.extend(&self.head_values);
        let active = on.iter().fold(Lit::FALSE, |any, &head| self.circuit.or(any, head));
        Hole { active, arguments: arguments.into() }
    }

    /// A bit of the number of the one signal that is true, counted from `first`.
    fn number_bit(&mut self, signals: &[Lit], first: usize, bit: u32) -> Lit {
        let with_bit = signals.iter().enumerate().filter(|(index, _)| (first + index) >> bit & 1 == 1);
        with_bit.fold(Lit::FALSE, |any, (_, &signal)| self.circuit.or(any, signal))
    }
}

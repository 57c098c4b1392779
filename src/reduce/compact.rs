//! Compaction: acyclic runs of nodes become one transition with one circuit, so that only entries,
//! exits, ports, loop heads and the nodes that are looked for remain.
//!
//! Removed nodes are divided among the kept vertices ([`partition`](super::partition)), and the region
//! of each kept vertex is executed symbolically ([`symbolic`](super::symbolic)): one transition for each
//! kept vertex that the region leads to, over the values where the region begins and the choices of all
//! transitions on the way. The choices of a new transition are numbered anew, without gaps.
//!
//! Why the answer is the same. Cut a path of the procedure at its kept vertices. What lies between two
//! neighbours is a path through the region of the first: a removed node is entered from its own region
//! only. The symbolic execution is exact, so there is a new transition that does the same; and each
//! new transition, with values for its choices, is a path through a region. Entries, exits and ports are
//! kept, so calls begin and end as they did, and by induction over the steps of a run the same kept
//! vertices are reached with the same values. Targets, and the ports of all calls, are kept.
//!
//! What is not the same: the number of steps, so `X` of temporal logic; and who moves when, where
//! choices of the system and of the environment are merged into one transition.
//!
//! All regions together execute each transition once, regions that are alike only once in all (a program
//! of a hundred thousand similar procedures takes the time of one, and of copying), and the circuits that are left are built anew, so
//! that nothing of the merged transitions remains in them.

use super::partition::{Graph, Partition, partition};
use super::symbolic::{Arrival, Execution, Region, Source, To, execute};
use super::{Back, ProcedureBack, Step, Task};
use crate::model::{Edge, Ersm, Goal, Leaf, NodeId, NodeSet, Owner, ProcId, Procedure, Var, Vertex};
use epitome_encodings::{Circuit, Lit, Substitution};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Compacts every procedure.
pub fn compact(task: Task) -> Step {
    let Task { mut ersm, goal } = task;
    let old = std::mem::take(&mut ersm.circuit);
    let mut compactor = Compactor {
        same: Substitution::new(&old),
        symbolic: Substitution::new(&old),
        circuit: Circuit::new(),
        known: FxHashMap::default(),
    };
    let mut back = Back { procedures: Vec::new(), globals: (0..ersm.globals.len() as u32).collect() };
    let mut numbers: Vec<Vec<Option<NodeId>>> = Vec::with_capacity(ersm.procedures.len());
    for (index, procedure) in ersm.procedures.iter_mut().enumerate() {
        let (way_back, number) = compactor.procedure(index.into(), procedure, &goal);
        back.procedures.push(way_back);
        numbers.push(number);
    }
    ersm.circuit = compactor.circuit;
    let goal = renumber(&mut ersm, goal, &back, &numbers);
    Step { task: Task { ersm, goal }, back }
}

/// Carries the new numbers of nodes to all that names nodes from outside of procedures.
fn renumber(ersm: &mut Ersm, goal: Goal, back: &Back, numbers: &[Vec<Option<NodeId>>]) -> Goal {
    let set = |procedure: ProcId, node: &mut NodeId| {
        let number = numbers[procedure.index()][node.index()];
        *node = number.unwrap_or(*node);
        number.is_some()
    };
    ersm.initial.retain_mut(|(procedure, node)| set(*procedure, node));
    ersm.places.retain_mut(|place| set(place.procedure, &mut place.node));
    ersm.failures.retain_mut(|failure| set(failure.procedure, &mut failure.node));
    let mut targets = NodeSet::new(ersm);
    for (index, procedure) in back.procedures.iter().enumerate() {
        for (node, above) in procedure.nodes.iter().enumerate() {
            if goal.targets.contains(index.into(), *above) {
                targets.insert(index.into(), node.into());
            }
        }
    }
    Goal { targets, ..goal }
}

/// What a region does on the way to one of its ends, in the circuit that is left.
struct Merged {
    end: usize,
    /// The first of the region's own transitions that leads there.
    first: usize,
    guard: Lit,
    assignments: Box<[(Var, Lit)]>,
    choices: Box<[Owner]>,
}

struct Compactor<'c> {
    /// Rebuilds what stays as it is.
    same: Substitution<'c>,
    /// Rebuilds what is executed.
    symbolic: Substitution<'c>,
    circuit: Circuit,
    /// Executed regions by signature: similar procedures have the same.
    known: FxHashMap<Vec<u32>, Rc<[Merged]>>,
}

impl Compactor<'_> {
    /// Compacts a procedure; gives the way back, and by node its new number.
    fn procedure(
        &mut self,
        id: ProcId,
        procedure: &mut Procedure,
        goal: &Goal,
    ) -> (ProcedureBack, Vec<Option<NodeId>>) {
        let graph = Graph::new(procedure);
        let is_target = |node| goal.targets.contains(id, node);
        let partition = partition(self.same.circuit(), procedure, &graph, is_target);
        let (nodes, numbers) = numbering(procedure, &partition);
        let regions = Regions { procedure, graph: &graph, partition: &partition, numbers: &numbers };
        let (edges, inner) = self.edges(&regions);
        procedure.edges = edges;
        let mut node = 0..;
        procedure.nodes.retain(|_| node.next().is_some_and(|node: usize| numbers[node].is_some()));
        for node in procedure.entries.iter_mut().chain(&mut procedure.exits) {
            *node = numbers[node.index()].unwrap_or(*node);
        }
        for call in &mut procedure.boxes {
            let arguments = self.same.extend(&mut self.circuit, &call.arguments, |_| None);
            call.arguments.copy_from_slice(&arguments);
        }
        let back = ProcedureBack {
            procedure: id,
            nodes,
            boxes: (0..procedure.boxes.len()).map(Into::into).collect(),
            locals: (0..procedure.locals.len() as u32).collect(),
            inner,
            live: None,
        };
        (back, numbers)
    }

    /// The transitions that are left, and the nodes that they pass through.
    fn edges(&mut self, regions: &Regions<'_, '_>) -> (Vec<Edge>, FxHashMap<Vertex, Box<[NodeId]>>) {
        let (mut edges, mut inner) = (Vec::new(), FxHashMap::default());
        let mut numbers = vec![None; regions.graph.vertices.len()];
        for (vertex, removed) in regions.all() {
            if removed.is_empty() {
                let kept = regions.graph.leaving(vertex).iter();
                edges.extend(kept.map(|(edge, _)| self.copy(edge, regions)));
                continue;
            }
            let (region, ends) = regions.region(vertex, &removed, &mut numbers);
            let from = regions.vertex(vertex);
            for merged in self.merge(&region).iter() {
                let first = region.sources[0].edges[merged.first].0;
                edges.push(Edge {
                    from,
                    to: regions.vertex(ends[merged.end]),
                    guard: merged.guard,
                    assignments: merged.assignments.clone(),
                    choices: merged.choices.clone(),
                    label: first.label,
                    span: first.span,
                });
            }
            inner.insert(from, removed.into_iter().map(NodeId).collect());
        }
        (edges, inner)
    }

    /// A transition between kept vertices that no other is merged with.
    fn copy(&mut self, edge: &Edge, regions: &Regions<'_, '_>) -> Edge {
        let signals: Vec<Lit> = edge.assignments.iter().map(|(_, lit)| *lit).chain([edge.guard]).collect();
        let mut signals = self.same.extend(&mut self.circuit, &signals, |_| None);
        let guard = signals.pop().unwrap_or(Lit::TRUE);
        let assignments = edge.assignments.iter().map(|(var, _)| *var).zip(signals).collect();
        let (from, to) = (regions.renumbered(edge.from), regions.renumbered(edge.to));
        Edge { from, to, guard, assignments, choices: edge.choices.clone(), label: edge.label, span: edge.span }
    }

    /// The transitions of a region, one for each vertex it leads to.
    fn merge(&mut self, region: &Region<'_>) -> Rc<[Merged]> {
        let signature = region.signature();
        if let Some(known) = self.known.get(&signature) {
            return known.clone();
        }
        let mut scratch = Circuit::new();
        let Execution { ends, slots, .. } = execute(region, &mut self.symbolic, &mut scratch);
        let mut substitution = Substitution::new(&scratch);
        let arrivals = ends.into_iter().enumerate().filter_map(|(end, arrival)| Some((end, arrival?)));
        let merged: Rc<[Merged]> =
            arrivals.map(|(end, arrival)| self.finish(&mut substitution, end, &arrival, &slots)).collect();
        self.known.insert(signature, merged.clone());
        merged
    }

    /// A new transition, in the circuit that is left.
    fn finish(
        &mut self,
        substitution: &mut Substitution<'_>,
        end: usize,
        arrival: &Arrival,
        slots: &[Owner],
    ) -> Merged {
        let scratch = substitution.circuit();
        let changed = |(var, lit): &(Var, Lit)| scratch.find_input(Leaf::Var(*var).number()) != Some(*lit);
        let mut values: Vec<(Var, Lit)> =
            arrival.values.iter().map(|(var, lit)| (*var, *lit)).filter(changed).collect();
        values.sort_unstable();
        let signals: Vec<Lit> = values.iter().map(|(_, lit)| *lit).chain([arrival.condition]).collect();
        let used =
            scratch.support(signals.iter().copied()).into_iter().filter_map(|number| match Leaf::from_number(number) {
                Leaf::Choice(slot) => Some(slot),
                Leaf::Var(_) => None,
            });
        let used: Vec<u32> = used.collect();
        let choice_inputs: Vec<Lit> =
            (0..used.len() as u32).map(|choice| self.circuit.input(Leaf::Choice(choice).number())).collect();
        let mut signals =
            substitution.substitute_all(&mut self.circuit, &signals, |number| match Leaf::from_number(number) {
                Leaf::Choice(slot) => used.binary_search(&slot).ok().map(|choice| choice_inputs[choice]),
                Leaf::Var(_) => None,
            });
        let guard = signals.pop().unwrap_or(Lit::TRUE);
        let assignments = values.iter().map(|(var, _)| *var).zip(signals).collect();
        let choices = used.iter().map(|&slot| slots[slot as usize]).collect();
        Merged { end, first: arrival.first, guard, assignments, choices }
    }
}

/// The kept nodes, and by node its new number.
fn numbering(procedure: &Procedure, partition: &Partition) -> (Vec<NodeId>, Vec<Option<NodeId>>) {
    let mut nodes = Vec::new();
    let numbers = (0..procedure.nodes.len()).map(|node| {
        partition.keeps(node as u32).then(|| {
            nodes.push(NodeId::from(node));
            NodeId::from(nodes.len() - 1)
        })
    });
    let numbers = numbers.collect();
    (nodes, numbers)
}

/// A procedure that is divided into regions.
struct Regions<'r, 'e> {
    procedure: &'e Procedure,
    graph: &'r Graph<'e>,
    partition: &'r Partition,
    numbers: &'r [Option<NodeId>],
}

impl<'e> Regions<'_, 'e> {
    /// The kept vertices with the removed nodes of their regions in topological order.
    fn all(&self) -> Vec<(u32, Vec<u32>)> {
        let order = &self.partition.order;
        let kept: Vec<u32> = order.iter().copied().filter(|vertex| self.partition.keeps(*vertex)).collect();
        let mut place = vec![0; order.len()];
        kept.iter().enumerate().for_each(|(index, vertex)| place[*vertex as usize] = index);
        let mut all: Vec<(u32, Vec<u32>)> = kept.into_iter().map(|vertex| (vertex, Vec::new())).collect();
        for &vertex in order.iter().filter(|vertex| !self.partition.keeps(**vertex)) {
            all[place[self.partition.region[vertex as usize] as usize]].1.push(vertex);
        }
        all
    }

    /// The region of a kept vertex, and the vertices it leads to. `numbers` has a place for each vertex;
    /// it is empty before and after.
    fn region(&self, vertex: u32, removed: &[u32], numbers: &mut [Option<To>]) -> (Region<'e>, Vec<u32>) {
        for (index, node) in removed.iter().enumerate() {
            numbers[*node as usize] = Some(To::Source(index + 1));
        }
        let mut ends = Vec::new();
        let mut sources = Vec::with_capacity(removed.len() + 1);
        for vertex in std::iter::once(vertex).chain(removed.iter().copied()) {
            let owner = match self.graph.vertices[vertex as usize] {
                Vertex::Node(node) => self.procedure.nodes[node.index()].owner,
                Vertex::Call(..) | Vertex::Return(..) => Owner::System,
            };
            let edges = self.graph.leaving(vertex).iter().map(|&(edge, to)| {
                let number = numbers[to as usize].get_or_insert_with(|| {
                    ends.push(to);
                    To::End(ends.len() - 1)
                });
                (edge, *number)
            });
            sources.push(Source { owner, edges: edges.collect() });
        }
        removed.iter().chain(&ends).for_each(|vertex| numbers[*vertex as usize] = None);
        (Region { sources, ends: ends.len() }, ends)
    }

    /// A kept vertex in the new numbers.
    fn vertex(&self, vertex: u32) -> Vertex {
        self.renumbered(self.graph.vertices[vertex as usize])
    }

    fn renumbered(&self, vertex: Vertex) -> Vertex {
        match vertex {
            Vertex::Node(node) => Vertex::Node(self.numbers[node.index()].unwrap_or(node)),
            port => port,
        }
    }
}

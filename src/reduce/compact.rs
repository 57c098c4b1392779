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
//! All regions together execute each transition once, procedures and regions that are alike only once in
//! all (a program of a hundred thousand similar procedures takes the time of one, and of copying), and the
//! circuits that are left are built anew, so that nothing of the merged transitions remains in them.

use super::partition::{Graph, partition};
use super::regions::{Regions, numbering};
use super::signature::sign_edge;
use super::symbolic::{Arrival, Execution, Region, execute};
use super::{Back, Draft, ProcedureBack, Step, Table, Task};
use crate::model::{CallBox, Edge, Ersm, Goal, Leaf, NodeId, NodeSet, Owner, ProcId, Procedure, Var};
use epitome_encodings::{Circuit, Lit, Substitution};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::rc::Rc;

/// Transitions of a procedure up to which it is remembered, for others that are alike: large ones seldom are.
const MOST_REMEMBERED: usize = 1000;

/// Compacts every procedure.
pub fn compact(task: Task) -> Step {
    let mut draft = Draft::new(Cow::Owned(task.ersm), Cow::Owned(task.goal));
    let back = compact_draft(&mut draft);
    Step { task: draft.into_task(), back }
}

/// Compacts every procedure of a draft. The machine is built anew from the one before.
pub(super) fn compact_draft(draft: &mut Draft<'_>) -> Back {
    let (ersm, goal) = (&*draft.ersm, &*draft.goal);
    let mut compactor = Compactor {
        same: Substitution::new(&ersm.circuit),
        symbolic: Substitution::new(&ersm.circuit),
        circuit: Circuit::new(),
        regions: FxHashMap::default(),
        procedures: FxHashMap::default(),
        signature: Vec::new(),
    };
    let mut back = Back {
        procedures: Vec::with_capacity(ersm.procedures.len()),
        globals: (0..ersm.globals.len() as u32).collect(),
    };
    let mut procedures = Vec::with_capacity(ersm.procedures.len());
    let mut compacted = Vec::with_capacity(ersm.procedures.len());
    for (id, procedure) in ersm.procedures() {
        let plan = compactor.plan(id, procedure, goal);
        procedures.push(compactor.procedure(procedure, &plan));
        back.procedures.push(ProcedureBack {
            nodes: plan.nodes.clone(),
            inner: plan.inner.clone(),
            ..ProcedureBack::without_nodes(id, procedure)
        });
        compacted.push(plan);
    }
    let mut new = Ersm {
        names: ersm.names.clone(),
        globals: ersm.globals.clone(),
        procedures,
        circuit: compactor.circuit,
        initial: ersm.initial.clone(),
        places: ersm.places.clone(),
        failures: ersm.failures.clone(),
    };
    let goal = renumber(&mut new, goal, &compacted);
    *draft = Draft::new(Cow::Owned(new), Cow::Owned(goal));
    back
}

/// Carries the new numbers of nodes to all that names nodes from outside of procedures.
fn renumber(ersm: &mut Ersm, goal: &Goal, compacted: &[Rc<Compacted>]) -> Goal {
    let set = |procedure: ProcId, node: &mut NodeId| {
        let number = compacted[procedure.index()].numbers[node.index()];
        *node = number.unwrap_or(*node);
        number.is_some()
    };
    ersm.initial.retain_mut(|(procedure, node)| set(*procedure, node));
    ersm.places.retain_mut(|place| set(place.procedure, &mut place.node));
    ersm.failures.retain_mut(|failure| set(failure.procedure, &mut failure.node));
    let mut targets = NodeSet::new(ersm);
    for (index, procedure) in compacted.iter().enumerate() {
        for (node, above) in procedure.nodes.iter().enumerate() {
            if goal.targets.contains(index.into(), *above) {
                targets.insert(index.into(), node.into());
            }
        }
    }
    Goal { targets, calls: goal.calls.clone(), all: goal.all }
}

/// What becomes of a procedure, and of all that are like it.
struct Compacted {
    /// The nodes that are kept.
    nodes: Vec<NodeId>,
    /// By node its new number.
    numbers: Vec<Option<NodeId>>,
    /// By kept vertex: the nodes that its transitions pass through.
    inner: Table<NodeId>,
    /// The transitions that are left, and for each the place of the one from which it has its label and span.
    edges: Vec<(Edge, u32)>,
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
    regions: FxHashMap<Vec<u32>, Rc<[Merged]>>,
    /// Compacted procedures by signature.
    procedures: FxHashMap<Vec<u32>, Rc<Compacted>>,
    /// Memory for the signature of a procedure.
    signature: Vec<u32>,
}

impl Compactor<'_> {
    /// What becomes of a procedure.
    fn plan(&mut self, id: ProcId, procedure: &Procedure, goal: &Goal) -> Rc<Compacted> {
        let is_target = |node| goal.targets.contains(id, node);
        if procedure.edges.len() > MOST_REMEMBERED {
            return Rc::new(self.compacted(procedure, is_target));
        }
        let mut signature = std::mem::take(&mut self.signature);
        sign(procedure, is_target, &mut signature);
        let known = self.procedures.get(&signature).cloned();
        let plan = known.unwrap_or_else(|| {
            let plan = Rc::new(self.compacted(procedure, is_target));
            self.procedures.insert(signature.clone(), plan.clone());
            plan
        });
        self.signature = signature;
        plan
    }

    fn compacted(&mut self, procedure: &Procedure, is_target: impl Fn(NodeId) -> bool) -> Compacted {
        let graph = Graph::new(procedure);
        let partition = partition(self.same.circuit(), procedure, &graph, is_target);
        let (nodes, numbers) = numbering(procedure, &partition);
        let regions = Regions { procedure, graph: &graph, partition: &partition, numbers: &numbers };
        let (edges, inner) = self.edges(&regions);
        Compacted { nodes, numbers, inner, edges }
    }

    /// The procedure as planned.
    fn procedure(&mut self, old: &Procedure, plan: &Compacted) -> Procedure {
        let edge = |(edge, like): &(Edge, u32)| {
            let like = &old.edges[*like as usize];
            Edge { label: like.label, span: like.span, ..edge.clone() }
        };
        let number = |node: &NodeId| plan.numbers[node.index()].unwrap_or(*node);
        let mut boxes = old.boxes.clone();
        boxes.iter_mut().for_each(|call| self.rebuild_arguments(call));
        Procedure {
            name: old.name,
            locals: old.locals.clone(),
            inputs: old.inputs.clone(),
            outputs: old.outputs.clone(),
            nodes: plan.nodes.iter().map(|node| old.nodes[node.index()].clone()).collect(),
            boxes,
            entries: old.entries.iter().map(number).collect(),
            exits: old.exits.iter().map(number).collect(),
            edges: plan.edges.iter().map(edge).collect(),
            span: old.span,
            footprint: old.footprint.clone(),
        }
    }

    fn rebuild_arguments(&mut self, call: &mut CallBox) {
        if !call.arguments.is_empty() {
            call.arguments = self.same.extend(&mut self.circuit, &call.arguments, |_| None).into();
        }
    }

    /// The transitions that are left, and the nodes that they pass through.
    fn edges(&mut self, regions: &Regions<'_, '_>) -> (Vec<(Edge, u32)>, Table<NodeId>) {
        let (mut edges, mut inner) = (Vec::new(), Vec::new());
        let mut numbers = vec![None; regions.graph.vertices.len()];
        for (vertex, removed) in regions.all() {
            let places = regions.graph.places(vertex);
            if removed.is_empty() {
                let kept = regions.graph.leaving(vertex).iter().zip(places);
                edges.extend(kept.map(|((edge, _), place)| (self.copy(edge, regions), *place)));
                continue;
            }
            let (region, ends) = regions.region(vertex, &removed, &mut numbers);
            let from = regions.vertex(vertex);
            for merged in self.merge(&region).iter() {
                let first = region.sources[0].edges[merged.first].0;
                let edge = Edge {
                    from,
                    to: regions.vertex(ends[merged.end]),
                    guard: merged.guard,
                    assignments: merged.assignments.clone(),
                    choices: merged.choices.clone(),
                    label: first.label,
                    span: first.span,
                };
                edges.push((edge, places[merged.first]));
            }
            inner.push((from, removed.into_iter().map(NodeId).collect()));
        }
        (edges, inner.into_iter().collect())
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
        if let Some(known) = self.regions.get(&signature) {
            return known.clone();
        }
        let mut scratch = Circuit::new();
        let Execution { ends, slots, .. } = execute(region, &mut self.symbolic, &mut scratch);
        let mut substitution = Substitution::new(&scratch);
        let arrivals = ends.into_iter().enumerate().filter_map(|(end, arrival)| Some((end, arrival?)));
        let merged: Rc<[Merged]> =
            arrivals.map(|(end, arrival)| self.finish(&mut substitution, end, &arrival, &slots)).collect();
        self.regions.insert(signature, merged.clone());
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

/// Procedures of one circuit with the same signature become the same: all that compaction looks at.
fn sign(procedure: &Procedure, is_target: impl Fn(NodeId) -> bool, words: &mut Vec<u32>) {
    words.clear();
    let counts = [procedure.nodes.len(), procedure.entries.len(), procedure.exits.len()];
    words.extend(counts.map(|count| count as u32));
    words.extend(procedure.entries.iter().chain(&procedure.exits).map(|node| node.0));
    for (node, index) in procedure.nodes.iter().zip(0..) {
        words.push((node.owner as u32) << 1 | u32::from(is_target(NodeId(index))));
    }
    procedure.edges.iter().for_each(|edge| sign_edge(edge, words));
}

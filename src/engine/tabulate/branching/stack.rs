//! The whole stack of a hierarchy as one vector of variables, and its steps (Godefroid, Theorem 13).
//!
//! Without recursion every procedure has a level, below those of all its callers, and at any time there is at most one activation for each level. So
//! a configuration is, beside the globals, for each level a number that says where its activation is (at a vertex, or waiting at a box, or that there
//! is none) and the values of its locals.
//!
//! Steps are taken backwards only, by substitution: what leads to a set is the set with every variable replaced by what the step makes of it, where the step
//! is possible. So there are no second copies of variables. Call ports, return ports and entries that are no states are configurations as well;
//! fixpoints pass through them at no cost ([`Steps::before`]).

use super::super::bdd::{Bdd, Halt, Made, Store, Substitution, Var as BddVar};
use crate::model::{CallGraph, Edge, Ersm, Initial, Leaf, NodeId, ProcId, Var, Vertex, bits_to_choose};
use epitome_encodings::{Gate, Lit};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Where an activation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Vertex(Vertex),
    /// It waits for a call at this box.
    Waits(u32),
}

/// The places of everything in the vector.
pub(super) struct Layout {
    /// The procedures that may be called, callers first. The others have no level.
    pub(super) procedures: Vec<ProcId>,
    globals: usize,
    level_of: Vec<usize>,
    /// By level: the bits of the number, and the locals.
    levels: Vec<(Range<u32>, Range<u32>)>,
    /// Numbers of places; 0 says that there is no activation.
    codes: FxHashMap<(ProcId, At), usize>,
    /// The first variable for choices, which come last.
    choices: u32,
    pub(super) variables: usize,
}

impl Layout {
    pub(super) fn new(ersm: &Ersm) -> Layout {
        let mut level_of = vec![0; ersm.procedures.len()];
        let procedures: Vec<ProcId> = CallGraph::new(ersm).bottom_up.iter().rev().copied().collect();
        for &caller in &procedures {
            let own = level_of[caller.index()];
            for site in &ersm.procedure(caller).boxes {
                let callee = &mut level_of[site.callee.index()];
                *callee = (*callee).max(own + 1);
            }
        }
        let count = level_of.iter().max().map_or(1, |most| most + 1);
        let (mut codes, mut places) = (FxHashMap::default(), vec![1usize; count]);
        let mut locals = vec![0usize; count];
        let mut choices = 0;
        for &id in &procedures {
            let procedure = ersm.procedure(id);
            let level = level_of[id.index()];
            locals[level] = locals[level].max(procedure.locals.len());
            let nodes = (0..procedure.nodes.len()).map(|node| At::Vertex(Vertex::Node(node.into())));
            let ports = procedure.edges.iter().flat_map(|edge| [edge.from, edge.to]).map(At::Vertex);
            for at in nodes.chain(ports).chain((0..procedure.boxes.len() as u32).map(At::Waits)) {
                codes.entry((id, at)).or_insert_with(|| {
                    places[level] += 1;
                    places[level] - 1
                });
            }
            let of_edges = procedure.edges.iter().map(|edge| edge.choices.len());
            let of_boxes =
                procedure.boxes.iter().map(|site| site.choices.len() + ersm.procedure(site.callee).locals.len());
            choices = choices.max(of_edges.chain(of_boxes).max().unwrap_or(0));
        }
        let mut next = ersm.globals.len() as u32;
        let mut take = |bits: usize| {
            next += bits as u32;
            next - bits as u32..next
        };
        let levels: Vec<(Range<u32>, Range<u32>)> =
            (0..count).map(|level| (take(bits_to_choose(places[level]) as usize), take(locals[level]))).collect();
        let first = take(choices).start;
        let variables = first as usize + choices;
        Layout { procedures, globals: ersm.globals.len(), level_of, levels, codes, choices: first, variables }
    }

    /// The bits of a level that say where its activation is, with their values.
    fn at(&self, level: usize, code: usize) -> impl Iterator<Item = (BddVar, bool)> + use<> {
        let bits = self.levels[level].0.clone();
        bits.enumerate().map(move |(bit, var)| (var, code >> bit & 1 == 1))
    }

    fn local(&self, level: usize, local: u32) -> BddVar {
        self.levels[level].1.start + local
    }

    fn var(&self, level: usize, var: Var) -> BddVar {
        match var {
            Var::Global(global) => global,
            Var::Local(local) => self.local(level, local),
        }
    }
}

/// A step, to be taken backwards.
pub(super) struct Step {
    /// Where it begins.
    pub(super) here: Bdd,
    /// When it can be taken, over choices as well.
    pub(super) guard: Bdd,
    pub(super) change: Substitution,
    /// The choices that it depends on.
    pub(super) choices: Bdd,
}

/// All steps of a machine.
pub(super) struct Steps<'e> {
    ersm: &'e Ersm,
    store: &'e Store,
    pub(super) layout: &'e Layout,
    /// Those that leave states, and those that leave configurations between states.
    of_states: Vec<Step>,
    between: Vec<Step>,
}

impl<'e> Steps<'e> {
    /// The steps; `is_state` says which nodes are states.
    pub(super) fn new(
        ersm: &'e Ersm,
        store: &'e Store,
        layout: &'e Layout,
        is_state: &dyn Fn(ProcId, NodeId) -> bool,
    ) -> Result<Steps<'e>, Halt> {
        let mut steps = Steps { ersm, store, layout, of_states: Vec::new(), between: Vec::new() };
        for &id in &layout.procedures {
            let procedure = ersm.procedure(id);
            for edge in &procedure.edges {
                let step = steps.edge(id, edge)?;
                match edge.from {
                    Vertex::Node(node) if is_state(id, node) => steps.of_states.push(step),
                    _ => steps.between.push(step),
                }
            }
            for port in steps.ports(id) {
                match port {
                    Vertex::Call(site, entry) => {
                        let step = steps.call(id, site.index(), entry as usize)?;
                        steps.between.push(step);
                    }
                    Vertex::Return(site, exit) => {
                        let step = steps.leave(id, site.index(), exit as usize)?;
                        steps.of_states.push(step);
                    }
                    Vertex::Node(_) => {}
                }
            }
        }
        Ok(steps)
    }

    /// The ports of a procedure that are in use.
    pub(super) fn ports(&self, procedure: ProcId) -> Vec<Vertex> {
        let ends = self.ersm.procedure(procedure).edges.iter().flat_map(|edge| [edge.from, edge.to]);
        let mut ports: Vec<Vertex> = ends.filter(|end| !matches!(end, Vertex::Node(_))).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// The activation of a level is the innermost one, and at this place.
    pub(super) fn at_node(&self, procedure: ProcId, node: NodeId) -> Made {
        self.here(procedure, At::Vertex(Vertex::Node(node)), None)
    }

    /// The innermost activation is at a place, another one waits.
    fn here(&self, procedure: ProcId, at: At, waits: Option<(ProcId, usize)>) -> Made {
        let layout = self.layout;
        let level = layout.level_of[procedure.index()];
        let own = layout.at(level, layout.codes[&(procedure, at)]);
        let deeper = (level + 1..layout.levels.len()).flat_map(|deeper| layout.at(deeper, 0));
        let waits = waits.into_iter().flat_map(|(caller, site)| {
            let code = layout.codes[&(caller, At::Waits(site as u32))];
            layout.at(layout.level_of[caller.index()], code)
        });
        self.store.cube(own.chain(deeper).chain(waits))
    }

    /// The function of a signal over the scope of a level, with choices from the first on.
    pub(super) fn function(&self, level: usize, lit: Lit) -> Made {
        let circuit = &self.ersm.circuit;
        let mut made: FxHashMap<usize, Bdd> = FxHashMap::default();
        made.insert(0, self.store.bottom());
        for gate in circuit.cone([lit]) {
            let function = match circuit.gate_at(gate) {
                Gate::False => self.store.bottom(),
                Gate::Input(number) => self.store.variable(match Leaf::from_number(number) {
                    Leaf::Var(var) => self.layout.var(level, var),
                    Leaf::Choice(choice) => self.layout.choices + choice,
                }),
                Gate::And(a, b) => {
                    let [a, b] = [a, b].map(|side| {
                        let function = &made[&side.gate()];
                        if side.is_negated() { self.store.not(function) } else { Ok(function.clone()) }
                    });
                    self.store.and(&a?, &b?)?
                }
            };
            made.insert(gate, function);
        }
        let function = &made[&lit.gate()];
        if lit.is_negated() { self.store.not(function) } else { Ok(function.clone()) }
    }

    /// The function of a signal over the scope of a procedure.
    pub(super) fn in_scope(&self, procedure: ProcId, lit: Lit) -> Made {
        self.function(self.layout.level_of[procedure.index()], lit)
    }

    fn choices(&self, count: usize) -> Made {
        let first = self.layout.choices;
        self.store.variables(first..first + count as u32)
    }

    fn constants(&self, literals: impl Iterator<Item = (BddVar, bool)>) -> Vec<(BddVar, Bdd)> {
        literals.map(|(var, value)| (var, self.store.constant(value))).collect()
    }

    pub(super) fn edge(&self, id: ProcId, edge: &Edge) -> Result<Step, Halt> {
        let layout = self.layout;
        let level = layout.level_of[id.index()];
        let mut change = self.constants(layout.at(level, layout.codes[&(id, At::Vertex(edge.to))]));
        for &(var, value) in &edge.assignments {
            change.push((layout.var(level, var), self.function(level, value)?));
        }
        Ok(Step {
            here: self.here(id, At::Vertex(edge.from), None)?,
            guard: self.function(level, edge.guard)?,
            change: Store::substitution(change),
            choices: self.choices(edge.choices.len())?,
        })
    }

    /// From a call port to the entry: the caller waits, the callee begins.
    pub(super) fn call(&self, id: ProcId, site: usize, entry: usize) -> Result<Step, Halt> {
        let layout = self.layout;
        let call = &self.ersm.procedure(id).boxes[site];
        let callee = self.ersm.procedure(call.callee);
        let (own, inside) = (layout.level_of[id.index()], layout.level_of[call.callee.index()]);
        let mut change = self.constants(layout.at(own, layout.codes[&(id, At::Waits(site as u32))]));
        let entered = At::Vertex(Vertex::Node(callee.entries[entry]));
        change.extend(self.constants(layout.at(inside, layout.codes[&(call.callee, entered)])));
        for (place, local) in callee.locals.iter().enumerate() {
            let input = callee.inputs.iter().position(|&input| input as usize == place);
            let any = self.store.variable(layout.choices + (call.choices.len() + place) as u32);
            let value = match (input.and_then(|input| call.arguments.get(input)), local.initial) {
                (Some(&argument), _) => self.function(own, argument)?,
                (None, Initial::Fixed(value)) => self.store.constant(value),
                (None, Initial::Arbitrary) => any,
            };
            change.push((layout.local(inside, place as u32), value));
        }
        Ok(Step {
            here: self.here(id, At::Vertex(Vertex::Call(site.into(), entry as u32)), None)?,
            guard: self.store.top(),
            change: Store::substitution(change),
            choices: self.choices(call.choices.len() + callee.locals.len())?,
        })
    }

    /// From an exit to the return port of a box that waits.
    pub(super) fn leave(&self, id: ProcId, site: usize, exit: usize) -> Result<Step, Halt> {
        let layout = self.layout;
        let call = &self.ersm.procedure(id).boxes[site];
        let callee = self.ersm.procedure(call.callee);
        let (own, inside) = (layout.level_of[id.index()], layout.level_of[call.callee.index()]);
        let port = At::Vertex(Vertex::Return(site.into(), exit as u32));
        let mut change = self.constants(layout.at(own, layout.codes[&(id, port)]));
        change.extend(self.constants(layout.at(inside, 0)));
        // What is not in use is 0.
        change.extend(self.constants(layout.levels[inside].1.clone().map(|local| (local, false))));
        for (&output, result) in callee.outputs.iter().zip(&call.results) {
            if let Some(result) = result {
                change.push((layout.var(own, *result), self.store.variable(layout.local(inside, output))));
            }
        }
        let left = At::Vertex(Vertex::Node(callee.exits[exit]));
        Ok(Step {
            here: self.here(call.callee, left, Some((id, site)))?,
            guard: self.store.top(),
            change: Store::substitution(change),
            choices: self.store.top(),
        })
    }

    fn leading(&self, steps: &[Step], set: &Bdd) -> Made {
        let mut all = self.store.bottom();
        for step in steps {
            let after = self.store.substitute(set, &step.change)?;
            if self.store.is_empty(&after) {
                continue;
            }
            let possible = self.store.and_exists(&step.guard, &after, &step.choices)?;
            let here = self.store.and(&step.here, &possible)?;
            all = self.store.or(&all, &here)?;
        }
        Ok(all)
    }

    /// A set with the configurations between states that lead to it without passing through another state.
    pub(super) fn with_between(&self, set: &Bdd) -> Made {
        let mut all = set.clone();
        let mut new = set.clone();
        while !self.store.is_empty(&new) {
            let leading = self.leading(&self.between, &new)?;
            new = self.store.minus(&leading, &all)?;
            all = self.store.or(&all, &new)?;
        }
        Ok(all)
    }

    /// The states from which one step leads to a set of states.
    pub(super) fn before(&self, set: &Bdd) -> Made {
        let set = self.with_between(set)?;
        self.leading(&self.of_states, &set)
    }

    /// The configurations in which runs start; a start may be no state.
    pub(super) fn initial(&self) -> Made {
        let layout = self.layout;
        let mut all = self.store.bottom();
        for &(procedure, node) in &self.ersm.initial {
            let level = layout.level_of[procedure.index()];
            let mut literals: Vec<(BddVar, bool)> = Vec::new();
            let fixed = |initial: Initial| match initial {
                Initial::Fixed(value) => Some(value),
                Initial::Arbitrary => None,
            };
            let globals = self.ersm.globals.iter().enumerate();
            literals.extend(globals.filter_map(|(var, global)| Some((var as u32, fixed(global.initial)?))));
            debug_assert_eq!(layout.globals, self.ersm.globals.len());
            for other in (0..layout.levels.len()).filter(|&other| other != level) {
                literals.extend(layout.at(other, 0));
                literals.extend(layout.levels[other].1.clone().map(|local| (local, false)));
            }
            let own = layout.codes[&(procedure, At::Vertex(Vertex::Node(node)))];
            literals.extend(layout.at(level, own));
            let starts = self.ersm.procedure(procedure);
            for (place, local) in starts.locals.iter().enumerate() {
                let is_input = starts.inputs.contains(&(place as u32));
                let value = fixed(local.initial).filter(|_| !is_input);
                literals.extend(value.map(|value| (layout.local(level, place as u32), value)));
            }
            let start = self.store.cube(literals)?;
            all = self.store.or(&all, &start)?;
        }
        Ok(all)
    }
}

//! From a machine and what is looked for in it to a system of predicates.
//!
//! One predicate for each procedure that can be called, and one more, the *root*, which holds if a target can be
//! reached: the whole question is whether the root can be derived.

use super::body::{Plan, Source, build};
use super::fact::Point;
use super::graph::Graph;
use super::interface::{Argument, Interface, interfaces};
use crate::model::{CallGraph, Ersm, Goal, Initial, NodeId, ProcId, Var, Vertex};
use epitome_encodings::{Body, Gate, Hole, Lit, PredicateId, Substitution, System};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// An input of a body that is a variable of the program.
pub(in crate::engine) type Named = (u32, Var, Option<Vertex>);

/// A machine as a system.
pub(in crate::engine) struct Translation<'e> {
    pub(in crate::engine) ersm: &'e Ersm,
    pub(in crate::engine) goal: &'e Goal,
    pub(in crate::engine) interfaces: Rc<[Interface]>,
    /// By predicate: the procedure; the root has none.
    procedures: Rc<[ProcId]>,
    pub(in crate::engine) root: PredicateId,
}

impl<'e> Translation<'e> {
    /// Predicates for everything in which something can be found, and what that needs.
    pub(in crate::engine) fn new(ersm: &'e Ersm, goal: &'e Goal) -> (Translation<'e>, System) {
        let heads = ersm.procedures.iter().map(|procedure| Graph::new(ersm, procedure).heads()).collect();
        let interfaces = interfaces(ersm, goal, heads).into();
        Translation::with(ersm, goal, interfaces, CallGraph::new(ersm).bottom_up.into())
    }

    /// The same for a goal with fewer targets. Predicates and arguments are the same, so what is known not to
    /// be derivable is so again.
    pub(in crate::engine) fn for_less<'g>(&self, goal: &'g Goal) -> (Translation<'g>, System)
    where
        'e: 'g,
    {
        Translation::with(self.ersm, goal, self.interfaces.clone(), self.procedures.clone())
    }

    fn with(
        ersm: &'e Ersm,
        goal: &'e Goal,
        interfaces: Rc<[Interface]>,
        procedures: Rc<[ProcId]>,
    ) -> (Translation<'e>, System) {
        let mut translation = Translation { ersm, goal, interfaces, procedures, root: PredicateId(0) };
        let mut system = System::default();
        let mut number = vec![PredicateId(0); ersm.procedures.len()];
        for (index, procedure) in translation.procedures.iter().enumerate() {
            number[procedure.index()] = PredicateId(index as u32);
        }
        let mut substitution = Substitution::new(&ersm.circuit);
        for &procedure in translation.procedures.iter() {
            let source = translation.source();
            let (body, callees, _) = build(&source, &mut system.circuit, &mut substitution, procedure);
            system.add(body, callees.into_iter().map(|callee| number[callee.index()]).collect());
        }
        let (body, callees) = translation.root_body(&mut system);
        translation.root = system.add(body, callees.into_iter().map(|callee| number[callee.index()]).collect());
        (translation, system)
    }

    /// Says which predicates are total: those of procedures that always come back.
    pub(in crate::engine) fn tell_totals(&self, system: &mut System, is_total: &[bool]) {
        for (predicate, procedure) in (0..).map(PredicateId).zip(self.procedures.iter()) {
            let interface = &self.interfaces[procedure.index()];
            if is_total[procedure.index()] && interface.is_called {
                let arguments = interface.arguments();
                let is_input = |argument: &Argument| matches!(argument, Argument::Entered(_) | Argument::Entry(_));
                let inputs = arguments.iter().filter(|argument| is_input(argument)).count();
                system.set_total(predicate, inputs..arguments.len());
            }
        }
    }

    fn source(&self) -> Source<'_> {
        Source { ersm: self.ersm, goal: self.goal, interfaces: &self.interfaces }
    }

    /// The procedure of a predicate; the root has none.
    pub(in crate::engine) fn procedure(&self, predicate: PredicateId) -> Option<ProcId> {
        self.procedures.get(predicate.index()).copied()
    }

    /// A point of a predicate is about the target.
    pub(in crate::engine) fn is_target(&self, predicate: PredicateId, point: &Point) -> bool {
        self.procedure(predicate).is_none_or(|procedure| self.interfaces[procedure.index()].is_target(point))
    }

    /// How to read a model of a procedure's body, in a circuit of its own (inputs have the same numbers).
    pub(super) fn plan(&self, procedure: ProcId) -> (System, Plan) {
        let mut system = System::default();
        let mut substitution = Substitution::new(&self.ersm.circuit);
        let (_, _, plan) = build(&self.source(), &mut system.circuit, &mut substitution, procedure);
        (system, plan)
    }

    /// The inputs of a procedure's body that are variables of the program: arguments, and what is new at a place.
    pub(in crate::engine) fn names(&self, procedure: ProcId) -> Vec<Named> {
        let interface = &self.interfaces[procedure.index()];
        // Bodies begin with these inputs.
        let arguments = interface.constant.iter().chain(&interface.entered);
        let mut names: Vec<Named> = (0..).zip(arguments).map(|(input, &var)| (input, var, None)).collect();
        let mut known: FxHashSet<u32> = names.iter().map(|(input, ..)| *input).collect();
        let (system, plan) = self.plan(procedure);
        for stop in &plan.stops {
            for (&var, &signal) in interface.scope.iter().zip(&stop.state) {
                if let (Gate::Input(input), false) = (system.circuit.gate(signal), signal.is_negated())
                    && known.insert(input)
                {
                    names.push((input, var, Some(stop.vertex)));
                }
            }
        }
        names
    }

    /// A computation starts somewhere, and the target is found.
    fn root_body(&self, system: &mut System) -> (Body, Vec<ProcId>) {
        let circuit = &mut system.circuit;
        let mut inputs = 0;
        let mut fresh = || {
            inputs += 1;
            inputs - 1
        };
        let mut starts: Vec<(ProcId, NodeId)> = self.ersm.initial.clone();
        starts.retain(|(procedure, _)| self.interfaces[procedure.index()].finds);
        // Nobody tells a procedure that is not called where it starts.
        starts.dedup_by_key(|(procedure, node)| {
            (*procedure, Some(*node).filter(|_| self.interfaces[procedure.index()].is_called))
        });
        let (mut holes, mut callees) = (Vec::new(), Vec::new());
        let (mut left, count) = (Lit::TRUE, starts.len());
        for (index, (procedure, node)) in starts.into_iter().enumerate() {
            let interface = &self.interfaces[procedure.index()];
            let chosen = if index + 1 == count { Lit::TRUE } else { circuit.input(fresh()) };
            let active = circuit.and(left, chosen);
            left = circuit.and(left, !chosen);
            let mut arguments = Vec::new();
            for &var in interface.constant.iter().chain(&interface.entered) {
                arguments.push(match var {
                    Var::Global(global) => match self.ersm.globals[global as usize].initial {
                        Initial::Fixed(value) => Lit::constant(value),
                        Initial::Arbitrary => circuit.input(fresh()),
                    },
                    Var::Local(_) => circuit.input(fresh()),
                });
            }
            let entry = self.ersm.procedure(procedure).entries.iter().position(|entry| *entry == node).unwrap_or(0);
            arguments.extend((0..interface.tags).map(|bit| Lit::constant(entry >> bit & 1 == 1)));
            arguments.extend(interface.has_target_bit().then_some(Lit::TRUE));
            arguments.extend((0..interface.place_bits()).map(|_| Lit::FALSE));
            arguments.extend(interface.values.iter().map(|_| Lit::FALSE));
            holes.push(Hole { active, arguments: arguments.into() });
            callees.push(procedure);
        }
        let guard = Lit::constant(!holes.is_empty());
        (Body { arguments: [].into(), guard, holes: holes.into() }, callees)
    }
}

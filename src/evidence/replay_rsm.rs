//! Replays runs of machines.
//!
//! The places are the nodes and the call ports. A step is one transition: it leaves a node, or it
//! leaves the return port at which a call has come back, and leads to a node or to a call port.
//! Several transitions may join the same two places; one of them must fit. Return ports are no places
//! of a run: the state there follows from the call and the inside.

use super::boolean::{Boolean, Call};
use super::mismatch::{Mismatch, Rule};
use super::replay::{At, require, walk};
use super::values::{Changes, Meaning};
use crate::model::SourceRun;
use crate::syntax::rsm::{CallBox, End, Machine, Machines, Role, Transition};
use crate::syntax::{Expr, Place, Var};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::ops::Range;

/// Accepts a run of the machines, from an `init` entry to wherever it stops, or says which rule it
/// breaks. It takes time linear in the places that the run stores, if few transitions join the same
/// two places.
///
/// # Errors
/// The first [`Mismatch`], fragments in their order.
pub fn replay_rsm(machines: &Machines, run: &SourceRun) -> Result<(), Mismatch> {
    walk(&Interpreter::new(machines), run)
}

pub(super) struct Interpreter<'p> {
    machines: &'p Machines,
    /// Indices of the machines that the run visits or calls.
    indices: Vec<OnceCell<Index>>,
}

/// What is looked up in a machine at every step.
struct Index {
    /// The entries in source order.
    entries: Vec<u32>,
    /// Transitions by where they start and end.
    transitions: FxHashMap<(End, End), Vec<u32>>,
}

impl Index {
    fn new(machine: &Machine) -> Index {
        let mut transitions: FxHashMap<(End, End), Vec<u32>> = FxHashMap::default();
        for (index, transition) in (0..).zip(&machine.transitions) {
            transitions.entry((transition.from, transition.to)).or_default().push(index);
        }
        Index { entries: machine.nodes_with(Role::Entry).collect(), transitions }
    }
}

impl<'p> Interpreter<'p> {
    pub(super) fn new(machines: &'p Machines) -> Interpreter<'p> {
        Interpreter { machines, indices: machines.machines.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Where transitions from here lead, and what they assign.
    fn leading(&self, machine: u32, from: End) -> Vec<(Place, Vec<Var>)> {
        let transitions = self.machine(machine).transitions.iter().filter(|transition| transition.from == from);
        let way = |transition: &Transition| {
            let place = match transition.to {
                End::Node(node) => Place::Node(node),
                End::Port(site, entry) => {
                    let callee = self.machine(machine).boxes[site as usize].callee;
                    let place = self.index(callee).entries.iter().position(|other| *other == entry);
                    Place::Port(site, place.unwrap_or(0) as u32)
                }
            };
            (place, transition.assignments.iter().map(|(var, _)| *var).collect())
        };
        transitions.map(way).collect()
    }

    /// Labels of the transitions by which the next place may have been come to from here, after a call if it has come back
    /// from `exit`; none for one that has no label.
    pub(super) fn labels(&self, here: At<'_>, exit: Option<At<'_>>, next: At<'_>) -> Vec<Option<&str>> {
        let taken = self.taken(here, exit, next).into_iter();
        taken.map(|transition| transition.label.map(|label| self.machines.names.text(label))).collect()
    }

    /// These transitions.
    fn taken(&self, here: At<'_>, exit: Option<At<'_>>, next: At<'_>) -> Vec<&Transition> {
        let (from, state) = match (here.place, exit) {
            (Place::Node(node), _) => (End::Node(node), here.state.to_vec()),
            (Place::Port(site, _), Some(At { place: Place::Node(exit_node), state, .. })) => {
                let Some(call) = self.call(here) else { return Vec::new() };
                let returned = self.meaning().returned(here.state, state, call.outputs, call.targets);
                (End::Port(site, exit_node), returned)
            }
            _ => return Vec::new(),
        };
        let Some(to) = self.end(next) else { return Vec::new() };
        let candidates = self.index(next.procedure).transitions.get(&(from, to)).into_iter().flatten();
        let transitions = candidates.map(|&number| &self.machine(next.procedure).transitions[number as usize]);
        transitions.filter(|transition| self.fits(transition, &state, next.state).is_ok()).collect()
    }

    fn machine(&self, index: u32) -> &Machine {
        &self.machines.machines[index as usize]
    }

    fn index(&self, machine: u32) -> &Index {
        self.indices[machine as usize].get_or_init(|| Index::new(self.machine(machine)))
    }

    fn role(&self, here: At<'_>) -> Option<Role> {
        let Place::Node(node) = here.place else { return None };
        self.machine(here.procedure).nodes.get(node as usize).map(|node| node.role)
    }

    /// The box of a call port and the node at which its machine is entered.
    fn port(&self, here: At<'_>) -> Option<(u32, &CallBox, u32)> {
        let Place::Port(site, entry) = here.place else { return None };
        let call_box = self.machine(here.procedure).boxes.get(site as usize)?;
        let entry = self.index(call_box.callee).entries.get(entry as usize)?;
        Some((site, call_box, *entry))
    }

    /// Where a transition to a place ends.
    fn end(&self, at: At<'_>) -> Option<End> {
        match at.place {
            Place::Node(node) => Some(End::Node(node)),
            _ => self.port(at).map(|(site, _, entry)| End::Port(site, entry)),
        }
    }

    /// Some transition from here, in this state, leads to the next place.
    fn transition(&self, from: End, state: &[u64], next: At<'_>) -> Result<(), Rule> {
        let to = self.end(next).ok_or(Rule::Control)?;
        let candidates = self.index(next.procedure).transitions.get(&(from, to)).ok_or(Rule::Control)?;
        let transitions = &self.machine(next.procedure).transitions;
        let mut broken = Rule::Control;
        for &candidate in candidates {
            match self.fits(&transitions[candidate as usize], state, next.state) {
                Ok(()) => return Ok(()),
                Err(rule) => broken = rule,
            }
        }
        Err(broken)
    }

    fn fits(&self, transition: &Transition, before: &[u64], after: &[u64]) -> Result<(), Rule> {
        let guarded = transition.guard.is_none_or(|guard| self.meaning().can_be(guard, before, true));
        require(guarded, Rule::Condition)?;
        let mut changes = Changes::new(self.meaning(), before, after);
        for &(var, value) in &transition.assignments {
            changes.assign(var, value)?;
        }
        changes.constrain(transition.constrain)?;
        changes.finish()
    }
}

impl Boolean for Interpreter<'_> {
    fn meaning(&self) -> Meaning<'_> {
        Meaning::new(&self.machines.exprs, self.machines.globals.len())
    }

    fn variables(&self, procedure: u32) -> Option<usize> {
        let machine = self.machines.machines.get(procedure as usize)?;
        Some(self.machines.globals.len() + machine.locals.len())
    }

    fn inputs(&self, procedure: u32) -> usize {
        self.machine(procedure).inputs
    }

    fn outputs(&self, procedure: u32) -> Range<usize> {
        let machine = self.machine(procedure);
        machine.inputs..machine.inputs + machine.outputs
    }

    fn always(&self, _procedure: u32) -> Option<Expr> {
        None
    }

    fn initial(&self, procedure: u32, var: Var) -> Option<bool> {
        match var {
            Var::Global(index) => self.machines.globals[index as usize].initial,
            Var::Local(index) => self.machine(procedure).locals[index as usize].initial,
        }
    }

    fn starts(&self, first: At<'_>, outermost: bool) -> Result<(), Rule> {
        require(self.role(first) == Some(Role::Entry), Rule::Entry)?;
        let starts = |&(machine, node)| machine == first.procedure && Place::Node(node) == first.place;
        require(!outermost || self.machines.initial.iter().any(starts), Rule::Start)
    }

    fn rests(&self, here: At<'_>) -> Result<(), Rule> {
        require(self.role(here).is_some() || self.port(here).is_some(), Rule::Place)
    }

    fn ends(&self, here: At<'_>) -> bool {
        self.role(here) == Some(Role::Exit)
    }

    fn step(&self, here: At<'_>, next: At<'_>) -> Result<(), Rule> {
        let Place::Node(node) = here.place else { return Err(Rule::NoInside) };
        require(!self.ends(here), Rule::Ended)?;
        self.transition(End::Node(node), here.state, next)
    }

    fn uses(&self, here: At<'_>, exit: Option<At<'_>>, next: At<'_>) -> (Vec<Expr>, Vec<Var>) {
        // If several fit, the run can be told by any of them.
        let taken = self.taken(here, exit, next);
        let Some(&transition) = taken.first() else { panic!("a run that was not replayed: no transition fits") };
        let (assigned, values): (Vec<Var>, Vec<Expr>) = transition.assignments.iter().copied().unzip();
        (transition.guard.into_iter().chain(values).chain(transition.constrain).collect(), assigned)
    }

    fn call(&self, here: At<'_>) -> Option<Call<'_>> {
        let (_, call_box, entry) = self.port(here)?;
        Some(Call {
            callee: call_box.callee,
            entry: Place::Node(entry),
            arguments: &call_box.arguments,
            targets: &call_box.targets,
            outputs: self.machine(call_box.callee).inputs,
        })
    }

    fn ways(&self, here: At<'_>) -> Vec<(Place, Vec<Var>)> {
        let Place::Node(node) = here.place else { return Vec::new() };
        self.leading(here.procedure, End::Node(node))
    }

    fn ways_back(&self, here: At<'_>, exit: Place) -> Vec<(Place, Vec<Var>)> {
        let (Place::Port(site, _), Place::Node(exit)) = (here.place, exit) else { return Vec::new() };
        self.leading(here.procedure, End::Port(site, exit))
    }

    fn resume(&self, here: At<'_>, exit: Place, returned: &[u64], next: At<'_>) -> Result<(), Rule> {
        let (Place::Port(site, _), Place::Node(exit)) = (here.place, exit) else { return Err(Rule::NotACall) };
        self.transition(End::Port(site, exit), returned, next)
    }
}

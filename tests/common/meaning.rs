//! What machines mean, on stacks: written for clarity, from the syntax tree alone.

use super::flat::{Frame, Semantics, outcomes, slot, valuations};
use epitome::model::Place;
use epitome::syntax::Expr;
use epitome::syntax::rsm::{End, Machine, Machines, Role, Transition, Variable};

/// Machines as a semantics.
pub struct Meaning(pub Machines);

impl Meaning {
    fn machine(&self, index: u32) -> &Machine {
        &self.0.machines[index as usize]
    }

    fn globals(&self) -> usize {
        self.0.globals.len()
    }

    fn values(&self, list: &[Expr], before: &[bool], after: &[bool]) -> Vec<Vec<bool>> {
        let value = |var, primed| if primed { after } else { before }[slot(self.globals(), var)];
        outcomes(&self.0.exprs, list, value)
    }

    fn holds(&self, condition: Option<Expr>, before: &[bool], after: &[bool]) -> bool {
        condition.is_none_or(|condition| self.values(&[condition], before, after).contains(&vec![true]))
    }

    fn declared(&self, variables: &[Variable], values: &[bool]) -> bool {
        variables.iter().zip(values).all(|(variable, value)| variable.initial.is_none_or(|i| i == *value))
    }

    /// The nodes of a role.
    fn role(&self, machine: u32, role: Role) -> Vec<u32> {
        self.machine(machine).nodes_with(role).collect()
    }

    /// All states that a transition leads to.
    fn take(&self, transition: &Transition, state: &[bool]) -> Vec<Vec<bool>> {
        if !self.holds(transition.guard, state, state) {
            return Vec::new();
        }
        let (targets, values): (Vec<_>, Vec<_>) = transition.assignments.iter().copied().unzip();
        let mut states = Vec::new();
        for values in self.values(&values, state, state) {
            let mut after = state.to_vec();
            targets.iter().zip(values).for_each(|(&var, value)| after[slot(self.globals(), var)] = value);
            if self.holds(transition.constrain, state, &after) {
                states.push(after);
            }
        }
        states
    }

    /// All frames that one transition leads to from a node or return port.
    fn moves(&self, machine: u32, from: End, state: &[bool]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for transition in self.machine(machine).transitions.iter().filter(|t| t.from == from) {
            let place = match transition.to {
                End::Node(node) => Place::Node(node),
                End::Port(site, node) => {
                    let entries = self.role(self.machine(machine).boxes[site as usize].callee, Role::Entry);
                    Place::Port(site, entries.iter().position(|&entry| entry == node).unwrap() as u32)
                }
            };
            let states = self.take(transition, state).into_iter();
            frames.extend(states.map(|state| Frame { procedure: machine, place, state }));
        }
        frames
    }

    fn call(&self, here: &Frame, site: u32, entry: u32) -> Vec<Frame> {
        let Some(call) = self.machine(here.procedure).boxes.get(site as usize) else { return Vec::new() };
        let Some(&node) = self.role(call.callee, Role::Entry).get(entry as usize) else { return Vec::new() };
        let (callee, globals) = (self.machine(call.callee), self.globals());
        let handed = self.values(&call.arguments, &here.state, &here.state);
        let fits = |state: &Vec<bool>| {
            let (inputs, others) = state[globals..].split_at(callee.inputs);
            state[..globals] == here.state[..globals]
                && handed.iter().any(|values| values == inputs)
                && self.declared(&callee.locals[callee.inputs..], others)
        };
        let states = valuations(globals + callee.locals.len()).filter(fits);
        states.map(|state| Frame { procedure: call.callee, place: Place::Node(node), state }).collect()
    }

    fn give_back(&self, caller: &Frame, callee: &Frame) -> Vec<Frame> {
        let (Place::Port(site, _), Place::Node(exit)) = (caller.place, callee.place) else { panic!("not a return") };
        let call = &self.machine(caller.procedure).boxes[site as usize];
        let mut state = caller.state.clone();
        state[..self.globals()].clone_from_slice(&callee.state[..self.globals()]);
        let outputs = &callee.state[self.globals() + self.machine(callee.procedure).inputs..];
        for (target, output) in call.targets.iter().zip(outputs) {
            if let Some(var) = *target {
                state[slot(self.globals(), var)] = *output;
            }
        }
        self.moves(caller.procedure, End::Port(site, exit), &state)
    }
}

impl Semantics for Meaning {
    fn initial(&self) -> Vec<Frame> {
        let mut frames = Vec::new();
        for &(procedure, node) in &self.0.initial {
            let variables = [&self.0.globals[..], &self.machine(procedure).locals].concat();
            let states = valuations(variables.len()).filter(|state| self.declared(&variables, state));
            frames.extend(states.map(|state| Frame { procedure, place: Place::Node(node), state }));
        }
        frames
    }

    fn successors(&self, stack: &[Frame]) -> Vec<Vec<Frame>> {
        let (here, below) = stack.split_last().unwrap();
        let on = |base: &[Frame], frames: Vec<Frame>| -> Vec<Vec<Frame>> {
            frames.into_iter().map(|frame| [base, &[frame]].concat()).collect()
        };
        match here.place {
            Place::Port(site, entry) => on(stack, self.call(here, site, entry)),
            Place::Node(node) if self.role(here.procedure, Role::Exit).contains(&node) => match below.split_last() {
                Some((caller, base)) => on(base, self.give_back(caller, here)),
                None => Vec::new(),
            },
            Place::Node(node) => on(below, self.moves(here.procedure, End::Node(node), &here.state)),
            _ => Vec::new(),
        }
    }

    fn scope(&self, procedure: u32) -> Option<usize> {
        self.0.machines.get(procedure as usize).map(|machine| self.globals() + machine.locals.len())
    }

    fn places(&self) -> Vec<Place> {
        let ports = (0..4).flat_map(|site| (0..3).map(move |entry| Place::Port(site, entry)));
        let nodes = (0..6).map(Place::Node);
        nodes.chain(ports).chain([Place::Statement(0), Place::End, Place::Failed(0)]).collect()
    }
}

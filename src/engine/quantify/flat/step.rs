//! One step of the whole machine as a circuit.
//!
//! The top frame and the one below it are read out of the stack, all transitions, calls and returns work on these, and
//! the result is written back: so the circuit is linear in the machine, plus the size of the stack. Where several
//! transitions can be taken a free number says which.

use super::layout::Layout;
use crate::model::{Edge, Ersm, Initial, Leaf, NodeId, ProcId, Var, Vertex, bits_to_choose};
use epitome_encodings::{Body, Circuit, Hole, Lit, Substitution};
use rustc_hash::FxHashMap;

pub(super) struct Stepper<'s, 'e> {
    ersm: &'e Ersm,
    layout: &'s Layout,
    circuit: &'s mut Circuit,
    substitution: Substitution<'e>,
    next_input: u32,
    /// Inputs for choices and arbitrary values: only one step is taken, so that all of them share these.
    pool: Vec<Lit>,
}

/// The top frame and the one below it: vertex bits, then the scope: globals and locals.
struct View {
    vertex: Vec<Lit>,
    scope: Vec<Lit>,
    below_vertex: Vec<Lit>,
    below_locals: Vec<Lit>,
}

/// What becomes of these.
struct Next {
    /// Some step was possible.
    is_possible: Lit,
    pushes: Lit,
    pops: Lit,
    /// The top frame after a plain step.
    vertex: Vec<Lit>,
    scope: Vec<Lit>,
    /// The new frame after a call.
    pushed: Vec<Lit>,
    /// The frame below after a return.
    below: Vec<Lit>,
}

impl<'s, 'e> Stepper<'s, 'e> {
    pub(super) fn new(ersm: &'e Ersm, layout: &'s Layout, circuit: &'s mut Circuit) -> Stepper<'s, 'e> {
        let substitution = Substitution::new(&ersm.circuit);
        Stepper { ersm, layout, circuit, substitution, next_input: 0, pool: Vec::new() }
    }

    fn fresh(&mut self) -> Lit {
        self.next_input += 1;
        self.circuit.input(self.next_input - 1)
    }

    /// Input number so and so of the pool.
    fn pooled(&mut self, place: usize) -> Lit {
        while self.pool.len() <= place {
            let input = self.fresh();
            self.pool.push(input);
        }
        self.pool[place]
    }

    /// A configuration can be reached: it is initial, or one step after one that can be reached.
    pub(super) fn body(mut self) -> Body {
        let before: Vec<Lit> = (0..self.layout.bits()).map(|_| self.fresh()).collect();
        let is_step = self.fresh();
        let (initial, can_start) = self.initial();
        let (after, is_possible) = self.step(&before);
        let pairs = after.into_iter().zip(initial);
        let arguments: Box<[Lit]> = pairs.map(|(after, initial)| self.circuit.ite(is_step, after, initial)).collect();
        let guard = self.circuit.ite(is_step, is_possible, can_start);
        let hole = Hole { active: is_step, arguments: before.into() };
        Body { arguments, guard, holes: [hole].into() }
    }

    fn initial_value(&mut self, initial: Initial, place: usize) -> Lit {
        match initial {
            Initial::Fixed(value) => Lit::constant(value),
            Initial::Arbitrary => self.pooled(place),
        }
    }

    /// Where the machine starts. Only the last start has nothing to choose.
    fn initial(&mut self) -> (Vec<Lit>, Lit) {
        let ersm = self.ersm;
        let mut bits = vec![Lit::FALSE; self.layout.bits()];
        for (place, global) in ersm.globals.iter().enumerate() {
            bits[place] = self.initial_value(global.initial, place);
        }
        bits[self.layout.top_bit(0)] = Lit::TRUE;
        let number = self.choice(ersm.initial.len(), ersm.globals.len());
        for (start, &(procedure, node)) in ersm.initial.iter().enumerate() {
            let here = self.circuit.is_number(&number, start);
            let frame = self.entered(procedure, node, &[], ersm.globals.len() + number.len());
            for (bit, value) in self.layout.frame(0).zip(frame) {
                let value = self.circuit.and(here, value);
                bits[bit] = self.circuit.or(bits[bit], value);
            }
        }
        (bits, Lit::constant(!ersm.initial.is_empty()))
    }

    /// A free number that tells so many things apart, from inputs of the pool.
    fn choice(&mut self, things: usize, first: usize) -> Vec<Lit> {
        (0..bits_to_choose(things) as usize).map(|bit| self.pooled(first + bit)).collect()
    }

    /// A frame just entered, with these inputs; arbitrary values are inputs of the pool, from the first on.
    fn entered(&mut self, procedure: ProcId, node: NodeId, inputs: &[Lit], first: usize) -> Vec<Lit> {
        let ersm = self.ersm;
        let number = self.layout.number(procedure, Vertex::Node(node));
        let mut frame: Vec<Lit> =
            (0..self.layout.vertex_bits()).map(|bit| Lit::constant(number >> bit & 1 == 1)).collect();
        let procedure = ersm.procedure(procedure);
        for (place, local) in procedure.locals.iter().enumerate() {
            let input = procedure.inputs.iter().position(|&input| input as usize == place);
            frame.push(match input.and_then(|input| inputs.get(input)) {
                Some(&value) => value,
                None if input.is_some() => self.pooled(first + place),
                None => self.initial_value(local.initial, first + place),
            });
        }
        frame.resize(self.layout.frame_bits(), Lit::FALSE);
        frame
    }

    fn view(&mut self, before: &[Lit]) -> View {
        let (mut top, mut below) =
            (vec![Lit::FALSE; self.layout.frame_bits()], vec![Lit::FALSE; self.layout.frame_bits()]);
        for frame in 0..self.layout.frames {
            let is_top = self.layout.is_top(before, frame);
            for (place, bit) in self.layout.frame(frame).enumerate() {
                let value = self.circuit.and(is_top, before[bit]);
                top[place] = self.circuit.or(top[place], value);
            }
            if frame > 0 {
                for (place, bit) in self.layout.frame(frame - 1).enumerate() {
                    let value = self.circuit.and(is_top, before[bit]);
                    below[place] = self.circuit.or(below[place], value);
                }
            }
        }
        let locals = top.split_off(self.layout.vertex_bits());
        let below_locals = below.split_off(self.layout.vertex_bits());
        let scope = before[..self.layout.globals()].iter().copied().chain(locals).collect();
        View { vertex: top, scope, below_vertex: below, below_locals }
    }

    fn step(&mut self, before: &[Lit]) -> (Vec<Lit>, Lit) {
        let view = self.view(before);
        let mut next = Next {
            is_possible: Lit::FALSE,
            pushes: Lit::FALSE,
            pops: Lit::FALSE,
            vertex: view.vertex.clone(),
            scope: view.scope.clone(),
            pushed: vec![Lit::FALSE; self.layout.frame_bits()],
            below: view.below_vertex.iter().chain(&view.below_locals).copied().collect(),
        };
        let ersm = self.ersm;
        for (id, procedure) in ersm.procedures() {
            let mut leaving: FxHashMap<Vertex, Vec<&Edge>> = FxHashMap::default();
            procedure.edges.iter().for_each(|edge| leaving.entry(edge.from).or_default().push(edge));
            let own: Vec<(Vertex, usize)> = self
                .layout
                .vertices()
                .filter(|(other, ..)| *other == id)
                .map(|(_, vertex, number)| (vertex, number))
                .collect();
            for (vertex, number) in own {
                let here = self.circuit.is_number(&view.vertex, number);
                match vertex {
                    Vertex::Call(..) => self.call(id, vertex, here, &view, &mut next),
                    Vertex::Node(node) if procedure.exits.contains(&node) => {
                        self.leave(id, node, here, &view, &mut next);
                    }
                    _ => self.edges(id, leaving.get(&vertex).map_or(&[][..], Vec::as_slice), here, &view, &mut next),
                }
            }
        }
        (self.written(before, &next), next.is_possible)
    }

    fn substitute(&mut self, signals: &[Lit], view: &View, first: usize, choices: usize) -> Vec<Lit> {
        let choices: Vec<Lit> = (0..choices).map(|place| self.pooled(first + place)).collect();
        let layout = self.layout;
        self.substitution.substitute_all(self.circuit, signals, |number| {
            Some(match Leaf::from_number(number) {
                Leaf::Var(var) => view.scope[layout.scope_bit(var)],
                Leaf::Choice(choice) => choices[choice as usize],
            })
        })
    }

    fn edges(&mut self, id: ProcId, edges: &[&Edge], here: Lit, view: &View, next: &mut Next) {
        let number = self.choice(edges.len(), 0);
        for (place, edge) in edges.iter().enumerate() {
            let chosen = self.circuit.is_number(&number, place);
            let mut signals = vec![edge.guard];
            signals.extend(edge.assignments.iter().map(|(_, value)| *value));
            let signals = self.substitute(&signals, view, number.len(), edge.choices.len());
            let taken = self.circuit.and(here, chosen);
            let possible = self.circuit.and(taken, signals[0]);
            next.is_possible = self.circuit.or(next.is_possible, possible);
            for ((var, _), &value) in edge.assignments.iter().zip(&signals[1..]) {
                let bit = &mut next.scope[self.layout.scope_bit(*var)];
                *bit = self.circuit.ite(taken, value, *bit);
            }
            self.go(taken, self.layout.number(id, edge.to), &mut next.vertex);
        }
    }

    /// The vertex is this one, where something is so.
    fn go(&mut self, taken: Lit, number: usize, vertex: &mut [Lit]) {
        for (place, bit) in vertex.iter_mut().enumerate() {
            *bit = self.circuit.ite(taken, Lit::constant(number >> place & 1 == 1), *bit);
        }
    }

    fn call(&mut self, id: ProcId, vertex: Vertex, here: Lit, view: &View, next: &mut Next) {
        let Vertex::Call(site, entry) = vertex else { return };
        let site = &self.ersm.procedure(id).boxes[site.index()];
        let Some(&node) = self.ersm.procedure(site.callee).entries.get(entry as usize) else { return };
        let arguments = self.substitute(&site.arguments, view, 0, site.choices.len());
        let frame = self.entered(site.callee, node, &arguments, site.choices.len());
        for (bit, value) in next.pushed.iter_mut().zip(frame) {
            let value = self.circuit.and(here, value);
            *bit = self.circuit.or(*bit, value);
        }
        next.pushes = self.circuit.or(next.pushes, here);
        next.is_possible = self.circuit.or(next.is_possible, here);
    }

    /// Returns to every box that calls the procedure.
    fn leave(&mut self, id: ProcId, node: NodeId, here: Lit, view: &View, next: &mut Next) {
        let (ersm, layout) = (self.ersm, self.layout);
        let Some(exit) = ersm.procedure(id).exits.iter().position(|exit| *exit == node) else { return };
        let vertex_bits = layout.vertex_bits();
        for (caller, vertex, number) in layout.vertices() {
            let Vertex::Call(site, _) = vertex else { continue };
            let called = &ersm.procedure(caller).boxes[site.index()];
            if called.callee != id {
                continue;
            }
            let called_there = self.circuit.is_number(&view.below_vertex, number);
            let taken = self.circuit.and(here, called_there);
            let to = layout.number(caller, Vertex::Return(site, exit as u32));
            self.go(taken, to, &mut next.below[..vertex_bits]);
            for (output, result) in ersm.procedure(id).outputs.iter().zip(&called.results) {
                let value = view.scope[layout.scope_bit(Var::Local(*output))];
                let bit = match result {
                    Some(Var::Local(local)) => &mut next.below[vertex_bits + *local as usize],
                    Some(global) => &mut next.scope[layout.scope_bit(*global)],
                    None => continue,
                };
                *bit = self.circuit.ite(taken, value, *bit);
            }
            next.pops = self.circuit.or(next.pops, taken);
            next.is_possible = self.circuit.or(next.is_possible, taken);
        }
    }

    /// The configuration after the step.
    fn written(&mut self, before: &[Lit], next: &Next) -> Vec<Lit> {
        let layout = self.layout;
        let mut after = before.to_vec();
        after[..layout.globals()].copy_from_slice(&next.scope[..layout.globals()]);
        let top: Vec<Lit> = next.vertex.iter().chain(&next.scope[layout.globals()..]).copied().collect();
        for frame in 0..layout.frames {
            let is_top = layout.is_top(before, frame);
            let above = frame.checked_sub(1).map_or(Lit::FALSE, |below| layout.is_top(before, below));
            let below = if frame + 1 < layout.frames { layout.is_top(before, frame + 1) } else { Lit::FALSE };
            let pushed = self.circuit.and(next.pushes, above);
            let popped = self.circuit.and(next.pops, below);
            for (place, bit) in layout.frame(frame).enumerate() {
                // A frame that is left is empty.
                let left = self.circuit.and(top[place], !next.pops);
                let own = self.circuit.ite(is_top, left, before[bit]);
                let own = self.circuit.ite(popped, next.below[place], own);
                after[bit] = self.circuit.ite(pushed, next.pushed[place], own);
            }
            let moves = self.circuit.or(next.pushes, next.pops);
            let stays = self.circuit.and(is_top, !moves);
            let comes = self.circuit.or(pushed, popped);
            after[layout.top_bit(frame)] = self.circuit.or(stays, comes);
        }
        after
    }
}

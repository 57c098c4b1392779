//! Conditional constant propagation over the whole machine (after Wegman and Zadeck): for each vertex that
//! control can come to, which values each variable can have there.
//!
//! Two bits for each vertex and variable, "can be 0" and "can be 1"; joining is a disjunction. Only
//! transitions whose guard can hold are followed, and behind a conjunction its literals are known. Calls are not
//! told apart: an entry gets what any call of it passes; a return gets from the exit what the callee may
//! write (MOD, Ball 3.3), and from the call everything else.
//!
//! Beyond [`MOST_BITS`] or [`MOST_WORK`] the analysis gives up: it starts from "nothing is possible",
//! so an unfinished result means nothing.

use crate::model::{
    BoxId, CallGraph, Ersm, Flow, Footprint, Initial, Leaf, Lists, ProcId, Var, Vertex, Words, Work, footprints,
};
use epitome_encodings::{Circuit, Gate, Lit};
use std::ops::Range;

/// Vertices times variables, at most.
const MOST_BITS: usize = 100_000_000;

/// Words and gates looked at, at most.
const MOST_WORK: usize = 1_000_000_000;

/// What a value can be: bit 0 for 0, bit 1 for 1.
pub(super) type Can = u8;

const BOTH: Can = 3;

fn constant(value: bool) -> Can {
    1 << u8::from(value)
}

fn get(words: &[u64], bit: usize) -> Can {
    let plane = |start: usize| (words[start + bit / 64] >> (bit % 64) & 1) as Can;
    plane(0) | plane(words.len() / 2) << 1
}

/// The value of a variable if it can have only one.
pub(super) fn known_value(ersm: &Ersm, words: &[u64], var: Var) -> Option<bool> {
    match get(words, ersm.bit(var)) {
        1 => Some(false),
        2 => Some(true),
        _ => None,
    }
}

/// The possible values of a set of variables, in two planes.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    words: Vec<u64>,
}

impl Values {
    /// A copy of the values at a vertex.
    pub(super) fn new(words: &[u64]) -> Values {
        Values { words: words.to_vec() }
    }

    /// As the vertices have them.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    fn get(&self, bit: usize) -> Can {
        get(&self.words, bit)
    }

    fn set(&mut self, bit: usize, can: Can) {
        let half = self.words.len() / 2;
        for (start, yes) in [(0, can & 1 != 0), (half, can & 2 != 0)] {
            let word = &mut self.words[start + bit / 64];
            *word = *word & !(1 << (bit % 64)) | u64::from(yes) << (bit % 64);
        }
    }

    fn fill(&mut self, words: &[u64]) {
        self.words.clear();
        self.words.extend_from_slice(words);
    }

    fn clear(&mut self, width: usize) {
        self.words.clear();
        self.words.resize(width, 0);
    }

    /// What can be here or there.
    pub(super) fn join(&mut self, words: &[u64]) {
        self.words.iter_mut().zip(words).for_each(|(known, more)| *known |= more);
    }

    /// Takes for granted that a signal holds: the literals of a conjunction have their values.
    pub(super) fn assume(&mut self, ersm: &Ersm, guard: Lit) {
        let mut stack = Vec::new();
        let mut next = Some(guard);
        while let Some(lit) = next {
            match ersm.circuit.gate(lit) {
                Gate::And(a, b) if !lit.is_negated() => stack.extend([a, b]),
                Gate::Input(number) => {
                    if let Leaf::Var(var) = Leaf::from_number(number) {
                        self.set(ersm.bit(var), constant(!lit.is_negated()));
                    }
                }
                Gate::And(..) | Gate::False => {}
            }
            next = stack.pop();
        }
    }
}

/// The possible values at every vertex.
pub(super) struct Known {
    flow: Flow,
    words: Words,
    reached: Vec<bool>,
}

impl Known {
    /// Analyses a machine; `None` if that is too much.
    pub(super) fn of(ersm: &Ersm) -> Option<Known> {
        let flow = Flow::new(ersm);
        let bits: usize = ersm.procedures().map(|(id, _)| flow.vertices(id).len() * ersm.scope_size(id)).sum();
        if bits > MOST_BITS {
            return None;
        }
        let words = Words::new(&flow, |id| 2 * ersm.scope_size(id).div_ceil(64));
        let reached = vec![false; flow.len()];
        let mut known = Known { flow, words, reached };
        Solver::new(ersm, &mut known).solve().then_some(known)
    }

    pub(super) fn flow(&self) -> &Flow {
        &self.flow
    }

    /// The numbering of the vertices, and which of them can be reached.
    pub(super) fn into_reached(self) -> (Flow, Vec<bool>) {
        (self.flow, self.reached)
    }

    /// The values at a vertex; `None` if it cannot be reached.
    pub(super) fn at(&self, vertex: u32) -> Option<&[u64]> {
        self.reached[vertex as usize].then(|| self.words.of(vertex))
    }
}

struct Solver<'e, 'k> {
    ersm: &'e Ersm,
    known: &'k mut Known,
    leaving: Lists,
    across: Lists,
    written: Vec<Option<Footprint>>,
    called: Called,
    work: Work,
    evaluator: Evaluator<'e>,
    /// Values before and after a step.
    before: Values,
    after: Values,
    assigned: Vec<Can>,
    effort: usize,
}

impl<'e, 'k> Solver<'e, 'k> {
    fn new(ersm: &'e Ersm, known: &'k mut Known) -> Solver<'e, 'k> {
        let work = Work::new(known.flow.len());
        Solver {
            ersm,
            leaving: known.flow.leaving(),
            across: known.flow.across(),
            written: footprints(ersm, &CallGraph::new(ersm)),
            called: Called::new(ersm),
            known,
            work,
            evaluator: Evaluator::new(&ersm.circuit),
            before: Values::default(),
            after: Values::default(),
            assigned: Vec::new(),
            effort: 0,
        }
    }

    /// False if it is too much work.
    fn solve(&mut self) -> bool {
        for (id, node) in &self.ersm.initial {
            self.start(*id);
            for (index, global) in self.ersm.globals.iter().enumerate() {
                self.after.set(index, initial(global.initial));
            }
            let entry = self.known.flow.node(*id, *node);
            self.arrive(entry);
        }
        while let Some(vertex) = self.work.pop() {
            self.visit(vertex);
            if self.effort + self.evaluator.gates > MOST_WORK {
                return false;
            }
        }
        true
    }

    /// The locals of a procedure as they start, in `after`; nothing about globals.
    fn start(&mut self, id: ProcId) {
        self.after.clear(2 * self.ersm.scope_size(id).div_ceil(64));
        let globals = self.ersm.globals.len();
        for (index, local) in self.ersm.procedure(id).locals.iter().enumerate() {
            self.after.set(globals + index, initial(local.initial));
        }
    }

    /// The values in `after` are possible at a vertex.
    fn arrive(&mut self, vertex: u32) {
        self.effort += 1 + self.after.words.len();
        let new = !std::mem::replace(&mut self.known.reached[vertex as usize], true);
        if self.known.words.add(vertex, &self.after.words) | new {
            self.work.push(vertex);
        }
    }

    fn visit(&mut self, vertex: u32) {
        let procedure = self.known.flow.procedure(vertex);
        let ersm = self.ersm;
        self.before.fill(self.known.words.of(vertex));
        for at in 0..self.leaving.of(vertex).len() {
            let index = self.leaving.of(vertex)[at] as usize;
            let edge = &ersm.procedure(procedure).edges[index];
            self.after.fill(&self.before.words);
            if edge.guard != Lit::TRUE {
                if self.evaluator.can(ersm, edge.guard, &self.before) & 2 == 0 {
                    continue;
                }
                self.after.assume(ersm, edge.guard);
            }
            // The right-hand sides see the values before the step.
            self.assigned.clear();
            for (_, lit) in &edge.assignments {
                self.assigned.push(self.evaluator.can(ersm, *lit, &self.after));
            }
            for ((var, _), can) in edge.assignments.iter().zip(&self.assigned) {
                self.after.set(ersm.bit(*var), *can);
            }
            self.arrive(self.known.flow.ends(procedure, index).1);
        }
        match self.known.flow.vertex(vertex) {
            Vertex::Call(site, _) => {
                self.enter(vertex);
                // What one more call adds to the others is all that matters where they come back.
                if self.called.join(procedure, site, &self.before.words) {
                    self.known.flow.return_ports(procedure, site).for_each(|port| self.come_back(port));
                }
            }
            Vertex::Node(_) => {
                for at in 0..self.across.of(vertex).len() {
                    let port = self.across.of(vertex)[at];
                    if matches!(self.known.flow.vertex(port), Vertex::Return(..)) {
                        self.come_back(port);
                    }
                }
            }
            Vertex::Return(..) => {}
        }
    }

    /// Carries the values in `before` into a callee.
    fn enter(&mut self, port: u32) {
        let ersm = self.ersm;
        let caller = ersm.procedure(self.known.flow.procedure(port));
        let (Vertex::Call(site, _), Some(entry)) = (self.known.flow.vertex(port), self.known.flow.other_side(port))
        else {
            return;
        };
        let call = &caller.boxes[site.index()];
        self.start(call.callee);
        let globals = ersm.globals.len();
        (0..globals).for_each(|bit| self.after.set(bit, self.before.get(bit)));
        for (input, lit) in ersm.procedure(call.callee).inputs.iter().zip(&call.arguments) {
            let can = self.evaluator.can(ersm, *lit, &self.before);
            self.after.set(globals + *input as usize, can);
        }
        self.effort += globals;
        self.arrive(entry);
    }

    /// Carries the values at an exit back to a caller.
    fn come_back(&mut self, port: u32) {
        let (ersm, flow) = (self.ersm, &self.known.flow);
        let procedure = flow.procedure(port);
        let (Vertex::Return(site, _), Some(exit)) = (flow.vertex(port), flow.other_side(port)) else { return };
        let Some(called) = self.called.of(procedure, site).filter(|_| self.known.reached[exit as usize]) else {
            return;
        };
        self.after.fill(called);
        let inside = self.known.words.of(exit);
        let call = &ersm.procedure(procedure).boxes[site.index()];
        match &self.written[call.callee.index()] {
            Some(footprint) => {
                footprint.written.iter().for_each(|&bit| self.after.set(bit as usize, get(inside, bit as usize)));
            }
            None => (0..ersm.globals.len()).for_each(|bit| self.after.set(bit, get(inside, bit))),
        }
        for (output, target) in ersm.procedure(call.callee).outputs.iter().zip(&call.results) {
            if let Some(target) = target {
                self.after.set(ersm.bit(*target), get(inside, ersm.globals.len() + *output as usize));
            }
        }
        self.arrive(port);
    }
}

/// What is possible at the call ports of each box together. (A box can have as many ports as its callee has entries:
/// to look at all of them whenever one of them changes would be quadratic.)
struct Called {
    /// For each procedure its first box, the first word of that, and the words of a box.
    procedures: Vec<(usize, usize, usize)>,
    is_called: Vec<bool>,
    words: Vec<u64>,
}

impl Called {
    fn new(ersm: &Ersm) -> Called {
        let (mut boxes, mut words) = (0, 0);
        let procedures = ersm.procedures().map(|(id, procedure)| {
            let width = 2 * ersm.scope_size(id).div_ceil(64);
            let first = (boxes, words, width);
            boxes += procedure.boxes.len();
            words += procedure.boxes.len() * width;
            first
        });
        let procedures = procedures.collect();
        Called { procedures, is_called: vec![false; boxes], words: vec![0; words] }
    }

    /// The number of a box, and where its words are.
    fn place(&self, procedure: ProcId, site: BoxId) -> (usize, Range<usize>) {
        let (boxes, words, width) = self.procedures[procedure.index()];
        let start = words + site.index() * width;
        (boxes + site.index(), start..start + width)
    }

    /// The box is called with these values, too; true if that is news.
    fn join(&mut self, procedure: ProcId, site: BoxId, words: &[u64]) -> bool {
        let (number, place) = self.place(procedure, site);
        let mut is_new = !std::mem::replace(&mut self.is_called[number], true);
        for (known, &more) in self.words[place].iter_mut().zip(words) {
            is_new |= more & !*known != 0;
            *known |= more;
        }
        is_new
    }

    /// The values with which a box is called; none if it is not.
    fn of(&self, procedure: ProcId, site: BoxId) -> Option<&[u64]> {
        let (number, place) = self.place(procedure, site);
        self.is_called[number].then(|| &self.words[place])
    }
}

fn initial(initial: Initial) -> Can {
    match initial {
        Initial::Fixed(value) => constant(value),
        Initial::Arbitrary => BOTH,
    }
}

/// Evaluates signals over possible values.
struct Evaluator<'e> {
    circuit: &'e Circuit,
    /// For each gate the round in which it was evaluated, and its value then.
    values: Vec<(u32, Can)>,
    round: u32,
    stack: Vec<usize>,
    /// Gates evaluated so far.
    gates: usize,
}

impl<'e> Evaluator<'e> {
    fn new(circuit: &'e Circuit) -> Evaluator<'e> {
        Evaluator { circuit, values: vec![(0, 0); circuit.len()], round: 0, stack: Vec::new(), gates: 0 }
    }

    /// What a signal can be.
    fn can(&mut self, ersm: &Ersm, lit: Lit, values: &Values) -> Can {
        let leaf = |number: u32| match Leaf::from_number(number) {
            Leaf::Var(var) => values.get(ersm.bit(var)),
            Leaf::Choice(_) => BOTH,
        };
        match self.circuit.gate(lit) {
            Gate::False => return signed(constant(false), lit),
            Gate::Input(number) => return signed(leaf(number), lit),
            Gate::And(..) => {}
        }
        self.round += 1;
        let round = self.round;
        self.stack.push(lit.gate());
        while let Some(&gate) = self.stack.last() {
            let can = match self.circuit.gate_at(gate) {
                _ if self.values[gate].0 == round => self.values[gate].1,
                Gate::False => constant(false),
                Gate::Input(number) => leaf(number),
                Gate::And(a, b) => {
                    let missing = [a, b].map(|side| (self.values[side.gate()].0 != round).then_some(side.gate()));
                    if missing != [None, None] {
                        self.stack.extend(missing.into_iter().flatten());
                        continue;
                    }
                    let [a, b] = [a, b].map(|side| signed(self.values[side.gate()].1, side));
                    (a | b) & 1 | a & b & 2
                }
            };
            self.values[gate] = (round, can);
            self.stack.pop();
            self.gates += 1;
        }
        signed(self.values[lit.gate()].1, lit)
    }
}

/// What a signal can be, given what its gate can be.
fn signed(can: Can, lit: Lit) -> Can {
    if lit.is_negated() { can >> 1 | (can & 1) << 1 } else { can }
}

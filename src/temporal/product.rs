//! The product of a machine and a Büchi automaton (Godefroid 4, Alur-RSM 3.3): a machine whose runs that pass through
//! accepting states again and again are the runs of the first that the automaton accepts.
//!
//! The automaton's state is a number in globals of its own, so that every engine sees it as data; nodes are not
//! multiplied. A transition out of a node is taken together with a step of the automaton, which reads the letter of
//! the state that is left. The step out of an exit belongs to the caller, which does not see the letter: so the exit becomes
//! a node, and a new exit follows it. Likewise an entry to which transitions lead gets a new one in front of it.
//!
//! Where a run cannot go on it stays (see [`forever`](super::forever)): a step leads to a node `stuck` with a loop, and the
//! automaton's state says that it accepts this. At an exit only the caller knows whether the run can go on; the callee says
//! by the same state that it has better not.
//!
//! Over labels, transitions without one are not seen. An accepting state counts only right after a label was read, so that
//! a run without further labels is not accepted (Alur-RSM 3.3, where a copy of each state does the same).

use super::forever::{Forever, blocked, satisfied};
use super::letters::{Letter, Letters, State};
use super::outermost::Outermost;
use crate::logic::Blocked;
use crate::model::{
    BoxId, CallBox, Edge, Ersm, Initial, Leaf, Node, NodeId, Owner, ProcId, Procedure, Span, Var, Variable, Vertex,
    bits_to_choose,
};
use epitome_automata::Buchi;
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;

/// The product.
#[derive(Clone, Debug)]
pub struct Product {
    /// The machine.
    pub ersm: Ersm,
    /// The automaton's state accepts: a signal over globals.
    pub accepting: Lit,
    /// The way back.
    pub above: Above,
}

/// What the product was made of: its parts come first, what was added comes after them.
#[derive(Clone, Debug)]
pub struct Above {
    /// Globals of the machine.
    pub globals: usize,
    /// By procedure: what it was.
    pub procedures: Vec<ProcedureAbove>,
}

/// What a procedure of the product was.
#[derive(Clone, Debug)]
pub struct ProcedureAbove {
    /// The procedure.
    pub procedure: ProcId,
    /// Its nodes.
    pub nodes: usize,
    /// Its locals.
    pub locals: usize,
    /// Nodes in front of calls, and the call port each stands for.
    pub calls: Vec<(NodeId, Vertex)>,
    /// The node where runs stay.
    pub stuck: Option<NodeId>,
}

/// A transition for which it cannot be told whether it can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyChoices {
    /// Where it stands.
    pub span: Span,
}

/// The automaton's state as bits.
struct Code {
    bits: Vec<Lit>,
    first: u32,
    /// The number that says: this run stays where it is, and that is accepted.
    stays: usize,
    /// The global that says that nothing was read since the state was entered, over labels.
    silent: Option<u32>,
}

impl Code {
    fn new(ersm: &mut Ersm, automaton: &Buchi, labels: bool) -> Code {
        let first = ersm.globals.len() as u32;
        let stays = automaton.states();
        let bits = bits_to_choose(stays + 1);
        for bit in 0..bits {
            let name = ersm.names.intern(&format!("automaton#{bit}"));
            ersm.globals.push(Variable { name, initial: Initial::Fixed(false), digit: bit as u8 });
        }
        let bits = (first..first + bits).map(|global| ersm.leaf(Leaf::Var(Var::Global(global)))).collect();
        let silent = labels.then(|| {
            let name = ersm.names.intern("silent");
            ersm.globals.push(Variable { name, initial: Initial::Fixed(false), digit: 0 });
            ersm.globals.len() as u32 - 1
        });
        Code { bits, first, stays, silent }
    }

    fn is(&self, ersm: &mut Ersm, state: usize) -> Lit {
        ersm.circuit.is_number(&self.bits, state)
    }

    /// The assignments that make it this state, after a letter was read.
    fn set(&self, state: usize) -> impl Iterator<Item = (Var, Lit)> + '_ {
        let bits = (0..self.bits.len()).map(move |bit| (Var::Global(self.first + bit as u32), state >> bit & 1 == 1));
        bits.chain(self.silent.map(|silent| (Var::Global(silent), false)))
            .map(|(var, value)| (var, Lit::constant(value)))
    }
}

/// Makes the product.
///
/// # Errors
/// If a transition has too many choices to tell whether a run can go on.
pub fn product(
    base: Outermost,
    letters: &Letters,
    automaton: &Buchi,
    policy: Blocked,
) -> Result<Product, TooManyChoices> {
    let Outermost { mut ersm, origin, outer } = base;
    let globals = ersm.globals.len();
    let code = Code::new(&mut ersm, automaton, matches!(letters, Letters::Labels(_)));
    let mut accepting = code.is(&mut ersm, code.stays);
    for state in (0..automaton.states()).filter(|&state| automaton.accepting[state]) {
        let is = code.is(&mut ersm, state);
        accepting = ersm.circuit.or(accepting, is);
    }
    if let Some(silent) = code.silent {
        let silent = ersm.leaf(Leaf::Var(Var::Global(silent)));
        accepting = ersm.circuit.and(accepting, !silent);
    }
    let forever = Forever::default();
    let mut builder = Builder { ersm, automaton, letters, code, policy, outer, forever, enters: Vec::new() };
    (builder.ersm.circuit, builder.enters) = builder.enters();
    let above = |(procedure, origin): (&Procedure, ProcId)| ProcedureAbove {
        procedure: origin,
        nodes: procedure.nodes.len(),
        locals: procedure.locals.len(),
        calls: Vec::new(),
        stuck: None,
    };
    let mut procedures: Vec<ProcedureAbove> = builder.ersm.procedures.iter().zip(origin).map(above).collect();
    let waits = builder.waits()?;
    for (index, above) in procedures.iter_mut().enumerate() {
        builder.procedure(index, above, &waits)?;
    }
    Ok(Product { ersm: builder.ersm, accepting, above: Above { globals, procedures } })
}

struct Builder<'p> {
    ersm: Ersm,
    automaton: &'p Buchi,
    letters: &'p Letters,
    code: Code,
    policy: Blocked,
    outer: Vec<bool>,
    forever: Forever,
    /// By procedure and box: the call can begin, over the caller's variables and choices behind those of all its transitions.
    enters: Vec<Vec<Lit>>,
}

/// The transitions of a procedure, by where they begin.
type Leaving<'p> = FxHashMap<Vertex, Vec<&'p Edge>>;

fn leaving(procedure: &Procedure) -> Leaving<'_> {
    let mut leaving = Leaving::default();
    procedure.edges.iter().for_each(|edge| leaving.entry(edge.from).or_default().push(edge));
    leaving
}

/// A procedure under construction.
struct Building {
    procedure: Procedure,
    edges: Vec<Edge>,
    stuck: Option<NodeId>,
}

impl Building {
    fn node(&mut self, span: Span) -> NodeId {
        self.procedure.nodes.push(Node { propositions: Box::default(), owner: Owner::System, span });
        NodeId::from(self.procedure.nodes.len() - 1)
    }

    /// The node where runs stay.
    fn stuck(&mut self) -> Vertex {
        let span = self.procedure.span;
        let node = match self.stuck {
            Some(node) => node,
            None => {
                let node = self.node(span);
                let at = Vertex::Node(node);
                self.edges.push(plain(at, at, Lit::TRUE, Vec::new(), span));
                self.stuck = Some(node);
                node
            }
        };
        Vertex::Node(node)
    }
}

fn plain(from: Vertex, to: Vertex, guard: Lit, assignments: Vec<(Var, Lit)>, span: Span) -> Edge {
    Edge { from, to, guard, assignments: assignments.into(), choices: Box::default(), label: None, span }
}

/// A signal of the callee where it begins, over what the caller has: inputs are arguments, other locals have their initial
/// values. Choices get numbers from the first on.
fn at_call(circuit: &mut Circuit, signal: Lit, site: &CallBox, callee: &Procedure, first: u32) -> Lit {
    let of_arguments = |circuit: &mut Circuit, argument: Lit| {
        circuit.substitute(argument, &mut FxHashMap::default(), |circuit, number| match Leaf::from_number(number) {
            Leaf::Choice(choice) => circuit.input(Leaf::Choice(first + choice).number()),
            Leaf::Var(_) => circuit.input(number),
        })
    };
    let (locals, choices) = (first + site.choices.len() as u32, callee.locals.len() as u32);
    circuit.substitute(signal, &mut FxHashMap::default(), |circuit, number| match Leaf::from_number(number) {
        Leaf::Var(Var::Global(_)) => circuit.input(number),
        Leaf::Var(Var::Local(local)) => {
            let input = callee.inputs.iter().position(|&input| input == local);
            match (input.and_then(|input| site.arguments.get(input)), callee.locals[local as usize].initial) {
                (Some(&argument), _) => of_arguments(circuit, argument),
                (None, Initial::Fixed(value)) => Lit::constant(value),
                (None, Initial::Arbitrary) => circuit.input(Leaf::Choice(locals + local).number()),
            }
        }
        Leaf::Choice(choice) => circuit.input(Leaf::Choice(locals + choices + choice).number()),
    })
}

impl Builder<'_> {
    /// By procedure and exit: at some call of it a run may not be able to go on after it has returned from there.
    fn waits(&mut self) -> Result<Vec<Vec<bool>>, TooManyChoices> {
        let mut waits: Vec<Vec<bool>> = self.ersm.procedures.iter().map(|p| vec![false; p.exits.len()]).collect();
        if self.policy == Blocked::Discard || matches!(self.letters, Letters::Labels(_)) {
            return Ok(waits);
        }
        for index in 0..self.ersm.procedures.len() {
            let procedure = self.ersm.procedures[index].clone();
            let leaving = leaving(&procedure);
            for (site, call) in procedure.boxes.iter().enumerate() {
                for (exit, waits) in waits[call.callee.index()].iter_mut().enumerate() {
                    let port = Vertex::Return(site.into(), exit as u32);
                    *waits |= self.blocked(index, &leaving, port)? != Lit::FALSE;
                }
            }
        }
        Ok(waits)
    }

    /// When calls can begin: always where the entry is a state; otherwise one of its transitions must be possible (`enforce`).
    fn enters(&self) -> (Circuit, Vec<Vec<Lit>>) {
        let Letters::States(letters) = self.letters else { return (self.ersm.circuit.clone(), Vec::new()) };
        let mut circuit = self.ersm.circuit.clone();
        let mut all = Vec::with_capacity(self.ersm.procedures.len());
        for procedure in &self.ersm.procedures {
            let first = procedure.edges.iter().map(|edge| edge.choices.len()).max().unwrap_or(0);
            let enters = |site: &CallBox| {
                let callee = self.ersm.procedure(site.callee);
                let entry =
                    callee.entries.first().filter(|entry| letters[site.callee.index()][entry.index()].is_none());
                let Some(&entry) = entry else { return Lit::TRUE };
                let mut can = Lit::FALSE;
                for edge in callee.edges.iter().filter(|edge| edge.from == Vertex::Node(entry)) {
                    let guard = at_call(&mut circuit, edge.guard, site, callee, first as u32);
                    can = circuit.or(can, guard);
                }
                can
            };
            all.push(procedure.boxes.iter().map(enters).collect());
        }
        (circuit, all)
    }

    /// The signal that no transition of the original machine can be taken from a vertex.
    fn blocked(&mut self, index: usize, leaving: &Leaving<'_>, vertex: Vertex) -> Result<Lit, TooManyChoices> {
        let edges = leaving.get(&vertex).map_or(&[][..], |edges| edges);
        let span = edges.first().map_or(Span::default(), |edge| edge.span);
        let mut guards = Vec::with_capacity(edges.len());
        for edge in edges {
            guards.push(match (edge.to, self.enters.get(index)) {
                (Vertex::Call(site, _), Some(enters)) => self.ersm.circuit.and(edge.guard, enters[site.index()]),
                _ => edge.guard,
            });
        }
        blocked(&mut self.ersm.circuit, &guards).ok_or(TooManyChoices { span })
    }

    fn procedure(
        &mut self,
        index: usize,
        above: &mut ProcedureAbove,
        waits: &[Vec<bool>],
    ) -> Result<(), TooManyChoices> {
        let old = self.ersm.procedures[index].clone();
        let mut new = Building { procedure: old.clone(), edges: Vec::new(), stuck: None };
        new.procedure.edges.clear();
        match self.letters {
            Letters::Labels(letters) => {
                for (edge, letter) in old.edges.iter().zip(&letters[index]) {
                    self.split(&mut new, above, edge.clone(), letter.as_ref());
                }
            }
            Letters::States(letters) => {
                let letters = &letters[index];
                for edge in &old.edges {
                    let letter = match edge.from {
                        Vertex::Node(node) => letters[node.index()].as_ref().map(|state| &state.letter),
                        Vertex::Call(..) | Vertex::Return(..) => None,
                    };
                    self.split(&mut new, above, edge.clone(), letter);
                }
                let leaving = leaving(&old);
                self.leave(index, &old, letters, &mut new, waits);
                self.stay(index, (&old, &leaving), letters, &mut new)?;
                self.stay_after_return(index, (&old, &leaving), &mut new, waits)?;
            }
        }
        self.enter(index, &mut new);
        above.stuck = new.stuck;
        new.procedure.edges = new.edges;
        self.ersm.procedures[index] = new.procedure;
        Ok(())
    }

    /// A transition with a step of the automaton that reads a letter, or with none. A transition from a return port to a call
    /// port gets a node in its middle: every loop within a procedure has one.
    fn split(&mut self, new: &mut Building, above: &mut ProcedureAbove, mut edge: Edge, letter: Option<&Letter>) {
        if let (Vertex::Return(..), Vertex::Call(..)) = (edge.from, edge.to) {
            let middle = new.node(edge.span);
            above.calls.push((middle, edge.to));
            let middle = Vertex::Node(middle);
            new.edges.push(plain(middle, edge.to, Lit::TRUE, Vec::new(), edge.span));
            edge.to = middle;
        }
        match letter {
            Some(letter) => {
                for (state, guard) in self.steps(letter) {
                    let guard = self.ersm.circuit.and(edge.guard, guard);
                    if guard != Lit::FALSE {
                        let assignments = edge.assignments.iter().copied().chain(self.code.set(state)).collect();
                        new.edges.push(Edge { guard, assignments, ..edge.clone() });
                    }
                }
            }
            None => {
                let silent = self.code.silent.map(|silent| (Var::Global(silent), Lit::TRUE));
                edge.assignments = edge.assignments.iter().copied().chain(silent).collect();
                new.edges.push(edge);
            }
        }
    }

    /// By state that the automaton can go to: when.
    fn steps(&mut self, letter: &Letter) -> Vec<(usize, Lit)> {
        let mut steps = vec![Lit::FALSE; self.automaton.states()];
        for (from, transitions) in self.automaton.transitions.iter().enumerate() {
            let is = self.code.is(&mut self.ersm, from);
            for &(cube, to) in transitions {
                let reads = satisfied(&mut self.ersm.circuit, cube, letter);
                let step = self.ersm.circuit.and(is, reads);
                steps[to as usize] = self.ersm.circuit.or(steps[to as usize], step);
            }
        }
        steps.into_iter().enumerate().filter(|(_, step)| *step != Lit::FALSE).collect()
    }

    /// The signal that the automaton accepts a letter for ever.
    fn accepts_forever(&mut self, letter: &Letter) -> Lit {
        let accepted = self.forever.accepted(&mut self.ersm.circuit, self.automaton, letter).to_vec();
        let mut all = Lit::FALSE;
        for (state, accepted) in accepted.into_iter().enumerate() {
            let is = self.code.is(&mut self.ersm, state);
            let both = self.ersm.circuit.and(is, accepted);
            all = self.ersm.circuit.or(all, both);
        }
        all
    }

    /// Exits become nodes, with new exits behind them.
    fn leave(
        &mut self,
        index: usize,
        old: &Procedure,
        letters: &[Option<State>],
        new: &mut Building,
        waits: &[Vec<bool>],
    ) {
        for (place, &exit) in old.exits.iter().enumerate() {
            let span = old.nodes[exit.index()].span;
            let behind = new.node(span);
            new.procedure.exits[place] = behind;
            if self.outer[index] {
                continue;
            }
            let (from, to) = (Vertex::Node(exit), Vertex::Node(behind));
            let Some(State { letter, .. }) = &letters[exit.index()] else {
                new.edges.push(plain(from, to, Lit::TRUE, Vec::new(), span));
                continue;
            };
            for (state, guard) in self.steps(letter) {
                new.edges.push(plain(from, to, guard, self.code.set(state).collect(), span));
            }
            if waits[index][place] {
                let guard = self.accepts_forever(letter);
                new.edges.push(plain(from, to, guard, self.code.set(self.code.stays).collect(), span));
            }
        }
    }

    /// Entries to which transitions lead get new entries in front of them: whoever is at an entry has just been called.
    fn enter(&mut self, index: usize, new: &mut Building) {
        for place in 0..new.procedure.entries.len() {
            let entry = new.procedure.entries[place];
            let (old, span) = (Vertex::Node(entry), new.procedure.nodes[entry.index()].span);
            if new.edges.iter().any(|edge| edge.to == old) {
                let front = new.node(span);
                new.procedure.entries[place] = front;
                new.edges.push(plain(Vertex::Node(front), old, Lit::TRUE, Vec::new(), span));
                let starts = |start: &&mut (ProcId, NodeId)| *start == &mut (ProcId::from(index), entry);
                self.ersm.initial.iter_mut().filter(starts).for_each(|start| start.1 = front);
            }
        }
    }

    /// States in which a run may have to stay.
    fn stay(
        &mut self,
        index: usize,
        (old, leaving): (&Procedure, &Leaving<'_>),
        letters: &[Option<State>],
        new: &mut Building,
    ) -> Result<(), TooManyChoices> {
        for (node, state) in letters.iter().enumerate() {
            let (Some(State { letter, is_end }), node) = (state, NodeId::from(node)) else { continue };
            let (at, span) = (Vertex::Node(node), old.nodes[node.index()].span);
            // Whoever is called leaves its exits.
            let returns = old.exits.contains(&node) && !self.outer[index];
            if returns || !is_end && self.policy == Blocked::Discard {
                continue;
            }
            let blocked = self.blocked(index, leaving, at)?;
            if blocked == Lit::FALSE {
                continue;
            }
            let accepted = self.accepts_forever(letter);
            let guard = self.ersm.circuit.and(blocked, accepted);
            if guard != Lit::FALSE {
                let stuck = new.stuck();
                new.edges.push(plain(at, stuck, guard, self.code.set(self.code.stays).collect(), span));
            }
        }
        Ok(())
    }

    /// Returns after which a run may have to stay: the callee has said that it will.
    fn stay_after_return(
        &mut self,
        index: usize,
        (old, leaving): (&Procedure, &Leaving<'_>),
        new: &mut Building,
        waits: &[Vec<bool>],
    ) -> Result<(), TooManyChoices> {
        let stays = self.code.is(&mut self.ersm, self.code.stays);
        let callee = |site: BoxId| old.boxes[site.index()].callee.index();
        for edge in &mut new.edges {
            if let Vertex::Return(site, exit) = edge.from
                && waits[callee(site)][exit as usize]
            {
                edge.guard = self.ersm.circuit.and(edge.guard, !stays);
            }
        }
        for site in (0..old.boxes.len()).map(BoxId::from) {
            for exit in (0..waits[callee(site)].len()).filter(|&exit| waits[callee(site)][exit]) {
                let port = Vertex::Return(site, exit as u32);
                let blocked = self.blocked(index, leaving, port)?;
                let guard = self.ersm.circuit.and(blocked, stays);
                if guard != Lit::FALSE {
                    let (stuck, span) = (new.stuck(), old.span);
                    new.edges.push(plain(port, stuck, guard, Vec::new(), span));
                }
            }
        }
        Ok(())
    }
}

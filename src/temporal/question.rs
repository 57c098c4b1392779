//! Cycles as reachability: guess a head, save it, and ask whether the same head comes back with an accepting state in
//! between and without popping below the guess (Esparza and Schwoon's repeating heads; saving a state is Biere, Artho
//! and Schuppan's reduction of liveness to safety).
//!
//! An accepting run of the product is, from some point on, made of parts that begin and end with the same *head*:
//! - its stack stays *bounded*: the same node with the same values of all variables in scope comes back in the same
//!   activation (a cycle of Alur-RSM's graph H', Lemma 5). The head is saved in locals of the activation, so that callees see
//!   nothing of it but whether an accepting state was seen;
//! - its stack *grows*: the same entry with the same globals and inputs comes back in an activation above (a cycle of H
//!   through a call, Lemma 4). Other locals of the activation are chosen anew there, so they can be chosen as they were. The
//!   head is saved in globals.
//!
//! A local `mine` marks the activation of the guess, which must not be left. Guesses are made at heads of loops, or at
//! entries of recursive procedures: every cycle has one. Where an engine has found a head already, only that one is asked
//! for, what is known of it is not saved, and the answer is the run.
//!
//! So whoever answers reachability answers this, with its own way to find runs and with all reductions; and the way
//! back ([`Question::lasso`]) is one for all.

use super::heads::{entry_heads, loop_heads};
use super::product::Product;
use crate::model::{
    Edge, Ersm, Goal, Initial, Leaf, Node, NodeId, NodeSet, Owner, ProcId, Span, Var, Variable, Vertex, bits_to_choose,
};
use epitome_encodings::Lit;

/// What becomes of the stack in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Growth {
    /// It is the same after each round.
    Bounded,
    /// It is higher after each round.
    Unbounded,
}

/// Where a cycle begins and ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// What becomes of the stack.
    pub growth: Growth,
    /// The procedure.
    pub procedure: ProcId,
    /// The node; an entry, if the stack grows.
    pub node: NodeId,
    /// What is known of the variables in scope, by [`Ersm::bit`] of the product.
    pub values: Vec<Option<bool>>,
}

/// A question of reachability whose answer is a cycle.
#[derive(Clone, Debug)]
pub struct Question<'p> {
    pub(super) product: &'p Product,
    /// The machine.
    pub ersm: Ersm,
    /// What is looked for.
    pub goal: Goal,
    pub(super) growth: Growth,
    /// The global that says that the head was guessed.
    pub(super) guessed: u32,
}

/// Variables of a head: as they are now, and where they are saved.
struct Saved {
    pairs: Vec<(Var, Var)>,
    /// Those whose values are known.
    known: Vec<(Var, bool)>,
    /// Which head it is, as a number.
    which: Vec<Var>,
}

impl<'p> Question<'p> {
    /// Whether there is a cycle of this kind, wherever it begins.
    pub fn any(product: &'p Product, growth: Growth) -> Question<'p> {
        let heads = match growth {
            Growth::Bounded => loop_heads(&product.ersm),
            Growth::Unbounded => entry_heads(&product.ersm),
        };
        Asking::new(product, growth).ask(heads, None)
    }

    /// Whether there is a cycle with this head.
    pub fn known(product: &'p Product, head: &Head) -> Question<'p> {
        let mut heads = vec![Vec::new(); product.ersm.procedures.len()];
        heads[head.procedure.index()].push(head.node);
        Asking::new(product, head.growth).ask(heads, Some(&head.values))
    }
}

/// A question that is being written.
struct Asking<'p> {
    product: &'p Product,
    growth: Growth,
    ersm: Ersm,
    guessed: u32,
    seen: u32,
}

impl<'p> Asking<'p> {
    fn new(product: &'p Product, growth: Growth) -> Asking<'p> {
        let mut ersm = product.ersm.clone();
        let guessed = ersm.globals.len() as u32;
        for name in ["guessed", "seen"] {
            let name = ersm.names.intern(name);
            ersm.globals.push(Variable { name, initial: Initial::Fixed(false), digit: 0 });
        }
        Asking { product, growth, ersm, guessed, seen: guessed + 1 }
    }

    fn leaf(&mut self, var: Var) -> Lit {
        self.ersm.leaf(Leaf::Var(var))
    }

    fn ask(mut self, heads: Vec<Vec<NodeId>>, values: Option<&[Option<bool>]>) -> Question<'p> {
        self.watch();
        let numbered = heads.iter().map(Vec::len).sum();
        let shared = match self.growth {
            Growth::Bounded => Vec::new(),
            Growth::Unbounded => self.globals("head", bits_to_choose(numbered)),
        };
        let copies = match self.growth {
            Growth::Bounded => Vec::new(),
            Growth::Unbounded => self.global_copies(&heads, values),
        };
        let mut done = Vec::new();
        let mut number = 0;
        for (index, heads) in heads.iter().enumerate().filter(|(_, heads)| !heads.is_empty()) {
            let saved = match self.growth {
                Growth::Bounded => {
                    number = 0;
                    self.local_copies(index, heads.len(), values)
                }
                Growth::Unbounded => self.shared_copies(index, &copies, &shared, values),
            };
            let mine = self.local(index, "mine");
            self.keep(index, mine);
            let end = self.node(index);
            done.push((ProcId::from(index), end));
            for &head in heads {
                self.guess(index, head, &saved, number, mine);
                self.compare(index, (head, end), &saved, number, mine);
                number += 1;
            }
        }
        let mut targets = NodeSet::new(&self.ersm);
        done.iter().for_each(|&(procedure, node)| _ = targets.insert(procedure, node));
        let goal = Goal { targets, calls: Vec::new(), all: false };
        let Asking { product, growth, ersm, guessed, .. } = self;
        Question { product, ersm, goal, growth, guessed }
    }

    /// Every step notes that an accepting state is left after the guess.
    fn watch(&mut self) {
        let [guessed, seen] = [self.guessed, self.seen].map(|global| self.leaf(Var::Global(global)));
        let now = self.ersm.circuit.or(seen, self.product.accepting);
        let now = self.ersm.circuit.and(guessed, now);
        for edge in self.ersm.procedures.iter_mut().flat_map(|procedure| &mut procedure.edges) {
            edge.assignments = edge.assignments.iter().copied().chain([(Var::Global(self.seen), now)]).collect();
        }
    }

    fn globals(&mut self, name: &str, count: u32) -> Vec<Var> {
        let name = self.ersm.names.intern(name);
        let first = self.ersm.globals.len() as u32;
        let variable = |digit| Variable { name, initial: Initial::Fixed(false), digit: digit as u8 };
        self.ersm.globals.extend((0..count).map(variable));
        (first..first + count).map(Var::Global).collect()
    }

    fn local(&mut self, index: usize, name: &str) -> Var {
        let name = self.ersm.names.intern(name);
        self.push_local(index, Variable { name, initial: Initial::Fixed(false), digit: 0 })
    }

    fn push_local(&mut self, index: usize, variable: Variable) -> Var {
        let locals = &mut self.ersm.procedures[index].locals;
        locals.push(variable);
        Var::Local(locals.len() as u32 - 1)
    }

    fn node(&mut self, index: usize) -> NodeId {
        let procedure = &mut self.ersm.procedures[index];
        procedure.nodes.push(Node { propositions: Box::default(), owner: Owner::System, span: procedure.span });
        NodeId::from(procedure.nodes.len() - 1)
    }

    /// What is known of a variable of the product.
    fn known(&self, values: Option<&[Option<bool>]>, var: Var) -> Option<bool> {
        values.and_then(|values| values[self.product.ersm.bit(var)])
    }

    /// Copies of all variables in scope in locals.
    fn local_copies(&mut self, index: usize, heads: usize, values: Option<&[Option<bool>]>) -> Saved {
        let product = &self.product.ersm;
        let globals = (0..product.globals.len() as u32).map(Var::Global);
        let locals = (0..product.procedures[index].locals.len() as u32).map(Var::Local);
        let mut saved = Saved { pairs: Vec::new(), known: Vec::new(), which: Vec::new() };
        for var in globals.chain(locals).collect::<Vec<_>>() {
            match self.known(values, var) {
                Some(value) => saved.known.push((var, value)),
                None => {
                    let copy = self.copy_of(index, var);
                    saved.pairs.push((var, self.push_local(index, copy)));
                }
            }
        }
        saved.which = (0..bits_to_choose(heads)).map(|_| self.local(index, "head")).collect();
        saved
    }

    /// A variable that starts as 0, otherwise like another one.
    fn copy_of(&self, index: usize, var: Var) -> Variable {
        let variable = match var {
            Var::Global(global) => self.ersm.globals[global as usize],
            Var::Local(local) => self.ersm.procedures[index].locals[local as usize],
        };
        Variable { initial: Initial::Fixed(false), ..variable }
    }

    /// Copies of the globals, and of as many inputs as a head has, in globals.
    fn global_copies(&mut self, heads: &[Vec<NodeId>], values: Option<&[Option<bool>]>) -> Vec<Var> {
        let procedures = heads.iter().zip(&self.product.ersm.procedures);
        let inputs = procedures.filter(|(heads, _)| !heads.is_empty()).map(|(_, procedure)| procedure.inputs.len());
        let inputs = inputs.max().unwrap_or(0) as u32;
        let first = self.ersm.globals.len() as u32;
        for global in (0..self.product.ersm.globals.len() as u32).map(Var::Global) {
            if self.known(values, global).is_none() {
                let copy = self.copy_of(0, global);
                self.ersm.globals.push(copy);
            }
        }
        self.globals("input", inputs);
        (first..self.ersm.globals.len() as u32).map(Var::Global).collect()
    }

    /// How a procedure uses the copies in globals.
    fn shared_copies(&self, index: usize, copies: &[Var], which: &[Var], values: Option<&[Option<bool>]>) -> Saved {
        let product = &self.product.ersm;
        let globals = (0..product.globals.len() as u32).map(Var::Global);
        let inputs = product.procedures[index].inputs.iter().copied().map(Var::Local);
        let mut saved = Saved { pairs: Vec::new(), known: Vec::new(), which: which.to_vec() };
        let mut free = copies.iter();
        for var in globals.chain(inputs) {
            match (self.known(values, var), var) {
                (Some(value), _) => saved.known.push((var, value)),
                (None, _) => saved.pairs.extend(free.next().map(|&copy| (var, copy))),
            }
        }
        saved
    }

    /// The activation of the guess is not left.
    fn keep(&mut self, index: usize, mine: Var) {
        let mine = self.leaf(mine);
        let Ersm { procedures, circuit, .. } = &mut self.ersm;
        let procedure = &mut procedures[index];
        let is_exit = |vertex: Vertex| procedure.exits.iter().any(|&exit| vertex == Vertex::Node(exit));
        for edge in procedure.edges.iter_mut().filter(|edge| is_exit(edge.to)) {
            edge.guard = circuit.and(edge.guard, !mine);
        }
    }

    /// The signal that what is known of a head is so.
    fn is_known(&mut self, saved: &Saved) -> Lit {
        let mut all = Lit::TRUE;
        for &(var, value) in &saved.known {
            let is = self.leaf(var).negate_if(!value);
            all = self.ersm.circuit.and(all, is);
        }
        all
    }

    fn edge(&mut self, index: usize, (from, to): (NodeId, NodeId), guard: Lit, assignments: Vec<(Var, Lit)>) {
        let span: Span = self.ersm.procedures[index].nodes[from.index()].span;
        let [from, to] = [from, to].map(Vertex::Node);
        let (choices, label) = (Box::default(), None);
        let assignments = assignments.into();
        self.ersm.procedures[index].edges.push(Edge { from, to, guard, assignments, choices, label, span });
    }

    /// The step that guesses a head.
    fn guess(&mut self, index: usize, head: NodeId, saved: &Saved, number: usize, mine: Var) {
        let guessed = self.leaf(Var::Global(self.guessed));
        let known = self.is_known(saved);
        let guard = self.ersm.circuit.and(!guessed, known);
        let mut assignments = vec![(Var::Global(self.guessed), Lit::TRUE), (mine, Lit::TRUE)];
        for &(var, copy) in &saved.pairs {
            assignments.push((copy, self.leaf(var)));
        }
        let digits = saved.which.iter().enumerate();
        assignments.extend(digits.map(|(bit, &var)| (var, Lit::constant(number >> bit & 1 == 1))));
        self.edge(index, (head, head), guard, assignments);
    }

    /// The step that sees the head again.
    fn compare(&mut self, index: usize, ends: (NodeId, NodeId), saved: &Saved, number: usize, mine: Var) {
        let [seen, mine] = [Var::Global(self.seen), mine].map(|var| self.leaf(var));
        let above = match self.growth {
            Growth::Bounded => mine,
            Growth::Unbounded => !mine,
        };
        let mut guard = self.is_known(saved);
        guard = self.ersm.circuit.and(guard, seen);
        guard = self.ersm.circuit.and(guard, above);
        let which: Vec<Lit> = saved.which.iter().map(|&var| self.leaf(var)).collect();
        let is_head = self.ersm.circuit.is_number(&which, number);
        guard = self.ersm.circuit.and(guard, is_head);
        for &(var, copy) in &saved.pairs {
            let [var, copy] = [var, copy].map(|var| self.leaf(var));
            let same = self.ersm.circuit.iff(var, copy);
            guard = self.ersm.circuit.and(guard, same);
        }
        self.edge(index, ends, guard, Vec::new());
    }
}

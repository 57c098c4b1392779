//! Extended recursive state machines, as Godefroid 2.1 defines them: global variables; procedures
//! with local, input and output variables, nodes, boxes (call sites) mapped to procedures, entries
//! and exits, and transitions with guard, simultaneous assignment and label, from a node or a return
//! port to a node or a call port.
//!
//! On top of the definition:
//! - guards and right-hand sides are signals of one shared circuit. Its inputs are the variables in
//!   scope (locals are numbered from 0 in every procedure, so that similar procedures share their
//!   circuits) and the transition's own choice inputs. A choice belongs to the system or to the
//!   environment (Kupferman);
//! - a box's arguments are signals, not just variables; its results go to any variables in scope, or
//!   nowhere;
//! - every variable starts as 0, 1 or arbitrary; an arbitrary value is chosen anew at every call;
//! - nodes carry propositions and an owner, nodes and transitions a place in the source text.

use crate::syntax::{self, Name, Names, Owner, Span, Var};
use epitome_encodings::{Circuit, Lit};
use std::fmt;

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into a list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> $name {
                $name(index as u32)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

index_type!(
    /// A procedure of an [`Ersm`].
    ProcId,
    "p"
);
index_type!(
    /// A node of a [`Procedure`].
    NodeId,
    "n"
);
index_type!(
    /// A box (call site) of a [`Procedure`].
    BoxId,
    "b"
);

/// How a variable starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Initial {
    /// With this value.
    Fixed(bool),
    /// With any value.
    Arbitrary,
}

/// A variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: Name,
    /// How it starts: the globals once, the locals at every call (inputs take the argument instead).
    pub initial: Initial,
    /// Which digit it is of the number that it is a bit of, the lowest first.
    pub digit: u8,
}

impl From<&syntax::Variable> for Variable {
    fn from(variable: &syntax::Variable) -> Variable {
        let initial = variable.initial.map_or(Initial::Arbitrary, Initial::Fixed);
        Variable { name: variable.name, initial, digit: 0 }
    }
}

/// An extended recursive state machine.
#[derive(Clone, Debug, Default)]
pub struct Ersm {
    /// Names of everything.
    pub names: Names,
    /// Global variables.
    pub globals: Vec<Variable>,
    /// The procedures (component machines).
    pub procedures: Vec<Procedure>,
    /// Guards, right-hand sides and arguments.
    pub circuit: Circuit,
    /// Entries at which a computation may start.
    pub initial: Vec<(ProcId, NodeId)>,
    /// Nodes the user can name: labels of a program, nodes of a machine.
    pub places: Vec<NamedPlace>,
    /// Nodes whose reaching is a failure by default.
    pub failures: Vec<Failure>,
}

/// A node with a name.
#[derive(Clone, Copy, Debug)]
pub struct NamedPlace {
    /// Its name.
    pub name: Name,
    /// Its procedure.
    pub procedure: ProcId,
    /// The node.
    pub node: NodeId,
    /// Where it stands.
    pub span: Span,
}

/// A node that must not be reached.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Its procedure.
    pub procedure: ProcId,
    /// The node.
    pub node: NodeId,
}

/// A component machine.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Local variables, inputs and outputs among them.
    pub locals: Vec<Variable>,
    /// The locals that take the arguments.
    pub inputs: Vec<u32>,
    /// The locals that hold the results at an exit.
    pub outputs: Vec<u32>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Call sites.
    pub boxes: Vec<CallBox>,
    /// Entry nodes.
    pub entries: Vec<NodeId>,
    /// Exit nodes.
    pub exits: Vec<NodeId>,
    /// Transitions.
    pub edges: Vec<Edge>,
    /// Where the procedure's head stands.
    pub span: Span,
    /// The globals it can be concerned with, if an analysis has told: engines need not carry others
    /// through it.
    pub footprint: Option<Footprint>,
}

/// Globals that a procedure, with all it calls, is concerned with. It neither reads nor writes others:
/// around a call of it they keep their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Those it reads or writes, in increasing order.
    pub used: Box<[u32]>,
    /// Those it may write, in increasing order: a part of `used`.
    pub written: Box<[u32]>,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// What holds here.
    pub propositions: Box<[Name]>,
    /// Who chooses the successor.
    pub owner: Owner,
    /// Where it stands.
    pub span: Span,
}

/// A box: a call site.
#[derive(Clone, Debug)]
pub struct CallBox {
    /// Name in the source. A box without one is a call statement of a Boolean program: the node before
    /// it and the call are one place there, so that entering the call port is not a step.
    pub name: Option<Name>,
    /// The procedure that is called.
    pub callee: ProcId,
    /// Values of the callee's inputs, over the caller's scope and the box's choices.
    pub arguments: Box<[Lit]>,
    /// Owners of the choice inputs of the arguments.
    pub choices: Box<[Owner]>,
    /// The caller's variables that take the callee's outputs.
    pub results: Box<[Option<Var>]>,
}

/// Where a transition starts or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vertex {
    /// A node.
    Node(NodeId),
    /// A call port: the box and the place of the entry in the callee's list of entries.
    Call(BoxId, u32),
    /// A return port: the box and the place of the exit in the callee's list of exits.
    Return(BoxId, u32),
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Edge {
    /// A node or a return port.
    pub from: Vertex,
    /// A node or a call port.
    pub to: Vertex,
    /// It can be taken where this holds for some values of its choices…
    pub guard: Lit,
    /// …and then these variables take these values, all at once.
    pub assignments: Box<[(Var, Lit)]>,
    /// Owners of its choice inputs.
    pub choices: Box<[Owner]>,
    /// Its label.
    pub label: Option<Name>,
    /// Where it stands.
    pub span: Span,
}

/// Bits that tell so many things apart.
pub fn bits_to_choose(things: usize) -> u32 {
    things.max(1).next_power_of_two().trailing_zeros()
}

/// What an input of the circuit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// A variable of the scope.
    Var(Var),
    /// A choice of the transition or box.
    Choice(u32),
}

impl Leaf {
    /// Number of the circuit input: three kinds in turn, so that neither kind is bounded.
    pub fn number(self) -> u32 {
        match self {
            Leaf::Var(Var::Global(index)) => 3 * index,
            Leaf::Var(Var::Local(index)) => 3 * index + 1,
            Leaf::Choice(index) => 3 * index + 2,
        }
    }

    /// The meaning of a circuit input.
    pub fn from_number(number: u32) -> Leaf {
        let index = number / 3;
        match number % 3 {
            0 => Leaf::Var(Var::Global(index)),
            1 => Leaf::Var(Var::Local(index)),
            _ => Leaf::Choice(index),
        }
    }
}

impl Procedure {
    /// Variables that its transitions and the results of its calls assign, some more than once.
    pub fn assigned(&self) -> impl Iterator<Item = Var> + '_ {
        let edges = self.edges.iter().flat_map(|edge| edge.assignments.iter().map(|(var, _)| *var));
        edges.chain(self.boxes.iter().flat_map(|site| site.results.iter().flatten().copied()))
    }
}

impl Ersm {
    /// By procedure: some box calls it.
    pub fn called(&self) -> Vec<bool> {
        let mut called = vec![false; self.procedures.len()];
        for site in self.procedures.iter().flat_map(|procedure| &procedure.boxes) {
            called[site.callee.index()] = true;
        }
        called
    }

    /// The signal of a variable or choice.
    pub fn leaf(&mut self, leaf: Leaf) -> Lit {
        self.circuit.input(leaf.number())
    }

    /// The procedure with this id.
    pub fn procedure(&self, id: ProcId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// All procedures with their ids.
    pub fn procedures(&self) -> impl Iterator<Item = (ProcId, &Procedure)> {
        self.procedures.iter().enumerate().map(|(index, procedure)| (ProcId::from(index), procedure))
    }

    /// A procedure's name.
    pub fn procedure_name(&self, id: ProcId) -> &str {
        self.names.text(self.procedure(id).name)
    }

    /// A variable's name in a procedure's scope.
    pub fn variable_name(&self, procedure: ProcId, var: Var) -> &str {
        self.names.text(match var {
            Var::Global(index) => self.globals[index as usize].name,
            Var::Local(index) => self.procedure(procedure).locals[index as usize].name,
        })
    }

    /// Number of variables in a procedure's scope.
    pub fn scope_size(&self, procedure: ProcId) -> usize {
        self.globals.len() + self.procedure(procedure).locals.len()
    }

    /// Bit of a variable in a packed valuation of a scope: the globals first, then the locals.
    pub fn bit(&self, var: Var) -> usize {
        match var {
            Var::Global(index) => index as usize,
            Var::Local(index) => self.globals.len() + index as usize,
        }
    }

    /// No variables at all: an RSM or HSM.
    pub fn is_variable_free(&self) -> bool {
        self.globals.is_empty() && self.procedures.iter().all(|p| p.locals.is_empty())
    }

    /// Godefroid's size: nodes, boxes, transitions and variables.
    pub fn size(&self) -> usize {
        let parts = |p: &Procedure| p.nodes.len() + p.boxes.len() + p.edges.len() + p.locals.len();
        self.globals.len() + self.procedures.iter().map(parts).sum::<usize>()
    }
}

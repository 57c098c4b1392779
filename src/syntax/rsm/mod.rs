//! Machines, `.rsm`: RSMs, HSMs, ERSMs and modules drawn as graphs, as the figures of Alur-RSM,
//! Alur-HSM and Kupferman draw them. The grammar is in `docs/rsm.md`.
//!
//! One transition is one step. Exits have no transitions of their own (Godefroid 2.1).

mod body;
mod parser;
mod printer;
mod resolve;
#[cfg(test)]
mod tests;
mod transitions;
mod variables;

pub use parser::{KEYWORDS, parse};
pub use printer::print;

use super::expr::{Expr, Exprs, Owner, Var};
use super::names::{Name, Names};
use super::source::Span;
pub use super::variable::Variable;

/// A file of machines as written.
#[derive(Clone, Debug, Default)]
pub struct Machines {
    /// Names of everything.
    pub names: Names,
    /// Global variables.
    pub globals: Vec<Variable>,
    /// Machines in source order.
    pub machines: Vec<Machine>,
    /// All expressions.
    pub exprs: Exprs,
    /// `init`: machine and entry node (an index into its nodes).
    pub initial: Vec<(u32, u32)>,
}

/// A machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its name.
    pub name: Name,
    /// Inputs, then outputs, then other locals.
    pub locals: Vec<Variable>,
    /// How many of the locals are inputs.
    pub inputs: usize,
    /// How many of the locals, after the inputs, are outputs.
    pub outputs: usize,
    /// Nodes in source order, entries and exits among them.
    pub nodes: Vec<Node>,
    /// Boxes in source order.
    pub boxes: Vec<CallBox>,
    /// Transitions in source order.
    pub transitions: Vec<Transition>,
    /// The head: from `machine` to the name or the closing parenthesis.
    pub span: Span,
}

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Where the machine can be entered.
    Entry,
    /// Where it can be left.
    Exit,
    /// Neither.
    Inner,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name.
    pub name: Name,
    /// Entry, exit or neither.
    pub role: Role,
    /// `env node`: the environment chooses the successor.
    pub owner: Owner,
    /// What holds here.
    pub propositions: Vec<Name>,
    /// Where it stands.
    pub span: Span,
}

/// A box: a call site.
#[derive(Clone, Debug)]
pub struct CallBox {
    /// Its name.
    pub name: Name,
    /// Index of the machine it is mapped to.
    pub callee: u32,
    /// Arguments, one for each input.
    pub arguments: Vec<Expr>,
    /// Where the outputs go, one for each output (`_` forgets it).
    pub targets: Vec<Option<Var>>,
    /// Where it stands.
    pub span: Span,
}

/// Where a transition starts or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// A node of the machine.
    Node(u32),
    /// A port of a box: the box and a node of the machine it is mapped to (an exit where a
    /// transition starts, an entry where it ends).
    Port(u32, u32),
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// A node or a return port.
    pub from: End,
    /// A node or a call port.
    pub to: End,
    /// `when`: where it can be taken; always if absent.
    pub guard: Option<Expr>,
    /// `do`: variables and the values they take, all at once.
    pub assignments: Vec<(Var, Expr)>,
    /// `constrain`, after `do`: the step exists only where this holds; `'x` is the new value of `x`.
    pub constrain: Option<Expr>,
    /// `label "text"`.
    pub label: Option<Name>,
    /// Where it stands.
    pub span: Span,
}

impl Machine {
    /// Indices of the nodes with this role, in source order.
    pub fn nodes_with(&self, role: Role) -> impl Iterator<Item = u32> + '_ {
        self.nodes.iter().enumerate().filter(move |(_, node)| node.role == role).map(|(index, _)| index as u32)
    }
}

impl Machines {
    /// The name of a variable in the scope of a machine.
    pub fn var_name(&self, machine: usize, var: Var) -> &str {
        self.names.text(match var {
            Var::Global(index) => self.globals[index as usize].name,
            Var::Local(index) => self.machines[machine].locals[index as usize].name,
        })
    }
}

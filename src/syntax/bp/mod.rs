//! Boolean programs: the syntax tree, its parser and its printer.
//!
//! A procedure's body is a flat list of statements in source order. `if` and `while` are statements
//! among the others that know where their branches end, as they do on paper; so a parser, a printer,
//! a builder or an interpreter is one loop over the list, and nesting depth costs nothing.
//! [`Procedure::landing`] gives where control comes to rest when it arrives at a place of the list.

mod flow;
mod parser;
mod printer;
mod statements;

pub use flow::Landing;
pub use parser::{KEYWORDS, parse};
pub use printer::print;

use super::expr::{Expr, Exprs, Var};
use super::names::{Name, Names};
use super::source::Span;
pub use super::variable::Variable;

/// What a program was written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A Boolean program.
    #[default]
    Program,
    /// Horn clauses: a failure is a derivation of `false`.
    Clauses,
}

/// A Boolean program as written.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Names of everything.
    pub names: Names,
    /// Global variables.
    pub globals: Vec<Variable>,
    /// Procedures in source order.
    pub procedures: Vec<Procedure>,
    /// All expressions.
    pub exprs: Exprs,
    /// Index of `main`.
    pub main: usize,
    /// What it was written as: for people who read about it.
    pub origin: Origin,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// How many values it returns.
    pub results: usize,
    /// How many of the locals are parameters.
    pub parameters: usize,
    /// Parameters, then local variables.
    pub locals: Vec<Variable>,
    /// `enforce e;`: an assumption at each point of the procedure.
    pub enforce: Option<Expr>,
    /// The statements in source order.
    pub body: Vec<Statement>,
    /// The labels in source order.
    pub labels: Vec<Label>,
    /// The head, from the name to the closing parenthesis.
    pub span: Span,
    /// The word `end`.
    pub end_span: Span,
}

/// A label on a statement.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// Its name.
    pub name: Name,
    /// Index of its statement.
    pub statement: u32,
    /// It is there for a `goto` only: nobody who asks about the program has heard of it.
    pub is_internal: bool,
    /// Where it stands.
    pub span: Span,
}

/// A statement and its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: Kind,
    /// Where it stands (for `if` and `while`: from the word to `then` or `do`).
    pub span: Span,
}

/// A variable that takes a value, or `_` (`None`), which forgets it.
pub type Target = Option<Var>;

/// What a statement does. Numbers are indices into the body or the label list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `skip;`
    Skip,
    /// `print(e, …);`, which has no effect.
    Print(Box<[Expr]>),
    /// `goto L, …;` with the labels' indices: one is chosen.
    Goto(Box<[u32]>),
    /// `return e, …;`
    Return(Box<[Expr]>),
    /// `x, … := e, … constrain c;`
    Assign {
        /// Left-hand sides.
        targets: Box<[Target]>,
        /// Right-hand sides, as many.
        values: Box<[Expr]>,
        /// The step exists only where this holds.
        constrain: Option<Expr>,
    },
    /// `x, … := p(e, …);`
    Call {
        /// Index of the procedure.
        callee: u32,
        /// Arguments.
        arguments: Box<[Expr]>,
        /// Where results go; empty for a plain call.
        targets: Box<[Target]>,
    },
    /// `assert(e);`
    Assert(Expr),
    /// `assume(e);`
    Assume(Expr),
    /// `dead x, …;`: the variables become arbitrary.
    Dead(Box<[Var]>),
    /// `if e then`, and where control goes if not.
    If {
        /// The decider.
        condition: Expr,
        /// The matching `elsif`, `else` or `fi`.
        otherwise: u32,
    },
    /// `elsif e then`.
    Elsif {
        /// The decider.
        condition: Expr,
        /// The next `elsif`, `else` or `fi`.
        otherwise: u32,
        /// The matching `fi`.
        end: u32,
    },
    /// `else`.
    Else {
        /// The matching `fi`.
        end: u32,
    },
    /// `fi`.
    Fi,
    /// `while e do`.
    While {
        /// The decider.
        condition: Expr,
        /// The matching `od`.
        end: u32,
    },
    /// `od`.
    Od {
        /// The matching `while`.
        head: u32,
    },
}

impl Kind {
    /// `else`, `fi` and `od` only mark where others end; control never rests there.
    pub fn is_marker(&self) -> bool {
        matches!(self, Kind::Else { .. } | Kind::Fi | Kind::Od { .. })
    }
}

impl Program {
    /// Finds a procedure by name.
    pub fn procedure(&self, name: &str) -> Option<usize> {
        let name = self.names.find(name)?;
        self.procedures.iter().position(|p| p.name == name)
    }

    /// The name of a variable in the scope of a procedure.
    pub fn var_name(&self, procedure: usize, var: Var) -> &str {
        self.names.text(match var {
            Var::Global(index) => self.globals[index as usize].name,
            Var::Local(index) => self.procedures[procedure].locals[index as usize].name,
        })
    }
}

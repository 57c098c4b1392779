//! A C program as the rest of the tool sees it: functions with flat bodies of simple statements over integer variables.
//!
//! Objects are lists of cells, one variable each; an element list names the cells that an index with a value not known
//! before can mean. Every statement goes to the one after it unless it says otherwise; one past the last is the end.

use super::super::expr::Var;
use super::super::names::{Name, Names};
use super::super::source::Span;
use super::expr::{Expr, Exprs};
use super::types::{DataModel, IntType};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// How a text is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The widths of the types.
    pub data_model: DataModel,
    /// Another width of `int`, for experiments.
    pub int_width: Option<u8>,
    /// Signed overflows are failures.
    pub overflow: bool,
    /// Small functions are written out where they are called.
    pub inline: bool,
    /// The function in which runs start, if it is not `main`.
    pub entry: Option<String>,
}

/// A C program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Names of everything.
    pub names: Names,
    /// Cells of objects that live for ever.
    pub globals: Vec<Variable>,
    /// Functions that can be called from `main`, as they are called.
    pub functions: Vec<Function>,
    /// Index of `main`.
    pub main: usize,
    /// The expressions.
    pub exprs: Exprs,
    /// The element lists.
    pub elements: Vec<Vec<Var>>,
    /// How it was read.
    pub settings: Settings,
    /// Functions that nobody defines, with the types of their values: those that are known to give values wherever they
    /// are called, others that `main` calls.
    pub externals: Vec<(Name, Option<IntType>)>,
    /// Functions that the text declares, whether they run or not.
    pub declared: Vec<Name>,
    /// Places of the text where something else stands, which a preprocessor replaced.
    pub inexact: FxHashSet<Span>,
}

/// A cell: a variable of an integer type.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// What the user calls it.
    pub name: Name,
    /// Its type.
    pub ty: IntType,
    /// The value it starts with; arbitrary if there is none.
    pub initial: Option<u64>,
    /// The user wrote it, or the call whose result it is.
    pub is_written: bool,
    /// Of which of its function's frames it is.
    pub frame: u32,
    /// Its first bit among those of the globals or of the function's locals.
    pub first_bit: u32,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Parameters, then other variables.
    pub locals: Vec<Variable>,
    /// How many locals are parameters.
    pub parameters: usize,
    /// Locals that hold results when it is left: what `return` says, and what goes back to the caller.
    pub results: Vec<u32>,
    /// The statements.
    pub body: Vec<Statement>,
    /// Labels of the user.
    pub labels: Vec<Label>,
    /// Loops of the user.
    pub loops: Vec<Loop>,
    /// The function itself, and calls of others that are written out in it.
    pub frames: Vec<Frame>,
    /// Where its head stands.
    pub span: Span,
    /// Where its closing brace stands.
    pub end_span: Span,
}

/// A label.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// Its name.
    pub name: Name,
    /// The statement it is at.
    pub statement: u32,
    /// Where it stands.
    pub span: Span,
}

/// A function, or a call of one that is written out in it.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Its name.
    pub function: Name,
    /// Calls around it, of those that are written out.
    pub depth: u32,
}

/// A loop of the user.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The statement at which the condition is about to be evaluated.
    pub statement: u32,
    /// Where its keyword stands.
    pub span: Span,
    /// The variables that can be named there.
    pub visible: Vec<Var>,
    /// Whose it is.
    pub frame: u32,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
    /// It is told in traces: others are steps on the way.
    pub is_told: bool,
    /// Of which of its function's frames it is.
    pub frame: u32,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Skip,
    /// A call that is written out, or of a function that nobody defines: nothing.
    Enter {
        /// The function.
        function: Name,
    },
    /// The target takes the value.
    Assign {
        /// What is assigned.
        target: Target,
        /// The value.
        value: Expr,
    },
    /// The variable takes a value from outside.
    Input {
        /// What is assigned.
        target: Var,
        /// The function that gives it.
        function: Name,
        /// Where the call of that function stands.
        call: Span,
    },
    /// The variables take any values: they are declared here.
    Forget(Vec<Var>),
    /// Goes on at one of two statements.
    Branch {
        /// Of a single bit.
        condition: Expr,
        /// Where it goes if the condition is 1.
        then: u32,
        /// Where it goes if it is 0.
        otherwise: u32,
    },
    /// Goes on at this statement.
    Goto(u32),
    /// Calls a function.
    Call {
        /// Its index.
        callee: u32,
        /// The values of its parameters.
        arguments: Vec<Expr>,
        /// What takes its results.
        targets: Vec<Option<Var>>,
    },
    /// The first result takes the value, if there is one, and the function is left.
    Return(Option<Expr>),
    /// Goes on only if the condition is 1.
    Assume(Expr),
    /// If the condition is 0 something is wrong.
    Check {
        /// Of a single bit.
        condition: Expr,
        /// What is wrong otherwise.
        hazard: Hazard,
    },
    /// The run ends here, in a function that does not return.
    Stop {
        /// The function.
        function: Name,
    },
}

impl Kind {
    /// The run ends here.
    pub fn is_stop(&self) -> bool {
        matches!(self, Kind::Stop { .. })
    }
}

/// What an assignment assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A variable.
    Cell(Var),
    /// The cell of an element list that the index numbers.
    Element {
        /// The element list.
        list: u32,
        /// The index.
        index: Expr,
    },
}

/// What can be wrong with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hazard {
    /// A signed result does not fit.
    Overflow,
    /// An index is not one of the array.
    Bounds,
    /// The divisor is zero.
    Division,
    /// A shift by a negative amount or by the width or more.
    Shift,
}

impl Hazard {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Hazard::Overflow => "signed overflow",
            Hazard::Bounds => "array index out of bounds",
            Hazard::Division => "division by zero",
            Hazard::Shift => "shift by too much",
        }
    }
}

/// By statement (and one past the last): where control comes to rest that goes there; nowhere but the end if `None`.
pub type Landing = Vec<Option<u32>>;

impl Function {
    /// Follows jumps, which are no places to rest, unless they go in a circle.
    pub fn landing(&self) -> Landing {
        let count = self.body.len();
        let mut landing: Vec<Option<Option<u32>>> = vec![None; count + 1];
        landing[count] = Some(None);
        let mut walked_from = vec![usize::MAX; count];
        let mut path = Vec::new();
        for start in 0..count {
            let mut at = start;
            let end = loop {
                if let Some(known) = landing[at] {
                    break known;
                }
                match self.body[at].kind {
                    Kind::Goto(next) if walked_from[at] != start => {
                        walked_from[at] = start;
                        path.push(at);
                        at = next as usize;
                    }
                    _ => break Some(at as u32),
                }
            };
            for passed in path.drain(..).chain([start]) {
                landing[passed] = Some(end);
            }
        }
        landing.into_iter().map(Option::flatten).collect()
    }

    /// Bits of its locals.
    pub fn bits(&self) -> usize {
        bits(&self.locals)
    }
}

fn bits(variables: &[Variable]) -> usize {
    variables.last().map_or(0, |last| last.first_bit as usize + usize::from(last.ty.bits))
}

impl Program {
    /// The function whose statement this is: one that is written out, or the function itself.
    pub fn function_at(&self, function: usize, statement: usize) -> Name {
        let function = &self.functions[function];
        function.body.get(statement).map_or(function.name, |at| function.frames[at.frame as usize].function)
    }

    /// Bits of the globals.
    pub fn global_bits(&self) -> usize {
        bits(&self.globals)
    }

    /// A variable in the scope of a function.
    pub fn variable(&self, function: usize, var: Var) -> &Variable {
        match var {
            Var::Global(index) => &self.globals[index as usize],
            Var::Local(index) => &self.functions[function].locals[index as usize],
        }
    }

    /// The bits of a variable in a packed valuation of a function's scope, globals first.
    pub fn bits_of(&self, function: usize, var: Var) -> Range<usize> {
        let variable = self.variable(function, var);
        let base = if matches!(var, Var::Global(_)) { 0 } else { self.global_bits() };
        let start = base + variable.first_bit as usize;
        start..start + usize::from(variable.ty.bits)
    }
}

//! Expressions, kept in postfix order.
//!
//! An expression is a slice of a program's operator list: operands before operators, as a stack
//! machine reads them. Evaluating, lowering and comparing are loops with a stack, so that an
//! expression nested a hundred thousand deep is an ordinary input; there is nothing to recurse over.

use smallvec::SmallVec;

/// Who makes a nondeterministic choice (Kupferman: system and environment).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// The program: `*`, `?`.
    System,
    /// The environment: `env`.
    Environment,
}

/// A variable in the scope of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    /// A global variable, by its place in the list of globals.
    Global(u32),
    /// A parameter or local variable, by its place in the procedure's list (parameters first).
    Local(u32),
}

/// Binary operators, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binary {
    /// `<=>`: equal.
    Iff,
    /// `=>`.
    Implies,
    /// `|`.
    Or,
    /// `^`: different.
    Xor,
    /// `&`.
    And,
    /// `=`: equal, binding tighter than `&`.
    Equal,
    /// `!=`: different, binding tighter than `&`.
    NotEqual,
}

impl Binary {
    /// Binding strength; larger binds tighter.
    pub fn strength(self) -> u8 {
        match self {
            Binary::Iff => 1,
            Binary::Implies => 2,
            Binary::Or => 3,
            Binary::Xor => 4,
            Binary::And => 5,
            Binary::Equal | Binary::NotEqual => 6,
        }
    }

    /// `a => b => c` is `a => (b => c)`; all others group to the left.
    pub fn right_associative(self) -> bool {
        self == Binary::Implies
    }

    /// The value on two values.
    pub fn apply(self, a: bool, b: bool) -> bool {
        match self {
            Binary::Iff | Binary::Equal => a == b,
            Binary::Xor | Binary::NotEqual => a != b,
            Binary::Implies => !a || b,
            Binary::Or => a || b,
            Binary::And => a && b,
        }
    }

    /// The sign the printer writes.
    pub fn sign(self) -> &'static str {
        match self {
            Binary::Iff => "<=>",
            Binary::Implies => "=>",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::And => "&",
            Binary::Equal => "=",
            Binary::NotEqual => "!=",
        }
    }
}

/// One operator or operand of an expression in postfix order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `0` or `1`.
    Const(bool),
    /// A fresh choice each time it is evaluated.
    Choice(Owner),
    /// A variable's value.
    Var(Var),
    /// `'x`: the value of `x` after the step (only under `constrain`).
    Next(Var),
    /// Negation of the operand before it.
    Not,
    /// A binary operator on the two operands before it.
    Binary(Binary),
    /// `schoose[a, b]`: 1 if `a`, else 0 if `b`, else a fresh choice.
    Choose,
}

impl Op {
    /// How many operands it takes from the stack.
    pub fn arity(self) -> usize {
        match self {
            Op::Const(_) | Op::Choice(_) | Op::Var(_) | Op::Next(_) => 0,
            Op::Not => 1,
            Op::Binary(_) | Op::Choose => 2,
        }
    }
}

/// An expression: a slice of the [`Exprs`] it was made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    start: u32,
    end: u32,
}

/// All expressions of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exprs {
    ops: Vec<Op>,
}

impl Exprs {
    /// The operators of an expression, in postfix order.
    pub fn ops(&self, expr: Expr) -> &[Op] {
        &self.ops[expr.start as usize..expr.end as usize]
    }

    /// Adds an expression given in postfix order.
    pub fn add(&mut self, ops: impl IntoIterator<Item = Op>) -> Expr {
        let start = self.ops.len() as u32;
        self.ops.extend(ops);
        debug_assert!(well_formed(&self.ops[start as usize..]));
        Expr { start, end: self.ops.len() as u32 }
    }

    /// Adds a constant.
    pub fn constant(&mut self, value: bool) -> Expr {
        self.add([Op::Const(value)])
    }

    /// Runs the expression on a stack machine over any domain: `leaf` gives the value of operands,
    /// `apply` that of operators on two operands (twice the same one for negation).
    pub fn fold<T: Copy>(&self, expr: Expr, mut leaf: impl FnMut(Op) -> T, mut apply: impl FnMut(Op, T, T) -> T) -> T {
        // Most expressions are shallow; their stack needs no allocation.
        let mut stack: SmallVec<[T; 16]> = SmallVec::new();
        for &op in self.ops(expr) {
            let value = match op.arity() {
                0 => leaf(op),
                arity => {
                    let right = stack.pop().expect("operators find their operands");
                    let left = if arity == 2 { stack.pop().expect("operators find their operands") } else { right };
                    apply(op, left, right)
                }
            };
            stack.push(value);
        }
        stack.pop().expect("a postfix expression leaves one value")
    }
}

/// Each operator finds its operands and one value is left.
fn well_formed(ops: &[Op]) -> bool {
    let mut height = 0usize;
    for op in ops {
        if height < op.arity() {
            return false;
        }
        height = height - op.arity() + 1;
    }
    height == 1
}

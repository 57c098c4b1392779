//! Expressions of C without side effects: typed operators on words of bits, in postfix order.
//!
//! What has an effect (assignments, calls, `++`) has become a statement before; conversions that C makes silently are
//! operators here. So an operator says by itself what it computes, and it does so on bit patterns: [`Op::apply`] is the
//! meaning that replay uses, and what circuits are tested against.

use super::super::expr::Var;
use super::types::{IntType, Sign, mask};

/// An expression of a program's [`Exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    start: u32,
    end: u32,
}

/// The expressions of a program, one after another.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    ops: Vec<Op>,
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A number with so many bits.
    Const(u64, u8),
    /// The value of a variable.
    Read(Var),
    /// The value of the cell that the operand numbers, of an element list of the program.
    Element(u32),
    /// An operator on one word.
    Unary(Unary, u8),
    /// An operator on two words of one type (shifts: the amount has any width).
    Binary(Binary, IntType),
    /// A value of the first type as one of the second.
    Convert(IntType, IntType),
    /// The second operand if the first is 1, else the third.
    Select,
}

/// Operators on one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-`.
    Negate,
    /// `~`.
    Flip,
    /// `!`, of a single bit.
    Not,
}

/// Operators on two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`, rounding towards zero; of zero divisors nobody asks.
    Divide,
    /// `%`.
    Remainder,
    /// `<<`; of amounts that are too large nobody asks.
    ShiftLeft,
    /// `>>`, of signed words with copies of the sign.
    ShiftRight,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `==`.
    Equal,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// The sum is not a value of the type.
    AddOverflows,
    /// The difference is not a value of the type.
    SubtractOverflows,
    /// The product is not a value of the type.
    MultiplyOverflows,
    /// The first operand times two to the power of the second is not a value of the type.
    ShiftOverflows,
}

impl Binary {
    /// The result is a single bit.
    pub fn is_test(self) -> bool {
        use Binary::*;
        matches!(
            self,
            Equal | Less | LessOrEqual | AddOverflows | SubtractOverflows | MultiplyOverflows | ShiftOverflows
        )
    }

    /// The value on two patterns of a type. Division by zero and shifts by too much are given some value: a
    /// [`Check`](super::Kind::Check) stands before them.
    pub fn apply(self, ty: IntType, a: u64, b: u64) -> u64 {
        let (x, y) = (ty.number(a), ty.number(b));
        let within = |value: i128| u64::from(value < ty.least() || value > ty.greatest());
        let value = match self {
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide => x.checked_div(y).unwrap_or(0) as u64,
            Binary::Remainder => x.checked_rem(y).unwrap_or(0) as u64,
            Binary::ShiftLeft => a.checked_shl(b.try_into().unwrap_or(u32::MAX)).unwrap_or(0),
            Binary::ShiftRight => x.checked_shr(b.try_into().unwrap_or(u32::MAX)).unwrap_or(0) as u64,
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::Equal => u64::from(a == b),
            Binary::Less => u64::from(x < y),
            Binary::LessOrEqual => u64::from(x <= y),
            Binary::AddOverflows => within(x + y),
            Binary::SubtractOverflows => within(x - y),
            // Products of two 64-bit numbers fit into 128 bits.
            Binary::MultiplyOverflows => within(x.saturating_mul(y)),
            Binary::ShiftOverflows => within(x.checked_shl(b.min(64) as u32).unwrap_or(0)),
        };
        if self.is_test() { value } else { value & mask(ty.bits) }
    }
}

impl Op {
    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self {
            Op::Const(..) | Op::Read(_) => 0,
            Op::Element(_) | Op::Unary(..) | Op::Convert(..) => 1,
            Op::Binary(..) => 2,
            Op::Select => 3,
        }
    }

    /// The value on the patterns of its operands; reads are for whoever knows the variables.
    pub fn apply(self, operands: &[u64]) -> u64 {
        match (self, operands) {
            (Op::Const(value, bits), _) => value & mask(bits),
            (Op::Unary(Unary::Negate, bits), &[a]) => a.wrapping_neg() & mask(bits),
            (Op::Unary(Unary::Flip | Unary::Not, bits), &[a]) => !a & mask(bits),
            (Op::Binary(binary, ty), &[a, b]) => binary.apply(ty, a, b),
            (Op::Convert(_, to), &[a]) if to.sign == Sign::Bool => u64::from(a != 0),
            (Op::Convert(from, to), &[a]) => from.number(a) as u64 & mask(to.bits),
            (Op::Select, &[condition, then, otherwise]) => {
                if condition != 0 {
                    then
                } else {
                    otherwise
                }
            }
            _ => 0,
        }
    }
}

impl Exprs {
    /// Adds an expression.
    pub fn add(&mut self, ops: &[Op]) -> Expr {
        let start = self.ops.len() as u32;
        self.ops.extend_from_slice(ops);
        Expr { start, end: self.ops.len() as u32 }
    }

    /// The operators of an expression.
    pub fn ops(&self, expr: Expr) -> &[Op] {
        &self.ops[expr.start as usize..expr.end as usize]
    }

    /// The value of an expression, where `read` knows the variables and `element` the cell of an element list that an
    /// index numbers.
    pub fn value(&self, expr: Expr, read: impl Fn(Var) -> u64, element: impl Fn(u32, u64) -> u64) -> u64 {
        evaluate(self.ops(expr), read, element)
    }
}

/// The value of a list of operators.
pub(super) fn evaluate(ops: &[Op], read: impl Fn(Var) -> u64, element: impl Fn(u32, u64) -> u64) -> u64 {
    let mut stack: Vec<u64> = Vec::new();
    for &op in ops {
        let operands = stack.split_off(stack.len().saturating_sub(op.arity()));
        stack.push(match (op, &*operands) {
            (Op::Read(var), _) => read(var),
            (Op::Element(list), &[index]) => element(list, index),
            _ => op.apply(&operands),
        });
    }
    stack.pop().unwrap_or(0)
}

/// The value of a list of operators that reads nothing.
pub(super) fn constant(ops: &[Op]) -> Option<u64> {
    let reads = |op: &Op| matches!(op, Op::Read(_) | Op::Element(_));
    (!ops.iter().any(reads)).then(|| evaluate(ops, |_| 0, |_, _| 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_compute_as_c_does() {
        let (int, uint) = (IntType::signed(32), IntType::unsigned(32));
        let minus = |n: u32| u64::from(n.wrapping_neg());
        assert_eq!(Binary::Divide.apply(int, minus(7), 2), minus(3));
        assert_eq!(Binary::Remainder.apply(int, minus(7), 2), minus(1));
        assert_eq!(Binary::Divide.apply(uint, minus(7), 2), 0x7fff_fffc);
        assert_eq!(Binary::ShiftRight.apply(int, minus(8), 1), minus(4));
        assert_eq!(Binary::Less.apply(int, minus(1), 0), 1);
        assert_eq!(Binary::Less.apply(uint, minus(1), 0), 0);
        assert_eq!(Binary::AddOverflows.apply(int, 0x7fff_ffff, 1), 1);
        assert_eq!(Binary::ShiftOverflows.apply(int, 1, 31), 1);
        assert_eq!(Binary::ShiftOverflows.apply(int, 1, 30), 0);
        let (long, short) = (IntType::signed(64), IntType::signed(16));
        assert_eq!(Op::Convert(short, long).apply(&[0xffff]), u64::MAX);
        assert_eq!(Op::Convert(int, IntType::BOOL).apply(&[0x100]), 1);
        assert_eq!(Binary::MultiplyOverflows.apply(IntType::unsigned(64), u64::MAX, u64::MAX), 1);
    }
}

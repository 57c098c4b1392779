//! Operators on two values, with the conversions C makes and the conditions it leaves to the program (C11 6.5.5–6.5.14).

use super::expr::Binary;
use super::tree::Hazard;
use super::types::IntType;
use super::unit::{Result, Unit};
use super::value::Value;
use lang_c::ast::BinaryOperator;
use lang_c::span::Span;

impl Unit<'_> {
    /// An operator on two values, with the usual conversions.
    pub(super) fn operate(
        &mut self,
        operator: &BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Result<Value> {
        let ty = left.ty.common(right.ty, self.widths.int);
        let both = |left: Value, right: Value, op| left.convert(ty).binary(op, right.convert(ty), ty);
        Ok(match operator {
            BinaryOperator::Plus => self.arithmetic(Binary::Add, left.convert(ty), right.convert(ty), ty),
            BinaryOperator::Minus => self.arithmetic(Binary::Subtract, left.convert(ty), right.convert(ty), ty),
            BinaryOperator::Multiply => self.arithmetic(Binary::Multiply, left.convert(ty), right.convert(ty), ty),
            BinaryOperator::Divide => self.division(Binary::Divide, left.convert(ty), right.convert(ty), ty),
            BinaryOperator::Modulo => self.division(Binary::Remainder, left.convert(ty), right.convert(ty), ty),
            BinaryOperator::ShiftLeft => self.shift(Binary::ShiftLeft, left, right),
            BinaryOperator::ShiftRight => self.shift(Binary::ShiftRight, left, right),
            BinaryOperator::BitwiseAnd => both(left, right, Binary::And),
            BinaryOperator::BitwiseOr => both(left, right, Binary::Or),
            BinaryOperator::BitwiseXor => both(left, right, Binary::Xor),
            BinaryOperator::Equals => both(left, right, Binary::Equal),
            BinaryOperator::NotEquals => both(left, right, Binary::Equal).not(),
            BinaryOperator::Less => both(left, right, Binary::Less),
            BinaryOperator::LessOrEqual => both(left, right, Binary::LessOrEqual),
            BinaryOperator::Greater => both(right, left, Binary::Less),
            BinaryOperator::GreaterOrEqual => both(right, left, Binary::LessOrEqual),
            _ => return self.unsupported(span, "this operator"),
        })
    }

    /// `+`, `-`, `*`; where overflows are failures, they are checked.
    pub(super) fn arithmetic(&mut self, op: Binary, mut left: Value, mut right: Value, ty: IntType) -> Value {
        if !self.program.settings.overflow || !ty.is_signed() {
            return left.binary(op, right, ty);
        }
        // Operands stand in the check as well.
        left = self.short(left);
        right = self.short(right);
        let test = match op {
            Binary::Add => Binary::AddOverflows,
            Binary::Subtract => Binary::SubtractOverflows,
            _ => Binary::MultiplyOverflows,
        };
        let fits = left.bare().binary(test, right.bare(), ty).not();
        left.binary(op, right, ty).provided(Hazard::Overflow, fits)
    }

    fn division(&mut self, op: Binary, left: Value, right: Value, ty: IntType) -> Value {
        let (left, right) = (self.short(left), self.short(right));
        let zero = Value::constant(0, ty);
        let divides = right.bare().binary(Binary::Equal, zero, ty).not();
        let least = Value::constant(ty.least(), ty);
        let minus_one = Value::constant(-1, ty);
        let overflows = left.bare().binary(Binary::Equal, least, ty);
        let overflows = overflows.logical(Binary::And, right.bare().binary(Binary::Equal, minus_one, ty));
        let mut value = left.binary(op, right, ty).provided(Hazard::Division, divides);
        if ty.is_signed() {
            value = value.provided(Hazard::Overflow, overflows.not());
        }
        if !self.program.settings.overflow {
            // The least number divided by -1 has no result, and processors stop.
            let as_division = |(hazard, ops)| (if hazard == Hazard::Overflow { Hazard::Division } else { hazard }, ops);
            value.hazards = value.hazards.into_iter().map(as_division).collect();
        }
        value
    }

    fn shift(&mut self, op: Binary, left: Value, right: Value) -> Value {
        let (ty, amount_ty) = (left.ty.promoted(self.widths.int), right.ty.promoted(self.widths.int));
        let (left, right) = (self.short(left.convert(ty)), self.short(right.convert(amount_ty)));
        // A negative amount is a large one.
        let unsigned = IntType::unsigned(amount_ty.bits);
        let amount = right.bare().convert(unsigned);
        let within = amount.binary(Binary::Less, Value::constant(ty.bits.into(), unsigned), unsigned);
        let mut value = Value { hazards: left.hazards.clone(), ..left.clone() };
        if self.program.settings.overflow && op == Binary::ShiftLeft && ty.is_signed() {
            // A negative number is multiplied like any other, as compilers do, though C11 6.5.7 leaves it open.
            let fits = left.bare().binary(Binary::ShiftOverflows, right.bare().convert(unsigned), ty).not();
            let fits = within.clone().not().logical(Binary::Or, fits);
            value = value.provided(Hazard::Overflow, fits);
        }
        value.binary(op, right.convert(unsigned), ty).provided(Hazard::Shift, within)
    }

    /// The value, kept in a variable if it is long: it will be used more than once.
    fn short(&mut self, value: Value) -> Value {
        const LONG: usize = 24;
        // Conditions may guard the value: it must not be evaluated before them.
        if value.ops.len() > LONG && value.hazards.is_empty() { self.save(value) } else { value }
    }
}

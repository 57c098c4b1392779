//! Values under construction: operators so far, their type, and what must hold for them to have a meaning.
//!
//! Operators on numbers that are known are carried out at once, as C demands of array lengths and `case` labels.

use super::super::expr::Var;
use super::expr::{Binary, Op, Unary, constant};
use super::tree::Hazard;
use super::types::IntType;

/// A value without side effects.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) ops: Vec<Op>,
    pub(super) ty: IntType,
    /// Conditions that must hold, each a list of operators that gives one bit.
    pub(super) hazards: Vec<(Hazard, Vec<Op>)>,
}

impl Value {
    pub(super) fn constant(number: i128, ty: IntType) -> Value {
        Value { ops: vec![Op::Const(number as u64 & super::types::mask(ty.bits), ty.bits)], ty, hazards: Vec::new() }
    }

    pub(super) fn read(var: Var, ty: IntType) -> Value {
        Value { ops: vec![Op::Read(var)], ty, hazards: Vec::new() }
    }

    /// The number, if it is known.
    pub(super) fn number(&self) -> Option<i128> {
        match self.ops[..] {
            [Op::Const(pattern, _)] => Some(self.ty.number(pattern)),
            _ => None,
        }
    }

    /// The value without what can be wrong with it.
    pub(super) fn bare(&self) -> Value {
        Value { hazards: Vec::new(), ..self.clone() }
    }

    /// It reads some variable.
    pub(super) fn reads(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Read(_) | Op::Element(_)))
    }

    /// The same number if the new type has it, else what C makes of it.
    pub(super) fn convert(self, to: IntType) -> Value {
        if self.ty == to {
            return self;
        }
        let from = self.ty;
        self.then(Op::Convert(from, to), to)
    }

    /// Whether it is not 0.
    pub(super) fn test(self) -> Value {
        self.convert(IntType::BOOL)
    }

    /// `!`.
    pub(super) fn not(self) -> Value {
        self.test().then(Op::Unary(Unary::Not, 1), IntType::BOOL)
    }

    /// One more operator on the whole.
    pub(super) fn then(mut self, op: Op, ty: IntType) -> Value {
        self.ops.push(op);
        self.ty = ty;
        self.folded()
    }

    /// An operator on two values, both of type `ty` (of shifts the first).
    pub(super) fn binary(mut self, op: Binary, other: Value, ty: IntType) -> Value {
        self.ops.extend(other.ops);
        self.hazards.extend(other.hazards);
        let result = if op.is_test() { IntType::BOOL } else { ty };
        self.then(Op::Binary(op, ty), result)
    }

    /// `&&` or `||`: what can go wrong on the right matters only if the left does not decide.
    pub(super) fn logical(self, op: Binary, right: Value) -> Value {
        let (left, mut right) = (self.test(), right.test());
        match (left.number(), op) {
            (Some(0), Binary::And) | (Some(1), Binary::Or) => return left,
            (Some(_), _) => return right.after(left),
            (None, _) => {}
        }
        for (_, condition) in &mut right.hazards {
            let mut guarded = left.ops.clone();
            if op == Binary::And {
                guarded.push(Op::Unary(Unary::Not, 1));
            }
            guarded.append(condition);
            guarded.push(Op::Binary(Binary::Or, IntType::BOOL));
            *condition = guarded;
        }
        left.binary(op, right, IntType::BOOL)
    }

    /// `self ? then : otherwise`, of one type.
    pub(super) fn select(self, mut then: Value, mut otherwise: Value) -> Value {
        let mut condition = self.test();
        let ty = then.ty;
        match condition.number() {
            Some(0) => return otherwise.after(condition),
            Some(_) => return then.after(condition),
            None => {}
        }
        for (branch, holds) in [(&mut then, true), (&mut otherwise, false)] {
            for (hazard, right) in branch.hazards.drain(..) {
                let mut guarded = condition.ops.clone();
                if holds {
                    guarded.push(Op::Unary(Unary::Not, 1));
                }
                guarded.extend(right);
                guarded.push(Op::Binary(Binary::Or, IntType::BOOL));
                condition.hazards.push((hazard, guarded));
            }
        }
        condition.ops.extend(then.ops.into_iter().chain(otherwise.ops));
        condition.then(Op::Select, ty)
    }

    /// The value, after another one was computed that is not needed any more.
    fn after(mut self, before: Value) -> Value {
        self.hazards.splice(0..0, before.hazards);
        self
    }

    /// The value exists only where a condition holds.
    pub(super) fn provided(mut self, hazard: Hazard, condition: Value) -> Value {
        if condition.number() != Some(1) {
            self.hazards.push((hazard, condition.ops));
        }
        self
    }

    /// Carries out the last operator if its operands are known. (Operands are folded already, so they are single
    /// operators.)
    fn folded(mut self) -> Value {
        let arity = self.ops.last().map_or(0, |op| op.arity());
        let is_const = |op: &Op| matches!(op, Op::Const(..));
        if self.ops.len() == arity + 1
            && self.ops[..arity].iter().all(is_const)
            && let Some(pattern) = constant(&self.ops)
        {
            self.ops = vec![Op::Const(pattern, self.ty.bits)];
        }
        self
    }
}

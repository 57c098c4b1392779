//! Expressions: what they give, and what they do on the way (C11 6.5).
//!
//! Effects become statements in the order in which they are written; a value that was computed before one of them is
//! kept in a variable of ours. (C leaves the order open in many places, and a program may not depend on it.) Where one
//! side of `&&`, `||` or `?:` has no effect it becomes an operator; otherwise a branch.

use super::super::diagnostic::Diagnostic;
use super::super::similar::most_similar;
use super::call::Want;
use super::expr::{Binary, Op, Unary};
use super::headers;
use super::literals::character;
use super::place::{Place, is_plain};
use super::tree::Target;
use super::types::{IntType, Type};
use super::unit::{Entity, Result, Unit};
use super::value::Value;
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, ConditionalExpression, Constant, Expression, UnaryOperator,
    UnaryOperatorExpression,
};
use lang_c::span::{Node, Span};

impl<'a> Unit<'a> {
    /// The value of an expression of an integer type.
    pub(super) fn value(&mut self, node: &'a Node<Expression>) -> Result<Value> {
        let span = node.span;
        match &node.node {
            Expression::Identifier(name) => match self.find(&name.node.name) {
                Some(Entity::Constant(number, ty)) => Ok(Value::constant(*number, *ty)),
                Some(Entity::Object(..) | Entity::Foreign) => {
                    let place = self.place(node)?;
                    self.read(&place, span)
                }
                Some(Entity::Pointer(..)) => self.unsupported(span, format!("a pointer: `{}`", name.node.name)),
                Some(Entity::Function(_)) => self.unsupported(span, "a function as a value"),
                Some(Entity::Typedef(_)) => self.wrong(span, "a type is not a value"),
                None => match headers::constant(&name.node.name, &self.widths) {
                    Some((number, ty)) => Ok(Value::constant(number, ty)),
                    None => self.undeclared(span, &name.node.name),
                },
            },
            Expression::Constant(constant) => match &constant.node {
                Constant::Integer(integer) => self.integer(integer, span),
                Constant::Character(text) => match character(text) {
                    Some(code) => Ok(Value::constant(code, IntType::signed(self.widths.int))),
                    None => self.unsupported(span, "this character constant"),
                },
                Constant::Float(_) => self.unsupported(span, "floating point"),
            },
            Expression::UnaryOperator(operation) => self.unary(&operation.node, span),
            Expression::BinaryOperator(operation) => self.binary(node, &operation.node, span),
            Expression::Conditional(conditional) => self.conditional(&conditional.node),
            Expression::Cast(cast) => match self.type_name(&cast.node.type_name)? {
                Type::Int(ty) => Ok(self.value(&cast.node.expression)?.convert(ty)),
                Type::Pointer(to) if *to == Type::Void => {
                    Ok(self.value(&cast.node.expression)?.convert(IntType::unsigned(self.widths.long)))
                }
                other => self.unsupported(span, format!("a cast to {}", other.describe())),
            },
            Expression::Comma(list) => {
                let Some((last, before)) = list.split_last() else { return self.wrong(span, "nothing at all") };
                before.iter().try_for_each(|node| self.effect(node))?;
                self.value(last)
            }
            Expression::Call(call) => match self.call(&call.node, span, Want::Value)? {
                Some(value) => Ok(value),
                None => self.wrong(span, "this function gives no value"),
            },
            Expression::Member(_) => {
                let place = self.place(node)?;
                self.read(&place, span)
            }
            Expression::SizeOfTy(ty) => {
                let ty = self.type_name(&ty.node.0)?;
                self.size(&ty, span)
            }
            Expression::SizeOfVal(of) => {
                let ty = self.type_of(&of.node.0)?;
                self.size(&ty, span)
            }
            Expression::Statement(statement) => self.statement_value(statement),
            Expression::StringLiteral(_) => self.unsupported(span, "a string as a value"),
            Expression::GenericSelection(_) => self.unsupported(span, "`_Generic`"),
            Expression::CompoundLiteral(_) => self.unsupported(span, "a compound literal"),
            Expression::AlignOf(_) | Expression::OffsetOf(_) => self.unsupported(span, "`_Alignof` and `offsetof`"),
            Expression::VaArg(_) => self.unsupported(span, "variable arguments"),
        }
    }

    /// What an expression does; its value is not needed.
    pub(super) fn effect(&mut self, node: &'a Node<Expression>) -> Result<()> {
        match &node.node {
            Expression::Call(call) => self.call(&call.node, node.span, Want::Nothing).map(|_| ()),
            Expression::Comma(list) => list.iter().try_for_each(|node| self.effect(node)),
            Expression::Statement(statement) => self.statement(statement),
            Expression::Cast(cast)
                if matches!(self.type_name(&cast.node.type_name)?, Type::Void | Type::Pointer(_)) =>
            {
                self.effect(&cast.node.expression)
            }
            Expression::UnaryOperator(operation) => match operation.node.operator.node {
                UnaryOperator::Address if is_plain(node) => Ok(()),
                UnaryOperator::Address => {
                    let place = self.place(&operation.node.operand)?;
                    self.settled(place.address());
                    Ok(())
                }
                UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => {
                    self.increment(&operation.node, 1, true).map(|_| ())
                }
                UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => {
                    self.increment(&operation.node, -1, true).map(|_| ())
                }
                _ => self.value(node).map(|value| self.check(&value.hazards)),
            },
            Expression::BinaryOperator(operation) if operation.node.operator.node == BinaryOperator::Assign => {
                self.assignment(&operation.node, false, node.span).map(|_| ())
            }
            Expression::Conditional(conditional) => {
                let condition = self.value(&conditional.node.condition)?;
                let branch = self.branch(condition, self.has_effects(node));
                self.effect(&conditional.node.then_expression)?;
                let over = self.jump();
                self.land(&[branch], self.here());
                self.effect(&conditional.node.else_expression)?;
                self.land(&[over], self.here());
                Ok(())
            }
            // `x && puts("x")`
            Expression::BinaryOperator(operation)
                if matches!(operation.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr)
                    && self.has_effects(&operation.node.rhs) =>
            {
                let left = self.value(&operation.node.lhs)?;
                let is_and = operation.node.operator.node == BinaryOperator::LogicalAnd;
                let branch = self.branch(if is_and { left } else { left.not() }, false);
                self.effect(&operation.node.rhs)?;
                self.land(&[branch], self.here());
                Ok(())
            }
            // Of a value that nobody uses it matters only that it can be computed.
            Expression::Identifier(_) | Expression::Constant(_) | Expression::StringLiteral(_) => Ok(()),
            // An array or a structure is no value.
            Expression::Member(_) => {
                let place = self.place(node)?;
                self.settled(place);
                Ok(())
            }
            _ => self.value(node).map(|value| self.check(&value.hazards)),
        }
    }

    /// Whether an expression is not 0: `x && "so it must be"` has a text that is never 0.
    pub(super) fn truth(&mut self, node: &'a Node<Expression>) -> Result<Value> {
        let is_text = |node: &Node<Expression>| matches!(node.node, Expression::StringLiteral(_));
        let yes = Value::constant(1, IntType::BOOL);
        match &node.node {
            Expression::StringLiteral(_) => Ok(yes),
            Expression::UnaryOperator(operation)
                if operation.node.operator.node == UnaryOperator::Negate && is_text(&operation.node.operand) =>
            {
                Ok(yes.not())
            }
            Expression::BinaryOperator(operation) if is_text(&operation.node.rhs) => {
                match operation.node.operator.node {
                    BinaryOperator::LogicalAnd => self.truth(&operation.node.lhs),
                    _ => self.value(node),
                }
            }
            _ => self.value(node),
        }
    }

    pub(super) fn undeclared<T>(&self, span: Span, name: &str) -> Result<T> {
        if name.starts_with("__") {
            return self.unsupported(span, format!("`{name}`"));
        }
        let names = self.scopes.iter().flat_map(|scope| scope.names.keys().map(String::as_str));
        let similar = most_similar(name, names);
        let mut error = Diagnostic::error(self.span(span), format!("`{name}` is not declared"), "");
        error.help = similar.map(|similar| format!("did you mean `{similar}`?"));
        Err(self.origin.told(span, error))
    }

    fn unary(&mut self, operation: &'a UnaryOperatorExpression, span: Span) -> Result<Value> {
        let operand = &operation.operand;
        match operation.operator.node {
            UnaryOperator::PostIncrement => self.increment(operation, 1, false),
            UnaryOperator::PostDecrement => self.increment(operation, -1, false),
            UnaryOperator::PreIncrement => self.increment(operation, 1, true),
            UnaryOperator::PreDecrement => self.increment(operation, -1, true),
            UnaryOperator::Address => self.unsupported(span, "an address as a value"),
            UnaryOperator::Indirection => {
                let place = self.pointee(operand)?;
                self.read(&place, span)
            }
            UnaryOperator::Plus => self.promoted(operand),
            UnaryOperator::Minus => {
                let value = self.promoted(operand)?;
                let ty = value.ty;
                let zero = Value::constant(0, ty);
                match self.program.settings.overflow && ty.is_signed() {
                    true => Ok(self.arithmetic(Binary::Subtract, zero, value, ty)),
                    false => Ok(value.then(Op::Unary(Unary::Negate, ty.bits), ty)),
                }
            }
            UnaryOperator::Complement => {
                let value = self.promoted(operand)?;
                let ty = value.ty;
                Ok(value.then(Op::Unary(Unary::Flip, ty.bits), ty))
            }
            UnaryOperator::Negate => Ok(self.value(operand)?.not()),
        }
    }

    fn promoted(&mut self, node: &'a Node<Expression>) -> Result<Value> {
        let value = self.value(node)?;
        let ty = value.ty.promoted(self.widths.int);
        Ok(value.convert(ty))
    }

    /// `++x`, `x--`: the value before or after.
    fn increment(&mut self, operation: &'a UnaryOperatorExpression, by: i128, after: bool) -> Result<Value> {
        let span = operation.operand.span;
        let place = self.place(&operation.operand)?;
        let place = self.settled(place);
        let mut old = self.read(&place, span)?;
        if !after {
            old = self.save(old);
        }
        let ty = old.ty;
        let common = ty.promoted(self.widths.int);
        let new = self.arithmetic(Binary::Add, old.clone().convert(common), Value::constant(by, common), common);
        let target = self.target(&place, span)?;
        self.assign(target, new.convert(ty), true);
        if after { self.read(&place, span) } else { Ok(old) }
    }

    fn binary(
        &mut self,
        node: &'a Node<Expression>,
        operation: &'a BinaryOperatorExpression,
        span: Span,
    ) -> Result<Value> {
        let (left, right) = (&operation.lhs, &operation.rhs);
        let operator = &operation.operator.node;
        match operator {
            BinaryOperator::Index => {
                let place = self.place(node)?;
                self.read(&place, span)
            }
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => {
                let op = if *operator == BinaryOperator::LogicalAnd { Binary::And } else { Binary::Or };
                let left = self.value(left)?;
                if !self.has_effects(right) {
                    let right = self.value(right)?;
                    return Ok(left.logical(op, right));
                }
                let result = self.temporary(IntType::BOOL);
                self.assign(Target::Cell(result), left.test(), false);
                let read = Value::read(result, IntType::BOOL);
                let goes_on = if op == Binary::And { read.clone() } else { read.clone().not() };
                let branch = self.branch(goes_on, false);
                let right = self.value(right)?;
                self.assign(Target::Cell(result), right.test(), false);
                self.land(&[branch], self.here());
                Ok(read)
            }
            BinaryOperator::Equals | BinaryOperator::NotEquals if self.compared_with_null(left, right)? => {
                Ok(Value::constant(i128::from(*operator == BinaryOperator::NotEquals), IntType::BOOL))
            }
            BinaryOperator::Assign => {
                let place = self.assignment(operation, true, span)?;
                self.read(&place, span)
            }
            _ => match compound(operator) {
                Some(operator) => {
                    let place = self.place(left)?;
                    let place = self.settled(place);
                    let old = self.read(&place, span)?;
                    let old = if self.has_effects(right) { self.save(old) } else { old };
                    let ty = old.ty;
                    let right = self.value(right)?;
                    let new = self.operate(&operator, old, right, span)?.convert(ty);
                    let target = self.target(&place, span)?;
                    self.assign(target, new, true);
                    self.read(&place, span)
                }
                None => {
                    let mut left = self.value(left)?;
                    if left.reads() && self.has_effects(right) {
                        left = self.save(left);
                    }
                    let right = self.value(right)?;
                    self.operate(operator, left, right, span)
                }
            },
        }
    }

    fn conditional(&mut self, conditional: &'a ConditionalExpression) -> Result<Value> {
        let (then, otherwise) = (&conditional.then_expression, &conditional.else_expression);
        let condition = self.value(&conditional.condition)?;
        if !self.has_effects(then) && !self.has_effects(otherwise) {
            let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
            let ty = then.ty.common(otherwise.ty, self.widths.int);
            return Ok(condition.select(then.convert(ty), otherwise.convert(ty)));
        }
        // The type is known only after both sides: the result is as wide as can be.
        let result = self.temporary(IntType::signed(64));
        let branch = self.branch(condition, false);
        let then = self.value(then)?;
        let then_type = then.ty;
        self.assign(Target::Cell(result), then.convert(IntType::signed(64)), false);
        let over = self.jump();
        self.land(&[branch], self.here());
        let otherwise = self.value(otherwise)?;
        let ty = then_type.common(otherwise.ty, self.widths.int);
        self.assign(Target::Cell(result), otherwise.convert(IntType::signed(64)), false);
        self.land(&[over], self.here());
        Ok(Value::read(result, IntType::signed(64)).convert(ty))
    }

    /// `x = e`, of integers or structures; the object, with its indices evaluated before if it is to be read again.
    fn assignment(&mut self, operation: &'a BinaryOperatorExpression, again: bool, span: Span) -> Result<Place> {
        let place = self.place(&operation.lhs)?;
        let right = &operation.rhs;
        match place.ty.clone() {
            Type::Int(ty) => {
                let place = if again || self.has_effects(right) { self.settled(place) } else { place };
                // What comes from outside or from a call goes where it should at once.
                if let (Expression::Call(call), true) = (&right.node, place.is_fixed()) {
                    let Some(value) = self.call(&call.node, right.span, Want::Into(place.first, ty))? else {
                        return self.wrong(right.span, "this function gives no value");
                    };
                    if value.ops != [Op::Read(place.first)] {
                        self.assign(Target::Cell(place.first), value.convert(ty), true);
                    }
                    return Ok(place);
                }
                let value = self.value(right)?.convert(ty);
                self.check(&value.hazards);
                let target = self.target(&place, span)?;
                self.assign(target, value.bare(), true);
                Ok(place)
            }
            Type::Struct(_) => {
                let from = self.place(right)?;
                let (to, from) = (self.settled(place), self.settled(from));
                self.copy(&to, &from, span)?;
                Ok(to)
            }
            other => self.unsupported(span, format!("an assignment to {}", other.describe())),
        }
    }

    /// Copies an object cell by cell.
    pub(super) fn copy(&mut self, to: &Place, from: &Place, span: Span) -> Result<()> {
        if to.ty != from.ty {
            return self.wrong(span, "these are objects of different types");
        }
        for (cell, (_, ty)) in to.ty.layout().into_iter().enumerate() {
            let value = self.read(&from.part(cell, Type::Int(ty)), span)?;
            let target = self.target(&to.part(cell, Type::Int(ty)), span)?;
            self.assign(target, value, true);
        }
        Ok(())
    }

    /// The last expression of `({ … })`.
    fn statement_value(&mut self, statement: &'a Node<lang_c::ast::Statement>) -> Result<Value> {
        use lang_c::ast::{BlockItem, Statement};
        if let Statement::Compound(items) = &statement.node
            && let Some((last, before)) = items.split_last()
            && let BlockItem::Statement(Node { node: Statement::Expression(Some(value)), .. }) = &last.node
        {
            self.scopes.push(Default::default());
            before.iter().try_for_each(|item| self.block_item(item))?;
            let value = self.value(value)?;
            let value = self.save(value);
            self.scopes.pop();
            return Ok(value);
        }
        self.wrong(statement.span, "this block gives no value")
    }

    /// Evaluating the expression does something: assigns, calls, or jumps.
    pub(super) fn has_effects(&self, node: &Node<Expression>) -> bool {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match &node.node {
                Expression::Call(_) | Expression::Statement(_) | Expression::VaArg(_) => return true,
                // What is in them is not looked at.
                Expression::CompoundLiteral(_) | Expression::GenericSelection(_) => return true,
                Expression::UnaryOperator(operation) => {
                    let operator = &operation.node.operator.node;
                    use UnaryOperator::*;
                    if matches!(operator, PostIncrement | PostDecrement | PreIncrement | PreDecrement) {
                        return true;
                    }
                    open.push(&operation.node.operand);
                }
                Expression::BinaryOperator(operation) => {
                    let operator = &operation.node.operator.node;
                    if *operator == BinaryOperator::Assign || compound(operator).is_some() {
                        return true;
                    }
                    open.extend([&*operation.node.lhs, &*operation.node.rhs]);
                }
                Expression::Conditional(conditional) => {
                    let parts = &conditional.node;
                    open.extend([&*parts.condition, &*parts.then_expression, &*parts.else_expression]);
                }
                Expression::Cast(cast) => open.push(&cast.node.expression),
                Expression::Member(member) => open.push(&member.node.expression),
                Expression::Comma(list) => open.extend(list.iter()),
                _ => {}
            }
        }
        false
    }
}

/// The operator of `x op= e`.
fn compound(operator: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match operator {
        BinaryOperator::AssignMultiply => BinaryOperator::Multiply,
        BinaryOperator::AssignDivide => BinaryOperator::Divide,
        BinaryOperator::AssignModulo => BinaryOperator::Modulo,
        BinaryOperator::AssignPlus => BinaryOperator::Plus,
        BinaryOperator::AssignMinus => BinaryOperator::Minus,
        BinaryOperator::AssignShiftLeft => BinaryOperator::ShiftLeft,
        BinaryOperator::AssignShiftRight => BinaryOperator::ShiftRight,
        BinaryOperator::AssignBitwiseAnd => BinaryOperator::BitwiseAnd,
        BinaryOperator::AssignBitwiseXor => BinaryOperator::BitwiseXor,
        BinaryOperator::AssignBitwiseOr => BinaryOperator::BitwiseOr,
        _ => return None,
    })
}

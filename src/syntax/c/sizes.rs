//! Expressions that are not evaluated: their types and sizes (C11 6.5.3.4), and constant expressions (C11 6.6).

use super::types::{IntType, Type};
use super::unit::{Result, Unit};
use super::value::Value;
use lang_c::ast::{BinaryOperator, BlockItem, Expression, Statement, UnaryOperator};
use lang_c::span::{Node, Span};

impl<'a> Unit<'a> {
    /// The type of an expression that is not evaluated.
    pub(super) fn type_of(&mut self, node: &'a Node<Expression>) -> Result<Type> {
        // Whatever its evaluation would do is taken back.
        let outer = std::mem::take(&mut self.body.statements);
        let kept = (self.body.labels.len(), self.body.loops.len(), self.body.context.clone());
        let place = match &node.node {
            Expression::Call(_) | Expression::Statement(_) => None,
            _ => self.place(node).ok(),
        };
        let ty = match place {
            Some(place) => Ok(place.ty),
            None => self.value(node).map(|value| Type::Int(value.ty)),
        };
        self.body.statements = outer;
        self.body.labels.truncate(kept.0);
        self.body.loops.truncate(kept.1);
        self.body.context = kept.2;
        // What compares gives `int`.
        Ok(match ty? {
            Type::Int(ty) if ty == IntType::BOOL && is_test(node) => Type::Int(IntType::signed(self.widths.int)),
            ty => ty,
        })
    }

    pub(super) fn size(&mut self, ty: &Type, span: Span) -> Result<Value> {
        let pointer = i128::from(self.widths.long / 8).max(1);
        // In 32 bits nothing is aligned to more.
        match size_of(ty, pointer, pointer) {
            Some((size, _)) => Ok(Value::constant(size, IntType::unsigned(self.widths.long))),
            None => self.unsupported(span, format!("the size of {}", ty.describe())),
        }
    }

    /// The number of a constant expression with its type.
    pub(super) fn constant(&mut self, node: &'a Node<Expression>) -> Result<(i128, IntType)> {
        match self.known_number(node)? {
            Some(known) => Ok(known),
            None => self.unsupported(node.span, "an expression that is not constant, where one must be"),
        }
    }

    /// The number of an expression with its type, if it is constant.
    pub(super) fn known_number(&mut self, node: &'a Node<Expression>) -> Result<Option<(i128, IntType)>> {
        if self.has_effects(node) {
            return Ok(None);
        }
        let value = self.value(node)?;
        if value.number().is_some() && !value.hazards.is_empty() {
            return self.unsupported(node.span, "a constant expression that is not defined");
        }
        Ok(value.number().map(|number| (number, value.ty)))
    }
}

/// The value is that of a comparison or of a logical operator: an `int`, though one bit is kept of it.
fn is_test(node: &Node<Expression>) -> bool {
    use BinaryOperator::*;
    match &node.node {
        Expression::UnaryOperator(operation) => operation.node.operator.node == UnaryOperator::Negate,
        Expression::BinaryOperator(operation) => matches!(
            operation.node.operator.node,
            Less | LessOrEqual | Greater | GreaterOrEqual | Equals | NotEquals | LogicalAnd | LogicalOr
        ),
        Expression::Comma(list) => list.last().is_some_and(is_test),
        Expression::Statement(block) => match &block.node {
            Statement::Compound(items) => match items.last().map(|item| &item.node) {
                Some(BlockItem::Statement(Node { node: Statement::Expression(Some(last)), .. })) => is_test(last),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

/// Size and alignment in bytes; nothing is aligned to more than `most`.
fn size_of(ty: &Type, pointer: i128, most: i128) -> Option<(i128, i128)> {
    match ty {
        Type::Int(ty) => {
            let bytes = i128::from(ty.bits.div_ceil(8));
            Some((bytes, bytes.min(most)))
        }
        Type::Pointer(_) => Some((pointer, pointer)),
        Type::Array(element, length) => {
            let (size, align) = size_of(element, pointer, most)?;
            Some((size * *length as i128, align))
        }
        Type::Struct(members) if members.is_plain.get() => {
            let (mut size, mut widest) = (0i128, 1);
            for (_, ty, _) in &members.members {
                let (bytes, align) = size_of(ty, pointer, most)?;
                size = (size + align - 1) / align * align + bytes;
                widest = widest.max(align);
            }
            Some(((size + widest - 1) / widest * widest, widest))
        }
        _ => None,
    }
}

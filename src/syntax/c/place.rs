//! Objects and parts of objects: which cells an expression like `s.a[i]` means.

use super::super::expr::Var;
use super::call::Pointed;
use super::expr::{Binary, Op};
use super::tree::{Hazard, Target};
use super::types::{IntType, Type};
use super::unit::{Entity, Result, Unit};
use super::value::Value;
use lang_c::ast::{BinaryOperator, Constant, Expression, MemberOperator, UnaryOperator};
use lang_c::span::Node;
use std::borrow::Cow;

/// Indices are computed in this type.
const INDEX: IntType = IntType { bits: 32, sign: super::types::Sign::Unsigned };

/// Element lists longer than this are not supported: each access looks at all cells.
const MOST_ELEMENTS: usize = 1 << 16;

/// An object or a part of one: its first cell if all indices are 0, and the indices whose values are not known.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) first: Var,
    pub(super) ty: Type,
    indices: Vec<Index>,
    hazards: Vec<(Hazard, Vec<Op>)>,
    /// It is in an array without elements: there may be no cell at all where it starts.
    is_nowhere: bool,
}

#[derive(Clone, Debug)]
struct Index {
    value: Value,
    /// How many values it can have, and how many cells lie between two.
    count: usize,
    stride: usize,
}

/// The cell so many cells further on.
pub(super) fn nth(first: Var, cells: usize) -> Var {
    match first {
        Var::Global(index) => Var::Global(index + cells as u32),
        Var::Local(index) => Var::Local(index + cells as u32),
    }
}

impl Place {
    pub(super) fn new(first: Var, ty: Type) -> Place {
        Place { first, ty, indices: Vec::new(), hazards: Vec::new(), is_nowhere: false }
    }

    /// It is known which cells are meant.
    pub(super) fn is_fixed(&self) -> bool {
        self.indices.is_empty() && self.hazards.is_empty()
    }

    /// The part that starts so many cells further on.
    pub(super) fn part(&self, cells: usize, ty: Type) -> Place {
        Place { first: nth(self.first, cells), ty, ..self.clone() }
    }

    /// No element at all: whoever uses it does what is not defined.
    fn nowhere(mut self) -> Place {
        self.hazards.push((Hazard::Bounds, vec![Op::Const(0, 1)]));
        self.is_nowhere = true;
        self
    }

    /// The place without the check that indices are within their arrays, where just an address is made of it.
    pub(super) fn address(mut self) -> Place {
        self.hazards.retain(|(hazard, _)| *hazard != Hazard::Bounds);
        self
    }

    /// The element with this index, of so many.
    fn element(mut self, index: Value, count: usize, ty: Type) -> Place {
        if count == 0 {
            return Place { ty, ..self }.nowhere();
        }
        let stride = ty.cells().unwrap_or(0);
        let hazards = index.hazards.clone();
        self.hazards.extend(hazards);
        self.ty = ty;
        match index.number() {
            Some(number) if (0..count as i128).contains(&number) => {
                self.first = nth(self.first, number as usize * stride)
            }
            Some(_) => self.hazards.push((Hazard::Bounds, vec![Op::Const(0, 1)])),
            None => {
                // A negative index is a large one.
                let bits = index.ty.bits.max(33);
                let wide = IntType::unsigned(bits);
                let widened = index.bare().convert(wide);
                let within = widened.binary(Binary::Less, Value::constant(count as i128, wide), wide);
                self.hazards.push((Hazard::Bounds, within.ops));
                let value = index.bare().convert(INDEX);
                self.indices.push(Index { value, count, stride });
            }
        }
        self
    }

    /// The number of the cell among those that are possible, and these.
    fn cells(&self) -> (Value, Vec<Var>) {
        let mut number = Value::constant(0, INDEX);
        let mut cells = vec![self.first];
        for index in &self.indices {
            number = number.binary(Binary::Multiply, Value::constant(index.count as i128, INDEX), INDEX).binary(
                Binary::Add,
                index.value.clone(),
                INDEX,
            );
            let steps = |&cell: &Var| (0..index.count).map(move |step| nth(cell, step * index.stride));
            cells = cells.iter().flat_map(steps).collect();
        }
        (number, cells)
    }
}

impl<'a> Unit<'a> {
    /// The object that an expression names.
    pub(super) fn place(&mut self, node: &'a Node<Expression>) -> Result<Place> {
        match &node.node {
            Expression::Identifier(name) => match self.find(&name.node.name) {
                Some(Entity::Object(first, ty)) => Ok(Place::new(*first, ty.clone())),
                Some(Entity::Pointer(..)) => self.unsupported(node.span, format!("a pointer: `{}`", name.node.name)),
                Some(Entity::Constant(..)) => self.wrong(node.span, format!("`{}` is a constant", name.node.name)),
                Some(Entity::Foreign) => {
                    self.unsupported(node.span, format!("`{}`, a variable that is not of the program", name.node.name))
                }
                Some(_) => self.unsupported(node.span, format!("`{}`, which is not a variable", name.node.name)),
                None => self.undeclared(node.span, &name.node.name),
            },
            Expression::Member(member) => {
                let place = match member.node.operator.node {
                    MemberOperator::Direct => self.place(&member.node.expression)?,
                    MemberOperator::Indirect => self.pointee(&member.node.expression)?,
                };
                let name = &member.node.identifier.node.name;
                let Type::Struct(members) = place.ty.clone() else {
                    let what = place.ty.describe();
                    return self
                        .unsupported(node.span, format!("a member of something else than a structure ({what})"));
                };
                match members.find(name) {
                    Some((ty, cells)) => Ok(place.part(cells, ty)),
                    None if members.members.iter().any(|(member, ..)| member.is_empty()) => {
                        self.unsupported(node.span, format!("a member of an inner union: `{name}`"))
                    }
                    None => self.wrong(node.span, format!("the structure has no member `{name}`")),
                }
            }
            Expression::BinaryOperator(operation) if operation.node.operator.node == BinaryOperator::Index => {
                // `1[a]` is `a[1]`.
                let (array, index) = match operation.node.lhs.node {
                    Expression::Constant(_) => (&operation.node.rhs, &operation.node.lhs),
                    _ => (&operation.node.lhs, &operation.node.rhs),
                };
                if let Some((first, ty, count)) = self.pointer_name(array) {
                    let index = self.value(index)?;
                    return Ok(Place::new(first, ty.clone()).element(index, count, ty));
                }
                let mut place = self.place(array)?;
                if self.has_effects(index) {
                    place = self.settled(place);
                }
                match place.ty.clone() {
                    Type::Array(element, length) => {
                        let index = self.value(index)?;
                        Ok(place.element(index, length, (*element).clone()))
                    }
                    other => self.unsupported(node.span, format!("an index into {}", other.describe())),
                }
            }
            Expression::UnaryOperator(operation) if operation.node.operator.node == UnaryOperator::Indirection => {
                self.pointee(&operation.node.operand)
            }
            Expression::StringLiteral(_) => self.unsupported(node.span, "a string as an object"),
            Expression::Call(_) => self.unsupported(node.span, "a structure as the result of a function"),
            Expression::CompoundLiteral(_) => self.unsupported(node.span, "a compound literal"),
            Expression::Constant(_) => self.wrong(node.span, "this is not an object that can be assigned"),
            _ => self.unsupported(node.span, "this expression as an object"),
        }
    }

    /// What a pointer points to: another name of an object, the first element of an array, or `&x`.
    pub(super) fn pointee(&mut self, node: &'a Node<Expression>) -> Result<Place> {
        // `*(a + i)` is `a[i]`.
        if let Expression::BinaryOperator(operation) = &node.node
            && operation.node.operator.node == BinaryOperator::Plus
            && !self.has_effects(node)
            && let Some((place, element, count)) = self.pointed(&operation.node.lhs)?
        {
            let index = self.value(&operation.node.rhs)?;
            return Ok(place.element(index, count, element));
        }
        match self.pointed(node)? {
            Some((place, element, 0)) => Ok(Place { ty: element, ..place }.nowhere()),
            Some((place, element, _)) => Ok(Place { ty: element, ..place }),
            None => self.unsupported(node.span, "a pointer whose object is not known"),
        }
    }

    /// The object that a pointer expression points to, the type of an element, and how many there are.
    pub(super) fn pointed(&mut self, node: &'a Node<Expression>) -> Result<Option<Pointed>> {
        if let Some((first, ty, count)) = self.pointer_name(node) {
            return Ok(Some((Place::new(first, ty.clone()), ty, count)));
        }
        match &node.node {
            Expression::UnaryOperator(operation) if operation.node.operator.node == UnaryOperator::Address => {
                if let Expression::BinaryOperator(index) = &operation.node.operand.node
                    && index.node.operator.node == BinaryOperator::Index
                    && let Some(pointed) = self.moved(&index.node.lhs, &index.node.rhs)?
                {
                    return Ok(Some(pointed));
                }
                let place = self.place(&operation.node.operand)?;
                let ty = place.ty.clone();
                Ok(Some((place, ty, 1)))
            }
            Expression::BinaryOperator(operation) if operation.node.operator.node == BinaryOperator::Plus => {
                self.moved(&operation.node.lhs, &operation.node.rhs)
            }
            Expression::Identifier(_) | Expression::Member(_) | Expression::BinaryOperator(_) => {
                let place = match &node.node {
                    Expression::BinaryOperator(op) if op.node.operator.node != BinaryOperator::Index => {
                        return Ok(None);
                    }
                    _ => self.place(node)?,
                };
                match place.ty.clone() {
                    Type::Array(element, length) => Ok(Some((place, (*element).clone(), length))),
                    _ => Ok(None),
                }
            }
            // A pointer of another type looks at the object in another way.
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name)?;
                let pointed = self.pointed(&cast.node.expression)?;
                let fits = |element: &Type| matches!(&ty, Type::Pointer(to) if **to == Type::Void || **to == *element);
                Ok(pointed.filter(|(_, element, _)| fits(element)))
            }
            _ => Ok(None),
        }
    }

    /// `p + 2`: what is left of an array, so many elements further on.
    fn moved(&mut self, pointer: &'a Node<Expression>, by: &'a Node<Expression>) -> Result<Option<Pointed>> {
        let is_pointer = match &pointer.node {
            Expression::Identifier(_) | Expression::Member(_) => true,
            Expression::BinaryOperator(operation) => operation.node.operator.node == BinaryOperator::Index,
            _ => false,
        };
        // What has effects is looked at once only.
        if !is_pointer || self.has_effects(pointer) || self.has_effects(by) || self.is_integer(pointer)? {
            return Ok(None);
        }
        let (Some((place, element, count)), Some((by, _))) = (self.pointed(pointer)?, self.known_number(by)?) else {
            return Ok(None);
        };
        let Some(by) = usize::try_from(by).ok().filter(|&by| by <= count) else { return Ok(None) };
        // Behind the last element there is nothing to point to.
        let cells = if by == count { 0 } else { by * element.cells().unwrap_or(0) };
        Ok(Some((place.part(cells, element.clone()), element, count - by)))
    }

    fn is_integer(&mut self, node: &'a Node<Expression>) -> Result<bool> {
        match self.pointer_name(node) {
            Some(_) => Ok(false),
            None => Ok(matches!(self.place(node)?.ty, Type::Int(_))),
        }
    }

    /// `0`, or `(void *) 0`.
    pub(super) fn is_null(&self, node: &Node<Expression>) -> bool {
        match &node.node {
            Expression::Constant(constant) => {
                matches!(&constant.node, Constant::Integer(integer) if integer.number.bytes().all(|digit| digit == b'0'))
            }
            Expression::Cast(cast) => self.is_null(&cast.node.expression),
            _ => false,
        }
    }

    /// Whether a pointer is the null pointer, where that is asked and it is known: one that points to an object is not.
    pub(super) fn compared_with_null(
        &mut self,
        left: &'a Node<Expression>,
        right: &'a Node<Expression>,
    ) -> Result<bool> {
        for (pointer, null) in [(left, right), (right, left)] {
            let is_address = match &pointer.node {
                Expression::UnaryOperator(operation) => operation.node.operator.node == UnaryOperator::Address,
                _ => self.pointer_name(pointer).is_some(),
            };
            if is_address && self.is_null(null) && is_plain(pointer) {
                return Ok(self.pointed(pointer)?.is_some());
            }
        }
        Ok(false)
    }

    fn pointer_name(&self, node: &Node<Expression>) -> Option<(Var, Type, usize)> {
        let Expression::Identifier(name) = &node.node else { return None };
        match self.find(&name.node.name)? {
            Entity::Pointer(first, ty, count) => Some((*first, ty.clone(), *count)),
            _ => None,
        }
    }

    /// The place, or one of ours if there is none: no run gets there.
    fn somewhere<'p>(&mut self, place: &'p Place) -> Cow<'p, Place> {
        if !place.is_nowhere {
            return Cow::Borrowed(place);
        }
        let cells: Vec<Var> = place.ty.layout().into_iter().map(|(_, ty)| self.temporary(ty)).collect();
        let first = cells.first().copied().unwrap_or(place.first);
        Cow::Owned(Place { first, indices: Vec::new(), is_nowhere: false, ..place.clone() })
    }

    /// The value of an object.
    pub(super) fn read(&mut self, place: &Place, span: lang_c::span::Span) -> Result<Value> {
        let place = self.somewhere(place);
        let Type::Int(ty) = place.ty else {
            return self.unsupported(span, format!("{} as a value", place.ty.describe()));
        };
        let mut value = match place.indices[..] {
            [] => Value::read(place.first, ty),
            _ => {
                let (number, list) = self.element_list(&place, span)?;
                number.then(Op::Element(list), ty)
            }
        };
        value.hazards.extend(place.hazards.iter().cloned());
        Ok(value)
    }

    fn element_list(&mut self, place: &Place, span: lang_c::span::Span) -> Result<(Value, u32)> {
        let (number, cells) = place.cells();
        if cells.len() > MOST_ELEMENTS {
            return self.unsupported(span, format!("an index into an array of more than {MOST_ELEMENTS} elements"));
        }
        let next = self.program.elements.len() as u32;
        let list = *self.element_lists.entry(cells.clone()).or_insert(next);
        if list == next {
            self.program.elements.push(cells);
        }
        Ok((number, list))
    }

    /// What an assignment to an object assigns; what can be wrong with it is checked now.
    pub(super) fn target(&mut self, place: &Place, span: lang_c::span::Span) -> Result<Target> {
        let place = self.somewhere(place);
        self.check(&place.hazards);
        match place.indices[..] {
            [] => Ok(Target::Cell(place.first)),
            _ => {
                let (number, list) = self.element_list(&place, span)?;
                Ok(Target::Element { list, index: self.program.exprs.add(&number.ops) })
            }
        }
    }

    /// The same place with its indices evaluated now.
    pub(super) fn settled(&mut self, place: Place) -> Place {
        let mut place = self.somewhere(&place).into_owned();
        let hazards = std::mem::take(&mut place.hazards);
        self.check(&hazards);
        for index in &mut place.indices {
            if index.value.reads() {
                index.value = self.save(index.value.clone());
            }
        }
        place
    }
}

/// Names alone: nothing is computed, and nothing can be wrong with it.
pub(super) fn is_plain(node: &Node<Expression>) -> bool {
    let mut node = node;
    loop {
        node = match &node.node {
            Expression::Identifier(_) | Expression::StringLiteral(_) | Expression::Constant(_) => return true,
            Expression::Member(member) => &member.node.expression,
            Expression::Cast(cast) => &cast.node.expression,
            Expression::UnaryOperator(operation)
                if matches!(operation.node.operator.node, UnaryOperator::Address | UnaryOperator::Indirection) =>
            {
                &operation.node.operand
            }
            _ => return false,
        }
    }
}

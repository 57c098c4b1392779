//! Initialisers: which cell gets which expression (C11 6.7.9), at the start of the program or where a variable is
//! declared.

use super::super::expr::Var;
use super::call::Want;
use super::expr::Op;
use super::place::{Place, nth};
use super::tree::Target;
use super::types::Type;
use super::unit::{Result, Unit};
use super::value::Value;
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem, RangeDesignator};
use lang_c::span::Node;
use std::rc::Rc;

/// An expression for a cell, or for a whole structure that starts there.
type Item<'a> = (usize, Type, &'a Node<Expression>);

impl<'a> Unit<'a> {
    /// Objects that live for ever start with 0…
    pub(super) fn zero(&mut self, first: Var, ty: &Type) {
        let Var::Global(from) = first else { return };
        let cells = ty.cells().unwrap_or(0);
        let cells = self.program.globals[from as usize..].iter_mut().take(cells);
        cells.for_each(|cell| cell.initial = Some(0));
    }

    /// …or with the constants that are written.
    pub(super) fn initial_values(&mut self, first: Var, ty: &Type, initializer: &'a Node<Initializer>) -> Result<()> {
        for (cell, ty, node) in self.items(ty, initializer)? {
            let (Type::Int(ty), Var::Global(from)) = (&ty, first) else {
                if self.has_effects(node) || matches!(ty, Type::Struct(_)) {
                    return self.unsupported(node.span, "this initialiser");
                }
                continue;
            };
            let number = self.constant(node)?;
            let value = Value::constant(number.0, number.1).convert(*ty);
            if let [Op::Const(pattern, _)] = value.ops[..] {
                self.program.globals[from as usize + cell].initial = Some(pattern);
            }
        }
        Ok(())
    }

    /// Assigns a variable its initialiser; cells that a list leaves out become 0.
    pub(super) fn initialize(&mut self, first: Var, ty: &Type, initializer: &'a Node<Initializer>) -> Result<()> {
        let items = self.items(ty, initializer)?;
        let mut given = vec![false; ty.cells().unwrap_or(0)];
        for (cell, ty, _) in &items {
            given[*cell..*cell + ty.cells().unwrap_or(0)].fill(true);
        }
        for (cell, (_, ty)) in ty.layout().into_iter().enumerate().filter(|(cell, _)| !given[*cell]) {
            self.assign(Target::Cell(nth(first, cell)), Value::constant(0, ty), false);
        }
        for (cell, ty, node) in items {
            let target = nth(first, cell);
            match &ty {
                Type::Int(ty) => {
                    let value = match &node.node {
                        Expression::Call(call) => self.call(&call.node, node.span, Want::Into(target, *ty))?,
                        _ => Some(self.value(node)?),
                    };
                    let Some(value) = value else { return self.wrong(node.span, "this function gives no value") };
                    if value.ops != [Op::Read(target)] {
                        self.assign(Target::Cell(target), value.convert(*ty), true);
                    }
                }
                Type::Struct(_) => {
                    let from = self.place(node)?;
                    let from = self.settled(from);
                    self.copy(&Place::new(target, ty.clone()), &from, node.span)?;
                }
                // Pointers and the like: an error where somebody uses them.
                _ => self.effect(node)?,
            }
        }
        Ok(())
    }

    /// How long an initialiser makes an array.
    pub(super) fn initializer_length(&mut self, element: &Type, initializer: &'a Node<Initializer>) -> Result<usize> {
        let list = match &initializer.node {
            Initializer::List(list) => list,
            Initializer::Expression(node) => match &node.node {
                Expression::StringLiteral(_) => return self.unsupported(initializer.span, "a string as an object"),
                _ => return self.unsupported(initializer.span, "this initialiser of an array"),
            },
        };
        let (mut next, mut most) = (0usize, 0);
        for item in list {
            match item.node.designation.first().map(|designator| &designator.node) {
                Some(Designator::Index(index)) => next = self.position(index)?,
                Some(Designator::Range(range)) => next = self.range(range)?.1,
                _ => {}
            }
            next += 1;
            most = most.max(next);
        }
        let is_braced = |item: &Node<InitializerListItem>| match &item.node.initializer.node {
            Initializer::List(_) => true,
            Initializer::Expression(value) => matches!(value.node, Expression::CompoundLiteral(_)),
        };
        if !matches!(element, Type::Array(..) | Type::Struct(_)) || list.iter().all(is_braced) {
            return Ok(most);
        }
        if list.iter().any(is_braced) {
            return self
                .unsupported(initializer.span, "elements with braces and without in an array of unknown length");
        }
        // Each element takes several items.
        let mut items = Vec::new();
        let array = Type::Array(Rc::new(element.clone()), most);
        self.list(0, &array, &mut list.iter().peekable(), true, &mut items)?;
        let cells = items.iter().map(|(cell, ty, _)| cell + ty.cells().unwrap_or(0)).max().unwrap_or(0);
        Ok(cells.div_ceil(element.cells().unwrap_or(1).max(1)))
    }

    fn range(&mut self, range: &'a Node<RangeDesignator>) -> Result<(usize, usize)> {
        let (from, to) = (self.position(&range.node.from)?, self.position(&range.node.to)?);
        if from > to { self.wrong(range.span, "there is nothing in this range") } else { Ok((from, to)) }
    }

    fn position(&mut self, node: &'a Node<Expression>) -> Result<usize> {
        match usize::try_from(self.constant(node)?.0) {
            Ok(position) if position < 1 << 32 => Ok(position),
            _ => self.wrong(node.span, "there is no such element"),
        }
    }

    /// What an initialiser says about the cells of an object.
    fn items(&mut self, ty: &Type, initializer: &'a Node<Initializer>) -> Result<Vec<Item<'a>>> {
        let mut items = Vec::new();
        match (&initializer.node, ty) {
            (Initializer::Expression(_), Type::Array(..)) => {
                return self.unsupported(initializer.span, "a string as an object");
            }
            // `(struct s){1, 2}` says what a list says.
            (Initializer::Expression(node), Type::Struct(_))
                if let Expression::CompoundLiteral(literal) = &node.node =>
            {
                if self.type_name(&literal.node.type_name)? != *ty {
                    return self.wrong(initializer.span, "these are objects of different types");
                }
                let mut list = literal.node.initializer_list.iter().peekable();
                self.list(0, ty, &mut list, true, &mut items)?;
            }
            (Initializer::Expression(node), _) => items.push((0, ty.clone(), &**node)),
            (Initializer::List(list), Type::Array(..) | Type::Struct(_)) => {
                self.list(0, ty, &mut list.iter().peekable(), true, &mut items)?;
            }
            // What is not supported has no cells, but its values may have effects.
            (Initializer::List(list), Type::Other(_) | Type::Variable | Type::Incomplete(_)) => {
                let mut open: Vec<&Node<InitializerListItem>> = list.iter().rev().collect();
                while let Some(item) = open.pop() {
                    match &item.node.initializer.node {
                        Initializer::Expression(node) => items.push((0, ty.clone(), &**node)),
                        Initializer::List(inner) => open.extend(inner.iter().rev()),
                    }
                }
            }
            (Initializer::List(list), _) => match &list[..] {
                [] => {}
                [only] => return self.items(ty, &only.node.initializer),
                _ => return self.wrong(initializer.span, "one value is enough"),
            },
        }
        Ok(items)
    }

    /// Fills an object from a list; where braces are left out, an inner object takes what it needs of the outer list.
    fn list(
        &mut self,
        first: usize,
        ty: &Type,
        list: &mut std::iter::Peekable<std::slice::Iter<'a, Node<InitializerListItem>>>,
        is_own: bool,
        items: &mut Vec<Item<'a>>,
    ) -> Result<()> {
        let parts: Vec<(Option<String>, Type, usize)> = match ty {
            Type::Array(element, length) => {
                let cells = element.cells().unwrap_or(0);
                let most = (*length).min(1 << 22);
                (0..most).map(|index| (None, (**element).clone(), index * cells)).collect()
            }
            Type::Struct(members) => {
                members.members.iter().map(|(name, ty, at)| (Some(name.clone()), ty.clone(), *at)).collect()
            }
            _ => Vec::new(),
        };
        let mut next = 0;
        let mut is_designated = false;
        while let Some(&item) = list.peek() {
            is_designated |= !item.node.designation.is_empty();
            if !item.node.designation.is_empty() && !is_own {
                return Ok(());
            }
            let mut last = next;
            if let Some((designator, deeper)) = item.node.designation.split_first() {
                if !deeper.is_empty() {
                    return self.unsupported(item.span, "a designator of an inner object");
                }
                (next, last) = match &designator.node {
                    Designator::Index(index) => {
                        let at = self.position(index)?;
                        (at, at)
                    }
                    Designator::Range(range) => self.range(range)?,
                    Designator::Member(name) => {
                        let wanted = Some(name.node.name.clone());
                        let Some(at) = parts.iter().position(|(member, ..)| *member == wanted) else {
                            return self.unsupported(name.span, format!("a designator of `{}`", name.node.name));
                        };
                        (at, at)
                    }
                };
            }
            if matches!(ty, Type::Array(_, 0)) {
                return self.unsupported(item.span, "an initialiser of an array without a length");
            }
            if next >= parts.len() {
                return if is_own { self.wrong(item.span, "there are more values than elements") } else { Ok(()) };
            }
            for (part, (_, ty, at)) in parts.iter().enumerate().take(last + 1).skip(next) {
                let braced = matches!(item.node.initializer.node, Initializer::List(_));
                let scalar = !matches!(ty, Type::Array(..) | Type::Struct(_));
                if braced || scalar {
                    let inner = self.items(ty, &item.node.initializer)?;
                    // What is said of an object as a whole is instead of what was said before.
                    if is_designated {
                        let own = first + at..first + at + ty.cells().unwrap_or(0);
                        items.retain(|(cell, ..)| !own.contains(cell));
                    }
                    items.extend(inner.into_iter().map(|(cell, ty, node)| (first + at + cell, ty, node)));
                    if part == last.min(parts.len() - 1) {
                        list.next();
                    }
                } else {
                    let before = items.len();
                    self.list(first + at, ty, list, false, items)?;
                    if items.len() == before {
                        return self.unsupported(item.span, "this order of initialisers");
                    }
                }
            }
            next = last + 1;
        }
        Ok(())
    }
}

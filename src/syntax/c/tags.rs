//! Structures and enumerations (C11 6.7.2.1 to 6.7.2.3), which may be named before they are declared.

use super::types::{IntType, Struct, Type};
use super::typing::is_aligned;
use super::unit::{Entity, Result, Unit, declared_name};
use lang_c::ast::{EnumType, SpecifierQualifier, StructDeclaration, StructKind, StructType};
use lang_c::span::Node;
use std::cell::Cell;
use std::rc::Rc;

impl<'a> Unit<'a> {
    pub(super) fn struct_type(&mut self, ty: &'a Node<StructType>) -> Result<Type> {
        let name = ty.node.identifier.as_ref().map(|name| name.node.name.clone());
        let is_union = ty.node.kind.node == StructKind::Union;
        let Some(declarations) = &ty.node.declarations else {
            return Ok(match name {
                _ if is_union => Type::Other("unions"),
                Some(name) => self.tagged(&name),
                None => Type::Other("a structure without a name"),
            });
        };
        let mut members = Struct { is_plain: Cell::new(true), ..Struct::default() };
        for declaration in declarations {
            let field = match &declaration.node {
                StructDeclaration::Field(field) => field,
                StructDeclaration::StaticAssert(assertion) => {
                    self.static_assertion(assertion)?;
                    continue;
                }
            };
            let base = self.qualified(&field.node.specifiers, field.span)?;
            let alone = field.node.declarators.iter().filter_map(|item| item.node.declarator.as_ref());
            let own = alone.flat_map(|declarator| &declarator.node.extensions);
            let shared = field.node.specifiers.iter().filter_map(|specifier| match &specifier.node {
                SpecifierQualifier::Extension(extensions) => Some(extensions),
                _ => None,
            });
            if self.is_packed || is_aligned(own.chain(shared.flatten())) {
                members.is_plain.set(false);
            }
            if field.node.declarators.is_empty() {
                // A member without a name: its members can be named as if they were this structure's.
                let cells = base.cells().unwrap_or(0);
                members.members.push((String::new(), base.clone(), members.cells));
                members.cells += cells;
            }
            for item in &field.node.declarators {
                let mut ty = match &item.node.declarator {
                    Some(declarator) => self.declared(&base, &declarator.node)?,
                    None => base.clone(),
                };
                // `int data[];` has no elements in an object that is declared.
                if let Type::Open(element) = &ty {
                    ty = Type::Array(element.clone(), 0);
                }
                if let Type::Incomplete(_) = ty {
                    return self.unsupported(item.span, "a member of an incomplete type");
                }
                if let (Some(width), Type::Int(int)) = (&item.node.bit_width, &ty) {
                    members.is_plain.set(false);
                    let bits = self.constant(width)?.0;
                    if !(0..=i128::from(int.bits)).contains(&bits) && self.program.settings.int_width.is_none() {
                        return self.wrong(width.span, "a bit-field cannot have this width");
                    }
                    let bits = bits.clamp(0, int.bits.into()) as u8;
                    if bits > 0 && int.bits > bits {
                        ty = Type::Int(IntType { bits, ..*int });
                    }
                }
                let Some(name) = item.node.declarator.as_ref().and_then(|d| declared_name(&d.node)) else { continue };
                let Some(cells) = ty.cells() else {
                    return self.unsupported(item.span, format!("a member of that size: `{name}`"));
                };
                members.members.push((name.to_owned(), ty, members.cells));
                members.cells += cells;
            }
        }
        let ty = if is_union { Type::Other("unions") } else { Type::Struct(Rc::new(members)) };
        if let Some(name) = name {
            self.complete(name, &ty);
        }
        Ok(ty)
    }

    /// What a tag stands for, which may be told later.
    fn tagged(&mut self, name: &str) -> Type {
        if let Some(ty) = self.scopes.iter().rev().find_map(|scope| scope.tags.get(name)) {
            return self.now_complete(&ty.clone());
        }
        let ty = Type::Incomplete(self.incomplete.len());
        self.incomplete.push(None);
        if let Some(scope) = self.scopes.last_mut() {
            scope.tags.insert(name.to_owned(), ty.clone());
        }
        ty
    }

    /// Says what a tag of this scope stands for.
    pub(super) fn complete(&mut self, name: String, ty: &Type) {
        let Some(scope) = self.scopes.last_mut() else { return };
        if let Some(Type::Incomplete(number)) = scope.tags.insert(name, ty.clone()) {
            self.incomplete[number] = Some(ty.clone());
        }
    }

    /// The type, where it is known by now.
    pub(super) fn now_complete(&self, ty: &Type) -> Type {
        match ty {
            Type::Incomplete(number) => self.incomplete[*number].clone().unwrap_or_else(|| ty.clone()),
            Type::Pointer(to) => Type::Pointer(Rc::new(self.now_complete(to))),
            Type::Array(element, length) => Type::Array(Rc::new(self.now_complete(element)), *length),
            ty => ty.clone(),
        }
    }

    /// Enumerators are of type `int`; the enumeration itself is unsigned, as compilers have it, if none is negative.
    pub(super) fn enum_type(&mut self, ty: &'a Node<EnumType>) -> Result<Type> {
        let int = IntType::signed(self.widths.int);
        let name = ty.node.identifier.as_ref().map(|name| &name.node.name);
        if ty.node.enumerators.is_empty() {
            return Ok(name.map_or(Type::Other("an enumeration without a name"), |name| self.tagged(name)));
        }
        let (mut next, mut least) = (0, 0);
        for item in &ty.node.enumerators {
            if let Some(value) = &item.node.expression {
                next = self.constant(value)?.0;
            }
            if !(int.least()..=int.greatest()).contains(&next) {
                return self.unsupported(item.span, "an enumeration constant that is no `int`");
            }
            self.declare(&item.node.identifier.node.name, Entity::Constant(next, int));
            least = least.min(next);
            next += 1;
        }
        let own = Type::Int(if least < 0 { int } else { IntType::unsigned(int.bits) });
        if let Some(name) = name {
            self.complete(name.clone(), &own);
        }
        Ok(own)
    }
}

//! Declarations: specifiers and declarators to types, and names to what they mean (C11 6.7).

use super::super::expr::Var;
use super::place::nth;
use super::tree::Kind;
use super::types::{IntType, Signature, Struct, Type};
use super::unit::{Entity, Result, Tag, Unit, declared_name};
use lang_c::ast::{
    ArraySize, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, EnumType,
    FunctionDefinition, InitDeclarator, Initializer, ParameterDeclaration, SpecifierQualifier, StorageClassSpecifier,
    StructDeclaration, StructKind, StructType, TypeName, TypeOf, TypeSpecifier,
};
use lang_c::span::{Node, Span};
use std::rc::Rc;

/// What the words before a declarator say.
struct Specified {
    ty: Type,
    storage: Option<StorageClassSpecifier>,
}

impl<'a> Unit<'a> {
    /// A declaration, outside of functions or in one.
    pub(super) fn declaration(&mut self, declaration: &'a Node<Declaration>) -> Result<()> {
        let specified = self.specified(&declaration.node.specifiers, declaration.span)?;
        let is_local = self.scopes.len() > 1;
        for item in &declaration.node.declarators {
            let Some(name) = declared_name(&item.node.declarator.node) else { continue };
            let ty = self.declared(&specified.ty, &item.node.declarator.node)?;
            match (&specified.storage, &ty) {
                (Some(StorageClassSpecifier::Typedef), _) => self.declare(name, Entity::Typedef(ty)),
                (_, Type::Function(_)) => self.declare(name, Entity::Function(ty)),
                (Some(StorageClassSpecifier::Extern), _) if is_local => {
                    let Some(entity) = self.scopes[0].names.get(name).cloned() else {
                        return self.unsupported(item.span, format!("`extern` variable `{name}` in a function"));
                    };
                    self.declare(name, entity);
                }
                (Some(StorageClassSpecifier::Extern), _) => self.eternal(name, ty, item, true)?,
                (Some(StorageClassSpecifier::Static), _) => self.eternal(name, ty, item, false)?,
                _ if is_local => self.local(name, ty, item)?,
                _ => self.eternal(name, ty, item, false)?,
            }
        }
        Ok(())
    }

    /// An object that lives for ever. It may be declared more than once, and one of these may say its value; what
    /// another file defines has any value.
    fn eternal(&mut self, name: &str, ty: Type, item: &'a Node<InitDeclarator>, is_extern: bool) -> Result<()> {
        let initializer = item.node.initializer.as_ref();
        let ty = self.completed(ty, initializer)?;
        let known = match self.scopes.last().and_then(|scope| scope.names.get(name)) {
            Some(Entity::Object(first, known)) if *known == ty => Some(*first),
            _ => None,
        };
        let first = match known {
            Some(first) => first,
            None => self.object(name, &ty, true, item.span)?,
        };
        self.declare(name, Entity::Object(first, ty.clone()));
        if let (None, true, Var::Global(from)) = (known, is_extern, first) {
            self.program.globals[from as usize..].iter_mut().for_each(|cell| cell.initial = None);
        }
        if known.is_some() && !is_extern || initializer.is_some() {
            self.zero(first, &ty);
        }
        match initializer {
            Some(initializer) => self.initial_values(first, &ty, initializer),
            None => Ok(()),
        }
    }

    /// A variable of a function: it starts with its initialiser or, wherever control comes by, with any value. Its
    /// name is in scope in its own initialiser.
    fn local(&mut self, name: &str, ty: Type, item: &'a Node<InitDeclarator>) -> Result<()> {
        let initializer = item.node.initializer.as_ref();
        let ty = self.completed(ty, initializer)?;
        let first = self.object(name, &ty, false, item.span)?;
        self.body.span = self.span(item.span);
        self.declare(name, Entity::Object(first, ty.clone()));
        match initializer {
            Some(initializer) => self.initialize(first, &ty, initializer)?,
            None if self.body.may_repeat => {
                let cells: Vec<Var> = (0..ty.cells().unwrap_or(0)).map(|cell| nth(first, cell)).collect();
                if !cells.is_empty() {
                    self.emit(Kind::Forget(cells), false);
                }
            }
            None => {}
        }
        Ok(())
    }

    /// An array without a length has that of its initialiser.
    fn completed(&mut self, ty: Type, initializer: Option<&'a Node<Initializer>>) -> Result<Type> {
        match (&ty, initializer) {
            (Type::Open(element), Some(initializer)) => {
                let length = self.initializer_length(initializer)?;
                Ok(Type::Array(element.clone(), length))
            }
            (Type::Open(element), None) => Ok(Type::Array(element.clone(), 1)),
            _ => Ok(ty),
        }
    }

    /// The type of a function that is defined.
    pub(super) fn signature(&mut self, definition: &'a FunctionDefinition) -> Result<Rc<Signature>> {
        let span = definition.declarator.span;
        let specified = self.specified(&definition.specifiers, span)?;
        let Type::Function(signature) = self.declared(&specified.ty, &definition.declarator.node)? else {
            return self.wrong(span, "this is not a function");
        };
        if definition.declarations.is_empty() {
            return Ok(signature);
        }
        // `int f(a, b) int a; char b; {…}`
        let mut parameters = signature.parameters.clone();
        for declaration in &definition.declarations {
            let specified = self.specified(&declaration.node.specifiers, declaration.span)?;
            for item in &declaration.node.declarators {
                let ty = self.declared(&specified.ty, &item.node.declarator.node)?;
                let name = declared_name(&item.node.declarator.node);
                if let Some(known) = parameters.iter_mut().find(|(known, _)| known.as_deref() == name) {
                    known.1 = decayed(ty);
                }
            }
        }
        Ok(Rc::new(Signature { result: signature.result.clone(), parameters, open: true }))
    }

    /// The type that a cast or `sizeof` names.
    pub(super) fn type_name(&mut self, name: &'a Node<TypeName>) -> Result<Type> {
        let base = self.qualified(&name.node.specifiers, name.span)?;
        match &name.node.declarator {
            Some(declarator) => self.declared(&base, &declarator.node),
            None => Ok(base),
        }
    }

    fn specified(&mut self, specifiers: &'a [Node<DeclarationSpecifier>], span: Span) -> Result<Specified> {
        let (mut types, mut storage) = (Vec::new(), None);
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::TypeSpecifier(ty) => types.push(ty),
                DeclarationSpecifier::StorageClass(class) => storage = Some(class.node.clone()),
                _ => {}
            }
        }
        Ok(Specified { ty: self.base_type(&types, span)?, storage })
    }

    fn qualified(&mut self, specifiers: &'a [Node<SpecifierQualifier>], span: Span) -> Result<Type> {
        let types = specifiers.iter().filter_map(|specifier| match &specifier.node {
            SpecifierQualifier::TypeSpecifier(ty) => Some(ty),
            _ => None,
        });
        let types: Vec<_> = types.collect();
        self.base_type(&types, span)
    }

    /// The type that words like `unsigned long` name; `int` if there are none.
    fn base_type(&mut self, words: &[&'a Node<TypeSpecifier>], span: Span) -> Result<Type> {
        let (mut unsigned, mut signed, mut longs, mut kind) = (false, false, 0, None);
        for word in words {
            match &word.node {
                TypeSpecifier::Unsigned => unsigned = true,
                TypeSpecifier::Signed => signed = true,
                TypeSpecifier::Long => longs += 1,
                TypeSpecifier::Int => {}
                TypeSpecifier::Void => return Ok(Type::Void),
                TypeSpecifier::Bool => return Ok(Type::Int(IntType::BOOL)),
                TypeSpecifier::Char => kind = Some(self.widths.char),
                TypeSpecifier::Short => kind = Some(self.widths.short),
                TypeSpecifier::Float | TypeSpecifier::Double | TypeSpecifier::TS18661Float(_) => {
                    return Ok(Type::Other("floating point"));
                }
                TypeSpecifier::Complex => return Ok(Type::Other("complex numbers")),
                TypeSpecifier::Atomic(_) => return Ok(Type::Other("atomic types")),
                TypeSpecifier::Struct(ty) => return self.struct_type(ty),
                TypeSpecifier::Enum(ty) => return self.enum_type(ty),
                TypeSpecifier::TypedefName(name) => {
                    return match self.find(&name.node.name) {
                        Some(Entity::Typedef(ty)) => Ok(ty.clone()),
                        _ if name.node.name == "__builtin_va_list" => Ok(Type::Other("variable arguments")),
                        _ => self.wrong(name.span, format!("`{}` is not a type", name.node.name)),
                    };
                }
                TypeSpecifier::TypeOf(of) => {
                    return match &of.node {
                        TypeOf::Type(name) => self.type_name(name),
                        TypeOf::Expression(_) => self.unsupported(of.span, "`typeof` an expression"),
                    };
                }
            }
        }
        if unsigned && signed || longs > 2 || longs > 0 && kind.is_some() {
            return self.wrong(span, "there is no such type");
        }
        let bits = kind.unwrap_or(match longs {
            0 => self.widths.int,
            1 => self.widths.long,
            _ => self.widths.long_long,
        });
        Ok(Type::Int(if unsigned { IntType::unsigned(bits) } else { IntType::signed(bits) }))
    }

    fn struct_type(&mut self, ty: &'a Node<StructType>) -> Result<Type> {
        let name = ty.node.identifier.as_ref().map(|name| name.node.name.clone());
        let is_union = ty.node.kind.node == StructKind::Union;
        let Some(declarations) = &ty.node.declarations else {
            let known = name.and_then(|name| self.scopes.iter().rev().find_map(|scope| scope.tags.get(&name)));
            return Ok(match known {
                Some(Tag::Struct(members)) => Type::Struct(members.clone()),
                Some(Tag::Union) => Type::Other("unions"),
                _ if is_union => Type::Other("unions"),
                _ => Type::Other("an incomplete structure"),
            });
        };
        let mut members = Struct { is_plain: true, ..Struct::default() };
        for declaration in declarations {
            let StructDeclaration::Field(field) = &declaration.node else { continue };
            let base = self.qualified(&field.node.specifiers, field.span)?;
            if field.node.declarators.is_empty() {
                // Members of a structure without a name are members of this one.
                if let Type::Struct(inner) = &base {
                    members.is_plain = false;
                    let first = members.cells;
                    let lifted = inner.members.iter().map(|(name, ty, at)| (name.clone(), ty.clone(), first + at));
                    members.members.extend(lifted);
                    members.cells += inner.cells;
                }
            }
            for item in &field.node.declarators {
                let mut ty = match &item.node.declarator {
                    Some(declarator) => self.declared(&base, &declarator.node)?,
                    None => base.clone(),
                };
                if let (Some(width), Type::Int(int)) = (&item.node.bit_width, &ty) {
                    members.is_plain = false;
                    let bits = self.constant(width)?.0.clamp(0, int.bits.into()) as u8;
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
        let members = Rc::new(members);
        if let (Some(name), Some(scope)) = (name, self.scopes.last_mut()) {
            scope.tags.insert(name, if is_union { Tag::Union } else { Tag::Struct(members.clone()) });
        }
        Ok(if is_union { Type::Other("unions") } else { Type::Struct(members) })
    }

    /// Enumerators are of type `int`; the enumeration itself is unsigned, as compilers have it, if none is negative.
    fn enum_type(&mut self, ty: &'a Node<EnumType>) -> Result<Type> {
        let int = IntType::signed(self.widths.int);
        let name = ty.node.identifier.as_ref().map(|name| &name.node.name);
        if ty.node.enumerators.is_empty() {
            let known = name.and_then(|name| self.scopes.iter().rev().find_map(|scope| scope.tags.get(name)));
            return Ok(Type::Int(if let Some(Tag::Enum(ty)) = known { *ty } else { IntType::unsigned(int.bits) }));
        }
        let (mut next, mut least) = (0, 0);
        for item in &ty.node.enumerators {
            if let Some(value) = &item.node.expression {
                next = self.constant(value)?.0;
            }
            self.declare(&item.node.identifier.node.name, Entity::Constant(next, int));
            least = least.min(next);
            next += 1;
        }
        let own = if least < 0 { int } else { IntType::unsigned(int.bits) };
        if let (Some(name), Some(scope)) = (name, self.scopes.last_mut()) {
            scope.tags.insert(name.clone(), Tag::Enum(own));
        }
        Ok(Type::Int(own))
    }

    /// The type of what a declarator declares, from that of its base. Derivations are listed as they apply to the name:
    /// the last is the innermost.
    pub(super) fn declared(&mut self, base: &Type, declarator: &'a Declarator) -> Result<Type> {
        let (mut ty, mut declarator) = (base.clone(), declarator);
        loop {
            // Pointers stand before the name and are read first, in order; the rest from the end.
            for derived in &declarator.derived {
                if let DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) = derived.node {
                    ty = Type::Pointer(Rc::new(ty));
                }
            }
            for derived in declarator.derived.iter().rev() {
                ty = self.derived(ty, derived)?;
            }
            match &declarator.kind.node {
                DeclaratorKind::Declarator(inner) => declarator = &inner.node,
                _ => return Ok(ty),
            }
        }
    }

    fn derived(&mut self, ty: Type, derived: &'a Node<DerivedDeclarator>) -> Result<Type> {
        Ok(match &derived.node {
            DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => ty,
            DerivedDeclarator::Array(array) => match &array.node.size {
                ArraySize::Unknown | ArraySize::VariableUnknown => Type::Open(Rc::new(ty)),
                ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                    match self.known_number(size)? {
                        Some((length, _)) if (0..1 << 40).contains(&length) => {
                            Type::Array(Rc::new(ty), length as usize)
                        }
                        Some(_) => return self.wrong(array.span, "an array cannot have this length"),
                        None => Type::Variable,
                    }
                }
            },
            DerivedDeclarator::Function(function) => {
                let parameters = &function.node.parameters;
                let listed = parameters.iter().map(|parameter| self.parameter(parameter));
                let mut listed = listed.collect::<Result<Vec<_>>>()?;
                if matches!(listed[..], [(None, Type::Void)]) {
                    listed.clear();
                }
                let open = parameters.is_empty() || function.node.ellipsis == Ellipsis::Some;
                Type::Function(Rc::new(Signature { result: ty, parameters: listed, open }))
            }
            DerivedDeclarator::KRFunction(names) => {
                let int = Type::Int(IntType::signed(self.widths.int));
                let parameters = names.iter().map(|name| (Some(name.node.name.clone()), int.clone())).collect();
                Type::Function(Rc::new(Signature { result: ty, parameters, open: true }))
            }
        })
    }

    fn parameter(&mut self, parameter: &'a Node<ParameterDeclaration>) -> Result<(Option<String>, Type)> {
        let specified = self.specified(&parameter.node.specifiers, parameter.span)?;
        let Some(declarator) = &parameter.node.declarator else { return Ok((None, specified.ty)) };
        let ty = self.declared(&specified.ty, &declarator.node)?;
        Ok((declared_name(&declarator.node).map(str::to_owned), decayed(ty)))
    }
}

/// A parameter that is written as an array is a pointer.
fn decayed(ty: Type) -> Type {
    match ty {
        Type::Array(element, _) | Type::Open(element) => Type::Pointer(element),
        Type::Variable => Type::Pointer(Rc::new(Type::Other("an array of variable length"))),
        Type::Function(_) => Type::Pointer(Rc::new(ty)),
        ty => ty,
    }
}

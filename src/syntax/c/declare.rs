//! Declarations: specifiers and declarators to types, and names to what they mean (C11 6.7).

use super::super::expr::Var;
use super::place::nth;
use super::tree::Kind;
use super::types::{IntType, Signature, Struct, Type};
use super::unit::{Entity, Result, Unit, declared_name};
use lang_c::ast::{
    ArraySize, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, EnumType,
    Expression, Extension, FunctionDefinition, FunctionSpecifier, InitDeclarator, Initializer, ParameterDeclaration,
    SpecifierQualifier, StaticAssert, StorageClassSpecifier, StructDeclaration, StructKind, StructType, TypeName,
    TypeOf, TypeSpecifier,
};
use lang_c::span::{Node, Span};
use std::cell::Cell;
use std::rc::Rc;

/// What the words before a declarator say.
struct Specified {
    ty: Type,
    storage: Option<StorageClassSpecifier>,
    never_returns: bool,
}

/// The attributes among extensions: their names without underscores, and their arguments.
fn attributes<'a>(
    extensions: impl IntoIterator<Item = &'a Node<Extension>>,
) -> impl Iterator<Item = (&'a str, &'a [Node<Expression>])> {
    extensions.into_iter().filter_map(|extension| match &extension.node {
        Extension::Attribute(attribute) => Some((attribute.name.node.trim_matches('_'), &attribute.arguments[..])),
        _ => None,
    })
}

fn never_returns<'a>(extensions: impl IntoIterator<Item = &'a Node<Extension>>) -> bool {
    attributes(extensions).any(|(name, _)| name == "noreturn")
}

impl<'a> Unit<'a> {
    /// A declaration, outside of functions or in one.
    pub(super) fn declaration(&mut self, declaration: &'a Node<Declaration>) -> Result<()> {
        let specified = self.specified(&declaration.node.specifiers, declaration.span)?;
        let is_local = self.scopes.len() > 1;
        for item in &declaration.node.declarators {
            let Some(name) = declared_name(&item.node.declarator.node) else { continue };
            let mut ty = self.declared(&specified.ty, &item.node.declarator.node)?;
            if specified.storage != Some(StorageClassSpecifier::Typedef) && self.is_number(&ty, item) {
                ty = Type::Int(IntType::unsigned(self.widths.long));
            }
            match (&specified.storage, &ty) {
                (Some(StorageClassSpecifier::Typedef), _) => self.declare(name, Entity::Typedef(ty)),
                (_, Type::Function(_)) => {
                    if specified.never_returns || never_returns(&item.node.declarator.node.extensions) {
                        self.never_return.insert(name.to_owned());
                    }
                    self.declare(name, Entity::Function(ty));
                }
                (Some(StorageClassSpecifier::Extern), _) if is_local => {
                    let Some(entity) = self.scopes[0].names.get(name).cloned() else {
                        return self.unsupported(item.span, format!("`extern` variable `{name}` in a function"));
                    };
                    self.declare(name, entity);
                }
                (Some(StorageClassSpecifier::Extern), _) => self.eternal(name, ty, item, true)?,
                (Some(StorageClassSpecifier::Static), _) if is_local => match self.statics.get(&item.span.start) {
                    Some(known) => self.declare(name, known.clone()),
                    None => {
                        self.eternal(name, ty, item, false)?;
                        if let Some(entity) = self.find(name) {
                            self.statics.insert(item.span.start, entity.clone());
                        }
                    }
                },
                _ if is_local => self.local(name, ty, item)?,
                _ => self.eternal(name, ty, item, false)?,
            }
        }
        Ok(())
    }

    /// `_Static_assert(sizeof(int) == 4, "…")`
    pub(super) fn static_assertion(&mut self, assertion: &'a Node<StaticAssert>) -> Result<()> {
        match self.known_number(&assertion.node.expression)? {
            Some((0, _)) => self.wrong(assertion.span, "this assertion does not hold"),
            _ => Ok(()),
        }
    }

    /// An object that lives for ever. It may be declared more than once, and one of these may say its value; what
    /// another file defines has any value.
    fn eternal(&mut self, name: &str, ty: Type, item: &'a Node<InitDeclarator>, is_extern: bool) -> Result<()> {
        let initializer = item.node.initializer.as_ref();
        if let Some(pointer) = self.fixed_pointer(&ty, initializer)? {
            self.declare(name, pointer);
            return Ok(());
        }
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
        // A declaration without a value leaves the value that another one gave.
        if known.is_some() && !is_extern && !self.initialised.contains(&first) || initializer.is_some() {
            self.zero(first, &ty);
        }
        match initializer {
            Some(initializer) => {
                self.initialised.insert(first);
                self.initial_values(first, &ty, initializer)
            }
            None => Ok(()),
        }
    }

    /// A variable of a function: it starts with its initialiser or, wherever control comes by, with any value. Its
    /// name is in scope in its own initialiser.
    fn local(&mut self, name: &str, ty: Type, item: &'a Node<InitDeclarator>) -> Result<()> {
        let initializer = item.node.initializer.as_ref();
        if let Some(pointer) = self.fixed_pointer(&ty, initializer)? {
            self.declare(name, pointer);
            return Ok(());
        }
        let ty = self.completed(ty, initializer)?;
        let first = self.object(name, &ty, false, item.span)?;
        self.at(item.span, initializer.map_or(item.span, |initializer| initializer.span));
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

    /// `void *p;`: nobody can look at what it points to, so that it is as good as a number. (Who assigns it an address is
    /// told that this is not supported.)
    fn is_number(&self, ty: &Type, item: &'a Node<InitDeclarator>) -> bool {
        let is_null = match item.node.initializer.as_ref().map(|initializer| &initializer.node) {
            None => true,
            Some(Initializer::Expression(value)) => self.is_null(value),
            Some(Initializer::List(_)) => false,
        };
        matches!(ty, Type::Pointer(to) if **to == Type::Void) && is_null
    }

    /// `int *p = &x`: another name of an object. (Who assigns it something else is told that this is not supported.)
    fn fixed_pointer(&mut self, ty: &Type, initializer: Option<&'a Node<Initializer>>) -> Result<Option<Entity>> {
        let (Type::Pointer(pointee), Some(Initializer::Expression(value))) = (ty, initializer.map(|i| &i.node)) else {
            return Ok(None);
        };
        if self.has_effects(value) {
            return Ok(None);
        }
        let pointed = self.resolved(value, pointee)?;
        Ok(pointed.map(|(place, element, count)| Entity::Pointer(place.first, element, count)))
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
        let (mut types, mut storage, mut extensions, mut never) = (Vec::new(), None, Vec::new(), false);
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::TypeSpecifier(ty) => types.push(ty),
                DeclarationSpecifier::StorageClass(class) => storage = Some(class.node.clone()),
                DeclarationSpecifier::Function(function) => never |= function.node == FunctionSpecifier::Noreturn,
                DeclarationSpecifier::Extension(more) => extensions.extend(more),
                DeclarationSpecifier::TypeQualifier(_) | DeclarationSpecifier::Alignment(_) => {}
            }
        }
        let ty = self.base_type(&types, span)?;
        let ty = self.attributed(ty, extensions.iter().copied());
        Ok(Specified { ty, storage, never_returns: never || never_returns(extensions) })
    }

    /// A type with attributes that make it another one: `int __attribute__((mode(DI)))` has 64 bits.
    fn attributed(&self, mut ty: Type, extensions: impl IntoIterator<Item = &'a Node<Extension>>) -> Type {
        for (name, arguments) in attributes(extensions) {
            ty = match (name, ty) {
                ("mode", Type::Int(int)) => {
                    let mode = match arguments.first().map(|argument| &argument.node) {
                        Some(Expression::Identifier(mode)) => mode.node.name.trim_matches('_'),
                        _ => "",
                    };
                    let bits = match mode {
                        "QI" | "byte" => 8,
                        "HI" => 16,
                        "SI" => 32,
                        "DI" => 64,
                        "word" | "pointer" => self.widths.long,
                        _ => return Type::Other("a type of this mode"),
                    };
                    Type::Int(IntType { bits, ..int })
                }
                ("vector_size", _) => Type::Other("vectors"),
                ("packed" | "aligned", Type::Struct(members)) => {
                    members.is_plain.set(false);
                    Type::Struct(members)
                }
                (_, ty) => ty,
            };
        }
        ty
    }

    fn qualified(&mut self, specifiers: &'a [Node<SpecifierQualifier>], span: Span) -> Result<Type> {
        let (mut types, mut extensions) = (Vec::new(), Vec::new());
        for specifier in specifiers {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(ty) => types.push(ty),
                SpecifierQualifier::Extension(more) => extensions.extend(more),
                SpecifierQualifier::TypeQualifier(_) => {}
            }
        }
        let ty = self.base_type(&types, span)?;
        Ok(self.attributed(ty, extensions))
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
                        Some(Entity::Typedef(ty)) => Ok(self.now_complete(ty)),
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
            return Ok(match name {
                _ if is_union => Type::Other("unions"),
                Some(name) => self.tagged(&name),
                None => Type::Other("a structure without a name"),
            });
        };
        let mut members = Struct { is_plain: Cell::new(true), ..Struct::default() };
        for declaration in declarations {
            let StructDeclaration::Field(field) = &declaration.node else { continue };
            let base = self.qualified(&field.node.specifiers, field.span)?;
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
    fn complete(&mut self, name: String, ty: &Type) {
        let Some(scope) = self.scopes.last_mut() else { return };
        if let Some(Type::Incomplete(number)) = scope.tags.insert(name, ty.clone()) {
            self.incomplete[number] = Some(ty.clone());
        }
    }

    /// The type, where it is known by now.
    fn now_complete(&self, ty: &Type) -> Type {
        match ty {
            Type::Incomplete(number) => self.incomplete[*number].clone().unwrap_or_else(|| ty.clone()),
            Type::Pointer(to) => Type::Pointer(Rc::new(self.now_complete(to))),
            Type::Array(element, length) => Type::Array(Rc::new(self.now_complete(element)), *length),
            ty => ty.clone(),
        }
    }

    /// Enumerators are of type `int`; the enumeration itself is unsigned, as compilers have it, if none is negative.
    fn enum_type(&mut self, ty: &'a Node<EnumType>) -> Result<Type> {
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

    /// The type of what a declarator declares, from that of its base. Derivations are listed as they apply to the name:
    /// the last is the innermost.
    pub(super) fn declared(&mut self, base: &Type, declarator: &'a Declarator) -> Result<Type> {
        let (mut ty, mut declarator) = (self.attributed(base.clone(), &declarator.extensions), declarator);
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
                    if self.has_effects(size) {
                        return self.unsupported(size.span, "a length that is computed with side effects");
                    }
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

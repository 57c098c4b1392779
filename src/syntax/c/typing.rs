//! Types of declarations: from specifiers and declarators (C11 6.7.2, 6.7.6), and attributes that make them others.

use super::super::expr::Var;
use super::types::{IntType, Signature, Type};
use super::unit::{Entity, Result, Scope, Unit, declared_name};
use lang_c::ast::{
    ArraySize, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, Expression, Extension,
    FunctionDefinition, FunctionSpecifier, ParameterDeclaration, SpecifierQualifier, StorageClassSpecifier, TypeName,
    TypeOf, TypeSpecifier,
};
use lang_c::span::{Node, Span};
use std::rc::Rc;

/// What the words before a declarator say.
pub(super) struct Specified {
    pub(super) ty: Type,
    pub(super) storage: Option<StorageClassSpecifier>,
    pub(super) never_returns: bool,
    pub(super) is_aligned: bool,
}

/// The attributes among extensions: their names without underscores, and their arguments.
pub(super) fn attributes<'a>(
    extensions: impl IntoIterator<Item = &'a Node<Extension>>,
) -> impl Iterator<Item = (&'a str, &'a [Node<Expression>])> {
    extensions.into_iter().filter_map(|extension| match &extension.node {
        Extension::Attribute(attribute) => Some((attribute.name.node.trim_matches('_'), &attribute.arguments[..])),
        _ => None,
    })
}

/// The extensions that stand before the names.
pub(super) fn extensions_of(
    specifiers: &[Node<DeclarationSpecifier>],
) -> impl Iterator<Item = &Node<Extension>> + Clone {
    let extensions = specifiers.iter().filter_map(|specifier| match &specifier.node {
        DeclarationSpecifier::Extension(extensions) => Some(extensions),
        _ => None,
    });
    extensions.flatten()
}

pub(super) fn never_returns<'a>(extensions: impl IntoIterator<Item = &'a Node<Extension>>) -> bool {
    attributes(extensions).any(|(name, _)| name == "noreturn")
}

pub(super) fn is_aligned<'a>(extensions: impl IntoIterator<Item = &'a Node<Extension>>) -> bool {
    attributes(extensions).any(|(name, _)| matches!(name, "packed" | "aligned"))
}

impl<'a> Unit<'a> {
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

    pub(super) fn specified(&mut self, specifiers: &'a [Node<DeclarationSpecifier>], span: Span) -> Result<Specified> {
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
        let is_aligned = is_aligned(extensions.iter().copied());
        for ty in types.iter().filter(|_| is_aligned) {
            if let TypeSpecifier::Enum(tag) = &ty.node
                && let Some(name) = &tag.node.identifier
            {
                self.complete(name.node.name.clone(), &Type::Other("a packed enumeration"));
            }
        }
        Ok(Specified { ty, storage, never_returns: never || never_returns(extensions), is_aligned })
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

    pub(super) fn qualified(&mut self, specifiers: &'a [Node<SpecifierQualifier>], span: Span) -> Result<Type> {
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

    /// The type of what a declarator declares, from that of its base. Derivations are listed as they apply to the name:
    /// the last is the innermost.
    pub(super) fn declared(&mut self, base: &Type, declarator: &'a Declarator) -> Result<Type> {
        self.declared_as(base, declarator, false)
    }

    fn declared_as(&mut self, base: &Type, declarator: &'a Declarator, is_parameter: bool) -> Result<Type> {
        let (mut ty, mut declarator) = (self.attributed(base.clone(), &declarator.extensions), declarator);
        loop {
            // Pointers stand before the name and are read first, in order; the rest from the end.
            for derived in &declarator.derived {
                if let DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) = derived.node {
                    ty = Type::Pointer(Rc::new(ty));
                }
            }
            let is_last = !matches!(declarator.kind.node, DeclaratorKind::Declarator(_));
            for (at, derived) in declarator.derived.iter().enumerate().rev() {
                // The length of an array that is a parameter does not matter.
                let has_no_length = is_parameter && is_last && at == 0;
                ty = match derived.node {
                    DerivedDeclarator::Array(_) if has_no_length => Type::Open(Rc::new(ty)),
                    _ => self.derived(ty, derived)?,
                };
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
                let mut listed = self.parameters(parameters)?;
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

    /// The parameters of a function; later ones may speak of earlier ones: `int n, int a[n][n]`.
    fn parameters(&mut self, listed: &'a [Node<ParameterDeclaration>]) -> Result<Vec<(Option<String>, Type)>> {
        self.scopes.push(Scope::default());
        let mut parameters = Vec::new();
        let result = listed.iter().try_for_each(|parameter| {
            let (name, ty) = self.parameter(parameter)?;
            // It has no value here.
            self.declare(name.as_deref().unwrap_or_default(), Entity::Object(Var::Local(0), ty.clone()));
            parameters.push((name, ty));
            Ok(())
        });
        // What is declared among them is known later on, too.
        let own = self.scopes.pop().unwrap_or_default();
        if let Some(scope) = self.scopes.last_mut() {
            scope.tags.extend(own.tags);
        }
        result.map(|()| parameters)
    }

    fn parameter(&mut self, parameter: &'a Node<ParameterDeclaration>) -> Result<(Option<String>, Type)> {
        let specified = self.specified(&parameter.node.specifiers, parameter.span)?;
        let Some(declarator) = &parameter.node.declarator else { return Ok((None, specified.ty)) };
        let ty = self.declared_as(&specified.ty, &declarator.node, true)?;
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

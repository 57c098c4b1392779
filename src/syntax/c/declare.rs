//! Declarations: names to what they mean (C11 6.7).

use super::super::expr::Var;
use super::call::written;
use super::place::nth;
use super::tree::Kind;
use super::types::{IntType, Signature, Type};
use super::typing::{attributes, extensions_of, is_aligned, never_returns};
use super::unit::{Entity, Result, Unit, declared_name};
use lang_c::ast::{
    Declaration, Expression, Extension, FunctionDefinition, Identifier, InitDeclarator, Initializer, StaticAssert,
    StorageClassSpecifier,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

/// The static assertions of a function that name nothing.
#[derive(Default)]
struct Assertions<'a> {
    without_names: Vec<(&'a Node<Expression>, Span)>,
    names: usize,
}

impl<'a> Visit<'a> for Assertions<'a> {
    fn visit_static_assert(&mut self, assertion: &'a StaticAssert, span: &'a Span) {
        let before = self.names;
        visit::visit_static_assert(self, assertion, span);
        if self.names == before {
            self.without_names.push((&assertion.expression, *span));
        }
    }

    fn visit_identifier(&mut self, _: &'a Identifier, _: &'a Span) {
        self.names += 1;
    }
}

/// The function runs without being called: by its attribute, or because its address stands where the linker
/// collects what is to run.
pub(super) fn runs_by_itself((name, arguments): (&str, &[Node<Expression>])) -> bool {
    let is_collected = |argument: &Node<Expression>| match &argument.node {
        Expression::StringLiteral(parts) => {
            let section = written(&parts.node);
            ["init", "fini", "ctors", "dtors"].iter().any(|part| section.trim_start_matches('.').starts_with(part))
                && (section.contains("array") || section.contains("tors"))
        }
        _ => false,
    };
    matches!(name, "constructor" | "destructor") || name == "section" && arguments.iter().any(is_collected)
}

/// What is declared is something else that has a name of its own.
fn is_alias((name, _): (&str, &[Node<Expression>])) -> bool {
    matches!(name, "alias" | "ifunc" | "weakref")
}

/// It need not be there.
fn is_weak((name, _): (&str, &[Node<Expression>])) -> bool {
    name == "weak"
}

/// The name that the linker knows it by.
fn asm_label(extension: &Node<Extension>) -> Option<String> {
    match &extension.node {
        Extension::AsmLabel(label) => Some(written(&label.node)),
        _ => None,
    }
}

impl<'a> Unit<'a> {
    /// A declaration, outside of functions or in one.
    pub(super) fn declaration(&mut self, declaration: &'a Node<Declaration>) -> Result<()> {
        let specified = self.specified(&declaration.node.specifiers, declaration.span)?;
        let is_local = self.scopes.len() > 1;
        for item in &declaration.node.declarators {
            let Some(name) = declared_name(&item.node.declarator.node) else { continue };
            let own = &item.node.declarator.node.extensions;
            let all = extensions_of(&declaration.node.specifiers).chain(own);
            if attributes(all.clone()).any(runs_by_itself) {
                return self.unsupported(item.span, "a function that runs before or after `main`");
            }
            let is_of_system = self.origin.is_of_system(item.span);
            let renamed: Vec<String> = match is_of_system {
                true => Vec::new(),
                false => all.clone().filter_map(asm_label).filter(|label| label != name).collect(),
            };
            let has_other_names = attributes(all).any(is_alias) || !renamed.is_empty();
            let mut ty = self.declared(&specified.ty, &item.node.declarator.node)?;
            if specified.storage != Some(StorageClassSpecifier::Typedef) && self.is_number(&ty, item) {
                ty = Type::Int(IntType::unsigned(self.widths.long));
            }
            match (&specified.storage, &ty) {
                (Some(StorageClassSpecifier::Typedef), Type::Int(_)) if specified.is_aligned || is_aligned(own) => {
                    self.declare(name, Entity::Typedef(Type::Other("a type with an alignment of its own")));
                }
                (Some(StorageClassSpecifier::Typedef), _) => self.declare(name, Entity::Typedef(ty)),
                (_, Type::Function(_)) => {
                    if has_other_names {
                        self.aliases.insert(name.to_owned());
                        self.aliases.extend(renamed);
                    }
                    if specified.never_returns || never_returns(own) {
                        self.never_return.insert(name.to_owned());
                    }
                    let is_reserved = match &ty {
                        Type::Function(signature) => has_reserved_names(signature),
                        _ => false,
                    };
                    let is_of_header = |(name, _): (&str, _)| matches!(name, "nothrow" | "leaf");
                    if is_reserved || is_of_system || attributes(own).any(is_of_header) {
                        self.library.insert(name.to_owned());
                    }
                    self.declare(name, Entity::Function(ty));
                }
                // What is elsewhere, be it in a register, may be declared if nobody uses it.
                (Some(StorageClassSpecifier::Register | StorageClassSpecifier::Extern), _)
                    if has_other_names && item.node.initializer.is_none() =>
                {
                    self.declare(name, Entity::Foreign);
                }
                _ if has_other_names => {
                    return self.unsupported(item.span, format!("`{name}`, which is another name of an object"));
                }
                (Some(StorageClassSpecifier::Extern), _) if is_local => {
                    let Some(entity) = self.scopes[0].names.get(name).cloned() else {
                        return self.unsupported(item.span, format!("`extern` variable `{name}` in a function"));
                    };
                    self.declare(name, entity);
                }
                (Some(StorageClassSpecifier::Extern), _)
                    if item.node.initializer.is_none() && (is_of_system || attributes(own).any(is_weak)) =>
                {
                    self.declare(name, Entity::Foreign);
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
            Some((0, _)) => self.wrong(assertion.span, "this static assertion does not hold"),
            Some(_) => Ok(()),
            None => self.unsupported(assertion.span, "a static assertion whose value is not known"),
        }
    }

    /// The static assertions of a function that nobody calls, as far as they name nothing: what names mean is
    /// known only where a function is treated.
    pub(super) fn idle_assertions(&mut self, definition: &'a FunctionDefinition) -> Result<()> {
        let mut found = Assertions::default();
        found.visit_statement(&definition.statement.node, &definition.statement.span);
        for (expression, span) in found.without_names {
            if let Ok(Some((0, _))) = self.known_number(expression) {
                return self.wrong(span, "this static assertion does not hold");
            }
        }
        Ok(())
    }

    /// An object that lives for ever. It may be declared more than once, and one of these may say its value; what
    /// another file defines has any value.
    fn eternal(&mut self, name: &str, ty: Type, item: &'a Node<InitDeclarator>, is_extern: bool) -> Result<()> {
        let initializer = item.node.initializer.as_ref();
        if let Some(pointer) = self.fixed_pointer(&ty, initializer)? {
            self.declare(name, pointer);
            return Ok(());
        }
        let known = match self.scopes.last().and_then(|scope| scope.names.get(name)).cloned() {
            Some(Entity::Object(_, Type::Open(_)) | Entity::Foreign) | None => None,
            // Its length is known already.
            Some(known @ Entity::Object(_, Type::Array(..)))
                if matches!(ty, Type::Open(_)) && initializer.is_none() =>
            {
                self.declare(name, known);
                return Ok(());
            }
            Some(Entity::Object(first, known)) => Some((first, known)),
            Some(Entity::Pointer(..)) if initializer.is_none() => return Ok(()),
            Some(_) => return self.wrong(item.span, format!("`{name}` is something else before")),
        };
        if let (Type::Open(_), None) = (&ty, initializer) {
            // Another declaration tells its length; until then nobody can use it.
            self.declare(name, Entity::Object(Var::Global(0), ty));
            return Ok(());
        }
        let ty = self.completed(ty, initializer)?;
        let known = match known {
            Some((first, known)) if known == ty => Some(first),
            Some(_) => return self.wrong(item.span, format!("`{name}` is of another type before")),
            None => None,
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
        if attributes(&item.node.declarator.node.extensions).any(|(name, _)| name == "cleanup") {
            return self.unsupported(item.span, "the attribute `cleanup`");
        }
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
                let length = self.initializer_length(element, initializer)?;
                Ok(Type::Array(element.clone(), length))
            }
            (Type::Open(element), None) => Ok(Type::Array(element.clone(), 1)),
            _ => Ok(ty),
        }
    }
}

/// The parameters have names that C reserves for the system, as they have in its headers: these do not lose them where
/// their marks are lost.
fn has_reserved_names(signature: &Signature) -> bool {
    let names = signature.parameters.iter().filter_map(|(name, _)| name.as_deref());
    names.into_iter().any(|name| name.starts_with("__"))
}

//! A translation unit on its way to a program: names in scope, objects, functions still to be treated.
//!
//! Only what `main` can call is treated; what is never called may contain anything. A function is treated once for
//! each choice of the objects that its pointer parameters point to: in such an *instance* a pointer is another name of
//! an object. Objects of the caller are handed over by value and handed back, which is the same, as nobody else can
//! see them in the meantime.

use super::super::diagnostic::Diagnostic;
use super::super::expr::Var;
use super::super::source::Span;
use super::body::Body;
use super::declare::runs_by_itself;
use super::expr::Binary;
use super::headers::Widths;
use super::inline::{calls, inlinable};
use super::library::{Known, known};
use super::origin::Origin;
use super::place::nth;
use super::tree::{Frame, Function, Program, Settings, Target, Variable};
use super::types::{IntType, Signature, Type};
use super::typing::{attributes, extensions_of};
use super::value::Value;
use lang_c::ast::{self, ExternalDeclaration, FunctionDefinition, TranslationUnit};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

/// More bits than this are not a program for us.
const MOST_BITS: usize = 4_000_000;

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// An object: its first cell and its type.
    Object(Var, Type),
    /// Another name of an object: the first cell, the type of an element, and how many there are.
    Pointer(Var, Type, usize),
    Typedef(Type),
    Constant(i128, IntType),
    Function(Type),
    /// A variable that the library defines, or that is another name of something: only the linker knows of what.
    Foreign,
}

#[derive(Default)]
pub(super) struct Scope {
    pub(super) names: FxHashMap<String, Entity>,
    /// What tags of structures and enumerations mean.
    pub(super) tags: FxHashMap<String, Type>,
}

/// What a pointer parameter points to, as the callee sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// Not a pointer, or one that is not used.
    Value,
    /// Cells of a global object.
    Global(Var, Type, usize),
    /// An object of the caller, the same as that of an earlier parameter if it has one's number.
    Copied(usize, Type, usize),
}

/// A function of the text.
#[derive(Clone)]
pub(super) struct Definition<'a> {
    pub(super) node: &'a Node<FunctionDefinition>,
    pub(super) signature: Rc<Signature>,
}

impl<'a> Definition<'a> {
    pub(super) fn name(&self) -> &'a str {
        declared_name(&self.node.node.declarator.node).unwrap_or_default()
    }
}

/// A function with the objects its parameters point to.
#[derive(Clone)]
pub(super) struct Instance<'a> {
    pub(super) definition: Definition<'a>,
    pub(super) bindings: Vec<Binding>,
}

pub(super) struct Unit<'a> {
    pub(super) origin: &'a Origin<'a>,
    pub(super) program: Program,
    pub(super) widths: Widths,
    pub(super) scopes: Vec<Scope>,
    pub(super) definitions: FxHashMap<String, Definition<'a>>,
    /// Functions that are written out where they are called.
    pub(super) inlinable: FxHashSet<String>,
    /// Instances in the order of the program's functions, and where those of a function are.
    pub(super) instances: Vec<Instance<'a>>,
    index: FxHashMap<String, Vec<u32>>,
    /// The function that is being treated.
    pub(super) body: Body,
    pub(super) notes: Vec<Diagnostic>,
    /// Functions without a body that were called: each is noted once.
    pub(super) noted: FxHashSet<String>,
    /// Functions that headers of the system declare.
    pub(super) library: FxHashSet<String>,
    /// Functions that are other names of functions.
    pub(super) aliases: FxHashSet<String>,
    /// Structures may be packed.
    pub(super) is_packed: bool,
    /// Functions that are declared never to return.
    pub(super) never_return: FxHashSet<String>,
    /// Static variables of functions, by their declarators: they are the same wherever their function is written out.
    pub(super) statics: FxHashMap<usize, Entity>,
    /// Objects that live for ever and were given a value.
    pub(super) initialised: FxHashSet<Var>,
    /// Structures and enumerations that were named before they were declared.
    pub(super) incomplete: Vec<Option<Type>>,
    /// Where each element list stands among the program's.
    pub(super) element_lists: FxHashMap<Vec<Var>, u32>,
    bits: usize,
}

impl<'a> Unit<'a> {
    pub(super) fn new(origin: &'a Origin<'a>, settings: Settings, is_packed: bool) -> Unit<'a> {
        Unit {
            origin,
            widths: Widths::new(settings.data_model, settings.int_width),
            program: Program { settings, ..Program::default() },
            scopes: vec![Scope::default()],
            definitions: FxHashMap::default(),
            inlinable: FxHashSet::default(),
            instances: Vec::new(),
            index: FxHashMap::default(),
            body: Body::default(),
            notes: Vec::new(),
            noted: FxHashSet::default(),
            library: FxHashSet::default(),
            aliases: FxHashSet::default(),
            is_packed,
            never_return: FxHashSet::default(),
            statics: FxHashMap::default(),
            initialised: FxHashSet::default(),
            incomplete: Vec::new(),
            element_lists: FxHashMap::default(),
            bits: 0,
        }
    }

    /// The whole program, from `main` on.
    pub(super) fn translate(mut self, unit: &'a TranslationUnit) -> Result<(Program, Vec<Diagnostic>)> {
        for external in &unit.0 {
            match &external.node {
                ExternalDeclaration::Declaration(declaration) => self.declaration(declaration)?,
                ExternalDeclaration::StaticAssert(assertion) => self.static_assertion(assertion)?,
                ExternalDeclaration::FunctionDefinition(definition) => self.define(definition)?,
            }
        }
        let entry = self.program.settings.entry.as_deref().unwrap_or("main");
        let Some(main) = self.definitions.get(entry).cloned() else {
            let message = format!("there is no function `{entry}`");
            let help = "a program starts in `int main(void)`, or where the property says";
            return Err(Diagnostic::error(Span::new(0, 1), message, "").with_help(help));
        };
        if self.program.settings.inline {
            self.inlinable = inlinable(&self.definitions);
            self.inlinable.remove(main.name());
        }
        let bindings = vec![Binding::Value; main.signature.parameters.len()];
        self.instance(main, bindings);
        let mut next = 0;
        while next < self.instances.len() {
            let Instance { definition, bindings } = self.instances[next].clone();
            let function = self.function(&definition, &bindings)?;
            self.program.functions.push(function);
            next += 1;
        }
        self.externals();
        let functions = unit.0.iter().filter_map(|external| match &external.node {
            ExternalDeclaration::FunctionDefinition(definition) => Some(&definition.node),
            _ => None,
        });
        functions.into_iter().try_for_each(|definition| self.idle_assertions(definition))?;
        self.name_functions();
        Ok((self.program, self.notes))
    }

    /// Notes which functions everybody knows would have to be there if the program were to run.
    fn externals(&mut self) {
        let mut called: Vec<String> = self.definitions.values().flat_map(calls).collect();
        called.sort();
        called.dedup();
        for name in called.iter().filter(|name| !self.definitions.contains_key(*name)) {
            if let Some(Known::Input(ty)) = known(name, &self.widths) {
                let name = self.program.names.intern(name);
                self.program.externals.push((name, Some(ty)));
            }
        }
    }

    /// Notes which functions there are: a property may name any of them.
    fn name_functions(&mut self) {
        let names = self.scopes.iter().flat_map(|scope| &scope.names);
        let functions = names.filter(|(_, entity)| matches!(entity, Entity::Function(_)));
        let mut functions: Vec<String> = functions.map(|(name, _)| name.clone()).collect();
        functions.sort();
        self.program.declared = functions.iter().map(|name| self.program.names.intern(name)).collect();
    }

    fn define(&mut self, node: &'a Node<FunctionDefinition>) -> Result<()> {
        let definition = Definition { node, signature: self.signature(&node.node)? };
        let name = definition.name();
        let extensions = extensions_of(&node.node.specifiers).chain(&node.node.declarator.node.extensions);
        if attributes(extensions).any(runs_by_itself) {
            return self.unsupported(node.span, "a function that runs before or after `main`");
        }
        self.declare(name, Entity::Function(Type::Function(definition.signature.clone())));
        match self.definitions.insert(name.to_owned(), definition) {
            Some(_) => self.wrong(node.node.declarator.span, format!("function `{name}` is defined twice")),
            None => Ok(()),
        }
    }

    /// The number of a function's instance, which is treated later if it is new.
    pub(super) fn instance(&mut self, definition: Definition<'a>, bindings: Vec<Binding>) -> u32 {
        let known = self.index.entry(definition.name().to_owned()).or_default();
        if let Some(&same) = known.iter().find(|&&number| self.instances[number as usize].bindings == bindings) {
            return same;
        }
        let number = self.instances.len() as u32;
        known.push(number);
        self.instances.push(Instance { definition, bindings });
        number
    }

    fn function(&mut self, definition: &Definition<'a>, bindings: &[Binding]) -> Result<Function> {
        let name = definition.name();
        let Definition { node: definition, signature } = definition;
        let name = self.program.names.intern(name);
        self.body = Body::default();
        self.body.frames.push(Frame { function: name, depth: 0 });
        self.scopes.push(Scope::default());
        let mut copied: FxHashMap<usize, Var> = FxHashMap::default();
        for ((parameter, ty), binding) in signature.parameters.iter().zip(bindings) {
            let text = parameter.clone().unwrap_or_default();
            if let Binding::Value = binding {
                let first = self.object(&text, ty, false, definition.span)?;
                self.declare(&text, Entity::Object(first, ty.clone()));
            }
        }
        // Objects of the caller come after all values.
        for (number, ((parameter, _), binding)) in signature.parameters.iter().zip(bindings).enumerate() {
            let text = parameter.clone().unwrap_or_default();
            let entity = match binding {
                Binding::Value => continue,
                Binding::Global(first, ty, count) => Entity::Pointer(*first, ty.clone(), *count),
                Binding::Copied(same, ty, count) => {
                    let first = match copied.get(same) {
                        Some(&first) => first,
                        None => {
                            let whole = Type::Array(Rc::new(ty.clone()), *count);
                            self.object(&format!("*{text}"), &whole, false, definition.span)?
                        }
                    };
                    copied.insert(number, first);
                    Entity::Pointer(first, ty.clone(), *count)
                }
            };
            self.declare(&text, entity);
        }
        self.body.parameters = self.body.locals.len();
        let values = signature.parameters.iter().zip(bindings).filter(|(_, binding)| **binding == Binding::Value);
        let values: usize = values.filter_map(|((_, ty), _)| ty.cells()).sum();
        self.body.results = (values..self.body.parameters).map(|local| local as u32).collect();
        if let Type::Int(ty) = signature.result {
            self.body.results.insert(0, self.body.locals.len() as u32);
            self.temporary(ty);
            self.body.context.returns = Some(ty);
        }
        if self.program.functions.is_empty() && self.program.settings.entry.is_none() {
            self.count_of_arguments(definition.node.statement.span);
        }
        let statement = &definition.node.statement;
        self.statement(statement)?;
        self.scopes.pop();
        let end = statement.span.end.saturating_sub(1);
        let end_span = self.span(lang_c::span::Span::span(end, statement.span.end));
        let span = self.span(lang_c::span::Span::span(definition.span.start, definition.node.declarator.span.end));
        self.finish(name, span, end_span)
    }

    /// The first parameter of `main`, the number of arguments, is not negative. (Whoever calls it may do as he likes.)
    fn count_of_arguments(&mut self, at: lang_c::span::Span) {
        let count = self.body.locals.first().filter(|_| self.body.parameters > 0).map(|local| local.ty);
        let is_called = self.definitions.values().any(|definition| calls(definition).iter().any(|call| call == "main"));
        let Some(ty) = count.filter(|ty| ty.is_signed() && !is_called) else { return };
        self.at(at, at);
        let (argc, greatest) = (Var::Local(0), Value::constant(ty.greatest(), ty));
        let value = Value::read(argc, ty).binary(Binary::And, greatest, ty);
        self.assign(Target::Cell(argc), value, false);
    }

    /// A place of the user's text.
    pub(super) fn span(&self, span: lang_c::span::Span) -> Span {
        self.origin.span(span).0
    }

    /// What cannot be treated.
    pub(super) fn unsupported<T>(&self, span: lang_c::span::Span, what: impl Into<String>) -> Result<T> {
        Err(self.origin.told(span, Diagnostic::unsupported(self.span(span), what)))
    }

    /// What is not C.
    pub(super) fn wrong<T>(&self, span: lang_c::span::Span, what: impl Into<String>) -> Result<T> {
        Err(self.origin.told(span, Diagnostic::error(self.span(span), what, "")))
    }

    /// Makes a name known in the innermost scope.
    pub(super) fn declare(&mut self, name: &str, entity: Entity) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), entity);
        }
    }

    /// What a name means here.
    pub(super) fn find(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name))
    }

    /// The cells of all objects that can be named here.
    pub(super) fn visible(&self) -> Vec<Var> {
        let mut hidden = FxHashSet::default();
        let mut cells = Vec::new();
        for scope in self.scopes.iter().rev() {
            for (name, entity) in &scope.names {
                let is_new = hidden.insert(name);
                if let (true, Entity::Object(first, ty)) = (is_new, entity) {
                    cells.extend((0..ty.cells().unwrap_or(0)).map(|cell| nth(*first, cell)));
                }
            }
        }
        cells.sort_unstable();
        cells
    }

    /// Cells for an object, of the function or for ever; the first one. Objects that live for ever start with 0.
    pub(super) fn object(&mut self, name: &str, ty: &Type, is_global: bool, span: lang_c::span::Span) -> Result<Var> {
        let list = if is_global { &self.program.globals } else { &self.body.locals };
        let first = list.len() as u32;
        if ty.cells().is_none_or(|cells| cells > MOST_BITS) {
            return self.unsupported(span, format!("an object of that size: `{name}`"));
        }
        for (path, ty) in ty.layout() {
            let name = self.program.names.intern(&format!("{name}{path}"));
            self.cell(
                Variable { name, ty, initial: None, is_written: true, frame: self.body.frame, first_bit: 0 },
                is_global,
            );
            if self.bits > MOST_BITS {
                return self.unsupported(span, format!("a program of more than {MOST_BITS} bits"));
            }
        }
        Ok(if is_global { Var::Global(first) } else { Var::Local(first) })
    }

    /// A variable of ours.
    pub(super) fn temporary(&mut self, ty: IntType) -> Var {
        let name = self.program.names.intern(&format!("tmp{}", self.body.locals.len()));
        let index = self.body.locals.len() as u32;
        self.cell(Variable { name, ty, initial: None, is_written: false, frame: self.body.frame, first_bit: 0 }, false);
        Var::Local(index)
    }

    /// A variable of ours that traces show as the result of a function.
    pub(super) fn result_of(&mut self, function: &str, ty: IntType) -> Var {
        let var = self.temporary(ty);
        let name = self.program.names.intern(&format!("{function}()"));
        if let Some(variable) = self.body.locals.last_mut() {
            (variable.name, variable.is_written) = (name, true);
        }
        var
    }

    fn cell(&mut self, mut cell: Variable, is_global: bool) {
        let list = if is_global { &mut self.program.globals } else { &mut self.body.locals };
        cell.first_bit = list.last().map_or(0, |last| last.first_bit + u32::from(last.ty.bits));
        cell.initial = is_global.then_some(0);
        self.bits += usize::from(cell.ty.bits);
        list.push(cell);
    }
}

/// The name that a declarator declares.
pub(super) fn declared_name(declarator: &ast::Declarator) -> Option<&str> {
    let mut declarator = declarator;
    loop {
        match &declarator.kind.node {
            ast::DeclaratorKind::Identifier(name) => return Some(&name.node.name),
            ast::DeclaratorKind::Declarator(inner) => declarator = &inner.node,
            ast::DeclaratorKind::Abstract => return None,
        }
    }
}

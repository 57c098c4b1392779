//! What a text declares: predicates, definitions, and the variables of Z3's rules.

use super::store::{Store, Term};
use super::tree::{NodeId, Tree};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::source::Span;
use rustc_hash::FxHashMap;

/// An uninterpreted predicate.
pub(super) struct Predicate<'t> {
    pub(super) name: &'t str,
    pub(super) arity: usize,
    pub(super) span: Span,
}

/// A `define-fun`: a term over its parameters, which are the first variables of its store.
pub(super) struct Definition<'t> {
    pub(super) name: &'t str,
    pub(super) arity: usize,
    pub(super) store: Store,
    pub(super) term: Term,
}

/// What can be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Predicate(u32),
    Macro(u32),
}

/// All that is declared so far.
#[derive(Default)]
pub(super) struct Declarations<'t> {
    pub(super) predicates: Vec<Predicate<'t>>,
    definitions: Vec<Definition<'t>>,
    functions: FxHashMap<&'t str, Function>,
    /// Variables of `declare-var`, which stand in every rule.
    pub(super) variables: Vec<&'t str>,
}

impl<'t> Declarations<'t> {
    pub(super) fn function(&self, name: &str) -> Option<Function> {
        self.functions.get(name).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.functions.keys().copied()
    }

    pub(super) fn signature(&self, function: Function) -> (&'t str, usize) {
        match function {
            Function::Predicate(index) => {
                let predicate = &self.predicates[index as usize];
                (predicate.name, predicate.arity)
            }
            Function::Macro(index) => {
                let definition = &self.definitions[index as usize];
                (definition.name, definition.arity)
            }
        }
    }

    pub(super) fn definition(&self, index: u32) -> &Definition<'t> {
        &self.definitions[index as usize]
    }

    pub(super) fn declare(&mut self, predicate: Predicate<'t>) -> Result<(), Diagnostic> {
        let function = Function::Predicate(self.predicates.len() as u32);
        self.enter(predicate.name, function, predicate.span)?;
        self.predicates.push(predicate);
        Ok(())
    }

    pub(super) fn define(&mut self, definition: Definition<'t>, span: Span) -> Result<(), Diagnostic> {
        self.enter(definition.name, Function::Macro(self.definitions.len() as u32), span)?;
        self.definitions.push(definition);
        Ok(())
    }

    fn enter(&mut self, name: &'t str, function: Function, span: Span) -> Result<(), Diagnostic> {
        match self.functions.insert(name, function) {
            None => Ok(()),
            Some(first) => {
                self.functions.insert(name, first);
                Err(Diagnostic::error(span, format!("`{name}` is declared twice"), "declared again here"))
            }
        }
    }
}

/// Says so if a sort is not `Bool`.
pub(super) fn bool_sort(tree: &Tree<'_>, sort: NodeId) -> Result<(), Diagnostic> {
    if tree.symbol(sort) == Some("Bool") {
        return Ok(());
    }
    let message = format!("the sort `{}` is not supported", tree.text(sort));
    Err(Diagnostic::error(tree.span(sort), message, "expected `Bool`")
        .with_help("Epitome decides Booleans only: predicates and variables must be of sort Bool"))
}

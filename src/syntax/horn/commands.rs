//! Reads commands: what is declared is entered, what is asserted becomes clauses, and what only steers a
//! solver is passed over. After an error the next command is read, so that one run reports several.

use super::clauses::{self, Clause};
use super::declarations::{Declarations, Definition, Predicate, bool_sort};
use super::store::Store;
use super::terms::TermReader;
use super::tree::{NodeId, Reader, Shape, Tree};
use crate::syntax::diagnostic::{Diagnostic, MOST_ERRORS};
use crate::syntax::similar::most_similar;
use crate::syntax::source::Source;

/// Commands that change nothing about the question.
const WITHOUT_EFFECT: &[&str] = &[
    "set-info",
    "set-option",
    "check-sat",
    "get-model",
    "get-proof",
    "get-info",
    "get-unsat-core",
    "get-assertions",
    "get-value",
    "echo",
];

/// Commands that mean something.
const WITH_EFFECT: &[&str] = &[
    "set-logic",
    "declare-fun",
    "declare-const",
    "declare-rel",
    "declare-var",
    "define-fun",
    "assert",
    "rule",
    "query",
    "exit",
];

/// Everything a text says.
#[derive(Default)]
pub(super) struct Script<'t> {
    pub(super) declarations: Declarations<'t>,
    /// Clauses in the order of the text, with the terms of their assertions.
    pub(super) assertions: Vec<(Store, Vec<Clause>)>,
}

/// Reads a whole text.
pub(super) fn read(source: &Source) -> Result<Script<'_>, Vec<Diagnostic>> {
    let mut reader = Reader::new(source.text());
    let mut script = Script::default();
    let mut errors = Vec::new();
    while errors.len() < MOST_ERRORS {
        match reader.next_tree() {
            Ok(None) => break,
            Ok(Some(tree)) => match script.command(&tree) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => errors.push(error),
            },
            // Where parentheses do not match, commands cannot be told apart any more.
            Err(error) => {
                errors.push(error);
                break;
            }
        }
    }
    if errors.is_empty() { Ok(script) } else { Err(errors) }
}

impl<'t> Script<'t> {
    /// Reads a command; false if it is the last one.
    fn command(&mut self, tree: &Tree<'t>) -> Result<bool, Diagnostic> {
        let parts: Vec<NodeId> = tree.children(tree.root()).collect();
        let Some(name) = parts.first().and_then(|&name| tree.symbol(name)) else {
            let span = tree.span(tree.root());
            return Err(Diagnostic::error(span, "this is no command", "expected `(assert …)` or another command")
                .with_help("the language is SMT-LIB: constrained Horn clauses over Bool"));
        };
        match (name, &parts[1..]) {
            ("exit", _) => return Ok(false),
            ("set-logic", &[logic]) if tree.symbol(logic) == Some("HORN") => {}
            ("set-logic", _) => {
                let span = tree.span(tree.root());
                return Err(Diagnostic::error(span, "this logic is not supported", "expected `(set-logic HORN)`")
                    .with_help("Epitome reads constrained Horn clauses over Bool"));
            }
            ("declare-fun", &[name, sorts, result]) => {
                bool_sort(tree, result)?;
                self.predicate(tree, name, Some(sorts))?;
            }
            ("declare-rel", &[name, sorts]) => self.predicate(tree, name, Some(sorts))?,
            ("declare-const", &[name, sort]) => {
                bool_sort(tree, sort)?;
                self.predicate(tree, name, None)?;
            }
            ("declare-var", &[name, sort]) => {
                bool_sort(tree, sort)?;
                let name = new_name(tree, name)?;
                self.declarations.variables.push(name);
            }
            ("define-fun", &[name, parameters, result, body]) => {
                bool_sort(tree, result)?;
                self.definition(tree, name, parameters, body)?;
            }
            ("assert" | "rule", &[term]) => self.assertion(tree, term, false)?,
            // `(rule r name)` gives a rule a name.
            ("rule", &[term, _]) => self.assertion(tree, term, false)?,
            ("query", &[term, ..]) => self.assertion(tree, term, true)?,
            _ if WITHOUT_EFFECT.contains(&name) => {}
            _ => return Err(unknown_command(tree, parts[0], name)),
        }
        Ok(true)
    }

    fn predicate(&mut self, tree: &Tree<'t>, name: NodeId, sorts: Option<NodeId>) -> Result<(), Diagnostic> {
        let mut arity = 0;
        if let Some(sorts) = sorts {
            if tree.shape(sorts) != Shape::List {
                let span = tree.span(sorts);
                return Err(Diagnostic::error(span, "this is no list of sorts", "expected `(Bool …)`"));
            }
            for sort in tree.children(sorts) {
                bool_sort(tree, sort)?;
                arity += 1;
            }
        }
        let (name, span) = (new_name(tree, name)?, tree.span(tree.root()));
        self.declarations.declare(Predicate { name, arity, span })
    }

    fn definition(
        &mut self,
        tree: &Tree<'t>,
        name: NodeId,
        parameters: NodeId,
        body: NodeId,
    ) -> Result<(), Diagnostic> {
        let span = tree.span(name);
        let name = new_name(tree, name)?;
        let mut store = Store::new();
        let mut reader = TermReader::new(tree, &self.declarations, &mut store);
        let arity = reader.declare_all(parameters)?;
        let term = reader.read(body)?;
        if store.variables.len() > arity {
            return Err(Diagnostic::error(tree.span(body), "a definition with a quantifier", "not supported")
                .with_help("write the quantifier in the assertions that use the definition"));
        }
        self.declarations.define(Definition { name, arity, store, term }, span)
    }

    /// An asserted term; a query asserts that the term is false.
    fn assertion(&mut self, tree: &Tree<'t>, term: NodeId, is_query: bool) -> Result<(), Diagnostic> {
        let mut store = Store::new();
        let mut reader = TermReader::new(tree, &self.declarations, &mut store);
        for &name in &self.declarations.variables {
            let variable = reader.store.variable(name);
            reader.bind(name, variable);
        }
        let asserted = reader.read(term)?.negate_if(is_query);
        let clauses = clauses::of_assertion(&store, asserted, tree.span(tree.root()))?;
        self.assertions.push((store, clauses));
        Ok(())
    }
}

fn new_name<'t>(tree: &Tree<'t>, node: NodeId) -> Result<&'t str, Diagnostic> {
    tree.symbol(node).ok_or_else(|| Diagnostic::error(tree.span(node), "this is no name", "expected a symbol"))
}

fn unknown_command(tree: &Tree<'_>, node: NodeId, name: &str) -> Diagnostic {
    if WITH_EFFECT.contains(&name) {
        let message = format!("`{name}` has not the parts it needs");
        return Diagnostic::error(tree.span(tree.root()), message, "too few or too many");
    }
    let error = Diagnostic::error(tree.span(node), format!("the command `{name}` is not supported"), "");
    match most_similar(name, WITH_EFFECT.iter().chain(WITHOUT_EFFECT).copied()) {
        Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
        None => error.with_help("Horn clauses need `declare-fun`, `define-fun`, `assert` and `check-sat` only"),
    }
}

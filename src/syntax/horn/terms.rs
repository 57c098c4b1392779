//! Reads terms: an expression of the text becomes a term of a [`Store`].
//!
//! A list of tasks takes the place of recursion. A `let` reads its values, binds all of them at once, reads
//! its body and unbinds them; a quantifier gives its variables new numbers, so that equal names in different
//! places are different variables.

use super::declarations::{Declarations, Function, bool_sort};
use super::store::{Store, Term};
use super::tree::{NodeId, Shape, Tree};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::similar::most_similar;
use crate::syntax::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Terms that may be copied for the definitions that a term uses: short texts can mean large terms.
const MOST_COPIED: usize = 1_000_000;

const ONLY_BOOLEANS: &str = "Epitome decides Booleans only: the core theory of SMT-LIB and predicates over Bool";

/// What is left to do.
enum Task {
    Read(NodeId),
    /// Apply this to as many of the last values.
    Apply(Operator, usize, Span),
    /// Bind the names of a `let`'s list to as many of the last values.
    Bind(NodeId, usize),
    Unbind(usize),
    Quantify(bool, Span),
}

#[derive(Clone, Copy)]
enum Operator {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Equal,
    Distinct,
    If,
    Function(Function),
}

impl Operator {
    fn of_core(name: &str) -> Option<Operator> {
        Some(match name {
            "not" => Operator::Not,
            "and" => Operator::And,
            "or" => Operator::Or,
            "=>" => Operator::Implies,
            "xor" => Operator::Xor,
            "=" => Operator::Equal,
            "distinct" => Operator::Distinct,
            "ite" => Operator::If,
            _ => return None,
        })
    }
}

/// Reads one term.
pub(super) struct TermReader<'d, 't> {
    pub(super) tree: &'d Tree<'t>,
    pub(super) declarations: &'d Declarations<'t>,
    pub(super) store: &'d mut Store,
    bound: FxHashMap<&'t str, Term>,
    /// What names meant before they were bound, to be restored.
    before: Vec<(&'t str, Option<Term>)>,
    tasks: Vec<Task>,
    values: Vec<Term>,
    instances: FxHashMap<(u32, Box<[Term]>), Term>,
    copied: usize,
}

impl<'d, 't> TermReader<'d, 't> {
    pub(super) fn new(
        tree: &'d Tree<'t>,
        declarations: &'d Declarations<'t>,
        store: &'d mut Store,
    ) -> TermReader<'d, 't> {
        TermReader {
            tree,
            declarations,
            store,
            bound: FxHashMap::default(),
            before: Vec::new(),
            tasks: Vec::new(),
            values: Vec::new(),
            instances: FxHashMap::default(),
            copied: 0,
        }
    }

    /// The term that a node is.
    pub(super) fn read(mut self, node: NodeId) -> Result<Term, Diagnostic> {
        self.tasks.push(Task::Read(node));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Read(node) => self.term(node)?,
                Task::Apply(operator, count, span) => {
                    let arguments = self.values.split_off(self.values.len().saturating_sub(count));
                    let value = self.apply(operator, &arguments, span)?;
                    self.values.push(value);
                }
                Task::Bind(list, count) => {
                    let values = self.values.split_off(self.values.len().saturating_sub(count));
                    let tree = self.tree;
                    let names = tree.children(list).filter_map(|binding| tree.children(binding).next());
                    for (name, value) in names.zip(values) {
                        self.bind(tree.symbol(name).unwrap_or(""), value);
                    }
                }
                Task::Unbind(count) => self.unbind(count),
                Task::Quantify(forall, span) => {
                    let body = self.values.pop().unwrap_or(Term::TRUE);
                    let value = self.store.quantified(forall, body);
                    self.store.place(value, span);
                    self.values.push(value);
                }
            }
            if self.copied > MOST_COPIED {
                let message = format!("with its definitions written out this has more than {MOST_COPIED} terms");
                return Err(Diagnostic::error(self.tree.span(self.tree.root()), message, "too large to be read"));
            }
        }
        Ok(self.values.pop().unwrap_or(Term::TRUE))
    }

    pub(super) fn bind(&mut self, name: &'t str, value: Term) {
        let before = self.bound.insert(name, value);
        self.before.push((name, before));
    }

    fn unbind(&mut self, count: usize) {
        for _ in 0..count {
            let Some((name, before)) = self.before.pop() else { return };
            match before {
                Some(value) => self.bound.insert(name, value),
                None => self.bound.remove(name),
            };
        }
    }

    /// Declares the variables of a sorted list, `((x Bool) …)`, and says how many there are.
    pub(super) fn declare_all(&mut self, list: NodeId) -> Result<usize, Diagnostic> {
        let tree = self.tree;
        if tree.shape(list) != Shape::List {
            return Err(Diagnostic::error(tree.span(list), "this is no list of variables", "expected `((x Bool) …)`"));
        }
        let (mut names, mut seen) = (Vec::new(), FxHashSet::default());
        for entry in tree.children(list) {
            let parts: Vec<NodeId> = tree.children(entry).collect();
            let &[name, sort] = parts.as_slice() else {
                return Err(Diagnostic::error(tree.span(entry), "this declares no variable", "expected `(x Bool)`"));
            };
            let Some(name) = tree.symbol(name) else {
                return Err(Diagnostic::error(tree.span(name), "this is no name", "expected a symbol"));
            };
            bool_sort(tree, sort)?;
            if !seen.insert(name) {
                let message = format!("`{name}` is declared twice in one list");
                return Err(Diagnostic::error(tree.span(entry), message, "the second one"));
            }
            names.push(name);
        }
        for &name in &names {
            let variable = self.store.variable(name);
            self.bind(name, variable);
        }
        Ok(names.len())
    }

    fn term(&mut self, node: NodeId) -> Result<(), Diagnostic> {
        let tree = self.tree;
        match tree.shape(node) {
            Shape::List => return self.list(node),
            Shape::Symbol => {}
            Shape::Keyword | Shape::Constant => {
                let message = format!("`{}` is not Boolean", tree.text(node));
                return Err(Diagnostic::error(tree.span(node), message, "expected a term").with_help(ONLY_BOOLEANS));
            }
        }
        let name = tree.symbol(node).unwrap_or("");
        let bound = self.bound.get(name).copied();
        let value = match (bound, name) {
            (Some(value), _) => value,
            (None, "true") => Term::TRUE,
            (None, "false") => Term::FALSE,
            _ => match self.declarations.function(name) {
                Some(function) => self.apply(Operator::Function(function), &[], tree.span(node))?,
                None => return Err(self.unknown(node, "variable or predicate")),
            },
        };
        self.values.push(value);
        Ok(())
    }

    fn list(&mut self, node: NodeId) -> Result<(), Diagnostic> {
        let (tree, span) = (self.tree, self.tree.span(node));
        let mut parts = tree.children(node);
        let Some(head) = parts.next() else {
            return Err(Diagnostic::error(span, "an empty list is no term", "expected an operator or a predicate"));
        };
        let Some(name) = tree.symbol(head) else {
            return Err(Diagnostic::error(
                tree.span(head),
                "this cannot be applied",
                "expected an operator or a predicate",
            )
            .with_help(ONLY_BOOLEANS));
        };
        match name {
            _ if self.bound.contains_key(name) => {
                let message = format!("`{name}` is a variable here and has no arguments");
                return Err(Diagnostic::error(tree.span(head), message, "expected an operator or a predicate"));
            }
            "let" => return self.let_term(node),
            "forall" | "exists" => {
                let parts: Vec<NodeId> = parts.collect();
                let &[list, body] = parts.as_slice() else {
                    let form = format!("expected `({name} ((x Bool) …) term)`");
                    return Err(Diagnostic::error(span, format!("this `{name}` has not two parts"), form));
                };
                let count = self.declare_all(list)?;
                self.tasks.extend([Task::Quantify(name == "forall", span), Task::Unbind(count), Task::Read(body)]);
                return Ok(());
            }
            "!" => {
                // Attributes say nothing about the value.
                let Some(inner) = parts.next() else {
                    return Err(Diagnostic::error(span, "nothing is annotated here", "expected a term after `!`"));
                };
                self.tasks.push(Task::Read(inner));
                return Ok(());
            }
            _ => {}
        }
        let operator = Operator::of_core(name).or_else(|| self.declarations.function(name).map(Operator::Function));
        let Some(operator) = operator else { return Err(self.unknown(head, "operator or predicate")) };
        let arguments: Vec<NodeId> = parts.collect();
        self.tasks.push(Task::Apply(operator, arguments.len(), span));
        self.tasks.extend(arguments.into_iter().rev().map(Task::Read));
        Ok(())
    }

    fn let_term(&mut self, node: NodeId) -> Result<(), Diagnostic> {
        let tree = self.tree;
        let parts: Vec<NodeId> = tree.children(node).skip(1).collect();
        let &[list, body] = parts.as_slice() else {
            let form = "expected `(let ((x term) …) term)`";
            return Err(Diagnostic::error(tree.span(node), "this `let` has not two parts", form));
        };
        let mut values = Vec::new();
        for binding in tree.children(list) {
            let parts: Vec<NodeId> = tree.children(binding).collect();
            match parts.as_slice() {
                &[name, value] if tree.shape(name) == Shape::Symbol => values.push(value),
                _ => {
                    let span = tree.span(binding);
                    return Err(Diagnostic::error(span, "this binds no name", "expected `(x term)`"));
                }
            }
        }
        let count = values.len();
        self.tasks.extend([Task::Unbind(count), Task::Read(body), Task::Bind(list, count)]);
        self.tasks.extend(values.into_iter().rev().map(Task::Read));
        Ok(())
    }

    fn apply(&mut self, operator: Operator, arguments: &[Term], span: Span) -> Result<Term, Diagnostic> {
        let value = self.applied(operator, arguments, span)?;
        self.store.place(value, span);
        Ok(value)
    }

    fn applied(&mut self, operator: Operator, arguments: &[Term], span: Span) -> Result<Term, Diagnostic> {
        let wrong = |expected: &str| {
            let message = format!("wrong number of arguments: {}", arguments.len());
            Err(Diagnostic::error(span, message, format!("expected {expected}")))
        };
        let store = &mut *self.store;
        Ok(match (operator, arguments) {
            (Operator::Not, &[term]) => !term,
            (Operator::Not, _) => return wrong("one"),
            (Operator::If, &[condition, then, otherwise]) => store.if_then_else(condition, then, otherwise),
            (Operator::If, _) => return wrong("three"),
            (Operator::Function(function), _) => return self.call(function, arguments, span),
            (_, []) => return wrong("at least one"),
            (Operator::And, _) => store.and(arguments),
            (Operator::Or, _) => store.or(arguments),
            (_, [_]) => return wrong("at least two"),
            (Operator::Implies, [premises @ .., conclusion]) => {
                let mut all = premises.to_vec();
                all.push(!*conclusion);
                !store.and(&all)
            }
            (Operator::Xor, [first, rest @ ..]) => rest.iter().fold(*first, |value, &term| !store.equal(value, term)),
            (Operator::Equal, _) => {
                let pairs: Vec<Term> = arguments.windows(2).map(|pair| store.equal(pair[0], pair[1])).collect();
                store.and(&pairs)
            }
            (Operator::Distinct, &[a, b]) => !store.equal(a, b),
            // There are no three different Booleans.
            (Operator::Distinct, _) => Term::FALSE,
        })
    }

    fn call(&mut self, function: Function, arguments: &[Term], span: Span) -> Result<Term, Diagnostic> {
        let (name, arity) = self.declarations.signature(function);
        if arguments.len() != arity {
            let plural = if arity == 1 { "" } else { "s" };
            let message = format!("`{name}` has {arity} argument{plural}, not {}", arguments.len());
            return Err(Diagnostic::error(span, message, "wrong number of arguments"));
        }
        match function {
            Function::Predicate(predicate) => {
                if arguments.iter().any(|&argument| self.store.is_structured(argument)) {
                    return Err(Diagnostic::error(span, "an argument contains a predicate or a quantifier", "here")
                        .with_help("arguments are terms over the clause's variables"));
                }
                Ok(self.store.atom(predicate, arguments))
            }
            Function::Macro(index) => {
                let key = (index, arguments.into());
                if let Some(&known) = self.instances.get(&key) {
                    return Ok(known);
                }
                let definition = self.declarations.definition(index);
                self.copied += definition.term.index();
                let value = self.store.instance(&definition.store, definition.term, arguments, span);
                self.instances.insert(key, value);
                Ok(value)
            }
        }
    }

    fn unknown(&self, node: NodeId, what: &str) -> Diagnostic {
        let name = self.tree.symbol(node).unwrap_or("");
        let error = Diagnostic::error(self.tree.span(node), format!("unknown {what} `{name}`"), "not declared");
        let known = self.bound.keys().copied().chain(self.declarations.names());
        match most_similar(name, known) {
            Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
            None => error.with_help(ONLY_BOOLEANS),
        }
    }
}

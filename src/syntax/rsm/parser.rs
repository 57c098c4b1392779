//! Reads files of machines: the outer shape, and what to do after an error.
//!
//! Two passes over the text, each linear. The first reads the variables ([`super::variables`]); the
//! second reads everything else: machines ([`super::body`]) and `init`. Names of machines, nodes,
//! boxes and ports may be used before they are declared, so they are remembered and resolved at the
//! end ([`super::resolve`]). After an error the parser goes on at the next item, so that one run
//! reports several; where a syntax error may have swallowed a declaration, missing names that could be
//! its fault are not reported on top.

use super::body::{Body, Unresolved};
use super::variables::{Table, Variables, read_variables};
use super::{Machine, Machines};
use crate::syntax::cursor::Cursor;
use crate::syntax::diagnostic::{Diagnostic, MOST_ERRORS};
use crate::syntax::expr::{Expr, Var};
use crate::syntax::expr_parser::{Primes, Scope, parse_expr};
use crate::syntax::lexer::{Dialect, Kind as Tok};
use crate::syntax::names::{Name, Names};
use crate::syntax::similar::most_similar;
use crate::syntax::source::{Source, Span};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Words that may not be names (`_` forgets a result).
pub const KEYWORDS: &[&str] = &[
    "var",
    "machine",
    "entry",
    "exit",
    "node",
    "env",
    "box",
    "when",
    "do",
    "constrain",
    "label",
    "init",
    "in",
    "out",
    "true",
    "false",
    "T",
    "F",
    "schoose",
    "_",
];

/// Words that start an item of a machine.
pub(super) const ITEM_WORDS: &[&str] = &["var", "entry", "exit", "node", "env", "box"];

/// Reads a file of machines. On success the list holds warnings and notes, on failure errors.
///
/// ```
/// use epitome::syntax::{Source, rsm};
/// let source = Source::new("a.rsm", "machine M { entry e; e -> f; } init M.e;");
/// let errors = rsm::parse(&source).unwrap_err();
/// assert!(errors[0].render(&source).contains("a.rsm:1:27"));
/// ```
pub fn parse(source: &Source) -> Result<(Machines, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut machines = Machines::default();
    let mut errors = Vec::new();
    let variables = read_variables(source, &mut machines.names, &mut errors);
    let mut parser = Parser {
        cursor: Cursor::new(source, Dialect::Machine, KEYWORDS),
        machines,
        variables,
        by_name: FxHashMap::default(),
        unresolved: Vec::new(),
        initial: Vec::new(),
        has_init: false,
        lost_machine: false,
        errors,
        notes: Vec::new(),
        unknown: Cell::new(0),
    };
    parser.file();
    parser.finish()
}

/// `M.e` after `init`.
pub(super) struct UnresolvedInit {
    pub(super) machine: Name,
    pub(super) node: Name,
    pub(super) span: Span,
}

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) machines: Machines,
    pub(super) variables: Variables,
    /// Machines by name.
    pub(super) by_name: FxHashMap<Name, u32>,
    /// What the machines' texts name, one for each machine.
    pub(super) unresolved: Vec<Unresolved>,
    pub(super) initial: Vec<UnresolvedInit>,
    /// An `init` was seen, right or wrong.
    pub(super) has_init: bool,
    /// A machine may be missing because of a syntax error.
    pub(super) lost_machine: bool,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) notes: Vec<Diagnostic>,
    /// Unknown variables so far.
    unknown: Cell<usize>,
}

/// What is visible inside a machine.
pub(super) struct LocalScope<'p> {
    names: &'p Names,
    globals: &'p Table,
    locals: &'p Table,
    unknown: &'p Cell<usize>,
}

impl LocalScope<'_> {
    /// The variable of this name.
    pub(super) fn find(&self, text: &str) -> Option<Var> {
        let name = self.names.find(text)?;
        let local = self.locals.find(name).map(Var::Local);
        local.or_else(|| self.globals.find(name).map(Var::Global))
    }
}

impl Scope for LocalScope<'_> {
    fn lookup(&self, text: &str) -> Option<Var> {
        let found = self.find(text);
        if found.is_none() {
            self.unknown.set(self.unknown.get() + 1);
        }
        // An expression of a million unknown names must not make a million errors, and a variable
        // that was lost by a syntax error none.
        let silent = self.unknown.get() > MOST_ERRORS || self.locals.incomplete || self.globals.incomplete;
        found.or(silent.then_some(Var::Global(0)))
    }

    fn suggest(&self, text: &str) -> Option<String> {
        let candidates = self.locals.list.iter().chain(&self.globals.list).map(|v| self.names.text(v.name));
        most_similar(text, candidates).map(str::to_owned)
    }
}

impl Parser<'_> {
    /// So many errors that reading on helps nobody.
    pub(super) fn full(&self) -> bool {
        self.errors.len() >= MOST_ERRORS
    }

    /// What is visible in a machine with these variables.
    pub(super) fn scope<'p>(&'p self, locals: &'p Table) -> LocalScope<'p> {
        let Parser { machines, variables, unknown, .. } = self;
        LocalScope { names: &machines.names, globals: &variables.globals, locals, unknown }
    }

    /// Reads an expression in the scope of a machine with these variables.
    pub(super) fn expr(&mut self, locals: &Table, primes: Primes) -> Result<Expr, Diagnostic> {
        let Parser { cursor, machines, variables, unknown, errors, .. } = self;
        let scope = LocalScope { names: &machines.names, globals: &variables.globals, locals, unknown };
        parse_expr(cursor, &mut machines.exprs, &scope, primes, errors)
    }

    fn file(&mut self) {
        while self.cursor.kind() != Tok::End && !self.full() {
            let start = self.cursor.span();
            let at_init = self.cursor.at_word("init");
            if let Err(error) = self.item() {
                self.errors.push(error);
                self.lost_machine |= !at_init;
                self.recover(start);
            }
        }
    }

    fn item(&mut self) -> Result<(), Diagnostic> {
        match (self.cursor.kind(), self.cursor.text()) {
            (Tok::Ident, "var") => {
                self.cursor.advance();
                skip_item(&mut self.cursor);
                Ok(())
            }
            (Tok::Ident, "machine") => self.machine(),
            (Tok::Ident, "init") => self.init(),
            (_, text) => {
                let error = self.cursor.unexpected("`var`, `machine` or `init`");
                Err(match most_similar(text, ["var", "machine", "init"]) {
                    Some(word) => error.with_help(format!("did you mean `{word}`?")),
                    None => error,
                })
            }
        }
    }

    /// After an error outside of a machine: go on at the next item, past whole bodies.
    fn recover(&mut self, start: Span) {
        if self.cursor.span() == start {
            self.cursor.advance();
        }
        let mut depth = 0usize;
        loop {
            match (self.cursor.kind(), self.cursor.text()) {
                (Tok::End, _) | (Tok::Ident, "machine" | "init") => return,
                (Tok::Ident, "var") if depth == 0 => return,
                (Tok::LBrace, _) => depth += 1,
                (Tok::RBrace, _) => depth = depth.saturating_sub(1),
                _ => {}
            }
            let ends = depth == 0 && matches!(self.cursor.kind(), Tok::RBrace | Tok::Semicolon);
            self.cursor.advance();
            if ends {
                return;
            }
        }
    }

    /// `machine M(…) { … }`
    fn machine(&mut self) -> Result<(), Diagnostic> {
        let start = self.cursor.span();
        self.cursor.advance();
        let (text, span) = self.cursor.expect_name("the machine's name")?;
        let name = self.machines.names.intern(text);
        self.skip_parameters();
        let head = start.to(self.cursor.previous_span());
        self.cursor.expect(Tok::LBrace)?;
        let index = self.machines.machines.len() as u32;
        if let Some(&first) = self.by_name.get(&name) {
            let at = self.cursor.source().position(self.machines.machines[first as usize].span.start);
            self.errors.push(Diagnostic::error(
                span,
                format!("machine `{text}` is defined twice"),
                format!("first defined at {at}"),
            ));
        } else {
            self.by_name.insert(name, index);
        }
        let table = self.variables.take(start);
        let machine = Machine {
            name,
            locals: Vec::new(),
            inputs: table.inputs,
            outputs: table.outputs,
            nodes: Vec::new(),
            boxes: Vec::new(),
            transitions: Vec::new(),
            span: head,
        };
        Body::read(self, machine, table);
        Ok(())
    }

    /// Inputs and outputs were read by the first pass.
    fn skip_parameters(&mut self) {
        if !self.cursor.eat(Tok::LParen) {
            return;
        }
        while !matches!(self.cursor.kind(), Tok::End | Tok::LBrace | Tok::RBrace) {
            if self.cursor.eat(Tok::RParen) {
                return;
            }
            self.cursor.advance();
        }
    }

    /// `init M.e, N.f;`
    fn init(&mut self) -> Result<(), Diagnostic> {
        self.has_init = true;
        self.cursor.advance();
        loop {
            let (machine, start) = self.cursor.expect_name("a machine's name")?;
            self.cursor.expect(Tok::Dot)?;
            let (node, end) = self.cursor.expect_name("an entry")?;
            let machine = self.machines.names.intern(machine);
            let node = self.machines.names.intern(node);
            self.initial.push(UnresolvedInit { machine, node, span: start.to(end) });
            if !self.cursor.eat(Tok::Comma) {
                return end_of_item(&mut self.cursor, "`,` or `;`");
            }
        }
    }

    fn finish(mut self) -> Result<(Machines, Vec<Diagnostic>), Vec<Diagnostic>> {
        if let Some(unclosed) = self.cursor.take_unclosed() {
            // What follows was read as part of a comment or string: nothing can be said about it.
            self.errors.retain(|error| error.span.start < unclosed.span.start);
            self.errors.push(unclosed);
        } else if !self.full() {
            self.resolve();
        }
        if self.errors.is_empty() {
            self.machines.globals = self.variables.globals.list;
            self.notes.sort_by_key(|note| note.span.start);
            self.notes.truncate(MOST_ERRORS);
            return Ok((self.machines, self.notes));
        }
        self.errors.sort_by_key(|error| error.span.start);
        self.errors.truncate(MOST_ERRORS);
        Err(self.errors)
    }
}

/// Takes the `;` that ends an item or says what was expected.
pub(super) fn end_of_item(cursor: &mut Cursor<'_>, expected: &str) -> Result<(), Diagnostic> {
    if cursor.eat(Tok::Semicolon) {
        return Ok(());
    }
    let mut error = cursor.unexpected(expected);
    if starts_line(cursor) || cursor.kind() == Tok::End {
        // The place after the item says more than the next line does.
        let previous = cursor.previous_span();
        error.span = Span::new(previous.end.saturating_sub(1).max(previous.start), previous.end);
        error.message = "the statement does not end here".to_owned();
        error.label = "expected `;` after this".to_owned();
    }
    Err(error)
}

/// Goes on after an item's `;`, or at what cannot belong to the item: the machine's `}`, `machine`,
/// `init`, or a word that starts an item on a new line.
pub(super) fn skip_item(cursor: &mut Cursor<'_>) {
    let mut depth = 0usize;
    loop {
        match (cursor.kind(), cursor.text()) {
            (Tok::End, _) | (Tok::Ident, "machine" | "init") => return,
            (Tok::Ident, word) if ITEM_WORDS.contains(&word) && starts_line(cursor) => return,
            (Tok::Semicolon, _) => return cursor.advance(),
            (Tok::LBrace, _) => depth += 1,
            (Tok::RBrace, _) if depth > 0 => depth -= 1,
            // After a proposition list comes more of the item, after a machine never.
            (Tok::RBrace, _) if !matches!(cursor.peek().kind, Tok::Comma | Tok::Semicolon) => return,
            _ => {}
        }
        cursor.advance();
    }
}

/// The current token is the first of its line.
fn starts_line(cursor: &Cursor<'_>) -> bool {
    let between = Span::new(cursor.previous_span().end, cursor.span().start);
    cursor.source().slice(between).contains('\n')
}

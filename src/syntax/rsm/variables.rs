//! The first of the two passes over a file: it reads the variables and nothing else.
//!
//! Everything in a file of machines may be used before it is declared. Names of nodes, boxes and
//! machines can wait until the end; names in expressions cannot, because an expression is stored with
//! its variables resolved. So the variables of all scopes are read first, with their errors, and the
//! second pass ([`super::parser`]) skips over them. A scope is known by the place of its `machine`.

use super::Variable;
use super::parser::{KEYWORDS, end_of_item, skip_item};
use crate::syntax::cursor::Cursor;
use crate::syntax::diagnostic::{Diagnostic, MOST_ERRORS};
use crate::syntax::lexer::{Dialect, Kind as Tok};
use crate::syntax::names::{Name, Names};
use crate::syntax::source::{Source, Span};
use crate::syntax::variable::initial_value;
use rustc_hash::FxHashMap;

type Result<T> = std::result::Result<T, Diagnostic>;

/// The variables of one scope: inputs, outputs, then all others.
#[derive(Default)]
pub(super) struct Table {
    pub(super) list: Vec<Variable>,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// A syntax error may have swallowed a variable.
    pub(super) incomplete: bool,
    index: FxHashMap<Name, u32>,
}

impl Table {
    /// The place of a variable in the list.
    pub(super) fn find(&self, name: Name) -> Option<u32> {
        self.index.get(&name).copied()
    }
}

/// The variables of all scopes.
#[derive(Default)]
pub(super) struct Variables {
    pub(super) globals: Table,
    machines: FxHashMap<u32, Table>,
}

impl Variables {
    /// The variables of the machine whose word `machine` stands here.
    pub(super) fn take(&mut self, machine: Span) -> Table {
        self.machines.remove(&machine.start).unwrap_or_default()
    }
}

/// Reads the variables of a file.
pub(super) fn read_variables(source: &Source, names: &mut Names, errors: &mut Vec<Diagnostic>) -> Variables {
    let cursor = Cursor::new(source, Dialect::Machine, KEYWORDS);
    let mut reader = Reader { cursor, names, errors, depth: 0, machine: None, variables: Variables::default() };
    reader.file();
    reader.variables
}

struct Reader<'a, 'p> {
    cursor: Cursor<'a>,
    names: &'p mut Names,
    errors: &'p mut Vec<Diagnostic>,
    /// Open braces.
    depth: usize,
    /// Place of the `machine` whose scope is open.
    machine: Option<u32>,
    variables: Variables,
}

/// What a variable is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Input,
    Output,
    Other,
}

impl Reader<'_, '_> {
    fn file(&mut self) {
        while self.cursor.kind() != Tok::End && self.errors.len() < MOST_ERRORS {
            match (self.cursor.kind(), self.cursor.text()) {
                (Tok::Ident, "var") => {
                    if let Err(error) = self.declaration() {
                        self.report(error);
                        skip_item(&mut self.cursor);
                    }
                    continue;
                }
                (Tok::Ident, "machine") => {
                    self.head();
                    continue;
                }
                // Both stand outside of machines only: a brace may be missing before them.
                (Tok::Ident, "init") => self.leave(),
                (Tok::LBrace, _) => self.depth += 1,
                (Tok::RBrace, _) if self.depth <= 1 => self.leave(),
                (Tok::RBrace, _) => self.depth -= 1,
                _ => {}
            }
            self.cursor.advance();
        }
    }

    fn leave(&mut self) {
        self.depth = 0;
        self.machine = None;
    }

    /// `machine M(in a, b; out r, s)`; the parenthesis is optional.
    fn head(&mut self) {
        self.leave();
        let place = self.cursor.span().start;
        self.machine = Some(place);
        self.variables.machines.insert(place, Table::default());
        self.cursor.advance();
        if self.cursor.kind() == Tok::Ident && !self.cursor.at_keyword() {
            self.cursor.advance();
        }
        if self.cursor.eat(Tok::LParen)
            && let Err(error) = self.parameters()
        {
            self.report(error);
        }
    }

    /// Notes a syntax error in a list of variables.
    fn report(&mut self, error: Diagnostic) {
        self.errors.push(error);
        if let Some(table) = self.table() {
            table.incomplete = true;
        }
    }

    /// The variables of the open scope.
    fn table(&mut self) -> Option<&mut Table> {
        match self.machine {
            Some(place) => self.variables.machines.get_mut(&place),
            None if self.depth == 0 => Some(&mut self.variables.globals),
            // Inside of braces that no machine opened; the second pass reports them.
            None => None,
        }
    }

    fn parameters(&mut self) -> Result<()> {
        if self.cursor.eat(Tok::RParen) {
            return Ok(());
        }
        if self.cursor.eat_word("in") {
            self.list(Use::Input)?;
            if self.cursor.eat(Tok::RParen) {
                return Ok(());
            }
            if !self.cursor.eat(Tok::Semicolon) {
                return Err(self.cursor.unexpected("`,`, `;` or `)`"));
            }
        }
        if !self.cursor.eat_word("out") {
            return Err(self.cursor.unexpected("`in` or `out`").with_help("a head is `machine M(in a, b; out r, s)`"));
        }
        self.list(Use::Output)?;
        if self.cursor.eat(Tok::RParen) { Ok(()) } else { Err(self.cursor.unexpected("`,` or `)`")) }
    }

    fn declaration(&mut self) -> Result<()> {
        self.cursor.advance();
        self.list(Use::Other)?;
        end_of_item(&mut self.cursor, "`,`, `:=` or `;`")
    }

    /// `a, b := 0, c`
    fn list(&mut self, role: Use) -> Result<()> {
        loop {
            let (text, span) = self.cursor.expect_name("a variable's name")?;
            let name = self.names.intern(text);
            let mut initial = None;
            if self.cursor.kind() == Tok::Becomes {
                if role == Use::Input {
                    let error = Diagnostic::error(self.cursor.span(), "an input has no initial value", "not here");
                    return Err(error.with_help("an input takes the value of its argument at every call"));
                }
                self.cursor.advance();
                initial = initial_value(&mut self.cursor)?;
            }
            self.declare(Variable { name, initial, span }, text, role);
            if !self.cursor.eat(Tok::Comma) {
                return Ok(());
            }
        }
    }

    fn declare(&mut self, variable: Variable, text: &str, role: Use) {
        let Some(table) = self.table() else { return };
        if let Some(first) = table.find(variable.name) {
            let first = table.list[first as usize].span;
            return self.declared_twice(variable.span, text, first);
        }
        table.index.insert(variable.name, table.list.len() as u32);
        table.list.push(variable);
        table.inputs += usize::from(role == Use::Input);
        table.outputs += usize::from(role == Use::Output);
    }

    fn declared_twice(&mut self, span: Span, text: &str, first: Span) {
        if self.errors.len() < MOST_ERRORS {
            let message = format!("variable `{text}` is declared twice");
            let label = format!("first declared at {}", self.cursor.source().position(first.start));
            self.errors.push(Diagnostic::error(span, message, label));
        }
    }
}

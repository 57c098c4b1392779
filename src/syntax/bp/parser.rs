//! Reads Boolean programs: the union of what Bebop, SLAM, Boppo/Boom (SATABS) and Getafix write.
//!
//! Variables are declared before they are used, so they are resolved while reading; procedures and
//! labels may come later and are resolved at the end of the program and of the procedure. After an
//! error the parser goes on at the next statement or procedure, so that one run reports several.

use super::statements::{Body, THREAD_WORDS, thread_error};
use super::{Kind, Procedure, Program, Variable};
use crate::syntax::cursor::Cursor;
use crate::syntax::diagnostic::{Diagnostic, MOST_ERRORS};
use crate::syntax::expr::Var;
use crate::syntax::expr_parser::Scope;
use crate::syntax::lexer::{Dialect, Kind as Tok};
use crate::syntax::names::{Name, Names};
use crate::syntax::similar::most_similar;
use crate::syntax::source::{Source, Span};
use crate::syntax::variable::initial_value;
use rustc_hash::FxHashMap;

/// Words that may not be names.
pub const KEYWORDS: &[&str] = &[
    "decl",
    "begin",
    "end",
    "void",
    "bool",
    "skip",
    "print",
    "goto",
    "return",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "assert",
    "assume",
    "call",
    "dead",
    "enforce",
    "constrain",
    "schoose",
    "env",
    "T",
    "F",
    "true",
    "false",
];

/// Reads a program. On success the list holds warnings and notes, on failure errors as well.
///
/// ```
/// use epitome::syntax::{Source, bp};
/// let source = Source::new("a.bp", "main() begin gaol L; end");
/// let errors = bp::parse(&source).unwrap_err();
/// assert!(errors[0].render(&source).contains("a.bp:1:"));
/// ```
pub fn parse(source: &Source) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut parser = Parser {
        cursor: Cursor::new(source, Dialect::Program, KEYWORDS),
        program: Program::default(),
        globals: Table::default(),
        procedures: FxHashMap::default(),
        calls: Vec::new(),
        errors: Vec::new(),
        notes: Vec::new(),
    };
    parser.program();
    parser.finish()
}

/// Variables of one scope by name.
#[derive(Default)]
pub(super) struct Table {
    vars: FxHashMap<Name, u32>,
}

/// A call whose procedure may not have been read yet.
pub(super) struct PendingCall {
    pub(super) procedure: usize,
    pub(super) statement: usize,
    pub(super) callee: Name,
    pub(super) span: Span,
}

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) program: Program,
    pub(super) globals: Table,
    pub(super) procedures: FxHashMap<Name, usize>,
    pub(super) calls: Vec<PendingCall>,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) notes: Vec<Diagnostic>,
}

/// What is visible inside a procedure.
pub(super) struct LocalScope<'p> {
    pub(super) names: &'p Names,
    pub(super) globals: &'p Table,
    pub(super) locals: &'p Table,
}

impl Scope for LocalScope<'_> {
    fn lookup(&self, text: &str) -> Option<Var> {
        let name = self.names.find(text)?;
        let local = self.locals.vars.get(&name).map(|&index| Var::Local(index));
        local.or_else(|| self.globals.vars.get(&name).map(|&index| Var::Global(index)))
    }

    fn suggest(&self, text: &str) -> Option<String> {
        let candidates = self.locals.vars.keys().chain(self.globals.vars.keys()).map(|&name| self.names.text(name));
        most_similar(text, candidates).map(str::to_owned)
    }
}

impl Parser<'_> {
    fn program(&mut self) {
        while self.cursor.kind() != Tok::End && self.errors.len() < MOST_ERRORS {
            if self.cursor.at_word("decl") {
                self.global_declaration();
            } else if let Err(error) = self.procedure() {
                self.errors.push(error);
                // Go on after the procedure's end, or at the next one's head.
                while !matches!(self.cursor.text(), "void" | "bool" | "") && !self.cursor.eat_word("end") {
                    self.cursor.advance();
                }
            }
        }
    }

    fn global_declaration(&mut self) {
        if !self.program.procedures.is_empty() {
            let span = self.cursor.span();
            self.errors.push(
                Diagnostic::error(span, "a global declaration after a procedure", "expected a procedure")
                    .with_help("declare all global variables before the first procedure"),
            );
        }
        if let Err(error) = self.declaration(None) {
            self.errors.push(error);
            // Go on after the declaration, or at a procedure if the `;` is missing.
            while !matches!(self.cursor.text(), "begin" | "void" | "bool" | "") && !self.cursor.eat(Tok::Semicolon) {
                self.cursor.advance();
            }
        }
    }

    /// `decl a, b := 0;` into the globals or into a procedure's locals.
    pub(super) fn declaration(&mut self, mut local: Option<(&mut Procedure, &mut Table)>) -> Result<(), Diagnostic> {
        self.cursor.expect_word("decl")?;
        loop {
            let (text, span) = self.cursor.expect_name("a variable's name")?;
            let name = self.program.names.intern(text);
            let mut initial = None;
            if self.cursor.kind() == Tok::Equal {
                let error = self.cursor.unexpected("`:=`, `,` or `;`");
                return Err(error.with_help("an initial value is written with `:=`"));
            }
            if self.cursor.eat(Tok::Becomes) {
                initial = initial_value(&mut self.cursor)?;
            }
            let variable = Variable { name, initial, span };
            let (list, table) = match &mut local {
                Some((procedure, table)) => (&mut procedure.locals, &mut **table),
                None => (&mut self.program.globals, &mut self.globals),
            };
            declare(list, table, variable, text, &mut self.errors);
            if !self.cursor.eat(Tok::Comma) {
                break;
            }
        }
        self.cursor.expect(Tok::Semicolon)?;
        Ok(())
    }

    fn procedure(&mut self) -> Result<(), Diagnostic> {
        let results = self.result_count()?;
        let expected = if self.program.procedures.is_empty() { "a declaration or a procedure" } else { "a procedure" };
        let (text, start) = self.cursor.expect_name(expected)?;
        if self.cursor.kind() != Tok::LParen {
            let error = self.cursor.unexpected("`(` after the procedure's name");
            return Err(match most_similar(text, ["void", "bool", "decl"]) {
                Some(similar) => error.with_help(format!("did you mean `{similar}` instead of `{text}`?")),
                None => error.with_help("variables are declared with `decl`, procedures have parentheses"),
            });
        }
        let name = self.program.names.intern(text);
        let mut procedure = Procedure {
            name,
            results,
            parameters: 0,
            locals: Vec::new(),
            enforce: None,
            body: Vec::new(),
            labels: Vec::new(),
            span: start,
            end_span: start,
        };
        if let Some(&first) = self.procedures.get(&name) {
            let line = self.cursor.source().position(self.program.procedures[first].span.start);
            self.errors.push(Diagnostic::error(
                start,
                format!("procedure `{text}` is defined twice"),
                format!("first defined at {line}"),
            ));
        }
        let mut locals = Table::default();
        self.cursor.expect(Tok::LParen)?;
        self.parameters(&mut procedure, &mut locals)?;
        procedure.span = start.to(self.cursor.expect(Tok::RParen)?);
        procedure.parameters = procedure.locals.len();
        self.procedures.entry(name).or_insert(self.program.procedures.len());
        let read = match self.cursor.expect_word("begin") {
            Ok(_) => Body::read(self, &mut procedure, locals),
            Err(error) => Err(error),
        };
        // After an error too: the name is entered with this index.
        self.program.procedures.push(procedure);
        read
    }

    /// `void`, `bool`, `bool<n>` or nothing.
    fn result_count(&mut self) -> Result<usize, Diagnostic> {
        if self.cursor.eat_word("void") || !self.cursor.eat_word("bool") {
            return Ok(0);
        }
        if !self.cursor.eat(Tok::Less) {
            return Ok(1);
        }
        let count =
            self.cursor.text().parse().ok().filter(|&n: &usize| self.cursor.kind() == Tok::Number && n <= 1 << 20);
        let Some(count) = count else { return Err(self.cursor.unexpected("the number of results")) };
        self.cursor.advance();
        self.cursor.expect(Tok::Greater)?;
        Ok(count)
    }

    fn parameters(&mut self, procedure: &mut Procedure, locals: &mut Table) -> Result<(), Diagnostic> {
        // `p(void)` is how C says that there are none.
        if self.cursor.kind() == Tok::RParen || self.cursor.eat_word("void") {
            return Ok(());
        }
        loop {
            let (text, span) = self.cursor.expect_name("a parameter's name")?;
            let variable = Variable { name: self.program.names.intern(text), initial: None, span };
            declare(&mut procedure.locals, locals, variable, text, &mut self.errors);
            if !self.cursor.eat(Tok::Comma) {
                return Ok(());
            }
        }
    }

    fn finish(mut self) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
        if let Some(error) = self.cursor.take_unclosed() {
            self.errors.insert(0, error);
        }
        self.resolve_calls();
        self.find_main();
        if self.errors.is_empty() {
            self.notes.truncate(MOST_ERRORS);
            return Ok((self.program, self.notes));
        }
        self.errors.truncate(MOST_ERRORS);
        self.errors.sort_by_key(|error| error.span.start);
        Err(self.errors)
    }

    fn resolve_calls(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            let Some(&callee) = self.procedures.get(&call.callee) else {
                self.unknown_procedure(&call);
                continue;
            };
            if callee >= self.program.procedures.len() {
                continue; // its own errors are reported already
            }
            self.check_call(&call, callee);
            let Kind::Call { callee: place, .. } =
                &mut self.program.procedures[call.procedure].body[call.statement].kind
            else {
                unreachable!("only a call refers to a procedure");
            };
            *place = callee as u32;
        }
    }

    fn unknown_procedure(&mut self, call: &PendingCall) {
        if self.errors.len() >= MOST_ERRORS {
            return;
        }
        let text = self.program.names.text(call.callee);
        if THREAD_WORDS.contains(&text) {
            self.errors.push(thread_error(text, call.span));
            return;
        }
        let mut error =
            Diagnostic::error(call.span, format!("unknown procedure `{text}`"), "no procedure of this name");
        let known = self.program.procedures.iter().map(|p| self.program.names.text(p.name));
        if let Some(similar) = most_similar(text, ["assert", "assume", "print"].into_iter().chain(known)) {
            error = error.with_help(format!("did you mean `{similar}`?"));
        }
        self.errors.push(error);
    }

    fn check_call(&mut self, call: &PendingCall, callee: usize) {
        let statement = &self.program.procedures[call.procedure].body[call.statement];
        let Kind::Call { arguments, targets, .. } = &statement.kind else {
            unreachable!("only a call refers to a procedure");
        };
        let target = &self.program.procedures[callee];
        let name = self.program.names.text(call.callee);
        if arguments.len() != target.parameters {
            let message = format!("`{name}` takes {}, not {}", count(target.parameters, "argument"), arguments.len());
            self.errors.push(Diagnostic::error(call.span, message, "wrong number of arguments"));
        }
        if !targets.is_empty() && targets.len() != target.results {
            let message = format!("`{name}` returns {}, not {}", count(target.results, "value"), targets.len());
            self.errors.push(Diagnostic::error(call.span, message, "wrong number of results"));
        }
    }

    fn find_main(&mut self) {
        let main = self.program.names.find("main").and_then(|name| self.procedures.get(&name));
        match main {
            Some(&index) if index < self.program.procedures.len() => {
                self.program.main = index;
                let main = &self.program.procedures[index];
                if main.parameters > 0 {
                    self.notes
                        .push(Diagnostic::note(main.span, "the parameters of `main` start with arbitrary values"));
                }
            }
            _ if self.errors.is_empty() => {
                let end = Span::new(self.cursor.span().start, self.cursor.span().start);
                self.errors.push(
                    Diagnostic::error(end, "the program has no procedure `main`", "the file ends here")
                        .with_help("a program starts in `main`: `void main() begin … end`"),
                );
            }
            _ => {}
        }
    }
}

fn declare(list: &mut Vec<Variable>, table: &mut Table, variable: Variable, text: &str, errors: &mut Vec<Diagnostic>) {
    if table.vars.insert(variable.name, list.len() as u32).is_some() {
        errors.push(Diagnostic::error(variable.span, format!("`{text}` is declared twice"), "declared again here"));
    }
    list.push(variable);
}

/// `1 argument`, `2 arguments`.
pub(super) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

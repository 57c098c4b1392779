//! Reads the body of a procedure: declarations, `enforce`, then statements, with a stack of the
//! `if`s and `while`s that are open.
//!
//! What a statement refers to (labels, a procedure) may come later. It is remembered only when the
//! statement stands in the body: a statement that is given up after an error leaves nothing behind.

use super::parser::{KEYWORDS, LocalScope, Parser, PendingCall, Table, count};
use super::{Kind, Label, Procedure, Statement, Target};
use crate::syntax::diagnostic::{Diagnostic, MOST_ERRORS};
use crate::syntax::expr::{Binary, Expr, Op, Var};
use crate::syntax::expr_parser::{Primes, Scope, call_inside, continues_expr, parse_expr};
use crate::syntax::lexer::Kind as Tok;
use crate::syntax::names::Name;
use crate::syntax::similar::most_similar;
use crate::syntax::source::Span;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// Statements of Boom and Boppo that start or schedule threads.
pub(super) const THREAD_WORDS: &[&str] = &[
    "start_thread",
    "end_thread",
    "thread_create",
    "thread_join",
    "thread_exit",
    "create_thread",
    "async",
    "sync",
    "atomic_begin",
    "atomic_end",
    "begin_atomic",
    "end_atomic",
];

/// The error for a thread statement.
pub(super) fn thread_error(word: &str, span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("threads are not supported: `{word}`"), "a thread statement")
        .with_help("Epitome checks sequential Boolean programs; a concurrent checker such as Boom reads this one")
}

/// An `if` or `while` that is not closed yet.
enum Open {
    If {
        span: Span,
        /// The `if` or last `elsif`, which waits to know where its branch ends.
        branch: usize,
        /// All `elsif`s and the `else`, which wait to know the `fi`.
        marks: Vec<usize>,
        has_else: bool,
    },
    While {
        span: Span,
        head: usize,
    },
}

/// The body that is being read.
pub(super) struct Body<'p, 'a> {
    parser: &'p mut Parser<'a>,
    procedure: &'p mut Procedure,
    locals: Table,
    open: Vec<Open>,
    labels: FxHashMap<Name, u32>,
    /// What the statement that is being read refers to: the labels of a `goto`, the callee of a call.
    references: SmallVec<[(Name, Span); 2]>,
    /// `goto`s whose labels may come later: statement, label's place in it, name, span.
    gotos: Vec<(usize, usize, Name, Span)>,
}

type Result<T> = std::result::Result<T, Diagnostic>;

impl<'p, 'a> Body<'p, 'a> {
    /// Reads from after `begin` to the matching `end`.
    pub(super) fn read(parser: &'p mut Parser<'a>, procedure: &'p mut Procedure, locals: Table) -> Result<()> {
        let mut body = Body {
            parser,
            procedure,
            locals,
            open: Vec::new(),
            labels: FxHashMap::default(),
            references: SmallVec::new(),
            gotos: Vec::new(),
        };
        body.head()?;
        while !body.at_end()? {
            if let Err(error) = body.labelled_statement() {
                body.recover(error)?;
            }
        }
        body.resolve_gotos();
        Ok(())
    }

    /// `decl` lists and `enforce`, in any order.
    fn head(&mut self) -> Result<()> {
        loop {
            if self.parser.cursor.at_word("decl") {
                self.parser.declaration(Some((self.procedure, &mut self.locals)))?;
            } else if self.parser.cursor.at_word("enforce") {
                self.parser.cursor.advance();
                let condition = self.expr()?;
                self.parser.cursor.expect(Tok::Semicolon)?;
                self.procedure.enforce = Some(match self.procedure.enforce {
                    None => condition,
                    Some(first) => self.both(first, condition),
                });
            } else {
                return Ok(());
            }
        }
    }

    /// The conjunction of two expressions.
    fn both(&mut self, first: Expr, second: Expr) -> Expr {
        let exprs = &mut self.parser.program.exprs;
        let mut ops = exprs.ops(first).to_vec();
        ops.extend_from_slice(exprs.ops(second));
        ops.push(Op::Binary(Binary::And));
        exprs.add(ops)
    }

    /// Takes the final `end`.
    fn at_end(&mut self) -> Result<bool> {
        let cursor = &mut self.parser.cursor;
        if cursor.kind() == Tok::End || matches!(cursor.text(), "void" | "bool" | "begin") {
            let (at, name) = (cursor.source().position(self.procedure.span.start), self.procedure.name);
            let help = format!("procedure `{}` at {at} is not closed by `end`", self.parser.program.names.text(name));
            return Err(cursor.unexpected("a statement or `end`").with_help(help));
        }
        if !cursor.at_word("end") {
            return Ok(false);
        }
        if let Some(open) = self.open.last() {
            let (Open::If { span, .. } | Open::While { span, .. }) = open;
            let (word, close) = if matches!(open, Open::If { .. }) { ("if", "fi") } else { ("while", "od") };
            let at = cursor.source().position(span.start);
            return Err(cursor
                .unexpected(&format!("`{close}`"))
                .with_help(format!("the `{word}` at {at} is not closed")));
        }
        self.procedure.end_span = cursor.span();
        cursor.advance();
        Ok(true)
    }

    /// After an error inside a statement: go on after the next `;`, or at a word that starts or
    /// closes a block.
    fn recover(&mut self, error: Diagnostic) -> Result<()> {
        self.parser.errors.push(error);
        loop {
            let cursor = &mut self.parser.cursor;
            match (cursor.kind(), cursor.text()) {
                (Tok::End, _) => return Err(cursor.unexpected("`end`")),
                (Tok::Semicolon, _) => {
                    cursor.advance();
                    return Ok(());
                }
                (Tok::Ident, "void" | "bool" | "end" | "fi" | "od" | "else" | "elsif" | "if" | "while") => {
                    return Ok(());
                }
                _ => cursor.advance(),
            }
        }
    }

    fn labelled_statement(&mut self) -> Result<()> {
        let mut labelled = false;
        while matches!(self.parser.cursor.kind(), Tok::Ident | Tok::Number)
            && self.parser.cursor.peek().kind == Tok::Colon
        {
            labelled = true;
            self.label()?;
        }
        if labelled && matches!(self.parser.cursor.text(), "end" | "fi" | "od" | "else" | "elsif") {
            return Err(self.parser.cursor.unexpected("a statement after the label"));
        }
        self.statement()
    }

    fn label(&mut self) -> Result<()> {
        let (text, span) = (self.parser.cursor.text(), self.parser.cursor.span());
        if KEYWORDS.contains(&text) {
            self.parser.cursor.advance(); // recovery may stop at such a word
            return Err(Diagnostic::error(span, format!("`{text}` cannot be a label"), "a word of the language"));
        }
        self.parser.cursor.advance();
        self.parser.cursor.advance();
        let name = self.parser.program.names.intern(text);
        let statement = self.procedure.body.len() as u32;
        if let Some(&first) = self.labels.get(&name) {
            // SLAM's tools repeat a label on one statement; that is harmless.
            if self.procedure.labels[first as usize].statement != statement {
                let line = self.parser.cursor.source().position(self.procedure.labels[first as usize].span.start);
                let error = Diagnostic::error(
                    span,
                    format!("label `{text}` stands on two statements"),
                    format!("first at {line}"),
                );
                self.parser.errors.push(error);
            }
            return Ok(());
        }
        if text.starts_with("ASYNC_") && self.parser.notes.len() < MOST_ERRORS {
            let note = format!("label `{text}` starts a thread in Boppo; here the call is an ordinary one");
            self.parser.notes.push(Diagnostic::warning(span, note));
        }
        self.labels.insert(name, self.procedure.labels.len() as u32);
        self.procedure.labels.push(Label { name, statement, is_internal: false, span });
        Ok(())
    }

    fn statement(&mut self) -> Result<()> {
        let start = self.parser.cursor.span();
        if self.parser.cursor.kind() != Tok::Ident {
            return Err(self.parser.cursor.unexpected("a statement"));
        }
        let word = self.parser.cursor.text();
        if matches!(word, "if" | "elsif" | "else" | "fi" | "while" | "od") {
            return self.structure(word, start);
        }
        self.references.clear();
        let kind = match word {
            "skip" => self.after_word(|_| Ok(Kind::Skip)),
            "print" => self.after_word(|body| Ok(Kind::Print(body.parenthesised_list()?))),
            "goto" => self.after_word(Self::goto),
            "return" => self.after_word(|body| body.return_values(start)),
            "assert" => self.after_word(|body| Ok(Kind::Assert(body.expr()?))),
            "assume" => self.after_word(|body| Ok(Kind::Assume(body.expr()?))),
            "dead" => self.after_word(Self::dead),
            "call" => self.after_word(|body| body.call(Box::default())),
            "decl" | "enforce" => Err(self
                .parser
                .cursor
                .unexpected("a statement")
                .with_help("declarations and `enforce` come before the first statement")),
            _ => self.assignment_or_call(word),
        }?;
        let end = self.parser.cursor.previous_span();
        self.end_of_statement()?;
        self.remember_references(&kind);
        self.procedure.body.push(Statement { kind, span: start.to(end) });
        Ok(())
    }

    /// Notes what the next statement of the body refers to, to be found when all names are known.
    fn remember_references(&mut self, kind: &Kind) {
        let statement = self.procedure.body.len();
        for (place, (name, span)) in self.references.drain(..).enumerate() {
            if matches!(kind, Kind::Goto(_)) {
                self.gotos.push((statement, place, name, span));
            } else {
                let procedure = self.parser.program.procedures.len();
                self.parser.calls.push(PendingCall { procedure, statement, callee: name, span });
            }
        }
    }

    fn after_word(&mut self, read: impl FnOnce(&mut Self) -> Result<Kind>) -> Result<Kind> {
        self.parser.cursor.advance();
        read(self)
    }

    /// `;`, which may be left out before a word that closes a block.
    fn end_of_statement(&mut self) -> Result<()> {
        let cursor = &mut self.parser.cursor;
        if cursor.eat(Tok::Semicolon) || matches!(cursor.text(), "end" | "fi" | "od" | "else" | "elsif") {
            return Ok(());
        }
        // The place after the statement says more than the next word does.
        let end = cursor.previous_span().end;
        let mut error = cursor.unexpected("`;`");
        error.span = Span::new(end.saturating_sub(1).max(cursor.previous_span().start), end);
        error.message = "missing `;` after a statement".to_owned();
        error.label = "expected `;` after this".to_owned();
        Err(error)
    }

    fn structure(&mut self, word: &str, start: Span) -> Result<()> {
        self.parser.cursor.advance();
        let index = self.procedure.body.len();
        let kind = match word {
            "if" => {
                self.open.push(Open::If { span: start, branch: index, marks: Vec::new(), has_else: false });
                Kind::If { condition: self.decider("then")?, otherwise: 0 }
            }
            "while" => {
                self.open.push(Open::While { span: start, head: index });
                Kind::While { condition: self.decider("do")?, end: 0 }
            }
            "elsif" => {
                self.branch(word, start, index)?;
                Kind::Elsif { condition: self.decider("then")?, otherwise: 0, end: 0 }
            }
            "else" => {
                self.branch(word, start, index)?;
                Kind::Else { end: 0 }
            }
            "fi" => self.close_if(start, index)?,
            _ => self.close_while(start, index)?,
        };
        if matches!(kind, Kind::Fi | Kind::Od { .. }) {
            self.parser.cursor.eat(Tok::Semicolon);
        }
        let span = start.to(self.parser.cursor.previous_span());
        self.procedure.body.push(Statement { kind, span });
        Ok(())
    }

    fn decider(&mut self, then: &str) -> Result<Expr> {
        let condition = self.expr()?;
        self.parser.cursor.expect_word(then)?;
        Ok(condition)
    }

    /// `elsif` or `else`: the branch before it ends here.
    fn branch(&mut self, word: &str, span: Span, index: usize) -> Result<()> {
        match self.open.last_mut() {
            Some(Open::If { branch, marks, has_else, .. }) if !*has_else => {
                set_otherwise(&mut self.procedure.body, *branch, index);
                *branch = index;
                marks.push(index);
                *has_else = word == "else";
                Ok(())
            }
            _ => Err(Diagnostic::error(span, format!("`{word}` without an open `if`"), "nothing to continue here")),
        }
    }

    fn close_if(&mut self, span: Span, index: usize) -> Result<Kind> {
        match self.open.last() {
            Some(Open::If { branch, marks, has_else, .. }) => {
                if !has_else {
                    set_otherwise(&mut self.procedure.body, *branch, index);
                }
                for &mark in marks {
                    let marked = self.procedure.body.get_mut(mark).map(|s| &mut s.kind);
                    if let Some(Kind::Elsif { end, .. } | Kind::Else { end }) = marked {
                        *end = index as u32;
                    }
                }
                self.open.pop();
                Ok(Kind::Fi)
            }
            _ => Err(Diagnostic::error(span, "`fi` without an open `if`", "nothing to close here")),
        }
    }

    fn close_while(&mut self, span: Span, index: usize) -> Result<Kind> {
        match self.open.last() {
            Some(&Open::While { head, .. }) => {
                if let Some(Kind::While { end, .. }) = self.procedure.body.get_mut(head).map(|s| &mut s.kind) {
                    *end = index as u32;
                }
                self.open.pop();
                Ok(Kind::Od { head: head as u32 })
            }
            _ => Err(Diagnostic::error(span, "`od` without an open `while`", "nothing to close here")),
        }
    }

    fn goto(&mut self) -> Result<Kind> {
        let mut labels = Vec::new();
        loop {
            let cursor = &mut self.parser.cursor;
            if !matches!(cursor.kind(), Tok::Ident | Tok::Number) || cursor.at_keyword() {
                return Err(cursor.unexpected("a label"));
            }
            let name = self.parser.program.names.intern(cursor.text());
            self.references.push((name, cursor.span()));
            labels.push(0);
            cursor.advance();
            if !cursor.eat(Tok::Comma) {
                return Ok(Kind::Goto(labels.into()));
            }
        }
    }

    fn resolve_gotos(&mut self) {
        for (statement, place, name, span) in std::mem::take(&mut self.gotos) {
            let Some(&label) = self.labels.get(&name) else {
                if self.parser.errors.len() >= MOST_ERRORS {
                    continue;
                }
                let names = &self.parser.program.names;
                let mut error = Diagnostic::error(
                    span,
                    format!("unknown label `{}`", names.text(name)),
                    "no such label in this procedure",
                );
                let known = self.procedure.labels.iter().map(|l| names.text(l.name));
                if let Some(similar) = most_similar(names.text(name), known) {
                    error = error.with_help(format!("did you mean `{similar}`?"));
                }
                self.parser.errors.push(error);
                continue;
            };
            let Kind::Goto(labels) = &mut self.procedure.body[statement].kind else {
                unreachable!("only a `goto` refers to labels");
            };
            labels[place] = label;
        }
    }

    fn return_values(&mut self, start: Span) -> Result<Kind> {
        let closes = matches!(self.parser.cursor.text(), ";" | "end" | "fi" | "od" | "else" | "elsif");
        let values = if closes { Box::default() } else { self.expr_list()? };
        if values.len() != self.procedure.results {
            let span = start.to(self.parser.cursor.previous_span());
            let message =
                format!("the procedure returns {}, not {}", count(self.procedure.results, "value"), values.len());
            self.parser.errors.push(Diagnostic::error(span, message, "wrong number of results"));
        }
        Ok(Kind::Return(values))
    }

    fn dead(&mut self) -> Result<Kind> {
        let mut vars = Vec::new();
        loop {
            vars.extend(self.target()?.filter(|var| !vars.contains(var)));
            if !self.parser.cursor.eat(Tok::Comma) {
                return Ok(Kind::Dead(vars.into()));
            }
        }
    }

    fn assignment_or_call(&mut self, word: &str) -> Result<Kind> {
        let next = self.parser.cursor.peek().kind;
        if !matches!(next, Tok::Becomes | Tok::Comma | Tok::LParen) && THREAD_WORDS.contains(&word) {
            return Err(thread_error(word, self.parser.cursor.span()));
        }
        if next == Tok::LParen {
            return self.call(Box::default());
        }
        if !matches!(next, Tok::Becomes | Tok::Comma) {
            return Err(self.no_statement(word));
        }
        let span = self.parser.cursor.span();
        let mut targets: SmallVec<[Target; 8]> = SmallVec::new();
        loop {
            targets.push(self.target()?);
            if !self.parser.cursor.eat(Tok::Comma) {
                break;
            }
        }
        if self.parser.cursor.kind() != Tok::Becomes {
            return Err(self.parser.cursor.unexpected("`:=`, `,` or `(`"));
        }
        self.check_distinct(&targets, span.to(self.parser.cursor.previous_span()));
        self.parser.cursor.advance();
        self.right_hand_side(targets.into_boxed_slice(), span)
    }

    /// The error for a word that is followed by neither `:=` nor `,` nor `(`.
    fn no_statement(&self, word: &str) -> Diagnostic {
        let message = format!("`{word}` does not start a statement");
        let error = Diagnostic::error(self.parser.cursor.span(), message, "expected a statement");
        let other_languages = match word.to_lowercase().as_str() {
            "endif" | "end_if" => Some("fi"),
            "done" | "endwhile" | "end_while" => Some("od"),
            "elseif" | "elif" => Some("elsif"),
            _ => None,
        };
        let statements = KEYWORDS.iter().copied().filter(|word| !matches!(*word, "void" | "bool"));
        match other_languages.or_else(|| most_similar(word, statements)) {
            _ if self.parser.cursor.peek().kind == Tok::Equal => error.with_help("an assignment is written with `:=`"),
            Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
            None => error.with_help("an assignment has `:=` after its variables, a call has `(` after its name"),
        }
    }

    fn right_hand_side(&mut self, targets: Box<[Target]>, span: Span) -> Result<Kind> {
        let cursor = &mut self.parser.cursor;
        if cursor.eat_word("call")
            || cursor.kind() == Tok::Ident && !cursor.at_keyword() && cursor.peek().kind == Tok::LParen
        {
            let (name, span) = (self.parser.cursor.text(), self.parser.cursor.span());
            let call = self.call(targets)?;
            // What begins as a call is one only if nothing follows: `x := p() & y` and `x, y := p(), 1` are not.
            let next = self.parser.cursor.kind();
            return if next == Tok::Comma || continues_expr(next) { Err(call_inside(name, span)) } else { Ok(call) };
        }
        let values = self.expr_list()?;
        if values.len() != targets.len() {
            let message = format!("{} for {}", count(values.len(), "value"), count(targets.len(), "variable"));
            let error = Diagnostic::error(
                span.to(self.parser.cursor.previous_span()),
                message,
                "the two sides differ in length",
            );
            self.parser.errors.push(error);
        }
        let constrain =
            if self.parser.cursor.eat_word("constrain") { Some(self.read_expr(Primes::Allowed)?) } else { None };
        Ok(Kind::Assign { targets, values, constrain })
    }

    fn call(&mut self, targets: Box<[Target]>) -> Result<Kind> {
        let (text, span) = self.parser.cursor.expect_name("a procedure's name")?;
        let callee = self.parser.program.names.intern(text);
        let arguments = self.parenthesised_list()?;
        self.references.push((callee, span.to(self.parser.cursor.previous_span())));
        Ok(Kind::Call { callee: 0, arguments, targets })
    }

    /// A variable on the left of `:=`, or `_`.
    fn target(&mut self) -> Result<Target> {
        let (text, span) = self.parser.cursor.expect_name("a variable")?;
        let scope =
            LocalScope { names: &self.parser.program.names, globals: &self.parser.globals, locals: &self.locals };
        let found = scope.lookup(text);
        if found.is_none() && text != "_" && self.parser.errors.len() < MOST_ERRORS {
            let mut error = Diagnostic::error(span, format!("unknown variable `{text}`"), "not declared here");
            if let Some(similar) = scope.suggest(text) {
                error = error.with_help(format!("did you mean `{similar}`?"));
            }
            self.parser.errors.push(error);
        }
        Ok(found)
    }

    fn check_distinct(&mut self, targets: &[Target], span: Span) {
        let mut vars: SmallVec<[Var; 8]> = targets.iter().flatten().copied().collect();
        vars.sort();
        if let Some(twice) = vars.windows(2).find(|pair| pair[0] == pair[1]) {
            let name = match twice[0] {
                Var::Global(index) => self.parser.program.globals[index as usize].name,
                Var::Local(index) => self.procedure.locals[index as usize].name,
            };
            let message = format!("`{}` is assigned twice in one statement", self.parser.program.names.text(name));
            self.parser.errors.push(Diagnostic::error(span, message, "each variable can take one value"));
        }
    }

    fn parenthesised_list(&mut self) -> Result<Box<[Expr]>> {
        self.parser.cursor.expect(Tok::LParen)?;
        if self.parser.cursor.eat(Tok::RParen) {
            return Ok(Box::default());
        }
        let values = self.expr_list()?;
        self.parser.cursor.expect(Tok::RParen)?;
        Ok(values)
    }

    fn expr_list(&mut self) -> Result<Box<[Expr]>> {
        let mut values: SmallVec<[Expr; 8]> = smallvec![self.expr()?];
        while self.parser.cursor.eat(Tok::Comma) {
            values.push(self.expr()?);
        }
        Ok(values.into_boxed_slice())
    }

    fn expr(&mut self) -> Result<Expr> {
        self.read_expr(Primes::Forbidden)
    }

    fn read_expr(&mut self, primes: Primes) -> Result<Expr> {
        let Parser { cursor, program, globals, errors, .. } = &mut *self.parser;
        let scope = LocalScope { names: &program.names, globals, locals: &self.locals };
        parse_expr(cursor, &mut program.exprs, &scope, primes, errors)
    }
}

fn set_otherwise(body: &mut [Statement], branch: usize, index: usize) {
    if let Some(Kind::If { otherwise, .. } | Kind::Elsif { otherwise, .. }) = body.get_mut(branch).map(|s| &mut s.kind)
    {
        *otherwise = index as u32;
    }
}

//! Reads the inside of a machine: nodes and boxes, and with [`super::transitions`] transitions, in any
//! order.
//!
//! Nodes and boxes get their indices as they come. What transitions and boxes name is remembered in
//! [`Unresolved`], because it may be declared later.

use super::parser::{Parser, end_of_item, skip_item};
use super::variables::Table;
use super::{CallBox, Machine, Node, Role};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::expr::{Expr, Owner, Var};
use crate::syntax::expr_parser::{Primes, Scope};
use crate::syntax::lexer::Kind as Tok;
use crate::syntax::names::Name;
use crate::syntax::source::Span;
use rustc_hash::FxHashMap;

type Result<T> = std::result::Result<T, Diagnostic>;

/// A node or box of a machine, by index.
#[derive(Clone, Copy)]
pub(super) enum Member {
    Node(u32),
    Box(u32),
}

/// What the text of a machine names.
#[derive(Default)]
pub(super) struct Unresolved {
    /// Nodes and boxes by name.
    pub(super) members: FxHashMap<Name, Member>,
    /// For each box the machine it is mapped to.
    pub(super) callees: Vec<(Name, Span)>,
    /// For each transition where it starts and ends.
    pub(super) ends: Vec<[UnresolvedEnd; 2]>,
    /// A syntax error may have swallowed a declaration.
    pub(super) incomplete: bool,
}

/// `n` or `b.e`.
#[derive(Clone, Copy)]
pub(super) struct UnresolvedEnd {
    pub(super) name: Name,
    pub(super) port: Option<Name>,
    pub(super) span: Span,
}

/// The machine that is being read.
pub(super) struct Body<'p, 'a> {
    pub(super) parser: &'p mut Parser<'a>,
    pub(super) machine: Machine,
    pub(super) unresolved: Unresolved,
    table: Table,
}

impl<'p, 'a> Body<'p, 'a> {
    /// Reads from after the `{` of a machine to its `}` and adds the machine to the file.
    pub(super) fn read(parser: &'p mut Parser<'a>, machine: Machine, table: Table) {
        let unresolved = Unresolved { incomplete: table.incomplete, ..Unresolved::default() };
        let mut body = Body { parser, machine, table, unresolved };
        while !body.parser.full() && !body.at_end() {
            let start = body.parser.cursor.span();
            if let Err(error) = body.item() {
                body.parser.errors.push(error);
                body.unresolved.incomplete = true;
                if body.parser.cursor.span() == start {
                    body.parser.cursor.advance();
                }
                skip_item(&mut body.parser.cursor);
            }
        }
        body.machine.locals = body.table.list;
        body.parser.machines.machines.push(body.machine);
        body.parser.unresolved.push(body.unresolved);
    }

    /// Takes the final `}`; reports its absence where only something outside of a machine can follow.
    fn at_end(&mut self) -> bool {
        let cursor = &mut self.parser.cursor;
        if cursor.eat(Tok::RBrace) {
            return true;
        }
        if cursor.kind() == Tok::End || cursor.at_word("machine") || cursor.at_word("init") {
            let name = self.parser.machines.names.text(self.machine.name);
            let at = cursor.source().position(self.machine.span.start);
            let help = format!("the machine `{name}` at {at} is not closed");
            self.parser.errors.push(cursor.unexpected("`}`").with_help(help));
            return true;
        }
        false
    }

    fn item(&mut self) -> Result<()> {
        let start = self.parser.cursor.span();
        if self.parser.cursor.kind() != Tok::Ident {
            return Err(self.parser.cursor.unexpected("a declaration, a transition or `}`"));
        }
        match self.parser.cursor.text() {
            "var" => {
                // Read by the first pass.
                self.parser.cursor.advance();
                skip_item(&mut self.parser.cursor);
                Ok(())
            }
            "env" => {
                self.parser.cursor.advance();
                self.environment(start)
            }
            "entry" | "exit" | "node" => self.nodes(Owner::System),
            "box" => self.call_box(),
            _ if self.parser.cursor.at_keyword() => {
                Err(self.parser.cursor.unexpected("a declaration, a transition or `}`"))
            }
            _ => self.transition(),
        }
    }

    /// `node` or `entry` after `env`.
    fn environment(&mut self, start: Span) -> Result<()> {
        let cursor = &self.parser.cursor;
        if cursor.at_word("exit") {
            let error = Diagnostic::error(start.to(cursor.span()), "an exit cannot belong to the environment", "")
                .with_help("an exit has no successors of its own, so there is nothing to choose");
            self.parser.errors.push(error);
        } else if !cursor.at_word("node") && !cursor.at_word("entry") {
            return Err(cursor.unexpected("`node` or `entry` after `env`"));
        }
        self.nodes(Owner::Environment)
    }

    /// `node n1 {p, q}, n2;`, also with `entry` and `exit`.
    fn nodes(&mut self, owner: Owner) -> Result<()> {
        let role = match self.parser.cursor.text() {
            "entry" => Role::Entry,
            "exit" => Role::Exit,
            _ => Role::Inner,
        };
        self.parser.cursor.advance();
        loop {
            let (text, span) = self.parser.cursor.expect_name("a node's name")?;
            let name = self.parser.machines.names.intern(text);
            let propositions = self.propositions()?;
            self.declare(name, Member::Node(self.machine.nodes.len() as u32), span);
            self.machine.nodes.push(Node { name, role, owner, propositions, span });
            if !self.parser.cursor.eat(Tok::Comma) {
                return end_of_item(&mut self.parser.cursor, "`,`, `{` or `;`");
            }
        }
    }

    /// `{p, q}`, which may be left out.
    fn propositions(&mut self) -> Result<Vec<Name>> {
        if !self.parser.cursor.eat(Tok::LBrace) || self.parser.cursor.eat(Tok::RBrace) {
            return Ok(Vec::new());
        }
        let mut found: Vec<(Name, Span)> = Vec::new();
        loop {
            let (text, span) = self.parser.cursor.expect_name("a proposition")?;
            if !self.parser.full() && self.parser.scope(&self.table).find(text).is_some() {
                let message = format!("the proposition `{text}` has the name of a variable");
                let error = Diagnostic::error(span, message, "a variable here")
                    .with_help("propositions and variables share one name space; rename one of them");
                self.parser.errors.push(error);
            }
            found.push((self.parser.machines.names.intern(text), span));
            if !self.parser.cursor.eat(Tok::Comma) {
                break;
            }
        }
        if !self.parser.cursor.eat(Tok::RBrace) {
            return Err(self.parser.cursor.unexpected("`,` or `}`"));
        }
        if let Some((name, span)) = first_repeated(&found) {
            let message = format!("proposition `{}` stands twice at one node", self.parser.machines.names.text(name));
            self.parser.errors.push(Diagnostic::error(span, message, "the second time"));
        }
        Ok(found.into_iter().map(|(name, _)| name).collect())
    }

    /// Enters a node or box; they share one name space.
    fn declare(&mut self, name: Name, member: Member, span: Span) {
        let Some(&first) = self.unresolved.members.get(&name) else {
            self.unresolved.members.insert(name, member);
            return;
        };
        if self.parser.full() {
            return;
        }
        let first = match first {
            Member::Node(index) => self.machine.nodes[index as usize].span,
            Member::Box(index) => self.machine.boxes[index as usize].span,
        };
        let at = self.parser.cursor.source().position(first.start);
        let message = format!("`{}` is declared twice", self.parser.machines.names.text(name));
        let error = Diagnostic::error(span, message, format!("first declared at {at}"));
        self.parser.errors.push(error.with_help("the nodes and boxes of a machine share one name space"));
    }

    /// `box b: Sub(x, !y -> g, _);`
    fn call_box(&mut self) -> Result<()> {
        self.parser.cursor.advance();
        let (text, start) = self.parser.cursor.expect_name("the box's name")?;
        let name = self.parser.machines.names.intern(text);
        self.parser.cursor.expect(Tok::Colon)?;
        let (text, callee) = self.parser.cursor.expect_name("a machine's name")?;
        let callee = (self.parser.machines.names.intern(text), callee);
        let expected = if self.parser.cursor.kind() == Tok::LParen { "`;`" } else { "`(` or `;`" };
        let (arguments, targets) = self.arguments()?;
        let span = start.to(self.parser.cursor.previous_span());
        self.declare(name, Member::Box(self.machine.boxes.len() as u32), start);
        self.machine.boxes.push(CallBox { name, callee: 0, arguments, targets, span });
        self.unresolved.callees.push(callee);
        end_of_item(&mut self.parser.cursor, expected)
    }

    /// `(x, !y -> g, _)`; each part may be left out.
    fn arguments(&mut self) -> Result<(Vec<Expr>, Vec<Option<Var>>)> {
        let (mut arguments, mut targets) = (Vec::new(), Vec::new());
        if !self.parser.cursor.eat(Tok::LParen) || self.parser.cursor.eat(Tok::RParen) {
            return Ok((arguments, targets));
        }
        if self.parser.cursor.kind() != Tok::Arrow {
            arguments.push(self.expr(Primes::Forbidden)?);
            while self.parser.cursor.eat(Tok::Comma) {
                arguments.push(self.expr(Primes::Forbidden)?);
            }
        }
        if self.parser.cursor.eat(Tok::Arrow) {
            targets = self.targets()?;
        } else if self.parser.cursor.kind() != Tok::RParen {
            return Err(self.parser.cursor.unexpected("`,`, `->` or `)`"));
        }
        if !self.parser.cursor.eat(Tok::RParen) {
            return Err(self.parser.cursor.unexpected("`,` or `)`"));
        }
        Ok((arguments, targets))
    }

    /// Variables that take results; `_` forgets one.
    fn targets(&mut self) -> Result<Vec<Option<Var>>> {
        let mut targets = Vec::new();
        let mut named = Vec::new();
        loop {
            if self.parser.cursor.eat_word("_") {
                targets.push(None);
            } else {
                let (var, name) = self.target("a variable or `_`")?;
                named.push(name);
                targets.push(Some(var));
            }
            if !self.parser.cursor.eat(Tok::Comma) {
                self.check_distinct(&named, "takes two results");
                return Ok(targets);
            }
        }
    }

    /// A variable that takes a value, and its name's place.
    pub(super) fn target(&mut self, what: &str) -> Result<(Var, (Name, Span))> {
        let (text, span) = self.parser.cursor.expect_name(what)?;
        let scope = self.parser.scope(&self.table);
        let found = scope.lookup(text);
        if found.is_none() {
            let mut error = Diagnostic::error(span, format!("unknown variable `{text}`"), "not declared here");
            if let Some(similar) = scope.suggest(text) {
                error = error.with_help(format!("did you mean `{similar}`?"));
            }
            self.parser.errors.push(error);
        }
        let name = self.parser.machines.names.intern(text);
        Ok((found.unwrap_or(Var::Global(0)), (name, span)))
    }

    pub(super) fn check_distinct(&mut self, targets: &[(Name, Span)], what: &str) {
        if let Some((name, span)) = first_repeated(targets) {
            let message = format!("`{}` {what}", self.parser.machines.names.text(name));
            self.parser.errors.push(Diagnostic::error(span, message, "each variable can take one value"));
        }
    }

    pub(super) fn expr(&mut self, primes: Primes) -> Result<Expr> {
        self.parser.expr(&self.table, primes)
    }
}

/// The first element, in the list's order, that stands before it too.
fn first_repeated(list: &[(Name, Span)]) -> Option<(Name, Span)> {
    if list.len() < 2 {
        return None;
    }
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    let repeated = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1]);
    repeated.min_by_key(|(_, span)| *span)
}

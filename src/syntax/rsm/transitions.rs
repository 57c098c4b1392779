//! Reads transitions: `a -> b when E do x := E, y := E constrain E label "text";`

use super::body::{Body, UnresolvedEnd};
use super::parser::{ITEM_WORDS, end_of_item};
use super::{End, Transition};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::expr::{Expr, Var};
use crate::syntax::expr_parser::Primes;
use crate::syntax::lexer::Kind as Tok;
use crate::syntax::similar::most_similar;

type Result<T> = std::result::Result<T, Diagnostic>;

/// The parts of a transition after its ends, in their order.
static CLAUSES: [&str; 4] = ["when", "do", "constrain", "label"];

impl Body<'_, '_> {
    /// Reads one transition, from its first name to its `;`.
    pub(super) fn transition(&mut self) -> Result<()> {
        let first = self.parser.cursor.text();
        let from = self.end()?;
        if self.parser.cursor.kind() != Tok::Arrow {
            let expected = if from.port.is_some() { "`->`" } else { "`->` or `.`" };
            let error = self.parser.cursor.unexpected(expected);
            return Err(match most_similar(first, ITEM_WORDS.iter().copied()) {
                Some(word) => error.with_help(format!("did you mean `{word}`?")),
                None => error.with_help("a transition is `a -> b`; other items start with a word like `node`"),
            });
        }
        self.parser.cursor.advance();
        let to = self.end()?;
        let mut transition = Transition {
            from: End::Node(0),
            to: End::Node(0),
            guard: None,
            assignments: Vec::new(),
            constrain: None,
            label: None,
            span: from.span,
        };
        self.clauses(&mut transition)?;
        transition.span = from.span.to(self.parser.cursor.previous_span());
        let clauses = remaining_clauses(&transition);
        self.machine.transitions.push(transition);
        self.unresolved.ends.push([from, to]);
        self.end_of_transition(clauses)
    }

    fn clauses(&mut self, transition: &mut Transition) -> Result<()> {
        if self.parser.cursor.eat_word("when") {
            transition.guard = Some(self.expr(Primes::Forbidden)?);
        }
        if self.parser.cursor.eat_word("do") {
            transition.assignments = self.assignments()?;
        }
        if self.parser.cursor.eat_word("constrain") {
            transition.constrain = Some(self.expr(Primes::Allowed)?);
        }
        if self.parser.cursor.eat_word("label") {
            let text = self.parser.cursor.text().trim_matches('"');
            self.parser.cursor.expect(Tok::Str)?;
            transition.label = Some(self.parser.machines.names.intern(text));
        }
        Ok(())
    }

    /// Takes the `;`; `clauses` could have come before it.
    fn end_of_transition(&mut self, clauses: &[&str]) -> Result<()> {
        if self.parser.cursor.eat(Tok::Semicolon) {
            return Ok(());
        }
        let help = match (self.parser.cursor.kind(), self.parser.cursor.text()) {
            (Tok::Arrow, _) => Some("`->` is the arrow of a transition; implication is `=>`"),
            (_, word) if CLAUSES.contains(&word) => {
                Some("each part stands once, in this order: `when`, `do`, `constrain`, `label`")
            }
            _ => None,
        };
        let expected = match clauses {
            [] => "`;`".to_owned(),
            _ => format!("`{}` or `;`", clauses.join("`, `")),
        };
        end_of_item(&mut self.parser.cursor, &expected).map_err(|error| match help {
            Some(help) => error.with_help(help),
            None => error,
        })
    }

    /// `n` or `b.e`.
    fn end(&mut self) -> Result<UnresolvedEnd> {
        let cursor = &mut self.parser.cursor;
        let (name, start) = cursor.expect_name("a node or a port of a box")?;
        let port = if cursor.eat(Tok::Dot) { Some(cursor.expect_name("an entry or exit")?.0) } else { None };
        let span = start.to(cursor.previous_span());
        let names = &mut self.parser.machines.names;
        Ok(UnresolvedEnd { name: names.intern(name), port: port.map(|text| names.intern(text)), span })
    }

    fn assignments(&mut self) -> Result<Vec<(Var, Expr)>> {
        let mut assignments = Vec::new();
        let mut targets = Vec::new();
        loop {
            let (var, name) = self.target("a variable")?;
            self.parser.cursor.expect(Tok::Becomes)?;
            targets.push(name);
            assignments.push((var, self.expr(Primes::Forbidden)?));
            if !self.parser.cursor.eat(Tok::Comma) {
                self.check_distinct(&targets, "is assigned twice in one transition");
                return Ok(assignments);
            }
        }
    }
}

/// The parts that could still follow what was read of a transition.
fn remaining_clauses(transition: &Transition) -> &'static [&'static str] {
    let Transition { guard, assignments, constrain, label, .. } = transition;
    let present = [guard.is_some(), !assignments.is_empty(), constrain.is_some(), label.is_some()];
    let last = present.iter().rposition(|present| *present);
    &CLAUSES[last.map_or(0, |last| last + 1)..]
}

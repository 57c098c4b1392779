//! Reads expressions by operator precedence with an explicit stack (Dijkstra's shunting yard), so
//! that nesting depth costs memory and never stack. Used by both languages.

use super::cursor::Cursor;
use super::diagnostic::{Diagnostic, MOST_ERRORS};
use super::expr::{Binary, Expr, Exprs, Op, Owner, Var};
use super::lexer::Kind;
use super::source::Span;
use smallvec::SmallVec;

/// Finds variables by name.
pub trait Scope {
    /// The variable of this name, if one is in scope.
    fn lookup(&self, name: &str) -> Option<Var>;
    /// A similar name for advice, if there is one.
    fn suggest(&self, name: &str) -> Option<String>;
}

/// Whether `'x` may stand in the expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primes {
    /// After `constrain`.
    Allowed,
    /// Everywhere else.
    Forbidden,
}

/// What waits for its right operand or its closing bracket.
#[derive(Clone, Copy)]
enum Pending {
    Not,
    Binary(Binary),
    Paren(Span),
    /// `schoose[`, before its comma.
    ChooseFirst(Span),
    /// `schoose[a,`, before its closing bracket.
    ChooseSecond(Span),
}

/// Reads one expression. `Err` is a syntax error; unknown names are reported to `errors` and read
/// as constants, so that one run can report several.
pub fn parse_expr(
    cursor: &mut Cursor<'_>,
    exprs: &mut Exprs,
    scope: &dyn Scope,
    primes: Primes,
    errors: &mut Vec<Diagnostic>,
) -> Result<Expr, Diagnostic> {
    let mut parser = ExprParser { ops: SmallVec::new(), pending: SmallVec::new(), scope, primes, errors };
    parser.run(cursor)?;
    Ok(exprs.add(parser.ops))
}

struct ExprParser<'s> {
    // Most expressions are short; reading them needs no allocation.
    ops: SmallVec<[Op; 16]>,
    pending: SmallVec<[Pending; 8]>,
    scope: &'s dyn Scope,
    primes: Primes,
    errors: &'s mut Vec<Diagnostic>,
}

impl ExprParser<'_> {
    fn run(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Diagnostic> {
        loop {
            self.operand(cursor)?;
            if self.after_operand(cursor)? {
                return Ok(());
            }
        }
    }

    /// Reads prefixes and one operand.
    fn operand(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Diagnostic> {
        loop {
            let span = cursor.span();
            match cursor.kind() {
                Kind::Not => self.pending.push(Pending::Not),
                Kind::LParen => self.pending.push(Pending::Paren(span)),
                Kind::Ident if cursor.text() == "schoose" && cursor.peek().kind == Kind::LBracket => {
                    cursor.advance();
                    self.pending.push(Pending::ChooseFirst(span));
                }
                _ => {
                    let op = self.leaf(cursor)?;
                    self.ops.push(op);
                    return Ok(());
                }
            }
            cursor.advance();
        }
    }

    fn leaf(&mut self, cursor: &mut Cursor<'_>) -> Result<Op, Diagnostic> {
        let text = cursor.text();
        let op = match (cursor.kind(), text) {
            (Kind::Star | Kind::Question, _) => Op::Choice(Owner::System),
            (Kind::Ident, "env") => Op::Choice(Owner::Environment),
            (Kind::Number, "0") | (Kind::Ident, "F" | "false") => Op::Const(false),
            (Kind::Number, "1") | (Kind::Ident, "T" | "true") => Op::Const(true),
            (Kind::Prime, _) => return self.primed(cursor),
            (Kind::Ident, _) if cursor.peek().kind == Kind::LParen && self.scope.lookup(text).is_none() => {
                return Err(call_inside(text, cursor.span()));
            }
            (Kind::Ident, _) if !cursor.at_keyword() => Op::Var(self.variable(cursor)),
            (Kind::Number, _) => {
                return Err(Diagnostic::error(cursor.span(), "a Boolean constant is 0 or 1", "expected `0` or `1`"));
            }
            _ => return Err(cursor.unexpected("an expression")),
        };
        cursor.advance();
        Ok(op)
    }

    fn primed(&mut self, cursor: &mut Cursor<'_>) -> Result<Op, Diagnostic> {
        let prime = cursor.span();
        cursor.advance();
        if cursor.kind() != Kind::Ident || cursor.at_keyword() {
            return Err(cursor.unexpected("a variable after `'`"));
        }
        let var = self.variable(cursor);
        if self.primes == Primes::Forbidden && self.errors.len() < MOST_ERRORS {
            self.errors.push(
                Diagnostic::error(
                    prime.to(cursor.span()),
                    "a primed variable stands outside `constrain`",
                    "the value after a step",
                )
                .with_help("`'x` is the new value of `x`; it can only be used after `constrain`"),
            );
        }
        cursor.advance();
        Ok(Op::Next(var))
    }

    fn variable(&mut self, cursor: &Cursor<'_>) -> Var {
        let name = cursor.text();
        self.scope.lookup(name).unwrap_or_else(|| {
            if self.errors.len() >= MOST_ERRORS {
                return Var::Global(0);
            }
            let mut error = Diagnostic::error(cursor.span(), format!("unknown variable `{name}`"), "not declared here");
            if let Some(similar) = self.scope.suggest(name) {
                error = error.with_help(format!("did you mean `{similar}`?"));
            }
            self.errors.push(error);
            Var::Global(0)
        })
    }

    /// After an operand: closes brackets, then reads a binary operator. True at the end.
    fn after_operand(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, Diagnostic> {
        loop {
            if let Some(binary) = binary_of(cursor.kind()) {
                self.reduce(Some(binary));
                self.pending.push(Pending::Binary(binary));
                cursor.advance();
                return Ok(false);
            }
            self.reduce(None);
            match self.pending.last().copied() {
                None => return Ok(true),
                Some(Pending::Paren(open)) => close(cursor, Kind::RParen, open)?,
                Some(Pending::ChooseFirst(open)) => {
                    close(cursor, Kind::Comma, open)?;
                    self.pending.pop();
                    self.pending.push(Pending::ChooseSecond(open));
                    return Ok(false);
                }
                Some(Pending::ChooseSecond(open)) => {
                    close(cursor, Kind::RBracket, open)?;
                    self.ops.push(Op::Choose);
                }
                Some(Pending::Not | Pending::Binary(_)) => {
                    debug_assert!(false, "reduce leaves only brackets");
                    return Ok(true);
                }
            }
            self.pending.pop();
        }
    }

    /// Emits the waiting operators that bind at least as tightly as what comes next.
    fn reduce(&mut self, next: Option<Binary>) {
        while let Some(&top) = self.pending.last() {
            match (top, next) {
                (Pending::Not, _) => self.ops.push(Op::Not),
                (Pending::Binary(op), Some(next)) if yields(op, next) => return,
                (Pending::Binary(op), _) => self.ops.push(Op::Binary(op)),
                _ => return,
            }
            self.pending.pop();
        }
    }
}

/// The operator on the left leaves the operand between them to the one on the right.
fn yields(left: Binary, right: Binary) -> bool {
    left.strength() < right.strength() || (left.strength() == right.strength() && right.right_associative())
}

fn close(cursor: &mut Cursor<'_>, kind: Kind, open: Span) -> Result<(), Diagnostic> {
    if cursor.kind() == kind {
        cursor.advance();
        return Ok(());
    }
    let line = cursor.source().position(open.start);
    Err(cursor
        .unexpected(&format!("an operator or {kind}"))
        .with_help(format!("the bracket opened at {line} is not closed")))
}

/// The error for a call where an expression is expected.
pub fn call_inside(procedure: &str, span: Span) -> Diagnostic {
    let message = format!("a call of `{procedure}` inside an expression");
    Diagnostic::error(span, message, "expected a variable").with_help("a call is a statement of its own: `x := p(…);`")
}

/// The token goes on with an expression after an operand.
pub fn continues_expr(kind: Kind) -> bool {
    binary_of(kind).is_some()
}

fn binary_of(kind: Kind) -> Option<Binary> {
    Some(match kind {
        Kind::Iff => Binary::Iff,
        Kind::Implies => Binary::Implies,
        Kind::Or => Binary::Or,
        Kind::Xor => Binary::Xor,
        Kind::And => Binary::And,
        Kind::Equal => Binary::Equal,
        Kind::NotEqual => Binary::NotEqual,
        _ => return None,
    })
}

//! Declared variables, the same in both languages.

use super::cursor::Cursor;
use super::diagnostic::Diagnostic;
use super::lexer::Kind;
use super::names::Name;
use super::source::Span;

/// A declared variable or parameter.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Its initial value; arbitrary if none is given.
    pub initial: Option<bool>,
    /// Where it is declared.
    pub span: Span,
}

/// Reads what stands after `:=` in a declaration.
pub(super) fn initial_value(cursor: &mut Cursor<'_>) -> Result<Option<bool>, Diagnostic> {
    let value = match (cursor.kind(), cursor.text()) {
        (Kind::Star | Kind::Question, _) => None,
        (_, "0" | "F" | "false") => Some(false),
        (_, "1" | "T" | "true") => Some(true),
        _ => return Err(cursor.unexpected("an initial value: `0`, `1` or `*`")),
    };
    cursor.advance();
    Ok(value)
}

//! Constrained Horn clauses over Bool, in SMT-LIB (logic HORN, as CHC-COMP writes them).
//!
//! Clauses are satisfiable if `false` cannot be derived from them. `(=> (and (P x) (Q x y) constraint) (R y))`
//! says that where `P` and `Q` can be derived and the constraint holds, so can `R`. Text to words and
//! expressions (`lexer`, `tree`), commands and declarations (`commands`, `declarations`), terms that share what
//! is equal (`terms`, `store`), clauses (`clauses`), the order in which each is carried out (`schedule`), and
//! the Boolean program that derives what they derive (`translate`, `sharing`, `legal`): from there on clauses
//! are a program like any other, for every engine, the replay and the exports.

mod clauses;
mod commands;
mod declarations;
mod legal;
mod lexer;
mod schedule;
mod sharing;
mod store;
mod terms;
mod translate;
mod tree;

#[cfg(test)]
mod tests;

use super::bp::Program;
use super::diagnostic::Diagnostic;
use super::source::{Source, Span};

/// The words of a text, comments left out.
pub(super) fn words(text: &str) -> impl Iterator<Item = Span> {
    let mut lexer = lexer::Lexer::new(text);
    std::iter::from_fn(move || Some(lexer.next_word()).filter(|word| word.kind != lexer::Kind::End))
        .map(|word| word.span)
}

/// Reads clauses as the Boolean program that fails where `false` can be derived.
///
/// ```
/// use epitome::syntax::{Source, bp, horn};
/// let text = "(declare-fun P (Bool) Bool) (assert (P true)) (assert (forall ((x Bool)) (=> (P x) false)))";
/// let (program, _) = horn::parse(&Source::new("a.smt2", text)).unwrap();
/// assert!(bp::print(&program).contains("x := P();"));
/// ```
pub fn parse(source: &Source) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let script = commands::read(source)?;
    let end = source.text().trim_end().len() as u32;
    Ok((translate::translate(script, Span::new(end.saturating_sub(1), end)), Vec::new()))
}

//! Formulas of temporal logic, linear and branching, and small Büchi automata.
//!
//! ```text
//!  text ──parse──▶ Formula ──normal form, simplify──▶ Term ──translate──▶ Automaton (generalized, on transitions)
//!                                            HOA, DOT ◀── Buchi ◀── degeneralize ◀── reduce ◀┘
//! ```
//!
//! Nothing here knows programs: atoms are names.

mod automaton;
mod components;
mod degeneralize;
mod formula;
mod hoa;
mod hoa_reader;
mod implies;
mod lexer;
mod parser;
mod reasons;
mod reduce;
mod simplify;
mod term;
mod translate;
mod word;

pub use automaton::{Automaton, Buchi, Cube, Transition};
pub use formula::{Atom, Binary, Formula, Formulas, Node, Shown, Unary, quoted};
pub use hoa::{to_dot, to_hoa};
pub use hoa_reader::{HoaError, read_hoa};
pub use parser::{FormulaError, Logic, Parsed, Warning, What, parse, parse_in};
pub use reasons::{Known, Reasons};
pub use term::{Term, Terms};
pub use translate::TooLarge;
pub use word::{Passage, Word};

/// A small Büchi automaton that accepts the words that satisfy a formula, or with `negated` those that do not.
///
/// ```
/// use epitome_automata::{Formulas, buchi, parse};
/// let mut formulas = Formulas::default();
/// let parsed = parse("G F p", &mut formulas).unwrap();
/// assert_eq!(buchi(&formulas, parsed.formula, false).unwrap().states(), 2);
/// ```
pub fn buchi(formulas: &Formulas, formula: Formula, negated: bool) -> Result<Buchi, TooLarge> {
    Ok(degeneralize::degeneralize(&generalized(formulas, formula, negated)?))
}

/// A small Büchi automaton of the same language as an automaton; not larger than one that is a Büchi automaton already.
pub fn small(automaton: Automaton) -> Buchi {
    let own = degeneralize::as_buchi(&automaton).map(|buchi| degeneralize::reduced(&buchi));
    let found = degeneralize::degeneralize(&reduce::reduce(automaton));
    own.into_iter().chain([found]).min_by_key(degeneralize::size).unwrap_or_default()
}

/// The same as a generalized automaton, with acceptance on transitions.
pub fn generalized(formulas: &Formulas, formula: Formula, negated: bool) -> Result<Automaton, TooLarge> {
    Ok(reduce::reduce(translate::translate(formulas, formula, negated)?))
}

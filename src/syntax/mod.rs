//! Languages: text to syntax trees and back, with messages that show the place.

mod atom;
mod comparison;
mod cursor;
mod decode;
mod diagnostic;
mod expr;
mod expr_parser;
mod expr_print;
mod lexer;
mod names;
mod place;
mod program;
mod similar;
mod source;
mod variable;

pub mod bp;
pub mod c;
pub mod horn;
pub mod rsm;

pub use atom::{Atom, variable_in};
pub use comparison::{Comparison, Operator, Term, Variables};
pub use decode::decode;
pub use diagnostic::{Diagnostic, Severity, shorten};
pub use expr::{Binary, Expr, Exprs, Op, Owner, Var};
pub use names::{Name, Names};
pub use place::Place;
pub use program::{FAILURE_CALLS, FAILURE_LABELS, Language, Program};
pub use rsm::Role;
pub use similar::most_similar;
pub use source::{NotText, Position, Source, Span};
pub use variable::Variable;

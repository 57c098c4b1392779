//! Formulas as files in the DIMACS format: `p cnf VARIABLES CLAUSES`, then literals, each clause ended by 0.

mod read;
mod write;

pub(crate) use read::read_quantified;
pub use read::{ReadError, ReadErrorKind, read};
pub use write::{Writer, write};

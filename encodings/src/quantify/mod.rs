//! Systems without recursion as quantified formulas of polynomial size.
//!
//! Written out as one propositional formula, a hierarchy can be exponentially large (Godefroid 6.3); quantifiers
//! let all uses of a predicate share its body. Loops go first: [`square`] replaces a predicate that calls
//! itself once by predicates that double a path. What is left has no cycles and is encoded by [`modular`]. Recursion is
//! bounded by a depth; [`adds_nothing`] says whether a depth is enough.

mod modular;
mod squaring;
mod stable;

pub use modular::{Contradiction, Height, Modular, RootHole, modular};
pub use squaring::{Origin, Squared, square};
pub use stable::adds_nothing;

use std::fmt;

/// The system has recursion that is not a loop: a predicate reaches itself by others, or twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recursive;

impl fmt::Display for Recursive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system has recursion other than loops")
    }
}

impl std::error::Error for Recursive {}

//! Questions about programs, apart from any program: which property is asked.

mod branching;
mod linear;
mod open;
mod query;

pub use branching::{Branching, Path, Stage};
pub use linear::{Alphabet, Blocked, Linear, LinearError, Stack};
pub use open::{Claimed, OpenMethod};
pub use query::{ERROR_CALLS, Property, PropertyError, Query};

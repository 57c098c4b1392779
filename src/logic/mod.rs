//! Questions about programs, apart from any program: which property is asked.

mod linear;
mod query;

pub use linear::{Alphabet, Blocked, Linear, LinearError, Stack};
pub use query::{Property, PropertyError, Query};

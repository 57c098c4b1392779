//! Questions about programs, apart from any program: which property is asked.

mod query;

pub use query::{PropertyError, Query};

//! Questions about programs, apart from any program: which property is asked.

mod query;

pub use query::{Property, PropertyError, Query};

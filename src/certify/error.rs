//! What can be wrong with the text of a certificate.

use super::SCHEMA;
use std::fmt;

/// A text that is not a certificate of this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// Not even JSON.
    #[error("not a certificate: {0}")]
    NotJson(String),
    /// Another kind of JSON.
    #[error("not a certificate that this version can read: its schema is {0}, expected \"{SCHEMA}\"")]
    Schema(String),
    /// A value is missing or of another kind.
    #[error("{place}: expected {expected}")]
    Expected {
        /// Where.
        place: Place,
        /// What should be there.
        expected: &'static str,
    },
    /// A key that means nothing.
    #[error("{place}: unknown key `{key}` (known are {known})")]
    UnknownKey {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// Those that mean something.
        known: String,
    },
    /// The program has no such procedure.
    #[error("{place}: {message}; is this the certificate of another program?")]
    NoProcedure {
        /// Where.
        place: Place,
        /// What does not fit.
        message: String,
    },
    /// The procedure has no such variable.
    #[error("{place}: `{procedure}` has no variable `{name}`{advice}")]
    NoVariable {
        /// Where.
        place: Place,
        /// The procedure.
        procedure: String,
        /// The name.
        name: String,
        /// What may have been meant.
        advice: String,
    },
}

/// A place in the text of a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The procedure, counted from 0 in the certificate.
    pub procedure: Option<usize>,
    /// The claim or cut, counted from 0 in the procedure.
    pub item: Option<usize>,
    /// The key.
    pub key: &'static str,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(procedure) = self.procedure {
            write!(f, "procedures[{procedure}]{}", if self.key.is_empty() { "" } else { "." })?;
        }
        f.write_str(if self.procedure.is_none() && self.key.is_empty() { "certificate" } else { self.key })?;
        if let Some(item) = self.item {
            write!(f, "[{item}]")?;
        }
        Ok(())
    }
}

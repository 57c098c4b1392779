//! What reads texts, and what must be true whatever they are.

mod files;
mod formulas;
mod programs;

pub use files::{CERTIFICATES, RECORDS, TASKS};
pub use formulas::{AUTOMATA, FORMULAS, PROPERTIES, QUESTIONS};
pub use programs::{BOOLEAN_PROGRAMS, C_PROGRAMS, CLAUSES, MACHINES};

/// A reader of texts.
pub struct Front {
    pub name: &'static str,
    /// Its part of all inputs, of a hundred.
    pub share: u64,
    /// Endings of files of its corpus, and of inputs that were kept.
    pub endings: &'static [&'static str],
    /// What inputs are made from.
    pub corpus: fn() -> Vec<Vec<u8>>,
    /// Reads an input: whether it is a text of the kind, or what is wrong with how it is read. It may panic, too.
    pub survive: fn(&[u8]) -> Result<bool, String>,
}

pub const ALL: [Front; 11] = [
    BOOLEAN_PROGRAMS,
    MACHINES,
    CLAUSES,
    C_PROGRAMS,
    FORMULAS,
    QUESTIONS,
    AUTOMATA,
    PROPERTIES,
    CERTIFICATES,
    RECORDS,
    TASKS,
];

/// Fails with these words.
fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

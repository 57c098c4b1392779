//! Lifting of runs of a reduced machine: not yet.

use super::Back;
use crate::limits::{Limits, Reason};
use crate::model::{Ersm, Run, Vertex};

/// Why a run was not lifted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A limit was reached.
    #[error("{0}")]
    Stopped(Reason),
    /// There is no such run.
    #[error("the run cannot be followed in the program")]
    Lost,
}

/// Lifts a run.
pub fn retrace(
    _original: &Ersm,
    _reduced: &Ersm,
    _back: &Back,
    _run: &Run<Vertex>,
    _limits: &Limits,
) -> Result<Run<Vertex>, Failure> {
    Err(Failure::Lost)
}

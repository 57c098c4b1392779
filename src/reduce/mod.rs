//! Reductions: each makes the machine smaller, keeps the answer, and returns the way back.

mod back;
mod compact;
mod exclusive;
mod partition;
mod retrace;
mod symbolic;

pub use back::{Back, ProcedureBack};
pub use compact::compact;
pub use retrace::{RetraceError, retrace};

use crate::model::{Ersm, Goal};

/// A machine and what is looked for in it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The machine.
    pub ersm: Ersm,
    /// What is looked for.
    pub goal: Goal,
}

/// What a reduction gives: the smaller task and the way back.
#[derive(Clone, Debug)]
pub struct Step {
    /// The task that is left.
    pub task: Task,
    /// The way back to the one before.
    pub back: Back,
}

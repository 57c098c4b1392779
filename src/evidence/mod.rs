//! Evidence: what makes a verdict believable without believing the engine that gave it.
//!
//! A violation comes with a run in source terms. *Replay* walks it through an interpreter of the
//! source program, one for each language, and accepts it only if every step is one the language
//! allows. A run that does not replay is an internal error, never a verdict.
//!
//! Invariant: replay knows the syntax tree and the shape of runs, and nothing else. It shares no code
//! with the model, its builders or the engines, so that a mistake there cannot hide itself here.
//!
//! ```
//! use epitome::evidence::{last_place, replay_bp};
//! use epitome::model::{Fragment, Place, Run};
//! use epitome::syntax::{Source, bp};
//!
//! let (program, _) = bp::parse(&Source::new("a.bp", "decl g := 1; main() begin assert(!g); end")).unwrap();
//! let mut main = Fragment::new(0, 1);
//! main.push(Place::Statement(0), &[1], None);
//! main.push(Place::Failed(0), &[1], None);
//! let run = Run { fragments: vec![main] };
//! assert_eq!(replay_bp(&program, &run), Ok(()));
//! assert_eq!(last_place(&run), (0, Place::Failed(0)));
//! ```

mod boolean;
mod explanation;
mod harness;
mod inputs;
mod lasso;
mod mismatch;
mod replay;
mod replay_bp;
mod replay_c;
mod replay_rsm;
mod strategy;
mod strategy_dot;
mod trace;
mod unread;
mod values;
pub mod witness;

pub use explanation::{ExplanationError, replay_explanation};
pub use harness::{HARNESS_STATUS, Violation, harness};
pub use inputs::{Input, inputs};
pub use lasso::{LassoError, replay_lasso};
pub use mismatch::{Mismatch, Rule};
pub use replay::last_place;
pub use replay_bp::replay_bp;
pub use replay_c::replay_c;
pub use replay_rsm::replay_rsm;
pub use strategy::{PrunedText, described, place_name, state_values, strategy_text};
pub use strategy_dot::strategy_dot;
pub use trace::{Event, Line, Telling, Told, full_steps, tell};
pub use unread::Unread;

use crate::model::SourceRun;
use crate::syntax::Program;

/// Accepts or rejects a run of a program in any language.
pub fn replay(program: &Program, run: &SourceRun) -> Result<(), Mismatch> {
    match program {
        Program::Bp(program) => replay_bp(program, run),
        Program::C(program) => replay_c(program, run),
        Program::Rsm(machines) => replay_rsm(machines, run),
    }
}

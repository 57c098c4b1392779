//! The complexity class of a program, measured on its model (Godefroid 2.4, Figs 4 and 6).

mod class;
mod determinism;
mod measures;
mod overlap;
mod plan;
mod unwritten;

pub use class::{Class, Row};
pub use determinism::Determinism;
pub use measures::{INLINE_BOUND, IO_BOUND, Measures, ProcedureMeasures};
pub use plan::{Entrant, Plan, PlannedEngine};

use crate::model::Ersm;

/// Measures a machine and names its class.
///
/// ```
/// use epitome::{classify::classify, model::build_bp, syntax::{Source, bp}};
/// let (program, _) = bp::parse(&Source::new("a.bp", "decl g; void main() begin if (g) then main(); fi end")).unwrap();
/// let class = classify(&build_bp(&program).0);
/// assert!(class.measures.recursive);
/// assert_eq!(class.row.complexity, "PSPACE");
/// ```
pub fn classify(ersm: &Ersm) -> Class {
    Class::of(Measures::of(ersm))
}

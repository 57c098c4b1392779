//! The complexity class of a program, measured on its model (Godefroid 2.4, Figs 4 and 6).

mod bounds;
mod class;
mod determinism;
mod measures;
mod overlap;
mod plan;
mod unwritten;

pub use bounds::Bounds;
pub use class::{Class, Row};
pub use determinism::Determinism;
pub use measures::{Measures, ProcedureMeasures};
pub use plan::{Entrant, Plan, PlannedEngine};

use crate::model::Ersm;

/// Measures a machine and names its class, with these bounds.
///
/// ```
/// use epitome::{classify::{Bounds, classify}, model::build_bp, syntax::{Source, bp}};
/// let (program, _) = bp::parse(&Source::new("a.bp", "decl g; void main() begin if (g) then main(); fi end")).unwrap();
/// let class = classify(&build_bp(&program).0, Bounds::default());
/// assert!(class.measures.recursive);
/// assert_eq!(class.row.complexity, "PSPACE");
/// ```
pub fn classify(ersm: &Ersm, bounds: Bounds) -> Class {
    Class::of(Measures::of(ersm), bounds)
}

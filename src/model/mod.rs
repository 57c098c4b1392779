//! The model: extended recursive state machines (Godefroid 2.1–2.2), runs of them, and proofs that there is no run.
//!
//! `build` turns a syntax tree into an [`Ersm`] and a [`SourceMap`], the way back: it lifts a run of
//! the model to a run of the source program.

mod build_bp;
mod build_c;
mod build_rsm;
mod call_graph;
mod ersm;
pub mod export;
mod flow;
mod goal;
mod live;
mod lower;
mod mod_ref;
mod proof;
mod run;
mod source_map;
mod supports;

pub use build_bp::build_bp;
pub use build_c::build_c;
pub use build_rsm::build_rsm;
pub use call_graph::CallGraph;
pub use ersm::{
    BoxId, CallBox, Edge, Ersm, Failure, Footprint, Initial, Leaf, NamedPlace, Node, NodeId, ProcId, Procedure,
    Variable, Vertex, bits_to_choose,
};
pub use flow::{Flow, Lists, Words, Work};
pub use goal::{Goal, NodeSet};
pub use live::Liveness;
pub use mod_ref::footprints;
pub use proof::{Never, ProcedureProof, Proof, ProofPlace};
pub use run::{Fragment, FragmentId, Run};
pub use source_map::{SourceMap, SourceRun};
pub use supports::Supports;

pub use crate::syntax::{Owner, Place, Span, Var};

use crate::syntax::Program;

/// Builds the model of a program in any language, and the way back to it.
pub fn build(program: &Program) -> (Ersm, SourceMap) {
    match program {
        Program::Bp(program) => build_bp(program),
        Program::C(program) => build_c(program),
        Program::Rsm(machines) => build_rsm(machines),
    }
}

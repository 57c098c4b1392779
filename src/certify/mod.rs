//! Certificates of TRUE: writing them, reading them, and checking them without trust in who wrote them.
//!
//! A certificate is a [`Proof`] as a text. It is accepted if its claims are inductive and
//! exclude the failure where a computation starts: then, by induction over the length of a derivation, nothing
//! that is claimed never to happen happens. What has to be trusted is the parser, the model, MOD/REF, this
//! room, and the solver that is used here; neither the reductions, nor an engine with its translation, nor the
//! engine's solver. So nothing here is taken from the engines, and the encoding is another one: paths are
//! followed forward (`paths`), where the engine chooses them backward.
//!
//! Whatever cannot be expressed here makes a certificate invalid, never valid.

mod check;
mod error;
mod flaw;
mod formula;
mod graph;
mod invariants;
mod machine;
mod names;
mod paths;
mod read;
mod scope;
mod write;

pub use check::{Certified, Cost, Finding, certify};
pub use error::{CertificateError, Place};
pub use flaw::Flaw;
pub use invariants::{LoopInvariant, loop_invariants};
pub use read::read;
pub use write::write;

use crate::model::Proof;

/// What the text of a certificate begins with.
pub const SCHEMA: &str = "epitome-certificate/1";

/// A proof, and what it is a proof of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The program, as its user named it.
    pub file: String,
    /// The property, as [`Query`](crate::logic::Query) shows itself.
    pub property: String,
    /// The solver by which the claims were found.
    pub solver: String,
    /// The claims.
    pub proof: Proof,
}

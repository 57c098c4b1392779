//! Boolean circuits and, built on them, the encodings that solvers read.
//!
//! This package knows nothing of programs, procedures' syntax or logics: whoever uses it decides what
//! an input of a circuit means. Data flows one way:
//!
//! ```text
//!  System ──Unfolding──▶ Circuit + claims ──Encoder──▶ Clauses: a Cnf, a DIMACS file, a live solver
//!     └──square──▶ System ──modular──▶ Qbf ──▶ a QBF solver, a QDIMACS or QCIR file
//! ```
//!
//! | what | is |
//! | --- | --- |
//! | [`Circuit`], [`Substitution`], [`Values`] | and-inverter graphs, rebuilt and evaluated |
//! | [`Word`] | arithmetic on lists of signals |
//! | [`System`], [`Components`] | predicates whose bodies are circuits with holes, and who calls whom |
//! | [`Unfolding`] | a system as one formula, and the way back from a model to a derivation |
//! | [`square`], [`modular`] | a system without loops, and as a quantified formula that shares the bodies |
//! | [`adds_nothing`] | whether deeper derivations add anything, as a quantified formula |
//! | [`Qbf`], [`qdimacs`], [`qcir`] | quantified formulas over circuits, and their files |
//! | [`Encoder`], [`Variables`] | circuits as clauses, by Tseitin or by polarity |
//! | [`Clauses`], [`Cnf`], [`Counter`], [`dimacs`] | where clauses go |
//!
//! Invariant: a [`Circuit`] only grows; a [`Lit`] stays valid and keeps its meaning for ever.
//! Invariant: operands of a gate have smaller indices than the gate, so that increasing index is an
//! order of evaluation and nothing recurses.
//! Invariant: the same calls give the same variables and clauses, in the same order.

mod circuit;
mod clauses;
mod components;
pub mod dimacs;
mod encoder;
mod need;
mod qbf;
mod quantify;
mod substitution;
mod system;
mod unfold;
mod values;
mod variables;
mod words;

pub use circuit::{Circuit, Gate, Lit};
pub use clauses::{Clauses, Cnf, Counter};
pub use components::Components;
pub use encoder::{Encoder, Encoding, Polarity};
pub use qbf::{Block, Qbf, Quantifier, qcir, qdimacs};
pub use quantify::{
    Contradiction, Height, Modular, Origin, Recursive, RootHole, Squared, adds_nothing, modular, square,
};
pub use substitution::Substitution;
pub use system::{Body, Hole, Predicate, PredicateId, System};
pub use unfold::{Extent, Instance, UnfoldError, Unfolding};
pub use values::Values;
pub use variables::Variables;
pub use words::Word;

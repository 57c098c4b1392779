//! Epitome.
mod checker;
pub mod classify;
pub mod cli;
pub mod engine;
pub mod evidence;
pub mod limits;
pub mod logic;
pub mod model;
pub mod syntax;

pub use checker::{CheckError, Checker, Engine, Reachability, Reached, Report, Verdict};

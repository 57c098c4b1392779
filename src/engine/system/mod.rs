//! A machine and what is looked for in it, as a system of predicates: what the engines that work with formulas
//! have in common.
//!
//! Each procedure is a predicate ([`interface`]) whose body is a circuit of all its paths ([`body`]); the root is the
//! question ([`Translation`]). Whoever derives the root gives the facts by which it did, and these are a run
//! ([`run_of`]).

mod body;
mod derivation;
mod fact;
mod graph;
mod interface;
mod nesting;
mod rounds;
mod total;
mod translate;
mod unfolded;

pub(super) use derivation::{run_of, tell_find};
pub(super) use fact::{Fact, FactId, Point};
pub(super) use graph::vertices;
pub(super) use interface::{Argument, Interface};
pub(super) use nesting::most_arrivals;
pub(super) use rounds::in_rounds;
pub(super) use total::total;
pub(super) use translate::{Named, Translation};
pub(super) use unfolded::facts_of;

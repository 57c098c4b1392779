//! Properties of branching time, held against a plain labelling of all configurations; laws of the logics; families with known answers.

#[path = "../common/mod.rs"]
mod common;
mod families;
mod forged;
mod formulas;
mod machines;
mod open;
mod programs;

use epitome::engine::tabulate;
use epitome::limits::{Limits, Reason};
use epitome::logic::{Blocked, Branching, Linear, Query};
use epitome::model::CallGraph;
use epitome::syntax::Program;
use epitome::{Checker, Engine, Verdict};
use std::sync::Arc;

/// The property of a formula of CTL*.
pub fn branching(formula: &str) -> Branching {
    Branching::ctl_star(formula).unwrap_or_else(|error| panic!("{formula}: {error}")).0
}

/// What an engine says of a property; nothing if it is not for such programs.
fn ask(program: &Program, query: &Query, engine: Engine) -> Option<bool> {
    let report = Checker::new(program).check(query, engine, &Limits::none(), &mut |_| ());
    match report.unwrap_or_else(|error| panic!("{engine:?}, {query}: {error}")).verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated => Some(false),
        Verdict::Unknown(Reason::NotSupported(_)) => None,
        Verdict::Unknown(reason) => panic!("{engine:?}, {query}: {reason}"),
    }
}

/// What an engine says of a property.
pub fn answer(program: &Program, query: &Query, engine: Engine) -> bool {
    ask(program, query, engine).unwrap_or_else(|| panic!("{engine:?}, {query}: not supported"))
}

/// Whether a formula of CTL* holds; the BDD engine must agree, where there is no recursion.
pub fn holds(program: &Program, formula: &str) -> bool {
    holds_with(program, formula, Blocked::Stutter)
}

/// The same, with what becomes of runs that are blocked.
pub fn holds_with(program: &Program, formula: &str, blocked: Blocked) -> bool {
    let query = Query::Branching(Arc::new(Branching { blocked, ..branching(formula) }));
    let holds = answer(program, &query, Engine::Expand(None));
    let is_recursive = CallGraph::new(Checker::new(program).ersm()).recursive;
    let symbolic = ask(program, &query, Engine::Tabulate(tabulate::Options::default()));
    assert_eq!(symbolic.is_none(), is_recursive, "engine bdd is for hierarchies");
    assert!(symbolic.is_none_or(|symbolic| symbolic == holds), "engines disagree on {formula}: expand says {holds}");
    holds
}

/// Whether all runs satisfy a formula of linear time.
pub fn holds_linear(program: &Program, formula: &str) -> bool {
    let (linear, _) = Linear::formula(formula).unwrap_or_else(|error| panic!("{formula}: {error}"));
    answer(program, &Query::Linear(Arc::new(linear)), Engine::Expand(None))
}

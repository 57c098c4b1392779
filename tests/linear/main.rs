//! Properties of linear time: all engines agree, with each other and with a brute-force reference, on random programs and
//! formulas; laws of the logic hold; lassos replay (the checker refuses to answer otherwise).

#[path = "../common/mod.rs"]
mod common;
mod forged;
mod formulas;
mod growth;
mod machines;
mod random;
mod texts;

use epitome::engine::expand::Algorithm;
use epitome::engine::summarize;
use epitome::engine::tabulate;
use epitome::limits::Limits;
use epitome::logic::{Linear, Query, Stack};
use epitome::syntax::Program;
use epitome::{Checker, Engine, Report, Verdict};
use std::sync::Arc;

/// The engines under test.
pub fn engines() -> [(&'static str, Engine); 5] {
    [
        ("expand", Engine::Expand(None)),
        ("expand forward", Engine::Expand(Some(Algorithm::Forward))),
        ("expand components", Engine::Expand(Some(Algorithm::Components))),
        ("bdd", Engine::Tabulate(tabulate::Options::default())),
        ("sat", Engine::Summarize(summarize::Options::default())),
    ]
}

/// The property of a formula.
pub fn linear(formula: &str, stack: Stack) -> Linear {
    let (linear, _) = Linear::formula(formula).unwrap_or_else(|error| panic!("{formula}: {error}"));
    Linear { stack, ..linear }
}

/// What an engine says of a property; a mistake that it notices is a failure of the test.
pub fn check(program: &Program, linear: &Linear, engine: Engine) -> Report {
    let query = Query::Linear(Arc::new(linear.clone()));
    let report = Checker::new(program).check(&query, engine, &Limits::none(), &mut |_| ());
    report.unwrap_or_else(|error| panic!("{engine:?}, {}: {error}", linear.text))
}

/// Whether the property holds, if the engine knows.
pub fn holds(program: &Program, linear: &Linear, engine: Engine) -> bool {
    match check(program, linear, engine).verdict {
        Verdict::Holds => true,
        Verdict::Violated => false,
        Verdict::Unknown(reason) => panic!("{engine:?}, {}: {reason}", linear.text),
    }
}

/// Where the engines disagree, in words.
pub fn difference(program: &Program, linear: &Linear, expected: Option<bool>) -> Option<String> {
    let mut answers = engines().map(|(name, engine)| (name, holds(program, linear, engine))).to_vec();
    if let Some(expected) = expected {
        answers.push(("reference", expected));
    }
    let all_same = answers.iter().all(|(_, answer)| *answer == answers[0].1);
    (!all_same).then(|| format!("{} ({:?}): {answers:?}", linear.text, linear.stack))
}

//! Horn clauses: what is read derives what the clauses derive, and what is written asks what was asked.

#[path = "../common/mod.rs"]
mod common;
mod derivations;
mod round_trip;

use epitome::engine::{summarize, tabulate};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine, Verdict};

/// The engines that are asked.
fn engines() -> [Engine; 3] {
    let (bdd, sat) = (tabulate::Options::default(), summarize::Options::default());
    [Engine::Expand(None), Engine::Tabulate(bdd), Engine::Summarize(sat)]
}

fn parse(text: &str, language: Language) -> Program {
    let source = Source::new("test", text);
    let parsed = Program::parse(&source, language);
    parsed.unwrap_or_else(|errors| panic!("{}\nin\n{text}", errors[0].render(&source))).0
}

/// The verdict of an engine; a run that shows a violation has been replayed.
fn verdict(program: &Program, query: &Query, engine: Engine) -> Verdict {
    let report = Checker::new(program).check(query, engine, &Limits::none(), &mut |_| ());
    report.unwrap_or_else(|error| panic!("{error}")).verdict
}

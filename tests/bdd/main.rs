//! The BDD engine by itself: what it costs, the loops it squares, the limits it keeps.

mod growth;
mod limits;
mod loops;

use epitome::engine::Statistics;
use epitome::engine::tabulate::{Method, Options, Order};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::SourceRun;
use epitome::reduce::Reductions;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine, Verdict};

/// What a check gave.
struct Checked {
    verdict: Verdict,
    statistics: Statistics,
    run: Option<SourceRun>,
}

const DEFAULT: Options = Options { method: Method::Auto, order: Order::Dependency, reorder: false };

/// Checks a program. That a run was found means that it was replayed.
fn check(text: &str, language: Language, engine: Engine, reductions: Reductions, limits: &Limits) -> Checked {
    let source = Source::new("program", text);
    let (program, _) = Program::parse(&source, language).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(&source)));
    let checker = Checker::new(&program).with_reductions(reductions);
    let report = checker.check(&Query::Failures, engine, limits, &mut |_| ());
    let report = report.unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(report.run.is_some(), report.verdict == Verdict::Violated, "{text}");
    Checked { verdict: report.verdict, statistics: report.statistics, run: report.run }
}

//! Shortest runs are shortest: `Algorithm::Shortest` against a plain breadth-first search over concrete
//! states in which a call that returns counts as one step (Ball 3.2). Machines are in `machines.rs`.

use crate::bdd;
use crate::common::parse;
use crate::common::reference::shortest_failure;
use crate::common::shrink::shrink;
use epitome::engine::expand::Algorithm;
use epitome::engine::tabulate::Method;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::SourceRun;
use epitome::syntax::Program;
use epitome::{Checker, Engine};
use epitome_benchmarks::{Shape, random_program};

/// Steps of a run, calls that return counted as one.
pub fn hierarchical_length(run: &SourceRun) -> usize {
    let mut id = run.top();
    let mut places = 0;
    loop {
        let fragment = run.fragment(id);
        places += fragment.len();
        match fragment.inside(fragment.len() - 1) {
            Some(inside) => id = inside,
            None => return places - 1,
        }
    }
}

/// Engines whose runs are shortest ones, on programs that are small at least.
const ENGINES: [Engine; 4] = [
    Engine::Expand(Some(Algorithm::Shortest)),
    Engine::Expand(Some(Algorithm::Forward)),
    bdd(Method::Shortest),
    bdd(Method::Auto),
];

/// The expected length, and those found. Plain tabulation sees all of so small a program, too.
fn lengths(text: &str) -> (Option<usize>, [Option<usize>; 4]) {
    let program = parse(text);
    let expected = shortest_failure(&program);
    let program = Program::Bp(program);
    let checker = Checker::new(&program);
    let length = |engine| {
        let report = checker.check(&Query::Failures, engine, &Limits::none(), &mut |_| ());
        report.expect("the run replays").run.as_ref().map(hierarchical_length)
    };
    (expected, ENGINES.map(length))
}

#[test]
fn shortest_runs_are_shortest() {
    for shape in [Shape::tiny(), Shape::general(), Shape::hierarchical()] {
        for seed in 0..400 {
            let text = random_program(seed, &shape);
            let (expected, found) = lengths(&text);
            if found != [expected; 4] {
                let small = shrink(&text, |candidate| {
                    let (expected, found) = lengths(candidate);
                    found != [expected; 4]
                });
                panic!("seed {seed}: {found:?}, expected {expected:?}\n{small}");
            }
        }
    }
}

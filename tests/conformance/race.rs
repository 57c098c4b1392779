//! Engine `auto` as a race from the start: whoever answers first is right, on one processor and on several.

use crate::common;
use crate::common::parse;
use crate::common::reference::explicit_summaries;
use crate::{places_difference, verdict_difference};
use epitome::syntax::Program;
use epitome::{Checker, Engine};
use epitome_benchmarks::Shape;

fn difference(text: &str, threads: usize) -> Option<String> {
    let program = parse(text);
    let expected = explicit_summaries(&program);
    let violated = expected.violated(&program);
    let program = Program::Bp(program);
    let checker = Checker::new(&program).with_threads(threads).without_head_start();
    verdict_difference(&program, &checker, Engine::Auto, violated)
        .or_else(|| places_difference(&checker, Engine::Auto, &expected))
}

#[test]
fn whoever_is_first_is_right() {
    for threads in [1, 2, 4] {
        common::seeds::agree(&Shape::general(), 0..60, |text| difference(text, threads));
        common::seeds::agree(&Shape::tiny(), 0..60, |text| difference(text, threads));
        common::seeds::agree(&Shape::acyclic(), 0..60, |text| difference(text, threads));
    }
}

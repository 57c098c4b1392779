//! Engine `qbf` on the same programs as the others. Its formulas can be too hard where the others have none, so it has
//! a time limit for each: what it says must be right, and it must say something nearly always.

use crate::common;
use crate::common::parse;
use crate::common::reference::explicit_summaries;
use epitome::engine::quantify;
use epitome::limits::{Limits, Reason};
use epitome::logic::Query;
use epitome::syntax::{Place, Program};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::Shape;
use std::cell::Cell;
use std::time::Duration;

const QBF: Engine = Engine::Quantify(quantify::Options { solver: None });

fn limits() -> Limits {
    Limits::none().with_timeout(Duration::from_secs(2))
}

/// The first difference from the reference, in words; counts questions, and those without an answer.
fn difference(text: &str, asked: &Cell<u32>, open: &Cell<u32>) -> Option<String> {
    let program = parse(text);
    let expected = explicit_summaries(&program);
    let violated = expected.violated(&program);
    let program = Program::Bp(program);
    let checker = Checker::new(&program);
    asked.set(asked.get() + 2);
    match checker.check(&Query::Failures, QBF, &limits(), &mut |_| ()).map(|report| report.verdict) {
        Ok(Verdict::Unknown(Reason::Timeout)) => open.set(open.get() + 1),
        Ok(verdict) if verdict == if violated { Verdict::Violated } else { Verdict::Holds } => {}
        other => return Some(format!("{other:?}, but violated is {violated}")),
    }
    let found = checker.reach(true, QBF, &limits(), &mut |_| ());
    match &found.stopped {
        Some(Reason::Timeout) => open.set(open.get() + 1),
        Some(other) => return Some(other.to_string()),
        None => {}
    }
    found.statements.iter().find_map(|reached| {
        let Place::Statement(statement) = reached.place else { return None };
        let should = expected.places.contains(&(reached.procedure as usize, statement as usize));
        let is_wrong = reached.reachable.is_some_and(|reachable| reachable != should);
        is_wrong.then(|| format!("statement {statement} of procedure {}: expected {should}", reached.procedure))
    })
}

fn agree(shape: &Shape, seeds: std::ops::Range<u64>) {
    let (asked, open) = (Cell::new(0), Cell::new(0));
    common::seeds::agree(shape, seeds, |text| difference(text, &asked, &open));
    assert!(open.get() * 20 <= asked.get(), "{} of {} questions are open", open.get(), asked.get());
}

#[test]
fn acyclic() {
    agree(&Shape::acyclic(), 0..120);
}

#[test]
fn hierarchies_with_loops() {
    agree(&Shape { recursion: false, ..Shape::tiny() }, 0..400);
}

#[test]
fn recursion() {
    agree(&Shape::tiny(), 0..120);
}

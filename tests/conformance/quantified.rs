//! Engine `qbf`, and engine `sat` where it uses quantified formulas, on the same programs as the others. Its
//! formulas can be too hard where the others have none, so it has a time limit for each: what it says must be
//! right, and it must say something nearly always.

use crate::common;
use crate::common::parse;
use crate::common::reference::explicit_summaries;
use epitome::engine::quantify::{self, Encoding};
use epitome::engine::summarize::{self, Form, SolverName};
use epitome::limits::{Limits, Reason};
use epitome::logic::Query;
use epitome::syntax::{Place, Program};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::Shape;
use std::cell::Cell;
use std::time::Duration;

const MODULAR: Engine = Engine::Quantify(quantify::Options { solver: None, encoding: Encoding::Modular });
const FLAT: Engine = Engine::Quantify(quantify::Options { solver: None, encoding: Encoding::Flat });

const FIXPOINT: Engine = Engine::Summarize(summarize::Options { solver: SolverName::Cadical, form: Form::Fixpoint });

/// How long a question may take; what is open then gets more, since the machine may be busy with other things.
const PATIENCE: Duration = Duration::from_secs(1);
const MORE_PATIENCE: Duration = Duration::from_secs(8);

fn limits(timeout: Duration) -> Limits {
    Limits::none().with_timeout(timeout)
}

/// The first difference from the reference, in words; counts questions, and those without an answer.
fn difference(engine: Engine, text: &str, asked: &Cell<u32>, open: &Cell<u32>) -> Option<String> {
    let program = parse(text);
    let expected = explicit_summaries(&program);
    let violated = expected.violated(&program);
    let program = Program::Bp(program);
    let checker = Checker::new(&program);
    asked.set(asked.get() + 2);
    let check = |timeout| {
        let report = checker.check(&Query::Failures, engine, &limits(timeout), &mut |_| ());
        report.map(|report| report.verdict)
    };
    let first = check(PATIENCE);
    let may_take_longer = engine != FLAT;
    let answer = match first {
        Ok(Verdict::Unknown(Reason::Timeout)) if may_take_longer => check(MORE_PATIENCE),
        first => first,
    };
    match answer {
        Ok(Verdict::Unknown(Reason::Timeout | Reason::NotSupported(_))) => open.set(open.get() + 1),
        Ok(verdict) if verdict == if violated { Verdict::Violated } else { Verdict::Holds } => {}
        other => return Some(format!("{other:?}, but violated is {violated}")),
    }
    let reach = |timeout| checker.reach(true, engine, &limits(timeout), &mut |_| ());
    let first = reach(PATIENCE);
    let is_late = may_take_longer && first.stopped == Some(Reason::Timeout);
    let found = if is_late { reach(MORE_PATIENCE) } else { first };
    match &found.stopped {
        Some(Reason::Timeout | Reason::NotSupported(_)) => open.set(open.get() + 1),
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

/// At most so many of a hundred questions may be open.
fn agree(engine: Engine, shape: &Shape, seeds: std::ops::Range<u64>, most_open: u32) {
    let (asked, open) = (Cell::new(0), Cell::new(0));
    common::seeds::agree(shape, seeds, |text| difference(engine, text, &asked, &open));
    assert!(open.get() * 100 <= most_open * asked.get(), "{} of {} questions are open", open.get(), asked.get());
}

#[test]
fn acyclic() {
    agree(MODULAR, &Shape::acyclic(), 0..60, 5);
}

#[test]
fn hierarchies_with_loops() {
    agree(MODULAR, &Shape { recursion: false, ..Shape::tiny() }, 0..200, 5);
}

#[test]
fn recursion() {
    agree(MODULAR, &Shape::tiny(), 0..120, 5);
}

/// Unfolding until deeper adds nothing.
#[test]
fn fixpoints() {
    agree(FIXPOINT, &Shape::acyclic(), 0..60, 5);
    agree(FIXPOINT, &Shape::tiny(), 0..200, 10);
}

/// The flat encoding has as many alternations as a configuration has bits, and is hard: what it says is right.
#[test]
fn stacks_as_vectors() {
    let shape = Shape { recursion: false, statements: 3, globals: 1, locals: 1, nesting: 1, ..Shape::tiny() };
    agree(FLAT, &shape, 0..30, 70);
}

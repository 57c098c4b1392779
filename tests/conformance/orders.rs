//! The BDD engine answers the same in every order of its variables, with and without reordering: random
//! programs of every shape, random machines, and all methods.

use crate::common::seeds;
use crate::difference_with;
use crate::machines::{query, random_extended};
use epitome::engine::tabulate::{Method, Options, Order};
use epitome::limits::Limits;
use epitome::reduce::Reductions;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine};
use epitome_benchmarks::Shape;

const fn engine(method: Method, order: Order, reorder: bool) -> Engine {
    Engine::Tabulate(Options { method, order, reorder })
}

/// The order that is default is in the list of all engines already. Reordering starts only where
/// diagrams are large; that it changes no function is tested with the sifting itself.
const ENGINES: &[(&str, Engine)] = &[
    ("declaration", engine(Method::Auto, Order::Declaration, false)),
    ("interleaved", engine(Method::Auto, Order::Interleaved, false)),
    ("dependency, reordered", engine(Method::Auto, Order::Dependency, true)),
    ("declaration, summarizing, reordered", engine(Method::Summarizing, Order::Declaration, true)),
    ("interleaved, shortest", engine(Method::Shortest, Order::Interleaved, false)),
    ("declaration, demanded", engine(Method::Demanded, Order::Declaration, false)),
];

fn agree(shape: &Shape, seeds: u64) {
    // Without reductions the engine sees more variables.
    let sets = [("all reductions", Reductions::all()), ("no reductions", Reductions::none())];
    // Other seeds than those of the other tests.
    seeds::agree(shape, 200_000..200_000 + seeds, |text| difference_with(text, ENGINES, &sets));
}

#[test]
fn general() {
    agree(&Shape::general(), 60);
}

/// More variables and longer bodies than the ready-made shapes have: more to order.
#[test]
fn wide() {
    agree(&Shape { globals: 4, locals: 3, statements: 14, ..Shape::general() }, 30);
}

#[test]
fn hierarchical() {
    agree(&Shape::hierarchical(), 60);
}

#[test]
fn acyclic() {
    agree(&Shape::acyclic(), 60);
}

#[test]
fn deterministic() {
    agree(&Shape::deterministic(), 100);
}

#[test]
fn io_bounded() {
    agree(&Shape::io_bounded(), 60);
}

#[test]
fn tiny() {
    agree(&Shape::tiny(), 300);
}

/// Several entries, exits and starts, parameters and results: every node, and a run to each one reached.
#[test]
fn machines_with_variables() {
    for seed in 300_000..300_030 {
        let text = random_extended(seed);
        let source = Source::new("m.rsm", text.clone());
        let (program, _) = Program::parse(&source, Language::Rsm).expect("it parses");
        for reductions in [Reductions::all(), Reductions::none()] {
            let checker = Checker::new(&program).with_reductions(reductions);
            let expected = checker.reach(true, Engine::Expand(None), &Limits::none(), &mut |_| ()).statements;
            for (name, engine) in ENGINES {
                let found = checker.reach(true, *engine, &Limits::none(), &mut |_| ());
                assert_eq!(found.statements, expected, "seed {seed}, {name}\n{text}");
                for reached in &expected {
                    let query = query(&program, reached);
                    let report = checker.check(&query, *engine, &Limits::none(), &mut |_| ());
                    let report = report.unwrap_or_else(|error| panic!("seed {seed}, {name}, {query}: {error}\n{text}"));
                    assert_eq!(
                        report.run.is_some(),
                        reached.reachable == Some(true),
                        "seed {seed}, {name}, {query}\n{text}"
                    );
                }
            }
        }
    }
}

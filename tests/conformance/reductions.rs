//! Reductions keep answers: all of them, none, each alone and each left out, for every engine, on random
//! programs of every shape, on random machines, and on programs made to be reduced.

use crate::common::seeds::{no_difference, times};
use crate::machines::random_machines;
use crate::{ENGINES, difference_with};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::reduce::{Reduction, Reductions};
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine};
use epitome_benchmarks::{Shape, Verdict, families_of_failures};

/// Every set for every algorithm would take too long; one algorithm of each engine sees them all, and the
/// other tests of this suite run every algorithm with all reductions.
fn engines() -> Vec<(&'static str, Engine)> {
    ENGINES.iter().copied().filter(|(name, _)| ["auto", "expand forward", "bdd", "sat"].contains(name)).collect()
}

/// The sets under test.
fn sets() -> Vec<(&'static str, Reductions)> {
    let alone = Reduction::ALL.map(|one| (one.name(), Reductions::none().with(one)));
    let left_out = Reduction::ALL.map(|one| ("all but one", Reductions::all().without(one)));
    let ends = [("all", Reductions::all()), ("none", Reductions::none())];
    ends.into_iter().chain(alone).chain(left_out).collect()
}

fn difference(text: &str) -> Option<String> {
    difference_with(text, &engines(), &sets())
}

fn check(text: &str, context: &str) {
    no_difference(text, context, difference);
}

fn agree(shape: &Shape, seeds: std::ops::Range<u64>) {
    crate::common::seeds::agree(shape, seeds, difference);
}

// Other seeds than those of `random.rs`.

#[test]
fn general() {
    agree(&Shape::general(), 100_000..100_020);
}

#[test]
fn hierarchical() {
    agree(&Shape::hierarchical(), 100_000..100_020);
}

#[test]
fn acyclic() {
    agree(&Shape::acyclic(), 100_000..100_020);
}

#[test]
fn deterministic() {
    agree(&Shape::deterministic(), 100_000..100_020);
}

#[test]
fn io_bounded() {
    agree(&Shape::io_bounded(), 100_000..100_020);
}

#[test]
fn tiny() {
    agree(&Shape::tiny(), 100_000..100_120);
}

#[test]
fn kept() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/kept");
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        check(&std::fs::read_to_string(&path).expect("it can be read"), &path.display().to_string());
    }
}

#[test]
fn families() {
    for family in families_of_failures().filter(|family| family.language == "bp") {
        for verdict in Verdict::ALL {
            if let Ok(text) = family.generate(family.smallest + 1, verdict) {
                check(&text, family.name);
            }
        }
    }
}

/// Answers for every node, and a run to each one reached, on machines with several entries and exits.
#[test]
fn machines() {
    for seed in 0..15 * times() {
        machine_agrees(&random_machines(100_000 + seed), seed);
    }
}

/// The same with variables, parameters and results, and several initial entries.
#[test]
fn machines_with_variables() {
    for seed in 0..20 * times() {
        machine_agrees(&crate::machines::random_extended(seed), seed);
    }
}

fn machine_agrees(text: &str, seed: u64) {
    let source = Source::new("m.rsm", text.to_owned());
    let (program, _) =
        Program::parse(&source, Language::Rsm).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(&source)));
    let mut checker = Checker::new(&program).with_reductions(Reductions::none());
    let answers = |checker: &Checker<'_>, engine| {
        let found = checker.reach(true, engine, &Limits::none(), &mut |_| ());
        assert_eq!(found.stopped, None);
        found.statements
    };
    let expected = answers(&checker, ENGINES[1].1);
    let queries: Vec<(Query, bool)> = expected
        .iter()
        .map(|reached| (crate::machines::query(&program, reached), reached.reachable == Some(true)))
        .collect();
    for (name, set) in sets() {
        checker = checker.with_reductions(set);
        for (engine_name, engine) in engines() {
            let context = || format!("seed {seed}, {engine_name}, {name} {set:?}\n{text}");
            assert_eq!(answers(&checker, engine), expected, "{}", context());
            for (query, reachable) in &queries {
                match checker.check(query, engine, &Limits::none(), &mut |_| ()) {
                    Ok(report) => assert_eq!(report.run.is_some(), *reachable, "{query}, {}", context()),
                    Err(error) => panic!("{query}: {error}, {}", context()),
                }
            }
        }
    }
}

//! The SAT engine by itself: what it costs, counted in queries, and the limits it keeps.

use epitome::engine::SatStatistics;
use epitome::engine::summarize::{Options, SolverName};
use epitome::limits::{Limits, Reason};
use epitome::logic::Query;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::{Verdict as Version, generate};
use std::time::{Duration, Instant};

fn check(name: &str, n: u32, version: Version, limits: &Limits) -> (Verdict, SatStatistics) {
    let text = generate(name, n, version).expect("a family");
    let source = Source::new("program", &text);
    let (program, _) = Program::parse(&source, Language::Bp).unwrap_or_else(|e| panic!("{}", e[0].render(&source)));
    let engine = Engine::Summarize(Options { solver: SolverName::Batsat });
    let report = Checker::new(&program).check(&Query::Failures, engine, limits, &mut |_| ());
    let report = report.unwrap_or_else(|error| panic!("{name} {n}: {error}"));
    (report.verdict, report.statistics.sat.unwrap_or_default())
}

fn queries(name: &str, n: u32, version: Version) -> u64 {
    let (verdict, cost) = check(name, n, version, &Limits::none());
    let expected = if version == Version::Safe { Verdict::Holds } else { Verdict::Violated };
    assert_eq!(verdict, expected, "{name} {n} {version:?}");
    cost.queries
}

/// Hierarchies have no levels: 16 times as many procedures take 16 times as many queries, both ways.
#[test]
fn hierarchies_cost_linear_work() {
    for name in ["tn", "xn", "en"] {
        for version in Version::ALL {
            let [small, large] = [32, 512].map(|n| queries(name, n, version) as f64);
            assert!(large / small < 17.0, "{name} {version:?}: {small} and {large} queries");
        }
    }
}

/// Recursion and loops of 2^n steps with small invariants: lemmas of two literals, found without going
/// through the steps.
#[test]
fn small_invariants_are_found_at_once() {
    for (name, n, most) in [("rn", 20, 5_000), ("ln", 64, 2_000), ("updown", 16, 2_000)] {
        let found = queries(name, n, Version::Safe);
        assert!(found < most, "{name} {n}: {found} queries");
    }
    assert!(queries("rn", 20, Version::Unsafe) < 100);
}

/// Products, hidden bits and random formulas, too wide for diagrams in any order: a query for each of the few
/// lemmas and facts about the small procedures that `main` calls again and again.
#[test]
fn wide_programs_cost_few_queries() {
    for (name, n) in [("multiplier", 12), ("hidden", 32), ("threesat", 200), ("pigeonhole", 7)] {
        for version in Version::ALL {
            let found = queries(name, n, version);
            assert!(found < 500, "{name} {n} {version:?}: {found} queries");
        }
    }
}

/// A failure after 2^24 rounds is not found in a second, and the engine says so in time.
#[test]
fn too_little_time() {
    let start = Instant::now();
    let (verdict, cost) = check("ln", 24, Version::Unsafe, &Limits::none().with_timeout(Duration::from_secs(1)));
    assert_eq!(verdict, Verdict::Unknown(Reason::Timeout));
    assert!(cost.queries > 0 && start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

//! The SAT engine by itself: what it costs, counted in queries, and the limits it keeps.

use epitome::engine::SatStatistics;
use epitome::engine::summarize::{Form, Options, SolverName};
use epitome::limits::{Limits, Reason};
use epitome::logic::Query;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine, Report, Verdict};
use epitome_benchmarks::{Verdict as Version, generate};
use std::time::{Duration, Instant};

fn report(name: &str, n: u32, version: Version, form: Form, limits: &Limits) -> Report {
    let text = generate(name, n, version).expect("a family");
    let source = Source::new("program", &text);
    let (program, _) = Program::parse(&source, Language::Bp).unwrap_or_else(|e| panic!("{}", e[0].render(&source)));
    let engine = Engine::Summarize(Options { solver: SolverName::default(), form });
    let report = Checker::new(&program).check(&Query::Failures, engine, limits, &mut |_| ());
    report.unwrap_or_else(|error| panic!("{name} {n}: {error}"))
}

fn check(name: &str, n: u32, version: Version, limits: &Limits) -> (Verdict, SatStatistics) {
    let report = report(name, n, version, Form::Summaries, limits);
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

/// All statements in one go: what is known is kept from one to the next, whatever is asked for last.
#[test]
fn all_statements_cost_linear_work() {
    let [small, large] = [20, 160].map(|n| {
        let text = generate("tn", n, Version::Unsafe).expect("a family");
        let (program, _) = Program::parse(&Source::new("program", &text), Language::Bp).expect("a program");
        let engine = Engine::Summarize(Options::default());
        let found = Checker::new(&program).reach(true, engine, &Limits::none(), &mut |_| ());
        let unreachable = found.statements.iter().filter(|reached| reached.reachable == Some(false)).count();
        assert_eq!((found.stopped, unreachable), (None, n as usize), "the last branch of every counter");
        found.statistics.sat.map_or(0, |cost| cost.queries) as f64
    });
    assert!(large / small < 9.0, "{small} and {large} queries");
}

/// A failure after 2^24 rounds is not found in a second, and the engine says so in time.
#[test]
fn too_little_time() {
    let start = Instant::now();
    let (verdict, cost) = check("ln", 24, Version::Unsafe, &Limits::none().with_timeout(Duration::from_secs(1)));
    assert_eq!(verdict, Verdict::Unknown(Reason::Timeout));
    assert!(cost.queries > 0 && start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Where nothing is repeated one formula answers, with the same verdict; its size is that of the program with
/// all calls written out.
#[test]
fn small_hierarchies_are_inlined() {
    for version in Version::ALL {
        let expected = if version == Version::Safe { Verdict::Holds } else { Verdict::Violated };
        for (name, n) in [("en", 6), ("depth", 6), ("adder", 12)] {
            for form in [Form::Auto, Form::Inline] {
                let report = report(name, n, version, form, &Limits::none());
                assert_eq!((&report.verdict, report.statistics.algorithm), (&expected, "inline"), "{name} {n}");
                assert!(report.statistics.clauses > 0 && report.statistics.variables > 0, "{name} {n}");
                assert_eq!(report.statistics.sat.map(|sat| sat.queries), Some(1));
            }
        }
        let [small, large] =
            [4, 8].map(|n| report("en", n, version, Form::Inline, &Limits::none()).statistics.clauses as f64);
        assert!((14.0..18.0).contains(&(large / small)), "{small} {large}");
    }
}

/// A formula that would be too large is not begun, and what repeats cannot be inlined: summaries answer, or
/// the engine says why not.
#[test]
fn what_cannot_be_inlined() {
    for (name, n, why) in [("en", 64, "more clauses than can be counted"), ("tn", 3, "loops or recursion")] {
        let report = |form| report(name, n, Version::Unsafe, form, &Limits::none());
        let automatic = report(Form::Auto);
        assert_eq!((automatic.verdict, automatic.statistics.algorithm), (Verdict::Violated, "summaries"));
        match report(Form::Inline).verdict {
            Verdict::Unknown(Reason::NotSupported(reason)) => assert!(reason.contains(why), "{reason}"),
            verdict => panic!("{name} {n}: {verdict:?}"),
        }
    }
}

/// All labels at once are not one formula: summaries answer, unless the user insists.
#[test]
fn all_labels_are_asked_by_summaries() {
    let source = Source::new("program", "void main() begin A: skip; if (*) then B: skip; fi end");
    let (program, _) = Program::parse(&source, Language::Bp).unwrap_or_else(|e| panic!("{}", e[0].render(&source)));
    let checker = Checker::new(&program);
    let reach = |form| {
        let engine = Engine::Summarize(Options { solver: SolverName::default(), form });
        checker.reach(false, engine, &Limits::none(), &mut |_| ())
    };
    let automatic = reach(Form::Auto);
    assert_eq!((automatic.statistics.algorithm, automatic.stopped), ("summaries", None));
    assert!(automatic.labels.iter().all(|label| label.reachable == Some(true)));
    let forced = reach(Form::Inline);
    assert!(matches!(forced.stopped, Some(Reason::NotSupported(_))), "{:?}", forced.stopped);
}

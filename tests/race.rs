//! Engine `auto` as a race: limits end it, what was found until then is told, and it says who answered and why.

use epitome::limits::{Limits, Reason};
use epitome::logic::Query;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine, Report, Verdict};
use epitome_benchmarks::{Verdict as Expected, generate};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

fn parse(text: &str) -> Program {
    let source = Source::new("t.bp", text);
    Program::parse(&source, Language::Bp).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source))).0
}

fn check(checker: &Checker<'_>, limits: &Limits) -> Report {
    checker.check(&Query::Failures, Engine::Auto, limits, &mut |_| ()).expect("no internal error")
}

/// Too hard for all engines.
fn hopeless() -> String {
    generate("pigeonhole", 20, Expected::Safe).expect("a family")
}

#[test]
fn a_time_limit_ends_it() {
    let program = parse(&hopeless());
    for threads in [1, 2, 4] {
        let checker = Checker::new(&program).with_threads(threads);
        let start = Instant::now();
        let report = check(&checker, &Limits::none().with_timeout(Duration::from_millis(700)));
        assert_eq!(report.verdict, Verdict::Unknown(Reason::Timeout));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}

#[test]
fn an_interrupt_ends_it() {
    let program = parse(&hopeless());
    let flag = Arc::new(AtomicBool::new(false));
    let limits = Limits::none().with_interrupt(flag.clone());
    let signal = thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        flag.store(true, Ordering::Relaxed);
    });
    assert_eq!(check(&Checker::new(&program), &limits).verdict, Verdict::Unknown(Reason::Interrupted));
    signal.join().expect("no panic");
}

/// What one engine found before the time was over is told, whoever it was.
#[test]
fn what_was_found_is_told() {
    let text = hopeless().replacen("  taken := 0;", "  START: taken := 0;", 1);
    let program = parse(&text);
    let limits = Limits::none().with_timeout(Duration::from_secs(2));
    let found = Checker::new(&program).reach(false, Engine::Auto, &limits, &mut |_| ());
    assert_eq!(found.stopped, Some(Reason::Timeout));
    let answer = |name: &str| found.labels.iter().find(|label| label.name == name).expect("a label").reachable;
    assert_eq!((answer("START"), answer("ERROR")), (Some(true), None));
}

/// The plan that `classify` shows is the one that is run.
#[test]
fn it_says_who_answered_and_why() {
    let easy = parse("decl g; void main() begin assert(g); end");
    let checker = Checker::new(&easy);
    let report = check(&checker, &Limits::none());
    let first = &checker.class().plan.entrants[0];
    assert_eq!(report.statistics.engine, first.engine.name());
    assert_eq!(report.statistics.chosen, Some(format!("first of the plan: {}", first.why)));
    // Exploration needs 2^18 rounds, more than its head start.
    let hard = parse(&generate("ln", 18, Expected::Safe).expect("a family"));
    let checker = Checker::new(&hard);
    let report = check(&checker, &Limits::none());
    assert_eq!(report.verdict, Verdict::Holds);
    assert_ne!(report.statistics.engine, "expand");
    let chosen = report.statistics.chosen.expect("a reason");
    assert!(chosen.contains(&format!("first to answer of {}", checker.class().plan.names().join(", "))), "{chosen}");
    let named = Checker::new(&hard).check(
        &Query::Failures,
        Engine::Summarize(Default::default()),
        &Limits::none(),
        &mut |_| (),
    );
    assert_eq!(named.expect("no internal error").statistics.chosen, None);
}

/// Memory that some engines take ends these engines and not the race. (A process of its own: memory is the process's.)
#[test]
fn the_hungry_leave_and_the_others_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hidden.bp");
    std::fs::write(&file, generate("hidden", 56, Expected::Safe).expect("a family")).expect("a file");
    let run = |options: &[&str]| {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_epitome"));
        let output = command.arg("check").arg(&file).args(options).output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    // Exploration alone needs more, and says so.
    assert!(run(&["--engine", "expand", "--memory", "100M"]).ends_with("Verdict: UNKNOWN(memory)\n"));
    assert!(run(&["--memory", "100M"]).ends_with("Verdict: TRUE\n"));
}

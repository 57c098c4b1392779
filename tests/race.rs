//! Engine `auto` as a race: limits end it, what was found until then is told, and it says who answered and why.

use epitome::engine::News;
use epitome::limits::{Limits, Reason};
use epitome::logic::Query;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine, Reached, Report, Verdict};
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

/// A long run takes longer than to find that there is one; whoever has found it tells, and everybody hears it.
#[test]
fn a_find_without_a_run_is_told() {
    let program = parse(&generate("ln", 32, Expected::Unsafe).expect("a family"));
    let bdd = Engine::Tabulate(Default::default());
    let (flag, mut has_found) = (Arc::new(AtomicBool::new(false)), false);
    let limits = Limits::none().with_timeout(Duration::from_secs(60)).with_interrupt(flag.clone());
    // It is stopped as soon as it has found something: there is no run by then.
    let mut stop = |news| {
        if news == News::Found {
            flag.store(true, Ordering::Relaxed);
            has_found = true;
        }
    };
    let report = Checker::new(&program).check(&Query::Failures, bdd, &limits, &mut stop).expect("no internal error");
    assert_eq!((report.verdict, report.found), (Verdict::Unknown(Reason::Interrupted), true));
    assert!(has_found);
}

/// `reach` needs no run: what is found is reachable, whoever found it, and even if there is no time for more.
#[test]
fn what_is_found_is_reachable() {
    let text = "decl g; void main() begin decl x; x := *; if (x) then A: f(); fi B: skip; end
        void f() begin g := *; if (g) then C: skip; fi end";
    let program = parse(text);
    for engine in [Engine::Expand(None), Engine::Tabulate(Default::default()), Engine::Summarize(Default::default())] {
        let checker = Checker::new(&program);
        let flag = Arc::new(AtomicBool::new(false));
        let mut told = Vec::new();
        let limits = Limits::none().with_interrupt(flag.clone());
        let mut stop = |news| {
            if let News::Reached(procedure, node) = news {
                told.push((procedure, node));
                flag.store(true, Ordering::Relaxed);
            }
        };
        let found = checker.reach(false, engine, &limits, &mut stop);
        let reached: Vec<&Reached> = found.labels.iter().filter(|label| label.reachable == Some(true)).collect();
        assert!(!told.is_empty(), "{engine:?}");
        for (procedure, node) in told {
            assert!(reached.iter().any(|r| (r.procedure, r.node) == (procedure.0, node)), "{engine:?}");
        }
        // All of them, if nothing ends it.
        let found = checker.reach(false, engine, &Limits::none(), &mut |_| ());
        assert!(found.labels.iter().all(|label| label.reachable == Some(true)), "{engine:?}");
    }
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

/// A register of 20 bits goes round a cycle of 121,782 states that these are not one of: exploration counts
/// through it in a moment, and there is nothing that summaries could be told by.
fn register() -> String {
    let bits: Vec<String> = (0..20).map(|bit| format!("x{bit}")).collect();
    let wrong: Vec<String> =
        (0..20).map(|bit| format!("{}x{bit}", if 371_576 >> bit & 1 == 1 { "" } else { "!" })).collect();
    format!(
        "void main() begin\n decl x0 := 1, {} := 0;\n while (*) do\n {} := {}, x0 ^ (x3 & x7) ^ x11 ^ (x5 & x13) ^ x19;\n od\n \
         assert(!({}));\nend",
        bits[1..].join(" := 0, "),
        bits.join(", "),
        bits[1..].join(", "),
        wrong.join(" & "),
    )
}

/// Where addresses are limited no engine is left out, and that there is no race is told.
#[cfg(target_os = "linux")]
#[test]
fn engines_take_turns_where_addresses_are_few() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("register.bp");
    std::fs::write(&file, register()).expect("a file");
    let script = format!(
        "ulimit -v 1000000; exec {} check {} --timeout 60s --stats",
        env!("CARGO_BIN_EXE_epitome"),
        file.display()
    );
    let output = assert_cmd::Command::new("sh").args(["-c", &script]).output().expect("it runs");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
    assert!(out.ends_with("Verdict: TRUE\n"), "{out}{err}");
    let turns = "the address space is limited (ulimit -v): expand, sat, bdd, qbf take turns instead of racing";
    assert!(err.contains(&format!("note: {turns}\n")), "{err}");
    assert!(err.contains(&format!("engine             expand, {turns}\n")), "{err}");
}

/// Whoever asks `qbf` something outside its classes is told what it is doing, if it takes long.
#[test]
fn it_is_told_what_takes_long() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("register.bp");
    std::fs::write(&file, register()).expect("a file");
    let run = |options: &[&str]| {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_epitome"));
        let output = command.arg("check").arg(&file).args(["--engine", "qbf"]).args(options).output().expect("it runs");
        String::from_utf8(output.stderr).expect("text")
    };
    let told = run(&["--timeout", "2s"]);
    assert!(told.starts_with("note: engine qbf squares the steps of loops"), "{told}");
    assert_eq!(run(&["--timeout", "2s", "-q"]), "");
    assert_eq!(run(&["--timeout", "100ms"]), "");
}

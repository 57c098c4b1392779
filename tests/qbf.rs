//! Quantified formulas: the solver against DepQBF, written files against the engine, and programs of formulas against
//! the formulas (Godefroid, Fig. 3). What needs DepQBF is skipped with a notice where it is not installed.

#![allow(clippy::print_stderr, reason = "tests tell what they skip")]

#[path = "common/mod.rs"]
mod common;
#[path = "common/output.rs"]
mod output;

use assert_cmd::Command;
use common::parse;
use epitome::engine::quantify::Encoding;
use epitome::engine::{quantify, summarize, tabulate};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::solver::qbf;
use epitome::syntax::Program;
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::{
    Player, Shape, SplitMix64, Verdict as Version, generate, qbf_program, random_program, sat_program,
};
use epitome_encodings::qdimacs::{Formula, read};
use epitome_encodings::{Clauses, Cnf, Quantifier};
use output::{code, stderr, stdout};
use std::io::Write;
use std::process::{Command as Process, Stdio};

/// What DepQBF says; nothing if it is not installed.
fn depqbf(formula: &Formula) -> Option<bool> {
    let mut child = Process::new("depqbf").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut text = Vec::new();
    formula.write(&mut text, ["a comment"]).expect("a list takes all");
    child.stdin.take().expect("a pipe").write_all(&text).expect("it reads");
    let code = child.wait_with_output().expect("it ends").status.code();
    match code {
        Some(10) => Some(true),
        Some(20) => Some(false),
        other => panic!("DepQBF ended with {other:?} on\n{}", String::from_utf8_lossy(&text)),
    }
}

fn has_depqbf() -> bool {
    let is_there = Process::new("depqbf").arg("--version").output().is_ok();
    if !is_there {
        eprintln!("skipped: depqbf is not installed");
    }
    is_there
}

/// Random clauses over blocks of variables, each with some variables of the inner blocks.
fn random_formula(rng: &mut SplitMix64, blocks: u32, size: u32) -> Formula {
    let mut variables = 0;
    let mut prefix = Vec::new();
    for block in 0..blocks {
        let inputs: Vec<u32> = (0..1 + rng.below(u64::from(size)) as u32).map(|more| variables + more + 1).collect();
        variables += inputs.len() as u32;
        // The innermost block exists.
        let quantifier = if (blocks - block) % 2 == 1 { Quantifier::Exists } else { Quantifier::Forall };
        prefix.push((quantifier, inputs));
    }
    let mut cnf = Cnf::default();
    cnf.announce(variables);
    let last = prefix.last().map_or(0, |(_, inputs)| inputs.len() as u64);
    for _ in 0..u64::from(variables) * (5 + rng.below(20)) / 10 {
        // Two literals of the innermost block, and some of any.
        let mut pick = |among: u64| {
            let variable = u64::from(variables) - rng.below(among);
            variable as i32 * if rng.chance(1, 2) { 1 } else { -1 }
        };
        let mut clause = vec![pick(last), pick(last)];
        clause.extend((0..1 + clause[0].unsigned_abs() % 3).map(|_| pick(u64::from(variables))));
        cnf.add(&clause);
    }
    Formula { prefix, cnf }
}

#[test]
fn the_solver_agrees_with_depqbf() {
    if !has_depqbf() {
        return;
    }
    let mut rng = SplitMix64::new(5);
    let mut truths = [0; 2];
    for round in 0..2_000 {
        let formula = random_formula(&mut rng, 2 + round % 5, 2 + round % 7);
        let is_true = qbf::solve(&formula.to_qbf(), &Limits::none()).expect("no limits").is_true;
        assert_eq!(Some(is_true), depqbf(&formula), "round {round}");
        truths[usize::from(is_true)] += 1;
        // Simplified and as a circuit, it is the same.
        let (simple, _) = formula.to_qbf().simplified();
        assert_eq!(qbf::solve(&simple, &Limits::none()).expect("no limits").is_true, is_true, "round {round}");
    }
    assert!(truths.iter().all(|&count| count > 200), "{truths:?}");
}

/// The formula of a program, as DepQBF reads it.
fn check_written(text: &str, violated: bool, context: &str) {
    let program = Program::Bp(parse(text));
    let named = Checker::new(&program).quantified(&Query::Failures, Encoding::Modular).expect("no recursion");
    let formula = Formula::new(&named.qbf);
    assert_eq!(depqbf(&formula), Some(violated), "{context}");
}

#[test]
fn written_formulas_say_the_same_in_depqbf() {
    if !has_depqbf() {
        return;
    }
    for (family, sizes) in [("tn", 1..2), ("en", 1..6), ("ln", 1..4), ("depth", 1..6), ("lock", 1..3), ("adder", 1..4)]
    {
        for (n, version) in sizes.flat_map(|n| Version::ALL.map(|version| (n, version))) {
            let text = generate(family, n, version).expect("a program");
            check_written(&text, version == Version::Unsafe, &format!("{family} {n} {version:?}"));
        }
    }
    let shape = Shape { recursion: false, ..Shape::tiny() };
    for seed in 0..150 {
        let text = random_program(seed, &shape);
        let program = Program::Bp(parse(&text));
        let report = Checker::new(&program).check(&Query::Failures, Engine::Auto, &Limits::none(), &mut |_| ());
        let violated = report.expect("a report").verdict == Verdict::Violated;
        check_written(&text, violated, &format!("seed {seed}"));
    }
}

/// Gates, inputs and alternations of the formula of a family's program.
fn size(family: &str, n: u32, encoding: Encoding) -> [usize; 3] {
    let program = Program::Bp(parse(&generate(family, n, Version::Safe).expect("a program")));
    let named = Checker::new(&program).quantified(&Query::Failures, encoding).expect("no recursion");
    [named.qbf.gates(), named.qbf.variables(), named.qbf.alternations()]
}

/// Both encodings are polynomial. The modular one is linear in the depth of a hierarchy of small procedures, but for
/// the names of procedures, which grow with the logarithm, and quadratic in the bits of a loop; the flat one is quadratic
/// in the bits of a configuration, with as many doublings as these.
#[test]
fn encodings_are_polynomial() {
    let growth = |family, n, encoding| {
        let (small, large) = (size(family, n, encoding), size(family, 2 * n, encoding));
        [0, 1, 2].map(|part| large[part] as f64 / small[part] as f64)
    };
    for (family, n) in [("depth", 32), ("en", 32), ("tn", 8), ("xn", 8)] {
        let [gates, inputs, alternations] = growth(family, n, Encoding::Modular);
        assert!(gates < 2.5 && inputs < 2.2 && alternations < 2.2, "{family}: {gates} {inputs} {alternations}");
    }
    let [gates, inputs, alternations] = growth("ln", 16, Encoding::Modular);
    assert!(gates < 4.5 && inputs < 4.2 && alternations < 2.2, "{gates} {inputs} {alternations}");
    for (family, n) in [("depth", 4), ("en", 8), ("ln", 16)] {
        let [gates, inputs, alternations] = growth(family, n, Encoding::Flat);
        assert!(gates < 6.0 && inputs < 5.5 && alternations < 2.8, "{family}: {gates} {inputs} {alternations}");
    }
}

/// The program that evaluates a formula.
fn program_of(formula: &Formula) -> String {
    let player = |quantifier| if quantifier == Quantifier::Exists { Player::Exists } else { Player::Forall };
    let prefix = formula.prefix.iter().flat_map(|(q, block)| block.iter().map(move |&v| (v, player(*q))));
    qbf_program("random", &prefix.collect::<Vec<_>>(), formula.cnf.clauses(), None)
}

/// The program of a formula (Fig. 3) gives the formula's own verdict, by every engine.
#[test]
fn programs_of_formulas() {
    let engines = [
        Engine::Auto,
        Engine::Expand(None),
        Engine::Tabulate(tabulate::Options::default()),
        Engine::Summarize(summarize::Options::default()),
        Engine::Quantify(quantify::Options::default()),
    ];
    let mut rng = SplitMix64::new(6);
    let mut truths = [0; 2];
    for round in 0..200 {
        let formula = random_formula(&mut rng, 2 + round % 4, 2);
        let is_true = formula.to_qbf().is_true();
        truths[usize::from(is_true)] += 1;
        let text = program_of(&formula);
        let program = Program::Bp(parse(&text));
        let checker = Checker::new(&program);
        for engine in engines {
            let report = checker.check(&Query::Failures, engine, &Limits::none(), &mut |_| ()).expect("a report");
            let expected = if is_true { Verdict::Violated } else { Verdict::Holds };
            assert_eq!(report.verdict, expected, "round {round}, {engine:?}\n{text}");
        }
    }
    assert!(truths.iter().all(|&count| count > 20), "{truths:?}");
}

/// Calls whose results do not matter are not asked, results that matter one way are asked one way: the program of a
/// formula is encoded as that formula.
#[test]
fn the_detour_through_a_program_costs_nothing() {
    let mut rng = SplitMix64::new(7);
    for round in 0..20 {
        let formula = random_formula(&mut rng, 4, 8);
        let (simple, _) = formula.to_qbf().simplified();
        let text = program_of(&formula);
        let program = Program::Bp(parse(&text));
        let named = Checker::new(&program).quantified(&Query::Failures, Encoding::Modular).expect("no recursion");
        assert!(named.qbf.variables() <= simple.variables(), "round {round}");
        assert!(named.qbf.alternations() <= simple.alternations(), "round {round}");
    }
}

#[test]
fn programs_of_clauses() {
    let mut rng = SplitMix64::new(8);
    for round in 0..50 {
        let formula = random_formula(&mut rng, 1, 9);
        let text = sat_program("random", formula.cnf.variables(), formula.cnf.clauses(), None);
        let program = Program::Bp(parse(&text));
        let report = Checker::new(&program).check(&Query::Failures, Engine::Auto, &Limits::none(), &mut |_| ());
        let violated = report.expect("a report").verdict == Verdict::Violated;
        assert_eq!(violated, formula.to_qbf().is_true(), "round {round}\n{text}");
    }
}

/// The commands: a formula becomes a program with its verdict, a program becomes a formula, the same bytes each time.
#[test]
fn there_and_back_on_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("equal.qdimacs");
    std::fs::write(&file, "p cnf 2 2\na 1 0\ne 2 0\n-1 2 0\n1 -2 0\n").expect("it can be written");
    let epitome = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("epitome").expect("it is built");
        command.args(arguments).current_dir(folder.path()).output().expect("it runs")
    };
    let generated = epitome(&["generate", "qbf", "equal.qdimacs"]);
    assert_eq!(code(&generated), 0, "{}", stderr(&generated));
    assert!(stdout(&generated).contains("// formula: equal.qdimacs\n"));
    assert!(stdout(&generated).contains("// expected: FALSE\n"));
    std::fs::write(folder.path().join("equal.bp"), stdout(&generated)).expect("it can be written");
    for engine in ["expand", "bdd", "sat", "qbf", "auto"] {
        let checked = epitome(&["check", "equal.bp", "--engine", engine]);
        assert_eq!(code(&checked), 10, "{engine}: {}", stderr(&checked));
    }
    for (form, encoding) in [("qdimacs", "modular"), ("qcir", "modular"), ("qdimacs", "flat"), ("qcir", "flat")] {
        let [first, again] = [(); 2].map(|()| epitome(&["encode", "equal.bp", "--to", form, "--qbf", encoding]));
        assert_eq!((code(&first), stdout(&first)), (0, stdout(&again)));
        assert!(stdout(&first).contains("answer true means violated, false means not violated"));
    }
    let written = epitome(&["encode", "equal.bp", "--to", "qdimacs"]);
    let formula = read(stdout(&written).as_bytes()).expect("what was written can be read");
    assert!(formula.to_qbf().is_true());
    for (arguments, message) in [
        (&["generate", "qbf", "missing.qdimacs"][..], "cannot read missing.qdimacs"),
        (&["generate", "sat", "equal.bp"], "equal.bp: line"),
        (&["generate", "qbf", "equal.qdimacs", "--safe"], "--safe"),
        (&["encode", "equal.bp", "--to", "qdimacs", "--depth", "3"], "--depth"),
        (&["encode", "equal.bp", "--to", "cnf", "--qbf", "flat"], "--qbf goes with"),
    ] {
        let refused = epitome(arguments);
        assert_eq!(code(&refused), 2, "{arguments:?}");
        assert!(stderr(&refused).contains(message), "{arguments:?}: {}", stderr(&refused));
    }
}

/// A script in a folder, as a solver.
#[cfg(unix)]
fn script(folder: &std::path::Path, name: &str, lines: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("it can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be made executable");
    path.display().to_string()
}

/// Solvers of others are believed only if all they say fits together. What they did instead is told.
#[cfg(unix)]
#[test]
fn unexpected_answers_are_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("lock.bp");
    std::fs::write(&program, generate("lock", 2, Version::Unsafe).expect("a program")).expect("it can be written");
    let check = |solver: &str| {
        let mut command = Command::cargo_bin("epitome").expect("it is built");
        command.args(["check", "lock.bp", "--timeout", "2s", "--qbf-solver", solver]);
        command.current_dir(folder.path()).output().expect("it runs")
    };
    for (name, lines, message) in [
        ("liar", "echo 's cnf 0 1 1'; exit 10", "10, but `s cnf 0 1 1`"),
        ("other", "echo UNSAT; exit 10", "10, but `UNSAT`"),
        ("silent", "exit 0", "exit status: 0; output: ``"),
        ("broken", "kill -SEGV $$", "signal: 11"),
        ("unsure", "echo 's cnf -1 1 1'; exit 10", "s cnf -1 1 1"),
        ("failing", "echo 'no license' >&2; exit 3", "exit status: 3; output: `no license`"),
        ("wordy", "head -c 100000 /dev/zero; exit 1", "exit status: 1"),
    ] {
        let ended = check(&script(folder.path(), name, lines));
        let said = stdout(&ended);
        assert_eq!((code(&ended), stderr(&ended).as_str()), (3, ""), "{name}: {said}");
        assert!(said.contains("UNKNOWN(solver: `") && said.contains(name) && said.contains(message), "{name}: {said}");
    }
    let missing = check("no-such-solver");
    let said = stdout(&missing);
    assert!(
        code(&missing) == 3 && said.contains("UNKNOWN(solver: cannot run `no-such-solver`: No such file"),
        "{said}"
    );
    let slow = check(&script(folder.path(), "slow", "exec sleep 60"));
    assert_eq!(code(&slow), 3, "{}", stderr(&slow));
    assert!(stdout(&slow).ends_with("Verdict: UNKNOWN(timeout)\n"), "{}", stdout(&slow));
}

/// DepQBF in place of our solver: the same verdicts, with runs.
#[test]
fn depqbf_as_the_solver() {
    if !has_depqbf() {
        return;
    }
    let solver = qbf::External::named("depqbf").expect("a command");
    let engine = Engine::Quantify(quantify::Options {
        solver: Some(Box::leak(Box::new(solver))),
        ..quantify::Options::default()
    });
    let shape = Shape { recursion: false, ..Shape::tiny() };
    for seed in 0..60 {
        let program = Program::Bp(parse(&random_program(seed, &shape)));
        let checker = Checker::new(&program);
        let verdict =
            |engine| checker.check(&Query::Failures, engine, &Limits::none(), &mut |_| ()).expect("a report").verdict;
        assert_eq!(verdict(engine), verdict(Engine::Auto), "seed {seed}");
    }
}

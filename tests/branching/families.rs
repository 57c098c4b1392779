//! Families whose answers are known otherwise, and what they cost.

use super::common::parse;
use super::common::seeds::times;
use super::{answer, branching, holds};
use epitome::engine::Statistics;
use epitome::limits::Limits;
use epitome::logic::{Branching, Query};
use epitome::solver::qbf;
use epitome::syntax::{Program, Source, rsm};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::{
    Alternation, EXPSPACE, Player, QBF_EXITS, SplitMix64, TapeMachine, TapeStep, expspace, qbf_ctl, qbf_exits,
};
use epitome_encodings::qdimacs;
use std::fmt::Write;
use std::sync::Arc;

fn read(text: &str) -> Program {
    let source = Source::new("test.rsm", text);
    Program::Rsm(rsm::parse(&source).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].render(&source))).0)
}

/// A random quantified formula: prefix, clauses, and its truth by our QBF solver.
fn random_formula(seed: u64) -> (Vec<(u32, Player)>, Vec<Vec<i32>>, bool) {
    let mut random = SplitMix64::new(seed);
    let variables = 1 + random.below(5) as u32;
    let player = |random: &mut SplitMix64| if random.chance(1, 2) { Player::Exists } else { Player::Forall };
    let prefix: Vec<(u32, Player)> = (1..=variables).map(|variable| (variable, player(&mut random))).collect();
    let literal = |random: &mut SplitMix64| {
        let variable = 1 + random.below(u64::from(variables)) as i32;
        if random.chance(1, 2) { variable } else { -variable }
    };
    let clauses: Vec<Vec<i32>> =
        (0..random.below(7)).map(|_| (0..1 + random.below(3)).map(|_| literal(&mut random)).collect()).collect();
    let mut text = format!("p cnf {variables} {}\n", clauses.len());
    for (variable, player) in &prefix {
        let _ = writeln!(text, "{} {variable} 0", if *player == Player::Exists { "e" } else { "a" });
    }
    for clause in &clauses {
        let literals: Vec<String> = clause.iter().map(i32::to_string).collect();
        let _ = writeln!(text, "{} 0", literals.join(" "));
    }
    let formula = qdimacs::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let is_true = qbf::solve(&formula.to_qbf(), &Limits::none()).expect("no limits").is_true;
    (prefix, clauses, is_true)
}

/// Alur-HSM, Theorems 9 and 11: the question about the machine is the quantified formula.
#[test]
fn quantified_formulas_are_questions_of_ctl() {
    let mut truths = [0, 0];
    for seed in 0..200 * times() {
        let (prefix, clauses, is_true) = random_formula(seed);
        let matrix = || clauses.iter().map(Vec::as_slice);
        truths[usize::from(is_true)] += 1;
        let single = qbf_ctl("test", &prefix, matrix(), Some(is_true));
        let formula = single.lines().find_map(|line| line.strip_prefix("// ctl: ")).expect("a formula").to_owned();
        // Diagrams take their time here.
        let ask = |program: &Program, formula: &str| match seed % 8 {
            0 => holds(program, formula),
            _ => answer(program, &Query::Branching(Arc::new(branching(formula))), Engine::Expand(None)),
        };
        assert_eq!(ask(&read(&single), &formula), is_true, "seed {seed}\n{single}");
        let exits = qbf_exits("test", &prefix, matrix(), Some(is_true));
        assert_eq!(ask(&read(&exits), QBF_EXITS), is_true, "seed {seed}\n{exits}");
    }
    assert!(truths.iter().all(|&count| count > 50), "{truths:?}");
}

/// A random machine whose states only go up, so that it halts.
fn random_machine(seed: u64) -> TapeMachine {
    let mut random = SplitMix64::new(seed);
    let inner = 1 + random.below(3) as usize;
    let kind = |random: &mut SplitMix64| if random.chance(1, 2) { Alternation::Exists } else { Alternation::Forall };
    let mut states: Vec<Alternation> = (0..inner).map(|_| kind(&mut random)).collect();
    states.extend([Alternation::Accept, Alternation::Reject]);
    let mut steps = Vec::new();
    for state in 0..inner {
        for symbol in [false, true] {
            for _ in 0..random.below(3) {
                let to = state + 1 + random.below((states.len() - state - 1) as u64) as usize;
                let (written, right) = (random.chance(1, 2), random.chance(1, 2));
                steps.push(TapeStep { from: (state, symbol), to: (to, written), right });
            }
        }
    }
    TapeMachine { states, steps, input: (0..random.below(3)).map(|_| random.chance(1, 2)).collect() }
}

/// Godefroid, Theorem 10: the question about the program is whether the alternating machine accepts.
#[test]
fn alternating_machines_with_long_tapes_are_questions_of_ctl() {
    let ask = |machine: &TapeMachine, n: u32| {
        let accepts = machine.accepts(1 << n);
        let text = expspace(machine, n, accepts);
        assert_eq!(holds(&Program::Bp(parse(&text)), EXPSPACE), accepts, "{machine:?}, 2^{n} cells");
        accepts
    };
    let answers: Vec<bool> = (0..60 * times()).map(|seed| ask(&random_machine(seed), 1)).collect();
    assert!(answers.iter().filter(|accepts| **accepts).count() > 10 && answers.iter().any(|accepts| !accepts));
    for n in 1..=2 {
        assert!(ask(&TapeMachine::copy_game(false), n));
        assert!(!ask(&TapeMachine::copy_game(true), n));
    }
}

fn statistics(program: &Program, formula: &str) -> (Verdict, Statistics) {
    let property = Branching::ctl(formula).unwrap_or_else(|error| panic!("{formula}: {error}")).0;
    let query = Query::Branching(Arc::new(property));
    let report = Checker::new(program).check(&query, Engine::Expand(None), &Limits::none(), &mut |_| ());
    let report = report.unwrap_or_else(|error| panic!("{formula}: {error}"));
    (report.verdict, report.statistics)
}

/// A hierarchy of so many levels with single exits, each of which calls the next twice: 2^levels states when flattened.
fn tower(levels: usize) -> String {
    let mut text = String::new();
    for level in 0..levels {
        let _ = write!(
            text,
            "machine M{level} {{ entry e; exit x; node n {{q}}; box a: M{next}; box b: M{next};\n\
             e -> a.e; a.x -> n; n -> b.e; n -> x; b.x -> x; }}\n",
            next = level + 1
        );
    }
    let _ =
        write!(text, "machine M{levels} {{ entry e; exit x; node n {{p}}; e -> n; n -> n; n -> x; }}\ninit M0.e;\n");
    text
}

/// Alur-HSM, Theorem 8: for a fixed formula the work is linear in a hierarchy with single exits, over three decades.
#[test]
fn hierarchies_with_single_exits_are_linear() {
    for formula in ["AG EF p", "EG !p", "A (!q U p)", "AG (q -> EX (E (!p U q)))"] {
        let work = |levels: usize| statistics(&read(&tower(levels)), formula).1.iterations as f64 / levels as f64;
        let each = [10, 100, 1_000, 10_000].map(work);
        let most = each.iter().copied().fold(0.0, f64::max);
        assert!(most <= 1.3 * each[1], "{formula}: copies for each level {each:?}");
    }
}

/// Godefroid, Theorems 11 and 12: deterministic machines with many exits are linear, too.
#[test]
fn deterministic_machines_with_many_exits_are_linear() {
    let text = |exits: usize| {
        let list = |prefix: &str| (0..exits).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(", ");
        let mut text = format!("machine M {{ entry e; node {}; box b: S;\ne -> b.e0;\n", list("n"));
        for i in 0..exits {
            let next = if i + 1 < exits { format!("b.e{}", i + 1) } else { format!("n{i}") };
            let _ = writeln!(text, "b.x{i} -> n{i}; n{i} -> {next};");
        }
        let _ = write!(text, "}}\nmachine S {{ entry {}; exit {};\n", list("e"), list("x"));
        (0..exits).for_each(|i| {
            let _ = writeln!(text, "e{i} -> x{i};");
        });
        text.push_str("}\ninit M.e;\n");
        text
    };
    for formula in ["EF n3", "AG (n3 -> EF n4)", "A (!n4 U n3)"] {
        let work = |exits: usize| statistics(&read(&text(exits)), formula).1.iterations as f64 / exits as f64;
        let each = [10, 100, 1_000].map(work);
        assert!(each[2] <= 1.5 * each[0], "{formula}: copies for each exit {each:?}");
    }
}

/// The digital clock (Alur-HSM 1): 86,400 states when flattened.
#[test]
fn the_clock_is_not_flattened() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/clock.rsm")).expect("an example");
    let program = read(&text);
    for (formula, expected) in [("AG AF midnight", true), ("AG EF midnight", true), ("AF AG !midnight", false)] {
        let (verdict, statistics) = statistics(&program, formula);
        assert_eq!(verdict == Verdict::Holds, expected, "{formula}");
        assert!(statistics.iterations < 2_000, "{formula}: {}", statistics.iterations);
    }
}

/// A recursion that never ends, and one that can: whether a state can come back is another question at every depth.
#[test]
fn unbounded_recursion() {
    let program = read(
        "machine M { entry e; node up {u}, down {d}; exit x; box b: M; e -> up; up -> b.e; up -> down; b.x -> down; down -> x; } init M.e;",
    );
    for (formula, expected) in [
        ("AG EF d", false),
        ("AG (EF d | end)", true),
        ("AF d", false),
        ("EG !d", true),
        ("AG (d -> AF at(x))", true),
        ("AG (u -> EX e)", true),
        ("E ((e | u) U (d & AX (x & EX x)))", true),
        ("AG (d -> AG !u)", true),
    ] {
        assert_eq!(holds(&program, formula), expected, "{formula}");
    }
    let property = Branching::ctl("AG (d -> AG !u)").expect("a formula").0;
    assert!(answer(&program, &Query::Branching(Arc::new(property)), Engine::Auto));
}

//! Random programs and random formulas.

use super::common::configurations::configurations;
use super::common::seeds::times;
use super::common::shrink::shrink;
use super::common::{parse, try_parse};
use super::formulas::{random_ctl, random_ctl_star};
use super::{holds, holds_linear, holds_with};
use epitome::logic::Blocked;
use epitome::syntax::{Program, Var, bp};
use epitome_automata::{Formulas, Logic, parse_in};
use epitome_benchmarks::{Shape, SplitMix64, random_program};
use std::io::Write;

/// Atoms that a program has.
fn atoms(program: &bp::Program) -> Vec<String> {
    let globals = (0..program.globals.len()).map(|index| program.var_name(0, Var::Global(index as u32)).to_owned());
    let mut atoms: Vec<String> = globals.collect();
    for (index, procedure) in program.procedures.iter().enumerate() {
        let name = program.names.text(procedure.name);
        atoms.push(format!("in({name})"));
        let locals = (0..procedure.locals.len()).map(|local| program.var_name(index, Var::Local(local as u32)));
        atoms.extend(locals.map(|local| format!("{name}.{local}")));
    }
    atoms.push("end".to_owned());
    atoms.retain(|atom| !atom.contains('{'));
    atoms
}

/// What the reference says, if the program is small enough.
fn expected(program: &bp::Program, formula: &str, blocked: Blocked) -> Option<bool> {
    // Where some state has no run the reference guesses, which takes long.
    let most = if blocked == Blocked::Stutter { 300 } else { 40 };
    let mut formulas = Formulas::default();
    let parsed = parse_in(Logic::CtlStar, formula, &mut formulas).unwrap_or_else(|error| panic!("{formula}: {error}"));
    let graph = configurations(program, formulas.atoms(), (4, most), blocked)?;
    Some(graph.satisfies(&formulas, parsed.formula))
}

fn differs(program: &bp::Program, formula: &str) -> Option<bool> {
    let source = Program::Bp(program.clone());
    let mut differs = false;
    for blocked in [Blocked::Stutter, Blocked::Discard] {
        match expected(program, formula, blocked) {
            Some(expected) => differs |= holds_with(&source, formula, blocked) != expected,
            None if blocked == Blocked::Stutter => return None,
            None => {}
        }
    }
    Some(differs)
}

/// How many questions the reference could answer; printed, for runs with more seeds.
fn agree(shape: &Shape, seeds: std::ops::Range<u64>, formula: fn(&mut SplitMix64, &[String], u64) -> String) -> usize {
    let mut answered = 0;
    for seed in seeds.start..seeds.start + (seeds.end - seeds.start) * times() {
        let text = random_program(seed, shape);
        let program = parse(&text);
        let mut random = SplitMix64::new(seed);
        let atoms = atoms(&program);
        for _ in 0..4 {
            let size = 1 + random.below(5);
            let formula = formula(&mut random, &atoms, size);
            match differs(&program, &formula) {
                None => break,
                Some(false) => answered += 1,
                Some(true) => {
                    let still = |text: &str| {
                        try_parse(text).is_ok_and(|program| {
                            let own = self::atoms(&program);
                            super::branching(&formula).atoms.iter().all(|atom| own.contains(atom))
                                && differs(&program, &formula) == Some(true)
                        })
                    };
                    let small = shrink(&text, still);
                    let program = parse(&small);
                    let expected = [Blocked::Stutter, Blocked::Discard].map(|how| expected(&program, &formula, how));
                    panic!("seed {seed}: {formula} is {expected:?}\nshrunk:\n{small}");
                }
            }
        }
    }
    let _ = writeln!(std::io::stdout(), "{answered} questions");
    answered
}

#[test]
fn ctl_on_tiny_programs() {
    assert!(agree(&Shape::tiny(), 0..300, random_ctl) > 300);
}

#[test]
fn ctl_star_on_tiny_programs() {
    assert!(agree(&Shape::tiny(), 1_000..1_150, random_ctl_star) > 150);
}

#[test]
fn ctl_on_hierarchical_programs() {
    assert!(agree(&Shape { statements: 4, ..Shape::hierarchical() }, 2_000..2_200, random_ctl) > 50);
}

#[test]
fn ctl_on_deterministic_programs() {
    assert!(agree(&Shape { statements: 5, ..Shape::deterministic() }, 3_000..3_200, random_ctl) > 50);
}

/// `A f` without further quantifiers is what linear time says of all runs; recursive programs are not too deep for that.
#[test]
fn all_runs_are_those_of_linear_time() {
    let shape = Shape { statements: 6, globals: 2, locals: 1, ..Shape::general() };
    for seed in 4_000..4_000 + 100 * times() {
        let program = parse(&random_program(seed, &shape));
        let mut random = SplitMix64::new(seed);
        let atoms = atoms(&program);
        let program = Program::Bp(program);
        for _ in 0..3 {
            let formula = random_ctl(&mut random, &atoms, 4).replace(['A', 'E'], "");
            let (linear, branching) = (holds_linear(&program, &formula), holds(&program, &format!("A ({formula})")));
            assert_eq!(linear, branching, "seed {seed}: {formula}");
        }
    }
}

/// Formulas that mean the same.
#[test]
fn laws_hold() {
    let laws: [(&str, &str); 14] = [
        ("A X (P)", "!E X !(P)"),
        ("A F (P)", "!E G !(P)"),
        ("A G (P)", "!E F !(P)"),
        ("E F (P)", "E (true U (P))"),
        ("E F (P)", "(P) | E X E F (P)"),
        ("E G (P)", "(P) & E X E G (P)"),
        ("A F (P)", "(P) | A X A F (P)"),
        ("E ((P) U (Q))", "(Q) | ((P) & E X E ((P) U (Q)))"),
        ("A ((P) U (Q))", "!E (!(Q) U (!(P) & !(Q))) & !E G !(Q)"),
        ("E ((P) R (Q))", "!A (!(P) U !(Q))"),
        ("E ((P) W (Q))", "E ((P) U (Q)) | E G (P)"),
        ("E F E F (P)", "E F (P)"),
        ("A G A G (P)", "A G (P)"),
        ("E X ((P) & F (Q))", "E X ((P) & E F (Q))"),
    ];
    let shape = Shape { statements: 6, globals: 2, locals: 1, ..Shape::general() };
    for seed in 5_000..5_000 + 15 * times() {
        let program = parse(&random_program(seed, &shape));
        let mut random = SplitMix64::new(seed);
        let atoms = atoms(&program);
        let (p, q) = (random_ctl(&mut random, &atoms, 2), random_ctl(&mut random, &atoms, 1));
        let program = Program::Bp(program);
        for (left, right) in laws {
            let [left, right] = [left, right].map(|law| law.replace('P', "%1").replace('Q', "%2"));
            let [left, right] = [left, right].map(|law| law.replace("%1", &p).replace("%2", &q));
            let answers = [&left, &right].map(|formula| holds(&program, formula));
            assert_eq!(answers[0], answers[1], "seed {seed}: {left} against {right}");
        }
    }
}

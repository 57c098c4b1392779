//! Random programs and random formulas.

use super::common::configurations::configurations;
use super::common::seeds::times;
use super::common::shrink::shrink;
use super::common::try_parse;
use super::formulas::random_formula;
use super::{check, difference, engines, holds, linear};
use epitome::limits::Limits;
use epitome::logic::{Query, Stack};
use epitome::syntax::{Program, Var, bp};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::{Shape, SplitMix64, random_program};
use std::sync::Arc;

/// Atoms that a program has.
fn atoms(program: &bp::Program) -> Vec<String> {
    let globals = (0..program.globals.len()).map(|index| program.var_name(0, Var::Global(index as u32)).to_owned());
    let mut atoms: Vec<String> = globals.filter(|name| !name.starts_with('{')).collect();
    for (index, procedure) in program.procedures.iter().enumerate() {
        let name = program.names.text(procedure.name);
        atoms.push(format!("in({name})"));
        let locals = (0..procedure.locals.len()).map(|local| program.var_name(index, Var::Local(local as u32)));
        atoms.extend(locals.filter(|local| !local.starts_with('{')).map(|local| format!("{name}.{local}")));
    }
    atoms.push("end".to_owned());
    atoms.retain(|atom| !atom.contains('{'));
    atoms
}

/// The difference that a formula makes on a program, also to the reference where that is possible.
fn differs(program: &bp::Program, formula: &str, stack: Stack) -> Option<String> {
    let linear = linear(formula, stack);
    let temporal = formula.matches(['X', 'F', 'G', 'U', 'W', 'R', 'M']).count();
    let graph = (stack == Stack::Any && temporal <= 4)
        .then(|| configurations(program, &linear.atoms, (4, 400), linear.blocked))
        .flatten();
    let expected =
        graph.zip(linear.formula.as_ref()).map(|(graph, (formulas, formula))| !graph.violates(formulas, *formula));
    difference(&Program::Bp(program.clone()), &linear, expected)
}

fn agree(shape: &Shape, seeds: std::ops::Range<u64>, size: u64) {
    for seed in seeds.start..seeds.start + (seeds.end - seeds.start) * times() {
        let text = random_program(seed, shape);
        let program = super::common::parse(&text);
        let mut random = SplitMix64::new(seed);
        let atoms = atoms(&program);
        for _ in 0..3 {
            let formula = random_formula(&mut random, &atoms, size);
            let stack = [Stack::Any, Stack::Any, Stack::Bounded, Stack::Unbounded][random.below(4) as usize];
            if let Some(found) = differs(&program, &formula, stack) {
                let still = |text: &str| {
                    let has_all = |program: &bp::Program| {
                        let resolved = super::linear(&formula, stack);
                        let own = self::atoms(program);
                        resolved.atoms.iter().all(|atom| own.contains(atom))
                    };
                    try_parse(text)
                        .is_ok_and(|program| has_all(&program) && differs(&program, &formula, stack).is_some())
                };
                let small = shrink(&text, still);
                panic!("seed {seed}: {found}\nshrunk:\n{small}");
            }
        }
    }
}

#[test]
fn engines_agree_on_tiny_programs() {
    agree(&Shape::tiny(), 0..150, 4);
}

#[test]
fn engines_agree_on_programs_without_locals() {
    agree(&Shape { locals: 0, parameters: 0, results: 0, ..Shape::tiny() }, 500..560, 4);
}

/// All engines of the plan race from the start; whoever is first is right.
#[test]
fn races_are_won_by_who_is_right() {
    let shape = Shape { statements: 6, ..Shape::general() };
    for seed in 8_000..8_000 + 20 * times() {
        let program = super::common::parse(&random_program(seed, &shape));
        let mut random = SplitMix64::new(seed);
        let formula = random_formula(&mut random, &atoms(&program), 3);
        let (program, linear) = (Program::Bp(program), linear(&formula, Stack::Any));
        let expected = holds(&program, &linear, engines()[0].1);
        let query = Query::Linear(Arc::new(linear));
        let checker = Checker::new(&program).with_threads(2);
        let alone = checker.check(&query, Engine::Auto, &Limits::none(), &mut |_| ()).expect("an answer");
        assert_eq!(alone.verdict == Verdict::Holds, expected, "seed {seed}: {formula}");
        let checker = checker.without_head_start();
        let raced = checker.check(&query, Engine::Auto, &Limits::none(), &mut |_| ()).expect("an answer");
        assert_eq!(raced.verdict == Verdict::Holds, expected, "seed {seed}: {formula}");
    }
}

#[test]
fn engines_agree_on_hierarchical_programs() {
    agree(&Shape { statements: 5, ..Shape::hierarchical() }, 1_000..1_060, 4);
}

#[test]
fn engines_agree_on_recursive_programs() {
    agree(&Shape { statements: 6, ..Shape::general() }, 2_000..2_060, 4);
}

#[test]
fn engines_agree_on_deterministic_programs() {
    agree(&Shape { statements: 6, ..Shape::deterministic() }, 3_000..3_060, 4);
}

/// Formulas that mean the same.
#[test]
fn laws_hold() {
    let laws: [(&str, &str); 12] = [
        ("F (A)", "true U (A)"),
        ("G (A)", "!F !(A)"),
        ("F (A)", "(A) | X F (A)"),
        ("G (A)", "(A) & X G (A)"),
        ("(A) U (B)", "(B) | ((A) & X ((A) U (B)))"),
        ("(A) W (B)", "((A) U (B)) | G (A)"),
        ("(A) R (B)", "!(!(A) U !(B))"),
        ("(A) M (B)", "((A) R (B)) & F (A)"),
        ("G F (A)", "G F X (A)"),
        ("F G (A)", "!G F !(A)"),
        ("X ((A) U (B))", "(X (A)) U (X (B))"),
        ("!X (A)", "X !(A)"),
    ];
    for seed in 5_000..5_000 + 12 * times() {
        let program = super::common::parse(&random_program(seed, &Shape::tiny()));
        let mut random = SplitMix64::new(seed);
        let atoms = atoms(&program);
        let (a, b) = (random_formula(&mut random, &atoms, 2), random_formula(&mut random, &atoms, 1));
        let program = Program::Bp(program);
        for (left, right) in laws {
            let [left, right] = [left, right].map(|law| law.replace('A', &a).replace('B', &b));
            for (name, engine) in engines() {
                let answers = [&left, &right].map(|formula| holds(&program, &linear(formula, Stack::Any), engine));
                assert_eq!(answers[0], answers[1], "seed {seed}, {name}: {left} against {right}");
            }
        }
    }
}

/// Of a program with one run either a formula or its negation holds; and with a run at all not both.
#[test]
fn a_single_run_satisfies_a_formula_or_its_negation() {
    let shape = Shape { statements: 6, ..Shape::deterministic() };
    for seed in 6_000..6_000 + 40 * times() {
        let program = super::common::parse(&random_program(seed, &shape));
        let mut random = SplitMix64::new(seed);
        let formula = random_formula(&mut random, &atoms(&program), 4);
        let (program, negation) = (Program::Bp(program), format!("!({formula})"));
        for (name, engine) in engines() {
            let [yes, no] = [&formula, &negation].map(|f| holds(&program, &linear(f, Stack::Any), engine));
            // `enforce` may leave no way to start.
            assert!(yes || no, "seed {seed}, {name}: neither {formula} nor its negation");
            let empty = holds(&program, &linear("false", Stack::Any), engine);
            assert!(empty || yes != no, "seed {seed}, {name}: both {formula} and its negation");
        }
    }
}

/// A violation is one of a bounded or of an unbounded stack.
#[test]
fn stacks_are_bounded_or_grow() {
    let shape = Shape { statements: 6, ..Shape::general() };
    for seed in 7_000..7_000 + 30 * times() {
        let program = super::common::parse(&random_program(seed, &shape));
        let mut random = SplitMix64::new(seed);
        let formula = random_formula(&mut random, &atoms(&program), 3);
        let program = Program::Bp(program);
        for (name, engine) in engines() {
            let answer = |stack| check(&program, &linear(&formula, stack), engine).verdict == Verdict::Holds;
            let [any, bounded, unbounded] = [Stack::Any, Stack::Bounded, Stack::Unbounded].map(answer);
            assert_eq!(any, bounded && unbounded, "seed {seed}, {name}: {formula}");
        }
    }
}

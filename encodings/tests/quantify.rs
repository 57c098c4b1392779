//! Quantified encodings against the definition: random small systems, whose derivations are found by trying all values.

#[path = "common/random.rs"]
mod random;
#[path = "common/systems.rs"]
mod systems;

use epitome_encodings::{Body, Circuit, Hole, Lit, PredicateId, Recursive, System, adds_nothing, modular, square};
use random::Random;
use std::collections::HashSet;
use systems::{Calls, random_system, reference};

/// More than there are points: nothing is cut.
const DEEP: u32 = 5;

/// Signals that cannot all be true, by trying all values.
fn contradiction(circuit: &Circuit, signals: &[Lit]) -> bool {
    let support = circuit.support(signals.iter().copied());
    let place = |number| support.iter().position(|&other| other == number).expect("an input");
    let value = |signal, row: u32| circuit.evaluate(signal, |number| row >> place(number) & 1 == 1);
    !(0..1u32 << support.len()).any(|row| signals.iter().all(|&signal| value(signal, row)))
}

/// The points of the root, each asked for by itself, as far as all values can be tried. A point may leave open
/// what the second argument is.
fn asked(system: &System, root: PredicateId, knows: bool) -> Vec<(u32, Option<u32>, bool)> {
    let mut checked = Vec::new();
    for (first, second) in (0..2).flat_map(|first| [None, Some(0), Some(1)].map(|second| (first, second))) {
        let values = [Some(first == 1), second.map(|second| second == 1)];
        let mut oracle = |circuit: &Circuit, signals: &[Lit]| knows && contradiction(circuit, signals);
        let encoded = modular(system, root, &values, &mut oracle).expect("no recursion");
        if encoded.qbf.variables() <= 12 {
            checked.push((first, second, encoded.qbf.is_true()));
        }
    }
    checked
}

fn check(system: &System, root: PredicateId, knows: bool, expected: &HashSet<u32>, round: usize) -> usize {
    let asked = asked(system, root, knows);
    for &(first, second, holds) in &asked {
        let fits = |point: &&u32| **point & 1 == first && second.is_none_or(|second| **point >> 1 == second);
        assert_eq!(holds, expected.iter().any(|point| fits(&point)), "round {round}, {first} {second:?}");
    }
    asked.len()
}

/// Predicates that are mostly functions: what holes give back goes into a formula of few signs, as in programs that
/// combine the results of calls.
fn random_functions(random: &mut Random, predicates: usize) -> (System, PredicateId) {
    let mut system = System::default();
    for own in 0..predicates {
        let count = if own == 0 { 0 } else { random.below(4) };
        let inputs: Vec<Lit> = (0..2 + count as u32).map(|number| system.circuit.input(number)).collect();
        let mut known = inputs.clone();
        for _ in 0..random.below(5) {
            let mut pick = || known[random.below(known.len())].negate_if(random.below(6) == 0);
            let (a, b) = (pick(), pick());
            let next = if random.below(3) == 0 { system.circuit.and(a, b) } else { system.circuit.or(a, b) };
            known.push(next);
        }
        let mut pick = || known[random.below(known.len())].negate_if(random.below(8) == 0);
        let (result, guard) = (pick(), pick());
        let guard = if random.below(3) == 0 { guard } else { Lit::TRUE };
        let holes = (0..count).map(|hole| {
            let mut pick = || known[random.below(known.len())].negate_if(random.below(2) == 0);
            let active = pick();
            let active = if random.below(3) == 0 { active } else { Lit::TRUE };
            let argument = if random.below(2) == 0 { inputs[0] } else { Lit::constant(random.below(2) == 0) };
            Hole { active, arguments: [argument, inputs[2 + hole].negate_if(random.below(6) == 0)].into() }
        });
        let holes = holes.collect();
        let callees = (0..count).map(|_| PredicateId(random.below(own) as u32)).collect();
        system.add(Body { arguments: [inputs[0], result].into(), guard, holes }, callees);
    }
    (system, PredicateId(predicates as u32 - 1))
}

#[test]
fn functions() {
    let (mut random, mut count) = (Random(14), 0);
    for round in 0..2_000 {
        let (mut system, root) = random_functions(&mut random, 2 + round % 3);
        if round % 4 != 0 {
            tell_totals(&mut system, 0);
        }
        let expected = reference(&system, root, 0);
        count += check(&system, root, round % 2 == 0, &expected, round);
    }
    assert!(count > 7_000, "{count}");
}

/// Tells of each predicate whether it has a second argument for each first one.
fn tell_totals(system: &mut System, depth: u32) {
    for id in (0..system.len() as u32).map(PredicateId) {
        let points = reference(system, id, depth);
        if (0..2).all(|first| points.iter().any(|point| point & 1 == first)) {
            system.set_total(id, 1..2);
        }
    }
}

#[test]
fn hierarchies() {
    let (mut random, mut count) = (Random(11), 0);
    for round in 0..3_000 {
        let (mut system, root) = random_system(&mut random, 1 + round % 4, Calls::Before);
        if round % 3 != 0 {
            tell_totals(&mut system, 0);
        }
        let expected = reference(&system, root, 0);
        count += check(&system, root, round % 2 == 0, &expected, round);
    }
    assert!(count > 10_000, "{count}");
}

/// A system without loops derives what the one with loops does.
#[test]
fn loops_are_squared() {
    let mut random = Random(12);
    for round in 0..300 {
        let (mut system, root) = random_system(&mut random, 1 + round % 3, Calls::Loops);
        if round % 2 == 0 {
            tell_totals(&mut system, DEEP);
        }
        let squared = square(&system, root).expect("loops only");
        assert_eq!(squared.origins.len(), squared.system.len());
        let expected: HashSet<u32> = reference(&system, root, DEEP);
        assert_eq!(reference(&squared.system, squared.root, 0), expected, "round {round}");
        check(&squared.system, squared.root, true, &expected, round);
    }
}

#[test]
fn recursion_is_refused() {
    let mut random = Random(13);
    let mut refused = 0;
    for _ in 0..100 {
        let (system, root) = random_system(&mut random, 3, Calls::Any);
        match square(&system, root) {
            Err(Recursive) => refused += 1,
            Ok(squared) => {
                let expected = reference(&system, root, 12);
                assert_eq!(reference(&squared.system, squared.root, 0), expected);
            }
        }
    }
    assert!((10..100).contains(&refused), "{refused}");
}

/// That a depth is enough, with recursion of any kind: against the points of both depths.
#[test]
fn depths_that_are_enough() {
    let mut random = Random(11);
    let mut answers = [0; 2];
    for round in 0..1_500 {
        let (system, root) = random_system(&mut random, 1 + round % 3, Calls::Any);
        for depth in 0..3 {
            let [shallow, deep] = [depth, depth + 1].map(|depth| vec![depth; system.len()]);
            let formula = adds_nothing(&system, root, [&shallow, &deep], 10_000);
            let Some(formula) = formula.ok().filter(|formula| formula.variables() <= 12) else { continue };
            let expected = reference(&system, root, depth + 1).is_subset(&reference(&system, root, depth));
            assert_eq!(formula.is_true(), expected, "round {round}, depth {depth}");
            assert!(formula.alternations() <= 1);
            answers[usize::from(expected)] += 1;
        }
    }
    assert!(answers.iter().all(|&count| count > 50), "{answers:?}");
}

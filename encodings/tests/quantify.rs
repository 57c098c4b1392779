//! Quantified encodings against the definition: random small systems, whose derivations are found by trying all values.

#[path = "common/random.rs"]
mod random;
#[path = "common/systems.rs"]
mod systems;

use epitome_encodings::{Lit, PredicateId, Recursive, System, modular, square};
use random::Random;
use std::collections::HashSet;
use systems::{Calls, random_system, reference};

/// More than there are points: nothing is cut.
const DEEP: u32 = 5;

/// The points of the root, each asked for by itself, as far as all values can be tried.
fn asked(system: &System, root: PredicateId, exclusive: bool) -> Vec<(u32, bool)> {
    let mut checked = Vec::new();
    for point in 0..4u32 {
        let values = [point & 1 == 1, point & 2 == 2];
        let mut exclude = |body: &epitome_encodings::Body, signals: [Lit; 2]| {
            let support = system.circuit.support(body.signals());
            let value = |signal, row: u32| {
                let place = |number| support.iter().position(|&other| other == number).expect("an input of the body");
                system.circuit.evaluate(signal, |number| row >> place(number) & 1 == 1)
            };
            let all = [body.guard, signals[0], signals[1]];
            exclusive && !(0..1u32 << support.len()).any(|row| all.iter().all(|&signal| value(signal, row)))
        };
        let encoded = modular(system, root, &values, &mut exclude).expect("no recursion");
        if encoded.qbf.variables() <= 12 {
            checked.push((point, encoded.qbf.is_true()));
        }
    }
    checked
}

#[test]
fn hierarchies() {
    let (mut random, mut count) = (Random(11), 0);
    for round in 0..400 {
        let (system, root) = random_system(&mut random, 1 + round % 4, Calls::Before);
        let expected = reference(&system, root, 0);
        for (point, holds) in asked(&system, root, round % 2 == 0) {
            assert_eq!(holds, expected.contains(&point), "round {round}, point {point}");
            count += 1;
        }
    }
    assert!(count > 1_000, "{count}");
}

/// A system without loops derives what the one with loops does.
#[test]
fn loops_are_squared() {
    let mut random = Random(12);
    for round in 0..300 {
        let (system, root) = random_system(&mut random, 1 + round % 3, Calls::Loops);
        let squared = square(&system, root).expect("loops only");
        assert_eq!(squared.origins.len(), squared.system.len());
        let expected: HashSet<u32> = reference(&system, root, DEEP);
        assert_eq!(reference(&squared.system, squared.root, 0), expected, "round {round}");
        for (point, holds) in asked(&squared.system, squared.root, true) {
            assert_eq!(holds, expected.contains(&point), "round {round}, point {point}");
        }
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

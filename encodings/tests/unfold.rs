//! Unfoldings against the definition: random small systems, whose derivations up to a depth are found by trying
//! all values; models are derivations; the size is what was foretold, and foretold at once.

#[path = "common/random.rs"]
mod random;
#[path = "common/systems.rs"]
mod systems;

use epitome_encodings::{
    Body, Clauses, Cnf, Encoder, Encoding, Extent, Hole, Lit, Polarity, PredicateId, System, UnfoldError, Unfolding,
    Variables,
};
use random::Random;
use systems::{Calls, random_system, reference};
use varisat::ExtendFormula;

/// A model, as values of variables.
fn solve(cnf: &Cnf) -> Option<Vec<bool>> {
    let mut solver = varisat::Solver::new();
    for clause in cnf.clauses() {
        let clause: Vec<varisat::Lit> = clause.iter().map(|&l| varisat::Lit::from_dimacs(l as isize)).collect();
        solver.add_clause(&clause);
    }
    let is_satisfiable = solver.solve().expect("no limits");
    is_satisfiable.then(|| {
        let mut values = vec![false; cnf.variables() as usize + 1];
        for literal in solver.model().expect("a model").iter().filter(|literal| literal.is_positive()) {
            values[literal.to_dimacs() as usize] = true;
        }
        values
    })
}

/// Every copy that a model uses is a step of a derivation, by the system alone; gives the root's point.
fn derived(system: &System, unfolding: &Unfolding, encoder: &Encoder, model: &[bool]) -> u32 {
    let values = unfolding.values(encoder, |literal| model[literal.unsigned_abs() as usize] == (literal > 0));
    let point = |arguments: &[Lit]| -> Vec<bool> { arguments.iter().map(|&signal| values.get(signal)).collect() };
    for instance in unfolding.instances.iter().filter(|instance| values.get(instance.used)) {
        let body = system.body(instance.predicate);
        let input = |number| instance.inputs.iter().any(|&(other, signal)| other == number && values.get(signal));
        let value = |signal| system.circuit.evaluate(signal, input);
        assert!(value(body.guard));
        let all = |signals: &[Lit]| -> Vec<bool> { signals.iter().map(|&signal| value(signal)).collect() };
        assert_eq!(all(&body.arguments), point(&instance.arguments));
        for (number, hole) in body.holes.iter().enumerate().filter(|(_, hole)| value(hole.active)) {
            let inside = instance.holes[number].expect("an active hole is filled");
            let inside = &unfolding.instances[inside as usize];
            assert!(values.get(inside.used));
            assert_eq!(inside.predicate, system.callees(instance.predicate)[number]);
            assert_eq!(all(&hole.arguments), point(&inside.arguments));
        }
    }
    point(&unfolding.instances[0].arguments).iter().rev().fold(0, |all, &value| all << 1 | u32::from(value))
}

/// All points of the root, each asked for by itself.
fn check(system: &System, root: PredicateId, depth: Option<u32>) {
    let expected = reference(system, root, depth.unwrap_or(0));
    let unfolding = Unfolding::new(system, root, Extent { depth, most_clauses: 10_000 });
    let Ok(unfolding) = unfolding else { return };
    for encoding in [Encoding::Tseitin, Encoding::PlaistedGreenbaum] {
        let (mut cnf, mut variables) = (Cnf::default(), Variables::default());
        let encoder = unfolding.encode(encoding, &mut variables, &mut cnf);
        let clauses = cnf.len() as u64;
        assert!(Unfolding::new(system, root, Extent { depth, most_clauses: clauses.saturating_sub(1) }).is_err());
        assert_eq!(solve(&cnf).is_some(), !expected.is_empty());
        for wanted in 0..4u32 {
            let (mut cnf, mut encoder, mut variables) = (cnf.clone(), encoder.clone(), variables.clone());
            for (bit, &argument) in unfolding.instances[0].arguments.iter().enumerate() {
                let literal = encoder.encode(&unfolding.circuit, argument, Polarity::Both, &mut variables, &mut cnf);
                cnf.add(&[if wanted >> bit & 1 == 1 { literal } else { -literal }]);
            }
            let model = solve(&cnf);
            assert_eq!(model.is_some(), expected.contains(&wanted), "{system:?} {wanted}");
            if let Some(model) = model {
                assert_eq!(derived(system, &unfolding, &encoder, &model), wanted);
            }
        }
    }
}

#[test]
fn acyclic_systems() {
    let mut random = Random(11);
    for round in 0..1_500 {
        let (system, root) = random_system(&mut random, 1 + round % 4, Calls::Before);
        check(&system, root, None);
        check(&system, root, Some(1));
    }
}

#[test]
fn cyclic_systems_up_to_a_depth() {
    let mut random = Random(5);
    let mut cut = 0;
    for round in 0..500 {
        let (system, root) = random_system(&mut random, 1 + round % 3, Calls::Any);
        for depth in 0..4 {
            check(&system, root, Some(depth));
        }
        if let Ok(unfolding) = Unfolding::new(&system, root, Extent { depth: Some(3), most_clauses: 10_000 }) {
            cut += u32::from(unfolding.is_cut);
        } else {
            cut += 1;
        }
    }
    assert!(cut > 100, "{cut}");
}

/// A hundred levels that call the next twice: 2^100 copies are not built, and a loop without a depth is an
/// error whatever its size.
#[test]
fn size_is_foretold() {
    let mut system = System::default();
    let x = system.circuit.input(0);
    let hole = || Hole { active: Lit::TRUE, arguments: [x].into() };
    let mut last = system.add(Body { arguments: [x].into(), guard: x, holes: [].into() }, [].into());
    let mut sizes = Vec::new();
    for _ in 0..100 {
        let body = Body { arguments: [x].into(), guard: Lit::TRUE, holes: [hole(), hole()].into() };
        last = system.add(body, [last, last].into());
        match Unfolding::new(&system, last, Extent { depth: None, most_clauses: 1 << 12 }) {
            Ok(unfolding) => sizes.push(unfolding.instances.len()),
            Err(error) => assert!(matches!(error, UnfoldError::TooLarge { clauses } if clauses > 1 << 12), "{error}"),
        }
    }
    assert_eq!(sizes, [3, 7, 15, 31, 63, 127, 255, 511]);
    let own = PredicateId(system.len() as u32);
    let looping = system.add(Body { arguments: [x].into(), guard: x, holes: [hole()].into() }, [own].into());
    let unfold = |depth, most_clauses| Unfolding::new(&system, looping, Extent { depth, most_clauses });
    assert_eq!(unfold(None, 1 << 40).err(), Some(UnfoldError::Cyclic));
    assert!(matches!(unfold(Some(u32::MAX), 1_000).err(), Some(UnfoldError::TooLarge { .. })));
    // Ten thousand that call each other in a circle, to a depth of thousands of millions: the limit ends that.
    let first = system.len() as u32;
    for next in (1..10_000).chain([0]) {
        system
            .add(Body { arguments: [x].into(), guard: x, holes: [hole()].into() }, [PredicateId(first + next)].into());
    }
    let extent = Extent { depth: Some(u32::MAX), most_clauses: 100_000 };
    let error = Unfolding::new(&system, PredicateId(first), extent).err();
    assert!(matches!(error, Some(UnfoldError::TooLarge { clauses: 100_001..110_000 })), "{error:?}");
    let unfold = |depth, most_clauses| Unfolding::new(&system, looping, Extent { depth, most_clauses });
    let unfolding = unfold(Some(10), 1_000).expect("small");
    assert_eq!((unfolding.instances.len(), unfolding.is_cut), (11, true));
}

/// What a call is asked for is not copied: a chain of identities is one variable, whatever its length.
#[test]
fn arguments_that_are_inputs_cost_nothing() {
    let mut system = System::default();
    let [x, y] = [0, 1].map(|number| system.circuit.input(number));
    let guard = system.circuit.and(x, !y);
    let mut last = system.add(Body { arguments: [x, y].into(), guard, holes: [].into() }, [].into());
    for _ in 0..1_000 {
        let hole = Hole { active: Lit::TRUE, arguments: [x, y].into() };
        let body = Body { arguments: [x, y].into(), guard: Lit::TRUE, holes: [hole].into() };
        last = system.add(body, [last].into());
    }
    let unfolding = Unfolding::new(&system, last, Extent { depth: None, most_clauses: u64::MAX }).expect("no limits");
    let (mut cnf, mut variables) = (Cnf::default(), Variables::default());
    unfolding.encode(Encoding::PlaistedGreenbaum, &mut variables, &mut cnf);
    assert_eq!((unfolding.instances.len(), variables.count(), cnf.len()), (1_001, 3, 3));
}

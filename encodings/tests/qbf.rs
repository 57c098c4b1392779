//! Quantified formulas and their files: what is written means what it meant, what is wrong is said with its line.

#[path = "common/random.rs"]
mod random;

use epitome_encodings::{Circuit, Lit, Qbf, Quantifier, qcir, qdimacs};
use random::Random;
use std::collections::HashMap;

/// A circuit over a few inputs, quantified at random.
fn some(seed: u64, gates: usize) -> Qbf {
    let mut random = Random(seed * 2_654_435_761 + 1);
    for _ in 0..10 {
        random.below(2);
    }
    let mut circuit = Circuit::new();
    let inputs = 1 + random.below(6) as u32;
    let mut signals: Vec<Lit> = (0..inputs).map(|number| circuit.input(3 * number)).collect();
    for _ in 0..random.below(gates) {
        let [a, b, c] = [(); 3].map(|()| signals[random.below(signals.len())].negate_if(random.below(2) == 1));
        signals.push(match random.below(4) {
            0 => circuit.xor(a, b),
            1 => circuit.ite(a, b, c),
            2 => circuit.and(a, b),
            _ => circuit.or(a, b),
        });
    }
    let matrix = match (random.below(12), signals[random.below(signals.len())]) {
        (0, _) => Lit::constant(random.below(2) == 1),
        (1..6, one) => one,
        (_, one) => signals.iter().rev().take(3).fold(one, |all, &signal| circuit.and(all, signal)),
    };
    let prefix: Vec<_> = (0..inputs)
        .map(|number| (if random.below(2) == 1 { Quantifier::Exists } else { Quantifier::Forall }, vec![3 * number]))
        .collect();
    Qbf::new(circuit, prefix, matrix)
}

/// The truth of a game by playing it, without rows and bits.
fn played(qbf: &Qbf, values: &mut HashMap<u32, bool>, place: usize) -> bool {
    let inputs: Vec<(u32, Quantifier)> =
        qbf.prefix().iter().flat_map(|block| block.inputs.iter().map(|&input| (input, block.quantifier))).collect();
    let Some(&(input, quantifier)) = inputs.get(place) else {
        return qbf.circuit().evaluate(qbf.matrix(), |input| values[&input]);
    };
    let mut with = |value| {
        values.insert(input, value);
        played(qbf, values, place + 1)
    };
    let (no, yes) = (with(false), with(true));
    if quantifier == Quantifier::Exists { no || yes } else { no && yes }
}

#[test]
fn truth_is_what_playing_finds() {
    let mut truths = [0; 2];
    for seed in 0..2_000 {
        let qbf = some(seed, 12);
        let truth = played(&qbf, &mut HashMap::new(), 0);
        assert_eq!(qbf.is_true(), truth, "seed {seed}");
        truths[usize::from(truth)] += 1;
    }
    assert!(truths.iter().all(|&count| count > 300), "{truths:?}");
}

#[test]
fn prefixes_are_normal() {
    for seed in 0..500 {
        let qbf = some(seed, 12);
        let support = qbf.circuit().support([qbf.matrix()]);
        let mut quantified: Vec<u32> = qbf.prefix().iter().flat_map(|block| block.inputs.clone()).collect();
        quantified.sort_unstable();
        assert_eq!(quantified, support);
        assert!(qbf.prefix().iter().all(|block| !block.inputs.is_empty()));
        assert!(qbf.prefix().windows(2).all(|pair| pair[0].quantifier != pair[1].quantifier));
    }
}

#[test]
fn simplified_formulas_mean_the_same() {
    let mut plain = 0;
    for seed in 0..3_000 {
        let qbf = some(seed, 12);
        let (simple, values) = qbf.clone().simplified();
        assert_eq!(simple.is_true(), qbf.is_true(), "seed {seed}");
        // The values of the outermost block win if any do.
        let owner = qbf.prefix().first().map(|block| (block.quantifier, block.inputs.clone()));
        if let Some((quantifier, inputs)) = owner {
            let fixed: HashMap<u32, bool> =
                values.iter().copied().filter(|(input, _)| inputs.contains(input)).collect();
            let mut circuit = qbf.circuit().clone();
            let matrix = circuit.substitute(qbf.matrix(), &mut Default::default(), |circuit, input| {
                fixed.get(&input).map_or_else(|| circuit.input(input), |&value| Lit::constant(value))
            });
            let prefix = qbf.prefix().iter().map(|block| (block.quantifier, block.inputs.clone()));
            let chosen = Qbf::new(circuit, prefix.collect::<Vec<_>>(), matrix);
            if qbf.is_true() == (quantifier == Quantifier::Exists) {
                assert_eq!(chosen.is_true(), qbf.is_true(), "seed {seed}");
            }
        }
        plain += values.len();
    }
    assert!(plain > 1_000, "{plain}");
}

#[test]
fn clauses_mean_the_same() {
    for seed in 0..1_000 {
        let qbf = some(seed, 9);
        let formula = qdimacs::Formula::new(&qbf);
        let clausal = formula.to_qbf();
        if clausal.variables() > 16 {
            continue;
        }
        assert_eq!(clausal.is_true(), qbf.is_true(), "seed {seed}");
        let mut text = Vec::new();
        formula.write(&mut text, ["a comment"]).expect("a list takes all");
        let again = qdimacs::read(&text[..]).expect("what was written can be read");
        assert_eq!((&again.cnf, again.to_qbf().is_true()), (&formula.cnf, qbf.is_true()), "seed {seed}");
    }
}

/// Gates exist, after everything they depend on; a conjunction of clauses is what it was.
#[test]
fn clauses_stay_clauses() {
    let text = b"p cnf 4 3\na 1 0\ne 2 0\na 3 0\ne 4 0\n1 -2 3 4 0\n-1 2 0\n-3 -4 2 0\n";
    let formula = qdimacs::read(&text[..]).expect("well formed");
    let again = qdimacs::Formula::new(&formula.to_qbf());
    let sorted = |formula: &qdimacs::Formula| {
        let clause = |clause: &[i32]| {
            let mut clause = clause.to_vec();
            clause.sort_unstable();
            clause
        };
        let mut clauses: Vec<Vec<i32>> = formula.cnf.clauses().map(clause).collect();
        clauses.sort();
        clauses
    };
    assert_eq!((sorted(&again), &again.prefix), (sorted(&formula), &formula.prefix));
}

#[test]
fn malformed_files_are_told() {
    let cases = [
        ("a 1 0\np cnf 1 0\n", "line 1: quantified variables belong between the header and the clauses"),
        ("p cnf 1 1\n1 0\na 1 0\n", "line 3: quantified variables belong between the header and the clauses"),
        ("p cnf 2 0\na 1 2\n", "line 2: expected variables of the header and 0, found `1 2`"),
        ("p cnf 2 0\na 1 -2 0\n", "line 2: expected variables of the header and 0, found `1 -2 0`"),
        ("p cnf 2 0\na 3 0\n", "line 2: expected variables of the header and 0, found `3 0`"),
        ("p cnf 2 0\na 1 0 2 0\n", "line 2: expected variables of the header and 0, found `1 0 2 0`"),
        ("p cnf 2 0\na 1 0\ne 2 1 0\n", "line 3: variable 1 is quantified twice"),
        ("p cnf 2 1\na 1 0\ne 2 0\n1 x 0\n", "line 4: expected a literal or 0, found `x`"),
    ];
    for (text, expected) in cases {
        let error = qdimacs::read(text.as_bytes()).expect_err("malformed").to_string();
        assert_eq!(error, expected, "{text:?}");
    }
}

/// Reads the part of QCIR that is written.
fn read_qcir(text: &str) -> Qbf {
    let mut circuit = Circuit::new();
    let (mut prefix, mut output) = (Vec::new(), 0);
    let mut signals: HashMap<i64, Lit> = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (head, rest) = line.split_once('(').expect("a list");
        let numbers: Vec<i64> = rest
            .trim_end_matches(')')
            .split(", ")
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().expect("a number"))
            .collect();
        match head {
            "exists" | "forall" => {
                let quantifier = if head == "exists" { Quantifier::Exists } else { Quantifier::Forall };
                signals.extend(numbers.iter().map(|&number| (number, circuit.input(number as u32))));
                prefix.push((quantifier, numbers.into_iter().map(|number| number as u32).collect()));
            }
            "output" => output = numbers[0],
            _ => {
                let (name, operator) = head.split_once(" = ").expect("a definition");
                let operands: Vec<Lit> =
                    numbers.iter().map(|number| signals[&number.abs()].negate_if(*number < 0)).collect();
                let signal = match (operator, &operands[..]) {
                    ("and", all) => all.iter().fold(Lit::TRUE, |all, &one| circuit.and(all, one)),
                    ("or", all) => all.iter().fold(Lit::FALSE, |any, &one| circuit.or(any, one)),
                    ("xor", &[a, b]) => circuit.xor(a, b),
                    ("ite", &[c, t, e]) => circuit.ite(c, t, e),
                    other => panic!("{other:?}"),
                };
                assert!(signals.insert(name.parse().expect("a number"), signal).is_none(), "{name} is defined twice");
            }
        }
    }
    Qbf::new(circuit, prefix, signals[&output.abs()].negate_if(output < 0))
}

#[test]
fn circuits_mean_the_same() {
    for seed in 0..1_000 {
        let qbf = some(seed, 25);
        let mut text = Vec::new();
        qcir::write(&mut text, ["two\nlines"], &qbf).expect("a list takes all");
        let text = String::from_utf8(text).expect("text");
        assert!(text.starts_with("#QCIR-G14\n# two\n# lines\n"), "{text}");
        assert_eq!(read_qcir(&text).is_true(), qbf.is_true(), "seed {seed}\n{text}");
    }
}

//! Clauses against truth tables: every small circuit, random larger ones, both encodings, each polarity;
//! and how many clauses there are.

#[path = "common/random.rs"]
mod random;

use epitome_encodings::{Circuit, Clauses, Cnf, Encoder, Encoding, Gate, Lit, Polarity, Variables};
use random::Random;

const INPUTS: u32 = 3;
const ENCODINGS: [Encoding; 2] = [Encoding::Tseitin, Encoding::PlaistedGreenbaum];

/// An encoder with its clauses, kept as pairs of masks: variables that satisfy a clause by being 1, by being 0.
struct Encoded {
    encoder: Encoder,
    variables: Variables,
    clauses: Vec<(u32, u32)>,
}

impl Encoded {
    fn new(encoding: Encoding) -> Encoded {
        Encoded { encoder: Encoder::new(encoding), variables: Variables::default(), clauses: Vec::new() }
    }

    fn encode(&mut self, circuit: &Circuit, signal: Lit, polarity: Polarity) -> i32 {
        let clauses = &mut self.clauses;
        self.encoder.encode(circuit, signal, polarity, &mut self.variables, &mut |clause: &[i32]| {
            let mask = |sign: i32| clause.iter().filter(|&&l| l * sign > 0).fold(0, |mask, &l| mask | bit(l));
            clauses.push((mask(1), mask(-1)));
        })
    }

    /// How many models have these values of the inputs, and how many of these make the literal true.
    fn models(&self, circuit: &Circuit, values: u32, literal: i32) -> (u32, u32) {
        let (mut fixed, mut mask) = (0, 0);
        for number in 0..INPUTS {
            let variable = circuit.find_input(number).and_then(|input| self.encoder.literal(input));
            if let Some(variable) = variable {
                mask |= bit(variable);
                fixed |= if values >> number & 1 == 1 { bit(variable) } else { 0 };
            }
        }
        let (mut all, mut with) = (0, 0);
        for model in (0..1u32 << self.variables.count()).filter(|model| model & mask == fixed) {
            if self.clauses.iter().all(|(ones, zeros)| model & ones != 0 || !model & zeros != 0) {
                all += 1;
                with += u32::from((model & bit(literal) != 0) == (literal > 0));
            }
        }
        (all, with)
    }
}

fn bit(literal: i32) -> u32 {
    1 << (literal.unsigned_abs() - 1)
}

fn tables(circuit: &Circuit, signal: Lit) -> impl Iterator<Item = (u32, bool)> + '_ {
    (0..1u32 << INPUTS).map(move |values| (values, circuit.evaluate(signal, |number| values >> number & 1 == 1)))
}

/// A signal, encoded in every way, against its truth table.
fn check(circuit: &Circuit, signal: Lit) {
    let mut tseitin = Encoded::new(Encoding::Tseitin);
    let literal = tseitin.encode(circuit, signal, Polarity::Positive);
    for (values, value) in tables(circuit, signal) {
        // One model, and the literal is the signal.
        assert_eq!(tseitin.models(circuit, values, literal), (1, u32::from(value)), "{circuit:?} {signal:?}");
    }
    for (polarity, claimed) in [(Polarity::Positive, true), (Polarity::Negative, false)] {
        let mut some = Encoded::new(Encoding::PlaistedGreenbaum);
        let literal = some.encode(circuit, signal, polarity);
        for (values, value) in tables(circuit, signal) {
            let (all, with) = some.models(circuit, values, literal);
            let possible = if claimed { with > 0 } else { all > with };
            assert_eq!(possible, value == claimed, "{circuit:?} {signal:?} {polarity:?}");
            assert!(all > 0, "nothing is claimed yet: {circuit:?} {signal:?}");
        }
        // What is missing comes later, and what was there is not said again.
        let before = some.clauses.len();
        assert_eq!(some.encode(circuit, signal, polarity), literal);
        assert_eq!(some.clauses.len(), before);
        assert_eq!(some.encode(circuit, signal, Polarity::Both), literal);
        assert!(some.clauses.len() <= tseitin.clauses.len());
        for (values, value) in tables(circuit, signal) {
            assert_eq!(some.models(circuit, values, literal), (1, u32::from(value)), "{circuit:?} {signal:?}");
        }
    }
}

/// Every circuit of up to three conjunctions over three inputs with all negations, each gate as a root.
#[test]
fn every_small_circuit() {
    let mut circuit = Circuit::new();
    let inputs: Vec<Lit> = (0..INPUTS).map(|number| circuit.input(number)).collect();
    let mut signals = 0;
    let pairs = |known: &[Lit]| {
        let literals: Vec<Lit> = known.iter().flat_map(|&signal| [signal, !signal]).collect();
        let pairs = literals.iter().enumerate().flat_map(|(place, &a)| literals[..place].iter().map(move |&b| (a, b)));
        pairs.collect::<Vec<(Lit, Lit)>>()
    };
    for (a, b) in pairs(&inputs) {
        let first = circuit.and(a, b);
        for (a, b) in pairs(&[&inputs[..], &[first]].concat()) {
            let second = circuit.and(a, b);
            for (a, b) in pairs(&[&inputs[..], &[first, second]].concat()) {
                let third = circuit.and(a, b);
                for root in [third, !third] {
                    check(&circuit, root);
                    signals += 1;
                }
            }
        }
    }
    assert!(signals > 30_000, "{signals}");
}

/// Circuits with choices, parities and wide conjunctions; several signals of one circuit, one after the
/// other, in any polarity: all promises are kept together.
#[test]
fn random_circuits_signal_by_signal() {
    let mut random = Random(1);
    for _ in 0..4_000 {
        let mut circuit = Circuit::new();
        let mut known: Vec<Lit> = (0..INPUTS).map(|number| circuit.input(number)).collect();
        for _ in 0..1 + random.below(5) {
            let mut pick = || known[random.below(known.len())].negate_if(random.below(3) == 0);
            let [a, b, c] = [pick(), pick(), !pick()];
            let next = match random.below(4) {
                0 => circuit.xor(a, b),
                1 => circuit.ite(a, b, c),
                2 => !circuit.and(a, b),
                _ => {
                    let both = circuit.and(a, b);
                    circuit.and(both, c)
                }
            };
            known.push(next);
        }
        let signals: Vec<Lit> =
            (0..3).map(|_| known[random.below(known.len())].negate_if(random.below(2) == 0)).collect();
        signals.iter().for_each(|&signal| check(&circuit, signal));
        for encoding in ENCODINGS {
            let mut some = Encoded::new(encoding);
            let polarities = [Polarity::Positive, Polarity::Negative, Polarity::Both];
            let uses: Vec<(Lit, i32, Polarity)> = signals
                .iter()
                .map(|&signal| {
                    let polarity = polarities[random.below(3)];
                    (signal, some.encode(&circuit, signal, polarity), polarity)
                })
                .collect();
            if some.variables.count() > 14 {
                continue;
            }
            for values in 0..1u32 << INPUTS {
                let value = |signal| circuit.evaluate(signal, |number| values >> number & 1 == 1);
                let mut exact = some.clauses.clone();
                for &(signal, literal, polarity) in &uses {
                    let (all, with) = some.models(&circuit, values, literal);
                    let (may, must) = (with > 0, with == all);
                    match (polarity, value(signal)) {
                        (Polarity::Positive, false) => assert!(!may),
                        (Polarity::Negative, true) => assert!(must),
                        (Polarity::Both, value) => assert_eq!((may, must), (value, value)),
                        _ => {}
                    }
                    let claim = if value(signal) { literal } else { -literal };
                    exact.push(if claim > 0 { (bit(claim), 0) } else { (0, bit(claim)) });
                }
                // The true values of all signals together are possible.
                std::mem::swap(&mut some.clauses, &mut exact);
                assert!(some.models(&circuit, values, uses[0].1).0 > 0, "{circuit:?} {signals:?}");
                std::mem::swap(&mut some.clauses, &mut exact);
            }
        }
    }
}

/// Clauses and variables of a signal that is claimed.
fn size(circuit: &Circuit, signals: &[Lit], encoding: Encoding) -> (usize, usize) {
    let (mut cnf, mut variables) = (Cnf::default(), Variables::default());
    let claimed: Vec<(Lit, Polarity)> = signals.iter().map(|&signal| (signal, Polarity::Positive)).collect();
    let mut encoder = Encoder::new(encoding);
    encoder.encode_all(circuit, &claimed, &mut variables, &mut cnf);
    assert!(cnf.variables() <= variables.count());
    (cnf.len(), variables.count() as usize)
}

/// At most three clauses and one variable for each conjunction, however large the circuit; by polarity
/// never more.
#[test]
fn size_is_linear() {
    let mut random = Random(7);
    for gates in [10, 100, 1_000, 10_000] {
        let mut circuit = Circuit::new();
        let mut known: Vec<Lit> = (0..10).map(|number| circuit.input(number)).collect();
        while circuit.len() < gates {
            let mut pick = || known[random.below(known.len())].negate_if(random.below(2) == 0);
            let (a, b, c) = (pick(), pick(), pick());
            let next = if random.below(3) == 0 { circuit.ite(a, b, c) } else { circuit.and(a, b) };
            known.push(next);
        }
        let roots = &known[known.len() - 10..];
        let cone = circuit.cone(roots.iter().copied());
        let ands = cone.iter().filter(|&&gate| matches!(circuit.gate_at(gate), Gate::And(..))).count();
        let [tseitin, polarity] = ENCODINGS.map(|encoding| size(&circuit, roots, encoding));
        assert!(tseitin.0 <= 3 * ands + 1 && tseitin.1 <= cone.len() + 1, "{tseitin:?} for {ands} conjunctions");
        assert!(polarity.0 <= tseitin.0 && polarity.1 == tseitin.1, "{polarity:?} {tseitin:?}");
    }
}

/// Families with known sizes: n steps of each.
#[test]
fn families_have_their_sizes() {
    type Step = fn(&mut Circuit, Lit, Lit, Lit) -> Lit;
    type Sizes = [(usize, usize); 2];
    let families: [(&str, Step, Sizes); 4] = [
        // Wide: one variable besides the inputs, all others are inner gates.
        ("and", |circuit, so_far, a, _| circuit.and(so_far, a), [(102, 102), (101, 102)]),
        // Alternating: a gate for each step.
        ("nand", |circuit, so_far, a, _| !circuit.and(so_far, a), [(300, 201), (150, 201)]),
        // Parity: four clauses each, in any polarity.
        ("xor", |circuit, so_far, a, _| circuit.xor(so_far, a), [(400, 201), (398, 201)]),
        // Choice: four clauses each, two if it is only claimed.
        ("ite", |circuit, so_far, a, b| circuit.ite(a, b, so_far), [(400, 301), (200, 301)]),
    ];
    for (name, step, expected) in families {
        let mut circuit = Circuit::new();
        let mut signal = circuit.input(0);
        for number in 0..100 {
            let (a, b) = (circuit.input(1 + 2 * number), circuit.input(2 + 2 * number));
            signal = step(&mut circuit, signal, a, b);
        }
        assert_eq!(ENCODINGS.map(|encoding| size(&circuit, &[signal], encoding)), expected, "{name}");
    }
}

/// Two encoders and the user of a solver share one numbering.
#[test]
fn numbers_are_shared() {
    let mut circuit = Circuit::new();
    let (a, b) = (circuit.input(0), circuit.input(1));
    let both = circuit.and(a, b);
    let (mut variables, mut cnf) = (Variables::after(4), Cnf::default());
    let switch = variables.fresh();
    let copies: Vec<i32> = ENCODINGS
        .iter()
        .map(|&encoding| Encoder::new(encoding).encode(&circuit, both, Polarity::Both, &mut variables, &mut cnf))
        .collect();
    cnf.add(&[switch, copies[0], -copies[1]]);
    assert_eq!((switch, &copies[..], variables.count(), cnf.len()), (5, &[8, 11][..], 11, 7));
}

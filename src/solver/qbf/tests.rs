//! The solver against all values of small formulas.

use super::*;
use epitome_encodings::{Circuit, Lit};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// A circuit over a few inputs, quantified at random.
fn random(seed: u64) -> Qbf {
    let mut random = Random(seed);
    let mut circuit = Circuit::new();
    let inputs = 1 + random.below(9) as u32;
    let mut signals: Vec<Lit> = (0..inputs).map(|number| circuit.input(number)).collect();
    for _ in 0..random.below(40) {
        let [a, b, c] = [(); 3].map(|()| {
            let signal = signals[random.below(signals.len() as u64) as usize];
            signal.negate_if(random.below(2) == 1)
        });
        let gate = match random.below(5) {
            0 => circuit.xor(a, b),
            1 => circuit.ite(a, b, c),
            2 => circuit.and(a, b),
            _ => {
                let both = circuit.or(a, b);
                circuit.or(both, c)
            }
        };
        signals.push(gate);
    }
    let take = signals.len().min(1 + random.below(8) as usize);
    let last = signals.split_off(signals.len() - take);
    let matrix = last.into_iter().fold(Lit::TRUE, |all, signal| circuit.and(all, signal));
    let quantifiers = [Quantifier::Exists, Quantifier::Forall];
    let prefix: Vec<_> = (0..inputs).map(|number| (quantifiers[random.below(2) as usize], vec![number])).collect();
    Qbf::new(circuit, prefix, matrix)
}

#[test]
fn small_formulas_have_their_truth() {
    let mut truths = [0; 2];
    for seed in 0..5_000 {
        let qbf = random(seed);
        let answer = solve(&qbf, &Limits::none());
        let is_true = qbf.is_true();
        assert_eq!(answer.map(|answer| answer.is_true), Ok(is_true), "seed {seed}");
        truths[usize::from(is_true)] += 1;
    }
    assert!(truths.iter().all(|&count| count > 500), "{truths:?}");
}

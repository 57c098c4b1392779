//! Values for the inputs of a circuit that make a signal true.
//!
//! Up to six inputs are tried all at once: 64 values fill the lanes of a word. For more there is a
//! solver, the one that is fastest to start: the formulas are small, those of a few statements, and a
//! stronger solver would find nothing to do.

use crate::limits::Limits;
use crate::solver::SolverName;
use epitome_encodings::{Circuit, Encoder, Encoding, Gate, Lit, Polarity, Variables};

/// Inputs whose values fit into the lanes of a word.
pub(super) const MOST_IN_LANES: usize = 6;

/// In lane number n, input number i has the value of bit i of n.
pub(super) const LANES: [u64; MOST_IN_LANES] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Values of the inputs that the signal depends on, by number, that make it true; none if there are
/// none.
pub(super) fn satisfy(circuit: &Circuit, signal: Lit) -> Option<Vec<(u32, bool)>> {
    let inputs = circuit.support([signal]);
    match signal.as_constant() {
        Some(value) => value.then(Vec::new),
        None if inputs.len() <= MOST_IN_LANES => by_lanes(circuit, signal, &inputs),
        None => by_solver(circuit, signal, &inputs),
    }
}

fn by_lanes(circuit: &Circuit, signal: Lit, inputs: &[u32]) -> Option<Vec<(u32, bool)>> {
    let mut words = vec![0; signal.gate() + 1];
    for gate in circuit.cone([signal]) {
        let word = |lit: Lit| words[lit.gate()] ^ if lit.is_negated() { u64::MAX } else { 0 };
        words[gate] = match circuit.gate_at(gate) {
            Gate::False => 0,
            Gate::Input(number) => inputs.binary_search(&number).map_or(0, |input| LANES[input]),
            Gate::And(a, b) => word(a) & word(b),
        };
    }
    let fits = words[signal.gate()] ^ if signal.is_negated() { u64::MAX } else { 0 };
    let lane = (fits != 0).then(|| fits.trailing_zeros())?;
    Some(inputs.iter().zip(LANES).map(|(&input, word)| (input, word >> lane & 1 == 1)).collect())
}

fn by_solver(circuit: &Circuit, signal: Lit, inputs: &[u32]) -> Option<Vec<(u32, bool)>> {
    let mut solver = SolverName::Batsat.start(&Limits::none());
    let mut encoder = Encoder::new(Encoding::PlaistedGreenbaum);
    let mut add = |clause: &[i32]| solver.add(clause);
    let literal = encoder.encode(circuit, signal, Polarity::Positive, &mut Variables::default(), &mut add);
    // Without limits it does not stop early.
    if !solver.solve(&[literal]).ok()? {
        return None;
    }
    let value = |input: u32| Some((input, solver.value(encoder.literal(circuit.find_input(input)?)?)));
    inputs.iter().map(|&input| value(input)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome_benchmarks::SplitMix64;

    /// Random circuits of few and many inputs, against all values.
    #[test]
    fn values_make_the_signal_true_if_any_do() {
        let mut random = SplitMix64::new(1);
        let (mut sat, mut unsat) = (0, 0);
        for _ in 0..600 {
            let mut circuit = Circuit::new();
            let inputs = 1 + random.below(9) as u32;
            let mut lits: Vec<Lit> = (0..inputs).map(|number| circuit.input(number)).collect();
            let mut goal = Lit::TRUE;
            for _ in 0..4 + random.below(24) {
                let mut pick = || lits[random.below(lits.len() as u64) as usize];
                let (a, b) = (pick(), pick());
                let lit = if random.chance(1, 2) { circuit.xor(a, b) } else { !circuit.and(a, !b) };
                lits.push(lit);
                if random.chance(1, 2) {
                    goal = circuit.and(goal, lit.negate_if(random.chance(1, 3)));
                }
            }
            let holds = |values: u32| circuit.evaluate(goal, |number| values >> number & 1 == 1);
            let possible = (0..1u32 << inputs).any(holds);
            let found = satisfy(&circuit, goal);
            assert_eq!(found.is_some(), possible);
            if let Some(found) = found {
                assert!(holds(found.iter().fold(0, |all, &(number, value)| all | u32::from(value) << number)));
            }
            if possible { sat += 1 } else { unsat += 1 }
        }
        assert!(sat > 50 && unsat > 50, "{sat} {unsat}");
    }
}

//! The top of a matrix as disjunctions of signals: conjunctions are several, choices are two, and a disjunction
//! that nobody else uses is written out.

use crate::{Circuit, Gate, Lit};
use rustc_hash::{FxHashMap, FxHashSet};

/// Disjunctions that are true together exactly if the signal is.
pub(super) fn claims(circuit: &Circuit, root: Lit) -> Vec<Vec<Lit>> {
    let uses = circuit.uses(root);
    let (mut claims, mut seen, mut open) = (Vec::new(), FxHashSet::default(), vec![root]);
    while let Some(signal) = open.pop() {
        if signal == Lit::TRUE || !seen.insert(signal) {
            continue;
        }
        match (circuit.as_not_ite(signal.gate()), circuit.gate(signal)) {
            (Some((condition, then, otherwise)), _) => {
                let ways = [(!condition, then), (condition, otherwise)];
                for (unless, branch) in ways {
                    let branch = branch.negate_if(!signal.is_negated());
                    claims.extend(disjunction(circuit, &uses, &[unless, branch]));
                }
            }
            (None, Gate::And(a, b)) if !signal.is_negated() => open.extend([b, a]),
            _ => claims.extend(disjunction(circuit, &uses, &[signal])),
        }
    }
    claims
}

/// The disjunction of signals; nothing if it is always true.
fn disjunction(circuit: &Circuit, uses: &FxHashMap<usize, u32>, signals: &[Lit]) -> Option<Vec<Lit>> {
    let (mut disjuncts, mut open) = (Vec::new(), signals.to_vec());
    while let Some(signal) = open.pop() {
        let is_whole = signals.len() == 1 && signals[0] == signal;
        let is_own = is_whole || uses.get(&signal.gate()) == Some(&1);
        match circuit.gate(signal) {
            Gate::And(a, b) if signal.is_negated() && is_own && circuit.as_not_ite(signal.gate()).is_none() => {
                open.extend([!b, !a]);
            }
            _ => disjuncts.push(signal),
        }
    }
    disjuncts.retain(|&signal| signal != Lit::FALSE);
    disjuncts.sort_unstable();
    disjuncts.dedup();
    // A signal and its negation are neighbours.
    let is_trivial = disjuncts.contains(&Lit::TRUE) || disjuncts.windows(2).any(|pair| pair[0] == !pair[1]);
    (!is_trivial).then_some(disjuncts)
}

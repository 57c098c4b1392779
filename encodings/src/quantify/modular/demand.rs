//! What is asked of each argument of a predicate: that it is 1 where 1 is asked for, that it is 0 where 0 is, or both.
//!
//! What a hole gives back is an input of the body. If the body can only gain where that input is 1, nobody cares
//! whether a 0 is true: let p'(x, y) be "p(x, z) for some z at least y"; then the body holds with p' exactly if it holds
//! with p, since it holds of z if it holds of y. So "0" claims nothing, and the predicate's own body has to give a 1
//! only where a 1 is asked for, which makes what it asks for one-sided in turn. Callers come before callees.

use crate::need::{Need, gains};
use crate::{Circuit, Gate, Lit, PredicateId, System};
use rustc_hash::FxHashMap;

/// How a body uses its inputs.
pub(super) struct Uses {
    /// By input: whether the body gains where it is 1, where it is 0. What a hole gives back is not counted there.
    pub(super) gains: FxHashMap<u32, Need>,
    /// Inputs that one hole gives back, and no other hole is asked with.
    pub(super) given: FxHashMap<u32, (usize, usize)>,
}

impl Uses {
    /// A hole's argument is what the hole gives back.
    pub(super) fn is_given(&self, circuit: &Circuit, signal: Lit, hole: usize, place: usize) -> bool {
        matches!(circuit.gate(signal), Gate::Input(input) if self.given.get(&input) == Some(&(hole, place)))
    }

    /// The use of a body's inputs, where this is needed of its arguments.
    pub(super) fn new(system: &System, predicate: PredicateId, needs: &[Need]) -> Uses {
        let body = system.body(predicate);
        let circuit = &system.circuit;
        let asked = body.holes.iter().enumerate();
        let asked =
            asked.flat_map(|(hole, it)| it.arguments.iter().enumerate().map(move |(place, &a)| (hole, place, a)));
        let mut given: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
        let mut again = Vec::new();
        for (hole, place, argument) in asked.clone() {
            if let Gate::Input(input) = circuit.gate(argument)
                && given.insert(input, (hole, place)).is_some()
            {
                again.push(input);
            }
        }
        for input in again {
            given.remove(&input);
        }
        let mut uses = Uses { gains: FxHashMap::default(), given };
        let mut roots = vec![(body.guard, Need::ONE)];
        roots.extend(body.arguments.iter().copied().zip(needs.iter().copied()));
        roots.extend(body.holes.iter().map(|hole| (hole.active, Need::ZERO)));
        let asked = asked.filter(|&(hole, place, argument)| !uses.is_given(circuit, argument, hole, place));
        roots.extend(asked.map(|(.., argument)| (argument, Need::BOTH)));
        uses.gains = gains(circuit, &roots);
        uses
    }

    pub(super) fn gain(&self, input: u32) -> Need {
        self.gains.get(&input).copied().unwrap_or_default()
    }
}

/// By predicate: what is needed of its arguments, if those of the root, the first one, are needed where they have
/// values; and how its body uses its inputs.
pub(super) fn demands(
    system: &System,
    top_down: &[PredicateId],
    root_values: &[Option<bool>],
) -> (Vec<Vec<Need>>, Vec<Option<Uses>>) {
    let arity = |predicate: PredicateId| system.body(predicate).arguments.len();
    let mut needs: Vec<Vec<Need>> =
        (0..system.len() as u32).map(|id| vec![Need::default(); arity(PredicateId(id))]).collect();
    let mut uses: Vec<Option<Uses>> = (0..system.len()).map(|_| None).collect();
    for (rank, &predicate) in top_down.iter().enumerate() {
        if rank == 0 {
            let known = root_values.iter().map(|value| if value.is_some() { Need::BOTH } else { Need::default() });
            needs[predicate.index()] = known.collect();
        }
        let own = Uses::new(system, predicate, &needs[predicate.index()]);
        let body = system.body(predicate);
        for (hole, (used, callee)) in body.holes.iter().zip(system.callees(predicate)).enumerate() {
            for (place, &argument) in used.arguments.iter().enumerate() {
                let need = match system.circuit.gate(argument) {
                    Gate::Input(input) if own.is_given(&system.circuit, argument, hole, place) => {
                        own.gain(input).of(argument)
                    }
                    _ => Need::BOTH,
                };
                needs[callee.index()][place].add(need);
            }
        }
        uses[predicate.index()] = Some(own);
    }
    (needs, uses)
}

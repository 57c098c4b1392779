//! What is asked of each argument of a predicate: that it is 1 where 1 is asked for, that it is 0 where 0 is, or both.
//!
//! What a hole gives back is an input of the body. If the body can only gain where that input is 1, nobody cares
//! whether a 0 is true: let p'(x, y) be "p(x, z) for some z at least y"; then the body holds with p' exactly if it holds
//! with p, since it holds of z if it holds of y. So "0" claims nothing, and the predicate's own body has to give a 1
//! only where a 1 is asked for, which makes what it asks for one-sided in turn. Callers come before callees.

use crate::{Circuit, Gate, Lit, PredicateId, System};
use rustc_hash::FxHashMap;

/// The values of an argument that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Need {
    /// Where 1 is asked for it must be 1.
    pub(super) one: bool,
    /// Where 0 is asked for it must be 0.
    pub(super) zero: bool,
}

impl Need {
    pub(super) const BOTH: Need = Need { one: true, zero: true };
    pub(super) const ONE: Need = Need { one: true, zero: false };
    pub(super) const ZERO: Need = Need { one: false, zero: true };

    pub(super) fn of(self, signal: Lit) -> Need {
        if signal.is_negated() { Need { one: self.zero, zero: self.one } } else { self }
    }

    pub(super) fn add(&mut self, other: Need) {
        self.one |= other.one;
        self.zero |= other.zero;
    }
}

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
        let is_given = |hole: usize, place: usize, signal: Lit| matches!(circuit.gate(signal), Gate::Input(input) if given.get(&input) == Some(&(hole, place)));
        let mut roots = vec![(body.guard, Need::ONE)];
        roots.extend(body.arguments.iter().copied().zip(needs.iter().copied()));
        roots.extend(body.holes.iter().map(|hole| (hole.active, Need::ZERO)));
        roots.extend(asked.filter(|&(h, p, a)| !is_given(h, p, a)).map(|(.., argument)| (argument, Need::BOTH)));
        let gains = gains(circuit, &roots);
        Uses { gains, given }
    }

    pub(super) fn gain(&self, input: u32) -> Need {
        self.gains.get(&input).copied().unwrap_or_default()
    }
}

/// By input: the values by which some root can get a value that it needs.
pub(super) fn gains(circuit: &Circuit, roots: &[(Lit, Need)]) -> FxHashMap<u32, Need> {
    let mut needs: FxHashMap<usize, Need> = FxHashMap::default();
    for &(signal, need) in roots {
        needs.entry(signal.gate()).or_default().add(need.of(signal));
    }
    let mut inputs = FxHashMap::default();
    for gate in circuit.cone(roots.iter().map(|(signal, _)| *signal)).into_iter().rev() {
        let need = needs.get(&gate).copied().unwrap_or_default();
        match circuit.gate_at(gate) {
            Gate::False => {}
            Gate::Input(input) => drop(inputs.insert(input, need)),
            Gate::And(a, b) => {
                [a, b].into_iter().for_each(|operand| needs.entry(operand.gate()).or_default().add(need.of(operand)));
            }
        }
    }
    inputs
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

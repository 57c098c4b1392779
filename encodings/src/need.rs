//! Which values of signals matter, and by which values of inputs they can be had: a circuit is monotone in an input
//! that occurs with one sign only.

use crate::{Circuit, Gate, Lit};
use rustc_hash::FxHashMap;

/// The values of a signal that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Need {
    /// That it is 1 where 1 is asked for.
    pub(crate) one: bool,
    /// That it is 0 where 0 is asked for.
    pub(crate) zero: bool,
}

impl Need {
    pub(crate) const BOTH: Need = Need { one: true, zero: true };
    pub(crate) const ONE: Need = Need { one: true, zero: false };
    pub(crate) const ZERO: Need = Need { one: false, zero: true };

    pub(crate) fn of(self, signal: Lit) -> Need {
        if signal.is_negated() { Need { one: self.zero, zero: self.one } } else { self }
    }

    pub(crate) fn add(&mut self, other: Need) {
        self.one |= other.one;
        self.zero |= other.zero;
    }
}

/// By input: the values by which some root can get a value that it needs.
pub(crate) fn gains(circuit: &Circuit, roots: &[(Lit, Need)]) -> FxHashMap<u32, Need> {
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

//! The values of all gates of a circuit at once.

use crate::{Circuit, Gate, Lit};

/// What every gate computes where inputs have given values.
///
/// ```
/// use epitome_encodings::{Circuit, Values};
/// let mut circuit = Circuit::new();
/// let (a, b) = (circuit.input(0), circuit.input(1));
/// let both = circuit.and(a, !b);
/// let values = Values::new(&circuit, |number| number == 0);
/// assert!(values.get(both) && !values.get(!a));
/// ```
#[derive(Clone, Debug)]
pub struct Values(Vec<bool>);

impl Values {
    /// Evaluates all gates, each once.
    pub fn new(circuit: &Circuit, input: impl Fn(u32) -> bool) -> Values {
        let mut values = Values(Vec::with_capacity(circuit.len()));
        for gate in 0..circuit.len() {
            let value = match circuit.gate_at(gate) {
                Gate::False => false,
                Gate::Input(number) => input(number),
                Gate::And(a, b) => values.get(a) && values.get(b),
            };
            values.0.push(value);
        }
        values
    }

    /// The value of a signal.
    pub fn get(&self, signal: Lit) -> bool {
        self.0[signal.gate()] != signal.is_negated()
    }
}

//! Simultaneous substitution: signals of one circuit, rebuilt in another with signals for inputs.
//!
//! Increasing index is an order of evaluation, so one pass over the cone of the signals rebuilds them:
//! nothing recurses, and each gate is rebuilt once. What is known of a gate is kept in a list as long
//! as the circuit, with the round in which it was found out; a new substitution is a new round and
//! costs only its own cone, however large the circuit is.

use crate::{Circuit, Gate, Lit};

/// Rebuilds signals of one circuit in another.
///
/// ```
/// use epitome_encodings::{Circuit, Lit, Substitution};
/// let mut from = Circuit::new();
/// let (a, b) = (from.input(0), from.input(1));
/// let both = from.and(a, b);
/// let mut into = Circuit::new();
/// let rebuilt = Substitution::new(&from).substitute_all(&mut into, &[both], |n| (n == 0).then_some(Lit::TRUE));
/// assert_eq!(rebuilt, [into.input(1)]);
/// ```
#[derive(Debug)]
pub struct Substitution<'c> {
    from: &'c Circuit,
    /// By gate: the round in which its signal was found, and the signal.
    known: Vec<(u32, Lit)>,
    round: u32,
    stack: Vec<usize>,
    cone: Vec<usize>,
}

impl<'c> Substitution<'c> {
    /// Substitutes in signals of this circuit.
    pub fn new(from: &'c Circuit) -> Substitution<'c> {
        let mut known = vec![(0, Lit::FALSE); from.len()];
        known[0].0 = 1;
        Substitution { from, known, round: 1, stack: Vec::new(), cone: Vec::new() }
    }

    /// The circuit whose signals are rebuilt.
    pub fn circuit(&self) -> &'c Circuit {
        self.from
    }

    /// The signals with all inputs replaced at once by what `input` gives for their numbers; an input
    /// for which it gives nothing becomes the input of the same number.
    pub fn substitute_all(
        &mut self,
        into: &mut Circuit,
        signals: &[Lit],
        input: impl Fn(u32) -> Option<Lit>,
    ) -> Vec<Lit> {
        self.begin();
        self.extend(into, signals, input)
    }

    /// The same, where `input` gives what it gave since the last call of
    /// [`Substitution::substitute_all`]: gates that were rebuilt since then are not rebuilt again.
    pub fn extend(&mut self, into: &mut Circuit, signals: &[Lit], input: impl Fn(u32) -> Option<Lit>) -> Vec<Lit> {
        self.collect(signals);
        for index in 0..self.cone.len() {
            let gate = self.cone[index];
            let signal = match self.from.gate_at(gate) {
                Gate::False => Lit::FALSE,
                Gate::Input(number) => input(number).unwrap_or_else(|| into.input(number)),
                Gate::And(a, b) => into.and(self.signal(a), self.signal(b)),
            };
            self.known[gate].1 = signal;
        }
        signals.iter().map(|&signal| self.signal(signal)).collect()
    }

    fn begin(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            // The counter has come round: what was known before says nothing.
            self.known.fill((0, Lit::FALSE));
            self.round = 1;
        }
        self.known[0].0 = self.round;
    }

    fn signal(&self, lit: Lit) -> Lit {
        self.known[lit.gate()].1.negate_if(lit.is_negated())
    }

    /// The gates the signals depend on and that are not known yet, in order of evaluation.
    fn collect(&mut self, signals: &[Lit]) {
        self.cone.clear();
        self.stack.extend(signals.iter().map(|signal| signal.gate()));
        while let Some(gate) = self.stack.pop() {
            if self.known[gate].0 != self.round {
                self.known[gate].0 = self.round;
                self.cone.push(gate);
                if let Gate::And(a, b) = self.from.gate_at(gate) {
                    self.stack.extend([a.gate(), b.gate()]);
                }
            }
        }
        self.cone.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Swapping two inputs while a third becomes their exclusive or, on all values.
    #[test]
    fn all_inputs_are_replaced_at_once() {
        let mut from = Circuit::new();
        let [a, b, c] = [0, 1, 2].map(|number| from.input(number));
        let ab = from.xor(a, b);
        let f = from.ite(c, ab, a);
        let g = from.or(!f, b);
        let mut into = Circuit::new();
        let [x, y] = [0, 1].map(|number| into.input(number));
        let xy = into.xor(x, y);
        let map = |number| [Some(y), Some(x), Some(!xy), None][number as usize];
        let mut substitution = Substitution::new(&from);
        let found = substitution.substitute_all(&mut into, &[f, !g, Lit::TRUE, Lit::FALSE], map);
        assert_eq!(found[2..], [Lit::TRUE, Lit::FALSE]);
        assert_eq!(substitution.extend(&mut into, &[g], map), [!found[1]]);
        for values in 0..4u32 {
            let (x, y) = (values & 1 == 1, values & 2 == 2);
            let before = |number: u32| [y, x, x == y][number as usize];
            let after = |number: u32| [x, y][number as usize];
            assert_eq!(into.evaluate(found[0], after), from.evaluate(f, before));
            assert_eq!(into.evaluate(found[1], after), !from.evaluate(g, before));
        }
    }

    /// Rounds do not see each other, and a very deep circuit is no problem.
    #[test]
    fn rounds_are_independent_and_depth_is_no_matter() {
        let mut from = Circuit::new();
        let mut deep = from.input(0);
        for number in 1..200_000 {
            let next = from.input(number % 7);
            let sign = number % 3 == 0;
            deep = !from.and(deep, next.negate_if(sign));
        }
        let mut substitution = Substitution::new(&from);
        for value in [false, true] {
            let mut into = Circuit::new();
            let all = substitution.substitute_all(&mut into, &[deep], |_| Some(Lit::constant(value)));
            assert_eq!(all[0].as_constant(), Some(from.evaluate(deep, |_| value)));
        }
    }
}

//! And-inverter graphs, structurally hashed: equal subcircuits are one gate, so that a program of a
//! hundred thousand similar procedures has the circuits of one. Negation is a bit of the literal and
//! costs nothing (Kuehlmann, Paruthi, Krohm and Ganai, TCAD 2002).

use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::Not;

/// A signal of a circuit: a gate or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// The constant 0.
    pub const FALSE: Lit = Lit(0);
    /// The constant 1.
    pub const TRUE: Lit = Lit(1);

    /// A constant.
    pub fn constant(value: bool) -> Lit {
        Lit(u32::from(value))
    }

    /// The value if the signal is constant.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }

    /// Index of the gate.
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// The signal is the negation of its gate.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The signal negated if `condition`.
    pub fn negate_if(self, condition: bool) -> Lit {
        Lit(self.0 ^ u32::from(condition))
    }

    /// The signal of a gate.
    pub fn positive(gate: usize) -> Lit {
        Lit((gate as u32) << 1)
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_negated() { "!" } else { "" }, self.gate())
    }
}

/// What a gate computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// The constant 0 (gate 0 only).
    False,
    /// An input, by the number its user gave it.
    Input(u32),
    /// The conjunction of two signals.
    And(Lit, Lit),
}

/// A growing and-inverter graph.
///
/// ```
/// use epitome_encodings::{Circuit, Lit};
/// let mut circuit = Circuit::new();
/// let (a, b) = (circuit.input(0), circuit.input(1));
/// let same = circuit.iff(a, b);
/// assert_eq!(same, !circuit.xor(b, a));
/// assert_eq!(circuit.and(a, !a), Lit::FALSE);
/// assert!(circuit.evaluate(same, |_| true));
/// ```
#[derive(Clone, Debug)]
pub struct Circuit {
    gates: Vec<Gate>,
    index: FxHashMap<Gate, u32>,
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit::new()
    }
}

impl Circuit {
    /// A circuit with the constants only.
    pub fn new() -> Circuit {
        Circuit { gates: vec![Gate::False], index: FxHashMap::default() }
    }

    /// Number of gates, inputs and the constant included.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Nothing but the constant.
    pub fn is_empty(&self) -> bool {
        self.gates.len() == 1
    }

    /// What the gate of a signal computes.
    pub fn gate(&self, lit: Lit) -> Gate {
        self.gates[lit.gate()]
    }

    /// The gate with this index.
    pub fn gate_at(&self, index: usize) -> Gate {
        self.gates[index]
    }

    /// The input with this number.
    pub fn input(&mut self, number: u32) -> Lit {
        self.insert(Gate::Input(number))
    }

    /// The input with this number, if there is one already.
    pub fn find_input(&self, number: u32) -> Option<Lit> {
        self.index.get(&Gate::Input(number)).map(|&index| Lit::positive(index as usize))
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match (a, b) {
            (Lit::FALSE, _) => Lit::FALSE,
            (Lit::TRUE, _) => b,
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            _ => self.insert(Gate::And(a, b)),
        }
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // One shape for all four sign combinations, so that hashing sees them as one.
        let sign = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.negate_if(a.is_negated()), b.negate_if(b.is_negated()));
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither).negate_if(sign)
    }

    /// Equality.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// Implication.
    pub fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(a, !b)
    }

    /// `then` where `condition`, else `otherwise`.
    pub fn ite(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.iff(condition, then);
        }
        let yes = self.and(condition, then);
        let no = self.and(!condition, otherwise);
        self.or(yes, no)
    }

    /// The bits, the lowest first, are this number.
    ///
    /// ```
    /// let mut circuit = epitome_encodings::Circuit::new();
    /// let bits = [0, 1].map(|number| circuit.input(number));
    /// let is_two = circuit.is_number(&bits, 2);
    /// assert!(circuit.evaluate(is_two, |number| number == 1));
    /// ```
    pub fn is_number(&mut self, bits: &[Lit], number: usize) -> Lit {
        let bits = bits.iter().enumerate().map(|(place, bit)| bit.negate_if(number >> place & 1 == 0));
        bits.fold(Lit::TRUE, |all, bit| self.and(all, bit))
    }

    fn insert(&mut self, gate: Gate) -> Lit {
        let next = self.gates.len() as u32;
        let index = *self.index.entry(gate).or_insert(next);
        if index == next {
            self.gates.push(gate);
        }
        Lit::positive(index as usize)
    }

    /// The two signals whose exclusive or this signal's gate is, if it has the shape [`Circuit::xor`]
    /// builds.
    pub fn as_xor(&self, lit: Lit) -> Option<(Lit, Lit)> {
        let Gate::And(p, q) = self.gate(lit) else { return None };
        if !p.is_negated() || !q.is_negated() {
            return None;
        }
        let (Gate::And(a, b), Gate::And(c, d)) = (self.gate(p), self.gate(q)) else { return None };
        ((a == !c && b == !d) || (a == !d && b == !c)).then_some((a, b))
    }

    /// The gate as the negation of a choice, "not: the second where the first is true, else the third", if it has
    /// the shape that [`Circuit::ite`] and [`Circuit::xor`] build.
    pub fn as_not_ite(&self, gate: usize) -> Option<(Lit, Lit, Lit)> {
        let Gate::And(p, q) = self.gates[gate] else { return None };
        if !p.is_negated() || !q.is_negated() {
            return None;
        }
        let (Gate::And(a, b), Gate::And(c, d)) = (self.gate(p), self.gate(q)) else { return None };
        let pairs = [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)];
        let (condition, then, _, otherwise) = pairs.into_iter().find(|(yes, _, no, _)| *yes == !*no)?;
        Some((condition, then, otherwise))
    }

    /// Indices of all gates the signals depend on, constants left out, in order of evaluation.
    pub fn cone(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<usize> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack: Vec<usize> = roots.into_iter().map(Lit::gate).collect();
        while let Some(gate) = stack.pop() {
            if gate != 0
                && seen.insert(gate)
                && let Gate::And(a, b) = self.gates[gate]
            {
                stack.extend([a.gate(), b.gate()]);
            }
        }
        let mut cone: Vec<usize> = seen.into_iter().collect();
        cone.sort_unstable();
        cone
    }

    /// By gate: how often gates below a signal use it.
    pub(crate) fn uses(&self, root: Lit) -> FxHashMap<usize, u32> {
        let mut uses = FxHashMap::default();
        for gate in self.cone([root]) {
            if let Gate::And(a, b) = self.gates[gate] {
                [a, b].into_iter().for_each(|operand| *uses.entry(operand.gate()).or_default() += 1);
            }
        }
        uses
    }

    /// Numbers of the inputs the signals depend on, increasing.
    pub fn support(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<u32> {
        let cone = self.cone(roots);
        let inputs = cone.into_iter().filter_map(|gate| match self.gates[gate] {
            Gate::Input(number) => Some(number),
            _ => None,
        });
        let mut inputs: Vec<u32> = inputs.collect();
        inputs.sort_unstable();
        inputs
    }

    /// The signal with other signals in place of its inputs. `known` holds the gates that are done: keep
    /// it from call to call as long as the replacement is the same.
    ///
    /// ```
    /// use epitome_encodings::{Circuit, Lit};
    /// let mut circuit = Circuit::new();
    /// let (a, b) = (circuit.input(0), circuit.input(1));
    /// let different = circuit.xor(a, b);
    /// let replaced = circuit.substitute(different, &mut Default::default(), |circuit, number| match number {
    ///     0 => Lit::TRUE,
    ///     other => circuit.input(other),
    /// });
    /// assert_eq!(replaced, !b);
    /// ```
    pub fn substitute(
        &mut self,
        lit: Lit,
        known: &mut FxHashMap<usize, Lit>,
        mut input: impl FnMut(&mut Circuit, u32) -> Lit,
    ) -> Lit {
        let mut stack = vec![lit.gate()];
        while let Some(&gate) = stack.last() {
            if known.contains_key(&gate) {
                stack.pop();
                continue;
            }
            let image = match self.gates[gate] {
                Gate::False => Lit::FALSE,
                Gate::Input(number) => input(self, number),
                Gate::And(a, b) => match (known.get(&a.gate()), known.get(&b.gate())) {
                    (Some(x), Some(y)) => {
                        let (x, y) = (x.negate_if(a.is_negated()), y.negate_if(b.is_negated()));
                        self.and(x, y)
                    }
                    (x, y) => {
                        let missing = [(a, x), (b, y)].map(|(side, image)| image.is_none().then_some(side.gate()));
                        stack.extend(missing.into_iter().flatten());
                        continue;
                    }
                },
            };
            known.insert(gate, image);
            stack.pop();
        }
        known[&lit.gate()].negate_if(lit.is_negated())
    }

    /// The value of a signal where inputs have the given values.
    pub fn evaluate(&self, lit: Lit, input: impl Fn(u32) -> bool) -> bool {
        let mut values = FxHashMap::default();
        values.insert(0, false);
        for gate in self.cone([lit]) {
            let value = match self.gates[gate] {
                Gate::False => false,
                Gate::Input(number) => input(number),
                Gate::And(a, b) => (values[&a.gate()] ^ a.is_negated()) && (values[&b.gate()] ^ b.is_negated()),
            };
            values.insert(gate, value);
        }
        values[&lit.gate()] ^ lit.is_negated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All functions of three inputs that a few rounds of operators build agree with truth tables.
    #[test]
    fn operators_agree_with_truth_tables() {
        let mut circuit = Circuit::new();
        let table = |lit: Lit, c: &Circuit| (0..8u32).map(|v| c.evaluate(lit, |i| v >> i & 1 == 1)).collect::<Vec<_>>();
        let mut lits = vec![Lit::FALSE, circuit.input(0), circuit.input(1), circuit.input(2)];
        for _ in 0..2 {
            let known = lits.clone();
            for (&a, &b) in known.iter().flat_map(|a| known.iter().map(move |b| (a, b))).take(60) {
                for sign in 0..4 {
                    let (a, b) = (a.negate_if(sign & 1 == 1), b.negate_if(sign & 2 == 2));
                    let (ta, tb) = (table(a, &circuit), table(b, &circuit));
                    let zip =
                        |f: fn(bool, bool) -> bool| ta.iter().zip(&tb).map(|(&x, &y)| f(x, y)).collect::<Vec<_>>();
                    let results = [
                        (circuit.and(a, b), zip(|x, y| x && y)),
                        (circuit.or(a, b), zip(|x, y| x || y)),
                        (circuit.xor(a, b), zip(|x, y| x != y)),
                        (circuit.iff(a, b), zip(|x, y| x == y)),
                        (circuit.implies(a, b), zip(|x, y| !x || y)),
                    ];
                    for (lit, expected) in results {
                        assert_eq!(table(lit, &circuit), expected);
                        lits.push(lit);
                    }
                    let c = circuit.input(2);
                    let chosen = circuit.ite(c, a, b);
                    let expected: Vec<bool> = (0..8).map(|v| if v >> 2 & 1 == 1 { ta[v] } else { tb[v] }).collect();
                    assert_eq!(table(chosen, &circuit), expected);
                }
            }
            lits.sort();
            lits.dedup();
            lits.truncate(24);
        }
    }

    /// Every replacement of three inputs by constants, inputs and negations, on a function of all three.
    #[test]
    fn substitution_agrees_with_evaluation() {
        let mut circuit = Circuit::new();
        let [a, b, c] = [0, 1, 2].map(|number| circuit.input(number));
        let chosen = circuit.ite(a, b, !c);
        let function = circuit.xor(chosen, c);
        let images = [Lit::FALSE, Lit::TRUE, a, !a, b, !b, c, !c];
        for pick in 0..8usize * 8 * 8 {
            let image = [images[pick % 8], images[pick / 8 % 8], images[pick / 64]];
            let mut known = FxHashMap::default();
            for lit in [function, !chosen] {
                let replaced = circuit.substitute(lit, &mut known, |_, number| image[number as usize]);
                for values in 0..8u32 {
                    let value = |number: u32| values >> number & 1 == 1;
                    let inner = |number: u32| circuit.evaluate(image[number as usize], value);
                    assert_eq!(circuit.evaluate(replaced, value), circuit.evaluate(lit, inner));
                }
            }
        }
    }

    /// A chain of a million gates: nothing recurses.
    #[test]
    fn substitution_of_deep_circuits() {
        let mut circuit = Circuit::new();
        let mut chain = Lit::TRUE;
        for number in 0..1_000_000 {
            let input = circuit.input(number);
            chain = !circuit.and(chain, input);
        }
        let gone = circuit.substitute(chain, &mut FxHashMap::default(), |_, number| Lit::constant(number < 999_999));
        assert_eq!(gone, Lit::TRUE);
    }

    #[test]
    fn equal_circuits_are_shared() {
        let mut circuit = Circuit::new();
        let (a, b) = (circuit.input(7), circuit.input(9));
        let first = circuit.xor(a, b);
        let size = circuit.len();
        assert_eq!(circuit.xor(!b, !a), first);
        assert_eq!(circuit.xor(!a, b), !first);
        assert_eq!(circuit.len(), size);
        assert_eq!(circuit.as_xor(first).map(|(x, y)| x.gate() + y.gate()), Some(a.gate() + b.gate()));
        assert_eq!(circuit.support([first]), [7, 9]);
    }
}

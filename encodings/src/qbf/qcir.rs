//! Writes QCIR-G14, the format that keeps circuits.
//!
//! Variables have the numbers 1, 2, … in the order of the prefix, gates follow. A tree of conjunctions is one
//! gate, a choice is an `ite`, exclusive or a `xor`.

use super::{Qbf, Quantifier};
use crate::{Circuit, Gate, Lit};
use rustc_hash::FxHashMap;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes a formula, with comments before it.
///
/// ```
/// use epitome_encodings::{Circuit, Qbf, Quantifier, qcir};
/// let mut circuit = Circuit::new();
/// let [x, y, z] = [7, 8, 9].map(|number| circuit.input(number));
/// let some = circuit.or(x, !y);
/// let all = circuit.and(some, z);
/// let qbf = Qbf::new(circuit, [(Quantifier::Forall, vec![7]), (Quantifier::Exists, vec![8, 9])], all);
/// let mut text = Vec::new();
/// qcir::write(&mut text, ["an example"], &qbf).unwrap();
/// let expected = "#QCIR-G14\n# an example\nforall(1)\nexists(2, 3)\noutput(5)\n4 = and(-1, 2)\n5 = and(3, -4)\n";
/// assert_eq!(String::from_utf8_lossy(&text), expected);
/// ```
pub fn write(mut out: impl Write, comments: impl IntoIterator<Item = impl Display>, qbf: &Qbf) -> io::Result<()> {
    writeln!(out, "#QCIR-G14")?;
    for comment in comments {
        for line in comment.to_string().split(['\n', '\r']) {
            writeln!(out, "{}", format!("# {line}").trim_end())?;
        }
    }
    let mut names = Names::default();
    for block in qbf.prefix() {
        let quantifier = match block.quantifier {
            Quantifier::Exists => "exists",
            Quantifier::Forall => "forall",
        };
        let signals = block.inputs.iter().filter_map(|&input| qbf.circuit().find_input(input));
        let numbers: Vec<String> = signals.map(|signal| names.fresh(signal.gate()).to_string()).collect();
        writeln!(out, "{quantifier}({})", numbers.join(", "))?;
    }
    let uses = qbf.circuit().uses(qbf.matrix());
    let gates = gates(qbf.circuit(), qbf.matrix(), &uses);
    let mut lines = Vec::new();
    for (gate, shape) in gates {
        let (operator, operands) = match &shape {
            Shape::And(operands) => ("and", &operands[..]),
            Shape::Xor(operands) => ("xor", &operands[..]),
            Shape::NotIte(operands) => ("ite", &operands[..]),
        };
        let operands: Vec<String> = operands.iter().map(|&operand| names.name(operand).to_string()).collect();
        let number = names.fresh(gate);
        lines.push(format!("{number} = {operator}({})", operands.join(", ")));
    }
    match qbf.matrix().as_constant() {
        // A constant is an empty conjunction or disjunction.
        Some(value) => {
            writeln!(out, "output(1)\n1 = {}()", if value { "and" } else { "or" })?;
        }
        None => {
            writeln!(out, "output({})", names.name(qbf.matrix()))?;
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
    }
    out.flush()
}

#[derive(Default)]
struct Names {
    numbers: FxHashMap<usize, i64>,
    count: i64,
}

impl Names {
    fn fresh(&mut self, gate: usize) -> i64 {
        self.count += 1;
        self.numbers.insert(gate, self.count);
        self.count
    }

    fn name(&self, signal: Lit) -> i64 {
        let number = self.numbers.get(&signal.gate()).copied().unwrap_or(0);
        if signal.is_negated() { -number } else { number }
    }
}

enum Shape {
    And(Vec<Lit>),
    Xor([Lit; 2]),
    NotIte([Lit; 3]),
}

/// The gates that get a name, operands before their users.
fn gates(circuit: &Circuit, root: Lit, uses: &FxHashMap<usize, u32>) -> Vec<(usize, Shape)> {
    let mut found: FxHashMap<usize, Shape> = FxHashMap::default();
    let mut open = vec![root];
    while let Some(signal) = open.pop() {
        let gate = signal.gate();
        if found.contains_key(&gate) || !matches!(circuit.gate_at(gate), Gate::And(..)) {
            continue;
        }
        let shape = shape(circuit, gate, uses);
        match &shape {
            Shape::And(operands) => open.extend(operands),
            Shape::Xor(operands) => open.extend(operands),
            Shape::NotIte(operands) => open.extend(operands),
        }
        found.insert(gate, shape);
    }
    let mut gates: Vec<(usize, Shape)> = found.into_iter().collect();
    gates.sort_unstable_by_key(|(gate, _)| *gate);
    gates
}

fn shape(circuit: &Circuit, gate: usize, uses: &FxHashMap<usize, u32>) -> Shape {
    let positive = Lit::positive(gate);
    if let Some((a, b)) = circuit.as_xor(positive) {
        return Shape::Xor([a, b]);
    }
    if let Some((condition, then, otherwise)) = circuit.as_not_ite(gate) {
        return Shape::NotIte([condition, !then, !otherwise]);
    }
    let (mut operands, mut open) = (Vec::new(), vec![positive]);
    while let Some(operand) = open.pop() {
        let is_own = operand == positive
            || (!operand.is_negated()
                && uses.get(&operand.gate()) == Some(&1)
                && circuit.as_not_ite(operand.gate()).is_none());
        match circuit.gate(operand) {
            Gate::And(a, b) if is_own => open.extend([b, a]),
            _ => operands.push(operand),
        }
    }
    Shape::And(operands)
}

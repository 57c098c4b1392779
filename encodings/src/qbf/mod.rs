//! Quantified Boolean formulas in prenex form, over a circuit: blocks of quantified inputs, then a signal.
//!
//! The matrix stays a circuit as long as possible: who solves it sees its gates, and only the formats that
//! know clauses alone ([`qdimacs`]) get clauses, with a variable for each gate in the outermost block in which
//! its value is known.

pub mod qcir;
pub mod qdimacs;
mod simplify;

use crate::{Circuit, Gate, Lit};
use rustc_hash::FxHashMap;

/// Who chooses the values of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// There are values.
    Exists,
    /// For all values.
    Forall,
}

impl Quantifier {
    /// The other one.
    pub fn dual(self) -> Quantifier {
        match self {
            Quantifier::Exists => Quantifier::Forall,
            Quantifier::Forall => Quantifier::Exists,
        }
    }
}

/// Inputs that are chosen together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Who chooses.
    pub quantifier: Quantifier,
    /// Numbers of inputs of the circuit.
    pub inputs: Vec<u32>,
}

/// A closed formula in prenex form.
///
/// ```
/// use epitome_encodings::{Circuit, Qbf, Quantifier};
/// let mut circuit = Circuit::new();
/// let (x, y) = (circuit.input(0), circuit.input(1));
/// let equal = circuit.iff(x, y);
/// // For all x there is a y that equals it.
/// let qbf = Qbf::new(circuit, [(Quantifier::Forall, vec![0]), (Quantifier::Exists, vec![1])], equal);
/// assert_eq!(qbf.alternations(), 1);
/// assert!(qbf.is_true());
/// ```
#[derive(Clone, Debug)]
pub struct Qbf {
    circuit: Circuit,
    prefix: Vec<Block>,
    matrix: Lit,
}

impl Qbf {
    /// A formula. Inputs that the matrix does not depend on are left out, blocks of the same player that
    /// follow each other are one. Inputs that nobody quantifies exist, outermost.
    ///
    /// # Panics
    /// If an input is quantified twice.
    pub fn new(circuit: Circuit, prefix: impl IntoIterator<Item = (Quantifier, Vec<u32>)>, matrix: Lit) -> Qbf {
        let mut open: FxHashMap<u32, bool> =
            circuit.support([matrix]).into_iter().map(|input| (input, false)).collect();
        let mut blocks: Vec<Block> = vec![Block { quantifier: Quantifier::Exists, inputs: Vec::new() }];
        for (quantifier, mut inputs) in prefix {
            inputs.retain(|input| match open.get_mut(input) {
                Some(is_quantified) => {
                    assert!(!std::mem::replace(is_quantified, true), "input {input} is quantified twice");
                    true
                }
                None => false,
            });
            match blocks.last_mut() {
                _ if inputs.is_empty() => {}
                Some(last) if last.quantifier == quantifier => last.inputs.append(&mut inputs),
                _ => blocks.push(Block { quantifier, inputs }),
            }
        }
        let mut free: Vec<u32> =
            open.into_iter().filter(|(_, is_quantified)| !is_quantified).map(|(input, _)| input).collect();
        free.sort_unstable();
        blocks[0].inputs.splice(0..0, free);
        blocks.retain(|block| !block.inputs.is_empty());
        Qbf { circuit, prefix: blocks, matrix }
    }

    /// The circuit of the matrix.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// The blocks, outermost first: not empty, and no two of the same quantifier in a row.
    pub fn prefix(&self) -> &[Block] {
        &self.prefix
    }

    /// What is claimed of the inputs.
    pub fn matrix(&self) -> Lit {
        self.matrix
    }

    /// How often the quantifier changes.
    pub fn alternations(&self) -> usize {
        self.prefix.len().saturating_sub(1)
    }

    /// Number of quantified inputs.
    pub fn variables(&self) -> usize {
        self.prefix.iter().map(|block| block.inputs.len()).sum()
    }

    /// Number of gates of the matrix, inputs left out.
    pub fn gates(&self) -> usize {
        self.circuit.cone([self.matrix]).len() - self.variables()
    }

    /// The truth by trying all values: for a dozen inputs, to compare others with.
    pub fn is_true(&self) -> bool {
        let inputs = self.prefix.iter().flat_map(|block| block.inputs.iter().map(|input| (*input, block.quantifier)));
        let inputs: Vec<(u32, Quantifier)> = inputs.collect();
        // Innermost first: a row of truth values, halved by each quantifier.
        let place: FxHashMap<u32, usize> =
            inputs.iter().enumerate().map(|(place, (input, _))| (*input, place)).collect();
        let last = inputs.len().wrapping_sub(1);
        let value = |row: usize| self.circuit.evaluate(self.matrix, |input| row >> (last - place[&input]) & 1 == 1);
        let mut rows: Vec<bool> = (0..1usize << inputs.len()).map(value).collect();
        for (_, quantifier) in inputs.iter().rev() {
            let pairs = rows.chunks(2);
            rows = match quantifier {
                Quantifier::Exists => pairs.map(|pair| pair.contains(&true)).collect(),
                Quantifier::Forall => pairs.map(|pair| !pair.contains(&false)).collect(),
            };
        }
        rows[0]
    }

    /// By gate: the number of the innermost block whose inputs it depends on, from 1; 0 for constants and
    /// gates outside of the matrix.
    pub fn levels(&self) -> Vec<u32> {
        let mut levels = vec![0; self.circuit.len()];
        for (number, block) in (1..).zip(&self.prefix) {
            for signal in block.inputs.iter().filter_map(|&input| self.circuit.find_input(input)) {
                levels[signal.gate()] = number;
            }
        }
        for gate in self.circuit.cone([self.matrix]) {
            if let Gate::And(a, b) = self.circuit.gate_at(gate) {
                levels[gate] = levels[a.gate()].max(levels[b.gate()]);
            }
        }
        levels
    }
}

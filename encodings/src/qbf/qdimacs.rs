//! QDIMACS, the format of most QBF solvers: a prefix over a formula in conjunctive normal form.
//!
//! The k-th input of a formula's prefix is variable k. Gates are variables that exist, by Plaisted and Greenbaum,
//! each in the outermost block that comes after all inputs it depends on: a solver knows its value as early as
//! possible, and universal reduction is not held up by it. Conjunctions and disjunctions at the top of the matrix
//! are clauses, not gates, so that what was a formula in conjunctive normal form is one again.

mod claims;
mod read;

pub use read::read;

use super::{Block, Qbf, Quantifier};
use crate::dimacs;
use crate::{Circuit, Clauses, Cnf, Encoder, Encoding, Lit, Polarity, Variables};
use std::fmt::Display;
use std::io::{self, Write};

/// A prefix over clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// Quantified variables, outermost first.
    pub prefix: Vec<(Quantifier, Vec<u32>)>,
    /// The clauses.
    pub cnf: Cnf,
}

impl Formula {
    /// A formula as clauses.
    ///
    /// ```
    /// use epitome_encodings::{Circuit, Qbf, Quantifier, qdimacs::Formula};
    /// let mut circuit = Circuit::new();
    /// let [x, y] = [0, 1].map(|number| circuit.input(number));
    /// let equal = circuit.iff(x, y);
    /// let qbf = Qbf::new(circuit, [(Quantifier::Forall, vec![0]), (Quantifier::Exists, vec![1])], equal);
    /// let formula = Formula::new(&qbf);
    /// assert_eq!(formula.prefix, [(Quantifier::Forall, vec![1]), (Quantifier::Exists, vec![2])]);
    /// assert_eq!(formula.cnf.clauses().collect::<Vec<_>>(), [&[-1, 2][..], &[1, -2]]);
    /// ```
    pub fn new(qbf: &Qbf) -> Formula {
        let (mut variables, mut cnf) = (Variables::default(), Cnf::default());
        let mut encoder = Encoder::new(Encoding::PlaistedGreenbaum);
        let mut prefix: Vec<(Quantifier, Vec<u32>)> = Vec::new();
        for Block { quantifier, inputs } in qbf.prefix() {
            let signals = inputs.iter().filter_map(|&input| qbf.circuit().find_input(input));
            let numbers = signals.map(|signal| {
                encoder.encode(qbf.circuit(), signal, Polarity::Both, &mut variables, &mut cnf).unsigned_abs()
            });
            prefix.push((*quantifier, numbers.collect()));
        }
        let claims = claims::claims(qbf.circuit(), qbf.matrix());
        let signals: Vec<(Lit, Polarity)> =
            claims.iter().flatten().map(|&signal| (signal, Polarity::Positive)).collect();
        encoder.encode_all(qbf.circuit(), &signals, &mut variables, &mut cnf);
        for claim in claims {
            let clause: Vec<i32> = claim.iter().filter_map(|&signal| encoder.literal(signal)).collect();
            cnf.add(&clause);
        }
        let levels = qbf.levels();
        let inputs = qbf.variables() as u32;
        for (gate, variable) in encoder.variables().into_iter().filter(|(_, variable)| *variable > inputs) {
            // Blocks alternate: if this one is not an existential block, the next is.
            let mut block = (levels[gate] as usize).saturating_sub(1);
            block += usize::from(prefix.get(block).is_some_and(|(quantifier, _)| *quantifier == Quantifier::Forall));
            if block == prefix.len() {
                prefix.push((Quantifier::Exists, Vec::new()));
            }
            prefix[block].1.push(variable);
        }
        cnf.announce(variables.count());
        Formula { prefix, cnf }
    }

    /// The formula over a circuit: variable v is the input with number v.
    pub fn to_qbf(&self) -> Qbf {
        let mut circuit = Circuit::new();
        let mut matrix = Lit::TRUE;
        for clause in self.cnf.clauses() {
            let literals = clause.iter().map(|literal| (literal.unsigned_abs(), *literal < 0));
            let mut none = Lit::TRUE;
            for (variable, is_negated) in literals {
                let input = circuit.input(variable).negate_if(is_negated);
                none = circuit.and(none, !input);
            }
            matrix = circuit.and(matrix, !none);
        }
        Qbf::new(circuit, self.prefix.clone(), matrix)
    }

    /// Writes it, with comments before it.
    pub fn write(&self, mut out: impl Write, comments: impl IntoIterator<Item = impl Display>) -> io::Result<()> {
        let mut writer = dimacs::Writer::new(&mut out, comments, self.cnf.variables(), self.cnf.len())?;
        for (quantifier, variables) in &self.prefix {
            let letter = match quantifier {
                Quantifier::Exists => 'e',
                Quantifier::Forall => 'a',
            };
            let numbers: Vec<String> = variables.iter().map(u32::to_string).collect();
            writer.line(&format!("{letter} {} 0", numbers.join(" ")))?;
        }
        self.cnf.copy_to(&mut writer);
        writer.finish()?;
        Ok(())
    }
}

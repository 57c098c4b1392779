//! Reads QDIMACS files, as leniently as DIMACS ones. Variables that no line quantifies exist, outermost.

use super::Formula;
use crate::Quantifier;
use crate::dimacs::{ReadError, read_quantified};
use rustc_hash::FxHashSet;
use std::io::BufRead;

/// Reads a formula.
///
/// ```
/// use epitome_encodings::{Quantifier, qdimacs::read};
/// let formula = read(&b"c two blocks\np cnf 3 2\na 1 0\ne 2 0\n-1 2 0\n1 -2 3 0\n"[..]).unwrap();
/// let blocks = [(Quantifier::Exists, vec![3]), (Quantifier::Forall, vec![1]), (Quantifier::Exists, vec![2])];
/// assert_eq!(formula.prefix, blocks);
/// let error = read(&b"p cnf 1 0\na 1 0\ne 1 0\n"[..]).unwrap_err();
/// assert_eq!(error.to_string(), "line 3: variable 1 is quantified twice");
/// ```
pub fn read(input: impl BufRead) -> Result<Formula, ReadError> {
    let (mut prefix, cnf) = read_quantified(input)?;
    let quantified: FxHashSet<u32> = prefix.iter().flat_map(|(_, variables)| variables).copied().collect();
    let occurring: FxHashSet<u32> = cnf.clauses().flatten().map(|literal| literal.unsigned_abs()).collect();
    let mut free: Vec<u32> = occurring.difference(&quantified).copied().collect();
    if !free.is_empty() {
        free.sort_unstable();
        prefix.insert(0, (Quantifier::Exists, free));
    }
    Ok(Formula { prefix, cnf })
}

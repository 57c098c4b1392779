//! `epitome generate qbf FILE` and `sat FILE`: programs from formulas, with the formula's own verdict where it is found
//! quickly.

use super::BadInput;
use crate::limits::Limits;
use crate::solver::{SolverName, qbf};
use epitome_benchmarks::{Player, Verdict, qbf_program, sat_program};
use epitome_encodings::{Quantifier, dimacs, qdimacs};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::time::Duration;

/// How long the verdict may take. A program is worth something without it.
const PATIENCE: Duration = Duration::from_secs(10);

/// The program of a QDIMACS file.
pub(super) fn qbf(file: &str) -> anyhow::Result<String> {
    let formula = qdimacs::read(open(file)?).map_err(|error| BadInput(format!("{file}: {error}")))?;
    let limits = Limits::none().with_timeout(PATIENCE);
    let answer = qbf::solve(&formula.to_qbf(), &limits).ok();
    let player = |quantifier: Quantifier| match quantifier {
        Quantifier::Exists => Player::Exists,
        Quantifier::Forall => Player::Forall,
    };
    let prefix = formula.prefix.iter();
    let prefix = prefix.flat_map(|(quantifier, block)| block.iter().map(|&variable| (variable, player(*quantifier))));
    let prefix: Vec<(u32, Player)> = prefix.collect();
    let expected = answer.map(|answer| verdict(answer.is_true));
    Ok(qbf_program(name(file), &prefix, formula.cnf.clauses(), expected))
}

/// The program of a DIMACS file.
pub(super) fn sat(file: &str) -> anyhow::Result<String> {
    let cnf = dimacs::read(open(file)?).map_err(|error| BadInput(format!("{file}: {error}")))?;
    let mut solver = SolverName::default().start(&Limits::none().with_timeout(PATIENCE));
    cnf.clauses().for_each(|clause| solver.add(clause));
    let expected = solver.solve(&[]).ok().map(verdict);
    Ok(sat_program(name(file), cnf.variables(), cnf.clauses(), expected))
}

/// Where the formula is true ERROR is reached.
fn verdict(is_true: bool) -> Verdict {
    if is_true { Verdict::Unsafe } else { Verdict::Safe }
}

fn open(file: &str) -> anyhow::Result<Box<dyn BufRead>> {
    if file == "-" {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let opened = File::open(file).map_err(|error| BadInput(format!("cannot read {file}: {error}")))?;
    Ok(Box::new(BufReader::new(opened)))
}

/// The last part of a path.
fn name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

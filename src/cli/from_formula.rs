//! `epitome generate qbf FILE`, `qbf-ctl FILE`, `qbf-exits FILE` and `sat FILE`: programs from formulas, with the formula's own verdict where it is found
//! quickly.

use super::BadInput;
use crate::limits::Limits;
use crate::solver::{SolverName, qbf};
use epitome_benchmarks::{Player, Verdict, qbf_ctl, qbf_exits, qbf_program, sat_program};
use epitome_encodings::{Quantifier, dimacs, qdimacs};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::time::Duration;

/// How long the verdict may take. A program is worth something without it.
const PATIENCE: Duration = Duration::from_secs(10);

/// A QDIMACS file.
struct Quantified {
    prefix: Vec<(u32, Player)>,
    clauses: Vec<Vec<i32>>,
    is_true: Option<bool>,
}

fn quantified(file: &str) -> anyhow::Result<Quantified> {
    let formula = qdimacs::read(open(file)?).map_err(|error| BadInput(format!("{file}: {error}")))?;
    let limits = Limits::none().with_timeout(PATIENCE);
    let is_true = qbf::solve(&formula.to_qbf(), &limits).ok().map(|answer| answer.is_true);
    let player = |quantifier: Quantifier| match quantifier {
        Quantifier::Exists => Player::Exists,
        Quantifier::Forall => Player::Forall,
    };
    let prefix = formula.prefix.iter();
    let prefix = prefix.flat_map(|(quantifier, block)| block.iter().map(|&variable| (variable, player(*quantifier))));
    let clauses = formula.cnf.clauses().map(<[i32]>::to_vec).collect();
    Ok(Quantified { prefix: prefix.collect(), clauses, is_true })
}

/// The program of a QDIMACS file.
pub(super) fn qbf(file: &str) -> anyhow::Result<String> {
    let Quantified { prefix, clauses, is_true } = quantified(file)?;
    Ok(qbf_program(name(file), &prefix, clauses.iter().map(Vec::as_slice), is_true.map(verdict)))
}

/// The hierarchy with single exits of a QDIMACS file, with a question of branching time.
pub(super) fn qbf_as_ctl(file: &str) -> anyhow::Result<String> {
    let Quantified { prefix, clauses, is_true } = quantified(file)?;
    Ok(qbf_ctl(name(file), &prefix, clauses.iter().map(Vec::as_slice), is_true))
}

/// The hierarchy with many exits of a QDIMACS file, with a question of branching time.
pub(super) fn qbf_as_exits(file: &str) -> anyhow::Result<String> {
    let Quantified { prefix, clauses, is_true } = quantified(file)?;
    Ok(qbf_exits(name(file), &prefix, clauses.iter().map(Vec::as_slice), is_true))
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

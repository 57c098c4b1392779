//! QBF solvers of others, as child processes.
//!
//! The formula goes into a file, whose name is the last argument. The answer is the exit status, 10 for true and 20
//! for false, as all of them have it; a line of the output that says something else, or any other end, is a reason
//! to know nothing, and never an answer.

use super::Answer;
use crate::limits::{Limits, Reason};
use crate::process::{Failure, Workplace};
use epitome_encodings::{Lit, Qbf, Quantifier, Substitution, qcir, qdimacs};
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::Output;

/// The format that a solver reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// QDIMACS.
    Qdimacs,
    /// QCIR.
    Qcir,
}

/// A solver: a program with arguments, and what it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    program: String,
    arguments: Vec<String>,
    format: Format,
}

impl External {
    /// A solver by what users call it: a command with arguments, after `qcir:` if it reads that. DepQBF is told to
    /// say how it chose the outermost block.
    ///
    /// ```
    /// use epitome::solver::qbf::External;
    /// assert_eq!(External::named("qcir:qute --no-phase").unwrap().to_string(), "qcir:qute --no-phase");
    /// assert_eq!(External::named("depqbf").unwrap().to_string(), "depqbf --qdo");
    /// assert!(External::named(" ").is_none());
    /// ```
    pub fn named(name: &str) -> Option<External> {
        let (format, command) = match (name.strip_prefix("qcir:"), name.strip_prefix("qdimacs:")) {
            (Some(command), _) => (Format::Qcir, command),
            (_, Some(command)) => (Format::Qdimacs, command),
            _ => (Format::Qdimacs, name),
        };
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next()?;
        let mut arguments: Vec<String> = words.collect();
        if program.rsplit('/').next() == Some("depqbf") && arguments.is_empty() {
            arguments.push("--qdo".to_owned());
        }
        Some(External { program, arguments, format })
    }

    /// Decides a formula, and says how the outermost block is chosen if it exists and the formula is true.
    pub fn solve(&self, qbf: &Qbf, limits: &Limits) -> Result<Answer, Reason> {
        let mut asked = 1;
        let (is_true, chosen) = self.ask(qbf, limits)?;
        let outermost = qbf.prefix().first().filter(|block| is_true && block.quantifier == Quantifier::Exists);
        let mut first_move = Vec::new();
        if let Some(block) = outermost {
            let told = chosen_values(&block.inputs, &chosen);
            // What is told is a part of the truth, or a mistake: it is tried, and found out value by value if it fails.
            if chosen.is_empty() || !self.ask(&with_values(qbf, &told), limits)?.0 {
                for &input in &block.inputs {
                    asked += 1;
                    first_move.push((input, true));
                    let is_possible = self.ask(&with_values(qbf, &first_move), limits)?.0;
                    if let Some((_, value)) = first_move.last_mut() {
                        *value = is_possible;
                    }
                }
            } else {
                asked += 1;
                first_move = told;
            }
        }
        Ok(Answer { is_true, first_move, queries: asked, lemmas: 0 })
    }

    /// The answer, and values of variables that were told with it.
    fn ask(&self, qbf: &Qbf, limits: &Limits) -> Result<(bool, FxHashMap<u32, bool>), Reason> {
        let workplace = Workplace::new()?;
        let path = workplace.path().join("formula");
        self.write(qbf, &path).map_err(|error| Reason::cannot("write a file for the solver", &error))?;
        let path = path.to_string_lossy();
        let command: Vec<&str> =
            [&self.program].into_iter().chain(&self.arguments).map(String::as_str).chain([&*path]).collect();
        let output = workplace.run(&command, None, limits).map_err(|failure| match failure {
            Failure::NotStarted(error) => Reason::Solver(format!("cannot run `{}`: {error}", self.program)),
            Failure::Stopped(reason) => reason,
        })?;
        let status = output.status;
        let said = String::from_utf8_lossy(&output.stdout);
        let is_true = match status.code() {
            Some(10) => true,
            Some(20) => false,
            _ => return Err(self.unexpected(&format!("{status}"), &output)),
        };
        for line in said.lines() {
            let told = match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["s", "cnf", "1", ..] | ["SAT"] | ["r", "SAT"] | ["TRUE"] => Some(true),
                ["s", "cnf", "0", ..] | ["UNSAT"] | ["r", "UNSAT"] | ["FALSE"] => Some(false),
                ["s", "cnf", ..] => return Err(self.unexpected(line, &output)),
                _ => None,
            };
            if told.is_some_and(|told| told != is_true) {
                return Err(self.unexpected(&format!("{status}, but `{line}`"), &output));
            }
        }
        Ok((is_true, self.values(qbf, &said)))
    }

    fn write(&self, qbf: &Qbf, path: &std::path::Path) -> std::io::Result<()> {
        let mut writer = BufWriter::new(File::create(path)?);
        match self.format {
            Format::Qcir => qcir::write(&mut writer, [""; 0], qbf)?,
            Format::Qdimacs => qdimacs::Formula::new(qbf).write(&mut writer, [""; 0])?,
        }
        writer.flush()
    }

    /// Lines `V literal 0` tell values; the k-th variable is the k-th input of the prefix.
    fn values(&self, qbf: &Qbf, output: &str) -> FxHashMap<u32, bool> {
        let inputs: Vec<u32> = qbf.prefix().iter().flat_map(|block| block.inputs.iter().copied()).collect();
        let mut values = FxHashMap::default();
        for literal in output.lines().filter_map(|line| line.strip_prefix('V')).flat_map(str::split_whitespace) {
            if let Ok(literal) = literal.parse::<i64>()
                && let Some(&input) =
                    (literal.unsigned_abs() as usize).checked_sub(1).and_then(|place| inputs.get(place))
            {
                values.insert(input, literal > 0);
            }
        }
        values
    }

    /// What it did instead of answering, with the first thing it said.
    fn unexpected(&self, what: &str, output: &Output) -> Reason {
        let said = [&output.stdout, &output.stderr].map(|said| String::from_utf8_lossy(said));
        let first = said.iter().flat_map(|said| said.lines()).find(|line| !line.trim().is_empty()).unwrap_or("");
        let first: String = first.chars().filter(|c| !c.is_control()).take(80).collect();
        Reason::Solver(format!("`{}` gave an unexpected answer ({what}; output: `{first}`)", self.program))
    }
}

impl std::fmt::Display for External {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.format == Format::Qcir { "qcir:" } else { "" })?;
        f.write_str(&self.program)?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
    }
}

fn chosen_values(inputs: &[u32], chosen: &FxHashMap<u32, bool>) -> Vec<(u32, bool)> {
    inputs.iter().map(|&input| (input, chosen.get(&input).copied().unwrap_or(false))).collect()
}

/// The formula with values of some inputs.
fn with_values(qbf: &Qbf, values: &[(u32, bool)]) -> Qbf {
    let values: FxHashMap<u32, bool> = values.iter().copied().collect();
    let mut circuit = epitome_encodings::Circuit::new();
    let value = |input| values.get(&input).map(|&value| Lit::constant(value));
    let matrix = Substitution::new(qbf.circuit()).substitute_all(&mut circuit, &[qbf.matrix()], value)[0];
    let prefix = qbf.prefix().iter().map(|block| (block.quantifier, block.inputs.clone()));
    Qbf::new(circuit, prefix, matrix)
}

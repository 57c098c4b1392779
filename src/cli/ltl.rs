//! `epitome ltl`: what a formula of linear temporal logic is read as, and its Büchi automaton; automata of other tools.

use super::input::show;
use super::options::StopOptions;
use super::temporal::{read_automaton, span, tell};
use super::{BadInput, Status, units};
use crate::syntax::{Diagnostic, Source};
use epitome_automata::{Buchi, Formulas, Parsed, buchi, parse, to_dot, to_hoa};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    /// The formula, in the spelling of Spot, SPIN, NuSMV or Owl: G (req -> F ack), [] <> p, "x == 1" U done
    #[arg(required_unless_present = "automaton")]
    formula: Option<String>,
    /// Read an automaton in the HOA format instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["formula", "negate", "strict"])]
    automaton: Option<PathBuf>,
    /// Write the automaton in this form
    #[arg(long, value_enum)]
    to: Option<Form>,
    /// The automaton of the negation
    #[arg(long)]
    negate: bool,
    /// Where tools disagree on a formula it is refused
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    stop: StopOptions,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Form {
    /// Hanoi Omega-Automata format
    Hoa,
    /// Graphviz
    Dot,
}

/// What is written: an automaton with its atoms, and what it is of.
struct Shown {
    buchi: Buchi,
    atoms: Vec<String>,
    name: String,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let (_, watchdog) = arguments.stop.watched()?;
    let shown = match (&arguments.formula, &arguments.automaton) {
        (_, Some(file)) => of_file(file)?,
        (formula, None) => match arguments.of_formula(formula.as_deref().unwrap_or(""))? {
            Some(shown) => shown,
            None => return Ok(Status::BadInput),
        },
    };
    watchdog.dismiss();
    let Shown { buchi, atoms, name } = &shown;
    match arguments.to {
        Some(Form::Hoa) => write!(out, "{}", to_hoa(buchi, atoms, name))?,
        Some(Form::Dot) => write!(out, "{}", to_dot(buchi, atoms, name))?,
        None => {
            let accepting = buchi.accepting.iter().filter(|accepting| **accepting).count();
            let (states, transitions) = (buchi.states(), buchi.transitions.iter().map(Vec::len).sum());
            let (states, transitions) = (units::count(states, "state"), units::count(transitions, "transition"));
            if arguments.automaton.is_none() {
                writeln!(out, "Formula: {name}")?;
            }
            writeln!(out, "Automaton: {states} ({accepting} accepting), {transitions}")?;
        }
    }
    Ok(Status::True)
}

impl Arguments {
    /// The automaton of a formula; nothing if it has errors, which are out then.
    fn of_formula(&self, text: &str) -> anyhow::Result<Option<Shown>> {
        let source = Source::new("<formula>", text);
        let mut formulas = Formulas::default();
        let Parsed { formula, warnings } = match parse(text, &mut formulas) {
            Ok(parsed) => parsed,
            Err(error) => {
                show(&[Diagnostic::error(span(&error.place), error.to_string(), "")], &source)?;
                return Ok(None);
            }
        };
        tell(&warnings, self.strict, &source)?;
        let buchi =
            buchi(&formulas, formula, self.negate).map_err(|error| BadInput(format!("not supported: {error}")))?;
        let read = formulas.show(formula).to_string();
        let name = if self.negate { format!("!({read})") } else { read };
        Ok(Some(Shown { buchi, atoms: formulas.atoms().to_vec(), name }))
    }
}

/// The automaton of a file.
fn of_file(file: &Path) -> anyhow::Result<Shown> {
    let (buchi, atoms) = read_automaton(file)?;
    Ok(Shown { buchi, atoms, name: file.display().to_string() })
}

//! `epitome ltl`: what a formula of linear temporal logic is read as, and its Büchi automaton.

use super::input::show;
use super::{BadInput, Status, units};
use crate::syntax::{Diagnostic, Source, Span};
use epitome_automata::{Formulas, Parsed, buchi, parse, to_dot, to_hoa};
use std::io::Write;
use std::ops::Range;

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    /// The formula, in the spelling of Spot, SPIN, NuSMV or Owl: G (req -> F ack), [] <> p, "x == 1" U done
    formula: String,
    /// Write the automaton in this form
    #[arg(long, value_enum)]
    to: Option<Form>,
    /// The automaton of the negation
    #[arg(long)]
    negate: bool,
    /// Where tools disagree on a formula it is refused
    #[arg(long)]
    strict: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Form {
    /// Hanoi Omega-Automata format
    Hoa,
    /// Graphviz
    Dot,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let source = Source::new("<formula>", arguments.formula.as_str());
    let mut formulas = Formulas::default();
    let span = |place: &Range<usize>| Span::new(place.start as u32, place.end as u32);
    let Parsed { formula, warnings } = match parse(source.text(), &mut formulas) {
        Ok(parsed) => parsed,
        Err(error) => {
            show(&[Diagnostic::error(span(&error.place), error.to_string(), "")], &source)?;
            return Ok(Status::BadInput);
        }
    };
    let told = warnings.iter().map(|warning| match arguments.strict {
        true => Diagnostic::error(span(&warning.place), warning.message, ""),
        false => Diagnostic::warning(span(&warning.place), warning.message),
    });
    show(&told.collect::<Vec<_>>(), &source)?;
    if arguments.strict && !warnings.is_empty() {
        return Ok(Status::BadInput);
    }
    let automaton =
        buchi(&formulas, formula, arguments.negate).map_err(|error| BadInput(format!("not supported: {error}")))?;
    let read = formulas.show(formula).to_string();
    let name = if arguments.negate { format!("!({read})") } else { read.clone() };
    match arguments.to {
        Some(Form::Hoa) => write!(out, "{}", to_hoa(&automaton, formulas.atoms(), &name))?,
        Some(Form::Dot) => write!(out, "{}", to_dot(&automaton, formulas.atoms(), &name))?,
        None => {
            let accepting = automaton.accepting.iter().filter(|accepting| **accepting).count();
            let transitions = automaton.transitions.iter().map(Vec::len).sum();
            writeln!(out, "Formula: {read}")?;
            writeln!(
                out,
                "Automaton{}: {} ({accepting} accepting), {}",
                if arguments.negate { " of the negation" } else { "" },
                units::count(automaton.states(), "state"),
                units::count(transitions, "transition"),
            )?;
        }
    }
    Ok(Status::True)
}

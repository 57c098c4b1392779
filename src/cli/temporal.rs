//! Temporal properties on the command line: `--ltl`, `--automaton`, `--ctl`, `--ctlstar`, and what runs they are about.

use super::choices::one_of;
use super::input::show;
use super::{AlreadyTold, BadInput};
use crate::logic::{Alphabet, Blocked, Branching, Linear, LinearError, Query, Stack};
use crate::syntax::{Diagnostic, Source, Span};
use clap::builder::TypedValueParser;
use epitome_automata::{Warning, read_hoa, small};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(clap::Args, Debug)]
pub(super) struct TemporalOptions {
    /// Check that all runs satisfy a formula of linear temporal logic: G (req -> F ack)
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["label", "property", "automaton"])]
    ltl: Option<String>,
    /// Check that no run is accepted by a Büchi automaton (a file in the HOA format)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["label", "property"])]
    automaton: Option<PathBuf>,
    /// Check that a formula of computation tree logic holds at the start: AG (req -> EF ack)
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["label", "property", "automaton", "ltl", "stack", "over"])]
    ctl: Option<String>,
    /// Check a formula of CTL*, which has formulas of linear time behind A and E: A (G F req -> E G F ack)
    #[arg(
        long,
        value_name = "FORMULA",
        conflicts_with_all = ["label", "property", "automaton", "ltl", "ctl", "stack", "over"]
    )]
    ctlstar: Option<String>,
    /// With --ltl or --automaton: the runs that are asked about, by their stack [default: any]
    #[arg(long, value_name = "RUNS", value_parser = stacks())]
    stack: Option<Stack>,
    /// With --ltl or --automaton: what atoms are about [default: states]
    #[arg(long, value_name = "WHAT", value_parser = alphabets())]
    over: Option<Alphabet>,
    /// With a temporal property: what becomes of runs that cannot go on where the program does not end [default: stutter]
    #[arg(long, value_name = "HOW", value_parser = blocked())]
    blocked: Option<Blocked>,
    /// With a formula: refuse one that other tools read otherwise
    #[arg(long)]
    strict: bool,
}

fn stacks() -> impl TypedValueParser<Value = Stack> {
    one_of(vec![
        ("any", "All runs", Stack::Any),
        ("bounded", "Runs whose stack stays bounded", Stack::Bounded),
        ("unbounded", "Runs whose stack grows for ever", Stack::Unbounded),
    ])
}

fn alphabets() -> impl TypedValueParser<Value = Alphabet> {
    one_of(vec![
        ("states", "What holds in states", Alphabet::States),
        ("labels", "The labels of transitions (machines); others are not seen", Alphabet::Labels),
    ])
}

fn blocked() -> impl TypedValueParser<Value = Blocked> {
    one_of(vec![
        ("stutter", "They stay where they are for ever", Blocked::Stutter),
        ("discard", "They do not count", Blocked::Discard),
    ])
}

impl TemporalOptions {
    /// No temporal property is asked for.
    pub(super) fn is_default(&self) -> bool {
        self.ltl.is_none() && self.automaton.is_none() && self.ctl.is_none() && self.ctlstar.is_none()
    }

    /// A property that was asked for otherwise, with what becomes of runs that are blocked, if that is given.
    pub(super) fn with_blocked(&self, query: Query) -> Query {
        let linear = match &query {
            Query::Linear(linear) => (**linear).clone(),
            Query::Termination => Linear::termination(),
            _ => return query,
        };
        self.blocked.map_or(query, |blocked| Query::Linear(Arc::new(Linear { blocked, ..linear })))
    }

    /// The property, if one is asked for; there may be one besides (`--property`).
    pub(super) fn query(&self, has_property: bool) -> anyhow::Result<Option<Query>> {
        let branching = match (&self.ctl, &self.ctlstar) {
            (Some(text), _) => read_formula(text, Branching::ctl(text), self.strict)?,
            (None, Some(text)) => read_formula(text, Branching::ctl_star(text), self.strict)?,
            (None, None) => return Ok(self.linear(has_property)?.map(|linear| Query::Linear(Arc::new(linear)))),
        };
        let blocked = self.blocked.unwrap_or_default();
        Ok(Some(Query::Branching(Arc::new(Branching { blocked, ..branching }))))
    }

    /// The property of linear time, if one is asked for.
    fn linear(&self, has_property: bool) -> anyhow::Result<Option<Linear>> {
        let linear = match (&self.ltl, &self.automaton) {
            (Some(text), _) => read_formula(text, Linear::formula(text), self.strict)?,
            (None, Some(file)) => {
                let (buchi, atoms) = read_automaton(file)?;
                Linear::automaton(file.display().to_string(), buchi, atoms)
            }
            (None, None) => {
                let given = [
                    ("--stack", self.stack.is_some()),
                    ("--over", self.over.is_some()),
                    ("--blocked", self.blocked.is_some() && !has_property),
                    ("--strict", self.strict),
                ];
                return match given.iter().find(|(_, given)| *given) {
                    Some((option, _)) => {
                        Err(BadInput(format!("{option} needs a temporal property, such as --ltl")).into())
                    }
                    None => Ok(None),
                };
            }
        };
        let alphabet = self.over.unwrap_or_default();
        let (stack, blocked) = (self.stack.unwrap_or_default(), self.blocked.unwrap_or_default());
        Ok(Some(Linear { alphabet, stack, blocked, ..linear }))
    }
}

/// The property of a formula; where it is wrong, or refused, the messages are out.
fn read_formula<F>(text: &str, read: Result<(F, Vec<Warning>), LinearError>, strict: bool) -> anyhow::Result<F> {
    let source = Source::new("<formula>", text);
    match read {
        Ok((property, warnings)) => {
            tell(&warnings, strict, &source)?;
            Ok(property)
        }
        Err(LinearError::Formula(error)) => {
            show(&[Diagnostic::error(span(&error.place), error.to_string(), "")], &source)?;
            Err(AlreadyTold.into())
        }
        Err(error @ LinearError::TooLarge(_)) => Err(BadInput(error.to_string()).into()),
    }
}

/// Tells where other tools read a formula otherwise; with `strict` it is refused.
pub(super) fn tell(warnings: &[Warning], strict: bool, source: &Source) -> anyhow::Result<()> {
    let told = warnings.iter().map(|warning| match strict {
        true => Diagnostic::error(span(&warning.place), warning.message, ""),
        false => Diagnostic::warning(span(&warning.place), warning.message),
    });
    show(&told.collect::<Vec<_>>(), source)?;
    if strict && !warnings.is_empty() { Err(AlreadyTold.into()) } else { Ok(()) }
}

pub(super) fn span(place: &Range<usize>) -> Span {
    Span::new(place.start as u32, place.end as u32)
}

/// The automaton of a file, reduced, with the names of its atoms.
pub(super) fn read_automaton(file: &Path) -> anyhow::Result<(epitome_automata::Buchi, Vec<String>)> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| BadInput(format!("cannot read {shown}: {error}")))?;
    let (automaton, atoms) = read_hoa(&text).map_err(|error| BadInput(format!("{shown}: {error}")))?;
    Ok((small(automaton), atoms))
}

//! Temporal properties on the command line: `--ltl`, `--automaton`, `--ctl`, `--ctlstar`, and what runs they are about.

use super::choices::one_of;
use super::input::show;
use super::{AlreadyTold, BadInput, files};
use crate::logic::{Alphabet, Blocked, Branching, Linear, LinearError, Query, Stack};
use crate::syntax::{Diagnostic, Source, Span, shorten};
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
    /// Ask about an open system: the property must hold whatever choices of its own the environment disables (module checking)
    #[arg(long)]
    pub(super) open: bool,
}

fn stacks() -> impl TypedValueParser<Value = Stack> {
    one_of(vec![
        ("any", "All runs", Stack::Any),
        (
            "bounded",
            "Runs that come back for ever to an activation they never leave (however deep they go in between)",
            Stack::Bounded,
        ),
        (
            "unbounded",
            "Runs in which calls that never return are nested without end: the stack grows for ever",
            Stack::Unbounded,
        ),
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

    /// An option about temporal properties that was given.
    fn option(&self) -> Option<&'static str> {
        let given = [
            ("--stack", self.stack.is_some()),
            ("--over", self.over.is_some()),
            ("--blocked", self.blocked.is_some()),
            ("--strict", self.strict),
        ];
        given.iter().find(|(_, given)| *given).map(|(option, _)| *option)
    }

    /// A property that was asked for otherwise, about the runs that are asked for here.
    pub(super) fn about_runs(&self, query: Query) -> anyhow::Result<Query> {
        let linear = match &query {
            _ if self.option().is_none() => return Ok(query),
            Query::Linear(linear) => (**linear).clone(),
            Query::Termination => Linear::termination(),
            _ => return self.refuse().map(|()| query),
        };
        Ok(Query::Linear(Arc::new(self.with_runs(linear))))
    }

    /// What is asked is no temporal property: no option may be given.
    pub(super) fn refuse(&self) -> anyhow::Result<()> {
        match self.option() {
            Some(option) => Err(BadInput(format!("{option} needs a temporal property, such as --ltl")).into()),
            None => Ok(()),
        }
    }

    fn with_runs(&self, linear: Linear) -> Linear {
        Linear {
            alphabet: self.over.unwrap_or(linear.alphabet),
            stack: self.stack.unwrap_or(linear.stack),
            blocked: self.blocked.unwrap_or(linear.blocked),
            ..linear
        }
    }

    /// The text of the formula that is asked about.
    pub(super) fn text(&self) -> Option<&String> {
        self.ltl.as_ref().or(self.ctl.as_ref()).or(self.ctlstar.as_ref())
    }

    /// The property, if one is asked for.
    pub(super) fn query(&self) -> anyhow::Result<Option<Query>> {
        let branching = |read| {
            let blocked = self.blocked.unwrap_or_default();
            Query::Branching(Arc::new(Branching { blocked, open: self.open, ..read }))
        };
        let linear = |read| Query::Linear(Arc::new(self.with_runs(read)));
        Ok(Some(match (&self.ctl, &self.ctlstar, &self.ltl, &self.automaton) {
            (Some(text), ..) => {
                read_formula(text, Branching::ctl(text), self.strict)?.map_or_else(Query::Other, branching)
            }
            (_, Some(text), ..) => {
                read_formula(text, Branching::ctl_star(text), self.strict)?.map_or_else(Query::Other, branching)
            }
            (_, _, Some(text), _) => {
                read_formula(text, Linear::formula(text), self.strict)?.map_or_else(Query::Other, linear)
            }
            (_, _, _, Some(file)) => {
                let (buchi, atoms) = read_automaton(file)?;
                linear(Linear::automaton(file.display().to_string(), buchi, atoms))
            }
            _ => return Ok(None),
        }))
    }
}

/// The property of a formula, or which one it is that is too large; where it is wrong, or refused, the messages are out.
fn read_formula<F>(
    text: &str,
    read: Result<(F, Vec<Warning>), LinearError>,
    strict: bool,
) -> anyhow::Result<Result<F, String>> {
    let source = Source::new("<formula>", text);
    match read {
        Ok((property, warnings)) => {
            tell(&warnings, strict, &source)?;
            Ok(Ok(property))
        }
        Err(LinearError::Formula(error)) => {
            show(&[Diagnostic::error(span(&error.place), error.to_string(), "")], &source)?;
            Err(AlreadyTold.into())
        }
        Err(LinearError::TooLarge(why)) => Ok(Err(format!("{} ({why})", shorten(text, 60)))),
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
    let text = files::read_to_string(file, "the automaton")
        .map_err(|error| BadInput(format!("cannot read {shown}: {error}")))?;
    let (automaton, atoms) = read_hoa(&text).map_err(|error| BadInput(format!("{shown}: {error}")))?;
    Ok((small(automaton), atoms))
}

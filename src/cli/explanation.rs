//! Explanations of branching time, for people and for programs: runs, and what is claimed about their states.

use super::trace::{Telltale, TraceStyle};
use crate::logic::{Branching, Stage};
use crate::syntax::{Program, Source};
use crate::temporal::{Claim, Shown, SourceExplanation};
use serde_json::{Value, json};
use std::io::{self, Write};

/// What is to be explained.
pub(super) struct Explained<'a> {
    pub(super) source: &'a Source,
    pub(super) program: &'a Program,
    pub(super) formula: &'a Branching,
    pub(super) explanation: &'a SourceExplanation,
}

impl Explained<'_> {
    /// Writes the runs one after the other, each behind the claim that it shows.
    pub(super) fn write(&self, out: &mut dyn Write, style: TraceStyle, holds: bool) -> io::Result<()> {
        let Some(first) = self.explanation.paths.first() else { return Ok(()) };
        // Where no run can be shown, the initial state is all there is to see; if the formula holds, not even that.
        if first.claims.iter().all(|claim| claim.path.is_none()) {
            if holds {
                return Ok(());
            }
            self.telltale(first).write(out, style)?;
        }
        let mut open: Vec<(usize, &Claim)> = first.claims.iter().rev().map(|claim| (0, claim)).collect();
        while let Some((owner, claim)) = open.pop() {
            let sentence = self.sentence(claim);
            let place = if owner == 0 { String::new() } else { self.place(owner, claim, style) };
            let shown = claim.path.map(|path| (path, &self.explanation.paths[path]));
            let end = match shown {
                Some(_) => ":",
                None if claim.holds => " (not shown).",
                None => ".",
            };
            writeln!(out, "{}{end}", capital(&format!("{place}{sentence}")))?;
            if let Some((path, shown)) = shown {
                self.telltale(shown).write(out, style)?;
                open.extend(shown.claims.iter().rev().map(|claim| (path, claim)));
            }
        }
        Ok(())
    }

    /// The explanation as a JSON object.
    pub(super) fn json(&self, style: TraceStyle) -> Value {
        let path = |(number, shown): (usize, &Shown<_>)| {
            let telltale = self.telltale(shown);
            let claim = |claim: &Claim| {
                json!({
                    "step": self.step(number, claim, style).0,
                    "claim": self.sentence(claim),
                    "path": claim.path,
                })
            };
            json!({
                "from_step": telltale.step_of(shown.start, style).0,
                "trace": telltale.json(style),
                "lasso": shown.again.map(|_| telltale.json_lasso(style)),
                "claims": shown.claims.iter().map(claim).collect::<Vec<_>>(),
            })
        };
        Value::Array(self.explanation.paths.iter().enumerate().map(path).collect())
    }

    /// The run that tells most, if there is only one to tell: the first that is shown, or else the initial state.
    pub(super) fn main(&self) -> Option<Telltale<'_>> {
        let first = self.explanation.paths.first()?;
        let path = first.claims.iter().find_map(|claim| claim.path).unwrap_or(0);
        Some(self.telltale(&self.explanation.paths[path]))
    }

    fn telltale<'s>(&'s self, shown: &'s Shown<crate::syntax::Place>) -> Telltale<'s> {
        let Shown { run, again, start, claims } = shown;
        let wanted = claims.iter().map(|claim| claim.state).collect();
        Telltale { source: self.source, program: self.program, run, again: *again, from: *start, wanted }
    }

    fn sentence(&self, claim: &Claim) -> String {
        match &self.formula.stages[claim.stage] {
            Stage::Exists(path) => path.claim(claim.holds),
            _ => String::new(),
        }
    }

    /// The step of a claim; and whether it is inside of what is told there in one line.
    fn step(&self, owner: usize, claim: &Claim, style: TraceStyle) -> (usize, bool) {
        self.telltale(&self.explanation.paths[owner]).step_of(claim.state, style)
    }

    fn place(&self, owner: usize, claim: &Claim, style: TraceStyle) -> String {
        match self.step(owner, claim, style) {
            (step, false) => format!("at step {step}, "),
            (step, true) => format!("after step {step}, "),
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

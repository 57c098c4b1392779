//! Explanations of branching time, for people and for programs: runs, and what is claimed about their states.

use super::trace::{Telltale, TraceStyle};
use super::units;
use crate::logic::{Branching, Stage};
use crate::syntax::{Position, Program, Source};
use crate::temporal::{Claim, Shown, SourceExplanation};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Claims about one run that are told although nothing shows them.
const MOST_CLAIMS: usize = 20;

/// What is still to be told.
enum Told<'e> {
    /// A claim, and where.
    Claim(String, &'e Claim),
    /// So many more claims.
    More(usize),
}

/// What is to be explained.
pub(super) struct Explained<'a> {
    pub(super) source: &'a Source,
    pub(super) program: &'a Program,
    pub(super) formula: &'a Branching,
    pub(super) explanation: &'a SourceExplanation,
}

impl<'a> Explained<'a> {
    /// Writes the runs one after the other, each behind the claim that it shows.
    pub(super) fn write(&self, out: &mut dyn Write, style: TraceStyle, holds: bool) -> io::Result<()> {
        let Some(first) = self.explanation.paths.first() else { return Ok(()) };
        // Where no run can be shown, the initial state is all there is to see; if the formula holds, not even that.
        if first.claims.iter().all(|claim| claim.path.is_none()) {
            if holds {
                return Ok(());
            }
            self.telltale(0).write(out, style)?;
        }
        let mut open: Vec<Told<'_>> = self.told(0, style);
        while let Some(told) = open.pop() {
            match told {
                Told::More(claims) => writeln!(out, "… and {} like these.", units::count(claims, "claim"))?,
                Told::Claim(place, claim) => {
                    let end = match claim.path {
                        Some(_) => ":",
                        None if claim.holds => " (not shown).",
                        None => ".",
                    };
                    writeln!(out, "{}{end}", capital(&format!("{place}{}", self.sentence(claim))))?;
                    if let Some(path) = claim.path {
                        self.telltale(path).write(out, style)?;
                        open.extend(self.told(path, style));
                    }
                }
            }
        }
        Ok(())
    }

    /// The claims about a run, the last one first.
    fn told(&self, path: usize, style: TraceStyle) -> Vec<Told<'_>> {
        let shown = &self.explanation.paths[path];
        let steps = self.telltale(path).steps_of(shown.claims.iter().map(|claim| claim.state), style);
        let place = |step: (usize, bool)| match step {
            _ if path == 0 => String::new(),
            (step, false) => format!("at step {step}, "),
            (step, true) => format!("after step {step}, "),
        };
        let claims = shown.claims.iter().zip(steps).map(|(claim, step)| (place(step), claim));
        // Claims that are shown are few; of the others some are enough.
        let (mut told, mut more) = (Vec::new(), 0);
        for (place, claim) in claims {
            if claim.path.is_some() || told.len() < MOST_CLAIMS {
                told.push(Told::Claim(place, claim));
            } else {
                more += 1;
            }
        }
        told.extend((more > 0).then_some(Told::More(more)));
        told.reverse();
        told
    }

    /// The explanation as a JSON object.
    pub(super) fn json(&self, style: TraceStyle) -> Value {
        let path = |(path, shown): (usize, &Shown<_>)| {
            let telltale = self.telltale(path);
            let states = std::iter::once(shown.start).chain(shown.claims.iter().map(|claim| claim.state));
            let steps = telltale.steps_of(states, style);
            let claim = |(claim, (step, after)): (&Claim, &(usize, bool))| json!({ "step": step, "after": after, "claim": self.sentence(claim), "path": claim.path });
            json!({
                "from_step": steps[0].0,
                "trace": telltale.json(style),
                "lasso": shown.again.map(|_| telltale.json_lasso(style)),
                "claims": shown.claims.iter().zip(&steps[1..]).map(claim).collect::<Vec<_>>(),
            })
        };
        Value::Array(self.explanation.paths.iter().enumerate().map(path).collect())
    }

    /// The run that tells most, if there is only one to tell: the first that is shown, or else the initial state.
    pub(super) fn main(&self) -> Option<Telltale<'a>> {
        let first = self.explanation.paths.first()?;
        let path = first.claims.iter().find_map(|claim| claim.path).unwrap_or(0);
        Some(self.telltale(path))
    }

    /// What is claimed of the start, in words.
    pub(super) fn claim(&self) -> Option<String> {
        let claims = &self.explanation.paths.first()?.claims;
        claims.first().map(|claim| self.sentence(claim)).filter(|sentence| !sentence.is_empty())
    }

    /// Where the program starts.
    pub(super) fn start(&self) -> Option<Position> {
        let run = &self.explanation.paths.first()?.run;
        let fragment = run.fragment(run.top());
        Some(self.source.position(self.program.span(fragment.procedure, *fragment.place(0)).start))
    }

    /// All runs, in their order.
    pub(super) fn runs(&self) -> impl Iterator<Item = Telltale<'a>> {
        (0..self.explanation.paths.len()).map(|path| self.telltale(path))
    }

    fn telltale(&self, path: usize) -> Telltale<'a> {
        let Shown { run, again, start, .. } = &self.explanation.paths[path];
        let (source, program) = (self.source, self.program);
        let told = Telltale::new(source, program, run, *again);
        Telltale { from: *start, wanted: self.wanted(path), ..told }
    }

    /// The states of a run that matter. What it has in common with the run that it branches off is told as it was there, so that
    /// steps have the same numbers.
    fn wanted(&self, path: usize) -> Vec<usize> {
        let paths = &self.explanation.paths;
        let mut wanted: Vec<usize> = paths[path].claims.iter().map(|claim| claim.state).collect();
        let (mut path, mut common) = (path, paths[path].start);
        wanted.push(common);
        // Runs come behind those that they branch off.
        while let Some((other, state)) = self.branches_off(path) {
            common = common.min(state);
            wanted.extend(paths[other].claims.iter().map(|claim| claim.state).filter(|&state| state <= common));
            path = other;
        }
        wanted.sort_unstable();
        wanted
    }

    /// The run that a run branches off, and at which state.
    fn branches_off(&self, path: usize) -> Option<(usize, usize)> {
        let claims = |(other, shown): (usize, &'_ Shown<_>)| {
            let claim = shown.claims.iter().find(|claim| claim.path == Some(path))?;
            Some((other, claim.state))
        };
        self.explanation.paths[..path].iter().enumerate().find_map(claims)
    }

    fn sentence(&self, claim: &Claim) -> String {
        match &self.formula.stages[claim.stage] {
            Stage::Exists(path) => path.claim(claim.holds),
            _ => String::new(),
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

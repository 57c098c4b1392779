//! What a check found out, before it is told: the same for texts, for JSON and for the page of a browser.

use super::explanation::Explained;
use super::opened::Opened;
use super::sentences::{self, Conclusion};
use super::trace::{Telltale, TraceStyle};
use super::verdict::Answered;
use super::{classify, stats};
use crate::checker::{Checker, Report, Verdict};
use crate::evidence::last_place;
use crate::limits::Reason;
use crate::logic::Query;
use crate::syntax::{Program, Source};
use serde_json::{Value, json};

/// The answer to a question about a program.
pub(super) struct Findings<'a> {
    pub(super) file: &'a str,
    pub(super) source: &'a Source,
    pub(super) program: &'a Program,
    pub(super) query: &'a Query,
    pub(super) checker: &'a Checker<'a>,
    pub(super) report: &'a Report,
    /// It was asked against every environment.
    pub(super) is_open: bool,
    /// C: the width of `int`, if it is not that of the language.
    pub(super) int_width: Option<u8>,
    /// How much of runs is shown.
    pub(super) style: TraceStyle,
}

impl<'a> Findings<'a> {
    /// The verdict, with the line where a run leaves what the language defines.
    pub(super) fn verdict(&self) -> Verdict {
        match (&self.report.verdict, &self.report.undefined) {
            (Verdict::Unknown(Reason::Undefined(what)), Some(run)) => {
                let (procedure, place) = last_place(run);
                let line = self.source.line_of(self.program.span(procedure, place).start);
                Verdict::Unknown(Reason::Undefined(format!("{what} at line {line}")))
            }
            (verdict, _) => verdict.clone(),
        }
    }

    /// A violation was found, though perhaps there is no run that shows it.
    pub(super) fn found(&self) -> bool {
        self.report.found || self.report.verdict == Verdict::Violated
    }

    /// The run that violates the property, or leaves what the language defines.
    pub(super) fn trace(&self) -> Option<Telltale<'a>> {
        let run = self.report.run.as_ref().or(self.report.undefined.as_ref());
        let run = run.filter(|_| self.style != TraceStyle::None)?;
        // Formulas may speak of values.
        let is_of_places = match self.query {
            Query::Failures | Query::Label(_) | Query::Call(_) | Query::ErrorCall | Query::Overflow => true,
            Query::Termination | Query::Linear(_) | Query::Branching(_) | Query::Other(_) => false,
        };
        Some(match self.report.again {
            None if is_of_places && !self.is_open => Telltale::of_places(self.source, self.program, run),
            again => Telltale::new(self.source, self.program, run, again),
        })
    }

    /// Why a property of branching time holds or not.
    pub(super) fn explained(&self) -> Option<Explained<'a>> {
        self.explanation().filter(|_| self.style != TraceStyle::None)
    }

    fn explanation(&self) -> Option<Explained<'a>> {
        let Query::Branching(formula) = self.query else { return None };
        let explanation = self.report.explanation.as_ref()?;
        Some(Explained { source: self.source, program: self.program, formula, explanation })
    }

    /// What an environment has to do with it.
    pub(super) fn opened(&self) -> Option<Opened<'a>> {
        self.is_open.then(|| Opened::new(self.source, self.program, self.query, self.report))
    }

    /// The width of `int`, if the verdict is about a program with another one.
    pub(super) fn int_width(&self) -> Option<u8> {
        self.int_width.filter(|_| matches!(self.program, Program::C(_)))
    }

    /// What happens where: how the run ends, or what an explanation says of the start.
    fn conclusion(&self) -> Option<Conclusion> {
        let is_violated = self.report.verdict == Verdict::Violated;
        sentences::conclusion(self).or_else(|| {
            let explained = self.explanation().filter(|_| is_violated);
            let position = explained.as_ref().and_then(Explained::start);
            let text = explained.as_ref().and_then(Explained::claim);
            let text = text.unwrap_or_else(|| match self.is_open {
                true => "some environment violates the property".to_owned(),
                false => "the property does not hold at the start".to_owned(),
            });
            is_violated.then_some(Conclusion { position, text })
        })
    }

    /// All of it as an object, with notes for the user.
    pub(super) fn json(&self, notes: &[String]) -> Value {
        let (report, style) = (self.report, self.style);
        let explained = self.explained();
        let trace = self.trace().map(|trace| trace.json(style));
        let trace = trace.or_else(|| explained.as_ref()?.main().map(|trace| trace.json(style)));
        let statistics = stats::json(&report.statistics, &report.reductions, Some(report.other_time));
        let class = classify::json(self.checker.class(), report.left.as_ref());
        let parts = [class, trace.unwrap_or(json!([])), statistics];
        let conclusion = self.conclusion();
        let answered = Answered {
            file: self.file,
            query: self.query,
            engine: report.statistics.engine,
            verdict: &self.verdict(),
            position: conclusion.as_ref().and_then(|conclusion| conclusion.position),
            message: conclusion.map(|conclusion| conclusion.text),
            notes,
            found: self.found(),
            nothing_to_check: !self.checker.can_be_asked(self.query),
        };
        let mut json = answered.json(parts);
        if let (Some(run), Some(again)) = (&report.run, report.again) {
            json["lasso"] = Telltale::new(self.source, self.program, run, Some(again)).json_lasso(style);
        }
        if let Some(explained) = explained {
            json["explanation"] = explained.json(style);
        }
        if let Some(opened) = self.opened() {
            json["open"] = opened.json();
        }
        if let Some(bits) = self.int_width() {
            json["int_width"] = json!(bits);
        }
        json
    }
}

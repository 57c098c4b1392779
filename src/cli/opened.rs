//! Open systems, for people and for programs: by which theorem a property was asked against every environment, and the environment that breaks it.

use super::encode::dot;
use super::trace::TraceStyle;
use super::{BadInput, units};
use crate::checker::{Report, Verdict};
use crate::evidence::{described, place_name, strategy_text};
use crate::logic::{OpenMethod, Query};
use crate::syntax::{Place, Program, Source, rsm};
use crate::temporal::{PrunedNode, SourceStrategy};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// Decisions of an environment that are told.
const MOST_TOLD: usize = 20;

/// An answer about an open system.
pub(super) struct Opened<'a> {
    source: &'a Source,
    program: &'a Program,
    query: &'a Query,
    report: &'a Report,
}

impl<'a> Opened<'a> {
    pub(super) fn new(source: &'a Source, program: &'a Program, query: &'a Query, report: &'a Report) -> Opened<'a> {
        Opened { source, program, query, report }
    }

    /// How the question was asked.
    fn methods(&self) -> Vec<String> {
        match &self.report.open {
            Some(open) if open.is_closed => vec!["closed: the environment has no choices".to_owned()],
            Some(open) => {
                let mut methods: Vec<String> = open.methods.iter().map(OpenMethod::to_string).collect();
                methods.dedup();
                methods
            }
            // Properties of single runs.
            None => vec![OpenMethod::Universal.to_string()],
        }
    }

    fn line(&self, procedure: u32, place: Place) -> usize {
        self.source.line_of(self.program.span(procedure, place).start)
    }

    fn text(&self, strategy: &SourceStrategy) -> String {
        let Query::Branching(formula) = self.query else { return String::new() };
        strategy_text(self.program, formula, strategy, &|procedure, place| self.line(procedure, place)).machine
    }

    /// Writes the environment to a file.
    pub(super) fn save(&self, path: &Path, quiet: bool) -> anyhow::Result<()> {
        let err = &mut anstream::stderr();
        let Some(strategy) = &self.report.strategy else {
            if !quiet {
                let why = match self.report.verdict {
                    Verdict::Violated if self.report.explanation.is_some() => {
                        "the environment need not disable anything"
                    }
                    Verdict::Violated => "there are too many states to write it down",
                    _ => "no environment was found that breaks the property",
                };
                writeln!(err, "note: no strategy is written: {why}")?;
            }
            return Ok(());
        };
        let mut text = self.text(strategy);
        if path.extension().is_some_and(|ending| ending == "dot") {
            let source = Source::new("strategy.rsm", &text);
            if let Ok((machines, _)) = rsm::parse(&source) {
                text = dot(&source, &Program::Rsm(machines));
            }
        }
        std::fs::write(path, text).map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())))?;
        Ok(())
    }

    /// Writes how the question was asked, and what the environment does.
    pub(super) fn write(&self, out: &mut dyn Write, style: TraceStyle) -> io::Result<()> {
        for method in self.methods() {
            writeln!(out, "Open system, {method}")?;
        }
        let Some(strategy) = self.report.strategy.as_ref().filter(|_| style != TraceStyle::None) else { return Ok(()) };
        let nodes = || strategy.machines.iter().flat_map(|machine| &machine.nodes);
        let (all, told) = (nodes().count(), nodes().filter(|node| !node.disabled.is_empty()));
        writeln!(out, "Strategy of the environment ({}):", units::count(all, "state"))?;
        let mut lines: Vec<String> = told.map(|node| self.decision(node)).collect();
        lines.dedup();
        let more = lines.len().saturating_sub(MOST_TOLD);
        for line in lines.iter().take(MOST_TOLD) {
            writeln!(out, "  {line}")?;
        }
        if more > 0 {
            writeln!(out, "  … and {more} more (--strategy FILE writes all)")?;
        }
        if lines.is_empty() {
            writeln!(out, "  disables nothing")?;
        }
        writeln!(out, "The module pruned so is closed and violates the formula.")
    }

    fn decision(&self, node: &PrunedNode<Place>) -> String {
        let line = |procedure: u32, place: Place| self.line(procedure, place);
        let name = place_name(self.program, &node.state, &line);
        let own = described(self.program, &node.state, &line);
        let gone: Vec<String> = node.disabled.iter().map(|state| described(self.program, state, &line)).collect();
        let number = self.line(node.state.procedure, node.state.place);
        let procedure = self.program.procedure_name(node.state.procedure);
        let own = own.strip_prefix(&name).unwrap_or_default();
        format!("line {number:<5} {procedure}.{name}{own}: disables {}", gone.join(", "))
    }

    /// The same as a JSON object.
    pub(super) fn json(&self) -> Value {
        let strategy = self.report.strategy.as_ref().map(|strategy| self.text(strategy));
        json!({ "theorems": self.methods(), "strategy": strategy })
    }
}

//! Open systems, for people and for programs: by which theorem a property was asked against every environment, and the environment that breaks it.

use super::trace::TraceStyle;
use super::{BadInput, files, units};
use crate::checker::{Report, Verdict};
use crate::evidence::{PrunedText, described, place_name, strategy_dot, strategy_text};
use crate::logic::{OpenMethod, Query};
use crate::syntax::{Place, Program, Source};
use crate::temporal::{PrunedNode, SourceStrategy};
use rustc_hash::FxHashMap;
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

    fn text(&self, strategy: &SourceStrategy) -> Option<PrunedText> {
        let Query::Branching(formula) = self.query else { return None };
        Some(strategy_text(self.program, formula, strategy, &|procedure, place| self.line(procedure, place)))
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
        let Some(text) = self.text(strategy) else { return Ok(()) };
        let text = match path.extension().is_some_and(|ending| ending == "dot") {
            true => strategy_dot(self.program, &text, strategy, &|procedure, place| self.line(procedure, place)),
            false => text.machine,
        };
        files::write(path, text.as_bytes())
            .map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())))?;
        Ok(())
    }

    /// Writes how the question was asked, and what the environment does.
    pub(super) fn write(&self, out: &mut dyn Write, style: TraceStyle) -> io::Result<()> {
        for method in self.methods() {
            writeln!(out, "Open system, {method}")?;
        }
        let Some(strategy) = self.report.strategy.as_ref().filter(|_| style != TraceStyle::None) else { return Ok(()) };
        let all = strategy.machines.iter().map(|machine| machine.nodes.len()).sum();
        writeln!(out, "Strategy of the environment ({}):", units::count(all, "state"))?;
        let lines = self.decisions(strategy);
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

    /// What is decided, where. If that depends on what happened before, the nodes of the machine that is written are named.
    fn decisions(&self, strategy: &SourceStrategy) -> Vec<String> {
        let names = self.text(strategy).map_or(Vec::new(), |text| text.names);
        // By place and values: what is disabled there, in which nodes.
        let mut places: Vec<String> = Vec::new();
        let mut decided: FxHashMap<String, Vec<(String, Vec<&str>)>> = FxHashMap::default();
        for (machine, (_, names)) in strategy.machines.iter().zip(&names) {
            for (node, name) in machine.nodes.iter().zip(names) {
                let (place, gone) = self.decision(node);
                let here = decided.entry(place.clone()).or_insert_with(|| {
                    places.push(place);
                    Vec::new()
                });
                match here.iter_mut().find(|(other, _)| *other == gone) {
                    Some((_, nodes)) => nodes.push(name),
                    None => here.push((gone, vec![name])),
                }
            }
        }
        let mut lines = Vec::new();
        for place in places {
            let here = &decided[&place];
            for (gone, nodes) in here.iter().filter(|(gone, _)| !gone.is_empty()) {
                let of =
                    if here.len() > 1 { format!(" (as {} of the strategy)", nodes.join(", ")) } else { String::new() };
                lines.push(format!("{place}: disables {gone}{of}"));
            }
        }
        lines
    }

    /// Where a node is, and what is disabled there.
    fn decision(&self, node: &PrunedNode<Place>) -> (String, String) {
        let line = |procedure: u32, place: Place| self.line(procedure, place);
        let name = place_name(self.program, &node.state, &line);
        let own = described(self.program, &node.state, &line);
        let gone: Vec<String> = node.disabled.iter().map(|state| described(self.program, state, &line)).collect();
        let number = self.line(node.state.procedure, node.state.place);
        let procedure = self.program.procedure_name(node.state.procedure);
        let own = own.strip_prefix(&name).unwrap_or_default();
        (format!("line {number:<5} {procedure}.{name}{own}"), gone.join(", "))
    }

    /// The same as a JSON object.
    pub(super) fn json(&self) -> Value {
        let strategy = self.report.strategy.as_ref().and_then(|strategy| self.text(strategy)).map(|text| text.machine);
        json!({ "theorems": self.methods(), "strategy": strategy })
    }
}

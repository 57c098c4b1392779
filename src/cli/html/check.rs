//! The page of a check: its verdict, the runs that show it, to be stepped through, the source and the machine beside them, and what it cost.

use super::card::Card;
use super::coverage::Coverage;
use super::graph::{self, Machine, Pictures};
use super::listing::listing;
use super::marks::Marks;
use super::proof::Proof;
use super::runs::Runs;
use super::{Page, escape, property, save, tables};
use crate::checker::Verdict;
use crate::cli::classify::theorem;
use crate::cli::findings::Findings;
use crate::cli::sentences;
use crate::cli::testimony::Testimony;
use crate::limits::Limits;
use crate::logic::{ERROR_CALLS, Query};
use crate::syntax::{FAILURE_CALLS, FAILURE_LABELS, Program, Source};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const STYLE: &str = concat!(include_str!("listing.css"), include_str!("check.css"));
const SCRIPT: &str = concat!(
    "\"use strict\";\n",
    include_str!("page.js"),
    include_str!("run.js"),
    include_str!("listing.js"),
    include_str!("panes.js"),
    include_str!("pictures.js"),
    include_str!("check.js")
);
/// The controls and panes that the script fills.
const STEPPER: &str = include_str!("stepper.html");
/// What the signs of lines mean that no run visits.
const LEGEND: &str = concat!(
    "<span><span class=\"mark yes\">✓</span> reachable</span> ",
    "<span><span class=\"mark no\">∅</span> unreachable</span>"
);

/// What a check has to say.
pub(in crate::cli) struct Checked<'a> {
    pub(in crate::cli) file: &'a str,
    pub(in crate::cli) query: &'a Query,
    /// The formula that is asked about, as the user wrote it.
    pub(in crate::cli) written: Option<&'a str>,
    pub(in crate::cli) verdict: &'a Verdict,
    /// The object that `--json` prints.
    pub(in crate::cli) json: &'a Value,
    /// The program's text, if it was read.
    pub(in crate::cli) source: Option<&'a Source>,
    /// What was found, if the question was asked.
    pub(in crate::cli) evidence: Option<Evidence<'a>>,
    /// Where a certificate was to be written.
    pub(in crate::cli) certificate: Option<&'a Path>,
    /// What the user may have meant otherwise.
    pub(in crate::cli) notes: Vec<String>,
}

/// What was found, what was written of it, and what may still be used to find out more.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Evidence<'a> {
    pub(in crate::cli) findings: &'a Findings<'a>,
    pub(in crate::cli) testimony: &'a Testimony,
    pub(in crate::cli) limits: &'a Limits,
}

/// Writes the page of a check that did not come to an end by itself, as far as that is still possible.
pub(in crate::cli) fn last_page(path: &Path, file: &str, query: &Query, verdict: &Verdict, json: &Value) {
    let (written, source, evidence, certificate, notes) = (None, None, None, None, Vec::new());
    let page = Checked { file, query, written, verdict, json, source, evidence, certificate, notes }.page();
    if let Err(error) = save(path, &page) {
        let _ = std::io::Write::write_fmt(&mut anstream::stderr(), format_args!("note: {error}\n"));
    }
}

impl Checked<'_> {
    /// The page.
    pub(in crate::cli) fn page(&self) -> String {
        let mut extra = self.runs();
        let has_runs = extra["runs"].as_array().is_some_and(|runs| !runs.is_empty());
        let coverage = self.evidence.map(|of| Coverage::search(of.findings, of.limits)).unwrap_or_default();
        let (mut pictures, proof) = (self.pictures(&coverage.marks), self.proof());
        extra["procedures"] = Value::Object(std::mem::take(&mut pictures.procedures));
        if let Some(witness) = self.evidence.and_then(|of| of.testimony.witness.clone()) {
            pictures.files.push("witness.yml".to_owned(), witness);
        }
        let files = pictures.files.json();
        let phases = self.evidence.map(|of| phases(of.findings, coverage.time, proof.time)).unwrap_or_default();
        let data = [("report", self.json), ("page", &extra), ("files", &files)];
        let title = format!("{} — {}", self.file, self.word());
        let (panes, cost) = (self.panes(has_runs, &coverage.marks), self.cost(&phases, &pictures.files.buttons()));
        let body = [self.card(), panes, self.opened(), pictures.html, proof.html, cost].concat();
        Page { title: &title, style: STYLE, body: &body, data: &data, script: SCRIPT }.to_string()
    }

    fn findings(&self) -> Option<&Findings<'_>> {
        self.evidence.map(|of| of.findings)
    }

    fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Holds => "TRUE",
            Verdict::Violated => "FALSE",
            Verdict::Unknown(_) => "UNKNOWN",
        }
    }

    /// The verdict, and what it is about.
    fn card(&self) -> String {
        let (class, sign, what) = match self.verdict {
            Verdict::Holds => ("good", "✓", "the property holds".to_owned()),
            Verdict::Violated => ("bad", "✗", "the property is violated".to_owned()),
            Verdict::Unknown(reason) => ("unsure", "?", reason.to_string()),
        };
        let (word, what) = (self.word(), escape(&what));
        let heading = format!("<span class=\"badge {class}\">{sign} {word}</span> <span id=\"verdict\">{what}</span>");
        let mut card = Card::default();
        card.code("Property", self.written.unwrap_or(&self.query.to_string()));
        match self.query.formula() {
            Some(formula) => card.code("Read as", formula),
            None => card.text("Read as", &reading(self.query, self.findings().map(|found| found.program))),
        }
        card.file(self.file, self.source);
        if let (Some(expected), Some(judged)) = (self.json["expected"].as_str(), self.json["judged"].as_str()) {
            card.text("Expected", &format!("{expected}: {judged}"));
        }
        if let Some(found) = self.findings() {
            self.facts(&mut card, found);
        }
        card.origin();
        let ending = self.findings().map(sentences::ending).unwrap_or_default();
        let notes = self.notes.iter().map(|note| format!("Note: {note}."));
        card.to_html(&heading, &ending.into_iter().chain(notes).collect::<Vec<_>>())
    }

    /// Who answered, how hard such questions are, and what the answer took.
    fn facts(&self, card: &mut Card, found: &Findings<'_>) {
        let class = found.checker.class();
        let who = found.report.statistics.who();
        card.text("Engine", who.strip_prefix("engine ").unwrap_or(&who));
        let bound = match self.query {
            Query::Linear(_) | Query::Termination => format!("linear time is {} in its size", class.row.ltl),
            Query::Branching(asked) if asked.open => "for open systems, see below".to_owned(),
            Query::Branching(_) => format!("branching time is {} in its size", class.row.ctl),
            _ => format!("reachability is {} ({})", class.row.complexity, theorem(class)),
        };
        card.text("Class", &format!("{}; {bound}", class.row.name));
        let [search, other] =
            [found.report.statistics.search_time, found.report.other_time].map(|time| time.as_secs_f64());
        card.text("Time", &format!("{:.3} s, of which {search:.3} s are the search", search + other));
        if let Some(bytes) = self.json["statistics"]["memory_bytes"].as_f64() {
            card.text("Memory", &format!("{:.1} MB", bytes / 1e6));
        }
    }

    /// The runs that the page steps through: variables, those of the property, and runs.
    fn runs(&self) -> Value {
        let Some(found) = self.findings() else { return json!({ "variables": [], "property": [], "runs": [] }) };
        let mut runs = Runs::new(found.program);
        match found.explained() {
            Some(explained) => explained.runs().for_each(|run| runs.tell(&run, found.style)),
            None => found.trace().iter().for_each(|run| runs.tell(run, found.style)),
        }
        let property = runs.numbers_of(&property::variables(found));
        let [variables, runs] = runs.json();
        json!({ "variables": variables, "property": property, "runs": runs })
    }

    /// The source, with controls and what they control beside it if there are runs.
    fn panes(&self, has_runs: bool, marks: &Marks) -> String {
        let source = match self.source {
            Some(source) => listing(source, |line| marks.roughly(line)),
            None => "<p class=\"faint\">The program was not read to its end.</p>\n".to_owned(),
        };
        match has_runs {
            true => STEPPER
                .replace("<!-- marks -->", if marks.has_lines() { LEGEND } else { "" })
                .replace("<!-- source -->", &source),
            false if marks.has_lines() => format!(
                "<section class=\"alone\"><h2>Program</h2>\n<p class=\"faint legend\">{LEGEND}</p>\n{source}</section>\n"
            ),
            false => format!("<section class=\"alone\"><h2>Program</h2>\n{source}</section>\n"),
        }
    }

    fn pictures(&self, marks: &Marks) -> Pictures {
        let Some(found) = self.findings() else { return Pictures::default() };
        let &Findings { source, program, checker, .. } = found;
        Machine { source, program, ersm: checker.ersm(), marks, told: graph::visited(found) }.pictures()
    }

    /// Why a TRUE is to be believed.
    fn proof(&self) -> Proof {
        let Some(of) = self.evidence.filter(|_| *self.verdict == Verdict::Holds) else { return Proof::default() };
        Proof::new(of.findings, self.certificate, of.testimony, of.limits)
    }

    /// By which theorem a question about all environments was asked, and the one that breaks the property.
    fn opened(&self) -> String {
        let Value::Object(open) = &self.json["open"] else { return String::new() };
        let theorems = open["theorems"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let theorems: String = theorems.map(|theorem| format!("<li>{}</li>", escape(theorem))).collect();
        let strategy = open["strategy"].as_str().map_or(String::new(), |strategy| {
            format!(
                "<h3>The environment that breaks it, as a closed machine</h3>\n<pre class=\"scroll\">{}</pre>\n",
                escape(strategy)
            )
        });
        format!("<section>\n<h2>Open system</h2>\n<ul>{theorems}</ul>\n{strategy}</section>\n")
    }

    /// What it cost, and the data to take away.
    fn cost(&self, phases: &str, buttons: &str) -> String {
        let statistics = &self.json["statistics"];
        let [costs, reductions] = [tables::statistics(statistics), tables::reductions(statistics)];
        format!(
            "<section>\n<h2>Statistics</h2>\n{phases}<div class=\"beside\">\n<div>{costs}</div>\n<div><h3>Reductions</h3>\n{reductions}</div>\n</div>\n{buttons}</section>\n"
        )
    }
}

/// The times of a check, and those of its page.
fn phases(found: &Findings<'_>, coverage: Duration, certificate: Option<Duration>) -> String {
    let report = found.report;
    let (model, reductions) = (found.checker.build_time(), report.reductions.iter().map(|removed| removed.time).sum());
    let rest = if found.query.is_temporal() { "product, trace, replay" } else { "trace, replay" };
    let mut times = vec![
        ("model", model),
        ("reductions", reductions),
        ("search", report.statistics.search_time),
        (rest, report.other_time.saturating_sub(model + reductions)),
        ("marks of this page", coverage),
    ];
    times.extend(certificate.map(|time| ("check of the certificate", time)));
    tables::phases(&times)
}

/// What a property without a formula asks for, of a program if it was read.
fn reading(query: &Query, program: Option<&Program>) -> String {
    match query {
        Query::Failures if program.is_some_and(Program::is_clauses) => "false cannot be derived".to_owned(),
        Query::Failures => {
            let [labels, calls] = [&FAILURE_LABELS[..], &FAILURE_CALLS[..]].map(|names| names.join(" or "));
            match program {
                Some(Program::C(_)) => {
                    format!("no assertion fails, no label {labels} is reached, nobody calls {calls}")
                }
                _ => format!("no assertion fails, and no label {labels} is reached"),
            }
        }
        Query::Label(label) => format!("{label} is never reached"),
        Query::Call(procedure) => format!("{procedure} is never called"),
        Query::ErrorCall => format!("{} is never called", ERROR_CALLS.join(" or ")),
        Query::Overflow => "no signed integer overflows".to_owned(),
        Query::Termination => "every run comes to an end".to_owned(),
        Query::Linear(_) | Query::Branching(_) | Query::Other(_) => query.to_string(),
    }
}

//! The page of a check: its verdict, the runs that show it, to be stepped through, the source and the machine beside them, and what it cost.

use super::card::Card;
use super::listing::listing;
use super::runs::Runs;
use super::{Page, escape, graph, save, tables};
use crate::checker::Verdict;
use crate::cli::classify::theorem;
use crate::cli::findings::Findings;
use crate::cli::sentences;
use crate::logic::Query;
use crate::syntax::{FAILURE_CALLS, FAILURE_LABELS, Program, Source};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

const STYLE: &str = concat!(include_str!("listing.css"), include_str!("check.css"));
const SCRIPT: &str = concat!(
    "\"use strict\";\n",
    include_str!("page.js"),
    include_str!("run.js"),
    include_str!("listing.js"),
    include_str!("panes.js"),
    include_str!("check.js")
);
/// The controls and panes that the script fills.
const STEPPER: &str = include_str!("stepper.html");
const DOWNLOADS: &str = include_str!("downloads.html");

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
    pub(in crate::cli) findings: Option<&'a Findings<'a>>,
    /// Where a certificate was to be written.
    pub(in crate::cli) certificate: Option<&'a Path>,
    /// What the user may have meant otherwise.
    pub(in crate::cli) notes: Vec<String>,
}

/// Writes the page of a check that did not come to an end by itself, as far as that is still possible.
pub(in crate::cli) fn last_page(path: &Path, file: &str, query: &Query, verdict: &Verdict, json: &Value) {
    let (written, source, findings, certificate, notes) = (None, None, None, None, Vec::new());
    let page = Checked { file, query, written, verdict, json, source, findings, certificate, notes }.page();
    if let Err(error) = save(path, &page) {
        let _ = std::io::Write::write_fmt(&mut anstream::stderr(), format_args!("note: {error}\n"));
    }
}

impl Checked<'_> {
    /// The page.
    pub(in crate::cli) fn page(&self) -> String {
        let (variables, runs) = self.runs();
        let has_runs = runs.as_array().is_some_and(|runs| !runs.is_empty());
        let extra = json!({ "variables": variables, "runs": runs });
        let data = [("report", self.json), ("page", &extra)];
        let title = format!("{} — {}", self.file, self.word());
        let body = [self.card(), self.panes(has_runs), self.opened(), self.graph(), self.proof(), self.cost()].concat();
        Page { title: &title, style: STYLE, body: &body, data: &data, script: SCRIPT }.to_string()
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
            None => card.text("Read as", &reading(self.query, self.findings.map(|found| found.program))),
        }
        card.file(self.file, self.source);
        if let (Some(expected), Some(judged)) = (self.json["expected"].as_str(), self.json["judged"].as_str()) {
            card.text("Expected", &format!("{expected}: {judged}"));
        }
        if let Some(found) = self.findings {
            self.facts(&mut card, found);
        }
        card.origin();
        let ending = self.findings.map(sentences::ending).unwrap_or_default();
        let notes = self.notes.iter().map(|note| format!("Note: {note}."));
        card.to_html(&heading, &ending.into_iter().chain(notes).collect::<Vec<_>>())
    }

    /// Who answered, how hard such questions are, and what the answer took.
    fn facts(&self, card: &mut Card, found: &Findings<'_>) {
        let class = found.checker.class();
        let who = found.report.statistics.who();
        card.text("Engine", who.strip_prefix("engine ").unwrap_or(&who));
        card.text(
            "Class",
            &format!("{}; reachability is {} ({})", class.row.name, class.row.complexity, theorem(class)),
        );
        let [search, other] =
            [found.report.statistics.search_time, found.report.other_time].map(|time| time.as_secs_f64());
        card.text("Time", &format!("{:.3} s, of which {search:.3} s are the search", search + other));
        if let Some(bytes) = self.json["statistics"]["memory_bytes"].as_f64() {
            card.text("Memory", &format!("{:.1} MB", bytes / 1e6));
        }
    }

    /// The runs that the page steps through: variables, and runs.
    fn runs(&self) -> (Value, Value) {
        let Some(found) = self.findings else { return (json!([]), json!([])) };
        let mut runs = Runs::new(found.program);
        match found.explained() {
            Some(explained) => explained.runs().for_each(|run| runs.tell(&run, found.style)),
            None => found.trace().iter().for_each(|run| runs.tell(run, found.style)),
        }
        let [variables, runs] = runs.json();
        (variables, runs)
    }

    /// The source, with controls and what they control beside it if there are runs.
    fn panes(&self, has_runs: bool) -> String {
        let source = match self.source {
            Some(source) => listing(source, |_| None),
            None => "<p class=\"faint\">The program was not read to its end.</p>\n".to_owned(),
        };
        match has_runs {
            true => STEPPER.replace("<!-- source -->", &source),
            false => format!("<section class=\"alone\"><h2>Program</h2>\n{source}</section>\n"),
        }
    }

    fn graph(&self) -> String {
        let section = |found: &Findings<'_>| {
            graph::section(found.source, found.program, found.checker.ersm(), &graph::visited(found))
        };
        self.findings.map(section).unwrap_or_default()
    }

    /// Why a TRUE is to be believed.
    fn proof(&self) -> String {
        let Some(found) = self.findings.filter(|_| *self.verdict == Verdict::Holds) else { return String::new() };
        let engine = escape(found.report.statistics.engine);
        let mut said =
            format!("<p>Engine <code>{engine}</code> claims it: its search came to an end without a violation.</p>\n");
        match self.certificate.filter(|_| found.report.proof.is_some()) {
            Some(path) => {
                let path = escape(&path.display().to_string());
                let command = format!("epitome certify {} {path}", escape(self.file));
                let _ = writeln!(
                    said,
                    "<p>Its proof was written to <code>{path}</code>. <code>{command}</code> checks it, with another solver and without the engine.</p>"
                );
            }
            None if !self.query.is_temporal() => {
                said.push_str("<p><code>check --certificate FILE</code> writes a proof down that <code>epitome certify</code> checks.</p>\n");
            }
            None => {}
        }
        format!("<section>\n<h2>Proof</h2>\n{said}</section>\n")
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
    fn cost(&self) -> String {
        let statistics = &self.json["statistics"];
        let [costs, reductions] = [tables::statistics(statistics), tables::reductions(statistics)];
        format!(
            "<section>\n<h2>Statistics</h2>\n<div class=\"beside\">\n<div>{costs}</div>\n<div><h3>Reductions</h3>\n{reductions}</div>\n</div>\n{DOWNLOADS}</section>\n"
        )
    }
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
        Query::Overflow => "no signed integer overflows".to_owned(),
        Query::Termination => "every run comes to an end".to_owned(),
        Query::Linear(_) | Query::Branching(_) | Query::Other(_) => query.to_string(),
    }
}

//! The page of `reach`: which lines of the source can be reached and which cannot, in the source itself, by label and by procedure.

use super::card::Card;
use super::graph::Pictures;
use super::listing::{Mark, listing};
use super::marks::{Counts, Marks, REACHABLE, UNKNOWN, UNREACHABLE};
use super::tables::Table;
use super::{Page, escape, tables};
use crate::syntax::Source;
use serde_json::Value;
use std::collections::BTreeMap;

const STYLE: &str = concat!(include_str!("listing.css"), include_str!("reach.css"));
const SCRIPT: &str =
    concat!("\"use strict\";\n", include_str!("page.js"), include_str!("pictures.js"), include_str!("reach.js"));
/// What the signs mean, and what is shown.
const LEGEND: &str = include_str!("reach.html");

/// What a search has to say.
pub(in crate::cli) struct Searched<'a> {
    pub(in crate::cli) file: &'a str,
    pub(in crate::cli) source: &'a Source,
    /// The object that `--json` prints, with all lines.
    pub(in crate::cli) json: &'a Value,
    /// Who searched.
    pub(in crate::cli) who: String,
    /// What is known of lines and places.
    pub(in crate::cli) marks: Marks,
    /// What `epitome graph` draws.
    pub(in crate::cli) pictures: Pictures,
}

/// The answer of an entry of the object.
fn answer(entry: &Value) -> Mark {
    match entry["reachable"].as_bool() {
        Some(true) => REACHABLE,
        Some(false) => UNREACHABLE,
        None => UNKNOWN,
    }
}

impl Searched<'_> {
    fn entries(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.json[name].as_array().into_iter().flatten()
    }

    /// The page.
    pub(in crate::cli) fn page(&self) -> String {
        let source = listing(self.source, |line| self.marks.exactly(line));
        let program = format!("<section class=\"alone\"><h2>Program</h2>\n{LEGEND}{source}</section>\n");
        let body = [
            self.card(),
            program,
            self.procedures(),
            self.labels(),
            self.statements(),
            self.pictures.html.clone(),
            self.cost(),
        ];
        let title = format!("{} — reachability", self.file);
        let files = self.pictures.files.json();
        let data = [("report", self.json), ("files", &files)];
        Page { title: &title, style: STYLE, body: &body.concat(), data: &data, script: SCRIPT }.to_string()
    }

    fn card(&self) -> String {
        let mut all = Counts::default();
        self.entries("lines").for_each(|entry| all.add(entry["reachable"].as_bool()));
        let Counts { reachable, unreachable, unknown } = all;
        let (class, sign, word) = match (unreachable, unknown) {
            (0, 0) => ("good", "✓", "no dead code".to_owned()),
            (0, _) => ("unsure", "?", "not everything is known".to_owned()),
            (1, _) => ("bad", "∅", "1 statement is dead".to_owned()),
            _ => ("bad", "∅", format!("{unreachable} statements are dead")),
        };
        let heading = format!(
            "<span class=\"badge {class}\">{sign} {word}</span> <span class=\"faint\">of <code>{}</code></span>",
            escape(self.file)
        );
        let counts = format!("{reachable} reachable, {unreachable} unreachable, {unknown} not known");
        let mut card = Card::default();
        card.text("Statements", &counts);
        card.file(self.file, Some(self.source));
        card.text("Engine", self.who.strip_prefix("engine ").unwrap_or(&self.who));
        card.text("Time", &format!("{:.3} s", self.json["statistics"]["search_seconds"].as_f64().unwrap_or_default()));
        card.origin();
        let stopped = self.json["reason"].as_str().map(|reason| format!("The search was stopped: {reason}."));
        card.to_html(&heading, &stopped.into_iter().collect::<Vec<_>>())
    }

    /// Counts by procedure, in the order of the source.
    fn procedures(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
        for entry in self.entries("lines") {
            let name = entry["procedure"].as_str().unwrap_or_default();
            if !counts.contains_key(name) {
                names.push(name);
            }
            counts.entry(name).or_default().add(entry["reachable"].as_bool());
        }
        let mut table = Table::new(&["procedure", "reachable", "unreachable", "not known"]);
        for name in names {
            let Counts { reachable, unreachable, unknown } = counts[name];
            let class = if unreachable > 0 { "no" } else { "yes" };
            let numbers = [reachable, unreachable, unknown].map(|count| count.to_string());
            table.row(class, &[&[format!("<code>{}</code>", escape(name))], &numbers[..]].concat());
        }
        format!("<section>\n<h2>Procedures</h2>\n{}</section>\n", table.to_html())
    }

    fn labels(&self) -> String {
        if self.entries("labels").next().is_none() {
            return String::new();
        }
        format!("<section>\n<h2>Labels</h2>\n{}</section>\n", self.places("labels", "label"))
    }

    fn statements(&self) -> String {
        let table = self.places("lines", "text");
        format!("<section>\n<details>\n<summary><h2>Statements</h2></summary>\n{table}</details>\n</section>\n")
    }

    /// Places with their answers; `what` is what they show of themselves.
    fn places(&self, list: &str, what: &str) -> String {
        let mut table = Table::new(&["answer", "line", "procedure", what]);
        for entry in self.entries(list) {
            let Mark { class, sign, word } = answer(entry);
            let code = |name: &str| format!("<code>{}</code>", escape(entry[name].as_str().unwrap_or_default()));
            let line = format!("<a href=\"#L{0}\">{0}</a>", entry["line"].as_u64().unwrap_or(0));
            table.row(class, &[format!("{sign} {word}"), line, code("procedure"), code(what)]);
        }
        table.to_html()
    }

    fn cost(&self) -> String {
        let statistics = &self.json["statistics"];
        let buttons = self.pictures.files.buttons();
        let [costs, reductions] = [tables::statistics(statistics), tables::reductions(statistics)];
        format!(
            "<section>\n<h2>Statistics</h2>\n<div class=\"beside\">\n<div>{costs}</div>\n<div><h3>Reductions</h3>\n{reductions}</div>\n</div>\n{buttons}</section>\n"
        )
    }
}

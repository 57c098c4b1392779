//! Results as one page for a browser, as plots, and as a table: all from the records of the CSV, so that runs of other experiments and of other
//! tools stand beside those that were just made.
//!
//! Plots are drawn as SVG before the page is written; its script only chooses what is seen, sorts and filters. Without it everything is there, one below
//! the other.

mod sections;

use super::super::html::Page;
use super::super::units;
use super::machine;
use epitome_benchmarks::charts::{MEASURES, cactus, contenders, families, growth, medians, scatter};
use epitome_benchmarks::plot::{Chart, page_style};
use epitome_benchmarks::{COLUMNS, Family, Record, overview_table, program_table, summary, summary_table};
use sections::Sections;
use serde_json::json;

/// What is shown.
pub(super) struct Shown<'s> {
    pub(super) title: &'s str,
    pub(super) records: &'s [Record],
    /// In words.
    pub(super) contradictions: &'s [String],
}

/// More pairs of contenders are not drawn.
const MOST_PAIRS: usize = 28;

/// The plots.
struct Charts {
    /// By family and measure.
    growth: Vec<(&'static Family, &'static str, Chart)>,
    /// By pair, the first one chosen.
    scatter: Vec<([String; 2], Chart)>,
    cactus: Chart,
}

impl Charts {
    fn new(records: &[Record]) -> Charts {
        let names = contenders(records);
        let curves = families(records).into_iter().flat_map(|(family, runs)| {
            let charts = MEASURES
                .iter()
                .filter_map(|measure| Some((family, measure.name, growth(family, &runs, &names, *measure)?)));
            charts.collect::<Vec<_>>()
        });
        let scatter = pairs(&names).into_iter().map(|pair| {
            let chart = scatter(records, [&pair[0], &pair[1]]);
            (pair, chart)
        });
        let compared = scatter.filter(|(_, chart)| chart.series.iter().any(|series| !series.points.is_empty()));
        Charts { growth: curves.collect(), scatter: compared.collect(), cactus: cactus(records) }
    }
}

/// Who is compared with whom: BDDs with SAT first, then the others in their order.
fn pairs(names: &[String]) -> Vec<[String; 2]> {
    let is = |name: &str, engine: &str| name.split(' ').next() == Some(engine);
    let mut pairs = Vec::new();
    for (place, one) in names.iter().enumerate() {
        for other in &names[place + 1..] {
            let swapped = is(one, "sat") && is(other, "bdd");
            let pair = if swapped { [other, one] } else { [one, other] };
            pairs.push(pair.map(String::clone));
        }
    }
    pairs.sort_by_key(|[one, other]| !(is(one, "bdd") && is(other, "sat")));
    pairs.truncate(MOST_PAIRS);
    pairs
}

impl Shown<'_> {
    /// The page.
    pub(super) fn page(&self) -> String {
        let medians = medians(self.records);
        let charts = Charts::new(&medians);
        let sections = Sections { shown: self, medians: &medians, charts: &charts, rows: &summary(&medians) };
        let rows: Vec<String> = self.records.iter().map(Record::line).collect();
        let data = json!({ "schema": "epitome-bench/1", "title": self.title, "columns": COLUMNS, "rows": rows });
        let style = format!("{}\n{}", page_style(), include_str!("page.css"));
        let (title, body) = (format!("{} – Epitome", self.title), sections.body());
        Page { title: &title, style: &style, body: &body, data: &[("runs", &data)], script: include_str!("page.js") }
            .to_string()
    }

    /// The table of growth and of the largest programs solved, and the programs that are of no family, in Markdown.
    pub(super) fn summary(&self) -> String {
        let [tool, machine, runs] = machine::lines(&self.runs());
        let medians = medians(self.records);
        let rows = summary(&medians);
        let ran = format!("{tool}; {machine}; {runs}.\n");
        let mut parts = Vec::new();
        if !rows.is_empty() {
            let (overview, details) = (overview_table(&rows), summary_table(&rows));
            parts.push(format!("The largest program that each engine solved (bold: all that were tried), and how its time grew:\n\n{overview}\n{ran}"));
            parts.push(format!("In detail:\n\n{details}"));
        }
        if let Some(programs) = program_table(&medians) {
            let ran = if rows.is_empty() { format!("\n{ran}") } else { String::new() };
            parts.push(format!("Programs that are of no family, with verdicts and times:\n\n{programs}{ran}"));
        }
        parts.join("\n")
    }

    /// The plots, each with the name of its file.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let charts = Charts::new(&medians(self.records));
        let growth = charts
            .growth
            .iter()
            .map(|(family, measure, chart)| (format!("growth-{}-{}.svg", family.name, slug(measure)), chart.file()));
        let scatter = charts
            .scatter
            .iter()
            .map(|([one, other], chart)| (format!("scatter-{}-{}.svg", slug(one), slug(other)), chart.file()));
        growth.chain(scatter).chain([("cactus.svg".to_owned(), charts.cactus.file())]).collect()
    }

    /// How many runs there are, and with which limits.
    fn runs(&self) -> String {
        let runs = self.records.len();
        let mut limits: Vec<String> = self.records.iter().map(Record::limits).collect();
        limits.sort_unstable();
        limits.dedup();
        match &limits[..] {
            [same] if !same.is_empty() => format!("runs: {runs}, each with {same}"),
            _ => format!("runs: {runs}, not all with the same limits"),
        }
    }

    /// How many runs, tasks and contenders there are.
    fn counts(&self, medians: &[Record]) -> String {
        let mut tasks: Vec<&str> = self.records.iter().map(|record| record.task.as_str()).collect();
        tasks.sort_unstable();
        tasks.dedup();
        let contenders = contenders(medians).len();
        let counts = [(self.records.len(), "run"), (tasks.len(), "task"), (contenders, "engine")];
        counts.map(|(count, what)| units::count(count, what)).join(", ")
    }
}

/// A text as a part of the name of a file or an element.
fn slug(text: &str) -> String {
    let letters = text.split(" (").next().unwrap_or(text).chars();
    let plain = letters.map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let words = plain.collect::<String>();
    words.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bdd_against_sat_comes_first() {
        let names = ["expand", "sat", "sat --sat-solver batsat", "bdd"].map(str::to_owned);
        let pairs = pairs(&names);
        assert_eq!(pairs.len(), 6);
        assert_eq!((pairs[0][0].as_str(), pairs[0][1].as_str()), ("bdd", "sat"));
        assert_eq!(pairs[1][1], "sat --sat-solver batsat");
    }

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(slug("sat --sat-solver batsat"), "sat-sat-solver-batsat");
        assert_eq!(slug("BDD nodes (x/y)"), "bdd-nodes");
    }
}

//! What an experiment says about each class: for every family and engine how time and size grow, and the largest program that was solved.

use crate::charts::{MEASURES, Measure, contenders, families};
use crate::{Family, Growth, Record, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A row of the table: an engine on a family.
#[derive(Clone, Debug)]
pub struct SummaryRow {
    /// The family.
    pub family: &'static Family,
    /// Whose runs.
    pub who: String,
    /// What the question is turned into.
    pub encoding: &'static str,
    /// The largest size that was solved, and the largest that was tried, by verdict.
    pub largest: [(Option<u32>, Option<u32>); 2],
    /// How the time grows with the size.
    pub time: Option<Growth>,
    /// How memory grows.
    pub memory: Option<Growth>,
    /// How the size of what is solved grows, and what is counted.
    pub size: Option<(Growth, &'static str)>,
}

/// What takes less is mostly the start of a process.
const SHORTEST: f64 = 0.01;

/// The rows, family by family, for runs of which each is the only one of its engine on its task.
pub fn summary(records: &[Record]) -> Vec<SummaryRow> {
    let names = contenders(records);
    let rows = families(records).into_iter().flat_map(|(family, runs)| {
        let row = |who: &String| {
            let own: Vec<&Record> = runs.iter().copied().filter(|run| run.who() == *who).collect();
            (!own.is_empty()).then(|| row(family, who, &own))
        };
        names.iter().filter_map(row).collect::<Vec<_>>()
    });
    rows.collect()
}

fn row(family: &'static Family, who: &str, runs: &[&Record]) -> SummaryRow {
    let largest = Verdict::ALL.map(|verdict| {
        let sizes = |solved: bool| {
            let of = |run: &&Record| run.instance().filter(|i| i.verdict() == verdict && (!solved || run.is_solved()));
            runs.iter().filter_map(of).map(|instance| instance.size()).max()
        };
        (sizes(true), sizes(false))
    });
    // What holds has to be searched to the end; what does not may be found early, and counts where nothing holds.
    let version = if largest[0].1.is_some() { Verdict::Safe } else { Verdict::Unsafe };
    let growth = |measure: Measure, least: f64| {
        let point = |run: &&Record| {
            let instance = run.instance().filter(|instance| instance.verdict() == version)?;
            let value = (measure.of)(run).filter(|value| run.verdict.is_some() && *value >= least)?;
            Some((f64::from(instance.size()), value))
        };
        Growth::fit(&runs.iter().filter_map(point).collect::<Vec<_>>())
    };
    let (encoding, measure, name) = encoding(runs[0].engine.as_str());
    let [time, memory, ..] = MEASURES;
    SummaryRow {
        family,
        who: who.to_owned(),
        encoding,
        largest,
        time: growth(time, SHORTEST),
        memory: growth(memory, 0.0),
        size: growth(measure, 1.0).map(|growth| (growth, name)),
    }
}

/// What the engine turns the question into, the measure of its size, and what that counts.
fn encoding(engine: &str) -> (&'static str, Measure, &'static str) {
    let [_, _, variables, clauses, nodes, _, rounds] = MEASURES;
    match engine {
        "expand" | "explicit" => ("states one by one", rounds, "path edges"),
        "spin" => ("states one by one", rounds, "states"),
        "bdd" | "tabulate" | "moped" => ("BDD summaries", nodes, "nodes"),
        "sat" | "summarize" => ("CNF (one formula, or summaries)", clauses, "clauses"),
        "qbf" | "quantify" => ("quantified circuit", variables, "variables"),
        "depqbf" => ("QDIMACS", clauses, "clauses"),
        "spacer" | "golem" => ("Horn clauses", clauses, "clauses"),
        "cbmc" => ("CNF, unwound", clauses, "clauses"),
        "auto" => ("by class", clauses, "clauses"),
        _ => ("", clauses, "clauses"),
    }
}

impl SummaryRow {
    /// The class of the family, and its bound.
    pub fn class(&self) -> [&'static str; 2] {
        let (class, bound) = self.family.theorem.split_once(": ").unwrap_or((self.family.theorem, ""));
        [class, bound]
    }

    /// The cells, in the order of [`SUMMARY_COLUMNS`]. The class is told once.
    pub fn cells(&self, is_first: bool) -> [String; SUMMARY_COLUMNS.len()] {
        let [class, bound] = self.class();
        let first = |text: &str| if is_first { text.to_owned() } else { String::new() };
        let curve = |growth: Option<Growth>| growth.map_or_else(|| "–".to_owned(), |growth| growth.to_string());
        let size = self.size.map_or_else(|| "–".to_owned(), |(growth, what)| format!("{growth} ({what})"));
        let largest = |(solved, tried): (Option<u32>, Option<u32>)| match (solved, tried) {
            (_, None) => "–".to_owned(),
            (None, Some(tried)) => format!("none (of ≤ {tried})"),
            (Some(solved), Some(tried)) if solved < tried => format!("{solved} (of {tried})"),
            (Some(solved), _) => format!("{solved} (all)"),
        };
        let [holds, fails] = self.largest.map(largest);
        [
            first(class),
            first(bound),
            first(self.family.name),
            self.who.clone(),
            self.encoding.to_owned(),
            size,
            curve(self.time),
            curve(self.memory),
            holds,
            fails,
        ]
    }
}

/// What the table tells.
pub const SUMMARY_COLUMNS: [&str; 10] = [
    "class",
    "theorem",
    "family",
    "engine",
    "encoding",
    "size grows as",
    "time grows as",
    "memory grows as",
    "largest TRUE solved",
    "largest FALSE solved",
];

/// The table in Markdown.
pub fn summary_table(rows: &[SummaryRow]) -> String {
    let mut lines =
        vec![SUMMARY_COLUMNS.map(str::to_owned).to_vec(), SUMMARY_COLUMNS.map(|_| "---".to_owned()).to_vec()];
    for (place, row) in rows.iter().enumerate() {
        let is_first = place == 0 || rows[place - 1].family.name != row.family.name;
        lines.push(row.cells(is_first).to_vec());
    }
    markdown(&lines)
}

/// Programs that are of no family, a row for each question about one, with what each contender made of it, in
/// Markdown; nothing if there are none.
pub fn program_table(records: &[Record]) -> Option<String> {
    let own: Vec<&Record> = records.iter().filter(|record| record.instance().is_none()).collect();
    let names: Vec<String> =
        contenders(records).into_iter().filter(|name| own.iter().any(|run| run.who() == *name)).collect();
    let (mut asked, mut seen) = (Vec::new(), BTreeSet::new());
    let mut cells: BTreeMap<(&str, &str, String), String> = BTreeMap::new();
    for run in own {
        let question = (run.task.as_str(), run.property.as_str());
        if seen.insert(question) {
            asked.push(question);
        }
        cells.insert((question.0, question.1, run.who()), ended(run));
    }
    let headings = ["program", "property"].into_iter().chain(names.iter().map(String::as_str)).map(str::to_owned);
    let mut lines: Vec<Vec<String>> = vec![headings.collect()];
    lines.push(lines[0].iter().map(|_| "---".to_owned()).collect());
    for (task, property) in &asked {
        let cell = |name: &String| cells.get(&(*task, *property, name.clone())).cloned().unwrap_or_default();
        let about = [task, property].map(|text| (*text).to_owned());
        lines.push(about.into_iter().chain(names.iter().map(cell)).collect());
    }
    (!asked.is_empty()).then(|| markdown(&lines))
}

/// What a run came to, in few words.
fn ended(run: &Record) -> String {
    let time = format!("{:.3} s", run.time().as_secs_f64());
    match run.verdict {
        Some(verdict) if run.is_wrong() => format!("**wrong: {}**, {time}", verdict.expected()),
        Some(verdict) if run.is_solved() => format!("{}, {time}", verdict.expected()),
        _ => format!("{}, {time}", run.status),
    }
}

fn markdown(lines: &[Vec<String>]) -> String {
    let mut out = String::new();
    for cells in lines {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{COLUMNS, read_records};

    #[test]
    fn programs_of_no_family_have_a_table_of_their_own() {
        let mut text = COLUMNS.join(",") + "\n";
        for (engine, task, end) in [
            ("sat", "a.bp", "TRUE,TRUE,done"),
            ("bdd", "a.bp", ",UNKNOWN,timeout"),
            ("sat", "b|c.bp", "FALSE,TRUE,done"),
            ("sat", "tn:8+safe", "TRUE,TRUE,done"),
            ("bdd", "d.bp", ",TRUE,nothing to check"),
        ] {
            text += &format!("epitome,1,,{engine},,{task},unreach-call,{end},1.0,1.0,,,,,,\n");
        }
        let table = program_table(&read_records(&text).unwrap()).unwrap();
        let rows: Vec<&str> = table.lines().collect();
        assert_eq!(rows[0], "| program | property | sat | bdd |");
        assert_eq!(rows[2], "| a.bp | unreach-call | TRUE, 1.000 s | timeout, 1.000 s |");
        assert_eq!(rows[3], "| b\\|c.bp | unreach-call | **wrong: TRUE**, 1.000 s |  |");
        assert_eq!(rows[4..], ["| d.bp | unreach-call |  | nothing to check, 1.000 s |"]);
    }

    #[test]
    fn curves_and_largest_sizes_are_told() {
        let line = |engine: &str, size: u32, time: f64, clauses: u32, solved: bool| {
            let end = if solved { "TRUE,done" } else { "UNKNOWN,timeout" };
            format!(
                "epitome,1,,{engine},,tn:{size}+safe,unreach-call,TRUE,{end},{time:.6},9.0,99000000,,,,,{clauses}\n"
            )
        };
        let mut text = COLUMNS.join(",") + "\n";
        for (size, clauses) in [(10, 100), (20, 400), (40, 1600), (80, 6400)] {
            text += &line("sat", size, f64::from(size) / 10.0, clauses, true);
            text += &line("bdd", size, 0.001, 0, size < 40);
        }
        let rows = summary(&read_records(&text).unwrap());
        let table = summary_table(&rows);
        let sat = "| I/O bounded EHSM | PSPACE (Godefroid, Theorem 7); linear in N by summaries (Ball, section 4) | tn | sat | CNF (one formula, or summaries) | n^2.0 (clauses) | n^1.0 | n^0.0 | 80 (all) | – |";
        let bdd = "|  |  |  | bdd | BDD summaries | – | – | – | 20 (of 80) | – |";
        assert_eq!(table.lines().skip(2).collect::<Vec<_>>(), [sat, bdd]);
    }
}

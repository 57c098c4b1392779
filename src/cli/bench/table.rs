//! The table: a row for each task, engines side by side, and the scores below.

use super::results::{Results, Score, median};
use super::run::{End, Run, Sizes};
use std::io::{self, Write};
use std::time::Duration;

/// The longest name of a task that is shown in full.
const LONGEST_NAME: usize = 40;

/// A column: its heading, then a text for each row.
struct Column {
    texts: Vec<String>,
    to_the_left: bool,
}

impl Column {
    fn new(heading: &str, to_the_left: bool) -> Column {
        Column { texts: vec![heading.to_owned()], to_the_left }
    }

    fn width(&self) -> usize {
        self.texts.iter().map(|text| text.chars().count()).max().unwrap_or(0)
    }

    fn text(&self, row: usize) -> String {
        let (text, width) = (&self.texts[row], self.width());
        if self.to_the_left { format!("{text:<width$}") } else { format!("{text:>width$}") }
    }
}

/// Columns under one title.
struct Group {
    title: String,
    columns: Vec<Column>,
}

impl Group {
    fn one(title: &str, column: Column) -> Group {
        Group { title: title.to_owned(), columns: vec![column] }
    }

    /// A row; row 0 has the headings.
    fn text(&self, row: usize) -> String {
        let columns: Vec<String> = self.columns.iter().map(|column| column.text(row)).collect();
        columns.join("  ")
    }
}

/// Writes groups side by side, with their titles above.
fn write_groups(out: &mut dyn Write, groups: &[Group]) -> io::Result<()> {
    let rows = groups.first().and_then(|group| group.columns.first()).map_or(0, |column| column.texts.len());
    let width = |group: &Group| group.text(0).chars().count().max(group.title.chars().count());
    let mut line = |text: &dyn Fn(&Group) -> String| {
        let texts: Vec<String> = groups.iter().map(|group| format!("{:<1$}", text(group), width(group))).collect();
        writeln!(out, "{}", texts.join(" | ").trim_end())
    };
    if groups.iter().any(|group| !group.title.is_empty()) {
        line(&|group| group.title.clone())?;
    }
    (0..rows).try_for_each(|row| line(&|group| group.text(row)))
}

/// The runs.
pub(super) fn write(out: &mut dyn Write, results: &Results) -> io::Result<()> {
    let mut names = Column::new("task", true);
    names.texts.extend(results.rows.iter().map(|(task, _)| shortened(&task.name)));
    let mut groups = vec![Group::one("", names)];
    groups.extend((0..results.contenders.len()).map(|at| group(results, at)));
    if results.contenders.len() == 2 {
        groups.push(Group::one("", ratios(results)));
    }
    write_groups(out, &groups)
}

/// A size, its heading first.
type SizeColumn = (&'static str, fn(&Sizes) -> Option<u64>);

const SIZES: [SizeColumn; 4] = [
    ("edges", |sizes| sizes.path_edges),
    ("summ.", |sizes| sizes.summary_edges),
    ("set", |sizes| sizes.largest),
    ("rounds", |sizes| sizes.iterations),
];

/// The columns of one engine. Sizes that it never has, or that always equal another, are left out: two
/// engines should fit on a terminal.
fn group(results: &Results, at: usize) -> Group {
    let contender = &results.contenders[at];
    let runs: Vec<Option<&Run>> = results.rows.iter().map(|(_, cells)| median(&cells[at])).collect();
    let column = |heading, to_the_left, text: &dyn Fn(&Run) -> String| {
        let mut column = Column::new(heading, to_the_left);
        column.texts.extend(runs.iter().map(|run| run.map_or(String::new(), text)));
        column
    };
    let mut verdicts = Column::new("verdict", true);
    for ((task, _), run) in results.rows.iter().zip(&runs) {
        let mark = |run: &Run| if results.is_wrong(task, contender, run) { "!" } else { "" };
        verdicts.texts.push(run.map_or(String::new(), |run| format!("{}{}", answer(run), mark(run))));
    }
    let time = column("time", false, &|run| seconds(run.time()));
    let memory = column("memory", false, &|run| run.memory.map_or(String::new(), megabytes));
    let mut columns = vec![verdicts, time, memory];
    let mut shown: Vec<Vec<Option<u64>>> = Vec::new();
    for (heading, size) in SIZES {
        let sizes: Vec<Option<u64>> = runs.iter().flatten().map(|run| size(&run.sizes)).collect();
        if sizes.iter().any(Option::is_some) && !shown.contains(&sizes) {
            columns.push(column(heading, false, &|run| size(&run.sizes).map_or(String::new(), count)));
            shown.push(sizes);
        }
    }
    Group { title: contender.title.clone(), columns }
}

/// The verdict, or why there is none.
fn answer(run: &Run) -> &str {
    // The CSV has the whole reason.
    let reason = run.status().split(':').next().unwrap_or_default();
    match run.end {
        End::Done(verdict) => verdict.expected(),
        _ => reason,
    }
}

/// How many times the time of the first engine the second one needs, where both have answers.
fn ratios(results: &Results) -> Column {
    let mut column = Column::new("ratio", false);
    for (_, cells) in &results.rows {
        let text = match (median(&cells[0]), median(&cells[1])) {
            (Some(first), Some(second)) if [first, second].iter().all(|run| matches!(run.end, End::Done(_))) => {
                format!("{:.2}", second.time().as_secs_f64() / first.time().as_secs_f64().max(1e-6))
            }
            _ => String::new(),
        };
        column.texts.push(text);
    }
    column
}

/// The scores, a row for each engine.
pub(super) fn write_scores(out: &mut dyn Write, results: &Results) -> io::Result<()> {
    let scores: Vec<Score> = (0..results.contenders.len()).map(|at| results.score(at)).collect();
    let mut engines = Column::new("engine", true);
    engines.texts.extend(results.contenders.iter().map(|contender| contender.title.clone()));
    let column = |heading, text: &dyn Fn(&Score) -> String| {
        let mut column = Column::new(heading, false);
        column.texts.extend(scores.iter().map(text));
        column
    };
    let mut columns = vec![
        engines,
        column("TRUE", &|score| score.holds.to_string()),
        column("FALSE", &|score| score.violated.to_string()),
        column("unknown", &|score| score.unknown.to_string()),
        column("failed", &|score| score.failed.to_string()),
        column("wrong", &|score| score.wrong.to_string()),
    ];
    if scores.iter().any(|score| score.nothing > 0) {
        columns.push(column("nothing", &|score| score.nothing.to_string()));
    }
    columns.push(column("PAR-2", &|score| seconds(Duration::try_from_secs_f64(score.par2).unwrap_or_default())));
    write_groups(out, &[Group { title: String::new(), columns }])
}

/// A long name by its end, where the file is.
fn shortened(name: &str) -> String {
    let length = name.chars().count();
    if length <= LONGEST_NAME {
        return name.to_owned();
    }
    let end: String = name.chars().skip(length - LONGEST_NAME + 1).collect();
    format!("…{end}")
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let digits = if seconds < 10.0 { 3 } else { 1 };
    format!("{seconds:.digits$}s")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0}MB", (bytes as f64 / 1e6).max(1.0))
}

/// Exact up to five digits.
fn count(value: u64) -> String {
    match value {
        0..100_000 => value.to_string(),
        100_000..1_000_000 => format!("{}k", value / 1000),
        _ => format!("{:.1}M", value as f64 / 1e6),
    }
}

//! Comma-separated values (RFC 4180, but with plain line ends): a line for each run.

use super::engines::{Contender, sentence};
use super::run::{Run, Sizes};
use super::tasks::Task;
use epitome_benchmarks::Verdict;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::Duration;

const COLUMNS: [&str; 18] = [
    "tool",
    "version",
    "commit",
    "engine",
    "options",
    "task",
    "property",
    "expected",
    "verdict",
    "status",
    "cputime_s",
    "walltime_s",
    "memory_bytes",
    "iterations",
    "bdd_peak_nodes",
    "sat_conflicts",
    "vars",
    "clauses",
];

/// The names of the columns.
pub(super) fn header(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))
}

/// A run. What is not known is empty.
pub(super) fn line(
    out: &mut dyn Write,
    task: &Task,
    contender: &Contender,
    expected: Option<Verdict>,
    run: &Run,
) -> io::Result<()> {
    let seconds = |time: Duration| format!("{:.6}", time.as_secs_f64());
    let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let fields: [String; COLUMNS.len()] = [
        "epitome".to_owned(),
        env!("CARGO_PKG_VERSION").to_owned(),
        super::COMMIT.to_owned(),
        contender.engine.clone(),
        sentence(&contender.options),
        task.name.clone(),
        contender.query.to_string(),
        expected.map_or("", Verdict::expected).to_owned(),
        run.verdict().map_or("UNKNOWN", Verdict::expected).to_owned(),
        run.status().to_owned(),
        run.cpu.map_or(String::new(), seconds),
        seconds(run.wall),
        number(run.memory),
        number(run.sizes.iterations),
        number(run.sizes.nodes),
        String::new(),
        number(run.sizes.variables),
        number(run.sizes.clauses),
    ];
    writeln!(out, "{}", fields.map(quoted).join(","))
}

/// Runs of an earlier experiment, by what names a run.
#[derive(Default)]
pub(super) struct Known {
    /// By engine, options, task and property; repetitions in their order.
    runs: FxHashMap<[String; 4], VecDeque<Run>>,
}

impl Known {
    /// Reads a file that this version wrote, perhaps cut off in a line. `None` if it is something else.
    pub(super) fn read(text: &str) -> Option<Known> {
        // What does not end was not written to its end.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut records = records(whole).into_iter();
        let is_header = records.next().is_some_and(|header| header == COLUMNS);
        if !is_header {
            return whole.is_empty().then(Known::default);
        }
        let mut known = Known::default();
        for record in records {
            let [_, _, _, engine, options, task, property, _, verdict, status, cpu, wall, memory, sizes @ ..] =
                <[String; COLUMNS.len()]>::try_from(record).ok()?;
            let [iterations, nodes, _, variables, clauses] = sizes.map(|size| size.parse().ok());
            let seconds = |text: &str| Duration::try_from_secs_f64(text.parse().ok()?).ok();
            let run = Run {
                end: Run::end_of(&status, &verdict)?,
                cpu: seconds(&cpu),
                wall: seconds(&wall)?,
                memory: memory.parse().ok(),
                sizes: Sizes { iterations, nodes, variables, clauses, ..Sizes::default() },
            };
            known.runs.entry([engine, options, task, property]).or_default().push_back(run);
        }
        Some(known)
    }

    /// Nothing was measured.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// A run that was not taken, if there is one.
    pub(super) fn other(&self) -> Option<String> {
        let left = self.runs.iter().filter(|(_, runs)| !runs.is_empty());
        left.map(|([engine, options, task, _], _)| format!("{task} by {engine} {options}")).min()
    }

    /// The next run of an engine on a task.
    pub(super) fn take(&mut self, task: &Task, contender: &Contender) -> Option<Run> {
        let options = sentence(&contender.options);
        let key = [contender.engine.clone(), options, task.name.clone(), contender.query.to_string()];
        self.runs.get_mut(&key)?.pop_front()
    }
}

/// The records of a text. Quoted fields may have commas, quotes (twice) and line ends.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            c => field.push(c),
        }
    }
    records
}

/// A field, in quotes if it needs them.
fn quoted(field: String) -> String {
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, Known, quoted, records};

    #[test]
    fn what_was_written_is_read_again() {
        let fields = ["a", "b,c", "say \"x\"", "", "two\nlines"].map(str::to_owned);
        let line = fields.clone().map(quoted).join(",") + "\n";
        assert_eq!(records(&line.repeat(2)), [fields.to_vec(), fields.to_vec()]);
        let header = COLUMNS.join(",") + "\n";
        let run = "epitome,0.1.0,,bdd,,tn:3+safe,failures,TRUE,TRUE,done,0.1,0.2,1024,3,,,5,\n";
        for (text, runs) in [("", 0), (&header, 0), (&format!("{header}{run}"), 1), (&format!("{header}{run}epit"), 1)]
        {
            assert_eq!(Known::read(text).map(|known| known.runs.len()), Some(runs), "{text}");
        }
        for text in
            ["x,y\n", &format!("{header}1,2\n"), &format!("{header}{}", run.replace("TRUE,done", "UNKNOWN,done"))]
        {
            assert!(Known::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(quoted("tn:3+safe".to_owned()), "tn:3+safe");
        assert_eq!(quoted("a,b".to_owned()), "\"a,b\"");
        assert_eq!(quoted("say \"x\"".to_owned()), "\"say \"\"x\"\"\"");
    }
}

//! Runs of experiments, as lines of comma-separated values (RFC 4180, but with plain line ends): what tables, plots and other programs read.
//!
//! The columns are those that people who compare tools are used to; runs of other tools are written into the same columns, so that they stand in the
//! same plots.

use crate::{Instance, Verdict, instances};
use std::time::Duration;

/// The columns, in their order.
pub const COLUMNS: [&str; 18] = [
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

/// Options that say how long and far an answer may take.
const LIMITS: [&str; 2] = ["--timeout", "--memory"];

/// Options that say what is asked, which stands in a column of its own.
const QUESTIONS: [&str; 7] = ["--label", "--property", "--ltl", "--ctl", "--ctlstar", "--automaton", "--open"];

/// The status of a run that has a verdict.
pub const DONE: &str = "done";

/// The status of a run that has a verdict because its program has nothing that could violate the property:
/// nothing is solved.
pub const NOTHING: &str = "nothing to check";

/// A run of a tool on a task. What is not known is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The tool, its version, and the commit it was built from.
    pub tool: [String; 3],
    /// The engine of the tool.
    pub engine: String,
    /// Its options, limits included.
    pub options: String,
    /// The program.
    pub task: String,
    /// What was asked.
    pub property: String,
    /// What the answer must be.
    pub expected: Option<Verdict>,
    /// The answer.
    pub verdict: Option<Verdict>,
    /// [`DONE`], [`NOTHING`], or why there is no answer.
    pub status: String,
    /// Processor time.
    pub cpu: Option<Duration>,
    /// Time on the wall.
    pub wall: Duration,
    /// The most memory, in bytes.
    pub memory: Option<u64>,
    /// What the engine counted.
    pub sizes: RecordSizes,
}

/// What an engine counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordSizes {
    /// Rounds of its search, or queries.
    pub iterations: Option<u64>,
    /// Nodes of decision diagrams, at most.
    pub nodes: Option<u64>,
    /// Conflicts of SAT solvers.
    pub conflicts: Option<u64>,
    /// Variables of formulas or diagrams.
    pub variables: Option<u64>,
    /// Clauses of formulas.
    pub clauses: Option<u64>,
}

/// A text that is no CSV of runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecords {
    /// The line that is not understood, from 1 on.
    pub line: usize,
}

impl Record {
    /// Processor time, or else time on the wall: the time that tables and plots are about.
    pub fn time(&self) -> Duration {
        self.cpu.unwrap_or(self.wall)
    }

    /// The answer is not the one that was expected.
    pub fn is_wrong(&self) -> bool {
        matches!((self.expected, self.verdict), (Some(expected), Some(found)) if expected != found)
    }

    /// There was something to check, and the answer is not wrong.
    pub fn is_solved(&self) -> bool {
        self.status == DONE && !self.is_wrong()
    }

    /// Its options, each with its value.
    pub fn settings(&self) -> Vec<String> {
        let mut settings: Vec<String> = Vec::new();
        for word in words(&self.options) {
            match settings.last_mut().filter(|_| !word.starts_with("--")) {
                Some(setting) => *setting += &format!(" {word}"),
                None => settings.push(word.to_owned()),
            }
        }
        settings
    }

    /// What plots call whose run it is: the engine and the options that are neither limits nor the question.
    pub fn who(&self) -> String {
        let mut settings = self.settings();
        settings.retain(|setting| !is_one_of(setting, &LIMITS) && !is_one_of(setting, &QUESTIONS));
        settings.insert(0, self.engine.clone());
        settings.join(" ")
    }

    /// How long and far the answer may take, as options.
    pub fn limits(&self) -> String {
        let mut settings = self.settings();
        settings.retain(|setting| is_one_of(setting, &LIMITS));
        settings.sort_by_key(|setting| std::cmp::Reverse(setting.clone()));
        settings.join(" ")
    }

    /// Forgets these options, but not its limits.
    pub(crate) fn forget(&mut self, common: &[String]) {
        let mut settings = self.settings();
        settings.retain(|setting| is_one_of(setting, &LIMITS) || !common.contains(setting));
        self.options = settings.join(" ");
    }

    /// The program, if it is one of a family.
    pub fn instance(&self) -> Option<Instance> {
        let is_one = self.task.contains(':') && self.task.contains('+');
        let named = is_one.then(|| instances(&self.task).ok()).flatten()?;
        <[Instance; 1]>::try_from(named).ok().map(|[instance]| instance)
    }

    /// The line, without its end.
    pub fn line(&self) -> String {
        let seconds = |time: Duration| format!("{:.6}", time.as_secs_f64());
        let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        let [tool, version, commit] = self.tool.clone();
        let sizes = self.sizes;
        let fields: [String; COLUMNS.len()] = [
            tool,
            version,
            commit,
            self.engine.clone(),
            self.options.clone(),
            self.task.clone(),
            self.property.clone(),
            self.expected.map_or("", Verdict::expected).to_owned(),
            self.verdict.map_or("UNKNOWN", Verdict::expected).to_owned(),
            self.status.clone(),
            self.cpu.map_or(String::new(), seconds),
            seconds(self.wall),
            number(self.memory),
            number(sizes.iterations),
            number(sizes.nodes),
            number(sizes.conflicts),
            number(sizes.variables),
            number(sizes.clauses),
        ];
        fields.map(quoted).join(",")
    }

    /// Reads the fields of a line.
    fn of(fields: Vec<String>) -> Option<Record> {
        let [
            tool,
            version,
            commit,
            engine,
            options,
            task,
            property,
            expected,
            verdict,
            status,
            cpu,
            wall,
            memory,
            sizes @ ..,
        ] = <[String; COLUMNS.len()]>::try_from(fields).ok()?;
        let said = |text: &str| Verdict::ALL.into_iter().find(|verdict| verdict.expected() == text);
        let seconds = |text: &str| Duration::try_from_secs_f64(text.parse().ok()?).ok();
        let verdict = said(&verdict);
        // What is done has an answer, and nothing else has one.
        if [DONE, NOTHING].contains(&status.as_str()) != verdict.is_some() {
            return None;
        }
        let [iterations, nodes, conflicts, variables, clauses] = sizes.map(|size| size.parse().ok());
        Some(Record {
            tool: [tool, version, commit],
            engine,
            options,
            task,
            property,
            expected: said(&expected),
            verdict,
            status,
            cpu: seconds(&cpu),
            wall: seconds(&wall)?,
            memory: memory.parse().ok(),
            sizes: RecordSizes { iterations, nodes, conflicts, variables, clauses },
        })
    }
}

/// The records of a file that may have been cut off in a line, which then does not count; none of an empty one.
pub fn read_records(text: &str) -> Result<Vec<Record>, BadRecords> {
    // What does not end was not written to its end.
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let mut lines = split(whole).into_iter();
    match lines.next() {
        None => return Ok(Vec::new()),
        Some((_, header)) if header == COLUMNS => {}
        Some((line, _)) => return Err(BadRecords { line }),
    }
    lines.map(|(line, fields)| Record::of(fields).ok_or(BadRecords { line })).collect()
}

/// The fields of each line, with its number. Quoted fields may have commas, quotes (twice) and line ends.
fn split(text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut lines, mut fields, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut start, mut is_quoted) = (1, 1, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                fields.push(std::mem::take(&mut field));
                lines.push((start, std::mem::take(&mut fields)));
                start = line;
            }
            c => field.push(c),
        }
    }
    lines
}

/// An option with its value is one of these.
fn is_one_of(setting: &str, options: &[&str]) -> bool {
    setting.split([' ', '=']).next().is_some_and(|option| options.contains(&option))
}

/// Options; quotes hold words together.
fn words(options: &str) -> Vec<&str> {
    let mut quote = None;
    let separates = |c: char| {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        quote.is_none() && c.is_whitespace()
    };
    options.split(separates).filter(|word| !word.is_empty()).collect()
}

/// A field, in quotes if it needs them.
fn quoted(field: String) -> String {
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "epitome,0.1.0,,bdd,--bdd all --timeout 9s --memory=1G,tn:3+safe,unreach-call,TRUE,TRUE,done,0.100000,0.200000,1024,3,,,5,";

    fn file(lines: &[&str]) -> String {
        [&[&COLUMNS.join(",") as &str], lines, &[""]].concat().join("\n")
    }

    #[test]
    fn what_was_written_is_read_again() {
        for text in [String::new(), file(&[]), file(&[RUN]), file(&[RUN, RUN])] {
            let records = read_records(&text).unwrap();
            let lines: Vec<String> = records.iter().map(Record::line).collect();
            let again = file(&lines.iter().map(String::as_str).collect::<Vec<_>>());
            assert!(again == text || text.is_empty());
            assert_eq!(read_records(&(text + "epit")).unwrap(), records, "the last line was cut off");
        }
        let strange = ["a", "b,c", "say \"x\"", "", "two\nlines"].map(str::to_owned);
        let line = strange.clone().map(quoted).join(",") + "\n";
        assert_eq!(split(&line.repeat(2)), [(1, strange.to_vec()), (3, strange.to_vec())]);
    }

    #[test]
    fn what_is_something_else_is_refused() {
        let bad = |text: &str| read_records(text).unwrap_err().line;
        assert_eq!(bad("x,y\n"), 1);
        assert_eq!(bad(&file(&[RUN, "1,2"])), 3);
        assert_eq!(bad(&file(&[&RUN.replace("TRUE,done", "UNKNOWN,done")])), 2);
        assert_eq!(bad(&file(&[&RUN.replace("TRUE,done", "TRUE,timeout")])), 2);
    }

    #[test]
    fn who_has_nothing_to_check_has_solved_nothing() {
        let line = RUN.replace("TRUE,done", "TRUE,nothing to check");
        let [nothing, done] = [line.as_str(), RUN].map(|line| read_records(&file(&[line])).unwrap().remove(0));
        assert_eq!((nothing.is_solved(), done.is_solved()), (false, true));
        assert_eq!((nothing.line(), nothing.is_wrong()), (line, false));
    }

    #[test]
    fn whose_run_it_is_and_of_what() {
        let run = read_records(&file(&[RUN])).unwrap().remove(0);
        assert_eq!(run.who(), "bdd --bdd all");
        assert_eq!(run.limits(), "--timeout 9s --memory=1G");
        let asked = |options: &str| Record { options: options.to_owned(), ..run.clone() }.who();
        assert_eq!(asked("--ctl 'AG EF --bdd' --open --sat-solver batsat --label=L"), "bdd --sat-solver batsat");
        assert_eq!(run.instance().unwrap().size(), 3);
        assert_eq!(Record { task: "a:b/c.bp".to_owned(), ..run.clone() }.instance().map(|i| i.size()), None);
        assert!(!run.is_wrong() && Record { expected: Some(Verdict::Unsafe), ..run }.is_wrong());
    }
}

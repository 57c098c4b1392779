//! Comma-separated values (RFC 4180, but with plain line ends): a line for each run.

use super::engines::{Contender, sentence};
use super::run::Run;
use super::tasks::Task;
use epitome_benchmarks::Verdict;
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

/// A field, in quotes if it needs them.
fn quoted(field: String) -> String {
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(quoted("tn:3+safe".to_owned()), "tn:3+safe");
        assert_eq!(quoted("a,b".to_owned()), "\"a,b\"");
        assert_eq!(quoted("say \"x\"".to_owned()), "\"say \"\"x\"\"\"");
    }
}

//! Boolean programs that other people wrote, with the verdicts they published.
//!
//! The programs are not part of the repository: `EPITOME_BENCH` names a folder that holds
//! `bp/EXPECTED.tsv`, with the columns file, verdict and label. A verdict is `TRUE`, `FALSE`, `threads` (the
//! program has thread statements, which must be named with their lines), `async…` (calls that
//! start threads in Boppo: no verdict for a sequential reading, but no crash either), or `see its
//! comment` (the programs of WALi, which all fail). Horn clauses are in `chc/`, with a table of file and
//! verdict. Without the variable there is nothing to test.

use assert_cmd::Command;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The engines that are asked: one word each.
const ENGINES: &[&str] = &["auto", "expand", "bdd", "sat"];

/// A line of the table.
struct Task {
    file: PathBuf,
    verdict: String,
    label: String,
}

/// What a run gave.
struct Answer {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

fn tasks(folder: &Path) -> Vec<Task> {
    let table = std::fs::read_to_string(folder.join("EXPECTED.tsv")).unwrap();
    let rows = table.lines().skip(1).map(|row| row.split('\t').map(str::trim).collect::<Vec<_>>());
    let column = |row: &[&str], index: usize| row.get(index).copied().unwrap_or("").to_owned();
    let task = |row: Vec<&str>| Task { file: folder.join(row[0]), verdict: column(&row, 1), label: column(&row, 2) };
    rows.filter(|row| !row[0].is_empty()).map(task).collect()
}

fn check(task: &Task, engine: &str) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.arg("check").arg(&task.file).args(["--engine", engine, "--timeout", "20s", "--trace", "none"]);
    if !task.label.is_empty() {
        command.args(["--label", &task.label]);
    }
    let output = command.timeout(Duration::from_secs(60)).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Answer { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// What is wrong with an answer, if anything is.
fn complaint(task: &Task, answer: &Answer) -> Option<String> {
    let last = answer.stdout.lines().last().unwrap_or("");
    let expected = match task.verdict.as_str() {
        "TRUE" => (0, "Verdict: TRUE"),
        "FALSE" | "see its comment" => (10, "Verdict: FALSE("),
        "threads" => return thread_complaint(task, answer),
        verdict if verdict.starts_with("async") => {
            let in_order = matches!(answer.status, Some(0 | 10 | 3 | 2)) && !answer.stderr.contains("panicked");
            return (!in_order).then(|| format!("status {:?}", answer.status));
        }
        other => return Some(format!("the table has the verdict `{other}`, which this test does not know")),
    };
    let right = answer.status == Some(expected.0) && last.starts_with(expected.1);
    (!right).then(|| format!("expected {}, was {last:?} with status {:?}", task.verdict, answer.status))
}

/// Every thread statement is named, and stands on the line that the message gives.
fn thread_complaint(task: &Task, answer: &Answer) -> Option<String> {
    const MESSAGE: &str = "error: threads are not supported: `";
    if answer.status != Some(2) {
        return Some(format!("expected status 2, was {:?}", answer.status));
    }
    let source = std::fs::read_to_string(&task.file).unwrap();
    let messages: Vec<&str> = answer.stderr.lines().collect();
    let named = messages.windows(2).filter_map(|pair| {
        let word = pair[0].strip_prefix(MESSAGE)?.strip_suffix('`')?;
        let mut position = pair[1].rsplit(':');
        let line: usize = position.nth(1)?.parse().ok()?;
        Some((word, line))
    });
    let named: Vec<(&str, usize)> = named.collect();
    let stands = |&(word, line): &(&str, usize)| source.lines().nth(line - 1).is_some_and(|text| text.contains(word));
    match named.iter().find(|name| !stands(name)) {
        _ if named.is_empty() => Some("no message names a thread statement".to_owned()),
        Some((word, line)) => Some(format!("line {line} has no `{word}`")),
        None => None,
    }
}

/// The folder of programs, if there is one.
#[allow(clippy::print_stderr)]
fn folder(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("EPITOME_BENCH");
    if folder.is_none() {
        eprintln!("EPITOME_BENCH is not set: no programs of others are tested");
    }
    folder.map(|folder| Path::new(&folder).join(name))
}

/// Clauses that an engine may give up on: their predicates have relations of a hundred variables, for which
/// no small BDD is known. A wrong verdict is an error all the same.
const LARGE_FOR_BDDS: &str = "ums";

#[test]
#[allow(clippy::print_stderr)]
fn the_clauses_of_others() {
    let Some(folder) = folder("chc") else { return };
    let tasks = tasks(&folder);
    assert!(!tasks.is_empty(), "the table has no rows");
    let mut report = String::new();
    for task in &tasks {
        for engine in ["sat", "bdd"] {
            let is_large = engine == "bdd" && task.file.to_string_lossy().contains(LARGE_FOR_BDDS);
            let answer = check(task, engine);
            let gave_up = is_large && answer.status == Some(3);
            if gave_up {
                eprintln!("{}, {engine}: no answer in time", task.file.display());
            } else if let Some(complaint) = complaint(task, &answer) {
                let _ = writeln!(report, "{}, {engine}: {complaint}\n{}", task.file.display(), answer.stderr);
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn the_verdicts_of_others() {
    let Some(folder) = folder("bp") else { return };
    let tasks = tasks(&folder);
    assert!(!tasks.is_empty(), "the table has no rows");
    let mut report = String::new();
    for task in &tasks {
        for engine in ENGINES {
            let answer = check(task, engine);
            if let Some(complaint) = complaint(task, &answer) {
                let _ = writeln!(report, "{}, {engine}: {complaint}\n{}", task.file.display(), answer.stderr);
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

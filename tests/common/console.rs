//! Commands in Markdown, run as a reader would: what a page says about the tool is what the tool does.
//!
//! The commands of a page run in order, in a folder of their own with a copy of `examples/`, by `sh`, with both streams in
//! one as on a terminal.
//!
//! - A block `console` has commands behind `$ ` (a `\` at the end of a line goes on in the next) and what comes out. In that, a line `...`
//!   stands for any lines, `[..]` for any characters. The exit status must be the one that the last line tells (TRUE 0, FALSE 10, UNKNOWN
//!   3, without a verdict 0); any other is told by a last line `[status 2]`.
//! - In a block `sh`, lines that begin with `epitome` are run; they may not end with status 1 or 2.
//! - A block of another kind behind a line that is only a name of a file in backquotes and a colon is written to that file.
//!
//! `EPITOME_BLESS=1` writes what comes out into the page, where it does not fit; read the difference, and shorten what is long by `...`.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Environment variables that change what is written.
const UNSET: &[&str] =
    &["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM", "RUST_BACKTRACE", "EPITOME_BLESS"];

/// A command that takes more processor time is ended.
const MOST_SECONDS: u32 = 60;

/// Something that a page has a reader do.
pub enum Step {
    /// Write a file.
    File { name: String, text: String },
    /// Run a command and compare: lines of the page, counted from 0, have what comes out.
    Run { command: String, output: Range<usize> },
    /// Run a command that must not fail.
    Try { command: String },
}

/// A block between fences.
pub struct Block {
    /// What stands behind the first fence.
    pub kind: String,
    /// Its lines, counted from 0.
    pub lines: Range<usize>,
    /// The file it is the text of.
    file: Option<String>,
}

/// The blocks of a page.
pub fn blocks(lines: &[&str]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut before = "";
    let mut at = 0;
    while at < lines.len() {
        if let Some(kind) = lines[at].strip_prefix("```") {
            let end = (at + 1..lines.len()).find(|&line| lines[line] == "```").unwrap_or(lines.len());
            let file = before.strip_prefix('`').and_then(|name| name.strip_suffix("`:")).map(str::to_owned);
            blocks.push(Block { kind: kind.to_owned(), lines: at + 1..end, file });
            at = end;
            before = "";
        } else if !lines[at].is_empty() {
            before = lines[at];
        }
        at += 1;
    }
    blocks
}

/// What a page has a reader do, in order.
pub fn steps(lines: &[&str]) -> Vec<Step> {
    let mut steps = Vec::new();
    for block in blocks(lines) {
        match (block.kind.as_str(), block.file) {
            ("console", _) => steps.extend(runs(lines, block.lines)),
            ("sh", _) => {
                let commands = lines[block.lines].iter().filter(|line| line.starts_with("epitome "));
                steps.extend(commands.map(|line| Step::Try { command: (*line).to_owned() }));
            }
            (_, Some(name)) => {
                let text = lines[block.lines].iter().map(|line| format!("{line}\n")).collect();
                steps.push(Step::File { name, text });
            }
            _ => {}
        }
    }
    steps
}

/// The commands of a block with what comes out.
fn runs(lines: &[&str], block: Range<usize>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = block.start;
    while at < block.end {
        let Some(first) = lines[at].strip_prefix("$ ") else {
            panic!("line {}: a block `console` begins with a command behind `$ `", at + 1);
        };
        let mut command = first.to_owned();
        while command.ends_with('\\') && at + 1 < block.end {
            at += 1;
            command = format!("{command}\n{}", lines[at]);
        }
        let end = (at + 1..block.end).find(|&line| lines[line].starts_with("$ ")).unwrap_or(block.end);
        steps.push(Step::Run { command, output: at + 1..end });
        at = end;
    }
    steps
}

/// What became of a page.
pub struct Outcome {
    /// Commands that were run.
    pub commands: usize,
    /// What is wrong, for people; empty if nothing is.
    pub report: String,
    /// The page as it should be.
    pub text: String,
}

/// Does what a page has a reader do.
pub fn follow(page: &str) -> Outcome {
    let folder = TempDir::new().expect("a temporary folder");
    copy_examples(folder.path());
    let lines: Vec<&str> = page.lines().collect();
    let (mut commands, mut report) = (0, String::new());
    let mut written: Vec<(Range<usize>, Vec<String>)> = Vec::new();
    for step in steps(&lines) {
        match step {
            Step::File { name, text } => fs::write(folder.path().join(name), text).expect("a file of the page"),
            Step::Try { command } => {
                commands += 1;
                let (status, output) = run(&command, folder.path());
                if !matches!(status, 0 | 3 | 10) {
                    report += &format!("$ {command}\n{}\n[status {status}]\n\n", output.join("\n"));
                }
            }
            Step::Run { command, output } => {
                commands += 1;
                let (status, mut actual) = run(&command, folder.path());
                if status != status_told(&actual) {
                    actual.push(format!("[status {status}]"));
                }
                let expected = lines[output.clone()].to_vec();
                if !fits(&expected, &actual) {
                    report += &format!("line {}: $ {command}\n{}\n", output.start, difference(&expected, &actual));
                    written.push((output, actual));
                }
            }
        }
    }
    Outcome { commands, report, text: rewritten(&lines, written) }
}

fn rewritten(lines: &[&str], written: Vec<(Range<usize>, Vec<String>)>) -> String {
    let mut text: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
    for (place, output) in written.into_iter().rev() {
        text.splice(place, output);
    }
    text.join("\n") + "\n"
}

fn copy_examples(folder: &Path) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    fs::create_dir(folder.join("examples")).expect("a folder");
    for entry in fs::read_dir(examples).expect("examples") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            fs::copy(&path, folder.join("examples").join(path.file_name().unwrap_or_default())).expect("a copy");
        }
    }
}

/// The status and the lines that come out.
fn run(command: &str, folder: &Path) -> (i32, Vec<String>) {
    let binary = Path::new(env!("CARGO_BIN_EXE_epitome")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("exec 2>&1\nulimit -t {MOST_SECONDS}\n{command}"))
        .current_dir(folder)
        .stdin(Stdio::null());
    for name in UNSET {
        shell.env_remove(name);
    }
    shell.env("PATH", format!("{}:{path}", binary.display())).env("LC_ALL", "C.UTF-8").env("SOURCE_DATE_EPOCH", "0");
    let output = shell.output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().unwrap_or(-1), text.lines().map(str::to_owned).collect())
}

/// The exit status that goes with the last line.
fn status_told(output: &[String]) -> i32 {
    let last = output.last().map_or("", String::as_str);
    let answer = ["Verdict: ", "Certificate: "].iter().find_map(|start| last.strip_prefix(start)).unwrap_or("");
    match answer.split('(').next() {
        Some("FALSE" | "INVALID") => 10,
        Some("UNKNOWN") => 3,
        _ => 0,
    }
}

/// Lines are as expected, `...` being any lines.
fn fits(expected: &[&str], actual: &[String]) -> bool {
    let parts: Vec<&[&str]> = expected.split(|line| *line == "...").collect();
    in_order(&parts, actual.len(), |part, at| {
        at + part.len() <= actual.len()
            && part.iter().zip(&actual[at..]).all(|(expected, line)| line_fits(expected, line))
    })
}

/// A line is as expected, `[..]` being any characters.
fn line_fits(expected: &str, actual: &str) -> bool {
    let parts: Vec<&[u8]> = expected.split("[..]").map(str::as_bytes).collect();
    in_order(&parts, actual.len(), |part, at| actual.as_bytes()[at..].starts_with(part))
}

/// The first part is at the beginning, the last at the end, the others somewhere between in order.
fn in_order<T>(parts: &[&[T]], length: usize, is_at: impl Fn(&[T], usize) -> bool) -> bool {
    let [first, middle @ .., last] = parts else {
        return parts.first().is_some_and(|only| only.len() == length && is_at(only, 0));
    };
    if first.len() + last.len() > length || !is_at(first, 0) || !is_at(last, length - last.len()) {
        return false;
    }
    let mut at = first.len();
    for part in middle {
        let Some(found) = (at..=length - last.len()).find(|&place| is_at(part, place)) else { return false };
        at = found + part.len();
    }
    at + last.len() <= length
}

/// Both, from the first line that differs on.
fn difference(expected: &[&str], actual: &[String]) -> String {
    let same = expected.iter().zip(actual).take_while(|(expected, actual)| line_fits(expected, actual)).count();
    let mut text = String::new();
    for line in expected.iter().skip(same) {
        text += &format!("  - {line}\n");
    }
    for line in actual.iter().skip(same) {
        text += &format!("  + {line}\n");
    }
    text
}

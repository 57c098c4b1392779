//! What a user reads, byte for byte: one directory of `tests/cases` a case.
//!
//! A case holds its programs, `command` (one line: the arguments of `epitome`, with single quotes
//! around those that contain blanks), and what must come out: `stdout`, `stderr` and `status`. A file that is not
//! there stands for no output and for status 0. `EPITOME_BLESS=1 cargo test --test golden`
//! rewrites the expectations; read the difference before you commit it.
//!
//! Where a case has a file `mask`, times, memory and ratios of times are shown as `#`. What else is promised of
//! JSON is in `command_line.rs`.

use serde_json::{Map, Value};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variables that change what is written.
const UNSET: &[&str] = &["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM"];

/// What a run gave, or must give.
#[derive(PartialEq, Eq)]
struct Output {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    status: Option<i32>,
}

impl Output {
    fn expected(case: &Path) -> Output {
        let read = |name: &str| fs::read(case.join(name)).unwrap_or_default();
        let status = String::from_utf8_lossy(&read("status")).trim().to_owned();
        let status = if status.is_empty() { Some(0) } else { status.parse().ok() };
        Output { stdout: read("stdout"), stderr: read("stderr"), status }
    }

    fn actual(case: &Path) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        for name in UNSET {
            command.env_remove(name);
        }
        let output = command.args(arguments(case)).current_dir(case).output().unwrap();
        let masked = case.join("mask").exists();
        let text = |bytes: Vec<u8>| if masked { mask(&bytes) } else { bytes };
        Output { stdout: text(output.stdout), stderr: text(output.stderr), status: output.status.code() }
    }

    fn bless(&self, case: &Path) {
        let status =
            self.status.map_or_else(|| panic!("{}: ended by a signal", case.display()), |code| format!("{code}\n"));
        let status = if self.status == Some(0) { Vec::new() } else { status.into_bytes() };
        for (name, bytes) in [("stdout", &self.stdout), ("stderr", &self.stderr), ("status", &status)] {
            let path = case.join(name);
            if !bytes.is_empty() {
                fs::write(path, bytes).unwrap();
            } else if path.exists() {
                fs::remove_file(path).unwrap();
            }
        }
    }

    /// What differs, for people; empty if nothing does.
    fn difference(&self, actual: &Output) -> String {
        let mut text = String::new();
        if self.status != actual.status {
            let _ = writeln!(text, "status: expected {:?}, was {:?}", self.status, actual.status);
        }
        let streams = [("stdout", &self.stdout, &actual.stdout), ("stderr", &self.stderr, &actual.stderr)];
        for (name, expected, actual) in streams.into_iter().filter(|(_, expected, actual)| expected != actual) {
            let _ = writeln!(text, "{name} (- expected, + actual):");
            lines_that_differ(&mut text, &String::from_utf8_lossy(expected), &String::from_utf8_lossy(actual));
        }
        text
    }
}

/// Numbers behind these differ from run to run, even whole ones: rates, and times and memory in JSON.
const VARYING: &[&str] = &["/ s ", "seconds\":", "_bytes\":"];

/// A text without what differs from run to run: `  0.012s`, ` 12MB` and `  1.03` are all ` #`.
fn mask(bytes: &[u8]) -> Vec<u8> {
    let varies = |line: &str, word: &str| {
        let number = word.trim_end_matches(',').trim_end_matches("MB").trim_end_matches('s');
        let has_unit = number.len() < word.trim_end_matches(',').len();
        let is_named = VARYING.iter().any(|name| line.contains(name));
        number.parse::<f64>().is_ok() && (has_unit || is_named || number.contains('.'))
    };
    let line = |line: &str| {
        let mut masked = String::new();
        for word in line.split(' ') {
            if varies(line, word) {
                masked.truncate(masked.trim_end().len());
            }
            masked.push_str(if varies(line, word) { " #" } else { word });
            masked.push(' ');
        }
        masked.trim_end().to_owned()
    };
    String::from_utf8_lossy(bytes).lines().map(|text| line(text) + "\n").collect::<String>().into_bytes()
}

/// The arguments in the file `command`.
fn arguments(case: &Path) -> Vec<String> {
    let text = fs::read_to_string(case.join("command"));
    let text = text.unwrap_or_else(|error| panic!("{}: no file `command`: {error}", case.display()));
    let quoted = text.trim_end().split('\'').enumerate();
    let arguments = quoted.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    arguments.collect()
}

/// The lines of a shortest edit from one text to the other, each with two lines around.
fn lines_that_differ(text: &mut String, expected: &str, actual: &str) {
    const AROUND: usize = 2;
    // Unlike `lines`, this shows a missing end of line as well.
    let [old, new] = [expected, actual].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    // Length of the longest common subsequence of what follows two places.
    let mut common = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let skip = common[i + 1][j].max(common[i][j + 1]);
            common[i][j] = if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { skip };
        }
    }
    let mut edit: Vec<(char, &str)> = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            edit.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
            edit.push(('-', old[i]));
            i += 1;
        } else {
            edit.push(('+', new[j]));
            j += 1;
        }
    }
    let near = |at: usize| {
        let window = &edit[at.saturating_sub(AROUND)..edit.len().min(at + AROUND + 1)];
        window.iter().any(|(sign, _)| *sign != ' ')
    };
    for (_, (sign, line)) in edit.iter().enumerate().filter(|(at, _)| near(*at)) {
        let end = if line.ends_with('\n') { "" } else { "  (no end of line)" };
        let _ = writeln!(text, "  {sign} {}{end}", line.trim_end_matches('\n'));
    }
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    cases.sort();
    cases
}

#[test]
fn every_case_gives_what_it_says() {
    let bless = std::env::var_os("EPITOME_BLESS").is_some_and(|value| value == "1");
    let cases = cases();
    let mut report = String::new();
    let mut failures = 0;
    for case in &cases {
        let actual = Output::actual(case);
        if bless {
            actual.bless(case);
        }
        let difference = Output::expected(case).difference(&actual);
        if !difference.is_empty() {
            failures += 1;
            let name = case.file_name().unwrap_or_default().to_string_lossy();
            let _ = writeln!(report, "\n== {name}: epitome {}\n{difference}", arguments(case).join(" "));
        }
    }
    assert!(cases.len() >= 35, "only {} cases were found", cases.len());
    assert!(failures == 0, "{failures} of {} cases differ\n{report}", cases.len());
}

/// The output of Bebop in Ball and Rajamani, Fig. 1, in the order of execution: line, depth of calls,
/// and what the figure says about the state before the line.
#[test]
fn ball_fig1_is_the_trace_of_the_paper() {
    const INSIDE: [(u64, u64, &str); 5] = [
        (20, 1, "g=1 a1=1 a2=0"),
        (21, 1, "g=1 a1=1 a2=0"),
        (20, 2, "g=1 a1=0 a2=1"),
        (24, 2, "g=1 a1=0 a2=1"),
        (22, 1, "g=1 a1=1 a2=0"),
    ];
    let main = |line| (line, 0, "g=1 h=0");
    let calls = [[main(7)].as_slice(), &INSIDE, &[main(8), main(9)], &INSIDE].concat();
    let paper = [[(6, 0, "g=1")].as_slice(), &calls, &[main(10), main(11), main(12)]].concat();

    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/ball_fig1_full");
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    let output = command.args(arguments(&case)).arg("--json").current_dir(case).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut frames: Vec<Map<String, Value>> = Vec::new();
    let mut visited = Vec::new();
    for step in report["trace"].as_array().unwrap() {
        let depth = step["depth"].as_u64().unwrap();
        frames.resize(depth as usize + 1, Map::new());
        // New values come with the step; all others are those of the step before in the same call.
        let frame = &mut frames[depth as usize];
        let is_known = |name: &str| !step["any"].as_array().is_some_and(|any| any.contains(&name.into()));
        frame.extend(step["values"].as_object().unwrap().clone().into_iter().filter(|(name, _)| is_known(name)));
        let state: Vec<String> = frame.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if step["kind"] != "function-return" {
            visited.push((step["line"].as_u64().unwrap(), depth, state.join(" ")));
        }
    }
    assert_eq!(visited.len(), paper.len(), "{visited:#?}");
    for ((line, depth, state), expected) in visited.iter().zip(paper) {
        // At line 6 `h` is arbitrary: the figure leaves it out.
        assert_eq!((*line, *depth, state.as_str()), expected, "{visited:#?}");
    }
}

//! `scripts/peers`: other tools on the suites of `bench`, in the same CSV. Tools that are not there are skipped, and nothing is
//! installed; for what must hold of any tool, a script plays one.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr)] // notices of what is skipped

#[path = "common/output.rs"]
mod output;

use output::{code, stderr, stdout};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const VARYING: [&str; 3] = ["cputime_s", "walltime_s", "memory_bytes"];

/// The script with these arguments in a folder; programs in the folder come before others.
fn script(folder: &TempDir, arguments: &[&str]) -> Command {
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("python3");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/peers"));
    command.args(["--no-install", "--epitome", env!("CARGO_BIN_EXE_epitome")]).args(arguments);
    command.env("PATH", path).current_dir(folder);
    command
}

fn peers(folder: &TempDir, arguments: &[&str]) -> Output {
    script(folder, arguments).output().unwrap()
}

fn bench(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_epitome")).arg("bench").args(arguments).current_dir(folder).output().unwrap()
}

/// The test cannot be made here.
fn skips() -> bool {
    let is_there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("skipped: there is no python3");
    }
    !is_there
}

/// A program called `golem`, which does this when it is asked.
fn plays_golem(folder: &TempDir, does: &str) {
    let path = folder.path().join("golem");
    std::fs::write(&path, format!("#!/bin/sh\nif [ \"$1\" = --version ]; then echo Golem 1.2.3; exit; fi\n{does}\n"))
        .unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The runs of a CSV, each as its columns that do not differ from run to run. (No field has a comma here.)
fn runs(text: &str) -> Vec<Vec<(String, String)>> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let run = |line: &str| {
        let fields = columns.iter().zip(line.split(',')).filter(|(column, _)| !VARYING.contains(column));
        fields.map(|(column, field)| ((*column).to_owned(), field.to_owned())).collect()
    };
    lines.map(run).collect()
}

fn field<'r>(run: &'r [(String, String)], column: &str) -> &'r str {
    &run.iter().find(|(name, _)| name == column).unwrap().1
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn tools_that_are_there_agree_and_stand_in_the_table() {
    if skips() {
        return;
    }
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("label.bp"), "void main() begin if (*) then L: skip; fi end").unwrap();
    let suite = "[[tasks]]\nfamily = \"tn\"\nsizes = 2\n[[tasks]]\nfamily = \"drink\"\nsizes = 2\nengines = [\"expand\"]\n\
                 [[tasks]]\nfiles = [\"label.bp\"]\noptions = [\"--label L\"]";
    std::fs::write(folder.path().join("suite.toml"), suite).unwrap();
    let output = peers(&folder, &["suite.toml", "--csv", "peers.csv", "--timeout", "10m", "--jobs", "2"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let runs = runs(&read(&folder, "peers.csv"));
    let told = stderr(&output);
    for name in ["spacer", "depqbf", "spin"] {
        if told.contains(&format!("{name}: skipped")) {
            eprintln!("skipped: {name} is not installed");
            continue;
        }
        let answers = runs.iter().filter(|run| field(run, "engine") == name);
        let answers: Vec<_> =
            answers.map(|run| ["task", "property", "verdict", "status"].map(|column| field(run, column))).collect();
        // Questions of branching time are not asked.
        let expected = [
            ["tn:2+safe", "unreach-call", "TRUE", "done"],
            ["tn:2+unsafe", "unreach-call", "FALSE", "done"],
            ["label.bp", "unreach-label(L)", "FALSE", "done"],
        ];
        assert_eq!(answers, expected, "{name}: {told}");
    }
    let shown = ["suite.toml", "--engines", "expand", "--from", "peers.csv", "--html", "page.html", "-q"];
    let output = bench(&folder, &shown);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let page = read(&folder, "page.html");
    for run in &runs {
        assert!(page.contains(&format!("<option>{}</option>", field(run, "engine"))));
    }
}

#[test]
fn an_experiment_that_was_cut_off_goes_on() {
    if skips() {
        return;
    }
    let folder = TempDir::new().unwrap();
    plays_golem(&folder, "if grep -q unsafe \"$3\"; then echo unsat; else echo sat; fi");
    let arguments = ["tn:1..4", "--tools", "golem", "--csv", "runs.csv", "--memory", "1G"];
    let again = [&arguments[..], &["--resume", "--jobs", "2"]].concat();
    // Which program it is stands in the comments of what is exported.
    let output = peers(&folder, &arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("golem: 4 ") && stderr(&output).contains("4 FALSE"), "{}", stderr(&output));
    let whole = read(&folder, "runs.csv");
    assert_eq!(field(&runs(&whole)[0], "version"), "1.2.3");
    assert_eq!(field(&runs(&whole)[0], "options"), "--timeout 60s --memory 1G");
    std::fs::write(folder.path().join("runs.csv"), &whole[..whole.len() * 2 / 3]).unwrap();
    let output = peers(&folder, &again);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let after = read(&folder, "runs.csv");
    assert_eq!(runs(&after), runs(&whole));
    let kept = whole[..whole.len() * 2 / 3].lines().count() - 1;
    assert!(after.lines().zip(whole.lines()).take(kept).all(|(new, old)| new == old), "measured again: {after}");
    // Nothing is left to do, and other experiments have files of their own.
    assert_eq!(code(&peers(&folder, &again)), 0);
    assert_eq!(read(&folder, "runs.csv"), after);
    let output = peers(&folder, &["tn:1", "--tools", "golem", "--csv", "runs.csv", "--resume"]);
    assert!(code(&output) == 2 && stderr(&output).contains("another experiment"), "{}", stderr(&output));
    assert_eq!(read(&folder, "runs.csv"), after);
}

#[test]
fn a_contradiction_stops_it() {
    if skips() {
        return;
    }
    let folder = TempDir::new().unwrap();
    plays_golem(&folder, "echo sat");
    std::fs::write(folder.path().join("wrong.bp"), "// expected: FALSE\nvoid main() begin skip; end").unwrap();
    let arguments = ["wrong.bp", "tn:1..3+safe", "--tools", "golem", "--csv", "runs.csv"];
    for more in [&[][..], &["--resume"]] {
        let output = peers(&folder, &[&arguments[..], more].concat());
        let told = stderr(&output);
        assert_eq!(code(&output), 1, "{told}");
        assert!(told.contains("error: wrong.bp: expected FALSE, but golem says TRUE"), "{told}");
        assert!(told.contains("Stopped at a disagreement: 1 of 4 runs were made"), "{told}");
    }
    let output = peers(&folder, &[&arguments[..], &["--resume", "--keep-going"]].concat());
    assert_eq!((code(&output), runs(&read(&folder, "runs.csv")).len()), (1, 4), "{}", stderr(&output));
}

#[test]
fn limits_and_failures_are_no_answers() {
    if skips() {
        return;
    }
    let cases = [
        ("echo unknown", "unknown"),
        ("echo oops; exit 3", "error"),
        // What a tool starts ends with it.
        ("sleep 1000 & echo $! > ../../../started; wait", "timeout"),
        ("exec python3 -c 'import time; kept = bytearray(300 << 20); time.sleep(1000)'", "memory"),
    ];
    for (does, status) in cases {
        let folder = TempDir::new().unwrap();
        plays_golem(&folder, does);
        let limits = ["--timeout", if status == "timeout" { "2s" } else { "60s" }, "--memory", "200M"];
        let output = peers(&folder, &[&["tn:1+safe", "--tools", "golem", "--keep", "kept"][..], &limits].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let runs = runs(&stdout(&output));
        assert_eq!((field(&runs[0], "verdict"), field(&runs[0], "status")), ("UNKNOWN", status), "{does}");
        assert_eq!(stderr(&output).contains("error: tn:1+safe (golem): oops\n"), status == "error");
        if status == "timeout" {
            assert!(!is_there(read(&folder, "started").trim()));
        }
    }
}

#[test]
fn runs_do_not_outlive_it() {
    if skips() {
        return;
    }
    let folder = TempDir::new().unwrap();
    plays_golem(&folder, "echo $$ > ../../../started; exec sleep 1000");
    let arguments = ["tn:1+safe", "--tools", "golem", "--keep", "kept"];
    let mut child = script(&folder, &arguments).stdout(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    let started = || std::fs::read_to_string(folder.path().join("started")).unwrap_or_default();
    while !started().ends_with('\n') {
        assert!(start.elapsed() < Duration::from_secs(20), "no run was begun");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = Instant::now();
    while is_there(started().trim()) {
        assert!(killed.elapsed() < Duration::from_secs(5), "the run goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process that is only remembered has no memory.
fn is_there(process: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/status")).is_ok_and(|status| status.contains("VmRSS"))
}

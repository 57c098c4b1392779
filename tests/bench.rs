//! `epitome bench` as scripts see it: tables, CSV, limits, errors and exit codes; what `docs/bench.md`
//! promises.

#![allow(clippy::print_stderr)] // notices of what is skipped

#[path = "common/output.rs"]
mod output;

use assert_cmd::Command;
use output::{code, stderr, stdout};
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const HEADER: &str = "tool,version,commit,engine,options,task,property,expected,verdict,status,cputime_s,walltime_s,\
                      memory_bytes,iterations,bdd_peak_nodes,sat_conflicts,vars,clauses";

/// Columns of the CSV that differ from run to run.
const VARYING: [&str; 3] = ["cputime_s", "walltime_s", "memory_bytes"];

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    command.arg("bench").args(arguments).timeout(Duration::from_secs(100)).output().unwrap()
}

/// A file in a folder.
fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut inside = false;
    for c in line.chars() {
        match c {
            '"' => inside = !inside,
            ',' if !inside => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// The field of a line, by the name of its column.
fn field(line: &str, column: &str) -> String {
    let at = HEADER.split(',').position(|name| name == column).unwrap();
    fields(line)[at].clone()
}

/// The fields of all lines of a CSV that do not differ from run to run.
fn masked(text: &str) -> Vec<Vec<String>> {
    let names: Vec<&str> = HEADER.split(',').collect();
    let fixed = |(at, _): &(usize, String)| !VARYING.contains(&names[*at]);
    text.lines()
        .map(|line| fields(line).into_iter().enumerate().filter(fixed).map(|(_, field)| field).collect())
        .collect()
}

/// The first column of the table.
fn rows(table: &str) -> Vec<&str> {
    let rows = table.lines().skip(2).take_while(|line| !line.is_empty());
    rows.map(|line| line.split(" | ").next().unwrap().trim_end()).collect()
}

#[test]
fn two_engines_fit_on_a_terminal() {
    let output = bench(&["tn:100..400x2", "--engines", "expand,expand --expand shortest"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let table = stdout(&output);
    assert!(table.lines().all(|line| line.chars().count() <= 120), "{table}");
    let names = ["tn:100+safe", "tn:200+safe", "tn:400+safe", "tn:100+unsafe", "tn:200+unsafe", "tn:400+unsafe"];
    assert_eq!(rows(&table), names);
    assert!(table.lines().next().unwrap().contains("| expand --expand shortest"), "{table}");
    assert!(table.lines().nth(1).unwrap().ends_with("| ratio"), "{table}");
    assert!(table.ends_with("\n0 disagreements\n"), "{table}");
    assert!(stderr(&output).contains("runs: 12, each of at most 60s and 4G"), "{}", stderr(&output));
    let one = bench(&["tn:3", "--engines", "expand", "-q"]);
    assert!(!stdout(&one).contains("ratio") && stderr(&one).is_empty());
}

#[test]
fn csv_has_a_line_for_each_run_and_repeats_itself() {
    let folder = TempDir::new().unwrap();
    let odd = file(&folder, "a, b.bp", "// expected: FALSE\nvoid main() begin L: assert(0); end");
    let csv = folder.path().join("runs.csv");
    let arguments =
        ["tn:2+safe", &odd, "--engines", "auto,expand --expand shortest", "--repeat", "2", "--timeout", "9s"];
    let written = || {
        let output = bench(&[&arguments, ["--force", "--csv", csv.to_str().unwrap()].as_slice()].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        std::fs::read_to_string(&csv).unwrap()
    };
    let text = written();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), (HEADER, 1 + 2 * 2 * 2));
    for line in &lines[1..] {
        assert_eq!(fields(line).len(), 18, "{line}");
        assert_eq!((field(line, "tool"), field(line, "status")), ("epitome".to_owned(), "done".to_owned()));
        assert_eq!(field(line, "verdict"), field(line, "expected"));
        assert!(field(line, "walltime_s").parse::<f64>().is_ok_and(|seconds| seconds > 0.0), "{line}");
        assert!(VARYING.iter().all(|column| field(line, column).parse::<f64>().is_ok()) || !cfg!(target_os = "linux"));
    }
    assert_eq!(field(lines[3], "engine"), "expand");
    assert_eq!(field(lines[3], "options"), "--expand shortest --timeout 9s --memory 4G");
    assert_eq!((field(lines[3], "task"), field(lines[5], "task")), ("tn:2+safe".to_owned(), odd.clone()));
    assert!(lines[5].contains(&format!("\"{odd}\"")), "{}", lines[5]);
    assert_eq!(masked(&text), masked(&written()));
}

#[test]
fn a_line_can_be_run_again() {
    let line = |arguments: &[&str]| {
        let output = bench(&[arguments, &["--csv", "-", "-q"]].concat());
        stdout(&output).lines().nth(1).unwrap().to_owned()
    };
    let property = "--property 'G ! label(reach)'";
    let first =
        line(&["tn:3+unsafe", "--engines", "expand --expand shortest", "--options", property, "--timeout", "9s"]);
    let engine = format!("{} {}", field(&first, "engine"), field(&first, "options"));
    let second = line(&[&field(&first, "task"), "--engines", &engine]);
    let known = |line: &str| ["options", "task", "property", "verdict", "iterations"].map(|column| field(line, column));
    assert_eq!(known(&first), known(&second));
    assert_eq!(known(&first)[3], "FALSE");
}

#[test]
fn csv_on_stdout_leaves_the_table_to_stderr() {
    let output = bench(&["tn:2", "--engines", "expand", "--csv", "-", "-q"]);
    let text = stdout(&output);
    assert!(text.starts_with(HEADER) && text.lines().count() == 3, "{text}");
    assert!(stderr(&output).contains("0 disagreements"), "{}", stderr(&output));
}

#[test]
fn a_verdict_that_was_not_expected_is_an_error() {
    let folder = TempDir::new().unwrap();
    let wrong = file(&folder, "wrong.bp", "// expected: TRUE\nvoid main() begin L: assert(0); end");
    let output = bench(&[&wrong, "tn:2", "--engines", "expand", "-q", "--keep-going"]);
    assert_eq!(code(&output), 1);
    assert_eq!(stderr(&output), format!("error: {wrong}: expected TRUE, but expand says FALSE\n"));
    let table = stdout(&output);
    assert!(table.contains("| FALSE! ") && table.ends_with("\n1 disagreement\n"), "{table}");
    assert_eq!(rows(&table).len(), 3, "the comparison goes on: {table}");
    // Unless it is told to, it does not.
    let csv = folder.path().join("runs.csv").to_str().unwrap().to_owned();
    for more in [&["--csv", &csv][..], &["--csv", &csv, "--resume"]] {
        let output = bench(&[&[&wrong, "tn:2", "--engines", "expand", "-q"][..], more].concat());
        let table = stdout(&output);
        assert_eq!((code(&output), rows(&table).len()), (1, 1), "{table}");
        assert!(table.contains("\nStopped at a disagreement: 1 of 3 runs were made"), "{table}");
        assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 2);
    }
    // The comment is about assertions, not about a label that the user asks for.
    let output = bench(&[&wrong, "--engines", "expand", "-q", "--options", "--label L", "--csv", "-"]);
    let line = stdout(&output).lines().nth(1).unwrap().to_owned();
    assert_eq!((code(&output), field(&line, "property")), (0, "unreach-label(L)".to_owned()));
    assert_eq!((field(&line, "expected"), field(&line, "verdict")), (String::new(), "FALSE".to_owned()));
}

#[test]
fn a_bad_program_does_not_end_the_comparison() {
    let folder = TempDir::new().unwrap();
    file(&folder, "b/bad.bp", "void main() begin x := 1; end");
    file(&folder, "b/machine.rsm", "machine M { entry e; node n; e -> n; } init M.e;");
    file(&folder, "a.bp", "void main() begin skip; end");
    file(&folder, "notes.txt", "not a program");
    let name = folder.path().to_str().unwrap();
    let output = bench(&[name, "--engines", "expand", "-q"]);
    let table = stdout(&output);
    let names = rows(&table);
    assert!(names.len() == 3 && names[0].ends_with("a.bp") && names[2].ends_with("machine.rsm"), "{table}");
    assert!(names[1].ends_with("b/bad.bp") && table.contains("| error "), "{table}");
    assert!(code(&output) == 2 && stderr(&output).contains("bad.bp (expand): "), "{}", stderr(&output));
}

#[test]
fn limits_end_a_cell() {
    let start = Instant::now();
    let output = bench(&["ln:30+safe", "tn:2+safe", "--engines", "expand", "--timeout", "300ms", "-q", "--csv", "-"]);
    assert_eq!(code(&output), 0);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((field(lines[1], "verdict"), field(lines[1], "status")), ("UNKNOWN".to_owned(), "timeout".to_owned()));
    assert_eq!(field(lines[2], "verdict"), "TRUE");
    assert!(stderr(&output).contains("| timeout "), "{}", stderr(&output));
    let output = bench(&["ln:30+safe", "--engines", "expand", "--memory", "100M", "-q"]);
    assert!(code(&output) == 0 && stdout(&output).contains("| memory "), "{}", stdout(&output));
}

#[test]
fn bad_usage_is_status_2_with_advice() {
    let folder = TempDir::new().unwrap();
    let empty = folder.path().to_str().unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&[], "<TASK>"),
        (&["nowhere.bp"], "nowhere.bp: no such file or folder"),
        (&["nowhere/tn:3"], "no such file or folder"),
        (&["-", "-q"], "no such file or folder"),
        (&[empty], "no program (.bp, .rsm"),
        (&["tn"], "tn:4..20"),
        (&["nt:3"], "unknown family `nt`"),
        (&["tn:0..3"], "from 1 to"),
        (&["tn:3..1"], "no end or no beginning"),
        (&["tn:3+both"], "+unsafe"),
        (&["tn:3", "--engines", "magic"], "possible values"),
        (&["tn:3", "--engines", "expand,"], "an engine has a name"),
        (&["tn:3", "--options", "--no-such-option"], "--no-such-option"),
        (&["tn:3", "--options", "--trace full"], "cannot be used multiple times"),
        (&["tn:3", "--repeat", "0"], "--repeat"),
        (&["tn:3", "--timeout", "soon"], "--timeout"),
        (&["tn:3", "--csv", "precious.bp"], "would overwrite what is read"),
        (&["tn:3", "--csv", "nowhere/at/all.csv"], "cannot write"),
        (&["tn:3", "--html", "precious.bp"], "would overwrite what is read"),
        (&["tn:3", "--summary", "nowhere/at/all.md"], "cannot write"),
        (&["nowhere.toml"], "cannot read nowhere.toml"),
        (&["--from", "nowhere.csv"], "cannot read nowhere.csv"),
        (&["tn:3", "--export", "x", "--html", "y"], "cannot be used with"),
        (&["tn:3", "--csv", "precious.toml"], "would overwrite what is read"),
        (&["tn:3", "--csv", "same", "--html", "./same"], "would overwrite what is read"),
        (&["examples/lock.yml"], "is no program"),
    ];
    for &(arguments, message) in cases {
        let output = bench(arguments);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
    assert!(!Path::new("precious.bp").exists());
}

/// What was measured is neither lost nor taken for something else.
#[test]
fn runs_of_before_are_kept_as_they_are() {
    let folder = TempDir::new().unwrap();
    let csv = folder.path().join("runs.csv").to_str().unwrap().to_owned();
    assert_eq!(code(&bench(&["tn:3", "--engines", "expand", "--csv", &csv, "-q"])), 0);
    let runs = std::fs::read_to_string(&csv).unwrap();
    for arguments in [
        &["--from", &csv, "--csv", &csv][..],
        &["tn:4", "--from", &csv, "--csv", &csv],
        &["--from", &csv, "--html", &csv],
    ] {
        assert_eq!(code(&bench(arguments)), 2, "{arguments:?}");
        assert_eq!(std::fs::read_to_string(&csv).unwrap(), runs, "{arguments:?}");
    }
    // Another version is another experiment, and stands beside this one.
    let old = runs.replace(concat!("epitome,", env!("CARGO_PKG_VERSION")), "epitome,0.0.0");
    let file = file(&folder, "old.csv", &old);
    let output = bench(&["tn:3", "--engines", "expand", "--csv", &file, "--resume"]);
    assert!(code(&output) == 2 && stderr(&output).contains("another experiment"), "{}", stderr(&output));
    let table = folder.path().join("table.md").to_str().unwrap().to_owned();
    let output = bench(&["--from", &csv, "--from", &file, "--from", &csv, "--summary", &table, "-q"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let table = std::fs::read_to_string(&table).unwrap();
    let told = format!("expand (epitome {}) | expand (epitome 0.0.0) |", env!("CARGO_PKG_VERSION"));
    assert!(table.contains(&told) && table.contains("runs: 4,"), "{table}");
}

#[test]
fn an_expectation_that_is_not_understood_is_told() {
    let folder = TempDir::new().unwrap();
    let slip = file(&folder, "slip.bp", "decl g;\n  // Expected: Treu\nvoid main() begin assert(0); end");
    let output = bench(&[&slip, "--engines", "expand", "-q"]);
    assert_eq!(code(&output), 0, "nothing was expected: {}", stdout(&output));
    let told = stderr(&output);
    assert!(told.starts_with("warning: ") && told.contains(&format!("{slip}:2:16")), "{told}");
    assert!(told.contains("help: write `// expected: TRUE`"), "{told}");
    let free = file(&folder, "free.bp", "//expect:  unsafe (says the author)\nvoid main() begin skip; end");
    let output = bench(&[&free, "--engines", "expand", "-q"]);
    assert_eq!(stderr(&output), format!("error: {free}: expected FALSE, but expand says TRUE\n"));
}

#[test]
#[cfg(unix)]
fn an_interrupt_shows_what_was_measured() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.args(["bench", "ln:3+safe", "ln:30+safe", "ln:3+unsafe", "--engines", "expand", "--csv", "-", "-q"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // When the first run is out, the second one, which would take hours, has begun.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap() == HEADER && lines.next().unwrap().unwrap().contains("ln:3+safe"));
        let sent = Instant::now();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        assert!(lines.next().is_none(), "an interrupted run is no measurement");
        let mut table = String::new();
        child.stderr.take().unwrap().read_to_string(&mut table).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(status));
        assert!(sent.elapsed() < Duration::from_secs(10), "{:?}", sent.elapsed());
        assert!(table.contains("ln:3+safe  | TRUE") && !table.contains("ln:3+unsafe"), "{table}");
        assert!(table.contains("\nInterrupted: 1 of 3 runs were made"), "{table}");
        assert!(table.ends_with("\n0 disagreements so far\n"), "{table}");
    }
}

/// An experiment that was killed goes on where it stopped, also several runs at a time, and the CSV is that of one that was not.
#[test]
#[cfg(unix)]
fn a_killed_experiment_goes_on() {
    use std::process::{Command, Stdio};
    let folder = TempDir::new().unwrap();
    let [whole, cut] = ["whole.csv", "cut.csv"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let arguments = ["tn:1..6", "theta:3+safe", "--engines", "expand,bdd", "--repeat", "2", "-q"];
    assert_eq!(code(&bench(&[&arguments[..], &["--csv", &whole]].concat())), 0);
    let whole = std::fs::read_to_string(whole).unwrap();
    assert_eq!(whole.lines().count(), 1 + 13 * 2 * 2);
    let mut child = Command::new(env!("CARGO_BIN_EXE_epitome"))
        .arg("bench")
        .args(arguments)
        .args(["--csv", &cut, "--jobs", "2"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let lines = || std::fs::read_to_string(&cut).unwrap_or_default().lines().count();
    while lines() < 9 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = std::fs::read_to_string(&cut).unwrap();
    // A line may be cut off anywhere.
    std::fs::write(&cut, format!("{before}epitome,0.1")).unwrap();
    let output = bench(&[&arguments[..], &["--csv", &cut, "--resume", "--jobs", "2"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let after = std::fs::read_to_string(&cut).unwrap();
    assert_eq!(masked(&after), masked(&whole));
    for line in before.lines().filter(|line| line.ends_with(',')) {
        assert!(after.lines().any(|other| other == line), "measured again: {line}");
    }
    assert_eq!(rows(&stdout(&output)).len(), 13);
    // Nothing is left to do, and other experiments have files of their own.
    assert_eq!(code(&bench(&[&arguments[..], &["--csv", &cut, "--resume"]].concat())), 0);
    assert_eq!(std::fs::read_to_string(&cut).unwrap(), after);
    for (tasks, complaint) in [("tn:1..2", "another experiment"), ("tn:1..6", "no CSV of this version")] {
        let output = bench(&[tasks, "--engines", "expand", "-q", "--csv", &cut, "--resume"]);
        assert!(code(&output) == 2 && stderr(&output).contains(complaint), "{}", stderr(&output));
        std::fs::write(&cut, "precious\n").unwrap();
    }
    assert_eq!(std::fs::read_to_string(&cut).unwrap(), "precious\n");
}

/// The parts of an experiment make the whole, and so do the commands of its jobs file.
#[test]
fn experiments_are_spread() {
    let all = ["tn:1..3", "--engines", "expand --expand shortest,bdd", "--timeout", "9s"];
    let csv = |more: &[&str]| {
        let output = bench(&[&all[..], &["-q", "--csv", "-"], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        masked(&stdout(&output)).split_off(1)
    };
    let whole = csv(&[]);
    let mut parts: Vec<Vec<String>> = ["1/3", "2/3", "3/3"].iter().flat_map(|part| csv(&["--shard", part])).collect();
    let mut sorted = whole.clone();
    sorted.sort();
    parts.sort();
    assert_eq!(parts, sorted);
    assert_eq!(code(&bench(&["tn:1", "--shard", "4/3"])), 2);
    let jobs = bench(&[&all[..], &["--jobs-file", "-"]].concat());
    let jobs = stdout(&jobs);
    assert_eq!(jobs.lines().count(), whole.len());
    let first = "epitome bench tn:1+safe --engines 'expand --expand shortest --timeout 9s --memory 4G' --repeat 1 --csv run-000001.csv -q";
    assert_eq!(jobs.lines().next(), Some(first));
    assert_eq!(code(&bench(&["tn:1", "--jobs-file", "-", "--jobs", "2"])), 2);
    let part =
        bench(&["tn:1+safe", "--engines", "expand --expand shortest --timeout 9s --memory 4G", "-q", "--csv", "-"]);
    assert_eq!(masked(&stdout(&part))[1], whole[0]);
}

/// A suite says what is run; the command line may say otherwise.
#[test]
fn a_suite_is_an_experiment() {
    let folder = TempDir::new().unwrap();
    file(&folder, "programs/a.bp", "// expected: FALSE\nvoid main() begin L: assert(0); end");
    let text = r#"
        title = "Small <things>"
        timeout = "9s"
        engines = ["expand", "sat"]
        [[tasks]]
        family = "tn"
        sizes = [2, 3]
        version = "safe"
        solvers = ["cadical", "batsat"]
        [[tasks]]
        files = ["programs"]
        engines = ["bdd"]
        options = ["--label L"]
        [[tasks]]
        family = "drink"
        sizes = 3
        engines = ["expand"]
    "#;
    let suite = file(&folder, "suite.toml", text);
    let output = bench(&[&suite, "--csv", "-", "-q"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let csv = stdout(&output);
    let told =
        |line: &str| ["engine", "options", "task", "property", "expected", "verdict"].map(|column| field(line, column));
    let lines: Vec<_> = csv.lines().skip(1).map(told).collect();
    let line = |fields: [&str; 6]| fields.map(str::to_owned);
    let limits = "--timeout 9s --memory 4G";
    let [cadical, batsat] = ["cadical", "batsat"].map(|solver| format!("--sat-solver {solver} {limits}"));
    assert_eq!(
        lines[..3],
        ["expand", "sat", "sat"]
            .into_iter()
            .zip([limits, &cadical, &batsat])
            .map(|(engine, options)| { line([engine, options, "tn:2+safe", "unreach-call", "TRUE", "TRUE"]) })
            .collect::<Vec<_>>()
    );
    assert_eq!(lines.len(), 2 * 3 + 1 + 2);
    assert_eq!(lines[6][3..], line(["", "", "", "unreach-label(L)", "", "FALSE"])[3..]);
    assert_eq!(lines[7][2..], line(["", "", "drink:3+safe", "open: A(G(E(F(choose))))", "TRUE", "TRUE"])[2..]);
    assert_eq!(lines[8][4..], line(["", "", "", "", "FALSE", "FALSE"])[4..]);
    let other = bench(&[&suite, "--engines", "expand", "--timeout", "8s", "--csv", "-", "-q"]);
    assert!(stdout(&other).lines().skip(1).all(|line| field(line, "options").ends_with("--timeout 8s --memory 4G")));
    let wrong = file(&folder, "wrong.toml", "[[tasks]]\nfamly = 3");
    let output = bench(&[&wrong]);
    assert!(code(&output) == 2 && stderr(&output).contains("wrong.toml: unknown name `famly`"), "{}", stderr(&output));
}

/// Questions of branching time are asked those engines that can answer them, unless the user names others.
#[test]
fn families_of_branching_time_are_tasks() {
    let csv = |arguments: &[&str]| {
        let output = bench(&[arguments, &["-q", "--csv", "-", "--keep-going"]].concat());
        (
            code(&output),
            stdout(&output)
                .lines()
                .skip(1)
                .map(|line| (field(line, "task"), field(line, "status")))
                .collect::<Vec<_>>(),
        )
    };
    let names = ["circuit:9", "ctlsat:1", "qbf-ctl:1", "qbf-exits:1"];
    let (status, lines) = csv(&names);
    assert_eq!((status, lines.len()), (0, names.len() * 2 * 2));
    // Engine bdd does not play games.
    let is_answered = |(task, status): &(String, String)| {
        status == "done" || task == "ctlsat:1+safe" && status.starts_with("not supported")
    };
    assert!(lines.iter().all(is_answered), "{lines:?}");
    let (status, lines) = csv(&["circuit:9+safe", "--engines", "sat"]);
    assert_eq!(status, 0);
    assert!(lines[0].1.starts_with("not supported: engine sat"), "{lines:?}");
}

/// What is shown is what the CSV says, of this experiment and of others; the page loads nothing.
#[test]
fn results_are_pages_plots_and_tables() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [csv, html, again, svg, table] = ["runs.csv", "page.html", "again.html", "plots", "table.md"].map(path);
    let output = bench(&["tn:2,4,8", "--engines", "expand,bdd,sat", "--csv", &csv, "--html", &html, "-q"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let page = std::fs::read_to_string(&html).unwrap();
    // A chart of each measure, three pairs of engines, and tasks solved.
    let charts = page.matches("<svg ").count();
    assert!(charts > 2 + 3 + 1 && page.matches("<tr data-end=\"TRUE\">").count() == 9, "{charts}");
    let urls = page.match_indices("http").map(|(at, _)| &page[at..(at + 40).min(page.len())]);
    assert!(urls.clone().all(|url| url.starts_with("http://www.w3.org/2000/svg\"")), "{:?}", urls.collect::<Vec<_>>());
    assert!(!page.contains(" src=") && page.contains("href=\"data:,\""));
    // Nothing is run: the page is that of the file, and of another tool's.
    let others = std::fs::read_to_string(&csv).unwrap().replace("epitome,", "other,").replace(",sat,", ",magic,");
    let others = file(&folder, "others.csv", &others);
    let shown = ["--from", &csv, "--from", &others, "--html", &again, "--svg", &svg, "--summary", &table, "-q"];
    let output = bench(&shown);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "0 disagreements\n"), "{}", stderr(&output));
    let page = std::fs::read_to_string(&again).unwrap();
    assert!(page.contains("<option>magic</option>") && page.contains("<td>other 0.1.0</td>"));
    let plots: Vec<String> =
        std::fs::read_dir(&svg).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    for name in ["cactus.svg", "growth-tn-time.svg", "scatter-bdd-sat.svg"] {
        assert!(plots.iter().any(|plot| plot == name), "{plots:?}");
    }
    let table = std::fs::read_to_string(&table).unwrap();
    assert!(table.contains("| I/O bounded EHSM | PSPACE (Godefroid, Theorem 7)"), "{table}");
    assert!(table.lines().any(|line| line.contains("| magic |") && line.contains("| 8 (all) |")), "{table}");
    // Verdicts of others count.
    let liar = std::fs::read_to_string(&others).unwrap().replace("TRUE,done", "FALSE,done");
    let liar = file(&folder, "liar.csv", &liar);
    let output = bench(&["--from", &liar, "--html", &again, "-q"]);
    assert!(code(&output) == 1 && stderr(&output).contains("expected TRUE, but"), "{}", stderr(&output));
    assert!(std::fs::read_to_string(&again).unwrap().contains("class=\"badge bad\""));
}

/// Programs, questions and a definition for BenchExec; the files are what `generate` writes.
#[test]
fn an_experiment_is_exported() {
    let folder = TempDir::new().unwrap();
    let program = file(&folder, "one, two.bp", "void main() begin L: assert(0); end");
    let out = folder.path().join("out");
    let arguments =
        ["tn:2", "drink:3+safe", &program, "--engines", "expand,expand --expand shortest", "--timeout", "9s"];
    let output = bench(&[&arguments[..], &["--export", out.to_str().unwrap()]].concat());
    assert_eq!((code(&output), stdout(&output).as_str()), (0, ""), "{}", stderr(&output));
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let list = read("tasks.csv");
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(
        lines[..2],
        ["task,file,language,property,expected,options", "tn:2+safe,programs/tn-2-safe.bp,bp,unreach-call,TRUE,"]
    );
    assert_eq!(
        lines[3],
        "drink:3+safe,programs/drink-3-safe.rsm,rsm,open: A(G(E(F(choose)))),TRUE,--open --ctl 'AG EF choose'"
    );
    assert_eq!(fields(lines[4])[0..3], [&program, "programs/one--two.bp", "bp"]);
    let generated =
        Command::new(env!("CARGO_BIN_EXE_epitome")).args(["generate", "tn", "2", "--unsafe"]).output().unwrap();
    assert_eq!(read("programs/tn-2-unsafe.bp"), stdout(&generated));
    assert!(read("tasks/tn-2-unsafe.yml").contains("    expected_verdict: false\n"));
    assert!(read("tasks/drink-3-safe.yml").contains("  question: ['--open', '--ctl', 'AG EF choose']\n"));
    let tasks = |set: &str| read(&format!("sets/2-{set}.set")).lines().count();
    assert_eq!((tasks("unreach-call"), tasks("question")), (3, 1));
    let xml = read("epitome.xml");
    assert!(xml.contains("<option name=\"--expand\"/>\n    <option name=\"shortest\"/>"), "{xml}");
    let benchexec = |arguments: &[&str]| {
        std::process::Command::new("python3")
            .args(arguments)
            .current_dir(&out)
            .env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts"))
            .output()
    };
    if !benchexec(&["-c", "import benchexec"]).is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: BenchExec is not installed (pip install benchexec)");
        return;
    }
    let tool = Path::new(env!("CARGO_BIN_EXE_epitome")).parent().unwrap().to_str().unwrap();
    let runs = [
        "-m",
        "benchexec.benchexec",
        "epitome.xml",
        "--no-container",
        "--tool-directory",
        tool,
        "--no-compress-results",
    ];
    let limits = ["--memorylimit", "-1", "--limitCores", "-1", "--timelimit", "-1", "-o", "results/"];
    let output = benchexec(&[&runs[..], &limits].concat()).unwrap();
    let said = stdout(&output) + &stderr(&output);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches(" true ").count() + said.matches(" false(").count(), 8, "{said}");
    // Nothing is expected of the program that is a file.
    let judged = |word: &str| said.lines().filter(|line| line.split_whitespace().eq([word, "6"])).count();
    assert!(judged("correct:") == 1 && !said.contains("No propertyfile"), "{said}");
}

/// Runs end with the experiment, even if that is killed.
#[test]
#[cfg(target_os = "linux")]
fn runs_do_not_outlive_a_killed_experiment() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_epitome"))
        .args(["bench", "ln:30+safe", "--engines", "expand", "-q"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let children = || {
        let file = format!("/proc/{0}/task/{0}/children", child.id());
        let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten().flatten();
        let found = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
        let all: String = found.chain(std::fs::read_to_string(file)).collect::<Vec<_>>().join(" ");
        all.split_whitespace().next().map(str::to_owned)
    };
    let start = Instant::now();
    let run = loop {
        assert!(start.elapsed() < Duration::from_secs(20), "no run was begun");
        match children() {
            Some(run) => break run,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    // Whoever takes over the run may not have looked yet: a process that is only remembered has no memory.
    let is_there =
        || std::fs::read_to_string(format!("/proc/{run}/status")).is_ok_and(|status| status.contains("VmRSS"));
    let killed = Instant::now();
    while is_there() {
        assert!(killed.elapsed() < Duration::from_secs(5), "run {run} goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

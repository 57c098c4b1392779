//! The command line as scripts see it: exit codes, streams, JSON, limits, signals, pipes, colours; what
//! `docs/output.md` promises.

#[path = "common/output.rs"]
mod output;

use assert_cmd::Command;
use epitome_benchmarks::Verdict;
use output::{code, stderr, stdout};
use serde_json::{Map, Value};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SAFE: &str = "void main() begin L: skip; end";
const FAILS: &str = "decl g;\nvoid main() begin assert(g); end";

/// The tool, without what the environment of the test may say about colours.
fn epitome(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}

/// Runs the tool on a program given on standard input.
fn on_input(program: &str, arguments: &[&str]) -> Output {
    let mut command = epitome(&arguments[..1]);
    command.args(["-", "--language", "bp"]).args(&arguments[1..]).write_stdin(program).output().unwrap()
}

/// Runs the tool without a program.
fn plain(arguments: &[&str]) -> Output {
    epitome(arguments).output().unwrap()
}

/// A program that takes `expand` far longer than any test: a loop of 2^30 rounds. It is longer than the
/// buffer of a pipe, so who has written it all knows that it is being read.
fn long() -> String {
    let text = stdout(&plain(&["generate", "ln", "30", "--safe"]));
    format!("{text}// {}\n", "x".repeat(200_000))
}

#[test]
fn exit_codes_and_last_lines() {
    let cases: &[(&str, &[&str], i32, &str)] = &[
        (SAFE, &["check"], 0, "Verdict: TRUE"),
        (FAILS, &["check"], 10, "Verdict: FALSE(unreach-call)"),
        (FAILS, &["check", "-q"], 10, "Verdict: FALSE(unreach-call)"),
        (FAILS, &["check", "--trace", "none"], 10, "Verdict: FALSE(unreach-call)"),
        (FAILS, &["check", "--stats", "-v"], 10, "Verdict: FALSE(unreach-call)"),
        (SAFE, &["check", "--label", "L"], 10, "Verdict: FALSE(unreach-label)"),
        (SAFE, &["reach"], 0, "1 of 1 label reachable"),
        (SAFE, &["reach", "-q"], 0, "reachable    line 1      main.L"),
    ];
    for &(program, arguments, status, last) in cases {
        let output = on_input(program, arguments);
        assert_eq!((code(&output), stdout(&output).lines().last()), (status, Some(last)), "{arguments:?}");
        assert!(stdout(&output).ends_with('\n'), "{arguments:?}");
    }
    assert_eq!(stdout(&on_input(FAILS, &["check", "-q"])).lines().count(), 1);
    let stats = on_input(FAILS, &["check", "--stats"]);
    assert!(stderr(&stats).contains("path edges") && !stdout(&stats).contains("path edges"));
}

#[test]
fn bad_usage_and_bad_input_are_status_2_with_nothing_on_stdout() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| -> String {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (safe, text) = (file("safe.bp", SAFE), file("safe.txt", SAFE));
    let folder = folder.path().to_str().unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&[], "Usage: epitome"),
        (&["check"], "<FILE>"),
        (&["check", "nowhere.bp"], "cannot read nowhere.bp"),
        (&["check", folder, "--language", "bp"], "cannot read"),
        (&["check", &text], "--language"),
        (&["check", "-"], "--language"),
        (&["check", &safe, "--label", "M"], "no label `M`"),
        (&["check", &safe, "--labl", "L"], "'--label'"),
        (&["chek", &safe], "'check'"),
        (&["check", &safe, "--label", "L", "--property", "unreach-call"], "cannot be used with"),
        (&["check", &safe, "--property", "unreach"], "not a property"),
        (&["check", &safe, "--property", "nowhere.prp"], "cannot read nowhere.prp"),
        (&["check", &safe, "--engine", "magic"], "possible values"),
        (&["check", &safe, "--reduce", "cnoe"], "a similar value exists: 'cone'"),
        (&["reach", &safe, "--no-reduce", "live,magic"], "possible values"),
        (&["check", &safe, "--timeout", "soon"], "--timeout"),
        (&["check", &safe, "--timeout=-1s"], "out of range"),
        (&["check", &safe, "--memory", "much"], "--memory"),
        (&["check", &safe, "-q", "-v"], "cannot be used with"),
        (&["generate", "nt", "3"], "unknown family `nt`"),
        (&["generate", "tn", "0"], "from 1 to"),
        (&["generate", "tn", "99999999999"], "too large"),
        (&["generate", "tn", "-1"], "'-1'"),
        (&["generate", "tn"], "<N|FILE|FORMULA>"),
    ];
    for &(arguments, message) in cases {
        let output = plain(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
}

/// A program with something for each reduction: a constant flag, a procedure that is never called, a
/// variable that feeds itself, one that is dead after its last use, a global that the callee does not see.
const REDUCIBLE: &str = "decl flag := 0, self, g, h;
    void main() begin
      decl x;
      self := !self; x := g; p(x);
      if (flag) then assert(0); fi
      assert(g | h);
    end
    void p(a) begin g := a; end
    void idle() begin skip; end";

#[test]
fn reductions_are_chosen_and_told() {
    let lines = |arguments: &[&str]| -> Vec<String> {
        let text = stderr(&on_input(REDUCIBLE, &[&["check", "--stats"], arguments].concat()));
        text.lines().filter_map(|line| line.strip_prefix("reduce ")).map(str::to_owned).collect()
    };
    let names = |arguments: &[&str]| -> Vec<String> {
        lines(arguments).iter().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
    };
    assert_eq!(lines(&["--reduce", "constants"]), ["constants   4 transitions, 2 reads"]);
    assert_eq!(lines(&["--reduce", "unreachable"]), ["unreachable 1 procedure, 3 nodes, 2 transitions"]);
    assert_eq!(lines(&["--reduce", "mod-ref"]), ["mod-ref     3 hidden"]);
    assert_eq!(lines(&["--reduce", "mod-ref,live", "--no-reduce", "live"]), ["mod-ref     3 hidden"]);
    assert_eq!(
        lines(&["--reduce", "cone", "--reduce", "live"]),
        ["cone        1 procedure, 3 nodes, 3 transitions, 1 variable", "live        9 forgotten"]
    );
    let all = ["constants", "unreachable", "compact", "cone", "live", "mod-ref"];
    assert_eq!(names(&[]), all);
    assert_eq!(names(&["--reduce", "all"]), all);
    assert_eq!(names(&["--no-reduce", "compact,cone"]), ["constants", "unreachable", "live", "mod-ref"]);
    assert!(names(&["--reduce", "none"]).is_empty() && names(&["--no-reduce", "all"]).is_empty());
    let labels = stderr(&on_input(SAFE, &["reach", "--stats", "--reduce", "cone"]));
    assert!(labels.starts_with("reduce cone        "), "{labels}");
}

#[test]
fn version_and_help() {
    let version = plain(&["--version"]);
    assert_eq!((code(&version), stderr(&version)), (0, String::new()));
    assert_eq!(stdout(&version), format!("epitome {}\n", env!("EPITOME_VERSION")));
    for arguments in [["--help"].as_slice(), &["help"], &["check", "--help"], &["generate", "-h"]] {
        let help = plain(arguments);
        assert_eq!((code(&help), stderr(&help)), (0, String::new()));
        assert!(stdout(&help).contains("Usage: epitome"), "{}", stdout(&help));
        assert!(stdout(&help).lines().all(|line| line.chars().count() <= 100), "{}", stdout(&help));
    }
}

#[test]
fn generate_lists_its_families_and_repeats_itself() {
    let list = plain(&["generate", "--list"]);
    assert_eq!((code(&list), stderr(&list)), (0, String::new()));
    for family in epitome_benchmarks::FAMILIES {
        assert!(stdout(&list).lines().any(|line| line.starts_with(family.name)), "{}", family.name);
        for (option, status) in [("--safe", 0), ("--unsafe", 10)] {
            // Questions of branching time are hard early.
            let size = if family.question.is_some() { family.smallest } else { 3 };
            let program = stdout(&plain(&["generate", family.name, &size.to_string(), option]));
            let verdict = if option == "--safe" { Verdict::Safe } else { Verdict::Unsafe };
            let question = family.question.map_or(Vec::new(), |question| question.options(size, verdict));
            let mut check = epitome(&["check", "-", "--language", family.language]);
            let check = check.args(question).write_stdin(program.as_str()).output();
            assert_eq!(check.map(|output| code(&output)).ok(), Some(status), "{program}");
        }
    }
    let random = |seed| stdout(&plain(&["generate", "random", seed]));
    assert!(random("7") == random("7") && random("7") != random("8"));
}

#[test]
fn standard_input_needs_a_language() {
    let output = on_input("machine M { entry e; node n; e -> n; } init M.e;", &["check", "--language", "rsm"]);
    assert_eq!(code(&output), 2, "--language given twice");
    let output = epitome(&["check", "-", "--language", "rsm", "--label", "n"])
        .write_stdin("machine M { entry e; node n; e -> n; } init M.e;")
        .output()
        .unwrap();
    assert_eq!(code(&output), 10);
    let output = on_input("void main() begin x := 1; end", &["check"]);
    assert!(code(&output) == 2 && stderr(&output).contains("<stdin>:1:19"), "{}", stderr(&output));
}

/// Clauses from standard input, and clauses in a file that are checked again.
#[test]
fn clauses_are_read_and_written() {
    let text = "(declare-fun P (Bool) Bool)(assert (P true))(assert (forall ((x Bool)) (=> (P x) (not x))))";
    let output = epitome(&["check", "-", "--language", "smt2"]).write_stdin(text).output().unwrap();
    assert!(
        code(&output) == 10 && stdout(&output).contains("<stdin>:1:45: false can be derived"),
        "{}",
        stdout(&output)
    );
    let file = tempfile::Builder::new().suffix(".smt2").tempfile().unwrap();
    let name = file.path().to_str().unwrap();
    let program = "decl g := 0; void main() begin L: g := !g; if (g) then goto L; fi M: assert(!g); end";
    for (label, expected) in [(&["--label", "M"][..], 10), (&["--no-reduce", "all"], 0), (&[], 0)] {
        let output = on_input(program, &[&["encode", "--to", "chc", "-o", name], label].concat());
        assert!(code(&output) == 0 && output.stdout.is_empty(), "{}", stderr(&output));
        assert_eq!(code(&plain(&["check", name, "--engine", "sat"])), expected, "{label:?}");
    }
    let output = on_input(program, &["encode", "--to", "chc", "-o", "/nowhere/at/all.smt2"]);
    assert!(code(&output) == 2 && stderr(&output).contains("cannot write /nowhere/at/all.smt2"));
    let output = plain(&["encode", name, "--to", "chc", "--label", "claus1"]);
    assert!(code(&output) == 2 && stderr(&output).contains("has no label `claus1`"), "{}", stderr(&output));
}

/// A key of an object and what its value must be.
type Field = (&'static str, fn(&Value) -> bool);

const IS_COUNT: fn(&Value) -> bool = Value::is_u64;
const IS_TEXT: fn(&Value) -> bool = Value::is_string;
const IS_FLAG: fn(&Value) -> bool = Value::is_boolean;
const IS_OBJECT: fn(&Value) -> bool = Value::is_object;

const CLASS: &[Field] = &[
    ("recursive", IS_FLAG),
    ("depth", IS_COUNT),
    ("acyclic", IS_FLAG),
    ("deterministic", |value| value.is_boolean() || value.is_null()),
    ("io_bits", IS_COUNT),
    ("initial_bits", IS_COUNT),
    ("theta", IS_COUNT),
    ("procedures", IS_COUNT),
    ("size", IS_COUNT),
    ("variables_in_scope", IS_COUNT),
    ("class", IS_TEXT),
    ("complexity", IS_TEXT),
    ("theorem", IS_TEXT),
    ("ltl", IS_TEXT),
    ("ctl", IS_TEXT),
    ("plan", |value| value.as_array().is_some_and(|plan| !plan.is_empty() && plan.iter().all(IS_TEXT))),
];

const STATISTICS: &[Field] = &[
    ("algorithm", IS_TEXT),
    ("chosen", |value| value.is_string() || value.is_null()),
    ("path_edges", IS_COUNT),
    ("summary_edges", IS_COUNT),
    ("entries", IS_COUNT),
    ("iterations", IS_COUNT),
    ("bdd_peak_nodes", IS_COUNT),
    ("bdd_largest_set", IS_COUNT),
    ("variables", IS_COUNT),
    ("clauses", IS_COUNT),
    ("search_seconds", Value::is_f64),
    ("other_seconds", |value| value.is_f64() || value.is_null()),
    ("sat", |value| value.is_object() || value.is_null()),
    ("qbf", |value| value.is_object() || value.is_null()),
    ("cpu_seconds", |value| value.is_f64() || value.is_null()),
    ("table_bytes", IS_COUNT),
    ("memory_bytes", |value| value.is_u64() || value.is_null()),
    ("reductions", Value::is_array),
];

/// The class of what the reductions leave.
const REDUCED: &[Field] = &[("reduced", IS_OBJECT)];

const STEP: &[Field] = &[
    ("step", IS_COUNT),
    ("kind", IS_TEXT),
    ("depth", IS_COUNT),
    ("procedure", IS_TEXT),
    ("line", IS_COUNT),
    ("column", IS_COUNT),
    ("text", IS_TEXT),
    ("values", |value| value.as_object().is_some_and(|values| values.values().all(|v| v == 0 || v == 1))),
];

const LABEL: &[Field] = &[("label", IS_TEXT), ("procedure", IS_TEXT), ("line", IS_COUNT), ("reachable", IS_FLAG)];

const LINE: &[Field] = &[("procedure", IS_TEXT), ("line", IS_COUNT), ("text", IS_TEXT), ("reachable", IS_FLAG)];

/// The object has exactly these keys, in this order, with values of these types.
fn assert_fields(value: &Value, fields: &[Field]) {
    let object: &Map<String, Value> = value.as_object().unwrap_or_else(|| panic!("not an object: {value}"));
    let keys: Vec<&str> = object.keys().map(String::as_str).collect();
    assert_eq!(keys, fields.iter().map(|(key, _)| *key).collect::<Vec<_>>());
    for (key, is_right) in fields {
        assert!(is_right(&value[key]), "{key} is {}", value[key]);
    }
}

fn json(program: &str, arguments: &[&str]) -> Value {
    let output = on_input(program, arguments);
    assert_eq!(stderr(&output), "");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(&output)))
}

#[test]
fn json_of_check() {
    const TEXT_OR_NULL: fn(&Value) -> bool = |value| value.is_string() || value.is_null();
    let fields: &[Field] = &[
        ("schema", |value| value == "epitome-check/1"),
        ("file", |value| value == "-"),
        ("property", IS_TEXT),
        ("verdict", IS_TEXT),
        ("reason", TEXT_OR_NULL),
        ("found", Value::is_boolean),
        ("location", |value| value.is_object() || value.is_null()),
        ("message", TEXT_OR_NULL),
        ("notes", Value::is_array),
        ("nothing_to_check", Value::is_boolean),
        ("engine", IS_TEXT),
        ("class", IS_OBJECT),
        ("trace", Value::is_array),
        ("statistics", IS_OBJECT),
    ];
    let calls = "decl g;\nvoid main() begin p(); p(); assert(g); end\nvoid p() begin skip; end";
    let long = long();
    let runs = [
        (json(SAFE, &["check", "--json"]), "TRUE", Value::Null),
        (json(calls, &["check", "--json"]), "FALSE", Value::Null),
        (json(calls, &["check", "--json", "-q", "--stats"]), "FALSE", Value::Null),
        (json(&long, &["check", "--engine", "expand", "--json", "--timeout", "200ms"]), "UNKNOWN", "timeout".into()),
    ];
    for (report, verdict, reason) in &runs {
        assert_fields(report, fields);
        // The plan is made by what the reductions leave.
        assert_fields(&report["class"], &[CLASS, REDUCED].concat());
        assert_fields(&report["class"]["reduced"], CLASS);
        assert_fields(&report["statistics"], STATISTICS);
        assert_eq!((report["verdict"].as_str(), &report["reason"]), (Some(*verdict), reason));
    }
    for (report, ..) in &runs[1..3] {
        let mut kinds = Vec::new();
        for step in report["trace"].as_array().unwrap() {
            let same = [("same_as", IS_COUNT)];
            let more: &[Field] = if step.get("same_as").is_some() { &same } else { &[] };
            assert_fields(step, &[STEP, more].concat());
            kinds.push(step["kind"].as_str().unwrap_or_default());
        }
        let expected = ["function-call", "location", "function-return", "function-call", "location", "failure"];
        assert_eq!(kinds, expected);
    }
    for report in [json(FAILS, &["check", "--json", "--trace", "none"]), json(SAFE, &["check", "--json"])] {
        assert_eq!(report["trace"], Value::Array(Vec::new()));
    }
}

/// The limit of a trace counts steps; returns of Boolean programs are none.
#[test]
fn json_of_a_trace_that_is_cut() {
    let program = stdout(&plain(&["generate", "tn", "2000"]));
    let report = json(&program, &["check", "--json"]);
    let [steps @ .., cut] = report["trace"].as_array().unwrap().as_slice() else { panic!("{report}") };
    let is_step = |step: &&Value| step["kind"] != "function-return";
    assert_eq!(steps.iter().filter(is_step).count(), 10_000);
    assert!(steps.len() > 10_000 && steps.iter().rfind(is_step).is_some_and(|step| step["step"] == 10_000));
    assert_fields(cut, &[("kind", |value| value == "cut"), ("steps", IS_COUNT)]);
    assert!(cut["steps"].as_u64() > Some(10_000));
}

#[test]
fn json_of_reductions() {
    let report = json(REDUCIBLE, &["check", "--json", "--reduce", "unreachable"]);
    let [unreachable] = &report["statistics"]["reductions"].as_array().expect("a list")[..] else { panic!("{report}") };
    let counts = ["procedures", "nodes", "transitions", "variables", "assignments", "reads", "forgotten", "hidden"];
    let keys: Vec<&str> = unreachable.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, [&["reduction"], &counts[..], &["seconds"]].concat());
    assert_eq!(counts.map(|count| unreachable[count].as_u64()), [1, 3, 2, 0, 0, 0, 0, 0].map(Some));
}

#[test]
fn json_of_classify_and_reach() {
    let schema: &[Field] = &[("schema", |value| value == "epitome-classify/1")];
    let more: &[Field] = &[("by_procedure", Value::is_array)];
    let report = json(FAILS, &["classify", "--json"]);
    assert_fields(&report, &[schema, CLASS, REDUCED, more].concat());
    let question: &[Field] = &[("for", |value| value == "failures")];
    assert_fields(&report["reduced"], &[CLASS, question].concat());
    let one = ["procedure", "variables_in_scope", "io_bits", "entries", "exits"];
    assert!(report["by_procedure"][0].as_object().is_some_and(|object| object.keys().eq(one)));
    let before: &[Field] = &[
        ("schema", |value| value == "epitome-reach/1"),
        ("file", |value| value == "-"),
        ("engine", IS_TEXT),
        ("labels", Value::is_array),
    ];
    let lines: &[Field] = &[("lines", Value::is_array)];
    let after: &[Field] = &[("reason", Value::is_null), ("statistics", IS_OBJECT)];
    let report = json(SAFE, &["reach", "--json"]);
    assert_fields(&report, &[before, after].concat());
    assert_fields(&report["labels"][0], LABEL);
    assert_fields(&report["statistics"], STATISTICS);
    let report = json(SAFE, &["reach", "--json", "--lines"]);
    assert_fields(&report, &[before, lines, after].concat());
    assert_fields(&report["lines"][0], LINE);
    let report = json(&long(), &["reach", "--engine", "expand", "--json", "--lines", "--timeout", "100ms"]);
    let answers: Vec<&Value> = report["lines"].as_array().unwrap().iter().map(|line| &line["reachable"]).collect();
    assert!(
        report["reason"] == "timeout"
            && answers.iter().all(|answer| answer.is_null() || answer.as_bool() == Some(true))
    );
}

#[test]
fn limits_end_a_run_in_order() {
    let long = long();
    let start = Instant::now();
    let output = on_input(&long, &["check", "--engine", "expand", "--timeout", "1s"]);
    let time = start.elapsed();
    assert_eq!((code(&output), stdout(&output).lines().last()), (3, Some("Verdict: UNKNOWN(timeout)")));
    assert!(time >= Duration::from_secs(1) && time < Duration::from_millis(3500), "{time:?}");
    let output = on_input(&long, &["check", "--engine", "expand", "--memory", "100M", "--timeout", "60s"]);
    assert_eq!((code(&output), stdout(&output).lines().last()), (3, Some("Verdict: UNKNOWN(memory)")));
    let output = on_input(&long, &["reach", "--engine", "expand", "--lines", "--timeout", "100ms"]);
    assert_eq!(code(&output), 3);
    assert!(stdout(&output).ends_with("so far (stopped: timeout)\n"), "{}", stdout(&output));
}

/// Starts the tool with pipes, and does not wait for it.
fn start(arguments: &[&str]) -> Child {
    let mut command = std::process::Command::new(PathBuf::from(env!("CARGO_BIN_EXE_epitome")));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
#[cfg(unix)]
fn signals_end_a_run_in_order() {
    let long = long();
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = start(&["check", "-", "--language", "bp", "--engine", "expand", "--timeout", "60s"]);
        child.stdin.take().unwrap().write_all(long.as_bytes()).unwrap();
        let sent = Instant::now();
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!((code(&output), stderr(&output)), (status, String::new()));
        assert_eq!(stdout(&output).lines().last(), Some("Verdict: UNKNOWN(interrupted)"));
        assert!(sent.elapsed() < Duration::from_secs(10), "{signal}: {:?}", sent.elapsed());
    }
}

#[test]
fn a_broken_pipe_is_not_an_error() {
    // Output that fits no buffer, and a reader who leaves after ten bytes.
    let mut child = start(&["generate", "tn", "20000"]);
    let mut few = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut few).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    // The verdict is told by the exit status all the same.
    let mut child = start(&["check", "-", "--language", "bp"]);
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(b"void main() begin assert(0); end").unwrap();
    assert_eq!(code(&child.wait_with_output().unwrap()), 10);
    // A reader who is gone before anything is written.
    for arguments in [["--help"].as_slice(), &["--version"], &["check", "-q", "-", "--language", "bp"]] {
        let mut child = start(arguments);
        drop(child.stdout.take());
        let _ = child.stdin.take().unwrap().write_all(SAFE.as_bytes());
        let output = child.wait_with_output().unwrap();
        assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{arguments:?}");
    }
}

#[test]
fn colours_are_asked_for_or_not_there() {
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = epitome(arguments);
        command.envs(variables.iter().copied()).write_stdin("decl g; void main(x) begin L: assert(g); end");
        let output = command.output().unwrap();
        [&output.stdout, &output.stderr].map(|stream| stream.contains(&0x1b))
    };
    let check = ["check", "-", "--language", "bp"].as_slice();
    let reach = ["reach", "-", "--language", "bp"].as_slice();
    let always = ["--color", "always"].as_slice();
    for command in [check, reach] {
        assert_eq!(coloured(command, &[]), [false, false]);
        assert_eq!(coloured(command, &[("CLICOLOR_FORCE", "1")]), [true, true]);
        assert_eq!(coloured(command, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), [false, false]);
        assert_eq!(coloured(&[command, always].concat(), &[]), [true, true]);
        assert_eq!(coloured(&[always, command].concat(), &[("NO_COLOR", "1")]), [true, true]);
    }
    let json = [check, always, &["--json"]].concat();
    assert!(!coloured(&json, &[])[0], "JSON has no colours");
}

#[test]
fn shells_and_man_know_the_command_line() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = plain(&["completions", shell]);
        assert!(code(&script) == 0 && stdout(&script).contains("certify"), "{shell}");
    }
    assert_eq!(code(&plain(&["completions", "csh"])), 2);
    assert!(stdout(&plain(&["man"])).contains(".TH epitome 1"));
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("pages");
    assert_eq!(code(&plain(&["man", "--folder", folder.to_str().unwrap()])), 0);
    let page = std::fs::read_to_string(folder.join("epitome-check.1")).unwrap();
    assert!(page.contains("\\-\\-timeout"), "{page}");
    assert_eq!(code(&plain(&["man", "--folder", "Cargo.toml"])), 2);
}

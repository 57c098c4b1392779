//! Witnesses and harnesses: others find the violation with them.

use crate::{epitome, folder};
use std::process::Command;

const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
ERROR_FUNCTION
int twice(int n) { return n + n; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += __VERIFIER_nondet_uchar();
  }
  if (twice(x) == -84 && sum == 300) { reach_error(); abort(); }
  return 0;
}
";

/// Ways in which tasks have their error function.
const ERROR_FUNCTIONS: [&str; 3] = [
    "extern void reach_error(void);",
    "void reach_error(void) {}",
    "extern void __assert_fail(const char *, const char *, unsigned, const char *);
void reach_error(void) { __assert_fail(\"0\", \"p.c\", 4, \"reach_error\"); }",
];

/// What a program says that is compiled with its harness, by the command that the harness tells: its status and its
/// messages.
fn violation(program: &str, options: &[&str]) -> Option<(i32, String)> {
    let folder = folder(&[("p.c", program)]);
    let said = epitome(folder.path(), &[&["check", "p.c", "--64", "--harness", "h.c"], options].concat());
    assert_eq!(said.status, 10, "{}{}\n{program}", said.stdout, said.stderr);
    let harness = std::fs::read_to_string(folder.path().join("h.c")).expect("is written");
    let command = harness.lines().find(|line| line.ends_with("&& ./violation; echo $?")).expect("tells how").trim();
    let command = command.replace("cc -m64", "gcc -w").replace("; echo $?", "");
    if Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no gcc");
        return None;
    }
    let output = Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output().expect("runs");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Some((output.status.code().unwrap_or(-1), format!("{command}\n{stderr}")))
}

#[test]
fn a_harness_makes_the_violation_happen() {
    let calls = ERROR_FUNCTIONS.map(|error_function| PROGRAM.replace("ERROR_FUNCTION", error_function));
    let label = "extern int __VERIFIER_nondet_int(void); int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 7) { ERROR: goto ERROR; }
  return 0;
}
";
    // Inputs that the run does not take, in functions that nobody calls, and what only verifiers define.
    let others = "extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int); extern void reach_error(void);
extern void report(int); extern int magic(void);
int unused(void) { return __VERIFIER_nondet_char(); }
int main(void) {
  long x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 4);
  report(3);
  if (x == 5) reach_error();
  return __VERIFIER_nondet_bool() && magic();
}
";
    let asserted = "void assert(int); extern int nondet_int(void); int main(void) { int x = nondet_int(); __VERIFIER_assert(x != 12); }";
    for program in calls.iter().map(String::as_str).chain([label, others, asserted]) {
        for options in [&[][..], &["--no-inline"]] {
            let Some((status, said)) = violation(program, options) else { return };
            assert_eq!(status, 107, "{said}\n{program}");
        }
    }
    let overflow =
        "extern int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); return x + 1; }";
    let Some((_, said)) = violation(overflow, &["--property", "no-overflow"]) else { return };
    assert!(said.contains("signed integer overflow: 2147483647 + 1"), "{said}");
}

#[test]
fn a_violation_is_told_by_its_inputs() {
    let program = PROGRAM.replace("ERROR_FUNCTION", ERROR_FUNCTIONS[1]);
    let folder = folder(&[("p.c", &program)]);
    let said = epitome(folder.path(), &["check", "p.c", "--witness", "w.yml"]);
    assert_eq!(said.status, 10, "{}", said.stderr);
    let witness = std::fs::read_to_string(folder.path().join("w.yml")).expect("is written");
    let has = |text: &str| assert!(witness.contains(text), "{text} in\n{witness}");
    has("- entry_type: violation_sequence\n");
    has("    format_version: \"2.0\"\n");
    has("      specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n");
    has("      data_model: ILP32\n");
    // The closing parenthesis of the first call; the call of the error function.
    has("line: 7\n              column: 33\n              function: \"main\"\n");
    has("line: 12\n              column: 40\n              function: \"main\"\n");
    assert_eq!(witness.matches("type: function_return").count(), 4);
    assert_eq!(witness.matches("type: target").count(), 1);
    let x: i64 = value(&witness);
    assert_eq!((x as i32).wrapping_mul(2), -84);
    // The same again, but for the time, which can be given.
    let again = |name: &str| {
        let mut command = assert_cmd::Command::cargo_bin("epitome").expect("is built");
        let command = command.current_dir(folder.path()).env("SOURCE_DATE_EPOCH", "0");
        command.args(["check", "p.c", "-q", "--engine", "sat", "--witness", name]).output().expect("runs");
        std::fs::read_to_string(folder.path().join(name)).expect("is written")
    };
    let first = again("1.yml");
    assert!(first.contains("creation_time: \"1970-01-01T00:00:00Z\""));
    assert_eq!(first, again("2.yml"));
    checks(folder.path(), "w.yml");
}

/// The first value of a witness.
fn value(witness: &str) -> i64 {
    let after = witness.split("\\result == ").nth(1).expect("a value");
    after.split('\'').next().and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn correctness_has_invariants() {
    let program = "void reach_error(void) {}
int main(void) {
  unsigned x = 0;
  while (1) {
    if (x == 4) x = 0;
    if (x > 4) reach_error();
    x += 2;
  }
}
";
    let folder = folder(&[("p.c", program)]);
    let said = epitome(folder.path(), &["check", "p.c", "--witness", "w.yml"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let witness = std::fs::read_to_string(folder.path().join("w.yml")).expect("is written");
    assert!(witness.contains("- entry_type: invariant_set\n"), "{witness}");
    assert!(witness.contains("line: 4\n          column: 3\n          function: \"main\"\n"), "{witness}");
    assert!(witness.contains("format: c_expression"), "{witness}");
    checks(folder.path(), "w.yml");
    // What is claimed to hold holds, says gcc: in every round of a while.
    let invariant = witness.lines().find_map(|line| line.trim().strip_prefix("value: \"")?.strip_suffix('"'));
    let text = program
        .replace("while (1) {", &format!("int n = 100; while (n--) {{ if (!({})) return 3;", invariant.expect("one")));
    std::fs::write(folder.path().join("q.c"), text).expect("can write");
    if Command::new("gcc").args(["-w", "-o", "q", "q.c"]).current_dir(folder.path()).status().is_ok_and(|s| s.success())
    {
        assert_eq!(Command::new(folder.path().join("q")).status().expect("runs").code(), Some(0), "{invariant:?}");
    }
}

#[test]
fn there_is_nothing_to_write_without_a_verdict() {
    let folder =
        folder(&[("p.c", "int main(void) { float x = 1; return x; }"), ("p.bp", "void main() begin skip; end")]);
    let said = epitome(folder.path(), &["check", "p.c", "--witness", "w.yml"]);
    assert_eq!(said.status, 3);
    assert!(!folder.path().join("w.yml").exists());
    let said = epitome(folder.path(), &["check", "p.bp", "--witness", "w.yml"]);
    assert_eq!(said.status, 2);
    assert!(said.stderr.contains("--witness is for programs in C"), "{}", said.stderr);
}

/// The witness checker of the benchmarks, where it is.
fn checks(folder: &std::path::Path, witness: &str) {
    let Some(bench) = std::env::var_os("EPITOME_BENCH") else { return };
    let checker = std::path::Path::new(&bench).join("../witness/check_witness.py");
    let output = Command::new("python3").arg(checker).arg(witness).current_dir(folder).output();
    match output {
        Ok(output) if output.status.success() => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(said.contains("1 files, 0 bad"), "{said}");
        }
        _ => eprintln!("skipped: the witness checker does not run (it needs jsonschema and PyYAML)"),
    }
}

/// What a witness says is the property that is violated, and where that is.
#[test]
fn a_witness_tells_what_was_violated() {
    let of = |program: &str, options: &[&str]| {
        let folder = folder(&[("p.c", program)]);
        let said = epitome(folder.path(), &[&["check", "p.c", "--witness", "w.yml"], options].concat());
        assert_eq!(said.status, 10, "{}", said.stderr);
        std::fs::read_to_string(folder.path().join("w.yml")).expect("is written")
    };
    let input = "extern int __VERIFIER_nondet_int(void);\n";
    let cases = [
        ("int main(void) { ERROR: return 1; }", &[][..], "G ! label(ERROR)", "column: 25"),
        ("void assert(int);\nint main(void) { assert(0); }", &[], "G ! call(__assert_fail())", "column: 18"),
        (
            "void __VERIFIER_error(void);\nint main(void) { __VERIFIER_error(); }",
            &[],
            "call(__VERIFIER_error())",
            "column: 18",
        ),
        // The full expression, not the statement.
        (
            "int main(void) { int x = 2147483647; if (x + 1) return 1; }",
            &["--property", "no-overflow"],
            "overflow",
            "column: 42",
        ),
        (
            "void reach_error(void) {} int on(void) { reach_error(); return 1; } int main(void) { return on(); }",
            &["--no-inline"],
            "reach_error",
            "function: \"on\"",
        ),
    ];
    for (program, options, specification, place) in cases {
        let witness = of(&format!("{input}{program}"), options);
        assert!(witness.contains(specification), "{specification} in\n{witness}");
        assert!(witness.contains(place), "{place} in\n{witness}");
    }
    let header = "void reach_error(void) {}\n#define CHECK(c) if (!(c)) reach_error()\nint main(void) { int x = 1; CHECK(x != 1); }";
    let witness = of(header, &[]);
    assert!(witness.contains("line: 3\n") && !witness.contains("column"), "{witness}");
}

/// What comes by standard input comes once.
#[test]
fn a_program_from_standard_input_has_the_same_witness() {
    let text = "void reach_error(void) {}
int main(void) {
  unsigned x = 0;
  while (1) {
    if (x == 4) x = 0;
    if (x > 4) reach_error();
    x += 2;
  }
}
";
    let folder = folder(&[("t.c", text)]);
    let options = ["--language", "c", "--property", "unreach-call", "--witness"];
    let said = epitome(folder.path(), &[&["check", "t.c"], &options[..], &["file.yml"]].concat());
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    let mut command = assert_cmd::Command::cargo_bin("epitome").expect("is built");
    let command = command.current_dir(folder.path()).args(["check", "-"]).args(options).arg("stdin.yml");
    let output = command.write_stdin(text).output().expect("runs");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    let content = |name: &str| {
        let witness = std::fs::read_to_string(folder.path().join(name)).expect("is written");
        let (head, content) = witness.split_once("  content:").expect("has a content");
        let hash =
            head.lines().find(|line| line.trim_start().ends_with("\"") && line.contains(": \"") && line.len() > 70);
        let hash = hash.and_then(|line| line.rsplit(' ').next()).expect("has a hash").to_owned();
        (hash, content.replace("file_name: \"-\"", "file_name: \"t.c\""))
    };
    let (from_file, from_stdin) = (content("file.yml"), content("stdin.yml"));
    assert!(from_file.1.contains("loop_invariant"), "{from_file:?}");
    assert_eq!(from_file, from_stdin);
}

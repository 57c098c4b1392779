//! Task definitions: their properties, what they expect, and what is said about it.

use crate::{epitome, folder, verdict};

const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 7) { reach_error(); }
  return 0;
}
";
const TASK: &str = "format_version: '2.0'
# a comment
input_files: 'p.c'
properties:
  - property_file: unreach-call.prp
    expected_verdict: false
  - property_file: termination.prp
    expected_verdict: true
  - property_file: no-overflow.prp
    expected_verdict: false
  - property_file: coverage.prp
options:
  language: C
  data_model: LP64
";

fn task() -> tempfile::TempDir {
    folder(&[
        ("p.c", PROGRAM),
        ("t.yml", TASK),
        ("unreach-call.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"),
        ("termination.prp", "CHECK( init(main()), LTL(F end) )\n"),
        ("no-overflow.prp", "CHECK( init(main()), LTL(G ! overflow) )\n"),
        ("coverage.prp", "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n"),
    ])
}

#[test]
fn all_properties_are_checked_and_judged() {
    let folder = task();
    let said = epitome(folder.path(), &["check", "t.yml", "--trace", "none"]);
    assert_eq!(said.status, 10, "{}", said.stderr);
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "Property: unreach-call",
            "p.c:5:17: reach_error() can be reached (in main)",
            "Expected: FALSE: correct",
            "Verdict: FALSE(unreach-call)",
            "Property: termination",
            "Expected: TRUE: correct",
            "Verdict: TRUE",
            "Property: no-overflow",
            "Expected: FALSE: wrong",
            "Verdict: TRUE",
            "All 3 properties: 2 TRUE, 1 FALSE",
            "Verdict: FALSE(unreach-call)",
        ]
    );
}

/// What cannot be answered is not passed over.
#[test]
fn properties_of_others_are_unknown() {
    let folder = task();
    let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n";
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("can write");
    write("valid-memsafety.prp", memory);
    write("safe.c", "int main(void) { return 0; }");
    let property = |file: &str| format!("  - property_file: {file}.prp\n    expected_verdict: true\n");
    let head = "format_version: '2.0'\ninput_files: sa*.c\nproperties:\n";
    write("one.yml", &format!("{head}{}", property("valid-memsafety")));
    write("two.yml", &format!("{head}{}{}", property("unreach-call"), property("valid-memsafety")));
    let unknown = "Verdict: UNKNOWN(not supported: property valid-memsafety)";
    for arguments in [
        &["one.yml"][..],
        &["two.yml"],
        &["two.yml", "--property", "valid-memsafety"],
        &["safe.c", "--property", "valid-memsafety.prp"],
        &["safe.c", "--property", "valid-memsafety"],
    ] {
        let said = epitome(folder.path(), &[&["check"], arguments].concat());
        assert_eq!((said.status, said.last_line()), (3, unknown), "{arguments:?}: {}{}", said.stdout, said.stderr);
    }
    let said = epitome(folder.path(), &["check", "two.yml", "-q"]);
    assert!(said.stdout.contains("Expected: TRUE: no answer\n"), "{}", said.stdout);
}

/// A name means what the task means by it: the call, not the label.
#[test]
fn a_name_is_that_of_the_task() {
    let folder = task();
    let program = "extern int nondet_int(void); int main(void) { if (nondet_int()) { ERROR: return 1; } return 0; }";
    std::fs::write(folder.path().join("label.c"), program).expect("can write");
    let text = "format_version: '2.0'\ninput_files: label.c\nproperties:\n  - property_file: unreach-call.prp\n    expected_verdict: true\n";
    std::fs::write(folder.path().join("label.yml"), text).expect("can write");
    for arguments in [&["label.yml"][..], &["label.yml", "--property", "unreach-call"]] {
        let said = epitome(folder.path(), &[&["check"], arguments].concat());
        assert_eq!(said.stdout, "Expected: TRUE: correct\nVerdict: TRUE\n", "{arguments:?}");
    }
}

/// Without a task the name means what the competitions mean by it; without a name all failures are meant.
#[test]
fn the_name_means_calls_of_error_functions() {
    let head = "#include <assert.h>\nextern void reach_error(void); extern void __VERIFIER_error(void);
        extern void __VERIFIER_assert(int); extern int nondet_int(void);\n";
    let safe = "Verdict: TRUE";
    let unsafe_ = "Verdict: FALSE(unreach-call)";
    for (body, named, any) in [
        ("assert(nondet_int());", safe, unsafe_),
        ("if (nondet_int()) { ERROR: return 1; }", safe, unsafe_),
        ("if (nondet_int()) reach_error();", unsafe_, unsafe_),
        ("if (nondet_int()) __VERIFIER_error();", unsafe_, unsafe_),
        ("__VERIFIER_assert(nondet_int());", unsafe_, unsafe_),
        ("assert(1);", safe, safe),
    ] {
        let text = format!("{head}int main(void) {{ {body} return 0; }}");
        for inline in [&[][..], &["--no-inline"]] {
            assert_eq!(verdict(&text, inline), any, "{body}");
            assert_eq!(verdict(&text, &[inline, &["--property", "unreach-call"]].concat()), named, "{body}");
        }
    }
    let old = "CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )";
    let text = format!("{head}int main(void) {{ reach_error(); return 0; }}");
    assert_eq!(verdict(&text, &["--property", old]), safe);
}

/// Runs start where the property says.
#[test]
fn another_function_may_be_the_first() {
    let text = "void reach_error(void) {} int start(void) { reach_error(); return 0; } int main(void) { return 0; }";
    let property = |entry: &str| format!("CHECK( init({entry}()), LTL(G ! call(reach_error())) )");
    assert_eq!(verdict(text, &["--property", &property("main")]), "Verdict: TRUE");
    assert_eq!(verdict(text, &["--property", &property("start")]), "Verdict: FALSE(unreach-call)");
    assert_eq!(verdict(text, &["--property", &property("nobody")]), "");
}

#[test]
fn one_property_is_chosen_by_any_of_its_names() {
    let folder = task();
    for option in ["--property", "--spec", "--propertyfile", "--property-file", "--prop", "--prp"] {
        let said = epitome(folder.path(), &["check", "t.yml", option, "termination.prp", "--trace", "none"]);
        assert_eq!((said.status, said.stdout.as_str()), (0, "Expected: TRUE: correct\nVerdict: TRUE\n"));
    }
    let said = epitome(folder.path(), &["check", "t.yml", "--property", "unreach-call", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&said.stdout).expect("one object");
    assert_eq!((&json["expected"], &json["judged"]), (&"FALSE".into(), &"correct".into()));
    assert_eq!(json["schema"], "epitome-check/1");
    let trace = json["trace"].as_array().expect("a list");
    assert_eq!(trace[1]["values"]["x"], 7);
    let said = epitome(folder.path(), &["check", "t.yml", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&said.stdout).expect("one object");
    assert_eq!((json["schema"].as_str(), json["results"].as_array().map(Vec::len)), (Some("epitome-task/1"), Some(3)));
}

#[test]
fn old_names_say_what_is_expected() {
    let folder = folder(&[("x_true-unreach-call_false-termination.c", PROGRAM)]);
    let said = epitome(folder.path(), &["check", "x_true-unreach-call_false-termination.c", "--trace", "none"]);
    assert!(said.stdout.contains("Expected: TRUE: wrong\nVerdict: FALSE(unreach-call)\n"), "{}", said.stdout);
}

#[test]
fn bad_tasks_are_bad_input() {
    for (task, message) in [
        ("format_version: '3.0'\ninput_files: p.c\n", "format version 3.0 is not known"),
        ("format_version: '2.0'\n", "not a task definition"),
        ("format_version: '2.0'\ninput_files: [a.c, b.c]\n", "one program is one file"),
        ("format_version: '2.0'\ninput_files: p.c\noptions: {language: Java}\n", "language Java"),
        ("format_version: '2.0'\ninput_files: p.c\nproperties: [{property_file: no.prp}]\n", "cannot read"),
        ("{", "not a task definition"),
    ] {
        let folder = folder(&[("t.yml", task), ("p.c", PROGRAM)]);
        let said = epitome(folder.path(), &["check", "t.yml"]);
        assert_eq!((said.status, said.stdout.as_str()), (2, ""), "{task}");
        assert!(said.stderr.contains(message), "{task}: {}", said.stderr);
    }
}

//! Task definitions: their properties, what they expect, and what is said about it.

use crate::{epitome, folder};

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
            "p.c:5:17: reach_error(); can be reached (in main)",
            "Expected: FALSE: correct",
            "Verdict: FALSE(unreach-call)",
            "Property: termination",
            "Expected: TRUE: correct",
            "Verdict: TRUE",
            "Property: no-overflow",
            "Expected: FALSE: wrong",
            "Verdict: TRUE",
            "All 3 properties:",
            "Verdict: FALSE(unreach-call)",
        ]
    );
    assert!(said.stderr.contains("coverage is not a property of ours"));
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

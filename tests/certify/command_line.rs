//! `check --certificate` and `certify` as scripts see them.

use crate::output::{code, stderr, stdout};
use assert_cmd::Command;
use std::process::Output;
use tempfile::TempDir;

const SAFE: &str = "decl g := 0;\nvoid main() begin while (*) do g := g & *; od assert(!g); L: skip; end";
const FAILS: &str = "decl g := 0;\nvoid main() begin while (*) do g := g | *; od assert(!g); L: skip; end";

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(TempDir::new().unwrap());
        folder.write("safe.bp", SAFE);
        folder.write("fails.bp", FAILS);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.current_dir(self.0.path()).args(["--color", "never"]).args(arguments).output().unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }
}

#[test]
fn written_and_checked() {
    let folder = Folder::new();
    let check = folder.run(&["check", "safe.bp", "--certificate", "c.json"]);
    assert_eq!((code(&check), stdout(&check).as_str()), (0, "Verdict: TRUE\n"));
    assert!(stderr(&check).contains("c.json has"), "{}", stderr(&check));
    let valid = folder.run(&["certify", "safe.bp", "c.json"]);
    assert_eq!((code(&valid), stdout(&valid).as_str()), (0, "Certificate: VALID\n"));
    assert_eq!(stderr(&valid), "");
    let invalid = folder.run(&["certify", "fails.bp", "c.json"]);
    let told = stdout(&invalid);
    assert_eq!(code(&invalid), 10, "{told}");
    assert!(told.lines().last().is_some_and(|last| last.starts_with("Certificate: INVALID(claim ")), "{told}");
    assert!(told.contains("of main does not follow: entered"), "{told}");
    assert_eq!(stdout(&folder.run(&["certify", "fails.bp", "c.json", "-q"])).lines().count(), 1);
    let same = folder.run(&["certify", "safe.bp", "c.json", "--sat-solver", "cadical"]);
    assert!(code(&same) == 0 && stderr(&same).starts_with("warning: cadical found"), "{}", stderr(&same));
    let stats = folder.run(&["certify", "safe.bp", "c.json", "--stats"]);
    assert!(stderr(&stats).contains("clauses") && stdout(&stats) == "Certificate: VALID\n");
    let late = folder.run(&["certify", "safe.bp", "c.json", "--timeout", "0s"]);
    assert_eq!((code(&late), stdout(&late).as_str()), (3, "Certificate: UNKNOWN(timeout)\n"));
    // The same again is the same text.
    folder.run(&["check", "safe.bp", "--certificate", "again.json", "--engine", "sat"]);
    let text = |name: &str| std::fs::read_to_string(folder.0.path().join(name)).unwrap();
    assert_eq!(text("c.json"), text("again.json"));
}

#[test]
fn json() {
    let folder = Folder::new();
    folder.run(&["check", "safe.bp", "--certificate", "c.json", "--sat-solver", "varisat", "-q"]);
    for (file, result, status) in [("safe.bp", "VALID", 0), ("fails.bp", "INVALID", 10)] {
        let output = folder.run(&["certify", file, "c.json", "--json"]);
        assert_eq!(code(&output), status);
        let object: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        let expected = [
            ("schema", "epitome-certify/1"),
            ("file", file),
            ("certificate", "c.json"),
            ("property", "unreach-call"),
            ("result", result),
            ("solver", "cadical"),
            ("found_by", "varisat"),
        ];
        for (key, value) in expected {
            assert_eq!(object[key], value, "{object:#}");
        }
        assert_eq!(object["reason"].is_null(), result == "VALID");
        assert!(object["statistics"]["claims"].as_u64().is_some_and(|claims| claims > 0), "{object:#}");
    }
}

/// Only TRUE has a certificate, and a file that is there stays as it is.
#[test]
fn no_certificate_without_a_proof() {
    let folder = Folder::new();
    folder.write("old.json", "old");
    for (arguments, status) in [
        (&["check", "fails.bp", "--certificate", "c.json"][..], 10),
        (&["check", "fails.bp", "--certificate", "old.json"][..], 10),
    ] {
        let output = folder.run(arguments);
        assert_eq!(code(&output), status);
        assert!(stderr(&output).contains("is not written: only TRUE has a certificate"), "{}", stderr(&output));
    }
    let quiet = folder.run(&["check", "fails.bp", "--certificate", "c.json", "-q"]);
    assert_eq!((code(&quiet), stderr(&quiet).as_str()), (10, ""));
    assert!(!folder.has("c.json"));
    assert_eq!(std::fs::read_to_string(folder.0.path().join("old.json")).unwrap(), "old");
}

#[test]
fn properties_must_match() {
    let folder = Folder::new();
    folder.run(&["check", "safe.bp", "--certificate", "safe.json"]);
    let label = "void main() begin goto M; L: skip; M: skip; end";
    folder.write("label.bp", label);
    assert_eq!(code(&folder.run(&["check", "label.bp", "--label", "L", "--certificate", "c.json"])), 0);
    assert_eq!(code(&folder.run(&["certify", "label.bp", "c.json", "--label", "L"])), 0);
    // Whoever wrote the certificate does not choose the question.
    let unasked = folder.run(&["certify", "label.bp", "c.json"]);
    assert!(code(&unasked) == 2 && stderr(&unasked).ends_with("say --label L\n"), "{}", stderr(&unasked));
    let other = folder.run(&["certify", "label.bp", "c.json", "--label", "M"]);
    let message = "the certificate is about \"unreach-label(L)\", the question about unreach-label(M)";
    assert!(code(&other) == 2 && stderr(&other).contains(message), "{}", stderr(&other));
    for (property, advice) in [
        ("unreach-label(p.{a b})", "say --label 'p.{a b}'"),
        ("unreach-call(f)", "say --property 'G ! call(f())'"),
        ("unreach-label($(x))", "repeat the --label or --property of the check that wrote it"),
    ] {
        let text = std::fs::read_to_string(folder.0.path().join("c.json")).unwrap();
        folder.write("other.json", &text.replace("unreach-label(L)", property));
        let other = folder.run(&["certify", "label.bp", "other.json"]);
        assert!(code(&other) == 2 && stderr(&other).trim_end().ends_with(advice), "{}", stderr(&other));
    }
    let label = folder.run(&["certify", "safe.bp", "safe.json", "--label", "L"]);
    let advice = "give no --label and no --property\n";
    assert!(code(&label) == 2 && stderr(&label).ends_with(advice), "{}", stderr(&label));
    // A label that is reached.
    let text = std::fs::read_to_string(folder.0.path().join("c.json")).unwrap();
    folder.write("forged.json", &text.replace("unreach-label(L)", "unreach-label(M)"));
    assert_eq!(code(&folder.run(&["certify", "label.bp", "forged.json", "--label", "M"])), 10);
    folder.write("forged.json", &text.replace("unreach-label(L)", "unreach-label(nothing)"));
    assert_eq!(code(&folder.run(&["certify", "label.bp", "forged.json"])), 2);
    assert_eq!(code(&folder.run(&["certify", "label.bp", "forged.json", "--label", "nothing"])), 2);
}

#[test]
fn bad_usage() {
    let folder = Folder::new();
    folder.run(&["check", "safe.bp", "--certificate", "c.json"]);
    folder.write("text.json", "text");
    let cases: &[(&[&str], &str)] = &[
        (&["check", "safe.bp", "--certificate", "d.json", "--engine", "bdd"], "`sat` does"),
        (&["check", "safe.bp", "--certificate", "d.json", "--engine", "expand"], "`sat` does"),
        (&["check", "safe.bp", "--certificate", "d.json", "--expand", "forward"], "option of engine `expand`"),
        (&["check", "safe.bp", "--certificate", "d.json", "--reduce", "compact"], "--reduce may name `mod-ref`"),
        (&["check", "safe.bp", "--certificate", "nowhere/d.json"], "cannot write nowhere/d.json"),
        (&["check", "safe.bp", "--certificate", "."], "it is a folder"),
        (&["check", "safe.bp", "--certificate", "-"], "does not go to standard output"),
        (&["certify", "safe.bp"], "<CERTIFICATE>"),
        (&["certify", "safe.bp", "nowhere.json"], "cannot read nowhere.json"),
        (&["certify", "safe.bp", "text.json"], "text.json: not a certificate"),
        (&["certify", "safe.bp", "c.json", "--label", "N"], "no label `N`"),
    ];
    for (arguments, message) in cases {
        let output = folder.run(arguments);
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
    assert!(!folder.has("d.json"));
    for reduce in [&["--reduce", "mod-ref"], &["--reduce", "none"], &["--no-reduce", "mod-ref"]] {
        let arguments = [&["check", "safe.bp", "--certificate", "e.json"], &reduce[..]].concat();
        assert_eq!(code(&folder.run(&arguments)), 0, "{reduce:?}");
        assert_eq!(code(&folder.run(&["certify", "safe.bp", "e.json"])), 0, "{reduce:?}");
    }
}

/// Every form, solver and set of reductions that `check --certificate` takes, of a program whose procedures have
/// nothing to do with each other's globals.
#[test]
fn all_ways_to_a_certificate() {
    let folder = Folder::new();
    let text = epitome_benchmarks::generate("independent", 2, epitome_benchmarks::Verdict::Safe).unwrap();
    folder.write("pairs.bp", &text);
    let forms = [&[][..], &["--sat", "auto"], &["--sat", "summaries"]];
    let reductions = [
        &[][..],
        &["--reduce", "mod-ref"],
        &["--reduce", "none"],
        &["--no-reduce", "mod-ref"],
        &["--no-reduce", "all"],
    ];
    for (number, (form, reduce)) in forms.iter().flat_map(|form| reductions.map(|reduce| (form, reduce))).enumerate() {
        let solver = ["cadical", "batsat", "varisat"][number % 3];
        let check = ["check", "pairs.bp", "--certificate", "c.json", "--engine", "sat", "--sat-solver", solver, "-q"];
        let arguments = [&check, *form, reduce].concat();
        assert_eq!(code(&folder.run(&arguments)), 0, "{arguments:?}");
        let certified = folder.run(&["certify", "pairs.bp", "c.json"]);
        assert_eq!(stdout(&certified), "Certificate: VALID\n", "{arguments:?}");
    }
}

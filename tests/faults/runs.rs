//! The file of an experiment's runs is not lost: to another experiment, to the same one again, or to a page.

use crate::output::stderr;
use crate::{Lab, check_order};
use std::fs;

const FIRST: &str = "epitome bench tn:2..4 --engines expand -q --csv runs.csv";

#[test]
fn runs_are_not_overwritten() {
    let lab = Lab::new();
    let read = |name: &str| fs::read_to_string(lab.path().join(name)).unwrap();
    assert_eq!(check_order(&lab.shell(FIRST), FIRST), 0);
    let runs = read("runs.csv");
    assert_eq!(runs.lines().count(), 1 + 6);
    fs::write(lab.path().join("notes.txt"), "precious\n").unwrap();
    for (command, message) in [
        ("bench tn:2 --engines expand --csv runs.csv", "--resume goes on with the experiment, --force begins anew"),
        ("bench tn:2 --engines bdd --csv runs.csv", "has runs already"),
        ("bench tn:2 --engines expand --csv notes.txt", "has something else"),
        ("bench tn:2 --engines expand --csv notes.txt --resume", "no CSV of this version"),
        ("bench tn:2 --engines expand --html runs.csv", "would overwrite runs"),
        ("bench tn:2 --engines expand --summary runs.csv", "would overwrite runs"),
        ("bench tn:2 --engines expand --jobs-file runs.csv", "would overwrite runs"),
        ("bench tn:2 --engines expand --export .", "there are other files in it"),
        ("bench tn:2 --force", "--csv"),
        ("bench tn:2 --csv runs.csv --force --resume", "cannot be used with"),
    ] {
        let output = lab.shell(&format!("epitome {command}"));
        assert_eq!(check_order(&output, command), 2, "{command}");
        assert!(stderr(&output).contains(message), "{command}: {}", stderr(&output));
        assert_eq!((read("runs.csv"), read("notes.txt").as_str()), (runs.clone(), "precious\n"), "{command}");
    }
    assert_eq!(check_order(&lab.shell(&format!("{FIRST} --resume")), "again"), 0);
    assert_eq!(read("runs.csv"), runs);
    // What was begun and has no runs yet may be begun again; pages may be made again.
    fs::write(lab.path().join("empty.csv"), runs.lines().next().unwrap().to_owned() + "\n").unwrap();
    let page = "epitome bench tn:2 --engines expand -q --csv empty.csv --html page.html";
    assert_eq!(check_order(&lab.shell(page), page), 0);
    assert_eq!(check_order(&lab.shell(&format!("{page} --force")), page), 0);
    assert_eq!(read("empty.csv").lines().count(), 1 + 2);
    for _ in 0..2 {
        let export = "epitome bench tn:2 --export exported";
        assert_eq!(check_order(&lab.shell(export), export), 0);
    }
    let forced = format!("{} --force", FIRST.replace("2..4", "2"));
    assert_eq!(check_order(&lab.shell(&forced), &forced), 0);
    assert_eq!(read("runs.csv").lines().count(), 1 + 2);
}

/// Of two experiments that write one file the second one is refused.
#[test]
fn one_file_has_one_writer() {
    let lab = Lab::new();
    for more in ["", "--force", "--resume"] {
        // The first one is in the middle of its runs until the pipe is opened.
        let lines = format!(
            "epitome bench pipe.rsm tn:2 --engines expand -q --csv runs.csv --timeout 30s --force > first 2>&1 & first=$!
             while ! test -s runs.csv; do sleep 0.02; done
             epitome bench tn:3 --engines expand -q --csv runs.csv {more}; second=$?
             cat machine.rsm > pipe.rsm; wait $first; echo $? >> first; exit $second"
        );
        let machine = "machine M { entry e; node n; e -> n; } init M.e;\n";
        fs::write(lab.path().join("machine.rsm"), machine).unwrap();
        // To know what is expected of a program an experiment reads it first.
        let output =
            lab.shell(&format!("rm -f pipe.rsm runs.csv; mkfifo pipe.rsm; (cat machine.rsm > pipe.rsm) & {lines}"));
        assert_eq!(check_order(&output, more), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("another experiment is writing runs.csv"), "{}", stderr(&output));
        let (first, runs) = ["first", "runs.csv"].map(|name| fs::read_to_string(lab.path().join(name)).unwrap()).into();
        assert!(first.ends_with("\n0\n"), "{first}");
        assert_eq!(runs.lines().count(), 1 + 3, "{runs}");
        assert!(!runs.contains("tn:3"), "{runs}");
    }
}

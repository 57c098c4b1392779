//! Valid C as people write it: none of it is an error, whether it is supported or not.

use crate::{epitome, folder};
use epitome::syntax::{Severity, Source, c};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Each program follows a line that says whether it is supported.
const PROGRAMS: &str = include_str!("valid.txt");

fn programs() -> impl Iterator<Item = (bool, &'static str)> {
    PROGRAMS.split("=== ").skip(1).map(|program| {
        let (word, text) = program.split_once('\n').expect("a line before it");
        (word == "supported", text)
    })
}

/// What gcc says of the program in a folder.
fn gcc(folder: &TempDir) -> std::io::Result<Output> {
    Command::new("gcc").args(["-std=gnu11", "-w", "-fsyntax-only", "a.c"]).current_dir(folder.path()).output()
}

#[test]
fn what_people_write_is_no_error() {
    for (is_supported, text) in programs().filter(|(_, text)| !text.contains('#')) {
        match c::parse(&Source::new("a.c", text), None, c::Settings::default()) {
            Ok(_) => assert!(is_supported, "{text}"),
            Err(errors) => {
                assert!(errors.iter().all(|error| error.severity == Severity::Unsupported), "{errors:?}\n{text}");
                assert!(!is_supported, "{errors:?}\n{text}");
            }
        }
    }
}

/// The headers are those of the machine, and so is what is made of them: but if they are there it is no error.
#[test]
fn headers_are_no_error() {
    let mut seen = 0;
    for (_, text) in programs().filter(|(_, text)| text.contains('#')) {
        let folder = folder(&[("a.c", text)]);
        let is_valid = gcc(&folder).is_ok_and(|output| output.status.success());
        for model in ["--64", "--32"].iter().filter(|_| is_valid) {
            let said = epitome(folder.path(), &["check", "a.c", "--trace", "none", "--timeout", "20s", model]);
            assert!(matches!(said.status, 0 | 3), "{model}: {}\n{text}", said.stderr);
            seen += 1;
        }
    }
    // Without gcc nothing is known to be C.
    assert!(seen > 20 || gcc(&folder(&[])).is_err(), "only {seen}");
}

#[test]
fn all_of_it_is_c() {
    for (_, text) in programs().filter(|(_, text)| !text.contains('#')) {
        let folder = folder(&[("a.c", text)]);
        let Ok(output) = gcc(&folder) else {
            eprintln!("skipped: there is no gcc");
            return;
        };
        assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    }
}

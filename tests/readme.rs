//! The README shows what the tool prints, and its commands work.

#[path = "common/console.rs"]
mod console;

use assert_cmd::Command;

#[test]
fn the_first_try_is_real_output() {
    let readme = include_str!("../README.md");
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a text block");
    let mut epitome = Command::new(env!("CARGO_BIN_EXE_epitome"));
    let output = epitome.args(["check", "examples/ball.bp", "--label", "R"]).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), shown);
}

/// Every file the README points to is there.
#[test]
fn links_lead_somewhere() {
    let readme = include_str!("../README.md");
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(std::path::Path::new(link).exists(), "{link}");
    }
    for example in readme.split("examples/").skip(1) {
        let name: String = example.chars().take_while(|c| c.is_alphanumeric() || "._".contains(*c)).collect();
        assert!(name.is_empty() || std::path::Path::new("examples").join(&name).exists(), "{name}");
    }
}

/// The commands of its blocks `sh` work.
#[test]
fn commands_work() {
    let readme = include_str!("../README.md");
    let outcome = console::follow(readme);
    assert!(outcome.report.is_empty() && outcome.text == readme, "{}", outcome.report);
    assert!(outcome.commands >= 25, "only {} commands were found", outcome.commands);
}

//! What is asked for cannot be written: every command, and every option that names a file.

use crate::output::{stderr, stdout};
use crate::{Lab, check_order};

/// Every command at least once.
const COMMANDS: &[&str] = &[
    "check holds.bp",
    "check holds.bp -q",
    "check fails.bp",
    "check fails.bp --json",
    "reach holds.bp",
    "reach holds.bp --json",
    "classify holds.bp",
    "classify holds.bp --json",
    "certify holds.bp proof.json",
    "encode --to bp holds.bp",
    "encode --to cnf holds.bp",
    "encode --to chc holds.bp",
    "graph holds.bp",
    "graph holds.bp --format svg",
    "generate tn 3",
    "generate --list",
    "ltl 'G p'",
    "ltl 'G p' --to hoa",
    "bench holds.bp --engines expand -q",
    "bench holds.bp --engines expand -q --csv -",
    "bench holds.bp -q --jobs-file -",
    "completions bash",
    "man",
    "help",
    "--help",
    "--version",
    "check --help",
];

/// Options that name a file to write, behind all else.
const FILES: &[&str] = &[
    "check holds.bp --certificate",
    "check fails.bp --html",
    "check error.c --witness",
    "check error.c --harness",
    "check drink.rsm --open --ctl 'AG EF tea' --strategy",
    "reach holds.bp --html",
    "encode --to bp holds.bp -o",
    "graph holds.bp -o",
    "bench holds.bp --engines expand -q --csv",
    "bench holds.bp --engines expand -q --html",
    "bench holds.bp --engines expand -q --summary",
    "bench holds.bp --engines expand -q --jobs-file",
];

/// And those that name a folder.
const FOLDERS: &[&str] =
    &["bench holds.bp --engines expand -q --svg", "bench holds.bp --engines expand --export", "man --folder"];

fn lab() -> Lab {
    let lab = Lab::new();
    let error = "void reach_error(void) {}\nint main(void) { reach_error(); return 0; }\n";
    std::fs::write(lab.path().join("error.c"), error).unwrap();
    let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/drink.rsm");
    std::fs::copy(machine, lab.path().join("drink.rsm")).unwrap();
    let proved = lab.shell("epitome check holds.bp -q --certificate proof.json");
    assert!(proved.status.success(), "{}", stderr(&proved));
    lab
}

#[test]
fn all_commands_and_options_are_tried() {
    let lab = lab();
    let text = |command: &str| stdout(&lab.shell(command));
    let help = text("epitome --help");
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let begins = |list: &[&str], begin: &str| list.iter().any(|line| line.split(' ').next() == Some(begin));
    for line in commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let command = line.split_whitespace().next().unwrap();
        assert!(begins(COMMANDS, command), "{command} is not tried");
        // What an option writes has a name for it: FILE, FILE.html, FOLDER, CERT.
        for option in text(&format!("epitome {command} --help")).lines().map(str::trim) {
            let Some((names, _)) = option.split_once('>') else { continue };
            let Some((name, value)) = names.split_once('<') else { continue };
            let name = name.trim().rsplit(' ').next().unwrap();
            let is_written = ["FILE", "FOLDER", "CERT"].iter().any(|kind| value.starts_with(kind))
                && name.starts_with('-')
                && name != "--automaton";
            let short = format!(" {}", if name == "--output" { "-o" } else { name });
            let is_tried = |line: &&&str| line.starts_with(command) && line.ends_with(&short);
            assert!(
                !is_written || FILES.iter().chain(FOLDERS).any(|line| is_tried(&line)),
                "{command} {name} is not tried"
            );
        }
    }
}

#[test]
fn a_full_disk_is_told() {
    let lab = lab();
    for command in COMMANDS {
        let output = lab.shell(&format!("epitome {command} > /dev/full"));
        // The lines of an experiment may go to any file.
        let status = if command.contains("--csv") { 2 } else { 1 };
        assert_eq!(check_order(&output, command), status, "{command}");
        assert!(stderr(&output).contains("cannot write to standard output: No space left"), "{command}");
    }
    for command in FILES {
        let output = lab.shell(&format!("epitome {command} /dev/full"));
        assert_eq!(check_order(&output, command), 2, "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains("No space left"), "{command}: {}", stderr(&output));
    }
    for command in FOLDERS {
        let output = lab.shell(&format!("epitome {command} /dev/full/folder"));
        assert_eq!(check_order(&output, command), 2, "{command}: {}", stderr(&output));
    }
    assert!(lab.temporary().is_empty());
}

#[test]
fn files_that_may_not_grow_are_told() {
    let lab = lab();
    for command in FILES.iter().chain(FOLDERS) {
        let output = lab.shell(&format!("ulimit -f 0; epitome {command} written"));
        assert_eq!(check_order(&output, command), 2, "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains("File too large"), "{command}: {}", stderr(&output));
        lab.shell("rm -rf written");
    }
    // A temporary file may not grow either.
    for command in ["check small.c", "check lock.bp --qbf-solver ./solver", "bench tn:3 --engines expand -q"] {
        let output = lab.shell(&format!("ulimit -f 0; epitome {command}"));
        assert_eq!(check_order(&output, command), 3, "{command}: {}", stderr(&output));
    }
    assert!(lab.temporary().is_empty());
}

/// Who closes a stream does not want to know: the status still tells.
#[test]
fn closed_streams_change_no_verdict() {
    let lab = lab();
    for command in COMMANDS {
        let usual = lab.shell(&format!("epitome {command}"));
        for closed in [">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-"] {
            let output = lab.shell(&format!("epitome {command} {closed}"));
            assert_eq!(output.status.code(), usual.status.code(), "{command} {closed}: {}", stderr(&output));
        }
    }
}

/// A program that comes from standard input is a file as well, if a shell opened it.
#[test]
fn standard_input_is_not_overwritten() {
    let lab = Lab::new();
    for command in [
        "encode - --language bp --to cnf -o holds.bp < holds.bp",
        "graph - --language bp -o holds.bp < holds.bp",
        "check - --language bp --engine sat --certificate holds.bp < holds.bp",
        "check - --language c --witness small.c < small.c",
    ] {
        let file = command.rsplit(' ').next().expect("a name");
        let before = std::fs::read(lab.path().join(file)).unwrap();
        let output = lab.shell(&format!("epitome {command}"));
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert_eq!(std::fs::read(lab.path().join(file)).unwrap(), before, "{command}");
    }
}

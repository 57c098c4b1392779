//! Faults of the system, one call after the other: disks that are full, files that may not grow, no file
//! descriptors, no threads, no processes, no temporary folder, files that cannot be read; and ends of all
//! kinds while other programs run for us. Never a panic, never a verdict that is not so, always a message,
//! and nothing left behind.
//!
//! Faults are set up by the shell (`ulimit`, redirections); what needs more than that is skipped with a notice where it
//! is not there.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "tests tell what they skip")]

#[path = "../common/output.rs"]
#[allow(dead_code)]
mod output;

mod ends;
mod resources;
mod runs;
mod writing;

use assert_cmd::Command;
use output::{stderr, stdout};
use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::Duration;
use tempfile::TempDir;

/// A folder with programs, and a folder for the temporary files of those who work there.
struct Lab {
    folder: TempDir,
}

/// Which processes belong to a lab: they and all they start have its folder in this variable.
const MARK: &str = "EPITOME_LAB";

const HOLDS: &str = "decl g;\nvoid main() begin g := 0; L: assert(!g); end\n";
const FAILS: &str = "decl g;\nvoid main() begin assert(g); end\n";
const SMALL: &str = "#define X 1\nint main(void) { int x = X; x++; return x; }\n";
const ASLEEP: &str = "#include \"pipe.h\"\nint main(void) { return 0; }\n";

impl Lab {
    fn new() -> Lab {
        let lab = Lab { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(lab.path().join("tmp")).unwrap();
        let lines = (1..=40).map(|n| format!("#define A{n} A{} A{}\n", n - 1, n - 1)).collect::<String>();
        let busy = format!("#define A0 x++;\n{lines}int x; int main(void) {{ A40 return 0; }}\n");
        for (name, text) in [
            ("holds.bp", HOLDS),
            ("fails.bp", FAILS),
            ("small.c", SMALL),
            ("asleep.c", ASLEEP),
            ("busy.c", &busy),
            // It starts another program, and leaves a file behind.
            ("solver", "#!/bin/sh\nmktemp > /dev/null\nsleep 300 &\nwait\n"),
        ] {
            fs::write(lab.path().join(name), text).unwrap();
        }
        // A question that is not answered before a solver is asked.
        let lines = "epitome generate lock 2 > lock.bp && chmod +x solver && mkfifo pipe.h pipe.bp && chmod 777 . tmp";
        let made = lab.shell(lines);
        assert!(made.status.success(), "{}", stderr(&made));
        lab
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Lines for the shell, in which `epitome` stands for the tool.
    fn script(&self, lines: &str) -> Command {
        let mut command = Command::new("sh");
        let tool = format!("epitome() {{ \"{}\" \"$@\"; }}\n{lines}", env!("CARGO_BIN_EXE_epitome"));
        command.args(["-c", &tool]).current_dir(self.path()).timeout(Duration::from_secs(60));
        command.env("TMPDIR", self.path().join("tmp")).env(MARK, self.path());
        command
    }

    fn shell(&self, lines: &str) -> Output {
        self.script(lines).output().unwrap()
    }

    /// Temporary files.
    fn temporary(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path().join("tmp")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    /// Processes of this lab that are alive: their numbers, and what they run.
    fn processes(&self) -> Vec<(u32, String)> {
        let mark = format!("{MARK}={}\0", self.path().display());
        let numbers = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let is_here = |number: &u32| {
            let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&mark)
        };
        let named = |number| Some((number, fs::read_to_string(format!("/proc/{number}/comm")).ok()?.trim().to_owned()));
        numbers.filter(is_here).filter_map(named).collect()
    }
}

/// The end is in order: no panic, no signal, and a message if there is no answer.
fn check_order(output: &Output, context: &str) -> i32 {
    let (out, err) = (stdout(output), stderr(output));
    let code = output.status.code().unwrap_or_else(|| panic!("{context}: {}\n{out}\n{err}", output.status));
    assert!([0, 1, 2, 3, 10].contains(&code), "{context}: status {code}\n{out}\n{err}");
    assert!(!err.contains("panicked"), "{context}: {err}");
    let is_told = err.contains("error: ") || out.contains("UNKNOWN(") || out.contains("(stopped: ");
    assert!([0, 10].contains(&code) || is_told, "{context}: no message");
    code
}

/// Whether a command is installed.
fn is_installed(command: &str) -> bool {
    let is_there = std::process::Command::new(command).arg("--version").output().is_ok();
    if !is_there {
        eprintln!("skipped: {command} is not installed");
    }
    is_there
}

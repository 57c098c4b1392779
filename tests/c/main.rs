//! C programs: what they compute, against gcc; what is said about them; what others can do with it.
#![allow(clippy::print_stderr, reason = "tests tell what they skip")]

mod benchexec;
#[path = "../common/mod.rs"]
mod common;
mod edges;
mod execute;
mod generate;
mod hostile;
mod labels;
mod library;
mod programs;
mod random;
mod real;
mod tasks;
mod valid;
mod witness;

use assert_cmd::Command;
use std::path::Path;

/// What the tool said.
struct Said {
    status: i32,
    stdout: String,
    stderr: String,
}

impl Said {
    fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or("")
    }
}

/// Runs the tool in a folder.
fn epitome(folder: &Path, arguments: &[&str]) -> Said {
    let mut command = Command::cargo_bin("epitome").expect("is built");
    let output = command.current_dir(folder).args(arguments).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Said { status: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("can write");
    }
    folder
}

/// The last line that `check` prints about a program.
fn verdict(text: &str, options: &[&str]) -> String {
    let folder = folder(&[("a.c", text)]);
    epitome(folder.path(), &[&["check", "a.c", "--trace", "none", "--timeout", "60s"], options].concat())
        .last_line()
        .to_owned()
}

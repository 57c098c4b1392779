//! Real tasks by others, where `EPITOME_BENCH` says they are: no verdict is wrong. The easy ones of each folder, with
//! little time each; `scripts/svcomp` runs all of them.

use crate::epitome;
use std::path::{Path, PathBuf};

/// Folders, and every how many-th task of each is taken.
const FOLDERS: [(&str, usize); 3] = [("c/recursive-simple", 3), ("c/loop-simple", 1), ("c/xcsp", 9)];

/// An expectation that is mistaken: the forty-seventh Fibonacci number does not fit into an `int`.
const MISTAKEN: [(&str, &str); 1] = [("Fibonacci05.yml", "no-overflow")];

#[test]
fn tasks_of_others_get_no_wrong_verdict() {
    let Some(bench) = std::env::var_os("EPITOME_BENCH").map(PathBuf::from) else {
        eprintln!("EPITOME_BENCH is not set: no tasks of others are tested");
        return;
    };
    let mut correct = 0;
    for (folder, every) in FOLDERS {
        let Ok(entries) = std::fs::read_dir(bench.join(folder)) else { continue };
        let mut tasks: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        tasks.retain(|path| path.extension().is_some_and(|extension| extension == "yml"));
        tasks.sort();
        for task in tasks.iter().step_by(every) {
            correct += judge(task);
        }
    }
    assert!(correct > 20, "only {correct} correct verdicts");
}

/// Correct verdicts about a task; a wrong one is the end.
fn judge(task: &Path) -> usize {
    let name = task.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = task.to_string_lossy();
    let said = epitome(Path::new("."), &["check", &path, "--timeout", "5s", "--trace", "none", "-q"]);
    let mut property = String::new();
    let mut correct = 0;
    for line in said.stdout.lines() {
        if let Some(next) = line.strip_prefix("Property: ") {
            property = next.to_owned();
        }
        if line.starts_with("Expected: ") {
            assert!(!line.ends_with("wrong") || MISTAKEN.contains(&(&name, &property)), "{path} {property}: {line}");
            correct += usize::from(line.ends_with("correct"));
        }
    }
    correct
}

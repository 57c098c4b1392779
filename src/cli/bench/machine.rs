//! On what an experiment runs, and with which limits: what a reader of its numbers must know.

use super::COMMIT;
use std::io::{self, Write};

/// A few lines about tool, machine and limits.
pub(super) fn write(out: &mut dyn Write, limits: &[String; 2], runs: usize) -> io::Result<()> {
    let [timeout, memory] = limits;
    lines(&format!("runs: {runs}, each of at most {timeout} and {memory}"))
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"))
}

/// The same, for runs of which this is said.
pub(super) fn lines(runs: &str) -> [String; 3] {
    let commit = if COMMIT.is_empty() { String::new() } else { format!(" ({COMMIT})") };
    let build = if cfg!(debug_assertions) { ", built without optimisation: its times say little" } else { "" };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (model, installed) = (value("/proc/cpuinfo", "model name"), value("/proc/meminfo", "MemTotal"));
    let parts = [
        Some(format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        Some(format!("processors: {processors}")),
        model,
        installed.map(|installed| format!("memory: {installed}")),
    ];
    [
        format!("epitome {}{commit}{build}", env!("CARGO_PKG_VERSION")),
        parts.into_iter().flatten().collect::<Vec<_>>().join(", "),
        runs.to_owned(),
    ]
}

/// The value of the first line `name : value` of a file, where there is one (Linux).
fn value(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

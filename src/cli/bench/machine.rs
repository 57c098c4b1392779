//! On what an experiment runs, and with which limits: what a reader of its numbers must know.

use super::{Arguments, COMMIT};
use std::io::{self, Write};

/// A few lines about tool, machine and limits.
pub(super) fn write(out: &mut dyn Write, arguments: &Arguments, runs: usize) -> io::Result<()> {
    let commit = if COMMIT.is_empty() { String::new() } else { format!(" ({COMMIT})") };
    let build = if cfg!(debug_assertions) { ", built without optimisation: its times say little" } else { "" };
    writeln!(out, "epitome {}{commit}{build}", env!("CARGO_PKG_VERSION"))?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (model, memory) = (value("/proc/cpuinfo", "model name"), value("/proc/meminfo", "MemTotal"));
    let parts = [
        Some(format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        Some(format!("processors: {processors}")),
        model,
        memory.map(|memory| format!("memory: {memory}")),
    ];
    writeln!(out, "{}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))?;
    writeln!(out, "runs: {runs}, each of at most {} and {}", arguments.timeout, arguments.memory)
}

/// The value of the first line `name : value` of a file, where there is one (Linux).
fn value(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

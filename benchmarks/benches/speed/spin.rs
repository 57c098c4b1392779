//! Runs SPIN on a Promela program, if it is installed.

use std::path::Path;
use std::process::{Command, Output};

/// What SPIN reports.
pub struct Measured {
    pub states: u64,
    pub seconds: f64,
}

impl Measured {
    pub fn rate(&self) -> f64 {
        self.states as f64 / self.seconds
    }
}

/// States stored and elapsed time of the fastest of three exhaustive searches.
pub fn measure(promela: &str) -> Result<Measured, String> {
    let folder = std::env::temp_dir().join(format!("epitome-spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let result = measure_in(&folder, promela);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn measure_in(folder: &Path, promela: &str) -> Result<Measured, String> {
    std::fs::write(folder.join("p.pml"), promela).map_err(|error| error.to_string())?;
    run(folder, "spin", &["-a", "p.pml"])?;
    run(folder, "cc", &["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000", "-o", "pan", "pan.c"])?;
    let mut best: Option<Measured> = None;
    for _ in 0..3 {
        // The depth bound is what its stack needs here, the table is large enough for all states.
        let output = run(folder, "./pan", &["-m400000", "-w22"])?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let seconds = number_after(&text, "elapsed time ").ok_or("no elapsed time in SPIN's output")?;
        let states = number_before(&text, " states, stored").ok_or("no states in SPIN's output")?;
        let measured = Measured { states: states as u64, seconds: seconds.max(0.01) };
        if best.as_ref().is_none_or(|best| measured.seconds < best.seconds) {
            best = Some(measured);
        }
    }
    best.ok_or_else(|| "no run".to_owned())
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<Output, String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|_| format!("not installed: {program}"))?;
    if output.status.success() { Ok(output) } else { Err(format!("{program} failed")) }
}

fn number_after(text: &str, before: &str) -> Option<f64> {
    let rest = &text[text.find(before)? + before.len()..];
    rest.split_whitespace().next()?.parse().ok()
}

fn number_before(text: &str, after: &str) -> Option<f64> {
    let rest = &text[..text.find(after)?];
    rest.split_whitespace().next_back()?.parse().ok()
}

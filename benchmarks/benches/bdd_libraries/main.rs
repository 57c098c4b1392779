//! BDD libraries on the work that the BDD engine gives them: the measurement behind the choice in
//! `src/engine/tabulate/bdd.rs`.
//!
//! `cargo bench -p epitome-benchmarks --bench bdd_libraries` runs it. A cell is the best of several runs,
//! each in a store of its own with nothing cached, and its ratio to the first column. The libraries must
//! make the same number of rounds and end with sets of the same size, or they did different work.

mod libraries;
mod workloads;

use libraries::{Biodivine, Library, complemented, plain};
use workloads::{WORKLOADS, Workload};

/// So many runs, of which the best counts.
const RUNS: usize = 15;

/// What a run gave.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Outcome {
    rounds: u64,
    /// Elements of the sets that it ended with.
    count: f64,
}

/// The seconds of the fastest run, and what all runs gave.
fn measure<L: Library>(workload: &Workload, new: impl Fn(usize) -> L) -> (f64, Outcome) {
    let runs: Vec<(f64, Outcome)> = (0..RUNS).map(|_| workload.run(&new(workload.variables()))).collect();
    let seconds = runs.iter().map(|(seconds, _)| *seconds).fold(f64::INFINITY, f64::min);
    assert!(runs.iter().all(|(_, outcome)| *outcome == runs[0].1), "{}: {runs:?}", workload.name());
    (seconds, runs[0].1)
}

#[allow(clippy::print_stdout)]
fn main() {
    let names = ["OxiDD plain", "OxiDD complement", "biodivine"].map(|name| format!("{name:>23}"));
    println!("{:<34} {:>7} {}", "microseconds a round (and ratio)", "rounds", names.concat());
    for workload in &WORKLOADS {
        let results = [measure(workload, plain), measure(workload, complemented), measure(workload, Biodivine::new)];
        let (first, expected) = results[0];
        for (_, outcome) in results {
            assert_eq!(outcome, expected, "{}: the libraries do not do the same", workload.name());
        }
        let cell =
            |(seconds, _)| format!("{:>15.3} ({:>5.2})", 1e6 * seconds / expected.rounds as f64, seconds / first);
        println!("{:<34} {:>7} {}", workload.name(), expected.rounds, results.map(cell).concat());
    }
}

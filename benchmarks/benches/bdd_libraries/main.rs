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

/// So many runs of each library, of which the best counts.
const RUNS: usize = 30;

/// What a run gave.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Outcome {
    rounds: u64,
    /// Elements of the sets that it ended with.
    count: f64,
}

/// The seconds of one run, and what it gave.
fn once<L: Library>(workload: &Workload, new: fn(usize) -> L) -> (f64, Outcome) {
    workload.run(&new(workload.variables()))
}

#[allow(clippy::print_stdout)]
fn main() {
    let names = ["OxiDD plain", "OxiDD complement", "biodivine"].map(|name| format!("{name:>23}"));
    println!("{:<34} {:>7} {}", "microseconds a round (and ratio)", "rounds", names.concat());
    for workload in &WORKLOADS {
        // In turn, so that what else the machine does falls on all alike.
        let in_turn = || [once(workload, plain), once(workload, complemented), once(workload, Biodivine::new)];
        let runs: Vec<_> = (0..RUNS).map(|_| in_turn()).collect();
        let expected = runs[0][0].1;
        for (_, outcome) in runs.iter().flatten() {
            assert_eq!(*outcome, expected, "{}: the libraries do not do the same", workload.name());
        }
        let best = [0, 1, 2].map(|library| runs.iter().map(|run| run[library].0).fold(f64::INFINITY, f64::min));
        let microseconds = |seconds: f64| 1e6 * seconds / expected.rounds as f64;
        let cells = best.map(|seconds| format!("{:>15.3} ({:>5.2})", microseconds(seconds), seconds / best[0]));
        println!("{:<34} {:>7} {}", workload.name(), expected.rounds, cells.concat());
    }
}

//! How fast the explicit engine explores: path edges per second, and SPIN's states per second on the
//! same finite-state program where SPIN and a C compiler are installed.
//!
//! `cargo bench -p epitome-benchmarks --bench speed` runs it. A row gives the best of three runs. The finite-state
//! programs are written twice, as a machine and in Promela, with one state for each valuation and one
//! transition for each command, so that both tools store the same states.

mod programs;
mod spin;

use epitome::engine::Statistics;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine};
use epitome_benchmarks::{Verdict, generate};

/// The statistics of the fastest of three checks.
fn measure(text: &str, language: Language) -> Statistics {
    let source = Source::new("program", text);
    let (program, _) = Program::parse(&source, language).expect("the generated program parses");
    let checker = Checker::new(&program);
    let check = |_| {
        let report = checker.check(&Query::Failures, Engine::Auto, &Limits::none(), &mut |_| ());
        report.expect("the run replays").statistics
    };
    (0..3).map(check).min_by_key(|statistics| statistics.search_time).expect("three runs")
}

fn rate(statistics: &Statistics) -> f64 {
    statistics.path_edges as f64 / statistics.search_time.as_secs_f64()
}

#[allow(clippy::print_stdout)]
fn main() {
    println!("{:<14} {:<14} {:>12} {:>9} {:>14}", "program", "algorithm", "path edges", "seconds", "path edges/s");
    for (family, n) in [("tn", 20_000), ("xn", 20_000), ("en", 20_000), ("ln", 18), ("rn", 14)] {
        let text = generate(family, n, Verdict::Safe).expect("a family");
        row(&format!("{family}({n})"), &measure(&text, Language::Bp));
    }
    for program in programs::finite_state() {
        let ours = measure(&program.machine, Language::Rsm);
        row(&program.name, &ours);
        match spin::measure(&program.promela) {
            Ok(spin) => {
                println!("{:<14} {:<14} {:>12} {:>9.3} {:>14.0}", "", "SPIN", spin.states, spin.seconds, spin.rate());
                assert_eq!(spin.states, ours.path_edges, "the two programs are not the same");
                println!("{:<14} {:<14} {:>37.2}", "", "ours / SPIN", rate(&ours) / spin.rate());
            }
            Err(reason) => println!("{:<14} {:<14} {reason}", "", "SPIN"),
        }
    }
}

#[allow(clippy::print_stdout)]
fn row(name: &str, statistics: &Statistics) {
    let (algorithm, edges, seconds) =
        (statistics.algorithm, statistics.path_edges, statistics.search_time.as_secs_f64());
    println!("{name:<14} {algorithm:<14} {edges:>12} {seconds:>9.3} {:>14.0}", rate(statistics));
}

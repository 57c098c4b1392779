//! The QBF solver by itself: processor time to decide a formula, a QDIMACS file or the encoding of a program.
//!
//! `cargo run --release -p epitome-benchmarks --example qbf -- SECONDS FILE…` prints a line for each file: the
//! answer (`true`, `false`, `unknown`), the seconds of the solver alone, variables, alternations, and calls of SAT
//! solvers. `scripts/qbf` compares them with those of DepQBF.

use epitome::Checker;
use epitome::engine::quantify::Encoding;
use epitome::limits::{Limits, cpu_time};
use epitome::logic::Query;
use epitome::solver::qbf;
use epitome::syntax::{Language, Program, Source};
use epitome_encodings::{Qbf, qdimacs};
use std::error::Error;
use std::io::Write;
use std::time::Duration;

fn formula(file: &str) -> Result<Qbf, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    if file.ends_with(".qdimacs") {
        return Ok(qdimacs::read(text.as_bytes())?.to_qbf());
    }
    let source = Source::new(file, text);
    let (program, _) = Program::parse(&source, Language::Bp).map_err(|errors| errors[0].render(&source))?;
    Ok(Checker::new(&program).quantified(&Query::Failures, Encoding::Modular)?.qbf)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().ok_or("a time limit is missing")?.parse()?;
    for file in arguments {
        let formula = formula(&file)?;
        let start = cpu_time().unwrap_or_default();
        let answer = qbf::solve(&formula, &Limits::none().with_timeout(Duration::from_secs_f64(seconds)));
        let time = cpu_time().unwrap_or_default().saturating_sub(start).as_secs_f64();
        let (answer, queries) = match answer {
            Ok(answer) => (answer.is_true.to_string(), answer.queries),
            Err(_) => ("unknown".to_owned(), 0),
        };
        let (variables, alternations) = (formula.variables(), formula.alternations());
        writeln!(std::io::stdout(), "{answer} {time:.6} {variables} {alternations} {queries}")?;
    }
    Ok(())
}

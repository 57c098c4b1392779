//! Certificates of TRUE: those that are written are valid, whatever solver checks them; those that are not
//! true are rejected; and none makes a program safe that is not.

mod command_line;
#[path = "../common/mod.rs"]
mod common;
mod corrupted;
mod forged;
#[path = "../common/output.rs"]
mod output;
mod text;
mod truth;
mod valid;

use epitome::certify::{Certificate, Finding, read, write};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::Proof;
use epitome::reduce::{Reduction, Reductions};
use epitome::solver::SolverName;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine, Verdict};

/// The program, unless it does not parse.
fn parsed(text: &str, language: Language) -> Option<Program> {
    Program::parse(&Source::new("program", text), language).ok().map(|(program, _)| program)
}

/// The program, which parses.
fn program(text: &str, language: Language) -> Program {
    parsed(text, language).unwrap_or_else(|| panic!("does not parse:\n{text}"))
}

/// A set of reductions for each number: any 64 numbers in a row give all of them, any two `mod-ref` and not.
fn reductions(number: u64) -> Reductions {
    let chosen = Reduction::ALL.into_iter().rev().enumerate().filter(|(bit, _)| number >> bit & 1 == 1);
    chosen.fold(Reductions::none(), |set, (_, reduction)| set.with(reduction))
}

/// The proof of a property, if it holds.
fn prove(checker: &Checker<'_>, query: &Query, solver: SolverName) -> Option<Proof> {
    let report = checker.check(query, Engine::Prove(solver), &Limits::none(), &mut |_| ());
    let report = report.unwrap_or_else(|error| panic!("{query}: {error}"));
    assert_eq!(report.proof.is_some(), report.verdict == Verdict::Holds, "{query}");
    report.proof
}

/// The property holds, by another engine.
fn holds(checker: &Checker<'_>, query: &Query) -> bool {
    let report = checker.check(query, Engine::Auto, &Limits::none(), &mut |_| ());
    report.unwrap_or_else(|error| panic!("{query}: {error}")).verdict == Verdict::Holds
}

/// What a check of a proof finds.
fn finding(checker: &Checker<'_>, query: &Query, proof: &Proof, solver: SolverName) -> Finding {
    checker.certify(query, proof, solver, &Limits::none()).finding
}

/// The text of a certificate.
fn written(checker: &Checker<'_>, text: &str, query: &Query, proof: &Proof) -> String {
    let certificate = Certificate {
        file: "program".to_owned(),
        property: query.to_string(),
        solver: SolverName::Batsat.name().to_owned(),
        proof: proof.clone(),
    };
    let written = write(&certificate, checker.ersm(), &Source::new("program", text));
    assert_eq!(read(&written, checker.ersm()), Ok(certificate), "{written}");
    written
}

//! `epitome encode` and `epitome graph`: a program in another form.

use super::asked::Asked;
use super::input::Input;
use super::quantified::{self, Format};
use super::{BadInput, Status, cnf};
use crate::model::{build, export};
use crate::syntax::{Place, Program, Source, bp, rsm};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The form
    #[arg(long, value_enum, value_name = "FORM")]
    to: Form,
    #[command(flatten)]
    asked: Asked,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
pub(super) struct GraphArguments {
    #[command(flatten)]
    input: Input,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Form {
    /// Boolean program
    Bp,
    /// Machines
    Rsm,
    /// Graphviz
    Dot,
    /// The question of `check` as one formula (DIMACS): satisfiable where it answers FALSE
    Cnf,
    /// The question of `check` as a quantified formula (QDIMACS): true where it answers FALSE
    Qdimacs,
    /// The same as a circuit (QCIR)
    Qcir,
    /// The question of `check` as Horn clauses (SMT-LIB): unsat where it answers FALSE
    Chc,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let asked = &arguments.asked;
    if let Some(option) = asked.given().filter(|_| matches!(arguments.to, Form::Bp | Form::Rsm | Form::Dot)) {
        let advice = "it goes with --to cnf, qdimacs, qcir and chc";
        return Err(BadInput(format!("{option} is about a question: {advice}")).into());
    }
    if asked.depth.is_some() && !matches!(arguments.to, Form::Cnf) {
        return Err(BadInput("--depth goes with --to cnf: the other forms are about any depth".to_owned()).into());
    }
    if asked.qbf.is_some() && !matches!(arguments.to, Form::Qdimacs | Form::Qcir) {
        return Err(BadInput("--qbf goes with --to qdimacs and --to qcir".to_owned()).into());
    }
    let Some((source, program)) = arguments.input.read(false)? else { return Ok(Status::BadInput) };
    let text = text(arguments, &source, &program)?;
    match arguments.output.as_ref().filter(|path| *path != Path::new("-")) {
        None => out.write_all(&text)?,
        Some(path) => {
            std::fs::write(path, text).map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())))?
        }
    }
    Ok(Status::True)
}

pub(super) fn graph(arguments: &GraphArguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let Some((source, program)) = arguments.input.read(false)? else { return Ok(Status::BadInput) };
    out.write_all(dot(&source, &program).as_bytes())?;
    Ok(Status::True)
}

fn text(arguments: &Arguments, source: &Source, program: &Program) -> anyhow::Result<Vec<u8>> {
    let too_large = |error: export::TooLarge| BadInput(error.to_string());
    Ok(match (arguments.to, program) {
        (Form::Bp, Program::Bp(program)) => bp::print(program),
        (Form::Rsm, Program::Rsm(machines)) => rsm::print(machines),
        (Form::Bp, _) => bp::print(&export::to_bp(&build(program).0).map_err(too_large)?),
        (Form::Rsm, _) => rsm::print(&export::to_rsm(&build(program).0).map_err(too_large)?),
        (Form::Dot, _) => dot(source, program),
        (Form::Chc, _) => arguments.asked.to_chc(source, program)?,
        (Form::Qdimacs, _) => return quantified::text(source, program, &arguments.asked, Format::Qdimacs),
        (Form::Qcir, _) => return quantified::text(source, program, &arguments.asked, Format::Qcir),
        (Form::Cnf, _) => return cnf::text(source, program, &arguments.asked),
    }
    .into_bytes())
}

/// Nodes of Boolean programs show their statements.
fn dot(source: &Source, program: &Program) -> String {
    let (ersm, map) = build(program);
    export::to_dot(&ersm, &|procedure, node| match map.place(procedure.index(), node.index()) {
        Some(place @ Place::Statement(_)) => {
            source.slice(program.span(procedure.0, place)).lines().next().map(str::to_owned)
        }
        Some(Place::Failed(_)) => Some("assertion fails".to_owned()),
        _ => None,
    })
}

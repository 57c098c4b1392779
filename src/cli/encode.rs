//! `epitome encode` and `epitome graph`: a program in another form.

use super::input::Input;
use super::{BadInput, Status, cnf};
use crate::model::{build, export};
use crate::syntax::{Place, Program, Source, bp, rsm};
use std::fs::File;
use std::io::{BufWriter, Write};

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The form
    #[arg(long, value_enum, value_name = "FORM")]
    to: Form,
    #[command(flatten)]
    question: cnf::Question,
    /// Write to this file rather than to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
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
    /// The question of check as one formula (DIMACS): satisfiable if something can fail
    Cnf,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let Some(name) = arguments.output.as_deref().filter(|name| *name != "-") else {
        return write(&arguments.input, arguments.to, &arguments.question, out);
    };
    let cannot = |error: std::io::Error| BadInput(format!("cannot write {name}: {error}"));
    let mut file = BufWriter::new(File::create(name).map_err(cannot)?);
    let status = write(&arguments.input, arguments.to, &arguments.question, &mut file)?;
    file.flush().map_err(cannot)?;
    Ok(status)
}

pub(super) fn graph(arguments: &GraphArguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    write(&arguments.input, Form::Dot, &cnf::Question::default(), out)
}

fn write(input: &Input, form: Form, question: &cnf::Question, out: &mut dyn Write) -> anyhow::Result<Status> {
    question.goes_with(matches!(form, Form::Cnf))?;
    let Some((source, program)) = input.read(false)? else { return Ok(Status::BadInput) };
    let too_large = |error: export::TooLarge| BadInput(error.to_string());
    let text = match (form, &program) {
        (Form::Bp, Program::Bp(program)) => bp::print(program),
        (Form::Rsm, Program::Rsm(machines)) => rsm::print(machines),
        (Form::Bp, _) => bp::print(&export::to_bp(&build(&program).0).map_err(too_large)?),
        (Form::Rsm, _) => rsm::print(&export::to_rsm(&build(&program).0).map_err(too_large)?),
        (Form::Dot, _) => dot(&source, &program),
        (Form::Cnf, _) => return cnf::write(&source, &program, question, out),
    };
    out.write_all(text.as_bytes())?;
    Ok(Status::True)
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

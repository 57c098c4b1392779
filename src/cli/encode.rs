//! `epitome encode` and `epitome graph`: a program in another form.

use super::input::Input;
use super::{BadInput, Status};
use crate::model::{build, export};
use crate::syntax::{Place, Program, Source, bp, rsm};
use std::io::Write;

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The form
    #[arg(long, value_enum, value_name = "FORM")]
    to: Form,
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
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    write(&arguments.input, arguments.to, out)
}

pub(super) fn graph(arguments: &GraphArguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    write(&arguments.input, Form::Dot, out)
}

fn write(input: &Input, form: Form, out: &mut dyn Write) -> anyhow::Result<Status> {
    let Some((source, program)) = input.read(false)? else { return Ok(Status::BadInput) };
    let too_large = |error: export::TooLarge| BadInput(error.to_string());
    let text = match (form, &program) {
        (Form::Bp, Program::Bp(program)) => bp::print(program),
        (Form::Rsm, Program::Rsm(machines)) => rsm::print(machines),
        (Form::Bp, _) => bp::print(&export::to_bp(&build(&program).0).map_err(too_large)?),
        (Form::Rsm, _) => rsm::print(&export::to_rsm(&build(&program).0).map_err(too_large)?),
        (Form::Dot, _) => dot(&source, &program),
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

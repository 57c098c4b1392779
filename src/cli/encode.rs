//! `epitome encode` and `epitome graph`: a program in another form.

use super::asked::Asked;
use super::input::Input;
use super::options::StopOptions;
use super::quantified::{self, Format};
use super::{BadInput, Status, cnf, files};
use crate::model::export::{self, Drawing};
use crate::model::{ProcId, build};
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
    #[command(flatten)]
    stop: StopOptions,
}

#[derive(clap::Args, Debug)]
pub(super) struct GraphArguments {
    #[command(flatten)]
    input: Input,
    /// Draw which procedure calls which, instead of what is inside of them
    #[arg(long)]
    calls: bool,
    /// How it is written
    #[arg(long, value_enum, default_value = "dot")]
    format: GraphFormat,
    /// Draw this procedure only (may be given several times)
    #[arg(long, value_name = "NAME")]
    procedure: Vec<String>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    stop: StopOptions,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum GraphFormat {
    /// For Graphviz
    Dot,
    /// A picture, drawn without any other program
    Svg,
    /// For viewers of Markdown
    Mermaid,
}

/// More nodes and boxes are not drawn.
const MOST_DRAWN: usize = 20_000;

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
    /// The question of `check` as a C program, for CBMC and verifiers of SV-COMP: an error is called where it answers FALSE
    C,
    /// The question of `check` in Promela, for SPIN: an assertion is violated where it answers FALSE
    Promela,
    /// The question of `check` as a pushdown system, for Moped: YES where it answers FALSE
    Pds,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let asked = &arguments.asked;
    if let Some(option) = asked.given().filter(|_| matches!(arguments.to, Form::Bp | Form::Rsm | Form::Dot)) {
        let advice = "it goes with --to cnf, qdimacs, qcir, chc, c, promela and pds";
        return Err(BadInput(format!("{option} is about a question: {advice}")).into());
    }
    if asked.depth.is_some() && !matches!(arguments.to, Form::Cnf) {
        return Err(BadInput("--depth goes with --to cnf: the other forms are about any depth".to_owned()).into());
    }
    if asked.qbf.is_some() && !matches!(arguments.to, Form::Qdimacs | Form::Qcir) {
        return Err(BadInput("--qbf goes with --to qdimacs and --to qcir".to_owned()).into());
    }
    arguments.input.is_kept(arguments.output.as_deref())?;
    let (limits, watchdog) = arguments.stop.watched()?;
    let Some((source, program)) = arguments.input.read(false, &limits)? else { return Ok(Status::BadInput) };
    files::keep(arguments.output.as_deref())?;
    let text = text(arguments, &source, &program)?;
    watchdog.dismiss();
    write_to(arguments.output.as_deref(), &text, out)
}

pub(super) fn graph(arguments: &GraphArguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    arguments.input.is_kept(arguments.output.as_deref())?;
    let (limits, watchdog) = arguments.stop.watched()?;
    let Some((source, program)) = arguments.input.read(false, &limits)? else { return Ok(Status::BadInput) };
    let mut drawing = drawing(&source, &program);
    let is_wanted = |name: &String| arguments.procedure.is_empty() || arguments.procedure.contains(name);
    if let Some(name) = arguments.procedure.iter().find(|name| drawing.procedures.iter().all(|own| own.name != **name))
    {
        return Err(BadInput(format!("there is no procedure `{name}`")).into());
    }
    drawing.retain(|picture| is_wanted(&picture.name));
    if arguments.calls {
        drawing = calls(&drawing, &source, &program);
    }
    let places: usize = drawing.procedures.iter().map(|picture| picture.nodes.len() + picture.boxes.len()).sum();
    let text = match arguments.format {
        GraphFormat::Dot => export::to_dot(&drawing),
        GraphFormat::Mermaid => export::to_mermaid(&drawing),
        GraphFormat::Svg if places > MOST_DRAWN => {
            let advice = "--procedure NAME draws one procedure";
            return Err(BadInput(format!("{places} places are too many for one picture: {advice}")).into());
        }
        GraphFormat::Svg => export::to_svg(&drawing),
    };
    watchdog.dismiss();
    write_to(arguments.output.as_deref(), text.as_bytes(), out)
}

/// Writes to a file, or to standard output.
pub(super) fn write_to(file: Option<&Path>, text: &[u8], out: &mut dyn Write) -> anyhow::Result<Status> {
    match file.filter(|path| *path != Path::new("-")) {
        None => out.write_all(text)?,
        Some(path) => {
            files::write(path, text).map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())))?
        }
    }
    Ok(Status::True)
}

fn text(arguments: &Arguments, source: &Source, program: &Program) -> anyhow::Result<Vec<u8>> {
    let too_large = |error: export::TooLarge| BadInput(error.to_string());
    Ok(match (arguments.to, program) {
        (Form::Bp, Program::Bp(program)) => bp::print(program),
        (Form::Rsm, Program::Rsm(machines)) => rsm::print(machines),
        (Form::Bp, _) => bp::print(&export::to_bp(&build(program).0).map_err(too_large)?),
        (Form::Rsm, _) => rsm::print(&export::to_rsm(&build(program).0).map_err(too_large)?),
        (Form::Dot, _) => export::to_dot(&drawing(source, program)),
        (Form::Chc, _) => arguments.asked.to_chc(source, program)?,
        (Form::C | Form::Promela | Form::Pds, _) => {
            let (asked, about) = arguments.asked.to_program(source, program)?;
            match arguments.to {
                Form::Promela => export::to_promela(&asked, &about),
                Form::Pds => export::to_pds(&asked, &about),
                _ => export::to_c(&asked, &about),
            }
        }
        (Form::Qdimacs, _) => return quantified::text(source, program, &arguments.asked, Format::Qdimacs),
        (Form::Qcir, _) => return quantified::text(source, program, &arguments.asked, Format::Qcir),
        (Form::Cnf, _) => return cnf::text(source, program, &arguments.asked),
    }
    .into_bytes())
}

/// Nodes of Boolean programs show their statements, and all places say where they stand in the source, as `line:column`.
pub(super) fn drawing(source: &Source, program: &Program) -> Drawing {
    let (ersm, map) = build(program);
    let position = |procedure: ProcId, vertex| {
        let place = map.place_of(procedure.0, vertex)?;
        let position = source.position(program.span(procedure.0, place).start);
        Some(format!("{}:{}", position.line, position.column))
    };
    let drawing = Drawing::new(&ersm, &|procedure, node| match map.place(procedure.index(), node.index()) {
        Some(place @ Place::Statement(_)) => {
            source.slice(program.span(procedure.0, place)).lines().next().map(str::to_owned)
        }
        Some(Place::Failed(_)) => Some("assertion fails".to_owned()),
        _ => None,
    });
    drawing.with_positions(&position)
}

/// Who calls whom in a drawing; procedures stand where their heads do.
pub(super) fn calls(drawing: &Drawing, source: &Source, program: &Program) -> Drawing {
    export::calls(drawing, &|procedure| {
        let position = source.position(program.head(procedure.0).start);
        Some(format!("{}:{}", position.line, position.column))
    })
}

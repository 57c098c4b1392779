//! `epitome generate`: programs of the families, and random ones.

use super::options::StopOptions;
use super::{BadInput, Status, from_formula, satisfiability};
use epitome_benchmarks::{FAMILIES, Shape, Verdict, generate, random_program};
use std::io::{self, Write};

#[derive(clap::Args, Debug)]
#[command(arg_required_else_help = true)]
pub(super) struct Arguments {
    /// The family (see --list), or `random`
    #[arg(required_unless_present = "list")]
    family: Option<String>,
    /// Its parameter; the seed of a random program; the file of a formula; a formula
    #[arg(value_name = "N|FILE|FORMULA", required_unless_present = "list")]
    parameter: Option<String>,
    /// The version in which nothing can fail
    #[arg(long, conflicts_with = "unsafe_")]
    safe: bool,
    /// The version that fails (the default)
    #[arg(long = "unsafe")]
    unsafe_: bool,
    /// The shape of a random program
    #[arg(long, value_enum, default_value = "general")]
    shape: ShapeName,
    /// List the families
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    stop: StopOptions,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum ShapeName {
    General,
    Hierarchical,
    Acyclic,
    Deterministic,
    IoBounded,
    Wide,
    Tiny,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let (Some(family), Some(parameter), false) = (&arguments.family, &arguments.parameter, arguments.list) else {
        list(out)?;
        return Ok(Status::True);
    };
    let (_, watchdog) = arguments.stop.watched()?;
    // A number names a program of a family, anything else a formula to make a program of.
    let is_number = parameter.parse::<u64>().is_ok();
    let text = match family.as_str() {
        "qbf" | "qbf-ctl" | "qbf-exits" | "sat" | "ctlsat" if !is_number && (arguments.safe || arguments.unsafe_) => {
            return Err(BadInput(
                "the verdict of a formula is its own: --safe and --unsafe do not go with it".to_owned(),
            )
            .into());
        }
        "qbf" if !is_number => from_formula::qbf(parameter)?,
        "qbf-ctl" if !is_number => from_formula::qbf_as_ctl(parameter)?,
        "qbf-exits" if !is_number => from_formula::qbf_as_exits(parameter)?,
        "ctlsat" if !is_number => satisfiability::program(parameter)?,
        "sat" => from_formula::sat(parameter)?,
        "random" => random_program(number(parameter)?, &shape(arguments.shape)),
        family => {
            let verdict = if arguments.safe { Verdict::Safe } else { Verdict::Unsafe };
            let n = number(parameter)?;
            let n = u32::try_from(n).map_err(|_| BadInput(format!("the parameter {n} is too large")))?;
            generate(family, n, verdict).map_err(|error| BadInput(error.to_string()))?
        }
    };
    watchdog.dismiss();
    out.write_all(text.as_bytes())?;
    Ok(Status::True)
}

fn number(parameter: &str) -> anyhow::Result<u64> {
    let bad = |_| BadInput(format!("`{parameter}` is no number"));
    Ok(parameter.parse().map_err(bad)?)
}

fn shape(name: ShapeName) -> Shape {
    match name {
        ShapeName::General => Shape::general(),
        ShapeName::Hierarchical => Shape::hierarchical(),
        ShapeName::Acyclic => Shape::acyclic(),
        ShapeName::Deterministic => Shape::deterministic(),
        ShapeName::IoBounded => Shape::io_bounded(),
        ShapeName::Wide => Shape::wide(),
        ShapeName::Tiny => Shape::tiny(),
    }
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    for family in FAMILIES {
        writeln!(out, "{:<11} {}", family.name, family.description)?;
        writeln!(out, "{:<11}   parameter: {}, from {} to {}", "", family.parameter, family.smallest, family.largest)?;
        writeln!(out, "{:<11}   theorem: {}", "", family.theorem)?;
        writeln!(out, "{:<11}   source: {}", "", family.source)?;
    }
    let others = [
        (
            "qbf",
            "the program of a quantified formula, a QDIMACS file in place of the number; likewise qbf-ctl and qbf-exits",
        ),
        ("ctlsat", "for a formula of CTL in place of the number: is it satisfiable?"),
        ("sat", "the program of a formula, a DIMACS file (Godefroid, Theorem 4)"),
        ("random", "a random program; N is the seed, --shape its shape"),
    ];
    others.iter().try_for_each(|(name, what)| writeln!(out, "{name:<11} {what}"))
}

//! `epitome generate`: programs of the families, and random ones.

use super::{BadInput, Status, from_formula, satisfiability};
use epitome_benchmarks::{FAMILIES, Shape, TapeMachine, Verdict, circuit, drink, expspace, generate, random_program};
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
}

/// Most gates of a circuit.
const MOST_GATES: u32 = 10_000_000;

/// Most bits of the number of a cell.
const MOST_BITS: u32 = 1_000;

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
    let text = match family.as_str() {
        "qbf" | "qbf-ctl" | "qbf-exits" | "sat" | "ctlsat" | "circuit" | "drink"
            if arguments.safe || arguments.unsafe_ =>
        {
            return Err(BadInput(
                "the verdict of a formula is its own: --safe and --unsafe do not go with it".to_owned(),
            )
            .into());
        }
        "qbf" => from_formula::qbf(parameter)?,
        "qbf-ctl" => from_formula::qbf_as_ctl(parameter)?,
        "qbf-exits" => from_formula::qbf_as_exits(parameter)?,
        "sat" => from_formula::sat(parameter)?,
        "expspace" => {
            let n = number(parameter)?;
            let bits = u32::try_from(n).ok().filter(|n| (1..=MOST_BITS).contains(n));
            let bits = bits.ok_or_else(|| BadInput(format!("a tape of 2^{n} cells: n is from 1 to {MOST_BITS}")))?;
            expspace(&TapeMachine::copy_game(arguments.unsafe_), bits, !arguments.unsafe_)
        }
        "ctlsat" => satisfiability::program(parameter)?,
        "circuit" => {
            let n = number(parameter)?;
            let gates = u32::try_from(n).ok().filter(|gates| (1..=MOST_GATES).contains(gates));
            circuit(gates.ok_or_else(|| BadInput(format!("{n} gates: from 1 to {MOST_GATES}")))?, n).0
        }
        "drink" => {
            let n = number(parameter)?;
            let drinks = u32::try_from(n).ok().filter(|drinks| (1..=MOST_GATES).contains(drinks));
            drink(drinks.ok_or_else(|| BadInput(format!("{n} drinks: from 1 to {MOST_GATES}")))?)
        }
        "random" => random_program(number(parameter)?, &shape(arguments.shape)),
        family => {
            let verdict = if arguments.safe { Verdict::Safe } else { Verdict::Unsafe };
            let n = number(parameter)?;
            let n = u32::try_from(n).map_err(|_| BadInput(format!("the parameter {n} is too large")))?;
            generate(family, n, verdict).map_err(|error| BadInput(error.to_string()))?
        }
    };
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
        writeln!(out, "{:<10} {}", family.name, family.description)?;
        writeln!(out, "{:<10}   parameter: {}", "", family.parameter)?;
        writeln!(out, "{:<10}   source: {}", "", family.source)?;
    }
    writeln!(out, "{:<10} a random program; N is the seed, --shape its shape", "random")?;
    writeln!(out, "{:<10} the program of a quantified formula, a QDIMACS file (Godefroid, Fig. 3)", "qbf")?;
    let ctl = "a hierarchy and a question of CTL (a comment) from a QDIMACS file";
    writeln!(out, "{:<10} {ctl}, with single exits (Alur-HSM, Theorem 9)", "qbf-ctl")?;
    writeln!(out, "{:<10} {ctl}, the same question for all of them (Alur-HSM, Theorem 11)", "qbf-exits")?;
    let game = "a game on a tape of 2^N cells, and a question of CTL (a comment); TRUE, or with --unsafe FALSE";
    writeln!(out, "{:<10} {game} (Godefroid, Fig. 5)", "expspace")?;
    let open = "an open system and a question of CTL (a comment)";
    writeln!(out, "{:<10} {open}: the value of a monotone circuit of N gates (Kupferman, Theorem 4.1)", "circuit")?;
    writeln!(out, "{:<10} {open}: is the formula of CTL given for N satisfiable? (Kupferman, Theorem 3.1)", "ctlsat")?;
    writeln!(out, "{:<10} {open}: a machine that serves N drinks (Kupferman, introduction)", "drink")?;
    writeln!(out, "{:<10} the program of a formula, a DIMACS file (Godefroid, Theorem 4)", "sat")
}

//! `epitome classify`.

use super::Status;
use super::input::Input;
use super::options::StopOptions;
use crate::checker::{Checker, Leftover, Usual};
use crate::classify::{Bounds, Class, Entrant, ProcedureMeasures};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Up to how many bits between procedures (and bits that are open at the start) it is I/O bounded [default: 8]
    #[arg(long, value_name = "N")]
    io_bits: Option<usize>,
    /// Up to how many procedures on a chain of calls a hierarchy is of bounded depth [default: 8]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Up to how many bodies a hierarchy is small with all calls written out [default: 1000]
    #[arg(long, value_name = "N")]
    bodies: Option<usize>,
    /// The measures of each procedure as well
    #[arg(long)]
    procedures: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    stop: StopOptions,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let (limits, watchdog) = arguments.stop.watched()?;
    let Some((_, program)) = arguments.input.read(false, &limits)? else { return Ok(Status::BadInput) };
    let checker = Checker::new(&program).with_bounds(arguments.bounds());
    let (class, left) = (checker.class(), checker.leftover());
    watchdog.dismiss();
    if arguments.json {
        let mut object = Map::new();
        object.insert("schema".to_owned(), json!("epitome-classify/1"));
        if let Value::Object(class) = json(class, Some(&left.class)) {
            object.extend(class);
        }
        object["reduced"]["for"] = json!(match left.question {
            Usual::Failures => Some("failures"),
            Usual::Labels => Some("labels"),
            Usual::Nothing => None,
        });
        object.insert("by_procedure".to_owned(), by_procedure(&checker));
        writeln!(out, "{:#}", Value::Object(object))?;
    } else {
        write(out, class, &left)?;
        if arguments.procedures {
            write_procedures(out, &checker)?;
        }
    }
    Ok(Status::True)
}

impl Arguments {
    fn bounds(&self) -> Bounds {
        let usual = Bounds::default();
        Bounds {
            io_bits: self.io_bits.unwrap_or(usual.io_bits),
            depth: self.depth.unwrap_or(usual.depth),
            bodies: self.bodies.unwrap_or(usual.bodies),
        }
    }
}

/// The class of a program as an object, with that of what is left of it, by which the plan is made, if that is known.
pub(super) fn json(class: &Class, left: Option<&Class>) -> Value {
    let mut object = of_machine(class);
    if let Some(left) = left {
        object["reduced"] = of_machine(left);
        object["plan"] = object["reduced"]["plan"].clone();
    }
    object
}

fn of_machine(class: &Class) -> Value {
    let measures = &class.measures;
    json!({
        "recursive": measures.recursive,
        "depth": measures.depth,
        "acyclic": measures.acyclic,
        "deterministic": measures.deterministic.as_bool(),
        "io_bits": measures.io_bits,
        "initial_bits": measures.initial_bits,
        "theta": measures.theta,
        "procedures": measures.procedures.len(),
        "size": measures.size,
        "variables_in_scope": measures.scope,
        "class": class.row.name,
        "complexity": class.row.complexity,
        "theorem": class.row.theorem,
        "ltl": class.row.ltl,
        "ctl": class.row.ctl,
        "plan": class.plan.names(),
    })
}

/// The theorem that says how hard reachability is in a class.
pub(super) fn theorem(class: &Class) -> String {
    match class.row.theorem.parse::<u32>() {
        Ok(number) => format!("Godefroid Theorem {number}"),
        Err(_) => class.row.theorem.replace(' ', " Theorem "),
    }
}

fn by_procedure(checker: &Checker<'_>) -> Value {
    let entry = |p: &ProcedureMeasures| {
        json!({
            "procedure": checker.ersm().procedure_name(p.procedure),
            "variables_in_scope": p.scope,
            "io_bits": p.io_bits,
            "entries": p.entries,
            "exits": p.exits,
        })
    };
    checker.class().measures.procedures.iter().map(entry).collect()
}

/// A table, callees before callers.
fn write_procedures(out: &mut dyn Write, checker: &Checker<'_>) -> io::Result<()> {
    writeln!(out, "\n{:<18}  {:>9}  {:>8}  {:>7}  {:>5}", "procedure", "variables", "I/O bits", "entries", "exits")?;
    for p in &checker.class().measures.procedures {
        let name = checker.ersm().procedure_name(p.procedure);
        writeln!(out, "{name:<18}  {:>9}  {:>8}  {:>7}  {:>5}", p.scope, p.io_bits, p.entries, p.exits)?;
    }
    Ok(())
}

/// What is said of a machine: a name for it, and its value.
fn lines(class: &Class) -> [(&'static str, String); 12] {
    let measures = &class.measures;
    let yes_no = |value: bool| if value { "yes" } else { "no" }.to_owned();
    let components = if measures.recursive { " (recursive components)" } else { "" };
    [
        ("class", class.row.name.clone()),
        ("reachability", format!("{} ({})", class.row.complexity, theorem(class))),
        ("recursive", yes_no(measures.recursive)),
        ("depth", format!("{}{components}", measures.depth)),
        ("acyclic", yes_no(measures.acyclic)),
        ("deterministic", measures.deterministic.to_string()),
        ("I/O bits", measures.io_bits.to_string()),
        ("initial bits", measures.initial_bits.to_string()),
        ("theta", measures.theta.to_string()),
        ("procedures", measures.procedures.len().to_string()),
        ("variables in scope", measures.scope.to_string()),
        ("size", measures.size.to_string()),
    ]
}

/// The class of a program, what is different where it is reduced, and the plan.
fn write(out: &mut dyn Write, class: &Class, left: &Leftover) -> io::Result<()> {
    let (written, reduced) = (lines(class), lines(&left.class));
    for (number, (name, value)) in written.iter().enumerate() {
        writeln!(out, "{name:<18}  {value}")?;
        if number == 1 {
            writeln!(out, "LTL                 {} in the size of the program", class.row.ltl)?;
            writeln!(out, "CTL                 {} in the size of the program", class.row.ctl)?;
        }
    }
    let different = reduced.iter().zip(&written).filter(|(reduced, written)| reduced != written);
    for (number, ((name, value), _)) in different.enumerate() {
        if number == 0 {
            let question = match left.question {
                Usual::Failures => "can it fail?",
                Usual::Labels => "which labels can be reached?",
                Usual::Nothing => "nothing is asked", // cannot happen: then nothing is different
            };
            writeln!(out, "reduced             to what matters for: {question}")?;
        }
        writeln!(out, "  {name:<16}  {value}")?;
    }
    let entrants = &left.class.plan.entrants;
    for (number, Entrant { engine, why, share }) in entrants.iter().enumerate() {
        let when = match number {
            0 => "plan",
            1 => "  then, by shares",
            _ => "",
        };
        let share = if entrants.len() == 1 { "".to_owned() } else { format!("{share}  ") };
        writeln!(out, "{when:<18}  {:<6}  {share}{why}", engine.name())?;
    }
    Ok(())
}

//! `epitome classify`.

use super::Status;
use super::input::Input;
use crate::checker::Checker;
use crate::classify::{Class, ProcedureMeasures};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The measures of each procedure as well
    #[arg(long)]
    procedures: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let Some((_, program)) = arguments.input.read(false)? else { return Ok(Status::BadInput) };
    let checker = Checker::new(&program);
    if arguments.json {
        let mut object = Map::new();
        object.insert("schema".to_owned(), json!("epitome-classify/1"));
        if let Value::Object(class) = json(checker.class()) {
            object.extend(class);
        }
        object.insert("by_procedure".to_owned(), by_procedure(&checker));
        writeln!(out, "{:#}", Value::Object(object))?;
    } else {
        write(out, checker.class())?;
        if arguments.procedures {
            write_procedures(out, &checker)?;
        }
    }
    Ok(Status::True)
}

/// The class as an object.
pub(super) fn json(class: &Class) -> Value {
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

fn write(out: &mut dyn Write, class: &Class) -> io::Result<()> {
    let measures = &class.measures;
    let yes_no = |value: bool| if value { "yes" } else { "no" };
    let theorem = theorem(class);
    writeln!(out, "class               {}", class.row.name)?;
    writeln!(out, "reachability        {} ({theorem})", class.row.complexity)?;
    writeln!(out, "LTL                 {} in the size of the program", class.row.ltl)?;
    writeln!(out, "CTL                 {} in the size of the program", class.row.ctl)?;
    writeln!(out, "recursive           {}", yes_no(measures.recursive))?;
    writeln!(
        out,
        "depth               {}{}",
        measures.depth,
        if measures.recursive { " (recursive components)" } else { "" }
    )?;
    writeln!(out, "acyclic             {}", yes_no(measures.acyclic))?;
    writeln!(out, "deterministic       {}", measures.deterministic)?;
    writeln!(out, "I/O bits            {}", measures.io_bits)?;
    writeln!(out, "initial bits        {}", measures.initial_bits)?;
    writeln!(out, "theta               {}", measures.theta)?;
    writeln!(out, "procedures          {}", measures.procedures.len())?;
    writeln!(out, "variables in scope  {}", measures.scope)?;
    writeln!(out, "size                {}", measures.size)?;
    for (number, entrant) in class.plan.entrants.iter().enumerate() {
        let when = match number {
            0 => "plan",
            1 => "  then, by shares",
            _ => "",
        };
        let share = if class.plan.entrants.len() == 1 { "".to_owned() } else { format!("{}  ", entrant.share) };
        writeln!(out, "{when:<18}  {:<6}  {share}{}", entrant.engine.name(), entrant.why)?;
    }
    Ok(())
}

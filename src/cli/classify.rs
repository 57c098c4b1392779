//! `epitome classify`.

use super::Status;
use super::input::Input;
use crate::checker::Checker;
use crate::classify::Class;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
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
        writeln!(out, "{:#}", Value::Object(object))?;
    } else {
        write(out, checker.class())?;
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
        "theta": measures.theta,
        "procedures": measures.procedures,
        "size": measures.size,
        "variables_in_scope": measures.scope,
        "class": class.row.name,
        "complexity": class.row.complexity,
        "theorem": class.row.theorem,
        "ltl": class.row.ltl,
        "ctl": class.row.ctl,
        "plan": class.plan.engines,
    })
}

fn write(out: &mut dyn Write, class: &Class) -> io::Result<()> {
    let measures = &class.measures;
    let yes_no = |value: bool| if value { "yes" } else { "no" };
    let theorem = match class.row.theorem.parse::<u32>() {
        Ok(number) => format!("Godefroid Theorem {number}"),
        Err(_) => class.row.theorem.replace(' ', " Theorem "),
    };
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
    writeln!(out, "theta               {}", measures.theta)?;
    writeln!(out, "procedures          {}", measures.procedures)?;
    writeln!(out, "variables in scope  {}", measures.scope)?;
    writeln!(out, "size                {}", measures.size)?;
    writeln!(out, "plan                {}: {}", class.plan.engines.join(", "), class.plan.method)
}

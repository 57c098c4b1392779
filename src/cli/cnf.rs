//! `epitome encode --to cnf`: the question of `check` as one formula in a DIMACS file.
//!
//! Comments before the formula say what its models mean: which copies of procedures there are, which
//! variable says that a copy is used, and which are the program's variables in it. The same program and options
//! give the same bytes; nothing in the file depends on where or when it was made.

use super::BadInput;
use super::asked::Asked;
use super::units::count;
use crate::checker::NamedFormula;
use crate::engine::summarize::formula::Value;
use crate::limits::{address_space_left, available_bytes};
use crate::logic::Query;
use crate::model::Vertex;
use crate::syntax::{Program, Source};
use epitome_encodings::{Extent, UnfoldError, dimacs};
use std::io::Write;

/// Clauses of the largest formula that is written: some gigabytes.
const MOST_CLAUSES: u64 = 100_000_000;

/// Memory that a clause takes, with its part of everything else: what does not fit is not begun.
const BYTES_A_CLAUSE: u64 = 200;

fn most_clauses() -> u64 {
    let free = [available_bytes(), address_space_left()].into_iter().flatten().min();
    free.map_or(MOST_CLAUSES, |free| (free / BYTES_A_CLAUSE).min(MOST_CLAUSES))
}

/// The file; how large the formula is, is said on stderr.
pub(super) fn text(source: &Source, program: &Program, asked: &Asked) -> anyhow::Result<Vec<u8>> {
    let (checker, query) = asked.ask(program)?;
    let formula = |depth| checker.formula(&query, Extent { depth, most_clauses: most_clauses() });
    // Whether a depth is needed is not known before the program is reduced.
    let (named, depth) = match (formula(None), asked.depth) {
        (Err(UnfoldError::Cyclic), Some(depth)) => (formula(Some(depth)), Some(depth)),
        (without, _) => (without, None),
    };
    let named = named.map_err(|error| BadInput(refusal(&error)))?;
    let mut err = anstream::stderr();
    if asked.depth.is_some() && depth.is_none() {
        writeln!(err, "note: --depth has no effect: what is asked needs no loop and no recursion")?;
    }
    let cnf = &named.formula.cnf;
    let mut text = Vec::new();
    dimacs::write(&mut text, comments(source, &query, depth, &named), cnf)?;
    let copies = named.copies.len() - 1;
    let copies =
        if copies == 1 { "1 copy of a procedure".to_owned() } else { format!("{copies} copies of procedures") };
    let (variables, clauses) = (count(cnf.variables() as usize, "variable"), count(cnf.len(), "clause"));
    writeln!(err, "{variables}, {clauses}, {copies}")?;
    Ok(text)
}

fn refusal(error: &UnfoldError) -> String {
    match error {
        UnfoldError::Cyclic => {
            "the program has loops or recursion: say with --depth how deep to follow them, --depth 10 for example; \
             a failure further on is not in the formula"
                .to_owned()
        }
        UnfoldError::TooLarge { .. } => {
            let most = most_clauses();
            format!("written out, {error}; {most} is the most here (try a smaller --depth, or epitome check)")
        }
    }
}

/// What is said before the formula.
fn comments(source: &Source, query: &Query, depth: Option<u32>, named: &NamedFormula) -> Vec<String> {
    let formula = &named.formula;
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let option = depth.map_or(String::new(), |depth| format!(" --depth {depth}"));
    let within = match (depth, formula.is_cut) {
        (Some(depth), true) => format!(" within depth {depth}"),
        _ => String::new(),
    };
    let mut lines = vec![
        format!("epitome {} encode --to cnf{option}", env!("CARGO_PKG_VERSION")),
        format!("input {name}"),
        format!("property {query}"),
        format!("answer satisfiable means violated, unsatisfiable means not violated{within}"),
        "p::x@entry is the variable x where p is entered, p::x@7 where control comes to line 7,".to_owned(),
        "p::x@return:7 where the call in line 7 returns; p#2 is copy number 2, one of procedure p,".to_owned(),
        "and the variable p#2 says whether a model uses it.".to_owned(),
    ];
    let copy_name = |copy: u32| format!("{}#{copy}", named.copies[copy as usize]);
    let mut meanings = formula.meanings.iter().zip(&named.variables).peekable();
    for (number, copy) in (0..).zip(&formula.copies).skip(1) {
        let own = copy_name(number);
        lines.push(match copy.user {
            Some(user) if copy.is_continued => {
                format!("Copy {own} : the part before {}, up to a loop", copy_name(user))
            }
            Some(user) if user > 0 => format!("Copy {own} : called by {}", copy_name(user)),
            _ => format!("Copy {own} : where the program starts"),
        });
        lines.push(line(copy.used, &own));
        while let Some((meaning, (variable, span))) = meanings.next_if(|(meaning, _)| meaning.copy == number) {
            let place = span.map_or("entry".to_owned(), |span| source.line_of(span.start).to_string());
            let port = match meaning.at {
                Some(Vertex::Return(..)) => "return:",
                Some(Vertex::Call(..)) => "call:",
                _ => "",
            };
            lines.push(line(meaning.value, &format!("{own}::{variable}@{port}{place}")));
        }
    }
    lines
}

fn line(value: Value, name: &str) -> String {
    match value {
        Value::Literal(literal) => format!("VarName {literal} : {name}"),
        Value::Always(value) => format!("Constant {} : {name}", u8::from(value)),
    }
}

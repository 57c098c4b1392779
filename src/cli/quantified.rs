//! `epitome encode --to qdimacs` and `--to qcir`: the question of `check` as a quantified formula.
//!
//! Comments before the formula say what its variables mean. The same program and options give the same bytes.

use super::BadInput;
use super::asked::Asked;
use crate::checker::NamedQbf;
use crate::engine::quantify::Encoding;
use crate::logic::Query;
use crate::model::Vertex;
use crate::syntax::{Program, Source};
use epitome_encodings::{qcir, qdimacs};
use rustc_hash::FxHashMap;
use std::io::Write;

/// The two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Qdimacs,
    Qcir,
}

/// The file; how large the formula is, is said on stderr.
pub(super) fn text(source: &Source, program: &Program, asked: &Asked, format: Format) -> anyhow::Result<Vec<u8>> {
    let (checker, query) = asked.ask(program)?;
    let encoding = asked.qbf.unwrap_or_default();
    let named = checker.quantified(&query, encoding).map_err(|_| {
        BadInput(
            "the program has recursion other than loops: quantified formulas are for programs without (try --to chc)"
                .to_owned(),
        )
    })?;
    let comments = comments(source, &query, &named, format, encoding);
    let mut text = Vec::new();
    let size = match format {
        Format::Qcir => {
            qcir::write(&mut text, comments, &named.qbf)?;
            format!("{} gates", named.qbf.gates())
        }
        Format::Qdimacs => {
            let formula = qdimacs::Formula::new(&named.qbf);
            formula.write(&mut text, comments)?;
            format!("{} variables in all, {} clauses", formula.cnf.variables(), formula.cnf.len())
        }
    };
    let (inputs, alternations) = (named.qbf.variables(), named.qbf.alternations());
    writeln!(anstream::stderr(), "{inputs} quantified inputs, {alternations} alternations, {size}")?;
    Ok(text)
}

/// What is said before the formula.
fn comments(source: &Source, query: &Query, named: &NamedQbf, format: Format, encoding: Encoding) -> Vec<String> {
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let form = if format == Format::Qcir { "qcir" } else { "qdimacs" };
    let option = if encoding == Encoding::Flat { " --qbf flat" } else { "" };
    let mut lines = vec![
        format!("epitome {} encode --to {form}{option}", env!("CARGO_PKG_VERSION")),
        format!("input {name}"),
        format!("property {query}"),
        "answer true means violated, false means not violated".to_owned(),
    ];
    let about: &[&str] = match encoding {
        Encoding::Modular => &[
            "p::x@entry is the variable x where p is entered, p::x@7 where control comes to line 7,",
            "p::x@return:7 where the call in line 7 returns, p::x@middle in the middle of a path round a loop,",
            "p.way a way that is chosen in p, call.0 a bit of the number of the call that is looked into.",
            "Procedures that are opened in the same block share variables.",
        ],
        Encoding::Flat => &[
            "Variables are bits of configurations in the middle of a path: globals by their names, frame.0.top if",
            "frame 0 is the top of the stack, frame.0.vertex.1 a bit of where control is in it, frame.0.local.2 a",
            "local variable; step is something that a step chooses, call.0 which half of a path is looked into.",
        ],
    };
    lines.extend(about.iter().map(|&line| line.to_owned()));
    // The k-th input of the prefix is variable k.
    let inputs = named.qbf.prefix().iter().flat_map(|block| &block.inputs);
    let numbers: FxHashMap<u32, usize> = inputs.enumerate().map(|(place, &input)| (input, place + 1)).collect();
    for (input, name, at) in &named.names {
        let place = at.map(|(vertex, span)| {
            let port = match vertex {
                Vertex::Return(..) => "return:",
                Vertex::Call(..) => "call:",
                Vertex::Node(_) => "",
            };
            format!("@{port}{}", source.line_of(span.start))
        });
        let place = place
            .unwrap_or_else(|| (if name.contains("::") && !name.contains('@') { "@entry" } else { "" }).to_owned());
        if let Some(number) = numbers.get(input) {
            lines.push(format!("VarName {number} : {name}{place}"));
        }
    }
    lines
}

//! Witnesses in YAML, format 2.0, as the verification competitions exchange them.
//!
//! A violation is a sequence of waypoints: the values of inputs in order, at the closing parentheses of their calls,
//! and the target. A waypoint in the wrong place makes a witness wrong, a missing one only weaker: those that cannot be
//! located exactly (in text that a macro made) are left out, and the column of such a target is. Correctness is a set of invariants, which may be empty.
//!
//! The text is written by hand: always the same for the same input, quoted where readers would take a version for a
//! number or a time for a date.

use super::inputs::Input;
use crate::syntax::c::Program;
use crate::syntax::{Source, Span};
use std::fmt::Write;

/// More inputs than this are not told: the witness is then the target alone.
pub const MOST_WAYPOINTS: usize = 10_000;

/// What the head of a witness says.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The program's file, as it is named.
    pub file: &'a str,
    /// SHA-256 of the file, in hexadecimal digits.
    pub hash: &'a str,
    /// The property, as property files have it.
    pub specification: &'a str,
    /// Name-based identifier.
    pub uuid: &'a str,
    /// ISO 8601.
    pub time: &'a str,
    /// Version of the producer.
    pub version: &'a str,
}

/// An invariant of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Where the loop stands.
    pub span: Span,
    /// The name of its function.
    pub function: String,
    /// A C expression.
    pub value: String,
}

/// A witness that the property is violated: the inputs, and where the run ends, in which function.
pub fn violation(
    about: &About<'_>,
    source: &Source,
    program: &Program,
    inputs: &[Input],
    (function, target): (&str, Span),
) -> String {
    let mut text = head(about, program, "violation_sequence");
    text.push_str("  content:\n");
    let is_call = |input: &&Input| {
        let written = source.slice(input.call);
        written.starts_with(program.names.text(input.function)) && written.ends_with(')')
    };
    for input in inputs.iter().filter(is_call) {
        let _ = write!(
            text,
            "    - segment:\n        - waypoint:\n            type: function_return\n            action: follow\n            constraint:\n              value: '\\result == {}'\n              format: acsl_expression\n",
            input.value
        );
        let place = source.position(input.call.end - 1);
        text.push_str(&location(about, program.names.text(input.caller), place.line, Some(place.column), 12));
    }
    text.push_str("    - segment:\n        - waypoint:\n            type: target\n            action: follow\n");
    let place = source.position(target.start);
    // Without a column the leftmost place of the line is meant that fits.
    let column = (!program.inexact.contains(&target)).then_some(place.column);
    text.push_str(&location(about, function, place.line, column, 12));
    text
}

/// A witness that the property holds.
pub fn correctness(about: &About<'_>, source: &Source, program: &Program, invariants: &[Invariant]) -> String {
    let mut text = head(about, program, "invariant_set");
    if invariants.is_empty() {
        text.push_str("  content: []\n");
        return text;
    }
    text.push_str("  content:\n");
    for invariant in invariants {
        text.push_str("    - invariant:\n        type: loop_invariant\n");
        let place = source.position(invariant.span.start);
        text.push_str(&location(about, &invariant.function, place.line, Some(place.column), 8));
        let _ = write!(text, "        value: {}\n        format: c_expression\n", quoted(&invariant.value));
    }
    text
}

fn head(about: &About<'_>, program: &Program, kind: &str) -> String {
    let (file, hash) = (quoted(about.file), quoted(about.hash));
    format!(
        "- entry_type: {kind}\n  metadata:\n    format_version: \"2.0\"\n    uuid: {uuid}\n    creation_time: {time}\n    producer:\n      name: epitome\n      version: {version}\n    task:\n      input_files:\n        - {file}\n      input_file_hashes:\n        {file}: {hash}\n      specification: {specification}\n      data_model: {model}\n      language: C\n",
        uuid = quoted(about.uuid),
        time = quoted(about.time),
        version = quoted(about.version),
        specification = quoted(about.specification),
        model = program.settings.data_model.name(),
    )
}

fn location(about: &About<'_>, function: &str, line: usize, column: Option<usize>, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let column = column.map_or(String::new(), |column| format!("{margin}  column: {column}\n"));
    format!(
        "{margin}location:\n{margin}  file_name: {}\n{margin}  line: {line}\n{column}{margin}  function: {}\n",
        quoted(about.file),
        quoted(function),
    )
}

/// A string of YAML in double quotes.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            c if c.is_control() => format!("\\x{:02x}", c as u32),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

//! Verdicts as they are printed: for people, for programs, as an exit status, and against what was expected.

use super::Status;
use crate::checker::Verdict;
use crate::logic::Query;
use crate::syntax::Position;
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn status(verdict: &Verdict) -> Status {
    match verdict {
        Verdict::Holds => Status::True,
        Verdict::Violated => Status::False,
        Verdict::Unknown(_) => Status::Unknown,
    }
}

/// The last line of stdout.
pub(super) fn write(out: &mut dyn Write, query: &Query, verdict: &Verdict) -> std::io::Result<()> {
    let (color, text) = match verdict {
        Verdict::Holds => (AnsiColor::Green, "TRUE".to_owned()),
        Verdict::Violated => (AnsiColor::Red, format!("FALSE({})", query.name())),
        Verdict::Unknown(reason) => (AnsiColor::Yellow, format!("UNKNOWN({reason})")),
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    writeln!(out, "Verdict: {style}{text}{style:#}")
}

/// The expected verdict, and whether the verdict is it.
pub(super) fn judge(expected: bool, verdict: &Verdict) -> [&'static str; 2] {
    let judged = match verdict {
        Verdict::Unknown(_) => "no answer",
        verdict if (*verdict == Verdict::Holds) == expected => "correct",
        _ => "wrong",
    };
    [if expected { "TRUE" } else { "FALSE" }, judged]
}

/// What a verdict is about, for `--json`.
pub(super) struct Answered<'a> {
    pub(super) file: &'a str,
    pub(super) query: &'a Query,
    pub(super) engine: &'a str,
    pub(super) verdict: &'a Verdict,
    /// Where the program violates the property, or what stands in the way of an answer.
    pub(super) position: Option<Position>,
    /// What happens there.
    pub(super) message: Option<String>,
    /// What the user may have meant otherwise.
    pub(super) notes: &'a [String],
    /// The program has nothing that could violate the property.
    pub(super) nothing_to_check: bool,
    /// A violation was found, though perhaps there is no run that shows it.
    pub(super) found: bool,
}

impl Answered<'_> {
    /// The object; `parts` are class, trace and statistics.
    pub(super) fn json(&self, parts: [Value; 3]) -> Value {
        let [class, trace, statistics] = parts;
        let (verdict, reason) = match self.verdict {
            Verdict::Holds => ("TRUE", None),
            Verdict::Violated => ("FALSE", None),
            Verdict::Unknown(reason) => ("UNKNOWN", Some(reason.to_string())),
        };
        let location =
            |position: Position| json!({ "file": self.file, "line": position.line, "column": position.column });
        json!({
            "schema": "epitome-check/1",
            "file": self.file,
            "property": self.query.to_string(),
            "verdict": verdict,
            "reason": reason,
            "found": self.found,
            "location": self.position.map(location),
            "message": self.message.as_ref().or(reason.as_ref()),
            "notes": self.notes,
            "nothing_to_check": self.nothing_to_check,
            "engine": self.engine,
            "class": class,
            "trace": trace,
            "statistics": statistics,
        })
    }
}

/// The object where there is nothing but the verdict, and perhaps a place that it is about.
pub(super) fn empty_report(
    file: &str,
    query: &Query,
    engine: &str,
    verdict: &Verdict,
    position: Option<Position>,
) -> Value {
    let answered = Answered {
        file,
        query,
        engine,
        verdict,
        position,
        message: None,
        notes: &[],
        nothing_to_check: false,
        found: *verdict == Verdict::Violated,
    };
    answered.json([json!({}), json!([]), json!({})])
}

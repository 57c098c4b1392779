//! Verdicts as they are printed: for people, for programs, as an exit status, and against what was expected.

use super::Status;
use crate::checker::Verdict;
use crate::logic::Query;
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

/// The object for `--json`; `parts` are class, trace and statistics.
pub(super) fn json_report(file: &str, query: &Query, engine: &str, verdict: &Verdict, parts: [Value; 3]) -> Value {
    let [class, trace, statistics] = parts;
    let (verdict, reason) = match verdict {
        Verdict::Holds => ("TRUE", None),
        Verdict::Violated => ("FALSE", None),
        Verdict::Unknown(reason) => ("UNKNOWN", Some(reason.to_string())),
    };
    json!({
        "schema": "epitome-check/1",
        "file": file,
        "property": query.to_string(),
        "verdict": verdict,
        "reason": reason,
        "engine": engine,
        "class": class,
        "trace": trace,
        "statistics": statistics,
    })
}

/// The object where there is nothing but the verdict.
pub(super) fn empty_report(file: &str, query: &Query, engine: &str, verdict: &Verdict) -> Value {
    json_report(file, query, engine, verdict, [json!({}), json!([]), json!({})])
}

//! Tables of what a check cost, from the object that `--json` prints. What an engine does not have (null or zero there) is not shown.

use super::escape;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::time::Duration;

/// A table.
pub(super) struct Table {
    head: String,
    rows: String,
}

impl Table {
    pub(super) fn new(names: &[&str]) -> Table {
        let head = names.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
        Table { head, rows: String::new() }
    }

    /// A row of cells that are HTML already, and its class.
    pub(super) fn row(&mut self, class: &str, cells: &[String]) {
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        let _ = writeln!(self.rows, "<tr class=\"{class}\">{cells}</tr>");
    }

    pub(super) fn to_html(&self) -> String {
        format!(
            "<div class=\"scroll\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
            self.head, self.rows
        )
    }
}

/// Names and values of statistics; objects inside are written as `sat.queries`.
pub(super) fn statistics(json: &Value) -> String {
    let mut table = Table::new(&["what", "value"]);
    let Some(object) = json.as_object().filter(|object| !object.is_empty()) else {
        return "<p class=\"faint\">There are none: nothing was begun, or nothing came to an end.</p>\n".to_owned();
    };
    for (name, value) in object {
        match value {
            Value::Object(inner) => {
                inner.iter().for_each(|(own, value)| scalar(&mut table, &format!("{name}.{own}"), value))
            }
            value => scalar(&mut table, name, value),
        }
    }
    table.to_html()
}

fn scalar(table: &mut Table, name: &str, value: &Value) {
    let text = match value {
        Value::Null | Value::Array(_) | Value::Object(_) => return,
        Value::Number(number) if number.as_u64() == Some(0) => return,
        Value::Number(number) if name.ends_with("seconds") => format!("{:.3} s", number.as_f64().unwrap_or_default()),
        Value::Number(number) if name.ends_with("_bytes") => {
            format!("{:.1} MB", number.as_f64().unwrap_or_default() / 1e6)
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    table.row("", &[escape(&shown_name(name)), escape(&text)]);
}

/// `sat.solver_seconds` is `sat.solver time`: units stand with the values.
fn shown_name(name: &str) -> String {
    let name = name.replace("seconds", "time");
    name.strip_suffix("_bytes").unwrap_or(&name).replace('_', " ")
}

/// What the reductions removed, one in a row.
pub(super) fn reductions(json: &Value) -> String {
    let Some(list) = json["reductions"].as_array().filter(|list| !list.is_empty()) else {
        return "<p class=\"faint\">No reductions were applied.</p>\n".to_owned();
    };
    let mut table = Table::new(&["reduction", "removed"]);
    for removed in list.iter().filter_map(Value::as_object) {
        table.row("", &[escape(removed["reduction"].as_str().unwrap_or_default()), escape(&counts(removed))]);
    }
    table.to_html()
}

/// The counts of a reduction that are not zero.
fn counts(removed: &Map<String, Value>) -> String {
    let is_count =
        |(name, value): &(&String, &Value)| *name != "seconds" && value.as_u64().is_some_and(|count| count > 0);
    let shown = |(name, count): (&String, &Value)| match count.as_u64() {
        Some(1) => format!("1 {}", name.strip_suffix('s').unwrap_or(name)),
        _ => format!("{count} {name}"),
    };
    let counts: Vec<String> = removed.iter().filter(is_count).map(shown).collect();
    if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") }
}

/// Milliseconds, where seconds say nothing.
fn shown_time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    }
}

/// Times as bars, the longest the widest; the numbers stand beside them.
pub(super) fn phases(times: &[(&str, Duration)]) -> String {
    let longest = times.iter().map(|(_, time)| time.as_secs_f64()).fold(1e-9, f64::max);
    let mut bars = String::new();
    for (name, time) in times {
        let seconds = time.as_secs_f64();
        let _ = writeln!(
            bars,
            "<dt class=\"phase\">{name}</dt><dd class=\"phase\"><span class=\"bar\" style=\"width:{:.1}%\"></span><span>{}</span></dd>",
            // Numbers need room beside the longest.
            seconds / longest * 80.0,
            shown_time(*time)
        );
    }
    format!("<dl class=\"phases\">\n{bars}</dl>\n")
}

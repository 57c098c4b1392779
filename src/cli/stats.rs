//! Statistics as text and as JSON.

use crate::engine::Statistics;
use crate::engine::expand::Algorithm;
use crate::engine::summarize::Form;
use crate::limits::{cpu_time, peak_bytes};
use crate::reduce::Removed;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::time::Duration;

/// So many per second of search.
fn rate(count: u64, statistics: &Statistics) -> String {
    format!("{:.0}", count as f64 / statistics.search_time.as_secs_f64().max(1e-9))
}

/// A value with its name.
pub(super) fn line(out: &mut dyn Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "{name:<19}{value}")
}

/// One value a line.
pub(super) fn write(
    out: &mut dyn Write,
    statistics: &Statistics,
    reductions: &[Removed],
    other_time: Option<Duration>,
) -> io::Result<()> {
    let mut line = |name: &str, value: String| self::line(out, name, &value);
    for removed in reductions {
        line(&format!("reduce {}", removed.reduction.name()), removed.to_string())?;
    }
    line("algorithm", statistics.algorithm.to_owned())?;
    if let Some(chosen) = &statistics.chosen {
        line("engine", format!("{}, {chosen}", statistics.engine))?;
    }
    // A race without an answer has no counts either.
    let is_formula = matches!(statistics.engine, "sat" | "qbf" | "auto");
    if let Some(sat) = statistics.sat.as_ref().filter(|_| statistics.algorithm == Form::Inline.name()) {
        line("variables", statistics.variables.to_string())?;
        line("clauses", statistics.clauses.to_string())?;
        line("facts", statistics.path_edges.to_string())?;
        line("solver", format!("{:.3} s", sat.solver_time.as_secs_f64()))?;
    } else if let (Some(sat), Some(qbf)) = (&statistics.sat, &statistics.qbf) {
        line("variables", format!("{} at most", statistics.variables))?;
        line("clauses", format!("{} at most", statistics.clauses))?;
        line("depth", sat.levels.to_string())?;
        line("formulas", format!("{}, and {} with quantifiers", sat.queries, qbf.formulas))?;
        line("gates", format!("{} at most", qbf.gates))?;
        line("facts", statistics.path_edges.to_string())?;
        line("solver", format!("{:.3} s", (sat.solver_time + qbf.solver_time).as_secs_f64()))?;
    } else if let Some(sat) = &statistics.sat {
        line("queries", sat.queries.to_string())?;
        line("obligations", sat.obligations.to_string())?;
        line("facts", statistics.path_edges.to_string())?;
        let (learned, imitated, left) = (sat.lemmas, sat.imitated, statistics.summary_edges);
        line("lemmas", format!("{learned} learned, {imitated} by imitation, {left} in the end"))?;
        line("pushed", sat.pushed.to_string())?;
        line("levels", sat.levels.to_string())?;
        line("lifted literals", sat.lifted.to_string())?;
        line("solver", format!("{:.3} s", sat.solver_time.as_secs_f64()))?;
    } else if let Some(qbf) = &statistics.qbf {
        line("variables", statistics.variables.to_string())?;
        line("gates", qbf.gates.to_string())?;
        line("alternations", qbf.alternations.to_string())?;
        line("formulas", qbf.formulas.to_string())?;
        line("queries", qbf.queries.to_string())?;
        line("lemmas", qbf.lemmas.to_string())?;
        line("facts", statistics.path_edges.to_string())?;
        line("solver", format!("{:.3} s", qbf.solver_time.as_secs_f64()))?;
    } else if statistics.algorithm == Algorithm::Nested.name() {
        line("visited", format!("{} vertices with states of the automaton", statistics.path_edges))?;
        line("of these", format!("{} different ones", statistics.entries))?;
    } else if !is_formula {
        line("path edges", statistics.path_edges.to_string())?;
        line("summary edges", statistics.summary_edges.to_string())?;
        line("entries", statistics.entries.to_string())?;
    }
    if statistics.engine == "bdd" {
        line("rounds", statistics.iterations.to_string())?;
        line("BDD variables", statistics.variables.to_string())?;
        line("BDD nodes", format!("{} at most", statistics.peak_nodes))?;
        line("largest set", format!("{} nodes", statistics.largest_nodes))?;
    }
    line("search", format!("{:.3} s", statistics.search_time.as_secs_f64()))?;
    if !reductions.is_empty() {
        let time: Duration = reductions.iter().map(|removed| removed.time).sum();
        line("reductions", format!("{:.3} s", time.as_secs_f64()))?;
    }
    if let Some(time) = other_time {
        line("model and trace", format!("{:.3} s", time.as_secs_f64()))?;
    }
    match (&statistics.sat, &statistics.qbf) {
        (Some(sat), _) if statistics.algorithm == Form::Summaries.name() => {
            line("queries / s", rate(sat.queries, statistics))?;
        }
        (None, Some(qbf)) => line("queries / s", rate(qbf.queries, statistics))?,
        _ if is_formula => {} // one query, or none was begun
        _ if statistics.algorithm == Algorithm::Nested.name() => {}
        _ => {
            line("path edges / s", rate(statistics.path_edges, statistics))?;
            line("tables", format!("{:.1} MB", statistics.bytes as f64 / 1e6))?;
        }
    }
    if let Some(bytes) = peak_bytes() {
        line("peak memory", format!("{:.1} MB", bytes as f64 / 1e6))?;
    }
    Ok(())
}

/// The same as an object.
pub(super) fn json(statistics: &Statistics, reductions: &[Removed], other_time: Option<Duration>) -> Value {
    let reduction = |removed: &Removed| {
        let mut object = json!({ "reduction": removed.reduction.name() });
        for (name, count) in removed.counts() {
            object[name] = count.into();
        }
        object["seconds"] = removed.time.as_secs_f64().into();
        object
    };
    json!({
        "algorithm": statistics.algorithm,
        "chosen": statistics.chosen,
        "path_edges": statistics.path_edges,
        "summary_edges": statistics.summary_edges,
        "entries": statistics.entries,
        "iterations": statistics.iterations,
        "bdd_peak_nodes": statistics.peak_nodes,
        "bdd_largest_set": statistics.largest_nodes,
        "variables": statistics.variables,
        "clauses": statistics.clauses,
        "search_seconds": statistics.search_time.as_secs_f64(),
        "other_seconds": other_time.map(|time| time.as_secs_f64()),
        "sat": statistics.sat.as_ref().map(|sat| json!({
            "queries": sat.queries,
            "obligations": sat.obligations,
            "lemmas": sat.lemmas,
            "imitated": sat.imitated,
            "pushed": sat.pushed,
            "levels": sat.levels,
            "lifted": sat.lifted,
            "conflicts": sat.conflicts,
            "solver_seconds": sat.solver_time.as_secs_f64(),
        })),
        "qbf": statistics.qbf.as_ref().map(|qbf| json!({
            "formulas": qbf.formulas,
            "alternations": qbf.alternations,
            "gates": qbf.gates,
            "queries": qbf.queries,
            "lemmas": qbf.lemmas,
            "solver_seconds": qbf.solver_time.as_secs_f64(),
        })),
        "cpu_seconds": cpu_time().map(|time| time.as_secs_f64()),
        "table_bytes": statistics.bytes,
        "memory_bytes": peak_bytes(),
        "reductions": reductions.iter().map(reduction).collect::<Vec<_>>(),
    })
}

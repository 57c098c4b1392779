//! Statistics as text and as JSON.

use crate::engine::Statistics;
use crate::limits::{cpu_time, peak_bytes};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::time::Duration;

/// Path edges per second of search.
fn rate(statistics: &Statistics) -> f64 {
    statistics.path_edges as f64 / statistics.search_time.as_secs_f64().max(1e-9)
}

/// One value a line.
pub(super) fn write(out: &mut dyn Write, statistics: &Statistics, other_time: Option<Duration>) -> io::Result<()> {
    writeln!(out, "algorithm        {}", statistics.algorithm)?;
    writeln!(out, "path edges       {}", statistics.path_edges)?;
    writeln!(out, "summary edges    {}", statistics.summary_edges)?;
    writeln!(out, "entries          {}", statistics.entries)?;
    writeln!(out, "search           {:.3} s", statistics.search_time.as_secs_f64())?;
    if let Some(time) = other_time {
        writeln!(out, "model and trace  {:.3} s", time.as_secs_f64())?;
    }
    writeln!(out, "path edges / s   {:.0}", rate(statistics))?;
    writeln!(out, "tables           {:.1} MB", statistics.bytes as f64 / 1e6)?;
    if let Some(bytes) = peak_bytes() {
        writeln!(out, "peak memory      {:.1} MB", bytes as f64 / 1e6)?;
    }
    Ok(())
}

/// The same as an object.
pub(super) fn json(statistics: &Statistics, other_time: Option<Duration>) -> Value {
    json!({
        "algorithm": statistics.algorithm,
        "path_edges": statistics.path_edges,
        "summary_edges": statistics.summary_edges,
        "entries": statistics.entries,
        "iterations": statistics.iterations,
        "bdd_peak_nodes": statistics.peak_nodes,
        "variables": statistics.variables,
        "search_seconds": statistics.search_time.as_secs_f64(),
        "other_seconds": other_time.map(|time| time.as_secs_f64()),
        "cpu_seconds": cpu_time().map(|time| time.as_secs_f64()),
        "table_bytes": statistics.bytes,
        "memory_bytes": peak_bytes(),
    })
}

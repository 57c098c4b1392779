//! The explicit engine: exploration over valuations, generated on the fly.
//!
//! Four algorithms share the packed valuations and compiled transitions:
//! - *forward*: top-down tabulation of path and summary edges, for every machine (Godefroid 3.1). A run
//!   is a shortest hierarchical one (Ball 3.2) among the rows found, which for small state spaces, and
//!   on request (*shortest*) always, are all rows;
//! - *deterministic*: one pass, linear in the reachable states (Godefroid Theorem 11, Step 2);
//! - *table*: bottom-up, one run for each input of each procedure (Godefroid Theorem 5). The
//!   deterministic pass does the same top-down, only for inputs that occur, and is never slower; the
//!   table is here for experiments;
//! - *components*: machines without variables, forward or backward by component (Alur-RSM 3.1).
//!
//! Repeating heads, for properties of linear time, are found over rows, over the relations of entries and exits, or by
//! *nested* search (Alur-RSM 3.2, Alur-HSM 3.2).

mod action;
mod batches;
mod branching;
mod compile;
mod components;
mod cycles;
mod deterministic;
mod expansion;
mod forward;
mod graph;
mod history;
mod masks;
mod nested;
mod program;
mod row_heads;
mod store;
mod table;
mod valuation;
mod vertex_heads;

pub use branching::{label, open};

use super::watch::Watch;
use super::{NOTHING_TO_FIND, Outcome, Progress, Repeating, Statistics};
use crate::limits::{Limits, Reason};
use crate::logic::Stack;
use crate::model::{CallGraph, Ersm, Goal, NodeSet, Run, Vertex};
use crate::temporal::{Product, mark};
use compile::Compiled;
use components::Components;
use deterministic::{Deterministic, Problem};
use forward::{End, Forward};
use graph::Graph;
use std::time::Instant;

/// How the engine goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Top-down tabulation.
    Forward,
    /// The same to its end, then a shortest hierarchical run (Ball 3.2).
    Shortest,
    /// The linear pass; falls back to tabulation where the machine turns out nondeterministic.
    Deterministic,
    /// The bottom-up table, for few input bits; falls back likewise.
    Table,
    /// The relations of entries and exits, for machines without variables (tabulation for others).
    Components,
    /// Cycles of hierarchies without variables, by a nested search (elsewhere the same as for machines without variables).
    Nested,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Forward,
        Algorithm::Shortest,
        Algorithm::Deterministic,
        Algorithm::Table,
        Algorithm::Components,
        Algorithm::Nested,
    ];

    /// The name by which users ask for it and statistics tell it.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Forward => "forward",
            Algorithm::Shortest => "shortest",
            Algorithm::Deterministic => "deterministic",
            Algorithm::Table => "table",
            Algorithm::Components => "components",
            Algorithm::Nested => "nested",
        }
    }

    /// What it does and for which programs, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Algorithm::Forward => "Top-down tabulation (every program)",
            Algorithm::Shortest => "The same to its end, then a shortest trace",
            Algorithm::Deterministic => "One linear pass (deterministic programs)",
            Algorithm::Table => "Bottom-up table (I/O bounded deterministic acyclic hierarchies)",
            Algorithm::Components => "Relations of entries and exits (machines without variables)",
            Algorithm::Nested => "Nested search for cycles (hierarchies without variables)",
        }
    }
}

/// At most so many open variables of the initial state are enumerated.
const MOST_ENUMERATED: usize = 10;

/// A run is shortened, among the rows found so far, if there are at most so many of them.
const MOST_SHORTENED: u64 = 1_000_000;

/// Answers a question by exploring.
pub fn explore(ersm: &Ersm, algorithm: Algorithm, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    let start = Instant::now();
    let mut watch = Watch::new(ersm, goal, limits, progress);
    let mut answer = if goal.targets.is_empty() && goal.calls.is_empty() {
        Answer::of(Statistics { algorithm: NOTHING_TO_FIND, ..Statistics::default() })
    } else {
        answer(ersm, algorithm, &mut watch)
    };
    answer.statistics.engine = "expand";
    answer.statistics.iterations = answer.statistics.path_edges;
    answer.statistics.search_time = start.elapsed() - answer.statistics.trace_time;
    Outcome {
        found: watch.found_something(),
        reached: watch.into_reached(ersm),
        run: answer.run,
        again: None,
        explanation: None,
        proof: None,
        stopped: answer.stopped,
        statistics: answer.statistics,
    }
}

/// Looks for a repeating head of a product: by the nested search in hierarchies without variables, by the relations of entries
/// and exits in other machines without variables, over explored rows in all others.
pub fn find_head(
    product: &Product,
    stack: Stack,
    algorithm: Option<Algorithm>,
    limits: &Limits,
    progress: Progress<'_>,
) -> Repeating {
    let start = Instant::now();
    let ersm = &product.ersm;
    let algorithm = match algorithm {
        _ if !expansion::is_expandable(product) => Algorithm::Forward,
        Some(Algorithm::Components) => Algorithm::Components,
        Some(Algorithm::Nested) | None if !CallGraph::new(ersm).recursive => Algorithm::Nested,
        Some(Algorithm::Nested) | None => Algorithm::Components,
        Some(_) => Algorithm::Forward,
    };
    let mut statistics = Statistics { engine: "expand", algorithm: algorithm.name(), ..Statistics::default() };
    let goal = Goal { targets: NodeSet::new(ersm), calls: Vec::new(), all: true };
    let mut watch = Watch::new(ersm, &goal, limits, progress);
    let head = match algorithm {
        Algorithm::Nested => nested::find_head(product, stack, &mut statistics, &mut watch),
        Algorithm::Components => vertex_heads::find_head(product, stack, &mut statistics, &mut watch),
        _ => row_heads::find_head(&mark(product), stack, &mut statistics, &mut watch),
    };
    statistics.iterations = statistics.path_edges;
    statistics.search_time = start.elapsed();
    Repeating { head, statistics }
}

/// What an algorithm found, before it is put into an outcome.
struct Answer {
    run: Option<Run<Vertex>>,
    stopped: Option<Reason>,
    statistics: Statistics,
}

impl Answer {
    fn of(statistics: Statistics) -> Answer {
        Answer { run: None, stopped: None, statistics }
    }
}

fn answer(ersm: &Ersm, algorithm: Algorithm, watch: &mut Watch<'_>) -> Answer {
    if matches!(algorithm, Algorithm::Components | Algorithm::Nested) && ersm.is_variable_free() {
        return by_components(ersm, watch);
    }
    let compiled = Compiled::new(ersm);
    if matches!(algorithm, Algorithm::Deterministic | Algorithm::Table)
        && let Some(answer) = deterministically(&compiled, algorithm, watch)
    {
        return answer;
    }
    forward(&compiled, algorithm == Algorithm::Shortest && watch.wants_run(), watch)
}

fn forward(compiled: &Compiled<'_>, shortest: bool, watch: &mut Watch<'_>) -> Answer {
    let mut search = Forward::new(compiled, watch.limits());
    watch.exhaust(shortest);
    let mut end = search.run(watch);
    watch.exhaust(false);
    let mut answer = Answer::of(Statistics {
        algorithm: if shortest { Algorithm::Shortest } else { Algorithm::Forward }.name(),
        path_edges: search.path_edges(),
        summary_edges: search.summary_edges(),
        entries: search.entries(),
        bytes: search.bytes() as u64,
        ..Statistics::default()
    });
    let shorten = match end {
        End::Complete => shortest,
        End::Found(_) => watch.wants_run() && search.path_edges() <= MOST_SHORTENED,
        End::Stopped(_) => false,
    };
    if shorten && let found @ End::Found(_) = search.shortest(watch) {
        end = found;
    }
    match end {
        End::Complete => {}
        End::Found(row) if watch.wants_run() => {
            timed(&mut answer, || history::run_to(compiled, &search, row, watch.found_call()))
        }
        End::Found(_) => {}
        End::Stopped(reason) => answer.stopped = Some(reason),
    }
    answer
}

/// `None` if the machine is not deterministic.
fn deterministically(compiled: &Compiled<'_>, algorithm: Algorithm, watch: &mut Watch<'_>) -> Option<Answer> {
    let mut enumerated: Vec<usize> = Vec::new();
    loop {
        let mut search = Deterministic::new(compiled, watch.limits());
        let end = match algorithm {
            Algorithm::Table => table::run(&mut search, &enumerated, watch),
            _ => search.run(&enumerated, watch),
        };
        let mut answer = Answer::of(Statistics {
            algorithm: algorithm.name(),
            path_edges: search.rows.len() as u64,
            summary_edges: search.called.len() as u64,
            bytes: search.bytes() as u64,
            ..Statistics::default()
        });
        match end {
            Ok(()) => {}
            Err(Problem::Found(row)) if watch.wants_run() => {
                timed(&mut answer, || history::run_to(compiled, &search, row, watch.found_call()))
            }
            Err(Problem::Found(_)) => {}
            Err(Problem::Stopped(reason)) => answer.stopped = Some(reason),
            Err(Problem::Open(bit)) if !enumerated.contains(&bit) && enumerated.len() < MOST_ENUMERATED => {
                enumerated.push(bit);
                continue;
            }
            Err(Problem::Open(_) | Problem::Nondeterministic) => return None,
        }
        return Some(answer);
    }
}

fn by_components(ersm: &Ersm, watch: &mut Watch<'_>) -> Answer {
    let mut answer = Answer::of(Statistics { algorithm: Algorithm::Components.name(), ..Statistics::default() });
    let graph = match Graph::new(ersm, watch.limits()) {
        Ok(graph) => graph,
        Err(reason) => {
            answer.stopped = Some(reason);
            return answer;
        }
    };
    let mut search = Components::new(&graph);
    let end = search.run(watch);
    answer.statistics.path_edges = search.path_edges();
    answer.statistics.summary_edges = search.summary_edges();
    answer.statistics.bytes = search.bytes() as u64;
    match end {
        Ok(Some(vertex)) if watch.wants_run() => timed(&mut answer, || search.run_to(vertex)),
        Ok(_) => {}
        Err(reason) => answer.stopped = Some(reason),
    }
    answer
}

fn timed(answer: &mut Answer, run: impl FnOnce() -> Run<Vertex>) {
    let start = Instant::now();
    answer.run = Some(run());
    answer.statistics.trace_time = start.elapsed();
}

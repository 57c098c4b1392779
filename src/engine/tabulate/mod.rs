//! The BDD engine: Ball's algorithm (path edges and summary edges as BDDs, a worklist), for every
//! machine.
//!
//! Two ways of going about it are tried in turn, each with more patience than before, until one has
//! the answer: Ball's search, which explores procedures from the values they are called with, and a
//! search that summarizes procedures for all values first. The first is better where few values
//! occur, the second where it takes long until all have occurred (see `search`).
//!
//! Diagrams live in a store of fixed size. A search that runs out of nodes is started again with
//! many times as many, up to what the memory limit allows; then the answer is unknown.

mod bdd;
mod call;
mod closure;
mod explain;
mod history;
mod layout;
mod machine;
mod order;
mod point;
mod rings;
mod rounds;
mod search;
mod sift;
mod table;
#[cfg(test)]
mod tests;
mod transfer;
mod watch;

pub use order::Order;

use super::{Outcome, Progress, Statistics};
use crate::limits::{Limits, Reason};
use crate::model::{CallGraph, Ersm, Goal, NodeSet, Run, Vertex};
use bdd::Store;
use layout::Layout;
use machine::Machine;
use search::{Search, Stop, Way};
use std::time::Instant;
use watch::Watch;

/// How the engine goes about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Both ways in turn.
    #[default]
    Auto,
    /// Ball's: procedures from the values they are called with.
    Demanded,
    /// Procedures for all values, callees first; then what can be reached.
    Summarizing,
    /// Ball's to its end, then a shortest hierarchical run (Ball 3.2).
    Shortest,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 4] = [Method::Auto, Method::Demanded, Method::Summarizing, Method::Shortest];

    /// The name by which users ask for it and statistics tell it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Demanded => "demanded",
            Method::Summarizing => "summarizing",
            Method::Shortest => "shortest",
        }
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Method::Auto => "Demanded and summarizing in turn, with more and more patience",
            Method::Demanded => "Procedures from the values they are called with (Ball)",
            Method::Summarizing => "Procedures for all values first",
            Method::Shortest => "Ball's to its end, then a shortest trace",
        }
    }
}

/// What can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The method.
    pub method: Method,
    /// The order of variables to begin with.
    pub order: Order,
    /// Change the order when diagrams grow.
    pub reorder: bool,
    /// Give up after so much work (vertices worked on, more for large diagrams); without it, never.
    pub patience: Option<u64>,
}

/// Nodes and cached operations of the stores that are tried in turn. Small stores start fast.
const STORES: [(usize, usize); 4] = [(1 << 15, 1 << 13), (1 << 20, 1 << 16), (1 << 24, 1 << 20), (1 << 28, 1 << 23)];

/// Patience with the first search: so much work in any case, and so much for each vertex.
const PATIENCE: u64 = 5_000;
const PATIENCE_BY_VERTEX: u64 = 20;

/// Work after something was found, in any case.
const GRACE: u64 = 1_000;

/// The library works by recursion, a few frames for each variable: beyond so many variables the search
/// gets a thread with a stack of its own.
const MANY_VARIABLES: usize = 1_000;
const STACK: usize = 64 << 20;
const STACK_BY_VARIABLE: usize = 4 << 10;

/// Answers a question by tabulation.
pub fn tabulate(ersm: &Ersm, options: Options, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    let start = Instant::now();
    let mut watch = Watch::new(goal, NodeSet::new(ersm), limits, progress);
    let layout = Layout::new(ersm, options.order);
    let mut answer = if goal.targets.is_empty() && goal.calls.is_empty() {
        Answer::of("nothing to find")
    } else if layout.variables() <= MANY_VARIABLES {
        with_stores(ersm, options, &layout, &mut watch)
    } else {
        let stack = STACK + layout.variables() * STACK_BY_VARIABLE;
        std::thread::scope(|scope| {
            let work = || with_stores(ersm, options, &layout, &mut watch);
            let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work);
            match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => Answer::stopped(Reason::Memory),
            }
        })
    };
    answer.statistics.engine = "bdd";
    answer.statistics.variables = layout.variables() as u64;
    answer.statistics.search_time = start.elapsed() - answer.statistics.trace_time;
    Outcome { reached: watch.reached, run: answer.run, stopped: answer.stopped, statistics: answer.statistics }
}

/// What a search found, before it is put into an outcome.
#[derive(Default)]
struct Answer {
    run: Option<Run<Vertex>>,
    stopped: Option<Reason>,
    statistics: Statistics,
}

impl Answer {
    fn of(algorithm: &'static str) -> Answer {
        Answer { statistics: Statistics { algorithm, ..Statistics::default() }, ..Answer::default() }
    }

    fn stopped(reason: Reason) -> Answer {
        Answer { stopped: Some(reason), ..Answer::default() }
    }
}

/// Searches in larger and larger stores.
fn with_stores(ersm: &Ersm, options: Options, layout: &Layout, watch: &mut Watch<'_>) -> Answer {
    let room = watch.limits().free_bytes().map_or(usize::MAX, |bytes| (bytes / Store::NODE_BYTES) as usize);
    for (nodes, cache) in STORES {
        let mut answer = Answer::default();
        let end =
            Store::new(layout.variables(), nodes.min(room), cache.min(room)).map_err(Stop::from).and_then(|store| {
                watch.reorder(options.reorder.then(|| layout.groups()));
                let end = in_store(ersm, options, (&store, layout), watch, &mut answer);
                answer.statistics.peak_nodes = store.peak() as u64;
                end
            });
        answer.statistics.bytes = answer.statistics.peak_nodes * Store::NODE_BYTES;
        let reason = match end {
            Ok(()) => return answer,
            Err(Stop::Full) if nodes < room => continue,
            Err(Stop::Full) => Reason::Memory,
            Err(Stop::Limit(reason)) => reason,
            Err(Stop::Impatient) => Reason::Patience,
            Err(Stop::Found(_) | Stop::Unexplained) => Reason::Internal("no explanation of a run"),
        };
        answer.stopped = Some(reason);
        return answer;
    }
    Answer::stopped(Reason::Memory)
}

fn in_store(
    ersm: &Ersm,
    options: Options,
    (store, layout): (&Store, &Layout),
    watch: &mut Watch<'_>,
    answer: &mut Answer,
) -> Result<(), Stop> {
    let machine = Machine::new(ersm, store, layout)?;
    let enter = interesting(ersm, watch);
    let Options { method, .. } = options;
    let patience = options.patience.unwrap_or(u64::MAX);
    match method {
        Method::Auto => in_turn(&machine, &enter, patience, watch, answer),
        Method::Demanded => {
            let mut search = Search::new(&machine, Way::Demanded, watch.wants_run());
            let end = begin(&mut search, patience, watch);
            conclude(&mut search, end, &enter, watch, answer, method.name())
        }
        Method::Shortest => {
            let mut search = Search::new(&machine, Way::Demanded, watch.wants_run());
            watch.exhaustive = true;
            let end = begin(&mut search, patience, watch);
            watch.exhaustive = false;
            count(&search, answer, method.name());
            end?;
            if watch.wants_run() {
                let start = Instant::now();
                answer.run = ring_run(&search, &enter, patience, watch)?;
                answer.statistics.trace_time = start.elapsed();
            }
            Ok(())
        }
        Method::Summarizing => {
            let mut summarizer = Search::new(&machine, Way::Summarizing, watch.wants_run());
            begin(&mut summarizer, patience, watch)?;
            walk(&summarizer, &enter, patience, watch, answer)
        }
    }
}

/// Both ways in turn.
fn in_turn(
    machine: &Machine<'_>,
    enter: &[bool],
    most: u64,
    watch: &mut Watch<'_>,
    answer: &mut Answer,
) -> Result<(), Stop> {
    let mut search = Search::new(machine, Way::Demanded, watch.wants_run());
    let mut patience = most.min(PATIENCE + PATIENCE_BY_VERTEX * machine.places.len() as u64);
    let mut end = begin(&mut search, patience, watch);
    while let Err(Stop::Impatient) = end {
        if machine.callers.iter().any(|callers| !callers.is_empty()) {
            let mut summarizer = Search::new(machine, Way::Summarizing, watch.wants_run());
            match begin(&mut summarizer, patience, watch) {
                Ok(()) => match walk(&summarizer, enter, 2 * patience, watch, answer) {
                    Err(Stop::Impatient | Stop::Full) => {}
                    end => return end,
                },
                Err(Stop::Impatient | Stop::Full) => {}
                Err(stop) => return Err(stop),
            }
        }
        if patience == most {
            break;
        }
        patience = most.min(patience.saturating_mul(8));
        end = search.run(patience, watch);
    }
    conclude(&mut search, end, enter, watch, answer, Method::Demanded.name())
}

fn begin(search: &mut Search<'_, '_>, patience: u64, watch: &mut Watch<'_>) -> Result<(), Stop> {
    search.start(watch)?;
    search.run(patience, watch)
}

/// With all summaries known: what can be reached.
fn walk(
    summarizer: &Search<'_, '_>,
    enter: &[bool],
    patience: u64,
    watch: &mut Watch<'_>,
    answer: &mut Answer,
) -> Result<(), Stop> {
    let way = Way::Walking { known: summarizer, enter };
    let mut search = Search::new(summarizer.machine, way, watch.wants_run());
    let end = begin(&mut search, patience, watch);
    conclude(&mut search, end, enter, watch, answer, Method::Summarizing.name())?;
    answer.statistics.iterations += summarizer.rounds;
    answer.statistics.path_edges += summarizer.table.count;
    answer.statistics.summary_edges = summarizer.summary_count;
    answer.statistics.largest_nodes = answer.statistics.largest_nodes.max(summarizer.largest() as u64);
    Ok(())
}

fn count(search: &Search<'_, '_>, answer: &mut Answer, algorithm: &'static str) {
    answer.statistics.algorithm = algorithm;
    answer.statistics.iterations = search.rounds;
    answer.statistics.path_edges = search.table.count;
    answer.statistics.summary_edges = search.summary_count;
    answer.statistics.largest_nodes = search.largest() as u64;
}

/// Puts the answer together, and the run if there is one.
fn conclude(
    search: &mut Search<'_, '_>,
    end: Result<(), Stop>,
    enter: &[bool],
    watch: &mut Watch<'_>,
    answer: &mut Answer,
    algorithm: &'static str,
) -> Result<(), Stop> {
    count(search, answer, algorithm);
    match end {
        Err(Stop::Found(vertex)) if watch.wants_run() => {
            let start = Instant::now();
            go_on(search, watch)?;
            let patience = PATIENCE + 4 * search.rounds;
            // A short run is worth no second search in a larger store.
            answer.run = match ring_run(search, enter, patience, watch) {
                Ok(Some(run)) => Some(run),
                Ok(None) | Err(Stop::Full) => Some(history::run_to(search, vertex, watch.limits())?),
                Err(stop) => return Err(stop),
            };
            answer.statistics.trace_time = start.elapsed();
            Ok(())
        }
        Ok(()) | Err(Stop::Found(_)) => Ok(()),
        Err(stop) => Err(stop),
    }
}

/// Goes on for a while after something was found: if the search ends by then, all summaries are known
/// and the run in rings is a shortest one.
fn go_on(search: &mut Search<'_, '_>, watch: &mut Watch<'_>) -> Result<(), Stop> {
    watch.exhaustive = true;
    let end = search.run(GRACE + 2 * search.rounds, watch);
    watch.exhaustive = false;
    match end {
        Ok(()) | Err(Stop::Impatient | Stop::Found(_) | Stop::Full) => Ok(()),
        Err(stop) => Err(stop),
    }
}

/// A run that is shortest with the summaries that were found; `None` if there is none or it takes long.
fn ring_run(
    search: &Search<'_, '_>,
    enter: &[bool],
    patience: u64,
    watch: &mut Watch<'_>,
) -> Result<Option<Run<Vertex>>, Stop> {
    let way = Way::Walking { known: search.summarizer(), enter };
    let mut rings = Search::new(search.machine, way, true);
    match rings::explore(&mut rings, patience, watch) {
        Err(Stop::Found(vertex)) => history::run_to(&rings, vertex, watch.limits()).map(Some),
        Ok(()) | Err(Stop::Impatient) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Procedures in which, or in whose callees, there is something to find.
fn interesting(ersm: &Ersm, watch: &Watch<'_>) -> Vec<bool> {
    let graph = CallGraph::new(ersm);
    let mut interesting: Vec<bool> = ersm.procedures().map(|(id, p)| watch.is_in(id, p)).collect();
    // Callees come first; only recursion needs more than one pass.
    loop {
        let mut changed = false;
        for &procedure in &graph.bottom_up {
            let callees = &graph.callees[procedure.index()];
            if !interesting[procedure.index()] && callees.iter().any(|callee| interesting[callee.index()]) {
                interesting[procedure.index()] = true;
                changed = true;
            }
        }
        if !changed || !graph.recursive {
            return interesting;
        }
    }
}

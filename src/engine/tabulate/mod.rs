//! The BDD engine: Ball's algorithm (path edges and summary edges as BDDs, a worklist), for every
//! machine.
//!
//! Two ways of going about it are tried in turn (`turns`), each with more patience than before, until one
//! has the answer: Ball's search, which explores procedures from the values they are called with, and a
//! search that summarizes procedures for all values first. The first is better where few values
//! occur, the second where it takes long until all have occurred (see `search`).
//!
//! Diagrams live in a store of fixed size. A search that runs out of nodes is started again with
//! many times as many, up to what the memory limit allows; then the answer is unknown.

mod bdd;
mod branching;
mod call;
mod closure;
mod explain;
mod heads;
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
mod turns;

pub use branching::{label, open};
pub use order::Order;

use super::watch::Watch;
use super::{NOTHING_TO_FIND, Outcome, Progress, Repeating};
use crate::limits::{Limits, Reason};
use crate::logic::Stack;
use crate::model::{Ersm, Goal, NodeSet};
use crate::temporal::Marked;
use bdd::{Halt, Store};
use layout::Layout;
use machine::Machine;
use search::Stop;
use std::time::Instant;
use turns::{Found, Turns};

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
}

/// Nodes and cached operations of the stores that are tried in turn. Small stores start fast.
const STORES: [(usize, usize); 4] = [(1 << 15, 1 << 13), (1 << 20, 1 << 16), (1 << 24, 1 << 20), (1 << 28, 1 << 23)];

/// The library works by recursion, a few frames for each variable: beyond so many variables the search
/// gets a thread with a stack of its own.
const MANY_VARIABLES: usize = 1_000;
const STACK: usize = 64 << 20;
const STACK_BY_VARIABLE: usize = 4 << 10;

/// Answers a question by tabulation.
pub fn tabulate(ersm: &Ersm, options: Options, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    let start = Instant::now();
    let mut watch = Watch::new(ersm, goal, limits, progress);
    let layout = Layout::new(ersm, options.order);
    let (mut found, stopped) = if goal.targets.is_empty() && goal.calls.is_empty() {
        let mut nothing = Found::default();
        nothing.statistics.algorithm = NOTHING_TO_FIND;
        (nothing, None)
    } else {
        let search = |machine: &Machine<'_>, watch: &mut Watch<'_>, found: &mut Found| {
            Turns::new(machine, watch, found).answer(options.method)
        };
        with_stack(&layout, || with_stores(ersm, options, &layout, &mut watch, &search))
    };
    found.statistics.engine = "bdd";
    found.statistics.variables = layout.variables() as u64;
    found.statistics.search_time = start.elapsed() - found.statistics.trace_time;
    Outcome {
        found: watch.found_something(),
        reached: watch.into_reached(ersm),
        run: found.run,
        again: None,
        explanation: None,
        proof: None,
        stopped,
        statistics: found.statistics,
    }
}

/// Looks for a repeating head of a marked product.
pub fn find_head(
    marked: &Marked,
    options: Options,
    stack: Stack,
    limits: &Limits,
    progress: Progress<'_>,
) -> Repeating {
    let start = Instant::now();
    let goal = Goal { targets: NodeSet::new(&marked.ersm), calls: Vec::new(), all: true };
    let mut watch = Watch::new(&marked.ersm, &goal, limits, progress);
    let layout = Layout::new(&marked.ersm, options.order);
    let search = |machine: &Machine<'_>, watch: &mut Watch<'_>, found: &mut Found| {
        heads::find_head(machine, marked, stack, watch, found)
    };
    let (found, stopped) = with_stack(&layout, || with_stores(&marked.ersm, options, &layout, &mut watch, &search));
    let Found { head, mut statistics, .. } = found;
    statistics.engine = "bdd";
    statistics.algorithm = "heads";
    statistics.variables = layout.variables() as u64;
    statistics.search_time = start.elapsed();
    Repeating { head: stopped.map_or(Ok(head), Err), statistics }
}

/// Does something with a stack that fits the number of variables.
fn with_stack(layout: &Layout, work: impl FnOnce() -> (Found, Option<Reason>) + Send) -> (Found, Option<Reason>) {
    if layout.variables() <= MANY_VARIABLES {
        return work();
    }
    let stack = STACK + layout.variables() * STACK_BY_VARIABLE;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work);
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => (Found::default(), Some(Reason::no_thread(stack, &error))),
        }
    })
}

/// Something that is searched for in a machine.
type Work<'w> = dyn Fn(&Machine<'_>, &mut Watch<'_>, &mut Found) -> Result<(), Stop> + Sync + 'w;

/// Searches in larger and larger stores. What was found, and why it was not all.
fn with_stores(
    ersm: &Ersm,
    options: Options,
    layout: &Layout,
    watch: &mut Watch<'_>,
    work: &Work<'_>,
) -> (Found, Option<Reason>) {
    let room = Store::room(watch.limits());
    let mut found = Found::default();
    let mut peak = 0;
    for (nodes, cache) in STORES {
        let (nodes, cache) = (nodes.min(room), cache.min(room));
        // Many variables do not fit into a small store.
        let store = match Store::new(layout.variables(), nodes, cache) {
            Ok(store) => store,
            Err(Halt::Full) => continue,
            Err(Halt::Limit(reason)) => return (found, Some(reason)),
        };
        found = Found::default();
        let mut store = store.with_limits(watch.limits());
        if options.reorder {
            store = store.with_reordering(layout.groups());
        }
        let end = Machine::new(ersm, &store, layout)
            .map_err(Stop::from)
            .and_then(|machine| work(&machine, watch, &mut found));
        found.statistics.peak_nodes = store.peak() as u64;
        peak = peak.max(found.statistics.peak_nodes);
        found.statistics.peak_nodes = peak;
        found.statistics.bytes = peak * Store::NODE_BYTES;
        let reason = match end {
            Ok(()) => return (found, None),
            Err(Stop::Full) if nodes < room => continue,
            Err(Stop::Full) => Reason::Memory,
            Err(Stop::Limit(reason)) => reason,
            Err(Stop::Impatient) => Reason::Patience,
            Err(Stop::Found(_) | Stop::Unexplained) => Reason::Internal("no explanation of a run"),
        };
        return (found, Some(reason));
    }
    (found, Some(Reason::Memory))
}

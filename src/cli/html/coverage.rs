//! Which statements can be reached, for a page that is about something else: as much as little work tells. The work is counted, not
//! timed, so that the same question gives the same page.

use super::marks::Marks;
use crate::checker::Engine;
use crate::cli::findings::Findings;
use crate::engine::tabulate;
use crate::limits::Limits;
use std::time::{Duration, Instant};

/// Path edges that are looked at one by one, and how much may be evaluated for them, in steps of [`Limits::with_effort`]: edges of
/// programs with long words are dear.
const EDGES: u64 = 200_000;
const STEPS: u64 = 20;
/// Bits of all valuations at the ends of these edges.
const BITS: u64 = 200_000_000;
/// Where these leave something open, places whose sets of values are computed…
const SETS: u64 = 1_000;
/// …of procedures with not more variables: a single set can be large.
const MOST_VARIABLES: usize = 64;

/// What a short search told.
#[derive(Default)]
pub(in crate::cli) struct Coverage {
    pub(super) marks: Marks,
    pub(super) time: Duration,
}

impl Coverage {
    pub(in crate::cli) fn search(found: &Findings<'_>, limits: &Limits) -> Coverage {
        let (start, checker) = (Instant::now(), found.checker);
        let search = |engine, work: u64| {
            let limits = limits.clone().with_patience(work.min(limits.patience())).with_effort(STEPS);
            checker.reach(true, engine, &limits, &mut |_| ())
        };
        let scope = checker.class().measures.scope;
        let mut reached = search(Engine::Expand(None), EDGES.min(BITS / scope.max(1) as u64));
        if reached.stopped.is_some() && scope <= MOST_VARIABLES && limits.check(0).is_ok() {
            let more = search(Engine::Tabulate(tabulate::Options::default()), SETS);
            for (own, other) in reached.statements.iter_mut().zip(more.statements) {
                own.reachable = own.reachable.or(other.reachable);
            }
        }
        Coverage { marks: Marks::new(found.source, found.program, &reached.statements), time: start.elapsed() }
    }
}

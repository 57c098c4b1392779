//! Which statements can be reached, for a page that is about something else: as much as little work tells. The work is counted, not
//! timed, so that the same question gives the same page.

use super::marks::Marks;
use crate::checker::Engine;
use crate::cli::findings::Findings;
use crate::engine::tabulate;
use crate::limits::Limits;
use std::time::{Duration, Instant};

/// Path edges that are looked at one by one…
const EDGES: u64 = 200_000;
/// …and, where these leave something open, vertices whose sets of values are computed.
const SETS: u64 = 2_000;
/// Larger machines are not searched with sets: a single one can be large.
const MOST_VARIABLES: usize = 200;

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
            let limits = limits.clone().with_patience(work.min(limits.patience()));
            checker.reach(true, engine, &limits, &mut |_| ())
        };
        let mut reached = search(Engine::Expand(None), EDGES);
        let is_small = checker.class().measures.scope <= MOST_VARIABLES;
        if reached.stopped.is_some() && is_small && limits.check(0).is_ok() {
            let more = search(Engine::Tabulate(tabulate::Options::default()), SETS);
            for (own, other) in reached.statements.iter_mut().zip(more.statements) {
                own.reachable = own.reachable.or(other.reachable);
            }
        }
        Coverage { marks: Marks::new(found.source, found.program, &reached.statements), time: start.elapsed() }
    }
}

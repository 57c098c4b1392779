//! Engine `auto` where the class promises nothing: explicit exploration and SAT summaries take turns.
//!
//! Either can be hopeless where the other one answers at once: explicit exploration counts through a long loop that
//! summaries take level by level, and summaries see through sixty variables that exploration would enumerate.
//! So each gets a little patience, then each gets more, from the start: what is done again is a fraction of the last
//! turn, and the answer costs a few times what the better of the two would have cost.

use crate::engine::expand::{self, Algorithm};
use crate::engine::summarize::{self, Options};
use crate::engine::{Outcome, Progress};
use crate::limits::{Limits, Reason};
use crate::model::{Ersm, Goal};

/// Path edges of the first turn of exploration, and so many more for each node, box and transition: programs
/// that are only long are not given up.
const FIRST_EDGES: u64 = 300_000;
const EDGES_FOR_A_PART: u64 = 100;

/// Queries of the first turn of summaries.
const FIRST_QUERIES: u64 = 10_000;

/// Variables in a scope from which summaries come first: too many to try all values of.
const MANY_VARIABLES: usize = 20;

/// By how much patience grows.
const GROWTH: u64 = 8;

pub(super) fn take_turns(
    ersm: &Ersm,
    algorithm: Algorithm,
    goal: &Goal,
    limits: &Limits,
    progress: Progress<'_>,
) -> Outcome {
    let mut edges = FIRST_EDGES + EDGES_FOR_A_PART * ersm.size() as u64;
    let mut queries = FIRST_QUERIES;
    let mut explores = !ersm.procedures().any(|(id, _)| ersm.scope_size(id) > MANY_VARIABLES);
    loop {
        let patience = if explores { &mut edges } else { &mut queries };
        let most = (*patience).min(limits.patience());
        let limited = limits.clone().with_patience(most);
        let outcome = match explores {
            true => expand::explore(ersm, algorithm, goal, &limited, progress),
            false => summarize::summarize(ersm, Options::default(), goal, &limited, progress),
        };
        // Who has no memory left for states may have enough for formulas.
        let is_full = explores && matches!(outcome.stopped, Some(Reason::Memory | Reason::TooManyStates));
        let is_impatient = outcome.stopped == Some(Reason::Patience) && most < limits.patience();
        if !is_full && !is_impatient {
            return outcome;
        }
        *patience = patience.saturating_mul(GROWTH);
        if is_full {
            queries = u64::MAX;
        }
        explores = !explores;
    }
}

//! Shortest hierarchical runs (Ball 3.2): a walk in rings.
//!
//! Ring r holds the path edges whose nearest run, calls that return counted as one step, has r steps.
//! The summaries are known beforehand, as in the paper's second phase of the argument: a summary that
//! was found late may belong to a call at the very beginning, so rings in the order of discovery would
//! not be the nearest.
//!
//! Steps that are no steps of a run (into a call of a Boolean program, into a procedure, out of one)
//! are taken within a ring, before the ring's other steps.

use super::search::{Search, Stop};
use crate::engine::watch::Watch;

/// Explores in rings until something is found, everything is, or `patience` rounds are used up.
pub(super) fn explore(search: &mut Search<'_, '_>, patience: u64, watch: &mut Watch<'_>) -> Result<(), Stop> {
    let machine = search.machine;
    let counts = |vertex: u32| machine.places[vertex as usize].counts;
    search.start(watch)?;
    search.tell()?;
    loop {
        let mut ring = Vec::new();
        loop {
            let waiting = search.waiting();
            if waiting.is_empty() {
                break;
            }
            for vertex in waiting {
                let batch = search.take(vertex);
                search.spread(&batch, watch, |to| !counts(to))?;
                search.cross(&batch, watch)?;
                search.rounds += 1;
                search.look(watch)?;
                search.tell()?;
                ring.push(batch);
            }
        }
        if ring.is_empty() {
            return Ok(());
        }
        if search.rounds >= patience {
            return Err(Stop::Impatient);
        }
        for batch in ring {
            search.spread(&batch, watch, counts)?;
            search.tell()?;
        }
    }
}

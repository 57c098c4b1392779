//! How large an unfolding can get, without building it.
//!
//! Copies of a predicate for which holes may still be opened equally deep have equally many copies inside, so they
//! are counted, not listed: callers first, and within a component level by level. The number can be
//! exponential in the size of the system, the time to find it is not. Each level has a hole that is opened
//! in it, so that the limit ends the count of a great depth, too.

use super::{DepthOf, UnfoldError};
use crate::{Components, Gate, PredicateId, System};
use rustc_hash::FxHashMap;

/// An upper bound of the clauses of the unfolding, exact only as long as it is within the limit.
pub(super) fn clauses(
    system: &System,
    root: PredicateId,
    components: &Components,
    depth: Option<DepthOf<'_>>,
    most_clauses: u64,
) -> Result<u64, UnfoldError> {
    let mut bodies: Vec<Option<u64>> = vec![None; system.bodies().len()];
    // By predicate: copies that are asked for from outside of its component.
    let mut entered: Vec<u64> = vec![0; system.len()];
    entered[root.index()] = 1;
    let mut clauses: u64 = 1;
    let component = |predicate: usize| components.of[predicate];
    for members in components.bottom_up.chunk_by(|&a, &b| component(a) == component(b)).rev() {
        let copies = members.iter().map(|&member| (member, entered[member]));
        let own_depth = |member: usize| depth.map_or(0, |depth| depth(member));
        // By predicate and how deep holes may still be opened.
        let mut level: FxHashMap<(usize, u32), u64> = copies
            .filter(|(_, copies)| *copies > 0)
            .map(|(member, copies)| ((member, own_depth(member)), copies))
            .collect();
        while !level.is_empty() {
            let mut deeper: FxHashMap<(usize, u32), u64> = FxHashMap::default();
            for (&(member, left), &copies) in &level {
                let predicate = PredicateId(member as u32);
                let own = *bodies[system.body_number(predicate)].get_or_insert_with(|| body_clauses(system, predicate));
                clauses = clauses.saturating_add(copies.saturating_mul(own));
                for callee in system.callees(predicate).iter().map(|callee| callee.index()) {
                    let more = match component(callee) == component(member) {
                        false => &mut entered[callee],
                        true if depth.is_none() => return Err(UnfoldError::Cyclic),
                        true if left == 0 => continue,
                        true => deeper.entry((callee, left - 1)).or_default(),
                    };
                    *more = more.saturating_add(copies);
                }
            }
            if !deeper.is_empty() && clauses > most_clauses {
                return Ok(clauses);
            }
            level = deeper;
        }
    }
    Ok(clauses)
}

/// Three clauses for each conjunction, "used" included; for each hole the claims of what is inside.
fn body_clauses(system: &System, predicate: PredicateId) -> u64 {
    let body = system.body(predicate);
    let cone = system.circuit.cone(body.signals());
    let gates = cone.iter().filter(|&&gate| matches!(system.circuit.gate_at(gate), Gate::And(..))).count();
    let holes = body.holes.iter().map(|hole| 3 + 1 + 2 * hole.arguments.len() as u64);
    3 * gates as u64 + holes.sum::<u64>()
}

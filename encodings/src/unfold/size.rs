//! How large an unfolding can get, without building it.
//!
//! The copies below a copy depend only on its predicate and on how deep holes may still be opened, so they
//! are counted once for each of these, callees first: the number can be exponential in the size of the
//! system, the time to find it is not.

use super::{Extent, UnfoldError};
use crate::{Components, Gate, PredicateId, System};
use rustc_hash::FxHashMap;

/// An upper bound of the clauses of the unfolding; exceeding the extent is enough.
pub(super) fn most_clauses(
    system: &System,
    root: PredicateId,
    components: &Components,
    extent: Extent,
) -> Result<u64, UnfoldError> {
    let mut bodies: Vec<Option<u64>> = vec![None; system.bodies().len()];
    // By predicate: clauses of an instance that is asked for from outside of its component.
    let mut total: Vec<u64> = vec![0; system.len()];
    let component = |predicate: usize| components.of[predicate];
    for members in components.bottom_up.chunk_by(|&a, &b| component(a) == component(b)) {
        let own: Vec<u64> =
            members.iter().map(|&member| outside(system, components, member, &mut bodies, &total)).collect();
        let places: FxHashMap<usize, usize> = members.iter().copied().zip(0..).collect();
        let inner = |&member: &usize| -> Vec<usize> {
            let callees = system.callees(PredicateId(member as u32)).iter();
            callees.filter_map(|callee| places.get(&callee.index()).copied()).collect()
        };
        let inner: Vec<Vec<usize>> = members.iter().map(inner).collect();
        let mut clauses = own.clone();
        if inner.iter().any(|callees| !callees.is_empty()) {
            // Every member has an inner hole, so each round adds clauses, and the limit is soon reached.
            for _ in 0..extent.depth.ok_or(UnfoldError::Cyclic)? {
                if clauses.iter().all(|&clauses| clauses > extent.most_clauses) {
                    break;
                }
                let round = own.iter().zip(&inner);
                clauses = round
                    .map(|(&own, callees)| callees.iter().fold(own, |sum, &c| sum.saturating_add(clauses[c])))
                    .collect();
            }
        }
        members.iter().zip(clauses).for_each(|(&member, clauses)| total[member] = clauses);
    }
    Ok(total[root.index()].saturating_add(1))
}

/// Clauses of an instance and of all below it in other components.
fn outside(system: &System, components: &Components, member: usize, bodies: &mut [Option<u64>], total: &[u64]) -> u64 {
    let predicate = PredicateId(member as u32);
    let own = *bodies[system.body_number(predicate)].get_or_insert_with(|| body_clauses(system, predicate));
    let callees = system.callees(predicate).iter().map(|callee| callee.index());
    let others = callees.filter(|&callee| components.of[callee] != components.of[member]);
    others.fold(own, |sum, callee| sum.saturating_add(total[callee]))
}

/// Three clauses for each conjunction, "used" included; for each hole the claims of what is inside.
fn body_clauses(system: &System, predicate: PredicateId) -> u64 {
    let body = system.body(predicate);
    let cone = system.circuit.cone(body.signals());
    let gates = cone.iter().filter(|&&gate| matches!(system.circuit.gate_at(gate), Gate::And(..))).count();
    let holes = body.holes.iter().map(|hole| 3 + 1 + 2 * hole.arguments.len() as u64);
    3 * gates as u64 + holes.sum::<u64>()
}

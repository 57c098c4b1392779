//! A model of an unfolding as a derivation.

use super::fact::{Fact, FactId, Point};
use epitome_encodings::{PredicateId, Unfolding, Values};
use rustc_hash::FxHashMap;

/// The instances that are used, as facts, callees first, so that the last one is the root's. Equal ones are one.
pub(in crate::engine) fn facts_of(unfolding: &Unfolding, values: &Values) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut known: FxHashMap<(PredicateId, Point), FactId> = FxHashMap::default();
    let mut of_instance: Vec<Option<FactId>> = vec![None; unfolding.instances.len()];
    for (place, instance) in unfolding.instances.iter().enumerate().rev() {
        if !values.get(instance.used) {
            continue;
        }
        let point = Point::new(instance.arguments.iter().map(|&argument| values.get(argument)));
        let next = facts.len() as FactId;
        let fact = *known.entry((instance.predicate, point.clone())).or_insert(next);
        of_instance[place] = Some(fact);
        if fact == next {
            let mut inputs = vec![false; instance.inputs.last().map_or(0, |(number, _)| *number as usize + 1)];
            instance.inputs.iter().for_each(|&(number, signal)| inputs[number as usize] = values.get(signal));
            let inside = |(hole, inside): (usize, &Option<u32>)| Some((hole, of_instance[(*inside)? as usize]?));
            facts.push(Fact {
                predicate: instance.predicate,
                point,
                inputs: Point::new(inputs.into_iter()),
                holes: instance.holes.iter().enumerate().filter_map(inside).collect(),
            });
        }
    }
    facts
}

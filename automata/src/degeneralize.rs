//! From generalized automata to Büchi automata.
//!
//! A state of the result is a state and the number of acceptance sets that were passed, in order, since it was accepting
//! last. Transitions pass as many sets as they can at once; those that leave a component start to count anew, anywhere. The
//! order of the sets and where to start matter to the size: where there are few, all orders are tried, otherwise some.

use crate::automaton::{Automaton, Buchi, Cube, Transition};
use crate::components::components;
use crate::reduce::reduce;
use rustc_hash::FxHashMap;

/// So many orders of the acceptance sets are tried, and so many of the automata they give are reduced.
const MOST_ORDERS: usize = 24;
const MOST_REDUCED: usize = 12;

/// The smallest Büchi automaton that is found.
pub(crate) fn degeneralize(automaton: &Automaton) -> Buchi {
    let sets: Vec<u32> = (0..automaton.sets).collect();
    let orders = orders(&sets);
    let tries = orders.iter().flat_map(|order| (0..=order.len()).map(move |entry| (order, entry)));
    let mut found: Vec<Buchi> = tries.map(|(order, entry)| in_order(automaton, order, entry)).collect();
    // Those that are small before they are reduced are small after it, more often than not.
    found.sort_by_key(size);
    found.iter().take(MOST_REDUCED).map(reduced).min_by_key(size).unwrap_or_default()
}

/// The automaton as a Büchi automaton, if it is one: with a single set, of all transitions that leave some states.
pub(crate) fn as_buchi(automaton: &Automaton) -> Option<Buchi> {
    let mut buchi = Buchi::default();
    for leaving in &automaton.transitions {
        let is_accepting = leaving.first().is_some_and(|t| t.accepting != 0);
        if automaton.sets != 1 || leaving.iter().any(|t| (t.accepting != 0) != is_accepting) {
            return None;
        }
        buchi.accepting.push(is_accepting);
        buchi.transitions.push(leaving.iter().map(|t| (t.cube, t.to)).collect());
    }
    Some(buchi)
}

/// States and transitions.
pub(crate) fn size(buchi: &Buchi) -> (usize, usize) {
    (buchi.states(), buchi.transitions.iter().map(Vec::len).sum())
}

/// Orders of the sets: all, or the first ones.
fn orders(sets: &[u32]) -> Vec<Vec<u32>> {
    let mut orders = vec![Vec::new()];
    for &set in sets {
        let mut longer = Vec::new();
        for order in &orders {
            for at in (0..=order.len()).rev() {
                let mut order: Vec<u32> = order.clone();
                order.insert(at, set);
                longer.push(order);
            }
        }
        longer.truncate(MOST_ORDERS);
        orders = longer;
    }
    orders
}

/// Counts sets in this order; whoever comes into a component has passed so many already, which changes nothing that
/// happens for ever.
fn in_order(automaton: &Automaton, order: &[u32], entry: usize) -> Buchi {
    let successors = |state: usize| automaton.transitions[state].iter().map(|t| t.to as usize).collect::<Vec<_>>();
    let (component, count) = components(automaton.states(), successors);
    // Sets that every transition of a component is in need not be counted there.
    let mut always = vec![u64::MAX; count];
    let mut has_cycle = vec![false; count];
    for (state, leaving) in automaton.transitions.iter().enumerate() {
        for t in leaving.iter().filter(|t| component[t.to as usize] == component[state]) {
            always[component[state]] &= t.accepting;
            has_cycle[component[state]] = true;
        }
    }
    let last = order.len();
    let passed = |from: usize, component: usize, accepting: u64| {
        let is_passed = |set: &&u32| (accepting | always[component]) >> **set & 1 == 1;
        from + order[from..].iter().take_while(is_passed).count()
    };
    let entered = |state: usize| if has_cycle[component[state]] { passed(entry, component[state], 0) } else { 0 };
    let start = (0usize, entered(0));
    let mut numbers: FxHashMap<(usize, usize), u32> = FxHashMap::default();
    numbers.insert(start, 0);
    let mut found = vec![start];
    let mut buchi = Buchi::default();
    while buchi.transitions.len() < found.len() {
        let (state, level) = found[buchi.transitions.len()];
        let mut leaving: Vec<(Cube, u32)> = Vec::new();
        for &Transition { cube, accepting, to } in &automaton.transitions[state] {
            let to = to as usize;
            let next = match component[to] == component[state] {
                true => (to, passed(if level == last { 0 } else { level }, component[state], accepting)),
                false => (to, entered(to)),
            };
            let number = *numbers.entry(next).or_insert_with(|| {
                found.push(next);
                found.len() as u32 - 1
            });
            leaving.push((cube, number));
        }
        buchi.transitions.push(leaving);
        buchi.accepting.push(level == last && has_cycle[component[state]]);
    }
    buchi
}

/// A smaller Büchi automaton of the same language.
pub(crate) fn reduced(buchi: &Buchi) -> Buchi {
    let automaton = reduce(buchi.generalized());
    let is_accepting = |leaving: &Vec<Transition>| leaving.iter().any(|t| t.accepting != 0);
    Buchi {
        accepting: automaton.transitions.iter().map(is_accepting).collect(),
        transitions: automaton
            .transitions
            .iter()
            .map(|leaving| leaving.iter().map(|t| (t.cube, t.to)).collect())
            .collect(),
    }
}

//! Smaller automata of the same language: dead states, acceptance that does not matter, and simulation.
//!
//! A state *simulates* another if it can do whatever the other can, move by move, passing through at least the same
//! acceptance sets (direct simulation; Somenzi and Bloem). States that simulate each other are one, and a transition that
//! goes where a better one goes is not needed. The same with transitions reversed merges states that are reached in the
//! same ways. All this is repeated while it helps.

use crate::automaton::{Automaton, Cube, Transition};
use crate::components::components;
use rustc_hash::FxHashMap;

/// Larger automata are not compared state by state.
const MOST_COMPARED: usize = 600;

/// Nor are those with more transitions, all pairs of which are compared.
const MOST_TRANSITIONS: usize = 1_000;

/// Reduces as long as it helps.
pub(crate) fn reduce(mut automaton: Automaton) -> Automaton {
    loop {
        let before = (automaton.states(), automaton.transitions.iter().map(Vec::len).sum::<usize>());
        automaton = prune(automaton);
        let transitions = automaton.transitions.iter().map(Vec::len).sum::<usize>();
        if automaton.states() <= MOST_COMPARED && transitions <= MOST_TRANSITIONS {
            automaton = prune(forward(automaton));
            automaton = prune(backward(automaton));
        }
        let after = (automaton.states(), automaton.transitions.iter().map(Vec::len).sum::<usize>());
        if after >= before {
            return automaton;
        }
    }
}

/// Leaves out states that are not reached or from which nothing is accepted, and acceptance outside of cycles; numbers
/// states in the order in which they are reached. Acceptance sets that all cycles pass are left out.
pub(crate) fn prune(automaton: Automaton) -> Automaton {
    let successors = |state: usize| automaton.transitions[state].iter().map(|t| t.to as usize).collect::<Vec<_>>();
    let (component, count) = components(automaton.states(), successors);
    let mut passed = vec![0u64; count];
    let mut has_cycle = vec![false; count];
    for (state, leaving) in automaton.transitions.iter().enumerate() {
        for t in leaving.iter().filter(|t| component[t.to as usize] == component[state]) {
            passed[component[state]] |= t.accepting;
            has_cycle[component[state]] = true;
        }
    }
    let all = automaton.all_sets();
    // Components are numbered from the last up.
    let mut is_live: Vec<bool> = (0..count).map(|c| has_cycle[c] && passed[c] == all).collect();
    let is_good = is_live.clone();
    let mut by_component: Vec<Vec<usize>> = vec![Vec::new(); count];
    (0..automaton.states()).for_each(|state| by_component[component[state]].push(state));
    for c in 0..count {
        let reaches = |state: &usize| automaton.transitions[*state].iter().any(|t| is_live[component[t.to as usize]]);
        if by_component[c].iter().any(reaches) {
            is_live[c] = true;
        }
    }
    let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
    numbers.insert(0, 0);
    let mut order = vec![0];
    let mut transitions: Vec<Vec<Transition>> = Vec::new();
    while transitions.len() < order.len() {
        let state = order[transitions.len()];
        let mut leaving = Vec::new();
        for t in &automaton.transitions[state] {
            let to = t.to as usize;
            if !is_live[component[to]] {
                continue;
            }
            let number = *numbers.entry(to).or_insert_with(|| {
                order.push(to);
                order.len() as u32 - 1
            });
            let is_inside = (component[to] == component[state] || automaton.on_states) && is_good[component[state]];
            leaving.push(Transition { accepting: if is_inside { t.accepting } else { 0 }, to: number, ..*t });
        }
        transitions.push(joined(leaving));
    }
    Automaton { transitions, ..automaton }
}

/// Transitions that differ in their cubes alone are put together, where that gives one cube; those that another one covers
/// are left out.
fn joined(mut transitions: Vec<Transition>) -> Vec<Transition> {
    loop {
        transitions.sort_unstable();
        transitions.dedup();
        let covers = |a: &Transition, b: &Transition| {
            a.to == b.to && b.cube.implies(a.cube) && a.accepting & b.accepting == b.accepting
        };
        let mut kept: Vec<Transition> = Vec::new();
        for (index, t) in transitions.iter().enumerate() {
            if !kept.iter().chain(&transitions[index + 1..]).any(|other| covers(other, t)) {
                kept.push(*t);
            }
        }
        transitions = kept;
        let pair = (0..transitions.len()).find_map(|a| {
            (a + 1..transitions.len()).find_map(|b| {
                let (x, y) = (transitions[a], transitions[b]);
                let same = x.to == y.to && x.accepting == y.accepting;
                x.cube.joined(y.cube).filter(|_| same).map(|cube| (a, b, cube))
            })
        });
        match pair {
            Some((a, b, cube)) => {
                transitions[a].cube = cube;
                transitions.remove(b);
            }
            None => return transitions,
        }
    }
}

/// By pairs of states: the second does whatever the first does.
fn simulation(automaton: &Automaton, may: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
    let states = automaton.states();
    let mut simulates: Vec<Vec<bool>> = (0..states).map(|a| (0..states).map(|b| may(a, b)).collect()).collect();
    loop {
        let mut changed = false;
        for a in 0..states {
            for b in 0..states {
                if a == b || !simulates[a][b] {
                    continue;
                }
                let is_answered = |t: &Transition| {
                    let answers = |u: &Transition| {
                        u.accepting & t.accepting == t.accepting && simulates[t.to as usize][u.to as usize]
                    };
                    is_covered(t.cube, automaton.transitions[b].iter().filter(|u| answers(u)).map(|u| u.cube))
                };
                if !automaton.transitions[a].iter().all(is_answered) {
                    simulates[a][b] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return simulates;
        }
    }
}

/// Whatever satisfies the cube satisfies one of the others.
fn is_covered(cube: Cube, others: impl Iterator<Item = Cube>) -> bool {
    let others: Vec<Cube> = others.filter(|other| cube.and(*other).is_some()).collect();
    if others.iter().any(|other| cube.implies(*other)) {
        return true;
    }
    // Split by an atom that another one looks at.
    let looked_at = others.iter().map(|other| (other.yes | other.no) & !(cube.yes | cube.no)).find(|&atoms| atoms != 0);
    let Some(atoms) = looked_at else { return false };
    let bit = atoms & atoms.wrapping_neg();
    [Cube { yes: cube.yes | bit, ..cube }, Cube { no: cube.no | bit, ..cube }]
        .into_iter()
        .all(|half| is_covered(half, others.iter().copied()))
}

/// Merges states that simulate each other, and drops transitions that others answer.
fn forward(automaton: Automaton) -> Automaton {
    let simulates = simulation(&automaton, |_, _| true);
    let merged = merge(&automaton, &simulates);
    // By one of each class, whoever comes first stands for all.
    let mut pruned = Automaton { transitions: Vec::new(), ..automaton };
    let original = merged.1;
    for leaving in &merged.0.transitions {
        let better = |a: &Transition, b: &Transition| {
            let (x, y) = (original[a.to as usize], original[b.to as usize]);
            b.cube.implies(a.cube) && a.accepting & b.accepting == b.accepting && simulates[y][x]
        };
        let mut kept: Vec<Transition> = Vec::new();
        for (index, t) in leaving.iter().enumerate() {
            if !kept.iter().chain(&leaving[index + 1..]).any(|other| better(other, t)) {
                kept.push(*t);
            }
        }
        pruned.transitions.push(kept);
    }
    pruned
}

/// One state for each class of states that simulate each other; and for each class its first state.
fn merge(automaton: &Automaton, simulates: &[Vec<bool>]) -> (Automaton, Vec<usize>) {
    let states = automaton.states();
    let first = |state: usize| (0..=state).find(|&o| simulates[o][state] && simulates[state][o]).unwrap_or(state);
    let firsts: Vec<usize> = (0..states).map(first).collect();
    let original: Vec<usize> = (0..states).filter(|&state| firsts[state] == state).collect();
    let number = |state: usize| original.binary_search(&firsts[state]).unwrap_or(0) as u32;
    let leaving = |&state: &usize| {
        let renumbered = automaton.transitions[state].iter().map(|t| Transition { to: number(t.to as usize), ..*t });
        joined(renumbered.collect())
    };
    let transitions = original.iter().map(leaving).collect();
    (Automaton { transitions, ..*automaton }, original)
}

/// Merges states that are reached in the same ways: simulation of the reversed automaton. All that leave one of them
/// leave the merged state.
fn backward(automaton: Automaton) -> Automaton {
    let (states, sets, on_states) = (automaton.states(), automaton.sets, automaton.on_states);
    let mut reversed = Automaton { transitions: vec![Vec::new(); states], ..automaton };
    for (state, leaving) in automaton.transitions.iter().enumerate() {
        for t in leaving {
            reversed.transitions[t.to as usize].push(Transition { to: state as u32, ..*t });
        }
    }
    // What is reached at the start is reached in another way.
    let accepts = |state: usize| automaton.on_states && automaton.transitions[state].iter().any(|t| t.accepting != 0);
    let simulates = simulation(&reversed, |a, b| (a != 0 || b == 0) && (!accepts(a) || accepts(b)));
    let first = |state: usize| (0..=state).find(|&o| simulates[o][state] && simulates[state][o]).unwrap_or(state);
    let firsts: Vec<usize> = (0..states).map(first).collect();
    let mut transitions = vec![Vec::new(); states];
    for (state, leaving) in automaton.transitions.into_iter().enumerate() {
        let renumbered = leaving.into_iter().map(|t| Transition { to: firsts[t.to as usize] as u32, ..t });
        transitions[firsts[state]].extend(renumbered);
    }
    let transitions = transitions.into_iter().map(joined).collect();
    Automaton { transitions, sets, on_states }
}

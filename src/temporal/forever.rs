//! What becomes of runs that stay where they are (Godefroid 4: finite computations repeat their last state for ever).
//!
//! A run that stays shows the automaton the same letter again and again. Whether a state of the automaton can accept
//! that is a function of the letter alone, a circuit over its atoms: from the state a state that accepts can be reached
//! by this letter, and from there itself. So staying is one step of the product, into a state that says "accepted", and
//! not a loop at every place where a run may have to stay.

use super::letters::Letter;
use crate::model::Leaf;
use epitome_automata::{Buchi, Cube};
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;

/// The most choices of a transition that are tried one by one to see whether it can be taken.
const MOST_CHOICES: usize = 16;

/// The signal that a cube is satisfied by a letter.
pub(super) fn satisfied(circuit: &mut Circuit, cube: Cube, letter: &[Lit]) -> Lit {
    let mut all = Lit::TRUE;
    for (number, &atom) in letter.iter().enumerate() {
        if cube.yes >> number & 1 == 1 {
            all = circuit.and(all, atom);
        }
        if cube.no >> number & 1 == 1 {
            all = circuit.and(all, !atom);
        }
    }
    all
}

/// By letter: for each state of the automaton that it accepts the letter for ever.
#[derive(Default)]
pub(super) struct Forever {
    known: FxHashMap<Letter, Vec<Lit>>,
}

impl Forever {
    /// For each state of the automaton: it accepts the letter, repeated for ever.
    pub(super) fn accepted(&mut self, circuit: &mut Circuit, automaton: &Buchi, letter: &Letter) -> &[Lit] {
        self.known.entry(letter.clone()).or_insert_with(|| accepted(circuit, automaton, letter))
    }
}

fn accepted(circuit: &mut Circuit, automaton: &Buchi, letter: &Letter) -> Vec<Lit> {
    let states = automaton.states();
    let mut reach = vec![vec![Lit::FALSE; states]; states];
    for (from, transitions) in automaton.transitions.iter().enumerate() {
        for &(cube, to) in transitions {
            let step = satisfied(circuit, cube, letter);
            reach[from][to as usize] = circuit.or(reach[from][to as usize], step);
        }
    }
    // Warshall: paths through ever more states.
    for middle in 0..states {
        for from in 0..states {
            if reach[from][middle] == Lit::FALSE {
                continue;
            }
            for to in 0..states {
                let through = circuit.and(reach[from][middle], reach[middle][to]);
                reach[from][to] = circuit.or(reach[from][to], through);
            }
        }
    }
    let mut all = vec![Lit::FALSE; states];
    for accepting in (0..states).filter(|&state| automaton.accepting[state]) {
        let again = reach[accepting][accepting];
        for (from, accepted) in all.iter_mut().enumerate() {
            let there = if from == accepting { again } else { circuit.and(reach[from][accepting], again) };
            *accepted = circuit.or(*accepted, there);
        }
    }
    all
}

/// The signal that none of these guards can hold, whatever is chosen; nothing if there are too many choices to tell.
pub(super) fn blocked(circuit: &mut Circuit, guards: &[Lit]) -> Option<Lit> {
    let mut open = Lit::FALSE;
    for &guard in guards {
        let possible = possible(circuit, guard)?;
        open = circuit.or(open, possible);
    }
    Some(!open)
}

/// The signal with some values of its choices.
fn possible(circuit: &mut Circuit, mut signal: Lit) -> Option<Lit> {
    let is_choice = |number: &u32| matches!(Leaf::from_number(*number), Leaf::Choice(_));
    let choices: Vec<u32> = circuit.support([signal]).into_iter().filter(is_choice).collect();
    if choices.len() > MOST_CHOICES {
        return None;
    }
    for choice in choices {
        let [no, yes] = [Lit::FALSE, Lit::TRUE].map(|value| {
            circuit.substitute(signal, &mut FxHashMap::default(), |circuit, number| {
                if number == choice { value } else { circuit.input(number) }
            })
        });
        signal = circuit.or(no, yes);
    }
    Some(signal)
}

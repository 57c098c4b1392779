//! The meaning of formulas and automata on words that repeat themselves: by definition, for whoever has such a word and
//! wants to know without trusting a translation.

use crate::automaton::Buchi;
use crate::formula::{Binary, Formula, Formulas, Node, Unary};

/// A word `u v v v …` of sets of atoms, a bit for each atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The letters of `u` and of one `v`.
    pub letters: Vec<u64>,
    /// Where `v` begins.
    pub back: usize,
}

impl Word {
    /// The position after a position.
    pub fn next(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back }
    }

    /// The formula holds of the word: least and greatest fixpoints over its positions. Two rounds through the part that
    /// is repeated settle each.
    ///
    /// ```
    /// use epitome_automata::{Formulas, Word, parse};
    /// let mut formulas = Formulas::default();
    /// let formula = parse("G F p", &mut formulas).unwrap().formula;
    /// assert!(Word { letters: vec![0, 0, 1], back: 1 }.satisfies(&formulas, formula));
    /// assert!(!Word { letters: vec![1, 0], back: 1 }.satisfies(&formulas, formula));
    /// ```
    pub fn satisfies(&self, formulas: &Formulas, formula: Formula) -> bool {
        let positions = self.letters.len();
        let mut truth: Vec<Vec<bool>> = vec![Vec::new(); formula.index() + 1];
        for part in formulas.parts(formula) {
            truth[part.index()] = match formulas.node(part) {
                Node::Constant(value) => vec![value; positions],
                Node::Atom(atom) => self.letters.iter().map(|letter| letter >> atom.0 & 1 == 1).collect(),
                Node::Unary(operator, inner) => self.unary(operator, &truth[inner.index()]),
                Node::Binary(operator, left, right) => {
                    self.binary(operator, &truth[left.index()], &truth[right.index()])
                }
            };
        }
        truth[formula.index()][0]
    }

    fn unary(&self, operator: Unary, a: &[bool]) -> Vec<bool> {
        match operator {
            Unary::Not => a.iter().map(|value| !value).collect(),
            Unary::Exists | Unary::Forall => a.to_vec(),
            Unary::Next => (0..a.len()).map(|at| a[self.next(at)]).collect(),
            Unary::Finally => self.fixpoint(false, |at, next| a[at] || next),
            Unary::Globally => self.fixpoint(true, |at, next| a[at] && next),
        }
    }

    fn binary(&self, operator: Binary, a: &[bool], b: &[bool]) -> Vec<bool> {
        let each = |f: fn(bool, bool) -> bool| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
        match operator {
            Binary::And => each(|a, b| a && b),
            Binary::Or => each(|a, b| a || b),
            Binary::Xor => each(|a, b| a != b),
            Binary::Implies => each(|a, b| !a || b),
            Binary::Iff => each(|a, b| a == b),
            Binary::Until => self.fixpoint(false, |at, next| b[at] || a[at] && next),
            Binary::WeakUntil => self.fixpoint(true, |at, next| b[at] || a[at] && next),
            Binary::Release => self.fixpoint(true, |at, next| b[at] && (a[at] || next)),
            Binary::StrongRelease => self.fixpoint(false, |at, next| b[at] && (a[at] || next)),
        }
    }

    fn fixpoint(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.letters.len()];
        for _ in 0..2 {
            for at in (0..values.len()).rev() {
                values[at] = step(at, values[self.next(at)]);
            }
        }
        values
    }
}

/// What a part of a word does to the states of an automaton: from which state it may lead to which, and whether an
/// accepting state is left on the way. Parts that are repeated are worked out once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// By state before: the states after it, first those that are reached at all, then those that are reached with an
    /// accepting state on the way; a bit for each.
    rows: Vec<Box<[u64]>>,
    states: usize,
}

impl Passage {
    /// Nothing is read.
    pub fn empty(automaton: &Buchi) -> Passage {
        let states = automaton.states();
        let words = (2 * states).div_ceil(64);
        let row = |state: usize| {
            let mut row = vec![0; words].into_boxed_slice();
            set(&mut row, state);
            row
        };
        Passage { rows: (0..states).map(row).collect(), states }
    }

    /// One letter.
    pub fn letter(automaton: &Buchi, letter: u64) -> Passage {
        let states = automaton.states();
        let mut passage = Passage { rows: vec![vec![0; (2 * states).div_ceil(64)].into(); states], states };
        for (from, transitions) in automaton.transitions.iter().enumerate() {
            for (_, to) in transitions.iter().filter(|(cube, _)| cube.holds(letter)) {
                set(&mut passage.rows[from], *to as usize);
                if automaton.accepting[from] {
                    set(&mut passage.rows[from], states + *to as usize);
                }
            }
        }
        passage
    }

    /// One after the other.
    pub fn then(&self, next: &Passage) -> Passage {
        let states = self.states;
        let rows = self.rows.iter().map(|row| {
            let mut after = vec![0; row.len()].into_boxed_slice();
            for middle in (0..states).filter(|&state| get(row, state)) {
                after.iter_mut().zip(&next.rows[middle]).for_each(|(after, next)| *after |= next);
                if get(row, states + middle) {
                    (0..states).filter(|&to| get(&next.rows[middle], to)).for_each(|to| set(&mut after, states + to));
                }
            }
            after
        });
        Passage { rows: rows.collect(), states }
    }

    /// One or the other.
    pub fn or(&self, other: &Passage) -> Passage {
        let rows = self.rows.iter().zip(&other.rows);
        let rows = rows.map(|(own, other)| own.iter().zip(other).map(|(own, other)| own | other).collect());
        Passage { rows: rows.collect(), states: self.states }
    }

    /// The automaton accepts this part and then the other for ever.
    pub fn accepts(&self, again: &Passage) -> bool {
        let states = self.states;
        // Repeated at least once: states and squares until nothing is added.
        let mut many = again.clone();
        loop {
            let more = many.or(&many.then(&many));
            if more == many {
                break;
            }
            many = more;
        }
        let start = &self.rows[0];
        let reached = |state: usize| {
            get(start, state) || (0..states).any(|first| get(start, first) && get(&many.rows[first], state))
        };
        states > 0 && (0..states).any(|state| get(&many.rows[state], states + state) && reached(state))
    }
}

fn get(bits: &[u64], bit: usize) -> bool {
    bits[bit / 64] >> (bit % 64) & 1 == 1
}

fn set(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
}

//! From terms to generalized Büchi automata (Couvreur; Gastin and Oddoux).
//!
//! A state is a set of terms that must all hold from now on. A *move* of a term is one way to make it true: what must hold
//! now, what must hold next, and which `a U b` it puts off. Moves are made bottom up: of `a U b` those of `b`, and those
//! of `a` with `a U b` next, which put it off; of `a R b` those of `b` with those of `a`, or with `a R b` next. A state's
//! transitions are the products of its terms' moves. For every `a U b` there is an acceptance set of the transitions that
//! do not put it off.

use crate::automaton::{Automaton, Cube, Transition, low_bits};
use crate::formula::{Binary, Formula, Formulas, Node};
use crate::simplify::MOST_COMPARED;
use crate::term::{Kind, Term, Terms};
use rustc_hash::FxHashMap;

/// Why there is no automaton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// More atoms than this.
    #[error("the formula has more than 64 atoms")]
    Atoms,
    /// Nested too deep.
    #[error("the formula is nested deeper than {DEEPEST} operators")]
    Depth,
    /// More `U` than fit.
    #[error("the formula has more than 64 eventualities")]
    Sets,
    /// More states or transitions than can be handled.
    #[error("the automaton has more than {MOST} transitions")]
    Transitions,
}

const DEEPEST: usize = 500;
const MOST: usize = 200_000;

/// One way to make a term, or all terms of a state, true.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Move {
    cube: Cube,
    /// What must hold next, sorted.
    next: Vec<Term>,
    /// What is put off, a bit for each `a U b`.
    put_off: u64,
}

impl Move {
    /// This one is at least as good as another.
    fn covers(&self, other: &Move) -> bool {
        other.cube.implies(self.cube)
            && self.put_off & other.put_off == self.put_off
            && self.next.iter().all(|term| other.next.binary_search(term).is_ok())
    }
}

/// The generalized automaton of a formula, or of its negation, before any reduction.
pub(crate) fn translate(formulas: &Formulas, formula: Formula, negated: bool) -> Result<Automaton, TooLarge> {
    if formulas.atoms().len() > 64 {
        return Err(TooLarge::Atoms);
    }
    if depth(formulas, formula) > DEEPEST {
        return Err(TooLarge::Depth);
    }
    let mut terms = Terms::default();
    let start = terms.of(formulas, formula, negated);
    Translator { terms, moves: FxHashMap::default(), untils: FxHashMap::default(), made: 0 }.automaton(start)
}

/// How deep operators are nested; a chain of the same `&&` or `||` is one.
fn depth(formulas: &Formulas, formula: Formula) -> usize {
    let is_chain = |part: Formula, of: Formula| match (formulas.node(part), formulas.node(of)) {
        (Node::Binary(inner, ..), Node::Binary(outer, ..)) => {
            inner == outer && matches!(outer, Binary::And | Binary::Or)
        }
        _ => false,
    };
    let mut depths: FxHashMap<Formula, usize> = FxHashMap::default();
    for part in formulas.parts(formula) {
        let depth = match formulas.node(part) {
            Node::Constant(_) | Node::Atom(_) => 0,
            Node::Unary(_, inner) => depths[&inner] + 1,
            Node::Binary(_, left, right) => {
                let below = |side: Formula| depths[&side] + usize::from(!is_chain(side, part));
                below(left).max(below(right))
            }
        };
        depths.insert(part, depth);
    }
    depths[&formula]
}

struct Translator {
    terms: Terms,
    moves: FxHashMap<Term, Vec<Move>>,
    /// The acceptance set of each `a U b`.
    untils: FxHashMap<Term, u32>,
    made: usize,
}

impl Translator {
    fn automaton(mut self, start: Term) -> Result<Automaton, TooLarge> {
        let Some(first) = self.state(vec![start])? else {
            return Ok(Automaton { transitions: vec![Vec::new()], sets: 0, on_states: false });
        };
        let mut states: FxHashMap<Vec<Term>, u32> = FxHashMap::default();
        let mut sets = vec![first.clone()];
        states.insert(first, 0);
        let mut found: Vec<Vec<(Cube, u64, u32)>> = Vec::new();
        while found.len() < sets.len() {
            let state = sets[found.len()].clone();
            let mut leaving = Vec::new();
            for step in self.moves_of_all(&state)? {
                let Some(next) = self.state(step.next)? else { continue };
                let number = *states.entry(next.clone()).or_insert_with(|| {
                    sets.push(next);
                    sets.len() as u32 - 1
                });
                leaving.push((step.cube, step.put_off, number));
            }
            found.push(leaving);
        }
        let count = self.untils.len() as u32;
        let all = low_bits(count);
        let transition = |&(cube, put_off, to): &(Cube, u64, u32)| Transition { cube, accepting: all & !put_off, to };
        let transitions = found.iter().map(|leaving| leaving.iter().map(transition).collect()).collect();
        Ok(Automaton { transitions, sets: count, on_states: false })
    }

    /// The set of these terms, without those that others do anyway; nothing if they contradict each other.
    ///
    /// A term is left out only if every move of another one is as good as one of its own. That another one implies it
    /// is not enough: what it promises might be put off for ever, each time by a new promise that is left out again.
    fn state(&mut self, terms: Vec<Term>) -> Result<Option<Vec<Term>>, TooLarge> {
        let mut flat: Vec<Term> = Vec::new();
        for term in terms {
            match self.terms.kind(term) {
                Kind::True => {}
                Kind::And(parts) => flat.extend_from_slice(parts),
                _ => flat.push(term),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        for (at, &a) in flat.iter().enumerate() {
            // Terms of long lists that contradict each other are found out by their moves.
            let others = if flat.len() <= MOST_COMPARED { &flat[at + 1..] } else { &[] };
            if a == Term::FALSE || others.iter().any(|&b| self.terms.excludes(a, b)) {
                return Ok(None);
            }
        }
        for &term in &flat {
            self.moves_of(term)?;
        }
        let mut kept: Vec<Term> = Vec::new();
        for (at, &term) in flat.iter().enumerate() {
            if !kept.iter().chain(&flat[at + 1..]).any(|&other| self.does(other, term)) {
                kept.push(term);
            }
        }
        Ok(Some(kept))
    }

    /// Whoever makes a move of the first makes one of the second.
    fn does(&self, a: Term, b: Term) -> bool {
        let (moves, others) = (&self.moves[&a], &self.moves[&b]);
        moves.iter().all(|step| others.iter().any(|other| other.covers(step)))
    }

    fn moves_of_all(&mut self, state: &[Term]) -> Result<Vec<Move>, TooLarge> {
        let mut all = vec![Move { cube: Cube::ANY, next: Vec::new(), put_off: 0 }];
        for &term in state {
            let moves = self.moves_of(term)?;
            all = self.products(&all, &moves)?;
        }
        Ok(all)
    }

    /// The moves of a term; those of the terms it is made of are made before.
    fn moves_of(&mut self, term: Term) -> Result<Vec<Move>, TooLarge> {
        let mut open = vec![term];
        while let Some(&term) = open.last() {
            if self.moves.contains_key(&term) {
                open.pop();
                continue;
            }
            let inner: Vec<Term> = match self.terms.kind(term) {
                Kind::And(parts) | Kind::Or(parts) => parts.clone(),
                Kind::Until(left, right) | Kind::Release(left, right) => vec![*left, *right],
                _ => Vec::new(),
            };
            let missing: Vec<Term> = inner.into_iter().filter(|inner| !self.moves.contains_key(inner)).collect();
            if missing.is_empty() {
                let moves = self.make(term)?;
                self.moves.insert(term, moves);
                open.pop();
            } else {
                open.extend(missing);
            }
        }
        Ok(self.moves[&term].clone())
    }

    fn make(&mut self, term: Term) -> Result<Vec<Move>, TooLarge> {
        let simple = |cube| vec![Move { cube, next: Vec::new(), put_off: 0 }];
        Ok(match self.terms.kind(term).clone() {
            Kind::True => simple(Cube::ANY),
            Kind::False => Vec::new(),
            Kind::Literal(atom, is) => simple(Cube::literal(atom, is)),
            Kind::And(parts) => self.moves_of_all(&parts)?,
            Kind::Or(parts) => best(parts.iter().flat_map(|part| self.moves[part].clone()).collect()),
            Kind::Next(inner) => {
                // One of several things next: one move for each.
                let ways = match self.terms.kind(inner) {
                    Kind::Or(parts) => parts.clone(),
                    _ => vec![inner],
                };
                ways.into_iter().map(|way| Move { cube: Cube::ANY, next: vec![way], put_off: 0 }).collect()
            }
            Kind::Until(left, right) => {
                let next = self.untils.len() as u32;
                let set = *self.untils.entry(term).or_insert(next);
                if set >= 64 {
                    return Err(TooLarge::Sets);
                }
                let later = [Move { cube: Cube::ANY, next: vec![term], put_off: 1 << set }];
                let mut moves = self.products(&self.moves[&left].clone(), &later)?;
                moves.extend(self.moves[&right].clone());
                best(moves)
            }
            Kind::Release(left, right) => {
                let mut ways = self.moves[&left].clone();
                ways.push(Move { cube: Cube::ANY, next: vec![term], put_off: 0 });
                self.products(&ways, &self.moves[&right].clone())?
            }
        })
    }

    /// One move of each list, together.
    fn products(&mut self, left: &[Move], right: &[Move]) -> Result<Vec<Move>, TooLarge> {
        let mut products = Vec::new();
        for a in left {
            for b in right {
                let Some(cube) = a.cube.and(b.cube) else { continue };
                let mut next: Vec<Term> = a.next.iter().chain(&b.next).copied().collect();
                next.sort_unstable();
                next.dedup();
                products.push(Move { cube, next, put_off: a.put_off | b.put_off });
            }
        }
        self.made += products.len();
        if self.made > MOST { Err(TooLarge::Transitions) } else { Ok(best(products)) }
    }
}

/// The moves that no other one covers.
fn best(mut moves: Vec<Move>) -> Vec<Move> {
    moves.sort();
    moves.dedup();
    let mut kept: Vec<Move> = Vec::new();
    for (index, step) in moves.iter().enumerate() {
        let is_covered = kept.iter().chain(&moves[index + 1..]).any(|other| other.covers(step));
        if !is_covered {
            kept.push(step.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::parse;

    fn automaton(text: &str) -> Result<Automaton, TooLarge> {
        let mut formulas = Formulas::default();
        let parsed = parse(text, &mut formulas).unwrap_or_else(|error| panic!("{error}"));
        translate(&formulas, parsed.formula, false)
    }

    #[test]
    fn what_is_long_is_not_deep() {
        let parts: Vec<String> = (0..2000).map(|n| format!("{}a{}", "X ".repeat(n / 60), n % 60)).collect();
        let made = automaton(&parts.join(" && ")).map(|automaton| automaton.transitions.len());
        assert_eq!(made.ok(), Some(2000usize.div_ceil(60) + 1));
        let deep = format!("{}a", "X ! ".repeat(251));
        assert!(matches!(automaton(&deep), Err(TooLarge::Depth)));
    }
}

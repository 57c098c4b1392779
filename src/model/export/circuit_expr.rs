//! Circuits to expressions.
//!
//! A circuit has conjunctions and negations only; what was written as `|`, `=` or `!=` is found again by
//! its shape. Chains of one operator come out flat, as they are written, whatever tree of gates
//! computes them. A gate that is used several times is repeated, because a text has no names for
//! intermediate values, so a small circuit can be a text of exponential length: what is written is
//! counted, and above a limit there is no text.
//!
//! The result is in postfix order and every loop has an explicit stack: depth costs memory only.

use crate::model::Leaf;
use crate::syntax::{Binary, Op, Owner, Var};
use epitome_encodings::{Circuit, Gate, Lit};

/// The texts of all guards and right-hand sides would be too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the program is too large for this form: its expressions need more than {limit} operators when no part is shared"
)]
pub struct TooLarge {
    /// How many operators are written at most.
    pub limit: usize,
}

/// At most so many operators and operands are written for one machine…
const LARGEST: usize = 1_000_000;
/// …beside this many of each expression: a program is not too large because it is long.
const FREE: usize = 16;

/// One operator or operand of a signal's tree in postfix order; choices keep their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// Anything but a choice.
    Op(Op),
    /// A choice of the transition or box.
    Choice(u32),
}

impl Term {
    /// How many operands it takes from the stack.
    pub(super) fn arity(self) -> usize {
        match self {
            Term::Op(op) => op.arity(),
            Term::Choice(_) => 0,
        }
    }
}

/// Writes the signals of one machine and counts.
pub(super) struct Writer<'c> {
    circuit: &'c Circuit,
    left: usize,
}

impl<'c> Writer<'c> {
    pub(super) fn new(circuit: &'c Circuit) -> Writer<'c> {
        Writer { circuit, left: LARGEST }
    }

    /// The tree of a signal; `var` gives the new place of a variable.
    pub(super) fn write(&mut self, lit: Lit, var: impl Fn(Var) -> Var) -> Result<Vec<Term>, TooLarge> {
        let terms = terms(self.circuit, lit, self.left + FREE, var).ok_or(TooLarge { limit: LARGEST })?;
        self.left -= terms.len().saturating_sub(FREE);
        Ok(terms)
    }
}

/// How a signal is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Constant(bool),
    Leaf(Leaf),
    Not(Lit),
    Binary(Binary, Lit, Lit),
}

fn shape(circuit: &Circuit, lit: Lit) -> Shape {
    match circuit.gate(lit) {
        Gate::False => Shape::Constant(lit.is_negated()),
        Gate::Input(number) if !lit.is_negated() => Shape::Leaf(Leaf::from_number(number)),
        Gate::Input(_) => Shape::Not(!lit),
        Gate::And(a, b) => match circuit.as_xor(lit) {
            Some((a, b)) => {
                let equal = lit.is_negated() ^ a.is_negated() ^ b.is_negated();
                let sign = if equal { Binary::Equal } else { Binary::NotEqual };
                Shape::Binary(sign, a.negate_if(a.is_negated()), b.negate_if(b.is_negated()))
            }
            None if !lit.is_negated() => Shape::Binary(Binary::And, a, b),
            None if [a, b].iter().any(|part| part.is_negated() || has_negation(circuit, *part)) => {
                Shape::Binary(Binary::Or, !a, !b)
            }
            None => Shape::Not(!lit),
        },
    }
}

/// A conjunction, a part of which is negated: its negation is better written as a disjunction.
fn has_negation(circuit: &Circuit, lit: Lit) -> bool {
    matches!(circuit.gate(lit), Gate::And(a, b) if a.is_negated() || b.is_negated()) && circuit.as_xor(lit).is_none()
}

enum Task {
    Lit(Lit),
    /// The left operand is written: append `op lit`, and `op x op y` where the signal is `x op y`.
    Join(Binary, Lit),
    Op(Op),
}

/// The tree of a signal, or nothing if it has more than `limit` terms.
pub(super) fn terms(circuit: &Circuit, lit: Lit, limit: usize, var: impl Fn(Var) -> Var) -> Option<Vec<Term>> {
    let mut terms = Vec::new();
    let mut tasks = vec![Task::Lit(lit)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Op(op) => terms.push(Term::Op(op)),
            Task::Join(op, lit) => match shape(circuit, lit) {
                Shape::Binary(inner, a, b) if inner == op => tasks.extend([Task::Join(op, b), Task::Join(op, a)]),
                _ => tasks.extend([Task::Op(Op::Binary(op)), Task::Lit(lit)]),
            },
            Task::Lit(lit) => match shape(circuit, lit) {
                Shape::Constant(value) => terms.push(Term::Op(Op::Const(value))),
                Shape::Leaf(Leaf::Choice(index)) => terms.push(Term::Choice(index)),
                Shape::Leaf(Leaf::Var(old)) => terms.push(Term::Op(Op::Var(var(old)))),
                Shape::Not(lit) => tasks.extend([Task::Op(Op::Not), Task::Lit(lit)]),
                Shape::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                    tasks.extend([Task::Join(op, b), Task::Lit(a)]);
                }
                Shape::Binary(op, a, b) => tasks.extend([Task::Op(Op::Binary(op)), Task::Lit(b), Task::Lit(a)]),
            },
        }
        if terms.len() > limit {
            return None;
        }
    }
    Some(terms)
}

/// The conjuncts of a tree, in order.
pub(super) fn conjuncts(terms: &[Term]) -> Vec<&[Term]> {
    let starts = starts(terms);
    let mut conjuncts = Vec::new();
    let mut end = terms.len();
    // Chains are written flat, so that only left operands are conjunctions again.
    while end >= 3 && terms[end - 1] == Term::Op(Op::Binary(Binary::And)) {
        let right = starts[end - 2];
        conjuncts.push(&terms[right..end - 1]);
        end = right;
    }
    conjuncts.push(&terms[..end]);
    conjuncts.reverse();
    conjuncts
}

/// For each place where the subtree that ends there starts.
fn starts(terms: &[Term]) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::with_capacity(terms.len());
    for (place, term) in terms.iter().enumerate() {
        let start = (0..term.arity()).fold(place, |start, _| starts[start - 1]);
        starts.push(start);
    }
    starts
}

/// The tree as a person reads it; `leaf` gives the text of a variable or choice. For short trees: the
/// time is quadratic.
pub(super) fn text(terms: &[Term], leaf: impl Fn(Term) -> String) -> String {
    const TIGHTEST: u8 = u8::MAX;
    let mut stack: Vec<(String, u8)> = Vec::new();
    let around = |(text, strength): (String, u8), least: u8| if strength < least { format!("({text})") } else { text };
    for &term in terms {
        let part = match term {
            Term::Op(Op::Const(value)) => (u8::from(value).to_string(), TIGHTEST),
            Term::Op(Op::Choice(Owner::System)) => ("*".to_owned(), TIGHTEST),
            Term::Op(Op::Choice(Owner::Environment)) => ("env".to_owned(), TIGHTEST),
            Term::Op(Op::Not) => (format!("!{}", around(stack.pop().unwrap_or_default(), TIGHTEST)), TIGHTEST),
            Term::Op(Op::Binary(op)) => {
                let right = around(stack.pop().unwrap_or_default(), op.strength() + 1);
                let left = around(stack.pop().unwrap_or_default(), op.strength());
                (format!("{left} {} {right}", op.sign()), op.strength())
            }
            Term::Op(Op::Var(_) | Op::Next(_) | Op::Choose) | Term::Choice(_) => (leaf(term), TIGHTEST),
        };
        stack.push(part);
    }
    stack.pop().unwrap_or_default().0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(circuit: &Circuit, lit: Lit) -> String {
        let terms = terms(circuit, lit, 1000, |var| var).unwrap();
        text(&terms, |term| match term {
            Term::Op(Op::Var(Var::Global(index))) => ["a", "b", "c", "d"][index as usize].to_owned(),
            _ => "?".to_owned(),
        })
    }

    #[test]
    fn operators_are_found_again() {
        let mut c = Circuit::new();
        let [a, b, d, e] = [0, 1, 2, 3].map(|index| c.input(Leaf::Var(Var::Global(index)).number()));
        let (ab, cd) = (c.and(a, b), c.and(d, e));
        let cases = [
            (Lit::TRUE, "1"),
            (!a, "!a"),
            (c.and(ab, cd), "a & b & c & d"),
            (c.or(ab, cd), "a & b | c & d"),
            (c.or(!a, ab), "!a | a & b"),
            (!ab, "!(a & b)"),
            (c.xor(a, b), "a != b"),
            (c.iff(a, b), "a = b"),
            (c.xor(!a, b), "a = b"),
            (c.iff(ab, cd), "(a & b) = (c & d)"),
            (c.implies(ab, cd), "!(a & b) | c & d"),
        ];
        for (lit, expected) in cases {
            assert_eq!(written(&c, lit), expected);
        }
        let either = c.or(a, b);
        let or = c.or(either, !cd);
        let and = c.and(or, !a);
        assert_eq!(written(&c, and), "!a & (!(c & d) | a | b)");
    }

    /// Random circuits mean the same as their trees.
    #[test]
    fn trees_agree_with_circuits() {
        let mut c = Circuit::new();
        let mut lits: Vec<Lit> = (0..4).map(|index| c.input(Leaf::Var(Var::Global(index)).number())).collect();
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..300 {
            let first = lits.len().saturating_sub(12);
            let (a, b) = (lits[first + random(lits.len() - first)], lits[random(lits.len())]);
            let (a, b) = (a.negate_if(random(2) == 0), b.negate_if(random(2) == 0));
            lits.push(if random(3) == 0 { c.xor(a, b) } else { c.and(a, b) });
        }
        let mut compared = 0;
        for lit in lits {
            let Some(terms) = terms(&c, lit, 5000, |var| var) else { continue };
            compared += 1;
            for values in 0..16u32 {
                let bit = |number: u32| values >> (number / 3) & 1 == 1;
                let expected = c.evaluate(lit, bit);
                assert_eq!(evaluate(&terms, values), expected);
                assert_eq!(conjuncts(&terms).iter().all(|part| evaluate(part, values)), expected);
            }
        }
        assert!(compared > 100, "only {compared} are short enough");
    }

    fn evaluate(terms: &[Term], values: u32) -> bool {
        let mut stack: Vec<bool> = Vec::new();
        for term in terms {
            let value = match term {
                Term::Op(Op::Const(value)) => *value,
                Term::Op(Op::Var(Var::Global(index))) => values >> index & 1 == 1,
                Term::Op(Op::Not) => !stack.pop().unwrap(),
                Term::Op(Op::Binary(op)) => {
                    let right = stack.pop().unwrap();
                    op.apply(stack.pop().unwrap(), right)
                }
                _ => unreachable!(),
            };
            stack.push(value);
        }
        assert_eq!(stack.len(), 1);
        stack[0]
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let mut c = Circuit::new();
        let mut lit = c.input(0);
        for level in 1..64 {
            let other = c.input(level);
            let (x, y) = (c.and(lit, other), c.and(!lit, !other));
            let z = c.or(x, other);
            lit = c.and(!z, !y); // `lit` twice: 2^63 leaves
        }
        assert_eq!(Writer::new(&c).write(lit, |var| var).unwrap_err().limit, LARGEST);
        let mut deep = c.input(0);
        for level in 0..200_000 {
            let other = c.input(level % 7);
            deep = if level % 2 == 0 { c.xor(deep, other) } else { c.and(!deep, other) };
        }
        assert!(Writer::new(&c).write(deep, |var| var).is_ok());
    }
}

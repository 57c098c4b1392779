//! Makes terms: an equivalent one that is simpler, where a rule knows it.
//!
//! The rules come in dual pairs, for conjunction and disjunction, `U` and `R`; one function makes both of a pair, with
//! [`Side`] saying which. Rules that take a term apart do so in loops, never by calling themselves on its inside.

use crate::term::{Kind, Term, Terms};

/// Which of two duals: `&&` and `U` with `true`, or `||` and `R` with `false`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    And,
    Or,
}

/// Longer lists are not compared part by part.
pub(crate) const MOST_COMPARED: usize = 60;

impl Side {
    fn dual(self) -> Side {
        if self == Side::And { Side::Or } else { Side::And }
    }

    /// What changes nothing in a list.
    fn neutral(self) -> Term {
        if self == Side::And { Term::TRUE } else { Term::FALSE }
    }
}

impl Terms {
    /// All of them hold.
    pub(crate) fn and(&mut self, parts: impl IntoIterator<Item = Term>) -> Term {
        self.list(Side::And, parts.into_iter().collect())
    }

    /// One of them holds.
    pub(crate) fn or(&mut self, parts: impl IntoIterator<Item = Term>) -> Term {
        self.list(Side::Or, parts.into_iter().collect())
    }

    fn parts(&self, side: Side, term: Term) -> Option<&[Term]> {
        match (self.kind(term), side) {
            (Kind::And(parts), Side::And) | (Kind::Or(parts), Side::Or) => Some(parts),
            _ => None,
        }
    }

    /// The first is enough for the second in a list of this side: it can be left out.
    fn covers(&self, side: Side, a: Term, b: Term) -> bool {
        if side == Side::And { self.implies(a, b) } else { self.implies(b, a) }
    }

    fn list(&mut self, side: Side, parts: Vec<Term>) -> Term {
        let absorbing = side.dual().neutral();
        let mut flat: Vec<Term> = Vec::new();
        for part in parts {
            match self.parts(side, part) {
                Some(inner) => flat.extend_from_slice(inner),
                None => flat.push(part),
            }
        }
        flat.retain(|&part| part != side.neutral());
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&absorbing) || self.has_opposites(&flat) {
            return absorbing;
        }
        while let Some(merged) = self.merge(side, &flat) {
            flat = merged;
            flat.sort_unstable();
            flat.dedup();
            if flat.contains(&absorbing) {
                return absorbing;
            }
        }
        if flat.len() <= MOST_COMPARED {
            let mut kept: Vec<Term> = Vec::new();
            for (index, &part) in flat.iter().enumerate() {
                let later = &flat[index + 1..];
                let is_covered = kept.iter().chain(later).any(|&other| self.covers(side, other, part));
                if !is_covered {
                    kept.push(part);
                }
            }
            flat = kept;
            if side == Side::And {
                let pairs = flat.iter().enumerate().flat_map(|(at, &a)| flat[at + 1..].iter().map(move |&b| (a, b)));
                if pairs.into_iter().any(|(a, b)| self.excludes(a, b)) {
                    return Term::FALSE;
                }
            }
        }
        match (&flat[..], side) {
            ([], _) => side.neutral(),
            ([only], _) => *only,
            (_, Side::And) => self.add(Kind::And(flat)),
            (_, Side::Or) => self.add(Kind::Or(flat)),
        }
    }

    /// A literal and its negation.
    fn has_opposites(&self, parts: &[Term]) -> bool {
        let literals = parts.iter().filter_map(|&part| match self.kind(part) {
            Kind::Literal(atom, yes) => Some((*atom, *yes)),
            _ => None,
        });
        let mut literals: Vec<_> = literals.collect();
        literals.sort_unstable();
        literals.windows(2).any(|two| two[0].0 == two[1].0)
    }

    /// Two parts of a list as one: `X a && X b`, `(a U c) && (b U c)`, `(a R b) && (a R c)`, `F G a && F G b`, and duals.
    fn merge(&mut self, side: Side, parts: &[Term]) -> Option<Vec<Term>> {
        if parts.len() > MOST_COMPARED {
            return None;
        }
        for (at, &a) in parts.iter().enumerate() {
            for &b in &parts[at + 1..] {
                if let Some(merged) = self.merged(side, a, b) {
                    let mut rest: Vec<Term> = parts.iter().copied().filter(|&part| part != a && part != b).collect();
                    match self.parts(side, merged) {
                        Some(inner) => rest.extend_from_slice(inner),
                        None => rest.push(merged),
                    }
                    return Some(rest);
                }
            }
        }
        None
    }

    fn merged(&mut self, side: Side, a: Term, b: Term) -> Option<Term> {
        let (left, right) = (self.kind(a).clone(), self.kind(b).clone());
        match (left, right, side) {
            (Kind::Next(a), Kind::Next(b), _) => {
                let both = self.list(side, vec![a, b]);
                Some(self.next(both))
            }
            (Kind::Until(a, c), Kind::Until(b, d), Side::And) if c == d => {
                let both = self.and([a, b]);
                Some(self.until(both, c))
            }
            (Kind::Until(a, b), Kind::Until(c, d), Side::Or) if a == c => {
                let either = self.or([b, d]);
                Some(self.until(a, either))
            }
            (Kind::Release(a, b), Kind::Release(c, d), Side::And) if a == c => {
                let both = self.and([b, d]);
                Some(self.release(a, both))
            }
            (Kind::Release(a, c), Kind::Release(b, d), Side::Or) if c == d => {
                let either = self.or([a, b]);
                Some(self.release(either, c))
            }
            // F G a && F G b
            (Kind::Until(Term::TRUE, a), Kind::Until(Term::TRUE, b), Side::And)
                if self.is_universal(a) && self.is_universal(b) =>
            {
                let both = self.and([a, b]);
                Some(self.until(Term::TRUE, both))
            }
            (Kind::Release(Term::FALSE, a), Kind::Release(Term::FALSE, b), Side::Or)
                if self.is_eventual(a) && self.is_eventual(b) =>
            {
                let either = self.or([a, b]);
                Some(self.release(Term::FALSE, either))
            }
            _ => None,
        }
    }

    /// A list of either side without the parts that a test finds, and these.
    fn without(&mut self, term: Term, side: Side, is_out: impl Fn(&Terms, Term) -> bool) -> (Term, Vec<Term>) {
        let Some(parts) = self.parts(side, term) else { return (term, Vec::new()) };
        let (out, rest): (Vec<Term>, Vec<Term>) = parts.iter().copied().partition(|&part| is_out(self, part));
        (if out.is_empty() { term } else { self.list(side, rest) }, out)
    }

    /// `X a`.
    pub(crate) fn next(&mut self, inner: Term) -> Term {
        if self.is_suspendable(inner) {
            return inner;
        }
        for side in [Side::And, Side::Or] {
            let (rest, mut out) = self.without(inner, side, |terms, part| terms.is_suspendable(part));
            if !out.is_empty() {
                let next = self.next_of(rest);
                out.push(next);
                return self.list(side, out);
            }
        }
        self.next_of(inner)
    }

    fn next_of(&mut self, inner: Term) -> Term {
        if self.is_suspendable(inner) { inner } else { self.add(Kind::Next(inner)) }
    }

    /// `a U b`.
    pub(crate) fn until(&mut self, left: Term, right: Term) -> Term {
        self.binary_term(Side::And, left, right)
    }

    /// `a R b`.
    pub(crate) fn release(&mut self, left: Term, right: Term) -> Term {
        self.binary_term(Side::Or, left, right)
    }

    /// `U` for [`Side::And`], `R` for the other.
    fn binary_term(&mut self, side: Side, mut left: Term, mut right: Term) -> Term {
        // What is put around the result, innermost last: `X`, or other parts of a list.
        let mut around: Vec<Option<(Side, Vec<Term>)>> = Vec::new();
        let mut term = loop {
            let covered = if side == Side::And { self.implies(left, right) } else { self.implies(right, left) };
            let is_stable = if side == Side::And { self.is_eventual(right) } else { self.is_universal(right) };
            if covered || is_stable {
                break right;
            }
            // F (a U b) = F b, a U (c U b) = c U b if a implies c.
            match (self.kind(right).clone(), side) {
                (Kind::Until(_, inner), Side::And) | (Kind::Release(_, inner), Side::Or) if left == side.neutral() => {
                    right = inner;
                    continue;
                }
                (Kind::Until(inner, _), Side::And) if self.implies(left, inner) => break right,
                (Kind::Release(inner, _), Side::Or) if self.implies(inner, left) => break right,
                (Kind::Next(inner), _) => {
                    let under = match self.kind(left) {
                        Kind::Next(under) => Some(*under),
                        _ if left == side.neutral() => Some(left),
                        _ => None,
                    };
                    if let Some(under) = under {
                        (left, right) = (under, inner);
                        around.push(None);
                        continue;
                    }
                }
                _ => {}
            }
            // (a || b) U b = a U b.
            let (shorter, out) = self.without(left, side.dual(), |terms, part| match side {
                Side::And => terms.implies(part, right),
                Side::Or => terms.implies(right, part),
            });
            if !out.is_empty() {
                left = shorter;
                continue;
            }
            // a U (b && GF c) = (a U b) && GF c; a U (b || F c) = (a U b) || F c; and duals.
            let (rest, out) = self.without(right, side, |terms, part| terms.is_suspendable(part));
            if !out.is_empty() {
                right = rest;
                around.push(Some((side, out)));
                continue;
            }
            let (rest, out) = self.without(right, side.dual(), |terms, part| match side {
                Side::And => terms.is_eventual(part),
                Side::Or => terms.is_universal(part),
            });
            if !out.is_empty() {
                right = rest;
                around.push(Some((side.dual(), out)));
                continue;
            }
            break match side {
                Side::And => self.add(Kind::Until(left, right)),
                Side::Or => self.add(Kind::Release(left, right)),
            };
        };
        while let Some(wrap) = around.pop() {
            term = match wrap {
                None => self.next(term),
                Some((side, mut parts)) => {
                    parts.push(term);
                    self.list(side, parts)
                }
            };
        }
        term
    }
}

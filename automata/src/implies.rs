//! What terms imply and exclude, as far as their syntax tells (Somenzi and Bloem, Etessami and Holzmann).
//!
//! Questions are answered to a certain depth and within a certain effort; what is not found by then is not known, which
//! makes terms and automata larger, not wrong.

use crate::term::{Kind, Term, Terms};

const DEEPEST: u32 = 12;
const EFFORT: u32 = 2_000;

impl Terms {
    /// Every word that satisfies the first satisfies the second, for all that is known.
    pub(crate) fn implies(&self, a: Term, b: Term) -> bool {
        let mut effort = EFFORT;
        self.implied(a, b, DEEPEST, &mut effort)
    }

    /// No word satisfies both, for all that is known.
    pub(crate) fn excludes(&self, a: Term, b: Term) -> bool {
        let mut effort = EFFORT;
        self.excluded(a, b, DEEPEST, &mut effort)
    }

    fn implied(&self, a: Term, b: Term, depth: u32, effort: &mut u32) -> bool {
        if a == b || a == Term::FALSE || b == Term::TRUE {
            return true;
        }
        if depth == 0 || *effort == 0 || a == Term::TRUE || b == Term::FALSE {
            return false;
        }
        *effort -= 1;
        let mut is = |a: Term, b: Term| self.implied(a, b, depth - 1, effort);
        let (left, right) = (self.kind(a), self.kind(b));
        match (left, right) {
            (_, Kind::And(parts)) => return parts.iter().all(|&part| is(a, part)),
            (Kind::Or(parts), _) => return parts.iter().all(|&part| is(part, b)),
            _ => {}
        }
        // Whatever of this is so is enough.
        let by_left = match left {
            Kind::And(parts) => parts.iter().any(|&part| is(part, b)),
            Kind::Until(now, then) => {
                let later = is(*then, b);
                later && (self.is_eventual(b) || is(*now, b))
            }
            Kind::Release(_, always) => is(*always, b),
            Kind::Next(inner) => self.is_eventual(b) && is(*inner, b),
            _ => false,
        };
        let by_right = || match right {
            Kind::Or(parts) => parts.iter().any(|&part| is(a, part)),
            Kind::Until(_, then) => is(a, *then),
            Kind::Release(now, always) => is(a, *always) && (self.is_universal(a) || is(a, *now)),
            Kind::Next(inner) => self.is_universal(a) && is(a, *inner),
            _ => false,
        };
        if by_left || { by_right }() {
            return true;
        }
        match (left, right) {
            (Kind::Until(a1, a2), Kind::Until(b1, b2)) | (Kind::Release(a1, a2), Kind::Release(b1, b2)) => {
                is(*a1, *b1) && is(*a2, *b2)
            }
            (Kind::Next(a), Kind::Next(b)) => is(*a, *b),
            _ => false,
        }
    }

    fn excluded(&self, a: Term, b: Term, depth: u32, effort: &mut u32) -> bool {
        if a == Term::FALSE || b == Term::FALSE {
            return true;
        }
        if depth == 0 || *effort == 0 || a == Term::TRUE || b == Term::TRUE {
            return false;
        }
        *effort -= 1;
        for (a, b) in [(a, b), (b, a)] {
            let mut is = |a: Term, b: Term| self.excluded(a, b, depth - 1, effort);
            let found = match (self.kind(a), self.kind(b)) {
                (Kind::Literal(a, yes), Kind::Literal(b, other)) => return a == b && yes != other,
                (Kind::Next(a), Kind::Next(b)) => is(*a, *b),
                (Kind::And(parts), _) => parts.iter().any(|&part| is(part, b)),
                (Kind::Or(parts), _) => parts.iter().all(|&part| is(part, b)),
                (Kind::Release(_, always), _) => is(*always, b),
                (Kind::Until(now, then), _) => {
                    let later = is(*then, b);
                    later && (self.is_universal(b) || is(*now, b))
                }
                _ => false,
            };
            if found {
                return true;
            }
        }
        false
    }
}

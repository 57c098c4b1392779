//! Terms: formulas in negation normal form, simplified as they are made.
//!
//! A term is a constant, a literal, a conjunction, a disjunction, `X`, `U` or `R`; `F a` is `true U a`, `G a` is
//! `false R a`, and negation is gone into the literals. Whoever makes a term gets an equivalent one that is as simple as
//! the rules know (`simplify`): those of Somenzi and Bloem, and of Etessami and Holzmann, whose *eventual* terms
//! stay true when something is put before the word, and whose *universal* terms stay true when something is taken from its
//! start. What is both, like `G F a`, can be moved out of any temporal operator.

use crate::formula::{Atom, Binary, Formula, Formulas, Node, Unary};
use rustc_hash::FxHashMap;

/// A term, by its place in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(crate) u32);

/// What a term is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    True,
    False,
    /// The atom, or its negation.
    Literal(Atom, bool),
    /// Of at least two, sorted.
    And(Vec<Term>),
    Or(Vec<Term>),
    Next(Term),
    Until(Term, Term),
    Release(Term, Term),
}

/// A table of terms.
#[derive(Clone, Debug)]
pub struct Terms {
    kinds: Vec<Kind>,
    index: FxHashMap<Kind, Term>,
    /// By term: it is eventual; it is universal.
    classes: Vec<(bool, bool)>,
}

impl Default for Terms {
    fn default() -> Terms {
        let mut terms = Terms { kinds: Vec::new(), index: FxHashMap::default(), classes: Vec::new() };
        terms.add(Kind::True);
        terms.add(Kind::False);
        terms
    }
}

impl Term {
    /// `true`
    pub const TRUE: Term = Term(0);
    /// `false`
    pub const FALSE: Term = Term(1);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Terms {
    pub(crate) fn kind(&self, term: Term) -> &Kind {
        &self.kinds[term.index()]
    }

    /// It stays true when something is put before the word.
    pub(crate) fn is_eventual(&self, term: Term) -> bool {
        self.classes[term.index()].0
    }

    /// It stays true when something is taken from the start of the word.
    pub(crate) fn is_universal(&self, term: Term) -> bool {
        self.classes[term.index()].1
    }

    /// It does not matter what the word starts with.
    pub(crate) fn is_suspendable(&self, term: Term) -> bool {
        self.classes[term.index()] == (true, true)
    }

    /// The term of a kind, as it is.
    pub(crate) fn add(&mut self, kind: Kind) -> Term {
        if let Some(&term) = self.index.get(&kind) {
            return term;
        }
        let all = |terms: &[Term], is: &dyn Fn(Term) -> bool| terms.iter().all(|&term| is(term));
        let (eventual, universal) = (|t: Term| self.is_eventual(t), |t: Term| self.is_universal(t));
        let class = match &kind {
            Kind::True | Kind::False => (true, true),
            Kind::Literal(..) => (false, false),
            Kind::And(parts) | Kind::Or(parts) => (all(parts, &eventual), all(parts, &universal)),
            Kind::Next(inner) => (eventual(*inner), universal(*inner)),
            Kind::Until(left, right) => {
                (*left == Term::TRUE || eventual(*right), universal(*left) && universal(*right))
            }
            Kind::Release(left, right) => {
                (eventual(*left) && eventual(*right), *left == Term::FALSE || universal(*right))
            }
        };
        let term = Term(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.classes.push(class);
        self.index.insert(kind, term);
        term
    }

    /// The term of a formula, or of its negation.
    pub fn of(&mut self, formulas: &Formulas, formula: Formula, negated: bool) -> Term {
        // Of each part and its negation, children first.
        let mut done: FxHashMap<Formula, [Term; 2]> = FxHashMap::default();
        for part in formulas.parts(formula) {
            let both = match formulas.node(part) {
                Node::Constant(true) => [Term::TRUE, Term::FALSE],
                Node::Constant(false) => [Term::FALSE, Term::TRUE],
                Node::Atom(atom) => [self.add(Kind::Literal(atom, true)), self.add(Kind::Literal(atom, false))],
                Node::Unary(operator, inner) => self.unary(operator, done[&inner]),
                Node::Binary(operator, left, right) => self.binary(operator, done[&left], done[&right]),
            };
            done.insert(part, both);
        }
        done[&formula][usize::from(negated)]
    }

    fn unary(&mut self, operator: Unary, [yes, no]: [Term; 2]) -> [Term; 2] {
        match operator {
            Unary::Not => [no, yes],
            // A word is a single run.
            Unary::Exists | Unary::Forall => [yes, no],
            Unary::Next => [self.next(yes), self.next(no)],
            Unary::Finally => [self.until(Term::TRUE, yes), self.release(Term::FALSE, no)],
            Unary::Globally => [self.release(Term::FALSE, yes), self.until(Term::TRUE, no)],
        }
    }

    fn binary(&mut self, operator: Binary, left: [Term; 2], right: [Term; 2]) -> [Term; 2] {
        let ([a, na], [b, nb]) = (left, right);
        match operator {
            Binary::And => [self.and([a, b]), self.or([na, nb])],
            Binary::Or => [self.or([a, b]), self.and([na, nb])],
            Binary::Implies => [self.or([na, b]), self.and([a, nb])],
            Binary::Iff => [self.same(left, right), self.same(left, [nb, b])],
            Binary::Xor => [self.same(left, [nb, b]), self.same(left, right)],
            Binary::Until => [self.until(a, b), self.release(na, nb)],
            Binary::Release => [self.release(a, b), self.until(na, nb)],
            Binary::WeakUntil => {
                // a W b = b R (a | b), and its negation.
                let (either, neither) = (self.or([a, b]), self.and([na, nb]));
                [self.release(b, either), self.until(nb, neither)]
            }
            Binary::StrongRelease => {
                let (both, either) = (self.and([a, b]), self.or([na, nb]));
                [self.until(b, both), self.release(nb, either)]
            }
        }
    }

    /// Both hold or neither does.
    fn same(&mut self, [a, na]: [Term; 2], [b, nb]: [Term; 2]) -> Term {
        let (both, neither) = (self.and([a, b]), self.and([na, nb]));
        self.or([both, neither])
    }
}

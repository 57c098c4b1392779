//! Why a formula holds of a word: which atoms, at which positions, are enough.
//!
//! Of a word only a part may be known: of its letters some atoms, and it may break off. Then a formula has one of three values at a
//! position: it holds for certain, or certainly not, or neither is known, operator by operator (Kleene). A reason is
//! a set of literals from which the value follows again; it is read off the fixpoints, with the nearest position wherever one will do.
//! Explanations of branching time are made of such literals: some of them are formulas that want an explanation themselves.

use crate::automaton::Cube;
use crate::formula::{Binary, Formula, Formulas, Node, Unary};
use std::collections::HashSet;

/// What is known of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// By position, which atoms hold and which do not; nothing is known of the others.
    pub letters: Vec<Cube>,
    /// Where the word goes on after the last letter; if there is nothing, then nothing is known of the rest.
    pub back: Option<usize>,
}

/// Why a formula has its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasons {
    /// Position, atom, and whether it holds there; in order.
    pub literals: Vec<(usize, u32, bool)>,
    /// The last position that matters.
    pub last: usize,
    /// It matters that the word goes on as it does for ever.
    pub is_endless: bool,
}

/// Values by formula and position.
type Truth = Vec<Vec<Option<bool>>>;

/// A temporal operator: `hold` holds up to where all of the `goal` does, which is some time, unless the operator is weak.
struct Shape {
    hold: Option<Formula>,
    /// Nothing if there is no such time.
    goal: Option<Vec<Formula>>,
    is_weak: bool,
}

impl Shape {
    fn of(node: Node) -> Option<Shape> {
        let shape = |hold, goal, is_weak| Some(Shape { hold, goal, is_weak });
        match node {
            Node::Unary(Unary::Finally, a) => shape(None, Some(vec![a]), false),
            Node::Unary(Unary::Globally, a) => shape(Some(a), None, true),
            Node::Binary(Binary::Until, a, b) => shape(Some(a), Some(vec![b]), false),
            Node::Binary(Binary::WeakUntil, a, b) => shape(Some(a), Some(vec![b]), true),
            Node::Binary(Binary::Release, a, b) => shape(Some(b), Some(vec![a, b]), true),
            Node::Binary(Binary::StrongRelease, a, b) => shape(Some(b), Some(vec![a, b]), false),
            _ => None,
        }
    }
}

impl Known {
    /// The value of a formula, as far as it is known.
    ///
    /// ```
    /// use epitome_automata::{Cube, Formulas, Known, parse};
    /// let mut formulas = Formulas::default();
    /// let formula = parse("F p", &mut formulas).unwrap().formula;
    /// let known = |yes: u64| Known { letters: vec![Cube { yes: 0, no: 1 }, Cube { yes, no: 0 }], back: None };
    /// assert_eq!(known(1).value(&formulas, formula), Some(true));
    /// assert_eq!(known(0).value(&formulas, formula), None);
    /// ```
    pub fn value(&self, formulas: &Formulas, formula: Formula) -> Option<bool> {
        self.truth(formulas, formula)[formula.index()].first().copied().flatten()
    }

    /// Why a formula has its value; nothing if the value is not known.
    ///
    /// ```
    /// use epitome_automata::{Cube, Formulas, Known, parse};
    /// let mut formulas = Formulas::default();
    /// let formula = parse("F p", &mut formulas).unwrap().formula;
    /// let known = Known { letters: vec![Cube { yes: 0, no: 1 }, Cube { yes: 1, no: 0 }], back: Some(0) };
    /// let reasons = known.reasons(&formulas, formula).unwrap();
    /// assert_eq!((reasons.literals, reasons.is_endless), (vec![(1, 0, true)], false));
    /// ```
    pub fn reasons(&self, formulas: &Formulas, formula: Formula) -> Option<Reasons> {
        let truth = self.truth(formulas, formula);
        let value = truth[formula.index()].first().copied().flatten()?;
        let mut search = Search { known: self, formulas, truth, open: Vec::new(), seen: HashSet::new() };
        let mut reasons = Reasons::default();
        search.ask(formula, 0, value);
        while let Some((formula, at, value)) = search.open.pop() {
            reasons.last = reasons.last.max(at);
            search.explain(formula, at, value, &mut reasons);
        }
        reasons.literals.sort_unstable();
        Some(reasons)
    }

    /// The position after a position.
    fn next(&self, at: usize) -> Option<usize> {
        if at + 1 < self.letters.len() { Some(at + 1) } else { self.back }
    }

    fn truth(&self, formulas: &Formulas, formula: Formula) -> Truth {
        let mut truth: Truth = vec![Vec::new(); formula.index() + 1];
        for part in formulas.parts(formula) {
            truth[part.index()] = self.values(formulas.node(part), &truth);
        }
        truth
    }

    /// The values of a formula at all positions, from those of its parts.
    fn values(&self, node: Node, truth: &Truth) -> Vec<Option<bool>> {
        let of = |part: Formula| &truth[part.index()];
        let positions = 0..self.letters.len();
        match node {
            Node::Constant(value) => vec![Some(value); self.letters.len()],
            Node::Atom(atom) => {
                let bit = |bits: u64| bits >> atom.0 & 1 == 1;
                self.letters
                    .iter()
                    .map(|cube| if bit(cube.yes) { Some(true) } else { bit(cube.no).then_some(false) })
                    .collect()
            }
            Node::Unary(Unary::Not, a) => of(a).iter().map(|value| value.map(|value| !value)).collect(),
            Node::Unary(Unary::Exists | Unary::Forall, a) => of(a).clone(),
            Node::Unary(Unary::Next, a) => positions.map(|at| self.next(at).and_then(|next| of(a)[next])).collect(),
            Node::Binary(Binary::And, a, b) => positions.map(|at| both(of(a)[at], of(b)[at])).collect(),
            Node::Binary(Binary::Or, a, b) => positions.map(|at| not(both(not(of(a)[at]), not(of(b)[at])))).collect(),
            Node::Binary(Binary::Implies, a, b) => positions.map(|at| not(both(of(a)[at], not(of(b)[at])))).collect(),
            Node::Binary(Binary::Xor, a, b) => positions.map(|at| Some(of(a)[at]? != of(b)[at]?)).collect(),
            Node::Binary(Binary::Iff, a, b) => positions.map(|at| Some(of(a)[at]? == of(b)[at]?)).collect(),
            node => Shape::of(node).map(|shape| self.fixpoint(&shape, truth)).unwrap_or_default(),
        }
    }

    /// A fixpoint for what is certain, and one for what is possible.
    fn fixpoint(&self, shape: &Shape, truth: &Truth) -> Vec<Option<bool>> {
        let [certain, possible] = [Some(true), None].map(|least| {
            let is = |part: Formula, at: usize| {
                let value = truth[part.index()][at];
                value == Some(true) || value == least
            };
            let goal = |at: usize| shape.goal.as_ref().is_some_and(|goal| goal.iter().all(|&part| is(part, at)));
            let hold = |at: usize| shape.hold.is_none_or(|part| is(part, at));
            let mut values = vec![shape.is_weak; self.letters.len()];
            // Two rounds through the part that is repeated settle it.
            for _ in 0..2 {
                for at in (0..values.len()).rev() {
                    let later = self.next(at).map_or(least.is_none(), |next| values[next]);
                    values[at] = goal(at) || hold(at) && later;
                }
            }
            values
        });
        let value = |(certain, possible): (bool, bool)| (certain == possible).then_some(certain);
        certain.into_iter().zip(possible).map(value).collect()
    }
}

fn not(value: Option<bool>) -> Option<bool> {
    value.map(|value| !value)
}

fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    if a == Some(false) || b == Some(false) { Some(false) } else { Some(a? && b?) }
}

struct Search<'k> {
    known: &'k Known,
    formulas: &'k Formulas,
    truth: Truth,
    open: Vec<(Formula, usize, bool)>,
    seen: HashSet<(Formula, usize, bool)>,
}

impl Search<'_> {
    /// Why does a formula have this value here?
    fn ask(&mut self, formula: Formula, at: usize, value: bool) {
        if self.seen.insert((formula, at, value)) {
            self.open.push((formula, at, value));
        }
    }

    fn is(&self, formula: Formula, at: usize, value: bool) -> bool {
        self.truth[formula.index()][at] == Some(value)
    }

    fn explain(&mut self, formula: Formula, at: usize, value: bool, reasons: &mut Reasons) {
        match self.formulas.node(formula) {
            Node::Constant(_) => {}
            Node::Atom(atom) => reasons.literals.push((at, atom.0, value)),
            Node::Unary(Unary::Not, a) => self.ask(a, at, !value),
            Node::Unary(Unary::Exists | Unary::Forall, a) => self.ask(a, at, value),
            Node::Unary(Unary::Next, a) => {
                if let Some(next) = self.known.next(at) {
                    reasons.is_endless |= next <= at;
                    self.ask(a, next, value);
                }
            }
            Node::Binary(Binary::And, a, b) => self.junction([(a, value), (b, value)], at, value),
            Node::Binary(Binary::Or, a, b) => self.junction([(a, value), (b, value)], at, !value),
            Node::Binary(Binary::Implies, a, b) => self.junction([(a, !value), (b, value)], at, !value),
            Node::Binary(Binary::Xor | Binary::Iff, a, b) => {
                for part in [a, b] {
                    let own = self.is(part, at, true);
                    self.ask(part, at, own);
                }
            }
            node => {
                if let Some(shape) = Shape::of(node) {
                    self.path(&shape, at, value, reasons);
                }
            }
        }
    }

    /// All of these values are needed, or one of them is enough.
    fn junction(&mut self, parts: [(Formula, bool); 2], at: usize, all: bool) {
        for (part, value) in parts {
            if self.is(part, at, value) {
                self.ask(part, at, value);
                if !all {
                    return;
                }
            }
        }
    }

    fn path(&mut self, shape: &Shape, start: usize, value: bool, reasons: &mut Reasons) {
        let mut at = start;
        let mut passed = vec![false; self.known.letters.len()];
        while !passed[at] {
            passed[at] = true;
            reasons.last = reasons.last.max(at);
            let goal = shape.goal.as_deref();
            if value {
                if let Some(goal) = goal.filter(|goal| goal.iter().all(|&part| self.is(part, at, true))) {
                    goal.iter().for_each(|&part| self.ask(part, at, true));
                    return;
                }
                shape.hold.into_iter().for_each(|hold| self.ask(hold, at, true));
            } else {
                let fails = |part: &Formula| self.is(*part, at, false);
                // Where both fail at once for one reason, that is the one.
                let hold = shape.hold.filter(fails);
                let shared = hold.filter(|hold| goal.is_some_and(|goal| goal.contains(hold)));
                let missing = shared.or_else(|| goal.and_then(|goal| goal.iter().copied().find(fails)));
                missing.into_iter().chain(hold).for_each(|part| self.ask(part, at, false));
                if hold.is_some() {
                    return;
                }
            }
            let Some(next) = self.known.next(at) else { return };
            reasons.is_endless |= next <= at;
            at = next;
        }
    }
}

//! How formulas of branching time are asked about open systems (Kupferman, Vardi and Wolper): a module satisfies a formula if the formula
//! holds in every tree that an environment can make of it by disabling choices of its own, never all at once.
//!
//! A formula without existential quantification asks nothing else of a module than of a closed system (Lemma 5.1). *Possibly*
//! (`EF p`) and *always possibly* (`AG EF p`, and likewise `AG (q -> EF p)`) are linear (Theorem 5.3). Everything else is a game of exponential
//! size (Theorem 3.1). A conjunction holds if its parts do, so each part is asked in its own way.

use super::branching::{Branching, Path, Stage};
use epitome_automata::{Binary, Formula, Node, Unary};
use std::fmt;

/// How a formula is checked against all environments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMethod {
    /// As of a closed system: the formula has no existential quantifier.
    Universal,
    /// Some state that satisfies the goal can be reached.
    Possibly(Claimed),
    /// From every reachable state that satisfies the first, if there is one, a state that satisfies the second can be reached.
    AlwaysPossibly(Option<Claimed>, Claimed),
    /// Whatever it is: a game.
    General,
    /// It fails as a closed system: the environment that disables nothing breaks it.
    Closed,
}

/// A stage that holds, or that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The stage.
    pub stage: usize,
    /// It holds.
    pub holds: bool,
}

impl fmt::Display for OpenMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OpenMethod::Universal => "universal: as for a closed system (Kupferman, Lemma 5.1)",
            OpenMethod::Possibly(_) => "possibly: alternating fixpoint (Kupferman, Theorem 5.3)",
            OpenMethod::AlwaysPossibly(..) => "always possibly: alternating fixpoint (Kupferman, Theorem 5.3)",
            OpenMethod::General => "prunings as a game (Kupferman, Theorem 3.1)",
            OpenMethod::Closed => "fails as a closed system already: the environment need not disable anything",
        })
    }
}

impl Branching {
    /// The properties whose conjunction this is.
    ///
    /// ```
    /// use epitome::logic::{Branching, OpenMethod};
    /// let (property, _) = Branching::ctl("AG p & EF q & AG EF q").unwrap();
    /// let ways: Vec<OpenMethod> = property.conjuncts().iter().map(Branching::open_method).collect();
    /// assert!(matches!(ways[..], [OpenMethod::Universal, OpenMethod::Possibly(_), OpenMethod::AlwaysPossibly(None, _)]));
    /// ```
    pub fn conjuncts(&self) -> Vec<Branching> {
        let mut parts = Vec::new();
        let mut open = vec![self.stages.len() - 1];
        while let Some(stage) = open.pop() {
            match self.stages[stage] {
                Stage::Binary(Binary::And, left, right) => open.extend([right, left]),
                _ => parts.push(Branching { stages: self.stages[..=stage].to_vec(), ..self.clone() }),
            }
        }
        parts
    }

    /// How this is checked against all environments.
    pub fn open_method(&self) -> OpenMethod {
        let last = self.stages.len() - 1;
        if self.is_universal() {
            return OpenMethod::Universal;
        }
        if let Some(goal) = self.possibly(last, true) {
            return OpenMethod::Possibly(goal);
        }
        let always = self.always(last).and_then(|(body, holds)| self.always_possibly(body, holds));
        always.map_or(OpenMethod::General, |(when, goal)| OpenMethod::AlwaysPossibly(when, goal))
    }

    /// By stage: nothing is said of runs.
    fn propositional(&self) -> Vec<bool> {
        let mut is = Vec::with_capacity(self.stages.len());
        for stage in &self.stages {
            is.push(match *stage {
                Stage::Constant(_) | Stage::Atom(_) => true,
                Stage::Not(inner) => is[inner],
                Stage::Binary(_, left, right) => is[left] && is[right],
                Stage::Exists(_) => false,
            });
        }
        is
    }

    /// No run is asked for where the formula is to hold.
    fn is_universal(&self) -> bool {
        // By stage: it is asked whether it holds, whether it does not.
        let mut asked = vec![[false; 2]; self.stages.len()];
        if let Some(last) = asked.last_mut() {
            *last = [true, false];
        }
        for stage in (0..self.stages.len()).rev() {
            let [yes, no] = asked[stage];
            let mut ask = |stage: usize, [yes, no]: [bool; 2]| {
                asked[stage] = [asked[stage][0] | yes, asked[stage][1] | no];
            };
            match &self.stages[stage] {
                Stage::Constant(_) | Stage::Atom(_) => {}
                Stage::Not(inner) => ask(*inner, [no, yes]),
                Stage::Binary(Binary::And | Binary::Or, left, right) => {
                    [left, right].into_iter().for_each(|&side| ask(side, [yes, no]));
                }
                Stage::Binary(Binary::Implies, left, right) => {
                    ask(*left, [no, yes]);
                    ask(*right, [yes, no]);
                }
                Stage::Binary(_, left, right) => [left, right].into_iter().for_each(|&side| ask(side, [yes | no; 2])),
                Stage::Exists(_) if yes => return false,
                Stage::Exists(path) => {
                    for (atom, [yes, no]) in path.polarities().into_iter().enumerate() {
                        // Here the formula of the path must not hold.
                        ask(path.reads[atom], [no, yes]);
                    }
                }
            }
        }
        true
    }

    /// A stage, or its negation, without negations in front.
    fn stripped(&self, mut stage: usize, mut holds: bool) -> (usize, bool) {
        while let Stage::Not(inner) = self.stages[stage] {
            (stage, holds) = (inner, !holds);
        }
        (stage, holds)
    }

    /// The goal, if this is `EF goal` for something that is not temporal.
    fn possibly(&self, stage: usize, holds: bool) -> Option<Claimed> {
        let (stage, true) = self.stripped(stage, holds) else { return None };
        let Stage::Exists(path) = &self.stages[stage] else { return None };
        let (stage, holds) = path.finally()?;
        self.propositional()[stage].then_some(Claimed { stage, holds })
    }

    /// What always holds, if this is `AG` of it.
    fn always(&self, stage: usize) -> Option<(usize, bool)> {
        let (stage, false) = self.stripped(stage, true) else { return None };
        let Stage::Exists(path) = &self.stages[stage] else { return None };
        path.finally().map(|(stage, holds)| (stage, !holds))
    }

    /// Condition and goal, if this is `EF goal` or `condition -> EF goal`.
    fn always_possibly(&self, stage: usize, holds: bool) -> Option<(Option<Claimed>, Claimed)> {
        if let Some(goal) = self.possibly(stage, holds) {
            return Some((None, goal));
        }
        let (stage, holds) = self.stripped(stage, holds);
        // A disjunction of two sides.
        let sides = match (&self.stages[stage], holds) {
            (Stage::Binary(Binary::Or, left, right), true) => [(*left, true), (*right, true)],
            (Stage::Binary(Binary::Implies, left, right), true) => [(*left, false), (*right, true)],
            (Stage::Binary(Binary::And, left, right), false) => [(*left, false), (*right, false)],
            _ => return None,
        };
        let propositional = self.propositional();
        [(sides[0], sides[1]), (sides[1], sides[0])].into_iter().find_map(|((stage, holds), other)| {
            let goal = self.possibly(other.0, other.1)?;
            propositional[stage].then_some((Some(Claimed { stage, holds: !holds }), goal))
        })
    }
}

impl Path {
    /// The stage, and whether it holds, if this says that it does so in the end.
    fn finally(&self) -> Option<(usize, bool)> {
        let node = |formula: Formula| self.formulas.node(formula);
        let read = |formula: Formula| match node(formula) {
            Node::Atom(atom) => self.reads.get(atom.0 as usize).copied(),
            _ => None,
        };
        match node(self.formula) {
            Node::Unary(Unary::Finally, inner) => read(inner).map(|stage| (stage, true)),
            Node::Binary(Binary::Until, left, inner) if node(left) == Node::Constant(true) => {
                read(inner).map(|stage| (stage, true))
            }
            Node::Unary(Unary::Not, inner) => match node(inner) {
                Node::Unary(Unary::Globally, inner) => read(inner).map(|stage| (stage, false)),
                _ => None,
            },
            _ => None,
        }
    }

    /// By atom: the formula may depend on that it holds, on that it does not.
    fn polarities(&self) -> Vec<[bool; 2]> {
        let mut of_atom = vec![[false; 2]; self.reads.len()];
        for (part, own) in self.formulas.polarities(self.formula) {
            if let Node::Atom(atom) = self.formulas.node(part) {
                of_atom[atom.0 as usize] = own;
            }
        }
        of_atom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(text: &str) -> OpenMethod {
        Branching::ctl_star(text).unwrap().0.open_method()
    }

    #[test]
    fn formulas_without_existential_quantifiers_are_universal() {
        for text in
            ["p", "AG p", "!EF p", "A G (p -> A F q)", "A (p U !E X q)", "!(E G p | EX q)", "A (G F p -> G A F q)"]
        {
            assert_eq!(method(text), OpenMethod::Universal, "{text}");
        }
        for text in ["EX p", "!AG p", "AG EX p", "A (E X p U q)", "AG p <-> AG q", "A (G A F p -> F q)"] {
            assert_ne!(method(text), OpenMethod::Universal, "{text}");
        }
    }

    #[test]
    fn possible_things_are_recognised() {
        for text in ["EF p", "E (true U (p & q))", "!AG !p", "!!EF p"] {
            assert!(matches!(method(text), OpenMethod::Possibly(_)), "{text}");
        }
        for text in ["AG EF p", "!EF !EF p", "AG !AG p"] {
            assert!(matches!(method(text), OpenMethod::AlwaysPossibly(None, _)), "{text}");
        }
        for text in ["AG (q -> EF p)", "AG (EF p | q)", "!EF (q & !EF p)"] {
            assert!(matches!(method(text), OpenMethod::AlwaysPossibly(Some(_), _)), "{text}");
        }
        for text in ["AG EX p", "EF EF p", "EF EG p", "AG (EF p & EF q)", "E F G p"] {
            assert_eq!(method(text), OpenMethod::General, "{text}");
        }
    }
}

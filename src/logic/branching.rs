//! Properties of branching time: formulas of CTL and CTL*, of which a state is asked whether they hold in it.
//!
//! A formula is kept as a list of *stages*, innermost first, each a formula of states: an atom, a Boolean combination of stages before
//! it, or that some run from here is accepted by a Büchi automaton that reads stages before it. `E f` is the automaton of `f`
//! with the largest formulas of states in it as atoms (Emerson and Lei's reduction of CTL* to linear time); `A f` is `!E !f`. The operators of CTL
//! are the same with automata of one to three states, so that engines know one operator instead of three.

use super::linear::{Blocked, LinearError};
use epitome_automata::{Binary, Buchi, Formula, Formulas, Logic, Node, Parsed, Unary, Warning, buchi, parse_in};

/// A property of branching time: it holds in every initial state.
///
/// ```
/// use epitome::logic::{Branching, Stage};
/// let (property, _) = Branching::ctl("AF p").unwrap();
/// let Stage::Exists(path) = &property.stages[1] else { panic!() };
/// assert_eq!([path.claim(true), path.claim(false)], ["some run violates F(p)", "all runs satisfy F(p)"]);
/// ```
#[derive(Clone, Debug)]
pub struct Branching {
    /// The property's name in a verdict.
    pub name: &'static str,
    /// The formula as it is read.
    pub text: String,
    /// What the atoms are called, by their numbers.
    pub atoms: Vec<String>,
    /// What is asked of states, what others are made of first; the last is the property.
    pub stages: Vec<Stage>,
    /// What becomes of runs that are blocked.
    pub blocked: Blocked,
    /// It is asked against every environment.
    pub open: bool,
}

/// Something that holds in a state or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `true` or `false`.
    Constant(bool),
    /// The atom with this number.
    Atom(u32),
    /// Not this stage.
    Not(usize),
    /// These stages, combined by an operator that is not temporal.
    Binary(Binary, usize, usize),
    /// Some run from here is accepted.
    Exists(Path),
}

/// What is said of a run.
#[derive(Clone, Debug)]
pub struct Path {
    /// What is said of the run, as it was written.
    pub text: String,
    /// It is said that it does not hold.
    pub negated: bool,
    /// The runs that are meant.
    pub automaton: Buchi,
    /// By atom of the automaton, the stage that it is.
    pub reads: Vec<usize>,
    /// The same as a formula over these atoms.
    pub formulas: Formulas,
    /// The formula.
    pub formula: Formula,
}

impl Path {
    /// That some run is accepted, or that none is, in words.
    pub fn claim(&self, holds: bool) -> String {
        let who = match (holds, self.negated) {
            (true, false) => "some run satisfies",
            (true, true) => "some run violates",
            (false, false) => "no run satisfies",
            (false, true) => "all runs satisfy",
        };
        format!("{who} {}", self.text)
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Path) -> bool {
        (&self.automaton, &self.reads) == (&other.automaton, &other.reads)
    }
}

impl Eq for Path {}

impl PartialEq for Branching {
    fn eq(&self, other: &Branching) -> bool {
        (self.name, &self.text, &self.stages) == (other.name, &other.text, &other.stages)
            && (self.blocked, self.open) == (other.blocked, other.open)
    }
}

impl Eq for Branching {}

impl Branching {
    /// The name of properties of CTL.
    pub const CTL: &'static str = "ctl";
    /// The name of properties of CTL*.
    pub const CTL_STAR: &'static str = "ctlstar";

    /// A formula of CTL. Where tools disagree on how it is read, there are warnings.
    ///
    /// ```
    /// use epitome::logic::Branching;
    /// let (property, _) = Branching::ctl("AG EF home").unwrap();
    /// assert_eq!(property.text, "A(G(E(F(home))))");
    /// ```
    pub fn ctl(text: &str) -> Result<(Branching, Vec<Warning>), LinearError> {
        Branching::new(Branching::CTL, Logic::Ctl, text)
    }

    /// A formula of CTL*.
    pub fn ctl_star(text: &str) -> Result<(Branching, Vec<Warning>), LinearError> {
        Branching::new(Branching::CTL_STAR, Logic::CtlStar, text)
    }

    fn new(name: &'static str, logic: Logic, text: &str) -> Result<(Branching, Vec<Warning>), LinearError> {
        let mut formulas = Formulas::default();
        let Parsed { formula, warnings } = parse_in(logic, text, &mut formulas)?;
        let (text, atoms) = (formulas.show(formula).to_string(), formulas.atoms().to_vec());
        let stages = stages(&formulas, formula)?;
        Ok((Branching { name, text, atoms, stages, blocked: Blocked::default(), open: false }, warnings))
    }
}

/// The stages of a formula of states.
fn stages(formulas: &Formulas, formula: Formula) -> Result<Vec<Stage>, LinearError> {
    let mut stages = Vec::new();
    // By formula: its stage; none if it speaks of a path.
    let mut stage_of: Vec<Option<usize>> = vec![None; formula.index() + 1];
    for part in formulas.parts(formula) {
        let of = |part: Formula| stage_of[part.index()];
        let stage = match formulas.node(part) {
            Node::Constant(value) => Some(Stage::Constant(value)),
            Node::Atom(atom) => Some(Stage::Atom(atom.0)),
            Node::Unary(Unary::Not, inner) => of(inner).map(Stage::Not),
            Node::Unary(Unary::Exists, inner) => Some(Stage::Exists(path(formulas, inner, &stage_of, false)?)),
            Node::Unary(Unary::Forall, inner) => {
                stages.push(Stage::Exists(path(formulas, inner, &stage_of, true)?));
                Some(Stage::Not(stages.len() - 1))
            }
            Node::Unary(Unary::Next | Unary::Finally | Unary::Globally, _) => None,
            Node::Binary(Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease, ..) => None,
            Node::Binary(operator, left, right) => {
                of(left).zip(of(right)).map(|(left, right)| Stage::Binary(operator, left, right))
            }
        };
        stage_of[part.index()] = stage.map(|stage| {
            stages.push(stage);
            stages.len() - 1
        });
    }
    Ok(stages)
}

/// A formula of paths over its largest formulas of states, or its negation.
fn path(formulas: &Formulas, formula: Formula, stage_of: &[Option<usize>], negated: bool) -> Result<Path, LinearError> {
    let mut linear = Formulas::default();
    let mut reads = Vec::new();
    let mut image: Vec<Option<Formula>> = vec![None; formula.index() + 1];
    for part in outer_parts(formulas, formula, stage_of) {
        let node = match (stage_of[part.index()], formulas.node(part)) {
            (_, node @ Node::Constant(_)) => node,
            (Some(stage), _) => {
                reads.push(stage);
                Node::Atom(linear.atom(&format!("stage{stage}")))
            }
            (None, Node::Unary(operator, inner)) => Node::Unary(operator, image[inner.index()].unwrap_or(inner)),
            (None, Node::Binary(operator, left, right)) => {
                let [left, right] = [left, right].map(|side| image[side.index()].unwrap_or(side));
                Node::Binary(operator, left, right)
            }
            (None, node) => node,
        };
        image[part.index()] = Some(linear.add(node));
    }
    let text = formulas.show(formula).to_string();
    let root = image[formula.index()].unwrap_or(formula);
    let root = if negated { linear.add(Node::Unary(Unary::Not, root)) } else { root };
    Ok(Path { text, negated, automaton: buchi(&linear, root, false)?, reads, formulas: linear, formula: root })
}

/// The parts of a formula, children before parents, down to the largest formulas of states.
fn outer_parts(formulas: &Formulas, formula: Formula, stage_of: &[Option<usize>]) -> Vec<Formula> {
    let all = formulas.parts(formula);
    let mut is_outer = vec![false; formula.index() + 1];
    is_outer[formula.index()] = true;
    for part in all.iter().rev().filter(|part| stage_of[part.index()].is_none()) {
        if is_outer[part.index()] {
            match formulas.node(*part) {
                Node::Unary(_, inner) => is_outer[inner.index()] = true,
                Node::Binary(_, left, right) => {
                    is_outer[left.index()] = true;
                    is_outer[right.index()] = true;
                }
                Node::Constant(_) | Node::Atom(_) => {}
            }
        }
    }
    all.into_iter().filter(|part| is_outer[part.index()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_of_ctl_have_small_automata() {
        for (text, states) in [("EX p", 3), ("E (p U q)", 2), ("EF p", 2), ("EG p", 1), ("E (p W q)", 2)] {
            let (property, _) = Branching::ctl(text).unwrap();
            let Some(Stage::Exists(path)) = property.stages.last() else { panic!("{text} is no formula of paths") };
            assert!(path.automaton.states() <= states, "{text}: {} states", path.automaton.states());
        }
    }

    #[test]
    fn formulas_of_states_are_read_as_atoms() {
        let (property, _) = Branching::ctl_star("A (G F (p && EX q) -> F (p && EX q))").unwrap();
        assert_eq!(property.stages.len(), 6, "p, q, EX q, the conjunction, the path, its negation");
        let Some(Stage::Exists(path)) = property.stages.get(4) else { panic!("no path") };
        assert_eq!(path.reads, [3]);
    }
}

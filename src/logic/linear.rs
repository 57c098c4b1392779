//! Properties of linear time: all runs satisfy a formula, or none is accepted by an automaton.
//!
//! A property is kept as the Büchi automaton of the runs that violate it; where it came from a formula, the formula
//! stays beside it, so that a run that is shown as a violation can be judged by the formula itself.

use epitome_automata::{
    Buchi, Cube, Formula, FormulaError, Formulas, Node, Parsed, TooLarge, Unary, Warning, buchi, parse,
};

/// Runs that are asked about, by their stack (L, L_b and L_u as Lemmas 4 and 5 of Alur-RSM 3.2 decide them).
/// The paper's definition calls a run bounded if its depth is: a run that comes back for ever from depths 1,
/// 2, 3, … is unbounded by the definition, and for the lemmas (and here) it is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stack {
    /// All of them.
    #[default]
    Any,
    /// Those in which some activation is never left and makes no call that is never left.
    Bounded,
    /// Those in which calls that never return are nested without end.
    Unbounded,
}

impl Stack {
    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Stack::Any => "any",
            Stack::Bounded => "bounded",
            Stack::Unbounded => "unbounded",
        }
    }
}

/// What a run looks like to a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alphabet {
    /// A sequence of states: atoms hold or not in each. A run that ends stays in its last state for ever.
    #[default]
    States,
    /// The sequence of the labels of its transitions; transitions without one are not seen, and only runs
    /// with infinitely many labels count (Alur-RSM 3.3).
    Labels,
}

/// What becomes of runs that cannot go on where the program does not end: a false `assume`, a state of a machine in which
/// no guard holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blocked {
    /// They stay where they are for ever (Godefroid 4).
    #[default]
    Stutter,
    /// They do not count.
    Discard,
}

/// A property of linear time.
#[derive(Clone, Debug)]
pub struct Linear {
    /// The property's name in a verdict.
    pub name: &'static str,
    /// The formula as it is read, or what else the property is called.
    pub text: String,
    /// The formula that all runs satisfy, if there is one.
    pub formula: Option<(Formulas, Formula)>,
    /// The runs that violate the property.
    pub violations: Buchi,
    /// What the atoms are called, by their numbers.
    pub atoms: Vec<String>,
    /// What a run looks like.
    pub alphabet: Alphabet,
    /// Which runs are asked about.
    pub stack: Stack,
    /// What becomes of runs that are blocked.
    pub blocked: Blocked,
}

impl PartialEq for Linear {
    fn eq(&self, other: &Linear) -> bool {
        let told = |linear: &Linear| (linear.alphabet, linear.stack, linear.blocked);
        told(self) == told(other)
            && (self.name, &self.text, &self.violations) == (other.name, &other.text, &other.violations)
    }
}

impl Eq for Linear {}

/// Why there is no property.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LinearError {
    /// The text is no formula.
    #[error("{0}")]
    Formula(#[from] FormulaError),
    /// Its automaton is too large.
    #[error("not supported: {0}")]
    TooLarge(#[from] TooLarge),
}

impl Linear {
    /// The name of properties that are formulas.
    pub const LTL: &'static str = "ltl";

    /// All runs satisfy a formula. Where tools disagree on how it is read, there are warnings.
    ///
    /// ```
    /// use epitome::logic::Linear;
    /// let (property, warnings) = Linear::formula("G F p").unwrap();
    /// assert_eq!((property.text.as_str(), warnings.len()), ("G(F(p))", 0));
    /// ```
    pub fn formula(text: &str) -> Result<(Linear, Vec<Warning>), LinearError> {
        let mut formulas = Formulas::default();
        let Parsed { formula, warnings } = parse(text, &mut formulas)?;
        let violations = buchi(&formulas, formula, true)?;
        let (read, atoms) = (formulas.show(formula).to_string(), formulas.atoms().to_vec());
        let formula = Some((formulas, formula));
        Ok((Linear { formula, ..Linear::new(Linear::LTL, read, violations, atoms) }, warnings))
    }

    /// Every run comes to its end, those that are blocked by an assumption aside: the property `termination` of SV-COMP.
    pub fn termination() -> Linear {
        let mut formulas = Formulas::default();
        let end = formulas.atom("end");
        let end = formulas.add(Node::Atom(end));
        let formula = formulas.add(Node::Unary(Unary::Finally, end));
        // One state, which accepts whatever is no end.
        let violations = Buchi { transitions: vec![vec![(Cube { yes: 0, no: 1 }, 0)]], accepting: vec![true] };
        let text = formulas.show(formula).to_string();
        let atoms = formulas.atoms().to_vec();
        let linear = Linear::new("termination", text, violations, atoms);
        Linear { formula: Some((formulas, formula)), blocked: Blocked::Discard, ..linear }
    }

    /// No run is accepted by an automaton.
    pub fn automaton(name: String, violations: Buchi, atoms: Vec<String>) -> Linear {
        Linear::new("automaton", name, violations, atoms)
    }

    fn new(name: &'static str, text: String, violations: Buchi, atoms: Vec<String>) -> Linear {
        let (alphabet, stack, blocked) = Default::default();
        Linear { name, text, formula: None, violations, atoms, alphabet, stack, blocked }
    }
}

//! Replays lassos: runs that go on for ever.
//!
//! The run up to where it begins to repeat itself is replayed like any other. Then:
//! - a run that *loops* comes back to the place and state it was in before, in the same activation, which it has not left;
//! - a run that *grows* ends with a call that may begin just as an activation did that is still running: whatever followed
//!   then can follow again, and nothing below is ever returned to;
//! - a run that *stays* is in a state from which no step of the language leads.
//!
//! At last the run must violate the property. Its atoms are read off the source, at the places of the run; the word that
//! they make is judged by the formula itself, by its definition, where it can be written out, and by the automaton
//! of the violations, for which equal calls are read once. So neither the translation of formulas nor the product with the
//! automaton is trusted, unless a run is too long to be written out.

use super::replay::{Semantics, at, last_place, require, walk};
use super::replay_bp::Interpreter as Bp;
use super::replay_c::{Interpreter as C, number_in};
use super::replay_rsm::Interpreter as Rsm;
use super::{Mismatch, Rule};
use crate::logic::{Alphabet, Blocked, Linear};
use crate::model::{Fragment, FragmentId, SourceRun};
use crate::syntax::{Atom, Place, Program, Variables, variable_in};
use crate::temporal::{Again, SourceLasso};
use epitome_automata::{Passage, Word};

/// Letters up to which a word is written out and judged by the formula.
pub(super) const LONGEST_WORD: usize = 100_000;

/// Why a lasso was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LassoError {
    /// A step is not one of the language.
    #[error("{0}")]
    Step(#[from] Mismatch),
    /// The run does not come back.
    #[error("the run does not repeat itself: {0}")]
    Again(Rule),
    /// It could go on.
    #[error("a run that stays in its last state could go on")]
    GoesOn,
    /// It stays where the program does not end, and such runs do not count.
    #[error("a run that is blocked does not count")]
    NotAnEnd,
    /// An atom means nothing.
    #[error("{0}")]
    Atom(String),
    /// The property holds of the run.
    #[error("the run has the property")]
    NoViolation,
}

/// Accepts a lasso that violates a property, or says why it does not.
///
/// # Errors
/// The first reason found.
pub fn replay_lasso(program: &Program, linear: &Linear, lasso: &SourceLasso) -> Result<(), LassoError> {
    goes_on(program, linear.blocked, &lasso.run, lasso.again)?;
    let (labels, atoms) = match (linear.alphabet, program) {
        (Alphabet::States, _) => (None, linear.atoms.iter().map(|atom| Atom::resolve(program, atom)).collect()),
        (Alphabet::Labels, Program::Rsm(source)) => (Some(Rsm::new(source)), Ok(Vec::new())),
        (Alphabet::Labels, _) => (None, Err("the program has no labels on its steps".to_owned())),
    };
    let reader = Reader { program, atoms: atoms.map_err(LassoError::Atom)?, labels, linear, lasso };
    require(reader.is_violation(), LassoError::NoViolation)
}

/// The run is one of the program, and goes on as is said.
pub(super) fn goes_on(program: &Program, blocked: Blocked, run: &SourceRun, again: Again) -> Result<(), LassoError> {
    match program {
        Program::Bp(source) => comes_back(&Bp::new(source), run, again)?,
        Program::C(source) => comes_back(&C::new(source), run, again)?,
        Program::Rsm(source) => comes_back(&Rsm::new(source), run, again)?,
    }
    if blocked == Blocked::Discard && again == Again::Stays {
        let (procedure, place) = last_place(run);
        require(program.ends_at(procedure, place, run.last().0 == run.top()), LassoError::NotAnEnd)?;
    }
    Ok(())
}

/// The run is one of the language, and repeats itself.
fn comes_back(semantics: &impl Semantics, run: &SourceRun, again: Again) -> Result<(), LassoError> {
    walk(semantics, run)?;
    let spine = spine(run);
    let Some(&(innermost, last)) = spine.last() else { return Ok(()) };
    let here = at(run.fragment(innermost), last);
    match again {
        Again::Loops { step } => {
            let fragment = run.fragment(innermost);
            let same = step < last && fragment.place(step) == fragment.place(last);
            require(same, Rule::Control).map_err(LassoError::Again)?;
            require(fragment.state(step) == fragment.state(last), Rule::Scope).map_err(LassoError::Again)
        }
        Again::Grows { activation } => {
            let is_running = spine.iter().any(|(id, _)| *id == activation);
            require(is_running, Rule::Order).map_err(LassoError::Again)?;
            semantics.enters(here, at(run.fragment(activation), 0)).map_err(LassoError::Again)
        }
        Again::Stays => {
            let goes_on = match (semantics.ends(here), spine.len()) {
                (true, 1) => false,
                (true, depth) => {
                    let (caller, call) = spine[depth - 2];
                    semantics.can_resume(at(run.fragment(caller), call), here)
                }
                (false, _) => semantics.can_go_on(here),
            };
            require(!goes_on, LassoError::GoesOn)
        }
    }
}

/// The activations that are running at the end of a run, the outermost first, each with its last place.
fn spine(run: &SourceRun) -> Vec<(FragmentId, usize)> {
    let mut spine = Vec::new();
    let mut next = Some(run.top());
    while let Some(id) = next {
        let fragment = run.fragment(id);
        spine.push((id, fragment.len() - 1));
        next = fragment.inside(fragment.len() - 1);
    }
    spine
}

/// What holds in a state of a run, by atom.
pub(super) fn letter(program: &Program, atoms: &[Atom], run: &SourceRun, (id, step): (FragmentId, usize)) -> u64 {
    let fragment: &Fragment<Place> = run.fragment(id);
    let (procedure, place) = (fragment.procedure, *fragment.place(step));
    let outermost = id == run.top();
    let read = |variables: &Variables| {
        let (bits, ty) = program.bits_of(procedure, variable_in(variables, procedure)?, 0);
        Some(ty.number(number_in(fragment.state(step), bits)))
    };
    let holds = |atom: &Atom| match atom {
        Atom::Variable(variables) => read(variables).is_some_and(|value| value != 0),
        Atom::Compares(comparison) => comparison.value(read).is_some_and(|value| value != 0),
        _ => atom.holds_at(program, procedure, place, outermost),
    };
    atoms.iter().enumerate().fold(0, |letter, (number, atom)| letter | u64::from(holds(atom)) << number)
}

/// The states of a run one by one.
pub(super) struct Written {
    /// As fragments with steps. The state in which a run that loops is back is told once.
    pub(super) states: Vec<(FragmentId, usize)>,
    /// The number of the one to which it goes back.
    pub(super) back: Option<usize>,
}

/// Writes the states of a run out; nothing if there are too many.
pub(super) fn written(run: &SourceRun, again: Option<Again>) -> Option<Written> {
    if run.full_length(|_, _| true) > LONGEST_WORD as f64 {
        return None;
    }
    let spine = spine(run);
    let last = spine[spine.len() - 1];
    let start = again.map(|again| first_of_round(&spine, again));
    let mut back = None;
    let mut states = Vec::new();
    let mut open = vec![(run.top(), 0)];
    while let Some((id, step)) = open.pop() {
        let fragment = run.fragment(id);
        if step == fragment.len() {
            continue;
        }
        if Some((id, step)) == start && open.len() < spine.len() && spine[open.len()].0 == id {
            back = Some(states.len());
        }
        // A call port is one with the entry it leads to.
        if !matches!(fragment.place(step), Place::Port(..)) && counts(again, (id, step) == last) {
            states.push((id, step));
        }
        open.push((id, step + 1));
        open.extend(fragment.inside(step).map(|inside| (inside, 0)));
    }
    Some(Written { states, back })
}

/// Where what is repeated begins, as an activation on the spine and a step of it.
fn first_of_round(spine: &[(FragmentId, usize)], again: Again) -> (FragmentId, usize) {
    let last = spine[spine.len() - 1];
    match again {
        Again::Stays => last,
        Again::Loops { step } => (last.0, step),
        Again::Grows { activation } => (activation, 0),
    }
}

/// The last place of a run that loops is the first of the next round.
fn counts(again: Option<Again>, is_last: bool) -> bool {
    !(is_last && matches!(again, Some(Again::Loops { .. })))
}

/// Reads the word of a lasso.
struct Reader<'r> {
    program: &'r Program,
    atoms: Vec<Atom>,
    /// What knows the labels of steps, if these are what is read.
    labels: Option<Rsm<'r>>,
    linear: &'r Linear,
    lasso: &'r SourceLasso,
}

impl Reader<'_> {
    /// The letter at a place; none where it is not a state (a call port is one with the entry it leads to).
    fn letter(&self, id: FragmentId, step: usize) -> Option<u64> {
        let run = &self.lasso.run;
        if matches!(run.fragment(id).place(step), Place::Port(..)) || self.labels.is_some() {
            return None;
        }
        Some(letter(self.program, &self.atoms, run, (id, step)))
    }

    fn is_violation(&self) -> bool {
        // Several labels may fit a step: there is no single word then.
        match (&self.linear.formula, self.labels.is_none().then(|| self.word()).flatten()) {
            (Some((formulas, formula)), Some(word)) => !word.satisfies(formulas, *formula),
            _ => self.is_accepted(),
        }
    }

    /// What the automaton does with the label of the step that leaves a place.
    fn labels_after(&self, id: FragmentId, step: usize) -> Passage {
        let (run, automaton) = (&self.lasso.run, &self.linear.violations);
        let (fragment, nothing) = (run.fragment(id), Passage::empty(automaton));
        let Some(labels) = self.labels.as_ref().filter(|_| step + 1 < fragment.len()) else { return nothing };
        let exit = fragment.inside(step).map(|inside| run.fragment(inside)).map(|inside| at(inside, inside.len() - 1));
        let labels = labels.labels(at(fragment, step), exit, at(fragment, step + 1));
        let letter = |label: &str| {
            let atoms = self.linear.atoms.iter().enumerate();
            atoms.fold(0, |letter, (number, atom)| letter | u64::from(atom == label) << number)
        };
        let read = labels.iter().map(|label| match label {
            Some(label) => Passage::letter(automaton, letter(label)),
            None => nothing.clone(),
        });
        read.reduce(|all, other| all.or(&other)).unwrap_or(nothing.clone())
    }

    /// The word, unless it is too long.
    fn word(&self) -> Option<Word> {
        let Written { states, back } = written(&self.lasso.run, Some(self.lasso.again))?;
        let letters =
            states.into_iter().map(|state| letter(self.program, &self.atoms, &self.lasso.run, state)).collect();
        let word = Word { letters, back: back? };
        (word.back < word.letters.len()).then_some(word)
    }

    /// The automaton of the violations accepts the run.
    fn is_accepted(&self) -> bool {
        let (run, automaton) = (&self.lasso.run, &self.linear.violations);
        let spine = spine(run);
        let last = spine[spine.len() - 1];
        let step_of = |id: FragmentId, step: usize| {
            let is_read = counts(Some(self.lasso.again), (id, step) == last);
            let letter = self.letter(id, step).filter(|_| is_read);
            letter.map_or_else(|| Passage::empty(automaton), |letter| Passage::letter(automaton, letter))
        };
        let mut insides: Vec<Option<Passage>> = vec![None; run.fragments.len()];
        for index in 0..run.fragments.len() {
            let id = FragmentId(index as u32);
            let mut all = Passage::empty(automaton);
            for step in 0..run.fragment(id).len() {
                all = all.then(&step_of(id, step));
                if let Some(inside) = run.fragment(id).inside(step).and_then(|inside| insides[inside.index()].as_ref())
                {
                    all = all.then(inside);
                }
                all = all.then(&self.labels_after(id, step));
            }
            insides[index] = Some(all);
        }
        let start = first_of_round(&spine, self.lasso.again);
        let (mut stem, mut again) = (Passage::empty(automaton), Passage::empty(automaton));
        let mut is_again = false;
        for &(id, last) in &spine {
            for step in 0..=last {
                is_again |= (id, step) == start;
                let part = if is_again { &mut again } else { &mut stem };
                *part = part.then(&step_of(id, step));
                // What is inside the last call is the next part of the spine.
                let inside = run.fragment(id).inside(step).filter(|_| step < last);
                if let Some(inside) = inside.and_then(|inside| insides[inside.index()].as_ref()) {
                    *part = part.then(inside);
                }
                *part = part.then(&self.labels_after(id, step));
            }
        }
        stem.accepts(&again)
    }
}

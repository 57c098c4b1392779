//! Replays explanations of branching time.
//!
//! Every run is replayed like any other, and begins like the run it branches off from. Then the formula is judged with nothing but what is known:
//! atoms are read off the source; that some run is accepted is known where a run is shown for it (or claimed, where a limit cut
//! the explanation short); that none is, is what the engine claims. The path formula of a run must hold of it for certain, by its
//! definition, from that alone, and the whole formula must have the value of the verdict in the first state.

use super::lasso::{LassoError, Written, goes_on, letter, written};
use super::replay;
use super::replay::require;
use crate::logic::{Blocked, Branching, Path, Stage};
use crate::model::{FragmentId, SourceRun};
use crate::syntax::{Atom, Program};
use crate::temporal::{LONGEST_SHOWN, Shown, SourceExplanation};
use epitome_automata::{Binary, Cube, Known};

/// Why an explanation was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplanationError {
    /// A run is not one of the program, or does not go on as is said.
    #[error("run {path}: {error}")]
    Run {
        /// The number of the run.
        path: usize,
        /// What is wrong with it.
        error: LassoError,
    },
    /// A run does not begin like the one that it branches off from.
    #[error("run {0} does not begin where it should")]
    Elsewhere(usize),
    /// A run does not show what it is to show.
    #[error("run {0} does not show its formula")]
    ShowsNothing(usize),
    /// The formula does not follow.
    #[error("the formula does not follow from what is shown")]
    NoVerdict,
}

/// Accepts an explanation of why a formula holds, or does not, in an initial state; or says why it is none.
///
/// # Errors
/// The first reason found.
pub fn replay_explanation(
    program: &Program,
    formula: &Branching,
    explanation: &SourceExplanation,
    holds: bool,
) -> Result<(), ExplanationError> {
    let atoms: Result<Vec<Atom>, String> = formula.atoms.iter().map(|atom| Atom::resolve(program, atom)).collect();
    let atoms = atoms.map_err(|message| ExplanationError::Run { path: 0, error: LassoError::Atom(message) })?;
    let judge = Judge { program, formula, atoms, explanation };
    for path in 0..explanation.paths.len() {
        judge.is_a_run(path).map_err(|error| ExplanationError::Run { path, error })?;
    }
    let first = explanation.paths.first().ok_or(ExplanationError::NoVerdict)?;
    let states = written(&first.run, first.again);
    let last = formula.stages.len().checked_sub(1).ok_or(ExplanationError::NoVerdict)?;
    let value = states.as_ref().and_then(|states| judge.values(first, states, 0)[last]);
    require(value == Some(holds), ExplanationError::NoVerdict)?;
    for (owner, shown) in explanation.paths.iter().enumerate() {
        for claim in &shown.claims {
            let Some(path) = claim.path else { continue };
            // Each run is shown for one claim of a run before it.
            let is_after = path > owner && path < explanation.paths.len();
            require(is_after, ExplanationError::NoVerdict)?;
            judge.begins_like(owner, path, claim.state)?;
            let Stage::Exists(stage) = &formula.stages[claim.stage] else { return Err(ExplanationError::NoVerdict) };
            require(claim.holds && judge.shows(path, stage), ExplanationError::ShowsNothing(path))?;
        }
    }
    Ok(())
}

struct Judge<'e> {
    program: &'e Program,
    formula: &'e Branching,
    atoms: Vec<Atom>,
    explanation: &'e SourceExplanation,
}

impl Judge<'_> {
    fn is_a_run(&self, path: usize) -> Result<(), LassoError> {
        let Shown { run, again, .. } = &self.explanation.paths[path];
        match again {
            Some(again) => goes_on(self.program, self.formula.blocked, run, *again),
            None => Ok(replay(self.program, run)?),
        }
    }

    /// A run begins like another, up to and with this state.
    fn begins_like(&self, owner: usize, path: usize, state: usize) -> Result<(), ExplanationError> {
        let [before, after] = [owner, path].map(|path| &self.explanation.paths[path]);
        require(after.start == state, ExplanationError::Elsewhere(path))?;
        // What is too long to be written out is not compared.
        let (Some(old), Some(new)) = (written(&before.run, before.again), written(&after.run, after.again)) else {
            return Ok(());
        };
        let at = |run: &SourceRun, (id, step): (FragmentId, usize)| {
            let fragment = run.fragment(id);
            let state = match self.program {
                // Results come after the variables, and only one of the runs may have come so far as to give them.
                Program::Bp(_) => {
                    let bits = 0..self.program.scope_size(fragment.procedure);
                    bits.map(|bit| u64::from(fragment.bit(step, bit))).collect()
                }
                _ => fragment.state(step).to_vec(),
            };
            (fragment.procedure, *fragment.place(step), state)
        };
        let same = (0..=state).all(|number| match (old.states.get(number), new.states.get(number)) {
            (Some(&old), Some(&new)) => at(&before.run, old) == at(&after.run, new),
            _ => false,
        });
        require(same, ExplanationError::Elsewhere(path))
    }

    /// A run satisfies a formula of paths for certain.
    fn shows(&self, path: usize, stage: &Path) -> bool {
        let shown = &self.explanation.paths[path];
        // If runs that are blocked do not count, it must be seen to go on.
        if shown.again.is_none() && self.formula.blocked == Blocked::Discard {
            return false;
        }
        // A run that is too long to be written out is not judged.
        let written =
            written(&shown.run, shown.again).filter(|written| written.states.len() < shown.start + LONGEST_SHOWN);
        let Some(written) = written else { return true };
        let cube = |number: usize| {
            let values = self.values(shown, &written, number);
            let bit = |atom: usize, value: bool| u64::from(values[stage.reads[atom]] == Some(value)) << atom;
            let all = |value: bool| (0..stage.reads.len()).map(|atom| bit(atom, value)).sum();
            Cube { yes: all(true), no: all(false) }
        };
        let letters: Vec<Cube> = (shown.start..written.states.len()).map(cube).collect();
        let back = match written.back.map(|back| back.checked_sub(shown.start)) {
            Some(None) => return false,
            Some(back) => back,
            None => None,
        };
        !letters.is_empty() && Known { letters, back }.value(&stage.formulas, stage.formula) == Some(true)
    }

    /// By stage, its value in a state of a run, as far as it is known.
    fn values(&self, shown: &Shown<crate::syntax::Place>, written: &Written, number: usize) -> Vec<Option<bool>> {
        let Some(&state) = written.states.get(number) else { return vec![None; self.formula.stages.len()] };
        let letter = letter(self.program, &self.atoms, &shown.run, state);
        let first = shown.claims.partition_point(|claim| claim.state < number);
        let claims = &shown.claims[first..];
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.formula.stages.len());
        for (index, stage) in self.formula.stages.iter().enumerate() {
            let not = |value: Option<bool>| value.map(|value: bool| !value);
            let value = match stage {
                Stage::Constant(value) => Some(*value),
                Stage::Atom(atom) => Some(letter >> atom & 1 == 1),
                Stage::Not(inner) => not(values[*inner]),
                Stage::Binary(operator, left, right) => combine(*operator, values[*left], values[*right]),
                Stage::Exists(_) => {
                    let own = claims.iter().take_while(|claim| claim.state == number);
                    own.filter(|claim| claim.stage == index).map(|claim| claim.holds).next()
                }
            };
            values.push(value);
        }
        values
    }
}

/// What is known of a combination.
fn combine(operator: Binary, a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match operator {
        Binary::And if a == Some(false) || b == Some(false) => Some(false),
        Binary::Or if a == Some(true) || b == Some(true) => Some(true),
        Binary::Implies if a == Some(false) || b == Some(true) => Some(true),
        Binary::And => Some(a? && b?),
        Binary::Or => Some(a? || b?),
        Binary::Implies => Some(!a? || b?),
        Binary::Xor => Some(a? != b?),
        _ => Some(a? == b?),
    }
}

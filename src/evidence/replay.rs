//! The walk over a run that all languages share.
//!
//! A run is a graph of fragments (see [`Run`](crate::model::Run)) and may stand for exponentially
//! many steps, so each fragment is checked once, whoever calls it: that it starts as an activation of
//! its procedure may start, that each plain step is one of the language, and that each call fits the
//! fragment inside it. What depends on the caller (globals and arguments on the way in, globals and
//! results on the way out) is checked at the call, against the first and last state of the inside. So
//! the cost is linear in the places stored. Fragments refer only to fragments before them; increasing
//! index therefore meets every inside before its calls, and nothing recurses.
//!
//! A fragment is *complete* if it rests at an end of its procedure. Only a complete one may be the
//! inside of a call that is passed; one that is not complete can only be where the whole run stops,
//! and a call without inside can only be the last place of all.

use super::mismatch::{Mismatch, Rule};
use super::values::within;
use crate::model::{Fragment, SourceRun};
use crate::syntax::Place;

/// A place of a procedure with the state there.
#[derive(Clone, Copy)]
pub(super) struct At<'r> {
    /// The procedure.
    pub(super) procedure: u32,
    /// The place.
    pub(super) place: Place,
    /// The packed valuation of the procedure's scope.
    pub(super) state: &'r [u64],
}

/// What the walk asks of a language. The walk guarantees that procedures exist and that states have
/// the width of the scope, and checks the places of a fragment by [`Semantics::rests`] before it asks
/// anything else about them.
pub(super) trait Semantics {
    /// How many bits a state of a procedure has, if it exists.
    fn width(&self, procedure: u32) -> Option<usize>;
    /// An activation, or (`outermost`) the run itself, may start at this place, with these values as far as they do not
    /// depend on a caller.
    fn begins(&self, first: At<'_>, outermost: bool) -> Result<(), Rule>;
    /// Control may rest here, in this state.
    fn rests(&self, here: At<'_>) -> Result<(), Rule>;
    /// An activation that rests here has come to its end.
    fn ends(&self, here: At<'_>) -> bool;
    /// One step without a call leads from here to the next place.
    fn step(&self, here: At<'_>, next: At<'_>) -> Result<(), Rule>;
    /// There is a call here, and an activation that begins so is one of its.
    fn enters(&self, here: At<'_>, first: At<'_>) -> Result<(), Rule>;
    /// After the call at `here` has come back from `exit`, control goes to the next place.
    fn resumes(&self, here: At<'_>, exit: At<'_>, next: At<'_>) -> Result<(), Rule>;
    /// Some step leads from here, where no activation ends. (It may be that none is found where there are very many.)
    fn can_go_on(&self, here: At<'_>) -> bool;
    /// Some step follows the call at `here` that has come back from `exit`.
    fn can_resume(&self, here: At<'_>, exit: At<'_>) -> bool;
}

/// Procedure and place at which a run stops, for a run that replay accepts.
pub fn last_place(run: &SourceRun) -> (u32, Place) {
    let (id, step) = run.last();
    let fragment = run.fragment(id);
    (fragment.procedure, *fragment.place(step))
}

/// Accepts a run of the language or says which rule it breaks first.
pub(super) fn walk(semantics: &impl Semantics, run: &SourceRun) -> Result<(), Mismatch> {
    if run.fragments.is_empty() {
        return Err(Mismatch { fragment: 0, step: 0, at: None, rule: Rule::SomeFragment });
    }
    let walk = Walk { semantics, run };
    (0..run.fragments.len()).try_for_each(|index| walk.fragment(index))
}

struct Walk<'r, S> {
    semantics: &'r S,
    run: &'r SourceRun,
}

pub(super) fn at(fragment: &Fragment<Place>, step: usize) -> At<'_> {
    At { procedure: fragment.procedure, place: *fragment.place(step), state: fragment.state(step) }
}

/// The rule, unless it is obeyed.
pub(super) fn require<R>(obeyed: bool, rule: R) -> Result<(), R> {
    if obeyed { Ok(()) } else { Err(rule) }
}

impl<S: Semantics> Walk<'_, S> {
    fn fragment(&self, index: usize) -> Result<(), Mismatch> {
        let fragment = &self.run.fragments[index];
        let mismatch = |step: usize, rule| {
            let at = (step < fragment.len()).then(|| (fragment.procedure, *fragment.place(step)));
            Mismatch { fragment: index, step, at, rule }
        };
        let variables = self.shape(fragment).map_err(|rule| mismatch(0, rule))?;
        for step in 0..fragment.len() {
            let here = at(fragment, step);
            require(within(here.state, variables), Rule::Scope)
                .and_then(|()| self.semantics.rests(here))
                .map_err(|rule| mismatch(step, rule))?;
        }
        let outermost = index + 1 == self.run.fragments.len();
        self.semantics.begins(at(fragment, 0), outermost).map_err(|rule| mismatch(0, rule))?;
        (0..fragment.len()).try_for_each(|step| self.step(index, step).map_err(|rule| mismatch(step, rule)))
    }

    /// The fragment has places of a procedure and states of its width; gives the size of the scope.
    fn shape(&self, fragment: &Fragment<Place>) -> Result<usize, Rule> {
        require(!fragment.is_empty(), Rule::SomePlace)?;
        let variables = self.semantics.width(fragment.procedure).ok_or(Rule::Procedure)?;
        require(fragment.is_packed() && fragment.width() == variables.div_ceil(64), Rule::Scope)?;
        Ok(variables)
    }

    /// The step from a place to the next, or the call at the last.
    fn step(&self, index: usize, step: usize) -> Result<(), Rule> {
        let fragment = &self.run.fragments[index];
        let here = at(fragment, step);
        let next = (step + 1 < fragment.len()).then(|| at(fragment, step + 1));
        match (fragment.inside(step), next) {
            (None, None) => Ok(()),
            (None, Some(next)) => self.semantics.step(here, next),
            (Some(inside), next) => {
                require(inside.index() < index, Rule::Order)?;
                self.call(here, &self.run.fragments[inside.index()], next)
            }
        }
    }

    /// A call with its inside; without `next` it is never left.
    fn call(&self, here: At<'_>, inside: &Fragment<Place>, next: Option<At<'_>>) -> Result<(), Rule> {
        self.semantics.enters(here, at(inside, 0))?;
        let Some(next) = next else { return Ok(()) };
        let last = inside.len() - 1;
        let exit = at(inside, last);
        require(inside.inside(last).is_none() && self.semantics.ends(exit), Rule::Returned)?;
        self.semantics.resumes(here, exit, next)
    }
}

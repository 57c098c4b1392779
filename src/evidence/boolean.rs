//! What languages of Boolean variables have in common: how activations begin and what calls hand over.

use super::mismatch::Rule;
use super::replay::{At, Semantics, require};
use super::values::Meaning;
use crate::syntax::{Expr, Place, Var};
use std::ops::Range;

/// A call as written.
pub(super) struct Call<'p> {
    /// The procedure that is called.
    pub(super) callee: u32,
    /// Where it is entered.
    pub(super) entry: Place,
    /// What its inputs (its first locals) take.
    pub(super) arguments: &'p [Expr],
    /// The caller's variables that take its outputs.
    pub(super) targets: &'p [Option<Var>],
    /// The callee's first local that is an output.
    pub(super) outputs: usize,
}

/// What is asked of a language of Boolean variables, each of which is one bit of a state.
pub(super) trait Boolean {
    /// The meaning of expressions.
    fn meaning(&self) -> Meaning<'_>;
    /// How many variables a procedure has in scope, if it exists.
    fn variables(&self, procedure: u32) -> Option<usize>;
    /// How many of its locals are inputs.
    fn inputs(&self, procedure: u32) -> usize;
    /// Which of its locals are outputs.
    fn outputs(&self, procedure: u32) -> Range<usize>;
    /// What has to hold wherever control rests in a procedure.
    fn always(&self, procedure: u32) -> Option<Expr>;
    /// The value a variable is declared with.
    fn initial(&self, procedure: u32, var: Var) -> Option<bool>;
    /// An activation, or (`outermost`) the run itself, may start at this place.
    fn starts(&self, first: At<'_>, outermost: bool) -> Result<(), Rule>;
    /// Control may rest here, in this state.
    fn rests(&self, here: At<'_>) -> Result<(), Rule>;
    /// An activation that rests here has come to its end.
    fn ends(&self, here: At<'_>) -> bool;
    /// One step without a call leads from here to the next place.
    fn step(&self, here: At<'_>, next: At<'_>) -> Result<(), Rule>;
    /// What a step that replay accepts evaluates, and the variables it assigns; after a call that has come back from
    /// `exit`, what comes on top of the call.
    fn uses(&self, here: At<'_>, exit: Option<At<'_>>, next: At<'_>) -> (Vec<Expr>, Vec<Var>);
    /// The call at this place, if it is one.
    fn call(&self, here: At<'_>) -> Option<Call<'_>>;
    /// Where a step without a call may lead, and which variables it may change.
    fn ways(&self, here: At<'_>) -> Vec<(Place, Vec<Var>)>;
    /// The same for the step after a call that has come back from `exit`.
    fn ways_back(&self, here: At<'_>, exit: Place) -> Vec<(Place, Vec<Var>)>;
    /// After the call at `here` has come back from `exit` and left the state `returned`, control goes
    /// to the next place.
    fn resume(&self, here: At<'_>, exit: Place, returned: &[u64], next: At<'_>) -> Result<(), Rule>;
}

impl<L: Boolean> Semantics for L {
    fn width(&self, procedure: u32) -> Option<usize> {
        self.variables(procedure)
    }

    fn begins(&self, first: At<'_>, outermost: bool) -> Result<(), Rule> {
        self.starts(first, outermost)?;
        let meaning = self.meaning();
        let given = if outermost { 0 } else { meaning.globals() + self.inputs(first.procedure) };
        let variables = self.variables(first.procedure).unwrap_or(0);
        for var in (given..variables).map(|bit| meaning.var_of(bit)) {
            let initial = self.initial(first.procedure, var);
            require(initial.is_none_or(|value| value == meaning.value(first.state, var)), Rule::Initial(var))?;
        }
        Ok(())
    }

    fn rests(&self, here: At<'_>) -> Result<(), Rule> {
        Boolean::rests(self, here)
    }

    fn ends(&self, here: At<'_>) -> bool {
        Boolean::ends(self, here)
    }

    fn step(&self, here: At<'_>, next: At<'_>) -> Result<(), Rule> {
        Boolean::step(self, here, next)
    }

    fn enters(&self, here: At<'_>, first: At<'_>) -> Result<(), Rule> {
        let call = self.call(here).ok_or(Rule::NotACall)?;
        require(first.procedure == call.callee, Rule::Callee)?;
        require(first.place == call.entry, Rule::Entry)?;
        let meaning = self.meaning();
        require(meaning.same_globals(here.state, first.state), Rule::Globals)?;
        for (index, &argument) in (0..).zip(call.arguments) {
            let value = meaning.value(first.state, Var::Local(index));
            require(meaning.can_be(argument, here.state, value), Rule::Argument(index))?;
        }
        Ok(())
    }

    fn resumes(&self, here: At<'_>, exit: At<'_>, next: At<'_>) -> Result<(), Rule> {
        let call = self.call(here).ok_or(Rule::NotACall)?;
        let returned = self.meaning().returned(here.state, exit.state, call.outputs, call.targets);
        self.resume(here, exit.place, &returned, next)
    }

    fn can_go_on(&self, here: At<'_>) -> bool {
        match self.call(here) {
            Some(call) => can_enter(self, here, &call),
            None => {
                let leads =
                    |next: At<'_>| Boolean::rests(self, next).is_ok() && Boolean::step(self, here, next).is_ok();
                any_state(self, here.procedure, here.state, self.ways(here), leads)
            }
        }
    }

    fn can_resume(&self, here: At<'_>, exit: At<'_>) -> bool {
        let Some(call) = self.call(here) else { return false };
        let returned = self.meaning().returned(here.state, exit.state, call.outputs, call.targets);
        let leads =
            |next: At<'_>| Boolean::rests(self, next).is_ok() && self.resume(here, exit.place, &returned, next).is_ok();
        any_state(self, here.procedure, &returned, self.ways_back(here, exit.place), leads)
    }
}

/// A call can begin: with some values that its inputs and locals may have, control may rest at its entry (`enforce`).
fn can_enter<L: Boolean>(language: &L, here: At<'_>, call: &Call<'_>) -> bool {
    let meaning = language.meaning();
    let (globals, variables) = (meaning.globals(), language.variables(call.callee).unwrap_or(0));
    let mut state = vec![0; variables.div_ceil(64)];
    for var in (0..globals).map(|bit| meaning.var_of(bit)) {
        meaning.set(&mut state, var, meaning.value(here.state, var));
    }
    let mut chosen = Vec::new();
    for (local, var) in (globals..variables).map(|bit| meaning.var_of(bit)).enumerate() {
        match language.initial(call.callee, var) {
            Some(value) if local >= language.inputs(call.callee) => meaning.set(&mut state, var, value),
            // Results have no values yet that anyone could see.
            _ if local >= call.outputs && local < call.outputs + call.targets.len() => {}
            _ => chosen.push(var),
        }
    }
    let begins = |first: At<'_>| Boolean::rests(language, first).is_ok() && language.enters(here, first).is_ok();
    any_state(language, call.callee, &state, vec![(call.entry, Vec::new()), (call.entry, chosen)], begins)
}

/// Variables of a step whose values are tried.
const MOST_TRIED: usize = 14;

/// Some state at one of the places, different from this one only in the variables given with it, will do. (If there are too
/// many to try, none is found.)
fn any_state(
    language: &impl Boolean,
    procedure: u32,
    state: &[u64],
    ways: Vec<(Place, Vec<Var>)>,
    will_do: impl Fn(At<'_>) -> bool,
) -> bool {
    let meaning = language.meaning();
    ways.into_iter().filter(|(_, vars)| vars.len() <= MOST_TRIED).any(|(place, vars)| {
        (0..1u32 << vars.len()).any(|values| {
            let mut state = state.to_vec();
            vars.iter().enumerate().for_each(|(n, &var)| meaning.set(&mut state, var, values >> n & 1 == 1));
            will_do(At { procedure, place, state: &state })
        })
    })
}

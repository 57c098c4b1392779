//! The variables of a procedure in their new order and with their new names, and those that are added.
//!
//! Languages want parameters first, the model has them anywhere. Locals never hide globals here, even
//! if they do in the source: a procedure may read both (a result's variable has no name of its own
//! in a Boolean program).

use super::names::{Lexicon, Namer};
use crate::model::{Ersm, Initial, Procedure, Var, Variable};
use crate::syntax::{self, Names, Span};

/// A variable under its new name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) name: String,
    /// Arbitrary if none.
    pub(super) initial: Option<bool>,
}

/// The global variables, in their order, and the scope of their names.
pub(super) fn globals(ersm: &Ersm, lexicon: &'static Lexicon, reserved: &[&str]) -> (Namer<'static>, Vec<Declared>) {
    let mut names = Namer::new(lexicon);
    reserved.iter().for_each(|name| names.reserve(name));
    let declared = ersm.globals.iter().map(|variable| declare(&mut names, ersm, variable)).collect();
    (names, declared)
}

/// The variables as a syntax tree declares them.
pub(super) fn declarations(names: &mut Names, variables: Vec<Declared>) -> Vec<syntax::Variable> {
    let declare = |variable: Declared| syntax::Variable {
        name: names.intern(&variable.name),
        initial: variable.initial,
        span: Span::default(),
    };
    variables.into_iter().map(declare).collect()
}

fn declare(names: &mut Namer<'_>, ersm: &Ersm, variable: &Variable) -> Declared {
    let initial = match variable.initial {
        Initial::Fixed(value) => Some(value),
        Initial::Arbitrary => None,
    };
    Declared { name: names.fresh(ersm.names.text(variable.name)), initial }
}

/// The local variables of a procedure.
pub(super) struct Scope<'n> {
    /// The variables that are visible.
    pub(super) names: Namer<'n>,
    /// The locals in their new order.
    pub(super) locals: Vec<Declared>,
    /// The model's locals by their old places, and their new places.
    old: Vec<Declared>,
    places: Vec<Option<u32>>,
    /// Variables that take shared choices.
    auxiliary: Vec<Var>,
}

impl<'n> Scope<'n> {
    /// A scope in which the procedure's locals have names but no places.
    pub(super) fn new(globals: &'n Namer<'n>, ersm: &Ersm, procedure: &Procedure) -> Scope<'n> {
        let mut names = globals.inside();
        let old: Vec<Declared> = procedure.locals.iter().map(|local| declare(&mut names, ersm, local)).collect();
        let places = vec![None; old.len()];
        Scope { names, locals: Vec::new(), old, places, auxiliary: Vec::new() }
    }

    /// The next local is this one of the model.
    pub(super) fn keep(&mut self, old: u32) {
        let place = &mut self.places[old as usize];
        if place.is_none() {
            *place = Some(self.locals.len() as u32);
            self.locals.push(self.old[old as usize].clone());
        }
    }

    /// The next locals are those of the model that take arguments.
    pub(super) fn keep_inputs(&mut self, procedure: &Procedure) {
        for &input in &procedure.inputs {
            self.old[input as usize].initial = None;
            self.keep(input);
        }
    }

    /// The next locals are all others of the model.
    pub(super) fn keep_rest(&mut self) {
        (0..self.old.len() as u32).for_each(|old| self.keep(old));
    }

    /// The next local is a new one.
    pub(super) fn add(&mut self, name: &str) -> Var {
        let name = self.names.fresh(name);
        self.locals.push(Declared { name, initial: None });
        Var::Local(self.locals.len() as u32 - 1)
    }

    /// The new place of a variable.
    pub(super) fn var(&self, var: Var) -> Var {
        match var {
            Var::Global(_) => var,
            Var::Local(old) => Var::Local(self.places.get(old as usize).copied().flatten().unwrap_or(old)),
        }
    }

    /// The variable for a shared choice, by number.
    pub(super) fn auxiliary(&mut self, number: usize) -> Var {
        while self.auxiliary.len() <= number {
            let var = self.add(&format!("choice{}", self.auxiliary.len() + 1));
            self.auxiliary.push(var);
        }
        self.auxiliary[number]
    }
}

//! Names for the variables and procedures of a Boolean program in another language.

use super::names::{Lexicon, Namer};
use crate::syntax::bp::Program;
use crate::syntax::{Name, Var};

/// What everything is called there. No two things that are visible in one place have the same name.
pub(super) struct PeerNames {
    pub(super) globals: Vec<String>,
    /// By procedure, in the order of its locals.
    pub(super) locals: Vec<Vec<String>>,
    pub(super) procedures: Vec<String>,
}

impl PeerNames {
    /// Names that the language accepts. What a procedure is called begins with the second text, and what a
    /// variable is called with the first: so they are no functions that the language knows already.
    pub(super) fn new(program: &Program, lexicon: &'static Lexicon, variable: &str, procedure: &str) -> PeerNames {
        let mut outer = Namer::new(lexicon);
        let text = |name: Name| program.names.text(name);
        let globals = program.globals.iter().map(|v| outer.fresh(&format!("{variable}{}", text(v.name)))).collect();
        let procedures =
            program.procedures.iter().map(|p| outer.fresh(&format!("{procedure}{}", text(p.name)))).collect();
        let locals = program.procedures.iter().map(|procedure| {
            let mut inner = outer.inside();
            procedure.locals.iter().map(|local| inner.fresh(&format!("{variable}{}", text(local.name)))).collect()
        });
        PeerNames { locals: locals.collect(), globals, procedures }
    }

    /// The name of a variable in the scope of a procedure.
    pub(super) fn var(&self, procedure: usize, var: Var) -> &str {
        match var {
            Var::Global(index) => &self.globals[index as usize],
            Var::Local(index) => &self.locals[procedure][index as usize],
        }
    }

    /// The text, or one that begins with it, with which no name begins: followed by numbers it names more things.
    pub(super) fn stem(&self, text: &str) -> String {
        let mut stem = text.to_owned();
        let names = || self.globals.iter().chain(&self.procedures).chain(self.locals.iter().flatten());
        while names().any(|name| name.starts_with(&stem)) {
            stem.push('_');
        }
        stem
    }
}

//! The variables of a procedure: which are in scope, and which of them can change.
//!
//! Globals that a procedure and its callees are not concerned with keep their values from its entry to any place in
//! it (MOD/REF, Ball 3.3). They are out of scope, unless some claim is about them: who made the claims need not know
//! which globals a procedure is concerned with.

use crate::model::{Footprint, Procedure, Var};
use rustc_hash::FxHashSet;

/// The scope of a procedure.
pub(super) struct Scope<'e> {
    procedure: &'e Procedure,
    /// Globals in increasing order, then all locals.
    vars: Vec<Var>,
    globals: usize,
    /// Globals that may be written; all of them if that is not known.
    written: Option<&'e [u32]>,
    assigned: FxHashSet<Var>,
}

impl<'e> Scope<'e> {
    /// The scope of a procedure with this footprint and these globals besides, in a machine with so many globals.
    pub(super) fn new(
        procedure: &'e Procedure,
        footprint: Option<&'e Footprint>,
        besides: &[u32],
        globals: usize,
    ) -> Scope<'e> {
        let mut vars: Vec<Var> = match footprint {
            Some(footprint) => footprint.used.iter().chain(besides).copied().map(Var::Global).collect(),
            None => (0..globals as u32).map(Var::Global).collect(),
        };
        vars.sort_unstable();
        let globals = vars.len();
        vars.extend((0..procedure.locals.len() as u32).map(Var::Local));
        let assigned = procedure.assigned().collect();
        Scope { procedure, vars, globals, written: footprint.map(|footprint| &*footprint.written), assigned }
    }

    /// All variables.
    pub(super) fn vars(&self) -> &[Var] {
        &self.vars
    }

    /// The place of a variable in the list.
    pub(super) fn index(&self, var: Var) -> Option<usize> {
        match var {
            Var::Global(_) => self.vars[..self.globals].binary_search(&var).ok(),
            Var::Local(local) => Some(self.globals + local as usize).filter(|&index| index < self.vars.len()),
        }
    }

    /// It has a value when the procedure is entered that its caller knows.
    pub(super) fn is_entering(&self, var: Var) -> bool {
        match var {
            Var::Global(_) => self.index(var).is_some(),
            Var::Local(local) => self.procedure.inputs.contains(&local),
        }
    }

    /// It has a value when the procedure is left that its caller sees.
    pub(super) fn is_leaving(&self, var: Var) -> bool {
        match var {
            Var::Global(_) => self.index(var).is_some(),
            Var::Local(local) => self.procedure.outputs.contains(&local),
        }
    }

    /// It may have another value than on entry.
    pub(super) fn changes(&self, var: Var) -> bool {
        match var {
            Var::Global(global) => self.written.is_none_or(|written| written.binary_search(&global).is_ok()),
            Var::Local(local) => self.assigned.contains(&var) || !self.procedure.inputs.contains(&local),
        }
    }
}

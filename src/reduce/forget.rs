//! What live ranges change in a machine: noted while it is looked at, carried out afterwards. The lists are
//! those of the whole machine, because most procedures have little to note.

use crate::model::{Ersm, Initial, Leaf, Owner, ProcId, Var};
use epitome_encodings::Lit;

/// What changes.
#[derive(Default)]
pub(super) struct Plan {
    /// Transitions, by procedure and place in its list, with the end of their assignments in the next
    /// list; they begin where those before end.
    pub(super) edges: Vec<(ProcId, usize, usize)>,
    /// Variables and their values; `None` is a fresh choice.
    pub(super) assignments: Vec<(Var, Option<Lit>)>,
    /// Arguments that become choices: procedure, box and place.
    pub(super) arguments: Vec<(ProcId, usize, usize)>,
    /// Results that nobody takes: procedure, box and place.
    pub(super) results: Vec<(ProcId, usize, usize)>,
    /// Locals whose initial value does not matter.
    pub(super) locals: Vec<(ProcId, usize)>,
    /// Globals whose initial value does not matter.
    pub(super) globals: Vec<usize>,
}

impl Plan {
    /// Nothing changes.
    pub(super) fn is_empty(&self) -> bool {
        self.edges.is_empty()
            && self.arguments.is_empty()
            && self.results.is_empty()
            && self.locals.is_empty()
            && self.globals.is_empty()
    }

    /// Changes the machine.
    pub(super) fn carry_out(self, ersm: &mut Ersm) {
        let Ersm { procedures, circuit, globals, .. } = ersm;
        let mut fresh = |choices: &mut Vec<Owner>| {
            choices.push(Owner::System);
            circuit.input(Leaf::Choice(choices.len() as u32 - 1).number())
        };
        let mut start = 0;
        for (id, edge, end) in self.edges {
            let edge = &mut procedures[id.index()].edges[edge];
            let mut choices = std::mem::take(&mut edge.choices).into_vec();
            let assignments = self.assignments[start..end].iter();
            edge.assignments =
                assignments.map(|&(var, lit)| (var, lit.unwrap_or_else(|| fresh(&mut choices)))).collect();
            edge.choices = choices.into();
            start = end;
        }
        for (id, site, place) in self.arguments {
            let call = &mut procedures[id.index()].boxes[site];
            let mut choices = std::mem::take(&mut call.choices).into_vec();
            call.arguments[place] = fresh(&mut choices);
            call.choices = choices.into();
        }
        for (id, site, place) in self.results {
            procedures[id.index()].boxes[site].results[place] = None;
        }
        for (id, local) in self.locals {
            procedures[id.index()].locals[local].initial = Initial::Arbitrary;
        }
        for global in self.globals {
            globals[global].initial = Initial::Arbitrary;
        }
    }
}

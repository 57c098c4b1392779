//! Replays runs of Boolean programs.
//!
//! The places are the statements where control can rest, the end of the procedure, and one place
//! after each assertion for its failure. The scope of a procedure is the globals, its locals, and
//! one variable for each result: `return` assigns them, and a call takes them from there. Falling off
//! the end leaves them as they were, which is arbitrary.

use super::boolean::{Boolean, Call};
use super::mismatch::{Mismatch, Rule};
use super::replay::{At, require, walk};
use super::values::{Changes, Meaning};
use crate::model::SourceRun;
use crate::syntax::bp::{Kind, Landing, Procedure, Program};
use crate::syntax::{Expr, Place, Var};
use std::cell::OnceCell;
use std::ops::Range;

/// Accepts a run of the program, from the start of `main` to wherever it stops, or says which rule of
/// the language it breaks. It takes time linear in the places that the run stores.
///
/// # Errors
/// The first [`Mismatch`], fragments in their order.
pub fn replay_bp(program: &Program, run: &SourceRun) -> Result<(), Mismatch> {
    walk(&Interpreter::new(program), run)
}

pub(super) struct Interpreter<'p> {
    program: &'p Program,
    /// Landings of the procedures that the run visits.
    landings: Vec<OnceCell<Landing>>,
}

/// The place where control comes to rest.
fn place(landing: Option<u32>) -> Place {
    landing.map_or(Place::End, Place::Statement)
}

fn goes(next: At<'_>, to: Place) -> Result<(), Rule> {
    require(next.place == to, Rule::Control)
}

impl<'p> Interpreter<'p> {
    pub(super) fn new(program: &'p Program) -> Interpreter<'p> {
        Interpreter { program, landings: program.procedures.iter().map(|_| OnceCell::new()).collect() }
    }

    fn procedure(&self, index: u32) -> &Procedure {
        &self.program.procedures[index as usize]
    }

    fn landing(&self, procedure: u32) -> &Landing {
        self.landings[procedure as usize].get_or_init(|| self.procedure(procedure).landing())
    }

    /// The statement at a place; none where an activation or the run has ended.
    fn statement(&self, here: At<'_>) -> Option<(usize, &Kind)> {
        let Place::Statement(index) = here.place else { return None };
        let statement = self.procedure(here.procedure).body.get(index as usize)?;
        Some((index as usize, &statement.kind))
    }

    /// Control goes to one place if the condition is true and to another if not.
    fn branch(&self, here: At<'_>, next: At<'_>, condition: Expr, to: (Place, Place)) -> Result<(), Rule> {
        let ways = [(to.0, true), (to.1, false)];
        let mut ways = ways.iter().filter(|(to, _)| *to == next.place).peekable();
        require(ways.peek().is_some(), Rule::Control)?;
        require(ways.any(|&(_, value)| self.meaning().can_be(condition, here.state, value)), Rule::Condition)
    }

    /// What a statement does to the variables.
    fn effect(&self, here: At<'_>, next: At<'_>, kind: &Kind) -> Result<(), Rule> {
        let mut changes = Changes::new(self.meaning(), here.state, next.state);
        match kind {
            Kind::Assign { targets, values, constrain } => {
                for (target, &value) in targets.iter().zip(values) {
                    target.map_or(Ok(()), |var| changes.assign(var, value))?;
                }
                changes.constrain(*constrain)?;
            }
            Kind::Return(values) => {
                let first = self.procedure(here.procedure).locals.len() as u32;
                for (result, &value) in (first..).zip(values) {
                    changes.assign(Var::Local(result), value)?;
                }
            }
            Kind::Dead(vars) => vars.iter().for_each(|&var| changes.forget(var)),
            _ => {}
        }
        changes.finish()
    }

    /// Where control goes from a statement that is no call.
    fn control(&self, here: At<'_>, next: At<'_>, index: usize, kind: &Kind) -> Result<(), Rule> {
        let procedure = self.procedure(here.procedure);
        let landing = self.landing(here.procedure);
        let after = place(landing[index + 1]);
        match kind {
            Kind::Skip | Kind::Print(_) | Kind::Assign { .. } | Kind::Dead(_) => goes(next, after),
            Kind::Return(_) => goes(next, Place::End),
            Kind::Goto(labels) => {
                let statement = |&label: &u32| procedure.labels[label as usize].statement as usize;
                let reaches = |label: &u32| place(landing[statement(label)]) == next.place;
                require(labels.iter().any(reaches), Rule::Control)
            }
            Kind::Assume(condition) => {
                goes(next, after)?;
                require(self.meaning().can_be(*condition, here.state, true), Rule::Condition)
            }
            Kind::Assert(condition) => self.branch(here, next, *condition, (after, Place::Failed(index as u32))),
            Kind::If { condition, .. } | Kind::Elsif { condition, .. } | Kind::While { condition, .. } => {
                self.branch(here, next, *condition, (after, place(procedure.otherwise(index, landing))))
            }
            Kind::Call { .. } => Err(Rule::NoInside),
            Kind::Else { .. } | Kind::Fi | Kind::Od { .. } => Err(Rule::Place),
        }
    }
}

impl Boolean for Interpreter<'_> {
    fn meaning(&self) -> Meaning<'_> {
        Meaning::new(&self.program.exprs, self.program.globals.len())
    }

    fn variables(&self, procedure: u32) -> Option<usize> {
        let procedure = self.program.procedures.get(procedure as usize)?;
        Some(self.program.globals.len() + procedure.locals.len() + procedure.results)
    }

    fn inputs(&self, procedure: u32) -> usize {
        self.procedure(procedure).parameters
    }

    fn outputs(&self, procedure: u32) -> Range<usize> {
        let procedure = self.procedure(procedure);
        procedure.locals.len()..procedure.locals.len() + procedure.results
    }

    fn always(&self, procedure: u32) -> Option<Expr> {
        self.procedure(procedure).enforce
    }

    fn initial(&self, procedure: u32, var: Var) -> Option<bool> {
        match var {
            Var::Global(index) => self.program.globals[index as usize].initial,
            Var::Local(index) => self.procedure(procedure).locals.get(index as usize)?.initial,
        }
    }

    fn starts(&self, first: At<'_>, outermost: bool) -> Result<(), Rule> {
        require(!outermost || first.procedure as usize == self.program.main, Rule::Start)?;
        require(first.place == place(self.landing(first.procedure)[0]), Rule::Entry)
    }

    fn rests(&self, here: At<'_>) -> Result<(), Rule> {
        let procedure = self.procedure(here.procedure);
        let exists = match here.place {
            Place::Statement(_) => self.statement(here).is_some_and(|(_, kind)| !kind.is_marker()),
            Place::End => true,
            Place::Failed(index) => {
                procedure.body.get(index as usize).is_some_and(|s| matches!(s.kind, Kind::Assert(_)))
            }
            Place::Node(_) | Place::Port(..) => false,
        };
        require(exists, Rule::Place)?;
        let enforced = procedure.enforce.is_none_or(|condition| self.meaning().can_be(condition, here.state, true));
        require(enforced, Rule::Enforce)
    }

    fn ends(&self, here: At<'_>) -> bool {
        here.place == Place::End
    }

    fn step(&self, here: At<'_>, next: At<'_>) -> Result<(), Rule> {
        let (index, kind) = self.statement(here).ok_or(Rule::Ended)?;
        self.control(here, next, index, kind)?;
        self.effect(here, next, kind)
    }

    fn uses(&self, here: At<'_>, _exit: Option<At<'_>>, _next: At<'_>) -> (Vec<Expr>, Vec<Var>) {
        let Some((_, kind)) = self.statement(here) else { return (Vec::new(), Vec::new()) };
        match kind {
            Kind::Assign { targets, values, constrain } => {
                (values.iter().chain(constrain).copied().collect(), targets.iter().copied().flatten().collect())
            }
            // Results have values that only the caller sees.
            Kind::Return(exprs) | Kind::Print(exprs) => (exprs.to_vec(), Vec::new()),
            Kind::Dead(vars) => (Vec::new(), vars.to_vec()),
            Kind::Assume(condition)
            | Kind::Assert(condition)
            | Kind::If { condition, .. }
            | Kind::Elsif { condition, .. }
            | Kind::While { condition, .. } => (vec![*condition], Vec::new()),
            Kind::Skip | Kind::Goto(_) | Kind::Call { .. } | Kind::Else { .. } | Kind::Fi | Kind::Od { .. } => {
                (Vec::new(), Vec::new())
            }
        }
    }

    fn call(&self, here: At<'_>) -> Option<Call<'_>> {
        let (_, Kind::Call { callee, arguments, targets }) = self.statement(here)? else { return None };
        let entry = place(self.landing(*callee)[0]);
        let outputs = self.procedure(*callee).locals.len();
        Some(Call { callee: *callee, entry, arguments, targets, outputs })
    }

    fn ways(&self, here: At<'_>) -> Vec<(Place, Vec<Var>)> {
        let Some((index, kind)) = self.statement(here) else { return Vec::new() };
        let procedure = self.procedure(here.procedure);
        let landing = self.landing(here.procedure);
        let after = place(landing[index + 1]);
        let to = |places: &[Place]| places.iter().map(|&place| (place, Vec::new())).collect();
        match kind {
            Kind::Assign { targets, .. } => vec![(after, targets.iter().copied().flatten().collect())],
            Kind::Return(values) => {
                let first = procedure.locals.len() as u32;
                vec![(Place::End, (first..first + values.len() as u32).map(Var::Local).collect())]
            }
            Kind::Dead(vars) => vec![(after, vars.to_vec())],
            Kind::Goto(labels) => {
                let target = |&label: &u32| place(landing[procedure.labels[label as usize].statement as usize]);
                to(&labels.iter().map(target).collect::<Vec<_>>())
            }
            Kind::Assert(_) => to(&[after, Place::Failed(index as u32)]),
            Kind::If { .. } | Kind::Elsif { .. } | Kind::While { .. } => {
                to(&[after, place(procedure.otherwise(index, landing))])
            }
            _ => to(&[after]),
        }
    }

    fn ways_back(&self, here: At<'_>, _exit: Place) -> Vec<(Place, Vec<Var>)> {
        let Some((index, _)) = self.statement(here) else { return Vec::new() };
        vec![(place(self.landing(here.procedure)[index + 1]), Vec::new())]
    }

    fn resume(&self, here: At<'_>, _exit: Place, returned: &[u64], next: At<'_>) -> Result<(), Rule> {
        let (index, _) = self.statement(here).ok_or(Rule::NotACall)?;
        goes(next, place(self.landing(here.procedure)[index + 1]))?;
        Changes::new(self.meaning(), returned, next.state).finish()
    }
}

//! Replays runs of C programs, with integers.
//!
//! A state is the bits of all variables in scope, as the run has them; statements compute on the numbers that these
//! bits stand for ([`crate::syntax::c::Op::apply`]), and know nothing of circuits.

use super::mismatch::{Mismatch, Rule};
use super::replay::{At, Semantics, require, walk};
use crate::model::SourceRun;
use crate::syntax::c::{Expr, Function, Kind, Landing, Program, Target};
use crate::syntax::{Place, Var};
use std::cell::OnceCell;
use std::ops::Range;

/// Accepts a run of the program, from the start of `main` to wherever it stops, or says which rule of the language it
/// breaks.
///
/// # Errors
/// The first [`Mismatch`], fragments in their order.
pub fn replay_c(program: &Program, run: &SourceRun) -> Result<(), Mismatch> {
    walk(&Interpreter::new(program), run)
}

pub(super) struct Interpreter<'p> {
    program: &'p Program,
    /// Landings of the functions that the run visits.
    landings: Vec<OnceCell<Landing>>,
}

/// A call as written: the statement and what it says.
struct Call<'p> {
    index: usize,
    callee: u32,
    arguments: &'p [Expr],
    targets: &'p [Option<Var>],
}

/// The number that stands in some bits.
pub(super) fn number_in(state: &[u64], bits: Range<usize>) -> u64 {
    let value = |bit: usize| state[bit / 64] >> (bit % 64) & 1;
    bits.clone().map(|bit| value(bit) << (bit - bits.start)).sum()
}

fn set(state: &mut [u64], bits: Range<usize>, number: u64) {
    for bit in bits.clone() {
        let value = number >> (bit - bits.start) & 1;
        state[bit / 64] = state[bit / 64] & !(1 << (bit % 64)) | value << (bit % 64);
    }
}

fn goes(next: At<'_>, to: Place) -> Result<(), Rule> {
    require(next.place == to, Rule::Control)
}

impl<'p> Interpreter<'p> {
    pub(super) fn new(program: &'p Program) -> Interpreter<'p> {
        Interpreter { program, landings: program.functions.iter().map(|_| OnceCell::new()).collect() }
    }

    fn function(&self, index: u32) -> &Function {
        &self.program.functions[index as usize]
    }

    /// Where control rests that goes to a statement.
    fn place(&self, function: u32, statement: usize) -> Place {
        let landing = self.landings[function as usize].get_or_init(|| self.function(function).landing());
        landing[statement].map_or(Place::End, Place::Statement)
    }

    fn statement(&self, here: At<'_>) -> Option<(usize, &Kind)> {
        let Place::Statement(index) = here.place else { return None };
        let statement = self.function(here.procedure).body.get(index as usize)?;
        Some((index as usize, &statement.kind))
    }

    fn bits(&self, function: u32, var: Var) -> Range<usize> {
        self.program.bits_of(function as usize, var)
    }

    fn read(&self, here: At<'_>, var: Var) -> u64 {
        number_in(here.state, self.bits(here.procedure, var))
    }

    fn value(&self, here: At<'_>, expr: Expr) -> u64 {
        let cell = |list: u32, index: u64| self.program.elements[list as usize].get(index as usize).copied();
        let element = |list, index| cell(list, index).map_or(0, |var| self.read(here, var));
        self.program.exprs.value(expr, |var| self.read(here, var), element)
    }

    /// The state after a step that is expected must be the one that is there.
    fn becomes(&self, expected: &[u64], next: At<'_>) -> Result<(), Rule> {
        let Some(word) = expected.iter().zip(next.state).position(|(a, b)| a != b) else { return Ok(()) };
        let bit = word * 64 + (expected[word] ^ next.state[word]).trailing_zeros() as usize;
        let globals = (0..self.program.globals.len() as u32).map(Var::Global);
        let locals = (0..self.function(next.procedure).locals.len() as u32).map(Var::Local);
        let var = globals.chain(locals).find(|&var| self.bits(next.procedure, var).contains(&bit));
        Err(var.map_or(Rule::Scope, Rule::Value))
    }

    /// What a statement does to the variables; where a value comes from outside, any will do.
    fn effect(&self, here: At<'_>, next: At<'_>, kind: &Kind) -> Result<(), Rule> {
        let mut expected = here.state.to_vec();
        let mut assign = |var: Var, value: u64| set(&mut expected, self.bits(here.procedure, var), value);
        match kind {
            Kind::Assign { target: Target::Cell(var), value } => assign(*var, self.value(here, *value)),
            Kind::Assign { target: Target::Element { list, index }, value } => {
                let index = self.value(here, *index) as usize;
                if let Some(&var) = self.program.elements[*list as usize].get(index) {
                    assign(var, self.value(here, *value));
                }
            }
            Kind::Return(Some(value)) => {
                if let Some(&result) = self.function(here.procedure).results.first() {
                    assign(Var::Local(result), self.value(here, *value));
                }
            }
            Kind::Input { target, .. } => assign(*target, self.read(next, *target)),
            Kind::Forget(vars) => vars.iter().for_each(|&var| assign(var, self.read(next, var))),
            _ => {}
        }
        self.becomes(&expected, next)
    }

    /// Where control goes from a statement that is no call.
    fn control(&self, here: At<'_>, next: At<'_>, index: usize, kind: &Kind) -> Result<(), Rule> {
        let place = |statement: usize| self.place(here.procedure, statement);
        let holds = |condition: &Expr| self.value(here, *condition) & 1 == 1;
        match kind {
            Kind::Skip | Kind::Enter { .. } | Kind::Assign { .. } | Kind::Input { .. } | Kind::Forget(_) => {
                goes(next, place(index + 1))
            }
            Kind::Goto(goal) => goes(next, place(*goal as usize)),
            Kind::Return(_) => goes(next, Place::End),
            Kind::Branch { condition, then, otherwise } => {
                let to = if holds(condition) { *then } else { *otherwise };
                goes(next, place(to as usize))
            }
            Kind::Assume(condition) => {
                goes(next, place(index + 1))?;
                require(holds(condition), Rule::Condition)
            }
            Kind::Check { condition, .. } => {
                goes(next, if holds(condition) { place(index + 1) } else { Place::Failed(index as u32) })
            }
            Kind::Call { .. } => Err(Rule::NoInside),
            Kind::Stop { .. } => Err(Rule::Ended),
        }
    }

    fn call(&self, here: At<'_>) -> Option<Call<'_>> {
        match self.statement(here)? {
            (index, Kind::Call { callee, arguments, targets }) => {
                Some(Call { index, callee: *callee, arguments, targets })
            }
            _ => None,
        }
    }
}

impl Semantics for Interpreter<'_> {
    fn width(&self, procedure: u32) -> Option<usize> {
        let function = self.program.functions.get(procedure as usize)?;
        Some(self.program.global_bits() + function.bits())
    }

    fn begins(&self, first: At<'_>, outermost: bool) -> Result<(), Rule> {
        require(!outermost || first.procedure as usize == self.program.main, Rule::Start)?;
        require(first.place == self.place(first.procedure, 0), Rule::Entry)?;
        for (index, variable) in (0..).zip(&self.program.globals).filter(|_| outermost) {
            let var = Var::Global(index);
            let fits = variable.initial.is_none_or(|initial| initial == self.read(first, var));
            require(fits, Rule::Initial(var))?;
        }
        Ok(())
    }

    fn rests(&self, here: At<'_>) -> Result<(), Rule> {
        let exists = match here.place {
            Place::Statement(index) => {
                self.statement(here).is_some() && self.place(here.procedure, index as usize) == here.place
            }
            Place::End => true,
            Place::Failed(index) => {
                let statement = self.function(here.procedure).body.get(index as usize);
                statement.is_some_and(|statement| matches!(statement.kind, Kind::Check { .. }))
            }
            Place::Node(_) | Place::Port(..) => false,
        };
        require(exists, Rule::Place)
    }

    fn ends(&self, here: At<'_>) -> bool {
        here.place == Place::End
    }

    fn step(&self, here: At<'_>, next: At<'_>) -> Result<(), Rule> {
        let (index, kind) = self.statement(here).ok_or(Rule::Ended)?;
        self.control(here, next, index, kind)?;
        self.effect(here, next, kind)
    }

    fn enters(&self, here: At<'_>, first: At<'_>) -> Result<(), Rule> {
        let Call { callee, arguments, .. } = self.call(here).ok_or(Rule::NotACall)?;
        require(first.procedure == callee, Rule::Callee)?;
        require(first.place == self.place(callee, 0), Rule::Entry)?;
        let globals = (0..self.program.globals.len() as u32).map(Var::Global);
        let same = |var| self.read(here, var) == self.read(first, var);
        require(globals.into_iter().all(same), Rule::Globals)?;
        for (index, &argument) in (0..).zip(arguments) {
            require(self.value(here, argument) == self.read(first, Var::Local(index)), Rule::Argument(index))?;
        }
        Ok(())
    }

    fn resumes(&self, here: At<'_>, exit: At<'_>, next: At<'_>) -> Result<(), Rule> {
        let Call { index, callee, targets, .. } = self.call(here).ok_or(Rule::NotACall)?;
        goes(next, self.place(here.procedure, index + 1))?;
        let mut expected = here.state.to_vec();
        for var in (0..self.program.globals.len() as u32).map(Var::Global) {
            set(&mut expected, self.bits(here.procedure, var), self.read(exit, var));
        }
        for (&result, target) in self.function(callee).results.iter().zip(targets) {
            if let Some(target) = *target {
                set(&mut expected, self.bits(here.procedure, target), self.read(exit, Var::Local(result)));
            }
        }
        self.becomes(&expected, next)
    }

    fn can_go_on(&self, here: At<'_>) -> bool {
        match self.statement(here) {
            Some((_, Kind::Assume(condition))) => self.value(here, *condition) & 1 == 1,
            Some((_, Kind::Stop { .. })) | None => false,
            Some(_) => true,
        }
    }

    fn can_resume(&self, _here: At<'_>, _exit: At<'_>) -> bool {
        true
    }
}

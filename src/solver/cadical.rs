//! CaDiCaL.

use super::{Pulse, Solver};
use crate::limits::{Limits, Reason};

impl cadical::Callbacks for Pulse {
    fn terminate(&mut self) -> bool {
        self.is_over()
    }

    fn max_length(&self) -> i32 {
        i32::MAX
    }

    fn learn(&mut self, _: &[i32]) {
        self.state.learned.set(self.state.learned.get() + 1);
    }
}

pub(super) struct Cadical {
    solver: cadical::Solver<Pulse>,
    pulse: Pulse,
    /// The last answer, as long as no clause came after it: what else is asked about it would end the process.
    answer: Option<bool>,
}

impl Cadical {
    pub(super) fn new(limits: &Limits) -> Cadical {
        let mut solver = cadical::Solver::new();
        let pulse = Pulse::new(limits);
        solver.set_callbacks(Some(pulse.clone()));
        Cadical { solver, pulse, answer: None }
    }
}

impl Solver for Cadical {
    fn add(&mut self, clause: &[i32]) {
        self.answer = None;
        self.solver.add_clause(clause.iter().copied());
    }

    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Reason> {
        self.answer = self.solver.solve_with(assumptions.iter().copied());
        self.answer.ok_or_else(|| self.pulse.reason())
    }

    fn value(&self, literal: i32) -> bool {
        let is_true = self.answer == Some(true) && self.solver.value(literal.abs()) == Some(true);
        is_true == (literal > 0)
    }

    fn failed(&self, assumption: i32) -> bool {
        self.answer != Some(false) || self.solver.failed(assumption)
    }

    fn conflicts(&self) -> u64 {
        self.pulse.state.learned.get()
    }
}

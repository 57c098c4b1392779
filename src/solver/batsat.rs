//! BatSat, through rustsat.

use super::{Pulse, REFUSED, Solver};
use crate::limits::{Limits, Reason};
use batsat::SolverInterface;
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Lit, TernaryVal};

impl batsat::Callbacks for Pulse {
    fn stop(&self) -> bool {
        self.is_over()
    }
}

pub(super) struct Batsat {
    solver: rustsat_batsat::Solver<Pulse>,
    core: Vec<Lit>,
    refused: bool,
}

impl Batsat {
    pub(super) fn new(limits: &Limits) -> Batsat {
        let mut solver = rustsat_batsat::Solver::<Pulse>::default();
        *solver.batsat_mut().cb_mut() = Pulse::new(limits);
        Batsat { solver, core: Vec::new(), refused: false }
    }
}

fn literals(list: &[i32]) -> Vec<Lit> {
    list.iter().filter_map(|&literal| Lit::from_ipasir(literal).ok()).collect()
}

impl Solver for Batsat {
    fn add(&mut self, clause: &[i32]) {
        self.refused |= self.solver.add_clause(literals(clause).into_iter().collect()).is_err();
    }

    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Reason> {
        if self.refused {
            return Err(REFUSED);
        }
        match self.solver.solve_assumps(&literals(assumptions)).map_err(|_| REFUSED)? {
            SolverResult::Sat => Ok(true),
            SolverResult::Unsat => {
                self.core = self.solver.core().map_err(|_| REFUSED)?;
                Ok(false)
            }
            SolverResult::Interrupted => Err(self.solver.batsat_ref().cb().reason()),
        }
    }

    fn value(&self, literal: i32) -> bool {
        let variable = Lit::from_ipasir(literal.abs()).ok().and_then(|literal| self.solver.lit_val(literal).ok());
        (variable == Some(TernaryVal::True)) == (literal > 0)
    }

    fn failed(&self, assumption: i32) -> bool {
        Lit::from_ipasir(-assumption).is_ok_and(|literal| self.core.contains(&literal))
    }

    fn conflicts(&self) -> u64 {
        self.solver.batsat_ref().num_conflicts()
    }
}

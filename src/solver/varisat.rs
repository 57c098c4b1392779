//! Varisat.
//!
//! It has no callback, but it writes a proof: every learned clause comes by there. The writer looks at the
//! limits and leaves the solver by unwinding, the way incremental compilers cancel queries; the solver is
//! not used again.

use super::{Pulse, REFUSED, Solver};
use crate::limits::{Limits, Reason};
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use varisat::{ExtendFormula, Lit, ProofFormat};

pub(super) struct Varisat {
    solver: varisat::Solver<'static>,
    pulse: Pulse,
    is_solving: Rc<Cell<bool>>,
    is_over: bool,
    model: Vec<bool>,
    core: Vec<Lit>,
}

/// A proof that nobody keeps.
struct Proof {
    limits: Limits,
    /// The solver is at work: what is written on other occasions is no place to leave from.
    is_solving: Rc<Cell<bool>>,
}

/// What the solver is left with.
struct Over;

impl io::Write for Proof {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_solving.get() && self.limits.check(0).is_err() {
            resume_unwind(Box::new(Over));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn literals(list: &[i32]) -> Vec<Lit> {
    list.iter().map(|&literal| Lit::from_dimacs(literal as isize)).collect()
}

impl Varisat {
    pub(super) fn new(limits: &Limits) -> Varisat {
        let mut solver = varisat::Solver::new();
        let is_solving = Rc::new(Cell::new(false));
        let proof = Proof { limits: limits.clone(), is_solving: is_solving.clone() };
        solver.write_proof(proof, ProofFormat::Varisat);
        Varisat { solver, pulse: Pulse::new(limits), is_solving, is_over: false, model: Vec::new(), core: Vec::new() }
    }

    fn solve_with(&mut self, assumptions: &[Lit]) -> Result<bool, Reason> {
        if self.is_over {
            return Err(self.pulse.reason());
        }
        self.solver.assume(assumptions);
        self.is_solving.set(true);
        let end = catch_unwind(AssertUnwindSafe(|| self.solver.solve()));
        self.is_solving.set(false);
        match end {
            Ok(answer) => answer.map_err(|_| REFUSED),
            Err(load) if load.is::<Over>() => {
                self.is_over = true;
                Err(self.pulse.reason())
            }
            Err(load) => resume_unwind(load),
        }
    }
}

impl Solver for Varisat {
    fn add(&mut self, clause: &[i32]) {
        self.solver.add_clause(&literals(clause));
    }

    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Reason> {
        let assumptions = literals(assumptions);
        if self.solve_with(&assumptions)? {
            self.model.clear();
            for literal in self.solver.model().unwrap_or_default() {
                let index = literal.var().index();
                if index >= self.model.len() {
                    self.model.resize(index + 1, false);
                }
                self.model[index] = literal.is_positive();
            }
            return Ok(true);
        }
        // Its cores are not always enough for a contradiction.
        self.core = self.solver.failed_core().map_or_else(Vec::new, <[_]>::to_vec);
        let core = self.core.clone();
        if self.solve_with(&core)? {
            self.core = assumptions;
        }
        Ok(false)
    }

    fn value(&self, literal: i32) -> bool {
        let value = self.model.get(literal.unsigned_abs() as usize - 1).copied().unwrap_or(false);
        value == (literal > 0)
    }

    fn failed(&self, assumption: i32) -> bool {
        self.core.contains(&Lit::from_dimacs(assumption as isize))
    }

    fn conflicts(&self) -> u64 {
        0
    }
}

//! SAT solvers behind one small trait: clauses in, answers to assumptions out.
//!
//! The queries of summaries are many and tiny, so what counts is how fast a solver starts, takes a clause and
//! gives an answer of a few propagations. Literals are those of DIMACS.

use crate::limits::{Limits, Reason};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Lit as Literal, TernaryVal};
use rustsat_batsat::BasicSolver;

/// Which solver answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverName {
    /// BatSat: MiniSat in Rust.
    #[default]
    Batsat,
    /// CaDiCaL.
    Cadical,
    /// Varisat.
    Varisat,
}

impl SolverName {
    /// All of them.
    pub const ALL: [SolverName; 3] = [SolverName::Batsat, SolverName::Cadical, SolverName::Varisat];

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            SolverName::Batsat => "batsat",
            SolverName::Cadical => "cadical",
            SolverName::Varisat => "varisat",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            SolverName::Batsat => "MiniSat in Rust: fast on many tiny queries",
            SolverName::Cadical => "CaDiCaL: strong on hard queries",
            SolverName::Varisat => "Varisat, in Rust",
        }
    }

    /// A solver without clauses.
    pub(super) fn start(self, limits: &Limits) -> Box<dyn Solver> {
        match self {
            SolverName::Batsat => Box::new(Batsat::default()),
            SolverName::Cadical => {
                let mut solver = cadical::Solver::new();
                solver.set_callbacks(Some(Interrupt { limits: limits.clone(), calls: 0 }));
                Box::new(Cadical { solver, limits: limits.clone() })
            }
            SolverName::Varisat => Box::new(Varisat::default()),
        }
    }
}

/// An incremental solver.
pub(super) trait Solver {
    /// Adds a clause.
    fn add(&mut self, clause: &[i32]);

    /// True if the clauses can be satisfied together with the assumptions.
    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Reason>;

    /// The value of a literal in the model that was found. A variable that the model leaves open is 0.
    fn value(&self, literal: i32) -> bool;

    /// The assumption was needed for the contradiction that was found.
    fn failed(&self, assumption: i32) -> bool;
}

/// What is said where a solver fails for no reason of ours.
const REFUSED: Reason = Reason::Internal("a SAT solver refused its input");

#[derive(Default)]
struct Batsat {
    solver: BasicSolver,
    core: Vec<Literal>,
    refused: bool,
}

fn literals(list: &[i32]) -> Vec<Literal> {
    list.iter().filter_map(|&literal| Literal::from_ipasir(literal).ok()).collect()
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
            SolverResult::Interrupted => Err(Reason::Interrupted),
        }
    }

    fn value(&self, literal: i32) -> bool {
        let variable = Literal::from_ipasir(literal.abs()).ok().and_then(|literal| self.solver.lit_val(literal).ok());
        (variable == Some(TernaryVal::True)) == (literal > 0)
    }

    fn failed(&self, assumption: i32) -> bool {
        Literal::from_ipasir(-assumption).is_ok_and(|literal| self.core.contains(&literal))
    }
}

struct Interrupt {
    limits: Limits,
    calls: u32,
}

impl cadical::Callbacks for Interrupt {
    fn terminate(&mut self) -> bool {
        self.calls = self.calls.wrapping_add(1);
        self.calls.is_multiple_of(64) && self.limits.check(0).is_err()
    }
}

struct Cadical {
    solver: cadical::Solver<Interrupt>,
    limits: Limits,
}

impl Solver for Cadical {
    fn add(&mut self, clause: &[i32]) {
        self.solver.add_clause(clause.iter().copied());
    }

    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Reason> {
        let answer = self.solver.solve_with(assumptions.iter().copied());
        answer.ok_or_else(|| self.limits.check(0).err().unwrap_or(REFUSED))
    }

    fn value(&self, literal: i32) -> bool {
        (self.solver.value(literal.abs()) == Some(true)) == (literal > 0)
    }

    fn failed(&self, assumption: i32) -> bool {
        self.solver.failed(assumption)
    }
}

#[derive(Default)]
struct Varisat {
    solver: varisat::Solver<'static>,
    model: Vec<bool>,
    core: Vec<varisat::Lit>,
}

fn varisat_literals(list: &[i32]) -> Vec<varisat::Lit> {
    list.iter().map(|&literal| varisat::Lit::from_dimacs(literal as isize)).collect()
}

impl Varisat {
    fn solve_with(&mut self, assumptions: &[varisat::Lit]) -> Result<bool, Reason> {
        self.solver.assume(assumptions);
        self.solver.solve().map_err(|_| REFUSED)
    }
}

impl Solver for Varisat {
    fn add(&mut self, clause: &[i32]) {
        use varisat::ExtendFormula;
        self.solver.add_clause(&varisat_literals(clause));
    }

    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Reason> {
        let assumptions = varisat_literals(assumptions);
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
        self.core.contains(&varisat::Lit::from_dimacs(assumption as isize))
    }
}

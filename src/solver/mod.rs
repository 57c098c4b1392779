//! SAT solvers behind one small trait: clauses in, answers to assumptions out.
//!
//! Most queries of this tool are tiny and there are many of them, so what counts is how fast a solver takes a
//! clause and gives an answer of a few propagations. CaDiCaL is 1.3 to 4 times as fast as BatSat
//! there, Varisat from as fast as BatSat (hard queries) to a fifth as fast; CaDiCaL takes longest to start (the table
//! is in docs/engines.md). Literals are those of DIMACS.
//!
//! Every solver can be interrupted inside a query: each has a place where it calls back, and looks at the
//! limits there.

mod batsat;
mod cadical;
pub mod qbf;
mod varisat;

use crate::limits::{Limits, Reason};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Which solver answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverName {
    /// CaDiCaL.
    #[default]
    Cadical,
    /// BatSat: MiniSat in Rust.
    Batsat,
    /// Varisat.
    Varisat,
}

impl SolverName {
    /// All of them.
    pub const ALL: [SolverName; 3] = [SolverName::Cadical, SolverName::Batsat, SolverName::Varisat];

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
            SolverName::Cadical => "CaDiCaL: the fastest, on tiny queries and on hard ones",
            SolverName::Batsat => "MiniSat in Rust: the fastest to start",
            SolverName::Varisat => "Varisat, in Rust",
        }
    }

    /// The solver by which claims of this one are checked: another one, by other people.
    pub fn other(self) -> SolverName {
        match self {
            SolverName::Varisat => SolverName::Cadical,
            _ => SolverName::Varisat,
        }
    }

    /// A solver without clauses.
    pub(crate) fn start(self, limits: &Limits) -> Box<dyn Solver> {
        match self {
            SolverName::Batsat => Box::new(batsat::Batsat::new(limits)),
            SolverName::Cadical => Box::new(cadical::Cadical::new(limits)),
            SolverName::Varisat => Box::new(varisat::Varisat::new(limits)),
        }
    }
}

/// An incremental solver.
pub(crate) trait Solver {
    /// Adds a clause.
    fn add(&mut self, clause: &[i32]);

    /// True if the clauses can be satisfied together with the assumptions.
    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Reason>;

    /// The value of a literal in the model that was found. A variable that the model leaves open is 0.
    fn value(&self, literal: i32) -> bool;

    /// The assumption was needed for the contradiction that was found.
    fn failed(&self, assumption: i32) -> bool;

    /// How many conflicts it has met so far; 0 if it does not tell.
    fn conflicts(&self) -> u64;
}

/// What is said where a solver fails for no reason of ours.
const REFUSED: Reason = Reason::Internal("a SAT solver refused its input");

/// Calls between two looks at all limits, at most. (A call is a decision or a conflict.)
const INTERVAL: u32 = 2_048;

/// Calls between two times that others are let by.
const TURN: u32 = 16;

/// Time between two looks at all limits, which ask the system for the memory in use: where a call takes long it may
/// have grown by much.
const PAUSE: Duration = Duration::from_millis(5);

/// Asked often by a solver, looks at the limits now and then.
#[derive(Clone, Default)]
struct Pulse {
    limits: Limits,
    state: Rc<PulseState>,
}

/// What the solver and its user both see.
#[derive(Default)]
struct PulseState {
    calls: Cell<u32>,
    /// When it looked at all limits last.
    looked: Cell<Option<Instant>>,
    /// Clauses learned: one for each conflict.
    learned: Cell<u64>,
    /// Why the solver has to stop. Once said, it is said again: some solvers ask once more on their way out.
    stopped: RefCell<Option<Reason>>,
}

impl Pulse {
    fn new(limits: &Limits) -> Pulse {
        Pulse { limits: limits.clone(), state: Rc::default() }
    }

    /// The solver has to stop.
    fn is_over(&self) -> bool {
        let calls = self.state.calls.get().wrapping_add(1);
        self.state.calls.set(calls);
        if let Err(reason) = self.look(calls) {
            self.state.stopped.borrow_mut().get_or_insert(reason);
        }
        self.state.stopped.borrow().is_some()
    }

    fn look(&self, calls: u32) -> Result<(), Reason> {
        if !self.limits.make_step() {
            return Err(Reason::Patience);
        }
        if !calls.is_multiple_of(TURN) {
            return Ok(());
        }
        self.limits.take_turns()?;
        let now = Instant::now();
        let is_late = self.state.looked.get().is_none_or(|looked| now.duration_since(looked) >= PAUSE);
        if !is_late && !calls.is_multiple_of(INTERVAL) {
            return Ok(());
        }
        self.state.looked.set(Some(now));
        self.limits.check(0)
    }

    /// Why it stopped.
    fn reason(&self) -> Reason {
        self.state.stopped.borrow().clone().or_else(|| self.limits.check(0).err()).unwrap_or(Reason::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pigeons in one hole too few: no solver does this in a second.
    fn pigeons(solver: &mut dyn Solver, holes: i32) {
        let sits = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
        for pigeon in 0..=holes {
            solver.add(&(0..holes).map(|hole| sits(pigeon, hole)).collect::<Vec<_>>());
            for (other, hole) in (0..pigeon).flat_map(|other| (0..holes).map(move |hole| (other, hole))) {
                solver.add(&[-sits(pigeon, hole), -sits(other, hole)]);
            }
        }
    }

    #[test]
    fn hard_queries_are_interrupted() {
        for name in SolverName::ALL {
            let limits = Limits::none().with_timeout(Duration::from_millis(300));
            let mut solver = name.start(&limits);
            pigeons(&mut *solver, 14);
            let start = Instant::now();
            assert_eq!(solver.solve(&[]), Err(Reason::Timeout), "{name:?}");
            assert!(start.elapsed() < Duration::from_secs(10), "{name:?}");
        }
    }

    /// All sets of clauses over three variables of a pseudo-random list, with all assumptions.
    #[test]
    fn answers_models_and_cores_are_right() {
        let mut state = 1u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % bound
        };
        let holds = |values: u32, literal: i32| (values >> (literal.abs() - 1) & 1 == 1) == (literal > 0);
        for round in 0..200 {
            let clauses: Vec<Vec<i32>> = (0..random(9) + 1)
                .map(|_| {
                    (0..random(3) + 1).map(|_| (random(4) as i32 + 1) * if random(2) == 0 { 1 } else { -1 }).collect()
                })
                .collect();
            let satisfied = |values: u32| clauses.iter().all(|c| c.iter().any(|&literal| holds(values, literal)));
            for name in SolverName::ALL {
                let mut solver = name.start(&Limits::none());
                clauses.iter().for_each(|clause| solver.add(clause));
                for code in 0..81 {
                    let digit = |place: u32| code / 3i32.pow(place) % 3;
                    let assumptions: Vec<i32> = (0..4)
                        .filter_map(|place| {
                            [None, Some(place as i32 + 1), Some(-(place as i32) - 1)][digit(place) as usize]
                        })
                        .collect();
                    let possible = |needed: &dyn Fn(i32) -> bool| {
                        (0..16).any(|v| satisfied(v) && assumptions.iter().all(|&a| !needed(a) || holds(v, a)))
                    };
                    let answer = solver.solve(&assumptions);
                    assert_eq!(answer, Ok(possible(&|_| true)), "{name:?} {round} {clauses:?} {assumptions:?}");
                    if answer == Ok(true) {
                        let model = (0..4).map(|place| u32::from(solver.value(place + 1)) << place).sum();
                        assert!(satisfied(model) && assumptions.iter().all(|&a| holds(model, a)), "{name:?} {round}");
                    } else {
                        assert!(!possible(&|a| solver.failed(a)), "{name:?} {round} {clauses:?} {assumptions:?}");
                    }
                }
            }
        }
    }
}

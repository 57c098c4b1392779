//! The check itself: every claim follows from the others, and together they exclude the failure.
//!
//! For each claim and each of its places a query whether what is claimed never to happen is possible on some
//! path of the procedure, where cuts and calls do what the claims leave open. Then for each place where a
//! computation may start, whether the claims leave a failure open for the values it starts with.

use super::flaw::Flaw;
use super::formula::Formula;
use super::machine::{Claims, Machine};
use super::paths::paths;
use crate::limits::{Limits, Reason};
use crate::model::{Ersm, Goal, Initial, NodeId, ProcId, Proof, ProofPlace, Var};
use crate::solver::SolverName;
use epitome_encodings::{Lit, Substitution};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// Queries between two looks at the limits.
const INTERVAL: u64 = 64;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The claims are a proof.
    Valid,
    /// They are not, and why.
    Invalid(Flaw),
    /// No answer, and why.
    Unknown(Reason),
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Certified {
    /// What it found.
    pub finding: Finding,
    /// What it cost.
    pub cost: Cost,
}

/// What a check cost.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// Procedures with claims.
    pub procedures: u64,
    /// Claims.
    pub claims: u64,
    /// Calls of the solver.
    pub queries: u64,
    /// Variables of all formulas.
    pub variables: u64,
    /// Clauses of all formulas.
    pub clauses: u64,
    /// Time.
    pub time: Duration,
}

impl Cost {
    fn add(&mut self, formula: &Formula) {
        self.queries += formula.queries;
        self.variables += formula.variables();
        self.clauses += formula.clauses;
    }
}

/// Why a check ended early.
enum Stop {
    Flaw(Flaw),
    Reason(Reason),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Stop {
        Stop::Reason(reason)
    }
}

/// Checks a proof that nothing of what is looked for can be found in a machine.
pub fn certify(ersm: &Ersm, goal: &Goal, proof: &Proof, solver: SolverName, limits: &Limits) -> Certified {
    let start = Instant::now();
    let mut cost = Cost { procedures: proof.procedures.len() as u64, claims: proof.claims() as u64, ..Cost::default() };
    let finding = match Machine::new(ersm, goal, proof) {
        Err(flaw) => Finding::Invalid(flaw),
        Ok(machine) => match (Check { machine: &machine, solver, limits, cost: &mut cost }).all() {
            Ok(()) => Finding::Valid,
            Err(Stop::Flaw(flaw)) => Finding::Invalid(flaw),
            Err(Stop::Reason(reason)) => Finding::Unknown(reason),
        },
    };
    cost.time = start.elapsed();
    Certified { finding, cost }
}

struct Check<'c, 'm> {
    machine: &'m Machine<'m>,
    solver: SolverName,
    limits: &'c Limits,
    cost: &'c mut Cost,
}

impl<'m> Check<'_, 'm> {
    fn all(&mut self) -> Result<(), Stop> {
        let mut substitution = Substitution::new(&self.machine.ersm.circuit);
        for claims in self.machine.claims.iter().flatten() {
            self.limits.check(0)?;
            self.procedure(&mut substitution, claims)?;
        }
        for &(procedure, node) in &self.machine.ersm.initial {
            self.limits.check(0)?;
            self.start(procedure, node)?;
        }
        Ok(())
    }

    /// The claims about a procedure follow.
    fn procedure(&mut self, substitution: &mut Substitution<'m>, claims: &Claims<'m>) -> Result<(), Stop> {
        let procedure = claims.proof.procedure;
        let mut paths = paths(self.machine, substitution, claims, self.solver, self.limits)
            .map_err(|vertex| Stop::Flaw(Flaw::Loop { procedure, vertex }))?;
        for (number, claim) in claims.proof.never.iter().enumerate() {
            for &place in &claim.places {
                if paths.formula.queries.is_multiple_of(INTERVAL) {
                    self.limits.check(0)?;
                }
                let against = paths.against(claim, place);
                if paths.formula.is_possible(&against)? {
                    return Err(Stop::Flaw(Flaw::Claim { procedure, claim: number, place }));
                }
            }
        }
        self.cost.add(&paths.formula);
        Ok(())
    }

    /// No failure is left open where a computation starts.
    fn start(&mut self, procedure: ProcId, node: NodeId) -> Result<(), Stop> {
        if !self.machine.finds[procedure.index()] {
            return Ok(());
        }
        let entries = &self.machine.ersm.procedure(procedure).entries;
        let entry = entries.iter().position(|&other| other == node);
        let (Some(entry), Some(claims)) = (entry, &self.machine.claims[procedure.index()]) else {
            return Err(Stop::Flaw(Flaw::Start { procedure }));
        };
        let mut formula = Formula::new(self.solver, self.limits);
        let mut values: FxHashMap<Var, Lit> = FxHashMap::default();
        for claim in claims.at(ProofPlace::Failure).filter(|claim| claim.has_entry(entry as u32)) {
            let literals = claim.before.iter().map(|&(var, value)| {
                let signal = *values.entry(var).or_insert_with(|| self.initially(var, &mut formula));
                signal.negate_if(value)
            });
            let clause: Vec<Lit> = literals.collect();
            formula.require(&clause);
        }
        let is_open = formula.is_possible(&[])?;
        self.cost.add(&formula);
        if is_open { Err(Stop::Flaw(Flaw::Start { procedure })) } else { Ok(()) }
    }

    /// The value of a global or input where a computation starts.
    fn initially(&self, var: Var, formula: &mut Formula) -> Lit {
        let initial = match var {
            Var::Global(global) => self.machine.ersm.globals[global as usize].initial,
            Var::Local(_) => Initial::Arbitrary,
        };
        match initial {
            Initial::Fixed(value) => Lit::constant(value),
            Initial::Arbitrary => formula.fresh(),
        }
    }
}

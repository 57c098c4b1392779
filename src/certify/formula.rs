//! A circuit with clauses over its signals, in a solver.

use crate::limits::{Limits, Reason};
use crate::solver::{Solver, SolverName};
use epitome_encodings::{Circuit, Encoder, Encoding, Lit, Polarity, Variables};

/// What is known, and what is asked.
pub(super) struct Formula {
    pub(super) circuit: Circuit,
    encoder: Encoder,
    variables: Variables,
    solver: Box<dyn Solver>,
    /// Numbers of inputs go down from the highest: those of the machine's circuit, from 0 up, stay apart.
    next_input: u32,
    /// A clause had no literal left.
    is_contradictory: bool,
    pub(super) clauses: u64,
    pub(super) queries: u64,
}

impl Formula {
    /// Nothing is known.
    pub(super) fn new(solver: SolverName, limits: &Limits) -> Formula {
        Formula {
            circuit: Circuit::new(),
            encoder: Encoder::new(Encoding::Tseitin),
            variables: Variables::default(),
            solver: solver.start(limits),
            next_input: u32::MAX,
            is_contradictory: false,
            clauses: 0,
            queries: 0,
        }
    }

    /// A signal that may have any value.
    pub(super) fn fresh(&mut self) -> Lit {
        self.next_input -= 1;
        self.circuit.input(self.next_input)
    }

    /// Signals that may have any values.
    pub(super) fn fresh_all(&mut self, count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.fresh()).collect()
    }

    /// One of the signals is true.
    pub(super) fn any(&mut self, signals: &[Lit]) -> Lit {
        signals.iter().fold(Lit::FALSE, |any, &signal| self.circuit.or(any, signal))
    }

    /// From now on one of the signals is true.
    pub(super) fn require(&mut self, signals: &[Lit]) {
        if signals.contains(&Lit::TRUE) {
            return;
        }
        let clause: Vec<i32> =
            signals.iter().filter(|&&signal| signal != Lit::FALSE).map(|&signal| self.literal(signal)).collect();
        self.is_contradictory |= clause.is_empty();
        if !clause.is_empty() {
            self.clauses += 1;
            self.solver.add(&clause);
        }
    }

    /// All the signals can be true at once.
    pub(super) fn is_possible(&mut self, signals: &[Lit]) -> Result<bool, Reason> {
        if self.is_contradictory || signals.contains(&Lit::FALSE) {
            return Ok(false);
        }
        let assumptions: Vec<i32> =
            signals.iter().filter(|&&signal| signal != Lit::TRUE).map(|&signal| self.literal(signal)).collect();
        self.queries += 1;
        self.solver.solve(&assumptions)
    }

    /// Variables in the solver.
    pub(super) fn variables(&self) -> u64 {
        u64::from(self.variables.count())
    }

    fn literal(&mut self, signal: Lit) -> i32 {
        let (solver, clauses) = (&mut self.solver, &mut self.clauses);
        let mut sink = |clause: &[i32]| {
            *clauses += 1;
            solver.add(clause);
        };
        self.encoder.encode(&self.circuit, signal, Polarity::Both, &mut self.variables, &mut sink)
    }
}

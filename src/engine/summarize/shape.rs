//! The clauses of a body, made once and loaded into as many solvers as need them.

use super::lift::Netlist;
use crate::solver::Solver;
use epitome_encodings::{Body, Circuit, Encoder, Encoding, Gate, Lit, Polarity, Variables};

/// A body as clauses, with the literals that queries and models are about.
pub(super) struct Shape {
    /// Clauses, each ended by 0.
    clauses: Vec<i32>,
    pub(super) variables: i32,
    pub(super) guard: i32,
    pub(super) arguments: Box<[i32]>,
    pub(super) holes: Box<[HoleShape]>,
    /// Inputs with their literals.
    pub(super) inputs: Box<[(u32, i32)]>,
    /// One past the largest number of an input.
    pub(super) input_count: u32,
    pub(super) netlist: Netlist,
}

pub(super) struct HoleShape {
    pub(super) active: i32,
    pub(super) arguments: Box<[i32]>,
}

impl Shape {
    pub(super) fn new(circuit: &Circuit, body: &Body) -> Shape {
        let (mut encoder, mut variables) = (Encoder::new(Encoding::Tseitin), Variables::default());
        let mut clauses = Vec::new();
        let signals: Vec<(Lit, Polarity)> = body.signals().map(|signal| (signal, Polarity::Both)).collect();
        encoder.encode_all(circuit, &signals, &mut variables, &mut |clause: &[i32]| {
            clauses.extend_from_slice(clause);
            clauses.push(0);
        });
        let literal = |signal: Lit| encoder.literal(signal).unwrap_or(0);
        let literals = |signals: &[Lit]| signals.iter().map(|&signal| literal(signal)).collect::<Box<[i32]>>();
        let holes = body.holes.iter();
        let holes = holes.map(|hole| HoleShape { active: literal(hole.active), arguments: literals(&hole.arguments) });
        let holes: Box<[HoleShape]> = holes.collect();
        let cone = circuit.cone(body.signals());
        let inputs = cone.into_iter().filter_map(|gate| match circuit.gate_at(gate) {
            Gate::Input(number) => {
                let input = circuit.find_input(number)?;
                Some((number, encoder.literal(input)?))
            }
            _ => None,
        });
        let inputs: Box<[(u32, i32)]> = inputs.collect();
        let input_count = inputs.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        Shape {
            clauses,
            variables: variables.count() as i32,
            guard: literal(body.guard),
            arguments: literals(&body.arguments),
            holes,
            inputs,
            input_count,
            netlist: Netlist::new(circuit, body),
        }
    }

    pub(super) fn clause_count(&self) -> u64 {
        self.clauses.iter().filter(|&&literal| literal == 0).count() as u64
    }

    /// Loads the clauses.
    pub(super) fn load(&self, solver: &mut dyn Solver) {
        for clause in self.clauses.split(|&literal| literal == 0).filter(|clause| !clause.is_empty()) {
            solver.add(clause);
        }
    }
}

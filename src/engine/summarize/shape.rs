//! The clauses of a body, made once and loaded into as many solvers as need them.

use super::lift::Netlist;
use crate::solver::Solver;
use epitome_encodings::{Body, Circuit, Gate, Lit, Tseitin};

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
        let (mut tseitin, mut clauses) = (Tseitin::default(), Vec::new());
        let mut literal = |signal: Lit| {
            tseitin.encode(circuit, signal, |clause| {
                clauses.extend_from_slice(clause);
                clauses.push(0);
            })
        };
        let arguments: Box<[i32]> = body.arguments.iter().map(|&signal| literal(signal)).collect();
        let guard = literal(body.guard);
        let holes = body.holes.iter().map(|hole| HoleShape {
            active: literal(hole.active),
            arguments: hole.arguments.iter().map(|&signal| literal(signal)).collect(),
        });
        let holes: Box<[HoleShape]> = holes.collect();
        let cone = circuit.cone(body.signals());
        let inputs = cone.into_iter().filter_map(|gate| match circuit.gate_at(gate) {
            Gate::Input(number) => {
                let input = circuit.find_input(number)?;
                Some((number, tseitin.variable(input)?))
            }
            _ => None,
        });
        let inputs: Box<[(u32, i32)]> = inputs.collect();
        let input_count = inputs.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        let variables = tseitin.variables() as i32;
        let netlist = Netlist::new(circuit, body);
        Shape { clauses, variables, guard, arguments, holes, inputs, input_count, netlist }
    }

    /// Loads the clauses.
    pub(super) fn load(&self, solver: &mut dyn Solver) {
        for clause in self.clauses.split(|&literal| literal == 0).filter(|clause| !clause.is_empty()) {
            solver.add(clause);
        }
    }
}

//! The SAT solver of a block: what its owner needs, with the inner blocks left open.
//!
//! Gates known before the block are inputs here and assumed to be as they are, but only where their value is
//! against the owner: what helps need not be said, since a solver that is free to have it has it.

use super::game::{Game, Reason};
use crate::limits::{self, Limits};
use crate::solver::{Solver, SolverName};
use epitome_encodings::{Circuit, Encoder, Encoding, Gate, Lit, Polarity, Quantifier, Variables};
use rustc_hash::FxHashMap;

/// Gates that are copied for answers to single moves, at most.
const COPIES: usize = 1_000_000;

/// A block's solver.
pub(super) struct Level {
    block: usize,
    solver: Box<dyn Solver>,
    /// The literals of gates: those of the block, and those before it that matter.
    literals: FxHashMap<usize, i32>,
    /// What was assumed last, by gate.
    assumed: Vec<(usize, i32)>,
    /// Gates known before, with their literals, and by which of their values the owner is not helped.
    before: Vec<Before>,
    /// The matrix, and copies of it; by gate of the formula where it is, copies apart.
    circuit: Circuit,
    image: Vec<Lit>,
    encoder: Encoder,
    variables: Variables,
    /// The number of the next input of a copy.
    next_input: u32,
    /// Gates that may still be copied.
    budget: usize,
}

struct Before {
    gate: usize,
    literal: i32,
    when_true: bool,
    when_false: bool,
}

impl Level {
    pub(super) fn new(game: &Game, block: usize, solver: SolverName, limits: &Limits) -> Level {
        let owner = game.owner(block);
        let (circuit, image) = open_circuit(game, block);
        let polarity = |gate: usize| {
            let sides = game.polarity[gate].of(owner);
            match (sides.when_true, sides.when_false) {
                (true, false) => Polarity::Positive,
                (false, true) => Polarity::Negative,
                _ => Polarity::Both,
            }
        };
        let goal = goal(game, owner, &image);
        let own = || game.frontier[block].iter().copied().filter(|&gate| game.level[gate] == Some(block as u32));
        let mut signals = vec![(goal, Polarity::Positive)];
        signals.extend(own().map(|gate| (image[gate], polarity(gate))));
        let mut solver = solver.start(limits);
        let mut encoder = Encoder::new(Encoding::PlaistedGreenbaum);
        let mut variables = Variables::default();
        encoder.encode_all(&circuit, &signals, &mut variables, &mut |clause: &[i32]| solver.add(clause));
        solver.add(&[encoder.literal(goal).unwrap_or(0)]);
        let literal = |gate: usize| encoder.literal(image[gate]);
        let outer = block.checked_sub(1).map_or(&[][..], |outer| &game.frontier[outer]);
        let before: Vec<Before> = outer
            .iter()
            .filter_map(|&gate| {
                let sides = game.polarity[gate].of(owner);
                Some(Before { gate, literal: literal(gate)?, when_true: sides.when_false, when_false: sides.when_true })
            })
            .collect();
        let inputs =
            game.gates[block].iter().copied().filter(|&gate| matches!(game.circuit.gate_at(gate), Gate::Input(_)));
        let known = inputs.chain(own()).chain(outer.iter().copied());
        let literals = known.filter_map(|gate| Some((gate, literal(gate)?))).collect();
        let (next_input, budget) = (game.circuit.len() as u32, COPIES);
        Level {
            block,
            solver,
            literals,
            assumed: Vec::new(),
            before,
            circuit,
            image,
            encoder,
            variables,
            next_input,
            budget,
        }
    }

    /// The next block has answered with a move by which its owner wins: from now on the owner of this block has to
    /// have an answer to that move, at least if all that comes later goes its way.
    pub(super) fn expand(&mut self, game: &Game) {
        let later: usize = game.gates[self.block + 1..].iter().map(Vec::len).sum();
        if later > self.budget {
            return;
        }
        self.budget -= later;
        let (mut image, next_input) = (self.image.clone(), &mut self.next_input);
        rebuild(game, self.block + 1, &mut self.circuit, &mut image, |circuit, block, gate| {
            if block == self.block + 1 {
                return Lit::constant(game.value[gate]);
            }
            *next_input += 1;
            circuit.input(*next_input - 1)
        });
        let goal = goal(game, game.owner(self.block), &image);
        let solver = &mut self.solver;
        let mut sink = |clause: &[i32]| solver.add(clause);
        let literal = self.encoder.encode(&self.circuit, goal, Polarity::Positive, &mut self.variables, &mut sink);
        self.solver.add(&[literal]);
    }

    /// Chooses for the owner; false if every choice is known to lose.
    pub(super) fn propose(&mut self, game: &mut Game) -> Result<bool, limits::Reason> {
        self.assumed.clear();
        for before in &self.before {
            let value = game.value[before.gate];
            if if value { before.when_true } else { before.when_false } {
                self.assumed.push((before.gate, if value { before.literal } else { -before.literal }));
            }
        }
        let assumptions: Vec<i32> = self.assumed.iter().map(|(_, literal)| *literal).collect();
        let is_possible = self.solver.solve(&assumptions)?;
        if is_possible {
            let (solver, literals) = (&self.solver, &self.literals);
            game.choose(self.block, |gate| literals.get(&gate).is_some_and(|&literal| solver.value(literal)));
        }
        Ok(is_possible)
    }

    /// Why every choice loses.
    pub(super) fn core(&self, game: &Game) -> Reason {
        let failed = self.assumed.iter().filter(|(_, literal)| self.solver.failed(*literal));
        failed.map(|&(gate, _)| (gate, game.value[gate])).collect()
    }

    /// Never again where these gates have these values.
    pub(super) fn learn(&mut self, reason: &Reason) {
        let literals = reason.iter().filter_map(|&(gate, value)| {
            let literal = *self.literals.get(&gate)?;
            Some(if value { -literal } else { literal })
        });
        let clause: Vec<i32> = literals.collect();
        self.solver.add(&clause);
    }
}

/// The matrix with the gates known before a block as inputs, and where each gate is in it.
fn open_circuit(game: &Game, block: usize) -> (Circuit, Vec<Lit>) {
    let mut circuit = Circuit::new();
    let mut image = vec![Lit::FALSE; game.circuit.len()];
    let outer = block.checked_sub(1).map_or(&[][..], |outer| &game.frontier[outer]);
    for &gate in outer {
        image[gate] = circuit.input(gate as u32);
    }
    rebuild(game, block, &mut circuit, &mut image, |circuit, _, gate| circuit.input(gate as u32));
    (circuit, image)
}

/// Rebuilds the gates from a block on, with these signals for their inputs, given block and gate.
fn rebuild(
    game: &Game,
    first: usize,
    circuit: &mut Circuit,
    image: &mut [Lit],
    mut input: impl FnMut(&mut Circuit, usize, usize) -> Lit,
) {
    for (block, gates) in game.gates.iter().enumerate().skip(first) {
        for &gate in gates {
            image[gate] = match game.circuit.gate_at(gate) {
                Gate::And(a, b) => {
                    let [a, b] = [a, b].map(|operand| image[operand.gate()].negate_if(operand.is_negated()));
                    circuit.and(a, b)
                }
                _ => input(circuit, block, gate),
            };
        }
    }
}

/// What a player wants of the matrix.
fn goal(game: &Game, player: Quantifier, image: &[Lit]) -> Lit {
    image[game.matrix.gate()].negate_if(game.matrix.is_negated() != (player == Quantifier::Forall))
}

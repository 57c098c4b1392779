//! A passage of the original machine from one milestone of a run to the next: compiled once, walked as
//! often as the run does.
//!
//! The transitions that lie between the milestones, less those that do not lead to the second, are
//! executed symbolically, as compaction does it, in a small circuit of its own. That circuit is the
//! program: its gates, in their order, are evaluated on words whose 64 lanes are 64 values of the
//! choices. A lane fits if the second milestone is reached in it, with the values that the run tells.
//!
//! Choices that a told variable simply takes (`x := *`, `dead x`) are read off the run beforehand, and
//! choices that nothing told depends on are 0. If more than ten are left, a solver decides.

use super::Fault;
use super::choices::{LANES, MOST_IN_LANES, satisfy};
use crate::model::{Leaf, Var};
use crate::reduce::symbolic::{Execution, Region, To, execute};
use epitome_encodings::{Circuit, Gate, Lit, Substitution};

/// Choices beyond those in the lanes that are tried one value after the other. Compaction leaves
/// passages with eight choices, and a loop may pass through one a million times: that is too often for a
/// solver.
const MOST_ROUNDS: usize = 4;

/// What a gate of a passage computes.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// The value of a bit of the state.
    State(u32),
    /// The value of a choice.
    Slot(u32),
    And(Lit, Lit),
    False,
}

/// A transition of a passage.
struct Hop {
    condition: Lit,
    /// The next source; none at the end of the passage.
    to: Option<usize>,
    /// Bits of the state and their new values.
    assignments: Box<[(usize, Lit)]>,
}

/// A passage.
pub(super) struct Passage {
    circuit: Circuit,
    ops: Vec<Op>,
    slots: usize,
    /// Slots that the run tells: slot, bit, negated.
    fixed: Vec<(u32, usize, bool)>,
    /// Slots that are to be found.
    free: Vec<u32>,
    /// The end is reached where this holds.
    condition: Lit,
    /// New values that the run tells, with their bits in it.
    told: Vec<(Lit, usize)>,
    /// By source: its transitions.
    hops: Vec<Vec<Hop>>,
}

/// Memory for the evaluation of passages.
#[derive(Default)]
pub(super) struct Scratch {
    words: Vec<u64>,
    slots: Vec<u64>,
}

impl Scratch {
    fn word(&self, lit: Lit) -> u64 {
        self.words[lit.gate()] ^ if lit.is_negated() { u64::MAX } else { 0 }
    }
}

/// How variables are packed.
pub(super) struct Packing<'p> {
    /// Bit of a variable in a state of the original machine.
    pub(super) bit: &'p dyn Fn(Var) -> usize,
    /// Bit of a variable in the reduced run where the passage ends, if the run tells it.
    pub(super) told: &'p dyn Fn(Var) -> Option<usize>,
}

impl Passage {
    /// Compiles a region with one end.
    pub(super) fn new(
        region: &Region<'_>,
        substitution: &mut Substitution<'_>,
        packing: &Packing<'_>,
    ) -> Option<Passage> {
        let mut circuit = Circuit::new();
        let Execution { mut ends, taken, slots } = execute(region, substitution, &mut circuit);
        let end = ends.pop()??;
        let mut values: Vec<(Var, Lit)> = end.values.into_iter().collect();
        values.sort_unstable();
        let hops = region.sources.iter().zip(taken).map(|(source, taken)| {
            let hops = source.edges.iter().zip(taken).map(|(&(_, to), taken)| Hop {
                condition: taken.condition,
                to: match to {
                    To::Source(source) => Some(source),
                    To::End(_) => None,
                },
                assignments: taken.assignments.iter().map(|&(var, lit)| ((packing.bit)(var), lit)).collect(),
            });
            hops.collect()
        });
        let mut passage = Passage {
            ops: ops(&circuit, packing),
            slots: slots.len(),
            fixed: Vec::new(),
            free: Vec::new(),
            condition: end.condition,
            told: values.iter().filter_map(|&(var, lit)| Some((lit, (packing.told)(var)?))).collect(),
            hops: hops.collect(),
            circuit,
        };
        passage.find_unknowns();
        Some(passage)
    }

    /// Divides the slots that matter into those that the run tells and the others.
    fn find_unknowns(&mut self) {
        for &(lit, bit) in &self.told {
            if let Op::Slot(slot) = self.ops[lit.gate()]
                && !self.fixed.iter().any(|fixed| fixed.0 == slot)
            {
                self.fixed.push((slot, bit, lit.is_negated()));
            }
        }
        let signals = self.told.iter().map(|(lit, _)| *lit).chain([self.condition]);
        for gate in self.circuit.cone(signals) {
            if let Op::Slot(slot) = self.ops[gate]
                && !self.fixed.iter().any(|fixed| fixed.0 == slot)
            {
                self.free.push(slot);
            }
        }
        self.free.sort_unstable();
    }

    /// Executes the passage from a state, to the values that the run tells; `pass` sees each source after
    /// the first that is passed through, with the state there.
    pub(super) fn walk(
        &self,
        told: &[u64],
        state: &mut [u64],
        scratch: &mut Scratch,
        pass: &mut dyn FnMut(usize, &[u64]),
    ) -> Result<(), Fault> {
        let lane = self.choose(told, state, scratch).ok_or(Fault::NoWay)?;
        let mut source = 0;
        loop {
            let taken = self.hops[source].iter().find(|hop| scratch.word(hop.condition) >> lane & 1 == 1);
            let hop = taken.ok_or(Fault::NoWay)?;
            for &(bit, lit) in &hop.assignments {
                set(state, bit, scratch.word(lit) >> lane & 1 == 1);
            }
            match hop.to {
                None => return Ok(()),
                Some(next) => {
                    pass(next, state);
                    source = next;
                }
            }
        }
    }

    /// Evaluates arguments in the caller's state and assigns them in the callee's.
    pub(super) fn hand_over(
        &self,
        told: &[u64],
        caller: &[u64],
        callee: &mut [u64],
        scratch: &mut Scratch,
    ) -> Result<(), Fault> {
        let lane = self.choose(told, caller, scratch).ok_or(Fault::NoWay)?;
        for &(bit, lit) in self.hops.iter().flatten().flat_map(|hop| &hop.assignments) {
            set(callee, bit, scratch.word(lit) >> lane & 1 == 1);
        }
        Ok(())
    }

    /// Finds choices; leaves the words evaluated and gives the lane that fits.
    fn choose(&self, told: &[u64], state: &[u64], scratch: &mut Scratch) -> Option<u32> {
        scratch.slots.clear();
        scratch.slots.resize(self.slots, 0);
        for &(slot, bit, negated) in &self.fixed {
            scratch.slots[slot as usize] = spread(get(told, bit) ^ negated);
        }
        let rounds = self.free.len().saturating_sub(MOST_IN_LANES);
        if rounds > MOST_ROUNDS {
            self.solve(told, state, &mut scratch.slots)?;
            return self.fits(told, state, scratch);
        }
        let (in_lanes, others) = self.free.split_at(self.free.len() - rounds);
        for (&slot, word) in in_lanes.iter().zip(LANES) {
            scratch.slots[slot as usize] = word;
        }
        (0..1u32 << rounds).find_map(|round| {
            for (index, &slot) in others.iter().enumerate() {
                scratch.slots[slot as usize] = spread(round >> index & 1 == 1);
            }
            self.fits(told, state, scratch)
        })
    }

    /// Evaluates the passage; gives a lane in which its end is reached with the values that are told.
    fn fits(&self, told: &[u64], state: &[u64], scratch: &mut Scratch) -> Option<u32> {
        self.evaluate(state, scratch);
        let fits = self.told.iter().fold(scratch.word(self.condition), |fits, &(lit, bit)| {
            fits & !(scratch.word(lit) ^ spread(get(told, bit)))
        });
        (fits != 0).then(|| fits.trailing_zeros())
    }

    fn evaluate(&self, state: &[u64], scratch: &mut Scratch) {
        scratch.words.clear();
        for op in &self.ops {
            let word = match *op {
                Op::State(bit) => spread(get(state, bit as usize)),
                Op::Slot(slot) => scratch.slots[slot as usize],
                Op::And(a, b) => scratch.word(a) & scratch.word(b),
                Op::False => 0,
            };
            scratch.words.push(word);
        }
    }

    /// Finds the free slots where they are many: what the state decides is folded first.
    fn solve(&self, told: &[u64], state: &[u64], slots: &mut [u64]) -> Option<()> {
        let mut small = Circuit::new();
        let signals: Vec<Lit> = self.told.iter().map(|(lit, _)| *lit).chain([self.condition]).collect();
        let known = |number: u32| {
            let gate = self.circuit.find_input(number)?.gate();
            match self.ops[gate] {
                Op::State(bit) => Some(Lit::constant(get(state, bit as usize))),
                Op::Slot(slot) if self.fixed.iter().any(|fixed| fixed.0 == slot) => {
                    Some(Lit::constant(slots[slot as usize] != 0))
                }
                _ => None,
            }
        };
        let mut signals = Substitution::new(&self.circuit).substitute_all(&mut small, &signals, known);
        let mut goal = signals.pop()?;
        for (signal, &(_, bit)) in signals.into_iter().zip(&self.told) {
            goal = small.and(goal, signal.negate_if(!get(told, bit)));
        }
        for (number, value) in satisfy(&small, goal)? {
            if let Leaf::Choice(slot) = Leaf::from_number(number) {
                slots[slot as usize] = spread(value);
            }
        }
        Some(())
    }
}

/// The program that evaluates a circuit.
fn ops(circuit: &Circuit, packing: &Packing<'_>) -> Vec<Op> {
    let op = |gate| match circuit.gate_at(gate) {
        Gate::False => Op::False,
        Gate::Input(number) => match Leaf::from_number(number) {
            Leaf::Var(var) => Op::State((packing.bit)(var) as u32),
            Leaf::Choice(slot) => Op::Slot(slot),
        },
        Gate::And(a, b) => Op::And(a, b),
    };
    (0..circuit.len()).map(op).collect()
}

fn spread(value: bool) -> u64 {
    if value { u64::MAX } else { 0 }
}

/// A bit of a packed state.
pub(super) fn get(state: &[u64], bit: usize) -> bool {
    state[bit / 64] >> (bit % 64) & 1 == 1
}

/// Sets a bit of a packed state.
pub(super) fn set(state: &mut [u64], bit: usize, value: bool) {
    let word = &mut state[bit / 64];
    *word = *word & !(1 << (bit % 64)) | u64::from(value) << (bit % 64);
}

//! The general form of a transition: a straight-line program over three values and a search over
//! what is open.
//!
//! Slots hold two bits, "is true" and "is false"; neither means open. Gates are evaluated in the
//! circuit's order. While the guard, or a right-hand side of a transition whose guard holds, is not
//! determined, the search decides one more of the open leaves it depends on. A choice that is the
//! whole right-hand side of one assignment, and that the guard no longer depends on, stays open: the
//! variable it is assigned to becomes open.

use super::action::{Command, Halt, leaf_of};
use super::valuation::{Cell, get, set};
use crate::limits::Limits;
use crate::model::{Ersm, Leaf};
use epitome_encodings::{Gate, Lit};
use rustc_hash::FxHashMap;

/// Signals that count as one step of work.
const STEP: usize = 1 << 22;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const OPEN: u8 = 0;

/// Working memory, reused from transition to transition.
#[derive(Default)]
pub(super) struct Scratch {
    /// The valuation that is emitted.
    pub(super) out: Vec<Cell>,
    slots: Vec<u8>,
    trail: Vec<(u32, bool)>,
    /// A single step can have more choices than there is time for.
    limits: Limits,
    /// Gates evaluated since the limits were looked at.
    work: usize,
}

impl Scratch {
    pub(super) fn new(limits: &Limits) -> Scratch {
        Scratch { limits: limits.clone(), ..Scratch::default() }
    }
}

/// An operand: a slot and whether it is negated.
#[derive(Clone, Copy)]
struct Operand(u32);

impl Operand {
    #[inline]
    fn value(self, slots: &[u8]) -> u8 {
        let value = slots[(self.0 >> 1) as usize];
        if self.0 & 1 == 1 { value >> 1 | (value & 1) << 1 } else { value }
    }

    /// The value where slots are plain bits.
    #[inline]
    fn bit(self, slots: &[u8]) -> bool {
        slots[(self.0 >> 1) as usize] ^ (self.0 & 1) as u8 != 0
    }
}

struct Assignment {
    target: u32,
    value: Operand,
    /// Leaves the value depends on.
    support: Box<[u32]>,
    /// The value is a choice that no other assignment uses.
    free: bool,
}

/// A compiled transition. Slot 0 is the constant 0, then come leaves, then gates.
pub(super) struct Program {
    /// For each leaf the bit of its variable; `None` for choices. Choices come first.
    leaves: Box<[Option<u32>]>,
    gates: Box<[(Operand, Operand)]>,
    guard: Operand,
    guard_support: Box<[u32]>,
    assignments: Box<[Assignment]>,
    /// Bits that are assigned, where the valuation is changed in place.
    assigned: Box<[u32]>,
    in_place: bool,
}

impl Program {
    pub(super) fn new(ersm: &Ersm, source: &Command) -> Program {
        let circuit = &ersm.circuit;
        let cone = circuit.cone(source.assignments.iter().map(|(_, lit)| *lit).chain([source.guard]));
        let mut inputs: Vec<(Leaf, usize)> = Vec::new();
        let mut ands = Vec::new();
        for gate in cone {
            match circuit.gate_at(gate) {
                Gate::Input(number) => inputs.push((Leaf::from_number(number), gate)),
                Gate::And(a, b) => ands.push((gate, a, b)),
                Gate::False => {}
            }
        }
        inputs.sort_by_key(|(leaf, gate)| (matches!(leaf, Leaf::Var(_)), *gate));
        let leaf_index: FxHashMap<u32, u32> = (0..).zip(&inputs).map(|(i, (leaf, _))| (leaf.number(), i)).collect();
        let gates = inputs.iter().map(|(_, gate)| *gate).chain(ands.iter().map(|(gate, _, _)| *gate));
        let slots: FxHashMap<usize, u32> = std::iter::once(0).chain(gates).zip(0..).collect();
        let operand = |lit: Lit| Operand(slots[&lit.gate()] << 1 | u32::from(lit.is_negated()));
        let support = |lit: Lit| -> Box<[u32]> {
            let mut leaves: Vec<u32> = circuit.support([lit]).iter().map(|number| leaf_index[number]).collect();
            leaves.sort_unstable();
            leaves.into()
        };
        let choices = source.choice_uses(circuit);
        let assignment = |&(target, lit): &(usize, Lit)| {
            let free = matches!(leaf_of(circuit, lit), Some(Leaf::Choice(choice)) if choices[&choice] == 1);
            Assignment { target: target as u32, value: operand(lit), support: support(lit), free }
        };
        let bit_of = |leaf: &Leaf| match leaf {
            Leaf::Var(var) => Some(ersm.bit(*var) as u32),
            Leaf::Choice(_) => None,
        };
        Program {
            leaves: inputs.iter().map(|(leaf, _)| bit_of(leaf)).collect(),
            gates: ands.iter().map(|&(_, a, b)| (operand(a), operand(b))).collect(),
            guard: operand(source.guard),
            guard_support: support(source.guard),
            assignments: source.assignments.iter().map(assignment).collect(),
            assigned: source.assignments.iter().map(|(target, _)| *target as u32).collect(),
            in_place: source.in_place,
        }
    }

    pub(super) fn apply(
        &self,
        input: &[Cell],
        base: &[Cell],
        scratch: &mut Scratch,
        emit: &mut dyn FnMut(&[Cell]),
    ) -> Result<(), Halt> {
        let Scratch { out, slots, trail, limits, work } = scratch;
        // What a transition costs, whether it has one successor or many.
        let cost = 1 + self.leaves.len() + self.gates.len() + base.len();
        charge(work, cost, limits)?;
        if self.load_known(input, slots) {
            if self.evaluate_known(slots) {
                out.clear();
                out.extend_from_slice(base);
                for assignment in &self.assignments {
                    set(out, assignment.target as usize, Some(assignment.value.bit(slots)));
                }
                emit(out);
            }
            return Ok(());
        }
        slots.clear();
        slots.push(FALSE);
        slots.extend(self.leaves.iter().map(|leaf| match leaf.and_then(|bit| get(input, bit as usize)) {
            None => OPEN,
            Some(value) => encode(value),
        }));
        slots.resize(1 + self.leaves.len() + self.gates.len(), OPEN);
        trail.clear();
        loop {
            charge(work, cost, limits)?;
            self.evaluate(slots);
            match self.undecided(slots) {
                Next::Decide(leaf) => {
                    self.check_decision(leaf)?;
                    slots[leaf as usize + 1] = FALSE;
                    trail.push((leaf, false));
                    continue;
                }
                Next::Emit => {
                    out.clear();
                    out.extend_from_slice(base);
                    self.write(slots, trail, out);
                    emit(out);
                }
                Next::Blocked => {}
            }
            if !backtrack(slots, trail) {
                return Ok(());
            }
        }
    }

    /// The common case: nothing is chosen here and nothing that is read is open. Then slots are plain
    /// bits. False if it is not the case.
    fn load_known(&self, input: &[Cell], slots: &mut Vec<u8>) -> bool {
        slots.clear();
        slots.push(0);
        for leaf in &self.leaves {
            match leaf.and_then(|bit| get(input, bit as usize)) {
                Some(value) => slots.push(u8::from(value)),
                None => return false,
            }
        }
        true
    }

    /// Evaluates the gates on bits; the value of the guard.
    fn evaluate_known(&self, slots: &mut Vec<u8>) -> bool {
        for &(a, b) in &self.gates {
            let value = a.bit(slots) & b.bit(slots);
            slots.push(u8::from(value));
        }
        self.guard.bit(slots)
    }

    fn evaluate(&self, slots: &mut [u8]) {
        let first = 1 + self.leaves.len();
        for (index, &(a, b)) in self.gates.iter().enumerate() {
            let (a, b) = (a.value(slots), b.value(slots));
            slots[first + index] = (a & b & TRUE) | ((a | b) & FALSE);
        }
    }

    /// What the search does next.
    fn undecided(&self, slots: &[u8]) -> Next {
        let open = |support: &[u32]| support.iter().copied().find(|&leaf| slots[leaf as usize + 1] == OPEN);
        match self.guard.value(slots) {
            FALSE => return Next::Blocked,
            OPEN => return open(&self.guard_support).map_or(Next::Blocked, Next::Decide),
            _ => {}
        }
        for assignment in &self.assignments {
            if !assignment.free
                && assignment.value.value(slots) == OPEN
                && let Some(leaf) = open(&assignment.support)
            {
                return Next::Decide(leaf);
            }
        }
        Next::Emit
    }

    /// An open variable that is decided here and also overwritten (or not part of the result at all)
    /// leaves no mark in the result; a trace could not tell its value. The caller splits first.
    fn check_decision(&self, leaf: u32) -> Result<(), Halt> {
        match self.leaves[leaf as usize] {
            Some(bit) if !self.in_place || self.assigned.contains(&bit) => Err(Halt::Split(bit as usize)),
            _ => Ok(()),
        }
    }

    fn write(&self, slots: &[u8], trail: &[(u32, bool)], out: &mut [Cell]) {
        for &(leaf, value) in trail {
            if let Some(bit) = self.leaves[leaf as usize] {
                set(out, bit as usize, Some(value));
            }
        }
        for assignment in &self.assignments {
            let value = match assignment.value.value(slots) {
                TRUE => Some(true),
                FALSE => Some(false),
                _ => None,
            };
            set(out, assignment.target as usize, value);
        }
    }
}

enum Next {
    Decide(u32),
    Emit,
    Blocked,
}

/// Counts work, and looks at the limits now and then.
#[inline]
fn charge(work: &mut usize, cost: usize, limits: &Limits) -> Result<(), Halt> {
    *work += cost;
    if *work <= STEP {
        return Ok(());
    }
    *work = 0;
    limits.make_step();
    limits.check(0).map_err(Halt::Stopped)
}

/// Tries the other value of the last decision that has one left.
fn backtrack(slots: &mut [u8], trail: &mut Vec<(u32, bool)>) -> bool {
    while let Some((leaf, value)) = trail.pop() {
        if !value {
            slots[leaf as usize + 1] = TRUE;
            trail.push((leaf, true));
            return true;
        }
        slots[leaf as usize + 1] = OPEN;
    }
    false
}

fn encode(value: bool) -> u8 {
    if value { TRUE } else { FALSE }
}

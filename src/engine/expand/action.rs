//! What a transition does to a packed valuation: guard and simultaneous assignment, compiled.
//!
//! Most transitions test a conjunction of literals and assign constants, copies or fresh choices;
//! these run as a few word operations on the cells ([`Simple`]). All others run a small straight-line
//! program over three values, with a search over the open variables and choices it depends on
//! ([`Program`]); the search stops as soon as guard and right-hand sides are determined, so that what
//! is not read stays open.

use super::program::{Program, Scratch};
use super::valuation::{CELL, Cell, get, mask};
use crate::limits::Reason;
use crate::model::{Ersm, Leaf};
use epitome_encodings::{Circuit, Gate, Lit};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// A compiled transition or argument list.
pub(super) struct Action {
    /// The word-parallel form, where it fits.
    simple: Option<Simple>,
    /// The general form, compiled when it is first needed.
    program: OnceCell<Program>,
    source: Command,
}

/// What is compiled: guard, assignments to bits of the valuation that is written, and whether that is
/// the valuation that is read.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Command {
    pub(super) guard: Lit,
    pub(super) assignments: Box<[(usize, Lit)]>,
    pub(super) in_place: bool,
}

impl Command {
    /// How many right-hand sides depend on each choice.
    pub(super) fn choice_uses(&self, circuit: &Circuit) -> FxHashMap<u32, usize> {
        let mut uses = FxHashMap::default();
        for (_, lit) in self.assignments.iter().filter(|(_, lit)| lit.as_constant().is_none()) {
            for number in circuit.support([*lit]) {
                if let Leaf::Choice(choice) = Leaf::from_number(number) {
                    *uses.entry(choice).or_insert(0) += 1;
                }
            }
        }
        uses
    }
}

/// Why an action was not carried out to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The caller must split its valuation on this variable first: it is read while open, and its
    /// value could not be told from the result.
    Split(usize),
    /// A limit was reached.
    Stopped(Reason),
}

/// A conjunction of literals, constants and copies.
struct Simple {
    /// For a cell: which variables are tested, and the values they must have.
    guard: Box<[(usize, u32, u32)]>,
    /// For a cell: which variables are assigned (both halves), and the new bits.
    set: Box<[(usize, Cell, Cell)]>,
    /// Source, target, negated.
    copies: Box<[(usize, usize, bool)]>,
}

impl Action {
    pub(super) fn new(ersm: &Ersm, source: Command) -> Action {
        Action { simple: Simple::new(ersm, &source), program: OnceCell::new(), source }
    }

    /// Calls `emit` with every result on `input`. For transitions `base` is `input` itself; for
    /// arguments it is the callee's valuation before the arguments are filled in.
    #[inline]
    pub(super) fn apply(
        &self,
        ersm: &Ersm,
        (input, base): (&[Cell], &[Cell]),
        scratch: &mut Scratch,
        emit: &mut dyn FnMut(&[Cell]),
    ) -> Result<(), Halt> {
        if let Some(simple) = &self.simple {
            match simple.apply(input, base, &mut scratch.out) {
                Fast::Blocked => return Ok(()),
                Fast::Done => {
                    emit(&scratch.out);
                    return Ok(());
                }
                Fast::Undecided => {}
            }
        }
        self.program.get_or_init(|| Program::new(ersm, &self.source)).apply(input, base, scratch, emit)
    }
}

enum Fast {
    Done,
    Blocked,
    Undecided,
}

impl Simple {
    fn new(ersm: &Ersm, source: &Command) -> Option<Simple> {
        let literals = conjunction(&ersm.circuit, source.guard)?;
        if literals.iter().any(|&(leaf, value)| literals.contains(&(leaf, !value))) {
            return None; // x and !x: the general form finds that it never holds
        }
        let choices = source.choice_uses(&ersm.circuit);
        let mut tests: Vec<(usize, u32, u32)> = Vec::new();
        for (leaf, value) in literals {
            match leaf {
                // A choice that only the guard sees can always be made to fit.
                Leaf::Choice(choice) if !choices.contains_key(&choice) => {}
                Leaf::Choice(_) => return None,
                Leaf::Var(var) => {
                    let bit = ersm.bit(var);
                    add_test(&mut tests, bit / CELL, bit % CELL, value);
                }
            }
        }
        let mut set: Vec<(usize, Cell, Cell)> = Vec::new();
        let mut copies = Vec::new();
        for &(target, lit) in &source.assignments {
            let shift = target % CELL;
            let bits = match (lit.as_constant(), leaf_of(&ersm.circuit, lit)) {
                (Some(value), _) => (u64::from(value) | 1 << CELL) << shift,
                (None, Some(Leaf::Choice(choice))) if choices[&choice] == 1 => 0,
                (None, Some(Leaf::Var(var))) => {
                    copies.push((ersm.bit(var), target, lit.is_negated()));
                    0
                }
                _ => return None,
            };
            match set.iter_mut().find(|entry| entry.0 == target / CELL) {
                Some(entry) => {
                    entry.1 |= mask(1) << shift;
                    entry.2 |= bits;
                }
                None => set.push((target / CELL, mask(1) << shift, bits)),
            }
        }
        Some(Simple { guard: tests.into(), set: set.into(), copies: copies.into() })
    }

    #[inline]
    fn apply(&self, input: &[Cell], base: &[Cell], out: &mut Vec<Cell>) -> Fast {
        let mut open = false;
        for &(cell, tested, expected) in &self.guard {
            let known = (input[cell] >> CELL) as u32;
            if (input[cell] as u32 ^ expected) & tested & known != 0 {
                return Fast::Blocked;
            }
            open |= tested & !known != 0;
        }
        if open {
            return Fast::Undecided;
        }
        out.clear();
        out.extend_from_slice(base);
        for &(cell, assigned, bits) in &self.set {
            out[cell] = out[cell] & !assigned | bits;
        }
        for &(source, target, negated) in &self.copies {
            let Some(value) = get(input, source) else { return Fast::Undecided };
            out[target / CELL] |= (u64::from(value ^ negated) | 1 << CELL) << (target % CELL);
        }
        Fast::Done
    }
}

fn add_test(tests: &mut Vec<(usize, u32, u32)>, cell: usize, bit: usize, value: bool) {
    let (tested, expected) = (1 << bit, u32::from(value) << bit);
    match tests.iter_mut().find(|test| test.0 == cell) {
        Some(test) => {
            test.1 |= tested;
            test.2 |= expected;
        }
        None => tests.push((cell, tested, expected)),
    }
}

/// The variable or choice that a signal is, up to its sign.
pub(super) fn leaf_of(circuit: &Circuit, lit: Lit) -> Option<Leaf> {
    match circuit.gate(lit) {
        Gate::Input(number) => Some(Leaf::from_number(number)),
        _ => None,
    }
}

/// The literals of a conjunction, if the signal is one (and not too long).
fn conjunction(circuit: &Circuit, lit: Lit) -> Option<Vec<(Leaf, bool)>> {
    const LONGEST: usize = 256;
    let mut literals = Vec::new();
    let mut stack = vec![lit];
    while let Some(lit) = stack.pop() {
        match circuit.gate(lit) {
            Gate::False if lit == Lit::TRUE => {}
            Gate::Input(number) => literals.push((Leaf::from_number(number), !lit.is_negated())),
            Gate::And(a, b) if !lit.is_negated() && stack.len() < LONGEST => stack.extend([a, b]),
            _ => return None,
        }
        if literals.len() > LONGEST {
            return None;
        }
    }
    Some(literals)
}

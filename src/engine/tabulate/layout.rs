//! Which BDD variable stands for which variable of the program.
//!
//! A *slot* is a global, or the local with a given number of every procedure: all procedures share
//! their slots, as they share their circuits, so that a program with 100,000 procedures of four
//! variables needs no more BDD variables than one procedure. (Ball 4: renaming in a store with the
//! variables of all procedures made Bebop quadratic in the number of procedures.)
//!
//! Each slot has three variables: the value when the procedure was entered, the value now, and the
//! value after the step that is being taken. Besides, there are *tags*, which tell by which entry a
//! procedure with several was entered, and *choices*, the nondeterminism of one step.

use super::bdd;
use super::order::{Order, arrange};
use crate::model::{Ersm, Var, bits_to_choose};

/// A global, or the local with some number of every procedure. Numbered as the bits of a packed
/// valuation: globals first.
pub(super) type Slot = u32;

/// The three variables of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Entry,
    Now,
    Next,
}

pub(super) struct Layout {
    pub(super) globals: u32,
    pub(super) slots: u32,
    pub(super) tags: u32,
    pub(super) choices: u32,
    /// Place of each slot in the order.
    rank: Vec<u32>,
    interleaved: bool,
}

impl Layout {
    pub(super) fn new(ersm: &Ersm, order: Order) -> Layout {
        let globals = ersm.globals.len() as u32;
        let locals = ersm.procedures.iter().map(|p| p.locals.len() as u32).max().unwrap_or(0);
        let entries = ersm.procedures.iter().map(|p| p.entries.len()).max().unwrap_or(1);
        let of_edges = ersm.procedures.iter().flat_map(|p| &p.edges).map(|edge| edge.choices.len());
        let of_boxes = ersm.procedures.iter().flat_map(|p| &p.boxes).map(|site| site.choices.len());
        Layout {
            globals,
            slots: globals + locals,
            tags: bits_to_choose(entries),
            choices: of_edges.chain(of_boxes).max().unwrap_or(0) as u32,
            rank: arrange(ersm, order),
            interleaved: order != Order::Declaration,
        }
    }

    /// BDD variables in all.
    pub(super) fn variables(&self) -> usize {
        (self.tags + 3 * self.slots + self.choices) as usize
    }

    pub(super) fn slot(&self, var: Var) -> Slot {
        match var {
            Var::Global(index) => index,
            Var::Local(index) => self.globals + index,
        }
    }

    pub(super) fn variable(&self, slot: Slot, moment: Moment) -> bdd::Var {
        let rank = self.rank[slot as usize];
        let moment = moment as u32;
        self.tags + if self.interleaved { 3 * rank + moment } else { moment * self.slots + rank }
    }

    pub(super) fn entry(&self, slot: Slot) -> bdd::Var {
        self.variable(slot, Moment::Entry)
    }

    pub(super) fn now(&self, slot: Slot) -> bdd::Var {
        self.variable(slot, Moment::Now)
    }

    pub(super) fn next(&self, slot: Slot) -> bdd::Var {
        self.variable(slot, Moment::Next)
    }

    pub(super) fn tag(&self, bit: u32) -> bdd::Var {
        bit
    }

    pub(super) fn choice(&self, index: u32) -> bdd::Var {
        self.tags + 3 * self.slots + index
    }

    /// Variables that should stay together when the order is changed, each group from the top down:
    /// the three of a slot.
    pub(super) fn groups(&self) -> Vec<Vec<bdd::Var>> {
        let moments = [Moment::Entry, Moment::Now, Moment::Next];
        (0..self.slots).map(|slot| moments.iter().map(|&moment| self.variable(slot, moment)).collect()).collect()
    }
}

#[cfg(test)]
mod tests;

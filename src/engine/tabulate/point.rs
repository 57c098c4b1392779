//! One concrete path edge: the values when the procedure was entered, and the values now.

use super::bdd::{self, Bdd, Made, Store};
use super::call::Interface;
use super::layout::{Layout, Slot};

/// Bits by slot, packed like the states of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bits(pub(super) Box<[u64]>);

impl Bits {
    pub(super) fn new(slots: u32) -> Bits {
        Bits(vec![0; (slots as usize).div_ceil(64)].into())
    }

    pub(super) fn get(&self, slot: Slot) -> bool {
        self.0[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    pub(super) fn set(&mut self, slot: Slot, value: bool) {
        let word = &mut self.0[slot as usize / 64];
        *word = *word & !(1 << (slot % 64)) | u64::from(value) << (slot % 64);
    }
}

/// A concrete path edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Point {
    pub(super) now: Bits,
    pub(super) entry: Bits,
    pub(super) tag: u32,
}

impl Point {
    /// The path edge of a procedure that a valuation of the store stands for.
    pub(super) fn of(layout: &Layout, interface: &Interface, scope: &[Slot], values: &[bool]) -> Point {
        let mut point = Point { now: Bits::new(layout.slots), entry: Bits::new(layout.slots), tag: 0 };
        point.take_now(layout, scope, values);
        for slot in interface.doubled() {
            point.entry.set(slot, values[layout.entry(slot) as usize]);
        }
        point.tag = (0..interface.tags).map(|bit| u32::from(values[layout.tag(bit) as usize]) << bit).sum();
        point
    }

    /// Takes the values now of some slots.
    pub(super) fn take_now<'s>(&mut self, layout: &Layout, slots: impl IntoIterator<Item = &'s Slot>, values: &[bool]) {
        for &slot in slots {
            self.now.set(slot, values[layout.now(slot) as usize]);
        }
    }
}

/// Literals that say what is known.
pub(super) struct Facts<'l> {
    layout: &'l Layout,
    literals: Vec<(bdd::Var, bool)>,
}

impl<'l> Facts<'l> {
    pub(super) fn new(layout: &'l Layout) -> Facts<'l> {
        Facts { layout, literals: Vec::new() }
    }

    /// The procedure was entered like this.
    pub(super) fn entered(mut self, interface: &Interface, entry: &Bits, tag: u32) -> Facts<'l> {
        self.literals.extend(interface.doubled().map(|slot| (self.layout.entry(slot), entry.get(slot))));
        self.literals.extend((0..interface.tags).map(|bit| (self.layout.tag(bit), tag >> bit & 1 == 1)));
        self
    }

    /// These slots have these values now.
    pub(super) fn now<'s>(mut self, slots: impl IntoIterator<Item = &'s Slot>, bits: &Bits) -> Facts<'l> {
        self.literals.extend(slots.into_iter().map(|&slot| (self.layout.now(slot), bits.get(slot))));
        self
    }

    /// These slots have these values after the step.
    pub(super) fn next<'s>(mut self, slots: impl IntoIterator<Item = &'s Slot>, bits: &Bits) -> Facts<'l> {
        self.literals.extend(slots.into_iter().map(|&slot| (self.layout.next(slot), bits.get(slot))));
        self
    }

    /// One more.
    pub(super) fn and(mut self, variable: bdd::Var, value: bool) -> Facts<'l> {
        self.literals.push((variable, value));
        self
    }

    pub(super) fn cube(self, store: &Store) -> Made {
        store.cube(self.literals)
    }

    /// What a set leaves open given the facts.
    pub(super) fn restrict(self, store: &Store, set: &Bdd) -> Made {
        let cube = self.cube(store)?;
        store.restrict(set, &cube)
    }
}

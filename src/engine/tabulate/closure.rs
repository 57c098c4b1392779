//! Loops in logarithmically many steps: iterative squaring.
//!
//! A loop of 2^n rounds takes 2^n images, one state further each time, and Ball's algorithm makes all
//! of them. The relation of the loop can be squared instead: one or no round, at most two, at most four,
//! …, until nothing changes; the loops of a counter are n small BDDs. Squared relations are not
//! restricted to what is reachable and can be large, so a vertex is looked at only after it was worked
//! on often, and squaring gives up when its relation grows beyond bounds.
//!
//! Relations hold the values now and next; the values at the entry serve as the middle.

use super::bdd::{Bdd, Halt, Made, Store, Substitution};
use super::layout::{Layout, Slot};
use super::machine::{Machine, VertexId};
use std::rc::Rc;

/// Nodes up to which a power of a relation is squared again.
const LARGEST: usize = 20_000;

/// The loops of a vertex on itself, repeated.
pub(super) struct Closure {
    /// Slots that the loops assign.
    pub(super) slots: Box<[Slot]>,
    /// At most one round, at most two, at most four, …; the last is any number.
    pub(super) powers: Vec<Bdd>,
    overwritten: Bdd,
    advance: Substitution,
}

impl Closure {
    /// The closure of the vertex's loops on itself; `None` if it has none or they grow too large.
    pub(super) fn new(machine: &Machine<'_>, vertex: VertexId) -> Result<Option<Rc<Closure>>, Halt> {
        let (store, layout) = (machine.store, machine.layout);
        let loops = || machine.steps(vertex).iter().filter(|step| step.to == vertex);
        let mut slots: Vec<Slot> = loops().flat_map(|step| step.transfer.assigned.iter().copied()).collect();
        slots.sort_unstable();
        slots.dedup();
        if slots.is_empty() {
            return Ok(None);
        }
        let mut once = same(store, layout, &slots)?;
        for step in loops() {
            let kept: Vec<Slot> =
                slots.iter().copied().filter(|slot| step.transfer.assigned.binary_search(slot).is_err()).collect();
            let mut relation = same(store, layout, &kept)?;
            for part in step.transfer.relation() {
                relation = store.and(&relation, part)?;
                if store.size(&relation) > LARGEST {
                    return Ok(None);
                }
            }
            // What is left of choices is forgotten: only that there are some matters.
            let choices = (0..layout.choices).map(|choice| layout.choice(choice));
            relation = store.exists(&relation, &store.variables(choices)?)?;
            once = store.or(&once, &relation)?;
        }
        let Some(powers) = square(store, layout, &slots, once)? else { return Ok(None) };
        let advance = slots.iter().map(|&slot| (layout.next(slot), store.variable(layout.now(slot))));
        Ok(Some(Rc::new(Closure {
            powers,
            overwritten: store.variables(slots.iter().map(|&slot| layout.now(slot)))?,
            advance: Store::substitution(advance),
            slots: slots.into(),
        })))
    }

    /// Everything that can be reached by going round any number of times.
    pub(super) fn image(&self, store: &Store, set: &Bdd) -> Made {
        let Some(any) = self.powers.last() else { return Ok(set.clone()) };
        store.substitute(&store.and_exists(set, any, &self.overwritten)?, &self.advance)
    }

    /// New values as values.
    pub(super) fn as_now(&self, store: &Store, set: &Bdd) -> Made {
        store.substitute(set, &self.advance)
    }
}

/// These slots keep their values.
fn same(store: &Store, layout: &Layout, slots: &[Slot]) -> Made {
    let mut all = store.top();
    // From the last variable up: what there is becomes part of the next, and is not made again.
    let mut slots = slots.to_vec();
    slots.sort_unstable_by_key(|&slot| std::cmp::Reverse(layout.now(slot)));
    for slot in slots {
        let kept = store.iff(&store.variable(layout.now(slot)), &store.variable(layout.next(slot)))?;
        all = store.and(&all, &kept)?;
    }
    Ok(all)
}

fn square(store: &Store, layout: &Layout, slots: &[Slot], once: Bdd) -> Result<Option<Vec<Bdd>>, Halt> {
    let middle = |slot: &Slot| store.variable(layout.entry(*slot));
    let to_middle = Store::substitution(slots.iter().map(|slot| (layout.next(*slot), middle(slot))));
    let from_middle = Store::substitution(slots.iter().map(|slot| (layout.now(*slot), middle(slot))));
    let middles = store.variables(slots.iter().map(|&slot| layout.entry(slot)))?;
    let mut powers = vec![once];
    while let Some(last) = powers.last() {
        let first_half = store.substitute(last, &to_middle)?;
        let second_half = store.substitute(last, &from_middle)?;
        let squared = store.and_exists(&first_half, &second_half, &middles)?;
        if squared == *last {
            break;
        }
        if store.size(&squared) > LARGEST {
            return Ok(None);
        }
        powers.push(squared);
    }
    Ok(Some(powers))
}

//! Dynamic reordering: sifting (Rudell 1993), by groups.
//!
//! The library can put variables into any order but does not look for a good one. Each group (the three
//! variables of a slot, or a variable alone) is moved through the order, down and up, and left where
//! the store had the fewest nodes. A direction is given up when the store has grown by a fifth or has no
//! room, and all of it when it has cost too much.

use super::bdd::{Full, Store, Var};

/// The sum of the store's sizes over all moves of one sifting, at most.
const MOST_WORK: usize = 50_000_000;

/// Moves groups until no more is gained, it costs too much or the caller has no more time.
pub(super) fn sift(store: &Store, groups: &[Vec<Var>], has_time: impl Fn() -> bool) {
    let mut sifter = Sifter { store, has_time, blocks: blocks(store, groups), work: 0 };
    let mut names: Vec<Var> = sifter.blocks.iter().map(|block| block[0]).collect();
    names.sort_unstable();
    for name in names {
        if sifter.work > MOST_WORK || !(sifter.has_time)() {
            break;
        }
        sifter.place(name);
    }
}

/// The groups as blocks in the current order; what is in no group is a block of its own.
fn blocks(store: &Store, groups: &[Vec<Var>]) -> Vec<Vec<Var>> {
    let order = store.order();
    let mut group_of = vec![usize::MAX; order.len()];
    for (index, group) in groups.iter().enumerate() {
        group.iter().for_each(|&variable| group_of[variable as usize] = index);
    }
    let mut blocks = Vec::new();
    let mut done = vec![false; groups.len()];
    for variable in order {
        match group_of[variable as usize] {
            usize::MAX => blocks.push(vec![variable]),
            group if !std::mem::replace(&mut done[group], true) => blocks.push(groups[group].clone()),
            _ => {}
        }
    }
    blocks
}

struct Sifter<'s, T> {
    store: &'s Store,
    has_time: T,
    blocks: Vec<Vec<Var>>,
    work: usize,
}

impl<T: Fn() -> bool> Sifter<'_, T> {
    /// Moves the block that begins with this variable to its best place.
    fn place(&mut self, name: Var) {
        let Some(start) = self.blocks.iter().position(|block| block[0] == name) else { return };
        let Ok(nodes) = self.apply() else { return };
        let mut best = (nodes, start);
        let mut at = start;
        for down in [true, false] {
            while let Some(next) =
                if down { Some(at + 1).filter(|n| *n < self.blocks.len()) } else { at.checked_sub(1) }
            {
                self.blocks.swap(at, next);
                at = next;
                let nodes = self.apply().unwrap_or(usize::MAX);
                best = best.min((nodes, at));
                if nodes > best.0 + best.0 / 5 || !(self.has_time)() {
                    break;
                }
            }
        }
        let block = self.blocks.remove(at);
        self.blocks.insert(best.1, block);
        // Without room for the way back it stays where it is: any order is right.
        let _ = self.apply();
    }

    /// Puts the order into force and counts, if there is room.
    fn apply(&mut self) -> Result<usize, Full> {
        self.store.set_order(&self.blocks.concat())?;
        self.store.collect();
        let nodes = self.store.exact_nodes();
        self.work += nodes + self.blocks.len();
        Ok(nodes)
    }
}

#[cfg(test)]
mod tests;

//! Dynamic reordering: sifting (Rudell 1993), by groups.
//!
//! The library can exchange neighbours but does not look for a good order. Each group (the three
//! variables of a slot, or a variable alone) is moved through the order, down and up, and left where
//! the store had the fewest nodes. A direction is given up when the store has grown by a fifth, and all of
//! it when it has cost too much or there is no room: any order is right.

use super::bdd::{Halt, Levels, Store, Var};

/// The sum of the sizes of the levels that are exchanged in one sifting, taken as equal, at most.
const MOST_WORK: usize = 20_000_000;

/// Moves groups until no more is gained, it costs too much or the caller has no more time.
pub(super) fn sift(store: &Store, groups: &[Vec<Var>], has_time: impl Fn() -> bool) {
    store.collect();
    store.reorder(|levels| {
        let blocks = blocks(&levels.order(), groups);
        let mut names: Vec<Var> = blocks.iter().map(|block| block[0]).collect();
        names.sort_unstable();
        // Without room it stays as it is.
        let Ok(()) = levels.arrange(&blocks.concat()) else { return };
        let mut sifter = Sifter { levels, blocks, work: 0 };
        for name in names {
            if sifter.work > MOST_WORK || !has_time() || sifter.place(name, &has_time).is_err() {
                break;
            }
        }
    });
}

/// The groups as blocks in the current order; what is in no group is a block of its own.
fn blocks(order: &[Var], groups: &[Vec<Var>]) -> Vec<Vec<Var>> {
    let mut group_of = vec![usize::MAX; order.len()];
    for (index, group) in groups.iter().enumerate() {
        group.iter().for_each(|&variable| group_of[variable as usize] = index);
    }
    let mut blocks = Vec::new();
    let mut done = vec![false; groups.len()];
    for &variable in order {
        match group_of[variable as usize] {
            usize::MAX => blocks.push(vec![variable]),
            group if !std::mem::replace(&mut done[group], true) => blocks.push(groups[group].clone()),
            _ => {}
        }
    }
    blocks
}

struct Sifter<'l, 'm, 'id: 'm> {
    levels: &'l mut Levels<'m, 'id>,
    /// From the top of the order to its bottom.
    blocks: Vec<Vec<Var>>,
    work: usize,
}

impl Sifter<'_, '_, '_> {
    /// Moves the block that begins with this variable to its best place.
    fn place(&mut self, name: Var, has_time: impl Fn() -> bool) -> Result<(), Halt> {
        let Some(start) = self.blocks.iter().position(|block| block[0] == name) else { return Ok(()) };
        let mut best = (self.levels.nodes(), start);
        let mut at = start;
        for down in [true, false] {
            while if down { at + 1 < self.blocks.len() } else { at > 0 } {
                at = if down { at + 1 } else { at - 1 };
                self.exchange(if down { at - 1 } else { at })?;
                let nodes = self.levels.nodes();
                best = best.min((nodes, at));
                if nodes > best.0 + best.0 / 5 || !has_time() {
                    break;
                }
            }
        }
        while at < best.1 {
            self.exchange(at)?;
            at += 1;
        }
        while at > best.1 {
            at -= 1;
            self.exchange(at)?;
        }
        Ok(())
    }

    /// Exchanges a block with the one below: each variable of the lower one goes up past all of the upper.
    fn exchange(&mut self, index: usize) -> Result<(), Halt> {
        let top: usize = self.blocks[..index].iter().map(Vec::len).sum();
        let height = self.blocks[index].len();
        let exchanges = height * self.blocks[index + 1].len();
        self.work += exchanges * (2 * self.levels.nodes() / self.blocks.len() + self.blocks.len());
        for offset in 0..self.blocks[index + 1].len() {
            for level in (top + offset..top + offset + height).rev() {
                self.levels.exchange(level as u32)?;
            }
        }
        self.blocks.swap(index, index + 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests;

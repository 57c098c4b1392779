//! The order of variables while it is being changed: neighbours are exchanged one pair at a time.
//!
//! All exchanges of one change happen within one session: the library forgets its cache at the beginning
//! of each. It ends the process when it lacks a node while it exchanges; hence there is no exchange for
//! which there might be no room.

use super::{BDDManagerRef, Halt, Var};
use oxidd::{Manager, ManagerRef};

/// The levels of a store.
pub(in super::super) struct Levels<'m, 'id: 'm> {
    pub(super) manager: &'m mut <BDDManagerRef as ManagerRef>::Manager<'id>,
    /// Nodes there is room for.
    pub(super) room: usize,
}

impl Levels<'_, '_> {
    /// Variables from the top of the order to its bottom.
    pub(in super::super) fn order(&self) -> Vec<Var> {
        (0..self.manager.num_levels()).map(|level| self.manager.level_to_var(level)).collect()
    }

    /// Nodes of the store. (Exchanges leave no garbage if there was none before.)
    pub(in super::super) fn nodes(&self) -> usize {
        self.manager.num_inner_nodes()
    }

    /// Exchanges the variable of a level with that of the level below.
    pub(in super::super) fn exchange(&mut self, level: u32) -> Result<(), Halt> {
        if !self.has_room() {
            self.manager.gc();
            if !self.has_room() {
                return Err(Halt::Full);
            }
        }
        let (above, below) = (self.manager.level_to_var(level), self.manager.level_to_var(level + 1));
        oxidd_reorder::set_var_order_seq(self.manager, &[below, above]);
        Ok(())
    }

    /// Puts the variables into this order, which names all of them. Without room it stays somewhere on
    /// the way.
    pub(in super::super) fn arrange(&mut self, order: &[Var]) -> Result<(), Halt> {
        for (place, &variable) in order.iter().enumerate() {
            for level in (place as u32..self.manager.var_to_level(variable)).rev() {
                self.exchange(level)?;
            }
        }
        Ok(())
    }

    /// An exchange makes two new nodes at most for every node of its upper level. The library keeps
    /// some nodes apart; a sixteenth is more than that.
    fn has_room(&self) -> bool {
        3 * self.manager.num_inner_nodes() + self.room / 16 <= self.room
    }
}

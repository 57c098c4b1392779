//! Which variables a call passes on: all locals of the callee, and the globals that it is concerned
//! with. The others are open inside it, so that calls that differ only in them are one, and keep the
//! caller's values (Ball 3.3, MOD/REF).

use super::valuation::{Cell, cells_for, set};
use crate::model::{Ersm, Footprint, ProcId};

/// Cells with all bits of the variables that callees see.
pub(super) struct Masks {
    /// Cells that hold globals.
    width: usize,
    cells: Vec<Cell>,
}

impl Masks {
    /// From what is known of each procedure.
    pub(super) fn new<'f>(ersm: &Ersm, footprints: impl Iterator<Item = Option<&'f Footprint>>) -> Masks {
        let width = cells_for(ersm.globals.len());
        let mut cells = Vec::with_capacity(width * ersm.procedures.len());
        for footprint in footprints {
            let start = cells.len();
            cells.resize(start + width, Cell::MAX);
            let Some(footprint) = footprint else { continue };
            let mut used = footprint.used.iter().copied().peekable();
            for global in 0..ersm.globals.len() as u32 {
                if used.next_if_eq(&global).is_none() {
                    set(&mut cells[start..], global as usize, None);
                }
            }
        }
        Masks { width, cells }
    }

    /// The masks of a machine whose procedures tell what they are concerned with, if any does.
    pub(super) fn of(ersm: &Ersm) -> Option<Masks> {
        let footprints = || ersm.procedures.iter().map(|procedure| procedure.footprint.as_ref());
        footprints().any(|footprint| footprint.is_some()).then(|| Masks::new(ersm, footprints()))
    }

    fn cells(&self, callee: ProcId) -> &[Cell] {
        &self.cells[callee.index() * self.width..(callee.index() + 1) * self.width]
    }

    /// Opens what the callee does not see, in its valuation.
    pub(super) fn hide(&self, callee: ProcId, cells: &mut [Cell]) {
        cells.iter_mut().zip(self.cells(callee)).for_each(|(cell, mask)| *cell &= mask);
    }

    /// Gives what the callee did not see the values it had before the call, in the valuation after it.
    pub(super) fn restore(&self, callee: ProcId, caller: &[Cell], cells: &mut [Cell]) {
        let masks = caller.iter().zip(self.cells(callee));
        cells.iter_mut().zip(masks).for_each(|(cell, (before, mask))| *cell = *cell & mask | before & !mask);
    }
}

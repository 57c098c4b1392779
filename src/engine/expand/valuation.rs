//! Packed valuations with values that are not chosen yet.
//!
//! Variables of Boolean programs start arbitrary, and `x := *` is common, so enumerating values where
//! they arise costs 2^k states for k variables that nobody may ever read. A valuation here is
//! ternary: a variable is 0, 1 or open, and an open variable takes every value, independently of all
//! others. It is split only when a transition reads it. That is exact, not an approximation: a
//! valuation stands for the product of its variables' values, copying an open variable counts as
//! reading it, so no two variables can ever be correlated while one of them is open; the claim lifts
//! to path edges and summaries, because a callee sees the caller's globals as the same product set.
//!
//! Thirty-two variables share a cell: values in the low half, "is chosen" in the high half. Open
//! variables have value bit 0, so equal valuations have equal cells.

/// Thirty-two variables.
pub(super) type Cell = u64;

/// Variables in a cell.
pub(super) const CELL: usize = 32;

/// Cells for so many variables.
pub(super) fn cells_for(variables: usize) -> usize {
    variables.div_ceil(CELL)
}

/// The value of a variable, if it is chosen.
pub(super) fn get(cells: &[Cell], bit: usize) -> Option<bool> {
    let cell = cells[bit / CELL] >> (bit % CELL);
    (cell >> CELL & 1 == 1).then_some(cell & 1 == 1)
}

/// Chooses or opens a variable.
pub(super) fn set(cells: &mut [Cell], bit: usize, value: Option<bool>) {
    let (cell, shift) = (&mut cells[bit / CELL], bit % CELL);
    *cell &= !(mask(1) << shift);
    match value {
        None => {}
        Some(false) => *cell |= 1 << (shift + CELL),
        Some(true) => *cell |= mask(1) << shift,
    }
}

/// Both halves of the lowest `variables` of a cell.
pub(super) fn mask(variables: usize) -> Cell {
    let half = if variables >= CELL { u64::from(u32::MAX) } else { (1 << variables) - 1 };
    half | half << CELL
}

/// Copies the first `variables` variables.
pub(super) fn copy_prefix(from: &[Cell], to: &mut [Cell], variables: usize) {
    let whole = variables / CELL;
    to[..whole].copy_from_slice(&from[..whole]);
    let rest = variables % CELL;
    if rest > 0 {
        let mask = mask(rest);
        to[whole] = to[whole] & !mask | from[whole] & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_and_get_every_value() {
        let mut cells = vec![0; cells_for(70)];
        for bit in 0..70 {
            for value in [Some(true), None, Some(false), Some(true)] {
                set(&mut cells, bit, value);
                assert_eq!(get(&cells, bit), value);
            }
        }
        let mut copy = vec![0; 3];
        copy_prefix(&cells, &mut copy, 40);
        assert_eq!((get(&copy, 39), get(&copy, 40)), (Some(true), None));
    }
}

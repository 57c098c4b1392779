//! The set of rows found so far: fixed-width records in one growing list, found again by hashing.
//!
//! A row is a header (place and context) and the cells of a valuation. Nothing is allocated for a
//! single row; the list is also the queue of a breadth-first search, since rows are appended in the
//! order they are found. The table holds the row's number next to 32 bits of its hash, so that
//! growing never reads the rows and a false match almost never does.

use super::valuation::Cell;
use hashbrown::HashTable;

/// Number of a row.
pub(super) type RowId = u32;

/// Rows and the table that finds them.
pub(super) struct Store {
    words: Vec<u64>,
    /// Cells of a row; its header comes on top.
    cells: usize,
    table: HashTable<(RowId, u32)>,
}

/// More rows than 32 bits can number.
#[derive(Debug)]
pub(super) struct Full;

impl Store {
    pub(super) fn new(cells: usize) -> Store {
        Store { words: Vec::new(), cells, table: HashTable::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len() / (self.cells + 1)
    }

    #[inline]
    pub(super) fn header(&self, row: RowId) -> u64 {
        self.words[row as usize * (self.cells + 1)]
    }

    #[inline]
    pub(super) fn cells(&self, row: RowId) -> &[Cell] {
        let start = row as usize * (self.cells + 1) + 1;
        &self.words[start..start + self.cells]
    }

    /// The row with this header and valuation, and whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, header: u64, cells: &[Cell]) -> Result<(RowId, bool), Full> {
        let hash = hash(header, cells);
        let Store { words, cells: width, table } = self;
        let stride = *width + 1;
        let same = |&(row, tag): &(RowId, u32)| {
            let start = row as usize * stride;
            tag == hash as u32 && words[start] == header && words[start + 1..start + stride] == *cells
        };
        if let Some(&(row, _)) = table.find(hash, same) {
            return Ok((row, false));
        }
        let row = RowId::try_from(words.len() / stride).map_err(|_| Full)?;
        if row >= RowId::MAX - 8 {
            return Err(Full);
        }
        words.push(header);
        words.extend_from_slice(cells);
        // The tag is the low half of the hash and the table only looks at low and top bits; the top
        // is put back together from the tag, so that growing need not read the rows.
        table.insert_unique(hash, (row, hash as u32), |&(_, tag)| spread(tag));
        Ok((row, true))
    }

    /// Bytes that the next insertion may ask for: lists and tables grow by doubling.
    pub(super) fn next_growth(&self) -> usize {
        let words = if self.words.capacity() - self.words.len() <= 4096 * (self.cells + 1) {
            self.words.capacity() * 8
        } else {
            0
        };
        let table = if self.table.capacity() - self.table.len() <= 4096 { self.table.capacity() * 18 } else { 0 };
        words + table
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.table.capacity() * 9
    }
}

/// A 64-bit hash made from 32 good bits: the low half again in the high half.
#[inline]
fn spread(tag: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(tag)
}

/// Folded multiplication (as in wyhash), reduced to 32 bits and spread.
#[inline]
fn hash(header: u64, cells: &[Cell]) -> u64 {
    let mut state = fold(header ^ 0x9e37_79b9_7f4a_7c15, 0xa076_1d64_78bd_642f);
    for &cell in cells {
        state = fold(state ^ cell, 0xe703_7ed1_a0b4_28db);
    }
    spread((state ^ state >> 32) as u32)
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_again() {
        let mut store = Store::new(2);
        for i in 0..100_000u64 {
            assert_eq!(store.insert(i % 7, &[i, i * i]).unwrap(), (i as u32, true));
        }
        for i in 0..100_000u64 {
            assert_eq!(store.insert(i % 7, &[i, i * i]).unwrap(), (i as u32, false));
        }
        assert_eq!(store.cells(500), &[500, 250_000]);
        assert_eq!(store.header(500), 500 % 7);
    }
}

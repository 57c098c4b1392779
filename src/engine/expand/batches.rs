//! Rows of bits, and what is new of them: how the relations of machines without variables are stored and
//! propagated (Alur-RSM 3.1, where rows of bits are suggested).
//!
//! An atom is a pair of an anchor and a vertex. The anchors of a vertex are a row of bits; a batch is the row of
//! those that are new, with the atoms that they stand for.

use super::components::{Atom, NONE};
use super::graph::VertexId;
use smallvec::SmallVec;
use std::ops::Range;

/// A set of numbers as bits: blocks of 64, in order, those that are not empty.
#[derive(Clone, Default)]
pub(super) struct Row(SmallVec<[(u32, u64); 1]>);

impl Row {
    /// Adds a number; false if it was there already.
    #[inline]
    pub(super) fn insert(&mut self, number: u32) -> bool {
        self.add(number / 64, 1 << (number % 64)) != 0
    }

    /// Adds the bits of a block, and gives those that were not there.
    #[inline]
    pub(super) fn add(&mut self, block: u32, new: u64) -> u64 {
        // In a row without gaps a block is where its number says.
        let place = match self.0.get(block as usize) {
            Some((here, _)) if *here == block => Ok(block as usize),
            _ => self.0.binary_search_by_key(&block, |(here, _)| *here),
        };
        match place {
            Ok(place) => {
                let bits = &mut self.0[place].1;
                let added = new & !*bits;
                *bits |= new;
                added
            }
            Err(place) => {
                self.0.insert(place, (block, new));
                new
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Row>() + if self.0.spilled() { self.0.capacity() * size_of::<(u32, u64)>() } else { 0 }
    }

    /// The blocks that are not empty, in their order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.0.iter().copied()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// New atoms of one vertex.
pub(super) struct Batch {
    pub(super) vertex: VertexId,
    /// Their anchors, by rank.
    pub(super) row: Row,
    /// By rank of the anchor: the atom, for those of the row.
    pub(super) by_rank: Vec<u32>,
}

/// The new atoms of a round, by vertex.
pub(super) struct Batches {
    /// By vertex; most have few.
    atoms: Vec<SmallVec<[u32; 2]>>,
    /// Vertices that have some, the first one last.
    vertices: Vec<VertexId>,
    /// What batches are made of, again and again.
    row: Row,
    by_rank: Vec<u32>,
}

impl Batches {
    pub(super) fn new(vertices: usize) -> Batches {
        Batches {
            atoms: vec![SmallVec::new(); vertices],
            vertices: Vec::new(),
            row: Row::default(),
            by_rank: Vec::new(),
        }
    }

    /// Takes the atoms of a round, of all that there are.
    pub(super) fn fill(&mut self, all: &[Atom], fresh: Range<usize>) {
        for number in fresh {
            let vertex = all[number].vertex;
            let atoms = &mut self.atoms[vertex as usize];
            if atoms.is_empty() {
                self.vertices.push(vertex);
            }
            atoms.push(number as u32);
        }
        self.vertices.reverse();
    }

    /// The atoms of the next vertex.
    pub(super) fn next(&mut self, all: &[Atom], rank: &[u32]) -> Option<Batch> {
        let vertex = self.vertices.pop()?;
        let (mut row, mut by_rank) = (std::mem::take(&mut self.row), std::mem::take(&mut self.by_rank));
        for number in self.atoms[vertex as usize].drain(..) {
            let rank = rank[all[number as usize].anchor as usize];
            if by_rank.len() <= rank as usize {
                by_rank.resize(rank as usize + 1, NONE);
            }
            by_rank[rank as usize] = number;
            row.insert(rank);
        }
        Some(Batch { vertex, row, by_rank })
    }

    pub(super) fn give_back(&mut self, batch: Batch) {
        (self.row, self.by_rank) = (batch.row, batch.by_rank);
        self.row.clear();
    }
}

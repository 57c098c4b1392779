//! Points of predicates, and facts: points with the derivations that show them to hold.

use epitome_encodings::PredicateId;

/// Values of all arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::engine) struct Point(Box<[u64]>);

impl Point {
    pub(in crate::engine) fn new(values: impl ExactSizeIterator<Item = bool>) -> Point {
        let mut words = vec![0u64; values.len().div_ceil(64)];
        for (index, value) in values.enumerate() {
            words[index / 64] |= u64::from(value) << (index % 64);
        }
        Point(words.into())
    }

    pub(in crate::engine) fn get(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// 64 values each.
    pub(in crate::engine) fn words(&self) -> &[u64] {
        &self.0
    }

    /// The value at a place, which may be beyond the last.
    pub(in crate::engine) fn get_or_false(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}

/// The number of a fact in a list of facts.
pub(in crate::engine) type FactId = u32;

/// A point of a predicate with its derivation.
pub(in crate::engine) struct Fact {
    pub(in crate::engine) predicate: PredicateId,
    pub(in crate::engine) point: Point,
    /// Inputs of the body.
    pub(in crate::engine) inputs: Point,
    /// What the active holes are filled with.
    pub(in crate::engine) holes: Box<[(usize, FactId)]>,
}

//! Facts of a squared system as facts of the system with loops: a path is its steps, one after the other.

use crate::engine::system::{Fact, FactId, Point};
use epitome_encodings::{Origin, PredicateId, Squared, System};
use rustc_hash::FxHashMap;

/// Facts that were found, and by their points.
#[derive(Default)]
pub(super) struct Store {
    pub(super) facts: Vec<Fact>,
    known: FxHashMap<(PredicateId, Point), FactId>,
}

/// Adds the facts, callees first, to those that are known, and gives the one of the root. Those given are sorted that way,
/// too. Predicates from a number on are tables of others: `tables` says whose, and their facts are known.
pub(super) fn unsquare(
    system: &System,
    squared: &Squared,
    from: &[Fact],
    root: FactId,
    tables: (usize, &[PredicateId]),
    store: &mut Store,
) -> FactId {
    let mut back = Back { system, squared, from, store, image: vec![None; from.len()], tables };
    for id in 0..from.len() as FactId {
        back.fact(id);
    }
    back.image[root as usize].unwrap_or_default()
}

struct Back<'s> {
    system: &'s System,
    squared: &'s Squared,
    from: &'s [Fact],
    store: &'s mut Store,
    /// By fact: the same in the system with loops. Parts of paths have none.
    image: Vec<Option<FactId>>,
    tables: (usize, &'s [PredicateId]),
}

impl Back<'_> {
    fn fact(&mut self, id: FactId) {
        let fact = &self.from[id as usize];
        self.image[id as usize] = match self.squared.origins[fact.predicate.index()] {
            Origin::Step(_) | Origin::Path(..) => None,
            Origin::Start(predicate) => Some(self.add(predicate, fact.point.clone(), fact, None)),
            Origin::Same(predicate) if self.table_of(predicate).is_some() => {
                self.table_of(predicate).and_then(|of| self.store.known.get(&(of, fact.point.clone())).copied())
            }
            Origin::Same(predicate) => match self.own_hole(predicate) {
                None => Some(self.add(predicate, fact.point.clone(), fact, None)),
                Some(_) => self.whole(predicate, fact),
            },
        };
    }

    /// The predicate whose table this is.
    fn table_of(&self, predicate: PredicateId) -> Option<PredicateId> {
        let place = predicate.index().checked_sub(self.tables.0)?;
        self.tables.1.get(place).copied()
    }

    /// The hole in which a predicate calls itself, if it is a loop.
    fn own_hole(&self, predicate: PredicateId) -> Option<usize> {
        self.squared.handed_on[predicate.index()].as_ref()?;
        self.system.callees(predicate).iter().position(|callee| *callee == predicate)
    }

    /// A start, and the steps after it.
    fn whole(&mut self, predicate: PredicateId, fact: &Fact) -> Option<FactId> {
        let inside = |hole: usize| fact.holes.iter().find(|(other, _)| *other == hole).map(|(_, inside)| *inside);
        let mut last = self.image[inside(0)? as usize]?;
        let mut open: Vec<FactId> = inside(1).into_iter().collect();
        while let Some(id) = open.pop() {
            let part = &self.from[id as usize];
            match self.squared.origins[part.predicate.index()] {
                Origin::Path(..) => open.extend(part.holes.iter().rev().map(|(_, inside)| *inside)),
                _ => {
                    let point = self.end(predicate, &part.point);
                    last = self.add(predicate, point, part, Some(last));
                }
            }
        }
        Some(last)
    }

    /// The arguments with which a path ends.
    fn end(&self, predicate: PredicateId, path: &Point) -> Point {
        let Some(handed_on) = &self.squared.handed_on[predicate.index()] else { return path.clone() };
        // First what is handed on, then where it begins, then where it ends.
        let (mut next_fixed, mut next_end) = (0, handed_on.len());
        let values = handed_on.iter().map(|&is_fixed| {
            let next = if is_fixed { &mut next_fixed } else { &mut next_end };
            *next += 1;
            path.get(*next - 1)
        });
        Point::new(values.collect::<Vec<_>>().into_iter())
    }

    /// A fact with the inputs and holes of another one, and the fact before it in its own hole.
    fn add(&mut self, predicate: PredicateId, point: Point, of: &Fact, before: Option<FactId>) -> FactId {
        if let Some(&known) = self.store.known.get(&(predicate, point.clone())) {
            return known;
        }
        let own = self.own_hole(predicate);
        let others: Vec<usize> = (0..self.system.callees(predicate).len()).filter(|&hole| Some(hole) != own).collect();
        let filled = of.holes.iter().filter_map(|&(hole, inside)| Some((others[hole], self.image[inside as usize]?)));
        let holes = filled.chain(own.zip(before)).collect();
        let id = self.store.facts.len() as FactId;
        self.store.known.insert((predicate, point.clone()), id);
        self.store.facts.push(Fact { predicate, point, inputs: of.inputs.clone(), holes });
        id
    }
}

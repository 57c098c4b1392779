//! What is known of a predicate: lemmas above it and facts below it.
//!
//! A *lemma* is a cube in which no point has a derivation; with a *level* it says so only of derivations that
//! go at most that deep within the predicate's component. All lemmas together are the summary, a CNF. A
//! *fact* is a point with a derivation.

use super::cube::{Cube, Point};
use rustc_hash::FxHashMap;

/// How deep derivations go within a component. At level 0 no predicate of the component is used.
pub(super) type Level = u32;

/// Any depth.
pub(super) const ANY: Level = u32::MAX;

/// A fact of some predicate.
pub(super) type FactId = u32;

#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub(super) cube: Cube,
    pub(super) level: Level,
}

#[derive(Default)]
pub(super) struct Summary {
    pub(super) lemmas: Vec<Lemma>,
    /// Every lemma and every rise of its level, in order: what solvers have to be told.
    pub(super) news: Vec<Lemma>,
    points: Vec<(Point, FactId)>,
    index: FxHashMap<Point, FactId>,
}

impl Summary {
    /// The fact, if it is one.
    pub(super) fn fact(&self, point: &Point) -> Option<FactId> {
        self.index.get(point).copied()
    }

    /// A fact in the cube.
    pub(super) fn fact_in(&self, cube: &Cube) -> Option<FactId> {
        self.points.iter().rev().find(|(point, _)| cube.contains(point)).map(|(_, id)| *id)
    }

    pub(super) fn add_fact(&mut self, point: Point, id: FactId) {
        self.index.insert(point.clone(), id);
        self.points.push((point, id));
    }

    /// Some lemma says that nothing in the cube has a derivation of this level.
    pub(super) fn blocks(&self, cube: &Cube, level: Level) -> bool {
        self.lemmas.iter().any(|lemma| lemma.level >= level && lemma.cube.includes(cube))
    }

    /// Adds a lemma. Those it makes superfluous go.
    pub(super) fn learn(&mut self, lemma: Lemma) {
        self.lemmas.retain(|other| other.level > lemma.level || !lemma.cube.includes(&other.cube));
        self.news.push(lemma.clone());
        self.lemmas.push(lemma);
    }

    /// The lemma with this place holds at a higher level.
    pub(super) fn raise(&mut self, place: usize, level: Level) {
        self.lemmas[place].level = level;
        self.news.push(self.lemmas[place].clone());
    }
}

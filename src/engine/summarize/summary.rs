//! What is known of a predicate: lemmas above it and facts below it.
//!
//! A *lemma* is a cube in which no point has a derivation; with a *level* it says so only of derivations that
//! go at most that deep within the predicate's component. All lemmas together are the summary, a CNF. A
//! *fact* is a point with a derivation.

use super::cube::Cube;
use crate::engine::system::{FactId, Point};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How deep derivations go within a component. At level 0 no predicate of the component is used.
pub(super) type Level = u32;

/// Any depth.
pub(super) const ANY: Level = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub(super) cube: Cube,
    pub(super) level: Level,
    /// When it was last tried, in vain, to push it: later than any lemma that was known then.
    pub(super) tried: u64,
    /// What a model asked for then, hole by hole. While nothing is known against that, it is the same again.
    pub(super) witness: Rc<[(usize, Point)]>,
}

impl Lemma {
    pub(super) fn new(cube: Cube, level: Level) -> Lemma {
        Lemma { cube, level, tried: 0, witness: Rc::new([]) }
    }
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
        let mask = cube.mask();
        self.points.iter().rev().find(|(point, _)| mask.contains(point)).map(|(_, id)| *id)
    }

    pub(super) fn add_fact(&mut self, point: Point, id: FactId) {
        self.index.insert(point.clone(), id);
        self.points.push((point, id));
    }

    /// Forgets some facts.
    pub(super) fn forget_facts(&mut self, is_wrong: impl Fn(&Point) -> bool) {
        self.points.retain(|(point, _)| !is_wrong(point));
        self.index.retain(|point, _| !is_wrong(point));
    }

    /// Some lemma says that nothing in the cube has a derivation of this level.
    pub(super) fn blocks(&self, cube: &Cube, level: Level) -> bool {
        self.lemmas.iter().any(|lemma| lemma.level >= level && lemma.cube.includes(cube))
    }

    /// Some lemma says that the point has no derivation of this level.
    pub(super) fn excludes(&self, point: &Point, level: Level) -> bool {
        self.lemmas.iter().any(|lemma| lemma.level >= level && lemma.cube.contains(point))
    }

    /// Adds a lemma. Those it makes superfluous go.
    pub(super) fn learn(&mut self, lemma: Lemma) {
        self.lemmas.retain(|other| other.level > lemma.level || !lemma.cube.includes(&other.cube));
        self.news.push(lemma.clone());
        self.lemmas.push(lemma);
    }

    /// The lemma with this cube could not be pushed with the lemmas known at this time, as a witness shows.
    pub(super) fn note_try(&mut self, cube: &Cube, time: u64, witness: Rc<[(usize, Point)]>) {
        if let Some(lemma) = self.lemmas.iter_mut().find(|lemma| lemma.cube == *cube) {
            lemma.tried = time + 1;
            lemma.witness = witness;
        }
    }

    /// Some lemma holds up to exactly this level.
    pub(super) fn has_level(&self, level: Level) -> bool {
        self.lemmas.iter().any(|lemma| lemma.level == level)
    }

    /// Some lemma holds up to this level or a higher one, but not for any depth.
    pub(super) fn has_higher(&self, level: Level) -> bool {
        self.lemmas.iter().any(|lemma| lemma.level >= level && lemma.level != ANY)
    }

    /// All lemmas above this level hold for any depth.
    pub(super) fn raise_all(&mut self, level: Level) {
        for lemma in self.lemmas.iter_mut().filter(|lemma| lemma.level > level && lemma.level != ANY) {
            lemma.level = ANY;
            self.news.push(lemma.clone());
        }
    }
}

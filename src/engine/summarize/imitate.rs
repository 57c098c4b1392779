//! Predicates with the same body often have the same lemmas and facts: what one has learned another one tries.
//!
//! A program of many similar procedures, as generated ones are, then costs a few queries for each of them.
//! The *model* is the last predicate with the same body that knew something. A lemma is taken over after a
//! query of its own; a fact needs none, as the same values of the body's inputs derive it from the same
//! facts of the callees, if they are known.

use super::cube::Cube;
use super::prover::Answer;
use super::search::Search;
use super::summary::ANY;
use crate::engine::system::{Fact, FactId};
use crate::limits::Reason;
use epitome_encodings::PredicateId;

/// Failed imitations after which a predicate goes its own way.
const MOST_MISSES: u8 = 4;

/// The models of a body.
#[derive(Clone, Copy, Default)]
pub(super) struct Models {
    /// The last predicates for which a lemma for any depth was learned.
    pub(super) learned: LastTwo,
    /// The last ones for which a fact was found.
    pub(super) derived: LastTwo,
}

/// Two predicates, because one of them may be the one that looks for a model.
#[derive(Clone, Copy, Default)]
pub(super) struct LastTwo([Option<PredicateId>; 2]);

impl LastTwo {
    pub(super) fn note(&mut self, predicate: PredicateId) {
        if self.0[0] != Some(predicate) {
            self.0 = [Some(predicate), self.0[0]];
        }
    }

    /// The last one that is another one.
    fn other_than(&self, predicate: PredicateId) -> Option<PredicateId> {
        self.0.into_iter().flatten().find(|other| *other != predicate)
    }
}

impl Search<'_, '_> {
    /// The lemmas of the model are tried, if they would settle the cube: all at once, because they may need
    /// each other, and those that fail are left out until the rest holds by induction (Houdini, Flanagan and
    /// Leino 2001).
    pub(super) fn imitate(&mut self, predicate: PredicateId, cube: &Cube) -> Result<bool, Reason> {
        let models = &self.models[self.system.body_number(predicate)];
        let Some(model) = models.learned.other_than(predicate) else { return Ok(false) };
        if self.misses[predicate.index()] >= MOST_MISSES {
            return Ok(false);
        }
        let own = &self.summaries[predicate.index()];
        let lemmas = self.summaries[model.index()].lemmas.iter();
        let proven = lemmas.filter(|lemma| lemma.level == ANY && !own.blocks(&lemma.cube, ANY));
        let mut candidates: Vec<Cube> = proven.map(|lemma| lemma.cube.clone()).collect();
        let mut failed = true;
        while failed && candidates.iter().any(|candidate| candidate.includes(cube)) {
            failed = false;
            let supposed = self.suppose(predicate, &candidates);
            for candidate in std::mem::take(&mut candidates) {
                match self.ask_supposing(predicate, &candidate, ANY, supposed, &[])? {
                    Answer::No(..) => candidates.push(candidate),
                    Answer::Yes => failed = true,
                }
            }
        }
        if failed || !candidates.iter().any(|candidate| candidate.includes(cube)) {
            self.misses[predicate.index()] += u8::from(failed);
            return Ok(false);
        }
        self.cost.imitated += candidates.len() as u64;
        candidates.into_iter().for_each(|candidate| self.add(predicate, candidate, ANY));
        Ok(true)
    }

    /// A fact in the cube by the derivation that the model has, if it has one.
    pub(super) fn imitate_fact(&mut self, predicate: PredicateId, cube: &Cube) -> Option<FactId> {
        let model = self.models[self.system.body_number(predicate)].derived.other_than(predicate)?;
        let wanted = self.summaries[model.index()].fact_in(cube)?;
        let mut stack = vec![wanted];
        let mut last = None;
        while let Some(&id) = stack.last() {
            let theirs = &self.facts[id as usize];
            let mut holes = Vec::with_capacity(theirs.holes.len());
            let mut missing = None;
            for &(hole, inside) in &theirs.holes {
                let Fact { predicate: called, point, .. } = &self.facts[inside as usize];
                let callee = self.system.callees(predicate)[hole];
                match self.summaries[callee.index()].fact(point) {
                    Some(fact) => holes.push((hole, fact)),
                    // Of its own facts the derivation may need others first.
                    None if callee == predicate && *called == model => missing = Some(inside),
                    None => return None,
                }
            }
            if let Some(missing) = missing {
                stack.push(missing);
                continue;
            }
            let (point, inputs) = (theirs.point.clone(), theirs.inputs.clone());
            last = Some(self.add_fact(Fact { predicate, point, inputs, holes: holes.into() }));
            stack.pop();
        }
        last
    }
}

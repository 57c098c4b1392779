//! Levels: how deep derivations within a component go, and lemmas that rise from one to the next.

use super::cube::Cube;
use super::prover::Prover;
use super::search::{HELP, Search};
use super::summary::{ANY, Lemma, Level, Summary};
use crate::engine::system::Point;
use crate::limits::Reason;
use epitome_encodings::PredicateId;

impl Search<'_, '_> {
    /// The next level of a component: lemmas are pushed as far as they go. If nothing is left at a level,
    /// all above it hold for any depth. Beyond the deepest level this is the search for a subset of the
    /// lemmas that is inductive by itself: those that are not needed, and true for small depths only, stay
    /// behind (Houdini, Flanagan and Leino 2001).
    pub(super) fn deepen(&mut self, component: usize) -> Result<(), Reason> {
        let depth = self.depth[component];
        self.depth[component] = depth + 1;
        self.cost.levels = self.cost.levels.max(u64::from(depth) + 1);
        let members = self.members[component].clone();
        let any = |search: &Search<'_, '_>, test: fn(&Summary, Level) -> bool, level: Level| {
            members.iter().any(|predicate| test(&search.summaries[predicate.index()], level))
        };
        let mut level = 0;
        while level <= depth || any(self, Summary::has_higher, level) {
            for &predicate in &members {
                self.push(predicate, level, if level <= depth { HELP } else { 0 })?;
            }
            // Pushing may have added lemmas: what counts is what there is now.
            if !any(self, Summary::has_level, level) {
                for &predicate in &members {
                    self.summaries[predicate.index()].raise_all(level);
                }
                self.clock += 1;
                self.last_proof = self.clock;
                return Ok(());
            }
            level += 1;
        }
        Ok(())
    }

    /// Pushes the lemmas of exactly this level.
    fn push(&mut self, predicate: PredicateId, level: Level, help: u32) -> Result<(), Reason> {
        // What is learned on the way may replace some of them.
        let lemmas: Vec<Lemma> =
            self.summaries[predicate.index()].lemmas.iter().filter(|lemma| lemma.level == level).cloned().collect();
        for lemma in lemmas {
            let component = self.component[predicate.index()] as usize;
            let news = self.changes[component].since(level).max(self.last_proof);
            if self.summaries[predicate.index()].fact_in(&lemma.cube).is_some() {
                continue;
            }
            if lemma.tried > news || self.summaries[predicate.index()].blocks(&lemma.cube, level + 1) {
                continue;
            }
            let mut witness = lemma.witness;
            if !self.stands(predicate, &lemma.cube, level + 1, &witness) {
                if let Some((_, matters)) = self.refute(predicate, &lemma.cube, level + 1, 0)? {
                    self.cost.pushed += 1;
                    self.add(predicate, lemma.cube, if matters { level + 1 } else { ANY });
                    continue;
                }
                witness = self.provers[predicate.index()].as_ref().map_or_else(Vec::new, Prover::requests).into();
                if help > 0 && self.pursue(predicate, lemma.cube.clone(), level + 1)? == Some(None) {
                    continue;
                }
            }
            self.summaries[predicate.index()].note_try(&lemma.cube, self.clock, witness);
        }
        Ok(())
    }

    /// Nothing is known against what a model for the cube asked for.
    fn stands(&self, predicate: PredicateId, cube: &Cube, level: Level, witness: &[(usize, Point)]) -> bool {
        let (callees, own) = (self.system.callees(predicate), self.component[predicate.index()]);
        let is_possible = |(hole, point): &(usize, Point)| {
            let callee = callees[*hole];
            let is_inner = self.component[callee.index()] == own;
            let level = if is_inner { level - 1 } else { ANY };
            let is_relative = callee == predicate && cube.contains(point);
            !is_relative && !self.summaries[callee.index()].excludes(point, level)
        };
        !witness.is_empty() && witness.iter().all(is_possible)
    }
}

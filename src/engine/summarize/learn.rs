//! Lemmas: what a refuted cube teaches, made as general as can be had.

use super::cube::Cube;
use super::prover::{Answer, Prover};
use super::search::Search;
use super::summary::{ANY, Lemma, Level};
use crate::engine::system::Point;
use crate::limits::Reason;
use epitome_encodings::PredicateId;

impl Search<'_, '_> {
    /// A lemma from a refuted cube: as high a level and as few literals as can be had, in this order. (At
    /// a low level nearly every literal will do, and most lemmas made of them say nothing of higher ones.)
    /// `help` says how often other lemmas may be learned for it.
    pub(super) fn learn(
        &mut self,
        predicate: PredicateId,
        whole: &Cube,
        (core, level_matters): (Cube, bool),
        level: Level,
        help: u32,
    ) -> Result<(), Reason> {
        if help > 0 && self.imitate(predicate, whole)? {
            return Ok(());
        }
        let mut cube = core;
        let mut level = if level_matters { level } else { ANY };
        if level != ANY
            && let Some(higher) = self.rise(predicate, whole, level, 0)?
        {
            (cube, level) = higher;
        }
        for literal in cube.clone().literals() {
            if !cube.has(literal) {
                continue;
            }
            let candidate = cube.without(literal);
            if self.summaries[predicate.index()].fact_in(&candidate).is_some() {
                continue;
            }
            if let Some((smaller, matters)) = self.refute(predicate, &candidate, level, 0)? {
                cube = smaller;
                level = if matters { level } else { ANY };
            }
        }
        if level != ANY
            && let Some((_, higher)) = self.rise(predicate, &cube, level, help)?
        {
            level = higher;
        }
        self.cost.lemmas += 1;
        self.add(predicate, cube, level);
        Ok(())
    }

    pub(super) fn add(&mut self, predicate: PredicateId, cube: Cube, level: Level) {
        self.clock += 1;
        self.changes[self.component[predicate.index()] as usize].note(level, self.clock);
        if level == ANY {
            self.last_proof = self.clock;
            self.models[self.system.body_number(predicate)].learned.note(predicate);
        }
        self.summaries[predicate.index()].learn(Lemma::new(cube, level));
    }

    /// The highest level up to that of the component, or any depth, at which a cube can be refuted, and what
    /// of the cube it takes; `None` if it is none above the level given.
    fn rise(
        &mut self,
        predicate: PredicateId,
        cube: &Cube,
        level: Level,
        help: u32,
    ) -> Result<Option<(Cube, Level)>, Reason> {
        if let Some((core, _)) = self.refute(predicate, cube, ANY, 0)? {
            return Ok(Some((core, ANY)));
        }
        // What can be refuted at a level can be at all lower ones: most lemmas rise by nothing or by much.
        let depth = self.depth[self.component[predicate.index()] as usize];
        let (mut highest, mut reached, mut failed, mut stride) = (None, level, depth + 1, 1);
        while reached + 1 < failed {
            let next = (reached + stride).min(reached + (failed - reached).div_ceil(2));
            match self.refute(predicate, cube, next, help)? {
                Some((core, true)) => {
                    (highest, reached) = (Some((core, next)), next);
                    stride *= 2;
                }
                Some((core, false)) => return Ok(Some((core, ANY))),
                None => failed = next,
            }
        }
        Ok(highest)
    }

    /// Tries to refute a cube with the lemmas that are known and a few more: where a model asks for
    /// something that its predicate refutes at once, that becomes a lemma first (counterexamples to
    /// generalization, Hassan, Bradley and Somenzi 2013).
    pub(super) fn refute(
        &mut self,
        predicate: PredicateId,
        cube: &Cube,
        level: Level,
        help: u32,
    ) -> Result<Option<(Cube, bool)>, Reason> {
        let mut left = help;
        loop {
            match self.ask(predicate, cube, level, &[])? {
                Answer::No(core, matters) => return Ok(Some((core, matters))),
                Answer::Yes if left == 0 => return Ok(None),
                Answer::Yes => {}
            }
            left -= 1;
            let requests = self.provers[predicate.index()].as_ref().map_or_else(Vec::new, Prover::requests);
            if !self.refute_one(predicate, requests, level)? {
                return Ok(None);
            }
        }
    }

    /// Learns a lemma against one of the requests of a model, if one is refuted at once.
    fn refute_one(
        &mut self,
        predicate: PredicateId,
        requests: Vec<(usize, Point)>,
        level: Level,
    ) -> Result<bool, Reason> {
        for (hole, point) in requests {
            let callee = self.system.callees(predicate)[hole];
            if self.summaries[callee.index()].fact(&point).is_some() {
                continue;
            }
            let is_inner = self.component[callee.index()] == self.component[predicate.index()];
            let level = match (is_inner, level) {
                (false, _) if self.is_recursive(callee) => continue,
                (false, _) | (true, ANY) => ANY,
                (true, level) => level.saturating_sub(1),
            };
            let cube = self.whole(callee, &point);
            if let Answer::No(core, matters) = self.ask(callee, &cube, level, &[])? {
                self.learn(callee, &cube, (core, matters), level, 0)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

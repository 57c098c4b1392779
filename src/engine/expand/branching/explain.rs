//! Shows why a formula holds in an initial state, or does not: runs for what is claimed of runs, nested as the formula is.
//!
//! A run for "some run from here is accepted" is found on the labelled structure ([`super::trail`]). Which of its states matter, and which formulas in
//! them, are the reasons for its path formula (`epitome_automata::Known`); if these say that the run need not go on after
//! some state, it is cut there. Those reasons that are again about runs are shown in turn, from the state that they are about.

use super::paths::Paths;
use super::play::{Closed, Script, word};
use super::structure::Structure;
use super::trail::{Move, trail};
use super::unfold::Unfolding;
use super::walk::{Walk, Walker};
use crate::limits::{Limits, Reason};
use crate::logic::{Blocked, Branching, Path, Stage};
use crate::model::Vertex;
use crate::temporal::{Again, Claim, Explanation, LONGEST_SHOWN, Shown};
use epitome_automata::{Binary, Cube, Known, Reasons};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Runs that are shown at the most; further claims are not.
const MOST_PATHS: usize = 40;

/// The explanation of a formula's value in an initial state that has it; nothing if there is no initial state.
pub(super) fn explain(
    formula: &Branching,
    structure: &Structure,
    unfolding: &mut Unfolding<'_>,
    holds: bool,
    limits: &Limits,
) -> Result<Option<Explanation<Vertex>>, Reason> {
    let last = formula.stages.len() - 1;
    let found = structure.initial.iter().find(|&&state| structure.has(state, last) == holds);
    let Some(&initial) = found else { return Ok(None) };
    let everyone_goes_on = formula.blocked == Blocked::Stutter && structure.everyone_goes_on();
    let mut walker = Walker { unfolding, structure };
    let walk = walker.start(initial)?;
    let claims = claims_about(structure, &formula.stages, (last, holds), initial, 0);
    let mut open: VecDeque<(usize, usize, Walk)> = VecDeque::new();
    open.extend((0..claims.len()).filter(|&claim| claims[claim].holds).map(|claim| (0, claim, walk.clone())));
    let (run, _) = walker.finish(walk);
    let mut paths = vec![Shown { run, again: None, start: 0, claims }];
    let mut known: FxHashMap<usize, Paths<'_>> = FxHashMap::default();
    while let Some((owner, claim, walk)) = open.pop_front() {
        if paths.len() > MOST_PATHS {
            break;
        }
        let stage = paths[owner].claims[claim].stage;
        let Stage::Exists(path) = &formula.stages[stage] else { continue };
        if let std::collections::hash_map::Entry::Vacant(vacant) = known.entry(stage) {
            vacant.insert(Paths::with_ways(structure, path, limits)?);
        }
        let mut showing = Showing { formula, path, paths: &known[&stage], walker: &mut walker, everyone_goes_on };
        let (shown, walks) = showing.show(walk)?;
        paths[owner].claims[claim].path = Some(paths.len());
        open.extend(walks.into_iter().map(|(claim, walk)| (paths.len(), claim, walk)));
        paths.push(shown);
    }
    Ok(Some(Explanation { paths }))
}

/// What must be claimed about runs from a state for a stage to have its value there.
fn claims_about(
    structure: &Structure,
    stages: &[Stage],
    stage: (usize, bool),
    state: u32,
    number: usize,
) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let mut open = vec![stage];
    while let Some((stage, holds)) = open.pop() {
        match stages[stage] {
            Stage::Constant(_) | Stage::Atom(_) => {}
            Stage::Not(inner) => open.push((inner, !holds)),
            Stage::Exists(_) => {
                let claim = Claim { state: number, stage, holds, path: None };
                if !claims.contains(&claim) {
                    claims.push(claim);
                }
            }
            Stage::Binary(operator, left, right) => {
                let [a, b] = [left, right].map(|side| structure.has(state, side));
                // One side may be enough.
                let wanted = match (operator, holds) {
                    (Binary::And, false) => Some((false, false)),
                    (Binary::Or, true) => Some((true, true)),
                    (Binary::Implies, true) => Some((false, true)),
                    _ => None,
                };
                match wanted {
                    Some((left_is, _)) if a == left_is => open.push((left, a)),
                    Some(_) => open.push((right, b)),
                    None => open.extend([(right, b), (left, a)]),
                }
            }
        }
    }
    claims
}

/// Shows that some run is accepted.
struct Showing<'f, 'w, 'u, 'e> {
    formula: &'f Branching,
    path: &'f Path,
    paths: &'f Paths<'f>,
    walker: &'w mut Walker<'u, 'e>,
    everyone_goes_on: bool,
}

/// For claims that want to be shown: the run up to the state that they are about.
type Walks = Vec<(usize, Walk)>;

impl Showing<'_, '_, '_, '_> {
    fn show(&mut self, mut walk: Walk) -> Result<(Shown<Vertex>, Walks), Reason> {
        const LOST: Reason = Reason::Internal("there is no run where one was found");
        let structure = self.walker.structure;
        let (waiting, state) = walk.configuration().ok_or(LOST)?;
        let trail = trail(self.paths, &waiting, state).ok_or(LOST)?;
        let (states, back) = word(structure, self.paths, state, &trail, LONGEST_SHOWN);
        let start = walk.states - 1;
        let letters = states.iter().map(|&state| self.letter(state)).collect();
        let known = Known { letters, back };
        let reasons = known.reasons(&self.path.formulas, self.path.formula);
        let mut claims: Vec<Claim> = Vec::new();
        for &(at, atom, value) in reasons.iter().flat_map(|reasons| &reasons.literals) {
            let stage = (self.path.reads[atom as usize], value);
            for claim in claims_about(structure, &self.formula.stages, stage, states[at], start + at) {
                if !claims.contains(&claim) {
                    claims.push(claim);
                }
            }
        }
        let mut walks: Walks = Vec::new();
        let mut each = |walk: &Walk| {
            let number = walk.states - 1;
            // A loop may have to be passed again: what was said of its states holds again.
            let is_new = |index: &usize| walks.iter().all(|(known, _)| known != index);
            let about: Vec<usize> = (0..claims.len())
                .filter(|&index| claims[index].state == number && claims[index].holds)
                .filter(is_new)
                .collect();
            for index in about {
                if walks.len() < MOST_PATHS {
                    walks.push((index, walk.clone()));
                }
            }
        };
        each(&walk);
        let shared = reasons.is_none();
        // Where not every state has a run, it must be seen to go on.
        let is_enough = |reasons: &Reasons| !reasons.is_endless && self.everyone_goes_on;
        let (run, again) = match reasons.filter(is_enough) {
            Some(reasons) => {
                let script = Script::new(self.paths, &trail.moves);
                self.walker.play(&mut walk, script, start + reasons.last + 1, false, &mut each)?;
                (self.walker.finish(walk).0, None)
            }
            None => {
                let closed = self.walker.close(&mut walk, self.paths, &trail, shared, &mut each)?;
                // Where variables that do not matter took more rounds to come back, the same holds in the same states.
                let round = back.map_or(1, |back| states.len() - back);
                // A loop ends in the state where it begins.
                let is_back = matches!(closed, Closed::Again(Again::Loops { .. }))
                    && !matches!(trail.moves.last(), Some(Move::Before(_)));
                for number in start + states.len()..walk.states - usize::from(is_back) {
                    let of_round = |claim: &&Claim| claim.state + round == number;
                    let again =
                        claims.iter().filter(of_round).map(|claim| Claim { state: number, path: None, ..*claim });
                    claims.extend(again.collect::<Vec<_>>());
                }
                let (run, spine) = self.walker.finish(walk);
                let again = match closed {
                    Closed::Again(again) => again,
                    Closed::Grows(depth) => Again::Grows { activation: spine[depth] },
                };
                (run, Some(again))
            }
        };
        Ok((Shown { run, again, start, claims }, walks))
    }

    /// What the path formula reads in a state.
    fn letter(&self, state: u32) -> Cube {
        let reads = &self.path.reads;
        let yes = self.walker.structure.letter(state, reads);
        let all = if reads.len() < 64 { (1 << reads.len()) - 1 } else { u64::MAX };
        Cube { yes, no: !yes & all }
    }
}

//! Plays trails: writes calls out that are stepped over, finds the word that a trail is, and executes it.

use super::paths::{Begins, Paths, Way};
use super::structure::{Structure, Target};
use super::trail::{Move, Round, Trail};
use super::walk::{Walk, Walker};
use crate::limits::Reason;
use crate::temporal::Again;

/// Rounds after which variables that do not matter must have come back to values they had.
const MOST_ROUNDS: usize = 1000;

/// A move with nothing inside.
pub(super) enum Single {
    Go(u32),
    /// Into a call; the way, if the call will be left along one.
    Into(u32, Option<Way>),
    Out,
    Before(u32),
}

/// Moves, one by one.
pub(super) struct Script<'t> {
    paths: &'t Paths<'t>,
    moves: std::slice::Iter<'t, Move>,
    /// Ways inside of calls, the innermost last, and whether control is where they begin.
    inside: Vec<(Way, bool)>,
}

impl<'t> Script<'t> {
    pub(super) fn new(paths: &'t Paths<'t>, moves: &'t [Move]) -> Script<'t> {
        Script { paths, moves: moves.iter(), inside: Vec::new() }
    }

    /// Leaves the inside of the call out that was entered last.
    fn leave_out(&mut self) {
        self.inside.pop();
    }
}

impl Iterator for Script<'_> {
    type Item = Single;

    fn next(&mut self) -> Option<Single> {
        while let Some((way, is_there)) = self.inside.last_mut() {
            let target = self.paths.split(way.from).0;
            if !std::mem::replace(is_there, true)
                && let Target::State(state) = target
            {
                return Some(Single::Go(state));
            }
            match (self.paths.begins(*way), target) {
                (Some(Begins::Step(then)), _) => (*way, *is_there) = (then, false),
                (Some(Begins::Over { inside, then }), Target::Call(call)) => {
                    (*way, *is_there) = (then, false);
                    self.inside.push((inside, true));
                    return Some(Single::Into(call, Some(inside)));
                }
                _ => {
                    self.inside.pop();
                    return Some(Single::Out);
                }
            }
        }
        Some(match *self.moves.next()? {
            Move::Go(state) => Single::Go(state),
            Move::Into(call) => Single::Into(call, None),
            Move::Over(call, way) => {
                self.inside.push((way, true));
                Single::Into(call, Some(way))
            }
            Move::Out => Single::Out,
            Move::Before(call) => Single::Before(call),
        })
    }
}

/// The states of a trail that begins in one, and where it goes back to; if there are more than so many, the first ones.
pub(super) fn word(
    structure: &Structure,
    paths: &Paths<'_>,
    start: u32,
    trail: &Trail,
    most: usize,
) -> (Vec<u32>, Option<usize>) {
    let mut states = vec![start];
    let mut add = |moves: &[Move]| {
        for single in Script::new(paths, moves) {
            match single {
                Single::Go(state) => states.push(state),
                Single::Into(call, _) => states.push(structure.calls[call as usize].entry),
                Single::Out | Single::Before(_) => {}
            }
            if states.len() > most {
                return None;
            }
        }
        Some(states.len())
    };
    let (Round::Loops(first) | Round::Grows(first)) = trail.round else {
        let back = add(&trail.moves).map(|states| states - 1);
        return (states, back);
    };
    let (stem, round) = trail.moves.split_at(first);
    let Some(begin) = add(stem) else { return (states, None) };
    let Some(_) = add(round) else { return (states, None) };
    if let Some(Move::Before(_)) = round.last() {
        return (states, Some(begin));
    }
    // The state where the round ends is the one where it begins.
    states.pop();
    (states, Some(begin - 1))
}

impl Walker<'_, '_> {
    /// Executes moves until so many states are passed; `each` sees the run after every state. Calls that are known are not executed again
    /// if they may be `shared`.
    pub(super) fn play(
        &mut self,
        walk: &mut Walk,
        mut script: Script<'_>,
        until: usize,
        shared: bool,
        each: &mut dyn FnMut(&Walk),
    ) -> Result<(), Reason> {
        while walk.states < until {
            let Some(single) = script.next() else { break };
            match single {
                Single::Go(state) => self.go(walk, state)?,
                Single::Into(call, way) => {
                    if self.into(walk, call, way.filter(|_| shared))? {
                        script.leave_out();
                        continue;
                    }
                }
                Single::Out => self.out(walk)?,
                Single::Before(call) => self.before(walk, call)?,
            }
            self.unfolding.check()?;
            if let Single::Go(_) | Single::Into(..) = single {
                each(walk);
            }
        }
        Ok(())
    }

    /// Executes a trail until it repeats itself, all variables included.
    pub(super) fn close(
        &mut self,
        walk: &mut Walk,
        paths: &Paths<'_>,
        trail: &Trail,
        shared: bool,
        each: &mut dyn FnMut(&Walk),
    ) -> Result<Closed, Reason> {
        let all = usize::MAX;
        match trail.round {
            Round::Stays => {
                self.play(walk, Script::new(paths, &trail.moves), all, shared, each)?;
                Ok(Closed::Again(Again::Stays))
            }
            Round::Loops(first) => {
                let (stem, round) = trail.moves.split_at(first);
                self.play(walk, Script::new(paths, stem), all, shared, each)?;
                let mut heads = Vec::new();
                for _ in 0..MOST_ROUNDS {
                    heads.push((walk.step(), walk.cells().to_vec()));
                    self.play(walk, Script::new(paths, round), all, shared, each)?;
                    if let Some((step, _)) = heads.iter().find(|(_, cells)| cells == walk.cells()) {
                        return Ok(Closed::Again(Again::Loops { step: *step }));
                    }
                }
                Err(Reason::Internal("a loop of a structure does not come back"))
            }
            Round::Grows(first) => {
                let (stem, round) = trail.moves.split_at(first);
                let Some((&Move::Into(call), inner)) = round.split_last() else {
                    return Err(Reason::Internal("a round that grows does not end with a call"));
                };
                self.play(walk, Script::new(paths, stem), all, shared, each)?;
                let mut heads = Vec::new();
                for _ in 0..MOST_ROUNDS {
                    heads.push((walk.depth() - 1, walk.cells().to_vec()));
                    self.play(walk, Script::new(paths, inner), all, shared, each)?;
                    self.before(walk, call)?;
                    let entered = self.entered(walk, call)?;
                    let is_again = |cells: &Vec<u64>| entered.last().is_some_and(|(_, own)| own == cells);
                    if let Some((depth, _)) = heads.iter().find(|(_, cells)| is_again(cells)) {
                        return Ok(Closed::Grows(*depth));
                    }
                    self.into(walk, call, None)?;
                    each(walk);
                }
                Err(Reason::Internal("a recursion of a structure does not come back"))
            }
        }
    }
}

/// How a run that was executed goes on.
pub(super) enum Closed {
    Again(Again),
    /// The next activation begins as the one at this depth did.
    Grows(usize),
}

//! Branching time against every environment (Kupferman, Vardi and Wolper: module checking), explicitly.
//!
//! ```text
//!  Module ──unfold──▶ Structure, Offers ──possible (EF, AG EF: Theorem 5.3)──────────▶ Strategy, if it fails
//!                                      └─flat, tableau, game (CTL, CTL*: Theorem 3.1)─┘
//! ```

mod contest;
mod flat;
mod foresight;
mod parity;
mod possible;
mod prune;
mod spread;
mod tableau;
mod watch;
mod when;

use super::super::compile::Compiled;
use super::unfold::{Letters, Unfolding};
use super::{combine, structure::Target};
use crate::engine::{News, Opened, Progress, Statistics};
use crate::limits::{Limits, Reason};
use crate::logic::{Branching, Claimed, OpenMethod, Stage};
use crate::model::Vertex;
use crate::temporal::{self, State, Strategy};
use contest::Contest;
use flat::Flat;
use foresight::Foresight;
use possible::Possible;
use prune::{Module, Pruning, Safe, Seen};
use rustc_hash::FxHashSet;
use std::time::Instant;
use tableau::Tableau;

/// Checks a formula against every environment of a module.
pub fn open(
    module: &temporal::Module,
    states: &[Vec<Option<State>>],
    outer: &[bool],
    formula: &Branching,
    limits: &Limits,
    progress: Progress<'_>,
) -> Opened {
    let start = Instant::now();
    let mut statistics = Statistics { engine: "expand", algorithm: "module checking", ..Statistics::default() };
    let letters = Letters { states, outer, blocked: formula.blocked };
    let compiled = Compiled::new(&module.ersm);
    let answer = answer(&compiled, (&letters, module), formula, &mut statistics, limits, progress);
    statistics.search_time = start.elapsed();
    let (holds, strategy) = match answer {
        Ok(strategy) => (Ok(strategy.is_none()), strategy),
        Err(reason) => (Err(reason), None),
    };
    Opened { holds, strategy, statistics }
}

/// The strategy of an environment against which the formula does not hold, if there is one.
fn answer<'e>(
    compiled: &'e Compiled<'e>,
    (letters, module): (&'e Letters<'e>, &'e temporal::Module),
    formula: &Branching,
    statistics: &mut Statistics,
    limits: &'e Limits,
    progress: Progress<'_>,
) -> Result<Option<Strategy<Vertex>>, Reason> {
    let atom = |stage: &Stage| if let Stage::Atom(atom) = stage { Some(*atom) } else { None };
    // What the atoms are is wanted whether they are stages or not.
    let labels: Vec<Option<u32>> =
        formula.stages.iter().map(atom).chain((0..formula.atoms.len() as u32).map(Some)).collect();
    let mut unfolding =
        Unfolding::of(compiled, (letters, Some(module)), &labels, limits, |rows| progress(News::Work(rows)))?;
    statistics.path_edges = unfolding.rows.len() as u64;
    statistics.summary_edges = unfolding.calls.len() as u64;
    statistics.entries = unfolding.structure.calls.len() as u64;
    let mut structure = std::mem::take(&mut unfolding.structure);
    for (label, stage) in formula.stages.iter().enumerate() {
        if matches!(stage, Stage::Constant(_) | Stage::Not(_) | Stage::Binary(..)) {
            combine(&mut structure, label, stage);
        }
    }
    let atoms: Vec<usize> = (formula.stages.len()..labels.len()).collect();
    let seen = Seen { unfolding: &unfolding, structure: &structure, atoms: &atoms };
    let (condition, goal) = match formula.open_method() {
        OpenMethod::Possibly(goal) => (None, goal),
        OpenMethod::AlwaysPossibly(condition, goal) => (Some(condition), goal),
        OpenMethod::Universal | OpenMethod::General | OpenMethod::Closed => {
            return play(&seen, formula, statistics, limits, progress);
        }
    };
    let claimed = |state: u32, Claimed { stage, holds }: Claimed| structure.has(state, stage) == holds;
    let possible = Possible::new(&structure, &unfolding.offers, |state| claimed(state, goal), limits)?;
    statistics.bytes = structure.bytes() as u64;
    let holds_here = |state: u32| condition.flatten().is_none_or(|condition| claimed(state, condition));
    let module = Module { seen: &seen, possible: &possible, condition: &holds_here };
    let bad = match condition {
        None => structure.initial.iter().copied().find(|&state| module.is_bad(state, &[])),
        Some(_) => bad_start(&module, limits)?,
    };
    bad.map(|start| Pruning::of(&module, start)).transpose()
}

/// The strategy of an environment that wins the game of a formula, if there is one.
fn play(
    seen: &Seen<'_>,
    formula: &Branching,
    statistics: &mut Statistics,
    limits: &Limits,
    progress: Progress<'_>,
) -> Result<Option<Strategy<Vertex>>, Reason> {
    let structure = seen.structure;
    let mut flat = Flat::new(structure, &seen.unfolding.offers);
    let tableau = Tableau::new(&formula.stages);
    let atom = |state: u32, stage: usize| structure.has(state, stage);
    let mut foresight = Foresight::new(&mut flat, &tableau, &atom, limits);
    let mut tree = None;
    for &state in &structure.initial {
        let start = foresight.flat.start(state);
        let mut contest = Contest::new(&mut foresight, &tableau, &atom, (formula.stages.len() - 1, false), limits);
        tree = contest.tree(start, &mut |places| progress(News::Work(places)))?;
        statistics.iterations += contest.size() as u64;
        if tree.is_some() {
            break;
        }
    }
    statistics.bytes = (structure.bytes() + flat.len() * 64) as u64;
    tree.map(|tree| seen.unrolled(&mut flat, &tree)).transpose()
}

/// An initial state from which a state can be reached where the goal should be possible, and is not.
fn bad_start(module: &Module<'_>, limits: &Limits) -> Result<Option<u32>, Reason> {
    let mut seen: FxHashSet<(Target, Safe)> = FxHashSet::default();
    for &start in &module.seen.structure.initial {
        let mut open = vec![(Target::State(start), Safe::default())];
        while let Some((target, safe)) = open.pop() {
            if !seen.insert((target, safe.clone())) {
                continue;
            }
            limits.check(seen.len() * 64)?;
            match target {
                Target::State(state) if module.is_bad(state, &safe) => return Ok(Some(start)),
                Target::State(state) => {
                    open.extend(module.seen.structure.next[state as usize].iter().map(|&next| (next, safe.clone())));
                }
                Target::Call(call) => {
                    let inside = &module.seen.structure.calls[call as usize];
                    open.push((Target::State(inside.entry), module.inside(call, &safe)?));
                    let back = inside.returns.iter().flat_map(|(_, targets)| targets);
                    open.extend(back.map(|&next| (next, safe.clone())));
                }
            }
        }
    }
    Ok(None)
}

//! Branching time, explicitly: labels every reachable state with the stages of a formula, innermost first (Alur-HSM 4, Fig. 7;
//! Godefroid 5).
//!
//! ```text
//!  Ersm ──unfold──▶ Structure ──paths, split (for each stage that speaks of runs)──▶ Structure with one more label ──▶ … ──explain──▶ Explanation
//! ```
//!
//! A stage that speaks of runs is a Büchi automaton, whichever operator it came from: EX, EU and EG are automata of one to three
//! states, and a path formula of CTL* is another automaton. The structure may be copied for it, so that the label does not
//! depend on the stack; structures may be recursive. On single-exit hierarchies this is the algorithm of Theorem 8, on many exits that of
//! Theorem 10, on deterministic programs that of Godefroid's Theorem 11, linear in what can be reached.

mod explain;
mod leaving;
mod offers;
mod open;
mod paths;
mod play;
mod split;
mod structure;
mod trail;
mod unfold;
mod walk;

use super::compile::Compiled;
use crate::engine::{Labelled, News, Progress, Statistics};
use crate::limits::{Limits, Reason};
use crate::logic::{Branching, Stage};
use crate::model::Ersm;
use epitome_automata::Binary;
pub use open::open;
use paths::Paths;
use std::time::Instant;
use structure::Structure;
pub(in crate::engine) use unfold::Letters;
use unfold::Unfolding;

/// Labels the states of a machine with a formula.
pub fn label(
    ersm: &Ersm,
    states: &[Vec<Option<crate::temporal::State>>],
    outer: &[bool],
    formula: &Branching,
    limits: &Limits,
    progress: Progress<'_>,
) -> Labelled {
    let start = Instant::now();
    let mut statistics = Statistics { engine: "expand", algorithm: "labelling", ..Statistics::default() };
    let letters = Letters { states, outer, blocked: formula.blocked };
    let compiled = Compiled::new(ersm);
    let labelled = labelled(&compiled, &letters, formula, &mut statistics, limits, progress);
    statistics.search_time = start.elapsed();
    let (mut unfolding, structure) = match labelled {
        Ok(labelled) => labelled,
        Err(reason) => return Labelled { holds: Err(reason), explanation: None, statistics },
    };
    let last = formula.stages.len() - 1;
    let holds = structure.initial.iter().all(|&state| structure.has(state, last));
    let start = Instant::now();
    let explanation = explain::explain(formula, &structure, &mut unfolding, holds, limits);
    statistics.trace_time = start.elapsed();
    match explanation {
        Err(Reason::Internal(what)) => Labelled { holds: Err(Reason::Internal(what)), explanation: None, statistics },
        explanation => Labelled { holds: Ok(holds), explanation: explanation.ok().flatten(), statistics },
    }
}

/// The structure with labels for all stages, and the unfolding it was made from.
fn labelled<'e>(
    compiled: &'e Compiled<'e>,
    letters: &'e Letters<'e>,
    formula: &Branching,
    statistics: &mut Statistics,
    limits: &'e Limits,
    progress: Progress<'_>,
) -> Result<(Unfolding<'e>, Structure), Reason> {
    let atom = |stage: &Stage| if let Stage::Atom(atom) = stage { Some(*atom) } else { None };
    let labels: Vec<Option<u32>> = formula.stages.iter().map(atom).collect();
    let mut unfolding = Unfolding::of(compiled, (letters, None), &labels, limits, |rows| progress(News::Work(rows)))?;
    statistics.path_edges = unfolding.rows.len() as u64;
    statistics.summary_edges = unfolding.calls.len() as u64;
    statistics.entries = unfolding.structure.calls.len() as u64;
    let mut structure = std::mem::take(&mut unfolding.structure);
    statistics.iterations = structure.vertices() as u64;
    for (label, stage) in formula.stages.iter().enumerate() {
        match stage {
            Stage::Atom(_) => continue,
            Stage::Exists(path) => {
                let paths = Paths::new(&structure, path, limits)?;
                structure = split::split(&structure, &paths, label, limits)?;
                statistics.iterations = statistics.iterations.max(structure.vertices() as u64);
            }
            Stage::Constant(_) | Stage::Not(_) | Stage::Binary(..) => combine(&mut structure, label, stage),
        }
    }
    statistics.bytes = structure.bytes() as u64;
    Ok((unfolding, structure))
}

/// A stage that is a combination of others.
fn combine(structure: &mut Structure, label: usize, stage: &Stage) {
    for state in 0..structure.states.len() as u32 {
        let has = |label: usize| structure.has(state, label);
        let value = match *stage {
            Stage::Constant(value) => value,
            Stage::Not(inner) => !has(inner),
            Stage::Binary(operator, left, right) => match (operator, has(left), has(right)) {
                (Binary::And, a, b) => a && b,
                (Binary::Or, a, b) => a || b,
                (Binary::Xor, a, b) => a != b,
                (Binary::Implies, a, b) => !a || b,
                (_, a, b) => a == b,
            },
            Stage::Atom(_) | Stage::Exists(_) => continue,
        };
        structure.set(state, label, value);
    }
}

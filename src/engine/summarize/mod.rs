//! The SAT engine: summaries of procedures as CNFs, answered by incremental SAT.
//!
//! A machine becomes a system of predicates, one for each procedure (`translate`, `body`): "entered with
//! these values, it can be left with those", with what is looked for as one more way to be left. The whole
//! question is whether the root predicate can be derived (`search`); a derivation is a run (`derivation`),
//! and without one the lemmas are summaries that prove it (`proof`).

mod body;
mod cube;
mod derivation;
mod graph;
mod interface;
mod lift;
mod proof;
mod prover;
mod search;
mod shape;
mod summary;
mod translate;

pub use crate::solver::SolverName;

use super::{NOTHING_TO_FIND, Outcome, Progress, Statistics};
use crate::limits::{Limits, Reason};
use crate::model::{Ersm, Goal, NodeId, NodeSet, ProcId, Proof, Run, Vertex};
use cube::Cube;
use search::Search;
use std::time::Instant;
use translate::Translation;

/// What can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The solver.
    pub solver: SolverName,
}

/// Answers a question by summaries.
pub fn summarize(ersm: &Ersm, options: Options, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    let start = Instant::now();
    let mut found = Found::nothing(ersm);
    let stopped = if goal.targets.is_empty() && goal.calls.is_empty() {
        found.statistics.algorithm = NOTHING_TO_FIND;
        None
    } else {
        answer(ersm, options, goal, limits, progress, &mut found).err()
    };
    found.into_outcome(stopped, start)
}

/// Answers a question by summaries and tells them as a proof, if nothing can be found. (There is none where
/// all finds are asked for.)
pub fn prove(ersm: &Ersm, solver: SolverName, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    if goal.all {
        return summarize(ersm, Options { solver }, goal, limits, progress);
    }
    let start = Instant::now();
    let mut found = Found::nothing(ersm);
    let stopped = if goal.targets.is_empty() && goal.calls.is_empty() {
        found.statistics.algorithm = NOTHING_TO_FIND;
        found.proof = Some(Proof::default());
        None
    } else {
        let (translation, system) = Translation::new(ersm, goal);
        let mut search = Search::new(&system, translation.root, solver, limits);
        let end = first(&translation, &mut search, limits, progress, &mut found).err();
        if end.is_none() && found.run.is_none() {
            found.proof = Some(proof::proof(&translation, &search.summaries));
        }
        count(&search, &mut found.statistics);
        end
    };
    found.into_outcome(stopped, start)
}

struct Found {
    reached: NodeSet,
    run: Option<Run<Vertex>>,
    proof: Option<Proof>,
    statistics: Statistics,
}

impl Found {
    fn nothing(ersm: &Ersm) -> Found {
        Found { reached: NodeSet::new(ersm), run: None, proof: None, statistics: Statistics::default() }
    }

    fn into_outcome(mut self, stopped: Option<Reason>, start: Instant) -> Outcome {
        self.statistics.engine = "sat";
        self.statistics.search_time = start.elapsed() - self.statistics.trace_time;
        Outcome {
            found: self.run.is_some() || !self.reached.is_empty(),
            reached: self.reached,
            run: self.run,
            proof: self.proof,
            stopped,
            statistics: self.statistics,
        }
    }
}

fn answer(
    ersm: &Ersm,
    options: Options,
    goal: &Goal,
    limits: &Limits,
    progress: Progress<'_>,
    found: &mut Found,
) -> Result<(), Reason> {
    let (translation, system) = Translation::new(ersm, goal);
    let mut search = Search::new(&system, translation.root, options.solver, limits);
    let mut end = Ok(());
    if goal.all {
        for (procedure, node, code) in translation.targets() {
            if found.reached.contains(procedure, node) {
                continue;
            }
            let bits = (0..translation.code_bits() as usize).map(|bit| (bit, code >> bit & 1 == 1));
            end = search.derive(translation.root, Cube::new(bits)).and_then(|fact| {
                if let Some(fact) = fact {
                    visit(&derivation::run_of(&translation, &search.facts, fact, limits)?, found);
                }
                Ok(())
            });
            progress(search.cost.queries);
            if end.is_err() {
                break;
            }
        }
    } else {
        end = first(&translation, &mut search, limits, progress, found);
    }
    count(&search, &mut found.statistics);
    end
}

/// The first find is enough.
fn first(
    translation: &Translation<'_>,
    search: &mut Search<'_>,
    limits: &Limits,
    progress: Progress<'_>,
    found: &mut Found,
) -> Result<(), Reason> {
    let fact = search.derive(translation.root, Cube::new([]));
    progress(search.cost.queries);
    let start = Instant::now();
    found.run = fact?.map(|fact| derivation::run_of(translation, &search.facts, fact, limits)).transpose()?;
    found.statistics.trace_time = start.elapsed();
    Ok(())
}

/// Everything on a run can be reached.
fn visit(run: &Run<Vertex>, found: &mut Found) {
    for fragment in &run.fragments {
        for step in 0..fragment.len() {
            if let Vertex::Node(node) = *fragment.place(step) {
                found.reached.insert(ProcId(fragment.procedure), NodeId(node.0));
            }
        }
    }
}

fn count(search: &Search<'_>, statistics: &mut Statistics) {
    let cost = &search.cost;
    statistics.algorithm = "summaries";
    statistics.path_edges = search.facts.len() as u64;
    statistics.summary_edges = search.summaries.iter().map(|summary| summary.lemmas.len() as u64).sum();
    statistics.iterations = cost.queries;
    statistics.sat = Some(cost.clone());
}

//! The SAT engine: summaries of procedures as CNFs, answered by incremental SAT.
//!
//! A machine becomes a system of predicates, one for each procedure (`translate`, `body`): "entered with
//! these values, it can be left with those", with what is looked for as one more way to be left. The whole
//! question is whether the root predicate can be derived (`search`); a derivation is a run (`derivation`),
//! and without one the lemmas are summaries that prove it.

mod body;
mod cube;
mod derivation;
mod graph;
mod imitate;
mod interface;
mod learn;
mod levels;
mod lift;
mod prover;
mod search;
mod shape;
mod summary;
mod translate;

pub use crate::solver::SolverName;

use super::{NOTHING_TO_FIND, Outcome, Progress, Statistics};
use crate::limits::{Limits, Reason};
use crate::model::{Ersm, Goal, NodeId, NodeSet, ProcId, Run, Vertex};
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
    let mut found = Found { reached: NodeSet::new(ersm), run: None, statistics: Statistics::default() };
    let stopped = if goal.targets.is_empty() && goal.calls.is_empty() {
        found.statistics.algorithm = NOTHING_TO_FIND;
        None
    } else {
        answer(ersm, options, goal, limits, progress, &mut found).err()
    };
    found.statistics.engine = "sat";
    found.statistics.search_time = start.elapsed() - found.statistics.trace_time;
    Outcome {
        found: found.run.is_some() || !found.reached.is_empty(),
        reached: found.reached,
        run: found.run,
        stopped,
        statistics: found.statistics,
    }
}

struct Found {
    reached: NodeSet,
    run: Option<Run<Vertex>>,
    statistics: Statistics,
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
        end = search.derive(translation.root, Cube::new([])).and_then(|fact| {
            let start = Instant::now();
            found.run = fact.map(|fact| derivation::run_of(&translation, &search.facts, fact, limits)).transpose()?;
            found.statistics.trace_time = start.elapsed();
            Ok(())
        });
        progress(search.cost.queries);
    }
    count(&search, &mut found.statistics);
    end
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

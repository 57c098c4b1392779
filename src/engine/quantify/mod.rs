//! Engine `quantify`: the question as a quantified Boolean formula.
//!
//! A machine without recursion is a system of predicates whose only cycles are loops; squaring removes
//! these, and the modular encoding says with one copy of each body that the root can be derived (Godefroid, Theorem 3
//! and 6.3): a formula of polynomial size, true exactly if what is looked for can be reached.
//!
//! The answer of a QBF solver is how the outermost block is chosen: the path through the root's body. What is
//! inside its calls is asked for in turn, fact by fact, until there is a whole derivation, and that is a run.

mod contradictions;
mod derive;
pub mod formula;
mod unsquare;

use super::system::{Fact, FactId, Translation, run_of};
use super::{NOTHING_TO_FIND, Outcome, Progress, QbfStatistics, Statistics};
use crate::limits::{Limits, Reason};
use crate::model::{Ersm, Goal, NodeId, NodeSet, ProcId, Run, Vertex};
use derive::Deriver;
use epitome_encodings::{System, square};
use std::time::Instant;

/// What can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {}

/// Answers a question.
pub fn quantify(ersm: &Ersm, _options: Options, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    let start = Instant::now();
    let mut found = Found { reached: NodeSet::new(ersm), run: None, statistics: Statistics::default() };
    let stopped = if goal.targets.is_empty() && goal.calls.is_empty() {
        found.statistics.algorithm = NOTHING_TO_FIND;
        None
    } else {
        found.statistics.qbf = Some(QbfStatistics::default());
        found.statistics.algorithm = "modular";
        answer(ersm, goal, limits, progress, &mut found).err()
    };
    found.statistics.engine = "qbf";
    found.statistics.search_time = start.elapsed().saturating_sub(found.statistics.trace_time);
    Outcome {
        found: found.run.is_some() || !found.reached.is_empty(),
        reached: found.reached,
        run: found.run,
        proof: None,
        stopped,
        statistics: found.statistics,
    }
}

struct Found {
    reached: NodeSet,
    run: Option<Run<Vertex>>,
    statistics: Statistics,
}

fn answer(ersm: &Ersm, goal: &Goal, limits: &Limits, progress: Progress<'_>, found: &mut Found) -> Result<(), Reason> {
    let totals = formula::totals(ersm, limits);
    let (translation, mut system) = Translation::new(ersm, goal);
    translation.tell_totals(&mut system, &totals);
    let Some((facts, root)) = derive(&translation, &system, limits, progress, found)? else { return Ok(()) };
    let start = Instant::now();
    let run = run_of(&translation, &facts, root, limits)?;
    found.statistics.trace_time += start.elapsed();
    if !goal.all {
        found.run = Some(run);
        return Ok(());
    }
    visit(&run, found);
    // Then what no run has come by, until nothing is left to be found.
    loop {
        let left = Goal { targets: goal.targets.without(&found.reached), ..goal.clone() };
        if left.targets.is_empty() {
            return Ok(());
        }
        let (fewer, mut system) = translation.for_less(&left);
        fewer.tell_totals(&mut system, &totals);
        let Some((facts, root)) = derive(&fewer, &system, limits, progress, found)? else { return Ok(()) };
        visit(&run_of(&fewer, &facts, root, limits)?, found);
        if left.targets.without(&found.reached).len() == left.targets.len() {
            return Err(Reason::Internal("a run to a target came by none"));
        }
    }
}

/// The derivation of the root, if there is one.
fn derive(
    translation: &Translation<'_>,
    system: &System,
    limits: &Limits,
    progress: Progress<'_>,
    found: &mut Found,
) -> Result<Option<(Vec<Fact>, FactId)>, Reason> {
    let Ok(squared) = square(system, translation.root) else {
        return Err(Reason::NotSupported("recursion; the quantified encodings are for hierarchies".to_owned()));
    };
    let mut deriver = Deriver::new(&squared.system, limits, progress);
    let root = deriver.derive(squared.root);
    deriver.count(&mut found.statistics);
    let Some(root) = root? else { return Ok(None) };
    Ok(Some(unsquare::facts(system, &squared, &deriver.facts, root)))
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

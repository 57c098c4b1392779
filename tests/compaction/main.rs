//! Compaction keeps the answer, and runs of the compacted machine are retraced to runs that replay.

#[path = "../common/mod.rs"]
mod common;
mod machines;
mod programs;
mod remains;
mod retraced;

use epitome::engine::expand::{Algorithm, explore};
use epitome::evidence::{last_place, replay};
use epitome::limits::Limits;
use epitome::model::{Ersm, Goal, NodeId, NodeSet, ProcId, SourceMap, SourceRun, build};
use epitome::reduce::{Step, Task, compact, retrace};
use epitome::syntax::{Place, Program};

/// A goal: some nodes, and whether all of them are wanted.
pub fn goal(ersm: &Ersm, nodes: &[(ProcId, NodeId)], all: bool) -> Goal {
    let mut targets = NodeSet::new(ersm);
    for &(procedure, node) in nodes {
        targets.insert(procedure, node);
    }
    Goal { targets, calls: Vec::new(), all }
}

/// Nodes whose reaching is a failure.
pub fn failures(ersm: &Ersm) -> Vec<(ProcId, NodeId)> {
    ersm.failures.iter().map(|failure| (failure.procedure, failure.node)).collect()
}

/// Nodes with a name.
pub fn labels(ersm: &Ersm) -> Vec<(ProcId, NodeId)> {
    ersm.places.iter().map(|place| (place.procedure, place.node)).collect()
}

/// Compares the answers before and after compaction; the first difference in words.
pub fn difference(program: &Program) -> Option<String> {
    let (ersm, map) = build(program);
    one_target(program, &ersm, &map, goal(&ersm, &failures(&ersm), false), Algorithm::Forward)
        .or_else(|| all_targets(&ersm, &failures(&ersm)))
        .or_else(|| all_targets(&ersm, &labels(&ersm)))
        .or_else(|| all_calls(program, &ersm, &map))
}

/// The same targets are reached.
fn all_targets(ersm: &Ersm, nodes: &[(ProcId, NodeId)]) -> Option<String> {
    let goal = goal(ersm, nodes, true);
    let before = explore(ersm, Algorithm::Forward, &goal, &Limits::none(), &mut |_| ());
    let Step { task, back } = compact(Task { ersm: ersm.clone(), goal: goal.clone() });
    let after = explore(&task.ersm, Algorithm::Forward, &task.goal, &Limits::none(), &mut |_| ());
    if task.goal.targets.len() != goal.targets.len() {
        return Some("a target was lost".to_owned());
    }
    let kept = |p: usize| back.procedures[p].nodes.iter().enumerate();
    (0..ersm.procedures.len()).flat_map(|p| kept(p).map(move |(node, above)| (p, node, *above))).find_map(
        |(procedure, node, above)| {
            let found = after.reached.contains(procedure.into(), node.into());
            let expected = before.reached.contains(procedure.into(), above);
            let asked = goal.targets.contains(procedure.into(), above);
            (asked && found != expected).then(|| format!("{above:?} of {procedure}: {found}, expected {expected}"))
        },
    )
}

/// Every procedure's being called is found, with a run.
fn all_calls(program: &Program, ersm: &Ersm, map: &SourceMap) -> Option<String> {
    ersm.procedures().find_map(|(id, _)| {
        let goal = Goal { calls: vec![id], ..goal(ersm, &[], false) };
        one_target(program, ersm, map, goal, Algorithm::Forward)
    })
}

/// The answer to a question for one node or call is the same, and its run retraces and replays.
pub fn one_target(program: &Program, ersm: &Ersm, map: &SourceMap, goal: Goal, algorithm: Algorithm) -> Option<String> {
    let before = explore(ersm, algorithm, &goal, &Limits::none(), &mut |_| ());
    let Step { task, back } = compact(Task { ersm: ersm.clone(), goal: goal.clone() });
    let after = explore(&task.ersm, algorithm, &task.goal, &Limits::none(), &mut |_| ());
    if before.run.is_some() != after.run.is_some() {
        return Some(format!("found: {}, expected {}", after.run.is_some(), before.run.is_some()));
    }
    let run = match retrace(ersm, &task.ersm, &back, &after.run?, &Limits::none()) {
        Ok(run) => run,
        Err(error) => return Some(error.to_string()),
    };
    let lifted = map.lift(&run);
    if let Err(mismatch) = replay(program, &lifted) {
        return Some(format!("the run does not replay: {mismatch}"));
    }
    (!ends_at(ersm, map, &goal, &lifted)).then(|| format!("the run ends at {:?}", last_place(&lifted)))
}

/// The run ends at a target or at a call of a procedure that is looked for.
fn ends_at(ersm: &Ersm, map: &SourceMap, goal: &Goal, run: &SourceRun) -> bool {
    let (procedure, place) = last_place(run);
    let id = ProcId(procedure);
    let nodes = ersm.procedure(id).nodes.len();
    let target =
        |node: usize| goal.targets.contains(id, node.into()) && map.place(procedure as usize, node) == Some(place);
    let call = || match place {
        Place::Port(site, _) => goal.calls.contains(&ersm.procedure(id).boxes[site as usize].callee),
        _ => !goal.calls.is_empty(),
    };
    (0..nodes).any(target) || call()
}

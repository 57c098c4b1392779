//! All targets by finding one at a time: any of them first, then any of those that no run has come by, until none
//! is left to be found.

use crate::engine::{News, Progress};
use crate::limits::Reason;
use crate::model::{Goal, NodeSet, ProcId, Run, Vertex};

/// The first run to a target, if one is enough; otherwise all places that runs to targets come by, until there are no
/// more. `run_to` finds a run to some target of a goal, which has fewer targets each time; what it finds without a run
/// it notes and tells itself.
pub(in crate::engine) fn in_rounds(
    goal: &Goal,
    reached: &mut NodeSet,
    progress: Progress<'_>,
    mut run_to: impl FnMut(&Goal, &mut NodeSet, Progress<'_>) -> Result<Option<Run<Vertex>>, Reason>,
) -> Result<Option<Run<Vertex>>, Reason> {
    let mut left = goal.clone();
    while let Some(run) = run_to(&left, reached, &mut *progress)? {
        if !goal.all {
            return Ok(Some(run));
        }
        visit(&run, &left, reached, &mut *progress);
        let fewer = left.targets.without(reached);
        if fewer.len() == left.targets.len() {
            return Err(Reason::Internal("a run to a target came by none"));
        }
        left.targets = fewer;
        if left.targets.is_empty() {
            break;
        }
    }
    Ok(None)
}

/// Everything on a run can be reached; targets are told.
fn visit(run: &Run<Vertex>, goal: &Goal, reached: &mut NodeSet, progress: Progress<'_>) {
    for fragment in &run.fragments {
        let procedure = ProcId(fragment.procedure);
        for step in 0..fragment.len() {
            if let Vertex::Node(node) = *fragment.place(step)
                && reached.insert(procedure, node)
                && goal.targets.contains(procedure, node)
            {
                progress(News::Reached(procedure, node));
            }
        }
    }
}

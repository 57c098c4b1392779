//! Pictures of the machine in a page. What has a place in the source says which, so that the page can find it.

use super::escape;
use crate::cli::encode::drawing;
use crate::cli::findings::Findings;
use crate::model::export::to_svg;
use crate::model::{Ersm, ProcId};
use crate::syntax::{Program, Source};
use std::collections::BTreeSet;

/// More nodes and boxes are not drawn.
const MOST_DRAWN: usize = 400;

/// The picture of all procedures, or else of those that are told about, as far as they are small enough.
pub(super) fn pictures(source: &Source, program: &Program, ersm: &Ersm, told: &BTreeSet<u32>) -> String {
    let size = |id: ProcId| ersm.procedure(id).nodes.len() + ersm.procedure(id).boxes.len();
    let all: BTreeSet<u32> = ersm.procedures().map(|(id, _)| id.0).collect();
    let is_small =
        |some: &BTreeSet<u32>| !some.is_empty() && some.iter().map(|&id| size(ProcId(id))).sum::<usize>() <= MOST_DRAWN;
    let drawn = match [&all, told].into_iter().find(|some| is_small(some)) {
        Some(drawn) => drawn,
        None => {
            let (nodes, advice) =
                (all.iter().map(|&id| size(ProcId(id))).sum::<usize>(), "epitome graph --format svg --procedure NAME");
            return format!(
                "<p>The machine has {nodes} places, too many to look at. <code>{advice}</code> draws one procedure.</p>\n"
            );
        }
    };
    let mut drawing = drawing(source, program);
    drawing.retain(|picture| drawn.contains(&picture.id.0));
    let left = all.len() - drawn.len();
    let note = if left == 0 {
        String::new()
    } else {
        format!("<p>Only procedures that the trace visits: {left} others are left out.</p>\n")
    };
    format!("{note}<div class=\"scroll\" id=\"graph\">{}</div>\n", to_svg(&drawing))
}

/// The section of a page, folded.
pub(super) fn section(source: &Source, program: &Program, ersm: &Ersm, told: &BTreeSet<u32>) -> String {
    let what = "▸ entry, ◂ exit, ● start of runs, ◇ choice of the environment, ✗ failure. The place of the step has a thick frame, places that the trace visits a dashed one.";
    let pictures = pictures(source, program, ersm, told);
    format!(
        "<section>\n<details>\n<summary><h2>Control flow</h2></summary>\n<p class=\"faint\">{}</p>\n{pictures}</details>\n</section>\n",
        escape(what)
    )
}

/// The procedures that the runs of an answer visit.
pub(super) fn visited(found: &Findings<'_>) -> BTreeSet<u32> {
    let of_trace = found.trace().into_iter().map(|trace| trace.run);
    let paths = found.report.explanation.iter().flat_map(|explanation| &explanation.paths).map(|shown| &shown.run);
    of_trace.chain(paths).flat_map(|run| run.fragments.iter().map(|fragment| fragment.procedure)).collect()
}

//! Pictures of the machine in a page: control flow, and who calls whom. What has a place in the source says which, so that the page can
//! find it. What is drawn can be taken away as text for other programs.

use super::downloads::Downloads;
use super::escape;
use super::marks::Marks;
use crate::cli::encode::{calls, drawing};
use crate::cli::findings::Findings;
use crate::model::export::{Drawing, to_dot, to_mermaid, to_svg};
use crate::model::{Ersm, ProcId};
use crate::syntax::{Program, Source};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// More nodes and boxes are not drawn.
const MOST_DRAWN: usize = 400;
/// Of larger machines nothing is drawn: it would take long to find out who calls whom.
const MOST_READ: usize = 50_000;
/// What draws a procedure, or all calls.
const ONE: &str = "epitome graph --format svg --procedure NAME";
const ALL: &str = "epitome graph --calls --format svg";

/// A machine, and what is said of it.
pub(super) struct Machine<'a> {
    pub(super) source: &'a Source,
    pub(super) program: &'a Program,
    pub(super) ersm: &'a Ersm,
    pub(super) marks: &'a Marks,
    /// Procedures that are told about.
    pub(super) told: BTreeSet<u32>,
}

/// The pictures of a machine.
#[derive(Default)]
pub(in crate::cli) struct Pictures {
    /// Sections of a page, folded.
    pub(super) html: String,
    /// The same as texts.
    pub(super) files: Downloads,
    /// Where procedures stand that are drawn, by their names.
    pub(super) procedures: Map<String, Value>,
}

const FLOW: &str = "▸ entry, ◂ exit, ● start of runs, ◇ choice of the environment, ✗ failure, ∅ unreachable. The place of the step has a thick frame, places that the trace visits a dashed one.";
const CALLS: &str = "● start of runs, ↻ recursive; an arrow stands beside the lines of its calls. A click on a procedure shows it in the program.";

impl Machine<'_> {
    pub(super) fn pictures(&self) -> Pictures {
        let places = |id: ProcId| self.ersm.procedure(id).nodes.len() + self.ersm.procedure(id).boxes.len();
        let is_readable = self.ersm.procedures().map(|(id, _)| places(id)).sum::<usize>() <= MOST_READ;
        let flow = self.chosen(places);
        let called = self.chosen(|id| 1 + self.ersm.procedure(id).boxes.len()).filter(|_| is_readable);
        let whole = (flow.is_some() || called.is_some()).then(|| drawing(self.source, self.program));
        let part = |chosen: &Option<BTreeSet<u32>>| {
            let (mut drawing, chosen) = (whole.clone()?, chosen.as_ref()?);
            drawing.retain(|picture| chosen.contains(&picture.id.0));
            Some(drawing)
        };
        let mut pictures = Pictures { procedures: self.heads(), ..Pictures::default() };
        let mut flow = part(&flow);
        flow.iter_mut().for_each(|drawing| drawing.fade(|place| self.marks.is_dead(place)));
        let left = |drawn: usize| self.ersm.procedures.len() - drawn;
        let is_left = flow.as_ref().map_or(0, |drawing| left(drawing.procedures.len()));
        pictures.add(&Frame { id: "graph", title: "Control flow", legend: FLOW, command: ONE }, flow, is_left);
        if self.ersm.procedures.len() > 1 {
            let calls = part(&called).map(|drawing| calls(&drawing, self.source, self.program));
            let drawn = calls.iter().flat_map(|drawing| &drawing.procedures).map(|picture| picture.nodes.len()).sum();
            pictures.add(&Frame { id: "calls", title: "Calls", legend: CALLS, command: ALL }, calls, left(drawn));
        }
        pictures
    }

    /// All procedures, or else those that are told about, as far as they are small enough together.
    fn chosen(&self, size: impl Fn(ProcId) -> usize) -> Option<BTreeSet<u32>> {
        let all: BTreeSet<u32> = self.ersm.procedures().map(|(id, _)| id.0).collect();
        let is_small = |some: &BTreeSet<u32>| {
            !some.is_empty() && some.iter().map(|&id| size(ProcId(id))).sum::<usize>() <= MOST_DRAWN
        };
        [&all, &self.told].into_iter().find(|some| is_small(some)).cloned()
    }

    /// Where the heads of procedures stand, by name, if there are few.
    fn heads(&self) -> Map<String, Value> {
        let procedures = self.ersm.procedures().filter(|_| self.ersm.procedures.len() <= MOST_DRAWN);
        let head = |(id, _): (ProcId, _)| {
            let position = self.source.position(self.program.head(id.0).start);
            (self.program.procedure_name(id.0).to_owned(), json!(format!("{}:{}", position.line, position.column)))
        };
        procedures.map(head).collect()
    }
}

/// What is around a picture.
struct Frame {
    id: &'static str,
    title: &'static str,
    legend: &'static str,
    /// Draws what is too large here.
    command: &'static str,
}

impl Pictures {
    /// One more picture, if it is not too large; so many procedures are not in it.
    fn add(&mut self, frame: &Frame, drawing: Option<Drawing>, left: usize) {
        let Frame { id, title, legend, command } = frame;
        let picture = match drawing {
            None => format!("<p>This machine is too large to look at. <code>{command}</code> draws it.</p>\n"),
            Some(drawing) => {
                self.files.push(format!("{id}.dot"), to_dot(&drawing));
                self.files.push(format!("{id}.mmd"), to_mermaid(&drawing));
                let note = match left {
                    0 => String::new(),
                    _ => format!("<p>Only procedures that the trace visits: {left} others are left out.</p>\n"),
                };
                format!("{note}<div class=\"scroll picture\" id=\"{id}\">{}</div>\n", to_svg(&drawing))
            }
        };
        self.html += &format!(
            "<section>\n<details>\n<summary><h2>{title}</h2></summary>\n<p class=\"faint\">{}</p>\n{picture}</details>\n</section>\n",
            escape(legend)
        );
    }
}

/// The procedures that the runs of an answer visit.
pub(super) fn visited(found: &Findings<'_>) -> BTreeSet<u32> {
    let of_trace = found.trace().into_iter().map(|trace| trace.run);
    let paths = found.report.explanation.iter().flat_map(|explanation| &explanation.paths).map(|shown| &shown.run);
    of_trace.chain(paths).flat_map(|run| run.fragments.iter().map(|fragment| fragment.procedure)).collect()
}

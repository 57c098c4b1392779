//! Who calls whom, as a picture of one column: its nodes are procedures, its arrows are calls, with the lines where they stand.
//!
//! Procedures that call themselves, directly or not, carry a ↻. In a picture as SVG an arrow that leads up
//! closes a cycle, unless it comes from a procedure that nobody calls: those stand below.

use super::drawing::{Arrow, Drawing, Picture, Shape, Shown, Subject};
use crate::model::{NodeId, ProcId, Vertex};
use epitome_encodings::Components;
use std::collections::BTreeMap;

/// More lines are not named.
const MOST_LINES: usize = 4;

/// The calls between the procedures of a picture; `position` says where a procedure stands in the source.
///
/// ```
/// use epitome::{model::{build_rsm, export::{Drawing, calls, to_mermaid}}, syntax::{Source, rsm}};
/// let text = "machine M { entry e; exit x; box b: M; e -> b.e; b.x -> x; e -> x; } init M.e;";
/// let (machines, _) = rsm::parse(&Source::new("a.rsm", text)).unwrap();
/// let drawing = Drawing::new(&build_rsm(&machines).0, &|_, _| None);
/// let calls = to_mermaid(&calls(&drawing, &|_| None));
/// assert!(calls.contains("M ↻") && calls.contains("p0_n0 --> p0_n0"), "{calls}");
/// ```
pub fn calls(drawing: &Drawing, position: &dyn Fn(ProcId) -> Option<String>) -> Drawing {
    let procedures = &drawing.procedures;
    let numbers: BTreeMap<ProcId, usize> = procedures.iter().map(|picture| picture.id).zip(0..).collect();
    let called: Vec<BTreeMap<usize, Vec<Option<&str>>>> =
        procedures.iter().map(|picture| calls_of(picture, &numbers)).collect();
    let is_recursive = recursive(&called);
    let starts = drawing.starts.iter().filter_map(|(procedure, _)| numbers.get(procedure).copied());
    let starts: Vec<usize> = starts.collect();
    let node = |(number, picture): (usize, &Picture)| Shown {
        label: format!("{}{}", picture.name, if is_recursive[number] { " ↻" } else { "" }),
        shape: if starts.contains(&number) { Shape::Entry } else { Shape::Plain },
        position: position(picture.id),
        is_dead: false,
    };
    let vertex = |number: usize| Vertex::Node(NodeId::from(number));
    let arrow = |from: usize, (&to, lines): (&usize, &Vec<Option<&str>>)| Arrow {
        from: vertex(from),
        to: vertex(to),
        label: label(lines),
    };
    let arrows = called.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |call| arrow(from, call)));
    let (id, name) = (ProcId(0), "calls".to_owned());
    let picture = Picture {
        id,
        title: "calls".to_owned(),
        name,
        nodes: procedures.iter().enumerate().map(|(number, picture)| node((number, picture))).collect(),
        boxes: Vec::new(),
        arrows: arrows.collect(),
    };
    let starts = starts.iter().map(|&number| (id, NodeId::from(number))).collect();
    Drawing { subject: Subject::Calls, procedures: vec![picture], starts }
}

/// By callee, the lines of the calls, as far as they are known.
fn calls_of<'p>(picture: &'p Picture, numbers: &BTreeMap<ProcId, usize>) -> BTreeMap<usize, Vec<Option<&'p str>>> {
    let mut called: BTreeMap<usize, Vec<Option<&str>>> = BTreeMap::new();
    for (site, position) in picture.boxes.iter().zip(picture.positions_of_boxes()) {
        let line = position.and_then(|position| Some(position.split_once(':')?.0));
        if let Some(&callee) = numbers.get(&site.callee) {
            called.entry(callee).or_default().push(line);
        }
    }
    called
}

/// By procedure: it calls itself, directly or not.
fn recursive(called: &[BTreeMap<usize, Vec<Option<&str>>>]) -> Vec<bool> {
    let callees: Vec<Vec<usize>> = called.iter().map(|to| to.keys().copied().collect()).collect();
    let components = Components::new(callees.len(), 0..callees.len(), |from, nth| callees[from].get(nth).copied());
    let in_cycle = |(from, to): (usize, &Vec<usize>)| to.iter().any(|&to| components.of[to] == components.of[from]);
    callees.iter().enumerate().map(in_cycle).collect()
}

/// Where the calls stand, or how many there are.
fn label(lines: &[Option<&str>]) -> String {
    let mut known: Vec<&str> = lines.iter().copied().flatten().collect();
    known.sort_by_key(|line| (line.len(), *line));
    known.dedup();
    match (&known[..], lines.len()) {
        ([], 1) => String::new(),
        ([], calls) => format!("{calls} calls"),
        ([line], _) => format!("line {line}"),
        (some, _) if some.len() <= MOST_LINES => format!("lines {}", some.join(", ")),
        (some, calls) => format!("lines {}, … ({calls} calls)", some[..MOST_LINES].join(", ")),
    }
}

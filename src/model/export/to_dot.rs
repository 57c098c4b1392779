//! Any model as a graph for Graphviz: one cluster for each procedure.
//!
//! Shapes: a house for entries, a double circle for exits, a diamond where the environment chooses, a
//! red octagon for what must not be reached, an ellipse for all other nodes, a record for boxes, with
//! a field for each entry and exit where the callee has several. A point leads to each start.

use super::drawing::{Drawing, Picture, Shape, Shown, ShownBox};
use crate::model::{BoxId, NodeId, ProcId, Vertex};
use std::fmt::Write;

/// The picture as a Graphviz graph.
///
/// ```
/// use epitome::{model::{build_rsm, export::{Drawing, to_dot}}, syntax::{Source, rsm}};
/// let (machines, _) = rsm::parse(&Source::new("a.rsm", "machine M { entry e; e -> e; } init M.e;")).unwrap();
/// let dot = to_dot(&Drawing::new(&build_rsm(&machines).0, &|_, _| None));
/// assert!(dot.contains("subgraph \"cluster_M\" {"));
/// ```
pub fn to_dot(drawing: &Drawing) -> String {
    let mut out = String::from("digraph ersm {\n  node [fontname=\"Helvetica\"];\n");
    out.push_str("  edge [fontname=\"Helvetica\", fontsize=10];\n");
    drawing.procedures.iter().for_each(|picture| write(&mut out, picture));
    for (index, (procedure, node)) in drawing.starts.iter().enumerate() {
        line(&mut out, 2, format_args!("init{index} [shape=point, label=\"\"];"));
        line(&mut out, 2, format_args!("init{index} -> {};", node_id(*procedure, *node)));
    }
    out.push_str("}\n");
    out
}

fn line(out: &mut String, indent: usize, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    _ = writeln!(out, "{:indent$}{text}", "");
}

fn node_id(procedure: ProcId, node: NodeId) -> String {
    format!("p{}_n{}", procedure.0, node.0)
}

fn box_id(procedure: ProcId, site: BoxId) -> String {
    format!("p{}_b{}", procedure.0, site.0)
}

/// A string between quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', ""))
}

/// A text inside of a record's label.
fn field(text: &str) -> String {
    let mut field = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        if matches!(c, '\\' | '"' | '{' | '}' | '|' | '<' | '>') {
            field.push('\\');
        }
        field.push(c);
    }
    field
}

/// The cluster of a procedure, and its edges.
fn write(out: &mut String, picture: &Picture) {
    let id = picture.id;
    line(out, 2, format_args!("subgraph {} {{", quoted(&format!("cluster_{}", picture.name))));
    line(out, 4, format_args!("label={};", quoted(&picture.title)));
    for (node, shown) in picture.nodes.iter().enumerate() {
        let (label, shape, style) = (quoted(&shown.label), shape(shown.shape), style(shown));
        line(out, 4, format_args!("{} [label={label}, {shape}{style}];", node_id(id, NodeId::from(node))));
    }
    for (index, shown) in picture.boxes.iter().enumerate() {
        let (label, dead) = (box_label(shown), if shown.is_dead { DEAD } else { "" });
        line(out, 4, format_args!("{} [shape=record, label=\"{label}\"{dead}];", box_id(id, index.into())));
    }
    line(out, 2, format_args!("}}"));
    for arrow in &picture.arrows {
        let label = match arrow.label.as_str() {
            "" => String::new(),
            label => format!(" [label={}]", quoted(label)),
        };
        line(out, 2, format_args!("{} -> {}{label};", end(picture, arrow.from), end(picture, arrow.to)));
    }
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Plain => "shape=ellipse",
        Shape::Entry => "shape=invhouse",
        Shape::Exit => "shape=doublecircle",
        Shape::Environment => "shape=diamond",
        Shape::Failure => "shape=octagon",
    }
}

/// Of places to which control never comes.
const DEAD: &str = ", style=filled, fillcolor=\"#dddddd\"";

fn style(shown: &Shown) -> &'static str {
    match shown.shape {
        _ if shown.is_dead => DEAD,
        Shape::Failure => ", style=filled, fillcolor=\"#ffb3b3\", color=red",
        _ => "",
    }
}

/// What is called between the callee's entries and exits, where there are several.
fn box_label(shown: &ShownBox) -> String {
    let ports = |names: &[String], letter: char| {
        let port = |(rank, name): (usize, &String)| format!("<{letter}{rank}> {}", field(name));
        let ports: Vec<String> = names.iter().enumerate().map(port).collect();
        (!names.is_empty()).then(|| format!("{{{}}}", ports.join("|")))
    };
    let rows = [ports(&shown.entries, 'e'), Some(field(&shown.text)), ports(&shown.exits, 'x')];
    let rows: Vec<String> = rows.into_iter().flatten().collect();
    format!("{{{}}}", rows.join("|"))
}

fn end(picture: &Picture, vertex: Vertex) -> String {
    let id = picture.id;
    let port = |site: BoxId, letter: char, rank: u32, is_alone: bool| {
        let id = box_id(id, site);
        if is_alone { id } else { format!("{id}:{letter}{rank}") }
    };
    let shown = |site: BoxId| &picture.boxes[site.index()];
    match vertex {
        Vertex::Node(node) => node_id(id, node),
        Vertex::Call(site, rank) => port(site, 'e', rank, shown(site).entries.is_empty()),
        Vertex::Return(site, rank) => port(site, 'x', rank, shown(site).exits.is_empty()),
    }
}

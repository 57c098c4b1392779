//! A picture as a flowchart for Mermaid, which many viewers of Markdown draw: one subgraph for each procedure.
//!
//! Shapes are those of Mermaid that come nearest to those of [`to_dot`](super::to_dot): a trapezoid for entries, a double circle for exits, a rhombus where
//! the environment chooses, a red hexagon for what must not be reached, a subroutine for boxes. Boxes have no ports there: arrows say which entry and exit.

use super::drawing::{Drawing, Picture, Shape};
use crate::model::Vertex;
use std::fmt::Write;

/// The picture as a flowchart.
pub fn to_mermaid(drawing: &Drawing) -> String {
    let mut out = String::from("flowchart TD\n");
    drawing.procedures.iter().for_each(|picture| procedure(&mut out, picture));
    for (index, (procedure, node)) in drawing.starts.iter().enumerate() {
        let _ = writeln!(out, "  init{index}(( )) --> p{}_n{}", procedure.0, node.0);
    }
    out.push_str("  classDef failure fill:#ffb3b3,stroke:#c00,color:#000\n");
    let mut places = drawing.procedures.iter().flat_map(|picture| {
        picture.nodes.iter().map(|node| node.is_dead).chain(picture.boxes.iter().map(|site| site.is_dead))
    });
    if places.any(|is_dead| is_dead) {
        out.push_str("  classDef dead fill:#ddd,stroke:#888,color:#333\n");
    }
    out
}

fn procedure(out: &mut String, picture: &Picture) {
    let id = picture.id.0;
    let _ = writeln!(out, "  subgraph p{id}[{}]", quoted(&picture.title));
    for (node, shown) in picture.nodes.iter().enumerate() {
        let (open, close) = match shown.shape {
            Shape::Plain => ("([", "])"),
            Shape::Entry => ("[/", "\\]"),
            Shape::Exit => ("(((", ")))"),
            Shape::Environment => ("{", "}"),
            Shape::Failure => ("{{", "}}"),
        };
        let class = match shown.shape {
            _ if shown.is_dead => ":::dead",
            Shape::Failure => ":::failure",
            _ => "",
        };
        let _ = writeln!(out, "    p{id}_n{node}{open}{}{close}{class}", quoted(&shown.label));
    }
    for (site, shown) in picture.boxes.iter().enumerate() {
        let class = if shown.is_dead { ":::dead" } else { "" };
        let _ = writeln!(out, "    p{id}_b{site}[[{}]]{class}", quoted(&shown.text));
    }
    out.push_str("  end\n");
    for arrow in &picture.arrows {
        let label = match picture.says(arrow) {
            none if none.is_empty() => String::new(),
            label => format!("|{}|", quoted(&label)),
        };
        let _ = writeln!(out, "  {} -->{label} {}", end(id, arrow.from), end(id, arrow.to));
    }
}

fn end(procedure: u32, vertex: Vertex) -> String {
    match vertex {
        Vertex::Node(node) => format!("p{procedure}_n{}", node.0),
        Vertex::Call(site, _) | Vertex::Return(site, _) => format!("p{procedure}_b{}", site.0),
    }
}

/// A text as Mermaid takes it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br/>"),
            '"' => out.push_str("#quot;"),
            '#' => out.push_str("#35;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            // Would begin another way of writing texts.
            '`' => out.push_str("#96;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

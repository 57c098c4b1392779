//! A pruned module as a graph for Graphviz, for people: places with their lines and values, what the environment disables in grey and dashed, the formula below.

use super::strategy::{PrunedText, described, state_values};
use crate::syntax::{Place, Program};
use crate::temporal::{Pruned, PrunedEnd, SourceStrategy};
use std::fmt::Write;

/// Draws a strategy that was written as a text; `line` is the line of a place.
pub fn strategy_dot(
    program: &Program,
    text: &PrunedText,
    strategy: &SourceStrategy,
    line: &dyn Fn(u32, Place) -> usize,
) -> String {
    let mut out = format!(
        "digraph strategy {{\n  label={};\n  labelloc=b;\n  node [shape=box, style=rounded];\n",
        quoted(&format!("what the environment leaves violates {}", text.formula))
    );
    for (number, machine) in strategy.machines.iter().enumerate() {
        let (name, nodes) = &text.names[number];
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label={};", quoted(name));
        for (place, (node, own)) in machine.nodes.iter().zip(nodes).enumerate() {
            let held: Vec<&str> = node
                .atoms
                .iter()
                .zip(&text.atoms)
                .filter(|(holds, _)| **holds)
                .map(|(_, atom)| atom.as_str())
                .collect();
            let mut label = format!("{own}\nline {}", line(node.state.procedure, node.state.place));
            let values = state_values(program, &node.state);
            for part in [values, held.join(", ")].iter().filter(|part| !part.is_empty()) {
                let _ = write!(label, "\n{part}");
            }
            let start = if strategy.initial == (number, place) { ", penwidth=2" } else { "" };
            let _ = writeln!(out, "    n{number}_{place} [label={}{start}];", quoted(&label));
            for (gone, state) in node.disabled.iter().enumerate() {
                let other = format!("g{number}_{place}_{gone}");
                let label = quoted(&format!("{}\ndisabled", described(program, state, line)));
                let _ =
                    writeln!(out, "    {other} [label={label}, style=\"rounded,dashed\", color=gray, fontcolor=gray];");
                let _ = writeln!(out, "    n{number}_{place} -> {other} [style=dashed, color=gray];");
            }
        }
        for (site, &inside) in machine.boxes.iter().enumerate() {
            let label = quoted(&format!("call {}: {}", site + 1, text.names[inside].0));
            let _ = writeln!(out, "    b{number}_{site} [label={label}, shape=box3d, style=solid];");
        }
        for &(from, to) in &machine.edges {
            let (from, tail) = end(text, machine, number, from);
            let (to, head) = end(text, machine, number, to);
            let label = match [tail, head].iter().flatten().map(|name| name.as_str()).collect::<Vec<_>>().join(" to ") {
                none if none.is_empty() => String::new(),
                names => format!(" [label={}]", quoted(&names)),
            };
            let _ = writeln!(out, "    {from} -> {to}{label};");
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

/// An end of a transition as a node of the graph, and the node of the machine inside, where it is a call's.
fn end(text: &PrunedText, machine: &Pruned<Place>, number: usize, end: PrunedEnd) -> (String, Option<String>) {
    match end {
        PrunedEnd::Node(node) => (format!("n{number}_{node}"), None),
        PrunedEnd::Call(site, node) | PrunedEnd::Return(site, node) => {
            (format!("b{number}_{site}"), Some(text.names[machine.boxes[site]].1[node].clone()))
        }
    }
}

/// A text as DOT takes it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

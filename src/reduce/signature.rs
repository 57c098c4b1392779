//! Signatures: lists of numbers that are the same for what is alike. Programs have many similar procedures,
//! which share their circuits; whatever depends on a signature alone is worked out for one of them.

use crate::model::{Edge, Leaf, Vertex};
use epitome_encodings::Lit;

/// Adds a signal of the machine's circuit.
pub(super) fn sign_lit(lit: Lit, words: &mut Vec<u32>) {
    words.push((lit.gate() as u32) << 1 | u32::from(lit.is_negated()));
}

/// Adds what a transition does.
pub(super) fn sign_effect(edge: &Edge, words: &mut Vec<u32>) {
    sign_lit(edge.guard, words);
    words.extend([edge.choices.len() as u32, edge.assignments.len() as u32]);
    words.extend(edge.choices.iter().map(|owner| *owner as u32));
    for (var, lit) in &edge.assignments {
        words.push(Leaf::Var(*var).number());
        sign_lit(*lit, words);
    }
}

/// Adds where a transition starts and ends, and what it does.
pub(super) fn sign_edge(edge: &Edge, words: &mut Vec<u32>) {
    for end in [edge.from, edge.to] {
        words.extend(match end {
            Vertex::Node(node) => [0, node.0, 0],
            Vertex::Call(site, entry) => [1, site.0, entry],
            Vertex::Return(site, exit) => [2, site.0, exit],
        });
    }
    sign_effect(edge, words);
}

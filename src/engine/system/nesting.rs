//! How often an activation comes to heads of its loops if every loop is followed so many times wherever it is entered.
//!
//! The loop of a head is what can come back to it (a natural loop, where control enters at the head only). A
//! loop inside of another one is entered in each of its rounds, so that numbers are multiplied; loops one
//! after the other are added.

use super::graph::Graph;
use crate::model::{Ersm, Procedure};

/// The most arrivals at heads of loops, if control comes to the head of each at most `each` times before the
/// loop is left.
pub(in crate::engine) fn most_arrivals(ersm: &Ersm, procedure: &Procedure, each: u32) -> u32 {
    let graph = Graph::new(ersm, procedure);
    let heads: Vec<usize> = (0..graph.vertices.len()).filter(|&vertex| graph.is_head[vertex]).collect();
    let bodies: Vec<Vec<bool>> = heads.iter().map(|&head| body(&graph, head)).collect();
    // Outer loops come first: the innermost around a head is the last that has it in its body.
    let around = |number: usize| (0..number).rev().find(|&outer| bodies[outer][heads[number]]);
    let mut inside = vec![0u32; heads.len()];
    let mut all = 0u32;
    for number in (0..heads.len()).rev() {
        let own = each.saturating_mul(inside[number].saturating_add(1));
        let sum = around(number).map_or(&mut all, |outer| &mut inside[outer]);
        *sum = sum.saturating_add(own);
    }
    all
}

/// By vertex: it is in the loop of this head, which it can come back to.
fn body(graph: &Graph, head: usize) -> Vec<bool> {
    let mut is_inside = vec![false; graph.vertices.len()];
    is_inside[head] = true;
    // What comes to the head from behind it comes back.
    let back = graph.arrivals[head].iter().map(|arrival| arrival.from()).filter(|&from| from >= head);
    let mut open: Vec<usize> = back.collect();
    while let Some(vertex) = open.pop() {
        if !std::mem::replace(&mut is_inside[vertex], true) {
            open.extend(graph.arrivals[vertex].iter().map(|arrival| arrival.from()));
        }
    }
    is_inside
}

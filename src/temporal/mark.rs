//! The predicate Z of Alur-RSM 3.2 as a variable: a summary says whether the call passed through an accepting state.
//!
//! Every procedure gets a local `seen`, which becomes true in an accepting state and stays so, and which is one of its
//! outputs; the caller takes it into a local `inner`, and adds it to its own at the next step. So the relation R of the
//! marked machine contains Z: engines that tabulate summaries compute it as they are. At a return port `inner` tells that the
//! step over the call is one of the paper's set F_a.

use super::product::Product;
use crate::model::{Ersm, Initial, Leaf, Var, Variable, Vertex};
use epitome_encodings::Lit;

/// A product whose summaries tell about accepting states.
#[derive(Clone, Debug)]
pub struct Marked {
    /// The machine.
    pub ersm: Ersm,
    /// The automaton's state accepts: a signal over globals.
    pub accepting: Lit,
    /// By procedure: the local that says at a return port that the call passed through an accepting state.
    pub inner: Vec<u32>,
}

/// Marks a product.
pub fn mark(product: &Product) -> Marked {
    let (mut ersm, accepting) = (product.ersm.clone(), product.accepting);
    let [seen, inner] = ["seen", "inner"].map(|name| ersm.names.intern(name));
    let firsts: Vec<u32> = ersm.procedures.iter().map(|procedure| procedure.locals.len() as u32).collect();
    let mut procedures = std::mem::take(&mut ersm.procedures);
    for (procedure, &first) in procedures.iter_mut().zip(&firsts) {
        let initial = Initial::Fixed(false);
        procedure.locals.extend([seen, inner].map(|name| Variable { name, initial, digit: 0 }));
        procedure.outputs.push(first);
        for site in &mut procedure.boxes {
            site.results = site.results.iter().copied().chain([Some(Var::Local(first + 1))]).collect();
        }
        let [own, inside] = [first, first + 1].map(|local| ersm.leaf(Leaf::Var(Var::Local(local))));
        for edge in &mut procedure.edges {
            let mut now = ersm.circuit.or(own, accepting);
            let mut more = Vec::with_capacity(2);
            if let Vertex::Return(..) = edge.from {
                now = ersm.circuit.or(now, inside);
                more.push((Var::Local(first + 1), Lit::FALSE));
            }
            more.push((Var::Local(first), now));
            edge.assignments = edge.assignments.iter().copied().chain(more).collect();
        }
    }
    ersm.procedures = procedures;
    Marked { ersm, accepting, inner: firsts.iter().map(|first| first + 1).collect() }
}

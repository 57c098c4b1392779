//! Procedures that come back, whatever they are called with: there is no loop in them or below them, at every place
//! some transition can be taken, and after every call by every exit.

use super::graph::Graph;
use crate::model::{CallGraph, Edge, Ersm, Leaf, ProcId, Procedure, Vertex};
use epitome_encodings::{Circuit, Lit, Substitution};
use rustc_hash::FxHashMap;

/// Choices of a guard up to which all their values are tried.
const MOST_CHOICES: usize = 3;

/// By procedure: it always comes back. `contradiction` knows that signals of a circuit, which is the same in every
/// call and grows, cannot all be true; where it does not know, no is right.
pub(in crate::engine) fn total(ersm: &Ersm, contradiction: &mut dyn FnMut(&Circuit, &[Lit]) -> bool) -> Vec<bool> {
    let mut total = vec![false; ersm.procedures.len()];
    let mut asker = Asker { circuit: Circuit::new(), substitution: Substitution::new(&ersm.circuit), contradiction };
    // A procedure that reaches itself finds that it is not known to come back.
    for id in CallGraph::new(ersm).bottom_up {
        total[id.index()] = comes_back(ersm, ersm.procedure(id), &total, &mut asker);
    }
    total
}

fn comes_back(ersm: &Ersm, procedure: &Procedure, total: &[bool], asker: &mut Asker<'_>) -> bool {
    let graph = Graph::new(ersm, procedure);
    let mut leaving: FxHashMap<Vertex, Vec<&Edge>> = FxHashMap::default();
    procedure.edges.iter().for_each(|edge| leaving.entry(edge.from).or_default().push(edge));
    let callee = |vertex: Vertex| -> Option<ProcId> {
        let Vertex::Call(site, _) = vertex else { return None };
        Some(procedure.boxes[site.index()].callee)
    };
    !graph.is_head.contains(&true)
        && graph.vertices.iter().all(|&vertex| match (vertex, callee(vertex)) {
            (Vertex::Node(node), _) if procedure.exits.contains(&node) => true,
            (_, Some(callee)) => total[callee.index()],
            _ => leaving.get(&vertex).is_some_and(|edges| asker.some_can_be_taken(ersm, edges)),
        })
}

struct Asker<'a> {
    circuit: Circuit,
    substitution: Substitution<'a>,
    contradiction: &'a mut dyn FnMut(&Circuit, &[Lit]) -> bool,
}

impl Asker<'_> {
    fn some_can_be_taken(&mut self, ersm: &Ersm, edges: &[&Edge]) -> bool {
        if edges.iter().any(|edge| edge.guard == Lit::TRUE) {
            return true;
        }
        let mut none = Vec::new();
        for edge in edges {
            let choices: Vec<u32> = ersm
                .circuit
                .support([edge.guard])
                .into_iter()
                .filter(|&number| matches!(Leaf::from_number(number), Leaf::Choice(_)))
                .collect();
            if choices.len() > MOST_CHOICES {
                continue;
            }
            for row in 0..1usize << choices.len() {
                let value = |number| {
                    let place = choices.iter().position(|&choice| choice == number)?;
                    Some(Lit::constant(row >> place & 1 == 1))
                };
                let guard = self.substitution.substitute_all(&mut self.circuit, &[edge.guard], value)[0];
                none.push(!guard);
            }
        }
        (self.contradiction)(&self.circuit, &none)
    }
}

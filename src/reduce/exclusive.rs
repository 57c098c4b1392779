//! What keeps the transitions of one vertex apart when they are executed together.
//!
//! Each transition of a machine chooses for itself. Executed together, at most one of those that may
//! meet again must be possible for given choices. Guards that contradict each other need nothing for
//! that: `if` has a condition and its negation, and even the `*` of `if (*)` can then be one choice for
//! both. Others get selectors: the leaves of a binary tree over the transitions, one selector for each
//! level, so that every value of the selectors names a transition.

use crate::model::Edge;
use epitome_encodings::{Circuit, Gate, Lit};

/// Guards are compared in pairs for at most so many transitions.
const MOST_COMPARED: usize = 8;

/// Conjuncts of a guard that are looked at.
const MOST_CONJUNCTS: usize = 16;

/// For each transition the values of the selectors that name it.
type Codes = Vec<Vec<(usize, bool)>>;

/// How many selectors the transitions of a vertex need, and their codes (none if none are needed).
/// `beyond` tells where transitions may lead: those that never meet need not be kept apart.
pub(super) fn separate(circuit: &Circuit, edges: &[&Edge], beyond: Option<&[u64]>) -> (usize, Codes) {
    if are_apart(circuit, edges, beyond) {
        return (0, Codes::new());
    }
    let codes: Codes = (0..edges.len()).map(|index| code(index, edges.len())).collect();
    (codes.iter().map(Vec::len).max().unwrap_or(0), codes)
}

fn are_apart(circuit: &Circuit, edges: &[&Edge], beyond: Option<&[u64]>) -> bool {
    if edges.len() < 2 {
        return true;
    }
    let never_meet = beyond.is_some_and(|beyond| {
        let all = beyond.iter().fold(0, |all, mask| all | mask);
        beyond.iter().map(|mask| mask.count_ones()).sum::<u32>() == u64::count_ones(all)
    });
    if never_meet || edges.len() > MOST_COMPARED {
        return never_meet;
    }
    let conjuncts: Vec<Vec<Lit>> = edges.iter().map(|edge| conjuncts(circuit, edge.guard)).collect();
    (0..edges.len()).all(|i| {
        (0..i).all(|j| {
            let meet = beyond.is_none_or(|beyond| beyond[i] & beyond[j] != 0);
            // Choices are the same for both only where their owners are.
            let same = edges[i].choices.iter().zip(&edges[j].choices).all(|(a, b)| a == b);
            !meet || same && conjuncts[i].iter().any(|&lit| conjuncts[j].contains(&!lit))
        })
    })
}

/// No two of the transitions are possible for the same values and choices: their guards say so.
pub(super) fn are_exclusive(circuit: &Circuit, edges: &[&Edge]) -> bool {
    are_apart(circuit, edges, None)
}

/// Signals whose conjunction is implied by the signal, itself among them.
fn conjuncts(circuit: &Circuit, signal: Lit) -> Vec<Lit> {
    let mut found = vec![signal];
    let mut next = 0;
    while next < found.len() && found.len() < MOST_CONJUNCTS {
        if let (Gate::And(a, b), false) = (circuit.gate(found[next]), found[next].is_negated()) {
            found.extend([a, b]);
        }
        next += 1;
    }
    found
}

/// The path to a leaf of the binary tree over so many.
fn code(index: usize, of: usize) -> Vec<(usize, bool)> {
    let (mut low, mut high) = (0, of);
    let mut code = Vec::new();
    while high - low > 1 {
        let middle = (low + high) / 2;
        let left = index < middle;
        code.push((code.len(), left));
        if left { high = middle } else { low = middle }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Owner, Vertex};
    use crate::syntax::Span;

    fn edge(guard: Lit, choices: usize) -> Edge {
        let node = Vertex::Node(crate::model::NodeId(0));
        let choices = vec![Owner::System; choices].into();
        Edge { from: node, to: node, guard, assignments: Box::default(), choices, label: None, span: Span::default() }
    }

    #[test]
    fn guards_that_contradict_each_other_need_no_selector() {
        let mut circuit = Circuit::new();
        let [a, b, c] = [0, 1, 2].map(|number| circuit.input(number));
        let (ab, not_ab, ac) = (circuit.and(a, b), circuit.and(a, !b), circuit.and(!a, c));
        let exclusive = |guards: &[Lit]| {
            let edges: Vec<Edge> = guards.iter().map(|&guard| edge(guard, 1)).collect();
            separate(&circuit, &edges.iter().collect::<Vec<_>>(), None).0
        };
        assert_eq!(exclusive(&[a]), 0);
        assert_eq!(exclusive(&[a, !a]), 0);
        assert_eq!(exclusive(&[ab, not_ab, ac]), 0);
        assert_eq!(exclusive(&[ab, !ab]), 0);
        assert_eq!(exclusive(&[ab, c]), 1);
        assert_eq!(exclusive(&[Lit::TRUE; 5]), 3);
    }

    /// `*` and `env` are never one choice, so the negation of one says nothing of the other.
    #[test]
    fn choices_of_different_owners_are_different() {
        let mut circuit = Circuit::new();
        let choice = circuit.input(2);
        let (one, mut other) = (edge(choice, 1), edge(!choice, 1));
        assert_eq!(separate(&circuit, &[&one, &other], None).0, 0);
        other.choices = vec![Owner::Environment].into();
        assert_eq!(separate(&circuit, &[&one, &other], None).0, 1);
    }

    #[test]
    fn codes_differ_and_leave_nothing_out() {
        for of in 1..20 {
            for values in 0..32u32 {
                let named =
                    |index: &usize| code(*index, of).iter().all(|&(level, value)| (values >> level & 1 == 1) == value);
                assert_eq!((0..of).filter(named).count(), 1, "{of} {values}");
            }
        }
    }

    #[test]
    fn transitions_that_never_meet_need_no_selector() {
        let circuit = Circuit::new();
        let edges = [edge(Lit::TRUE, 0), edge(Lit::TRUE, 0)];
        let edges: Vec<&Edge> = edges.iter().collect();
        assert_eq!(separate(&circuit, &edges, Some(&[0b01, 0b10])).0, 0);
        assert_eq!(separate(&circuit, &edges, Some(&[0b11, 0b10])).0, 1);
    }
}

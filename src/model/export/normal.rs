//! Machines that the languages can describe.
//!
//! The model is a little wider than what can be written: an exit may be an entry too, a local both an
//! input and an output, and nothing forbids a list to name the same variable twice. This brings a
//! machine into the form that the builders give, with the same runs: exits are nothing but exits,
//! inputs and outputs are distinct variables, and a variable takes one value in a step (the last one
//! that is given). Nearly every machine is in this form already and is not copied.

use crate::model::{Edge, Ersm, Initial, Leaf, Node, NodeId, Owner, Procedure, Var, Variable, Vertex};
use epitome_encodings::Lit;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::hash::Hash;

/// The machine, or one in normal form with the same runs.
pub(super) fn normal(ersm: &Ersm) -> Cow<'_, Ersm> {
    let starts_at_entries = ersm.initial.iter().all(|(p, node)| ersm.procedure(*p).entries.contains(node));
    if starts_at_entries && ersm.procedures.iter().all(is_normal) {
        return Cow::Borrowed(ersm);
    }
    let mut ersm = ersm.clone();
    for (procedure, node) in ersm.initial.clone() {
        let entries = &mut ersm.procedures[procedure.index()].entries;
        if !entries.contains(&node) {
            entries.push(node);
        }
    }
    let mut procedures = std::mem::take(&mut ersm.procedures);
    for procedure in procedures.iter_mut().filter(|procedure| !is_normal(procedure)) {
        separate_exits(procedure);
        separate_inputs(procedure);
        separate_outputs(&mut ersm, procedure);
        assign_once(procedure);
    }
    ersm.procedures = procedures;
    Cow::Owned(ersm)
}

fn is_normal(procedure: &Procedure) -> bool {
    let exits: FxHashSet<NodeId> = procedure.exits.iter().copied().collect();
    let leaves = |edge: &Edge| matches!(edge.from, Vertex::Node(node) if exits.contains(&node));
    distinct(procedure.inputs.iter().chain(&procedure.outputs))
        && !procedure.entries.iter().any(|entry| exits.contains(entry))
        && !procedure.edges.iter().any(|edge| leaves(edge) || !distinct(edge.assignments.iter().map(|(var, _)| var)))
        && procedure.boxes.iter().all(|site| distinct(site.results.iter().flatten()))
}

fn distinct<T: Eq + Hash>(items: impl Iterator<Item = T>) -> bool {
    let mut seen = FxHashSet::default();
    let mut items = items;
    items.all(|item| seen.insert(item))
}

/// An exit has no transitions of its own; one that is an entry too gets a transition to a new exit.
fn separate_exits(procedure: &mut Procedure) {
    let exits: FxHashSet<NodeId> = procedure.exits.iter().copied().collect();
    procedure.edges.retain(|edge| !matches!(edge.from, Vertex::Node(node) if exits.contains(&node)));
    let entries: FxHashSet<NodeId> = procedure.entries.iter().copied().collect();
    for exit in &mut procedure.exits {
        if entries.contains(exit) {
            let new = NodeId::from(procedure.nodes.len());
            let span = procedure.nodes[exit.index()].span;
            procedure.nodes.push(Node { propositions: Box::default(), owner: Owner::System, span });
            procedure.edges.push(Edge {
                from: Vertex::Node(*exit),
                to: Vertex::Node(new),
                guard: Lit::TRUE,
                assignments: Box::default(),
                choices: Box::default(),
                label: None,
                span,
            });
            *exit = new;
        }
    }
}

/// An input that is given again later takes its argument nowhere.
fn separate_inputs(procedure: &mut Procedure) {
    for place in 0..procedure.inputs.len() {
        if procedure.inputs[place + 1..].contains(&procedure.inputs[place]) {
            procedure.inputs[place] = twin(procedure, procedure.inputs[place]);
        }
    }
}

/// An output that is something else too is copied to a variable of its own on the way to the exits.
fn separate_outputs(ersm: &mut Ersm, procedure: &mut Procedure) {
    for place in 0..procedure.outputs.len() {
        let output = procedure.outputs[place];
        if !procedure.inputs.contains(&output) && !procedure.outputs[..place].contains(&output) {
            continue;
        }
        let copy = twin(procedure, output);
        procedure.outputs[place] = copy;
        let exits: FxHashSet<Vertex> = procedure.exits.iter().map(|exit| Vertex::Node(*exit)).collect();
        let old = ersm.leaf(Leaf::Var(Var::Local(output)));
        for edge in procedure.edges.iter_mut().filter(|edge| exits.contains(&edge.to)) {
            let last = edge.assignments.iter().rev().find(|(var, _)| *var == Var::Local(output));
            let value = last.map_or(old, |(_, value)| *value);
            edge.assignments = edge.assignments.iter().copied().chain([(Var::Local(copy), value)]).collect();
        }
    }
}

/// A new local variable with the name of another.
fn twin(procedure: &mut Procedure, local: u32) -> u32 {
    let name = procedure.locals[local as usize].name;
    procedure.locals.push(Variable { name, initial: Initial::Arbitrary, digit: 0 });
    procedure.locals.len() as u32 - 1
}

/// Of several values for one variable only the last is kept.
fn assign_once(procedure: &mut Procedure) {
    for edge in &mut procedure.edges {
        let mut seen = FxHashSet::default();
        let kept = edge.assignments.iter().rev().filter(|(var, _)| seen.insert(*var));
        let mut kept: Vec<(Var, Lit)> = kept.copied().collect();
        kept.reverse();
        edge.assignments = kept.into();
    }
    for site in &mut procedure.boxes {
        let mut seen = FxHashSet::default();
        for result in site.results.iter_mut().rev() {
            *result = result.filter(|var| seen.insert(*var));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::build_rsm;
    use crate::syntax::{Source, rsm};

    fn build(text: &str) -> Ersm {
        build_rsm(&rsm::parse(&Source::new("t.rsm", text)).unwrap().0).0
    }

    #[test]
    fn what_is_normal_is_not_copied() {
        let ersm = build("machine M(in a; out r) { entry e; exit x; e -> x do r := a, a := *; } init M.e;");
        assert!(matches!(normal(&ersm), Cow::Borrowed(_)));
    }

    #[test]
    fn roles_and_variables_become_distinct() {
        let mut ersm =
            build("machine M(in a, b; out r) { entry e; exit x; node n; e -> x do a := b; n -> x; } init M.e;");
        let machine = &mut ersm.procedures[0];
        machine.outputs = vec![0, 0, 2];
        machine.inputs = vec![1, 1];
        machine.exits.push(NodeId(0));
        machine.edges[1].from = Vertex::Node(NodeId(1));
        machine.edges[0].assignments = machine.edges[0].assignments.iter().copied().cycle().take(2).collect();
        ersm.initial.push((ersm.initial[0].0, NodeId(2)));
        let normal = normal(&ersm);
        let machine = &normal.procedures[0];
        assert!(is_normal(machine));
        assert_eq!(machine.entries, [NodeId(0), NodeId(2)]);
        assert_eq!(machine.exits, [NodeId(1), NodeId(3)]);
        assert_eq!(machine.locals.len(), 5);
        // The first edge left what was an exit, the second still does: a new one leads to the new exit.
        let ends: Vec<_> = machine.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        assert_eq!(ends, [(Vertex::Node(NodeId(0)), Vertex::Node(NodeId(3)))]);
        assert_eq!(machine.edges[0].assignments[..], [(Var::Local(4), machine.edges[0].assignments[0].1)]);
        assert_eq!(machine.outputs, [0, 4, 2]);
    }
}

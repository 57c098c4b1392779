//! Machines to ERSM: nearly one to one, because the model is what the format describes.
//!
//! A machine is the procedure with the same index; nodes, boxes and transitions keep their order. Only
//! three things change: expressions become circuits, `constrain` becomes part of the guard, and a
//! port names its entry or exit by its place in the callee's list instead of by node.

use super::ersm::{BoxId, CallBox, Edge, Ersm, Failure, NamedPlace, Node, NodeId, ProcId, Procedure, Variable, Vertex};
use super::lower::Step;
use super::source_map::SourceMap;
use crate::syntax::rsm::{self, End, Machine, Machines, Role, Transition};
use crate::syntax::{FAILURE_LABELS, Name, Place};

/// Builds the model of machines and the way back to them.
///
/// ```
/// use epitome::{model::build_rsm, syntax::{Source, rsm}};
/// let text = "machine M { entry e; node ERROR; e -> ERROR; } init M.e;";
/// let (machines, _) = rsm::parse(&Source::new("a.rsm", text)).unwrap();
/// let (ersm, _) = build_rsm(&machines);
/// assert_eq!((ersm.failures.len(), ersm.places.len()), (1, 2));
/// ```
pub fn build_rsm(machines: &Machines) -> (Ersm, SourceMap) {
    let mut builder = Builder {
        machines,
        ersm: Ersm { names: machines.names.clone(), ..Ersm::default() },
        ranks: machines.machines.iter().map(ranks).collect(),
    };
    builder.ersm.globals = machines.globals.iter().map(Variable::from).collect();
    for (index, machine) in machines.machines.iter().enumerate() {
        builder.procedure(machine);
        builder.named_nodes(ProcId::from(index), machine);
    }
    builder.ersm.initial = machines.initial.iter().map(|&(machine, node)| (ProcId(machine), NodeId(node))).collect();
    let places = machines.machines.iter().map(|m| (0..m.nodes.len() as u32).map(|i| Some(Place::Node(i))).collect());
    (builder.ersm, SourceMap { places: places.collect(), ports: true })
}

/// For each node its place among the nodes of its role: which entry or exit it is.
fn ranks(machine: &Machine) -> Vec<u32> {
    let mut next = [0; 3];
    let rank = |node: &rsm::Node| {
        let next = &mut next[node.role as usize];
        *next += 1;
        *next - 1
    };
    machine.nodes.iter().map(rank).collect()
}

struct Builder<'m> {
    machines: &'m Machines,
    ersm: Ersm,
    /// By machine and node.
    ranks: Vec<Vec<u32>>,
}

impl Builder<'_> {
    fn procedure(&mut self, machine: &Machine) {
        let (inputs, outputs) = (machine.inputs as u32, machine.outputs as u32);
        let node = |node: &rsm::Node| Node {
            propositions: node.propositions.as_slice().into(),
            owner: node.owner,
            span: node.span,
        };
        let procedure = Procedure {
            name: machine.name,
            locals: machine.locals.iter().map(Variable::from).collect(),
            inputs: (0..inputs).collect(),
            outputs: (inputs..inputs + outputs).collect(),
            nodes: machine.nodes.iter().map(node).collect(),
            boxes: machine.boxes.iter().map(|site| self.call_box(site)).collect(),
            entries: machine.nodes_with(Role::Entry).map(NodeId).collect(),
            exits: machine.nodes_with(Role::Exit).map(NodeId).collect(),
            edges: machine.transitions.iter().map(|transition| self.edge(machine, transition)).collect(),
            span: machine.span,
            footprint: None,
        };
        self.ersm.procedures.push(procedure);
    }

    fn call_box(&mut self, site: &rsm::CallBox) -> CallBox {
        let mut step = Step::new();
        let exprs = &self.machines.exprs;
        let arguments = site.arguments.iter().map(|&argument| step.lower(&mut self.ersm, exprs, argument)).collect();
        CallBox {
            name: Some(site.name),
            callee: ProcId(site.callee),
            arguments,
            choices: step.choices.into(),
            results: site.targets.as_slice().into(),
        }
    }

    fn edge(&mut self, machine: &Machine, transition: &Transition) -> Edge {
        let exprs = &self.machines.exprs;
        let mut step = Step::new();
        if let Some(guard) = transition.guard {
            step.guard = step.lower(&mut self.ersm, exprs, guard);
        }
        for &(var, value) in &transition.assignments {
            let value = step.lower(&mut self.ersm, exprs, value);
            step.assignments.push((var, value));
        }
        if let Some(constrain) = transition.constrain {
            step.constrain(&mut self.ersm, exprs, constrain);
        }
        let from = self.vertex(machine, transition.from, Vertex::Return);
        let to = self.vertex(machine, transition.to, Vertex::Call);
        step.into_edge(from, to, transition.label, transition.span)
    }

    fn vertex(&self, machine: &Machine, end: End, port: impl Fn(BoxId, u32) -> Vertex) -> Vertex {
        match end {
            End::Node(node) => Vertex::Node(NodeId(node)),
            End::Port(site, node) => {
                let callee = machine.boxes[site as usize].callee as usize;
                port(BoxId(site), self.ranks[callee][node as usize])
            }
        }
    }

    /// Every node is a place the user can name; some names mean failure.
    fn named_nodes(&mut self, procedure: ProcId, machine: &Machine) {
        let means_failure = |name: Name| FAILURE_LABELS.contains(&self.machines.names.text(name));
        for (index, node) in machine.nodes.iter().enumerate() {
            let id = NodeId::from(index);
            self.ersm.places.push(NamedPlace { name: node.name, procedure, node: id, span: node.span });
            if means_failure(node.name) || node.propositions.iter().any(|&name| means_failure(name)) {
                self.ersm.failures.push(Failure { procedure, node: id });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Initial, Leaf};
    use crate::syntax::{Owner, Source, Var};

    fn build(text: &str) -> (Ersm, SourceMap) {
        let source = Source::new("t.rsm", text);
        let (machines, _) = rsm::parse(&source).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source)));
        build_rsm(&machines)
    }

    #[test]
    fn ports_are_ranks_among_entries_and_exits() {
        let (ersm, map) = build(
            "machine M { entry e; node n; exit x; box b: S; e -> b.e2; b.x1 -> n; b.x2 -> x; }
             machine S { exit x1; entry e1; node i {SLIC_ERROR}; env entry e2; exit x2; e2 -> i; e1 -> x1; }
             init M.e, S.e2;",
        );
        let site = BoxId(0);
        let ends: Vec<_> = ersm.procedures[0].edges.iter().map(|edge| (edge.from, edge.to)).collect();
        assert_eq!(
            ends,
            [
                (Vertex::Node(NodeId(0)), Vertex::Call(site, 1)),
                (Vertex::Return(site, 0), Vertex::Node(NodeId(1))),
                (Vertex::Return(site, 1), Vertex::Node(NodeId(2))),
            ]
        );
        let sub = &ersm.procedures[1];
        assert_eq!(
            (sub.entries.as_slice(), sub.exits.as_slice()),
            (&[NodeId(1), NodeId(3)][..], &[NodeId(0), NodeId(4)][..])
        );
        assert_eq!(sub.nodes[3].owner, Owner::Environment);
        assert_eq!(ersm.initial, [(ProcId(0), NodeId(0)), (ProcId(1), NodeId(3))]);
        assert_eq!(ersm.failures.iter().map(|f| (f.procedure, f.node)).collect::<Vec<_>>(), [(ProcId(1), NodeId(2))]);
        assert!(map.ports);
        assert_eq!(map.place(1, 4), Some(Place::Node(4)));
    }

    /// The guard of a constrained step, against a direct reading on all values.
    #[test]
    fn constrain_sees_old_and_new_values() {
        let (ersm, _) = build(
            "var g; machine M { var x; entry e;
             e -> e when g | x do x := !g ^ * constrain 'x = x & ('g => g) label \"step\"; } init M.e;",
        );
        let edge = &ersm.procedures[0].edges[0];
        assert_eq!(edge.label.map(|name| ersm.names.text(name)), Some("step"));
        assert_eq!(edge.choices[..], [Owner::System]);
        for bits in 0..8 {
            let [g, x, choice] = [bits & 1 == 1, bits & 2 == 2, bits & 4 == 4];
            let value = |number| match Leaf::from_number(number) {
                Leaf::Var(Var::Global(_)) => g,
                Leaf::Var(Var::Local(_)) => x,
                Leaf::Choice(_) => choice,
            };
            let new_x = !g ^ choice;
            assert_eq!(ersm.circuit.evaluate(edge.assignments[0].1, value), new_x);
            assert_eq!(ersm.circuit.evaluate(edge.guard, value), (g | x) && new_x == x);
        }
    }

    #[test]
    fn boxes_carry_arguments_choices_and_results() {
        let (ersm, _) = build(
            "var g; machine M { var y; entry e; box b: S(*, !y, env -> _, g); e -> b.e; }
             machine S(in a, b, c; out r := 0, s) { entry e; } init M.e;",
        );
        let site = &ersm.procedures[0].boxes[0];
        assert_eq!(site.choices[..], [Owner::System, Owner::Environment]);
        assert_eq!(site.results[..], [None, Some(Var::Global(0))]);
        assert_eq!(site.arguments.len(), 3);
        let sub = &ersm.procedures[1];
        assert_eq!((sub.inputs.as_slice(), sub.outputs.as_slice()), (&[0, 1, 2][..], &[3, 4][..]));
        assert_eq!(sub.locals[3].initial, Initial::Fixed(false));
    }
}

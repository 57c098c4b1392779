//! The flat encoding: a configuration of the whole machine is one vector, and a path between two of them is found by
//! its middle (Savitch; Godefroid, Theorem 3).
//!
//! Without recursion a stack has at most as many frames as the hierarchy is deep: a vertex and the locals for each
//! ([`layout`]). One step of the machine is one circuit ([`step`]). That a configuration can be reached is a predicate that
//! calls itself once, so that squaring makes paths of 2^n steps out of it, where n is the number of bits of
//! a configuration; the modular encoding does the rest.

mod layout;
mod read;
mod step;

pub(super) use layout::Layout;
pub(super) use read::run_of;

use crate::model::{Ersm, Goal, Vertex};
use epitome_encodings::{Body, Hole, Lit, PredicateId, System};
use step::Stepper;

/// "This configuration can be reached", and the root: "one with a target can".
pub(super) const REACHED: PredicateId = PredicateId(0);

/// The system of a machine without recursion, and its root.
pub(super) fn system(ersm: &Ersm, goal: &Goal, layout: &Layout) -> (System, PredicateId) {
    let mut system = System::default();
    let reached = Stepper::new(ersm, layout, &mut system.circuit).body();
    system.add(reached, [REACHED].into());
    let configuration: Vec<Lit> = (0..layout.bits() as u32).map(|input| system.circuit.input(input)).collect();
    let circuit = &mut system.circuit;
    let mut guard = Lit::FALSE;
    for (procedure, vertex, number) in layout.vertices() {
        let is_target = match vertex {
            Vertex::Node(node) => goal.targets.contains(procedure, node),
            Vertex::Call(site, _) => goal.calls.contains(&ersm.procedure(procedure).boxes[site.index()].callee),
            Vertex::Return(..) => false,
        };
        if is_target {
            for frame in 0..layout.frames {
                let at = layout.is_at(circuit, &configuration, frame, number);
                let here = circuit.and(layout.is_top(&configuration, frame), at);
                guard = circuit.or(guard, here);
            }
        }
    }
    let hole = Hole { active: Lit::TRUE, arguments: configuration.into() };
    let root = system.add(Body { arguments: [].into(), guard, holes: [hole].into() }, [REACHED].into());
    (system, root)
}

//! Unreachable procedures and code: whatever control cannot come to, values aside, is taken out.
//!
//! Control flow and call graph are followed together: a return port is reached only if its box is
//! called and that exit of the callee is reached. Transitions whose guard is the constant 0 lead
//! nowhere. No run ever visits what is removed, so no answer changes and every run is kept.

use super::rebuild::rebuild;
use super::{Back, Draft};
use crate::model::{Ersm, Flow, Vertex, Work};
use epitome_encodings::Lit;

pub(super) fn unreachable(draft: &mut Draft<'_>) -> Option<Back> {
    let (flow, reached) = draft.reached.take().unwrap_or_else(|| {
        let flow = Flow::new(&draft.ersm);
        let reached = reached(&draft.ersm, &flow);
        (flow, reached)
    });
    rebuild(draft, &flow, &reached)
}

/// The vertices that control can come to.
fn reached(ersm: &Ersm, flow: &Flow) -> Vec<bool> {
    let (leaving, across) = (flow.leaving(), flow.across());
    let mut reached = vec![false; flow.len()];
    let mut work = Work::new(flow.len());
    ersm.initial.iter().for_each(|(procedure, node)| work.push(flow.node(*procedure, *node)));
    while let Some(vertex) = work.pop() {
        if std::mem::replace(&mut reached[vertex as usize], true) {
            continue;
        }
        let procedure = flow.procedure(vertex);
        for index in leaving.of(vertex).iter().map(|&index| index as usize) {
            if ersm.procedure(procedure).edges[index].guard != Lit::FALSE {
                work.push(flow.ends(procedure, index).1);
            }
        }
        match flow.vertex(vertex) {
            Vertex::Call(site, _) => {
                let other = flow.other_side(vertex);
                other.into_iter().for_each(|entry| work.push(entry));
                let done = |port: &u32| flow.other_side(*port).is_some_and(|exit| reached[exit as usize]);
                flow.return_ports(procedure, site).filter(done).for_each(|port| work.push(port));
            }
            Vertex::Node(_) => {
                for &port in across.of(vertex) {
                    let caller = flow.procedure(port);
                    if let Vertex::Return(site, _) = flow.vertex(port)
                        && flow.call_ports(caller, site).any(|call| reached[call as usize])
                    {
                        work.push(port);
                    }
                }
            }
            Vertex::Return(..) => {}
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use crate::model::{NodeId, ProcId};
    use crate::reduce::tests::{machine, program};
    use crate::reduce::{Reduction, Reductions, reduce};

    /// A procedure that nobody calls, code after an endless loop, a branch that is never taken.
    #[test]
    fn what_control_cannot_reach_goes() {
        let (ersm, goal) = program(
            "decl g; void main() begin p(); assert(g); end
             void idle() begin p(); end
             void p() begin g := 1; return; g := 0; assert(g); end",
        );
        let reduced = reduce(&ersm, &goal, Reductions::none().with(Reduction::Unreachable));
        let left = reduced.ersm();
        assert_eq!(left.procedures.len(), 2);
        assert_eq!(reduced.removed[0].procedures, 1);
        // In p: the assignment after the return, the assertion and its failure, with their transitions.
        assert_eq!(left.procedures[1].nodes.len(), ersm.procedures[2].nodes.len() - 3);
        assert_eq!(left.procedures[0].boxes[0].callee, ProcId(1));
        assert_eq!((left.failures.len(), reduced.goal().targets.len()), (1, 1));
        let back = reduced.back().expect("something was removed");
        assert_eq!(back.procedures.iter().map(|p| p.procedure).collect::<Vec<_>>(), [ProcId(0), ProcId(2)]);
        assert_eq!(back.procedures[1].nodes, [0, 1, 2, 5].map(NodeId));
    }

    /// Only one of two exits is reached: what follows the other return goes, the exit itself stays.
    #[test]
    fn returns_need_their_exit() {
        let (ersm, goal) = machine(
            "machine M { entry e; node n, m; box b: S; e -> b.e; b.x -> n; b.y -> m; }
             machine S { entry e; exit y; exit x; e -> x; } init M.e;",
        );
        let reduced = reduce(&ersm, &goal, Reductions::none().with(Reduction::Unreachable));
        let [main, sub] = &reduced.ersm().procedures[..] else { panic!("two machines") };
        assert_eq!((main.nodes.len(), main.edges.len()), (2, 2));
        assert_eq!((sub.nodes.len(), sub.exits.len()), (3, 2));
        assert_eq!(reduced.ersm().places.len(), 5);
    }
}

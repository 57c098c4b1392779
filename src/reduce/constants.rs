//! Constants: what is known of the values at a vertex (`known`) goes into the circuits there.
//!
//! Transitions that cannot be taken are removed; variables that can have only one value at a vertex are
//! replaced by it in the guards and right-hand sides of its transitions and in the arguments of its calls,
//! and behind a guard that is a conjunction its literals are replaced as well. On every state that can
//! be reached the machine does what it did before, so answers, runs and their values are the same and
//! the way back is the identity.

use super::known::{Known, Values};
use super::{Back, Step, Task};
use crate::model::{Edge, Ersm, Leaf, ProcId, Supports, Var};
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;

pub(super) fn constants(mut task: Task) -> Step {
    if let Some(known) = Known::of(&task.ersm) {
        let mut circuit = task.ersm.circuit.clone();
        let mut writer = Writer {
            ersm: &task.ersm,
            known: &known,
            circuit: &mut circuit,
            supports: Supports::new(&task.ersm.circuit),
        };
        let changes: Vec<Changes> = task.ersm.procedures().map(|(id, _)| writer.changes(id)).collect();
        task.ersm.circuit = circuit;
        for (procedure, changes) in task.ersm.procedures.iter_mut().zip(changes) {
            for (index, guard, values) in changes.edges {
                let edge = &mut procedure.edges[index];
                edge.guard = guard;
                edge.assignments.iter_mut().zip(values).for_each(|((_, lit), value)| *lit = value);
            }
            for (site, arguments) in changes.arguments {
                procedure.boxes[site].arguments = arguments;
            }
            if procedure.edges.iter().any(|edge| edge.guard == Lit::FALSE) {
                procedure.edges.retain(|edge| edge.guard != Lit::FALSE);
            }
        }
    }
    let back = Back::identity(&task.ersm);
    Step { task, back }
}

/// What changes in a procedure.
#[derive(Default)]
struct Changes {
    /// Place in the list, guard (0 if the transition cannot be taken) and right-hand sides.
    edges: Vec<(usize, Lit, Vec<Lit>)>,
    /// Place in the list of boxes, and the arguments.
    arguments: Vec<(usize, Box<[Lit]>)>,
}

struct Writer<'a> {
    ersm: &'a Ersm,
    known: &'a Known,
    circuit: &'a mut Circuit,
    supports: Supports<'a>,
}

impl Writer<'_> {
    fn changes(&mut self, id: ProcId) -> Changes {
        let procedure = self.ersm.procedure(id);
        let mut changes = Changes::default();
        for (index, edge) in procedure.edges.iter().enumerate() {
            let (guard, values) = self.edge(id, edge);
            let same = guard == edge.guard && edge.assignments.iter().map(|(_, lit)| lit).eq(&values);
            if !same || guard == Lit::FALSE {
                changes.edges.push((index, guard, values));
            }
        }
        for (site, call) in procedure.boxes.iter().enumerate() {
            let ports = self.known.flow().call_ports(id, site.into());
            let Some(values) = ports.filter_map(|port| self.known.at(port)).reduce(Values::joined) else { continue };
            let mut done = FxHashMap::default();
            let arguments: Box<[Lit]> = call.arguments.iter().map(|lit| self.lit(*lit, &values, &mut done)).collect();
            if arguments != call.arguments {
                changes.arguments.push((site, arguments));
            }
        }
        changes
    }

    /// Guard and right-hand sides of a transition, with what is known at its source.
    fn edge(&mut self, id: ProcId, edge: &Edge) -> (Lit, Vec<Lit>) {
        let never = (Lit::FALSE, edge.assignments.iter().map(|(_, lit)| *lit).collect());
        let Some(mut values) = self.known.at(self.known.flow().end(id, edge.from)) else { return never };
        let guard = self.lit(edge.guard, &values, &mut FxHashMap::default());
        if guard == Lit::FALSE {
            return never;
        }
        values.assume(self.ersm, edge.guard);
        let mut done = FxHashMap::default();
        (guard, edge.assignments.iter().map(|(_, lit)| self.lit(*lit, &values, &mut done)).collect())
    }

    /// A signal with constants in place of variables that have only one value.
    fn lit(&mut self, lit: Lit, values: &Values, done: &mut FxHashMap<usize, Lit>) -> Lit {
        let ersm = self.ersm;
        let is_constant = |var: &Var| values.constant(ersm, *var).is_some();
        if !self.supports.of(lit).iter().any(is_constant) {
            return lit;
        }
        self.circuit.substitute(lit, done, |circuit, number| match Leaf::from_number(number) {
            Leaf::Var(var) => values.constant(ersm, var).map_or_else(|| circuit.input(number), Lit::constant),
            Leaf::Choice(_) => circuit.input(number),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Ersm, Var, Vertex};
    use crate::reduce::tests::program;
    use crate::reduce::{Reduced, Reduction, Reductions, reduce};
    use epitome_encodings::Lit;

    fn left<'e>(ersm: &'e Ersm, goal: &'e crate::model::Goal) -> Reduced<'e> {
        reduce(ersm, goal, Reductions::none().with(Reduction::Constants))
    }

    /// A flag that is never set prunes the branch behind it, also through calls and parameters.
    #[test]
    fn a_constant_flag_prunes_a_branch() {
        let (ersm, goal) = program(
            "decl flag := 0, g; void main() begin decl x; x := p(flag); if (x) then g := 1; fi assert(!x); end
             bool p(a) begin if (a | flag) then return 1; fi return a; end",
        );
        let reduced = left(&ersm, &goal);
        // The branches taken in main and p and the failure.
        assert_eq!(reduced.removed[0].transitions, 5);
        let [main, p] = &reduced.ersm().procedures[..] else { panic!("two procedures") };
        assert_eq!(main.boxes[0].arguments[..], [Lit::FALSE]);
        let returned = p.edges.iter().flat_map(|edge| &edge.assignments).map(|(_, lit)| *lit);
        assert_eq!(returned.collect::<Vec<_>>(), [Lit::FALSE]);
        assert!(reduced.is_exact());
    }

    /// What a callee may write is taken from its exit, what it does not write from the caller.
    #[test]
    fn calls_join_only_what_they_write() {
        let (ersm, goal) = program(
            "decl a, b, c; void main() begin a, b := 0, 0; p(); assert(!a & !b); a := 1; p(); assert(a); end
             void p() begin b := 0; if (a) then c := 1; fi end",
        );
        let reduced = left(&ersm, &goal);
        // Neither assertion can fail: three conditions of them were not known, one was.
        let main = &reduced.ersm().procedures[0];
        let fails = |vertex: Vertex| ersm.failures.iter().any(|f| f.procedure.0 == 0 && Vertex::Node(f.node) == vertex);
        assert!(!main.edges.iter().any(|edge| fails(edge.to)));
        assert_eq!(reduced.ersm().procedures[1].edges.len(), ersm.procedures[1].edges.len());
    }

    /// Behind a condition its value is known; after a loop that changes a variable it is not.
    #[test]
    fn conditions_and_loops() {
        let (ersm, goal) = program(
            "decl g, h; void main() begin decl x := 0, y := 0;
             if (g & !h) then x := h; y := g; else y := 1; fi
             while (*) do x := !x; od assert(y & x); end",
        );
        let reduced = left(&ersm, &goal);
        let main = &reduced.ersm().procedures[0];
        let assigned = |local: u32| -> Vec<Lit> {
            let all = main.edges.iter().flat_map(|edge| &edge.assignments);
            all.filter(|(var, _)| *var == Var::Local(local)).map(|(_, lit)| *lit).collect()
        };
        assert_eq!(assigned(1), [Lit::TRUE, Lit::TRUE]);
        assert_eq!(assigned(0)[0], Lit::FALSE);
        assert!(assigned(0)[1].as_constant().is_none());
        // `y` is 1 at the assertion, `x` is open.
        let last = main.edges.iter().rev().find(|edge| edge.guard != Lit::TRUE).expect("the assertion");
        assert_eq!(ersm.circuit.support([last.guard]).len(), 1);
        assert_eq!(reduced.removed[0].transitions, 0);
    }
}

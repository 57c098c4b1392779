//! Constants: what is known of the values at a vertex (`known`) goes into the circuits there.
//!
//! Transitions that cannot be taken are removed; variables that can have only one value at a vertex are
//! replaced by it in the guards and right-hand sides of its transitions and in the arguments of its calls,
//! and behind a guard that is a conjunction its literals are replaced as well. On every state that can
//! be reached the machine does what it did before, so answers, runs and their values are the same and
//! the way back is the identity.

use super::known::{Known, Values, known_value};
use super::{Back, Draft};
use crate::model::{Edge, Ersm, Leaf, ProcId, Supports};
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;

pub(super) fn constants(draft: &mut Draft<'_>) -> Option<Back> {
    let known = Known::of(&draft.ersm)?;
    let mut writer = Writer {
        ersm: &draft.ersm,
        known: &known,
        circuit: draft.ersm.circuit.clone(),
        supports: Supports::new(&draft.ersm.circuit),
    };
    let mut changes = Changes::default();
    draft.ersm.procedures().for_each(|(id, _)| writer.add_changes(id, &mut changes));
    if changes.edges.is_empty() && changes.arguments.is_empty() {
        draft.reached = Some(known.into_reached());
        return None;
    }
    let circuit = writer.circuit;
    changes.carry_out(draft.ersm.to_mut());
    draft.ersm.to_mut().circuit = circuit;
    Some(Back::neutral())
}

/// What changes.
#[derive(Default)]
struct Changes {
    /// Procedure, place in its list of transitions, guard (0 if the transition cannot be taken) and
    /// right-hand sides.
    edges: Vec<(ProcId, usize, Lit, Vec<Lit>)>,
    /// Procedure, place in its list of boxes, and the arguments.
    arguments: Vec<(ProcId, usize, Box<[Lit]>)>,
}

impl Changes {
    fn carry_out(self, ersm: &mut Ersm) {
        for (id, index, guard, values) in self.edges {
            let edge = &mut ersm.procedures[id.index()].edges[index];
            edge.guard = guard;
            edge.assignments.iter_mut().zip(values).for_each(|((_, lit), value)| *lit = value);
        }
        for (id, site, arguments) in self.arguments {
            ersm.procedures[id.index()].boxes[site].arguments = arguments;
        }
        for procedure in &mut ersm.procedures {
            if procedure.edges.iter().any(|edge| edge.guard == Lit::FALSE) {
                procedure.edges.retain(|edge| edge.guard != Lit::FALSE);
            }
        }
    }
}

struct Writer<'a> {
    ersm: &'a Ersm,
    known: &'a Known,
    circuit: Circuit,
    supports: Supports<'a>,
}

impl Writer<'_> {
    fn add_changes(&mut self, id: ProcId, changes: &mut Changes) {
        let procedure = self.ersm.procedure(id);
        for (index, edge) in procedure.edges.iter().enumerate() {
            let (guard, values) = match self.known.at(self.known.flow().ends(id, index).0) {
                None => (Lit::FALSE, Vec::new()),
                Some(words) if self.knows_of(edge, words) => self.edge(edge, words),
                Some(_) if edge.guard == Lit::FALSE => (Lit::FALSE, Vec::new()),
                Some(_) => continue,
            };
            let assigned = edge.assignments.iter().map(|(_, lit)| lit);
            if guard == Lit::FALSE || guard != edge.guard || !assigned.eq(&values) {
                changes.edges.push((id, index, guard, values));
            }
        }
        for (site, call) in procedure.boxes.iter().enumerate().filter(|(_, call)| !call.arguments.is_empty()) {
            let mut ports = self.known.flow().call_ports(id, site.into()).filter_map(|port| self.known.at(port));
            let Some(mut values) = ports.next().map(Values::new) else { continue };
            ports.for_each(|words| values.join(words));
            let mut done = FxHashMap::default();
            let arguments = call.arguments.iter().map(|lit| self.lit(*lit, values.words(), &mut done));
            let arguments: Box<[Lit]> = arguments.collect();
            if arguments != call.arguments {
                changes.arguments.push((id, site, arguments));
            }
        }
    }

    /// Something is known of what a transition reads, or its guard tells something about it.
    fn knows_of(&mut self, edge: &Edge, words: &[u64]) -> bool {
        let ersm = self.ersm;
        let mut known = |lit| self.supports.of(lit).iter().any(|var| known_value(ersm, words, *var).is_some());
        let reads = edge.assignments.iter().any(|(_, lit)| lit.as_constant().is_none());
        known(edge.guard)
            || reads && (edge.guard.as_constant().is_none() || edge.assignments.iter().any(|(_, lit)| known(*lit)))
    }

    /// Guard and right-hand sides of a transition, with what is known at its source.
    fn edge(&mut self, edge: &Edge, words: &[u64]) -> (Lit, Vec<Lit>) {
        let guard = self.lit(edge.guard, words, &mut FxHashMap::default());
        let mut values = Values::new(words);
        values.assume(self.ersm, edge.guard);
        let mut done = FxHashMap::default();
        let assigned = edge.assignments.iter().map(|(_, lit)| self.lit(*lit, values.words(), &mut done));
        (guard, assigned.collect())
    }

    /// A signal with constants in place of variables that have only one value.
    fn lit(&mut self, lit: Lit, words: &[u64], done: &mut FxHashMap<usize, Lit>) -> Lit {
        let ersm = self.ersm;
        if !self.supports.of(lit).iter().any(|var| known_value(ersm, words, *var).is_some()) {
            return lit;
        }
        self.circuit.substitute(lit, done, |circuit, number| match Leaf::from_number(number) {
            Leaf::Var(var) => known_value(ersm, words, var).map_or_else(|| circuit.input(number), Lit::constant),
            Leaf::Choice(_) => circuit.input(number),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Ersm, Var, Vertex};
    use crate::reduce::tests::{machine, program};
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

    /// One box is called from two places, with other values at each: after the return both are possible.
    #[test]
    fn returns_join_all_calls_of_a_box() {
        let (ersm, goal) = machine(
            "machine M { var x := 0; entry e; node n; box b: S(x); e -> b.e1 do x := 0; e -> b.e2 do x := 1; b.x -> n when x; }
             machine S(in a) { entry e1, e2; exit x; e1 -> x; e2 -> x; } init M.e;",
        );
        let reduced = left(&ersm, &goal);
        assert_eq!(reduced.removed[0].transitions, 0);
        let main = &reduced.ersm().procedures[0];
        assert!(main.edges[2].guard.as_constant().is_none() && main.boxes[0].arguments[0].as_constant().is_none());
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

//! Cone of influence of the query.
//!
//! *Control.* A vertex matters if control can go on from it to a target, to a call that is looked for,
//! or to an exit behind which such a thing can follow for some caller. Every vertex that a run to a
//! target visits matters, so transitions between others go, with the nodes and boxes that only they
//! need. Calls are not told apart: an exit matters if it does for one caller.
//!
//! *Data.* A variable matters if a guard that is left reads it, or if an assignment, argument or result
//! reads it into a variable that matters. The others cannot influence where control goes, which is
//! all a query asks for; they are taken out with everything that writes them. Runs get their values
//! back when they are lifted.

use super::rebuild::rebuild;
use super::variables::{Wanted, keep_variables};
use super::{Back, Draft};
use crate::model::{Ersm, Flow, Goal, NodeId, ProcId, Supports, Var, Vertex, Work};
use epitome_encodings::Lit;

pub(super) fn cone(draft: &mut Draft<'_>) -> Option<Back> {
    let flow = Flow::new(&draft.ersm);
    let matters = control(&draft.ersm, &draft.goal, &flow);
    let back = rebuild(draft, &flow, &matters);
    let wanted = data(&draft.ersm);
    Back::compose(back, keep_variables(draft, &wanted))
}

/// The vertices that matter.
fn control(ersm: &Ersm, goal: &Goal, flow: &Flow) -> Vec<bool> {
    let (entering, across) = (flow.entering(), flow.across());
    let mut matters = vec![false; flow.len()];
    let mut work = Work::new(flow.len());
    let mut wanted = vec![false; ersm.procedures.len()];
    goal.calls.iter().for_each(|callee| wanted[callee.index()] = true);
    for (id, procedure) in ersm.procedures() {
        let targets = (0..procedure.nodes.len()).map(NodeId::from).filter(|node| goal.targets.contains(id, *node));
        targets.for_each(|node| work.push(flow.node(id, node)));
        let is_wanted = |site: &usize| wanted[procedure.boxes[*site].callee.index()];
        for site in (0..procedure.boxes.len()).filter(is_wanted) {
            flow.call_ports(id, site.into()).for_each(|port| work.push(port));
        }
    }
    while let Some(vertex) = work.pop() {
        if std::mem::replace(&mut matters[vertex as usize], true) {
            continue;
        }
        let procedure = flow.procedure(vertex);
        for index in entering.of(vertex).iter().map(|&index| index as usize) {
            if ersm.procedure(procedure).edges[index].guard != Lit::FALSE {
                work.push(flow.ends(procedure, index).0);
            }
        }
        match flow.vertex(vertex) {
            Vertex::Return(..) => flow.other_side(vertex).into_iter().for_each(|exit| work.push(exit)),
            Vertex::Node(_) => {
                let ports = across.of(vertex).iter().copied();
                ports.filter(|port| matches!(flow.vertex(*port), Vertex::Call(..))).for_each(|port| work.push(port));
            }
            Vertex::Call(..) => {}
        }
    }
    matters
}

/// The variables that matter.
fn data(ersm: &Ersm) -> Wanted {
    let mut cone = Cone { wanted: Wanted::nothing(ersm), work: Vec::new() };
    let mut supports = Supports::new(&ersm.circuit);
    for (id, procedure) in ersm.procedures() {
        for edge in &procedure.edges {
            supports.of(edge.guard).iter().for_each(|var| cone.want(id, *var));
        }
    }
    if cone.wanted.is_all() {
        return cone.wanted;
    }
    let sources = Sources::new(ersm, &cone.wanted);
    while let Some(variable) = cone.work.pop() {
        for &(id, source) in sources.of(variable) {
            match source {
                Source::Signal(lit) => supports.of(lit).iter().for_each(|var| cone.want(id, *var)),
                Source::Output(output) => cone.want(id, Var::Local(output)),
            }
        }
    }
    cone.wanted
}

/// The variables that matter as far as they are known, and those of them not looked at yet.
struct Cone {
    wanted: Wanted,
    work: Vec<usize>,
}

impl Cone {
    fn want(&mut self, procedure: ProcId, var: Var) {
        let number = self.wanted.number(procedure, var);
        if self.wanted.insert(number) {
            self.work.push(number);
        }
    }
}

/// Where a variable's values come from: a signal or an output of a procedure, read there.
#[derive(Clone, Copy)]
enum Source {
    Signal(Lit),
    Output(u32),
}

/// Everything that gives variables values, by the number of the variable.
struct Sources {
    /// First source of each variable, and one past the last.
    first: Vec<usize>,
    sources: Vec<(ProcId, Source)>,
}

impl Sources {
    fn new(ersm: &Ersm, variables: &Wanted) -> Sources {
        let mut found: Vec<(usize, (ProcId, Source))> = Vec::new();
        for (id, procedure) in ersm.procedures() {
            for (var, lit) in procedure.edges.iter().flat_map(|edge| &edge.assignments) {
                if lit.as_constant().is_none() {
                    found.push((variables.number(id, *var), (id, Source::Signal(*lit))));
                }
            }
            for call in &procedure.boxes {
                let callee = ersm.procedure(call.callee);
                for (input, lit) in callee.inputs.iter().zip(&call.arguments) {
                    found.push((variables.number(call.callee, Var::Local(*input)), (id, Source::Signal(*lit))));
                }
                for (output, target) in callee.outputs.iter().zip(&call.results) {
                    if let Some(target) = target {
                        found.push((variables.number(id, *target), (call.callee, Source::Output(*output))));
                    }
                }
            }
        }
        found.sort_unstable_by_key(|(variable, _)| *variable);
        let mut first = vec![0; variables.len() + 1];
        found.iter().for_each(|(variable, _)| first[variable + 1] += 1);
        (1..first.len()).for_each(|index| first[index] += first[index - 1]);
        Sources { first, sources: found.into_iter().map(|(_, source)| source).collect() }
    }

    fn of(&self, variable: usize) -> &[(ProcId, Source)] {
        &self.sources[self.first[variable]..self.first[variable + 1]]
    }
}

#[cfg(test)]
mod tests {
    use crate::model::ProcId;
    use crate::reduce::tests::program;
    use crate::reduce::{Reduction, Reductions, reduce};

    fn only_cone() -> Reductions {
        Reductions::none().with(Reduction::Cone)
    }

    /// A variable that only feeds itself, and one that only feeds it, go; so do their parameters.
    #[test]
    fn variables_that_feed_only_themselves_go() {
        let (ersm, goal) = program(
            "decl a, b, c; void main() begin decl x, y; x := !x; a := b; y, x := p(x, c); assert(y); end
             bool<2> p(u, v) begin a := !a; return v, u; end",
        );
        let reduced = reduce(&ersm, &goal, only_cone());
        let left = reduced.ersm();
        let names = |list: &[crate::model::Variable]| -> Vec<String> {
            list.iter().map(|variable| left.names.text(variable.name).to_owned()).collect()
        };
        assert_eq!(names(&left.globals), ["c"]);
        assert_eq!(names(&left.procedures[0].locals), ["y"]);
        assert_eq!(names(&left.procedures[1].locals), ["v", "result1"]);
        let call = &left.procedures[0].boxes[0];
        assert_eq!((call.arguments.len(), call.results.len()), (1, 1));
        assert_eq!(left.circuit.support(call.arguments.iter().copied()), [0]);
        assert_eq!(reduced.removed[0].variables, 5);
        let back = reduced.back().expect("something was removed");
        assert_eq!((&back.globals[..], &back.procedures[1].locals[..]), (&[2][..], &[1, 2][..]));
    }

    /// After the assertion nothing can fail; `q` is not worth a call, `p` must return.
    #[test]
    fn control_that_cannot_come_to_a_target_goes() {
        let (ersm, goal) = program(
            "decl g; void main() begin p(); assert(g); q(); if (g) then q(); fi end
             void p() begin g := 1; end
             void q() begin g := 0; end",
        );
        let reduced = reduce(&ersm, &goal, only_cone());
        let left = reduced.ersm();
        assert_eq!(left.procedures.len(), 2);
        assert_eq!(left.procedures[0].boxes.len(), 1);
        assert_eq!(left.procedures[0].boxes[0].callee, ProcId(1));
        // Entry, the call, the assertion, its failure, and the exit, which always stays.
        assert_eq!(left.procedures[0].nodes.len(), 5);
        assert_eq!(left.procedures[0].edges.len(), 4);
        assert_eq!((reduced.removed[0].procedures, left.globals.len()), (1, 1));
    }

    /// A call that is looked for is kept, its inside is not.
    #[test]
    fn calls_that_are_looked_for_stay() {
        let (ersm, mut goal) = program("void main() begin decl x; x := 0; f(x); end void f(x) begin skip; end");
        goal.calls = vec![ProcId(1)];
        let reduced = reduce(&ersm, &goal, only_cone());
        assert_eq!(reduced.goal().calls, [ProcId(1)]);
        let [main, f] = &reduced.ersm().procedures[..] else { panic!("two procedures") };
        assert_eq!((main.edges.len(), main.boxes.len(), main.locals.len()), (3, 1, 0));
        assert_eq!((f.nodes.len(), f.edges.len()), (2, 0));
    }
}

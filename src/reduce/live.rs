//! Live ranges (Ball 3.3): values that nobody reads any more are forgotten.
//!
//! Where a variable is dead (`model::Liveness` says where) but may still hold a value that tells
//! something, the transition into that place assigns it a fresh choice of the system: explicit rows
//! that differ only in it become one row, and decision diagrams lose the variable. A dead variable is
//! assigned nothing else, a result nobody reads is taken by nobody, an argument nobody reads is a
//! choice, and an initial value nobody reads is arbitrary.
//!
//! Control and live variables behave as before, and dead variables influence neither, so the answer
//! is kept; runs may have other values in dead variables, and the way back says which values count.

use super::forget::Plan;
use super::{Back, Draft, Table};
use crate::model::{BoxId, CallBox, Edge, Ersm, Initial, Liveness, NodeId, ProcId, Procedure, Var, Vertex};
use epitome_encodings::Lit;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn live(draft: &mut Draft<'_>) -> Option<Back> {
    let live = Liveness::of(&draft.ersm);
    if live.is_unknown() {
        return None;
    }
    let view = View::new(&draft.ersm, &live);
    let plan = view.plan();
    if plan.is_empty() {
        return None;
    }
    let mut back = Back::identity(&draft.ersm);
    let mut tables = FxHashMap::default();
    for (index, back) in back.procedures.iter_mut().enumerate() {
        back.live = view.told(index.into(), &mut tables);
    }
    plan.carry_out(draft.ersm.to_mut());
    Some(back)
}

/// A machine and what is live in it.
struct View<'a> {
    ersm: &'a Ersm,
    live: &'a Liveness,
    /// Globals that are live where some computation starts.
    at_start: Vec<u64>,
    /// Bits of the globals that are not tracked: their values always count.
    always: Vec<usize>,
}

impl<'a> View<'a> {
    fn new(ersm: &'a Ersm, live: &'a Liveness) -> View<'a> {
        let mut at_start = Vec::new();
        for (id, node) in &ersm.initial {
            let globals = live.globals_of(live.set(live.flow().node(*id, *node)));
            add(&mut at_start, globals);
        }
        let untracked = |global: &usize| live.bit(Var::Global(*global as u32)).is_none();
        View { ersm, live, at_start, always: (0..ersm.globals.len()).filter(untracked).collect() }
    }

    fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        for (id, procedure) in self.ersm.procedures() {
            self.plan_procedure(id, procedure, &mut plan);
        }
        let fixed = self.ersm.globals.iter().enumerate().filter(|(_, global)| global.initial != Initial::Arbitrary);
        let is_read =
            |index: usize| self.live.bit(Var::Global(index as u32)).is_none_or(|bit| has(&self.at_start, bit));
        plan.globals = fixed.map(|(index, _)| index).filter(|&index| !is_read(index)).collect();
        plan
    }

    fn plan_procedure(&self, id: ProcId, procedure: &Procedure, plan: &mut Plan) {
        for (site, call) in procedure.boxes.iter().enumerate() {
            self.plan_call(id, site, call, plan);
        }
        let entry = self.held_at_entries(id, procedure);
        let mut held = Vec::new();
        for (index, edge) in procedure.edges.iter().enumerate() {
            let (from, to) = self.live.flow().ends(id, index);
            self.held(id, procedure, (edge.from, from), &entry, &mut held);
            let ends = held.iter().zip(self.live.set(to)).any(|(held, live)| held & !live != 0);
            if !ends && edge.assignments.iter().all(|(var, _)| self.live.is_live(to, *var)) {
                continue;
            }
            let start = plan.assignments.len();
            self.plan_assignments(edge, &mut held, to, &mut plan.assignments);
            let new = plan.assignments[start..].iter().copied();
            if new.eq(edge.assignments.iter().map(|(var, lit)| (*var, Some(*lit)))) {
                plan.assignments.truncate(start);
            } else {
                plan.edges.push((id, index, plan.assignments.len()));
            }
        }
        let fixed = procedure.locals.iter().enumerate().filter(|(_, local)| local.initial != Initial::Arbitrary);
        let is_read = |local: usize| {
            let entry = |node: &NodeId| self.live.flow().node(id, *node);
            procedure.entries.iter().any(|node| self.live.is_live(entry(node), Var::Local(local as u32)))
        };
        plan.locals.extend(fixed.filter(|(local, _)| !is_read(*local)).map(|(local, _)| (id, local)));
    }

    fn plan_call(&self, id: ProcId, site: usize, call: &CallBox, plan: &mut Plan) {
        let flow = self.live.flow();
        let callee = self.ersm.procedure(call.callee);
        let entries = || flow.call_ports(id, site.into()).filter_map(|port| flow.other_side(port));
        for (place, input) in callee.inputs.iter().enumerate() {
            if !entries().any(|entry| self.live.is_live(entry, Var::Local(*input))) {
                plan.arguments.push((id, site, place));
            }
        }
        for (place, target) in call.results.iter().enumerate() {
            if target.is_some_and(|target| !self.is_taken(id, site.into(), target)) {
                plan.results.push((id, site, place));
            }
        }
    }

    /// A result is read after some return.
    fn is_taken(&self, id: ProcId, site: BoxId, target: Var) -> bool {
        self.live.flow().return_ports(id, site).any(|port| self.live.is_live(port, target))
    }

    /// The assignments of a transition: as before for variables that are live after it; a choice for
    /// those that are dead and may hold something. Nothing is held any more afterwards.
    fn plan_assignments(&self, edge: &Edge, held: &mut [u64], to: u32, plan: &mut Vec<(Var, Option<Lit>)>) {
        for &(var, lit) in &edge.assignments {
            let bit = self.live.bit(var);
            if self.live.is_live(to, var) {
                plan.push((var, Some(lit)));
            } else if bit.is_some_and(|bit| has(held, bit)) {
                plan.push((var, None));
            }
            if let Some(bit) = bit {
                held[bit / 64] &= !(1 << (bit % 64));
            }
        }
        held.iter_mut().zip(self.live.set(to)).for_each(|(held, live)| *held &= !live);
        plan.extend(self.live.variables(held).map(|var| (var, None)));
    }

    /// The variables that may hold a value that tells something where a transition starts: those that
    /// are live, and those that came with an entry or a return where they are dead but had to be kept
    /// for another.
    fn held(
        &self,
        id: ProcId,
        procedure: &Procedure,
        (from, number): (Vertex, u32),
        entry: &AtEntries,
        held: &mut Vec<u64>,
    ) {
        let (live, flow) = (self.live, self.live.flow());
        held.clear();
        held.extend_from_slice(live.set(number));
        match from {
            Vertex::Node(node) => {
                if let Some(more) = entry.as_ref().filter(|(nodes, _)| nodes.contains(&node)) {
                    add(held, more.1.iter().copied());
                }
            }
            Vertex::Call(site, _) | Vertex::Return(site, _) => {
                for port in flow.call_ports(id, site) {
                    let globals = live.globals_of(live.set(port)).chain(std::iter::repeat(0));
                    add(held, live.set(port).iter().zip(globals).map(|(all, globals)| all & !globals));
                }
                if let Some(exit) = flow.other_side(number) {
                    add(held, live.globals_of(live.set(exit)));
                }
                let taken = |target: &Var| self.is_taken(id, site, *target);
                let results = procedure.boxes[site.index()].results.iter().flatten().copied();
                for bit in results.filter(taken).filter_map(|target| live.bit(target)) {
                    held[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
    }

    /// Where a procedure has several entries: what is live at one of them comes with each.
    fn held_at_entries(&self, id: ProcId, procedure: &Procedure) -> AtEntries {
        let starts = self.ersm.initial.iter().any(|(start, _)| *start == id);
        if procedure.entries.len() == 1 && !(starts && self.ersm.initial.len() > 1) {
            return None;
        }
        let mut held = Vec::new();
        for entry in &procedure.entries {
            add(&mut held, self.live.set(self.live.flow().node(id, *entry)).iter().copied());
        }
        if starts {
            add(&mut held, self.at_start.iter().copied());
        }
        Some((procedure.entries.iter().copied().collect(), held))
    }

    /// By vertex, nodes and call ports, the variables whose values count. Procedures in which the same is
    /// live share their tables.
    fn told(&self, id: ProcId, known: &mut FxHashMap<Vec<u64>, Table<u64>>) -> Option<Table<u64>> {
        let mut key = vec![self.ersm.scope_size(id) as u64];
        for number in self.live.flow().vertices(id) {
            key.extend(match self.live.flow().vertex(number) {
                Vertex::Node(_) => [0, 0],
                Vertex::Call(site, entry) => [1, u64::from(site.0) << 32 | u64::from(entry)],
                Vertex::Return(site, exit) => [2, u64::from(site.0) << 32 | u64::from(exit)],
            });
            key.extend_from_slice(self.live.set(number));
        }
        let table = known.entry(key).or_insert_with(|| self.table(id));
        (!table.is_empty()).then(|| table.clone())
    }

    fn table(&self, id: ProcId) -> Table<u64> {
        let scope = self.ersm.scope_size(id);
        let told = self.live.flow().vertices(id).filter_map(|number| {
            let vertex = self.live.flow().vertex(number);
            let set = self.live.set(number);
            let count: usize = set.iter().map(|word| word.count_ones() as usize).sum();
            if matches!(vertex, Vertex::Return(..)) || count + self.always.len() == scope {
                return None;
            }
            let mut words: Box<[u64]> = vec![0; scope.div_ceil(64)].into();
            let tracked = self.live.variables(set).map(|var| self.ersm.bit(var));
            self.always.iter().copied().chain(tracked).for_each(|bit| words[bit / 64] |= 1 << (bit % 64));
            Some((vertex, words))
        });
        told.collect()
    }
}

/// Entries of a procedure, and what comes with each; `None` if that is what is live there.
type AtEntries = Option<(FxHashSet<NodeId>, Vec<u64>)>;

fn has(set: &[u64], bit: usize) -> bool {
    set.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
}

/// Adds to a set.
fn add(set: &mut Vec<u64>, more: impl Iterator<Item = u64>) {
    for (index, word) in more.enumerate() {
        if index == set.len() {
            set.push(0);
        }
        set[index] |= word;
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Ersm, Initial, Leaf, NodeId, Vertex};
    use crate::reduce::tests::{machine, program};
    use crate::reduce::{Reduction, Reductions, reduce};
    use epitome_encodings::Gate;

    fn only_live() -> Reductions {
        Reductions::none().with(Reduction::Live)
    }

    /// For each transition of a procedure, the names of the variables it forgets.
    fn forgotten(ersm: &Ersm, procedure: usize) -> Vec<String> {
        let forgets = |lit| match ersm.circuit.gate(lit) {
            Gate::Input(number) => matches!(Leaf::from_number(number), Leaf::Choice(_)),
            _ => false,
        };
        let edges = ersm.procedures[procedure].edges.iter().map(|edge| {
            let dead = edge.assignments.iter().filter(|(_, lit)| forgets(*lit));
            let names: Vec<&str> = dead.map(|(var, _)| ersm.variable_name(procedure.into(), *var)).collect();
            names.join(" ")
        });
        edges.collect()
    }

    /// Ball 3.3: variables are forgotten where their live range ends.
    #[test]
    fn live_ranges_end() {
        let (ersm, goal) = program(
            "void main() begin decl a, b, c, d, e, f;
             L1: a := b | c; L2: d := a | e; L3: e := a & d; L4: f := d; L5: assert(e | f); end",
        );
        let reduced = reduce(&ersm, &goal, only_live());
        assert_eq!(forgotten(reduced.ersm(), 0), ["", "b c", "e", "a", "d", "e f", "e f"]);
        let live = reduced.back().and_then(|back| back.procedures[0].live.clone()).unwrap_or_default();
        let at = |node| live.get(Vertex::Node(NodeId(node))).map_or(u64::MAX, |words| words[0]);
        assert_eq!([1, 2, 3, 4, 5, 6].map(at), [0b010110, 0b010001, 0b001001, 0b011000, 0b110000, 0]);
    }

    /// A dead assignment goes, a result nobody reads is not taken, an argument nobody reads is a choice,
    /// an initial value nobody reads is arbitrary.
    #[test]
    fn calls_and_starts() {
        let (ersm, goal) = program(
            "decl g := 0, h := 1; void main() begin decl x, y, z := 1; g := 1; y := 0; x, y := p(z, g); assert(x); end
             bool<2> p(a, b) begin h := !h; return b, a; end",
        );
        let reduced = reduce(&ersm, &goal, only_live());
        let left = reduced.ersm();
        let call = &left.procedures[0].boxes[0];
        assert_eq!((call.results[0].is_some(), call.results[1]), (true, None));
        assert!(matches!(left.circuit.gate(call.arguments[0]), Gate::Input(n) if n == Leaf::Choice(0).number()));
        assert_eq!(call.choices.len(), 1);
        assert!(left.globals.iter().all(|global| global.initial == Initial::Arbitrary));
        assert_eq!(left.procedures[0].locals[2].initial, Initial::Arbitrary);
        let assigned: Vec<usize> = left.procedures[0].edges.iter().map(|edge| edge.assignments.len()).collect();
        // `g := 1` stays, `y := 0` goes, the return forgets nothing: `g` ends inside `p`.
        assert_eq!(assigned[..4], [0, 1, 0, 0]);
        // In `p`, `h` only feeds itself; the return is where `b` ends.
        assert_eq!(forgotten(left, 1), ["", "", "b"]);
    }

    /// An argument is forgotten after the return: the caller's locals come back with it.
    #[test]
    fn locals_come_back_with_a_return() {
        let (ersm, goal) = program("void main() begin decl x; p(x); assert(0); end void p(a) begin assert(a); end");
        let reduced = reduce(&ersm, &goal, only_live());
        let returns = |index: &usize| matches!(reduced.ersm().procedures[0].edges[*index].from, Vertex::Return(..));
        let edges = (0..reduced.ersm().procedures[0].edges.len()).find(returns);
        assert_eq!(edges.map(|edge| forgotten(reduced.ersm(), 0)[edge].clone()), Some("x".to_owned()));
    }

    /// A global that is read after one call and not after the other comes back from both.
    #[test]
    fn globals_come_back_with_a_return() {
        let (ersm, goal) =
            program("decl g; void main() begin p(); assert(g); p(); assert(0); end void p() begin g := *; end");
        let reduced = reduce(&ersm, &goal, only_live());
        let forgotten = forgotten(reduced.ersm(), 0);
        let edges = reduced.ersm().procedures[0].edges.iter().zip(&forgotten);
        let returns: Vec<&String> =
            edges.filter(|(e, _)| matches!(e.from, Vertex::Return(..))).map(|(_, f)| f).collect();
        assert_eq!(returns, ["", "g"]);
    }

    /// A result that is read after one exit and not after the other is taken at both.
    #[test]
    fn results_come_back_with_every_exit() {
        let (ersm, goal) = machine(
            "machine M { var x; entry e; node n, m; box b: S(-> x); e -> b.e; b.x1 -> n when x; b.x2 -> m; }
             machine S(out r) { entry e; exit x1, x2; e -> x1 do r := 1; e -> x2 do r := 1; } init M.e;",
        );
        let reduced = reduce(&ersm, &goal, only_live());
        assert_eq!(forgotten(reduced.ersm(), 0), ["", "x", "x"]);
    }

    /// Two entries, one reads the input: the other forgets what came with it.
    #[test]
    fn entries_hold_what_another_reads() {
        let (ersm, goal) = machine(
            "machine M { var x; entry e; box b: S(x); e -> b.e1; e -> b.e2; }
             machine S(in a) { entry e1, e2; node n; e1 -> n when a; e2 -> n; } init M.e;",
        );
        let reduced = reduce(&ersm, &goal, only_live());
        assert_eq!(forgotten(reduced.ersm(), 1), ["a", "a"]);
    }
}

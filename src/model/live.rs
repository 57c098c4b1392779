//! Live ranges (Ball 3.3): which variables have values that can still matter at a vertex.
//!
//! A variable is live at a vertex if on some path from it a guard reads it, or an assignment, argument
//! or result reads it into a variable that is live there: a value that only feeds dead variables is
//! dead as well. The analysis goes backwards over the whole machine, calls included, and does not tell
//! call sites apart: what is live after some return of a procedure is live at its exit. Targets read
//! nothing.
//!
//! A set of variables for each vertex can be more than there is memory for. Beyond [`MOST_BITS`] the
//! globals count as live everywhere; if that is still too much, or beyond [`MOST_WORK`], every variable
//! does. (Counting more as live is always sound.)

use super::ersm::{CallBox, Edge, Ersm, NodeId, ProcId, Vertex};
use super::flow::{Flow, Lists, Work};
use super::supports::Supports;
use crate::syntax::Var;

/// Vertices times variables, at most.
const MOST_BITS: usize = 200_000_000;

/// Words and reads looked at, at most.
const MOST_WORK: usize = 1_000_000_000;

/// The live variables of every vertex.
#[derive(Clone, Debug)]
pub struct Liveness {
    flow: Flow,
    /// Globals that are tracked: all or none.
    globals: usize,
    /// For each procedure the first word and the words of a vertex.
    layout: Vec<(usize, usize)>,
    /// Empty if nothing is known.
    words: Vec<u64>,
}

impl Liveness {
    /// Analyses a machine.
    pub fn of(ersm: &Ersm) -> Liveness {
        let flow = Flow::new(ersm);
        let bits = |globals: usize| -> usize {
            let scope = |id: ProcId| flow.vertices(id).len() * (globals + ersm.procedure(id).locals.len());
            ersm.procedures().map(|(id, _)| scope(id)).sum()
        };
        let all = ersm.globals.len();
        let globals = if bits(all) <= MOST_BITS { all } else { 0 };
        let known = bits(globals) <= MOST_BITS;
        let mut live = Liveness { flow, globals, layout: Vec::new(), words: Vec::new() };
        if !known {
            return live;
        }
        let mut first = 0;
        for (id, procedure) in ersm.procedures() {
            let width = (globals + procedure.locals.len()).div_ceil(64);
            live.layout.push((first, width));
            first += width * live.flow.vertices(id).len();
        }
        live.words = vec![0; first];
        Solver::new(ersm, &mut live).solve();
        live
    }

    /// The numbering of the vertices.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Some variable may be dead somewhere.
    pub fn is_known(&self) -> bool {
        !self.words.is_empty()
    }

    /// The variable is live at the vertex with this number.
    pub fn is_live(&self, vertex: u32, var: Var) -> bool {
        match self.bit(var) {
            Some(bit) if self.is_known() => self.words[self.range(vertex).start + bit / 64] >> (bit % 64) & 1 == 1,
            _ => true,
        }
    }

    /// For each local of a procedure, whether it is live at some entry.
    pub fn at_entry(&self, ersm: &Ersm, procedure: ProcId) -> Vec<bool> {
        let here = ersm.procedure(procedure);
        let at = |local: u32, entry: &NodeId| self.is_live(self.flow.node(procedure, *entry), Var::Local(local));
        (0..here.locals.len() as u32).map(|local| here.entries.iter().any(|entry| at(local, entry))).collect()
    }

    /// Bit of a variable; `None` if it is not tracked.
    fn bit(&self, var: Var) -> Option<usize> {
        match var {
            Var::Global(index) => (self.globals > 0).then_some(index as usize),
            Var::Local(index) => Some(self.globals + index as usize),
        }
    }

    fn range(&self, vertex: u32) -> std::ops::Range<usize> {
        let procedure = self.flow.procedure(vertex);
        let (first, width) = self.layout[procedure.index()];
        let start = first + (vertex - self.flow.vertices(procedure).start) as usize * width;
        start..start + width
    }
}

struct Solver<'e, 'l> {
    ersm: &'e Ersm,
    live: &'l mut Liveness,
    supports: Supports<'e>,
    entering: Lists,
    across: Lists,
    work: Work,
    /// What is live before a step.
    before: Vec<u64>,
    effort: usize,
}

impl<'e, 'l> Solver<'e, 'l> {
    fn new(ersm: &'e Ersm, live: &'l mut Liveness) -> Solver<'e, 'l> {
        let (entering, across) = (live.flow.entering(ersm), live.flow.across(ersm));
        let mut work = Work::new(live.flow.len());
        // Each once, for its own reads; the last are looked at first, and steps mostly lead down.
        (0..live.flow.len() as u32).for_each(|vertex| work.push(vertex));
        Solver { ersm, supports: Supports::new(&ersm.circuit), entering, across, work, live, before: vec![], effort: 0 }
    }

    fn solve(&mut self) {
        while let Some(vertex) = self.work.pop() {
            if self.effort > MOST_WORK {
                self.live.words = Vec::new();
                return;
            }
            self.visit(vertex);
        }
    }

    /// Carries what is live at a vertex to where it comes from.
    fn visit(&mut self, vertex: u32) {
        let procedure = self.live.flow.procedure(vertex);
        let ersm = self.ersm;
        for at in 0..self.entering.of(vertex).len() {
            let edge = &ersm.procedure(procedure).edges[self.entering.of(vertex)[at] as usize];
            self.before_edge(edge, vertex);
            let from = self.live.flow.end(procedure, edge.from);
            self.raise(from);
        }
        match self.live.flow.vertex(vertex) {
            Vertex::Return(site, _) => {
                self.before_return(vertex, &ersm.procedure(procedure).boxes[site.index()]);
                for port in self.live.flow.call_ports(procedure, site) {
                    self.before_call(port);
                }
            }
            Vertex::Call(..) => self.before_call(vertex),
            Vertex::Node(_) => {
                for at in 0..self.across.of(vertex).len() {
                    let port = self.across.of(vertex)[at];
                    if matches!(self.live.flow.vertex(port), Vertex::Call(..)) {
                        self.before_call(port);
                    }
                }
            }
        }
    }

    /// Before a transition: what is live after it and not assigned, and what it reads.
    fn before_edge(&mut self, edge: &Edge, to: u32) {
        let range = self.live.range(to);
        self.before.clear();
        self.before.extend_from_slice(&self.live.words[range]);
        for (var, _) in &edge.assignments {
            self.remove(*var);
        }
        for (var, lit) in &edge.assignments {
            if self.live.is_live(to, *var) {
                self.add_reads(*lit);
            }
        }
        self.add_reads(edge.guard);
    }

    /// At a callee's exit: the globals that are live after the return, and the outputs that some live
    /// variable takes.
    fn before_return(&mut self, port: u32, call: &CallBox) {
        let Some(exit) = self.live.flow.other_side(self.ersm, port) else { return };
        let globals = self.live.globals;
        self.clear(exit);
        let after = self.live.range(port);
        let words = globals.div_ceil(64).min(after.len());
        self.before[..words].copy_from_slice(&self.live.words[after.start..after.start + words]);
        self.keep_globals(globals);
        for target in call.results.iter().flatten().filter(|target| matches!(target, Var::Global(_))) {
            self.remove(*target);
        }
        let outputs = &self.ersm.procedure(call.callee).outputs;
        for (&output, target) in outputs.iter().zip(&call.results) {
            if target.is_some_and(|target| self.live.is_live(port, target)) {
                self.add(Var::Local(output));
            }
        }
        self.raise(exit);
    }

    /// At a call port: the globals that are live at the entry, what the arguments for its live inputs
    /// read, and the locals that are live after the return and take no result.
    fn before_call(&mut self, port: u32) {
        let (flow, ersm) = (&self.live.flow, self.ersm);
        let procedure = flow.procedure(port);
        let (Vertex::Call(site, _), Some(entry)) = (flow.vertex(port), flow.other_side(ersm, port)) else { return };
        let call = &ersm.procedure(procedure).boxes[site.index()];
        let returns = flow.return_ports(procedure, site);
        self.clear(port);
        for after in returns {
            let after = self.live.range(after);
            self.before.iter_mut().zip(&self.live.words[after]).for_each(|(before, after)| *before |= after);
        }
        for target in call.results.iter().flatten() {
            self.remove(*target);
        }
        // Globals pass through the callee.
        let globals = self.live.globals;
        self.before[..globals / 64].fill(0);
        if !globals.is_multiple_of(64) {
            self.before[globals / 64] &= u64::MAX << (globals % 64);
        }
        let mut inside: Vec<u64> = self.live.words[self.live.range(entry)].to_vec();
        inside.truncate(globals.div_ceil(64));
        if let Some(last) = inside.last_mut().filter(|_| !globals.is_multiple_of(64)) {
            *last &= (1 << (globals % 64)) - 1;
        }
        self.before.iter_mut().zip(inside).for_each(|(before, inside)| *before |= inside);
        for (&input, argument) in ersm.procedure(call.callee).inputs.iter().zip(&call.arguments) {
            if self.live.is_live(entry, Var::Local(input)) {
                self.add_reads(*argument);
            }
        }
        self.raise(port);
    }

    /// An empty set for a vertex.
    fn clear(&mut self, vertex: u32) {
        let width = self.live.range(vertex).len();
        self.before.clear();
        self.before.resize(width, 0);
    }

    fn keep_globals(&mut self, globals: usize) {
        if let Some(last) = self.before.get_mut(globals / 64) {
            *last &= (1 << (globals % 64)) - 1;
        }
        if let Some(rest) = self.before.get_mut(globals / 64 + 1..) {
            rest.fill(0);
        }
    }

    fn add(&mut self, var: Var) {
        if let Some(bit) = self.live.bit(var) {
            self.before[bit / 64] |= 1 << (bit % 64);
        }
    }

    fn remove(&mut self, var: Var) {
        if let Some(bit) = self.live.bit(var) {
            self.before[bit / 64] &= !(1 << (bit % 64));
        }
    }

    fn add_reads(&mut self, lit: epitome_encodings::Lit) {
        let reads = self.supports.of(lit);
        self.effort += reads.len();
        for &var in reads {
            if let Some(bit) = self.live.bit(var) {
                self.before[bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    /// Adds the set `before` to what is live at a vertex.
    fn raise(&mut self, vertex: u32) {
        let range = self.live.range(vertex);
        self.effort += 1 + range.len();
        let mut changed = false;
        for (known, before) in self.live.words[range].iter_mut().zip(&self.before) {
            changed |= before & !*known != 0;
            *known |= before;
        }
        if changed {
            self.work.push(vertex);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::build_bp;
    use crate::syntax::{Source, bp};

    fn model(text: &str) -> Ersm {
        let source = Source::new("t.bp", text);
        let (program, _) = bp::parse(&source).unwrap_or_else(|e| panic!("{}", e[0].render(&source)));
        build_bp(&program).0
    }

    /// Names of the variables that are live at a node.
    fn live_at(ersm: &Ersm, procedure: u32, node: u32) -> String {
        let live = Liveness::of(ersm);
        let id = ProcId(procedure);
        let locals = (0..ersm.procedure(id).locals.len() as u32).map(Var::Local);
        let vars = (0..ersm.globals.len() as u32).map(Var::Global).chain(locals);
        let at = live.flow().node(id, NodeId(node));
        let names: Vec<&str> = vars.filter(|v| live.is_live(at, *v)).map(|v| ersm.variable_name(id, v)).collect();
        names.join(" ")
    }

    /// Ball 3.3: six variables, at most three of them live at a time.
    #[test]
    fn six_variables_three_live() {
        let ersm = model(
            "void main() begin decl a, b, c, d, e, f;
             L1: a := b | c; L2: d := a | e; L3: e := a & d; L4: f := d; L5: if (e | f) then skip; fi end",
        );
        assert_eq!(
            (1..=5).map(|node| live_at(&ersm, 0, node)).collect::<Vec<_>>(),
            ["b c e", "a e", "a d", "d e", "e f"]
        );
    }

    /// What only feeds itself, or a variable that is overwritten, is dead.
    #[test]
    fn values_that_feed_dead_variables_are_dead() {
        let ersm = model("void main() begin decl a, b; a := !a; b := a; b := 0; if (b) then skip; fi end");
        assert_eq!((1..=4).map(|node| live_at(&ersm, 0, node)).collect::<Vec<_>>(), ["", "", "", "b"]);
    }

    /// Globals through calls, arguments, and results that are taken or not.
    #[test]
    fn calls() {
        let ersm = model(
            "decl g, h; void main() begin decl x, y, z; x, _ := p(y, z); if (x | h) then skip; fi end
             bool<2> p(a, b) begin g := 1; return a & g, b; end",
        );
        assert_eq!(live_at(&ersm, 0, 1), "h y");
        assert_eq!([1, 2, 3].map(|node| live_at(&ersm, 1, node)), ["h a", "g h a", "h result1"]);
        assert_eq!(live_at(&ersm, 0, 2), "h x");
    }
}

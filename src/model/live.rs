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

use super::ersm::{CallBox, Edge, Ersm, ProcId, Vertex};
use super::flow::{Flow, Lists, Words, Work};
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
    /// Sets of live variables; `None` if every variable counts as live.
    words: Option<Words>,
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
        let words = (bits(globals) <= MOST_BITS).then(|| {
            let width = |id: ProcId| (globals + ersm.procedure(id).locals.len()).div_ceil(64);
            let words = Words::new(&flow, width);
            // Where there are no variables there is nothing to find out.
            if bits(globals) == 0 { Some(words) } else { Solver::new(ersm, &flow, words, globals).solve() }
        });
        Liveness { flow, globals, words: words.flatten() }
    }

    /// The numbering of the vertices.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Every variable counts as live everywhere.
    pub fn is_unknown(&self) -> bool {
        self.words.is_none()
    }

    /// The variable is live at the vertex with this number.
    pub fn is_live(&self, vertex: u32, var: Var) -> bool {
        match (&self.words, bit_of(self.globals, var)) {
            (Some(words), Some(bit)) => has(words.of(vertex), bit),
            _ => true,
        }
    }

    /// The set of live variables at a vertex, as far as they are tracked; see [`Liveness::bit`]. Empty if
    /// every variable counts as live.
    pub fn set(&self, vertex: u32) -> &[u64] {
        self.words.as_ref().map_or(&[], |words| words.of(vertex))
    }

    /// Bit of a variable in the sets; `None` if it is not tracked and counts as live everywhere.
    pub fn bit(&self, var: Var) -> Option<usize> {
        bit_of(self.globals, var)
    }

    /// The variables of a set.
    pub fn variables<'s>(&self, set: &'s [u64]) -> impl Iterator<Item = Var> + use<'s> {
        let globals = self.globals;
        let bits = set.iter().enumerate().flat_map(|(index, &word)| {
            let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
            let start = Some(word).filter(|word| *word != 0);
            std::iter::successors(start, next).map(move |rest| index * 64 + rest.trailing_zeros() as usize)
        });
        bits.map(move |bit| match bit.checked_sub(globals) {
            Some(local) => Var::Local(local as u32),
            None => Var::Global(bit as u32),
        })
    }

    /// The words of a set that hold globals, without the locals in the last.
    pub fn globals_of<'s>(&self, set: &'s [u64]) -> impl Iterator<Item = u64> + use<'s> {
        globals_of(set, self.globals)
    }
}

/// Bit of a variable; `None` if it is not tracked.
fn bit_of(globals: usize, var: Var) -> Option<usize> {
    match var {
        Var::Global(index) => (globals > 0).then_some(index as usize),
        Var::Local(index) => Some(globals + index as usize),
    }
}

fn has(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}

struct Solver<'e> {
    ersm: &'e Ersm,
    flow: &'e Flow,
    words: Words,
    globals: usize,
    supports: Supports<'e>,
    entering: Lists,
    across: Lists,
    work: Work,
    /// What is live before a step.
    before: Vec<u64>,
    effort: usize,
}

impl<'e> Solver<'e> {
    fn new(ersm: &'e Ersm, flow: &'e Flow, words: Words, globals: usize) -> Solver<'e> {
        let (entering, across, supports) = (flow.entering(), flow.across(), Supports::new(&ersm.circuit));
        let mut work = Work::new(flow.len());
        // Each once, for its own reads; the last are looked at first, and steps mostly lead down.
        (0..flow.len() as u32).for_each(|vertex| work.push(vertex));
        Solver { ersm, flow, words, globals, supports, entering, across, work, before: Vec::new(), effort: 0 }
    }

    /// `None` if it is too much work.
    fn solve(mut self) -> Option<Words> {
        while let Some(vertex) = self.work.pop() {
            self.visit(vertex);
            if self.effort > MOST_WORK {
                return None;
            }
        }
        Some(self.words)
    }

    /// Carries what is live at a vertex to where it comes from.
    fn visit(&mut self, vertex: u32) {
        let procedure = self.flow.procedure(vertex);
        let ersm = self.ersm;
        for at in 0..self.entering.of(vertex).len() {
            let index = self.entering.of(vertex)[at] as usize;
            self.before_edge(&ersm.procedure(procedure).edges[index], vertex);
            self.raise(self.flow.ends(procedure, index).0);
        }
        match self.flow.vertex(vertex) {
            Vertex::Return(site, _) => {
                let call = &ersm.procedure(procedure).boxes[site.index()];
                self.before_return(vertex, call);
                self.over_call(vertex, call);
                self.flow.call_ports(procedure, site).for_each(|port| self.raise(port));
            }
            Vertex::Call(..) => self.before_call(vertex),
            Vertex::Node(_) => {
                for at in 0..self.across.of(vertex).len() {
                    let port = self.across.of(vertex)[at];
                    if matches!(self.flow.vertex(port), Vertex::Call(..)) {
                        self.before_call(port);
                    }
                }
            }
        }
    }

    /// Before a transition: what is live after it and not assigned, and what it reads.
    fn before_edge(&mut self, edge: &Edge, to: u32) {
        self.before.clear();
        self.before.extend_from_slice(self.words.of(to));
        for (var, _) in &edge.assignments {
            self.remove(*var);
        }
        for (var, lit) in &edge.assignments {
            if self.is_live(to, *var) {
                self.add_reads(*lit);
            }
        }
        self.add_reads(edge.guard);
    }

    /// At a callee's exit: the globals that are live after the return, and the outputs that some live
    /// variable takes.
    fn before_return(&mut self, port: u32, call: &CallBox) {
        let Some(exit) = self.flow.other_side(port) else { return };
        let globals = self.globals;
        self.clear(exit);
        let after = self.words.of(port);
        self.before.iter_mut().zip(globals_of(after, globals)).for_each(|(before, after)| *before = after);
        for target in call.results.iter().flatten().filter(|target| matches!(target, Var::Global(_))) {
            self.remove(*target);
        }
        let outputs = &self.ersm.procedure(call.callee).outputs;
        for (&output, target) in outputs.iter().zip(&call.results) {
            if target.is_some_and(|target| self.is_live(port, target)) {
                self.add(Var::Local(output));
            }
        }
        self.raise(exit);
    }

    /// At the call ports of a box, because of one of its return ports: the locals that are live after the return and take no
    /// result. (Globals pass through the callee.)
    fn over_call(&mut self, port: u32, call: &CallBox) {
        self.before.clear();
        self.before.extend_from_slice(self.words.of(port));
        for target in call.results.iter().flatten() {
            self.remove(*target);
        }
        let globals = self.globals;
        self.before[..globals / 64].fill(0);
        if !globals.is_multiple_of(64) {
            self.before[globals / 64] &= u64::MAX << (globals % 64);
        }
    }

    /// At a call port, because of the callee: the globals that are live at the entry, and what the arguments for its live inputs
    /// read.
    fn before_call(&mut self, port: u32) {
        let (flow, ersm) = (self.flow, self.ersm);
        let procedure = flow.procedure(port);
        let (Vertex::Call(site, _), Some(entry)) = (flow.vertex(port), flow.other_side(port)) else { return };
        let call = &ersm.procedure(procedure).boxes[site.index()];
        self.clear(port);
        let globals = self.globals;
        let inside = globals_of(self.words.of(entry), globals);
        self.before.iter_mut().zip(inside).for_each(|(before, inside)| *before |= inside);
        for (&input, argument) in ersm.procedure(call.callee).inputs.iter().zip(&call.arguments) {
            if self.is_live(entry, Var::Local(input)) {
                self.add_reads(*argument);
            }
        }
        self.raise(port);
    }

    /// An empty set for a vertex.
    fn clear(&mut self, vertex: u32) {
        let width = self.words.of(vertex).len();
        self.before.clear();
        self.before.resize(width, 0);
    }

    fn is_live(&self, vertex: u32, var: Var) -> bool {
        bit_of(self.globals, var).is_none_or(|bit| has(self.words.of(vertex), bit))
    }

    fn add(&mut self, var: Var) {
        if let Some(bit) = bit_of(self.globals, var) {
            self.before[bit / 64] |= 1 << (bit % 64);
        }
    }

    fn remove(&mut self, var: Var) {
        if let Some(bit) = bit_of(self.globals, var) {
            self.before[bit / 64] &= !(1 << (bit % 64));
        }
    }

    fn add_reads(&mut self, lit: epitome_encodings::Lit) {
        let reads = self.supports.of(lit);
        self.effort += reads.len();
        for &var in reads {
            if let Some(bit) = bit_of(self.globals, var) {
                self.before[bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    /// Adds the set `before` to what is live at a vertex.
    fn raise(&mut self, vertex: u32) {
        self.effort += 1 + self.before.len();
        if self.words.add(vertex, &self.before) {
            self.work.push(vertex);
        }
    }
}

/// The words that hold globals, without the locals in the last.
fn globals_of<'w>(words: &'w [u64], globals: usize) -> impl Iterator<Item = u64> + use<'w> {
    let kept = move |index: usize| if (index + 1) * 64 <= globals { u64::MAX } else { (1 << (globals % 64)) - 1 };
    words.iter().enumerate().take(globals.div_ceil(64)).map(move |(index, word)| word & kept(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NodeId;
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

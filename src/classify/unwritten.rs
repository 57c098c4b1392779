//! Which variables a procedure may read before it writes them, so that their initial values count.
//!
//! The values of locals leave a procedure by guards, globals, arguments and results alone, so one look at the
//! procedure is enough: backwards over its nodes and ports. An assignment to a local reads for what is
//! read later; everything else reads at once, a result if some call takes it. A call reads the globals that
//! the callee is concerned with. `model::Liveness`, which follows the globals through the whole machine,
//! finds a little less, for more than twice the work; more reads than there are only make a class less special.

use crate::model::{
    CallBox, CallGraph, Edge, Ersm, Footprint, Initial, Lists, NodeId, ProcId, Procedure, Supports, Var, Vertex, Work,
};
use epitome_encodings::Lit;

/// Words and reads looked at, at most, in all.
const MOST_WORK: usize = 1_000_000_000;

/// Answers for one procedure after the other.
pub(super) struct Unwritten<'e> {
    ersm: &'e Ersm,
    footprints: &'e [Option<Footprint>],
    supports: Supports<'e>,
    /// By procedure, whether each of its outputs is taken by some call.
    taken: Vec<Box<[bool]>>,
    work: usize,
}

impl<'e> Unwritten<'e> {
    pub(super) fn new(ersm: &'e Ersm, calls: &CallGraph, footprints: &'e [Option<Footprint>]) -> Unwritten<'e> {
        let mut taken: Vec<Box<[bool]>> = ersm.procedures.iter().map(|p| vec![false; p.outputs.len()].into()).collect();
        for call in calls.bottom_up.iter().flat_map(|id| &ersm.procedure(*id).boxes) {
            let outputs = taken[call.callee.index()].iter_mut().zip(&call.results);
            outputs.for_each(|(taken, target)| *taken |= target.is_some());
        }
        Unwritten { ersm, footprints, supports: Supports::new(&ersm.circuit), taken, work: MOST_WORK }
    }

    /// A call of the procedure may read a local that nobody gave a value.
    pub(super) fn reads_arbitrary_local(&mut self, id: ProcId) -> bool {
        let procedure = self.ersm.procedure(id);
        let is_open = |index: usize| {
            procedure.locals[index].initial == Initial::Arbitrary && !procedure.inputs.contains(&(index as u32))
        };
        let mut open = (0..procedure.locals.len()).filter(|index| is_open(*index)).peekable();
        if open.peek().is_none() {
            return false;
        }
        let read = self.read(id, &procedure.entries);
        open.any(|index| has(&read, self.ersm.globals.len() + index))
    }

    /// How many variables that start with any value may be read before they are written, from where a
    /// computation starts.
    pub(super) fn initial_bits(&mut self) -> usize {
        let ersm = self.ersm;
        let bits = |(id, node): &(ProcId, NodeId)| {
            let read = self.read(*id, &[*node]);
            let variables = ersm.globals.iter().chain(&ersm.procedure(*id).locals).enumerate();
            let arbitrary = variables.filter(|(_, variable)| variable.initial == Initial::Arbitrary);
            arbitrary.filter(|(bit, _)| has(&read, *bit)).count()
        };
        ersm.initial.iter().map(bits).max().unwrap_or(0)
    }

    /// What may be read before it is written from some of these nodes on, packed as by [`Ersm::bit`]. Empty if
    /// it is too much to find out; then everything counts.
    fn read(&mut self, id: ProcId, nodes: &[NodeId]) -> Vec<u64> {
        let procedure = self.ersm.procedure(id);
        let width = self.ersm.scope_size(id).div_ceil(64);
        let places = procedure.nodes.len() + 2 * procedure.boxes.len();
        if self.work < places * width {
            return Vec::new();
        }
        let (sets, before) = (vec![0; places * width], vec![0; width]);
        let mut search = Search { all: self, procedure, width, sets, before, work: Work::new(places) };
        if !search.solve(id) {
            return Vec::new();
        }
        let mut read = vec![0; width];
        for node in nodes {
            read.iter_mut().zip(search.set(node.index())).for_each(|(read, more)| *read |= more);
        }
        read
    }
}

fn has(set: &[u64], bit: usize) -> bool {
    set.get(bit / 64).is_none_or(|word| word >> (bit % 64) & 1 == 1)
}

/// The search in one procedure.
struct Search<'s, 'e> {
    all: &'s mut Unwritten<'e>,
    procedure: &'e Procedure,
    /// Words of a set.
    width: usize,
    /// By place what may be read from there on.
    sets: Vec<u64>,
    /// The same before a step.
    before: Vec<u64>,
    work: Work,
}

impl Search<'_, '_> {
    /// False if it is too much work.
    fn solve(&mut self, id: ProcId) -> bool {
        let procedure = self.procedure;
        let nodes = procedure.nodes.len();
        let places = nodes + 2 * procedure.boxes.len();
        let edges = || procedure.edges.iter().zip(0..);
        let entering = Lists::new(places, || edges().map(|(edge, index)| (place(procedure, edge.to), index)));
        for (output, taken) in procedure.outputs.iter().zip(self.all.taken[id.index()].clone()) {
            self.put(Var::Local(*output), taken);
        }
        procedure.exits.iter().for_each(|exit| self.raise(exit.index()));
        // Each once, for its own reads; the last are looked at first, and steps mostly lead down.
        (0..places as u32).for_each(|place| self.work.push(place));
        while let Some(at) = self.work.pop().map(|at| at as usize) {
            for index in entering.of(at as u32) {
                self.before_edge(&procedure.edges[*index as usize], at);
            }
            if at >= nodes && (at - nodes) % 2 == 1 {
                self.before_call(&procedure.boxes[(at - nodes) / 2], at);
            }
            if self.all.work == 0 {
                return false;
            }
        }
        true
    }

    fn set(&self, place: usize) -> &[u64] {
        &self.sets[place * self.width..(place + 1) * self.width]
    }

    fn before_edge(&mut self, edge: &Edge, to: usize) {
        self.begin(to);
        edge.assignments.iter().for_each(|(var, _)| self.put(*var, false));
        for (var, lit) in &edge.assignments {
            if matches!(var, Var::Global(_)) || has(self.set(to), self.all.ersm.bit(*var)) {
                self.add_reads(*lit);
            }
        }
        self.add_reads(edge.guard);
        self.raise(place(self.procedure, edge.from) as usize);
    }

    /// From the return of a box to its call, which is the place before.
    fn before_call(&mut self, call: &CallBox, back: usize) {
        self.begin(back);
        call.results.iter().flatten().for_each(|target| self.put(*target, false));
        call.arguments.iter().for_each(|lit| self.add_reads(*lit));
        match &self.all.footprints[call.callee.index()] {
            Some(footprint) => footprint.used.iter().for_each(|global| self.put(Var::Global(*global), true)),
            None => (0..self.all.ersm.globals.len() as u32).for_each(|global| self.put(Var::Global(global), true)),
        }
        self.raise(back - 1);
    }

    /// What is read after a step, for a start.
    fn begin(&mut self, to: usize) {
        self.before.copy_from_slice(&self.sets[to * self.width..(to + 1) * self.width]);
    }

    fn put(&mut self, var: Var, read: bool) {
        let bit = self.all.ersm.bit(var);
        let word = &mut self.before[bit / 64];
        *word = *word & !(1 << (bit % 64)) | u64::from(read) << (bit % 64);
    }

    fn add_reads(&mut self, lit: Lit) {
        let Unwritten { ersm, supports, work, .. } = &mut *self.all;
        let reads = supports.of(lit);
        reads.iter().map(|var| ersm.bit(*var)).for_each(|bit| self.before[bit / 64] |= 1 << (bit % 64));
        *work = work.saturating_sub(reads.len());
    }

    /// Adds the set `before` to that of a place.
    fn raise(&mut self, place: usize) {
        self.all.work = self.all.work.saturating_sub(1 + self.width);
        let mut changed = false;
        for (known, more) in self.sets[place * self.width..].iter_mut().zip(&self.before) {
            changed |= more & !*known != 0;
            *known |= more;
        }
        if changed {
            self.work.push(place as u32);
        }
    }
}

/// Nodes, then for each box its call and its return: its ports are not told apart.
fn place(procedure: &Procedure, vertex: Vertex) -> u32 {
    let nodes = procedure.nodes.len() as u32;
    match vertex {
        Vertex::Node(node) => node.0,
        Vertex::Call(site, _) => nodes + 2 * site.0,
        Vertex::Return(site, _) => nodes + 2 * site.0 + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{build_bp, footprints};
    use crate::syntax::{Source, bp};

    /// Whether `p`, procedure 1, reads a local that nobody gave a value, and the bits that `main` starts with.
    fn answers(text: &str) -> (bool, usize) {
        let source = Source::new("t.bp", text);
        let (program, _) = bp::parse(&source).unwrap_or_else(|e| panic!("{}", e[0].render(&source)));
        let (ersm, _) = build_bp(&program);
        let calls = CallGraph::new(&ersm);
        let footprints = footprints(&ersm, &calls);
        let mut unwritten = Unwritten::new(&ersm, &calls, &footprints);
        (unwritten.reads_arbitrary_local(ProcId(1)), unwritten.initial_bits())
    }

    /// Globals and parameters of `main` count, what is written first or never read does not.
    #[test]
    fn initial_values() {
        let text =
            "decl a, b, c, d := 0; void main(x, y) begin decl u, v; u := a; b := 0; v := u & x; p(); assert(v | d); end
                    void p() begin decl l; l := b; if (l & c) then skip; fi end";
        assert_eq!(answers(text), (false, 3)); // a, x, c
    }

    #[test]
    fn locals_of_a_callee() {
        let p = |locals: &str, body: &str| {
            let text = format!(
                "decl g; void main() begin decl x; x := p(0); assert(x); end bool p(a) begin {locals} {body} end"
            );
            answers(&text).0
        };
        assert!(!p("decl l;", "l := a; while (*) do l := !l; od return l;"));
        assert!(p("decl l;", "while (*) do l := a; od return l;"));
        assert!(p("decl l;", "g := l; return a;"));
        assert!(!p("decl l, m;", "m := l; l := m; return a;"));
        assert!(!p("decl l := 0;", "return l;"));
        // Without a `return` the result is arbitrary, and taken.
        assert!(p("", "skip;"));
    }
}

//! Which locals of a procedure are live where it is entered: may be read before they are written
//! (Ball 3.3, live ranges). An arbitrary local that is not live at the entry cannot influence a run.

use super::ersm::{Edge, Ersm, Leaf, ProcId, Procedure, Vertex};
use crate::syntax::Var;
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;

/// For each local variable, whether it is live at some entry of the procedure.
pub fn live_at_entry(ersm: &Ersm, procedure: ProcId) -> Vec<bool> {
    let mut analysis = Liveness::new(ersm, ersm.procedure(procedure));
    analysis.solve();
    let mut live = vec![false; analysis.locals];
    for entry in &analysis.procedure.entries {
        for (local, live) in live.iter_mut().enumerate() {
            *live |= analysis.live.get(&Vertex::Node(*entry)).is_some_and(|set| set[local]);
        }
    }
    live
}

struct Liveness<'e> {
    ersm: &'e Ersm,
    procedure: &'e Procedure,
    locals: usize,
    live: FxHashMap<Vertex, Vec<bool>>,
    /// Transitions into each vertex.
    into: FxHashMap<Vertex, Vec<usize>>,
}

impl<'e> Liveness<'e> {
    fn new(ersm: &'e Ersm, procedure: &'e Procedure) -> Liveness<'e> {
        let mut into: FxHashMap<Vertex, Vec<usize>> = FxHashMap::default();
        for (index, edge) in procedure.edges.iter().enumerate() {
            into.entry(edge.to).or_default().push(index);
        }
        Liveness { ersm, procedure, locals: procedure.locals.len(), live: FxHashMap::default(), into }
    }

    fn solve(&mut self) {
        let mut work: Vec<Vertex> = Vec::new();
        for exit in &self.procedure.exits {
            let mut live = vec![false; self.locals];
            for &output in &self.procedure.outputs {
                live[output as usize] = true;
            }
            self.live.insert(Vertex::Node(*exit), live);
            work.push(Vertex::Node(*exit));
        }
        // Every vertex is looked at once even if nothing is live after it, for its own reads.
        work.extend(self.into.keys().copied());
        work.sort_unstable();
        work.dedup();
        while let Some(vertex) = work.pop() {
            for index in self.into.get(&vertex).cloned().unwrap_or_default() {
                let edge = &self.procedure.edges[index];
                let before = self.before(edge);
                self.raise(edge.from, before, &mut work);
            }
        }
    }

    /// What is live before a transition, given what is live after it.
    fn before(&self, edge: &Edge) -> Vec<bool> {
        let mut live = match edge.to {
            Vertex::Call(site, _) => self.before_call(site),
            to => self.live.get(&to).cloned().unwrap_or_else(|| vec![false; self.locals]),
        };
        for (var, _) in &edge.assignments {
            if let Var::Local(index) = var {
                live[*index as usize] = false;
            }
        }
        let reads = edge.assignments.iter().map(|(_, lit)| *lit).chain([edge.guard]);
        add_reads(&self.ersm.circuit, reads, &mut live);
        live
    }

    /// What is live before a call: its arguments, and what is live after it less its results.
    fn before_call(&self, site: super::BoxId) -> Vec<bool> {
        let call = &self.procedure.boxes[site.index()];
        let mut live = vec![false; self.locals];
        for exit in 0..self.ersm.procedure(call.callee).exits.len() as u32 {
            if let Some(after) = self.live.get(&Vertex::Return(site, exit)) {
                live.iter_mut().zip(after).for_each(|(live, after)| *live |= after);
            }
        }
        for target in call.results.iter().flatten() {
            if let Var::Local(index) = target {
                live[*index as usize] = false;
            }
        }
        add_reads(&self.ersm.circuit, call.arguments.iter().copied(), &mut live);
        live
    }

    fn raise(&mut self, vertex: Vertex, live: Vec<bool>, work: &mut Vec<Vertex>) {
        let known = self.live.entry(vertex).or_insert_with(|| vec![false; live.len()]);
        let mut changed = false;
        for (known, live) in known.iter_mut().zip(live) {
            changed |= live && !*known;
            *known |= live;
        }
        if changed {
            // What is live at a return port is live at the call ports of its box.
            if let Vertex::Return(site, _) = vertex {
                let callee = self.ersm.procedure(self.procedure.boxes[site.index()].callee);
                work.extend((0..callee.entries.len() as u32).map(|entry| Vertex::Call(site, entry)));
            } else {
                work.push(vertex);
            }
        }
    }
}

fn add_reads(circuit: &Circuit, lits: impl Iterator<Item = Lit>, live: &mut [bool]) {
    for number in circuit.support(lits.filter(|lit| lit.as_constant().is_none())) {
        if let Leaf::Var(Var::Local(index)) = Leaf::from_number(number)
            && let Some(live) = live.get_mut(index as usize)
        {
            *live = true;
        }
    }
}

//! Machines without variables: reachability in O(n·theta²) (Alur-RSM 3.1).
//!
//! For each component one relation: from its entries to its vertices where it has no more entries than
//! exits (computed forward), from its vertices to its exits where it has fewer exits (computed
//! backward). The rules of the paper are applied with a worklist; both kinds of component report
//! which entries reach which exits, and that is all they need to know of each other. With these
//! summaries the reachable vertices are found by one breadth-first search (the paper's graph H).
//!
//! Which atoms are known is kept in rows of bits (the paper's suggestion for its relations), of which only
//! those parts exist in which a bit is set: most attempts to derive an atom find that it is known already.
//! So the rules are applied in rounds, to all new atoms of a vertex at once, whose row goes to the row of the
//! next vertex a word at a time. A round has the atoms that the last one derived: what takes fewer steps is
//! derived first, as it would be one by one.
//!
//! Each derived atom remembers what it was derived from, so that the inside of a call can be written
//! out as a path; derivations refer to earlier atoms only, hence they end.

use super::batches::{Batch, Batches, Row};
use super::graph::{At, Graph, VertexId};
use crate::engine::watch::Watch;
use crate::limits::Reason;
use crate::model::{Fragment, FragmentId, Run, Vertex};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

pub(super) const NONE: u32 = u32::MAX;

/// What an atom was derived from. The other atom has the same component and anchor.
#[derive(Clone, Copy)]
enum Why {
    /// An entry reaches itself, an exit is reached from itself.
    Start,
    /// One transition from (or to) the other atom's vertex.
    Step(u32),
    /// A call from (or to) the other atom's vertex, through this summary.
    Call(u32, u32),
}

/// "Anchor reaches vertex" in an entry-bound component, "vertex reaches anchor" in an exit-bound one.
#[derive(Clone, Copy)]
pub(super) struct Atom {
    pub(super) anchor: VertexId,
    pub(super) vertex: VertexId,
    why: Why,
}

/// An entry that reaches an exit, by the atom that says so.
#[derive(Clone, Copy)]
pub(super) struct Summary {
    pub(super) entry: VertexId,
    pub(super) exit: VertexId,
    pub(super) atom: u32,
}

/// How the breadth-first search found a vertex.
#[derive(Clone, Copy)]
pub(super) enum Found {
    Start,
    Step(VertexId),
    /// Over a call, through this summary.
    Over(VertexId, u32),
    /// Into a call.
    Into(VertexId),
}

/// The relations of all components.
pub(super) struct Components<'e> {
    pub(super) graph: &'e Graph<'e>,
    pub(super) atoms: Vec<Atom>,
    /// By vertex: the anchors with which it stands in an atom, by rank.
    known: Vec<Row>,
    /// By vertex: its place among the entries, or the exits, of its component, if it is an anchor there.
    rank: Vec<u32>,
    /// Anchors with which a vertex stands in an atom.
    pub(super) anchors: Vec<Vec<u32>>,
    pub(super) summaries: Vec<Summary>,
    /// Summaries by entry, by exit, and by the atom that says so.
    pub(super) from_entry: FxHashMap<VertexId, Vec<u32>>,
    pub(super) to_exit: FxHashMap<VertexId, Vec<u32>>,
    pub(super) of_atom: FxHashMap<u32, u32>,
    pub(super) found: Vec<Option<Found>>,
}

impl<'e> Components<'e> {
    pub(super) fn new(graph: &'e Graph<'e>) -> Components<'e> {
        Components {
            graph,
            atoms: Vec::new(),
            known: vec![Row::default(); graph.len()],
            rank: vec![NONE; graph.len()],
            anchors: vec![Vec::new(); graph.len()],
            summaries: Vec::new(),
            from_entry: FxHashMap::default(),
            to_exit: FxHashMap::default(),
            of_atom: FxHashMap::default(),
            found: vec![None; graph.len()],
        }
    }

    pub(super) fn path_edges(&self) -> u64 {
        self.atoms.len() as u64
    }

    pub(super) fn summary_edges(&self) -> u64 {
        self.summaries.len() as u64
    }

    pub(super) fn bytes(&self) -> usize {
        self.atoms.capacity() * 20
            + self.known.iter().map(Row::bytes).sum::<usize>()
            + self.rank.capacity() * 4
            + self.anchors.capacity() * 28
            + self.summaries.capacity() * 12
    }

    /// Derives all summaries, then searches. The vertex that made the watch stop, if one did.
    pub(super) fn run(&mut self, watch: &mut Watch<'_>) -> Result<Option<VertexId>, Reason> {
        for component in 0..self.graph.components() {
            let starts = if self.graph.entry_bound(component) {
                self.graph.entries(component)
            } else {
                self.graph.exits(component)
            };
            for (rank, &start) in (0..).zip(starts) {
                self.rank[start as usize] = rank;
            }
            for &start in starts {
                self.derive(start, start, Why::Start);
            }
        }
        let mut batches = Batches::new(self.graph.len());
        let (mut done, mut looked) = (0, 0);
        while done < self.atoms.len() {
            let fresh = done..self.atoms.len();
            done = fresh.end;
            batches.fill(&self.atoms, fresh);
            while let Some(batch) = batches.next(&self.atoms, &self.rank) {
                self.apply(&batch);
                batches.give_back(batch);
                if self.atoms.len() >= looked {
                    watch.look(self.atoms.len() as u64, 0)?;
                    looked = self.atoms.len() + Watch::INTERVAL as usize;
                }
            }
        }
        self.search(watch)
    }

    /// Derives an atom with this vertex from each of the batch.
    fn derive_all(&mut self, batch: &Batch, vertex: VertexId, why: impl Fn(u32) -> Why) {
        for (block, bits) in batch.row.blocks() {
            let mut new = self.known[vertex as usize].add(block, bits);
            while new != 0 {
                let from = batch.by_rank[(block * 64 + new.trailing_zeros()) as usize];
                self.note(self.atoms[from as usize].anchor, vertex, why(from));
                new &= new - 1;
            }
        }
    }

    fn derive(&mut self, anchor: VertexId, vertex: VertexId, why: Why) {
        if self.known[vertex as usize].insert(self.rank[anchor as usize]) {
            self.note(anchor, vertex, why);
        }
    }

    /// An atom that is new.
    fn note(&mut self, anchor: VertexId, vertex: VertexId, why: Why) {
        let atom = self.atoms.len() as u32;
        self.atoms.push(Atom { anchor, vertex, why });
        self.anchors[vertex as usize].push(atom);
        let forward = self.graph.entry_bound(self.graph.component(vertex));
        let (entry, exit) = if forward { (anchor, vertex) } else { (vertex, anchor) };
        if self.graph.is_entry(entry) && self.graph.is_exit(exit) {
            self.summarize(Summary { entry, exit, atom });
        }
    }

    /// Rules 2 and 3 for new atoms of a vertex.
    fn apply(&mut self, batch: &Batch) {
        let (graph, vertex) = (self.graph, batch.vertex);
        if graph.entry_bound(graph.component(vertex)) {
            for &after in graph.successors(vertex) {
                self.derive_all(batch, after, Why::Step);
            }
            if let At::Call(site, entry) = graph.at(vertex) {
                for summary in self.from_entry.get(&entry).cloned().unwrap_or_default() {
                    if let Some(after) = graph.return_port(site, self.summaries[summary as usize].exit) {
                        self.derive_all(batch, after, |from| Why::Call(from, summary));
                    }
                }
            }
        } else {
            for &before in graph.predecessors(vertex) {
                self.derive_all(batch, before, Why::Step);
            }
            if let At::Return(site, exit) = graph.at(vertex) {
                for summary in self.to_exit.get(&exit).cloned().unwrap_or_default() {
                    if let Some(before) = graph.call_port(site, self.summaries[summary as usize].entry) {
                        self.derive_all(batch, before, |from| Why::Call(from, summary));
                    }
                }
            }
        }
    }

    /// A new summary: rule 3 for the atoms that wait for it at the boxes of its component.
    fn summarize(&mut self, summary: Summary) {
        let number = self.summaries.len() as u32;
        self.summaries.push(summary);
        self.from_entry.entry(summary.entry).or_default().push(number);
        self.to_exit.entry(summary.exit).or_default().push(number);
        self.of_atom.insert(summary.atom, number);
        let graph = self.graph;
        for &(call, site) in graph.calls_of(summary.entry) {
            let Some(back) = graph.return_port(site, summary.exit) else { continue };
            let (from, to) = if graph.entry_bound(graph.component(call)) { (call, back) } else { (back, call) };
            for atom in self.anchors[from as usize].clone() {
                let anchor = self.atoms[atom as usize].anchor;
                self.derive(anchor, to, Why::Call(atom, number));
            }
        }
    }

    /// Breadth-first search over transitions, calls and summaries. Only transitions are steps; entering a
    /// procedure and stepping over a call through a summary are not, nor is the way from a call statement
    /// to its own box. A vertex is settled when it is taken from the queue.
    fn search(&mut self, watch: &mut Watch<'_>) -> Result<Option<VertexId>, Reason> {
        let graph = self.graph;
        let mut queue: VecDeque<(VertexId, Found)> =
            graph.initial().iter().map(|&start| (start, Found::Start)).collect();
        let mut settled: u32 = 0;
        while let Some((vertex, how)) = queue.pop_front() {
            if self.found[vertex as usize].is_some() {
                continue;
            }
            self.found[vertex as usize] = Some(how);
            settled += 1;
            if settled.is_multiple_of(Watch::INTERVAL) {
                watch.check(0)?;
            }
            let calls = matches!(graph.at(vertex), At::Call(_, entry) if watch.wants_call(graph.procedure(entry)));
            if calls || graph.node_place(vertex).is_some_and(|place| watch.reach(place)) {
                return Ok(Some(vertex));
            }
            for (after, how) in self.steps(vertex) {
                if self.found[after as usize].is_none() {
                    let step = matches!(how, Found::Step(_)) && !graph.is_call_statement(after);
                    if step { queue.push_back((after, how)) } else { queue.push_front((after, how)) }
                }
            }
        }
        Ok(None)
    }

    /// Where a vertex leads.
    fn steps(&self, vertex: VertexId) -> Vec<(VertexId, Found)> {
        let graph = self.graph;
        let mut steps: Vec<(VertexId, Found)> =
            graph.successors(vertex).iter().map(|&after| (after, Found::Step(vertex))).collect();
        if let At::Call(site, entry) = graph.at(vertex) {
            steps.push((entry, Found::Into(vertex)));
            for &summary in self.from_entry.get(&entry).map_or(&[][..], |list| list) {
                let after = graph.return_port(site, self.summaries[summary as usize].exit);
                steps.extend(after.map(|after| (after, Found::Over(vertex, summary))));
            }
        }
        steps
    }

    /// The run that leads to a vertex.
    pub(super) fn run_to(&self, last: VertexId) -> Run<Vertex> {
        let mut writer = Writer { components: self, fragments: Vec::new(), known: vec![NONE; self.summaries.len()] };
        let mut path: Vec<(VertexId, Option<u32>)> = vec![(last, None)];
        let mut inside = None;
        let mut vertex = last;
        loop {
            match self.found[vertex as usize] {
                Some(Found::Step(before)) => vertex = before,
                Some(Found::Over(before, summary)) => {
                    writer.write(summary);
                    path.push((before, Some(summary)));
                    vertex = before;
                    continue;
                }
                Some(Found::Into(before)) => {
                    inside = Some(writer.close(&path, inside));
                    path = vec![(before, None)];
                    vertex = before;
                    continue;
                }
                Some(Found::Start) | None => break,
            }
            path.push((vertex, None));
        }
        writer.close(&path, inside);
        Run { fragments: writer.fragments }
    }
}

/// Writes fragments, each summary's once.
struct Writer<'c, 'e> {
    components: &'c Components<'e>,
    fragments: Vec<Fragment<Vertex>>,
    /// Fragment of each summary.
    known: Vec<u32>,
}

impl Writer<'_, '_> {
    /// Writes the inside of a summary, and whatever is inside it, first.
    fn write(&mut self, summary: u32) {
        // Summaries in progress, with their paths and how far these are known to be written.
        let mut stack = vec![(summary, self.path(summary), 0)];
        while let Some((top, path, done)) = stack.last_mut() {
            let missing = path[*done..]
                .iter()
                .position(|(_, inside)| inside.is_some_and(|inside| self.known[inside as usize] == NONE));
            match missing {
                _ if self.known[*top as usize] != NONE => {}
                Some(place) => {
                    *done += place;
                    if let Some(inside) = path[*done].1 {
                        stack.push((inside, self.path(inside), 0));
                        continue;
                    }
                }
                None => {
                    let (top, mut path) = (*top, std::mem::take(path));
                    path.reverse();
                    self.known[top as usize] = self.close(&path, None).0;
                }
            }
            stack.pop();
        }
    }

    /// Vertices from a summary's entry to its exit, with the summary used after each.
    fn path(&self, summary: u32) -> Vec<(VertexId, Option<u32>)> {
        let Components { atoms, graph, summaries, .. } = self.components;
        let mut path = Vec::new();
        let mut atom = &atoms[summaries[summary as usize].atom as usize];
        let forward = graph.entry_bound(graph.component(atom.vertex));
        // Forward atoms are walked from the exit back, backward atoms from the entry on.
        let mut inside = None;
        loop {
            let (before, used) = match atom.why {
                Why::Start => (None, None),
                Why::Step(other) => (Some(other), None),
                Why::Call(other, used) => (Some(other), Some(used)),
            };
            if forward {
                path.push((atom.vertex, inside));
                inside = used;
            } else {
                path.push((atom.vertex, used));
            }
            match before {
                Some(other) => atom = &atoms[other as usize],
                None => break,
            }
        }
        if forward {
            path.reverse();
        }
        path
    }

    /// Writes a path given from its last vertex to its first; `inside` is the call after the last.
    fn close(&mut self, path: &[(VertexId, Option<u32>)], inside: Option<FragmentId>) -> FragmentId {
        let graph = self.components.graph;
        let mut fragment = Fragment::new(path.last().map_or(0, |(vertex, _)| graph.component(*vertex) as u32), 0);
        for (place, &(vertex, summary)) in path.iter().enumerate().rev() {
            let inside = if place == 0 { inside } else { summary.map(|s| FragmentId(self.known[s as usize])) };
            match graph.vertex(vertex) {
                Vertex::Return(..) => {}
                vertex => fragment.push(vertex, &[], inside),
            }
        }
        self.fragments.push(fragment);
        FragmentId(self.fragments.len() as u32 - 1)
    }
}

//! What is compiled of the procedures that a run visits: passages, arguments, how activations start.
//!
//! Procedures that are alike, in the original machine and in what became of them, are one; so are passages
//! that do the same. Everything is made when the run first asks for it: a run of a program of a hundred
//! thousand procedures may visit three of them.

use super::maps::{Maps, inverse};
use super::passage::{Packing, Passage, get, set};
use super::{Fault, State};
use crate::model::{BoxId, Edge, Ersm, Fragment, Initial, NodeId, Owner, Procedure, Var, Vertex};
use crate::reduce::Back;
use crate::reduce::symbolic::{Region, Source, To};
use epitome_encodings::{Lit, Substitution};
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// All procedures of the reduced machine.
pub(super) struct Scopes<'r> {
    pub(super) maps: Maps<'r>,
    passages: Passages<'r>,
    visited: Visited<'r>,
}

/// The procedures that the run has visited.
struct Visited<'r> {
    scopes: Vec<Scope<'r>>,
    /// By procedure: its scope, if it has been visited.
    of: Vec<Option<usize>>,
    /// By signature.
    known: FxHashMap<Vec<u32>, usize>,
}

/// Compiled passages.
struct Passages<'r> {
    substitution: Substitution<'r>,
    /// By the signature of the region and the bits of its variables that the run tells.
    known: FxHashMap<(Vec<u32>, Vec<u32>), Rc<Passage>>,
}

/// A passage and the nodes that it may pass through.
type Between<'r> = (Rc<Passage>, &'r [NodeId]);

/// A procedure, and all that are like it.
struct Scope<'r> {
    /// By local of the original: the local here.
    locals: Vec<Option<u32>>,
    /// Transitions of the original, by source and target.
    edges: Vec<&'r Edge>,
    /// By node: which exit it is.
    exits: FxHashMap<NodeId, u32>,
    /// By vertex where a step begins and vertex where it ends.
    passages: FxHashMap<(Vertex, Vertex), Between<'r>>,
    /// By box, scope of the callee and entry.
    arguments: FxHashMap<(BoxId, usize, Vertex), Rc<Passage>>,
    /// By entry.
    starts: FxHashMap<Vertex, Start>,
}

/// How an activation starts: the fixed locals, and bits that the run tells (there and here).
struct Start {
    state: State,
    told: Vec<(usize, usize)>,
}

impl<'r> Scopes<'r> {
    pub(super) fn new(original: &'r Ersm, reduced: &'r Ersm, back: &'r Back) -> Scopes<'r> {
        let visited =
            Visited { scopes: Vec::new(), of: vec![None; reduced.procedures.len()], known: FxHashMap::default() };
        let passages = Passages { substitution: Substitution::new(&original.circuit), known: FxHashMap::default() };
        Scopes { maps: Maps::new(original, reduced, back), passages, visited }
    }

    fn scope(&mut self, procedure: u32) -> Result<&mut Scope<'r>, Fault> {
        self.visited.scope(&self.maps, procedure)
    }

    /// The state in which an activation starts, but for globals and arguments.
    pub(super) fn enter(&mut self, fragment: &Fragment<Vertex>) -> Result<State, Fault> {
        let (procedure, entry) = (fragment.procedure, *fragment.place(0));
        let scope = self.visited.scope(&self.maps, procedure)?;
        let original = self.maps.procedure(procedure).ok_or(Fault::Malformed)?;
        let Scope { starts, locals, .. } = scope;
        let start = starts.entry(entry).or_insert_with(|| {
            let told = |var| self.maps.told(procedure, locals, entry, var);
            Start::new(self.maps.original, original, &told)
        });
        let mut state = start.state.clone();
        for &(there, here) in &start.told {
            set(&mut state, there, get(fragment.state(0), here));
        }
        Ok(state)
    }

    /// Comes back from a call: globals and results, and the return port (of the reduced machine).
    pub(super) fn leave(
        &mut self,
        (caller, site): (u32, BoxId),
        inside: &Fragment<Vertex>,
        exit: &[u64],
        state: &mut [u64],
    ) -> Result<Vertex, Fault> {
        let Vertex::Node(last) = *inside.place(inside.len() - 1) else { return Err(Fault::Malformed) };
        let position = *self.scope(inside.procedure)?.exits.get(&last).ok_or(Fault::Malformed)?;
        let callee = self.maps.procedure(inside.procedure).ok_or(Fault::Malformed)?;
        let call = self.maps.call_box(caller, site).ok_or(Fault::Malformed)?;
        self.maps.pass_globals(exit, state);
        let bit = |var| self.maps.original.bit(var);
        for (&output, target) in callee.outputs.iter().zip(&call.results) {
            if let Some(target) = *target {
                set(state, bit(target), get(exit, bit(Var::Local(output))));
            }
        }
        Ok(Vertex::Return(site, position))
    }

    /// The passage between two vertices of the reduced machine, and the nodes between.
    pub(super) fn passage(
        &mut self,
        procedure: u32,
        from: Vertex,
        to: Vertex,
    ) -> Result<(&Passage, &'r [NodeId]), Fault> {
        let Scopes { maps, passages, visited } = self;
        let scope = visited.scope(maps, procedure)?;
        if !scope.passages.contains_key(&(from, to)) {
            let passage = scope.compile(maps, passages, (procedure, from, to))?;
            scope.passages.insert((from, to), passage);
        }
        scope.passages.get(&(from, to)).map(|(passage, inner)| (&**passage, *inner)).ok_or(Fault::Malformed)
    }

    /// The arguments of a call: a passage from the caller's state to the callee's inputs.
    pub(super) fn arguments(&mut self, caller: u32, site: BoxId, inside: &Fragment<Vertex>) -> Result<&Passage, Fault> {
        let key = (site, self.visited.visit(&self.maps, inside.procedure)?, *inside.place(0));
        if !self.scope(caller)?.arguments.contains_key(&key) {
            let passage = self.compile_arguments(caller, site, inside)?;
            self.scope(caller)?.arguments.insert(key, passage);
        }
        self.scope(caller)?.arguments.get(&key).map(|passage| &**passage).ok_or(Fault::Malformed)
    }

    fn compile_arguments(&mut self, caller: u32, site: BoxId, inside: &Fragment<Vertex>) -> Result<Rc<Passage>, Fault> {
        let Scopes { maps, passages, visited } = self;
        let (procedure, entry) = (inside.procedure, *inside.place(0));
        let call = maps.call_box(caller, site).ok_or(Fault::Malformed)?;
        let callee = maps.procedure(procedure).ok_or(Fault::Malformed)?;
        let inputs = callee.inputs.iter().map(|&input| Var::Local(input));
        // As a transition: it reads the caller's variables and writes the callee's.
        let edge = Edge {
            from: entry,
            to: entry,
            guard: Lit::TRUE,
            assignments: inputs.zip(call.arguments.iter().copied()).collect(),
            choices: call.choices.clone(),
            label: None,
            span: callee.span,
        };
        let source = Source { owner: Owner::System, edges: vec![(&edge, To::End(0))] };
        let region = Region { sources: vec![source], ends: 1 };
        let locals = &visited.scope(maps, procedure)?.locals;
        let packing =
            Packing { bit: &|var| maps.original.bit(var), told: &|var| maps.told(procedure, locals, entry, var) };
        passages.get(&region, &packing)
    }
}

impl Passages<'_> {
    fn get(&mut self, region: &Region<'_>, packing: &Packing<'_>) -> Result<Rc<Passage>, Fault> {
        let edges = region.sources.iter().flat_map(|source| &source.edges);
        let vars = edges.flat_map(|(edge, _)| edge.assignments.iter().map(|(var, _)| *var));
        let told = vars.map(|var| (packing.told)(var).map_or(0, |bit| bit as u32 + 1)).collect();
        let key = (region.signature(), told);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let passage = Rc::new(Passage::new(region, &mut self.substitution, packing).ok_or(Fault::NoWay)?);
        self.known.insert(key, passage.clone());
        Ok(passage)
    }
}

impl<'r> Visited<'r> {
    fn scope(&mut self, maps: &Maps<'r>, procedure: u32) -> Result<&mut Scope<'r>, Fault> {
        let scope = self.visit(maps, procedure)?;
        Ok(&mut self.scopes[scope])
    }

    /// The place of a procedure's scope, which is made at the first visit of one like it.
    fn visit(&mut self, maps: &Maps<'r>, procedure: u32) -> Result<usize, Fault> {
        let slot = self.of.get_mut(procedure as usize).ok_or(Fault::Malformed)?;
        if let Some(scope) = *slot {
            return Ok(scope);
        }
        let scope = match self.known.entry(maps.signature(procedure).ok_or(Fault::Malformed)?) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.scopes.push(Scope::new(maps, procedure).ok_or(Fault::Malformed)?);
                *new.insert(self.scopes.len() - 1)
            }
        };
        *slot = Some(scope);
        Ok(scope)
    }
}

impl Start {
    fn new(ersm: &Ersm, procedure: &Procedure, run_tells: &dyn Fn(Var) -> Option<usize>) -> Start {
        let mut state: State = smallvec![0; (ersm.globals.len() + procedure.locals.len()).div_ceil(64)];
        let mut told = Vec::new();
        for (index, local) in procedure.locals.iter().enumerate() {
            let var = Var::Local(index as u32);
            match local.initial {
                Initial::Fixed(value) => set(&mut state, ersm.bit(var), value),
                Initial::Arbitrary => told.extend(run_tells(var).map(|here| (ersm.bit(var), here))),
            }
        }
        Start { state, told }
    }
}

impl<'r> Scope<'r> {
    fn new(maps: &Maps<'r>, procedure: u32) -> Option<Scope<'r>> {
        let original = maps.procedure(procedure)?;
        let reduced = maps.reduced.procedures.get(procedure as usize)?;
        let mut edges: Vec<&Edge> = original.edges.iter().collect();
        edges.sort_by_key(|edge| (edge.from, edge.to));
        Some(Scope {
            locals: inverse(&maps.way_back(procedure)?.locals, original.locals.len()),
            edges,
            exits: reduced.exits.iter().copied().zip(0..).collect(),
            passages: FxHashMap::default(),
            arguments: FxHashMap::default(),
            starts: FxHashMap::default(),
        })
    }

    fn compile(
        &self,
        maps: &Maps<'r>,
        passages: &mut Passages<'r>,
        (procedure, from, to): (u32, Vertex, Vertex),
    ) -> Result<Between<'r>, Fault> {
        let back = maps.way_back(procedure).ok_or(Fault::Malformed)?;
        let start = maps.vertex(procedure, from).ok_or(Fault::Malformed)?;
        let end = maps.vertex(procedure, to).ok_or(Fault::Malformed)?;
        let inner: &'r [NodeId] = back.inner.get(from).unwrap_or(&[]);
        let packing =
            Packing { bit: &|var| maps.original.bit(var), told: &|var| maps.told(procedure, &self.locals, to, var) };
        Ok((passages.get(&self.region(start, inner, end), &packing)?, inner))
    }

    /// The transitions from a vertex through these nodes to another, less those that do not lead there.
    fn region(&self, start: Vertex, inner: &[NodeId], end: Vertex) -> Region<'r> {
        let mut places: FxHashMap<Vertex, usize> = FxHashMap::default();
        places.extend(inner.iter().enumerate().map(|(index, node)| (Vertex::Node(*node), index + 1)));
        let mut sources: Vec<Source<'r>> = Vec::new();
        let mut leads = vec![false; inner.len() + 1];
        for index in (0..=inner.len()).rev() {
            let from = if index == 0 { start } else { Vertex::Node(inner[index - 1]) };
            let mut edges: Vec<(&Edge, To)> = Vec::new();
            for &edge in self.leaving(from, inner.is_empty().then_some(end)) {
                match places.get(&edge.to) {
                    _ if edge.to == end => edges.push((edge, To::End(0))),
                    Some(&next) if next > index && leads[next] => edges.push((edge, To::Source(next))),
                    _ => {}
                }
            }
            leads[index] = !edges.is_empty();
            sources.push(Source { owner: Owner::System, edges });
        }
        sources.reverse();
        Region { sources, ends: 1 }
    }

    /// The transitions that leave a vertex, to anywhere or to one other.
    fn leaving(&self, from: Vertex, to: Option<Vertex>) -> &[&'r Edge] {
        let compare =
            |edge: &Edge| edge.from.cmp(&from).then(to.map_or(std::cmp::Ordering::Equal, |to| edge.to.cmp(&to)));
        let first = self.edges.partition_point(|edge| compare(edge).is_lt());
        let last = self.edges.partition_point(|edge| compare(edge).is_le());
        &self.edges[first..last]
    }
}

//! From path edges to a run: activations are traced back from their ends, and the inside of each
//! completed call becomes one fragment for each path edge at an exit.
//!
//! The outermost activations are traced in the search that found the target (in rings, if runs are to
//! be short), the insides of calls in the search that found the summaries: there every summary came from
//! earlier ones, so that a recursive call is never explained by itself.

use super::explain::{Edge, Explainer};
use super::machine::VertexId;
use super::point::{Bits, Point};
use super::rounds::Rounds;
use super::search::{Search, Stop};
use super::table::Cause;
use crate::limits::Limits;
use crate::model::{Fragment, FragmentId, Run, Vertex};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Places between two looks at the limits.
const INTERVAL: usize = 1024;

/// One activation, from its last place back to its entry.
struct Activation {
    places: Vec<(VertexId, Bits)>,
    /// Places of the list at which a call is made that returns, and the callee's path edge at its exit.
    calls: Vec<(usize, Edge)>,
    entry: Edge,
}

struct Builder<'x, 'e> {
    explainer: Explainer<'x, 'e>,
    fragments: Vec<Fragment<Vertex>>,
    known: FxHashMap<(VertexId, Point), FragmentId>,
    steps: usize,
}

/// The run to the path edges that were found last at a vertex.
pub(super) fn run_to(search: &Search<'_, '_>, vertex: VertexId, limits: &Limits) -> Result<Run<Vertex>, Stop> {
    let explainer = Explainer::new(search.machine, limits);
    let mut builder = Builder { explainer, fragments: Vec::new(), known: FxHashMap::default(), steps: 0 };
    let last = search.table.additions[vertex as usize].len().checked_sub(1).ok_or(Stop::Unexplained)?;
    let mut edge = builder.explainer.pick(search, vertex, last as u32)?;
    let mut inside = None;
    loop {
        let activation = builder.trace_back(search, edge)?;
        let entry = activation.entry.clone();
        let id = builder.write(search.summarizer(), activation, inside)?;
        match cause(search, &entry) {
            Cause::Enter { call, additions } => {
                edge = builder.explainer.before_enter(search, &entry.point, *call, additions)?;
                inside = Some(id);
            }
            _ => return Ok(Run { fragments: builder.fragments }),
        }
    }
}

fn cause<'s>(search: &'s Search<'_, '_>, edge: &Edge) -> &'s Cause {
    &search.table.additions[edge.vertex as usize][edge.addition as usize].cause
}

/// An activation whose calls are being written.
struct Open {
    activation: Activation,
    /// Fragments of its calls, as far as they are written.
    insides: Vec<FragmentId>,
    key: Option<(VertexId, Point)>,
    last: Option<FragmentId>,
}

impl Builder<'_, '_> {
    /// Follows causes back to the entry of the activation.
    fn trace_back(&mut self, search: &Search<'_, '_>, last: Edge) -> Result<Activation, Stop> {
        let mut places = Vec::new();
        let mut calls = Vec::new();
        let mut edge = last;
        loop {
            self.steps += 1;
            if self.steps.is_multiple_of(INTERVAL) {
                self.explainer.limits.check(0).map_err(Stop::Limit)?;
            }
            places.push((edge.vertex, edge.point.now.clone()));
            edge = match cause(search, &edge) {
                Cause::Start | Cause::Enter { .. } => return Ok(Activation { places, calls, entry: edge }),
                Cause::Step { from, step, additions } => {
                    self.explainer.before_step(search, &edge.point, *from, *step, additions)?
                }
                Cause::Return { call, exit, summary, additions } => {
                    let ports = (*call, *exit);
                    let (before, inside) =
                        self.explainer.before_return(search, &edge.point, ports, summary, additions)?;
                    calls.push((places.len(), inside));
                    before
                }
                Cause::Loop { additions } => self.before_loops(search, &edge, additions, &mut places)?,
            };
        }
    }

    /// The path edge before the rounds of a loop; the rounds between become places.
    fn before_loops(
        &mut self,
        search: &Search<'_, '_>,
        edge: &Edge,
        additions: &Range<u32>,
        places: &mut Vec<(VertexId, Bits)>,
    ) -> Result<Edge, Stop> {
        let Some(closure) = search.closure(edge.vertex) else { return Err(Stop::Unexplained) };
        let (first, power) = self.explainer.before_loops(search, &edge.point, edge.vertex, closure, additions)?;
        let scope = self.explainer.scope(edge.vertex);
        let rounds = Rounds {
            machine: search.machine,
            vertex: edge.vertex,
            closure,
            scope: &scope,
            limits: self.explainer.limits,
        };
        let mut between = rounds.between(&first.point.now, &edge.point.now, power)?;
        between.pop();
        places.extend(between.into_iter().rev().map(|bits| (edge.vertex, bits)));
        Ok(first)
    }

    /// Writes the fragment of an activation, after those of the calls in it.
    fn write(
        &mut self,
        search: &Search<'_, '_>,
        activation: Activation,
        last: Option<FragmentId>,
    ) -> Result<FragmentId, Stop> {
        let mut stack = vec![Open { activation, insides: Vec::new(), key: None, last }];
        let mut written = FragmentId(0);
        while let Some(top) = stack.last_mut() {
            let Some((_, inside)) = top.activation.calls.get(top.insides.len()) else {
                if let Some(open) = stack.pop() {
                    written = self.close(open);
                }
                continue;
            };
            let key = (inside.vertex, inside.point.clone());
            if let Some(&known) = self.known.get(&key) {
                top.insides.push(known);
                continue;
            }
            let inside = inside.clone();
            let activation = self.trace_back(search, inside)?;
            stack.push(Open { activation, insides: Vec::new(), key: Some(key), last: None });
        }
        Ok(written)
    }

    fn close(&mut self, open: Open) -> FragmentId {
        let machine = self.explainer.machine;
        let Activation { places, calls, entry } = &open.activation;
        let procedure = machine.places[entry.vertex as usize].procedure;
        let variables = machine.ersm.scope_size(procedure);
        let width = variables.div_ceil(64);
        let mut fragment = Fragment::new(procedure.0, variables);
        let mut insides = calls.iter().zip(&open.insides).map(|((place, _), id)| (*place, *id)).rev().peekable();
        for (index, (vertex, bits)) in places.iter().enumerate().rev() {
            let vertex = machine.places[*vertex as usize].vertex;
            let inside = match insides.next_if(|(place, _)| *place == index) {
                Some((_, id)) => Some(id),
                None if index == 0 => open.last,
                None => None,
            };
            if !matches!(vertex, Vertex::Return(..)) {
                fragment.push(vertex, &bits.0[..width], inside);
            }
        }
        let id = FragmentId(self.fragments.len() as u32);
        self.fragments.push(fragment);
        if let Some(key) = open.key {
            self.known.insert(key, id);
        }
        id
    }
}

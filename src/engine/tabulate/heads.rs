//! Repeating heads over summary BDDs: accepting cycles of Alur-RSM's graph H (3.2, Lemmas 4 and 5), symbolically.
//!
//! The marked product is tabulated as for reachability. What is left of the path edges of a vertex without the values at the
//! entry are the states at it; steps between states are transitions, calls stepped over by their summaries, and, where the
//! stack may grow, calls entered. In this graph Emerson and Lei's fixpoint finds the states from which a run passes through
//! accepting states (and through entries, where the stack has to grow) again and again; it is empty if there is no such run.
//! Only vertices on cycles of vertices, and steps within their components, take part.
//!
//! A state of the fixpoint need not be on a cycle itself. So one is picked, and if it does not come back to itself by way of an
//! accepting state, the next one is picked among those that it leads to in that way, the last that are found first: each
//! is in a component further down, and the last component has the cycle.

use super::bdd::{Bdd, Halt, Made, Substitution};
use super::layout::Slot;
use super::machine::{Kind, Machine, VertexId};
use super::search::{Search, Stop, Way};
use super::transfer::Transfers;
use super::turns::Found;
use crate::engine::watch::Watch;
use crate::logic::Stack;
use crate::model::Vertex;
use crate::temporal::{Growth, Head, Marked};
use epitome_encodings::Components;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// Work of the first search, in any case and for each vertex, before procedures are summarized for all values instead.
const PATIENCE: u64 = 20_000;
const PATIENCE_BY_VERTEX: u64 = 50;

/// Looks for a head, after tabulation one way or the other.
pub(super) fn find_head(
    machine: &Machine<'_>,
    marked: &Marked,
    stack: Stack,
    watch: &mut Watch<'_>,
    found: &mut Found,
) -> Result<(), Stop> {
    let limit = watch.limits().patience();
    let patience = (PATIENCE + PATIENCE_BY_VERTEX * machine.places.len() as u64).min(limit);
    let mut demanded = Search::new(machine, Way::Demanded, false);
    demanded.start(watch)?;
    match demanded.run(patience, watch) {
        Ok(()) => return Graph::new(&demanded, marked)?.conclude(&demanded, stack, watch, found),
        Err(Stop::Impatient) => {}
        Err(stop) => return Err(stop),
    }
    drop(demanded);
    let mut summarizer = Search::new(machine, Way::Summarizing, false);
    summarizer.start(watch)?;
    summarizer.run(limit, watch)?;
    let enter = vec![true; machine.ersm.procedures.len()];
    let mut walk = Search::new(machine, Way::Walking { known: &summarizer, enter: &enter }, false);
    walk.start(watch)?;
    walk.run(limit, watch)?;
    Graph::new(&walk, marked)?.conclude(&walk, stack, watch, found)
}

/// States by vertex, over the values now.
type States = Vec<Bdd>;

/// A step of the graph, besides the vertices it connects.
#[derive(Clone, Copy)]
enum How {
    /// The transition with this place in the list of the vertex it leaves.
    Step(u32),
    /// Over the call, by the summary of this exit.
    Over(VertexId),
    /// Into the call.
    Into,
}

/// A step from or to a vertex.
type Link = (VertexId, How);

/// How states are put back to before a change of some slots.
type Retreat = Rc<(Substitution, Bdd)>;

struct Graph<'h, 'e> {
    machine: &'h Machine<'e>,
    /// By exit.
    summaries: &'h [Bdd],
    marked: &'h Marked,
    reached: States,
    accepting: States,
    leaving: Vec<Vec<Link>>,
    arriving: Vec<Vec<Link>>,
    retreats: FxHashMap<Box<[Slot]>, Retreat>,
    /// By call vertex: what undoes entering the callee.
    entrances: FxHashMap<VertexId, Rc<Entrance>>,
    choices: Bdd,
    /// What becomes of the stack in the cycles that are looked for.
    growth: Growth,
    /// The component of each vertex, if it is on a cycle of vertices: steps that lead out of it are on no cycle of states.
    component: Vec<Option<u32>>,
    /// The last vertex to which something was added.
    last: Option<VertexId>,
}

/// What the caller's values must be for the callee to begin with given ones.
struct Entrance {
    /// Locals of the callee that are not inputs.
    chosen: Bdd,
    /// Inputs are what the arguments are.
    arguments: Substitution,
}

impl<'h, 'e> Graph<'h, 'e> {
    fn new(search: &'h Search<'h, 'e>, marked: &'h Marked) -> Result<Graph<'h, 'e>, Stop> {
        let machine = search.machine;
        let (store, layout) = (machine.store, machine.layout);
        let entries = (0..layout.slots).map(|slot| layout.entry(slot));
        let before = store.variables(entries.chain((0..layout.tags).map(|bit| layout.tag(bit))))?;
        let reached: Result<States, Halt> = search.table.paths.iter().map(|set| store.exists(set, &before)).collect();
        let mut transfers = Transfers::new(machine.ersm, store, layout);
        let accepts = transfers.function(marked.accepting, &FxHashMap::default())?;
        let mut graph = Graph {
            machine,
            summaries: &search.summarizer().summaries,
            marked,
            reached: reached?,
            accepting: Vec::new(),
            leaving: vec![Vec::new(); machine.places.len()],
            arriving: vec![Vec::new(); machine.places.len()],
            retreats: FxHashMap::default(),
            entrances: FxHashMap::default(),
            choices: store.variables((0..layout.choices).map(|choice| layout.choice(choice)))?,
            growth: Growth::Bounded,
            component: Vec::new(),
            last: None,
        };
        for vertex in 0..machine.places.len() {
            let place = &machine.places[vertex];
            let mut accepting = accepts.clone();
            if let Vertex::Return(..) = place.vertex {
                let inner = layout.now(layout.globals + marked.inner[place.procedure.index()]);
                accepting = store.or(&accepting, &store.variable(inner))?;
            }
            graph.accepting.push(store.and(&accepting, &graph.reached[vertex])?);
            if !store.is_empty(&graph.reached[vertex]) {
                graph.connect(vertex as VertexId);
            }
        }
        Ok(graph)
    }

    fn connect(&mut self, vertex: VertexId) {
        let machine = self.machine;
        let mut links: Vec<Link> = Vec::new();
        links.extend(machine.steps(vertex).iter().enumerate().map(|(index, step)| (step.to, How::Step(index as u32))));
        if let Kind::Call(port) = &machine.places[vertex as usize].kind {
            let exits = machine.exits[port.callee.index()].iter().zip(&port.returns);
            links.extend(exits.filter_map(|(&exit, to)| Some(((*to)?, How::Over(exit)))));
            links.push((port.entry, How::Into));
        }
        for (to, how) in links {
            self.leaving[vertex as usize].push((to, how));
            self.arriving[to as usize].push((vertex, how));
        }
    }

    fn nothing(&self) -> States {
        vec![self.machine.store.bottom(); self.reached.len()]
    }

    fn is_empty(&self, states: &States) -> bool {
        states.iter().all(|set| self.machine.store.is_empty(set))
    }

    fn and(&self, a: &States, b: &States) -> Result<States, Halt> {
        a.iter().zip(b).map(|(a, b)| self.machine.store.and(a, b)).collect()
    }

    /// What a step makes of states.
    fn after(&self, from: VertexId, how: How, set: &Bdd) -> Made {
        let (machine, store) = (self.machine, self.machine.store);
        match (how, &machine.places[from as usize].kind) {
            (How::Step(index), _) => machine.steps(from)[index as usize].transfer.image(store, set),
            (How::Over(exit), Kind::Call(port)) => port.call.join(store, set, &self.summaries[exit as usize]),
            (How::Into, Kind::Call(port)) => port.call.enter(store, set),
            _ => Ok(store.bottom()),
        }
    }

    /// The states from which a step leads to states.
    fn before(&mut self, from: VertexId, how: How, set: &Bdd) -> Made {
        let (machine, store) = (self.machine, self.machine.store);
        match (how, &machine.places[from as usize].kind) {
            (How::Step(index), _) => {
                let transfer = &machine.steps(from)[index as usize].transfer;
                let retreat = self.retreat(&transfer.assigned)?;
                let mut states = store.substitute(set, &retreat.0)?;
                for part in transfer.relation() {
                    states = store.and(&states, part)?;
                }
                let states = store.exists(&states, &retreat.1)?;
                store.exists(&states, &self.choices)
            }
            (How::Over(exit), Kind::Call(port)) => {
                let lifted = port.call.lift(store, &self.summaries[exit as usize])?;
                let retreat = self.retreat(&port.call.changed)?;
                store.and_exists(&lifted, &store.substitute(set, &retreat.0)?, &retreat.1)
            }
            (How::Into, Kind::Call(port)) => {
                let entrance = self.entrance(from, port)?;
                let begun = store.and_exists(set, &port.call.callee.any_values(), &entrance.chosen)?;
                store.exists(&store.substitute(&begun, &entrance.arguments)?, &self.choices)
            }
            _ => Ok(store.bottom()),
        }
    }

    /// Values of these slots become values after a step; and what is to be forgotten then.
    fn retreat(&mut self, slots: &[Slot]) -> Result<Retreat, Halt> {
        if let Some(known) = self.retreats.get(slots) {
            return Ok(known.clone());
        }
        let (store, layout) = (self.machine.store, self.machine.layout);
        let pairs = slots.iter().map(|&slot| (layout.now(slot), store.variable(layout.next(slot))));
        let substitution = super::bdd::Store::substitution(pairs);
        let forgotten = store.variables(slots.iter().map(|&slot| layout.next(slot)))?;
        let retreat = Rc::new((substitution, forgotten));
        self.retreats.insert(slots.into(), retreat.clone());
        Ok(retreat)
    }

    fn entrance(&mut self, vertex: VertexId, port: &super::machine::CallPort) -> Result<Rc<Entrance>, Halt> {
        if let Some(known) = self.entrances.get(&vertex) {
            return Ok(known.clone());
        }
        let (store, layout) = (self.machine.store, self.machine.layout);
        let inputs = &port.call.callee.interface.inputs;
        let is_input = |slot: &Slot| inputs.iter().any(|(input, _)| input == slot);
        let chosen = (layout.globals..layout.slots).filter(|slot| !is_input(slot)).map(|slot| layout.now(slot));
        let chosen = store.variables(chosen)?;
        let arguments = inputs.iter().zip(&port.call.arguments).map(|(&(slot, _), a)| (layout.now(slot), a.clone()));
        let entrance = Rc::new(Entrance { chosen, arguments: super::bdd::Store::substitution(arguments) });
        self.entrances.insert(vertex, entrance.clone());
        Ok(entrance)
    }

    /// Finds the components of vertices; steps into calls are taken only where the stack may grow.
    fn find_components(&mut self, growth: Growth) {
        let of = |links: &Vec<Link>| -> Vec<usize> {
            let taken = links.iter().filter(|(_, how)| !matches!(how, How::Into) || growth == Growth::Unbounded);
            taken.map(|(to, _)| *to as usize).collect()
        };
        let leaving: Vec<Vec<usize>> = self.leaving.iter().map(of).collect();
        let found = Components::new(leaving.len(), 0..leaving.len(), |vertex, n| leaving[vertex].get(n).copied());
        let mut is_cyclic = vec![false; found.count as usize];
        for (from, links) in leaving.iter().enumerate() {
            for &to in links.iter().filter(|&&to| found.of[to] == found.of[from]) {
                found.of[to].into_iter().for_each(|own| is_cyclic[own as usize] = true);
            }
        }
        self.component = found.of.iter().map(|of| of.filter(|&own| is_cyclic[own as usize])).collect();
        self.growth = growth;
    }

    /// The step may be on a cycle.
    fn counts(&self, from: VertexId, to: VertexId, how: How) -> bool {
        let own = self.component[from as usize];
        own.is_some()
            && own == self.component[to as usize]
            && (!matches!(how, How::Into) || self.growth == Growth::Unbounded)
    }

    /// The states within some from which others are reached by at least one step.
    fn backward(&mut self, to: &States, within: &States) -> Result<States, Stop> {
        self.closure(to, within, true)
    }

    /// The states within some that are reached from others by at least one step.
    fn forward(&mut self, from: &States, within: &States) -> Result<States, Stop> {
        self.closure(from, within, false)
    }

    fn closure(&mut self, start: &States, within: &States, back: bool) -> Result<States, Stop> {
        let store = self.machine.store;
        let (mut all, mut fresh) = (self.nothing(), start.clone());
        let mut queue: VecDeque<VertexId> = (0..start.len() as u32).collect();
        let mut queued = vec![true; start.len()];
        if back {
            queue.make_contiguous().reverse();
        }
        while let Some(vertex) = queue.pop_front() {
            queued[vertex as usize] = false;
            let set = std::mem::replace(&mut fresh[vertex as usize], store.bottom());
            if store.is_empty(&set) {
                continue;
            }
            let links = if back { &self.arriving } else { &self.leaving }[vertex as usize].clone();
            for (other, how) in links {
                let (from, to) = if back { (other, vertex) } else { (vertex, other) };
                if !self.counts(from, to, how) {
                    continue;
                }
                let image = if back { self.before(from, how, &set)? } else { self.after(from, how, &set)? };
                let image = store.and(&image, &within[other as usize])?;
                if let Some(new) = store.extend(&mut all[other as usize], &image)? {
                    store.extend(&mut fresh[other as usize], &new)?;
                    self.last = Some(other);
                    if !std::mem::replace(&mut queued[other as usize], true) {
                        queue.push_back(other);
                    }
                }
            }
        }
        Ok(all)
    }

    /// Looks for a head of the kinds that are asked for.
    fn conclude(
        mut self,
        search: &Search<'_, '_>,
        stack: Stack,
        watch: &mut Watch<'_>,
        found: &mut Found,
    ) -> Result<(), Stop> {
        found.statistics.path_edges = search.table.count;
        found.statistics.summary_edges = search.summarizer().summary_count;
        found.statistics.entries = search.entry_count;
        found.statistics.iterations = search.rounds;
        found.statistics.largest_nodes = search.largest() as u64;
        let growths: &[Growth] = match stack {
            Stack::Any => &[Growth::Bounded, Growth::Unbounded],
            Stack::Bounded => &[Growth::Bounded],
            Stack::Unbounded => &[Growth::Unbounded],
        };
        for &growth in growths {
            watch.check(0).map_err(Stop::Limit)?;
            found.head = self.head(growth)?;
            if found.head.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Where heads may be: at nodes, and where the stack grows at entries.
    fn anchors(&self, growth: Growth) -> States {
        let machine = self.machine;
        let is_anchor = |vertex: usize| match growth {
            Growth::Bounded => machine.places[vertex].node.is_some(),
            Growth::Unbounded => machine.entries[machine.places[vertex].procedure.index()].contains(&(vertex as u32)),
        };
        let states = self.reached.iter().enumerate();
        states.map(|(vertex, set)| if is_anchor(vertex) { set.clone() } else { machine.store.bottom() }).collect()
    }

    /// The states from which a run passes through all of some sets again and again (Emerson and Lei).
    fn lasting(&mut self, fair: &[States]) -> Result<States, Stop> {
        let (nothing, vertices) = (self.machine.store.bottom(), self.reached.iter().zip(&self.component));
        let mut states: States =
            vertices.map(|(set, own)| if own.is_some() { set.clone() } else { nothing.clone() }).collect();
        loop {
            let before = states.clone();
            for fair in fair {
                let fair = self.and(fair, &states)?;
                states = self.backward(&fair, &states)?;
            }
            if states == before {
                return Ok(states);
            }
        }
    }

    fn head(&mut self, growth: Growth) -> Result<Option<Head>, Stop> {
        let (anchors, accepting) = (self.anchors(growth), self.accepting.clone());
        let fair = match growth {
            Growth::Bounded => vec![accepting.clone()],
            Growth::Unbounded => vec![anchors.clone(), accepting.clone()],
        };
        self.find_components(growth);
        let mut lasting = self.lasting(&fair)?;
        self.last = None;
        if self.is_empty(&lasting) {
            return Ok(None);
        }
        let mut candidates = lasting.clone();
        loop {
            // A run that goes on for ever comes to anchors; if it does not, that is a mistake, and no proof.
            let at_anchor = self.and(&candidates, &anchors)?;
            let (vertex, state, values) = self.pick(&at_anchor)?;
            let mut one = self.nothing();
            one[vertex as usize] = state.clone();
            let mut around = self.forward(&one, &lasting)?;
            around[vertex as usize] = self.machine.store.or(&around[vertex as usize], &state)?;
            let accepted = self.and(&around, &accepting)?;
            self.last = None;
            candidates = self.forward(&accepted, &lasting)?;
            let back = self.machine.store.and(&candidates[vertex as usize], &state)?;
            if !self.machine.store.is_empty(&back) {
                return self.head_at(growth, vertex, &values).ok_or(Stop::Unexplained).map(Some);
            }
            lasting = candidates.clone();
        }
    }

    /// A state, of the vertex that was reached last if it has one.
    fn pick(&self, states: &States) -> Result<(VertexId, Bdd, Vec<bool>), Stop> {
        let (machine, store) = (self.machine, self.machine.store);
        let is_full = |vertex: &VertexId| !store.is_empty(&states[*vertex as usize]);
        let vertex = self.last.filter(is_full).or_else(|| (0..states.len() as u32).rev().find(is_full));
        let vertex = vertex.ok_or(Stop::Unexplained)?;
        let values = store.pick(&states[vertex as usize]).ok_or(Stop::Unexplained)?;
        let scope = machine.ersm.scope_size(machine.places[vertex as usize].procedure) as Slot;
        let now = (0..scope).map(|slot| machine.layout.now(slot));
        let state = store.cube(now.map(|variable| (variable, values[variable as usize])))?;
        Ok((vertex, state, values))
    }

    fn head_at(&self, growth: Growth, vertex: VertexId, values: &[bool]) -> Option<Head> {
        let (machine, layout) = (self.machine, self.machine.layout);
        let place = &machine.places[vertex as usize];
        let Vertex::Node(node) = place.vertex else { return None };
        let scope = self.marked.ersm.scope_size(place.procedure) as Slot;
        let values = (0..scope).map(|slot| Some(values[layout.now(slot) as usize])).collect();
        Some(Head { growth, procedure: place.procedure, node, values })
    }
}

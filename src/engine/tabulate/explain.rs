//! Where a path edge came from: one step back, with concrete values (Ball 3.2).
//!
//! A path edge is in exactly one addition of its vertex; the addition names its cause, and among the
//! path edges it came from there is one that leads here. It is found by fixing all that is known and
//! picking a valuation of what is left.

use super::bdd::{Bdd, Store};
use super::call::Call;
use super::closure::Closure;
use super::layout::{Layout, Slot};
use super::machine::{Machine, VertexId};
use super::point::{Bits, Facts, Point};
use super::search::{Search, Stop};
use crate::limits::Limits;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A path edge with the addition it is in.
#[derive(Clone)]
pub(super) struct Edge {
    pub(super) vertex: VertexId,
    pub(super) point: Point,
    pub(super) addition: u32,
}

/// Explanations that are remembered at most.
const MOST_KNOWN: usize = 100_000;

pub(super) struct Explainer<'x, 'e> {
    pub(super) machine: &'x Machine<'e>,
    pub(super) limits: &'x Limits,
    /// Slots in the scope of each procedure that diagrams mention.
    scopes: Vec<Option<Box<[Slot]>>>,
    /// Changes that were explained before: similar procedures do the same.
    known: FxHashMap<Change, Option<Point>>,
}

/// A set of path edges before a change, the relation of the change, the slots it assigns, and the path
/// edge after it.
type Change = (Bdd, Bdd, Box<[Slot]>, Point);

impl<'x, 'e> Explainer<'x, 'e> {
    pub(super) fn new(machine: &'x Machine<'e>, limits: &'x Limits) -> Explainer<'x, 'e> {
        let scopes = vec![None; machine.ersm.procedures.len()];
        Explainer { machine, limits, scopes, known: FxHashMap::default() }
    }

    fn store(&self) -> &'x Store {
        self.machine.store
    }

    fn layout(&self) -> &'x Layout {
        self.machine.layout
    }

    /// Slots that path edges of a vertex can mention.
    pub(super) fn scope(&mut self, vertex: VertexId) -> Box<[Slot]> {
        let machine = self.machine;
        let procedure = machine.places[vertex as usize].procedure;
        let globals = machine.layout.globals;
        let locals = machine.ersm.procedure(procedure).locals.len() as u32;
        let used = &machine.frame(vertex).interface.used;
        let scope = &mut self.scopes[procedure.index()];
        scope.get_or_insert_with(|| used.iter().copied().chain(globals..globals + locals).collect()).clone()
    }

    /// Some path edge of an addition.
    pub(super) fn pick(&mut self, search: &Search<'_, '_>, vertex: VertexId, addition: u32) -> Result<Edge, Stop> {
        let scope = self.scope(vertex);
        let set = &search.table.additions[vertex as usize][addition as usize].set;
        let values = self.store().pick(set).ok_or(Stop::Unexplained)?;
        let point = Point::of(self.layout(), &self.machine.frame(vertex).interface, &scope, &values);
        Ok(Edge { vertex, point, addition })
    }

    /// The path edge before a transition.
    pub(super) fn before_step(
        &mut self,
        search: &Search<'_, '_>,
        after: &Point,
        from: VertexId,
        step: u32,
        additions: &Range<u32>,
    ) -> Result<Edge, Stop> {
        let transfer = &self.machine.steps(from)[step as usize].transfer;
        let relation: Vec<Bdd> = transfer.relation().cloned().collect();
        self.before_change(search, after, from, additions, &transfer.assigned, &relation)?.ok_or(Stop::Unexplained)
    }

    /// The path edge before a change of some slots by a relation, in the first of the additions that has one.
    fn before_change(
        &mut self,
        search: &Search<'_, '_>,
        after: &Point,
        from: VertexId,
        additions: &Range<u32>,
        assigned: &[Slot],
        relation: &[Bdd],
    ) -> Result<Option<Edge>, Stop> {
        // Relations in several parts are large, and hardly those of similar procedures.
        let [relation] = relation else {
            return self
                .first(search, from, additions, |this, set| this.point_before(set, after, from, assigned, relation));
        };
        self.first(search, from, additions, |this, set| {
            let change = (set.clone(), relation.clone(), assigned.into(), after.clone());
            if let Some(point) = this.known.get(&change) {
                return Ok(point.clone());
            }
            let point = this.point_before(set, after, from, assigned, std::slice::from_ref(relation))?;
            if this.known.len() < MOST_KNOWN {
                this.known.insert(change, point.clone());
            }
            Ok(point)
        })
    }

    /// In the first of some additions that has one, the path edge that `test` finds in a set.
    fn first(
        &mut self,
        search: &Search<'_, '_>,
        vertex: VertexId,
        additions: &Range<u32>,
        mut test: impl FnMut(&mut Self, &Bdd) -> Result<Option<Point>, Stop>,
    ) -> Result<Option<Edge>, Stop> {
        let (store, limits) = (self.store(), self.limits);
        let found = search.table.first(store, vertex, additions, limits, |set| test(self, set))?;
        Ok(found.map(|(point, addition)| Edge { vertex, point, addition }))
    }

    /// A path edge of a set from which the relation leads to the one after.
    fn point_before(
        &mut self,
        set: &Bdd,
        after: &Point,
        from: VertexId,
        assigned: &[Slot],
        relation: &[Bdd],
    ) -> Result<Option<Point>, Stop> {
        let (store, layout) = (self.store(), self.layout());
        let scope = self.scope(from);
        let kept: Vec<Slot> = scope.iter().copied().filter(|slot| assigned.binary_search(slot).is_err()).collect();
        let interface = &self.machine.frame(from).interface;
        let facts = Facts::new(layout).entered(interface, &after.entry, after.tag).now(&kept, &after.now);
        let facts = facts.cube(store)?;
        let of_step = Facts::new(layout).now(&kept, &after.now).next(assigned, &after.now).cube(store)?;
        let mut left = store.restrict(set, &facts)?;
        for part in relation {
            left = store.and(&left, &store.restrict(part, &of_step)?)?;
        }
        Ok(store.pick(&left).map(|values| {
            let mut point = after.clone();
            point.take_now(layout, assigned, &values);
            point
        }))
    }

    /// The path edge before a completed call, and the one at the callee's exit.
    pub(super) fn before_return(
        &mut self,
        search: &Search<'_, '_>,
        after: &Point,
        (vertex, exit): (VertexId, VertexId),
        summary: &Bdd,
        additions: &Range<u32>,
    ) -> Result<(Edge, Edge), Stop> {
        let machine = self.machine;
        let call = machine.call(vertex).ok_or(Stop::Unexplained)?;
        let lifted = call.lift(self.store(), summary)?;
        let before = self.before_change(search, after, vertex, additions, &call.changed, &[lifted])?;
        let before = before.ok_or(Stop::Unexplained)?;
        let inside = self.at_exit(search.summarizer(), call, exit, (&before, &after.now), summary)?;
        Ok((before, inside))
    }

    /// The callee's path edge at its exit, for a call with these values before and after it.
    fn at_exit(
        &mut self,
        search: &Search<'_, '_>,
        call: &Call,
        exit: VertexId,
        (before, after): (&Edge, &Bits),
        summary: &Bdd,
    ) -> Result<Edge, Stop> {
        let (store, layout) = (self.store(), self.layout());
        let interface = &call.callee.interface;
        let is_target = |slot: &Slot| call.results.contains(&Some(*slot));
        let read_only: Vec<Slot> =
            interface.used.iter().copied().filter(|slot| interface.written.binary_search(slot).is_err()).collect();
        let passed: Vec<Slot> = interface.written.iter().copied().filter(|slot| !is_target(slot)).collect();
        let mut facts = Facts::new(layout).now(&read_only, &before.point.now).now(&passed, after);
        for &global in interface.written.iter() {
            facts = facts.and(layout.entry(global), before.point.now.get(global));
        }
        for (&output, target) in interface.outputs.iter().zip(&call.results) {
            if let Some(target) = target {
                facts = facts.and(layout.now(output), after.get(*target));
            }
        }
        for bit in 0..interface.tags {
            facts = facts.and(layout.tag(bit), call.entry >> bit & 1 == 1);
        }
        let known = facts.cube(store)?;
        // The arguments, as far as choices leave them open.
        let mut left = store.restrict(summary, &known)?;
        let callers = self.scope(before.vertex);
        let callers = Facts::new(layout).now(&callers, &before.point.now).cube(store)?;
        let input = |slot: Slot, changed: bool| if changed { layout.entry(slot) } else { layout.now(slot) };
        for (&(slot, changed), argument) in interface.inputs.iter().zip(&call.arguments) {
            let argument = store.restrict(argument, &callers)?;
            left = store.and(&left, &store.iff(&store.variable(input(slot, changed)), &argument)?)?;
        }
        let values = store.pick(&left).ok_or(Stop::Unexplained)?;
        let open = interface.inputs.iter().map(|&(slot, changed)| input(slot, changed));
        let lost = interface.outputs.iter().zip(&call.results).filter(|(_, target)| target.is_none());
        let replaced = interface.written.iter().filter(|slot| is_target(slot));
        let open = open.chain(lost.map(|(slot, _)| layout.now(*slot))).chain(replaced.map(|&slot| layout.now(slot)));
        let known = store.and(&known, &store.cube(open.map(|variable| (variable, values[variable as usize])))?)?;
        self.first_at_exit(search, exit, &known)
    }

    /// The earliest path edge at an exit that agrees with what is known of it.
    fn first_at_exit(&mut self, search: &Search<'_, '_>, exit: VertexId, known: &Bdd) -> Result<Edge, Stop> {
        let (scope, (_, additions)) = (self.scope(exit), search.table.all(exit));
        let found = self.first(search, exit, &additions, |this, set| {
            let values = this.store().pick(&this.store().and(set, known)?);
            let interface = &this.machine.frame(exit).interface;
            Ok(values.map(|values| Point::of(this.layout(), interface, &scope, &values)))
        })?;
        found.ok_or(Stop::Unexplained)
    }

    /// The caller's path edge at the call that entered a procedure.
    pub(super) fn before_enter(
        &mut self,
        search: &Search<'_, '_>,
        at_entry: &Point,
        vertex: VertexId,
        additions: &Range<u32>,
    ) -> Result<Edge, Stop> {
        let (store, layout) = (self.store(), self.layout());
        let call = self.machine.call(vertex).ok_or(Stop::Unexplained)?;
        let interface = &call.callee.interface;
        let facts = Facts::new(layout).now(interface.used.iter(), &at_entry.now).cube(store)?;
        let mut arguments = Vec::new();
        for (&(input, _), argument) in interface.inputs.iter().zip(&call.arguments) {
            let argument = store.restrict(argument, &facts)?;
            arguments.push(if at_entry.now.get(input) { argument } else { store.not(&argument)? });
        }
        let scope = self.scope(vertex);
        let found = self.first(search, vertex, additions, |this, set| {
            let mut left = store.restrict(set, &facts)?;
            for argument in &arguments {
                left = store.and(&left, argument)?;
            }
            let Some(values) = store.pick(&left) else { return Ok(None) };
            let mut point = Point::of(layout, &this.machine.frame(vertex).interface, &scope, &values);
            for &global in interface.used.iter() {
                point.now.set(global, at_entry.now.get(global));
            }
            Ok(Some(point))
        })?;
        found.ok_or(Stop::Unexplained)
    }

    /// The path edge before some rounds of a vertex's loops, and how many times two they are at most:
    /// the place of the smallest power that will do.
    pub(super) fn before_loops(
        &mut self,
        search: &Search<'_, '_>,
        after: &Point,
        vertex: VertexId,
        closure: &Closure,
        additions: &Range<u32>,
    ) -> Result<(Edge, usize), Stop> {
        for (power, relation) in closure.powers.iter().enumerate() {
            let relation = std::slice::from_ref(relation);
            let found = self.before_change(search, after, vertex, additions, &closure.slots, relation)?;
            if let Some(edge) = found {
                return Ok((edge, power));
            }
        }
        Err(Stop::Unexplained)
    }
}

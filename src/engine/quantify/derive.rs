//! A derivation of the root of a system without cycles, fact by fact.
//!
//! The formula for a fact tells how the inputs of its body are chosen; each active hole is then a fact to be
//! derived by a formula of its own. Facts that are used twice are derived once.

use super::exclusive::Exclusive;
use crate::engine::system::{Fact, FactId, Point};
use crate::engine::{Progress, QbfStatistics, Statistics};
use crate::limits::{Limits, Reason};
use crate::solver::qbf;
use epitome_encodings::{PredicateId, System, Values, modular};
use rustc_hash::FxHashMap;
use std::time::Instant;

pub(super) struct Deriver<'s, 'p> {
    system: &'s System,
    limits: &'s Limits,
    progress: Progress<'p>,
    exclusive: Exclusive<'s>,
    pub(super) facts: Vec<Fact>,
    known: FxHashMap<(PredicateId, Point), FactId>,
    cost: QbfStatistics,
    variables: u64,
}

/// A fact in the making: what its holes are asked for, and how many of them are done.
struct Open {
    predicate: PredicateId,
    point: Point,
    inputs: Point,
    holes: Vec<(usize, PredicateId, Point)>,
    done: usize,
}

impl<'s, 'p> Deriver<'s, 'p> {
    pub(super) fn new(system: &'s System, limits: &'s Limits, progress: Progress<'p>) -> Deriver<'s, 'p> {
        Deriver {
            system,
            limits,
            progress,
            exclusive: Exclusive::new(system, limits),
            facts: Vec::new(),
            known: FxHashMap::default(),
            cost: QbfStatistics::default(),
            variables: 0,
        }
    }

    /// Derives the root, which has no arguments; nothing if it does not hold.
    pub(super) fn derive(&mut self, root: PredicateId) -> Result<Option<FactId>, Reason> {
        let point = Point::new(std::iter::empty::<bool>().collect::<Vec<_>>().into_iter());
        let Some(open) = self.ask(root, point)? else { return Ok(None) };
        let mut stack = vec![open];
        let mut last = None;
        while let Some(open) = stack.last_mut() {
            let Some((_, callee, point)) = open.holes.get(open.done) else {
                last = stack.pop().map(|open| self.close(open));
                continue;
            };
            open.done += 1;
            if !self.known.contains_key(&(*callee, point.clone())) {
                let (callee, point) = (*callee, point.clone());
                stack.push(self.ask(callee, point)?.ok_or(Reason::Internal("a QBF solver contradicts itself"))?);
            }
        }
        Ok(last)
    }

    fn close(&mut self, open: Open) -> FactId {
        let filled = |(hole, callee, point): (usize, PredicateId, Point)| (hole, self.known[&(callee, point)]);
        let holes = open.holes.into_iter().map(filled).collect();
        let id = self.facts.len() as FactId;
        self.known.insert((open.predicate, open.point.clone()), id);
        self.facts.push(Fact { predicate: open.predicate, point: open.point, inputs: open.inputs, holes });
        id
    }

    /// How a predicate holds of a point, if it does.
    fn ask(&mut self, predicate: PredicateId, point: Point) -> Result<Option<Open>, Reason> {
        let system = self.system;
        let body = system.body(predicate);
        let values: Vec<bool> = (0..body.arguments.len()).map(|place| point.get(place)).collect();
        let exclusive = &mut self.exclusive;
        let encoded = modular(system, predicate, &values, &mut |body, signals| exclusive.of(body, signals))
            .map_err(|_| Reason::Internal("a system with cycles"))?;
        self.limits.check(0)?;
        if self.cost.formulas == 0 {
            self.variables = encoded.qbf.variables() as u64;
            self.cost.gates = encoded.qbf.gates() as u64;
            self.cost.alternations = encoded.qbf.alternations() as u64;
        }
        let start = Instant::now();
        let answer = qbf::solve(&encoded.qbf, self.limits);
        self.cost.solver_time += start.elapsed();
        self.cost.formulas += 1;
        let answer = answer?;
        self.cost.queries += answer.queries;
        self.cost.lemmas += answer.lemmas;
        (self.progress)(self.cost.queries);
        if !answer.is_true {
            return Ok(None);
        }
        let chosen: FxHashMap<u32, bool> = answer.first_move.into_iter().collect();
        let outermost = Values::new(encoded.qbf.circuit(), |input| chosen.get(&input).copied().unwrap_or(false));
        let root = encoded.heights.first().and_then(|height| height.opened.first());
        let root = root.map_or(&[][..], |(_, inputs)| inputs);
        let mut inputs = vec![false; root.last().map_or(0, |(number, _)| *number as usize + 1)];
        root.iter().for_each(|&(number, signal)| inputs[number as usize] = outermost.get(signal));
        let inputs = Point::new(inputs.into_iter());
        let own = Values::new(&system.circuit, |number| inputs.get_or_false(number as usize));
        let holes = body.holes.iter().zip(system.callees(predicate)).enumerate();
        let holes = holes.filter(|(_, (hole, _))| own.get(hole.active)).map(|(number, (hole, &callee))| {
            let asked: Vec<bool> = hole.arguments.iter().map(|&argument| own.get(argument)).collect();
            (number, callee, Point::new(asked.into_iter()))
        });
        let holes = holes.collect();
        Ok(Some(Open { predicate, point, inputs, holes, done: 0 }))
    }

    /// What it cost.
    pub(super) fn count(&self, statistics: &mut Statistics) {
        statistics.path_edges = self.facts.len() as u64;
        statistics.variables = self.variables;
        if let Some(qbf) = &mut statistics.qbf {
            let before = qbf.clone();
            *qbf = self.cost.clone();
            qbf.formulas += before.formulas;
            qbf.queries += before.queries;
            qbf.lemmas += before.lemmas;
            qbf.solver_time += before.solver_time;
            statistics.iterations = qbf.queries;
        }
    }
}

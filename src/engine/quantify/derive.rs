//! A derivation of the root of a system without cycles, fact by fact.
//!
//! The formula for a fact tells how the inputs of its body are chosen; each active hole is then a fact to be
//! derived by a formula of its own, or with all that is below it by a propositional one where that is small. What a
//! hole gives back is open where nothing is claimed of it: the fact found for the hole says what it is, and the
//! body holds with that as well ([`epitome_encodings::modular`]). Facts that are used twice are derived once.

use super::Options;
use super::contradictions::Contradictions;
use crate::engine::system::{Fact, FactId, Point, facts_of};
use crate::engine::{News, Progress, QbfStatistics, Statistics};
use crate::limits::{Limits, Reason};
use crate::solver::{SolverName, qbf};
use epitome_encodings::{
    Circuit, Encoding, Extent, Gate, Lit, Modular, Polarity, PredicateId, System, Unfolding, Values, Variables, modular,
};
use rustc_hash::FxHashMap;

/// Clauses of a formula without quantifiers that is taken for a derivation.
const SMALL: u64 = 20_000;

/// Gates of all solvers of a formula together.
const MOST_GATES: usize = 1_000_000_000;

pub(super) struct Deriver<'s, 'p> {
    system: &'s System,
    options: Options,
    limits: &'s Limits,
    progress: Progress<'p>,
    pub(super) facts: Vec<Fact>,
    known: FxHashMap<(PredicateId, Asked), FactId>,
    /// The root holds, even if a limit is reached before the derivation is complete.
    pub(super) root_holds: bool,
    cost: QbfStatistics,
    variables: u64,
}

/// Values of arguments, some of them open.
type Asked = Box<[Option<bool>]>;

/// A fact in the making: what its holes are asked for, and how many of them are done.
struct Open {
    predicate: PredicateId,
    asked: Asked,
    /// By input of the body.
    inputs: Vec<bool>,
    holes: Vec<(usize, Asked)>,
    done: usize,
}

impl<'s, 'p> Deriver<'s, 'p> {
    pub(super) fn new(
        system: &'s System,
        options: Options,
        limits: &'s Limits,
        progress: Progress<'p>,
    ) -> Deriver<'s, 'p> {
        Deriver {
            system,
            options,
            limits,
            progress,
            facts: Vec::new(),
            known: FxHashMap::default(),
            root_holds: false,
            cost: QbfStatistics::default(),
            variables: 0,
        }
    }

    /// The root, which has no arguments, holds.
    pub(super) fn holds(&mut self, root: PredicateId) -> Result<bool, Reason> {
        Ok(self.ask(root, [].into())?.is_some())
    }

    /// Derives the root, which has no arguments; nothing if it does not hold. That it holds is news, perhaps, long
    /// before the derivation is complete.
    pub(super) fn derive(&mut self, root: PredicateId, news: Option<News>) -> Result<Option<FactId>, Reason> {
        let Some(open) = self.ask(root, [].into())? else { return Ok(None) };
        self.root_holds = true;
        if let Some(news) = news {
            (self.progress)(news);
        }
        let mut stack = vec![open];
        let mut last = None;
        while let Some(open) = stack.last_mut() {
            let Some((hole, asked)) = open.holes.get(open.done) else {
                last = stack.pop().map(|open| self.close(open));
                continue;
            };
            open.done += 1;
            let (callee, asked) = (self.system.callees(open.predicate)[*hole], asked.clone());
            if self.known.contains_key(&(callee, asked.clone())) || self.unfold(callee, &asked)? {
                continue;
            }
            stack.push(self.ask(callee, asked)?.ok_or(Reason::Internal("a QBF solver contradicts itself"))?);
        }
        Ok(last)
    }

    /// The fact, with what its holes give back.
    fn close(&mut self, open: Open) -> FactId {
        let (system, predicate) = (self.system, open.predicate);
        let (body, callees) = (system.body(predicate), system.callees(predicate));
        let mut inputs = open.inputs;
        let filled: Vec<(usize, FactId)> =
            open.holes.into_iter().map(|(hole, asked)| (hole, self.known[&(callees[hole], asked)])).collect();
        for &(hole, fact) in &filled {
            for (place, argument) in body.holes[hole].arguments.iter().enumerate() {
                if let Gate::Input(input) = system.circuit.gate(*argument)
                    && let Some(value) = inputs.get_mut(input as usize)
                {
                    *value = self.facts[fact as usize].point.get(place) != argument.is_negated();
                }
            }
        }
        let inputs = Point::new(inputs.into_iter());
        let values = Values::new(&system.circuit, |number| inputs.get_or_false(number as usize));
        let point: Vec<bool> = body.arguments.iter().map(|&argument| values.get(argument)).collect();
        let holes = filled.into_iter().filter(|(hole, _)| values.get(body.holes[*hole].active)).collect();
        let id = self.facts.len() as FactId;
        self.known.insert((predicate, open.asked), id);
        self.facts.push(Fact { predicate, point: Point::new(point.into_iter()), inputs, holes });
        id
    }

    /// Derives what is asked, and all below it, by one formula without quantifiers, where that is small; false if it is
    /// not.
    fn unfold(&mut self, predicate: PredicateId, asked: &Asked) -> Result<bool, Reason> {
        let extent = Extent { depth: None, most_clauses: SMALL };
        let Ok(unfolding) = Unfolding::new(self.system, predicate, extent) else { return Ok(false) };
        let mut solver = SolverName::default().start(self.limits);
        let mut variables = Variables::default();
        let sink = &mut |clause: &[i32]| solver.add(clause);
        let mut encoder = unfolding.encode(Encoding::PlaistedGreenbaum, &mut variables, sink);
        let mut assumptions = Vec::new();
        for (&argument, value) in unfolding.instances[0].arguments.iter().zip(asked) {
            let Some(value) = *value else { continue };
            let signal = argument.negate_if(!value);
            let sink = &mut |clause: &[i32]| solver.add(clause);
            assumptions.push(encoder.encode(&unfolding.circuit, signal, Polarity::Positive, &mut variables, sink));
        }
        self.cost.queries += 1;
        if !solver.solve(&assumptions)? {
            return Err(Reason::Internal("a SAT solver contradicts a QBF solver"));
        }
        let mut places: Vec<FactId> = Vec::new();
        for fact in facts_of(&unfolding, &unfolding.values(&encoder, |literal| solver.value(literal))) {
            let holes = fact.holes.iter().map(|&(hole, inside)| (hole, places[inside as usize])).collect();
            let arity = self.system.body(fact.predicate).arguments.len();
            let whole: Asked = (0..arity).map(|place| Some(fact.point.get(place))).collect();
            let next = self.facts.len() as FactId;
            let id = *self.known.entry((fact.predicate, whole)).or_insert(next);
            if id == next {
                self.facts.push(Fact { holes, ..fact });
            }
            places.push(id);
        }
        let last = places.last().copied().unwrap_or_default();
        self.known.insert((predicate, asked.clone()), last);
        Ok(true)
    }

    /// How a predicate holds of what is asked, if it does.
    fn ask(&mut self, predicate: PredicateId, asked: Asked) -> Result<Option<Open>, Reason> {
        self.fits_memory()?;
        let mut contradictions = Contradictions::new(self.limits);
        let mut oracle = |circuit: &Circuit, signals: &[Lit]| contradictions.among(circuit, signals);
        let encoded = modular(self.system, predicate, &asked, &mut oracle)
            .map_err(|_| Reason::Internal("a system with cycles"))?;
        self.limits.check(0)?;
        self.variables = self.variables.max(encoded.qbf.variables() as u64);
        let (solver, limits) = (self.options.solver, self.limits);
        let answer = self.cost.solve(&encoded.qbf, |formula| match solver {
            Some(solver) => solver.solve(formula, limits),
            None => qbf::solve(formula, limits),
        })?;
        (self.progress)(News::Work(self.cost.queries));
        Ok(answer.is_true.then(|| self.opened(predicate, asked, &encoded, &answer.first_move)))
    }

    /// A block is a height of the system, at most, and has a solver that knows all gates below it. Encoding a
    /// formula that no solver can hold takes long, and nobody can stop it.
    fn fits_memory(&self) -> Result<(), Reason> {
        let system = self.system;
        let ids = || (0..system.len() as u32).map(PredicateId);
        let widest = ids().map(|id| system.body(id).arguments.len()).max().unwrap_or(0);
        let gates: usize = ids().map(|id| system.body(id).holes.len() * widest).sum::<usize>() + system.circuit.len();
        match gates.saturating_mul(system.len()) > MOST_GATES {
            true => {
                let what = format!("about {gates} gates in {} blocks of quantifiers", system.len());
                Err(Reason::NotSupported(format!("a formula with {what}; other engines can answer")))
            }
            false => Ok(()),
        }
    }

    /// The body with the inputs that were chosen, and what its holes are asked for.
    fn opened(&self, predicate: PredicateId, asked: Asked, encoded: &Modular, chosen: &[(u32, bool)]) -> Open {
        let system = self.system;
        let chosen: FxHashMap<u32, bool> = chosen.iter().chain(&encoded.plain).copied().collect();
        let outermost = Values::new(&encoded.circuit, |input| chosen.get(&input).copied().unwrap_or(false));
        let root = encoded.heights.first().and_then(|height| height.opened.first());
        let root = root.map_or(&[][..], |(_, inputs)| inputs);
        let mut inputs = vec![false; root.last().map_or(0, |(number, _)| *number as usize + 1)];
        root.iter().for_each(|&(number, signal)| inputs[number as usize] = outermost.get(signal));
        let own = Values::new(&system.circuit, |number| inputs.get(number as usize).copied().unwrap_or(false));
        let holes = system.body(predicate).holes.iter().zip(&encoded.root_holes).enumerate();
        let active = holes.filter(|(_, (hole, _))| own.get(hole.active));
        let holes = active.map(|(number, (hole, about))| {
            let outputs = system.outputs_if_total(system.callees(predicate)[number]);
            let is_asked = outermost.get(about.asked);
            let asked = hole.arguments.iter().zip(&about.needs).enumerate().map(|(place, (&argument, needs))| {
                let value = own.get(argument);
                let is_needed = if value { needs.0 } else { needs.1 };
                let is_open = !is_asked && outputs.as_ref().is_some_and(|outputs| outputs.contains(&place));
                (is_needed && !is_open).then_some(value)
            });
            (number, asked.collect())
        });
        let holes = holes.collect();
        Open { predicate, asked, inputs, holes, done: 0 }
    }

    /// What it cost.
    pub(super) fn count(&self, statistics: &mut Statistics) {
        statistics.path_edges = self.facts.len() as u64;
        statistics.variables = statistics.variables.max(self.variables);
        if let Some(qbf) = &mut statistics.qbf {
            qbf.add(&self.cost);
            statistics.iterations = qbf.queries;
        }
    }
}

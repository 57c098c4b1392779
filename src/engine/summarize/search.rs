//! Is there a derivation? Property-directed search for predicates that call each other (after IC3, Bradley
//! 2011; for procedures RecMC, Komuravelli, Gurfinkel and Chaki 2014; here for Booleans).
//!
//! An *obligation* asks whether some point of a cube can be derived. The predicate's own solver says no, as
//! far as the summaries of its callees tell: then the reason, minimised, is a new lemma. Or it proposes a
//! model: then what the model asks of the callees becomes obligations in turn. A confirmed request is a
//! fact; a refuted one is a lemma that changes the answer of the solver. When all requests are facts, so is
//! the proposal.
//!
//! Within a component of predicates that call each other (recursion, and loops, which call themselves)
//! derivations are bounded by a level. When an obligation is refuted for a level, lemmas are pushed to
//! higher ones; when nothing is left at a level, what is above it holds for any depth. Outside of components
//! there are no levels: hierarchies cost no rounds.

use super::cube::Cube;
use super::imitate::Models;
use super::prover::{Answer, Prover};
use super::shape::Shape;
use super::summary::{ANY, Level, Summary};
use crate::engine::system::{Fact, FactId, Point};
use crate::engine::{News, Progress, SatStatistics};
use crate::limits::{Limits, Reason};
use crate::solver::SolverName;
use epitome_encodings::{PredicateId, System};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

/// Solvers that are kept at the same time. Others are made again from the lemmas when they are needed.
const MOST_PROVERS: usize = 100;

/// Other lemmas that are learned for the sake of one, at most.
pub(super) const HELP: u32 = 3;

/// Queries after which a pursuit ends. (Measured: R(n) needs dozens, and on random programs a thousand is ten times
/// as slow as a hundred.)
const MOST_FOR_A_PURSUIT: u64 = 100;

/// Bytes that a gate takes as clauses, here and in the solver.
const BYTES_BY_GATE: usize = 400;

/// What is said where the search contradicts itself.
const MISTAKE: Reason = Reason::Internal("a predicate without a solver was asked");

/// Queries between two looks at the limits.
const INTERVAL: u64 = 64;

pub(super) struct Search<'s, 'p> {
    pub(super) system: &'s System,
    solver: SolverName,
    limits: &'s Limits,
    pub(super) progress: Progress<'p>,
    pub(super) shapes: Vec<Option<Rc<Shape>>>,
    pub(super) summaries: Vec<Summary>,
    pub(super) provers: Vec<Option<Prover>>,
    live: VecDeque<PredicateId>,
    /// By body: a solver that nobody uses.
    spare: Vec<Option<Prover>>,
    pub(super) component: Vec<u32>,
    /// By component: its predicates, if they call each other; none if it is one that does not call itself.
    pub(super) members: Vec<Vec<PredicateId>>,
    /// By component: the level up to which lemmas are sought.
    pub(super) depth: Vec<Level>,
    pub(super) facts: Vec<Fact>,
    pub(super) cost: SatStatistics,
    /// Lemmas so far, raised ones included: the time by which lemmas are older and younger.
    pub(super) clock: u64,
    /// By component.
    pub(super) changes: Vec<Changes>,
    /// When the last lemma for any depth was learned.
    pub(super) last_proof: u64,
    /// By body.
    pub(super) models: Vec<Models>,
    /// By predicate: how often it imitated another one in vain.
    pub(super) misses: Vec<u8>,
}

/// By level: when the last lemma of it or a higher one was learned.
#[derive(Clone, Default)]
pub(super) struct Changes(Vec<u64>);

impl Changes {
    pub(super) fn note(&mut self, level: Level, time: u64) {
        if level == ANY {
            return;
        }
        if self.0.len() <= level as usize {
            self.0.resize(level as usize + 1, 0);
        }
        self.0[..=level as usize].fill(time);
    }

    /// The last time that a lemma of this level or a higher one was learned.
    pub(super) fn since(&self, level: Level) -> u64 {
        self.0.get(level as usize).copied().unwrap_or(0)
    }
}

/// What was found out, apart from the system it is about.
pub(super) struct Knowledge {
    summaries: Vec<Summary>,
    facts: Vec<Fact>,
    depth: Vec<Level>,
    changes: Vec<Changes>,
    clock: u64,
    last_proof: u64,
    cost: SatStatistics,
}

/// A question that is open.
struct Obligation {
    predicate: PredicateId,
    cube: Cube,
    level: Level,
    /// Holes that are filled, with facts.
    filled: Vec<(usize, FactId)>,
    model: Option<Model>,
    /// The hole whose request is open.
    waiting: usize,
    /// Requests are lifted. (Should a fact that answers one not fit, they are not any more.)
    lifts: bool,
}

/// What a solver proposed.
struct Model {
    point: Point,
    inputs: Point,
    requests: Vec<(usize, Point)>,
}

enum Step {
    /// The obligation is answered: by a fact, or by a lemma.
    Done(Option<FactId>),
    /// Something else has to be known first.
    Ask(Obligation),
}

impl Obligation {
    fn new(predicate: PredicateId, cube: Cube, level: Level) -> Obligation {
        Obligation { predicate, cube, level, filled: Vec::new(), model: None, waiting: 0, lifts: true }
    }
}

impl<'s, 'p> Search<'s, 'p> {
    pub(super) fn new(
        system: &'s System,
        root: PredicateId,
        solver: SolverName,
        limits: &'s Limits,
        progress: Progress<'p>,
    ) -> Search<'s, 'p> {
        let count = system.len();
        let components = system.components(root);
        let mut members = vec![Vec::new(); components.count as usize];
        let component: Vec<u32> = components.of.iter().map(|component| component.unwrap_or(0)).collect();
        for &predicate in &components.bottom_up {
            let own = component[predicate];
            let id = PredicateId(predicate as u32);
            if system.callees(id).iter().any(|callee| component[callee.index()] == own) {
                members[own as usize].push(id);
            }
        }
        Search {
            system,
            solver,
            limits,
            progress,
            shapes: vec![None; system.bodies().len()],
            summaries: (0..count).map(|_| Summary::default()).collect(),
            provers: (0..count).map(|_| None).collect(),
            live: VecDeque::new(),
            spare: (0..system.bodies().len()).map(|_| None).collect(),
            component,
            depth: vec![0; members.len()],
            clock: 0,
            changes: vec![Changes::default(); members.len()],
            last_proof: 0,
            models: vec![Models::default(); system.bodies().len()],
            misses: vec![0; count],
            members,
            facts: Vec::new(),
            cost: SatStatistics::default(),
        }
    }

    /// What was found out, without some facts: for a system in which less can be derived.
    pub(super) fn into_knowledge(mut self, is_wrong: impl Fn(PredicateId, &Point) -> bool) -> Knowledge {
        for (index, summary) in self.summaries.iter_mut().enumerate() {
            summary.forget_facts(|point| is_wrong(PredicateId(index as u32), point));
        }
        let Search { summaries, facts, depth, changes, clock, last_proof, cost, .. } = self;
        Knowledge { summaries, facts, depth, changes, clock, last_proof, cost }
    }

    /// Goes on from what is known.
    pub(super) fn knowing(self, knowledge: Knowledge) -> Search<'s, 'p> {
        let Knowledge { summaries, facts, depth, changes, clock, last_proof, cost } = knowledge;
        Search { summaries, facts, depth, changes, clock, last_proof, cost, ..self }
    }

    pub(super) fn is_recursive(&self, predicate: PredicateId) -> bool {
        !self.members[self.component[predicate.index()] as usize].is_empty()
    }

    /// A fact of the predicate in the cube, or nothing if there is none.
    pub(super) fn derive(&mut self, predicate: PredicateId, cube: Cube) -> Result<Option<FactId>, Reason> {
        Ok(self.settle(Obligation::new(predicate, cube, ANY), |_, _| true)?.flatten())
    }

    /// A fact of the predicate in the cube, of a derivation of this level, or nothing if there is none: the
    /// inner answer. There is no answer at all if it takes a search in another component, or many
    /// queries.
    pub(super) fn pursue(
        &mut self,
        predicate: PredicateId,
        cube: Cube,
        level: Level,
    ) -> Result<Option<Option<FactId>>, Reason> {
        let own = self.component[predicate.index()];
        let most = self.cost.queries + MOST_FOR_A_PURSUIT;
        self.settle(Obligation::new(predicate, cube, level), |search, asked| {
            let is_near = search.component[asked.predicate.index()] == own || !search.is_recursive(asked.predicate);
            is_near && search.cost.queries < most
        })
    }

    /// Settles an obligation and all that come up on the way, if they are welcome.
    fn settle(
        &mut self,
        obligation: Obligation,
        is_welcome: impl Fn(&Search<'s, 'p>, &Obligation) -> bool,
    ) -> Result<Option<Option<FactId>>, Reason> {
        let mut stack = vec![obligation];
        let mut answer: Option<Option<FactId>> = None;
        while let Some(top) = stack.last_mut() {
            let step = match answer.take() {
                None => self.begin(top)?,
                Some(answer) => self.resume(top, answer)?,
            };
            match step {
                Step::Done(done) => {
                    stack.pop();
                    answer = Some(done);
                }
                Step::Ask(obligation) if is_welcome(self, &obligation) => stack.push(obligation),
                Step::Ask(obligation) => match self.known(&obligation) {
                    None => return Ok(None),
                    known => answer = known,
                },
            }
        }
        Ok(answer)
    }

    /// The answer, if it is known already.
    fn known(&self, asked: &Obligation) -> Option<Option<FactId>> {
        let summary = &self.summaries[asked.predicate.index()];
        match summary.fact_in(&asked.cube) {
            None => summary.blocks(&asked.cube, asked.level).then_some(None),
            fact => Some(fact),
        }
    }

    fn begin(&mut self, top: &mut Obligation) -> Result<Step, Reason> {
        self.cost.obligations += 1;
        if let Some(answer) = self.known(top) {
            return Ok(Step::Done(answer));
        }
        if let Some(fact) = self.imitate_fact(top.predicate, &top.cube) {
            return Ok(Step::Done(Some(fact)));
        }
        if top.level == ANY && self.is_recursive(top.predicate) {
            return Ok(self.bounded(top));
        }
        self.query(top)
    }

    /// The obligation for the level that its component has come to.
    fn bounded(&self, top: &Obligation) -> Step {
        let level = self.depth[self.component[top.predicate.index()] as usize];
        Step::Ask(Obligation::new(top.predicate, top.cube.clone(), level))
    }

    fn resume(&mut self, top: &mut Obligation, answer: Option<FactId>) -> Result<Step, Reason> {
        if top.level == ANY && self.is_recursive(top.predicate) {
            if answer.is_some() {
                return Ok(Step::Done(answer));
            }
            self.deepen(self.component[top.predicate.index()] as usize)?;
            return Ok(match self.summaries[top.predicate.index()].blocks(&top.cube, ANY) {
                true => Step::Done(None),
                false => self.bounded(top),
            });
        }
        let Some(fact) = answer else {
            top.filled.clear();
            return self.query(top);
        };
        // What was found on the way may be an answer itself.
        if let Some(fact) = self.summaries[top.predicate.index()].fact_in(&top.cube) {
            return Ok(Step::Done(Some(fact)));
        }
        if let Some(fact) = self.imitate_fact(top.predicate, &top.cube) {
            return Ok(Step::Done(Some(fact)));
        }
        top.filled.push((top.waiting, fact));
        let requested =
            top.model.as_ref().and_then(|model| model.requests.iter().find(|(hole, _)| *hole == top.waiting));
        match requested {
            Some((_, point)) if *point == self.facts[fact as usize].point => self.next(top),
            _ => self.query(top),
        }
    }

    /// Asks the solver, and what it proposes.
    fn query(&mut self, top: &mut Obligation) -> Result<Step, Reason> {
        let fixed: Vec<(usize, Point)> =
            top.filled.iter().map(|&(hole, fact)| (hole, self.facts[fact as usize].point.clone())).collect();
        match self.ask(top.predicate, &top.cube, top.level, &fixed)? {
            Answer::Yes => {
                let Some(prover) = &self.provers[top.predicate.index()] else { return Ok(Step::Done(None)) };
                let (point, inputs, requests) = (prover.point(), prover.inputs(), prover.requests());
                top.model = Some(Model { point, inputs, requests });
                self.next(top)
            }
            Answer::No(..) if !fixed.is_empty() => {
                top.lifts = false;
                top.filled.clear();
                self.query(top)
            }
            Answer::No(core, level_matters) => {
                self.learn(top.predicate, &top.cube, (core, level_matters), top.level, HELP)?;
                Ok(Step::Done(None))
            }
        }
    }

    /// The first request that is not a fact yet; a new fact if there is none.
    fn next(&mut self, top: &mut Obligation) -> Result<Step, Reason> {
        let Some(model) = &top.model else { return Ok(Step::Done(None)) };
        let own = self.component[top.predicate.index()];
        let mut holes = Vec::with_capacity(model.requests.len());
        for (hole, point) in &model.requests {
            let callee = self.system.callees(top.predicate)[*hole];
            match self.summaries[callee.index()].fact(point) {
                Some(fact) => holes.push((*hole, fact)),
                None => {
                    let is_inner = self.component[callee.index()] == own;
                    let level = if is_inner { top.level.saturating_sub(1) } else { ANY };
                    let shape = &self.shapes[self.system.body_number(top.predicate)];
                    let cube = match shape {
                        Some(shape) if top.lifts => shape.netlist.lift(&model.inputs, &top.cube, *hole),
                        _ => self.whole(callee, point),
                    };
                    self.cost.lifted += (self.system.body(callee).arguments.len() - cube.len()) as u64;
                    top.waiting = *hole;
                    return Ok(Step::Ask(Obligation::new(callee, cube, level)));
                }
            }
        }
        let (point, inputs) = (model.point.clone(), model.inputs.clone());
        let fact = Fact { predicate: top.predicate, point, inputs, holes: holes.into() };
        Ok(Step::Done(Some(self.add_fact(fact))))
    }

    pub(super) fn add_fact(&mut self, fact: Fact) -> FactId {
        let id = self.facts.len() as FactId;
        self.summaries[fact.predicate.index()].add_fact(fact.point.clone(), id);
        self.models[self.system.body_number(fact.predicate)].derived.note(fact.predicate);
        self.facts.push(fact);
        id
    }

    /// One query to the predicate's solver.
    pub(super) fn ask(
        &mut self,
        predicate: PredicateId,
        cube: &Cube,
        level: Level,
        fixed: &[(usize, Point)],
    ) -> Result<Answer, Reason> {
        let body = self.system.body_number(predicate);
        if self.shapes[body].is_none() && self.provers[predicate.index()].is_none() {
            let gates = self.system.circuit.cone(self.system.body(predicate).signals()).len();
            self.limits.check(gates * BYTES_BY_GATE)?;
        }
        // By induction over the depth, the predicate itself may be taken not to hold in the cube.
        let supposed = self.suppose(predicate, std::slice::from_ref(cube));
        self.ask_supposing(predicate, cube, level, supposed, fixed)
    }

    /// The assumption that the predicate holds nowhere in some cubes, if that matters: if it calls itself.
    pub(super) fn suppose(&mut self, predicate: PredicateId, cubes: &[Cube]) -> Option<i32> {
        self.prepare(predicate);
        let callees = self.system.callees(predicate);
        let own: Vec<usize> = (0..callees.len()).filter(|&hole| callees[hole] == predicate).collect();
        let prover = self.provers[predicate.index()].as_mut()?;
        (!own.is_empty()).then(|| prover.suppose(&own, cubes))
    }

    /// One query with what is supposed.
    pub(super) fn ask_supposing(
        &mut self,
        predicate: PredicateId,
        cube: &Cube,
        level: Level,
        supposed: Option<i32>,
        fixed: &[(usize, Point)],
    ) -> Result<Answer, Reason> {
        self.cost.queries += 1;
        if self.cost.queries.is_multiple_of(INTERVAL) {
            (self.progress)(News::Work(self.cost.queries));
            self.limits.check(0)?;
        }
        if self.cost.queries > self.limits.patience() {
            return Err(Reason::Patience);
        }
        let Some(prover) = &mut self.provers[predicate.index()] else { return Err(MISTAKE) };
        for (hole, callee) in self.system.callees(predicate).iter().enumerate() {
            prover.tell(hole, &self.summaries[callee.index()]);
        }
        let (start, before) = (Instant::now(), prover.conflicts());
        let answer = prover.ask(cube, level, supposed, fixed);
        self.cost.solver_time += start.elapsed();
        self.cost.conflicts += prover.conflicts() - before;
        answer
    }

    /// The predicate has a solver.
    fn prepare(&mut self, predicate: PredicateId) {
        let place = predicate.index();
        if self.provers[place].as_ref().is_some_and(|prover| !prover.is_old()) {
            return;
        }
        let (system, body) = (self.system, self.system.body_number(predicate));
        if self.provers[place].is_none() {
            self.live.push_back(predicate);
            if self.live.len() > MOST_PROVERS
                && let Some(oldest) = self.live.pop_front()
            {
                let prover = self.provers[oldest.index()].take();
                self.spare[system.body_number(oldest)] = prover.filter(|prover| !prover.is_old());
            }
        }
        let own = self.component[place];
        let is_recursive = self.is_recursive(predicate);
        let inner = system.callees(predicate).iter().map(|c| is_recursive && self.component[c.index()] == own);
        let inner = inner.collect();
        self.provers[place] = Some(match self.spare[body].take() {
            Some(prover) => prover.let_to(inner),
            None => {
                let shape = self.shapes[body]
                    .get_or_insert_with(|| Rc::new(Shape::new(&system.circuit, &system.bodies()[body])))
                    .clone();
                Prover::new(shape, self.solver.start(self.limits), inner)
            }
        });
    }

    /// The cube of a single point.
    pub(super) fn whole(&self, predicate: PredicateId, point: &Point) -> Cube {
        let width = self.system.body(predicate).arguments.len();
        Cube::new((0..width).map(|index| (index, point.get(index))))
    }
}

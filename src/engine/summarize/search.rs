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

use super::cube::{Cube, Point};
use super::prover::{Answer, MOST_TEMPORARY, Prover};
use super::shape::Shape;
use super::summary::{ANY, FactId, Lemma, Level, Summary};
use crate::engine::SatStatistics;
use crate::limits::{Limits, Reason};
use crate::solver::SolverName;
use epitome_encodings::{Components, PredicateId, System};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

/// Solvers that are kept at the same time. Others are made again from the lemmas when they are needed.
const MOST_PROVERS: usize = 200;

/// Other lemmas that are learned for the sake of one, at most.
const HELP: u32 = 3;

/// Queries between two looks at the limits.
const INTERVAL: u64 = 64;

/// A point with its derivation.
pub(super) struct Fact {
    pub(super) predicate: PredicateId,
    pub(super) point: Point,
    /// Inputs of the body.
    pub(super) inputs: Point,
    /// What the active holes are filled with.
    pub(super) holes: Box<[(usize, FactId)]>,
}

pub(super) struct Search<'s> {
    system: &'s System,
    solver: SolverName,
    limits: &'s Limits,
    shapes: Vec<Option<Rc<Shape>>>,
    pub(super) summaries: Vec<Summary>,
    provers: Vec<Option<Prover>>,
    live: VecDeque<PredicateId>,
    component: Vec<u32>,
    /// By component: its predicates, if they call each other; none if it is one that does not call itself.
    members: Vec<Vec<PredicateId>>,
    /// By component: the level up to which lemmas are sought.
    depth: Vec<Level>,
    pub(super) facts: Vec<Fact>,
    pub(super) cost: SatStatistics,
    /// Lemmas so far, raised ones included: the time by which lemmas are older and younger.
    clock: u64,
    /// By component.
    changes: Vec<Changes>,
    /// When the last lemma for any depth was learned.
    last_proof: u64,
}

/// When the last lemma of each level was learned.
#[derive(Clone, Default)]
struct Changes(Vec<u64>);

impl Changes {
    fn note(&mut self, level: Level, time: u64) {
        if level == ANY {
            return;
        }
        if self.0.len() <= level as usize {
            self.0.resize(level as usize + 1, 0);
        }
        self.0[level as usize] = time;
    }

    /// The last time that a lemma of this level or a higher one was learned.
    fn since(&self, level: Level) -> u64 {
        self.0.get(level as usize..).and_then(|times| times.iter().max()).copied().unwrap_or(0)
    }
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

impl<'s> Search<'s> {
    pub(super) fn new(system: &'s System, root: PredicateId, solver: SolverName, limits: &'s Limits) -> Search<'s> {
        let count = system.len();
        let callee =
            |caller: usize, n: usize| system.callees(PredicateId(caller as u32)).get(n).map(|callee| callee.index());
        let components = Components::new(count, [root.index()], callee);
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
            shapes: vec![None; system.bodies().len()],
            summaries: (0..count).map(|_| Summary::default()).collect(),
            provers: (0..count).map(|_| None).collect(),
            live: VecDeque::new(),
            component,
            depth: vec![0; members.len()],
            clock: 0,
            changes: vec![Changes::default(); members.len()],
            last_proof: 0,
            members,
            facts: Vec::new(),
            cost: SatStatistics::default(),
        }
    }

    fn is_recursive(&self, predicate: PredicateId) -> bool {
        !self.members[self.component[predicate.index()] as usize].is_empty()
    }

    /// A fact of the predicate in the cube, or nothing if there is none.
    pub(super) fn derive(&mut self, predicate: PredicateId, cube: Cube) -> Result<Option<FactId>, Reason> {
        let mut stack = vec![Obligation::new(predicate, cube, ANY)];
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
                Step::Ask(obligation) => stack.push(obligation),
            }
        }
        Ok(answer.flatten())
    }

    fn begin(&mut self, top: &mut Obligation) -> Result<Step, Reason> {
        self.cost.obligations += 1;
        let summary = &self.summaries[top.predicate.index()];
        if let Some(fact) = summary.fact_in(&top.cube) {
            return Ok(Step::Done(Some(fact)));
        }
        if summary.blocks(&top.cube, top.level) {
            return Ok(Step::Done(None));
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
        let id = self.facts.len() as FactId;
        let (point, inputs) = (model.point.clone(), model.inputs.clone());
        self.summaries[top.predicate.index()].add_fact(point.clone(), id);
        self.facts.push(Fact { predicate: top.predicate, point, inputs, holes: holes.into() });
        Ok(Step::Done(Some(id)))
    }

    /// One query to the predicate's solver, which is told all news first.
    fn ask(
        &mut self,
        predicate: PredicateId,
        cube: &Cube,
        level: Level,
        fixed: &[(usize, Point)],
    ) -> Result<Answer, Reason> {
        self.cost.queries += 1;
        if self.cost.queries.is_multiple_of(INTERVAL) {
            self.limits.check(0)?;
        }
        if self.cost.queries > self.limits.patience() {
            return Err(Reason::Patience);
        }
        self.prepare(predicate);
        let callees = self.system.callees(predicate);
        let own: Vec<usize> = (0..callees.len()).filter(|&hole| callees[hole] == predicate).collect();
        let relative = (!own.is_empty()).then_some(&own[..]);
        let Some(prover) = &mut self.provers[predicate.index()] else { return Ok(Answer::No(cube.clone(), true)) };
        for (hole, callee) in callees.iter().enumerate() {
            prover.tell(hole, &self.summaries[callee.index()]);
        }
        let start = Instant::now();
        let answer = prover.ask(cube, level, relative, fixed);
        self.cost.solver_time += start.elapsed();
        answer
    }

    /// The predicate has a solver.
    fn prepare(&mut self, predicate: PredicateId) {
        let place = predicate.index();
        if self.provers[place].as_ref().is_some_and(|prover| prover.temporary < MOST_TEMPORARY) {
            return;
        }
        if self.provers[place].is_none() {
            self.live.push_back(predicate);
            if self.live.len() > MOST_PROVERS
                && let Some(oldest) = self.live.pop_front()
            {
                self.provers[oldest.index()] = None;
            }
        }
        let (system, body) = (self.system, self.system.body_number(predicate));
        let shape = self.shapes[body]
            .get_or_insert_with(|| Rc::new(Shape::new(&system.circuit, &system.bodies()[body])))
            .clone();
        let own = self.component[place];
        let is_recursive = self.is_recursive(predicate);
        let inner = system.callees(predicate).iter().map(|c| is_recursive && self.component[c.index()] == own);
        self.provers[place] = Some(Prover::new(shape, self.solver.start(self.limits), inner.collect()));
    }

    /// A lemma from a refuted cube: as high a level and as few literals as can be had, in this order. (At
    /// a low level nearly every literal will do, and most lemmas made of them say nothing of higher ones.)
    /// `help` says how often other lemmas may be learned for it.
    fn learn(
        &mut self,
        predicate: PredicateId,
        whole: &Cube,
        (core, level_matters): (Cube, bool),
        level: Level,
        help: u32,
    ) -> Result<(), Reason> {
        let mut cube = core;
        let mut level = if level_matters { level } else { ANY };
        if level != ANY
            && let Some(higher) = self.rise(predicate, whole, level, 0)?
        {
            (cube, level) = higher;
        }
        for literal in cube.clone().literals() {
            if !cube.has(literal) {
                continue;
            }
            let candidate = cube.without(literal);
            if self.summaries[predicate.index()].fact_in(&candidate).is_some() {
                continue;
            }
            if let Some((smaller, matters)) = self.refute(predicate, &candidate, level, 0)? {
                cube = smaller;
                level = if matters { level } else { ANY };
            }
        }
        if level != ANY
            && let Some((_, higher)) = self.rise(predicate, &cube, level, help)?
        {
            level = higher;
        }
        self.cost.lemmas += 1;
        self.add(predicate, cube, level);
        Ok(())
    }

    fn add(&mut self, predicate: PredicateId, cube: Cube, level: Level) {
        self.clock += 1;
        self.changes[self.component[predicate.index()] as usize].note(level, self.clock);
        if level == ANY {
            self.last_proof = self.clock;
        }
        self.summaries[predicate.index()].learn(Lemma { cube, level, tried: 0 });
    }

    /// The highest level up to that of the component, or any depth, at which a cube can be refuted, and what
    /// of the cube it takes; `None` if it is none above the level given.
    fn rise(
        &mut self,
        predicate: PredicateId,
        cube: &Cube,
        level: Level,
        help: u32,
    ) -> Result<Option<(Cube, Level)>, Reason> {
        if let Some((core, _)) = self.refute(predicate, cube, ANY, 0)? {
            return Ok(Some((core, ANY)));
        }
        let depth = self.depth[self.component[predicate.index()] as usize];
        let mut highest = None;
        for higher in level + 1..=depth {
            match self.refute(predicate, cube, higher, help)? {
                Some((core, true)) => highest = Some((core, higher)),
                Some((core, false)) => return Ok(Some((core, ANY))),
                None => break,
            }
        }
        Ok(highest)
    }

    /// Tries to refute a cube with the lemmas that are known and a few more: where a model asks for
    /// something that its predicate refutes at once, that becomes a lemma first (counterexamples to
    /// generalization, Hassan, Bradley and Somenzi 2013).
    fn refute(
        &mut self,
        predicate: PredicateId,
        cube: &Cube,
        level: Level,
        help: u32,
    ) -> Result<Option<(Cube, bool)>, Reason> {
        let mut left = help;
        loop {
            match self.ask(predicate, cube, level, &[])? {
                Answer::No(core, matters) => return Ok(Some((core, matters))),
                Answer::Yes if left == 0 => return Ok(None),
                Answer::Yes => {}
            }
            left -= 1;
            let requests = self.provers[predicate.index()].as_ref().map_or_else(Vec::new, Prover::requests);
            if !self.refute_one(predicate, requests, level)? {
                return Ok(None);
            }
        }
    }

    /// Learns a lemma against one of the requests of a model, if one is refuted at once.
    fn refute_one(
        &mut self,
        predicate: PredicateId,
        requests: Vec<(usize, Point)>,
        level: Level,
    ) -> Result<bool, Reason> {
        for (hole, point) in requests {
            let callee = self.system.callees(predicate)[hole];
            if self.summaries[callee.index()].fact(&point).is_some() {
                continue;
            }
            let is_inner = self.component[callee.index()] == self.component[predicate.index()];
            let level = match (is_inner, level) {
                (false, _) if self.is_recursive(callee) => continue,
                (false, _) | (true, ANY) => ANY,
                (true, level) => level.saturating_sub(1),
            };
            let cube = self.whole(callee, &point);
            if let Answer::No(core, matters) = self.ask(callee, &cube, level, &[])? {
                self.learn(callee, &cube, (core, matters), level, 0)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The cube of a single point.
    fn whole(&self, predicate: PredicateId, point: &Point) -> Cube {
        let width = self.system.body(predicate).arguments.len();
        Cube::new((0..width).map(|index| (index, point.get(index))))
    }

    /// The next level of a component: lemmas are pushed as far as they go. If nothing is left at a level,
    /// all above it hold for any depth. Beyond the deepest level this is the search for a subset of the
    /// lemmas that is inductive by itself: those that are not needed, and true for small depths only, stay
    /// behind (Houdini, Flanagan and Leino 2001).
    fn deepen(&mut self, component: usize) -> Result<(), Reason> {
        let depth = self.depth[component];
        self.depth[component] = depth + 1;
        self.cost.levels = self.cost.levels.max(u64::from(depth) + 1);
        let members = self.members[component].clone();
        let any = |search: &Search<'_>, test: fn(&Summary, Level) -> bool, level: Level| {
            members.iter().any(|predicate| test(&search.summaries[predicate.index()], level))
        };
        let mut level = 0;
        while level <= depth || any(self, Summary::has_higher, level) {
            for &predicate in &members {
                self.push(predicate, level, if level <= depth { HELP } else { 0 })?;
            }
            // Pushing may have added lemmas: what counts is what there is now.
            if !any(self, Summary::has_level, level) {
                for &predicate in &members {
                    self.summaries[predicate.index()].raise_all(level);
                }
                self.clock += 1;
                self.last_proof = self.clock;
                return Ok(());
            }
            level += 1;
        }
        Ok(())
    }

    /// Pushes the lemmas of exactly this level.
    fn push(&mut self, predicate: PredicateId, level: Level, help: u32) -> Result<(), Reason> {
        // What is learned on the way may replace some of them.
        let lemmas: Vec<Lemma> =
            self.summaries[predicate.index()].lemmas.iter().filter(|lemma| lemma.level == level).cloned().collect();
        for lemma in lemmas {
            let component = self.component[predicate.index()] as usize;
            let news = self.changes[component].since(level).max(self.last_proof);
            if lemma.tried > news || self.summaries[predicate.index()].blocks(&lemma.cube, level + 1) {
                continue;
            }
            if let Some((_, matters)) = self.refute(predicate, &lemma.cube, level + 1, help)? {
                self.cost.pushed += 1;
                self.add(predicate, lemma.cube, if matters { level + 1 } else { ANY });
            } else {
                self.summaries[predicate.index()].note_try(&lemma.cube, self.clock);
            }
        }
        Ok(())
    }
}

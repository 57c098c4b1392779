//! The pipeline: program and query in, report out.
//!
//! Build the model, turn the query into nodes to look for, reduce both, ask an engine (by its class, unless one is
//! named), lift the run it found to the model and to the source, and replay it there. A run that does not replay is
//! an internal error and never becomes a verdict.

mod branching;
mod finds;
mod formula;
mod letters;
mod linear;
mod open;
mod prepared;
mod race;
mod turns;

pub use formula::{NamedFormula, NamedQbf};
pub use prepared::{Leftover, Usual};

use crate::certify::{Certified, LoopInvariant, certify, loop_invariants};
use crate::classify::{Bounds, Class, Determinism, classify};
use crate::engine::expand::{self, Algorithm};
use crate::engine::quantify;
use crate::engine::summarize;
use crate::engine::tabulate;
use crate::engine::{NOTHING_TO_FIND, News, Outcome, Progress, Statistics};
use crate::evidence::{ExplanationError, LassoError, Mismatch, last_place, replay};
use crate::limits::{Limits, Reason};
use crate::logic::{ERROR_CALLS, Linear, OpenMethod, Query};
use crate::model::{Ersm, Goal, NamedPlace, NodeId, NodeSet, ProcId, Proof, Run, SourceMap, SourceRun, Vertex, build};
use crate::reduce::{Reduced, Reduction, Reductions, Removed, RetraceError, reduce};
use crate::solver::SolverName;
use crate::syntax::c::Hazard;
use crate::syntax::{FAILURE_CALLS, FAILURE_LABELS, Place, Program, most_similar};
use crate::temporal::{Again, SourceExplanation, SourceStrategy};
use race::Race;
use std::cell::OnceCell;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Path edges up to which a search is made again for a shorter run.
const SMALL_SEARCH: u64 = 5_000;

/// A query of a SAT solver costs as much as so many path edges.
const EDGES_PER_QUERY: u64 = 20;

/// So few labels are listed where one is missing.
const MOST_LISTED: usize = 4;

/// Which engine answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The plan of the program's class.
    Auto,
    /// Explicit exploration, by this algorithm or the best one for the class.
    Expand(Option<Algorithm>),
    /// Summaries as BDDs.
    Tabulate(tabulate::Options),
    /// Summaries as CNFs.
    Summarize(summarize::Options),
    /// A quantified formula.
    Quantify(quantify::Options),
    /// Summaries as CNFs, by this solver, told as a proof if the property holds. Of the reductions at most
    /// [`Reduction::ModRef`] is applied, which changes nothing: a proof speaks of the program as it is.
    Prove(SolverName),
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The property holds.
    Holds,
    /// It does not: there is a run.
    Violated,
    /// No answer, and why.
    Unknown(Reason),
}

/// Everything a check found out.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// The run that violates the property, replayed.
    pub run: Option<SourceRun>,
    /// How it goes on for ever, if the property is one of linear time.
    pub again: Option<Again>,
    /// Why a property of branching time holds or not, replayed.
    pub explanation: Option<SourceExplanation>,
    /// How a property was asked against every environment, if it was.
    pub open: Option<Open>,
    /// An environment against which the property does not hold, checked.
    pub strategy: Option<SourceStrategy>,
    /// A proof that the property holds, if one was asked for ([`Engine::Prove`]).
    pub proof: Option<Proof>,
    /// A run that leaves what the language defines, replayed, if that is why there is no answer.
    pub undefined: Option<SourceRun>,
    /// A violation was found, though perhaps not a run that shows it.
    pub found: bool,
    /// The class of what the reductions left, if a plan was made by it.
    pub left: Option<Class>,
    /// What it cost.
    pub statistics: Statistics,
    /// What the reductions removed, in the order in which they were applied.
    pub reductions: Vec<Removed>,
    /// Time of everything but the search: model, class, reductions, trace, replay.
    pub other_time: Duration,
}

/// How a property was asked against every environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// By part of the property that was asked, a conjunct each.
    pub methods: Vec<OpenMethod>,
    /// The environment has no choices: it is a closed system.
    pub is_closed: bool,
}

/// Which places can be reached.
#[derive(Clone, Debug)]
pub struct Reachability {
    /// Labels (or nodes of machines) with their answers.
    pub labels: Vec<Reached>,
    /// Statements with their answers, if asked for.
    pub statements: Vec<Reached>,
    /// Why the search ended early, if it did.
    pub stopped: Option<Reason>,
    /// What it cost.
    pub statistics: Statistics,
    /// What the reductions removed, in the order in which they were applied.
    pub reductions: Vec<Removed>,
}

/// A place and whether it can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Label or node name; empty for statements without one.
    pub name: String,
    /// Procedure.
    pub procedure: u32,
    /// Its node in the model.
    pub node: NodeId,
    /// The place.
    pub place: Place,
    /// Yes, no, or not known because the search ended early.
    pub reachable: Option<bool>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The query names something the program does not have.
    #[error("{message}")]
    NoSuchPlace {
        /// What is missing, with advice.
        message: String,
    },
    /// A property of another kind.
    #[error("not supported: property {0}")]
    NotSupported(String),
    /// The engine's run of the reduced machine is not one of the model: a bug in Epitome.
    #[error("internal error: the trace found by the engine cannot be lifted: {0}")]
    DoesNotLift(RetraceError),
    /// The engine's run is not one of the program: a bug in Epitome.
    #[error("internal error: the trace found by the engine does not replay: {0}")]
    DoesNotReplay(#[from] Mismatch),
    /// The engine noticed a mistake of its own: a bug in Epitome.
    #[error("internal error: {0}")]
    Engine(&'static str),
    /// The engine's lasso is not one of the program, or violates nothing: a bug in Epitome.
    #[error("internal error: the lasso found by the engine does not replay: {0}")]
    NoLasso(#[from] LassoError),
    /// The engine's explanation explains nothing: a bug in Epitome.
    #[error("internal error: the explanation found by the engine does not replay: {0}")]
    NoExplanation(#[from] ExplanationError),
    /// The engine's run ends somewhere else: a bug in Epitome.
    #[error("internal error: the trace found by the engine does not violate the property")]
    NoViolation,
}

/// A program with its model, ready for questions.
pub struct Checker<'p> {
    program: &'p Program,
    ersm: Ersm,
    map: SourceMap,
    /// What counts as bounded.
    bounds: Bounds,
    /// As written; measured when somebody asks.
    class: OnceCell<Class>,
    reductions: Reductions,
    /// How many engines may run at a time.
    threads: usize,
    /// The first engine of a plan is tried alone before others join.
    head_start: bool,
    build_time: Duration,
}

impl Verdict {
    /// The verdict of a search that found a violation or did not, and why it ended early, if it did.
    fn of(is_violated: bool, stopped: Option<Reason>) -> Result<Verdict, CheckError> {
        match stopped {
            _ if is_violated => Ok(Verdict::Violated),
            Some(Reason::Internal(what)) => Err(CheckError::Engine(what)),
            Some(reason) => Ok(Verdict::Unknown(reason)),
            None => Ok(Verdict::Holds),
        }
    }
}

impl Report {
    /// There is no answer.
    fn unknown(reason: Reason) -> Report {
        Report {
            verdict: Verdict::Unknown(reason),
            run: None,
            again: None,
            explanation: None,
            open: None,
            strategy: None,
            proof: None,
            undefined: None,
            found: false,
            left: None,
            statistics: Statistics::default(),
            reductions: Vec::new(),
            other_time: Duration::ZERO,
        }
    }
}

impl<'p> Checker<'p> {
    /// Builds the model.
    ///
    /// ```
    /// use epitome::{Checker, Engine, Verdict, limits::Limits, logic::Query};
    /// use epitome::syntax::{Language, Program, Source};
    /// let source = Source::new("a.bp", "decl g; void main() begin assert(g); end");
    /// let (program, _) = Program::parse(&source, Language::Bp).unwrap();
    /// let report = Checker::new(&program).check(&Query::Failures, Engine::Auto, &Limits::none(), &mut |_| ()).unwrap();
    /// assert_eq!(report.verdict, Verdict::Violated);
    /// ```
    pub fn new(program: &'p Program) -> Checker<'p> {
        let start = Instant::now();
        let (ersm, map) = build(program);
        let (class, reductions) = (OnceCell::new(), Reductions::all());
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let (bounds, head_start, build_time) = (Bounds::default(), true, start.elapsed());
        Checker { program, ersm, map, bounds, class, reductions, threads, head_start, build_time }
    }

    /// Applies these reductions (all of them if this is not called).
    pub fn with_reductions(self, reductions: Reductions) -> Checker<'p> {
        Checker { reductions, ..self }
    }

    /// Names classes with these bounds, instead of those that plans are made for.
    pub fn with_bounds(self, bounds: Bounds) -> Checker<'p> {
        Checker { bounds, class: OnceCell::new(), ..self }
    }

    /// Lets so many engines run at a time, where several race ([`Engine::Auto`]); as many as there are processors if
    /// this is not called.
    pub fn with_threads(self, threads: usize) -> Checker<'p> {
        Checker { threads, ..self }
    }

    /// Lets all engines of a plan race from the start, even where one of them would answer at once: for tests of races.
    pub fn without_head_start(self) -> Checker<'p> {
        Checker { head_start: false, ..self }
    }

    /// The model.
    pub fn ersm(&self) -> &Ersm {
        &self.ersm
    }

    /// How long it took to build the model.
    pub fn build_time(&self) -> Duration {
        self.build_time
    }

    /// The class of the program as written.
    pub fn class(&self) -> &Class {
        self.class.get_or_init(|| classify(&self.ersm, self.bounds))
    }

    /// Answers a query.
    pub fn check(
        &self,
        query: &Query,
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Result<Report, CheckError> {
        if let (Query::Overflow, Program::C(program)) = (query, self.program) {
            // Without its checks nothing would ever overflow.
            if !program.settings.overflow {
                return Err(CheckError::Engine("the program was read without checks of overflows"));
            }
        }
        if let Query::Other(name) = query {
            return Err(CheckError::NotSupported(name.clone()));
        }
        self.resolve(query)?;
        let report = match query {
            Query::Linear(linear) => self.check_linear(linear, engine, limits, &mut *progress)?,
            Query::Branching(branching) if branching.open => {
                self.check_open(branching, engine, limits, &mut *progress)?
            }
            Query::Branching(branching) => self.check_branching(branching, engine, limits, &mut *progress)?,
            Query::Termination => self.check_linear(&Linear::termination(), engine, limits, &mut *progress)?,
            _ => self.answer(query, &self.goal(query), engine, limits, &mut *progress)?,
        };
        // What holds of the runs that C defines holds of all runs only if there are no others; and in branching time so does what does
        // not hold.
        let undefined = self.hazards(|hazard| hazard != Hazard::Overflow);
        let speaks_of_all = match (query, &report.verdict) {
            (Query::Branching(_), verdict) => !matches!(verdict, Verdict::Unknown(_)),
            (_, verdict) => *verdict == Verdict::Holds,
        };
        if !speaks_of_all || undefined.targets.is_empty() {
            return Ok(report);
        }
        // The numbers are those of the search that made the verdict: of the first, if it had to search at all.
        let is_idle = report.statistics.algorithm == NOTHING_TO_FIND;
        // A run that leaves what is defined is no violation; and what was said of the first search is not said twice.
        let mut told = |news| match news {
            News::Found | News::Reached(..) => {}
            News::Note(_) | News::Doing(_) if !is_idle => {}
            news => progress(news),
        };
        let undefined = self.answer(query, &undefined, engine, limits, &mut told)?;
        let of_second = |report: Report| Report {
            statistics: undefined.statistics.clone(),
            reductions: undefined.reductions.clone(),
            other_time: undefined.other_time,
            ..report
        };
        let reason = match undefined.verdict {
            Verdict::Holds if is_idle => return Ok(of_second(report)),
            Verdict::Holds => return Ok(report),
            Verdict::Unknown(ref reason) => reason.clone(),
            Verdict::Violated => {
                let place = undefined.run.as_ref().map(last_place);
                let hazard = place.and_then(|(procedure, place)| self.program.hazard(procedure, place));
                Reason::Undefined(hazard.map_or("", Hazard::describe).to_owned())
            }
        };
        let (verdict, report) = (Verdict::Unknown(reason), of_second(report));
        Ok(Report { verdict, undefined: undefined.run, proof: None, explanation: None, found: false, ..report })
    }

    /// Answers a query, as far as runs are concerned that the language defines.
    fn answer(
        &self,
        query: &Query,
        goal: &Goal,
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Result<Report, CheckError> {
        let start = Instant::now();
        let (reduced, class) = self.prepare(engine, goal);
        let reduce_time = start.elapsed();
        let (outcome, engine) = self.ask(engine, &reduced, class.as_ref(), limits, progress);
        let start = Instant::now();
        let short = self.shorter_run(engine, goal, class.as_ref(), &outcome, limits);
        let (run, stopped) = match outcome.run.map(|run| short.unwrap_or_else(|| reduced.lift_run(run, limits))) {
            Some(Ok(run)) => (Some(self.map.lift(&run)), None),
            Some(Err(RetraceError::Stopped(reason))) => (None, Some(reason)),
            Some(Err(failure)) => return Err(CheckError::DoesNotLift(failure)),
            None => (None, outcome.stopped),
        };
        if let Some(run) = &run {
            replay(self.program, run)?;
            if !self.ends_in_violation(query, run) {
                return Err(CheckError::NoViolation);
            }
        }
        let verdict = Verdict::of(run.is_some(), stopped)?;
        let other_time = self.build_time + reduce_time + start.elapsed() + outcome.statistics.trace_time;
        Ok(Report {
            verdict,
            run,
            proof: outcome.proof,
            found: outcome.found,
            left: class,
            statistics: outcome.statistics,
            reductions: reduced.removed,
            other_time,
            ..Report::unknown(Reason::Patience)
        })
    }

    /// Shows the machine and the goal that engines get for a query.
    pub fn ask_about<T>(&self, query: &Query, show: impl FnOnce(&Ersm, &Goal) -> T) -> T {
        let goal = self.goal(query);
        let reduced = reduce(&self.ersm, &goal, self.reductions);
        show(reduced.ersm(), reduced.goal())
    }

    /// Checks a proof that a query's property holds: of the program, the model and the query alone, by
    /// this solver.
    pub fn certify(&self, query: &Query, proof: &Proof, solver: SolverName, limits: &Limits) -> Certified {
        certify(&self.ersm, &self.goal(query), proof, solver, limits)
    }

    /// Invariants of the loops of a C program, from a proof about it ([`Engine::Prove`]).
    pub fn loop_invariants(&self, proof: &Proof) -> Vec<LoopInvariant> {
        match self.program {
            Program::C(program) => loop_invariants(program, &self.map, proof),
            _ => Vec::new(),
        }
    }

    /// A run through a compacted machine is short in the steps of that machine. Where the search took
    /// next to nothing it is made again with the steps of the source.
    fn shorter_run(
        &self,
        engine: Engine,
        goal: &Goal,
        class: Option<&Class>,
        found: &Outcome,
        limits: &Limits,
    ) -> Option<Result<Run<Vertex>, RetraceError>> {
        let (most, cost) = match &found.statistics.sat {
            Some(sat) => (SMALL_SEARCH / EDGES_PER_QUERY, sat.queries),
            None => (SMALL_SEARCH, found.statistics.path_edges),
        };
        let is_compact = self.reductions.contains(Reduction::Compact) && !matches!(engine, Engine::Prove(_));
        if found.run.is_none() || cost > most || !is_compact {
            return None;
        }
        let reduced = reduce(&self.ersm, goal, self.reductions.without(Reduction::Compact));
        let limits = limits.clone().with_patience(most);
        let run = self.ask(engine, &reduced, class, &limits, &mut |_| ()).0.run?;
        Some(reduced.lift_run(run, &limits))
    }

    /// Finds which labels, and with `statements` which statements, can be reached.
    pub fn reach(&self, statements: bool, engine: Engine, limits: &Limits, progress: Progress<'_>) -> Reachability {
        let mut targets = NodeSet::new(&self.ersm);
        for place in &self.ersm.places {
            targets.insert(place.procedure, place.node);
        }
        if statements {
            for (procedure, node, _) in self.source_nodes() {
                targets.insert(procedure, node);
            }
        }
        let goal = Goal { targets, calls: Vec::new(), all: true };
        let (reduced, class) = self.prepare(engine, &goal);
        let mut lifted = |news| match news {
            News::Reached(procedure, node) => {
                let (procedure, node) = reduced.lift_node(procedure, node);
                progress(News::Reached(procedure, node));
            }
            news => progress(news),
        };
        let (outcome, _) = self.ask(engine, &reduced, class.as_ref(), limits, &mut lifted);
        let reached = reduced.lift_reached(&outcome.reached);
        let is_complete = outcome.stopped.is_none();
        Reachability {
            stopped: outcome.stopped,
            statistics: outcome.statistics,
            reductions: reduced.removed,
            ..self.reachability(statements, &|procedure, node| {
                (reached.contains(procedure, node) || is_complete).then(|| reached.contains(procedure, node))
            })
        }
    }

    /// Labels, and with `statements` statements, with what is known of their nodes.
    pub fn reachability(&self, statements: bool, known: &dyn Fn(ProcId, NodeId) -> Option<bool>) -> Reachability {
        let label = |place: &NamedPlace| Reached {
            name: self.ersm.names.text(place.name).to_owned(),
            procedure: place.procedure.0,
            node: place.node,
            place: self.map.place(place.procedure.index(), place.node.index()).unwrap_or(Place::End),
            reachable: known(place.procedure, place.node),
        };
        let labels = self.ersm.places.iter().map(label).collect();
        let told = self.source_nodes().filter(|(procedure, _, place)| !self.program.is_silent(procedure.0, *place));
        let lines = told.filter(|_| statements).map(|(procedure, node, place)| Reached {
            name: String::new(),
            procedure: procedure.0,
            node,
            place,
            reachable: known(procedure, node),
        });
        let (stopped, statistics, reductions) = (None, Statistics::default(), Vec::new());
        Reachability { labels, statements: lines.collect(), stopped, statistics, reductions }
    }

    /// Nodes that are statements or nodes of the source.
    fn source_nodes(&self) -> impl Iterator<Item = (ProcId, NodeId, Place)> + '_ {
        self.nodes().filter(|(_, _, place)| matches!(place, Place::Statement(_) | Place::Node(_)))
    }

    /// Nodes that are places of the source.
    fn nodes(&self) -> impl Iterator<Item = (ProcId, NodeId, Place)> + '_ {
        self.ersm.procedures().flat_map(move |(id, procedure)| {
            let nodes = 0..procedure.nodes.len();
            nodes.filter_map(move |node| Some((id, NodeId::from(node), self.map.place(id.index(), node)?)))
        })
    }

    /// The answer of an engine, and which one it was. The class is that of the machine that was prepared for it.
    fn ask(
        &self,
        engine: Engine,
        reduced: &Reduced<'_>,
        class: Option<&Class>,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> (Outcome, Engine) {
        let (ersm, goal) = (reduced.ersm(), reduced.goal());
        let class = || class.unwrap_or_else(|| self.class());
        let engine = match engine {
            Engine::Auto => {
                let (plan, expand) = (&class().plan, Engine::Expand(Some(best_algorithm(class(), ersm))));
                let engines = plan.entrants.iter().map(|entrant| race::engine_of(entrant, expand)).collect();
                let alone = |engine: Engine, limits: &Limits, progress: Progress<'_>| {
                    run_engine(engine, ersm, goal, limits, progress)
                };
                let shared = || -> race::Ask {
                    let task = (ersm.clone(), goal.clone());
                    Arc::new(move |engine, limits, progress| run_engine(engine, &task.0, &task.1, limits, progress))
                };
                let (threads, head_start) = (self.threads, self.head_start);
                let race = Race { ersm, alone: &alone, shared: &shared, plan, engines, threads, head_start };
                return race.run(limits, progress);
            }
            Engine::Expand(None) => Engine::Expand(Some(best_algorithm(class(), ersm))),
            // Tables of unbounded inputs do not end; the algorithm they are based on does.
            Engine::Expand(Some(Algorithm::Table)) if !class().fits_table() => {
                Engine::Expand(Some(Algorithm::Deterministic))
            }
            engine => engine,
        };
        (run_engine(engine, ersm, goal, limits, progress), engine)
    }

    /// The program has what a query about places is about; otherwise the answer is no news.
    pub fn can_be_asked(&self, query: &Query) -> bool {
        let goal = self.goal(query);
        let is_about_places = matches!(query, Query::Failures | Query::Label(_) | Query::Call(_) | Query::ErrorCall);
        let called = self.ersm.called();
        let starts = |id: &ProcId| self.ersm.initial.iter().any(|(start, _)| start == id);
        !is_about_places || !goal.targets.is_empty() || goal.calls.iter().any(|id| called[id.index()] || starts(id))
    }

    /// Every name in a query about places means something in the program. What is not there is never reached, so that
    /// a name that was mistyped would be answered TRUE. Names that mean failure everywhere need not be there: the
    /// properties of competitions are the same for all programs. (Names in formulas are resolved where they are read.)
    ///
    /// # Errors
    /// If the program has no such label or procedure, with advice.
    pub fn resolve(&self, query: &Query) -> Result<(), CheckError> {
        match query {
            Query::Label(label) if !FAILURE_LABELS.contains(&label.as_str()) => self.find_label(label),
            Query::Call(name) if !FAILURE_CALLS.contains(&name.as_str()) => {
                self.program.find_procedure(name).map_err(|message| CheckError::NoSuchPlace { message })
            }
            _ => Ok(()),
        }
    }

    /// What a query is about. What the program does not have is never reached ([`Checker::resolve`] finds names that
    /// it should have).
    fn goal(&self, query: &Query) -> Goal {
        let mut goal = Goal { targets: NodeSet::new(&self.ersm), calls: Vec::new(), all: false };
        match query {
            Query::Failures => {
                for failure in &self.ersm.failures {
                    goal.targets.insert(failure.procedure, failure.node);
                }
            }
            Query::Label(label) => goal.targets = self.label_nodes(label),
            Query::Overflow => return self.hazards(|hazard| hazard == Hazard::Overflow),
            Query::Termination | Query::Linear(_) | Query::Branching(_) | Query::Other(_) => {}
            // What is called need not be a function of the program.
            Query::Call(name) if matches!(self.program, Program::C(_)) => {
                return self.goal_at(|procedure, place| self.program.called_at(procedure, place) == Some(name));
            }
            Query::ErrorCall => {
                let called = |procedure, place| self.program.called_at(procedure, place);
                return self.goal_at(|procedure, place| {
                    called(procedure, place).is_some_and(|name| ERROR_CALLS.contains(&name))
                });
            }
            Query::Call(name) => {
                let named = |id: &ProcId| self.ersm.procedure_name(*id) == name;
                goal.calls = self.ersm.procedures().map(|(id, _)| id).filter(named).collect();
            }
        }
        goal
    }

    /// Places of C where a check of such a kind has failed.
    fn hazards(&self, is_meant: impl Fn(Hazard) -> bool) -> Goal {
        self.goal_at(|procedure, place| self.program.hazard(procedure, place).is_some_and(&is_meant))
    }

    /// To reach one of these places.
    fn goal_at(&self, is_meant: impl Fn(u32, Place) -> bool) -> Goal {
        let mut targets = NodeSet::new(&self.ersm);
        for (procedure, node, _) in self.nodes().filter(|&(procedure, _, place)| is_meant(procedure.0, place)) {
            targets.insert(procedure, node);
        }
        Goal { targets, calls: Vec::new(), all: false }
    }

    /// Nodes with this label, name or proposition.
    fn label_nodes(&self, label: &str) -> NodeSet {
        let mut nodes = NodeSet::new(&self.ersm);
        for (procedure, name) in label_readings(label) {
            let fits = |id| procedure.is_none_or(|procedure| self.ersm.procedure_name(id) == procedure);
            let Some(name) = self.ersm.names.find(&name) else { continue };
            for place in self.ersm.places.iter().filter(|place| place.name == name && fits(place.procedure)) {
                nodes.insert(place.procedure, place.node);
            }
            for (id, procedure) in self.ersm.procedures().filter(|(id, _)| fits(*id)) {
                for (node, _) in procedure.nodes.iter().enumerate().filter(|(_, n)| n.propositions.contains(&name)) {
                    nodes.insert(id, node.into());
                }
            }
            if !nodes.is_empty() {
                break;
            }
        }
        nodes
    }

    /// The last place of a run violates the query, by the source program alone.
    fn ends_in_violation(&self, query: &Query, run: &SourceRun) -> bool {
        let (procedure, place) = last_place(run);
        let names = self.program.names_at(procedure, place);
        if let Some(hazard) = self.program.hazard(procedure, place) {
            // Who asks for something else asks for these in second place.
            return hazard != Hazard::Overflow || *query == Query::Overflow;
        }
        match query {
            Query::Failures => {
                let called = self.program.called_at(procedure, place);
                matches!(place, Place::Failed(_))
                    || names.iter().any(|name| FAILURE_LABELS.contains(name))
                    || called.is_some_and(|name| FAILURE_CALLS.contains(&name))
            }
            Query::Label(label) => label_readings(label).iter().any(|(qualifier, name)| {
                qualifier.is_none_or(|q| q == self.program.procedure_name(procedure)) && names.contains(&name.as_str())
            }),
            Query::Call(name) => self.program.called_at(procedure, place) == Some(name.as_str()),
            Query::ErrorCall => {
                self.program.called_at(procedure, place).is_some_and(|name| ERROR_CALLS.contains(&name))
            }
            _ => false,
        }
    }

    /// Says so if the program has no such label: whoever names one by hand has probably mistyped it.
    pub fn find_label(&self, label: &str) -> Result<(), CheckError> {
        if !self.label_nodes(label).is_empty() {
            return Ok(());
        }
        let mut message = format!("the program has no label `{label}`");
        let name = label.rsplit(['.', ':']).next().unwrap_or(label); // good enough for advice
        let places = || self.ersm.places.iter();
        let text = |place: &NamedPlace| self.ersm.names.text(place.name);
        if let Some(place) = places().find(|place| text(place) == name) {
            message += &format!("; did you mean `{}.{name}`?", self.ersm.procedure_name(place.procedure));
        } else if let Some(similar) = most_similar(name, places().map(text)) {
            message += &format!("; did you mean `{similar}`?");
        } else if self.ersm.places.is_empty() {
            message += "; it has no labels at all";
        } else {
            let mut names: Vec<&str> = places().map(text).collect();
            names.sort_unstable();
            names.dedup();
            if let [first, rest @ ..] = &names[..]
                && rest.len() < MOST_LISTED
            {
                message += &rest.iter().fold(format!("; it has `{first}`"), |list, name| format!("{list}, `{name}`"));
            }
        }
        Err(CheckError::NoSuchPlace { message })
    }
}

/// How exploration goes about a machine of this class.
fn best_algorithm(class: &Class, ersm: &Ersm) -> Algorithm {
    if class.measures.variable_free() && ersm.is_variable_free() {
        Algorithm::Components
    } else if class.measures.deterministic == Determinism::Deterministic {
        Algorithm::Deterministic
    } else {
        Algorithm::Forward
    }
}

/// Runs one engine.
fn run_engine(engine: Engine, ersm: &Ersm, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    match engine {
        Engine::Expand(algorithm) => {
            expand::explore(ersm, algorithm.unwrap_or(Algorithm::Forward), goal, limits, progress)
        }
        Engine::Tabulate(options) => tabulate::tabulate(ersm, options, goal, limits, progress),
        Engine::Quantify(options) => quantify::quantify(ersm, options, goal, limits, progress),
        // Who has no plan takes the engine that decides every program.
        Engine::Auto => summarize::summarize(ersm, summarize::Options::default(), goal, limits, progress),
        Engine::Summarize(options) => summarize::summarize(ersm, options, goal, limits, progress),
        Engine::Prove(solver) => summarize::prove(ersm, solver, goal, limits, progress),
    }
}

/// The ways to read what a user calls a label: the whole text as a name, in braces if it is not a plain
/// one, or a procedure and a name; braced names may contain anything.
fn label_readings(label: &str) -> Vec<(Option<&str>, String)> {
    let mut readings = vec![(None, label.to_owned()), (None, format!("{{{label}}}"))];
    let split = match label.find('{') {
        Some(open) => label[..open].strip_suffix(['.', ':']).map(|procedure| (procedure, &label[open..])),
        None => label.rsplit_once(['.', ':']),
    };
    readings.extend(split.map(|(procedure, name)| (Some(procedure), name.to_owned())));
    readings
}

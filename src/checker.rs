//! The pipeline: program and query in, report out.
//!
//! Build the model, classify it, turn the query into nodes to look for, ask an engine, lift the run
//! it found to the source, and replay it there. A run that does not replay is an internal error and
//! never becomes a verdict.

use crate::classify::{Class, Determinism, classify};
use crate::engine::expand::{self, Algorithm, Progress};
use crate::engine::{Goal, NodeSet, Outcome, Statistics};
use crate::evidence::{Mismatch, replay};
use crate::limits::{Limits, Reason};
use crate::logic::Query;
use crate::model::{Ersm, NamedPlace, NodeId, ProcId, SourceMap, SourceRun, Vertex, build};
use crate::syntax::{Place, Program, most_similar};
use std::time::{Duration, Instant};

/// Which engine answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The plan of the program's class.
    Auto,
    /// Explicit exploration, by this algorithm or the best one for the class.
    Expand(Option<Algorithm>),
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
    /// The program's class.
    pub class: Class,
    /// What it cost.
    pub statistics: Statistics,
    /// Time of everything but the search: model, class, trace, replay.
    pub other_time: Duration,
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
}

/// A place and whether it can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Label or node name; empty for statements without one.
    pub name: String,
    /// Procedure.
    pub procedure: u32,
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
    /// The engine's run is not one of the program: a bug in Epitome.
    #[error("internal error: the trace found by the engine does not replay: {0}")]
    DoesNotReplay(#[from] Mismatch),
}

/// A program with its model, ready for questions.
pub struct Checker<'p> {
    program: &'p Program,
    ersm: Ersm,
    map: SourceMap,
    class: Class,
    build_time: Duration,
}

impl<'p> Checker<'p> {
    /// Builds and classifies the model.
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
        let class = classify(&ersm);
        Checker { program, ersm, map, class, build_time: start.elapsed() }
    }

    /// The way back from the model to the source.
    pub fn source_map(&self) -> &SourceMap {
        &self.map
    }

    /// The model.
    pub fn ersm(&self) -> &Ersm {
        &self.ersm
    }

    /// The class.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// Answers a query.
    pub fn check(
        &self,
        query: &Query,
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Result<Report, CheckError> {
        let goal = Goal { targets: self.targets(query), all: false };
        let outcome = self.ask(engine, &goal, limits, progress);
        let start = Instant::now();
        let run = outcome.run.as_ref().map(|run| self.map.lift(run));
        if let Some(run) = &run {
            replay(self.program, run)?;
        }
        let verdict = match (&run, outcome.stopped) {
            (Some(_), _) => Verdict::Violated,
            (None, Some(reason)) => Verdict::Unknown(reason),
            (None, None) => Verdict::Holds,
        };
        let other_time = self.build_time + start.elapsed() + outcome.statistics.trace_time;
        Ok(Report { verdict, run, class: self.class.clone(), statistics: outcome.statistics, other_time })
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
        let outcome = self.ask(engine, &Goal { targets, all: true }, limits, progress);
        let answer = |procedure, node| match outcome.reached.contains(procedure, node) {
            true => Some(true),
            false if outcome.stopped.is_some() => None,
            false => Some(false),
        };
        let label = |place: &NamedPlace| Reached {
            name: self.ersm.names.text(place.name).to_owned(),
            procedure: place.procedure.0,
            place: self.map.place(place.procedure.index(), place.node.index()).unwrap_or(Place::End),
            reachable: answer(place.procedure, place.node),
        };
        let labels = self.ersm.places.iter().map(label).collect();
        let lines = self.source_nodes().filter(|_| statements).map(|(procedure, node, place)| Reached {
            name: String::new(),
            procedure: procedure.0,
            place,
            reachable: answer(procedure, node),
        });
        Reachability {
            labels,
            statements: lines.collect(),
            stopped: outcome.stopped.clone(),
            statistics: outcome.statistics.clone(),
        }
    }

    /// Nodes that are statements or nodes of the source.
    fn source_nodes(&self) -> impl Iterator<Item = (ProcId, NodeId, Place)> + '_ {
        self.ersm.procedures().flat_map(move |(id, procedure)| {
            (0..procedure.nodes.len()).filter_map(move |node| match self.map.place(id.index(), node) {
                Some(place @ (Place::Statement(_) | Place::Node(_))) => Some((id, NodeId::from(node), place)),
                _ => None,
            })
        })
    }

    fn ask(&self, engine: Engine, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
        let algorithm = match engine {
            Engine::Auto | Engine::Expand(None) => self.best_algorithm(),
            // Tables of unbounded inputs do not end; the algorithm they are based on does.
            Engine::Expand(Some(Algorithm::Table)) if !self.class.fits_table() => Algorithm::Deterministic,
            Engine::Expand(Some(algorithm)) => algorithm,
        };
        expand::explore(&self.ersm, algorithm, goal, limits, progress)
    }

    fn best_algorithm(&self) -> Algorithm {
        let measures = &self.class.measures;
        if measures.variable_free() && self.ersm.is_variable_free() {
            Algorithm::Components
        } else if measures.deterministic == Determinism::Deterministic {
            Algorithm::Deterministic
        } else {
            Algorithm::Forward
        }
    }

    /// The nodes a query is about. What the program does not have is never reached.
    fn targets(&self, query: &Query) -> NodeSet {
        let mut targets = NodeSet::new(&self.ersm);
        match query {
            Query::Failures => {
                for failure in &self.ersm.failures {
                    targets.insert(failure.procedure, failure.node);
                }
            }
            Query::Label(label) => {
                let (procedure, name) = match label.rsplit_once(['.', ':']) {
                    Some((procedure, name)) => (Some(procedure), name),
                    None => (None, label.as_str()),
                };
                let fits = |id| procedure.is_none_or(|procedure| self.ersm.procedure_name(id) == procedure);
                let Some(name) = self.ersm.names.find(name) else { return targets };
                for place in self.ersm.places.iter().filter(|place| place.name == name && fits(place.procedure)) {
                    targets.insert(place.procedure, place.node);
                }
                for (id, procedure) in self.ersm.procedures().filter(|(id, _)| fits(*id)) {
                    for (node, _) in procedure.nodes.iter().enumerate().filter(|(_, n)| n.propositions.contains(&name))
                    {
                        targets.insert(id, node.into());
                    }
                }
            }
            Query::Call(name) => {
                // The property is about the call, not the body: the nodes from which it is made.
                for (id, procedure) in self.ersm.procedures() {
                    for edge in &procedure.edges {
                        if let (Vertex::Node(node), Vertex::Call(site, _)) = (edge.from, edge.to)
                            && self.ersm.procedure_name(procedure.boxes[site.index()].callee) == name
                        {
                            targets.insert(id, node);
                        }
                    }
                }
            }
        }
        targets
    }

    /// Says so if the program has no such label: whoever names one by hand has probably mistyped it.
    pub fn find_label(&self, label: &str) -> Result<(), CheckError> {
        if !self.targets(&Query::Label(label.to_owned())).is_empty() {
            return Ok(());
        }
        let mut message = format!("the program has no label `{label}`");
        let name = label.rsplit(['.', ':']).next().unwrap_or(label);
        let places = || self.ersm.places.iter();
        let text = |place: &NamedPlace| self.ersm.names.text(place.name);
        if let Some(place) = places().find(|place| text(place) == name) {
            message += &format!("; did you mean `{}.{name}`?", self.ersm.procedure_name(place.procedure));
        } else if let Some(similar) = most_similar(name, places().map(text)) {
            message += &format!("; did you mean `{similar}`?");
        } else if self.ersm.places.is_empty() {
            message += "; it has no labels at all";
        }
        Err(CheckError::NoSuchPlace { message })
    }
}

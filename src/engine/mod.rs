//! Engines: each answers the same question on the same [`Ersm`](crate::model::Ersm).
//!
//! A question is a [`Goal`](crate::model::Goal): which nodes are looked for, and whether one is enough. The answer is an
//! [`Outcome`]: what was reached, a run to the first goal node, and statistics. Engines do not print,
//! know nothing of source texts, and stop when their [`Limits`](crate::limits::Limits) say so.

pub mod expand;
pub mod quantify;
pub mod summarize;
mod system;
pub mod tabulate;
mod watch;

use crate::limits::Reason;
use crate::model::{NodeId, NodeSet, ProcId, Proof, Run, Vertex};
use crate::solver::qbf;
use crate::temporal::{Again, Explanation, Head, Strategy};
use epitome_encodings::Qbf;
use std::time::{Duration, Instant};

/// The algorithm in statistics where there was nothing to look for.
pub const NOTHING_TO_FIND: &str = "nothing to find";

/// What a search tells while it goes on: whoever hears it knows it even if the search never comes to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// How much was done so far: path edges found, queries asked. Told now and then.
    Work(u64),
    /// What is looked for was found, though there may be no run to it yet.
    Found,
    /// A node that is looked for can be reached, where all that can be are looked for.
    Reached(ProcId, NodeId),
    /// Something about the search that the user should know.
    Note(String),
    /// What is being done, and why it may take long: worth telling where it does.
    Doing(String),
}

/// Who is told the news.
pub type Progress<'p> = &'p mut (dyn FnMut(News) + Send);

/// What an engine found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Nodes known to be reachable. If `stopped` is empty and
    /// [`Goal::all`](crate::model::Goal::all) was asked, all targets
    /// that are not in it are unreachable.
    pub reached: NodeSet,
    /// Something that was looked for was found. (The run to it may be missing: that takes time, too.)
    pub found: bool,
    /// A run to the first target found, unless all were asked for.
    pub run: Option<Run<Vertex>>,
    /// How the run goes on, if it is one that goes on for ever.
    pub again: Option<Again>,
    /// Why a formula of branching time holds, or does not, in some initial state.
    pub explanation: Option<Explanation<Vertex>>,
    /// A proof that there is none, if one was asked for and found.
    pub proof: Option<Proof>,
    /// Why the search ended early, if it did.
    pub stopped: Option<Reason>,
    /// What it cost.
    pub statistics: Statistics,
}

/// What an engine found that looked for a repeating head.
#[derive(Clone, Debug)]
pub struct Repeating {
    /// The head of an accepting cycle, or nothing if there is no cycle; or why the search ended early.
    pub head: Result<Option<Head>, Reason>,
    /// What it cost.
    pub statistics: Statistics,
}

/// What was found out about a formula.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// It holds in every initial state; or why that is not known.
    pub holds: Result<bool, Reason>,
    /// Why it holds, or does not, in some initial state, if the engine can tell.
    pub explanation: Option<Explanation<Vertex>>,
    /// What it cost.
    pub statistics: Statistics,
}

/// What was found out about a formula and all environments.
#[derive(Clone, Debug)]
pub struct Opened {
    /// It holds against every environment; or why that is not known.
    pub holds: Result<bool, Reason>,
    /// An environment against which it does not, if the engine can tell.
    pub strategy: Option<Strategy<Vertex>>,
    /// What it cost.
    pub statistics: Statistics,
}

/// What a run cost.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The engine that ran.
    pub engine: &'static str,
    /// Its algorithm.
    pub algorithm: &'static str,
    /// Why it was this engine, if the user did not name one.
    pub chosen: Option<String>,
    /// Path edges (states of a procedure together with the entry they were reached from; for the
    /// deterministic algorithm just states).
    pub path_edges: u64,
    /// Summary edges (inputs and outputs of calls).
    pub summary_edges: u64,
    /// Inputs with which procedures were entered.
    pub entries: u64,
    /// Rounds of the search: rows, vertices or queries that were worked on.
    pub iterations: u64,
    /// The most nodes of decision diagrams at one time.
    pub peak_nodes: u64,
    /// Nodes of the largest decision diagram of a set of path edges.
    pub largest_nodes: u64,
    /// Variables of the solver or of the diagrams.
    pub variables: u64,
    /// Clauses of the one formula, where there is one.
    pub clauses: u64,
    /// Bytes of the engine's tables.
    pub bytes: u64,
    /// Time of the search.
    pub search_time: Duration,
    /// Time to put the run together.
    pub trace_time: Duration,
    /// What the SAT engine did.
    pub sat: Option<SatStatistics>,
    /// What the QBF engine did.
    pub qbf: Option<QbfStatistics>,
}

impl Statistics {
    /// Adds what another search cost, made by the same engine.
    pub fn add(&mut self, other: &Statistics) {
        self.path_edges += other.path_edges;
        self.summary_edges += other.summary_edges;
        self.entries += other.entries;
        self.iterations += other.iterations;
        self.peak_nodes = self.peak_nodes.max(other.peak_nodes);
        self.largest_nodes = self.largest_nodes.max(other.largest_nodes);
        self.variables = self.variables.max(other.variables);
        self.clauses += other.clauses;
        self.bytes = self.bytes.max(other.bytes);
        self.search_time += other.search_time;
        self.trace_time += other.trace_time;
        if let (Some(own), Some(other)) = (&mut self.sat, &other.sat) {
            own.add(other);
        }
        if let (Some(own), Some(other)) = (&mut self.qbf, &other.qbf) {
            own.add(other);
        }
    }

    /// Which engine it was, by which algorithm, and why it was this one.
    pub fn who(&self) -> String {
        let chosen = self.chosen.as_ref().map_or(String::new(), |chosen| format!(", {chosen}"));
        format!("engine {} ({}){chosen}", self.engine, self.algorithm)
    }
}

/// What QBF cost.
#[derive(Clone, Debug, Default)]
pub struct QbfStatistics {
    /// Formulas that were solved: the question, and what is inside the calls of an answer.
    pub formulas: u64,
    /// The most alternations of quantifiers in a formula.
    pub alternations: u64,
    /// The most gates of a formula.
    pub gates: u64,
    /// Calls of SAT solvers.
    pub queries: u64,
    /// Lemmas learned.
    pub lemmas: u64,
    /// Time in the QBF solver.
    pub solver_time: Duration,
}

impl QbfStatistics {
    /// Has a formula solved and counts that.
    pub(crate) fn solve(
        &mut self,
        formula: &Qbf,
        solver: impl FnOnce(&Qbf) -> Result<qbf::Answer, Reason>,
    ) -> Result<qbf::Answer, Reason> {
        self.gates = self.gates.max(formula.gates() as u64);
        self.alternations = self.alternations.max(formula.alternations() as u64);
        let start = Instant::now();
        let answer = solver(formula);
        self.solver_time += start.elapsed();
        self.formulas += 1;
        let answer = answer?;
        self.queries += answer.queries;
        self.lemmas += answer.lemmas;
        Ok(answer)
    }

    /// Adds what other formulas cost.
    pub(crate) fn add(&mut self, other: &QbfStatistics) {
        self.formulas += other.formulas;
        self.alternations = self.alternations.max(other.alternations);
        self.gates = self.gates.max(other.gates);
        self.queries += other.queries;
        self.lemmas += other.lemmas;
        self.solver_time += other.solver_time;
    }
}

/// What SAT cost.
#[derive(Clone, Debug, Default)]
pub struct SatStatistics {
    /// Calls of a solver.
    pub queries: u64,
    /// Cubes that were asked for.
    pub obligations: u64,
    /// Lemmas learned.
    pub lemmas: u64,
    /// Lemmas taken over from another predicate of the same shape, besides.
    pub imitated: u64,
    /// Lemmas pushed to a higher level.
    pub pushed: u64,
    /// The highest level.
    pub levels: u64,
    /// Literals of requests that did not matter.
    pub lifted: u64,
    /// Conflicts in solvers, where they tell.
    pub conflicts: u64,
    /// Time in solvers.
    pub solver_time: Duration,
}

impl SatStatistics {
    /// Adds what another search cost.
    fn add(&mut self, other: &SatStatistics) {
        self.queries += other.queries;
        self.obligations += other.obligations;
        self.lemmas += other.lemmas;
        self.imitated += other.imitated;
        self.pushed += other.pushed;
        self.levels = self.levels.max(other.levels);
        self.lifted += other.lifted;
        self.conflicts += other.conflicts;
        self.solver_time += other.solver_time;
    }
}

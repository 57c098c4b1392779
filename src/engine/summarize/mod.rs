//! The SAT engine: summaries of procedures as CNFs, answered by incremental SAT.
//!
//! A machine becomes a system of predicates, one for each procedure (`translate`, `body`): "entered with
//! these values, it can be left with those", with what is looked for as one more way to be left. The whole
//! question is whether the root predicate can be derived (`search`); a derivation is a run (`derivation`),
//! and without one the lemmas are summaries that prove it (`proof`). A machine without loops and recursion that is
//! small with all its calls written out is one formula instead (`inline`). For comparison, loops and recursion can be
//! unfolded until a quantified formula says that it is deep enough (`fixpoint`).

mod cube;
mod fixpoint;
pub mod formula;
mod imitate;
mod inline;
mod learn;
mod levels;
mod lift;
mod proof;
mod prover;
mod search;
mod shape;
mod summary;

pub use crate::solver::SolverName;

use super::system::{Fact, FactId, Translation, in_rounds, run_of, tell_find};
use super::{NOTHING_TO_FIND, News, Outcome, Progress, SatStatistics, Statistics};
use crate::limits::{Limits, Reason};
use crate::model::{Ersm, Goal, NodeSet, Proof, Run, Vertex};
use cube::Cube;
use epitome_encodings::{PredicateId, System};
use search::{Knowledge, Search};
use std::time::Instant;

/// What can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The solver.
    pub solver: SolverName,
    /// The form of the question.
    pub form: Form,
}

/// How the engine goes about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Inline where that is small, else summaries.
    #[default]
    Auto,
    /// One formula with all calls written out: only without loops and recursion, and not for all targets at once.
    Inline,
    /// Summaries.
    Summaries,
    /// Formulas with loops and recursion unfolded deeper and deeper, until that adds nothing.
    Fixpoint,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 4] = [Form::Auto, Form::Inline, Form::Summaries, Form::Fixpoint];

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Auto => "auto",
            Form::Inline => "inline",
            Form::Summaries => "summaries",
            Form::Fixpoint => "fixpoint",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Form::Auto => "Inline where there are no loops and no recursion and the formula is small, else summaries",
            Form::Inline => "One formula with all calls written out",
            Form::Summaries => "Summaries, procedure by procedure",
            Form::Fixpoint => "Unfolded deeper and deeper, until a quantified formula says that deeper adds nothing",
        }
    }
}

/// Answers a question.
pub fn summarize(ersm: &Ersm, options: Options, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    let start = Instant::now();
    let mut found = Found::nothing(ersm);
    let stopped = if goal.targets.is_empty() && goal.calls.is_empty() {
        found.statistics.algorithm = NOTHING_TO_FIND;
        None
    } else {
        answer(ersm, options, goal, limits, progress, &mut found).err()
    };
    found.into_outcome(stopped, start)
}

/// Answers a question by summaries and tells them as a proof, if nothing can be found. (There is none where
/// all finds are asked for.)
pub fn prove(ersm: &Ersm, solver: SolverName, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    if goal.all {
        return summarize(ersm, Options { solver, form: Form::Summaries }, goal, limits, progress);
    }
    let start = Instant::now();
    let mut found = Found::nothing(ersm);
    let stopped = if goal.targets.is_empty() && goal.calls.is_empty() {
        found.statistics.algorithm = NOTHING_TO_FIND;
        found.proof = Some(Proof::default());
        None
    } else {
        let (translation, system) = Translation::new(ersm, goal);
        let mut search = Search::new(&system, translation.root, solver, limits, progress);
        let end = first(&translation, &mut search, limits, &mut found).err();
        if end.is_none() && found.run.is_none() {
            found.proof = Some(proof::proof(&translation, &search.summaries));
        }
        count(&search, &mut found.statistics);
        end
    };
    found.into_outcome(stopped, start)
}

struct Found {
    /// A target can be reached, though perhaps there is no run to it yet.
    holds: bool,
    reached: NodeSet,
    run: Option<Run<Vertex>>,
    proof: Option<Proof>,
    statistics: Statistics,
}

impl Found {
    fn nothing(ersm: &Ersm) -> Found {
        Found { holds: false, reached: NodeSet::new(ersm), run: None, proof: None, statistics: Statistics::default() }
    }

    fn into_outcome(mut self, stopped: Option<Reason>, start: Instant) -> Outcome {
        self.statistics.engine = "sat";
        self.statistics.search_time = start.elapsed() - self.statistics.trace_time;
        Outcome {
            found: self.holds || !self.reached.is_empty(),
            reached: self.reached,
            run: self.run,
            again: None,
            explanation: None,
            proof: self.proof,
            stopped,
            statistics: self.statistics,
        }
    }
}

fn answer(
    ersm: &Ersm,
    options: Options,
    goal: &Goal,
    limits: &Limits,
    progress: Progress<'_>,
    found: &mut Found,
) -> Result<(), Reason> {
    if options.form == Form::Fixpoint {
        let mut reached = NodeSet::new(ersm);
        let run = in_rounds(goal, &mut reached, progress, |left, reached, progress| {
            let (translation, system) = Translation::new(ersm, left);
            let facts = by_fixpoint(&system, translation.root, options.solver, limits, &mut found.statistics)?;
            let Some(root) = facts.len().checked_sub(1) else { return Ok(None) };
            found.holds = true;
            let start = Instant::now();
            let run = run_to_find(&translation, &facts, root as FactId, limits, reached, progress);
            found.statistics.trace_time += start.elapsed();
            run.map(Some)
        });
        found.reached = reached;
        found.run = run?;
        return Ok(());
    }
    let (translation, system) = Translation::new(ersm, goal);
    if let Some(answer) = inlined(&translation, &system, options, limits) {
        return tell(&answer?, &translation, limits, progress, found);
    }
    if goal.all {
        return reach_all(&translation, &system, options.solver, limits, progress, found);
    }
    let mut search = Search::new(&system, translation.root, options.solver, limits, progress);
    let end = first(&translation, &mut search, limits, found);
    count(&search, &mut found.statistics);
    end
}

/// Which targets can be reached. A question with fewer targets keeps all lemmas, and the facts that are not about
/// targets.
fn reach_all(
    all: &Translation<'_>,
    system: &System,
    solver: SolverName,
    limits: &Limits,
    progress: Progress<'_>,
    found: &mut Found,
) -> Result<(), Reason> {
    let mut known: Option<Knowledge> = None;
    let statistics = &mut found.statistics;
    let mut run_to = |translation: &Translation<'_>, system: &System, reached: &mut NodeSet, progress: Progress<'_>| {
        let mut search = Search::new(system, translation.root, solver, limits, &mut *progress);
        if let Some(known) = known.take() {
            search = search.knowing(known);
        }
        let fact = search.derive(translation.root, Cube::new([]));
        count(&search, statistics);
        let facts = &search.facts;
        let find = |fact| run_to_find(translation, facts, fact, limits, reached, &mut *search.progress);
        let run = fact?.map(find).transpose()?;
        known = Some(search.into_knowledge(|predicate, point| translation.is_target(predicate, point)));
        Ok(run)
    };
    in_rounds(all.goal, &mut found.reached, progress, |left, reached, progress| {
        if left.targets.len() == all.goal.targets.len() {
            return run_to(all, system, reached, progress);
        }
        let (translation, system) = all.for_less(left);
        run_to(&translation, &system, reached, progress)
    })?;
    Ok(())
}

/// The answer by one formula; nothing if summaries are the better form.
fn inlined(
    translation: &Translation<'_>,
    system: &System,
    options: Options,
    limits: &Limits,
) -> Option<Result<inline::Answer, Reason>> {
    let most_clauses = match options.form {
        Form::Auto if translation.goal.all => return None,
        Form::Inline if translation.goal.all => {
            let what = format!("the inline form answers one question at a time; {}", inline::ADVICE);
            return Some(Err(Reason::NotSupported(what)));
        }
        Form::Auto => inline::BUDGET,
        Form::Inline => inline::MOST_CLAUSES,
        Form::Summaries | Form::Fixpoint => return None,
    };
    match inline::unfold(system, translation.root, most_clauses, limits) {
        Ok(unfolding) => Some(inline::solve(&unfolding, options.solver, limits)),
        Err(error) => (options.form == Form::Inline).then(|| Err(inline::refusal(&error))),
    }
}

/// The run to the target that a fact of the root tells of. The target is noted and told first: runs take time, too.
fn run_to_find(
    translation: &Translation<'_>,
    facts: &[Fact],
    root: FactId,
    limits: &Limits,
    reached: &mut NodeSet,
    progress: Progress<'_>,
) -> Result<Run<Vertex>, Reason> {
    tell_find(translation, facts, root, limits, reached, progress)?;
    run_of(translation, facts, root, limits)
}

/// The facts by which a target is reached, by unfolding until that adds nothing.
fn by_fixpoint(
    system: &System,
    root: PredicateId,
    solver: SolverName,
    limits: &Limits,
    statistics: &mut Statistics,
) -> Result<Vec<Fact>, Reason> {
    statistics.algorithm = Form::Fixpoint.name();
    // It has both, even where a limit is reached before the first formula.
    statistics.sat.get_or_insert_default();
    statistics.qbf.get_or_insert_default();
    fixpoint::derive(system, root, solver, limits, statistics)
}

/// Makes a run of the facts that the one formula gave.
fn tell(
    answer: &inline::Answer,
    translation: &Translation<'_>,
    limits: &Limits,
    progress: Progress<'_>,
    found: &mut Found,
) -> Result<(), Reason> {
    let statistics = &mut found.statistics;
    statistics.algorithm = Form::Inline.name();
    statistics.path_edges = answer.facts.len() as u64;
    statistics.iterations = 1;
    statistics.variables = answer.variables;
    statistics.clauses = answer.clauses;
    let (solver_time, conflicts) = (answer.solver_time, answer.conflicts);
    statistics.sat = Some(SatStatistics { queries: 1, solver_time, conflicts, ..SatStatistics::default() });
    let start = Instant::now();
    if let Some(root) = answer.facts.len().checked_sub(1) {
        found.holds = true;
        progress(News::Found);
        found.run = Some(run_of(translation, &answer.facts, root as FactId, limits)?);
    }
    found.statistics.trace_time = start.elapsed();
    Ok(())
}

/// The first find is enough.
fn first(
    translation: &Translation<'_>,
    search: &mut Search<'_, '_>,
    limits: &Limits,
    found: &mut Found,
) -> Result<(), Reason> {
    let fact = search.derive(translation.root, Cube::new([]));
    let start = Instant::now();
    if let Some(fact) = fact? {
        found.holds = true;
        (search.progress)(News::Found);
        found.run = Some(run_of(translation, &search.facts, fact, limits)?);
    }
    found.statistics.trace_time = start.elapsed();
    Ok(())
}

fn count(search: &Search<'_, '_>, statistics: &mut Statistics) {
    let cost = &search.cost;
    statistics.algorithm = Form::Summaries.name();
    statistics.path_edges = search.facts.len() as u64;
    statistics.summary_edges = search.summaries.iter().map(|summary| summary.lemmas.len() as u64).sum();
    statistics.iterations = cost.queries;
    // The encoding: each body once, and the summaries as clauses.
    let shapes = || search.shapes.iter().flatten();
    statistics.variables = shapes().map(|shape| shape.variables as u64).sum();
    statistics.clauses = shapes().map(|shape| shape.clause_count()).sum::<u64>() + statistics.summary_edges;
    statistics.sat = Some(cost.clone());
}

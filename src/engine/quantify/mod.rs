//! Engine `quantify`: the question as a quantified Boolean formula.
//!
//! A machine without recursion is a system of predicates whose only cycles are loops; squaring removes
//! these, and the modular encoding says with one copy of each body that the root can be derived (Godefroid, Theorem 3
//! and 6.3): a formula of polynomial size, true exactly if what is looked for can be reached.
//!
//! The answer of a QBF solver is how the outermost block is chosen: the path through the root's body. What is
//! inside its calls is asked for in turn, fact by fact, until there is a whole derivation, and that is a run.

mod contradictions;
mod derive;
mod doing;
mod flat;
pub mod formula;
mod recursion;
mod unsquare;

use super::system::{FactId, Translation, in_rounds, run_of, tell_find};
use super::{NOTHING_TO_FIND, News, Outcome, Progress, QbfStatistics, Statistics};
use crate::limits::{Limits, Reason};
use crate::model::{CallGraph, Ersm, Goal, NodeSet, Run, Vertex};
use crate::solver::qbf::External;
use derive::Deriver;
use epitome_encodings::{PredicateId, System, square};
use recursion::Recursion;
use std::time::Instant;
use unsquare::{Store, unsquare};

/// How a machine without recursion is a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// One copy of each procedure, shared by its calls.
    #[default]
    Modular,
    /// Configurations of the whole machine, with the stack as a vector.
    Flat,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Encoding; 2] = [Encoding::Modular, Encoding::Flat];

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Modular => "modular",
            Encoding::Flat => "flat",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Encoding::Modular => "One copy of each procedure, shared by its calls",
            Encoding::Flat => "Configurations of the whole program, the stack as a vector; programs without recursion",
        }
    }
}

/// What can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A solver of others for the formulas, in place of ours. (Engines are copied around; solvers are few and stay.)
    pub solver: Option<&'static External>,
    /// How the question is encoded.
    pub encoding: Encoding,
}

/// Answers a question.
pub fn quantify(ersm: &Ersm, options: Options, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    let start = Instant::now();
    let mut found = Found { holds: false, reached: NodeSet::new(ersm), run: None, statistics: Statistics::default() };
    let stopped = if goal.targets.is_empty() && goal.calls.is_empty() {
        found.statistics.algorithm = NOTHING_TO_FIND;
        None
    } else {
        found.statistics.qbf = Some(QbfStatistics::default());
        found.statistics.algorithm = options.encoding.name();
        answer(ersm, options, goal, limits, progress, &mut found).err()
    };
    found.statistics.engine = "qbf";
    found.statistics.search_time = start.elapsed().saturating_sub(found.statistics.trace_time);
    Outcome {
        found: found.holds || found.run.is_some() || !found.reached.is_empty(),
        reached: found.reached,
        run: found.run,
        again: None,
        explanation: None,
        proof: None,
        stopped,
        statistics: found.statistics,
    }
}

struct Found {
    /// A target can be reached, though perhaps there is no run to it yet.
    holds: bool,
    reached: NodeSet,
    run: Option<Run<Vertex>>,
    statistics: Statistics,
}

fn answer(
    ersm: &Ersm,
    options: Options,
    goal: &Goal,
    limits: &Limits,
    progress: Progress<'_>,
    found: &mut Found,
) -> Result<(), Reason> {
    let mut totals = None;
    let mut reached = NodeSet::new(ersm);
    let run = in_rounds(goal, &mut reached, progress, |left, reached, progress| match options.encoding {
        Encoding::Modular => modular_run(ersm, options, left, &mut totals, limits, (reached, progress), found),
        Encoding::Flat => flat_run(ersm, options, left, limits, progress, found),
    });
    found.reached = reached;
    found.run = run?;
    Ok(())
}

/// A run to a target by the modular encoding, or by summary edges where there is recursion.
fn modular_run(
    ersm: &Ersm,
    options: Options,
    goal: &Goal,
    totals: &mut Option<Vec<bool>>,
    limits: &Limits,
    (reached, progress): (&mut NodeSet, Progress<'_>),
    found: &mut Found,
) -> Result<Option<Run<Vertex>>, Reason> {
    let (translation, mut system) = Translation::new(ersm, goal);
    let recursion = Recursion::new(&translation, &system);
    let totals = totals.get_or_insert_with(|| {
        if let Some(doing) = doing::doing(&translation, &system, recursion.as_ref()) {
            progress(News::Doing(doing));
        }
        formula::totals(ersm, limits)
    });
    translation.tell_totals(&mut system, totals);
    let mut question = Question::new(&system, translation.root, options, limits, &mut *progress, &mut found.statistics);
    question.news = (!goal.all).then_some(News::Found);
    let root = match recursion {
        None => question.derive(&system, translation.root),
        Some(recursion) => {
            question.statistics.algorithm = "summary edges";
            recursion::derive(&mut question, &recursion)
        }
    };
    found.holds |= question.holds;
    let (root, facts) = (root?, question.store.facts);
    let start = Instant::now();
    let run = root.map(|root| {
        tell_find(&translation, &facts, root, limits, reached, progress)?;
        run_of(&translation, &facts, root, limits)
    });
    found.statistics.trace_time += start.elapsed();
    run.transpose()
}

/// A run to a target by the flat encoding.
fn flat_run(
    ersm: &Ersm,
    options: Options,
    goal: &Goal,
    limits: &Limits,
    progress: Progress<'_>,
    found: &mut Found,
) -> Result<Option<Run<Vertex>>, Reason> {
    if CallGraph::new(ersm).recursive {
        let what = "the flat encoding of a program with recursion (its stack has no bound); modular can";
        return Err(Reason::NotSupported(what.to_owned()));
    }
    let layout = flat::Layout::new(ersm);
    let (system, root) = flat::system(ersm, goal, &layout);
    let mut question = Question::new(&system, root, options, limits, progress, &mut found.statistics);
    question.news = (!goal.all).then_some(News::Found);
    let root = question.derive(&system, root);
    found.holds |= question.holds;
    root?.map(|root| flat::run_of(ersm, &layout, &question.store.facts, root)).transpose()
}

/// What is asked of a system, and what was found out about it.
struct Question<'q, 'f, 'p> {
    system: &'q System,
    root: PredicateId,
    options: Options,
    limits: &'q Limits,
    progress: Progress<'p>,
    statistics: &'f mut Statistics,
    store: Store,
    /// By predicate: its facts, if it is recursive.
    tables: Vec<Vec<FactId>>,
    /// The predicates whose tables come after those of the system.
    lookup: Vec<PredicateId>,
    /// The root is known to hold.
    holds: bool,
    /// What is told when it is, if that is news: not where all targets are looked for, and nobody knows yet
    /// which it is.
    news: Option<News>,
}

impl<'q, 'f, 'p> Question<'q, 'f, 'p> {
    fn new(
        system: &'q System,
        root: PredicateId,
        options: Options,
        limits: &'q Limits,
        progress: Progress<'p>,
        statistics: &'f mut Statistics,
    ) -> Question<'q, 'f, 'p> {
        let tables = vec![Vec::new(); system.len()];
        let (store, lookup) = (Store::default(), Vec::new());
        Question {
            system,
            root,
            options,
            limits,
            progress,
            statistics,
            store,
            tables,
            lookup,
            holds: false,
            news: None,
        }
    }

    /// The fact of a predicate of the system, or of the system with tables, if it can be derived. All facts on the
    /// way are added to those that are known.
    fn derive(&mut self, system: &System, root: PredicateId) -> Result<Option<FactId>, Reason> {
        let squared = square(system, root).map_err(|_| Reason::Internal("recursion that was not looked up"))?;
        let mut deriver = Deriver::new(&squared.system, self.options, self.limits, &mut *self.progress);
        let news = self.news.clone().filter(|_| root == self.root);
        let fact = deriver.derive(squared.root, news);
        deriver.count(self.statistics);
        self.holds |= root == self.root && deriver.root_holds;
        let Some(fact) = fact? else { return Ok(None) };
        let before = self.store.facts.len();
        let tables = (self.system.len(), &self.lookup[..]);
        let fact = unsquare(system, &squared, &deriver.facts, fact, tables, &mut self.store);
        for id in before..self.store.facts.len() {
            let predicate = self.store.facts[id].predicate;
            if self.lookup.contains(&predicate) {
                self.tables[predicate.index()].push(id as FactId);
            }
        }
        Ok(Some(fact))
    }

    /// A predicate of a system without arguments holds.
    fn is_derivable(&mut self, system: &System, root: PredicateId) -> Result<bool, Reason> {
        let squared = square(system, root).map_err(|_| Reason::Internal("recursion that was not looked up"))?;
        let mut deriver = Deriver::new(&squared.system, self.options, self.limits, &mut *self.progress);
        let holds = deriver.holds(squared.root);
        deriver.count(self.statistics);
        holds
    }
}

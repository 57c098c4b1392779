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
pub mod formula;
mod recursion;
mod unsquare;

use super::system::{Fact, FactId, Translation, run_of};
use super::{NOTHING_TO_FIND, Outcome, Progress, QbfStatistics, Statistics};
use crate::limits::{Limits, Reason};
use crate::model::{Ersm, Goal, NodeId, NodeSet, ProcId, Run, Vertex};
use crate::solver::qbf::External;
use derive::Deriver;
use epitome_encodings::{PredicateId, System, square};
use recursion::Recursion;
use std::time::Instant;
use unsquare::{Store, unsquare};

/// What can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A solver of others for the formulas, in place of ours. (Engines are copied around; solvers are few and stay.)
    pub solver: Option<&'static External>,
}

/// Answers a question.
pub fn quantify(ersm: &Ersm, options: Options, goal: &Goal, limits: &Limits, progress: Progress<'_>) -> Outcome {
    let start = Instant::now();
    let mut found = Found { reached: NodeSet::new(ersm), run: None, statistics: Statistics::default() };
    let stopped = if goal.targets.is_empty() && goal.calls.is_empty() {
        found.statistics.algorithm = NOTHING_TO_FIND;
        None
    } else {
        found.statistics.qbf = Some(QbfStatistics::default());
        found.statistics.algorithm = "modular";
        answer(ersm, options, goal, limits, progress, &mut found).err()
    };
    found.statistics.engine = "qbf";
    found.statistics.search_time = start.elapsed().saturating_sub(found.statistics.trace_time);
    Outcome {
        found: found.run.is_some() || !found.reached.is_empty(),
        reached: found.reached,
        run: found.run,
        proof: None,
        stopped,
        statistics: found.statistics,
    }
}

struct Found {
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
    let totals = formula::totals(ersm, limits);
    let (translation, mut system) = Translation::new(ersm, goal);
    translation.tell_totals(&mut system, &totals);
    let Some((facts, root)) = derive(&translation, &system, options, limits, progress, found)? else { return Ok(()) };
    let start = Instant::now();
    let run = run_of(&translation, &facts, root, limits)?;
    found.statistics.trace_time += start.elapsed();
    if !goal.all {
        found.run = Some(run);
        return Ok(());
    }
    visit(&run, found);
    // Then what no run has come by, until nothing is left to be found.
    loop {
        let left = Goal { targets: goal.targets.without(&found.reached), ..goal.clone() };
        if left.targets.is_empty() {
            return Ok(());
        }
        let (fewer, mut system) = translation.for_less(&left);
        fewer.tell_totals(&mut system, &totals);
        let Some((facts, root)) = derive(&fewer, &system, options, limits, progress, found)? else { return Ok(()) };
        visit(&run_of(&fewer, &facts, root, limits)?, found);
        if left.targets.without(&found.reached).len() == left.targets.len() {
            return Err(Reason::Internal("a run to a target came by none"));
        }
    }
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
}

/// The derivation of the root, if there is one.
fn derive(
    translation: &Translation<'_>,
    system: &System,
    options: Options,
    limits: &Limits,
    progress: Progress<'_>,
    found: &mut Found,
) -> Result<Option<(Vec<Fact>, FactId)>, Reason> {
    let mut question = Question {
        system,
        root: translation.root,
        options,
        limits,
        progress,
        statistics: &mut found.statistics,
        store: Store::default(),
        tables: vec![Vec::new(); system.len()],
        lookup: Vec::new(),
    };
    let root = match Recursion::new(translation, system) {
        None => question.derive(system, translation.root)?,
        Some(recursion) => {
            question.statistics.algorithm = "summary edges";
            recursion::derive(&mut question, &recursion)?
        }
    };
    Ok(root.map(|root| (question.store.facts, root)))
}

impl Question<'_, '_, '_> {
    /// The fact of a predicate of the system, or of the system with tables, if it can be derived. All facts on the
    /// way are added to those that are known.
    fn derive(&mut self, system: &System, root: PredicateId) -> Result<Option<FactId>, Reason> {
        let squared = square(system, root).map_err(|_| Reason::Internal("recursion that was not looked up"))?;
        let mut deriver = Deriver::new(&squared.system, self.options, self.limits, &mut *self.progress);
        let fact = deriver.derive(squared.root);
        deriver.count(self.statistics);
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

/// Everything on a run can be reached.
fn visit(run: &Run<Vertex>, found: &mut Found) {
    for fragment in &run.fragments {
        for step in 0..fragment.len() {
            if let Vertex::Node(node) = *fragment.place(step) {
                found.reached.insert(ProcId(fragment.procedure), NodeId(node.0));
            }
        }
    }
}

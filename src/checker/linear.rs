//! Properties of linear time: program and automaton in, verdict and lasso out.
//!
//! The product of the machine and the automaton of the violations is made once. The explicit and the BDD engine look for a
//! repeating head of it, and then ask for the run through that head; the SAT and QBF engines ask for any head at once
//! ([`Question`]). Questions are questions of reachability, with all reductions; the product itself is not reduced: steps
//! count, and so does where a run can stay.

use super::letters::letters;
use super::race::{Ask, Race, engine_of};
use super::{CheckError, Checker, Engine, Report, Verdict, run_engine};
use crate::classify::Plan;
use crate::engine::expand::{self, Algorithm};
use crate::engine::{News, Outcome, Progress, Repeating, Statistics, tabulate};
use crate::evidence::replay_lasso;
use crate::limits::{Limits, Reason};
use crate::logic::{Linear, Stack};
use crate::model::{NodeSet, Vertex};
use crate::reduce::{Reduction, Reductions, RetraceError, reduce};
use crate::temporal::{Growth, Head, Lasso, Outermost, Product, Question, mark, product};
use std::sync::Arc;
use std::time::Instant;

/// Path edges up to which a short lasso is looked for.
const SMALL_SEARCH: u64 = 50_000;

impl Checker<'_> {
    /// Answers whether all runs have a property of linear time.
    pub(super) fn check_linear(
        &self,
        linear: &Linear,
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Result<Report, CheckError> {
        let start = Instant::now();
        let mut base = Outermost::new(&self.ersm);
        let letters = letters(self.program, &self.map, &mut base, linear)?;
        let product = match product(base, &letters, &linear.violations, linear.blocked) {
            Ok(product) => product,
            Err(_) => {
                let reason = Reason::NotSupported(
                    "a step with so many choices that it cannot be told whether a run can go on (see --blocked discard)".to_owned(),
                );
                return Ok(Report::unknown(reason));
            }
        };
        let task = Task { product, stack: linear.stack, reductions: self.reductions };
        let product_time = start.elapsed();
        let outcome = self.ask_linear(engine, Arc::new(task), limits, progress);
        let start = Instant::now();
        let lasso = match (outcome.run, outcome.again) {
            (Some(run), Some(again)) => Some(Lasso { run, again }.lift(&self.map)),
            _ => None,
        };
        if let Some(lasso) = &lasso {
            replay_lasso(self.program, linear, lasso)?;
        }
        let verdict = Verdict::of(lasso.is_some(), outcome.stopped)?;
        let other_time = self.build_time + product_time + start.elapsed() + outcome.statistics.trace_time;
        let (run, again) = lasso.map_or((None, None), |lasso| (Some(lasso.run), Some(lasso.again)));
        Ok(Report {
            verdict,
            run,
            again,
            found: outcome.found,
            statistics: outcome.statistics,
            other_time,
            ..Report::unknown(Reason::Patience)
        })
    }

    fn ask_linear(&self, engine: Engine, task: Arc<Task>, limits: &Limits, progress: Progress<'_>) -> Outcome {
        if engine != Engine::Auto {
            return task.answer(engine, limits, progress);
        }
        let plan = Plan::linear(&self.class().measures);
        let expand = Engine::Expand(None);
        let engines = plan.entrants.iter().map(|entrant| engine_of(entrant, expand)).collect();
        let ersm = &task.product.ersm;
        let alone = |engine: Engine, limits: &Limits, progress: Progress<'_>| task.answer(engine, limits, progress);
        let shared = || -> Ask {
            let task = task.clone();
            Arc::new(move |engine, limits, progress| task.answer(engine, limits, progress))
        };
        let (threads, head_start) = (self.threads, self.head_start);
        let race = Race { ersm, alone: &alone, shared: &shared, plan: &plan, engines, threads, head_start };
        race.run(limits, progress).0
    }
}

/// What engines are asked.
struct Task {
    product: Product,
    stack: Stack,
    reductions: Reductions,
}

impl Task {
    /// The answer of an engine: a lasso as a run and how it goes on, or that there is none.
    fn answer(&self, engine: Engine, limits: &Limits, progress: Progress<'_>) -> Outcome {
        let repeating = match engine {
            Engine::Expand(algorithm) => {
                expand::find_head(&self.product, self.stack, algorithm, limits, &mut *progress)
            }
            Engine::Tabulate(options) => {
                tabulate::find_head(&mark(&self.product), options, self.stack, limits, &mut *progress)
            }
            Engine::Auto | Engine::Summarize(_) | Engine::Quantify(_) | Engine::Prove(_) => {
                return self.ask_for_any(engine, limits, progress);
            }
        };
        let Repeating { head, statistics } = repeating;
        match head {
            Ok(None) => self.outcome(None, None, statistics),
            Err(reason) => self.outcome(None, Some(reason), statistics),
            Ok(Some(head)) => {
                progress(News::Found);
                self.through(&head, engine, statistics, limits)
            }
        }
    }

    fn growths(&self) -> &'static [Growth] {
        match self.stack {
            Stack::Any => &[Growth::Bounded, Growth::Unbounded],
            Stack::Bounded => &[Growth::Bounded],
            Stack::Unbounded => &[Growth::Unbounded],
        }
    }

    /// Asks for any head.
    fn ask_for_any(&self, engine: Engine, limits: &Limits, progress: Progress<'_>) -> Outcome {
        let mut last = None;
        for &growth in self.growths() {
            let question = Question::any(&self.product, growth);
            let outcome = self.ask(&question, self.reductions, engine, limits, &mut *progress);
            if outcome.found || outcome.stopped.is_some() {
                return outcome;
            }
            // What the questions cost together.
            let before: Option<Outcome> = last.replace(outcome);
            if let (Some(before), Some(outcome)) = (before, &mut last) {
                outcome.statistics.add(&before.statistics);
            }
        }
        last.unwrap_or_else(|| self.outcome(None, None, Statistics::default()))
    }

    /// The lasso through a head that was found. What the head leaves open is tried as 0 and as 1 first: to save a variable is
    /// to read it, and exploration would have to try all its values.
    fn through(&self, head: &Head, engine: Engine, statistics: Statistics, limits: &Limits) -> Outcome {
        let start = Instant::now();
        let is_open = head.values.iter().any(Option::is_none);
        let fills = if is_open { &[Some(false), Some(true), None][..] } else { &[None] };
        let mut last = None;
        for &fill in fills {
            let values = head.values.iter().map(|value| value.or(fill)).collect();
            let outcome = self.through_filled(&Head { values, ..head.clone() }, engine, limits);
            let is_settled = outcome.run.is_some() || outcome.stopped.is_some();
            last = Some(outcome);
            if is_settled {
                break;
            }
        }
        let statistics = Statistics { trace_time: start.elapsed(), ..statistics };
        match last.filter(|outcome| outcome.run.is_some() || outcome.stopped.is_some()) {
            Some(outcome) => Outcome { found: true, statistics, ..outcome },
            None => self.outcome(None, Some(Reason::Internal("no run comes back to a head that repeats")), statistics),
        }
    }

    /// The lasso through a head, a short one if it is easily found.
    fn through_filled(&self, head: &Head, engine: Engine, limits: &Limits) -> Outcome {
        let question = Question::known(&self.product, head);
        let patience = limits.clone().with_patience(SMALL_SEARCH);
        let shortest = Engine::Expand(Some(Algorithm::Shortest));
        let steps = self.reductions.without(Reduction::Compact);
        let outcome = self.ask(&question, steps, shortest, &patience, &mut |_| ());
        match outcome.run.is_some() || outcome.stopped.is_none() {
            true => outcome,
            false => self.ask(&question, self.reductions, engine, limits, &mut |_| ()),
        }
    }

    /// Asks a question, and lifts its answer.
    fn ask(
        &self,
        question: &Question<'_>,
        reductions: Reductions,
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Outcome {
        let reduced = reduce(&question.ersm, &question.goal, reductions);
        let engine = match engine {
            Engine::Expand(None | Some(Algorithm::Components | Algorithm::Nested)) => {
                Engine::Expand(Some(Algorithm::Forward))
            }
            engine => engine,
        };
        let outcome = run_engine(engine, reduced.ersm(), reduced.goal(), limits, progress);
        let Some(run) = outcome.run else {
            return Outcome { reached: NodeSet::new(&self.product.ersm), ..outcome };
        };
        let stopped = match reduced.lift_run(run, limits) {
            Ok(run) => match question.lasso(&run) {
                Some(lasso) => return self.outcome(Some(lasso), None, outcome.statistics),
                None => Reason::Internal("a run of a question is no lasso"),
            },
            Err(RetraceError::Stopped(reason)) => reason,
            Err(_) => Reason::Internal("the run through a head cannot be lifted"),
        };
        Outcome { found: true, ..self.outcome(None, Some(stopped), outcome.statistics) }
    }

    fn outcome(&self, lasso: Option<Lasso<Vertex>>, stopped: Option<Reason>, statistics: Statistics) -> Outcome {
        let found = lasso.is_some();
        let (run, again) = lasso.map_or((None, None), |lasso| (Some(lasso.run), Some(lasso.again)));
        let reached = NodeSet::new(&self.product.ersm);
        Outcome { reached, found, run, again, explanation: None, proof: None, stopped, statistics }
    }
}

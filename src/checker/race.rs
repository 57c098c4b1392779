//! Engine `auto`: the plan of the program's class, as a race.
//!
//! No measure of a program tells for sure which engine will be fast: exploration counts through a long loop that
//! summaries take level by level, summaries see through sixty variables that exploration would enumerate, and
//! diagrams square loops that are hopeless for both. So the first engine of the plan has a head start of a fixed
//! amount of work: what is easy is answered by one engine, without threads, and by the same one every time. After
//! that all engines of the plan race on the processors they are given, each with its share of them ([`Turnstile`]),
//! and whoever has an answer first ends the race. The others stop at their next look at the limits; nobody waits
//! for them. An engine that gives up leaves its time to the rest.

use super::{Engine, run_engine};
use crate::classify::{Entrant, Plan};
use crate::engine::{Outcome, Progress, Statistics};
use crate::limits::{Limits, Reason, Turnstile};
use crate::model::{Ersm, Goal, NodeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Path edges of the head start of exploration, and so many more for each node, box and transition: programs
/// that are only long are not given up.
const FIRST_EDGES: u64 = 50_000;
const EDGES_FOR_A_PART: u64 = 5;

/// Queries of the head start of summaries, and looks at the limits, which count the work inside hard ones.
const FIRST_QUERIES: u64 = 300;
const FIRST_LOOKS: u64 = 6;

/// Time between two looks at the limits, and how long those who reached one are waited for.
const LOOK: Duration = Duration::from_millis(20);
const GRACE: Duration = Duration::from_millis(200);

/// What the engines are asked, and by which plan.
pub(super) struct Race<'r> {
    pub(super) ersm: &'r Ersm,
    pub(super) goal: &'r Goal,
    pub(super) plan: &'r Plan,
    /// The engines of the plan, with their options.
    pub(super) engines: Vec<Engine>,
    /// How many may run at a time.
    pub(super) threads: usize,
    /// The first engine is tried alone before the others join.
    pub(super) head_start: bool,
}

impl Race<'_> {
    /// The answer of the plan, and who gave it.
    pub(super) fn run(&self, limits: &Limits, progress: Progress<'_>) -> (Outcome, Engine) {
        let first = &self.plan.entrants[0];
        if self.engines.len() == 1 {
            let outcome = run_engine(self.engines[0], self.ersm, self.goal, limits, progress);
            return (explained(outcome, format!("the plan: {}", first.why)), self.engines[0]);
        }
        if !self.head_start {
            return self.race(limits, progress);
        }
        let head_start = self.limits_of_head_start(limits);
        let outcome = run_engine(self.engines[0], self.ersm, self.goal, &head_start, progress);
        match outcome.stopped {
            // Who has no memory left for states may have enough for formulas.
            Some(Reason::Patience | Reason::Memory | Reason::TooManyStates | Reason::NotSupported(_))
                if outcome.run.is_none() && limits.check(0).is_ok() =>
            {
                self.race(limits, progress)
            }
            _ => (explained(outcome, format!("first of the plan: {}", first.why)), self.engines[0]),
        }
    }

    fn limits_of_head_start(&self, limits: &Limits) -> Limits {
        let edges = FIRST_EDGES + EDGES_FOR_A_PART * self.ersm.size() as u64;
        match self.engines[0] {
            Engine::Expand(_) => limits.clone().with_patience(edges.min(limits.patience())),
            _ => limits.clone().with_patience(FIRST_QUERIES.min(limits.patience())).with_looks(FIRST_LOOKS),
        }
    }

    fn race(&self, limits: &Limits, progress: Progress<'_>) -> (Outcome, Engine) {
        let start = Instant::now();
        let task = Arc::new((self.ersm.clone(), self.goal.clone()));
        let turnstile = Turnstile::new(self.threads);
        let (send, answers) = mpsc::channel();
        let counted: Arc<[AtomicU64]> = self.engines.iter().map(|_| AtomicU64::new(0)).collect();
        let started = self.engines.iter().zip(&self.plan.entrants).enumerate().filter(|(number, (engine, entrant))| {
            let (engine, number, task, send, counted) =
                (**engine, *number, task.clone(), send.clone(), counted.clone());
            let limits = limits.clone().with_ticket(turnstile.ticket(entrant.share));
            let search = move || {
                let mut progress = |found| counted[number].store(found, Ordering::Relaxed);
                // Whether anybody still listens does not matter.
                let _ = send.send((number, run_engine(engine, &task.0, &task.1, &limits, &mut progress)));
            };
            thread::Builder::new().name(entrant.engine.name().to_owned()).spawn(search).is_ok()
        });
        if started.count() == 0 {
            return (run_engine(self.engines[0], self.ersm, self.goal, limits, progress), self.engines[0]);
        }
        drop(send);
        let mut unfinished: Vec<Outcome> = Vec::new();
        let mut exceeded: Option<(Reason, Instant)> = None;
        let answer = loop {
            match answers.recv_timeout(LOOK) {
                Ok((number, outcome)) if is_answer(&outcome) => break Some((number, outcome)),
                Ok((_, outcome)) => unfinished.push(outcome),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) => {
                    progress(counted.iter().map(|count| count.load(Ordering::Relaxed)).max().unwrap_or(0));
                    exceeded = exceeded.or_else(|| Some((limits.check(0).err()?, Instant::now())));
                    if exceeded.as_ref().is_some_and(|(_, since)| since.elapsed() > GRACE) {
                        break None;
                    }
                }
            }
        };
        turnstile.close();
        match answer {
            Some((number, outcome)) => {
                let why = format!("first to answer of {}, in {:.1} s", self.names(), start.elapsed().as_secs_f64());
                (explained(outcome, why), self.engines[number])
            }
            None => {
                let reason = exceeded.map(|(reason, _)| reason);
                (explained(self.together(unfinished, reason), format!("{} raced", self.names())), Engine::Auto)
            }
        }
    }

    fn names(&self) -> String {
        self.plan.names().join(", ")
    }

    /// What those who did not come to an answer found.
    fn together(&self, unfinished: Vec<Outcome>, reason: Option<Reason>) -> Outcome {
        let mut all = Outcome {
            reached: NodeSet::new(self.ersm),
            found: false,
            run: None,
            proof: None,
            stopped: reason,
            statistics: Statistics { engine: "auto", algorithm: "race", ..Statistics::default() },
        };
        for outcome in unfinished {
            all.reached.add(&outcome.reached);
            all.found |= outcome.found;
            let is_limit = matches!(outcome.stopped, Some(Reason::Timeout | Reason::Memory | Reason::Interrupted));
            if all.stopped.is_none() || is_limit && !matches!(all.stopped, Some(Reason::Timeout | Reason::Interrupted))
            {
                all.stopped = outcome.stopped;
            }
        }
        all.stopped.get_or_insert(Reason::Internal("an engine ended without an answer"));
        all
    }
}

/// There is nothing left to find out; or something is wrong, which has to be told.
fn is_answer(outcome: &Outcome) -> bool {
    matches!(outcome.stopped, None | Some(Reason::Internal(_) | Reason::Solver(_))) || outcome.run.is_some()
}

fn explained(mut outcome: Outcome, why: String) -> Outcome {
    outcome.statistics.chosen = Some(why);
    outcome
}

/// The engine of an entrant, if its class has no better algorithm for it.
pub(super) fn engine_of(entrant: &Entrant, expand: Engine) -> Engine {
    use crate::classify::PlannedEngine;
    match entrant.engine {
        PlannedEngine::Expand => expand,
        PlannedEngine::Bdd => Engine::Tabulate(Default::default()),
        PlannedEngine::Sat => Engine::Summarize(Default::default()),
        PlannedEngine::Qbf => Engine::Quantify(Default::default()),
    }
}

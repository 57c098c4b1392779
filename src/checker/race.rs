//! Engine `auto`: the plan of the program's class, as a race.
//!
//! No measure of a program tells for sure which engine will be fast: exploration counts through a long loop that
//! summaries take level by level, summaries see through sixty variables that exploration would enumerate, and
//! diagrams square loops that are hopeless for both. So the first engine of the plan has a head start of a fixed
//! amount of work: what is easy is answered by one engine, without threads, and by the same one every time. After
//! that all engines of the plan race on the processors they are given, the first from the start again, each with
//! its share of them ([`Turnstile`]), and whoever has an answer first ends the race. The others stop at their next
//! look at the limits; nobody waits for them. An engine that gives up leaves its time to the rest; when memory is
//! short the hungriest has to. Where threads cannot be had engines take turns instead ([`turns`](super::turns)).
//!
//! What engines find they tell at once ([`News`]): whoever is not waited for, or has to stop before there is a run to
//! what was found, has told by then. So a find counts however the race ends ([`Finds`]).

use super::Engine;
use super::finds::Finds;
use crate::classify::{Entrant, Plan, PlannedEngine};
use crate::engine::{News, Outcome, Progress, Statistics};
use crate::limits::{Limits, Reason, Turnstile, address_space_left};
use crate::model::{Ersm, NodeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Path edges of the head start of exploration, and so many more for each node, box and transition: programs
/// that are only long are not given up.
const FIRST_EDGES: u64 = 50_000;
const EDGES_FOR_A_PART: u64 = 5;

/// Queries of the head start of summaries, and steps inside hard ones.
const FIRST_QUERIES: u64 = 300;
const FIRST_STEPS: u64 = 2_000;

/// Time between two looks at the limits, and how long those who reached one are waited for.
const LOOK: Duration = Duration::from_millis(20);
const GRACE: Duration = Duration::from_millis(200);

/// Asks an engine.
pub(super) type Ask = Arc<dyn Fn(Engine, &Limits, Progress<'_>) -> Outcome + Send + Sync>;

/// What the engines are asked, and by which plan.
pub(super) struct Race<'r> {
    pub(super) ersm: &'r Ersm,
    /// Asks an engine, here and now.
    pub(super) alone: &'r dyn Fn(Engine, &Limits, Progress<'_>) -> Outcome,
    /// What threads ask with: made, with a copy of the question, only where there is a race.
    pub(super) shared: &'r dyn Fn() -> Ask,
    pub(super) plan: &'r Plan,
    /// The engines of the plan, with their options.
    pub(super) engines: Vec<Engine>,
    /// How many may run at a time.
    pub(super) threads: usize,
    /// The first engine is tried alone before the others join.
    pub(super) head_start: bool,
}

/// What threads send.
enum Message {
    /// What an engine has found, before it comes to an end.
    News(News),
    /// The end of the engine of this number.
    End(usize, Box<Outcome>),
}

impl Race<'_> {
    /// The answer of the plan, and who gave it.
    pub(super) fn run(&self, limits: &Limits, progress: Progress<'_>) -> (Outcome, Engine) {
        let first = &self.plan.entrants[0];
        let mut finds = Finds::none(self.ersm);
        if self.engines.len() == 1 {
            let outcome = (self.alone)(self.engines[0], limits, progress);
            return (explained(outcome, format!("the plan: {}", first.why)), self.engines[0]);
        }
        if !self.head_start {
            return self.race(limits, &mut finds, progress);
        }
        let head_start = self.limits_of_head_start(limits);
        let mut outcome = (self.alone)(self.engines[0], &head_start, progress);
        // The user's limits may be reached with the head start: it is they that end it then.
        if let (Some(Reason::Patience), Err(reason)) = (&outcome.stopped, limits.check(0)) {
            outcome.stopped = Some(reason);
        }
        match outcome.stopped {
            // Who has no memory left for states may have enough for formulas.
            Some(Reason::Patience | Reason::Memory | Reason::TooManyStates | Reason::NotSupported(_))
                if outcome.run.is_none() && limits.check(0).is_ok() =>
            {
                finds.add(&outcome);
                self.race(limits, &mut finds, progress)
            }
            _ => (explained(outcome, format!("first of the plan: {}", first.why)), self.engines[0]),
        }
    }

    fn limits_of_head_start(&self, limits: &Limits) -> Limits {
        let edges = FIRST_EDGES + EDGES_FOR_A_PART * self.ersm.size() as u64;
        match self.engines[0] {
            Engine::Expand(_) => limits.clone().with_patience(edges.min(limits.patience())),
            _ => limits.clone().with_patience(FIRST_QUERIES.min(limits.patience())).with_effort(FIRST_STEPS),
        }
    }

    fn race(&self, limits: &Limits, finds: &mut Finds, progress: Progress<'_>) -> (Outcome, Engine) {
        // Threads need addresses, and so many engines at once need even more of them.
        if address_space_left().is_some() {
            return self.in_turn("the address space is limited (ulimit -v)", limits, finds, progress);
        }
        let start = Instant::now();
        let turnstile = Turnstile::new(self.threads);
        let counted: Arc<[AtomicU64]> = self.engines.iter().map(|_| AtomicU64::new(0)).collect();
        let Some(messages) = self.start(&turnstile, limits, &counted) else {
            turnstile.close();
            return self.in_turn("threads cannot be started", limits, finds, progress);
        };
        let (mut last, mut exceeded, mut next_look) = (None, None, start + LOOK);
        let answer = loop {
            match messages.recv_timeout(next_look.saturating_duration_since(Instant::now())) {
                Ok(Message::End(number, outcome)) if is_answer(&outcome) => break Some((number, *outcome)),
                Ok(Message::End(_, outcome)) => {
                    finds.add(&outcome);
                    last = outcome.stopped;
                }
                Ok(Message::News(news)) => finds.hear(news, progress),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if Instant::now() < next_look {
                continue;
            }
            next_look = Instant::now() + LOOK;
            progress(News::Work(counted.iter().map(|count| count.load(Ordering::Relaxed)).max().unwrap_or(0)));
            match (&exceeded, limits.check(0)) {
                (Some((_, since)), _) if Instant::elapsed(since) > GRACE => break None,
                // Who has to go for the sake of memory knows it.
                (None, Err(reason)) if reason != Reason::Memory => {
                    // All engines stop now, and what they found until then is collected.
                    turnstile.close();
                    exceeded = Some((reason, Instant::now()));
                }
                _ => {}
            }
        };
        turnstile.close();
        let time = start.elapsed();
        match answer {
            Some((number, outcome)) => {
                let why = format!("first to answer of {}, in {:.1} s", self.names(), time.as_secs_f64());
                (explained(finds.agree_with(outcome), why), self.engines[number])
            }
            None => {
                // What ended the race, or why the last one gave up.
                let reason = exceeded.map(|(reason, _)| reason).or(last);
                (explained(self.together(finds, reason, "race", time), format!("{} raced", self.names())), Engine::Auto)
            }
        }
    }

    /// Starts all engines, each in a thread of its own; they outlive the race until they look at their limits. Nothing
    /// if there are not enough threads.
    fn start(
        &self,
        turnstile: &Turnstile,
        limits: &Limits,
        counted: &Arc<[AtomicU64]>,
    ) -> Option<mpsc::Receiver<Message>> {
        let ask = (self.shared)();
        let (send, messages) = mpsc::channel();
        for (number, (&engine, entrant)) in self.engines.iter().zip(&self.plan.entrants).enumerate() {
            let limits = limits.clone().with_ticket(turnstile.ticket(entrant.share, entrant.engine.appetite()));
            let (ask, send, counted) = (ask.clone(), send.clone(), counted.clone());
            let unfinished = NodeSet::new(self.ersm);
            let search = move || {
                // Whether anybody still listens does not matter.
                let mut progress = |news| match news {
                    News::Work(work) => counted[number].store(work, Ordering::Relaxed),
                    News::Found | News::Reached(..) => _ = send.send(Message::News(news)),
                    // What one of many does is not worth telling.
                    News::Note(_) | News::Doing(_) => {}
                };
                let run = || match limits.take_turns() {
                    Ok(()) => ask(engine, &limits, &mut progress),
                    Err(reason) => nothing(unfinished.clone(), reason),
                };
                // A mistake of ours must not be hidden by the answer of another engine.
                let outcome = catch_unwind(AssertUnwindSafe(run))
                    .unwrap_or_else(|_| nothing(unfinished.clone(), Reason::Internal("an engine panicked")));
                let _ = send.send(Message::End(number, Box::new(outcome)));
            };
            thread::Builder::new().name(entrant.engine.name().to_owned()).spawn(search).ok()?;
        }
        Some(messages)
    }

    pub(super) fn names(&self) -> String {
        self.plan.names().join(", ")
    }

    /// What those who did not come to an answer found, in this time.
    pub(super) fn together(
        &self,
        finds: &Finds,
        reason: Option<Reason>,
        algorithm: &'static str,
        time: Duration,
    ) -> Outcome {
        let reason = reason.unwrap_or(Reason::Internal("an engine ended without an answer"));
        let mut all = nothing(finds.reached.clone(), reason);
        all.found = finds.found;
        all.statistics = Statistics { engine: "auto", algorithm, search_time: time, ..Statistics::default() };
        all
    }
}

/// Nothing was found, and why.
fn nothing(reached: NodeSet, reason: Reason) -> Outcome {
    Outcome {
        reached,
        found: false,
        run: None,
        again: None,
        explanation: None,
        proof: None,
        stopped: Some(reason),
        statistics: Statistics::default(),
    }
}

/// There is nothing left to find out; or something is wrong, which has to be told.
pub(super) fn is_answer(outcome: &Outcome) -> bool {
    matches!(outcome.stopped, None | Some(Reason::Internal(_))) || outcome.run.is_some()
}

pub(super) fn explained(mut outcome: Outcome, why: String) -> Outcome {
    outcome.statistics.chosen = Some(why);
    outcome
}

/// The engine of an entrant, with exploration by the algorithm that suits the class.
pub(super) fn engine_of(entrant: &Entrant, expand: Engine) -> Engine {
    match entrant.engine {
        PlannedEngine::Expand => expand,
        PlannedEngine::Bdd => Engine::Tabulate(Default::default()),
        PlannedEngine::Sat => Engine::Summarize(Default::default()),
        PlannedEngine::Qbf => Engine::Quantify(Default::default()),
    }
}

#[cfg(test)]
mod tests;

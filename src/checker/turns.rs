//! The engines of a plan one after the other, where they cannot race: threads cannot be started, or the address space
//! is limited (`ulimit -v`), and threads need addresses.
//!
//! No engine can be put aside while another one goes on, so each has a turn of limited time and starts again
//! in the next round, with twice the time: of the time an engine gets in all, half or more goes into its last
//! turn. Shares are those of the race. Who gives up, for any other reason than time, has no more turns.

use super::Engine;
use super::finds::Finds;
use super::race::{Race, explained, is_answer};
use crate::engine::{News, Outcome, Progress};
use crate::limits::{Limits, Reason};
use std::time::{Duration, Instant};

/// The time of an engine in the first round, for each part of its share.
const FIRST_TURN: Duration = Duration::from_millis(50);

impl Race<'_> {
    /// The answer of the plan without threads.
    pub(super) fn in_turn(
        &self,
        why: &str,
        limits: &Limits,
        finds: &mut Finds,
        progress: Progress<'_>,
    ) -> (Outcome, Engine) {
        let start = Instant::now();
        let why = format!("{why}: {} take turns instead of racing", self.names());
        progress(News::Note(why.clone()));
        let mut left: Vec<(Engine, u32)> =
            self.engines.iter().copied().zip(self.plan.entrants.iter().map(|entrant| entrant.share)).collect();
        let (mut turn, mut last) = (FIRST_TURN, None);
        while !left.is_empty() {
            let mut stays = Vec::with_capacity(left.len());
            for (engine, share) in left {
                let outcome = (self.alone)(engine, &limits.clone().within(turn.saturating_mul(share)), &mut |news| {
                    // What an engine found in an earlier turn is found again.
                    if !matches!(news, News::Note(_) | News::Doing(_)) {
                        finds.hear(news, &mut *progress);
                    }
                });
                if is_answer(&outcome) {
                    return (explained(finds.agree_with(outcome), why), engine);
                }
                finds.add(&outcome);
                if let Err(reason) = limits.check(0) {
                    return (
                        explained(self.together(finds, Some(reason), "turns", start.elapsed()), why),
                        Engine::Auto,
                    );
                }
                if outcome.stopped == Some(Reason::Timeout) {
                    stays.push((engine, share));
                }
                last = outcome.stopped;
            }
            left = stays;
            turn = turn.saturating_mul(2);
        }
        (explained(self.together(finds, last, "turns", start.elapsed()), why), Engine::Auto)
    }
}

//! Searches that share a few processors: who goes on, and who waits.
//!
//! Each search has a ticket among its limits and shows it whenever it looks at them. After a slice of time it
//! makes way for the search that has gone on least, measured against its share (stride scheduling, Waldspurger
//! and Weihl 1995). So any number of searches can be under way on one processor, or on two, without starting again, and
//! each goes on as long as its share says. A search that does not look for long is not waited for; it is charged
//! for the time when it looks.
//!
//! Memory is the process's, so nobody can tell whose it is. When it runs short, those searches go first that need
//! most by their nature: each ticket has a rank.

use super::Reason;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a search goes on before it makes way, at least, and as a part of the time since the turnstile was
/// opened: changes take time, too, and the longer it takes the less a turn matters.
const SLICE: Duration = Duration::from_millis(10);
const SLICES: u32 = 20;

/// How much longer others wait for one that does not look.
const GRACE: Duration = Duration::from_millis(250);

/// Where searches take turns.
///
/// ```
/// use epitome::limits::{Limits, Reason, Turnstile};
/// let turnstile = Turnstile::new(1);
/// let limits = Limits::none().with_ticket(turnstile.ticket(1, 0));
/// assert_eq!(limits.check(0), Ok(()));
/// turnstile.close();
/// assert_eq!(limits.check(0), Err(Reason::Interrupted));
/// ```
#[derive(Clone, Debug)]
pub struct Turnstile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// How many go on at a time.
    seats: usize,
    opened: Instant,
    is_closed: AtomicBool,
    /// Memory is short, and somebody has to go.
    is_short: AtomicBool,
    runners: Mutex<Vec<Runner>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Runner {
    share: u32,
    /// Who needs more memory goes first when it is short.
    appetite: u32,
    /// How long it has gone on, before this slice.
    used: Duration,
    place: Place,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// It goes on, since then.
    Inside(Instant),
    Waiting,
    /// Not there yet.
    Outside,
    /// Not there any more.
    Gone,
}

/// The right of one search to go on, when it is its turn.
#[derive(Debug)]
pub struct Ticket {
    shared: Arc<Shared>,
    number: usize,
    /// The end of the slice, in nanoseconds after the turnstile was opened.
    until: AtomicU64,
}

impl Turnstile {
    /// Lets so many go on at a time, at least one.
    pub fn new(seats: usize) -> Turnstile {
        Turnstile(Arc::new(Shared {
            seats: seats.max(1),
            opened: Instant::now(),
            is_closed: AtomicBool::new(false),
            is_short: AtomicBool::new(false),
            runners: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    /// One more search, with its share of the time and its appetite for memory against those of the others.
    pub fn ticket(&self, share: u32, appetite: u32) -> Ticket {
        let mut runners = self.0.lock();
        let number = runners.len();
        runners.push(Runner { share: share.max(1), appetite, used: Duration::ZERO, place: Place::Outside });
        Ticket { shared: self.0.clone(), number, until: AtomicU64::new(0) }
    }

    /// All searches stop the next time they look.
    pub fn close(&self) {
        let _runners = self.0.lock();
        self.0.is_closed.store(true, Ordering::Relaxed);
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<Runner>> {
        self.runners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slice(&self) -> Duration {
        SLICE.max(self.opened.elapsed() / SLICES)
    }

    /// It is the turn of a search that waits: there is a seat, and no other one that waits has gone on less.
    fn may_go(&self, runners: &[Runner], number: usize, now: Instant) -> bool {
        let patience = self.slice() + GRACE;
        let sits = |runner: &&Runner| match runner.place {
            Place::Inside(since) => now.saturating_duration_since(since) < patience,
            Place::Waiting | Place::Outside | Place::Gone => false,
        };
        let waiting = runners.iter().enumerate().filter(|(_, runner)| matches!(runner.place, Place::Waiting));
        let first = waiting.min_by_key(|(number, runner)| (runner.used / runner.share, *number));
        first.is_some_and(|(first, _)| first == number) && runners.iter().filter(sits).count() < self.seats
    }
}

/// Who goes first if memory is short.
fn first_to_go(runners: &[Runner]) -> Option<usize> {
    let there = runners.iter().enumerate().filter(|(_, runner)| !matches!(runner.place, Place::Gone));
    there.max_by_key(|(_, runner)| runner.appetite).map(|(number, _)| number)
}

impl Runner {
    /// Its slice is over.
    fn rise(&mut self, place: Place) {
        if let Place::Inside(since) = self.place {
            self.used += since.elapsed();
        }
        self.place = place;
    }
}

impl Ticket {
    /// Waits until it is the turn of this search. An error if there are no more turns.
    pub(super) fn pass(&self) -> Result<(), Reason> {
        let (shared, number) = (&*self.shared, self.number);
        let is_quiet = !shared.is_closed.load(Ordering::Relaxed) && !shared.is_short.load(Ordering::Relaxed);
        if is_quiet && (shared.opened.elapsed().as_nanos() as u64) < self.until.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut runners = shared.lock();
        runners[number].rise(Place::Waiting);
        shared.changed.notify_all();
        loop {
            if shared.is_closed.load(Ordering::Relaxed) {
                return Err(Reason::Interrupted);
            }
            if shared.is_short.load(Ordering::Relaxed) && first_to_go(&runners) == Some(number) {
                return Err(Reason::Memory);
            }
            if shared.may_go(&runners, number, Instant::now()) {
                break;
            }
            runners = shared.changed.wait_timeout(runners, GRACE).unwrap_or_else(PoisonError::into_inner).0;
        }
        runners[number].place = Place::Inside(Instant::now());
        self.until.store((shared.opened.elapsed() + shared.slice()).as_nanos() as u64, Ordering::Relaxed);
        // There may be a seat for another one, too.
        shared.changed.notify_all();
        Ok(())
    }

    /// Memory is short: true if it is this search that has to go. Otherwise the one that has to is told.
    pub(super) fn has_to_go(&self) -> bool {
        let runners = self.shared.lock();
        let is_first = first_to_go(&runners) == Some(self.number);
        if !is_first {
            self.shared.is_short.store(true, Ordering::Relaxed);
            self.shared.changed.notify_all();
        }
        is_first
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut runners = self.shared.lock();
        // By now its memory is free again.
        if first_to_go(&runners) == Some(self.number) {
            self.shared.is_short.store(false, Ordering::Relaxed);
        }
        runners[self.number].rise(Place::Gone);
        self.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    /// Searches that spin for a while: how long each has gone on, and how many went on at once, at most.
    fn spin(seats: usize, shares: &[u32], time: Duration) -> (Vec<Duration>, u32) {
        let (turnstile, start) = (Turnstile::new(seats), Instant::now());
        let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
        let tickets: Vec<Ticket> = shares.iter().map(|share| turnstile.ticket(*share, 0)).collect();
        let used = thread::scope(|scope| {
            let search = |ticket: Ticket| {
                let limits = Limits::none().with_ticket(ticket);
                let mut used = Duration::ZERO;
                while start.elapsed() < time && limits.check(0).is_ok() {
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let begun = Instant::now();
                    while begun.elapsed() < Duration::from_millis(2) {}
                    used += begun.elapsed();
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
                turnstile.close();
                used
            };
            let searches: Vec<_> = tickets.into_iter().map(|ticket| scope.spawn(move || search(ticket))).collect();
            searches.into_iter().map(|search| search.join().expect("no panic")).collect()
        });
        (used, most.load(Ordering::SeqCst))
    }

    #[test]
    fn time_is_shared() {
        let (used, most) = spin(1, &[3, 1], Duration::from_millis(800));
        // On a machine that has no time for one of them for long, it is not waited for.
        assert!(most <= 2, "{most} at a time");
        assert!(used[0] > used[1], "{used:?}");
        let (used, most) = spin(2, &[1, 1, 1], Duration::from_millis(600));
        assert!(most <= 2, "{most} at a time");
        assert!(used.iter().all(|used| used.as_millis() > 100), "{used:?}");
    }

    /// Who needs most goes first, even if it waits; then the next one.
    #[test]
    fn the_hungry_go_first() {
        let turnstile = Turnstile::new(2);
        let [small, large, middle] = [1, 3, 2].map(|appetite| turnstile.ticket(1, appetite));
        assert!([&small, &large, &middle].iter().all(|ticket| ticket.pass().is_ok()));
        assert!(!small.has_to_go() && !middle.has_to_go() && large.has_to_go());
        assert_eq!((small.pass(), large.pass()), (Ok(()), Err(Reason::Memory)));
        drop(large);
        assert_eq!((small.pass(), middle.pass()), (Ok(()), Ok(())));
        assert!(!small.has_to_go() && middle.has_to_go());
        drop(middle);
        assert!(small.has_to_go());
    }

    /// Who never looks is not waited for for ever.
    #[test]
    fn nobody_waits_for_those_who_do_not_look() {
        let turnstile = Turnstile::new(1);
        let [rude, other] = [turnstile.ticket(1, 0), turnstile.ticket(1, 0)];
        assert_eq!(rude.pass(), Ok(()));
        assert_eq!(other.pass(), Ok(()));
        drop(rude);
    }
}

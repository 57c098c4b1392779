//! The last resort of all limits. Engines look at the limits themselves, and an answer that was found
//! just in time is still told; but a single operation on large diagrams, a very long trace or a very
//! large input can go on for long without looking. When a limit has been exceeded for a grace period the
//! process ends with the verdict that is true in any case: unknown.

use super::{Status, Stopped, signals, write_error};
use crate::limits::{Limits, Reason};
use std::io::{self, Write};
use std::process;
use std::sync::{Arc, Condvar, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// The grace period: a tenth of the time limit, and at least this.
const GRACE: Duration = Duration::from_millis(500);

/// The grace of commands that write data: time for programs that were started to be ended.
const GRACE_OF_DATA: Duration = Duration::from_millis(100);

/// The grace for memory: where engines race the hungriest may give its memory back. There is none once the limit is far
/// behind ([`Limits::is_overrun`]): memory goes fast.
const MEMORY_GRACE: Duration = Duration::from_millis(400);

/// Time between two looks, and where memory is short: it can grow by a gigabyte in a few tenths of a second.
const PAUSE: Duration = Duration::from_millis(20);
const SHORT_PAUSE: Duration = Duration::from_millis(2);

/// Waits for the answer.
pub(super) struct Watchdog(Arc<(Mutex<bool>, Condvar)>);

impl Watchdog {
    /// If it is not dismissed by the time a limit has been exceeded for a while, `last_words` go to stdout
    /// and the process ends.
    pub(super) fn new(
        limits: &Limits,
        timeout: Option<Duration>,
        last_words: impl FnOnce(Reason) -> String + Send + 'static,
    ) -> Watchdog {
        let grace = GRACE.max(timeout.unwrap_or_default() / 10);
        Watchdog::start(limits, grace, MEMORY_GRACE, |reason| {
            if let Err(error) = writeln!(io::stdout(), "{}", last_words(reason)) {
                write_error(&format!("cannot write to standard output: {error}"));
            }
        })
    }

    /// Of a command that writes data, whose work does not look at the limits: nothing is written, and why is said.
    pub(super) fn of_data(limits: &Limits) -> Watchdog {
        let tell = |reason| write_error(&Stopped(reason).to_string());
        Watchdog::start(limits, GRACE_OF_DATA, Duration::ZERO, tell)
    }

    /// The last words are told when a limit has been exceeded for so long: another one, that of memory.
    fn start(
        limits: &Limits,
        grace: Duration,
        memory_grace: Duration,
        last_words: impl FnOnce(Reason) + Send + 'static,
    ) -> Watchdog {
        signals::survive_lack_of_addresses();
        let dismissed = Arc::new((Mutex::new(false), Condvar::new()));
        let (shared, limits) = (dismissed.clone(), limits.clone());
        let watch = move || {
            let (lock, signal) = &*shared;
            let mut guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
            let mut exceeded: Option<Instant> = None;
            while !*guard {
                let memory_grace = || if limits.is_overrun() { Duration::ZERO } else { memory_grace };
                match limits.check(0) {
                    Ok(()) => exceeded = None,
                    Err(reason)
                        if exceeded.get_or_insert_with(Instant::now).elapsed()
                            >= if reason == Reason::Memory { memory_grace() } else { grace } =>
                    {
                        // The lock is held: nobody else speaks any more.
                        last_words(reason);
                        process::exit(signals::exit_code().unwrap_or(Status::Unknown.code()).into());
                    }
                    Err(_) => {}
                }
                let pause = if limits.is_short() { SHORT_PAUSE } else { PAUSE };
                guard = signal.wait_timeout(guard, pause).unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        if let Err(error) = std::thread::Builder::new().spawn(watch) {
            static TOLD: Once = Once::new();
            // Engines look at the limits themselves.
            let told = || writeln!(anstream::stderr(), "note: cannot start a thread ({error}): limits may be overrun");
            TOLD.call_once(|| told().unwrap_or_default());
        }
        Watchdog(dismissed)
    }

    /// The answer is there and about to be told.
    pub(super) fn dismiss(&self) {
        let (lock, signal) = &*self.0;
        *lock.lock().unwrap_or_else(PoisonError::into_inner) = true;
        signal.notify_all();
    }
}

//! The last resort of a time limit. Engines look at the clock themselves, and an answer that was found
//! just in time is still told; but a single operation on large diagrams, a very long trace or a very
//! large input can go on for long without looking. After a grace period the process ends with the
//! verdict that is true in any case: unknown.

use super::Status;
use std::io::Write;
use std::process;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The grace period: a tenth of the limit, and at least this.
const GRACE: Duration = Duration::from_secs(1);

/// Waits for the answer.
pub(super) struct Watchdog(Arc<(Mutex<bool>, Condvar)>);

impl Watchdog {
    /// If it is not dismissed by the time limit and some grace, `last_words` go to stdout and the
    /// process ends. Without a limit nothing happens.
    pub(super) fn new(limit: Option<Duration>, last_words: impl FnOnce() -> String + Send + 'static) -> Watchdog {
        let dismissed = Arc::new((Mutex::new(false), Condvar::new()));
        if let Some(limit) = limit {
            let shared = dismissed.clone();
            let patience = limit + GRACE.max(limit / 10);
            std::thread::spawn(move || {
                let (lock, signal) = &*shared;
                let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
                let waited = signal.wait_timeout_while(guard, patience, |dismissed| !*dismissed);
                let (_guard, result) = waited.unwrap_or_else(PoisonError::into_inner);
                if result.timed_out() {
                    // The lock is held: nobody else speaks any more.
                    let _ = writeln!(std::io::stdout(), "{}", last_words());
                    process::exit(Status::Unknown.code().into());
                }
            });
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

//! Who hears what a search tells while it goes on ([`News`]): it goes to the terminal now, and what was found
//! is kept for the last words, should the search never come to its end.

use super::progress::Progress;
use crate::engine::News;
use crate::model::{NodeId, ProcId};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long an answer may take before it is told what is being done.
const SOON: Duration = Duration::from_secs(1);

/// What a search has found so far.
#[derive(Default)]
pub(super) struct Heard {
    found: AtomicBool,
    reached: Mutex<BTreeSet<(ProcId, NodeId)>>,
}

impl Heard {
    /// Something that is looked for was found.
    pub(super) fn found(&self) -> bool {
        self.found.load(Ordering::Relaxed)
    }

    /// What can be reached.
    pub(super) fn reached(&self) -> BTreeSet<(ProcId, NodeId)> {
        self.reached.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Hears the news of a search.
pub(super) struct Listener {
    line: Progress,
    heard: Arc<Heard>,
    /// Notes are told.
    notes: bool,
    /// By note that is told soon: whether it need not be told any more.
    soon: Vec<Arc<(Mutex<bool>, Condvar)>>,
}

impl Listener {
    /// `notes` says whether people want to read more than the answer.
    pub(super) fn new(notes: bool, counted: &'static str, heard: Arc<Heard>) -> Listener {
        Listener { line: Progress::new(notes, counted), heard, notes, soon: Vec::new() }
    }

    /// Called by the engine.
    pub(super) fn hear(&mut self, news: News) {
        match news {
            News::Work(work) => self.line.rows(work),
            News::Found => self.heard.found.store(true, Ordering::Relaxed),
            News::Reached(procedure, node) => {
                self.heard.reached.lock().unwrap_or_else(PoisonError::into_inner).insert((procedure, node));
            }
            News::Note(_) | News::Doing(_) if !self.notes => {}
            News::Note(note) => self.line.aside(|| tell(&note)),
            News::Doing(what) => self.tell_soon(what),
        }
    }

    /// Tells what is being done, unless there is an answer soon.
    fn tell_soon(&mut self, what: String) {
        self.line.message(what.clone());
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        let (shared, line) = (over.clone(), self.line.clone());
        let wait = move || {
            let (lock, signal) = &*shared;
            let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = signal.wait_timeout_while(guard, SOON, |is_over| !*is_over);
            // The lock is held: the answer waits until the note is written.
            let (is_over, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if !*is_over {
                line.aside(|| tell(&what));
            }
        };
        // Who gets no thread for it does without the note.
        if thread::Builder::new().spawn(wait).is_ok() {
            self.soon.push(over);
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        for over in &self.soon {
            *over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            over.1.notify_all();
        }
    }
}

fn tell(note: &str) {
    // Nobody may be there to read it.
    let _ = writeln!(anstream::stderr(), "note: {note}");
}

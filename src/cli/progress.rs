//! A line on the terminal while a search runs; nothing anywhere else.

use crate::limits::{SMALL_STACK, can_start_threads};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// A progress line; copies are the same line.
#[derive(Clone)]
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    /// What engines count.
    counted: &'static str,
}

impl Progress {
    /// Shown only if stderr is a terminal that can redraw and `wanted`.
    pub(super) fn new(wanted: bool, counted: &'static str) -> Progress {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb") || std::env::var_os("CI").is_some();
        let is_shown = wanted && !dumb && std::io::stderr().is_terminal() && can_start_threads(&[SMALL_STACK]).is_ok();
        let bar = is_shown.then(|| {
            let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner());
            let bar = ProgressBar::new_spinner().with_style(style);
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Progress { bar, counted }
    }

    /// Called by the engine.
    pub(super) fn rows(&self, rows: u64) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{} {}", HumanCount(rows), self.counted));
        }
    }

    /// So many of so many are done: the line becomes a bar.
    pub(super) fn part(&self, done: usize, of: usize, text: String) {
        if let Some(bar) = &self.bar {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (left: {eta}) {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_length(of as u64);
            bar.set_position(done as u64);
            bar.set_message(text);
        }
    }

    /// So many are done.
    pub(super) fn done(&self, done: usize) {
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        }
    }

    /// Does something that writes on the terminal, with the line out of the way.
    pub(super) fn aside(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// What is being done.
    pub(super) fn message(&self, text: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(text);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

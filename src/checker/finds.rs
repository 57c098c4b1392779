//! What engines have found between them, before any of them has an answer.

use crate::engine::{News, Outcome, Progress};
use crate::limits::Reason;
use crate::model::{Ersm, NodeSet};

/// All finds so far.
pub(super) struct Finds {
    /// Something that is looked for was found, though there may be no run to it.
    pub(super) found: bool,
    /// Nodes that can be reached.
    pub(super) reached: NodeSet,
}

impl Finds {
    pub(super) fn none(ersm: &Ersm) -> Finds {
        Finds { found: false, reached: NodeSet::new(ersm) }
    }

    /// Keeps the news of one engine, and tells them if they are news.
    pub(super) fn hear(&mut self, news: News, progress: Progress<'_>) {
        let is_new = match news {
            News::Found => !std::mem::replace(&mut self.found, true),
            News::Reached(procedure, node) => {
                self.found = true;
                self.reached.insert(procedure, node)
            }
            News::Work(_) | News::Note(_) | News::Doing(_) => true,
        };
        if is_new {
            progress(news);
        }
    }

    /// Keeps what an engine had found when it stopped.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.found |= outcome.found;
        self.reached.add(&outcome.reached);
    }

    /// The answer of an engine, if it is not that there is nothing where another one has found something: one of them
    /// is wrong then, and nobody knows which.
    pub(super) fn agree_with(&self, answer: Outcome) -> Outcome {
        let is_complete = answer.stopped.is_none() && answer.run.is_none();
        if is_complete && self.found && !answer.found {
            let stopped = Some(Reason::Internal("an engine has found what another one says is not there"));
            return Outcome { stopped, ..answer };
        }
        answer
    }
}

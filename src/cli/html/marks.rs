//! What can be reached, by lines and places of the source: the same signs in all pages. Several statements may stand in one line, and
//! of a C function that is written out where it is called there are several copies.

use super::listing::Mark;
use crate::checker::Reached;
use crate::syntax::{Program, Source};
use std::collections::BTreeMap;

pub(super) const REACHABLE: Mark = Mark { class: "yes", sign: "✓", word: "reachable" };
pub(super) const UNREACHABLE: Mark = Mark { class: "no", sign: "∅", word: "unreachable" };
pub(super) const UNKNOWN: Mark = Mark { class: "open", sign: "?", word: "not known" };
const PARTLY: Mark = Mark { class: "partly", sign: "±", word: "reachable in part" };

/// Statements by their answers.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) reachable: usize,
    pub(super) unreachable: usize,
    pub(super) unknown: usize,
}

impl Counts {
    pub(super) fn add(&mut self, answer: Option<bool>) {
        match answer {
            Some(true) => self.reachable += 1,
            Some(false) => self.unreachable += 1,
            None => self.unknown += 1,
        }
    }

    /// What is said of all of them together.
    fn exactly(self) -> Mark {
        match (self.reachable, self.unreachable, self.unknown) {
            (_, 0, 0) => REACHABLE,
            (0, _, 0) => UNREACHABLE,
            (0, 0, _) => UNKNOWN,
            _ => PARTLY,
        }
    }
}

/// Answers by line and by place.
#[derive(Default)]
pub(in crate::cli) struct Marks {
    lines: BTreeMap<usize, Counts>,
    /// By `line:column`.
    places: BTreeMap<String, Counts>,
}

impl Marks {
    pub(in crate::cli) fn new(source: &Source, program: &Program, statements: &[Reached]) -> Marks {
        let mut marks = Marks::default();
        for reached in statements {
            let position = source.position(program.span(reached.procedure, reached.place).start);
            marks.lines.entry(position.line).or_default().add(reached.reachable);
            let place = format!("{}:{}", position.line, position.column);
            marks.places.entry(place).or_default().add(reached.reachable);
        }
        marks
    }

    /// What is said of a line, where that is all there is to say.
    pub(super) fn exactly(&self, line: usize) -> Option<Mark> {
        self.lines.get(&line).map(|counts| counts.exactly())
    }

    /// What is said of a line at a glance: it is reachable if something in it is.
    pub(super) fn roughly(&self, line: usize) -> Option<Mark> {
        let counts = self.lines.get(&line)?;
        match counts.exactly() {
            UNREACHABLE => Some(UNREACHABLE),
            _ => (counts.reachable > 0).then_some(REACHABLE),
        }
    }

    /// Control never comes to a place.
    pub(super) fn is_dead(&self, place: &str) -> bool {
        self.places.get(place).is_some_and(|counts| counts.exactly() == UNREACHABLE)
    }

    /// There is something to show.
    pub(super) fn has_lines(&self) -> bool {
        self.lines.keys().any(|&line| self.roughly(line).is_some())
    }
}

//! Statements and labels of a procedure under construction.
//!
//! Labels are made before it is known where they stand, and `goto`s before it is known whether they are
//! needed: one that goes to the next statement is taken back when its label is put there, unless a
//! label of the source stands on it, which must not come to stand on another statement. In the end
//! labels that nothing uses are dropped and the others numbered in the order of the text.

use crate::syntax::bp::{Kind, Label, Statement};
use crate::syntax::{Expr, Names, Span};

/// A label under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LabelId(u32);

struct Draft {
    name: String,
    /// Of the source: kept even if nothing goes there.
    kept: bool,
    /// Where it stands, once it does.
    at: Option<u32>,
}

/// A body under construction. Until [`Code::finish`] a `goto` holds numbers of drafts.
#[derive(Default)]
pub(super) struct Code {
    body: Vec<Kind>,
    labels: Vec<Draft>,
    /// The last statement on which a kept label stands.
    last_kept: Option<u32>,
}

impl Code {
    /// A label that is left out if nothing goes there.
    pub(super) fn label(&mut self, name: String) -> LabelId {
        self.draft(name, false)
    }

    /// A label of the source.
    pub(super) fn kept_label(&mut self, name: String) -> LabelId {
        self.draft(name, true)
    }

    fn draft(&mut self, name: String, kept: bool) -> LabelId {
        self.labels.push(Draft { name, kept, at: None });
        LabelId(self.labels.len() as u32 - 1)
    }

    /// A label's name.
    pub(super) fn name(&self, label: LabelId) -> &str {
        &self.labels[label.0 as usize].name
    }

    /// Puts a label on the next statement.
    pub(super) fn place(&mut self, label: LabelId) {
        if matches!(self.body.last(), Some(Kind::Goto(targets)) if targets[..] == [label.0]) {
            self.body.pop();
            if self.last_kept == Some(self.body.len() as u32) {
                self.body.push(Kind::Skip);
            }
        }
        let at = self.body.len() as u32;
        let draft = &mut self.labels[label.0 as usize];
        draft.at = Some(at);
        if draft.kept {
            self.last_kept = Some(at);
        }
    }

    /// Appends a statement.
    pub(super) fn push(&mut self, kind: Kind) {
        self.body.push(kind);
    }

    /// Appends `goto`.
    pub(super) fn goto(&mut self, labels: &[LabelId]) {
        self.body.push(Kind::Goto(labels.iter().map(|label| label.0).collect()));
    }

    /// Appends `if c then goto L; elsif c then goto M; … else goto N; fi`.
    pub(super) fn decide(&mut self, labels: &[LabelId], mut condition: impl FnMut() -> Expr) {
        let first = self.body.len() as u32;
        let end = first + 2 * labels.len() as u32;
        for (place, &label) in labels.iter().enumerate() {
            let otherwise = first + 2 * (place as u32 + 1);
            self.push(match place {
                0 => Kind::If { condition: condition(), otherwise },
                _ if place + 1 == labels.len() => Kind::Else { end },
                _ => Kind::Elsif { condition: condition(), otherwise, end },
            });
            self.goto(&[label]);
        }
        self.push(Kind::Fi);
    }

    /// The finished body with its labels.
    pub(super) fn finish(mut self, names: &mut Names) -> (Vec<Statement>, Vec<Label>) {
        let mut used: Vec<bool> = self.labels.iter().map(|label| label.kept).collect();
        for &target in self.body.iter().filter_map(targets).flatten() {
            used[target as usize] = true;
        }
        let mut order: Vec<(u32, usize)> = Vec::new();
        for (index, label) in self.labels.iter().enumerate() {
            order.extend(label.at.filter(|_| used[index]).map(|at| (at, index)));
        }
        order.sort_unstable();
        let mut numbers = vec![0; self.labels.len()];
        let mut labels = Vec::with_capacity(order.len());
        for (number, &(statement, index)) in order.iter().enumerate() {
            numbers[index] = number as u32;
            let name = names.intern(&self.labels[index].name);
            labels.push(Label { name, statement, is_internal: false, span: Span::default() });
        }
        for kind in &mut self.body {
            if let Kind::Goto(targets) = kind {
                targets.iter_mut().for_each(|target| *target = numbers[*target as usize]);
            }
        }
        let statements = self.body.into_iter().map(|kind| Statement { kind, span: Span::default() });
        (statements.collect(), labels)
    }
}

fn targets(kind: &Kind) -> Option<&[u32]> {
    match kind {
        Kind::Goto(targets) => Some(targets),
        _ => None,
    }
}

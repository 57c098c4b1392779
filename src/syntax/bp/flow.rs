//! Where control comes to rest: Ball 2.3's successor function on the flat list of statements.

use super::{Kind, Procedure};

/// For each index of a body (and one past its end) the statement that control rests at when it
/// arrives there from above, or `None` for the procedure's end.
pub type Landing = Vec<Option<u32>>;

impl Procedure {
    /// Computes the landing of every index, from the last to the first: the end of a branch goes on
    /// after its `fi`, the end of a loop's body goes back to its `while`.
    pub fn landing(&self) -> Landing {
        let mut landing = vec![None; self.body.len() + 1];
        for (index, statement) in self.body.iter().enumerate().rev() {
            landing[index] = match statement.kind {
                Kind::Elsif { end, .. } | Kind::Else { end } => landing[end as usize],
                Kind::Fi => landing[index + 1],
                Kind::Od { head } => Some(head),
                _ => Some(index as u32),
            };
        }
        landing
    }

    /// Where control rests when the decider of an `if`, `elsif` or `while` is false: the next
    /// `elsif` is decided, an `else` is entered, a `fi` or `od` is left.
    pub fn otherwise(&self, index: usize, landing: &Landing) -> Option<u32> {
        let next = match self.body[index].kind {
            Kind::If { otherwise, .. } | Kind::Elsif { otherwise, .. } => otherwise as usize,
            Kind::While { end, .. } => return landing[end as usize + 1],
            _ => return landing[index + 1],
        };
        match self.body[next].kind {
            Kind::Elsif { .. } => Some(next as u32),
            _ => landing[next + 1],
        }
    }
}

//! Results of composed operations, remembered.

use super::{Bdd, Made};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Results of a composed operation, by operands: similar procedures do the same things to the same sets,
/// and looking up once is faster than being answered by the library's cache at every operation.
#[derive(Default)]
pub(in super::super) struct Memo(RefCell<FxHashMap<(Bdd, Bdd), Bdd>>);

/// A memo holds so many results at most: what it holds is never garbage.
const MOST_REMEMBERED: usize = 16;

impl Memo {
    pub(in super::super) fn get(&self, operands: (&Bdd, &Bdd), compute: impl FnOnce() -> Made) -> Made {
        let operands = (operands.0.clone(), operands.1.clone());
        if let Some(known) = self.0.borrow().get(&operands) {
            return Ok(known.clone());
        }
        let result = compute()?;
        let mut known = self.0.borrow_mut();
        if known.len() == MOST_REMEMBERED {
            known.clear();
        }
        known.insert(operands, result.clone());
        Ok(result)
    }
}

//! Explanations of branching time: runs that show why a formula holds in a state, or does not.
//!
//! That some run from a state is accepted is shown by such a run. What makes it accepted are formulas that hold, or do not, in some of its states: atoms,
//! which can be read off them, and further claims about runs, which are shown in the same way. That *no* run is accepted is claimed, not
//! shown: no run could show it. All runs begin where the program does, so that each can be replayed by itself.

use super::lasso::{Again, Lasso};
use crate::model::{Place, Run, SourceMap, Vertex};

/// States of a run up to which it is looked at state by state. Of a longer one it is not said which of its states matter.
pub const LONGEST_SHOWN: usize = 10_000;

/// Why a formula holds, or does not, in an initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation<P> {
    /// The runs. The first is only the initial state, about which is claimed what makes the formula hold or not.
    pub paths: Vec<Shown<P>>,
}

/// A run, and what is claimed about its states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown<P> {
    /// The run, from the start of the program.
    pub run: Run<P>,
    /// How it goes on; nothing if that does not matter.
    pub again: Option<Again>,
    /// The number of the state, of all that the run passes, from which on it shows what it is to show.
    pub start: usize,
    /// What is claimed, in the order of states.
    pub claims: Vec<Claim>,
}

/// Something about the runs from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The number of the state in the run.
    pub state: usize,
    /// The stage of the formula, one that speaks of runs.
    pub stage: usize,
    /// Some run is accepted, or none is.
    pub holds: bool,
    /// The run that shows it.
    pub path: Option<usize>,
}

/// An explanation in source terms.
pub type SourceExplanation = Explanation<Place>;

impl Explanation<Vertex> {
    /// The explanation in source terms.
    pub fn lift(self, map: &SourceMap) -> SourceExplanation {
        let lift = |shown: Shown<Vertex>| {
            let Shown { run, again, start, claims } = shown;
            let (run, again) = match again {
                Some(again) => {
                    let lasso = Lasso { run, again }.lift(map);
                    (lasso.run, Some(lasso.again))
                }
                None => (map.lift(&run), None),
            };
            Shown { run, again, start, claims }
        };
        Explanation { paths: self.paths.into_iter().map(lift).collect() }
    }
}

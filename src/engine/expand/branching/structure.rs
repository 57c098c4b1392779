//! Recursive Kripke structures (Alur-HSM 2, Alur-RSM 2, without variables): what branching time is checked on.
//!
//! The states of all components are in one numbering. What a component is does not matter: a state knows its successors, a call
//! knows the state it enters and, for each exit that this state can reach, where it goes on from there. An exit is a state whose
//! successors are told by the call that is left.

/// A state, or a call on the way to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::engine::expand) enum Target {
    /// A state of the same activation.
    State(u32),
    /// A call: the state that it enters.
    Call(u32),
}

/// A state.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::expand) struct State {
    /// The activation is left here.
    pub(in crate::engine::expand) is_exit: bool,
    /// Where no step leads on, the run stays here; otherwise there is no such run.
    pub(in crate::engine::expand) stays: bool,
    /// The state of the unfolding that it is a copy of.
    pub(super) origin: u32,
}

/// A call.
#[derive(Clone, Debug)]
pub(in crate::engine::expand) struct Call {
    /// The state that is entered.
    pub(in crate::engine::expand) entry: u32,
    /// By exit that can be reached from there, in increasing order: the successors of the exit.
    pub(in crate::engine::expand) returns: Vec<(u32, Box<[Target]>)>,
    /// The call of the unfolding that it is a copy of.
    pub(super) origin: u32,
}

/// A structure.
#[derive(Clone, Debug, Default)]
pub(in crate::engine::expand) struct Structure {
    pub(in crate::engine::expand) states: Vec<State>,
    /// By state, its successors; none for exits.
    pub(in crate::engine::expand) next: Vec<Box<[Target]>>,
    pub(in crate::engine::expand) calls: Vec<Call>,
    pub(in crate::engine::expand) initial: Vec<u32>,
    /// What holds in the states: so many words for each.
    labels: Vec<u64>,
    words: usize,
}

impl Structure {
    /// No state; so many labels.
    pub(super) fn new(labels: usize) -> Structure {
        Structure { words: labels.div_ceil(64).max(1), ..Structure::default() }
    }

    /// No state; as many labels as another.
    pub(super) fn like(other: &Structure) -> Structure {
        Structure { words: other.words, ..Structure::default() }
    }

    /// States and calls.
    pub(in crate::engine::expand) fn vertices(&self) -> usize {
        self.states.len() + self.calls.len()
    }

    /// The number of a state or call among both.
    pub(super) fn vertex(&self, target: Target) -> usize {
        match target {
            Target::State(state) => state as usize,
            Target::Call(call) => self.states.len() + call as usize,
        }
    }

    /// A new state without successors and labels.
    pub(super) fn push_state(&mut self, state: State) -> u32 {
        self.states.push(state);
        self.next.push(Box::default());
        self.labels.resize(self.labels.len() + self.words, 0);
        self.states.len() as u32 - 1
    }

    /// A label holds in a state.
    pub(in crate::engine::expand) fn has(&self, state: u32, label: usize) -> bool {
        self.labels[state as usize * self.words + label / 64] >> (label % 64) & 1 == 1
    }

    /// Says whether a label holds in a state.
    pub(super) fn set(&mut self, state: u32, label: usize, value: bool) {
        let word = &mut self.labels[state as usize * self.words + label / 64];
        *word = *word & !(1 << (label % 64)) | u64::from(value) << (label % 64);
    }

    /// Takes over the labels of a state of another structure.
    pub(super) fn copy_labels(&mut self, state: u32, other: &Structure, original: u32) {
        let (to, from) = (state as usize * self.words, original as usize * self.words);
        self.labels[to..to + self.words].copy_from_slice(&other.labels[from..from + self.words]);
    }

    /// The bits of these labels in a state.
    pub(super) fn letter(&self, state: u32, labels: &[usize]) -> u64 {
        labels.iter().enumerate().fold(0, |letter, (bit, &label)| letter | u64::from(self.has(state, label)) << bit)
    }

    /// Every state has a run.
    pub(super) fn everyone_goes_on(&self) -> bool {
        let mut states = self.states.iter().zip(&self.next);
        states.all(|(state, next)| state.stays || !state.is_exit && !next.is_empty())
    }

    /// Bytes in use, about.
    pub(super) fn bytes(&self) -> usize {
        self.vertices() * 64 + self.labels.len() * 8
    }
}

//! What an automaton reads of a run: at which steps, and which atoms hold there.

use epitome_encodings::Lit;

/// By atom: it holds here, a signal over the scope.
pub type Letter = Box<[Lit]>;

/// A node that is a state of the program.
#[derive(Clone, Debug)]
pub struct State {
    /// The letter there, which is read by the step that leaves the node.
    pub letter: Letter,
    /// The program ends here.
    pub is_end: bool,
}

/// What is read.
#[derive(Clone, Debug)]
pub enum Letters {
    /// The states: by procedure and node what it is; none where the node is not a state of the program.
    States(Vec<Vec<Option<State>>>),
    /// The labels: by procedure and transition the letter of its label; none where it has none that is of interest. (A
    /// label that the automaton does not know is a letter in which no atom holds.)
    Labels(Vec<Vec<Option<Letter>>>),
}

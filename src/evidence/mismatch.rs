//! Why a run was rejected: where in the run, where in the source, and which rule it breaks.
//!
//! A mismatch is read by whoever has to find the mistake in an engine, so it names the one step to
//! look at; rules that speak of a variable or an argument say which.

use crate::syntax::{Place, Var};

/// A step of a run that the source program does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("fragment {fragment}, step {step}{}: {rule}", whereabouts(.at))]
pub struct Mismatch {
    /// Index of the fragment.
    pub fragment: usize,
    /// The place in the fragment at which (or at the step from which) the rule is broken.
    pub step: usize,
    /// Procedure and place there, if the fragment has that place at all.
    pub at: Option<(u32, Place)>,
    /// The rule.
    pub rule: Rule,
}

/// A rule that every run obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rule {
    /// There is an outermost fragment.
    #[error("a run has at least one fragment")]
    SomeFragment,
    /// No fragment is empty.
    #[error("a fragment has at least one place")]
    SomePlace,
    /// The procedure of a fragment exists.
    #[error("the procedure of a fragment exists")]
    Procedure,
    /// States have one bit for each variable in scope, and no others.
    #[error("a state has exactly the variables in scope")]
    Scope,
    /// A fragment refers only to fragments before it.
    #[error("the inside of a call is a fragment before the caller's")]
    Order,
    /// Control rests only at places of the procedure.
    #[error("the procedure has such a place")]
    Place,
    /// The outermost fragment is `main` or starts at an `init` entry.
    #[error("a run starts where the program does")]
    Start,
    /// A fragment starts where its procedure does.
    #[error("an activation starts at an entry of its procedure")]
    Entry,
    /// A variable declared with a value starts with it.
    #[error("a variable declared with a value starts with it: {}", name(.0))]
    Initial(Var),
    /// `enforce` holds at each place of the procedure.
    #[error("`enforce` holds at each place of its procedure")]
    Enforce,
    /// Nothing follows the end of a procedure, a failed assertion or an exit.
    #[error("nothing follows an end, an exit or a failed assertion")]
    Ended,
    /// The next place is a successor of this one.
    #[error("control goes from here to the next place")]
    Control,
    /// The decider or guard can have the value that leads to the next place.
    #[error("the condition can have the value that leads to the next place")]
    Condition,
    /// `constrain` can hold over the values before and after the step.
    #[error("`constrain` holds")]
    Constrain,
    /// The new value of an assigned variable is one its right-hand side can have.
    #[error("a variable takes a value that its right-hand side can have: {}", name(.0))]
    Value(Var),
    /// Variables that are not assigned keep their values.
    #[error("a variable that is not assigned keeps its value: {}", name(.0))]
    Unchanged(Var),
    /// Only calls have an inside.
    #[error("only a call has an inside")]
    NotACall,
    /// A call that something follows has an inside.
    #[error("a call that is passed has an inside")]
    NoInside,
    /// The inside of a call is an activation of the callee.
    #[error("the inside of a call is an activation of the callee")]
    Callee,
    /// The callee starts with the globals of the caller.
    #[error("a callee starts with the globals of its caller")]
    Globals,
    /// An input takes a value that its argument can have.
    #[error("an input takes a value that its argument can have: argument {}", .0 + 1)]
    Argument(u32),
    /// A call is passed only if its inside comes to an end.
    #[error("a call is passed only if its inside comes to an end")]
    Returned,
}

/// ` (statement 3 of procedure 0)`, or nothing.
fn whereabouts(at: &Option<(u32, Place)>) -> String {
    let Some((procedure, place)) = at else { return String::new() };
    let place = match place {
        Place::Statement(index) => format!("statement {index}"),
        Place::End => "the end".to_owned(),
        Place::Failed(index) => format!("the failed assertion {index}"),
        Place::Node(index) => format!("node {index}"),
        Place::Port(site, entry) => format!("box {site}, entry {entry}"),
    };
    format!(" ({place} of procedure {procedure})")
}

/// A variable by its number: the run knows no names.
fn name(var: &Var) -> String {
    match var {
        Var::Global(index) => format!("global {index}"),
        Var::Local(index) => format!("local {index}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_names_its_place_and_its_rule() {
        let rule = Rule::Unchanged(Var::Local(1));
        let at = Some((2, Place::Statement(7)));
        assert_eq!(
            Mismatch { fragment: 3, step: 5, at, rule }.to_string(),
            "fragment 3, step 5 (statement 7 of procedure 2): a variable that is not assigned keeps its value: local 1"
        );
        let empty = Mismatch { fragment: 0, step: 0, at: None, rule: Rule::SomePlace };
        assert_eq!(empty.to_string(), "fragment 0, step 0: a fragment has at least one place");
    }
}

//! Runs written by hand in little space: states are binary numbers whose last digit is the first
//! variable in scope.

use epitome::model::{Fragment, FragmentId, Place, Run, SourceRun};

/// A place, the state there, and the inside of a call.
pub type Step = (Place, u64, Option<u32>);

/// At a statement.
pub fn at(statement: u32, state: u64) -> Step {
    (Place::Statement(statement), state, None)
}

/// At a call with its inside.
pub fn call(statement: u32, state: u64, inside: u32) -> Step {
    (Place::Statement(statement), state, Some(inside))
}

/// At the end of a procedure.
pub fn end(state: u64) -> Step {
    (Place::End, state, None)
}

/// After a failed assertion.
pub fn failed(statement: u32, state: u64) -> Step {
    (Place::Failed(statement), state, None)
}

/// At a node.
pub fn node(index: u32, state: u64) -> Step {
    (Place::Node(index), state, None)
}

/// At a call port with the inside of its call.
pub fn port(site: u32, entry: u32, state: u64, inside: u32) -> Step {
    (Place::Port(site, entry), state, Some(inside))
}

/// A fragment of a procedure with at most 64 variables in scope, and at least one.
pub fn fragment(procedure: u32, steps: &[Step]) -> Fragment<Place> {
    let mut fragment = Fragment::new(procedure, 1);
    for &(place, state, inside) in steps {
        fragment.push(place, &[state], inside.map(FragmentId));
    }
    fragment
}

/// A run of fragments given by procedure and steps, the outermost last.
pub fn run(fragments: &[(u32, &[Step])]) -> SourceRun {
    Run { fragments: fragments.iter().map(|(procedure, steps)| fragment(*procedure, steps)).collect() }
}

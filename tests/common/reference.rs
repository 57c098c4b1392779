//! A brute-force reference checker: every value of every variable, one by one.
//!
//! Two ways that share only the meaning of one step (`semantics.rs`). [`explicit_stacks`] is the
//! definition itself, a search of the configurations of Ball 2.4, with whole call stacks; it ends
//! only because the stack is bounded. [`explicit_summaries`] is the naive form of the tabulation of
//! Ball 3.1: for each procedure and input the outputs found so far, explored again from the start
//! until nothing is added; it is exact for recursion of any depth. Neither is meant to be fast.

use super::semantics::{Bits, Semantics, State, Step};
use epitome::syntax::bp::Program;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

/// What a search reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Statements at which control can rest: index of the procedure, index of the statement.
    pub places: BTreeSet<(usize, usize)>,
    /// Procedures that can end.
    pub ends: BTreeSet<usize>,
    /// Assertions that can fail: index of the procedure, index of the statement.
    pub failed: BTreeSet<(usize, usize)>,
    /// Nothing was left out: no bound was hit.
    pub complete: bool,
}

impl Reached {
    fn nothing() -> Reached {
        Reached { places: BTreeSet::new(), ends: BTreeSet::new(), failed: BTreeSet::new(), complete: true }
    }

    /// An assertion can fail, or a label `ERROR` or `SLIC_ERROR` can be reached.
    pub fn violated(&self, program: &Program) -> bool {
        let error = |&(procedure, statement): &(usize, usize)| {
            let labels = program.procedures[procedure].labels.iter();
            let mut names = labels
                .filter(|label| label.statement as usize == statement)
                .map(|label| program.names.text(label.name));
            names.any(|name| name == "ERROR" || name == "SLIC_ERROR")
        };
        !self.failed.is_empty() || self.places.iter().any(error)
    }

    /// Everything reached here is reached there.
    pub fn within(&self, other: &Reached) -> bool {
        self.places.is_subset(&other.places) && self.ends.is_subset(&other.ends) && self.failed.is_subset(&other.failed)
    }
}

/// An activation: a place and the values of its locals. Below the top, the place is a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Frame {
    procedure: usize,
    place: usize,
    locals: Bits,
}

/// A configuration of the running program; the last frame is the active one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Configuration {
    globals: Bits,
    stack: Vec<Frame>,
}

/// Searches the configurations whose stack has at most `depth` frames, and at most `most` of them.
pub fn explicit_stacks(program: &Program, depth: usize, most: usize) -> Reached {
    let semantics = Semantics::new(program);
    let mut reached = Reached::nothing();
    let mut seen: HashSet<Configuration> = HashSet::new();
    let mut queue = VecDeque::new();
    for globals in semantics.initial_globals() {
        for arguments in semantics.initial_arguments() {
            queue.extend(enter(&semantics, &[], program.main, globals, arguments));
        }
    }
    while let Some(configuration) = queue.pop_front() {
        if configuration.stack.len() > depth || seen.len() >= most {
            reached.complete = false;
            continue;
        }
        if seen.insert(configuration.clone()) {
            queue.extend(successors(&semantics, &configuration, &mut reached));
        }
    }
    reached
}

/// The configurations that a call begins with.
fn enter(
    semantics: &Semantics<'_>,
    below: &[Frame],
    procedure: usize,
    globals: Bits,
    arguments: Bits,
) -> Vec<Configuration> {
    let entries = semantics.entries(procedure, globals, arguments).into_iter();
    entries.map(|(place, state)| push(below, procedure, place, state)).collect()
}

fn push(below: &[Frame], procedure: usize, place: usize, state: State) -> Configuration {
    let mut stack = below.to_vec();
    stack.push(Frame { procedure, place, locals: state.locals });
    Configuration { globals: state.globals, stack }
}

fn successors(semantics: &Semantics<'_>, at: &Configuration, reached: &mut Reached) -> Vec<Configuration> {
    let (&Frame { procedure, place, locals }, below) = at.stack.split_last().expect("a stack has a frame");
    note_place(semantics, reached, procedure, place);
    let mut next = Vec::new();
    for step in semantics.steps(procedure, place, State { globals: at.globals, locals }) {
        match step {
            Step::Go { place, state } => next.push(push(below, procedure, place, state)),
            Step::Call { callee, globals, arguments } => {
                next.extend(enter(semantics, &at.stack, callee, globals, arguments));
            }
            Step::End { globals, results } => {
                reached.ends.insert(procedure);
                let Some((caller, below)) = below.split_last() else { continue };
                let after = semantics.returned(caller.procedure, caller.place, caller.locals, globals, results);
                next.extend(after.map(|(place, state)| push(below, caller.procedure, place, state)));
            }
            Step::Fail => {
                reached.failed.insert((procedure, place));
            }
        }
    }
    next
}

/// Control rests at a statement (and not at the end of a procedure).
fn note_place(semantics: &Semantics<'_>, reached: &mut Reached, procedure: usize, place: usize) {
    if place < semantics.program.procedures[procedure].body.len() {
        reached.places.insert((procedure, place));
    }
}

/// What a procedure is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Input {
    procedure: usize,
    globals: Bits,
    arguments: Bits,
}

/// Globals and results that a call ends with.
type Output = (Bits, Bits);

/// For each input that occurs, the outputs known.
type Summaries = BTreeMap<Input, BTreeSet<Output>>;

/// Explores every procedure from every input that occurs, until no new input or output is found.
pub fn explicit_summaries(program: &Program) -> Reached {
    all_summaries(&Semantics::new(program)).1
}

fn all_summaries(semantics: &Semantics<'_>) -> (Summaries, Reached) {
    let program = semantics.program;
    let mut summaries = Summaries::new();
    for globals in semantics.initial_globals() {
        for arguments in semantics.initial_arguments() {
            summaries.insert(Input { procedure: program.main, globals, arguments }, BTreeSet::new());
        }
    }
    let mut reached = Reached::nothing();
    loop {
        let mut more = summaries.clone();
        for &input in summaries.keys() {
            explore(semantics, input, &summaries, &mut more, &mut reached);
        }
        if more == summaries {
            return (summaries, reached);
        }
        summaries = more;
    }
}

/// One pass through a procedure from one input, with calls answered by the summaries known before;
/// what it finds goes to `more`.
fn explore(semantics: &Semantics<'_>, input: Input, known: &Summaries, more: &mut Summaries, reached: &mut Reached) {
    let procedure = input.procedure;
    let mut open = semantics.entries(procedure, input.globals, input.arguments);
    let mut seen: HashSet<(usize, State)> = HashSet::new();
    while let Some((place, state)) = open.pop() {
        if !seen.insert((place, state)) {
            continue;
        }
        note_place(semantics, reached, procedure, place);
        for step in semantics.steps(procedure, place, state) {
            match step {
                Step::Go { place, state } => open.push((place, state)),
                Step::Call { callee, globals, arguments } => {
                    let input = Input { procedure: callee, globals, arguments };
                    more.entry(input).or_default();
                    for &(globals, results) in known.get(&input).into_iter().flatten() {
                        open.extend(semantics.returned(procedure, place, state.locals, globals, results));
                    }
                }
                Step::End { globals, results } => {
                    reached.ends.insert(procedure);
                    more.entry(input).or_default().insert((globals, results));
                }
                Step::Fail => {
                    reached.failed.insert((procedure, place));
                }
            }
        }
    }
}

/// Steps of a shortest hierarchical run to a failure (Ball 3.2), if there is one: a call that returns
/// is one step, a call that is not left is one step into its callee.
pub fn shortest_failure(program: &Program) -> Option<usize> {
    let semantics = Semantics::new(program);
    let summaries = all_summaries(&semantics).0;
    let starts = semantics.initial_globals().into_iter().flat_map(|globals| {
        let arguments = semantics.initial_arguments().into_iter();
        arguments.flat_map(|a| semantics.entries(program.main, globals, a)).collect::<Vec<_>>()
    });
    let mut ring: Vec<(usize, usize, State)> = starts.map(|(place, state)| (program.main, place, state)).collect();
    let mut seen: HashSet<(usize, usize, State)> = HashSet::new();
    let mut length = 0;
    while !ring.is_empty() {
        let mut next = Vec::new();
        for (procedure, place, state) in ring {
            if !seen.insert((procedure, place, state)) {
                continue;
            }
            if is_error_label(program, procedure, place) {
                return Some(length);
            }
            for step in semantics.steps(procedure, place, state) {
                match step {
                    Step::Go { place, state } => next.push((procedure, place, state)),
                    Step::Fail => next.push((procedure, usize::MAX, state)),
                    Step::End { .. } => {}
                    Step::Call { callee, globals, arguments } => {
                        let entries = semantics.entries(callee, globals, arguments);
                        next.extend(entries.into_iter().map(|(place, state)| (callee, place, state)));
                        let input = Input { procedure: callee, globals, arguments };
                        for &(globals, results) in summaries.get(&input).into_iter().flatten() {
                            let back = semantics.returned(procedure, place, state.locals, globals, results);
                            next.extend(back.map(|(place, state)| (procedure, place, state)));
                        }
                    }
                }
            }
        }
        length += 1;
        if next.iter().any(|&(_, place, _)| place == usize::MAX) {
            // An error label may be as near; either way this is the length.
            return Some(length);
        }
        ring = next;
    }
    None
}

fn is_error_label(program: &Program, procedure: usize, place: usize) -> bool {
    let labels = program.procedures[procedure].labels.iter().filter(|label| label.statement as usize == place);
    labels.map(|label| program.names.text(label.name)).any(|name| name == "ERROR" || name == "SLIC_ERROR")
}

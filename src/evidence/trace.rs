//! A run told line by line: what is at each step, how deep the calls are, what changed.
//!
//! Runs are directed acyclic graphs. *Shared* telling shows the inside of a call where it first
//! happens and refers to it afterwards, so its length is that of the graph; *full* telling writes
//! every call out. Both stop at a limit, which whoever prints the lines can state.
//!
//! Some places of a run are not told, unless the run ends there: where Horn clauses are read as a program, the check of
//! what a predicate returned stands where its call does, and is part of it; in C, parts of a statement are steps of their
//! own.

use super::replay_c::number_in;
use crate::model::{FragmentId, SourceRun};
use crate::syntax::{Place, Program, Role};
use rustc_hash::FxHashMap;

/// How calls are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// The inside of a call once for each procedure, input and output.
    Shared,
    /// The inside of every call.
    Full,
}

/// What a line tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Control is here.
    Step,
    /// A procedure is called here; its inside comes next.
    Call,
    /// A procedure is called here, and the inside is that of the call at the step of this number.
    SameAs(usize),
    /// The procedure is left.
    Return,
    /// An assertion failed.
    Failure,
}

/// A line of a told run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number of the step, from one. The end of a procedure of a Boolean program is not a step ([`Line::is_step`])
    /// and has the number before it.
    pub number: usize,
    /// Calls around it.
    pub depth: usize,
    /// The procedure.
    pub procedure: u32,
    /// The place.
    pub place: Place,
    /// What happens.
    pub event: Event,
    /// Variables (by their place in the scope) whose values are new since the line before in the same
    /// call; all of them at its first line.
    pub changes: Vec<(u32, i128)>,
}

impl Line {
    /// The line tells a step: anything but the end of a procedure, which is no statement.
    pub fn is_step(&self) -> bool {
        self.place != Place::End
    }
}

/// A told run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The lines.
    pub lines: Vec<Line>,
    /// There are more, beyond the limit.
    pub cut: bool,
}

/// Steps of a run with every call written out (infinite if beyond counting).
pub fn full_steps(program: &Program, run: &SourceRun) -> f64 {
    run.full_length(|procedure, &place| place != Place::End && !program.is_silent(procedure, place))
}

/// Tells a run in at most `limit` steps. (Ends of procedures are lines besides: not more than there are calls.)
pub fn tell(program: &Program, run: &SourceRun, telling: Telling, limit: usize) -> Told {
    let mut lines = Vec::new();
    let mut number = 0;
    let mut first_step: FxHashMap<FragmentId, usize> = FxHashMap::default();
    let mut stack = vec![(run.top(), 0usize)];
    let end = run.last();
    while let Some((id, step)) = stack.last_mut() {
        let (id, at) = (*id, *step);
        let fragment = run.fragment(id);
        if at == fragment.len() {
            stack.pop();
            continue;
        }
        *step += 1;
        let place = *fragment.place(at);
        if program.is_silent(fragment.procedure, place) && (id, at) != end {
            continue;
        }
        if number == limit && place != Place::End {
            return Told { lines, cut: true };
        }
        let mut event = event_at(program, fragment.procedure, place);
        number += usize::from(place != Place::End);
        if let Some(inside) = fragment.inside(at) {
            match (telling, first_step.get(&inside)) {
                (Telling::Shared, Some(&step)) => event = Event::SameAs(step),
                _ => {
                    event = Event::Call;
                    first_step.insert(inside, number);
                }
            }
        }
        let variables = program.scope_size(fragment.procedure) as u32;
        let (frame, inner) = program.frame(fragment.procedure, place);
        let frame_at = |step: usize| program.frame(fragment.procedure, *fragment.place(step));
        let told =
            |&step: &usize| !program.is_silent(fragment.procedure, *fragment.place(step)) && frame_at(step).0 == frame;
        // A call that is written out is left where control is less deep: whatever was before is another call.
        let before = (0..at).rev().take_while(|&step| frame_at(step).1 >= inner).find(told);
        let changes = (0..variables).filter_map(|variable| {
            let (bits, ty) = program.bits_of(fragment.procedure, variable as usize, frame);
            let pattern = |step: usize| number_in(fragment.state(step), bits.clone());
            // What is not to be told has no bits.
            let is_new = !bits.is_empty() && before.is_none_or(|before| pattern(before) != pattern(at));
            is_new.then(|| (variable, ty.number(pattern(at))))
        });
        let changes = changes.collect();
        lines.push(Line {
            number,
            depth: stack.len() - 1 + inner,
            procedure: fragment.procedure,
            place,
            event,
            changes,
        });
        if let (Event::Call, Some(inside)) = (event, fragment.inside(at)) {
            stack.push((inside, 0));
        }
    }
    Told { lines, cut: false }
}

fn event_at(program: &Program, procedure: u32, place: Place) -> Event {
    match (program, place) {
        (_, Place::Failed(_)) => Event::Failure,
        (_, Place::End) => Event::Return,
        (Program::Rsm(machines), Place::Node(node))
            if machines.machines[procedure as usize].nodes[node as usize].role == Role::Exit =>
        {
            Event::Return
        }
        _ => Event::Step,
    }
}

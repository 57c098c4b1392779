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
use super::unread::Unread;
use crate::model::{Fragment, FragmentId, SourceRun};
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
    /// The number of states that the run has passed before, all calls written out. (Machines: a call port is no state.)
    pub state: usize,
    /// What happens.
    pub event: Event,
    /// Variables (by their place in the scope) whose values are new since the line before in the same call, and globals since they
    /// were told last; all of them at its first line. (In C those that have a value by then.)
    pub changes: Vec<(u32, i128)>,
    /// Those of them that could have any other value here, in a run of the same steps: they are new again when they are assigned.
    pub any: Vec<u32>,
}

impl Line {
    /// The line tells a step: anything but the end of a procedure, which is no statement.
    pub fn is_step(&self) -> bool {
        self.place != Place::End
    }

    /// The new values that matter.
    pub fn known(&self) -> impl Iterator<Item = (u32, i128)> {
        // Both are in the order of the scope.
        let mut any = self.any.iter().peekable();
        self.changes.iter().copied().filter(move |(variable, _)| any.next_if_eq(&variable).is_none())
    }
}

/// A told run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The lines.
    pub lines: Vec<Line>,
    /// The first line at or after the place that was marked.
    pub mark: Option<usize>,
    /// There are more, beyond the limit.
    pub cut: bool,
}

/// Steps of a run with every call written out (infinite if beyond counting).
pub fn full_steps(program: &Program, run: &SourceRun) -> f64 {
    run.full_length(|procedure, &place| place != Place::End && !program.is_silent(procedure, place))
}

/// A call that is being told.
struct Visit {
    id: FragmentId,
    step: usize,
    /// By variable in scope: its value was told.
    is_told: Vec<bool>,
    /// It has a value that matters: it is to be told.
    is_due: Vec<bool>,
}

impl Visit {
    fn new(program: &Program, run: &SourceRun, id: FragmentId) -> Visit {
        let procedure = run.fragment(id).procedure;
        let variables = program.scope_size(procedure);
        let mut is_due = vec![false; variables];
        is_due[program.known_at_entry(procedure)].fill(true);
        Visit { id, step: 0, is_told: vec![false; variables], is_due }
    }
}

/// Tells a run in at most `limit` steps. (Ends of procedures are lines besides: not more than there are calls.)
/// The line of a marked place (an activation that is running at the end, and a step of it) is told, too. A call is written out
/// if one of the states that are wanted (by their numbers, in order) is inside.
pub fn tell(
    program: &Program,
    run: &SourceRun,
    unread: &Unread,
    mark: Option<(FragmentId, usize)>,
    wanted: &[usize],
    telling: Telling,
    limit: usize,
) -> Told {
    let mut lines = Vec::new();
    let mut marked = None;
    let mut number = 0;
    let mut first_step: FxHashMap<FragmentId, usize> = FxHashMap::default();
    let mut stack = vec![Visit::new(program, run, run.top())];
    let mut globals = vec![None; program.global_count()];
    let lengths = states_inside(run);
    let mut passed: usize = 0;
    let end = run.last();
    while let Some(visit) = stack.last_mut() {
        let (id, at) = (visit.id, visit.step);
        let fragment = run.fragment(id);
        if at == fragment.len() {
            stack.pop();
            continue;
        }
        visit.step += 1;
        if mark == Some((id, at)) {
            marked = Some(lines.len());
        }
        let place = *fragment.place(at);
        let state = passed;
        passed = passed.saturating_add(usize::from(is_state(place)));
        let [read, _] = program.uses_at(fragment.procedure, place);
        let before = at.checked_sub(1).map(|before| *fragment.place(before));
        let [_, assigned] = before.map_or([Vec::new(), Vec::new()], |p| program.uses_at(fragment.procedure, p));
        let read = read.into_iter().filter(|&variable| !visit.is_told[variable]);
        for variable in read.chain(assigned).collect::<Vec<_>>() {
            visit.is_due[variable] = true;
        }
        if program.is_silent(fragment.procedure, place) && (id, at) != end {
            continue;
        }
        if number == limit && place != Place::End {
            return Told { lines, mark: marked, cut: true };
        }
        let mut event = event_at(program, fragment.procedure, place);
        number += usize::from(place != Place::End);
        if let Some(inside) = fragment.inside(at) {
            let behind = passed.saturating_add(lengths[inside.index()]);
            let is_wanted =
                wanted[wanted.partition_point(|&state| state < passed)..].first().is_some_and(|&w| w < behind);
            match (telling, first_step.get(&inside)) {
                (Telling::Shared, Some(&step)) if !is_wanted => {
                    event = Event::SameAs(step);
                    passed = behind;
                }
                _ => {
                    event = Event::Call;
                    first_step.insert(inside, number);
                }
            }
        }
        let is_any = |step: usize, variable: usize| unread.contains(id, step, variable);
        let changes = changes(program, fragment, at, is_any, visit, &mut globals);
        let any = changes.iter().map(|&(variable, _)| variable).filter(|&v| is_any(at, v as usize)).collect();
        let (_, inner) = program.frame(fragment.procedure, place);
        let (depth, procedure) = (stack.len() - 1 + inner, fragment.procedure);
        lines.push(Line { number, depth, procedure, place, state, event, changes, any });
        if let (Event::Call, Some(inside)) = (event, fragment.inside(at)) {
            stack.push(Visit::new(program, run, inside));
        }
    }
    Told { lines, mark: marked, cut: false }
}

/// Whether a place is a state of the run.
fn is_state(place: Place) -> bool {
    !matches!(place, Place::Port(..))
}

/// By fragment, the states inside, all calls written out.
fn states_inside(run: &SourceRun) -> Vec<usize> {
    let mut lengths: Vec<usize> = Vec::with_capacity(run.fragments.len());
    for fragment in &run.fragments {
        let of = |step: usize| {
            let inside = fragment.inside(step).map_or(0, |inside| lengths[inside.index()]);
            inside.saturating_add(usize::from(is_state(*fragment.place(step))))
        };
        lengths.push((0..fragment.len()).fold(0usize, |all, step| all.saturating_add(of(step))));
    }
    lengths
}

/// What is to be told of the variables at a step: those whose values are not those of the line before in the same call, and globals whose
/// values are not those told last; all of them at its first line. In C, where there are many, only such globals, and locals that have a
/// value by now.
fn changes(
    program: &Program,
    fragment: &Fragment<Place>,
    at: usize,
    is_any: impl Fn(usize, usize) -> bool,
    visit: &mut Visit,
    globals: &mut [Option<i128>],
) -> Vec<(u32, i128)> {
    let procedure = fragment.procedure;
    let frame_at = |step: usize| program.frame(procedure, *fragment.place(step));
    let (frame, inner) = frame_at(at);
    let told = |&step: &usize| !program.is_silent(procedure, *fragment.place(step)) && frame_at(step).0 == frame;
    // A call that is written out is left where control is less deep: whatever was before is another call.
    let before = (0..at).rev().take_while(|&step| frame_at(step).1 >= inner).find(told);
    let mut changes = Vec::new();
    for variable in 0..program.scope_size(procedure) {
        // What is not to be told here has no bits.
        let (bits, ty) = program.bits_of(procedure, variable, frame);
        if bits.is_empty() {
            continue;
        }
        let pattern = |step: usize| number_in(fragment.state(step), bits.clone());
        let value = ty.number(pattern(at));
        let was_any = before.is_some_and(|before| is_any(before, variable)) && !is_any(at, variable);
        let differs = was_any || before.is_some_and(|before| pattern(before) != pattern(at));
        let told = globals.get_mut(variable);
        // A call may have left another value than was told last.
        let is_stale = told.as_ref().is_some_and(|told| told.is_some_and(|told| told != value));
        let is_new = match &told {
            Some(told) if matches!(program, Program::C(_)) => **told != Some(value),
            _ => {
                // What a function gave is news even if it is what it gave before.
                let is_result = || program.variable_name(procedure, variable).ends_with("()");
                let is_due = visit.is_due[variable];
                differs || is_stale || is_due && (before.is_none() || !visit.is_told[variable] || is_result())
            }
        };
        if is_new {
            changes.push((variable as u32, value));
            visit.is_told[variable] = true;
            // The end of a procedure is not shown everywhere.
            if let Some(told) = told.filter(|_| *fragment.place(at) != Place::End) {
                *told = Some(value);
            }
        }
        visit.is_due[variable] = false;
    }
    changes
}

fn event_at(program: &Program, procedure: u32, place: Place) -> Event {
    match (program, place) {
        (_, Place::Failed(_)) => Event::Failure,
        (Program::C(_), _) if program.called_at(procedure, place) == Some("__assert_fail") => Event::Failure,
        (_, Place::End) => Event::Return,
        (Program::Rsm(machines), Place::Node(node))
            if machines.machines[procedure as usize].nodes[node as usize].role == Role::Exit =>
        {
            Event::Return
        }
        _ => Event::Step,
    }
}

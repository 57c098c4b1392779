//! The values that a run of a C program takes from outside, in the order in which it takes them.
//!
//! With them, and with whoever chooses for it what C leaves arbitrary, the program takes the way of the run again:
//! witnesses and harnesses are made of them.

use super::replay_c::number_in;
use crate::model::{FragmentId, SourceRun};
use crate::syntax::c::{IntType, Kind, Program};
use crate::syntax::{Name, Place, Span};

/// A value from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The function that takes it.
    pub caller: Name,
    /// The function that gives it.
    pub function: Name,
    /// Where that function is called.
    pub call: Span,
    /// The type.
    pub ty: IntType,
    /// The value.
    pub value: i128,
}

/// The inputs of a run; nothing if there are more than `most`.
pub fn inputs(program: &Program, run: &SourceRun, most: usize) -> Option<Vec<Input>> {
    let has_inputs = fragments_with_inputs(program, run);
    let mut inputs = Vec::new();
    let mut stack: Vec<(FragmentId, usize)> = vec![(run.top(), 0)];
    while let Some((id, step)) = stack.last_mut() {
        let (fragment, at) = (run.fragment(*id), *step);
        if at == fragment.len() {
            stack.pop();
            continue;
        }
        *step += 1;
        if let Some(inside) = fragment.inside(at).filter(|inside| has_inputs[inside.index()]) {
            stack.push((inside, 0));
        }
        let caller = fragment.procedure as usize;
        if let Place::Statement(statement) = *fragment.place(at)
            && let Kind::Input { target, function, call } = program.functions[caller].body[statement as usize].kind
            && at + 1 < fragment.len()
        {
            if inputs.len() == most {
                return None;
            }
            let ty = program.variable(caller, target).ty;
            let pattern = number_in(fragment.state(at + 1), program.bits_of(caller, target));
            let caller = program.function_at(caller, statement as usize);
            inputs.push(Input { caller, function, call, ty, value: ty.number(pattern) });
        }
    }
    Some(inputs)
}

/// Calls without inputs inside need not be looked into: a run may have far more calls than fragments.
fn fragments_with_inputs(program: &Program, run: &SourceRun) -> Vec<bool> {
    let mut has = vec![false; run.fragments.len()];
    for (index, fragment) in run.fragments.iter().enumerate() {
        let body = &program.functions[fragment.procedure as usize].body;
        let is_input = |place: Place| matches!(place, Place::Statement(at) if matches!(body[at as usize].kind, Kind::Input { .. }));
        has[index] = (0..fragment.len()).any(|step| {
            is_input(*fragment.place(step)) || fragment.inside(step).is_some_and(|inside| has[inside.index()])
        });
    }
    has
}

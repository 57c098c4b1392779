//! The values that a run of a C program takes from outside, in the order in which it takes them.
//!
//! With them, and with whoever chooses for it what C leaves arbitrary, the program takes the way of the run again:
//! witnesses and harnesses are made of them.

use super::replay_c::number;
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
        let caller = fragment.procedure;
        if let (Some(&Kind::Input { target, function, call }), true) =
            (kind_at(program, caller, *fragment.place(at)), at + 1 < fragment.len())
        {
            if inputs.len() == most {
                return None;
            }
            let ty = program.variable(caller as usize, target).ty;
            let pattern = number(fragment.state(at + 1), program.bits_of(caller as usize, target));
            let Place::Statement(statement) = *fragment.place(at) else { continue };
            let caller = program.function_at(caller as usize, statement as usize);
            inputs.push(Input { caller, function, call, ty, value: ty.number(pattern) });
        }
    }
    Some(inputs)
}

fn kind_at(program: &Program, function: u32, place: Place) -> Option<&Kind> {
    let Place::Statement(statement) = place else { return None };
    program.functions[function as usize].body.get(statement as usize).map(|statement| &statement.kind)
}

/// Calls without inputs inside need not be looked into: a run may have far more calls than fragments.
fn fragments_with_inputs(program: &Program, run: &SourceRun) -> Vec<bool> {
    let mut has = vec![false; run.fragments.len()];
    for (index, fragment) in run.fragments.iter().enumerate() {
        has[index] = (0..fragment.len()).any(|step| {
            let kind = kind_at(program, fragment.procedure, *fragment.place(step));
            matches!(kind, Some(Kind::Input { .. })) || fragment.inside(step).is_some_and(|inside| has[inside.index()])
        });
    }
    has
}

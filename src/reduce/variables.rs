//! Takes variables out of a machine: renumbers the others, and drops assignments, arguments and
//! results. Nothing that is kept may read a variable that goes.

use super::{Back, Step, Task};
use crate::model::{Ersm, Leaf, Procedure, Var};
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;

/// Which variables are kept.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) globals: Vec<bool>,
    /// By procedure.
    pub(super) locals: Vec<Vec<bool>>,
}

const GONE: u32 = u32::MAX;

/// New numbers for what is kept, [`GONE`] for the rest.
fn numbers(kept: &[bool]) -> Vec<u32> {
    let mut next = 0..;
    kept.iter().map(|kept| if *kept { next.next().unwrap_or(GONE) } else { GONE }).collect()
}

fn old_numbers(kept: &[bool]) -> Vec<u32> {
    (0..).zip(kept).filter(|(_, kept)| **kept).map(|(index, _)| index).collect()
}

/// The machine with the variables that are wanted.
pub(super) fn keep_variables(mut task: Task, wanted: &Wanted) -> Step {
    if wanted.locals.iter().chain([&wanted.globals]).all(|kept| kept.iter().all(|kept| *kept)) {
        return Step { task, back: Back::neutral() };
    }
    let mut back = Back::identity(&task.ersm);
    let ersm = &mut task.ersm;
    let globals = numbers(&wanted.globals);
    let ports: Vec<Ports> = ersm.procedures.iter().zip(&wanted.locals).map(|(p, kept)| Ports::of(p, kept)).collect();
    // Procedures with the same locals share their renamed circuits.
    let mut renamed: FxHashMap<&[bool], FxHashMap<usize, Lit>> = FxHashMap::default();
    let Ersm { procedures, circuit, .. } = ersm;
    for (index, procedure) in procedures.iter_mut().enumerate() {
        let kept = &wanted.locals[index];
        let known = renamed.entry(kept).or_default();
        let mut rename = Rename { circuit, known, globals: &globals, locals: &numbers(kept) };
        rename.procedure(procedure, &ports);
        back.procedures[index].locals = old_numbers(kept);
    }
    retain(&mut ersm.globals, &wanted.globals);
    back.globals = old_numbers(&wanted.globals);
    Step { task, back }
}

fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(false));
}

/// Which inputs and outputs of a procedure are kept.
struct Ports {
    inputs: Box<[bool]>,
    outputs: Box<[bool]>,
}

impl Ports {
    fn of(procedure: &Procedure, kept: &[bool]) -> Ports {
        let list = |locals: &[u32]| locals.iter().map(|&local| kept[local as usize]).collect();
        Ports { inputs: list(&procedure.inputs), outputs: list(&procedure.outputs) }
    }
}

/// Puts new numbers in place of the old, in one procedure.
struct Rename<'a> {
    circuit: &'a mut Circuit,
    known: &'a mut FxHashMap<usize, Lit>,
    globals: &'a [u32],
    locals: &'a [u32],
}

impl Rename<'_> {
    fn procedure(&mut self, procedure: &mut Procedure, ports: &[Ports]) {
        for edge in &mut procedure.edges {
            edge.guard = self.lit(edge.guard);
            edge.assignments =
                edge.assignments.iter().filter_map(|(var, lit)| Some((self.var(*var)?, self.lit(*lit)))).collect();
        }
        for call in &mut procedure.boxes {
            let callee = &ports[call.callee.index()];
            let arguments = call.arguments.iter().zip(&callee.inputs).filter(|(_, kept)| **kept);
            call.arguments = arguments.map(|(lit, _)| self.lit(*lit)).collect();
            let results = call.results.iter().zip(&callee.outputs).filter(|(_, kept)| **kept);
            call.results = results.map(|(target, _)| target.and_then(|target| self.var(target))).collect();
        }
        for list in [&mut procedure.inputs, &mut procedure.outputs] {
            *list = list.iter().map(|&local| self.locals[local as usize]).filter(|&local| local != GONE).collect();
        }
        let kept: Vec<bool> = self.locals.iter().map(|&local| local != GONE).collect();
        retain(&mut procedure.locals, &kept);
    }

    fn var(&self, var: Var) -> Option<Var> {
        let (new, make): (u32, fn(u32) -> Var) = match var {
            Var::Global(index) => (self.globals[index as usize], Var::Global),
            Var::Local(index) => (self.locals[index as usize], Var::Local),
        };
        (new != GONE).then(|| make(new))
    }

    fn lit(&mut self, lit: Lit) -> Lit {
        let (globals, locals) = (self.globals, self.locals);
        self.circuit.substitute(lit, self.known, |circuit, number| match Leaf::from_number(number) {
            Leaf::Var(Var::Global(index)) => renumbered(circuit, globals[index as usize], Var::Global),
            Leaf::Var(Var::Local(index)) => renumbered(circuit, locals[index as usize], Var::Local),
            Leaf::Choice(_) => circuit.input(number),
        })
    }
}

/// The signal of a variable under its new number. Nothing reads one that is gone.
fn renumbered(circuit: &mut Circuit, number: u32, var: fn(u32) -> Var) -> Lit {
    if number == GONE { Lit::FALSE } else { circuit.input(Leaf::Var(var(number)).number()) }
}

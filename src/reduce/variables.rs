//! Takes variables out of a machine: renumbers the others, and drops assignments, arguments and
//! results. Nothing that is kept may read a variable that goes.

use super::{Back, Draft};
use crate::model::{Ersm, Leaf, ProcId, Procedure, Var};
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;

/// Which variables are kept.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// All variables in one numbering: the globals, then the locals of each procedure.
    kept: Vec<bool>,
    /// First local of each procedure, and one past the last.
    base: Vec<usize>,
}

impl Wanted {
    /// No variable of a machine.
    pub(super) fn nothing(ersm: &Ersm) -> Wanted {
        let mut base = Vec::with_capacity(ersm.procedures.len() + 1);
        base.push(ersm.globals.len());
        for procedure in &ersm.procedures {
            base.push(base[base.len() - 1] + procedure.locals.len());
        }
        Wanted { kept: vec![false; base[base.len() - 1]], base }
    }

    /// The number of a variable.
    pub(super) fn number(&self, procedure: ProcId, var: Var) -> usize {
        match var {
            Var::Global(index) => index as usize,
            Var::Local(index) => self.base[procedure.index()] + index as usize,
        }
    }

    /// Variables there are.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Adds the variable with this number; false if it was wanted already.
    pub(super) fn insert(&mut self, number: usize) -> bool {
        !std::mem::replace(&mut self.kept[number], true)
    }

    /// No variable is left out.
    pub(super) fn is_all(&self) -> bool {
        !self.kept.contains(&false)
    }

    fn globals(&self) -> &[bool] {
        &self.kept[..self.base[0]]
    }

    fn locals(&self, procedure: usize) -> &[bool] {
        &self.kept[self.base[procedure]..self.base[procedure + 1]]
    }
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

/// Leaves the variables that are wanted; `None` if these are all.
pub(super) fn keep_variables(draft: &mut Draft<'_>, wanted: &Wanted) -> Option<Back> {
    if wanted.is_all() {
        return None;
    }
    let ersm = draft.ersm.to_mut();
    let mut back = Back::identity(ersm);
    let globals = numbers(wanted.globals());
    let ports: Vec<Ports> =
        ersm.procedures.iter().enumerate().map(|(index, p)| Ports::of(p, wanted.locals(index))).collect();
    // Procedures with the same locals share their renamed circuits.
    let mut renamed: FxHashMap<&[bool], FxHashMap<usize, Lit>> = FxHashMap::default();
    let Ersm { procedures, circuit, .. } = ersm;
    for (index, procedure) in procedures.iter_mut().enumerate() {
        let kept = wanted.locals(index);
        let known = renamed.entry(kept).or_default();
        let mut rename = Rename { circuit, known, globals: &globals, locals: &numbers(kept) };
        rename.procedure(procedure, &ports);
        back.procedures[index].locals = old_numbers(kept);
    }
    retain(&mut ersm.globals, wanted.globals());
    back.globals = old_numbers(wanted.globals());
    Some(back)
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

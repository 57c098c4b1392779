//! What the arguments of a procedure's predicate stand for.
//!
//! One predicate for each procedure: "entered with these values, control can come to this place with these
//! values". Places are the exits, for the callers; the heads of loops, for the procedure itself (a loop is a
//! call of its own predicate, so that it is recursion like any other); and the *target*, by which a
//! procedure tells its callers that what is looked for was found inside. A read-only variable is one
//! argument, not two. A procedure that nobody calls does not remember how it was entered.

use super::fact::Point;
use crate::model::{Ersm, Footprint, Goal, Initial, NodeId, Procedure, Var, Vertex, bits_to_choose};
use rustc_hash::FxHashSet;

/// The interface of a procedure.
pub(in crate::engine) struct Interface {
    pub(in crate::engine) is_called: bool,
    /// Variables in scope: globals that are used, then all locals.
    pub(in crate::engine) scope: Vec<Var>,
    pub(in crate::engine) globals: usize,
    /// Variables that never change, with an argument each.
    pub(in crate::engine) constant: Vec<Var>,
    /// Variables whose value at the entry is an argument besides: none if it is never called.
    pub(in crate::engine) entered: Vec<Var>,
    /// Bits that tell by which entry.
    pub(in crate::engine) tags: u32,
    /// Variables whose value at the place is an argument.
    pub(in crate::engine) values: Vec<Var>,
    /// The heads of its loops.
    pub(in crate::engine) heads: Vec<Vertex>,
    /// Exits, if it is called.
    pub(in crate::engine) exits: Vec<NodeId>,
    /// What is looked for can be found in it or what it calls.
    pub(in crate::engine) finds: bool,
    /// Globals it may write.
    pub(in crate::engine) written: Vec<Var>,
    pub(in crate::engine) outputs: Vec<Var>,
    pub(in crate::engine) inputs: Vec<Var>,
}

/// What an argument of a procedure's predicate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Argument {
    /// A variable where the procedure is entered.
    Entered(Var),
    /// A bit of the number of the entry.
    Entry(u32),
    /// The target was found.
    Target,
    /// A bit of the number of the place that control comes to.
    Place(u32),
    /// A variable at that place.
    Value(Var),
}

impl Interface {
    /// The arguments, in order.
    pub(in crate::engine) fn arguments(&self) -> Vec<Argument> {
        let entered = self.constant.iter().chain(&self.entered).copied().map(Argument::Entered);
        let target = self.has_target_bit().then_some(Argument::Target);
        let place = (0..self.place_bits()).map(Argument::Place);
        let values = self.values.iter().copied().map(Argument::Value);
        entered.chain((0..self.tags).map(Argument::Entry)).chain(target).chain(place).chain(values).collect()
    }

    /// Places that are numbered: exits, then heads.
    pub(in crate::engine) fn places(&self) -> usize {
        self.exits.len() + self.heads.len()
    }

    /// Bits that tell the places apart.
    pub(in crate::engine) fn place_bits(&self) -> u32 {
        bits_to_choose(self.places())
    }

    /// There is an argument that says "target".
    pub(in crate::engine) fn has_target_bit(&self) -> bool {
        self.finds && self.places() > 0
    }

    /// A point of the predicate is about the target.
    pub(in crate::engine) fn is_target(&self, point: &Point) -> bool {
        let bit = self.constant.len() + self.entered.len() + self.tags as usize;
        self.finds && (!self.has_target_bit() || point.get(bit))
    }

    /// The number of a variable in the scope.
    pub(in crate::engine) fn index(&self, var: Var) -> usize {
        match var {
            // Globals are in increasing order.
            Var::Global(_) => self.scope[..self.globals].binary_search(&var).unwrap_or(usize::MAX),
            Var::Local(local) => self.globals + local as usize,
        }
    }

    /// A value that callers see when it is left.
    pub(in crate::engine) fn is_result(&self, var: Var) -> bool {
        match var {
            Var::Global(_) => self.written.contains(&var),
            Var::Local(_) => self.outputs.contains(&var),
        }
    }
}

/// The interfaces of all procedures; `heads` are the heads of their loops.
pub(in crate::engine) fn interfaces(ersm: &Ersm, goal: &Goal, heads: Vec<Vec<Vertex>>) -> Vec<Interface> {
    let (is_called, finds) = (ersm.called(), goal.finding(ersm));
    let procedures = ersm.procedures().zip(heads);
    procedures.map(|((id, p), heads)| interface(ersm, p, is_called[id.index()], finds[id.index()], heads)).collect()
}

fn interface(ersm: &Ersm, procedure: &Procedure, is_called: bool, finds: bool, heads: Vec<Vertex>) -> Interface {
    let all = || (0..ersm.globals.len() as u32).collect::<Box<[u32]>>();
    let Footprint { used, written } =
        procedure.footprint.clone().unwrap_or_else(|| Footprint { used: all(), written: all() });
    let assigned: FxHashSet<Var> = procedure.assigned().collect();
    let local = |&index: &u32| Var::Local(index);
    let written: Vec<Var> = written.iter().copied().map(Var::Global).collect();
    let inputs: Vec<Var> = procedure.inputs.iter().map(local).collect();
    let outputs: Vec<Var> = procedure.outputs.iter().map(local).collect();
    let used: Vec<Var> = used.iter().copied().map(Var::Global).collect();
    let locals: Vec<Var> = (0..procedure.locals.len() as u32).map(Var::Local).collect();
    let changes = |var: &Var| match var {
        Var::Global(_) => written.binary_search(var).is_ok(),
        Var::Local(_) => assigned.contains(var) || !inputs.contains(var),
    };
    let is_open = |var: &Var| match var {
        Var::Global(global) => is_called || ersm.globals[*global as usize].initial == Initial::Arbitrary,
        Var::Local(_) => true,
    };
    let entering = || used.iter().chain(&inputs).copied();
    let remembers = is_called || !heads.is_empty();
    let constant = entering().filter(|var| !changes(var) && is_open(var) && remembers).collect();
    let entered = entering().filter(|var| changes(var) && is_called).collect();
    let mut values: Vec<Var> = match heads.is_empty() {
        false => used.iter().chain(&locals).copied().filter(changes).collect(),
        true if is_called => written.iter().chain(&outputs).copied().collect(),
        true => Vec::new(),
    };
    if is_called && !heads.is_empty() {
        // An output may be an input that never changes.
        values.extend(outputs.iter().filter(|var| !changes(var)));
    }
    Interface {
        is_called,
        globals: used.len(),
        scope: used.iter().chain(&locals).copied().collect(),
        constant,
        entered,
        tags: if is_called { bits_to_choose(procedure.entries.len()) } else { 0 },
        values,
        heads,
        exits: if is_called { procedure.exits.clone() } else { Vec::new() },
        finds,
        written,
        outputs,
        inputs,
    }
}

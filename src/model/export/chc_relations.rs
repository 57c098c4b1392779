//! Which relations the clauses of a machine speak about, and over which values.
//!
//! A vertex is a relation over the values with which its procedure was entered and the values there; an exit
//! is one over what callers see; `fails` is one over the values at entry. A variable that never changes in a
//! procedure is one argument and not two; a variable whose value does not matter any more is none; a procedure
//! that nobody calls does not remember how it was entered; the globals are those of MOD/REF.

use super::names::{Namer, SMT};
use crate::model::{Ersm, Footprint, Goal, Liveness, NodeId, ProcId, Var, Vertex, bits_to_choose};
use rustc_hash::FxHashSet;

/// What is said about a procedure.
pub(super) struct Interface {
    pub(super) name: String,
    pub(super) is_called: bool,
    /// What is looked for can be found in it, or in what it calls.
    pub(super) finds: bool,
    /// Bits that tell by which entry it was entered.
    pub(super) tags: u32,
    /// Variables that keep their values.
    pub(super) constant: Vec<Var>,
    /// Variables whose value at entry is an argument besides.
    pub(super) entered: Vec<Var>,
    /// Variables that may change.
    pub(super) changing: Vec<Var>,
    /// Globals it may write.
    pub(super) written: FxHashSet<Var>,
    /// Names of its locals.
    locals: Vec<String>,
}

/// All relations of a machine.
pub(super) struct Relations<'e> {
    pub(super) ersm: &'e Ersm,
    pub(super) goal: &'e Goal,
    pub(super) interfaces: Vec<Interface>,
    live: Liveness,
    globals: Vec<String>,
}

impl<'e> Relations<'e> {
    pub(super) fn new(ersm: &'e Ersm, goal: &'e Goal) -> Relations<'e> {
        let (called, finds, live) = (ersm.called(), goal.finding(ersm), Liveness::of(ersm));
        let mut names = Namer::new(&SMT);
        let globals = ersm.globals.iter().map(|global| names.fresh(ersm.names.text(global.name))).collect();
        let mut procedures = Namer::new(&SMT);
        let interfaces = ersm.procedures().map(|(id, _)| {
            let name = procedures.fresh(ersm.procedure_name(id));
            interface(ersm, &live, id, name, &names, (called[id.index()], finds[id.index()]))
        });
        Relations { ersm, goal, interfaces: interfaces.collect(), live, globals }
    }

    pub(super) fn of(&self, procedure: ProcId) -> &Interface {
        &self.interfaces[procedure.index()]
    }

    /// The name of a variable's value, here and now.
    pub(super) fn variable(&self, procedure: ProcId, var: Var) -> &str {
        match var {
            Var::Global(index) => &self.globals[index as usize],
            Var::Local(index) => &self.of(procedure).locals[index as usize],
        }
    }

    /// The variable's value matters at a vertex.
    pub(super) fn is_live(&self, procedure: ProcId, vertex: Vertex, var: Var) -> bool {
        self.live.flow().id(procedure, vertex).is_none_or(|id| self.live.is_live(id, var))
    }

    /// Variables that may have changed and whose values matter at a vertex.
    pub(super) fn values(&self, procedure: ProcId, vertex: Vertex) -> impl Iterator<Item = Var> + '_ {
        let changing = self.of(procedure).changing.iter().copied();
        changing.filter(move |&var| self.is_live(procedure, vertex, var))
    }

    /// Values that callers see at an exit and that matter to some of them.
    pub(super) fn results(&self, procedure: ProcId, exit: NodeId) -> impl Iterator<Item = Var> + '_ {
        let outputs = &self.ersm.procedure(procedure).outputs;
        let seen = move |var: &Var| match var {
            Var::Global(_) => self.of(procedure).written.contains(var),
            Var::Local(index) => outputs.contains(index),
        };
        self.values(procedure, Vertex::Node(exit)).filter(seen)
    }

    /// Name of the relation of a vertex.
    pub(super) fn vertex(&self, procedure: ProcId, vertex: Vertex) -> String {
        let name = &self.of(procedure).name;
        match vertex {
            Vertex::Node(node) => format!("{name}!at{}", node.0),
            Vertex::Call(site, entry) => format!("{name}!call{}.{entry}", site.0),
            Vertex::Return(site, exit) => format!("{name}!return{}.{exit}", site.0),
        }
    }

    /// Name of the relation of an exit, by its place in the list of exits.
    pub(super) fn exit(&self, procedure: ProcId, exit: usize) -> String {
        format!("{}!exit{exit}", self.of(procedure).name)
    }

    /// Name of the relation that says that a procedure fails.
    pub(super) fn fails(&self, procedure: ProcId) -> String {
        format!("{}!fails", self.of(procedure).name)
    }
}

fn interface(
    ersm: &Ersm,
    live: &Liveness,
    id: ProcId,
    name: String,
    globals: &Namer<'_>,
    (is_called, finds): (bool, bool),
) -> Interface {
    let procedure = ersm.procedure(id);
    let all = || (0..ersm.globals.len() as u32).collect::<Box<[u32]>>();
    let Footprint { used, written } =
        procedure.footprint.clone().unwrap_or_else(|| Footprint { used: all(), written: all() });
    let written: FxHashSet<Var> = written.iter().copied().map(Var::Global).collect();
    let inputs: FxHashSet<Var> = procedure.inputs.iter().copied().map(Var::Local).collect();
    let assigned: FxHashSet<Var> = procedure.assigned().collect();
    let changes = |var: &Var| match var {
        Var::Global(_) => written.contains(var),
        Var::Local(_) => assigned.contains(var) || !inputs.contains(var),
    };
    let scope: Vec<Var> =
        used.iter().copied().map(Var::Global).chain((0..procedure.locals.len() as u32).map(Var::Local)).collect();
    let matters_at_entry = |var: &Var| {
        let mut entries = procedure.entries.iter();
        entries.any(|&entry| live.is_live(live.flow().node(id, entry), *var))
    };
    let comes_in = |var: &&Var| matches!(var, Var::Global(_)) || inputs.contains(*var);
    let coming = || scope.iter().filter(comes_in).copied().filter(matters_at_entry);
    let mut local_names = globals.inside();
    let locals = procedure.locals.iter().map(|local| local_names.fresh(ersm.names.text(local.name))).collect();
    Interface {
        name,
        is_called,
        finds,
        tags: if is_called { bits_to_choose(procedure.entries.len()) } else { 0 },
        constant: coming().filter(|var| !changes(var)).collect(),
        entered: if is_called { coming().filter(changes).collect() } else { Vec::new() },
        changing: scope.iter().copied().filter(changes).collect(),
        written,
        locals,
    }
}

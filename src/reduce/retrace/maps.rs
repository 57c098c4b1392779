//! What the parts of the reduced machine were in the original one, and which values its run tells.

use super::passage::{get, set};
use crate::model::{BoxId, CallBox, Ersm, Fragment, Initial, ProcId, Procedure, Var, Vertex};
use crate::reduce::{Back, ProcedureBack};

/// The machines and the way between them.
pub(super) struct Maps<'r> {
    pub(super) original: &'r Ersm,
    pub(super) reduced: &'r Ersm,
    back: &'r Back,
    /// By global of the original machine: the one of the reduced machine.
    globals: Vec<Option<u32>>,
}

impl<'r> Maps<'r> {
    pub(super) fn new(original: &'r Ersm, reduced: &'r Ersm, back: &'r Back) -> Maps<'r> {
        Maps { original, reduced, back, globals: inverse(&back.globals, original.globals.len()) }
    }

    /// Name of a procedure of the reduced machine.
    pub(super) fn name(&self, procedure: u32) -> String {
        let known = (procedure as usize) < self.reduced.procedures.len();
        if known { self.reduced.procedure_name(ProcId(procedure)).to_owned() } else { String::new() }
    }

    /// The way back from a procedure.
    pub(super) fn way_back(&self, procedure: u32) -> Option<&'r ProcedureBack> {
        self.back.procedures.get(procedure as usize)
    }

    /// The original of a procedure.
    pub(super) fn procedure(&self, procedure: u32) -> Option<&'r Procedure> {
        self.original.procedures.get(self.way_back(procedure)?.procedure.index())
    }

    /// The original of a box.
    pub(super) fn call_box(&self, caller: u32, site: BoxId) -> Option<&'r CallBox> {
        let above = *self.way_back(caller)?.boxes.get(site.index())?;
        self.procedure(caller)?.boxes.get(above.index())
    }

    /// The original of a vertex.
    pub(super) fn vertex(&self, procedure: u32, vertex: Vertex) -> Option<Vertex> {
        let back = self.way_back(procedure)?;
        let site = |site: BoxId| back.boxes.get(site.index()).copied();
        Some(match vertex {
            Vertex::Node(node) => Vertex::Node(*back.nodes.get(node.index())?),
            Vertex::Call(call, entry) => Vertex::Call(site(call)?, entry),
            Vertex::Return(call, exit) => Vertex::Return(site(call)?, exit),
        })
    }

    /// The bit of an original variable in the reduced run at a vertex, if the run tells its value there.
    /// `locals` is the inverse of the way back's.
    pub(super) fn told(&self, procedure: u32, locals: &[Option<u32>], vertex: Vertex, var: Var) -> Option<usize> {
        let here = match var {
            Var::Global(index) => {
                let index = (*self.globals.get(index as usize)?)?;
                let footprint = self.reduced.procedures.get(procedure as usize)?.footprint.as_ref();
                if footprint.is_some_and(|footprint| footprint.used.binary_search(&index).is_err()) {
                    return None;
                }
                Var::Global(index)
            }
            Var::Local(index) => Var::Local((*locals.get(index as usize)?)?),
        };
        let bit = self.reduced.bit(here);
        let live = self.way_back(procedure)?.live.as_ref().and_then(|live| live.get(vertex));
        live.is_none_or(|live| live.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)).then_some(bit)
    }

    /// An empty fragment of the original of a procedure.
    pub(super) fn fragment(&self, procedure: u32) -> Fragment<Vertex> {
        let original = self.way_back(procedure).map_or(ProcId(0), |back| back.procedure);
        Fragment::new(original.0, self.original.scope_size(original))
    }

    /// Sets the globals as a computation starts.
    pub(super) fn initial_globals(&self, fragment: &Fragment<Vertex>, state: &mut [u64]) {
        for (index, global) in self.original.globals.iter().enumerate() {
            let told = || self.told(fragment.procedure, &[], *fragment.place(0), Var::Global(index as u32));
            let value = match global.initial {
                Initial::Fixed(value) => value,
                Initial::Arbitrary => told().is_some_and(|bit| get(fragment.state(0), bit)),
            };
            set(state, index, value);
        }
    }

    /// Copies the globals from one state to another.
    pub(super) fn pass_globals(&self, from: &[u64], to: &mut [u64]) {
        let (whole, rest) = (self.original.globals.len() / 64, self.original.globals.len() % 64);
        to[..whole].copy_from_slice(&from[..whole]);
        if rest != 0 {
            let mask = (1 << rest) - 1;
            to[whole] = to[whole] & !mask | from[whole] & mask;
        }
    }
}

/// The inverse of a map into so many numbers.
pub(super) fn inverse(map: &[u32], size: usize) -> Vec<Option<u32>> {
    let mut inverse = vec![None; size];
    for (here, &above) in (0..).zip(map) {
        if let Some(slot) = inverse.get_mut(above as usize) {
            *slot = Some(here);
        }
    }
    inverse
}

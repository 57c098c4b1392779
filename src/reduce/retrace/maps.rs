//! What the parts of the reduced machine were in the original one, and which values its run tells.

use super::passage::{get, set};
use crate::model::{BoxId, CallBox, Ersm, Fragment, Initial, ProcId, Procedure, Var, Vertex};
use crate::reduce::signature::{sign_edge, sign_lit};
use crate::reduce::{Back, ProcedureBack, Table};

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

    /// Procedures with the same signature are executed again in the same way: they are alike in the original
    /// machine, and so is what became of them. Their calls are alike as well, but not whom they call.
    pub(super) fn signature(&self, procedure: u32) -> Option<Vec<u32>> {
        let (back, original) = (self.way_back(procedure)?, self.procedure(procedure)?);
        let reduced = self.reduced.procedures.get(procedure as usize)?;
        let used = reduced.footprint.as_ref().map(|footprint| &*footprint.used);
        let mut words = vec![u32::from(used.is_some())];
        let mut list = |list: &mut dyn ExactSizeIterator<Item = u32>| {
            words.push(list.len() as u32);
            words.extend(list);
        };
        list(&mut back.nodes.iter().map(|node| node.0));
        list(&mut back.boxes.iter().map(|site| site.0));
        list(&mut back.locals.iter().copied());
        list(&mut reduced.exits.iter().map(|node| node.0));
        list(&mut used.unwrap_or_default().iter().copied());
        list(&mut original.inputs.iter().copied());
        list(&mut original.locals.iter().map(|local| match local.initial {
            Initial::Fixed(value) => u32::from(value),
            Initial::Arbitrary => 2,
        }));
        for table in [back.inner.identity(), back.live.as_ref().map_or(0, Table::identity)] {
            words.extend([table as u32, (table as u64 >> 32) as u32]);
        }
        for call in &original.boxes {
            words.extend([call.arguments.len() as u32, call.choices.len() as u32]);
            call.arguments.iter().for_each(|lit| sign_lit(*lit, &mut words));
            words.extend(call.choices.iter().map(|owner| *owner as u32));
        }
        original.edges.iter().for_each(|edge| sign_edge(edge, &mut words));
        Some(words)
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

    /// An empty fragment of the original of a fragment, with room for some more places than that one has.
    pub(super) fn fragment(&self, reduced: &Fragment<Vertex>) -> Fragment<Vertex> {
        let original = self.way_back(reduced.procedure).map_or(ProcId(0), |back| back.procedure);
        let width = self.original.scope_size(original).div_ceil(64);
        Fragment::with_capacity(original.0, width, 2 * reduced.len())
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

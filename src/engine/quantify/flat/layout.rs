//! Where everything is in a configuration: globals, which frame is the top, and for each frame its vertex and its locals.

use crate::engine::system::vertices;
use crate::model::{CallGraph, Ersm, ProcId, Var, Vertex, bits_to_choose};
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;

/// The places of a configuration's bits.
pub(in crate::engine::quantify) struct Layout {
    globals: usize,
    /// Frames of the deepest stack. Which is the top has a bit for each: exactly one is true.
    pub(super) frames: usize,
    /// Bits of a vertex's number.
    vertex_bits: usize,
    /// Locals of the procedure with the most.
    locals: usize,
    numbers: FxHashMap<(ProcId, Vertex), usize>,
    /// By number.
    listed: Vec<(ProcId, Vertex)>,
}

impl Layout {
    pub(in crate::engine::quantify) fn new(ersm: &Ersm) -> Layout {
        let mut depth = vec![0; ersm.procedures.len()];
        let mut listed = Vec::new();
        for id in CallGraph::new(ersm).bottom_up {
            let procedure = ersm.procedure(id);
            depth[id.index()] = 1 + procedure.boxes.iter().map(|site| depth[site.callee.index()]).max().unwrap_or(0);
            listed.extend(vertices(ersm, procedure).into_iter().map(|vertex| (id, vertex)));
        }
        // Number 0 is that of an empty frame.
        Layout {
            globals: ersm.globals.len(),
            frames: depth.into_iter().max().unwrap_or(1).max(1),
            vertex_bits: bits_to_choose(listed.len() + 1) as usize,
            locals: ersm.procedures.iter().map(|procedure| procedure.locals.len()).max().unwrap_or(0),
            numbers: listed.iter().enumerate().map(|(place, &vertex)| (vertex, place + 1)).collect(),
            listed,
        }
    }

    pub(super) fn bits(&self) -> usize {
        self.globals + self.frames + self.frames * self.frame_bits()
    }

    pub(super) fn frame_bits(&self) -> usize {
        self.vertex_bits + self.locals
    }

    /// The vertices with their numbers.
    pub(super) fn vertices(&self) -> impl Iterator<Item = (ProcId, Vertex, usize)> + '_ {
        self.listed.iter().enumerate().map(|(place, &(procedure, vertex))| (procedure, vertex, place + 1))
    }

    pub(super) fn number(&self, procedure: ProcId, vertex: Vertex) -> usize {
        self.numbers.get(&(procedure, vertex)).copied().unwrap_or(0)
    }

    /// The vertex with a number.
    pub(super) fn vertex(&self, number: usize) -> Option<(ProcId, Vertex)> {
        self.listed.get(number.checked_sub(1)?).copied()
    }

    pub(super) fn top_bit(&self, frame: usize) -> usize {
        self.globals + frame
    }

    /// The bits of a frame: the number of its vertex, then its locals.
    pub(super) fn frame(&self, frame: usize) -> std::ops::Range<usize> {
        let start = self.globals + self.frames + frame * self.frame_bits();
        start..start + self.frame_bits()
    }

    pub(super) fn vertex_bits(&self) -> usize {
        self.vertex_bits
    }

    pub(super) fn is_top(&self, configuration: &[Lit], frame: usize) -> Lit {
        configuration[self.top_bit(frame)]
    }

    /// The frame is at the vertex with this number.
    pub(super) fn is_at(&self, circuit: &mut Circuit, configuration: &[Lit], frame: usize, number: usize) -> Lit {
        let bits = &configuration[self.frame(frame)][..self.vertex_bits];
        circuit.is_number(bits, number)
    }

    /// The place of a variable in the globals followed by one frame's locals.
    pub(super) fn scope_bit(&self, var: Var) -> usize {
        match var {
            Var::Global(index) => index as usize,
            Var::Local(index) => self.globals + index as usize,
        }
    }

    /// The names of all bits.
    pub(in crate::engine::quantify) fn names(&self, ersm: &Ersm) -> Vec<String> {
        let globals = ersm.globals.iter().map(|global| ersm.names.text(global.name).to_owned());
        let tops = (0..self.frames).map(|frame| format!("frame.{frame}.top"));
        let frames = (0..self.frames).flat_map(|frame| {
            let vertex = (0..self.vertex_bits).map(move |bit| format!("frame.{frame}.vertex.{bit}"));
            vertex.chain((0..self.locals).map(move |local| format!("frame.{frame}.local.{local}")))
        });
        globals.chain(tops).chain(frames).collect()
    }

    pub(super) fn globals(&self) -> usize {
        self.globals
    }
}

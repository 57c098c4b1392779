//! The way back from a reduced machine: what its parts were in the machine above.
//!
//! Ways back are composed ([`Back::then`]) until they lead to the machine the reductions started from.
//! They are maps only; a run is lifted once, through the composed map, by executing it again
//! (`retrace`).

use crate::model::{BoxId, Ersm, NodeId, ProcId, Vertex};
use rustc_hash::FxHashMap;

/// What the parts of a reduced machine were in the machine above it. Entries and exits keep their
/// places in a procedure's lists, so that ports need no map of their own.
#[derive(Clone, Debug, Default)]
pub struct Back {
    /// By procedure of the reduced machine.
    pub procedures: Vec<ProcedureBack>,
    /// By global of the reduced machine: the global above.
    pub globals: Vec<u32>,
}

/// What the parts of one procedure were.
#[derive(Clone, Debug)]
pub struct ProcedureBack {
    /// The procedure above.
    pub procedure: ProcId,
    /// By node of the reduced procedure: the node above.
    pub nodes: Vec<NodeId>,
    /// By box of the reduced procedure: the box above.
    pub boxes: Vec<BoxId>,
    /// By local of the reduced procedure: the local above.
    pub locals: Vec<u32>,
    /// By vertex of the reduced procedure where steps begin: the nodes above that its steps pass
    /// through, in topological order. A vertex that is not listed steps without passing any.
    pub inner: FxHashMap<Vertex, Box<[NodeId]>>,
    /// By vertex of the reduced procedure: which variables have values that tell something, packed as
    /// by [`Ersm::bit`] of the reduced machine. `None`, or a vertex that is not listed: all of them.
    pub live: Option<FxHashMap<Vertex, Box<[u64]>>>,
}

impl Back {
    /// The way back where nothing was changed.
    pub fn identity(ersm: &Ersm) -> Back {
        let procedures = ersm.procedures().map(|(id, procedure)| ProcedureBack {
            procedure: id,
            nodes: (0..procedure.nodes.len()).map(NodeId::from).collect(),
            boxes: (0..procedure.boxes.len()).map(BoxId::from).collect(),
            locals: (0..procedure.locals.len() as u32).collect(),
            inner: FxHashMap::default(),
            live: None,
        });
        Back { procedures: procedures.collect(), globals: (0..ersm.globals.len() as u32).collect() }
    }
}

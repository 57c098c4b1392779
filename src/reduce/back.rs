//! The way back from a reduced machine: what its parts were in the machine above.
//!
//! Ways back are composed ([`Back::then`]) until they lead to the machine the reductions started from.
//! They are maps only; a run is lifted once, through the composed map, by executing it again
//! (`retrace`).

use super::Table;
use crate::model::{BoxId, Ersm, NodeId, ProcId, Procedure, Vertex};
use rustc_hash::{FxHashMap, FxHashSet};

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
    pub inner: Table<NodeId>,
    /// By vertex of the reduced procedure: which variables have values that tell something, packed as
    /// by [`Ersm::bit`] of the reduced machine. `None`, or a vertex that is not listed: all of them.
    pub live: Option<Table<u64>>,
}

impl Back {
    /// The way back where nothing was changed.
    pub fn identity(ersm: &Ersm) -> Back {
        let procedures = ersm.procedures().map(|(id, procedure)| ProcedureBack::identity(id, procedure));
        Back { procedures: procedures.collect(), globals: (0..ersm.globals.len() as u32).collect() }
    }

    /// The way back where nothing was changed, whatever the machine: it has no procedures, which no
    /// other way back has. It saves writing large machines down.
    pub fn neutral() -> Back {
        Back::default()
    }

    /// This is [`Back::neutral`].
    pub fn is_neutral(&self) -> bool {
        self.procedures.is_empty()
    }

    /// One way back after the other, where a reduction that changed nothing has none.
    pub(super) fn compose(above: Option<Back>, below: Option<Back>) -> Option<Back> {
        match (above, below) {
            (Some(above), Some(below)) => Some(above.then(below)),
            (above, below) => above.or(below),
        }
    }

    /// The way back from a machine that was reduced further: `self` leads from the machine between to
    /// the one above, `below` from the reduced machine to the one between.
    pub fn then(self, below: Back) -> Back {
        if below.is_neutral() {
            return self;
        }
        if self.is_neutral() {
            return below;
        }
        let between = self.globals.len();
        let mut above: Vec<Option<ProcedureBack>> = self.procedures.into_iter().map(Some).collect();
        let procedures = below.procedures.into_iter().filter_map(|lower| {
            let above = above[lower.procedure.index()].take()?;
            Some(above.then(lower, between, &below.globals))
        });
        let procedures = procedures.collect();
        Back { procedures, globals: below.globals.iter().map(|&global| self.globals[global as usize]).collect() }
    }
}

impl ProcedureBack {
    /// The way back where nothing was changed.
    pub fn identity(id: ProcId, procedure: &Procedure) -> ProcedureBack {
        ProcedureBack {
            procedure: id,
            nodes: (0..procedure.nodes.len()).map(NodeId::from).collect(),
            ..ProcedureBack::without_nodes(id, procedure)
        }
    }

    /// The way back where nothing was changed but the nodes, which are to be filled in.
    pub(super) fn without_nodes(id: ProcId, procedure: &Procedure) -> ProcedureBack {
        ProcedureBack {
            procedure: id,
            nodes: Vec::new(),
            boxes: (0..procedure.boxes.len()).map(BoxId::from).collect(),
            locals: (0..procedure.locals.len() as u32).collect(),
            inner: Table::default(),
            live: None,
        }
    }

    /// The vertex above.
    pub fn vertex(&self, vertex: Vertex) -> Vertex {
        match vertex {
            Vertex::Node(node) => Vertex::Node(self.nodes[node.index()]),
            Vertex::Call(site, entry) => Vertex::Call(self.boxes[site.index()], entry),
            Vertex::Return(site, exit) => Vertex::Return(self.boxes[site.index()], exit),
        }
    }

    /// As [`Back::then`]; `between` is the number of globals between, `globals` those that are left.
    fn then(self, below: ProcedureBack, between: usize, globals: &[u32]) -> ProcedureBack {
        let live = match &self.live {
            Some(live) => Some(live_below(live, &below, between, globals)),
            None => below.live.clone(),
        };
        let locals = below.locals.iter().map(|&local| self.locals[local as usize]).collect();
        // Most reductions change variables only, or few procedures.
        if below.keeps_vertices_of(&self) {
            return ProcedureBack { locals, live, ..self };
        }
        ProcedureBack {
            procedure: self.procedure,
            nodes: below.nodes.iter().map(|node| self.nodes[node.index()]).collect(),
            boxes: below.boxes.iter().map(|site| self.boxes[site.index()]).collect(),
            locals,
            inner: self.inner_below(&below),
            live,
        }
    }

    /// Nodes and boxes have the numbers that they have above, and steps pass through nothing.
    fn keeps_vertices_of(&self, above: &ProcedureBack) -> bool {
        self.inner.is_empty()
            && self.nodes.len() == above.nodes.len()
            && self.boxes.len() == above.boxes.len()
            && self.nodes.iter().zip(0..).all(|(node, number)| node.0 == number)
            && self.boxes.iter().zip(0..).all(|(site, number)| site.0 == number)
    }

    /// Nodes above that steps pass through: those of each step between, in order. A node that several
    /// steps share stands where it comes last, which keeps the order topological.
    fn inner_below(&self, below: &ProcedureBack) -> Table<NodeId> {
        if below.inner.is_empty() && self.inner.is_empty() {
            return Table::default();
        }
        let mut starts = below.vertices_below(self.inner.vertices());
        starts.extend(below.inner.vertices());
        let passed = |start: Vertex| {
            let mut passed: Vec<NodeId> = Vec::new();
            passed.extend(self.inner.get(below.vertex(start)).into_iter().flatten());
            for node in below.inner.get(start).into_iter().flatten() {
                passed.push(self.nodes[node.index()]);
                passed.extend(self.inner.get(Vertex::Node(*node)).into_iter().flatten());
            }
            let mut seen = FxHashSet::default();
            let mut last: Vec<NodeId> = passed.into_iter().rev().filter(|node| seen.insert(*node)).collect();
            last.reverse();
            (start, last.into())
        };
        starts.into_iter().map(passed).collect()
    }

    /// The vertices that lead to these.
    fn vertices_below(&self, above: impl Iterator<Item = Vertex>) -> FxHashSet<Vertex> {
        let nodes: FxHashMap<NodeId, u32> = self.nodes.iter().copied().zip(0..).collect();
        let boxes: FxHashMap<BoxId, u32> = self.boxes.iter().copied().zip(0..).collect();
        let site = |site: BoxId| boxes.get(&site).map(|&site| BoxId(site));
        let below = above.filter_map(|vertex| match vertex {
            Vertex::Node(node) => nodes.get(&node).map(|&node| Vertex::Node(NodeId(node))),
            Vertex::Call(call, entry) => site(call).map(|call| Vertex::Call(call, entry)),
            Vertex::Return(call, exit) => site(call).map(|call| Vertex::Return(call, exit)),
        });
        below.collect()
    }
}

/// What tells something both above and below.
fn live_below(above: &Table<u64>, below: &ProcedureBack, between: usize, globals: &[u32]) -> Table<u64> {
    let locals = below.locals.iter().map(|&local| between + local as usize);
    let bits: Vec<usize> = globals.iter().map(|&global| global as usize).chain(locals).collect();
    let here = below.live.clone().unwrap_or_default();
    let mut vertices = below.vertices_below(above.vertices());
    vertices.extend(here.vertices());
    let both = vertices.into_iter().map(|vertex| {
        let mut words: Box<[u64]> =
            here.get(vertex).map_or_else(|| vec![u64::MAX; bits.len().div_ceil(64)].into(), Into::into);
        let above = above.get(below.vertex(vertex));
        let is_dead = |old: usize| above.is_some_and(|above| above[old / 64] >> (old % 64) & 1 == 0);
        for (bit, _) in bits.iter().enumerate().filter(|(_, old)| is_dead(**old)) {
            words[bit / 64] &= !(1 << (bit % 64));
        }
        (vertex, words)
    });
    both.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(nodes: &[u32], locals: &[u32]) -> ProcedureBack {
        ProcedureBack {
            procedure: ProcId(0),
            nodes: nodes.iter().map(|&node| NodeId(node)).collect(),
            boxes: Vec::new(),
            locals: locals.to_vec(),
            inner: Table::default(),
            live: None,
        }
    }

    /// Two reductions: what is left of the second is told in terms of the first machine.
    #[test]
    fn ways_back_are_composed() {
        let mut first = back(&[0, 2, 3, 6], &[0, 2, 3]);
        let passed = |start: u32, nodes: &[u32]| -> (Vertex, Box<[NodeId]>) {
            (Vertex::Node(NodeId(start)), nodes.iter().map(|&node| NodeId(node)).collect())
        };
        first.inner = [passed(1, &[4, 5]), passed(2, &[5])].into_iter().collect();
        first.live = Some([(Vertex::Node(NodeId(1)), vec![0b10101].into())].into_iter().collect());
        let mut second = back(&[1, 3], &[1, 2]);
        second.inner = [passed(0, &[2])].into_iter().collect();
        let (first, second) = (
            Back { procedures: vec![first], globals: vec![4, 7] },
            Back { procedures: vec![second], globals: vec![1] },
        );
        let both = first.then(second);
        assert_eq!(both.globals, [7]);
        let back = &both.procedures[0];
        assert_eq!((&back.nodes[..], &back.locals[..]), (&[2, 6].map(NodeId)[..], &[2, 3][..]));
        // From node 2: through 4 to 3 and on through 5.
        assert_eq!(back.inner.get(Vertex::Node(NodeId(0))), Some(&[4, 3, 5].map(NodeId)[..]));
        // Between, bits were globals 0 and 1, locals 0, 1 and 2; now global 1, locals 1 and 2.
        let live = back.live.as_ref().and_then(|live| live.get(Vertex::Node(NodeId(0))));
        assert_eq!(live.map(|words| words[0] & 0b111), Some(0b100));
    }

    #[test]
    fn nothing_is_the_neutral_way() {
        let one = |nodes: &[u32]| Back { procedures: vec![back(nodes, &[0])], globals: vec![0] };
        assert!(Back::neutral().is_neutral() && !one(&[0]).is_neutral());
        assert_eq!(Back::neutral().then(one(&[3, 5])).procedures[0].nodes, [3, 5].map(NodeId));
        assert_eq!(one(&[3, 5]).then(Back::neutral()).procedures[0].nodes, [3, 5].map(NodeId));
        assert_eq!(one(&[3, 5]).then(one(&[0, 1])).procedures[0].nodes, [3, 5].map(NodeId));
    }
}

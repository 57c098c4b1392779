//! What is looked for in a machine: nodes, calls, and whether one find is enough.

use super::ersm::{Ersm, NodeId, ProcId};

/// A set of nodes.
#[derive(Clone, Debug)]
pub struct NodeSet {
    /// Index of each procedure's first node in the bit list.
    base: Vec<usize>,
    bits: Vec<bool>,
    count: usize,
}

impl NodeSet {
    /// The empty set of nodes of a machine.
    pub fn new(ersm: &Ersm) -> NodeSet {
        let mut base = Vec::with_capacity(ersm.procedures.len());
        let mut total = 0;
        for procedure in &ersm.procedures {
            base.push(total);
            total += procedure.nodes.len();
        }
        NodeSet { base, bits: vec![false; total], count: 0 }
    }

    /// Adds a node; false if it was in the set already.
    pub fn insert(&mut self, procedure: ProcId, node: NodeId) -> bool {
        let bit = &mut self.bits[self.base[procedure.index()] + node.index()];
        let new = !*bit;
        *bit = true;
        self.count += usize::from(new);
        new
    }

    /// The node is in the set.
    pub fn contains(&self, procedure: ProcId, node: NodeId) -> bool {
        self.bits[self.base[procedure.index()] + node.index()]
    }

    /// The nodes that are not in another set of nodes of the same machine.
    pub fn without(&self, others: &NodeSet) -> NodeSet {
        let bits: Vec<bool> = self.bits.iter().zip(&others.bits).map(|(&own, &other)| own && !other).collect();
        let count = bits.iter().filter(|bit| **bit).count();
        NodeSet { base: self.base.clone(), bits, count }
    }

    /// Adds all nodes of another set of nodes of the same machine.
    pub fn add(&mut self, others: &NodeSet) {
        self.bits.iter_mut().zip(&others.bits).for_each(|(own, other)| *own |= other);
        self.count = self.bits.iter().filter(|bit| **bit).count();
    }

    /// How many nodes are in the set.
    pub fn len(&self) -> usize {
        self.count
    }

    /// No node is in the set.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The nodes of interest.
    pub targets: NodeSet,
    /// Procedures whose being called is of interest (only where the first find is enough).
    pub calls: Vec<ProcId>,
    /// Stop at the first (with a run to it), or find all that can be reached.
    pub all: bool,
}

impl Goal {
    /// By procedure: there is something to find in it, or in what it calls. From the procedures that have a
    /// target or make a call that is looked for, up along the calls.
    pub fn finding(&self, ersm: &Ersm) -> Vec<bool> {
        let mut callers: Vec<Vec<ProcId>> = vec![Vec::new(); ersm.procedures.len()];
        let mut open: Vec<ProcId> = Vec::new();
        for (id, procedure) in ersm.procedures() {
            procedure.boxes.iter().for_each(|site| callers[site.callee.index()].push(id));
            let mut nodes = (0..procedure.nodes.len()).map(NodeId::from);
            let has_target = nodes.any(|node| self.targets.contains(id, node));
            if has_target || procedure.boxes.iter().any(|site| self.calls.contains(&site.callee)) {
                open.push(id);
            }
        }
        let mut finding = vec![false; ersm.procedures.len()];
        while let Some(procedure) = open.pop() {
            if !std::mem::replace(&mut finding[procedure.index()], true) {
                open.extend(&callers[procedure.index()]);
            }
        }
        finding
    }
}

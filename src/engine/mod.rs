//! Engines: each answers the same question on the same [`Ersm`].
//!
//! A question is a [`Goal`]: which nodes are looked for, and whether one is enough. The answer is an
//! [`Outcome`]: what was reached, a run to the first goal node, and statistics. Engines do not print,
//! know nothing of source texts, and stop when their [`Limits`](crate::limits::Limits) say so.

pub mod expand;

use crate::limits::Reason;
use crate::model::{Ersm, NodeId, ProcId, Run, Vertex};
use std::time::Duration;

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

/// What an engine found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Nodes known to be reachable. If `stopped` is empty and [`Goal::all`] was asked, all targets
    /// that are not in it are unreachable.
    pub reached: NodeSet,
    /// A run to the first target found, unless all were asked for.
    pub run: Option<Run<Vertex>>,
    /// Why the search ended early, if it did.
    pub stopped: Option<Reason>,
    /// What it cost.
    pub statistics: Statistics,
}

/// What a run cost.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The algorithm that ran.
    pub algorithm: &'static str,
    /// Path edges (states of a procedure together with the entry they were reached from; for the
    /// deterministic algorithm just states).
    pub path_edges: u64,
    /// Summary edges (inputs and outputs of calls).
    pub summary_edges: u64,
    /// Inputs with which procedures were entered.
    pub entries: u64,
    /// Bytes of the engine's tables.
    pub bytes: u64,
    /// Time of the search.
    pub search_time: Duration,
    /// Time to put the run together.
    pub trace_time: Duration,
}

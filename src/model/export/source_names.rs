//! What the user called the nodes, procedure by procedure.
//!
//! A node is called by its label or name if it has one, else by a proposition that holds nowhere else
//! in its procedure. Words that mean failure are names of failures only. All others are called after
//! what they are for, or by number.

use crate::model::{Ersm, NodeId, ProcId, Procedure};
use crate::syntax::FAILURE_LABELS;
use crate::syntax::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// Nodes with names and nodes that must not be reached.
pub(super) struct SourceNames {
    /// By procedure: nodes and their names, several for one node perhaps.
    places: Vec<Vec<(NodeId, Name)>>,
    /// By procedure.
    failures: Vec<FxHashSet<NodeId>>,
}

/// The text means failure where a node has it as name, label or proposition.
pub(super) fn means_failure(text: &str) -> bool {
    FAILURE_LABELS.contains(&text)
}

impl SourceNames {
    pub(super) fn new(ersm: &Ersm) -> SourceNames {
        let mut places = vec![Vec::new(); ersm.procedures.len()];
        for place in &ersm.places {
            places[place.procedure.index()].push((place.node, place.name));
        }
        let mut failures = vec![FxHashSet::default(); ersm.procedures.len()];
        for failure in &ersm.failures {
            failures[failure.procedure.index()].insert(failure.node);
        }
        SourceNames { places, failures }
    }

    /// The nodes of a procedure that must not be reached.
    pub(super) fn failures(&self, procedure: ProcId) -> &FxHashSet<NodeId> {
        &self.failures[procedure.index()]
    }

    /// All names of nodes of a procedure, also several for one node.
    pub(super) fn places(&self, procedure: ProcId) -> &[(NodeId, Name)] {
        &self.places[procedure.index()]
    }

    /// For each node of a procedure the one name to call it by.
    pub(super) fn of_nodes(&self, ersm: &Ersm, procedure: ProcId) -> Vec<Option<Name>> {
        let nodes = &ersm.procedure(procedure).nodes;
        let failures = self.failures(procedure);
        let fits = |node: NodeId, name: Name| !means_failure(ersm.names.text(name)) || failures.contains(&node);
        let mut names = vec![None; nodes.len()];
        let mut used = FxHashSet::default();
        for &(node, name) in self.places(procedure) {
            if names[node.index()].is_none() && fits(node, name) && used.insert(name) {
                names[node.index()] = Some(name);
            }
        }
        let mut holders: FxHashMap<Name, u32> = FxHashMap::default();
        for &name in nodes.iter().flat_map(|node| &node.propositions) {
            *holders.entry(name).or_default() += 1;
        }
        for (index, node) in nodes.iter().enumerate() {
            if names[index].is_some() {
                continue;
            }
            let unique =
                |name: &&Name| holders[*name] == 1 && !used.contains(*name) && fits(NodeId::from(index), **name);
            names[index] = node.propositions.iter().find(unique).copied();
        }
        names
    }

    /// What to call a node that the source does not name; not always unique.
    pub(super) fn plain_name(&self, ersm: &Ersm, procedure: ProcId, node: NodeId) -> String {
        let Procedure { entries, exits, .. } = ersm.procedure(procedure);
        if entries[..] == [node] {
            "start".to_owned()
        } else if exits[..] == [node] {
            "end".to_owned()
        } else if self.failures(procedure).contains(&node) {
            format!("failed{}", node.0)
        } else {
            format!("n{}", node.0)
        }
    }
}

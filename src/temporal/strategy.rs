//! What an environment does to a module so that it violates a formula, as a machine: the module without what the environment disables, unfolded as far as its
//! decisions depend on what happened.
//!
//! The machine has no variables. A node is a state of the module, with the values that its variables have; the same state may be there more than once, if
//! the environment decides differently later on.

use super::outermost::Outermost;
use crate::model::{Place, SourceMap, Vertex};

/// A module that is pruned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy<P> {
    /// Its machines.
    pub machines: Vec<Pruned<P>>,
    /// The machine and node where runs start.
    pub initial: (usize, usize),
}

/// A procedure that is pruned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned<P> {
    /// What it is a part of.
    pub procedure: u32,
    /// Its nodes.
    pub nodes: Vec<PrunedNode<P>>,
    /// By box: the machine that it is mapped to.
    pub boxes: Vec<usize>,
    /// Its transitions.
    pub edges: Vec<(PrunedEnd, PrunedEnd)>,
}

/// Where a transition begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrunedEnd {
    /// At a node.
    Node(usize),
    /// At a call: the box, and the node of its machine that is entered.
    Call(usize, usize),
    /// Behind a call: the box, and the node of its machine that was left.
    Return(usize, usize),
}

/// What a node is to the calls of its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrunedRole {
    /// Calls, or runs, begin here.
    Entry,
    /// Calls are left here.
    Exit,
    /// Neither.
    Inner,
}

/// A state of a pruned module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrunedNode<P> {
    /// What it is.
    pub role: PrunedRole,
    /// The state.
    pub state: ModuleState<P>,
    /// By atom of the formula: it holds.
    pub atoms: Vec<bool>,
    /// Successors that the environment disables.
    pub disabled: Vec<ModuleState<P>>,
}

/// A state of a module, apart from its stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModuleState<P> {
    /// The procedure.
    pub procedure: u32,
    /// The place.
    pub place: P,
    /// By variable in scope: its value, if it matters.
    pub values: Vec<Option<bool>>,
}

/// A pruned module in source terms.
pub type SourceStrategy = Strategy<Place>;

impl<P> ModuleState<P> {
    fn at<Q>(self, place: impl FnOnce(u32, P) -> (u32, Q)) -> ModuleState<Q> {
        let (procedure, place) = place(self.procedure, self.place);
        ModuleState { procedure, place, values: self.values }
    }
}

impl Strategy<Vertex> {
    /// The strategy in source terms; nothing if a state of it is none of the source.
    pub fn lift(self, base: &Outermost, map: &SourceMap) -> Option<SourceStrategy> {
        let origin = |procedure: u32| base.origin[procedure as usize].0;
        let lift = |state: ModuleState<Vertex>| {
            let place = map.place_of(origin(state.procedure), state.place)?;
            Some(state.at(|procedure, _| (origin(procedure), place)))
        };
        let node = |node: PrunedNode<Vertex>| {
            let PrunedNode { role, state, atoms, disabled } = node;
            let disabled = disabled.into_iter().map(lift).collect::<Option<_>>()?;
            Some(PrunedNode { role, state: lift(state)?, atoms, disabled })
        };
        let machine = |pruned: Pruned<Vertex>| {
            let Pruned { procedure, nodes, boxes, edges } = pruned;
            let nodes = nodes.into_iter().map(node).collect::<Option<_>>()?;
            Some(Pruned { procedure: origin(procedure), nodes, boxes, edges })
        };
        let machines = self.machines.into_iter().map(machine).collect::<Option<_>>()?;
        Some(Strategy { machines, initial: self.initial })
    }
}

//! The environment that makes a goal impossible, as a pruned module.
//!
//! An environment that wants to avoid the goal leaves, wherever it has a choice, an offer without safe successors; from a state that is not safe there
//! is one, and then all successors are unsafe again. Whether a state is safe depends on the exits of its activation that are: so a pruned procedure is one
//! for each set of these (Alur-HSM 4.1 does the same for closed machines). Where the goal must always be possible, the environment leaves everything as it is
//! until the run is where the goal should be possible and is not.

use super::super::super::compile::Compiled;
use super::super::super::valuation::get;
use super::super::offers::From;
use super::super::structure::{Structure, Target};
use super::super::unfold::Unfolding;
use super::contest::Tree;
use super::flat::Flat;
use super::possible::Possible;
use crate::limits::Reason;
use crate::model::{ProcId, Vertex};
use crate::temporal::{ModuleState, Pruned, PrunedEnd, PrunedNode, PrunedRole, Strategy};
use rustc_hash::FxHashMap;

/// A module as it was unfolded.
pub(super) struct Seen<'m> {
    pub(super) unfolding: &'m Unfolding<'m>,
    pub(super) structure: &'m Structure,
    /// By atom of the formula, its label.
    pub(super) atoms: &'m [usize],
}

/// The module that is asked about, with what is known of it.
pub(super) struct Module<'m> {
    pub(super) seen: &'m Seen<'m>,
    pub(super) possible: &'m Possible<'m>,
    /// Only where this holds must the goal be possible.
    pub(super) condition: &'m dyn Fn(u32) -> bool,
}

/// Exits that are safe, in order.
pub(super) type Safe = Box<[u32]>;

impl Module<'_> {
    /// The goal should be possible here, and is not.
    pub(super) fn is_bad(&self, state: u32, safe: &[u32]) -> bool {
        (self.condition)(state) && !self.possible.of(Target::State(state)).holds(safe)
    }

    /// The exits of a call that are safe, if these are safe around it.
    pub(super) fn inside(&self, call: u32, safe: &[u32]) -> Result<Safe, Reason> {
        let mut inside = Vec::new();
        for &(exit, _) in &self.seen.structure.calls[call as usize].returns {
            if self.possible.returned(call, exit)?.holds(safe) {
                inside.push(exit);
            }
        }
        Ok(inside.into())
    }
}

impl Seen<'_> {
    fn compiled(&self) -> &Compiled<'_> {
        self.unfolding.compiled
    }

    fn procedure(&self, state: u32) -> ProcId {
        let place = self.unfolding.rows.header(state) as usize;
        ProcId(self.compiled().places[place].procedure)
    }

    /// A state in terms of the machine.
    pub(super) fn state(&self, state: u32) -> ModuleState<Vertex> {
        let (place, procedure) = (self.unfolding.rows.header(state) as u32, self.procedure(state));
        let cells = self.unfolding.rows.cells(state);
        let values = (0..self.compiled().ersm.scope_size(procedure)).map(|bit| get(cells, bit)).collect();
        ModuleState { procedure: procedure.0, place: self.compiled().vertex(place), values }
    }

    /// A node for a state.
    pub(super) fn node(&self, state: u32, role: PrunedRole) -> PrunedNode<Vertex> {
        let atoms = self.atoms.iter().map(|&label| self.structure.has(state, label)).collect();
        PrunedNode { role, state: self.state(state), atoms, disabled: Vec::new() }
    }

    /// A tree that was folded up, as a machine without calls.
    pub(super) fn unrolled(&self, flat: &mut Flat<'_>, tree: &Tree) -> Result<Strategy<Vertex>, Reason> {
        let mut nodes = Vec::with_capacity(tree.configurations.len());
        let mut edges = Vec::new();
        for (number, (&configuration, children)) in tree.configurations.iter().zip(&tree.children).enumerate() {
            let role = if number == 0 { PrunedRole::Entry } else { PrunedRole::Inner };
            let mut node = self.node(flat.state(configuration), role);
            let mut all: Vec<u32> = flat.offers(configuration)?.concat();
            all.sort_unstable();
            all.dedup();
            all.retain(|&child| !children.iter().any(|&kept| tree.configurations[kept as usize] == child));
            node.disabled = all.into_iter().map(|child| self.state(flat.state(child))).collect();
            nodes.push(node);
            edges.extend(children.iter().map(|&child| (PrunedEnd::Node(number), PrunedEnd::Node(child as usize))));
        }
        let procedure = nodes.first().map_or(0, |node| node.state.procedure);
        Ok(Strategy { machines: vec![Pruned { procedure, nodes, boxes: Vec::new(), edges }], initial: (0, 0) })
    }
}

/// What a node of a pruned procedure is: a state, of the procedure itself or of one that it calls and that is left at once; whether the goal is
/// being avoided.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    state: u32,
    inline: Option<u32>,
    avoids: bool,
}

/// A pruned procedure in the making.
struct Machine {
    safe: Safe,
    nodes: FxHashMap<Key, usize>,
    keys: Vec<Key>,
    boxes: FxHashMap<u32, usize>,
    calls: Vec<u32>,
    /// Nodes where it is left.
    exits: Vec<usize>,
    /// Boxes that are mapped to it: machine and box.
    users: Vec<(usize, usize)>,
}

/// A pruned module in the making.
pub(super) struct Pruning<'m> {
    module: &'m Module<'m>,
    machines: Vec<Machine>,
    numbers: FxHashMap<(ProcId, Safe), usize>,
    strategy: Strategy<Vertex>,
    /// Nodes whose successors are not known yet.
    open: Vec<(usize, usize)>,
}

impl<'m> Pruning<'m> {
    /// The pruned module that starts in this state.
    pub(super) fn of(module: &'m Module<'m>, start: u32) -> Result<Strategy<Vertex>, Reason> {
        let mut pruning = Pruning {
            module,
            machines: Vec::new(),
            numbers: FxHashMap::default(),
            strategy: Strategy { machines: Vec::new(), initial: (0, 0) },
            open: Vec::new(),
        };
        let machine = pruning.machine(module.seen.procedure(start), Safe::default());
        let avoids = module.is_bad(start, &[]);
        let node = pruning.node(machine, Key { state: start, inline: None, avoids }, PrunedRole::Entry);
        pruning.strategy.initial = (machine, node);
        while let Some((machine, node)) = pruning.open.pop() {
            pruning.expand(machine, node)?;
        }
        Ok(pruning.strategy)
    }

    fn machine(&mut self, procedure: ProcId, safe: Safe) -> usize {
        let next = self.machines.len();
        let number = *self.numbers.entry((procedure, safe.clone())).or_insert(next);
        if number == next {
            self.strategy.machines.push(Pruned {
                procedure: procedure.0,
                nodes: Vec::new(),
                boxes: Vec::new(),
                edges: Vec::new(),
            });
            self.machines.push(Machine {
                safe,
                nodes: FxHashMap::default(),
                keys: Vec::new(),
                boxes: FxHashMap::default(),
                calls: Vec::new(),
                exits: Vec::new(),
                users: Vec::new(),
            });
        }
        number
    }

    fn node(&mut self, machine: usize, key: Key, role: PrunedRole) -> usize {
        let own = &mut self.machines[machine];
        let next = own.keys.len();
        let node = *own.nodes.entry(key).or_insert(next);
        let nodes = &mut self.strategy.machines[machine].nodes;
        if node == next {
            own.keys.push(key);
            nodes.push(self.module.seen.node(key.state, role));
            self.open.push((machine, node));
        } else if role != PrunedRole::Inner {
            nodes[node].role = role;
        }
        node
    }

    /// Finds the successors of a node.
    fn expand(&mut self, machine: usize, node: usize) -> Result<(), Reason> {
        let key = self.machines[machine].keys[node];
        let structure = self.module.seen.structure;
        match key.inline {
            Some(call) => {
                let targets = self.kept(From::Exit(call, key.state), machine, node, key.avoids)?;
                self.lead(machine, PrunedEnd::Node(node), &targets, key.avoids)
            }
            None if structure.states[key.state as usize].is_exit => {
                self.strategy.machines[machine].nodes[node].role = PrunedRole::Exit;
                self.machines[machine].exits.push(node);
                for (user, site) in self.machines[machine].users.clone() {
                    self.come_back(user, site, (machine, node))?;
                }
                Ok(())
            }
            None => {
                let targets = self.kept(From::State(key.state), machine, node, key.avoids)?;
                self.lead(machine, PrunedEnd::Node(node), &targets, key.avoids)
            }
        }
    }

    /// The step from an exit of a box's machine back to the box.
    fn come_back(&mut self, machine: usize, site: usize, (inside, exit): (usize, usize)) -> Result<(), Reason> {
        let call = self.machines[machine].calls[site];
        let Key { state, avoids, .. } = self.machines[inside].keys[exit];
        let structure = self.module.seen.structure;
        if structure.calls[call as usize].returns.binary_search_by_key(&state, |(exit, _)| *exit).is_err() {
            return Ok(());
        }
        let targets = self.kept(From::Exit(call, state), machine, usize::MAX, avoids)?;
        self.lead(machine, PrunedEnd::Return(site, exit), &targets, avoids)
    }

    /// The successors that the environment leaves; what it disables is noted at the node.
    fn kept(&mut self, from: From, machine: usize, node: usize, avoids: bool) -> Result<Vec<Target>, Reason> {
        let structure = self.module.seen.structure;
        let all: &[Target] = match from {
            From::State(state) => &structure.next[state as usize],
            From::Exit(call, exit) => {
                let returns = &structure.calls[call as usize].returns;
                let place = returns.binary_search_by_key(&exit, |(exit, _)| *exit);
                place.map_or(&[], |place| &returns[place].1)
            }
        };
        if !avoids {
            return Ok(all.to_vec());
        }
        let safe = &self.machines[machine].safe;
        let is_unsafe = |targets: &[Target]| targets.iter().all(|&target| !self.module.possible.of(target).holds(safe));
        let kept: &[Target] = match self.module.seen.unfolding.offers.at(from) {
            None => all,
            Some(offers) => {
                let offer = offers.iter().find(|offer| is_unsafe(offer));
                offer.ok_or(Reason::Internal("an environment without a way to avoid a goal"))?
            }
        };
        if !is_unsafe(kept) {
            return Err(Reason::Internal("a step from an unsafe state to a safe one"));
        }
        if let Some(node) = self.strategy.machines[machine].nodes.get_mut(node) {
            let state = |target: &Target| match *target {
                Target::State(state) => state,
                Target::Call(call) => structure.calls[call as usize].entry,
            };
            let gone = all.iter().filter(|target| !kept.contains(target));
            node.disabled = gone.map(|target| self.module.seen.state(state(target))).collect();
        }
        Ok(kept.to_vec())
    }

    /// Transitions to successors.
    fn lead(&mut self, machine: usize, from: PrunedEnd, targets: &[Target], avoids: bool) -> Result<(), Reason> {
        for &target in targets {
            let to = match target {
                Target::State(state) => {
                    let avoids = avoids || self.module.is_bad(state, &self.machines[machine].safe);
                    PrunedEnd::Node(self.node(machine, Key { state, inline: None, avoids }, PrunedRole::Inner))
                }
                Target::Call(call) => self.call(machine, call, avoids)?,
            };
            self.strategy.machines[machine].edges.push((from, to));
        }
        Ok(())
    }

    fn call(&mut self, machine: usize, call: u32, avoids: bool) -> Result<PrunedEnd, Reason> {
        let module = self.module;
        let state = module.seen.structure.calls[call as usize].entry;
        let safe = module.inside(call, &self.machines[machine].safe)?;
        let avoids = avoids || module.is_bad(state, &safe);
        // A machine's node cannot be both entry and exit: such a call is written out.
        if module.seen.structure.states[state as usize].is_exit {
            return Ok(PrunedEnd::Node(self.node(
                machine,
                Key { state, inline: Some(call), avoids },
                PrunedRole::Inner,
            )));
        }
        let inside = self.machine(module.seen.procedure(state), safe);
        let entry = self.node(inside, Key { state, inline: None, avoids }, PrunedRole::Entry);
        let own = &mut self.machines[machine];
        let next = own.calls.len();
        let site = *own.boxes.entry(call).or_insert(next);
        if site == next {
            own.calls.push(call);
            self.strategy.machines[machine].boxes.push(inside);
            self.machines[inside].users.push((machine, site));
            for exit in self.machines[inside].exits.clone() {
                self.come_back(machine, site, (inside, exit))?;
            }
        }
        Ok(PrunedEnd::Call(site, entry))
    }
}

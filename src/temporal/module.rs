//! Modules: machines some of whose choices belong to the environment (Kupferman 2), as what is chosen between.
//!
//! In the paper a state belongs to the system or to the environment, and the environment may disable some of the successors of its own states,
//! never all. Machines have more than that: at a node of the system a transition may depend on `env`, and at one of the environment
//! on `*`. Both come down to one notion. Transitions that leave a vertex are put in *groups* of alternatives: of every group the
//! environment keeps some alternative, whichever it likes, and the system may take any transition that is kept. At a node of the environment all transitions
//! are one group; otherwise each is a group of its own. A transition whose guard, values or arguments have choices of the environment becomes one
//! alternative for each value of these. So what is left are choices of the system, which are all possible, and engines need to know groups only.
//!
//! (Choices of two transitions are told apart, though both sides of `if (env)` have the same condition: for every tree that an environment makes
//! when it decides once there is one when it decides for each side, since it may not disable both, and the other way round.)

use super::letters::State;
use crate::model::{BoxId, Edge, Ersm, Leaf, Owner, ProcId, Span, Vertex};
use epitome_encodings::{Circuit, Lit};
use rustc_hash::FxHashMap;

/// The most choices of the environment in one transition.
const MOST_CHOICES: usize = 8;

/// A machine whose environment chooses between transitions only.
#[derive(Clone, Debug)]
pub struct Module {
    /// The machine; all choices in it are the system's.
    pub ersm: Ersm,
    /// Where the environment has a choice: by transition that leaves the vertex, in the order of the procedure, its group.
    groups: FxHashMap<(ProcId, Vertex), Vec<u32>>,
}

/// Why a machine cannot be made a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModuleError {
    /// A transition has too many choices of the environment.
    #[error("more than {MOST_CHOICES} choices of the environment in one step")]
    TooManyChoices(Span),
    /// The environment chooses where there is no state.
    #[error("`env` in `enforce`")]
    BetweenStates(Span),
}

impl ModuleError {
    /// Where it stands.
    pub fn span(self) -> Span {
        match self {
            ModuleError::TooManyChoices(span) | ModuleError::BetweenStates(span) => span,
        }
    }
}

impl Module {
    /// The module of a machine; `states` says which of its nodes are states.
    ///
    /// # Errors
    /// If the environment has choices that cannot be expressed.
    pub fn new(mut ersm: Ersm, states: &[Vec<Option<State>>]) -> Result<Module, ModuleError> {
        let mut groups = FxHashMap::default();
        for (index, states) in states.iter().enumerate() {
            let of_edges = split(&mut ersm, index)?;
            let mut by_vertex: FxHashMap<Vertex, Vec<u32>> = FxHashMap::default();
            for (edge, group) in ersm.procedures[index].edges.iter().zip(of_edges) {
                by_vertex.entry(edge.from).or_default().push(group);
            }
            for (vertex, own) in by_vertex {
                let mut sorted = own.clone();
                sorted.sort_unstable();
                if sorted.windows(2).all(|pair| pair[0] != pair[1]) {
                    continue;
                }
                if let Vertex::Node(node) = vertex
                    && states[node.index()].is_none()
                {
                    return Err(ModuleError::BetweenStates(ersm.procedures[index].span));
                }
                groups.insert((ProcId::from(index), vertex), own);
            }
        }
        Ok(Module { ersm, groups })
    }

    /// The environment has no choice at all.
    pub fn is_closed(&self) -> bool {
        self.groups.is_empty()
    }

    /// If the environment has a choice at a vertex: the group of each transition that leaves it.
    pub fn groups(&self, procedure: ProcId, vertex: Vertex) -> Option<&[u32]> {
        self.groups.get(&(procedure, vertex)).map(Vec::as_slice)
    }
}

/// Puts alternatives in the place of the transitions of a procedure; by transition, its group.
fn split(ersm: &mut Ersm, index: usize) -> Result<Vec<u32>, ModuleError> {
    let sites = copy_boxes(ersm, index)?;
    let old = std::mem::take(&mut ersm.procedures[index].edges);
    let (mut edges, mut groups) = (Vec::with_capacity(old.len()), Vec::with_capacity(old.len()));
    let mut of_environment: FxHashMap<Vertex, u32> = FxHashMap::default();
    for (number, edge) in (0..).zip(old) {
        let is_chosen = match edge.from {
            Vertex::Node(node) => ersm.procedures[index].nodes[node.index()].owner == Owner::Environment,
            Vertex::Call(..) | Vertex::Return(..) => false,
        };
        let group = if is_chosen { *of_environment.entry(edge.from).or_insert(number) } else { number };
        let froms = copies(&sites, edge.from);
        for alternative in alternatives(&mut ersm.circuit, edge)? {
            for (&from, to) in
                froms.iter().flat_map(|from| copies(&sites, alternative.to).into_iter().map(move |to| (from, to)))
            {
                edges.push(Edge { from, to, ..alternative.clone() });
                groups.push(group);
            }
        }
    }
    ersm.procedures[index].edges = edges;
    Ok(groups)
}

/// A transition for each value of its choices that are the environment's.
fn alternatives(circuit: &mut Circuit, mut edge: Edge) -> Result<Vec<Edge>, ModuleError> {
    let chosen = of_environment(&edge.choices).ok_or(ModuleError::TooManyChoices(edge.span))?;
    if chosen.is_empty() {
        return Ok(vec![edge]);
    }
    edge.choices = vec![Owner::System; edge.choices.len()].into();
    let mut all = Vec::with_capacity(1 << chosen.len());
    for values in 0..1usize << chosen.len() {
        let mut known = FxHashMap::default();
        let guard = fixed(circuit, edge.guard, &chosen, values, &mut known);
        let mut value = |&(var, lit): &(_, Lit)| (var, fixed(circuit, lit, &chosen, values, &mut known));
        let assignments = edge.assignments.iter().map(&mut value).collect();
        all.push(Edge { guard, assignments, ..edge.clone() });
    }
    Ok(all)
}

/// Boxes whose arguments have choices of the environment become one for each value of these; by box, which ones.
fn copy_boxes(ersm: &mut Ersm, procedure: usize) -> Result<Vec<Vec<BoxId>>, ModuleError> {
    let Ersm { procedures, circuit, .. } = ersm;
    let procedure = &mut procedures[procedure];
    let mut sites = Vec::with_capacity(procedure.boxes.len());
    for site in 0..procedure.boxes.len() {
        let old = procedure.boxes[site].clone();
        let chosen = of_environment(&old.choices).ok_or(ModuleError::TooManyChoices(procedure.span))?;
        let mut own = Vec::with_capacity(1 << chosen.len());
        for values in 0..1usize << chosen.len() {
            let mut new = old.clone();
            new.choices = vec![Owner::System; old.choices.len()].into();
            let mut known = FxHashMap::default();
            let argument = |&lit: &Lit| fixed(circuit, lit, &chosen, values, &mut known);
            new.arguments = old.arguments.iter().map(argument).collect();
            if values == 0 {
                procedure.boxes[site] = new;
                own.push(BoxId::from(site));
            } else {
                procedure.boxes.push(new);
                own.push(BoxId::from(procedure.boxes.len() - 1));
            }
        }
        sites.push(own);
    }
    Ok(sites)
}

/// The vertex at every copy of its box.
fn copies(sites: &[Vec<BoxId>], vertex: Vertex) -> Vec<Vertex> {
    let at = |site: BoxId| sites[site.index()].iter().copied();
    match vertex {
        Vertex::Node(_) => vec![vertex],
        Vertex::Call(site, entry) => at(site).map(|site| Vertex::Call(site, entry)).collect(),
        Vertex::Return(site, exit) => at(site).map(|site| Vertex::Return(site, exit)).collect(),
    }
}

/// The choices that are the environment's, if they are not too many.
fn of_environment(choices: &[Owner]) -> Option<Vec<u32>> {
    let own = |(index, owner): (u32, &Owner)| (*owner == Owner::Environment).then_some(index);
    let chosen: Vec<u32> = (0..).zip(choices).filter_map(own).collect();
    (chosen.len() <= MOST_CHOICES).then_some(chosen)
}

/// A signal with fixed values of these choices.
fn fixed(circuit: &mut Circuit, lit: Lit, chosen: &[u32], values: usize, known: &mut FxHashMap<usize, Lit>) -> Lit {
    circuit.substitute(lit, known, |circuit, number| {
        let choice = match Leaf::from_number(number) {
            Leaf::Choice(choice) => chosen.iter().position(|&own| own == choice),
            Leaf::Var(_) => None,
        };
        match choice {
            Some(place) => Lit::constant(values >> place & 1 == 1),
            None => circuit.input(number),
        }
    })
}

//! All paths of a procedure between its entries, cuts, exits and failures, as one formula.
//!
//! Forward, and by choice: every way may be taken or not, those in at an entry included, and a vertex is come
//! to if some way to it is taken. So every path is a model in which no other ways are taken; and whoever
//! follows the taken ways back from a vertex that is come to finds a path. Where several ways meet, a value
//! that differs is a new signal, equal to the value of each way that is taken.
//!
//! A path begins at an entry, or at a cut: there with values that the claims about the cut leave open, and
//! where nothing changes with those of the entry. A call may be left by any exit with results that the claims
//! about the callee leave open; and it may find what is looked for, if they leave that open.
//! A callee of which nothing is claimed can do anything.

use super::formula::Formula;
use super::graph::{Graph, Way};
use super::machine::{Claims, Machine};
use super::scope::Scope;
use crate::limits::Limits;
use crate::model::{Initial, Leaf, Never, NodeId, ProcId, Procedure, ProofPlace, Var, Vertex, bits_to_choose};
use crate::solver::SolverName;
use epitome_encodings::{Lit, Substitution};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Values of the scope. Many vertices share them.
type State = Rc<Vec<Lit>>;

/// A place that control may come to.
#[derive(Clone)]
pub(super) struct Arrival {
    /// It does.
    pub(super) at: Lit,
    state: State,
}

/// The paths of a procedure.
pub(super) struct Paths<'m> {
    pub(super) formula: Formula,
    scope: Scope<'m>,
    /// Values on entry, by place in the scope.
    entry: State,
    /// By entry: the procedure was entered there.
    entered: Vec<Lit>,
    exits: Vec<Option<Arrival>>,
    cuts: Vec<Option<Arrival>>,
    failure: Lit,
}

impl Paths<'_> {
    /// What is claimed never to happen at a place happens, as signals that would all be true.
    pub(super) fn against(&mut self, claim: &Never, place: ProofPlace) -> Vec<Lit> {
        let arrival = match place {
            ProofPlace::Exit(number) => self.exits.get(number as usize).cloned().flatten(),
            ProofPlace::Cut(number) => self.cuts.get(number as usize).cloned().flatten(),
            ProofPlace::Failure => Some(Arrival { at: self.failure, state: self.entry.clone() }),
        };
        // No path leads there.
        let Some(arrival) = arrival else { return vec![Lit::FALSE] };
        let mut signals = vec![arrival.at, entered_by(&mut self.formula, &self.entered, claim)];
        // The scope has all variables of a claim. If it had not, more would be possible, not less.
        let value = |state: &State, (var, value): (Var, bool)| {
            self.scope.index(var).map(|index| state[index].negate_if(!value))
        };
        signals.extend(claim.before.iter().filter_map(|&literal| value(&self.entry, literal)));
        signals.extend(claim.after.iter().filter_map(|&literal| value(&arrival.state, literal)));
        signals
    }
}

/// The procedure was entered where the claim says.
fn entered_by(formula: &mut Formula, entered: &[Lit], claim: &Never) -> Lit {
    match &claim.entries {
        None => Lit::TRUE,
        Some(entries) => {
            let entered: Vec<Lit> = entries.iter().filter_map(|&entry| entered.get(entry as usize).copied()).collect();
            formula.any(&entered)
        }
    }
}

/// A call port that is left.
struct Call {
    /// The callee's inputs on entry, its outputs on return, and the globals it may write on return.
    inputs: FxHashMap<u32, Lit>,
    outputs: FxHashMap<u32, Lit>,
    written: FxHashMap<u32, Lit>,
}

struct Builder<'b, 'm> {
    machine: &'m Machine<'m>,
    substitution: &'b mut Substitution<'m>,
    procedure: &'m Procedure,
    paths: Paths<'m>,
    /// By vertex: how it is left.
    leaves: Vec<Option<Arrival>>,
    calls: FxHashMap<usize, Call>,
    failures: Vec<Lit>,
}

/// The paths of a procedure that has claims; a vertex on or behind a loop if one is not cut.
pub(super) fn paths<'m>(
    machine: &'m Machine<'m>,
    substitution: &mut Substitution<'m>,
    claims: &Claims<'m>,
    solver: SolverName,
    limits: &Limits,
) -> Result<Paths<'m>, Vertex> {
    let id = claims.proof.procedure;
    let procedure = machine.ersm.procedure(id);
    let graph = Graph::new(machine.ersm, procedure, &claims.proof.cuts)?;
    let mut formula = Formula::new(solver, limits);
    let scope = machine.scope(id);
    let entry = Rc::new(scope.vars().iter().map(|&var| on_entry(machine, id, &mut formula, var)).collect());
    let entered = entries(machine, id, &mut formula);
    let (exits, cuts) = (vec![None; procedure.exits.len()], vec![None; claims.proof.cuts.len()]);
    let paths = Paths { formula, scope, entry, entered, exits, cuts, failure: Lit::FALSE };
    let leaves = vec![None; graph.vertices.len()];
    let mut builder =
        Builder { machine, substitution, procedure, paths, leaves, calls: FxHashMap::default(), failures: Vec::new() };
    for place in 0..graph.vertices.len() {
        builder.leaves[place] = Some(match graph.cut[place] {
            Some(cut) => builder.start(claims, cut),
            None => builder.arrive(&graph, place),
        });
        builder.call(&graph, place);
    }
    builder.finish(id, &graph);
    Ok(builder.paths)
}

/// The value of a variable when its procedure is entered. One that nobody calls is entered where a
/// computation starts.
fn on_entry(machine: &Machine<'_>, id: ProcId, formula: &mut Formula, var: Var) -> Lit {
    let procedure = machine.ersm.procedure(id);
    let initial = match var {
        Var::Global(_) if machine.is_called[id.index()] => Initial::Arbitrary,
        Var::Global(global) => machine.ersm.globals[global as usize].initial,
        Var::Local(local) if procedure.inputs.contains(&local) => Initial::Arbitrary,
        Var::Local(local) => procedure.locals[local as usize].initial,
    };
    match initial {
        Initial::Fixed(value) => Lit::constant(value),
        Initial::Arbitrary => formula.fresh(),
    }
}

/// For each entry the signal that it is the one; exactly one of them is.
fn entries(machine: &Machine<'_>, id: ProcId, formula: &mut Formula) -> Vec<Lit> {
    let count = machine.ersm.procedure(id).entries.len();
    let bits = formula.fresh_all(bits_to_choose(count) as usize);
    let is_open = |entry: usize| machine.is_called[id.index()] || machine.starts_at(id, entry as u32);
    let mut entered = Vec::with_capacity(count);
    for entry in 0..count {
        let is_number = formula.circuit.is_number(&bits, entry);
        entered.push(if is_open(entry) { is_number } else { Lit::FALSE });
    }
    formula.require(&entered);
    entered
}

impl<'m> Builder<'_, 'm> {
    /// A path that begins at a cut.
    fn start(&mut self, claims: &Claims<'m>, cut: u32) -> Arrival {
        let Paths { formula, scope, entry, entered, .. } = &mut self.paths;
        let at = formula.fresh();
        let values = scope.vars().iter().zip(entry.iter());
        let state: Vec<Lit> =
            values.map(|(&var, &value)| if scope.changes(var) { formula.fresh() } else { value }).collect();
        for claim in claims.at(ProofPlace::Cut(cut)) {
            let entered = entered_by(formula, entered, claim);
            let before = |var| scope.index(var).map(|index| entry[index]);
            let after = |var| scope.index(var).map(|index| state[index]);
            exclude(formula, &[at, entered], claim, before, after);
        }
        Arrival { at, state: Rc::new(state) }
    }

    /// All ways to a vertex.
    fn arrive(&mut self, graph: &Graph, place: usize) -> Arrival {
        let mut ways: Vec<Arrival> = Vec::new();
        if let Vertex::Node(node) = graph.vertices[place] {
            self.enter(node, &mut ways);
        }
        for &way in &graph.ways[place] {
            ways.extend(match way {
                Way::Step { edge, from } => self.step(edge, from),
                Way::Return { call, exit } => self.come_back(graph, call, exit),
            });
        }
        self.merge(ways)
    }

    /// To be entered here is a way like others: not every path begins there.
    fn enter(&mut self, node: NodeId, ways: &mut Vec<Arrival>) {
        let entries = self.procedure.entries.iter().zip(self.paths.entered.clone());
        for (_, entered) in entries.filter(|(entry, _)| **entry == node) {
            let at = self.take(entered);
            ways.push(Arrival { at, state: self.paths.entry.clone() });
        }
    }

    fn step(&mut self, edge: usize, from: usize) -> Option<Arrival> {
        let edge = &self.procedure.edges[edge];
        let left = self.leaves[from].clone()?;
        let signals: Vec<Lit> = [edge.guard].into_iter().chain(edge.assignments.iter().map(|(_, v)| *v)).collect();
        let signals = self.substitute(&signals, &left.state, edge.choices.len());
        let mut state = left.state.clone();
        for ((var, _), &value) in edge.assignments.iter().zip(&signals[1..]) {
            set(&self.paths.scope, &mut state, *var, value);
        }
        let taken = self.take(left.at);
        Some(Arrival { at: self.paths.formula.circuit.and(taken, signals[0]), state })
    }

    /// A way from a vertex is taken.
    fn take(&mut self, at: Lit) -> Lit {
        let choice = self.paths.formula.fresh();
        self.paths.formula.circuit.and(at, choice)
    }

    /// Signals of the machine with values for variables and new choices.
    fn substitute(&mut self, signals: &[Lit], state: &State, choices: usize) -> Vec<Lit> {
        let Paths { formula, scope, .. } = &mut self.paths;
        let choices = formula.fresh_all(choices);
        self.substitution.substitute_all(&mut formula.circuit, signals, |number| match Leaf::from_number(number) {
            Leaf::Var(var) => scope.index(var).map(|index| state[index]),
            Leaf::Choice(choice) => choices.get(choice as usize).copied(),
        })
    }

    /// If the vertex is a call port: what the callee is entered with and what it may give back, and that it
    /// may find what is looked for.
    fn call(&mut self, graph: &Graph, place: usize) {
        let (Vertex::Call(site, entry), Some(left)) = (graph.vertices[place], self.leaves[place].clone()) else {
            return;
        };
        let site = &self.procedure.boxes[site.index()];
        let callee = self.machine.ersm.procedure(site.callee);
        let arguments = self.substitute(&site.arguments, &left.state, site.choices.len());
        let formula = &mut self.paths.formula;
        let call = Call {
            inputs: callee.inputs.iter().copied().zip(arguments).collect(),
            outputs: callee.outputs.iter().map(|&output| (output, formula.fresh())).collect(),
            written: self.machine.written(site.callee).into_iter().map(|g| (g, formula.fresh())).collect(),
        };
        if self.machine.goal.calls.contains(&site.callee) {
            self.failures.push(left.at);
        }
        if self.machine.finds[site.callee.index()] {
            let way = self.take(left.at);
            self.assume(site.callee, entry, ProofPlace::Failure, way, &left.state, &call);
            self.failures.push(way);
        }
        self.calls.insert(place, call);
    }

    fn come_back(&mut self, graph: &Graph, place: usize, exit: u32) -> Option<Arrival> {
        let Vertex::Call(site, entry) = graph.vertices[place] else { return None };
        let site = &self.procedure.boxes[site.index()];
        let left = self.leaves[place].clone()?;
        let at = self.take(left.at);
        let call = self.calls.remove(&place)?;
        self.assume(site.callee, entry, ProofPlace::Exit(exit), at, &left.state, &call);
        let mut state = left.state.clone();
        for (&global, &value) in &call.written {
            set(&self.paths.scope, &mut state, Var::Global(global), value);
        }
        let outputs = self.machine.ersm.procedure(site.callee).outputs.iter();
        for (output, target) in outputs.zip(&site.results) {
            if let (Some(target), Some(&value)) = (target, call.outputs.get(output)) {
                set(&self.paths.scope, &mut state, *target, value);
            }
        }
        self.calls.insert(place, call);
        Some(Arrival { at, state })
    }

    /// If the way is taken, the callee does nothing that is claimed never to happen.
    fn assume(&mut self, callee: ProcId, entry: u32, place: ProofPlace, way: Lit, before: &State, call: &Call) {
        let Some(claims) = &self.machine.claims[callee.index()] else { return };
        let scope = &self.paths.scope;
        let global = |global: u32| scope.index(Var::Global(global)).map(|index| before[index]);
        for claim in claims.at(place).filter(|claim| claim.has_entry(entry)) {
            let entering = |var| match var {
                Var::Global(number) => global(number),
                Var::Local(local) => call.inputs.get(&local).copied(),
            };
            let leaving = |var| match var {
                Var::Global(number) => call.written.get(&number).copied().or_else(|| global(number)),
                Var::Local(local) => call.outputs.get(&local).copied(),
            };
            exclude(&mut self.paths.formula, &[way], claim, entering, leaving);
        }
    }

    /// A vertex is come to if some way to it is taken.
    fn merge(&mut self, mut ways: Vec<Arrival>) -> Arrival {
        ways.retain(|way| way.at != Lit::FALSE);
        let formula = &mut self.paths.formula;
        let (Some(first), false) = (ways.first().cloned(), ways.len() == 1) else {
            let nothing = || Arrival { at: Lit::FALSE, state: self.paths.entry.clone() };
            return ways.pop().unwrap_or_else(nothing);
        };
        let mut state = first.state.clone();
        let differs = |index: usize| ways.iter().any(|way| way.state[index] != first.state[index]);
        let is_shared = ways.iter().all(|way| Rc::ptr_eq(&way.state, &first.state));
        for index in (0..first.state.len()).filter(|&index| !is_shared && differs(index)) {
            let value = formula.fresh();
            for way in &ways {
                formula.require(&[!way.at, !value, way.state[index]]);
                formula.require(&[!way.at, value, !way.state[index]]);
            }
            Rc::make_mut(&mut state)[index] = value;
        }
        let at: Vec<Lit> = ways.iter().map(|way| way.at).collect();
        Arrival { at: formula.any(&at), state }
    }

    /// The places that are asked for. What comes to a cut has come there before anything leaves it.
    fn finish(&mut self, id: ProcId, graph: &Graph) {
        let mut arrivals: Vec<Option<Arrival>> = self.leaves.clone();
        for (place, arrival) in arrivals.iter_mut().enumerate() {
            if let Some(cut) = graph.cut[place] {
                *arrival = Some(self.arrive(graph, place));
                self.paths.cuts[cut as usize] = arrival.clone();
            }
            if let (Vertex::Node(node), Some(arrival)) = (graph.vertices[place], arrival)
                && self.machine.goal.targets.contains(id, node)
            {
                self.failures.push(arrival.at);
            }
        }
        for (number, &exit) in self.procedure.exits.iter().enumerate() {
            let place = graph.place(Vertex::Node(exit));
            self.paths.exits[number] = place.and_then(|place| arrivals[place].clone());
        }
        self.paths.failure = self.paths.formula.any(&self.failures);
    }
}

fn set(scope: &Scope<'_>, state: &mut State, var: Var, value: Lit) {
    if let Some(index) = scope.index(var) {
        Rc::make_mut(state)[index] = value;
    }
}

/// Where all conditions hold, what is claimed never to happen does not. A claim about a variable whose value
/// is not known is no help.
fn exclude(
    formula: &mut Formula,
    conditions: &[Lit],
    claim: &Never,
    before: impl Fn(Var) -> Option<Lit>,
    after: impl Fn(Var) -> Option<Lit>,
) {
    let before = claim.before.iter().map(|&(var, value)| Some(before(var)?.negate_if(value)));
    let after = claim.after.iter().map(|&(var, value)| Some(after(var)?.negate_if(value)));
    let conditions = conditions.iter().map(|&condition| Some(!condition));
    if let Some(clause) = conditions.chain(before).chain(after).collect::<Option<Vec<Lit>>>() {
        formula.require(&clause);
    }
}

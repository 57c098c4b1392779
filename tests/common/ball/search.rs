//! What can be reached: every value of every variable is tried, procedures are searched once for each input.
//!
//! A search inside of a procedure waits at a call for the ends of the callee, whoever asked for them first;
//! it knows nothing of engines, models or their summaries. Meanings of statements are Ball's Table 1, and
//! `docs/bp.md` for what is not in the paper.

use super::expr::{Expr, State, lists, with};
use super::graph::{EXIT, Graph, Vertex};
use super::read::{Declared, Kind, Procedure, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What is known of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// By where a statement stands: whether control reaches it.
    pub statements: BTreeMap<usize, bool>,
    /// By procedure and label: whether it is reached.
    pub labels: BTreeMap<(String, String), bool>,
    /// By procedure: whether it is called.
    pub calls: BTreeMap<String, bool>,
    /// Assertions that can fail, by where they stand.
    pub failed: BTreeSet<usize>,
}

impl Known {
    /// An assertion can fail, or a label `ERROR` or `SLIC_ERROR` can be reached.
    pub fn is_violated(&self) -> bool {
        let is_error = |label: &str| label == "ERROR" || label == "SLIC_ERROR";
        !self.failed.is_empty() || self.labels.iter().any(|((_, label), &reached)| reached && is_error(label))
    }
}

/// More variables in a scope, or more places with their values in all, are not tried.
const MOST_VARIABLES: usize = 12;
const MOST_PLACES: usize = 100_000;

/// Tries everything; `None` if that is too much.
pub fn search(program: &Program) -> Result<Option<Known>, String> {
    let globals = program.globals.len();
    if program.procedures.iter().any(|p| globals + p.locals.len() + p.results > MOST_VARIABLES) {
        return Ok(None);
    }
    let names = program.procedures.iter().enumerate().map(|(index, procedure)| (procedure.name.as_str(), index));
    let mut search = Search {
        globals,
        program,
        graphs: program.procedures.iter().map(Graph::new).collect(),
        names: names.collect(),
        inputs: HashMap::new(),
        waiting: Vec::new(),
        ends: Vec::new(),
        open: Vec::new(),
        seen: HashSet::new(),
        failed: BTreeSet::new(),
    };
    let main = *search.names.get("main").ok_or("there is no main")?;
    let arguments = vec![Expr::Any; program.procedures[main].parameters];
    for state in starts(&program.globals, 0, 0) {
        for arguments in lists(&arguments, 0) {
            search.enter(main, state, &arguments);
        }
    }
    while let Some(place) = search.open.pop() {
        if search.seen.len() > MOST_PLACES {
            return Ok(None);
        }
        if search.seen.insert(place) {
            search.step(place)?;
        }
    }
    Ok(Some(search.known()))
}

/// All ways in which declared variables can start, their bits above the others of a state.
fn starts(variables: &[Declared], first_bit: usize, state: State) -> Vec<State> {
    variables.iter().enumerate().fold(vec![state], |states, (index, variable)| {
        let values = variable.initial.map_or(vec![false, true], |value| vec![value]);
        let start = |state| values.iter().map(move |&value| with(state, first_bit + index, value)).collect::<Vec<_>>();
        states.into_iter().flat_map(start).collect()
    })
}

/// A procedure with globals and arguments: what is searched once.
type Input = usize;

/// Control is at a vertex with these values, in the search for an input.
type At = (Input, usize, Vertex, State);

struct Search<'t> {
    program: &'t Program,
    graphs: Vec<Graph<'t>>,
    names: HashMap<&'t str, usize>,
    globals: usize,
    inputs: HashMap<(usize, State), Input>,
    /// By input: calls that wait for its ends, and the ends so far: globals and results.
    waiting: Vec<Vec<At>>,
    ends: Vec<Vec<(State, Vec<bool>)>>,
    open: Vec<At>,
    seen: HashSet<At>,
    failed: BTreeSet<usize>,
}

impl<'t> Search<'t> {
    fn procedure(&self, index: usize) -> &'t Procedure {
        &self.program.procedures[index]
    }

    fn global_part(&self, state: State) -> State {
        state & ((1 << self.globals) - 1)
    }

    /// Begins a procedure, unless it was begun like this before.
    fn enter(&mut self, index: usize, state: State, arguments: &[bool]) -> Input {
        let numbered = arguments.iter().enumerate();
        let state = numbered.fold(self.global_part(state), |state, (i, &v)| with(state, self.globals + i, v));
        if let Some(&input) = self.inputs.get(&(index, state)) {
            return input;
        }
        let input = self.waiting.len();
        self.inputs.insert((index, state), input);
        self.waiting.push(Vec::new());
        self.ends.push(Vec::new());
        let procedure = self.procedure(index);
        let own = &procedure.locals[procedure.parameters..];
        for state in starts(own, self.globals + procedure.parameters, state) {
            self.go((input, index, self.graphs[index].first, state));
        }
        input
    }

    /// Control arrives somewhere, if what is enforced there can hold.
    fn go(&mut self, at: At) {
        let (_, procedure, _, state) = at;
        if self.procedure(procedure).enforce.iter().all(|condition| condition.can_hold(state, state)) {
            self.open.push(at);
        }
    }

    fn step(&mut self, at: At) -> Result<(), String> {
        let (input, procedure, vertex, state) = at;
        if vertex == EXIT {
            let results = vec![Expr::Any; self.procedure(procedure).results];
            lists(&results, state).into_iter().for_each(|results| self.end(input, state, results));
            return Ok(());
        }
        let successors = &self.graphs[procedure].vertices[vertex];
        let (next, decided, place) = (successors.next, successors.decided, successors.statement.at);
        match &successors.statement.kind {
            Kind::Skip => self.go((input, procedure, next, state)),
            Kind::Goto(labels) => {
                for label in labels {
                    let goal = *self.graphs[procedure].labels.get(label.as_str()).ok_or("no such label")?;
                    self.go((input, procedure, goal, state));
                }
            }
            // The values are taken; then the exit is a point of the procedure like others.
            Kind::Return(values) => {
                for results in lists(values, state) {
                    self.end(input, state, results);
                }
            }
            Kind::Assign(targets, values, constrain) => {
                for values in lists(values, state) {
                    let after = assign(state, targets, &values);
                    if constrain.as_ref().is_none_or(|condition| condition.can_hold(state, after)) {
                        self.go((input, procedure, next, after));
                    }
                }
            }
            Kind::Call(_, callee, arguments) => {
                let callee = *self.names.get(callee.as_str()).ok_or("no such procedure")?;
                for arguments in lists(arguments, state) {
                    let called = self.enter(callee, state, &arguments);
                    self.waiting[called].push(at);
                    for (globals, results) in self.ends[called].clone() {
                        self.come_back(at, globals, &results);
                    }
                }
            }
            Kind::Assume(condition) => {
                if condition.can_hold(state, state) {
                    self.go((input, procedure, next, state));
                }
            }
            Kind::Assert(condition) => {
                for holds in condition.values(state, state) {
                    if holds {
                        self.go((input, procedure, next, state));
                    } else {
                        self.failed.insert(place);
                    }
                }
            }
            Kind::Dead(bits) => {
                let any = vec![Expr::Any; bits.len()];
                let targets: Vec<Option<usize>> = bits.iter().copied().map(Some).collect();
                for values in lists(&any, state) {
                    self.go((input, procedure, next, assign(state, &targets, &values)));
                }
            }
            Kind::If(decider, ..) | Kind::While(decider, _) => {
                for holds in decider.values(state, state) {
                    self.go((input, procedure, decided[usize::from(!holds)], state));
                }
            }
        }
        Ok(())
    }

    /// A procedure ends: whoever waits goes on, and whoever comes later will.
    fn end(&mut self, input: Input, state: State, results: Vec<bool>) {
        let end = (self.global_part(state), results);
        if !self.ends[input].contains(&end) {
            self.ends[input].push(end.clone());
            for waiting in self.waiting[input].clone() {
                self.come_back(waiting, end.0, &end.1);
            }
        }
    }

    fn come_back(&mut self, (input, procedure, vertex, state): At, globals: State, results: &[bool]) {
        let successors = &self.graphs[procedure].vertices[vertex];
        let Kind::Call(targets, ..) = &successors.statement.kind else { panic!("only calls wait") };
        let state = assign(state & !((1 << self.globals) - 1) | globals, targets, results);
        self.go((input, procedure, successors.next, state));
    }

    fn known(self) -> Known {
        let mut known = Known { failed: self.failed, ..Known::default() };
        let reached: HashSet<(usize, Vertex)> = self.seen.iter().map(|&(_, p, vertex, _)| (p, vertex)).collect();
        known.calls.extend(self.names.keys().map(|name| ((*name).to_owned(), false)));
        for (index, graph) in self.graphs.iter().enumerate() {
            for (vertex, successors) in graph.vertices.iter().enumerate() {
                let is_reached = reached.contains(&(index, vertex));
                known.statements.insert(successors.statement.at, is_reached);
                if let (Kind::Call(_, callee, _), true) = (&successors.statement.kind, is_reached) {
                    known.calls.insert(callee.clone(), true);
                }
            }
            for (&label, &vertex) in &graph.labels {
                let key = (self.program.procedures[index].name.clone(), label.to_owned());
                known.labels.insert(key, reached.contains(&(index, vertex)));
            }
        }
        known
    }
}

/// The state in which targets have taken values; without targets all are forgotten.
fn assign(state: State, targets: &[Option<usize>], values: &[bool]) -> State {
    let pairs = targets.iter().zip(values).filter_map(|(target, &value)| Some(((*target)?, value)));
    pairs.fold(state, |state, (bit, value)| with(state, bit, value))
}

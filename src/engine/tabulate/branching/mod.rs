//! Branching time over BDDs, for hierarchies: the stack is a vector of variables ([`stack`], Godefroid, Theorem 13), and the stages of a formula are sets
//! of configurations, found by fixpoints.
//!
//! That some run is accepted by a Büchi automaton is the greatest set of positions from which an accepting position of the set can be reached in
//! at least one step (Emerson and Lei): a set of configurations for each state of the automaton. For the automata of EX, EU and EG these are
//! the usual fixpoints of CTL.

mod open;
mod stack;

use super::bdd::{Bdd, Halt, Made, Store};
use super::{MANY_VARIABLES, STACK, STACK_BY_VARIABLE, STORES};
use crate::engine::{Labelled, News, Progress, Statistics};
use crate::limits::{Limits, Reason};
use crate::logic::{Blocked, Branching, Path, Stage};
use crate::model::{CallGraph, Ersm, NodeId, ProcId};
use crate::temporal::State;
use epitome_automata::{Binary, Cube};
use epitome_encodings::Lit;
pub use open::open;
use stack::{Layout, Steps};
use std::time::Instant;

/// What is asked.
struct Question<'q> {
    ersm: &'q Ersm,
    /// By procedure and node: what it is; none where the node is not a state.
    states: &'q [Vec<Option<State>>],
    formula: &'q Branching,
}

/// Decides whether a formula holds in every initial state of a machine without recursion.
pub fn label(
    ersm: &Ersm,
    states: &[Vec<Option<State>>],
    formula: &Branching,
    limits: &Limits,
    progress: Progress<'_>,
) -> Labelled {
    let start = Instant::now();
    let mut statistics = Statistics { engine: "bdd", algorithm: "stack as a vector", ..Statistics::default() };
    if CallGraph::new(ersm).recursive {
        let why = "engine bdd on properties of branching time of recursive programs (expand answers them)";
        return Labelled { holds: Err(Reason::NotSupported(why.to_owned())), explanation: None, statistics };
    }
    let layout = Layout::new(ersm);
    statistics.variables = layout.variables as u64;
    let question = Question { ersm, states, formula };
    let work = || {
        question.answer(&layout, limits, &mut statistics, &mut |store, statistics| {
            question.label(store, &layout, statistics, progress)
        })
    };
    let holds = with_stack(layout.variables, work);
    statistics.search_time = start.elapsed();
    Labelled { holds, explanation: None, statistics }
}

/// Does something with a stack that fits the number of variables.
fn with_stack(variables: usize, work: impl FnOnce() -> Result<bool, Reason> + Send) -> Result<bool, Reason> {
    if variables <= MANY_VARIABLES {
        return work();
    }
    let stack = STACK + variables * STACK_BY_VARIABLE;
    std::thread::scope(|scope| match std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(error) => Err(Reason::no_thread(stack, &error)),
    })
}

impl Question<'_> {
    /// Tries larger and larger stores.
    fn answer(
        &self,
        layout: &Layout,
        limits: &Limits,
        statistics: &mut Statistics,
        work: &mut dyn FnMut(&Store, &mut Statistics) -> Result<bool, Halt>,
    ) -> Result<bool, Reason> {
        let room = Store::room(limits);
        for (nodes, cache) in STORES {
            let (nodes, cache) = (nodes.min(room), cache.min(room));
            let store = match Store::new(layout.variables, nodes, cache) {
                Ok(store) => store,
                Err(Halt::Full) => continue,
                Err(Halt::Limit(reason)) => return Err(reason),
            };
            let store = store.with_limits(limits);
            let answer = work(&store, statistics);
            statistics.peak_nodes = statistics.peak_nodes.max(store.peak() as u64);
            statistics.bytes = statistics.peak_nodes * Store::NODE_BYTES;
            match answer {
                Ok(holds) => return Ok(holds),
                Err(Halt::Full) if nodes < room => continue,
                Err(Halt::Full) => return Err(Reason::Memory),
                Err(Halt::Limit(reason)) => return Err(reason),
            }
        }
        Err(Reason::Memory)
    }

    fn label(
        &self,
        store: &Store,
        layout: &Layout,
        statistics: &mut Statistics,
        progress: Progress<'_>,
    ) -> Result<bool, Halt> {
        let is_state = |procedure: ProcId, node: NodeId| self.states[procedure.index()][node.index()].is_some();
        let steps = Steps::new(self.ersm, store, layout, &is_state)?;
        let mut labelling = Labelling::new(self, store, steps)?;
        let mut sets: Vec<Bdd> = Vec::new();
        for stage in &self.formula.stages {
            let set = match stage {
                Stage::Constant(value) => store.constant(*value),
                Stage::Atom(atom) => labelling.atom(self, *atom)?,
                Stage::Not(inner) => store.not(&sets[*inner])?,
                Stage::Binary(operator, left, right) => combine(store, *operator, &sets[*left], &sets[*right])?,
                Stage::Exists(path) => labelling.exists(path, &sets, progress)?,
            };
            statistics.largest_nodes = statistics.largest_nodes.max(store.size(&set) as u64);
            statistics.iterations = labelling.images;
            sets.push(set);
        }
        let Some(last) = sets.last() else { return Ok(true) };
        let bad = store.minus(&labelling.states, last)?;
        let bad = labelling.steps.with_between(&bad)?;
        let started = labelling.steps.initial()?;
        let bad = store.and(&bad, &started)?;
        Ok(store.is_empty(&bad))
    }
}

fn combine(store: &Store, operator: Binary, a: &Bdd, b: &Bdd) -> Made {
    match operator {
        Binary::And => store.and(a, b),
        Binary::Or => store.or(a, b),
        Binary::Implies => {
            let not = store.not(a)?;
            store.or(&not, b)
        }
        Binary::Xor => {
            let same = store.iff(a, b)?;
            store.not(&same)
        }
        _ => store.iff(a, b),
    }
}

/// A labelling in progress.
struct Labelling<'s> {
    store: &'s Store,
    steps: Steps<'s>,
    states: Bdd,
    /// States that no step leaves and in which runs stay.
    staying: Bdd,
    /// Every state has a run.
    everyone_goes_on: bool,
    images: u64,
}

impl<'s> Labelling<'s> {
    fn new(question: &Question<'_>, store: &'s Store, steps: Steps<'s>) -> Result<Labelling<'s>, Halt> {
        let (mut states, mut may_stay) = (store.bottom(), store.bottom());
        for &id in &steps.layout.procedures {
            for (node, state) in question.states[id.index()].iter().enumerate() {
                let (Some(state), node) = (state, NodeId::from(node)) else { continue };
                let here = steps.at_node(id, node)?;
                states = store.or(&states, &here)?;
                if state.is_end || question.formula.blocked == Blocked::Stutter {
                    may_stay = store.or(&may_stay, &here)?;
                }
            }
        }
        let goes_on = steps.before(&states)?;
        let staying = store.minus(&may_stay, &goes_on)?;
        let with_run = store.or(&goes_on, &staying)?;
        let stuck = store.minus(&states, &with_run)?;
        let everyone_goes_on = store.is_empty(&stuck);
        Ok(Labelling { store, steps, states, staying, everyone_goes_on, images: 0 })
    }

    /// Where an atom holds.
    fn atom(&mut self, question: &Question<'_>, atom: u32) -> Made {
        let mut all = self.store.bottom();
        for &id in &self.steps.layout.procedures {
            for (node, state) in question.states[id.index()].iter().enumerate() {
                let Some(lit) = state.as_ref().map(|state| state.letter[atom as usize]) else { continue };
                if lit != Lit::FALSE {
                    let holds = self.steps.in_scope(id, lit)?;
                    let here = self.steps.at_node(id, NodeId::from(node))?;
                    let here = self.store.and(&here, &holds)?;
                    all = self.store.or(&all, &here)?;
                }
            }
        }
        Ok(all)
    }

    /// The states from which a step leads to a set; who stays steps to itself.
    fn before(&mut self, set: &Bdd) -> Made {
        self.images += 1;
        let before = self.steps.before(set)?;
        let stays = self.store.and(&self.staying, set)?;
        self.store.or(&before, &stays)
    }

    /// The states from which some run is accepted.
    fn exists(&mut self, path: &Path, sets: &[Bdd], progress: Progress<'_>) -> Made {
        let automaton = &path.automaton;
        let mut transitions: Vec<Vec<(Bdd, usize)>> = Vec::with_capacity(automaton.states());
        for leaving in &automaton.transitions {
            let mut own = Vec::with_capacity(leaving.len());
            for &(cube, to) in leaving {
                own.push((self.letters(cube, path, sets)?, to as usize));
            }
            transitions.push(own);
        }
        let accepts_all = |state: usize| {
            let again = |&(cube, to): &(Cube, u32)| cube == Cube::ANY && to as usize == state;
            self.everyone_goes_on && automaton.accepting[state] && automaton.transitions[state].iter().any(again)
        };
        let done: Vec<bool> = (0..automaton.states()).map(accepts_all).collect();
        let mut outer: Vec<Bdd> = vec![self.states.clone(); automaton.states()];
        loop {
            // The positions from which an accepting one of the outer set can be reached.
            let goal: Vec<Bdd> = (0..automaton.states())
                .map(|state| if automaton.accepting[state] { outer[state].clone() } else { self.store.bottom() })
                .collect();
            let mut inner = vec![self.store.bottom(); automaton.states()];
            loop {
                let mut before = Vec::with_capacity(inner.len());
                for (set, goal) in inner.iter().zip(&goal) {
                    let wanted = self.store.or(set, goal)?;
                    before.push(if self.store.is_empty(&wanted) { wanted } else { self.before(&wanted)? });
                }
                progress(News::Work(self.images));
                let mut is_same = true;
                for state in 0..inner.len() {
                    let mut set = if done[state] { self.states.clone() } else { self.store.bottom() };
                    for (letters, to) in transitions[state].iter().filter(|_| !done[state]) {
                        let step = self.store.and(letters, &before[*to])?;
                        set = self.store.or(&set, &step)?;
                    }
                    is_same &= set == inner[state];
                    inner[state] = set;
                }
                if is_same {
                    break;
                }
            }
            if inner == outer {
                return Ok(outer.swap_remove(0));
            }
            outer = inner;
        }
    }

    /// The states with a letter that a cube admits.
    fn letters(&self, cube: Cube, path: &Path, sets: &[Bdd]) -> Made {
        let mut all = self.states.clone();
        for (atom, &stage) in path.reads.iter().enumerate() {
            if cube.yes >> atom & 1 == 1 {
                all = self.store.and(&all, &sets[stage])?;
            }
            if cube.no >> atom & 1 == 1 {
                all = self.store.minus(&all, &sets[stage])?;
            }
        }
        Ok(all)
    }
}

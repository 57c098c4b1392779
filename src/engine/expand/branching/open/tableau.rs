//! What a tree must be like so that a formula holds in it or not, one node at a time (Vardi and Wolper's tree automata, on the fly).
//!
//! Wherever something is claimed of the runs from a node, *threads* watch over it. That some run is accepted is watched by one thread, which follows that run: at
//! every node it takes a transition of the automaton and goes on in one child. That no run is accepted is watched by a thread for every run of the
//! automaton: at every node they take all transitions and go on in all children. What the automaton reads are claims again, and what is not needed is not claimed.

use crate::limits::{Limits, Reason};
use crate::logic::{Path, Stage};
use epitome_automata::{Binary, Buchi, Cube};

/// Ways to go on from one node.
const MOST_WAYS: usize = 50_000;

/// A thread: its number among all.
pub(super) type Thread = u32;

/// What threads are.
pub(super) struct Tableau<'f> {
    stages: &'f [Stage],
    /// What is said of runs, each with its first thread; the universal ones come behind the others.
    paths: Vec<(&'f Path, Thread)>,
    /// By stage: the first thread, if it speaks of runs.
    first: Vec<Option<Thread>>,
    /// By thread: the path, the state of its automaton, and whether all runs are watched.
    threads: Vec<(usize, u32, bool)>,
    /// By thread: every run on from here is accepted.
    accepts_all: Vec<bool>,
}

/// A way to go on: what watches after the step, and who it was before; nobody if it was claimed just here.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Way {
    /// In all children.
    pub(super) all: Vec<(Option<Thread>, Thread)>,
    /// Each in one child.
    pub(super) some: Vec<(Option<Thread>, Thread)>,
}

/// What is still to be seen to.
#[derive(Clone, Copy, Debug)]
enum Demand {
    /// The stage holds, or does not.
    Stage(usize, bool),
    /// The thread goes on.
    Thread(Option<Thread>, Thread),
    /// The transition with this number of the thread is taken, or impossible.
    Transition(Option<Thread>, Thread, usize),
}

#[derive(Clone)]
struct Partial {
    /// By stage: what is claimed.
    claims: Vec<Option<bool>>,
    todo: Vec<Demand>,
    way: Way,
}

impl<'f> Tableau<'f> {
    pub(super) fn new(stages: &'f [Stage]) -> Tableau<'f> {
        let mut tableau =
            Tableau { stages, paths: Vec::new(), first: Vec::new(), threads: Vec::new(), accepts_all: Vec::new() };
        for stage in stages {
            let Stage::Exists(path) = stage else {
                tableau.first.push(None);
                continue;
            };
            let first = tableau.threads.len() as Thread;
            tableau.first.push(Some(first));
            tableau.paths.push((path, first));
            for universal in [false, true] {
                for state in 0..path.automaton.states() as u32 {
                    tableau.threads.push((tableau.paths.len() - 1, state, universal));
                    tableau.accepts_all.push(accepts_all(&path.automaton, state as usize));
                }
            }
        }
        tableau
    }

    /// The stages that are atoms.
    pub(super) fn atoms(&self) -> impl Iterator<Item = usize> + 'f {
        let is_atom = |(number, stage): (usize, &Stage)| matches!(stage, Stage::Atom(_)).then_some(number);
        self.stages.iter().enumerate().filter_map(is_atom)
    }

    /// How many threads there can be.
    pub(super) fn threads(&self) -> usize {
        self.threads.len()
    }

    pub(super) fn is_universal(&self, thread: Thread) -> bool {
        self.threads[thread as usize].2
    }

    /// The automaton of a thread, and its state.
    pub(super) fn automaton(&self, thread: Thread) -> (&'f Buchi, usize) {
        let (path, state, _) = self.threads[thread as usize];
        (&self.paths[path].0.automaton, state as usize)
    }

    /// Where a transition leads, and what it reads.
    fn transition(&self, thread: Thread, number: usize) -> (Cube, Thread) {
        let (path, state, universal) = self.threads[thread as usize];
        let (path, first) = self.paths[path];
        let (cube, to) = path.automaton.transitions[state as usize][number];
        (cube, first + to + if universal { path.automaton.states() as u32 } else { 0 })
    }

    /// What must hold so that a letter is admitted.
    fn literals(&self, thread: Thread, cube: Cube) -> impl Iterator<Item = (usize, bool)> + '_ {
        let reads = &self.paths[self.threads[thread as usize].0].0.reads;
        reads.iter().enumerate().flat_map(move |(atom, &stage)| {
            let yes = (cube.yes >> atom & 1 == 1).then_some((stage, true));
            let no = (cube.no >> atom & 1 == 1).then_some((stage, false));
            yes.into_iter().chain(no)
        })
    }

    /// The ways to go on from a node, with these threads; `root` is claimed besides. `atom` says which stages that are atoms hold.
    pub(super) fn ways(
        &self,
        threads: &[Thread],
        root: Option<(usize, bool)>,
        atom: &dyn Fn(usize) -> bool,
        limits: &Limits,
    ) -> Result<Vec<Way>, Reason> {
        let claims = self.stages.iter().enumerate().map(|(number, stage)| match stage {
            Stage::Atom(_) => Some(atom(number)),
            Stage::Constant(value) => Some(*value),
            _ => None,
        });
        let mut todo: Vec<Demand> = threads.iter().map(|&thread| Demand::Thread(Some(thread), thread)).collect();
        todo.extend(root.map(|(stage, holds)| Demand::Stage(stage, holds)));
        let mut open = vec![Partial { claims: claims.collect(), todo, way: Way::default() }];
        let mut ways = Vec::new();
        while let Some(mut partial) = open.pop() {
            let Some(demand) = partial.todo.pop() else {
                partial.way.all.sort_unstable();
                partial.way.all.dedup();
                partial.way.some.sort_unstable();
                partial.way.some.dedup();
                ways.push(partial.way);
                limits.check(0)?;
                if ways.len() > MOST_WAYS {
                    return Err(too_many_ways());
                }
                continue;
            };
            self.meet(partial, demand, &mut open);
        }
        ways.sort_unstable();
        ways.dedup();
        Ok(least(ways))
    }

    /// Sees to one demand, in all ways.
    fn meet(&self, mut partial: Partial, demand: Demand, open: &mut Vec<Partial>) {
        match demand {
            Demand::Stage(stage, holds) => self.claim(partial, stage, holds, open),
            Demand::Thread(before, thread) if self.is_universal(thread) => {
                let (automaton, state) = self.automaton(thread);
                let count = automaton.transitions[state].len();
                partial.todo.extend((0..count).map(|number| Demand::Transition(before, thread, number)));
                open.push(partial);
            }
            Demand::Thread(before, thread) => {
                let (automaton, state) = self.automaton(thread);
                for number in 0..automaton.transitions[state].len() {
                    let (cube, to) = self.transition(thread, number);
                    let mut taken = partial.clone();
                    taken.todo.extend(self.literals(thread, cube).map(|(stage, holds)| Demand::Stage(stage, holds)));
                    if !self.accepts_all[to as usize] {
                        taken.way.some.push((before, to));
                    }
                    open.push(taken);
                }
            }
            Demand::Transition(before, thread, number) => {
                let (cube, to) = self.transition(thread, number);
                let values = self.values(&partial.claims);
                let mut unknown = Vec::new();
                for (stage, holds) in self.literals(thread, cube) {
                    match values[stage] {
                        Some(value) if value != holds => {
                            open.push(partial);
                            return;
                        }
                        Some(_) => {}
                        None => unknown.push((stage, holds)),
                    }
                }
                for (stage, holds) in unknown {
                    let mut refuted = partial.clone();
                    refuted.todo.push(Demand::Stage(stage, !holds));
                    open.push(refuted);
                }
                // If every run on from there is accepted, it must not be taken.
                if !self.accepts_all[to as usize] {
                    partial.way.all.push((before, to));
                    open.push(partial);
                }
            }
        }
    }

    /// Claims that a stage holds, or does not, in all ways.
    fn claim(&self, mut partial: Partial, stage: usize, holds: bool, open: &mut Vec<Partial>) {
        if let Some(known) = partial.claims[stage] {
            if known == holds {
                open.push(partial);
            }
            return;
        }
        let mut either = |demands: &[(usize, bool)]| {
            let mut way = partial.clone();
            way.todo.extend(demands.iter().map(|&(stage, holds)| Demand::Stage(stage, holds)));
            open.push(way);
        };
        match self.stages[stage] {
            Stage::Constant(_) | Stage::Atom(_) => {}
            Stage::Not(inner) => either(&[(inner, !holds)]),
            Stage::Binary(operator, left, right) => {
                let (yes, no) = ((left, right, true), (left, right, false));
                let both = |(left, right, holds): (usize, usize, bool)| vec![vec![(left, holds), (right, holds)]];
                let one = |(left, right, holds): (usize, usize, bool)| vec![vec![(left, holds)], vec![(right, holds)]];
                let same = |same: bool| vec![vec![(left, true), (right, same)], vec![(left, false), (right, !same)]];
                let enough: Vec<Vec<(usize, bool)>> = match (operator, holds) {
                    (Binary::And, true) => both(yes),
                    (Binary::And, false) => one(no),
                    (Binary::Or, true) => one(yes),
                    (Binary::Or, false) => both(no),
                    (Binary::Implies, true) => vec![vec![(left, false)], vec![(right, true)]],
                    (Binary::Implies, false) => vec![vec![(left, true), (right, false)]],
                    (Binary::Xor, _) => same(!holds),
                    _ => same(holds),
                };
                enough.iter().for_each(|sides| either(sides));
            }
            Stage::Exists(ref path) => {
                partial.claims[stage] = Some(holds);
                if let Some(first) = self.first[stage] {
                    let thread = first + if holds { 0 } else { path.automaton.states() as u32 };
                    match (self.accepts_all[thread as usize], holds) {
                        (true, true) => {}
                        (true, false) => return,
                        (false, _) => partial.todo.push(Demand::Thread(None, thread)),
                    }
                }
                open.push(partial);
            }
        }
    }

    /// What is known of all stages.
    fn values(&self, claims: &[Option<bool>]) -> Vec<Option<bool>> {
        let mut values: Vec<Option<bool>> = Vec::with_capacity(claims.len());
        for (claim, stage) in claims.iter().zip(self.stages) {
            let value = match *stage {
                _ if claim.is_some() => *claim,
                Stage::Not(inner) => values[inner].map(|value| !value),
                Stage::Binary(operator, left, right) => match (operator, values[left], values[right]) {
                    (Binary::And, Some(false), _) | (Binary::And, _, Some(false)) => Some(false),
                    (Binary::Or, Some(true), _) | (Binary::Or, _, Some(true)) => Some(true),
                    (Binary::Implies, Some(false), _) | (Binary::Implies, _, Some(true)) => Some(true),
                    (_, None, _) | (_, _, None) => None,
                    (Binary::And, Some(a), Some(b)) => Some(a && b),
                    (Binary::Or, Some(a), Some(b)) => Some(a || b),
                    (Binary::Implies, Some(a), Some(b)) => Some(!a || b),
                    (Binary::Xor, Some(a), Some(b)) => Some(a != b),
                    (_, Some(a), Some(b)) => Some(a == b),
                },
                _ => None,
            };
            values.push(value);
        }
        values
    }
}

/// The formula asks for too much at once.
pub(super) fn too_many_ways() -> Reason {
    Reason::NotSupported("a formula that can be satisfied in too many ways in one state of an open system".to_owned())
}

/// A state that any word is accepted from, whatever it reads: it comes back to itself.
fn accepts_all(automaton: &Buchi, state: usize) -> bool {
    let again = |&(cube, to): &(Cube, u32)| cube == Cube::ANY && to as usize == state;
    automaton.accepting[state] && automaton.transitions[state].iter().any(again)
}

/// Ways without those that ask for more than another.
fn least(ways: Vec<Way>) -> Vec<Way> {
    if ways.len() > 500 {
        return ways;
    }
    let within = |a: &[(Option<Thread>, Thread)], b: &[(Option<Thread>, Thread)]| a.iter().all(|part| b.contains(part));
    let is_least = |way: &&Way| {
        !ways.iter().any(|other| other != *way && within(&other.all, &way.all) && within(&other.some, &way.some))
    };
    ways.iter().filter(is_least).cloned().collect()
}

//! Possibly and always possibly against every environment, over BDDs, for hierarchies (Kupferman, Theorem 5.3).
//!
//! A state is safe if it is a goal, or if whatever the environment leaves of its successors contains a safe one. What the environment can avoid is
//! found backwards, as all steps here are ([`stack`](super::stack)): a configuration is *quiet* if the environment can choose alternatives
//! such that no step leads to a safe state, and it *moves* quietly if besides some step is left, for the environment may not disable all. Configurations between
//! states, where a step is not complete yet, are treated alike first.

use super::stack::{Layout, Step, Steps};
use super::{Labelling, Question, combine, with_stack};
use crate::engine::tabulate::bdd::{Bdd, Halt, Made, Store};
use crate::engine::{News, Opened, Progress, Statistics};
use crate::limits::{Limits, Reason};
use crate::logic::{Branching, Claimed, OpenMethod, Stage};
use crate::model::{CallGraph, NodeId, ProcId, Vertex};
use crate::temporal::{Module, State};
use std::time::Instant;

/// Checks *possibly* and *always possibly* against every environment of a module without recursion.
pub fn open(
    module: &Module,
    states: &[Vec<Option<State>>],
    formula: &Branching,
    limits: &Limits,
    progress: Progress<'_>,
) -> Opened {
    let start = Instant::now();
    let mut statistics = Statistics { engine: "bdd", algorithm: "module checking", ..Statistics::default() };
    let refuse = |what: &str, statistics| {
        let why = format!("engine bdd on {what} of open systems (expand answers some)");
        Opened { holds: Err(Reason::NotSupported(why)), strategy: None, statistics }
    };
    if CallGraph::new(&module.ersm).recursive {
        return refuse("recursive programs", statistics);
    }
    let (condition, goal) = match formula.open_method() {
        OpenMethod::Possibly(goal) => (None, goal),
        OpenMethod::AlwaysPossibly(condition, goal) => (Some(condition), goal),
        OpenMethod::Universal | OpenMethod::General | OpenMethod::Closed => {
            return refuse("formulas other than EF p, AG EF p and those without E", statistics);
        }
    };
    let layout = Layout::new(&module.ersm);
    statistics.variables = layout.variables as u64;
    let question = Question { ersm: &module.ersm, states, formula };
    let work = || {
        question.answer(&layout, limits, &mut statistics, &mut |store, statistics| {
            check(&question, module, (store, &layout), (condition, goal), statistics, progress)
        })
    };
    let holds = with_stack(layout.variables, work);
    statistics.search_time = start.elapsed();
    Opened { holds, strategy: None, statistics }
}

/// Whether the goal is possible, or always possible where the condition holds.
fn check(
    question: &Question<'_>,
    module: &Module,
    (store, layout): (&Store, &Layout),
    (condition, goal): (Option<Option<Claimed>>, Claimed),
    statistics: &mut Statistics,
    progress: Progress<'_>,
) -> Result<bool, Halt> {
    let is_state = |procedure: ProcId, node: NodeId| question.states[procedure.index()][node.index()].is_some();
    let steps = Steps::new(question.ersm, store, layout, &is_state)?;
    let spots = Spots::new(&steps, module, &is_state)?;
    let mut labelling = Labelling::new(question, store, steps)?;
    let mut sets: Vec<Bdd> = Vec::new();
    for stage in &question.formula.stages {
        sets.push(match stage {
            Stage::Constant(value) => store.constant(*value),
            Stage::Atom(atom) => labelling.atom(question, *atom)?,
            Stage::Not(inner) => store.not(&sets[*inner])?,
            Stage::Binary(operator, left, right) => combine(store, *operator, &sets[*left], &sets[*right])?,
            // Only what is not temporal is asked for below.
            Stage::Exists(_) => store.bottom(),
        });
    }
    let claimed = |claim: Claimed| {
        let set = if claim.holds { sets[claim.stage].clone() } else { store.not(&sets[claim.stage])? };
        store.and(&set, &labelling.states)
    };
    let goal = claimed(goal)?;
    let mut safe = goal.clone();
    loop {
        let avoided = spots.avoided(store, &labelling, &safe)?;
        let forced = store.minus(&labelling.states, &avoided)?;
        let more = store.or(&goal, &forced)?;
        labelling.images += 1;
        progress(News::Work(labelling.images));
        if more == safe {
            break;
        }
        safe = more;
    }
    statistics.largest_nodes = store.size(&safe) as u64;
    let mut bad = store.minus(&labelling.states, &safe)?;
    if let Some(condition) = condition {
        if let Some(condition) = condition {
            bad = store.and(&bad, &claimed(condition)?)?;
        }
        // What leads there.
        loop {
            let before = labelling.before(&bad)?;
            let more = store.or(&bad, &before)?;
            if more == bad {
                break;
            }
            bad = more;
        }
    }
    statistics.iterations = labelling.images;
    let bad = labelling.steps.with_between(&bad)?;
    let started = labelling.steps.initial()?;
    Ok(store.is_empty(&store.and(&bad, &started)?))
}

/// Where steps begin, with groups of alternatives.
struct Spot {
    here: Bdd,
    groups: Vec<Vec<Step>>,
}

/// All spots: those that are states, and those between states.
struct Spots {
    of_states: Vec<Spot>,
    between: Vec<Spot>,
}

impl Spots {
    fn new(steps: &Steps<'_>, module: &Module, is_state: &dyn Fn(ProcId, NodeId) -> bool) -> Result<Spots, Halt> {
        let mut spots = Spots { of_states: Vec::new(), between: Vec::new() };
        for &id in &steps.layout.procedures {
            let edges = &module.ersm.procedure(id).edges;
            let mut vertices: Vec<Vertex> = edges.iter().map(|edge| edge.from).collect();
            vertices.sort_unstable();
            vertices.dedup();
            for vertex in vertices {
                let own: Vec<_> = edges.iter().filter(|edge| edge.from == vertex).collect();
                let groups = module.groups(id, vertex);
                let mut of_group: Vec<(u32, Vec<Step>)> = Vec::new();
                for (number, edge) in own.into_iter().enumerate() {
                    let group = groups.map_or(number as u32, |groups| groups[number]);
                    let step = steps.edge(id, edge)?;
                    match of_group.iter_mut().find(|(other, _)| *other == group) {
                        Some((_, steps)) => steps.push(step),
                        None => of_group.push((group, vec![step])),
                    }
                }
                let Some(here) = of_group.first().map(|(_, steps)| steps[0].here.clone()) else { continue };
                let spot = Spot { here, groups: of_group.into_iter().map(|(_, steps)| steps).collect() };
                match vertex {
                    Vertex::Node(node) if is_state(id, node) => spots.of_states.push(spot),
                    _ => spots.between.push(spot),
                }
            }
            let alone = |step: Step| Spot { here: step.here.clone(), groups: vec![vec![step]] };
            for port in steps.ports(id) {
                match port {
                    Vertex::Call(site, entry) => {
                        spots.between.push(alone(steps.call(id, site.index(), entry as usize)?));
                    }
                    Vertex::Return(site, exit) => {
                        spots.of_states.push(alone(steps.leave(id, site.index(), exit as usize)?));
                    }
                    Vertex::Node(_) => {}
                }
            }
        }
        Ok(spots)
    }

    /// The states in which the environment can avoid a set of states in the next step.
    fn avoided(&self, store: &Store, labelling: &Labelling<'_>, set: &Bdd) -> Made {
        let outside = store.minus(&labelling.states, set)?;
        let (mut quiet, mut moving) = (outside.clone(), outside.clone());
        // Configurations between states do not lead back to themselves.
        loop {
            let (mut more_quiet, mut more_moving) = (outside.clone(), outside.clone());
            for spot in &self.between {
                let [own_quiet, own_moving] = spot.quiet(store, &quiet, &moving)?;
                more_quiet = store.or(&more_quiet, &own_quiet)?;
                more_moving = store.or(&more_moving, &own_moving)?;
            }
            if more_quiet == quiet && more_moving == moving {
                break;
            }
            (quiet, moving) = (more_quiet, more_moving);
        }
        // Who stays is where it was.
        let mut avoided = store.and(&labelling.staying, &outside)?;
        for spot in &self.of_states {
            let [_, own] = spot.quiet(store, &quiet, &moving)?;
            avoided = store.or(&avoided, &own)?;
        }
        Ok(avoided)
    }
}

impl Spot {
    /// Where the environment can be quiet, and where it can be so and leave a step.
    fn quiet(&self, store: &Store, quiet: &Bdd, moving: &Bdd) -> Result<[Bdd; 2], Halt> {
        let loud = store.not(quiet)?;
        let (mut all, mut some) = (self.here.clone(), store.bottom());
        for group in &self.groups {
            let mut any = store.bottom();
            for step in group {
                let after = store.substitute(&loud, &step.change)?;
                let is_loud = store.and_exists(&step.guard, &after, &step.choices)?;
                let own = store.minus(&self.here, &is_loud)?;
                any = store.or(&any, &own)?;
                let after = store.substitute(moving, &step.change)?;
                let moves = store.and_exists(&step.guard, &after, &step.choices)?;
                some = store.or(&some, &store.and(&own, &moves)?)?;
            }
            all = store.and(&all, &any)?;
        }
        let both = store.and(&all, &some)?;
        Ok([all, both])
    }
}

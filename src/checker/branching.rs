//! Properties of branching time: program and formula in, verdict out.
//!
//! The machine is not reduced: steps count, and branching time can tell when something is chosen.

use super::letters::states;
use super::race::{Ask, Race, engine_of};
use super::{CheckError, Checker, Engine, Report, Verdict};
use crate::classify::Plan;
use crate::engine::{Labelled, Outcome, Progress, expand, tabulate};
use crate::evidence::replay_explanation;
use crate::limits::{Limits, Reason};
use crate::logic::Branching;
use crate::model::{Ersm, Leaf, NodeSet, Owner, Procedure, Run, Var, Vertex};
use crate::syntax::Program;
use crate::temporal::{Again, Explanation, Outermost, SourceExplanation, State};
use std::sync::Arc;
use std::time::Instant;

/// States up to which exploration looks for an explanation of what another engine found.
const SMALL_EXPLANATION: u64 = 200_000;

impl Checker<'_> {
    /// Answers whether a formula of branching time holds in all initial states.
    pub(super) fn check_branching(
        &self,
        branching: &Branching,
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Result<Report, CheckError> {
        let start = Instant::now();
        let mut base = self.branching_base();
        let states = states(self.program, &self.map, &mut base, &branching.atoms)?;
        let task = Arc::new(Task { base, states, formula: branching.clone() });
        let other_time = self.build_time + start.elapsed();
        let outcome = self.ask_branching(engine, &task, limits, progress);
        let start = Instant::now();
        let explanation = outcome.explanation.map(|explanation| self.source_explanation(&task.base, explanation));
        if let (Some(explanation), None) = (&explanation, &outcome.stopped) {
            replay_explanation(self.program, branching, explanation, !outcome.found)?;
        }
        let verdict = Verdict::of(outcome.found, outcome.stopped)?;
        let other_time = other_time + start.elapsed() + outcome.statistics.trace_time;
        Ok(Report {
            verdict,
            explanation,
            found: outcome.found,
            statistics: outcome.statistics,
            other_time,
            ..Report::unknown(Reason::Patience)
        })
    }

    /// The machine that branching time is asked about.
    pub(super) fn branching_base(&self) -> Outermost {
        let mut base = Outermost::new(&self.ersm);
        if let Program::Bp(_) = self.program {
            end_with_any_results(&mut base.ersm);
        }
        base
    }

    fn ask_branching(&self, engine: Engine, task: &Arc<Task>, limits: &Limits, progress: Progress<'_>) -> Outcome {
        if engine != Engine::Auto {
            return task.answer(engine, limits, progress);
        }
        let plan = Plan::branching(&self.class().measures);
        let engines = plan.entrants.iter().map(|entrant| engine_of(entrant, Engine::Expand(None))).collect();
        let alone = |engine: Engine, limits: &Limits, progress: Progress<'_>| task.answer(engine, limits, progress);
        let shared = || -> Ask {
            let task = task.clone();
            Arc::new(move |engine, limits, progress| task.answer(engine, limits, progress))
        };
        let (ersm, threads, head_start) = (&task.base.ersm, self.threads, self.head_start);
        let race = Race { ersm, alone: &alone, shared: &shared, plan: &plan, engines, threads, head_start };
        race.run(limits, progress).0
    }

    /// An explanation in source terms, with calls that are alike told once.
    fn source_explanation(&self, base: &Outermost, mut explanation: Explanation<Vertex>) -> SourceExplanation {
        let globals = self.ersm.globals.len();
        for fragment in explanation.paths.iter_mut().flat_map(|shown| &mut shown.run.fragments) {
            fragment.procedure = base.origin[fragment.procedure as usize].0;
            // Results that were chosen where the procedure ended were there from the start (see below).
            let procedure = &self.ersm.procedures[fragment.procedure as usize];
            let last = fragment.len().checked_sub(1).map(|last| *fragment.place(last));
            let is_bp = matches!(self.program, Program::Bp(_));
            if is_bp && last.is_some_and(|last| procedure.exits.iter().any(|&exit| last == Vertex::Node(exit))) {
                procedure.outputs.iter().for_each(|&output| fragment.keep(globals + output as usize));
            }
        }
        let mut explanation = explanation.lift(&self.map);
        for shown in &mut explanation.paths {
            let run = std::mem::replace(&mut shown.run, Run { fragments: Vec::new() });
            let (run, numbers) = run.shared();
            shown.run = run;
            if let Some(Again::Grows { activation }) = &mut shown.again {
                *activation = numbers[activation.index()];
            }
        }
        explanation
    }
}

/// What engines are asked.
struct Task {
    base: Outermost,
    /// By procedure and node: what it is; none where the node is not a state.
    states: Vec<Vec<Option<State>>>,
    formula: Branching,
}

impl Task {
    /// The answer of an engine.
    fn answer(&self, engine: Engine, limits: &Limits, progress: Progress<'_>) -> Outcome {
        let Task { base, states, formula } = self;
        let explore = |limits: &Limits, progress: Progress<'_>| {
            expand::label(&base.ersm, states, &base.outer, formula, limits, progress)
        };
        let refuse = |engine: &str| {
            let why = format!("engine {engine} on properties of branching time (expand and bdd answer them)");
            Labelled { holds: Err(Reason::NotSupported(why)), explanation: None, statistics: Default::default() }
        };
        let labelled = match engine {
            Engine::Auto | Engine::Expand(_) => explore(limits, progress),
            Engine::Summarize(_) | Engine::Prove(_) => refuse("sat"),
            Engine::Quantify(_) => refuse("qbf"),
            Engine::Tabulate(_) => {
                let mut labelled = tabulate::label(&base.ersm, states, formula, limits, progress);
                if let Ok(holds) = labelled.holds {
                    let start = Instant::now();
                    let patience = limits.patience().min(SMALL_EXPLANATION);
                    let explored = explore(&limits.clone().with_patience(patience), &mut |_| ());
                    labelled.statistics.trace_time = start.elapsed();
                    match explored.holds {
                        Ok(other) if other != holds => {
                            labelled.holds = Err(Reason::Internal("exploration contradicts the diagrams"));
                        }
                        Err(Reason::Internal(what)) => labelled.holds = Err(Reason::Internal(what)),
                        _ => labelled.explanation = explored.explanation,
                    }
                }
                labelled
            }
        };
        Outcome {
            reached: NodeSet::new(&base.ersm),
            found: labelled.holds == Ok(false),
            run: None,
            again: None,
            explanation: labelled.explanation,
            proof: None,
            stopped: labelled.holds.err(),
            statistics: labelled.statistics,
        }
    }
}

/// A procedure of a Boolean program that ends without `return` gives any results. In the model they are variables with any value from the start; here they
/// get it where the procedure ends: branching time could tell the difference.
fn end_with_any_results(ersm: &mut Ersm) {
    for index in 0..ersm.procedures.len() {
        let Procedure { exits, outputs, .. } = ersm.procedures[index].clone();
        for edge in 0..ersm.procedures[index].edges.len() {
            let mut edge_now = ersm.procedures[index].edges[edge].clone();
            let ends = matches!(edge_now.to, Vertex::Node(node) if exits.contains(&node));
            let given = |output: &u32| edge_now.assignments.iter().any(|(var, _)| *var == Var::Local(*output));
            let missing: Vec<u32> = outputs.iter().copied().filter(|output| !given(output)).collect();
            if !ends || missing.is_empty() {
                continue;
            }
            let mut choices = edge_now.choices.to_vec();
            let mut assignments = edge_now.assignments.to_vec();
            for output in missing {
                let choice = ersm.leaf(Leaf::Choice(choices.len() as u32));
                choices.push(Owner::System);
                assignments.push((Var::Local(output), choice));
            }
            (edge_now.choices, edge_now.assignments) = (choices.into(), assignments.into());
            ersm.procedures[index].edges[edge] = edge_now;
        }
    }
}

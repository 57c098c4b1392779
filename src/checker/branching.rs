//! Properties of branching time: program and formula in, verdict out.
//!
//! The machine is not reduced: steps count, and branching time can tell when something is chosen.

use super::letters::states;
use super::{CheckError, Checker, Engine, Report, Verdict};
use crate::engine::{Progress, expand, tabulate};
use crate::evidence::replay_explanation;
use crate::limits::{Limits, Reason};
use crate::logic::Branching;
use crate::model::{Ersm, Leaf, Owner, Procedure, Run, Var, Vertex};
use crate::syntax::Program;
use crate::temporal::{Again, Explanation, Outermost, SourceExplanation};
use std::time::Instant;

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
        let mut base = Outermost::new(&self.ersm);
        if let Program::Bp(_) = self.program {
            end_with_any_results(&mut base.ersm);
        }
        let states = states(self.program, &self.map, &mut base, &branching.atoms)?;
        let other_time = self.build_time + start.elapsed();
        let refused = match engine {
            Engine::Auto | Engine::Expand(_) | Engine::Tabulate(_) => None,
            Engine::Summarize(_) | Engine::Prove(_) => Some("sat"),
            Engine::Quantify(_) => Some("qbf"),
        };
        if let Some(engine) = refused {
            let why = format!("engine {engine} on properties of branching time (expand and bdd answer them)");
            return Ok(Report::unknown(Reason::NotSupported(why)));
        }
        let labelled = match engine {
            Engine::Tabulate(_) => tabulate::label(&base.ersm, &states, branching, limits, progress),
            _ => expand::label(&base.ersm, &states, &base.outer, branching, limits, progress),
        };
        let start = Instant::now();
        let explanation = labelled.explanation.map(|explanation| self.source_explanation(&base, explanation));
        if let (Some(explanation), Ok(holds)) = (&explanation, &labelled.holds) {
            replay_explanation(self.program, branching, explanation, *holds)?;
        }
        let (is_violated, stopped) = match labelled.holds {
            Ok(holds) => (!holds, None),
            Err(reason) => (false, Some(reason)),
        };
        let verdict = Verdict::of(is_violated, stopped)?;
        let other_time = other_time + start.elapsed() + labelled.statistics.trace_time;
        Ok(Report {
            verdict,
            explanation,
            found: is_violated,
            statistics: labelled.statistics,
            other_time,
            ..Report::unknown(Reason::Patience)
        })
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

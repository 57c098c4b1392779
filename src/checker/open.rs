//! Properties of branching time against every environment (module checking): program and formula in, verdict and strategy out.
//!
//! A conjunction is asked part by part. A part without existential quantifiers is asked of the closed system (Kupferman, Lemma 5.1), and so
//! is every part if the environment has no choices. Otherwise engines answer; an environment that they find is written as a closed machine, and the closed
//! checker must find the formula violated there, before there is a verdict. Where the environment chooses in
//! a way that no module has, what fails of the closed system fails all the same: one environment is the one
//! that disables nothing.

use super::letters::states;
use super::{CheckError, Checker, Engine, Open, Report, Verdict};
use crate::engine::{Opened, Progress, expand, tabulate};
use crate::evidence::strategy_text;
use crate::limits::{Limits, Reason};
use crate::logic::{Blocked, Branching, OpenMethod, Query};
use crate::model::Vertex;
use crate::syntax::{Program, Source, rsm};
use crate::temporal::{Module, ModuleError, Outermost, SourceStrategy, State, Strategy};
use std::sync::Arc;
use std::time::Instant;

/// States up to which exploration looks for a strategy where another engine has found that there is one.
const SMALL_STRATEGY: u64 = 200_000;

/// States up to which a module is explored before diagrams are tried.
const MANY_STATES: u64 = 1_000_000;

/// A module and what is asked of its states.
struct Task {
    base: Outermost,
    module: Module,
    states: Vec<Vec<Option<State>>>,
}

impl Checker<'_> {
    /// Answers whether a formula of branching time holds against every environment.
    pub(super) fn check_open(
        &self,
        branching: &Branching,
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Result<Report, CheckError> {
        let start = Instant::now();
        let mut base = self.branching_base();
        let states = states(self.program, &self.map, &mut base, &branching.atoms)?;
        let module = Module::new(base.ersm.clone(), &states);
        let task = module.map(|module| Task { base, module, states });
        let is_closed = task.as_ref().is_ok_and(|task| task.module.is_closed());
        let other_time = self.build_time + start.elapsed();
        let mut last = Report::unknown(Reason::Patience);
        let mut not_supported = None;
        let mut methods = Vec::new();
        for part in branching.conjuncts() {
            let (method, report) = match (part.open_method(), &task) {
                (method, _) if method == OpenMethod::Universal || is_closed => {
                    (OpenMethod::Universal, self.check_branching(&part, engine, limits, progress)?)
                }
                (method, Ok(task)) => self.ask_all(task, (method, &part), engine, limits, progress)?,
                (method, Err(error)) => self.ask_closed(*error, (method, &part), engine, limits, progress)?,
            };
            methods.push(method);
            last = report;
            last.other_time += other_time;
            match last.verdict {
                Verdict::Holds => {}
                // Another part may fail all the same.
                Verdict::Unknown(Reason::NotSupported(_)) => not_supported = Some(last.clone()),
                _ => break,
            }
        }
        if let (Some(report), Verdict::Holds) = (not_supported, &last.verdict) {
            last = report;
        }
        // What shows that one part holds does not show it of the others.
        if methods.len() > 1 && last.verdict == Verdict::Holds {
            last.explanation = None;
        }
        last.open = Some(Open { methods, is_closed });
        Ok(last)
    }

    /// Asks against the environment that disables nothing alone, because of what keeps the machine from being a module.
    fn ask_closed(
        &self,
        error: ModuleError,
        (method, part): (OpenMethod, &Branching),
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Result<(OpenMethod, Report), CheckError> {
        let closed = self.check_branching(part, engine, limits, progress)?;
        Ok(match closed.verdict {
            Verdict::Violated => (OpenMethod::Closed, closed),
            Verdict::Unknown(_) => (method, closed),
            Verdict::Holds => {
                let why =
                    format!("{error}, for a formula with existential quantifiers that holds of the closed system");
                (method, Report::unknown(Reason::NotSupported(why)))
            }
        })
    }

    /// Asks against every environment, and against the one that disables nothing: first where the other question is hard, last where it is not.
    fn ask_all(
        &self,
        task: &Task,
        (method, part): (OpenMethod, &Branching),
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Result<(OpenMethod, Report), CheckError> {
        let is_hard = method == OpenMethod::General;
        let opened = match is_hard {
            true => None,
            false => Some(self.ask_open(task, part, engine, limits, progress)?),
        };
        if opened.as_ref().is_none_or(|opened| opened.verdict == Verdict::Violated) {
            let closed = self.check_branching(part, engine, limits, progress)?;
            if closed.verdict == Verdict::Violated {
                return Ok((OpenMethod::Closed, closed));
            }
        }
        let opened = opened.map_or_else(|| self.ask_open(task, part, engine, limits, progress), Ok)?;
        Ok((method, opened))
    }

    fn ask_open(
        &self,
        task: &Task,
        part: &Branching,
        engine: Engine,
        limits: &Limits,
        progress: Progress<'_>,
    ) -> Result<Report, CheckError> {
        let opened = task.answer(part, engine, limits, progress);
        let start = Instant::now();
        let strategy = opened.strategy.map(|strategy| self.source_strategy(&task.base, strategy)).transpose()?;
        let verdict = match (opened.holds, &strategy) {
            (Ok(true), _) => Verdict::Holds,
            (Ok(false), Some(strategy)) => self.confirmed(part, strategy, limits)?,
            (Ok(false), None) => Verdict::Violated,
            (Err(Reason::Internal(what)), _) => return Err(CheckError::Engine(what)),
            (Err(reason), _) => Verdict::Unknown(reason),
        };
        Ok(Report {
            found: verdict == Verdict::Violated,
            verdict,
            strategy,
            statistics: opened.statistics,
            other_time: start.elapsed(),
            ..Report::unknown(Reason::Patience)
        })
    }

    fn source_strategy(&self, base: &Outermost, strategy: Strategy<Vertex>) -> Result<SourceStrategy, CheckError> {
        strategy.lift(base, &self.map).ok_or(CheckError::Engine("a strategy for states that the program does not have"))
    }

    /// The verdict of the closed checker about the pruned module, which must be that the formula is violated.
    fn confirmed(&self, part: &Branching, strategy: &SourceStrategy, limits: &Limits) -> Result<Verdict, CheckError> {
        let text = strategy_text(self.program, part, strategy, &|_, _| 0);
        let source = Source::new("strategy.rsm", &text.machine);
        let Ok((machines, _)) = rsm::parse(&source) else {
            return Err(CheckError::Engine("a strategy that is no machine"));
        };
        let program = Program::Rsm(machines);
        let closed = Branching { atoms: text.atoms, open: false, ..part.clone() };
        let checker = Checker::new(&program);
        let query = Query::Branching(Arc::new(closed));
        match checker.check(&query, Engine::Expand(None), limits, &mut |_| ())?.verdict {
            Verdict::Holds => Err(CheckError::Engine("a strategy against which the formula holds")),
            verdict => Ok(verdict),
        }
    }
}

impl Task {
    /// The answer of an engine.
    fn answer(&self, part: &Branching, engine: Engine, limits: &Limits, progress: Progress<'_>) -> Opened {
        let refuse = |why: &str| Opened {
            holds: Err(Reason::NotSupported(why.to_owned())),
            strategy: None,
            statistics: Default::default(),
        };
        if part.blocked == Blocked::Discard {
            return refuse("--blocked discard with an open system");
        }
        let explore = |patience: u64, progress: Progress<'_>| {
            let limits = limits.clone().with_patience(limits.patience().min(patience));
            expand::open(&self.module, &self.states, &self.base.outer, part, &limits, progress)
        };
        match engine {
            Engine::Expand(_) => explore(u64::MAX, progress),
            // What is too large to be explored is left to diagrams, if they can do it.
            Engine::Auto => match explore(MANY_STATES, progress) {
                Opened { holds: Err(Reason::Patience | Reason::TooManyStates), .. } => {
                    match self.answer(part, Engine::Tabulate(tabulate::Options::default()), limits, progress) {
                        Opened { holds: Err(Reason::NotSupported(_)), .. } => explore(u64::MAX, progress),
                        opened => opened,
                    }
                }
                opened => opened,
            },
            Engine::Tabulate(_) => {
                let mut opened = tabulate::open(&self.module, &self.states, part, limits, progress);
                if opened.holds == Ok(false) {
                    let start = Instant::now();
                    let explored = explore(SMALL_STRATEGY, &mut |_| ());
                    opened.statistics.trace_time = start.elapsed();
                    opened.strategy = explored.strategy;
                    if explored.holds == Ok(true) {
                        opened.holds = Err(Reason::Internal("exploration contradicts the diagrams"));
                    }
                }
                opened
            }
            Engine::Summarize(_) | Engine::Prove(_) => {
                refuse("engine sat on open systems (expand and bdd answer them)")
            }
            Engine::Quantify(_) => refuse("engine qbf on open systems (expand and bdd answer them)"),
        }
    }
}

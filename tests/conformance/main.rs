//! One suite for every engine: all of them answer the same questions on the same programs, and must
//! agree with the brute-force reference, statement by statement. Every violation's run is replayed
//! (the checker refuses to answer otherwise) and must end at a failure.

#[path = "../common/mod.rs"]
mod common;
mod exhaustive;
mod machines;
mod orders;
mod quantified;
mod race;
mod random;
mod reductions;
mod shortest;
mod vertices;

use common::parse;
use common::reference::{Reached, explicit_summaries};
use epitome::engine::expand::Algorithm;
use epitome::engine::summarize::{self, Form, SolverName};
use epitome::engine::tabulate::{Method, Options, Order};
use epitome::evidence::last_place;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::reduce::Reductions;
use epitome::syntax::bp::Kind;
use epitome::syntax::{Place, Program};
use epitome::{Checker, Engine, Verdict};

/// The engines under test: one line each.
pub const ENGINES: &[(&str, Engine)] = &[
    ("auto", Engine::Auto),
    ("expand forward", Engine::Expand(Some(Algorithm::Forward))),
    ("expand shortest", Engine::Expand(Some(Algorithm::Shortest))),
    ("expand deterministic", Engine::Expand(Some(Algorithm::Deterministic))),
    ("expand table", Engine::Expand(Some(Algorithm::Table))),
    ("expand components", Engine::Expand(Some(Algorithm::Components))),
    ("bdd", bdd(Method::Auto)),
    ("bdd demanded", bdd(Method::Demanded)),
    ("bdd summarizing", bdd(Method::Summarizing)),
    ("bdd shortest", bdd(Method::Shortest)),
    ("sat", sat(Form::Auto, SolverName::Batsat)),
    ("sat cadical", sat(Form::Auto, SolverName::Cadical)),
    ("sat varisat", sat(Form::Auto, SolverName::Varisat)),
    ("sat summaries", sat(Form::Summaries, SolverName::Cadical)),
    ("sat with proofs", Engine::Prove(SolverName::Batsat)),
];

const fn bdd(method: Method) -> Engine {
    Engine::Tabulate(Options { method, order: Order::Dependency, reorder: false })
}

const fn sat(form: Form, solver: SolverName) -> Engine {
    Engine::Summarize(summarize::Options { solver, form })
}

/// Compares all engines with the reference; the first difference in words.
pub fn difference(text: &str) -> Option<String> {
    difference_with(text, ENGINES, &[("all reductions", Reductions::all())])
}

/// The same for some engines and sets of reductions.
pub fn difference_with(text: &str, engines: &[(&str, Engine)], sets: &[(&str, Reductions)]) -> Option<String> {
    let program = parse(text);
    let expected = explicit_summaries(&program);
    let violated = expected.violated(&program);
    let program = Program::Bp(program);
    let mut checker = Checker::new(&program);
    for (reductions, set) in sets {
        checker = checker.with_reductions(*set);
        for (name, engine) in engines {
            let difference = verdict_difference(&program, &checker, *engine, violated)
                .or_else(|| places_difference(&checker, *engine, &expected))
                .or_else(|| queries_difference(&program, &checker, *engine, &expected));
            if let Some(difference) = difference {
                return Some(format!("{name}, {reductions}: {difference}"));
            }
        }
    }
    None
}

fn verdict_difference(program: &Program, checker: &Checker<'_>, engine: Engine, violated: bool) -> Option<String> {
    let report = match checker.check(&Query::Failures, engine, &Limits::none(), &mut |_| ()) {
        Ok(report) => report,
        Err(error) => return Some(error.to_string()),
    };
    let expected = if violated { Verdict::Violated } else { Verdict::Holds };
    if report.verdict != expected {
        return Some(format!("the verdict is {:?}, expected {expected:?}", report.verdict));
    }
    let Some(run) = report.run else { return violated.then(|| "a violation without a run".to_owned()) };
    let (procedure, place) = last_place(&run);
    (!is_failure(program, procedure, place)).then(|| format!("the run ends at {place:?} of procedure {procedure}"))
}

fn is_failure(program: &Program, procedure: u32, place: Place) -> bool {
    match (program, place) {
        (_, Place::Failed(_)) => true,
        (Program::Bp(program), Place::Statement(statement)) => {
            let labels = program.procedures[procedure as usize].labels.iter();
            let mut here = labels.filter(|label| label.statement == statement);
            here.any(|label| ["ERROR", "SLIC_ERROR"].contains(&program.names.text(label.name)))
        }
        _ => false,
    }
}

fn places_difference(checker: &Checker<'_>, engine: Engine, expected: &Reached) -> Option<String> {
    let found = checker.reach(true, engine, &Limits::none(), &mut |_| ());
    found.statements.iter().find_map(|reached| {
        let Place::Statement(statement) = reached.place else { return None };
        let should = expected.places.contains(&(reached.procedure as usize, statement as usize));
        (reached.reachable != Some(should)).then(|| {
            format!(
                "statement {statement} of procedure {}: {:?}, expected {should}",
                reached.procedure, reached.reachable
            )
        })
    })
}

/// Every label, and a call of every procedure, asked for by name.
fn queries_difference(program: &Program, checker: &Checker<'_>, engine: Engine, expected: &Reached) -> Option<String> {
    let Program::Bp(syntax) = program else { return None };
    let name = |name| syntax.names.text(name).to_owned();
    let mut queries: Vec<(Query, bool)> = Vec::new();
    for (index, procedure) in syntax.procedures.iter().enumerate() {
        for label in &procedure.labels {
            let query = Query::Label(format!("{}.{}", name(procedure.name), name(label.name)));
            queries.push((query, expected.places.contains(&(index, label.statement as usize))));
        }
        let calls = |&(caller, statement): &(usize, usize)| matches!(syntax.procedures[caller].body[statement].kind, Kind::Call { callee, .. } if callee as usize == index);
        queries.push((Query::Call(name(procedure.name)), expected.places.iter().any(calls)));
    }
    queries.into_iter().find_map(|(query, should)| match checker.check(&query, engine, &Limits::none(), &mut |_| ()) {
        Ok(report) if (report.verdict == Verdict::Violated) == should => None,
        Ok(report) => Some(format!("{query}: {:?}, expected reachable: {should}", report.verdict)),
        Err(error) => Some(format!("{query}: {error}")),
    })
}

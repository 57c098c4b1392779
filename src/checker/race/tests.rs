//! Races of engines that do as they are told here: they tell what they find, or look at their limits, or do not.

use super::*;
use crate::model::build;
use crate::syntax::{Language, Program, Source};
use std::sync::Mutex;

/// What happened: outcome, who gave it, and the news that came out of the race.
struct Raced {
    outcome: Outcome,
    engine: Engine,
    news: Vec<News>,
}

const SAT: Engine = Engine::Summarize(crate::engine::summarize::Options {
    solver: crate::solver::SolverName::Cadical,
    form: crate::engine::summarize::Form::Auto,
});
const EXPAND: Engine = Engine::Expand(None);

/// Lets exploration and summaries do this, in a race or in turn.
fn race(
    limits: &Limits,
    in_turn: bool,
    act: impl Fn(Engine, &Limits, Progress<'_>, Outcome) -> Outcome + Send + Sync + 'static,
) -> Raced {
    let source = Source::new("t.bp", "void main() begin skip; end");
    let Ok((program, _)) = Program::parse(&source, Language::Bp) else { panic!("a program") };
    let (ersm, _) = build(&program);
    let nothing_yet = nothing(NodeSet::new(&ersm), Reason::Timeout);
    let ask: Ask = Arc::new(move |engine, limits, progress| act(engine, limits, progress, nothing_yet.clone()));
    let entrant = |engine| Entrant { engine, why: "", share: 1 };
    let plan = Plan { entrants: vec![entrant(PlannedEngine::Sat), entrant(PlannedEngine::Expand)] };
    let race = Race {
        ersm: &ersm,
        alone: &*ask,
        shared: &|| ask.clone(),
        plan: &plan,
        engines: vec![SAT, EXPAND],
        threads: 2,
        head_start: false,
    };
    let mut news = Vec::new();
    let mut progress = |told| match told {
        News::Work(_) => {}
        told => news.push(told),
    };
    let (outcome, engine) = match in_turn {
        true => race.in_turn("no threads", limits, &mut Finds::none(&ersm), &mut progress),
        false => race.run(limits, &mut progress),
    };
    Raced { outcome, engine, news }
}

/// Until the limits end it.
fn wait(limits: &Limits) -> Reason {
    loop {
        if let Err(reason) = limits.check(0) {
            return reason;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// One engine finds something and never looks at its limits again; the other one stops in time and knows nothing.
#[test]
fn who_is_not_waited_for_has_told() {
    let limits = Limits::none().with_timeout(Duration::from_millis(100));
    let raced = race(&limits, false, |engine, limits, progress, outcome| {
        if engine == EXPAND {
            progress(News::Found);
            thread::sleep(GRACE * 5);
        }
        Outcome { stopped: Some(wait(limits)), ..outcome }
    });
    assert!(raced.outcome.found);
    assert_eq!((raced.outcome.stopped, raced.news), (Some(Reason::Timeout), vec![News::Found]));
}

/// An engine that has to go for the sake of memory has found something, the other one gives up later.
#[test]
fn who_has_to_go_has_told() {
    let raced = race(&Limits::none(), false, |engine, _, _, outcome| {
        let is_expand = engine == EXPAND;
        thread::sleep(Duration::from_millis(if is_expand { 0 } else { 100 }));
        let reason = if is_expand { Reason::Memory } else { Reason::NotSupported("this".to_owned()) };
        Outcome { found: is_expand, stopped: Some(reason), ..outcome }
    });
    assert!(raced.outcome.found);
    assert_eq!(raced.outcome.stopped, Some(Reason::NotSupported("this".to_owned())));
}

/// Who says that there is nothing where another one has found something is not believed, nor is the other one.
#[test]
fn contradictions_are_mistakes_of_ours() {
    let (send, told) = mpsc::channel();
    let told = Mutex::new(told);
    let raced = race(&Limits::none(), false, move |engine, limits, progress, outcome| {
        if engine == EXPAND {
            progress(News::Found);
            let _ = send.send(());
            return Outcome { stopped: Some(wait(limits)), ..outcome };
        }
        told.lock().expect("no panic").recv().expect("the other one tells");
        Outcome { stopped: None, ..outcome }
    });
    assert!(matches!(raced.outcome.stopped, Some(Reason::Internal(_))), "{:?}", raced.outcome.stopped);
}

/// Without threads each engine has its turns, longer and longer ones: one that needs a while comes to its
/// end, and one that gives up is not asked again.
#[test]
fn turns_grow() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    let raced = race(&Limits::none(), true, move |engine, limits, progress, outcome| {
        log.lock().expect("no panic").push(engine);
        if engine == SAT {
            return Outcome { stopped: Some(Reason::Memory), ..outcome };
        }
        progress(News::Found);
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(120) {
            if let Err(reason) = limits.check(0) {
                return Outcome { found: true, stopped: Some(reason), ..outcome };
            }
        }
        Outcome { found: true, stopped: None, ..outcome }
    });
    assert_eq!((raced.engine, raced.outcome.stopped), (EXPAND, None));
    // How many turns it takes is a matter of the machine; the first is too short.
    let asked = asked.lock().expect("no panic");
    assert!(asked.starts_with(&[SAT, EXPAND, EXPAND]) && !asked[1..].contains(&SAT), "{asked:?}");
    let why = "no threads: sat, expand take turns instead of racing";
    assert_eq!(raced.outcome.statistics.chosen.as_deref(), Some(why));
    assert_eq!(raced.news, [News::Note(why.to_owned()), News::Found]);
}

/// The user's limits end the turns, and what was found is told.
#[test]
fn limits_end_turns() {
    let limits = Limits::none().with_timeout(Duration::from_millis(200));
    let raced = race(&limits, true, |engine, limits, _, outcome| Outcome {
        found: engine == EXPAND,
        stopped: Some(wait(limits)),
        ..outcome
    });
    assert!(raced.outcome.found);
    assert_eq!(raced.outcome.stopped, Some(Reason::Timeout));
}

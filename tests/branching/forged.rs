//! Explanations that explain nothing are rejected: the replay trusts no engine.

use super::branching;
use epitome::evidence::{ExplanationError, replay_explanation};
use epitome::limits::Limits;
use epitome::logic::{Branching, Query};
use epitome::model::{Fragment, FragmentId, Run, SourceRun};
use epitome::syntax::{Language, Program, Source};
use epitome::temporal::{Again, SourceExplanation};
use epitome::{Checker, Engine, Verdict};
use std::sync::Arc;

/// A program, a formula, and the explanation of its value.
struct Case {
    program: Program,
    formula: Branching,
    holds: bool,
    explanation: SourceExplanation,
}

impl Case {
    fn new(file: &str, formula: &str) -> Case {
        let path = format!("{}/examples/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("an example");
        let language = if file.ends_with(".bp") { Language::Bp } else { Language::Rsm };
        let (program, _) = Program::parse(&Source::new(file, text), language).expect("a program");
        let formula = branching(formula);
        let query = Query::Branching(Arc::new(formula.clone()));
        let report = Checker::new(&program).check(&query, Engine::Expand(None), &Limits::none(), &mut |_| ());
        let report = report.unwrap_or_else(|error| panic!("{query}: {error}"));
        let holds = report.verdict == Verdict::Holds;
        let explanation = report.explanation.expect("an explanation");
        Case { program, formula, holds, explanation }
    }

    fn judge(&self, explanation: &SourceExplanation) -> Result<(), ExplanationError> {
        replay_explanation(&self.program, &self.formula, explanation, self.holds)
    }

    /// The error of an explanation that was changed.
    fn rejected(&self, change: impl FnOnce(&mut SourceExplanation)) -> ExplanationError {
        let mut explanation = self.explanation.clone();
        change(&mut explanation);
        self.judge(&explanation).expect_err("a forged explanation")
    }
}

/// The run without its last place.
fn shortened(run: &SourceRun) -> SourceRun {
    let mut fragments = run.fragments.clone();
    let (FragmentId(last), _) = run.last();
    let old = &run.fragments[last as usize];
    let mut new = Fragment::with_capacity(old.procedure, old.width(), old.len());
    (0..old.len() - 1).for_each(|step| new.push(*old.place(step), old.state(step), old.inside(step)));
    fragments[last as usize] = new;
    Run { fragments }
}

#[test]
fn witnesses_that_show_nothing() {
    let case = Case::new("drink.rsm", "E (!tea U (coffee & E F tea))");
    assert!(case.holds && case.explanation.paths.len() == 3);
    assert_eq!(case.judge(&case.explanation), Ok(()));
    let is_not = replay_explanation(&case.program, &case.formula, &case.explanation, false);
    assert_eq!(is_not, Err(ExplanationError::NoVerdict));
    assert_eq!(case.rejected(|e| e.paths.clear()), ExplanationError::NoVerdict);
    assert_eq!(case.rejected(|e| e.paths[0].claims.clear()), ExplanationError::NoVerdict);
    assert_eq!(case.rejected(|e| e.paths[0].claims[0].holds = false), ExplanationError::NoVerdict);
    assert_eq!(case.rejected(|e| e.paths[0].claims[0].path = Some(7)), ExplanationError::NoVerdict);
    assert_eq!(case.rejected(|e| e.paths[1].claims[0].path = Some(1)), ExplanationError::NoVerdict, "its own reason");
    assert_eq!(case.rejected(|e| e.paths[1].claims.clear()), ExplanationError::ShowsNothing(1));
    assert_eq!(case.rejected(|e| e.paths[1].claims[0].state = 1), ExplanationError::ShowsNothing(1));
    assert_eq!(case.rejected(|e| e.paths[2].start = 1), ExplanationError::Elsewhere(2));
    assert_eq!(case.rejected(|e| e.paths[1].run = shortened(&e.paths[1].run)), ExplanationError::ShowsNothing(1));
    assert_eq!(case.rejected(|e| e.paths[2].run = shortened(&e.paths[2].run)), ExplanationError::ShowsNothing(2));
    assert_eq!(case.rejected(|e| e.paths[2].run = e.paths[1].run.clone()), ExplanationError::ShowsNothing(2));
    let stays = case.rejected(|e| e.paths[1].again = Some(Again::Stays));
    assert!(matches!(stays, ExplanationError::Run { path: 1, .. }), "{stays:?}");
}

#[test]
fn counterexamples_that_show_nothing() {
    let case = Case::new("drink.rsm", "A G A F tea");
    assert!(!case.holds && case.judge(&case.explanation) == Ok(()));
    // Without the loop nothing is known of how the run goes on.
    assert_eq!(case.rejected(|e| e.paths[2].again = None), ExplanationError::ShowsNothing(2));
    let elsewhere = case.rejected(|e| e.paths[2].again = Some(Again::Grows { activation: e.paths[2].run.top() }));
    assert!(matches!(elsewhere, ExplanationError::Run { path: 2, .. }), "{elsewhere:?}");
}

#[test]
fn recursion_that_does_not_grow() {
    let case = Case::new("server.bp", "E (G F request && G !answered)");
    assert!(case.holds && case.judge(&case.explanation) == Ok(()));
    let Some(Again::Grows { activation }) = case.explanation.paths[1].again else { panic!("a run that grows") };
    for step in 0..3 {
        let loops = case.rejected(|e| e.paths[1].again = Some(Again::Loops { step }));
        assert!(matches!(loops, ExplanationError::Run { path: 1, .. }), "{loops:?}");
    }
    // The call of main did not begin like the calls of requests.
    let top = case.explanation.paths[1].run.top();
    assert_ne!(activation, top);
    let grows = case.rejected(|e| e.paths[1].again = Some(Again::Grows { activation: top }));
    assert!(matches!(grows, ExplanationError::Run { path: 1, .. }), "{grows:?}");
}

/// A run is cut where the rest does not matter: without its last state it shows nothing.
#[test]
fn runs_are_not_longer_than_they_must_be() {
    let case = Case::new("drink.rsm", "E F (coffee & E X E X E F tea)");
    assert!(case.holds && case.explanation.paths.len() > 3);
    for path in 1..case.explanation.paths.len() {
        let run = &case.explanation.paths[path].run;
        if run.fragment(run.top()).len() > case.explanation.paths[path].start + 1 {
            case.rejected(|e| e.paths[path].run = shortened(&e.paths[path].run));
        }
    }
}

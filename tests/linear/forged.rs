//! Lassos that are none are rejected: replay is what makes a FALSE believable.

use super::{check, engines, linear};
use epitome::evidence::{LassoError, replay_lasso};
use epitome::logic::Stack;
use epitome::model::{Fragment, FragmentId, Place, Run};
use epitome::syntax::{Language, Program, Source};
use epitome::temporal::{Again, SourceLasso};

fn parse(text: &str) -> Program {
    Program::parse(&Source::new("a.bp", text), Language::Bp).expect("parses").0
}

const LOOP: &str = "decl g := 0, h := 0; void main() begin h := 1; while (1) do g := !g; od end";
const CALLS: &str = "decl g := 0; void main() begin p(1); end void p(a) begin g := !g; if (*) then p(!a); fi end";
const ENDS: &str = "decl g := 0; void main() begin assume(*); g := 1; assume(!g); end";

/// The lasso that the explicit engine shows.
fn lasso(program: &Program, formula: &str) -> SourceLasso {
    let report = check(program, &linear(formula, Stack::Any), engines()[0].1);
    SourceLasso { run: report.run.expect("a violation"), again: report.again.expect("for ever") }
}

fn judge(program: &Program, formula: &str, lasso: &SourceLasso) -> Result<(), LassoError> {
    replay_lasso(program, &linear(formula, Stack::Any), lasso)
}

/// The run with one bit of one state changed.
fn with_bit_changed(run: &Run<Place>, fragment: usize, step: usize, bit: usize) -> Run<Place> {
    let mut changed = run.clone();
    let old = &run.fragments[fragment];
    let mut new = Fragment::with_capacity(old.procedure, old.width(), old.len());
    for at in 0..old.len() {
        let mut state = old.state(at).to_vec();
        if at == step {
            state[bit / 64] ^= 1 << (bit % 64);
        }
        new.push(*old.place(at), &state, old.inside(at));
    }
    changed.fragments[fragment] = new;
    changed
}

#[test]
fn true_lassos_are_accepted_and_judged_by_the_property() {
    for (text, violated, satisfied) in
        [(LOOP, "F G g", "G F g"), (CALLS, "F end", "F G !in(main)"), (ENDS, "F end", "F G g")]
    {
        let program = parse(text);
        let lasso = lasso(&program, violated);
        assert_eq!(judge(&program, violated, &lasso), Ok(()), "{violated}");
        assert_eq!(judge(&program, satisfied, &lasso), Err(LassoError::NoViolation), "{satisfied}");
    }
}

#[test]
fn a_loop_comes_back_to_the_same_state() {
    let program = parse(LOOP);
    let lasso = lasso(&program, "F G g");
    let Again::Loops { step } = lasso.again else { panic!("a loop") };
    let (last, _) = lasso.run.last();
    for other in (0..lasso.run.fragment(last).len()).filter(|other| *other != step) {
        let forged = SourceLasso { again: Again::Loops { step: other }, ..lasso.clone() };
        assert!(judge(&program, "F G g", &forged).is_err(), "step {other}");
    }
    let forged = SourceLasso { again: Again::Stays, ..lasso.clone() };
    assert_eq!(judge(&program, "F G g", &forged), Err(LassoError::GoesOn));
    let forged = SourceLasso { again: Again::Grows { activation: FragmentId(0) }, ..lasso };
    assert!(matches!(judge(&program, "F G g", &forged), Err(LassoError::Again(_))));
}

#[test]
fn a_run_that_grows_calls_what_it_began_with() {
    let program = parse(CALLS);
    let lasso = lasso(&program, "F end");
    let Again::Grows { activation } = lasso.again else { panic!("grows") };
    for other in (0..lasso.run.fragments.len() as u32).map(FragmentId).filter(|other| *other != activation) {
        let forged = SourceLasso { again: Again::Grows { activation: other }, ..lasso.clone() };
        assert!(judge(&program, "F end", &forged).is_err(), "{other:?}");
    }
}

/// A run that is blocked is, and one that is not is told apart.
#[test]
fn only_who_cannot_go_on_stays() {
    let program = parse(ENDS);
    let lasso = lasso(&program, "F end");
    assert_eq!(lasso.again, Again::Stays);
    let full = &lasso.run.fragments[0];
    for length in 1..full.len() {
        let mut short = Fragment::with_capacity(full.procedure, full.width(), length);
        (0..length).for_each(|at| short.push(*full.place(at), full.state(at), None));
        let forged = SourceLasso { run: Run { fragments: vec![short] }, again: Again::Stays };
        assert_eq!(judge(&program, "F end", &forged), Err(LassoError::GoesOn), "{length} steps");
    }
}

/// No state of a lasso can be changed unnoticed, unless the result is another lasso.
#[test]
fn changed_states_are_noticed() {
    for (text, formula, bits) in [(LOOP, "F G g", 2), (CALLS, "F end", 2)] {
        let program = parse(text);
        let lasso = lasso(&program, formula);
        for (fragment, places) in lasso.run.fragments.iter().map(Fragment::len).enumerate() {
            let scope = if lasso.run.fragments[fragment].procedure == 0 { bits.min(1) } else { bits };
            for (step, bit) in (0..places).flat_map(|step| (0..scope).map(move |bit| (step, bit))) {
                let run = with_bit_changed(&lasso.run, fragment, step, bit);
                let forged = SourceLasso { run, ..lasso.clone() };
                assert!(judge(&program, formula, &forged).is_err(), "{text}: fragment {fragment}, step {step}");
            }
        }
    }
}

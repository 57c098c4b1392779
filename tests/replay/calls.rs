//! Calls and the shape of runs of programs, by hand.

use crate::shorthand::{Step, at, call, end, failed, fragment, run};
use epitome::evidence::{Mismatch, Rule, last_place, replay_bp};
use epitome::model::{Fragment, FragmentId, Place, Run, SourceRun};
use epitome::syntax::bp::{Program, parse};
use epitome::syntax::{Source, Var};

fn program(text: &str) -> Program {
    parse(&Source::new("test.bp", text)).unwrap().0
}

/// `g` is the last digit; in `main` then `x`, `y`; in `p` then `a`, `c` and the two results.
const TEXT: &str = "
    decl g := 0;
    main() begin
        decl x := 1, y;
        g, y := p(x | *);
        p(y);
        _, x := p(0);
    end
    bool<2> p(a) begin
        decl c := 0;
        g := !g;
        if (a) then return c, a; fi
    end";

fn replay(fragments: &[(u32, &[Step])]) -> Result<(), Mismatch> {
    replay_bp(&program(TEXT), &run(fragments))
}

#[track_caller]
fn rejects(fragments: &[(u32, &[Step])], (fragment, step, rule): (usize, usize, Rule)) {
    let mismatch = replay(fragments).unwrap_err();
    assert_eq!((mismatch.fragment, mismatch.step, mismatch.rule), (fragment, step, rule));
}

/// `p(1)` with `g` = 0: returns (0, 1), leaving `g` = 1. The results begin as anything.
const P1: (u32, &[Step]) = (
    1,
    &[
        (Place::Statement(0), 0b01_010, None),
        (Place::Statement(1), 0b01_011, None),
        (Place::Statement(2), 0b01_011, None),
        (Place::End, 0b10_011, None),
    ],
);

/// `p(0)` with `g` = 0: falls off the end with the results (1, 0) that nobody assigned.
const P0: (u32, &[Step]) =
    (1, &[(Place::Statement(0), 0b01_000, None), (Place::Statement(1), 0b01_001, None), (Place::End, 0b01_001, None)]);

#[test]
fn results_and_globals_come_back() {
    // g is overwritten by the first result, after the callee has set it; the second goes to y.
    assert_eq!(replay(&[P1, (0, &[call(0, 0b010, 0), at(1, 0b110)])]), Ok(()));
    // The results of a plain call are dropped.
    let all = [call(0, 0b010, 0), call(1, 0b110, 0), call(2, 0b111, 1), end(0b010)];
    rejects(&[P1, P0, (0, &all)], (2, 2, Rule::Globals));
    let p0_from_1 = [at(0, 0b01_001), at(1, 0b01_000), end(0b01_000)];
    let all = [call(0, 0b010, 0), call(1, 0b110, 0), call(2, 0b111, 1), end(0b100)];
    assert_eq!(replay(&[P1, (1, &p0_from_1), (0, &all)]), Ok(()));
    for (state, var) in [(0b111, Var::Global(0)), (0b100, Var::Local(0)), (0b010, Var::Local(1))] {
        rejects(&[P1, (0, &[call(0, 0b010, 0), at(1, state)])], (1, 0, Rule::Unchanged(var)));
    }
}

#[test]
fn a_call_that_returns_goes_on_after_it() {
    rejects(&[P1, (0, &[call(0, 0b010, 0), at(2, 0b110)])], (1, 0, Rule::Control));
    rejects(&[P1, (0, &[call(0, 0b010, 0), at(0, 0b110)])], (1, 0, Rule::Control));
}

#[test]
fn arguments_and_globals_go_in() {
    rejects(&[P0, (0, &[call(0, 0b010, 0), at(1, 0b011)])], (1, 0, Rule::Argument(0)));
    let from_1 = [at(0, 0b01_011)];
    rejects(&[(1, &from_1), (0, &[call(0, 0b010, 0)])], (1, 0, Rule::Globals));
    let c_is_1 = [at(0, 0b01_110)];
    rejects(&[(1, &c_is_1), (0, &[call(0, 0b010, 0)])], (0, 0, Rule::Initial(Var::Local(1))));
}

#[test]
fn return_assigns_the_results() {
    let wrong = [at(0, 0b00_010), at(1, 0b00_011), at(2, 0b00_011), end(0b00_011)];
    rejects(&[(1, &wrong), (0, &[call(0, 0b010, 0)])], (0, 2, Rule::Value(Var::Local(3))));
    let changed = [at(0, 0b00_000), at(1, 0b00_001), end(0b10_001)];
    rejects(&[(1, &changed), (0, &[call(0, 0b010, 0)])], (0, 1, Rule::Unchanged(Var::Local(3))));
}

#[test]
fn main_starts_with_declared_values() {
    assert_eq!(replay(&[(0, &[at(0, 0b110)])]), Ok(()));
    rejects(&[(0, &[at(0, 0b011)])], (0, 0, Rule::Initial(Var::Global(0))));
    rejects(&[(0, &[at(0, 0b000)])], (0, 0, Rule::Initial(Var::Local(0))));
    rejects(&[P1], (0, 0, Rule::Start));
    rejects(&[(0, &[at(1, 0b010)])], (0, 0, Rule::Entry));
}

#[test]
fn only_calls_have_an_inside_and_only_of_the_callee() {
    rejects(&[P1, (1, &[call(0, 0b01_010, 0)]), (0, &[call(0, 0b010, 0)])], (1, 0, Rule::NotACall));
    rejects(&[P1, (0, &[(Place::End, 0b010, Some(0))])], (1, 0, Rule::Entry));
    rejects(&[(0, &[at(0, 0b010)]), (0, &[call(0, 0b010, 0)])], (1, 0, Rule::Callee));
    rejects(&[(0, &[at(0, 0b010), at(1, 0b010)])], (0, 0, Rule::NoInside));
}

#[test]
fn only_a_complete_inside_is_left() {
    let stops = [at(0, 0b01_010), at(1, 0b01_011)];
    let run_of = |steps: &'static [Step]| run(&[(1, &stops), (0, steps)]);
    let never_left: &[Step] = &[(Place::Statement(0), 0b010, Some(0))];
    assert_eq!(replay_bp(&program(TEXT), &run_of(never_left)), Ok(()));
    assert_eq!(last_place(&run_of(never_left)), (1, Place::Statement(1)));
    let left: &[Step] = &[(Place::Statement(0), 0b010, Some(0)), (Place::Statement(1), 0b011, None)];
    assert_eq!(replay_bp(&program(TEXT), &run_of(left)).unwrap_err().rule, Rule::Returned);
    // A call at the very end may stand without an inside, and a run may stop where an inside ends.
    assert_eq!(replay(&[P1, (0, &[call(0, 0b010, 0), at(1, 0b110)])]), Ok(()));
    assert_eq!(replay(&[P1, (0, &[call(0, 0b010, 0)])]), Ok(()));
}

#[test]
fn an_inside_that_stops_in_a_call_or_a_failure_is_not_complete() {
    let text = program("main() begin q(); end void q() begin if (*) then q(); else assert(0); fi end");
    let fails: &[Step] = &[at(0, 0), at(3, 0), failed(3, 0)];
    let nested: &[Step] = &[at(0, 0), call(1, 0, 0)];
    // No variable is in scope, so states have no words.
    let build = |parts: &[(u32, &[Step])]| {
        let fragments = parts.iter().map(|(procedure, steps)| {
            let mut fragment = Fragment::new(*procedure, 0);
            steps.iter().for_each(|&(place, _, inside)| fragment.push(place, &[], inside.map(FragmentId)));
            fragment
        });
        Run { fragments: fragments.collect() }
    };
    let good = build(&[(1, fails), (1, nested), (0, &[call(0, 0, 1)])]);
    assert_eq!(replay_bp(&text, &good), Ok(()));
    assert_eq!(last_place(&good), (1, Place::Failed(3)));
    for inside in 0..2 {
        let bad = build(&[(1, fails), (1, nested), (0, &[call(0, 0, inside), end(0)])]);
        assert_eq!(replay_bp(&text, &bad).unwrap_err().rule, Rule::Returned);
    }
}

#[test]
fn malformed_runs_are_rejected() {
    let program = program(TEXT);
    let rule = |run: SourceRun| replay_bp(&program, &run).unwrap_err().rule;
    assert_eq!(rule(Run { fragments: Vec::new() }), Rule::SomeFragment);
    assert_eq!(rule(run(&[(0, &[])])), Rule::SomePlace);
    assert_eq!(rule(run(&[(2, &[at(0, 0b010)])])), Rule::Procedure);
    assert_eq!(rule(run(&[(u32::MAX, &[at(0, 0b010)])])), Rule::Procedure);
    assert_eq!(rule(run(&[(0, &[at(0, 0b1010)])])), Rule::Scope);
    for (variables, state) in [(0, vec![]), (65, vec![0b010, 0])] {
        let mut wide = Fragment::new(0, variables);
        wide.push(Place::Statement(0), &state, None);
        assert_eq!(rule(Run { fragments: vec![wide] }), Rule::Scope);
    }
    for inside in [0, 1, 7, u32::MAX - 1] {
        assert_eq!(rule(run(&[(0, &[call(0, 0b010, inside)])])), Rule::Order);
    }
    assert_eq!(rule(Run { fragments: vec![fragment(0, &[call(0, 0b010, 1)]), fragment(1, P1.1)] }), Rule::Order);
}

#[test]
fn places_that_do_not_exist_are_rejected() {
    let text = program("decl g; main() begin if (g) then skip; fi assert(g); end");
    for place in [
        Place::Statement(2),
        Place::Statement(4),
        Place::Statement(u32::MAX),
        Place::Failed(0),
        Place::Failed(9),
        Place::Node(0),
        Place::Port(0, 0),
    ] {
        let steps = [at(0, 0), (place, 0, None)];
        assert_eq!(replay_bp(&text, &run(&[(0, &steps)])).unwrap_err().step, 1, "{place:?}");
        let steps = [(place, 0, None)];
        assert_eq!(replay_bp(&text, &run(&[(0, &steps)])).unwrap_err().rule, Rule::Place, "{place:?}");
    }
}

/// Each of 200 levels calls the next twice: 2^200 calls, replayed in 400 steps.
#[test]
fn exponential_runs_replay_at_the_size_they_are_stored() {
    const LEVELS: u32 = 200;
    let mut text = String::from("decl g; main() begin p0(); p0(); end\n");
    for level in 0..LEVELS - 1 {
        text += &format!("void p{level}() begin p{0}(); p{0}(); end\n", level + 1);
    }
    text += &format!("void p{}() begin g := !g; end", LEVELS - 1);
    let program = program(&text);
    // A fragment for each value of g at the innermost level; each level above calls both in turn.
    let mut fragments = vec![fragment(LEVELS, &[at(0, 0), end(1)]), fragment(LEVELS, &[at(0, 1), end(0)])];
    let (mut first, mut second) = (0, 1);
    for level in (0..LEVELS).rev() {
        let id = fragments.len() as u32;
        fragments.push(fragment(level, &[call(0, 0, first), call(1, u64::from(first != second), second), end(0)]));
        (first, second) = (id, id);
    }
    let run = Run { fragments };
    assert!(run.full_length(|_, _| true) > 2f64.powi(200));
    assert_eq!(replay_bp(&program, &run), Ok(()));
}

/// Globals beyond one word: the copy on the way in and out respects the boundary.
#[test]
fn states_of_several_words_are_compared_bit_by_bit() {
    let names: Vec<String> = (0..70).map(|i| format!("g{i}")).collect();
    let text = format!(
        "decl {}; main() begin decl x; x := flip(g69); end bool flip(a) begin g69 := !a; return g0; end",
        names.join(", ")
    );
    let program = program(&text);
    // In word 1: g64..g69 are bits 0..5; then x in main, and a and the result in flip.
    let build = |inside_start: u64, after: [u64; 2]| {
        let mut flip = Fragment::new(1, 72);
        flip.push(Place::Statement(0), &[1, inside_start], None);
        flip.push(Place::Statement(1), &[1, inside_start & !0b00_100000], None);
        flip.push(Place::End, &[1, inside_start & !0b00_100000 | 0b10_000000], None);
        let mut main = Fragment::new(0, 71);
        main.push(Place::Statement(0), &[1, 0b0_100001], Some(FragmentId(0)));
        main.push(Place::End, &after, None);
        replay_bp(&program, &Run { fragments: vec![flip, main] }).map_err(|mismatch| mismatch.rule)
    };
    assert_eq!(build(0b01_100001, [1, 0b1_000001]), Ok(()));
    assert_eq!(build(0b01_100001, [1, 0b1_100001]), Err(Rule::Unchanged(Var::Global(69))));
    assert_eq!(build(0b01_100001, [1, 0b0_000001]), Err(Rule::Unchanged(Var::Local(0))));
    assert_eq!(build(0b01_100001, [3, 0b1_000001]), Err(Rule::Unchanged(Var::Global(1))));
    assert_eq!(build(0b01_100000, [1, 0b1_000000]), Err(Rule::Globals));
    assert_eq!(build(0b00_100001, [1, 0b1_000001]), Err(Rule::Value(Var::Global(69))));
    assert_eq!(build(0b01_100001, [1, 0b11_000001]), Err(Rule::Scope));
}

//! Each kind of statement by hand: steps that it allows, and steps that it does not, by rule.

use crate::shorthand::{Step, at, end, failed, run};
use epitome::evidence::{Rule, last_place, replay_bp};
use epitome::model::Place;
use epitome::syntax::bp::{Program, parse};
use epitome::syntax::{Source, Var};

const A: Var = Var::Global(0);
const B: Var = Var::Global(1);

fn program(body: &str) -> Program {
    parse(&Source::new("test.bp", format!("decl a, b; main() begin {body} end"))).unwrap().0
}

/// The run of `main`, over the globals `a` (last digit) and `b`, replays.
#[track_caller]
fn accepts(body: &str, steps: &[Step]) {
    assert_eq!(replay_bp(&program(body), &run(&[(0, steps)])), Ok(()));
}

/// It does not, and the step before the last is where it goes wrong.
#[track_caller]
fn rejects(body: &str, steps: &[Step], rule: Rule) {
    let mismatch = replay_bp(&program(body), &run(&[(0, steps)])).unwrap_err();
    assert_eq!(mismatch.rule, rule);
    assert_eq!((mismatch.fragment, mismatch.step), (0, steps.len().saturating_sub(2)));
    assert_eq!(mismatch.at, Some((0, steps[mismatch.step].0)));
}

#[test]
fn an_empty_body_is_at_its_end() {
    accepts("", &[end(0)]);
    rejects("", &[at(0, 0)], Rule::Place);
}

#[test]
fn skip_and_print_change_nothing() {
    accepts("skip; print(a, *);", &[at(0, 1), at(1, 1), end(1)]);
    accepts("skip; print(a, *);", &[at(0, 1), at(1, 1)]);
    rejects("skip; print(a, *);", &[at(0, 1), at(1, 3)], Rule::Unchanged(B));
    rejects("skip; print(a, *);", &[at(0, 1), at(1, 1), end(0)], Rule::Unchanged(A));
    rejects("skip; print(a, *);", &[at(0, 1), end(1)], Rule::Control);
    rejects("skip;", &[end(0)], Rule::Entry);
}

#[test]
fn assignments_are_parallel() {
    accepts("a, b := b, a;", &[at(0, 0b01), end(0b10)]);
    rejects("a, b := b, a;", &[at(0, 0b01), end(0b01)], Rule::Value(A));
    rejects("a, b := b, a;", &[at(0, 0b01), end(0b00)], Rule::Value(B));
    rejects("a := b;", &[at(0, 0b10), end(0b01)], Rule::Unchanged(B));
    rejects("a := b; skip;", &[at(0, 0b10), end(0b11)], Rule::Control);
    accepts("_, b := a, a;", &[at(0, 0b01), end(0b11)]);
    rejects("_ := b;", &[at(0, 0b01), end(0b00)], Rule::Unchanged(A));
}

#[test]
fn each_choice_is_made_on_its_own() {
    for state in 0..4 {
        accepts("a, b := *, ?;", &[at(0, 0), end(state)]);
        accepts("a := * ^ *; b := 1;", &[at(0, state), at(1, state ^ 1), end(state ^ 1 | 2)]);
    }
    accepts("a := b & env;", &[at(0, 0b10), end(0b11)]);
    rejects("a := b & env;", &[at(0, 0b00), end(0b01)], Rule::Value(A));
    rejects("a := b | *;", &[at(0, 0b11), end(0b10)], Rule::Value(A));
    rejects("a := !(b => *);", &[at(0, 0b01), end(0b01)], Rule::Value(A));
}

#[test]
fn schoose_is_one_or_zero_or_a_choice() {
    for (b, a, allowed) in [(0, 0, true), (0, 1, true), (1, 0, false), (1, 1, true)] {
        let steps = [at(0, b << 1), end(b << 1 | a)];
        if allowed {
            accepts("a := schoose[b, 0];", &steps);
        } else {
            rejects("a := schoose[b, 0];", &steps, Rule::Value(A));
        }
    }
    rejects("a := schoose[0, b];", &[at(0, 0b10), end(0b11)], Rule::Value(A));
    accepts("a := schoose[0, b];", &[at(0, 0b10), end(0b10)]);
    accepts("a := schoose[0, b];", &[at(0, 0b00), end(0b01)]);
    accepts("a := schoose[1, 1];", &[at(0, 0b00), end(0b01)]);
    rejects("a := schoose[1, 1];", &[at(0, 0b00), end(0b00)], Rule::Value(A));
    accepts("a := schoose[*, 1];", &[at(0, 0b00), end(0b00)]);
    rejects("a := schoose[*, 1] & b;", &[at(0, 0b00), end(0b01)], Rule::Value(A));
}

#[test]
fn constrain_speaks_of_both_states() {
    accepts("a, b := *, * constrain 'a != 'b & a;", &[at(0, 0b01), end(0b10)]);
    rejects("a, b := *, * constrain 'a != 'b & a;", &[at(0, 0b01), end(0b11)], Rule::Constrain);
    rejects("a, b := *, * constrain 'a != 'b & a;", &[at(0, 0b00), end(0b10)], Rule::Constrain);
    accepts("a := * constrain 'b;", &[at(0, 0b10), end(0b11)]);
    accepts("a := * constrain 'a & *;", &[at(0, 0b10), end(0b11)]);
}

#[test]
fn if_decides() {
    // 0 if, 1 skip, 2 elsif, 3 skip, 4 else, 5 skip, 6 fi, 7 skip
    let body = "if (a) then skip; elsif (b | *) then skip; else skip; fi skip;";
    accepts(body, &[at(0, 1), at(1, 1), at(7, 1), end(1)]);
    accepts(body, &[at(0, 2), at(2, 2), at(3, 2), at(7, 2)]);
    accepts(body, &[at(0, 0), at(2, 0), at(5, 0), at(7, 0)]);
    rejects(body, &[at(0, 0), at(1, 0)], Rule::Condition);
    rejects(body, &[at(0, 1), at(2, 1)], Rule::Condition);
    rejects(body, &[at(0, 2), at(2, 2), at(5, 2)], Rule::Condition);
    rejects(body, &[at(0, 0), at(5, 0)], Rule::Control);
    rejects(body, &[at(0, 1), at(1, 1), at(2, 1)], Rule::Control);
    rejects(body, &[at(0, 1), at(1, 0)], Rule::Unchanged(A));
    accepts("if a then skip; fi", &[at(0, 0), end(0)]);
    rejects("if a then skip; fi", &[at(0, 1), end(1)], Rule::Condition);
}

#[test]
fn an_if_without_a_body_goes_on_either_way() {
    for state in 0..4 {
        accepts("if (a) then fi skip;", &[at(0, state), at(2, state)]);
    }
}

#[test]
fn while_repeats() {
    let body = "while (a) do a := *; od b := 1;";
    accepts(body, &[at(0, 1), at(1, 1), at(0, 1), at(1, 1), at(0, 0), at(3, 0), end(2)]);
    rejects(body, &[at(0, 1), at(3, 1)], Rule::Condition);
    rejects(body, &[at(0, 0), at(1, 0)], Rule::Condition);
    rejects(body, &[at(0, 1), at(1, 1), at(3, 0)], Rule::Control);
    accepts("while (*) do od", &[at(0, 1), at(0, 1), at(0, 1), end(1)]);
    rejects("while (0) do od", &[at(0, 1), at(0, 1)], Rule::Condition);
}

#[test]
fn goto_jumps_to_one_of_its_labels() {
    let body = "goto L, M; skip; L: skip; if (a) then skip; M: skip; fi";
    accepts(body, &[at(0, 0), at(2, 0), at(3, 0), end(0)]);
    accepts(body, &[at(0, 0), at(5, 0), end(0)]);
    rejects(body, &[at(0, 0), at(1, 0)], Rule::Control);
    rejects(body, &[at(0, 0), at(2, 1)], Rule::Unchanged(A));
    accepts("L: goto L;", &[at(0, 0), at(0, 0), at(0, 0)]);
}

#[test]
fn assert_fails_or_goes_on() {
    accepts("assert(a); skip;", &[at(0, 1), at(1, 1)]);
    accepts("assert(a); skip;", &[at(0, 2), failed(0, 2)]);
    accepts("assert(*); skip;", &[at(0, 2), failed(0, 2)]);
    rejects("assert(a); skip;", &[at(0, 1), failed(0, 1)], Rule::Condition);
    rejects("assert(a); skip;", &[at(0, 2), at(1, 2)], Rule::Condition);
    rejects("assert(a); assert(b);", &[at(0, 0), failed(1, 0)], Rule::Control);
    rejects("assert(a);", &[at(0, 0), failed(0, 1)], Rule::Unchanged(A));
    rejects("assert(a); skip;", &[at(0, 0), failed(0, 0), at(1, 0)], Rule::Ended);
    assert_eq!(last_place(&run(&[(0, &[at(0, 0), failed(0, 0)])])), (0, Place::Failed(0)));
}

#[test]
fn assume_blocks() {
    accepts("assume(a ^ *);", &[at(0, 1), end(1)]);
    rejects("assume(a & *);", &[at(0, 2), end(2)], Rule::Condition);
    rejects("assume(!a); skip;", &[at(0, 2), end(2)], Rule::Control);
}

#[test]
fn return_ends_the_procedure() {
    accepts("return; skip;", &[at(0, 1), end(1)]);
    rejects("return; skip;", &[at(0, 1), at(1, 1)], Rule::Control);
    rejects("return;", &[at(0, 1), end(1), end(1)], Rule::Ended);
}

#[test]
fn dead_variables_take_any_value() {
    for state in 0..2 {
        accepts("dead a;", &[at(0, 1), end(state)]);
    }
    rejects("dead a;", &[at(0, 1), end(3)], Rule::Unchanged(B));
    accepts("dead a, b;", &[at(0, 1), end(2)]);
}

#[test]
fn enforce_holds_everywhere() {
    accepts("enforce a; b := *;", &[at(0, 1), end(3)]);
    accepts("enforce a | *; b := *;", &[at(0, 0), end(2)]);
    rejects("enforce a; b := *;", &[at(0, 0)], Rule::Enforce);
    let last = |body, steps: &[Step]| replay_bp(&program(body), &run(&[(0, steps)])).unwrap_err();
    assert_eq!(last("enforce a; a := *;", &[at(0, 1), end(0)]).rule, Rule::Enforce);
    assert_eq!(last("enforce a; dead a; assert(0);", &[at(0, 1), at(1, 0)]).step, 1);
    accepts("enforce b; assert(a);", &[at(0, 2), failed(0, 2)]);
}

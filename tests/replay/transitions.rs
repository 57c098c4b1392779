//! Each rule of machines by hand.

use crate::shorthand::{Step, node, port, run};
use epitome::evidence::{Rule, last_place, replay_rsm};
use epitome::model::{Place, Run};
use epitome::syntax::rsm::{Machines, parse};
use epitome::syntax::{Source, Var};

/// `g` is the last digit; in the first machine then `x`, in the second `a`, `r`, `c`.
const TEXT: &str = "
    var g := 0;
    machine Main {
        var x;
        entry e; node n; exit done; entry unused;
        box b: Sub(x -> x);
        e -> n when !g do x := * constrain 'x != g;
        n -> b.e2 do g := x;
        n -> b.e1;
        b.no -> done when g do g := x, x := g;
        b.no -> done when !g;
    }
    machine Sub(in a; out r) {
        var c := 1;
        entry e1; exit ok; entry e2; exit no;
        e1 -> ok;
        e2 -> ok;
        e2 -> no do r := !a, g := c & a;
    }
    init Main.e;";

fn machines() -> Machines {
    parse(&Source::new("test.rsm", TEXT)).unwrap().0
}

#[track_caller]
fn accepts(fragments: &[(u32, &[Step])]) {
    assert_eq!(replay_rsm(&machines(), &run(fragments)), Ok(()));
}

#[track_caller]
fn rejects(fragments: &[(u32, &[Step])], (fragment, step, rule): (usize, usize, Rule)) {
    let mismatch = replay_rsm(&machines(), &run(fragments)).unwrap_err();
    assert_eq!((mismatch.fragment, mismatch.step, mismatch.rule), (fragment, step, rule));
}

/// From `g` = 1, `a` = 1: leaves `g` = 1 and `r` = 0.
const SUB: (u32, &[Step]) = (1, &[(Place::Node(2), 0b1_111, None), (Place::Node(3), 0b1_011, None)]);

/// The port without its call.
const PORT: Place = Place::Port(0, 1);

#[test]
fn a_run_starts_at_an_init_entry_with_declared_values() {
    accepts(&[(0, &[node(0, 0b10)])]);
    rejects(&[(0, &[node(0, 0b01)])], (0, 0, Rule::Initial(Var::Global(0))));
    rejects(&[(0, &[node(3, 0b00)])], (0, 0, Rule::Start));
    rejects(&[(0, &[node(1, 0b00)])], (0, 0, Rule::Entry));
    rejects(&[(0, &[(PORT, 0b00, None)])], (0, 0, Rule::Entry));
    rejects(&[(1, &[node(0, 0b1000)])], (0, 0, Rule::Start));
}

#[test]
fn a_step_is_a_transition() {
    accepts(&[(0, &[node(0, 0b00), node(1, 0b10)])]);
    rejects(&[(0, &[node(0, 0b10), node(1, 0b00)])], (0, 0, Rule::Constrain));
    rejects(&[(0, &[node(0, 0b00), node(1, 0b11)])], (0, 0, Rule::Unchanged(Var::Global(0))));
    rejects(&[(0, &[node(0, 0b00), node(2, 0b00)])], (0, 0, Rule::Control));
    rejects(&[(0, &[node(0, 0b00), node(1, 0b10), (PORT, 0b10, None)])], (0, 1, Rule::Value(Var::Global(0))));
    accepts(&[(0, &[node(0, 0b00), node(1, 0b10), (PORT, 0b11, None)])]);
}

#[test]
fn a_call_enters_as_its_port_says_and_resumes_at_the_exit() {
    let before = [node(0, 0b00), node(1, 0b10), port(0, 1, 0b11, 0)];
    let with = |last: Step| [&before[..], &[last]].concat();
    accepts(&[SUB, (0, &before)]);
    // At the return port g = 1 and x = 0; the transition swaps them.
    accepts(&[SUB, (0, &with(node(2, 0b10)))]);
    rejects(&[SUB, (0, &with(node(2, 0b01)))], (1, 2, Rule::Condition));
    rejects(&[SUB, (0, &with(node(1, 0b10)))], (1, 2, Rule::Control));
    let other_exit: &[Step] = &[node(2, 0b1_111), node(1, 0b1_111)];
    rejects(&[(1, other_exit), (0, &with(node(2, 0b10)))], (1, 2, Rule::Control));
    let unfinished: &[Step] = &[node(2, 0b1_111)];
    rejects(&[(1, unfinished), (0, &with(node(2, 0b10)))], (1, 2, Rule::Returned));
    let never_left = run(&[(1, unfinished), (0, &before)]);
    assert_eq!(replay_rsm(&machines(), &never_left), Ok(()));
    assert_eq!(last_place(&never_left), (1, Place::Node(2)));
}

#[test]
fn what_goes_in_fits_the_port() {
    let main: &[Step] = &[node(0, 0b00), node(1, 0b10), port(0, 1, 0b11, 0)];
    rejects(&[(1, &[node(0, 0b1_111)]), (0, main)], (1, 2, Rule::Entry));
    rejects(&[(1, &[node(2, 0b1_101)]), (0, main)], (1, 2, Rule::Argument(0)));
    rejects(&[(1, &[node(2, 0b1_110)]), (0, main)], (1, 2, Rule::Globals));
    rejects(&[(1, &[node(2, 0b0_111)]), (0, main)], (0, 0, Rule::Initial(Var::Local(2))));
    rejects(&[(0, &[node(0, 0b11)]), (0, main)], (1, 2, Rule::Callee));
    accepts(&[(1, &[node(2, 0b1_011)]), (0, main)]);
}

#[test]
fn ports_need_an_inside_and_nodes_have_none() {
    let passed: &[Step] = &[node(0, 0b00), node(1, 0b10), (PORT, 0b11, None), node(2, 0b10)];
    rejects(&[(0, passed)], (0, 2, Rule::NoInside));
    rejects(&[SUB, (0, &[(Place::Node(0), 0b00, Some(0))])], (1, 0, Rule::NotACall));
}

#[test]
fn nothing_follows_an_exit() {
    let main: &[Step] = &[node(0, 0b00), node(1, 0b10), port(0, 1, 0b11, 0), node(2, 0b10), node(0, 0b10)];
    rejects(&[SUB, (0, main)], (1, 3, Rule::Ended));
}

#[test]
fn targets_take_the_results_in_order() {
    let text = "machine M { var x; entry e; node n; box b: S(-> x); e -> b.e; b.x -> n; }
        machine S(out r) { entry e; exit x; e -> x; } init M.e;";
    let mut machines = parse(&Source::new("test.rsm", text)).unwrap().0;
    let replay = |machines: &Machines, results, x| {
        let inside: &[Step] = &[node(0, results), node(1, results)];
        replay_rsm(machines, &run(&[(1, inside), (0, &[node(0, 0), port(0, 0, 0, 0), node(1, x)])]))
    };
    assert_eq!(replay(&machines, 1, 1), Ok(()));
    assert_eq!(replay(&machines, 1, 0).unwrap_err().rule, Rule::Unchanged(Var::Local(0)));
    // The last result that goes to a variable is the one it keeps.
    let result = machines.machines[1].locals[0];
    machines.machines[1].locals.push(result);
    machines.machines[1].outputs = 2;
    let target = machines.machines[0].boxes[0].targets[0];
    machines.machines[0].boxes[0].targets.push(target);
    assert_eq!(replay(&machines, 0b10, 1), Ok(()));
    assert!(replay(&machines, 0b01, 1).is_err());
}

#[test]
fn malformed_runs_are_rejected() {
    assert_eq!(replay_rsm(&machines(), &Run { fragments: Vec::new() }).unwrap_err().rule, Rule::SomeFragment);
    rejects(&[(0, &[])], (0, 0, Rule::SomePlace));
    rejects(&[(2, &[node(0, 0)])], (0, 0, Rule::Procedure));
    rejects(&[(0, &[node(0, 0b100)])], (0, 0, Rule::Scope));
    rejects(&[(0, &[node(0, 0), node(1, 0b10), port(0, 1, 0b11, 0)])], (0, 2, Rule::Order));
    for place in [
        Place::Node(4),
        Place::Node(u32::MAX),
        Place::Port(1, 0),
        Place::Port(0, 2),
        Place::Port(u32::MAX, u32::MAX),
        Place::Statement(0),
        Place::End,
        Place::Failed(0),
    ] {
        rejects(&[(0, &[node(0, 0), (place, 0b10, None)])], (0, 1, Rule::Place));
    }
}

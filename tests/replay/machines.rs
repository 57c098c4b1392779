//! Replay of machines, held against what they mean on stacks.

use crate::common::meaning::Meaning;
use crate::mutations::judge;
use epitome::evidence::replay_rsm;
use epitome::syntax::Source;
use epitome::syntax::rsm::parse;

/// Two entries and two exits, recursion of both machines, transitions side by side.
const RICH: &str = "
    var g, h := 0;
    machine Main {
        var x := 1, y;
        entry e; node n; exit done;
        box b: Sub(x, y | * -> g, y);
        box again: Main;
        box c: Sub(*, 0 -> y, _);
        e -> n when g & x | *;
        e -> n do g := !g;
        n -> b.e1 do x := *, y := x constrain 'x != 'y;
        n -> b.e2 when !h;
        b.ok -> n when y do x := y, y := x;
        b.ok -> c.e2 when !y do h := * | h;
        b.bad -> n;
        b.bad -> done when x;
        n -> again.e when x & y;
        again.done -> n do y := 1 constrain g = *;
        c.bad -> done;
        n -> done when h & *;
    }
    machine Sub(in a, b; out r, s := 0) {
        var c := 1;
        node n; entry e1; exit ok, bad; entry e2;
        box again: Sub(b, !a -> a, _);
        e1 -> n do r := a ^ b;
        n -> n when c do c := *, h := schoose[c, g];
        n -> ok when c | r;
        n -> again.e2;
        again.bad -> bad when a do s := 1;
        again.bad -> again.e1 when !a;
        again.ok -> ok;
        e2 -> bad do s := *, h := a;
    }
    init Main.e;";

#[test]
fn exactly_the_runs_of_rich_machines_replay() {
    let source = Source::new("test.rsm", RICH);
    let meaning = Meaning(parse(&source).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source))).0);
    let tally = judge(&meaning, |run| replay_rsm(&meaning.0, run), 0..60, 40);
    assert!(tally.judged > 10_000 && tally.accepted * 10 < tally.judged, "{tally:?}");
    assert!(tally.accepted > 100, "{tally:?}");
}

//! What compaction leaves of small programs.

use crate::common::parse;
use crate::{failures, goal};
use epitome::model::{NodeId, ProcId, Vertex, build};
use epitome::reduce::{Step, Task, compact};
use epitome::syntax::{Place, Program};

/// The transitions that are left of the first procedure, in source terms: `entry`, the number of a
/// statement (from 0), `end`, `failed`, `call` and `return`; sorted.
fn remains(text: &str) -> Vec<String> {
    let program = Program::Bp(parse(text));
    let (ersm, map) = build(&program);
    let nodes = failures(&ersm);
    let goal = goal(&ersm, &nodes, false);
    let Step { task, back } = compact(Task { ersm, goal });
    for (id, procedure) in task.ersm.procedures() {
        let back = &back.procedures[id.index()];
        assert_eq!(back.nodes.len(), procedure.nodes.len());
        for failure in &task.ersm.failures {
            let above = back.nodes.get(failure.node.index());
            assert!(failure.procedure != id || above.is_some_and(|above| nodes.contains(&(id, *above))));
        }
    }
    let name = |vertex: Vertex| match vertex {
        Vertex::Node(NodeId(node)) => match map.place(0, back.procedures[0].nodes[node as usize].index()) {
            None => "entry".to_owned(),
            Some(Place::Statement(statement)) => statement.to_string(),
            Some(Place::End) => "end".to_owned(),
            Some(Place::Failed(_)) => "failed".to_owned(),
            Some(other) => format!("{other:?}"),
        },
        Vertex::Call(..) => "call".to_owned(),
        Vertex::Return(..) => "return".to_owned(),
    };
    let edges = task.ersm.procedure(ProcId(0)).edges.iter();
    let mut edges: Vec<String> = edges
        .map(|edge| format!("{} {} {}/{}", name(edge.from), name(edge.to), edge.assignments.len(), edge.choices.len()))
        .collect();
    edges.sort();
    edges
}

#[test]
fn a_straight_line_is_one_transition() {
    assert_eq!(remains("decl a, b; main() begin a := b; b := !a; a := *; skip; end"), ["entry end 2/1"]);
    // What is written twice and comes out as it was is not assigned.
    assert_eq!(remains("decl a, b; main() begin b := a; b := !a; a := !b; end"), ["entry end 1/0"]);
}

#[test]
fn a_diamond_is_one_transition() {
    let text = "decl a, b; main() begin if (a) then b := 1; else b := 0; fi; a := b; end";
    assert_eq!(remains(text), ["entry end 1/0"]);
    // The branches of `if (*)` are one choice.
    assert_eq!(remains("decl a; main() begin if (*) then a := 1; fi; skip; end"), ["entry end 1/1"]);
    assert_eq!(remains("decl a; main() begin if (a) then assume(0); fi; end"), ["entry end 0/0"]);
}

#[test]
fn loop_heads_stay() {
    let text = "decl a; main() begin a := 1; while (a) do a := !a; a := *; od; a := 0; end";
    assert_eq!(remains(text), ["1 1 1/1", "1 end 1/0", "entry 1 1/0"]);
    let nested = "decl a, b; main() begin while (a) do skip; while (b) do b := *; od; a := b; od; end";
    assert_eq!(remains(nested), ["0 2 0/0", "0 end 0/0", "2 0 1/0", "2 2 1/1", "entry 0 0/0"]);
}

#[test]
fn ports_stay_and_what_two_regions_enter() {
    let text = "decl a; main() begin if (a) then a := 0; f(); fi; skip; a := 1; end f() begin skip; end";
    assert_eq!(remains(text), ["4 end 1/0", "entry 4 0/0", "entry call 1/0", "return 4 0/0"]);
}

#[test]
fn targets_stay() {
    let text = "decl a; main() begin a := 0; a := 1; ERROR: a := *; skip; end";
    assert_eq!(remains(text), ["2 end 1/1", "entry 2 1/0"]);
    let text = "decl a; main() begin a := !a; assert(a); a := 1; end";
    assert_eq!(remains(text), ["entry end 1/0", "entry failed 1/0"]);
}

#[test]
fn gotos_get_selectors_only_where_ways_meet_again() {
    let text = "decl a; main() begin goto L, M, N; L: a := 0; goto E; M: a := 1; goto E; N: a := !a; E: skip; end";
    assert_eq!(remains(text), ["entry end 1/2"]);
    let text = "main() begin goto L, M; L: assert(0); M: skip; end";
    assert_eq!(remains(text), ["entry end 0/0", "entry failed 0/0"]);
    // A loop that is entered at two places: one is its head, the other is entered from two regions.
    let text = "decl a; main() begin goto L, M; L: a := 0; M: a := *; if (a) then goto L; fi; end";
    assert_eq!(remains(text), ["1 2 1/0", "2 1 1/1", "2 end 1/1", "entry 1 0/0", "entry 2 0/0"]);
}

/// A region is bounded, in transitions and in choices.
#[test]
fn regions_are_bounded() {
    let many = |statement: &str| remains(&format!("decl a; main() begin {} end", statement.repeat(100))).len();
    assert!((2..10).contains(&many("a := !a; ")), "{}", many("a := !a; "));
    assert!((10..40).contains(&many("a := a ^ *; ")), "{}", many("a := a ^ *; "));
}

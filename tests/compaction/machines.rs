//! Random machines: several entries and exits, boxes, recursion, variables, guards that overlap.

use crate::common::guarded_machines::guarded_machines;
use crate::{difference, goal, labels, one_target};
use epitome::engine::expand::Algorithm;
use epitome::model::build;
use epitome::syntax::{Language, Program, Source};

fn parse(text: &str) -> Program {
    let source = Source::new("m.rsm", text);
    Program::parse(&source, Language::Rsm).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(&source))).0
}

/// A run to every single node, so that all others may be compacted.
fn each_node(program: &Program, algorithm: Algorithm) -> Option<String> {
    let (ersm, map) = build(program);
    labels(&ersm).into_iter().find_map(|node| {
        let found = one_target(program, &ersm, &map, goal(&ersm, &[node], false), algorithm)?;
        Some(format!("{node:?}: {found}"))
    })
}

#[test]
fn with_variables() {
    for seed in 0..400 {
        let text = guarded_machines(seed, true);
        let program = parse(&text);
        assert_eq!(difference(&program), None, "seed {seed}\n{text}");
        assert_eq!(each_node(&program, Algorithm::Forward), None, "seed {seed}\n{text}");
    }
}

#[test]
fn without_variables() {
    for seed in 0..400 {
        let text = guarded_machines(seed, false);
        let program = parse(&text);
        assert_eq!(difference(&program), None, "seed {seed}\n{text}");
        for algorithm in [Algorithm::Forward, Algorithm::Components] {
            assert_eq!(each_node(&program, algorithm), None, "seed {seed}\n{text}");
        }
    }
}

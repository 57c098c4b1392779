//! What the searches cost: hierarchies are not flattened (Alur-HSM Theorem 3), and relations of entries and exits grow with
//! theta as they should (Alur-RSM Theorem 3).

use super::{check, linear};
use epitome::engine::expand::Algorithm;
use epitome::logic::Stack;
use epitome::syntax::{Program, Source, rsm};
use epitome::{Engine, Verdict};
use std::fmt::Write;

fn parse(text: &str) -> Program {
    let source = Source::new("test.rsm", text);
    Program::Rsm(rsm::parse(&source).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].render(&source))).0)
}

/// Each of so many levels calls the next twice; the last one ticks; the first goes round for ever.
fn hierarchy(levels: usize) -> Program {
    let mut text =
        "machine L0 { entry e; box a: L1, b: L1; node again; e -> a.e; a.x -> b.e; b.x -> again; again -> a.e; }\n"
            .replace("box a: L1, b: L1;", "box a: L1; box b: L1;");
    for level in 1..levels {
        let next = level + 1;
        let _ = writeln!(
            text,
            "machine L{level} {{ entry e; exit x; box a: L{next}; box b: L{next}; e -> a.e; a.x -> b.e; b.x -> x; }}"
        );
    }
    let _ = writeln!(text, "machine L{levels} {{ entry e; node tick; exit x; e -> tick; tick -> x; }}\ninit L0.e;");
    parse(&text)
}

#[test]
fn hierarchies_are_not_flattened() {
    let visits = |levels: usize, formula: &str, holds: bool| {
        let report = check(&hierarchy(levels), &linear(formula, Stack::Any), Engine::Expand(None));
        assert_eq!(report.verdict == Verdict::Holds, holds, "{formula}, {levels} levels");
        assert_eq!(report.statistics.algorithm, Algorithm::Nested.name());
        report.statistics.path_edges
    };
    for (formula, holds) in [("G F tick", true), ("G F again", true), ("F G !tick", false)] {
        let [few, many] = [50, 200].map(|levels| visits(levels, formula, holds));
        assert!(many <= 5 * few, "{formula}: {few} visits of 50 levels, {many} of 200, which have 2^200 states");
    }
}

/// The digital clock of the paper: 144 vertices, 86,400 states.
#[test]
fn the_clock_is_not_flattened() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/clock.rsm")).expect("the example");
    let report = check(&parse(&text), &linear("G F midnight", Stack::Any), Engine::Expand(None));
    assert_eq!(report.verdict, Verdict::Holds);
    assert!(report.statistics.path_edges < 2_000, "{} visits", report.statistics.path_edges);
}

/// A machine with so many entries and exits, each entry leading to each exit, that calls itself.
fn wide(theta: usize) -> Program {
    let list = |prefix: &str| (0..theta).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>().join(", ");
    let mut text = format!("machine M {{ entry {}; exit {}; node n; box b: M;\n", list("e"), list("x"));
    for n in 0..theta {
        let _ = writeln!(text, "e{n} -> n; n -> x{n}; n -> b.e{n}; b.x{n} -> n;");
    }
    text.push_str("}\ninit M.e0;\n");
    parse(&text)
}

#[test]
fn relations_grow_with_theta() {
    let atoms = |theta: usize| {
        let report = check(&wide(theta), &linear("F n", Stack::Any), Engine::Expand(Some(Algorithm::Components)));
        assert_eq!((report.verdict, report.statistics.algorithm), (Verdict::Holds, Algorithm::Components.name()));
        report.statistics.path_edges
    };
    // Of n, which grows with theta here, times theta.
    let [few, many] = [10, 40].map(atoms);
    assert!(many <= 20 * few, "{few} atoms for theta 10, {many} for theta 40");
}

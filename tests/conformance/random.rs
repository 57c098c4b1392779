//! Random programs of every shape, the programs that were kept, and every family.

use crate::{common, difference};
use epitome_benchmarks::{Shape, Verdict};

fn agree(shape: &Shape, seeds: std::ops::Range<u64>) {
    common::seeds::agree(shape, seeds, difference);
}

#[test]
fn general() {
    agree(&Shape::general(), 0..250);
}

#[test]
fn hierarchical() {
    agree(&Shape::hierarchical(), 0..250);
}

#[test]
fn acyclic() {
    agree(&Shape::acyclic(), 0..400);
}

#[test]
fn deterministic() {
    agree(&Shape::deterministic(), 0..900);
}

#[test]
fn io_bounded() {
    agree(&Shape::io_bounded(), 0..400);
}

#[test]
fn tiny() {
    agree(&Shape::tiny(), 0..2000);
}

/// Programs on which some engine was wrong once, shrunk.
#[test]
fn kept() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/kept");
    let mut programs = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        assert_eq!(difference(&text), None, "{}", path.display());
        programs += 1;
    }
    assert!(programs > 0);
}

/// Every family, small, in both versions, against its stated verdict and the reference.
#[test]
fn families() {
    for (name, verdict, text) in common::families::small_programs() {
        assert_eq!(difference(&text), None, "{name}");
        let reached = common::reference::explicit_summaries(&common::parse(&text));
        assert_eq!(reached.violated(&common::parse(&text)), verdict == Verdict::Unsafe, "{name}");
    }
}

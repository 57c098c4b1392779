//! Random programs of every shape. A seed that fails is shrunk and printed, to be kept as a case.

use crate::common::shrink::shrink;
use crate::{common, difference};
use epitome_benchmarks::{FAMILIES, Shape, Verdict, random_program};

fn agree(shape: &Shape, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let text = random_program(seed, shape);
        if let Some(found) = difference(&text) {
            let small = shrink(&text, |candidate| difference(candidate).is_some());
            panic!("seed {seed}: {found}\nshrunk:\n{small}\n{:?}", difference(&small));
        }
    }
}

#[test]
fn general() {
    agree(&Shape::general(), 0..400);
}

#[test]
fn hierarchical() {
    agree(&Shape::hierarchical(), 0..400);
}

#[test]
fn acyclic() {
    agree(&Shape::acyclic(), 0..600);
}

#[test]
fn deterministic() {
    agree(&Shape::deterministic(), 0..1500);
}

#[test]
fn io_bounded() {
    agree(&Shape::io_bounded(), 0..600);
}

#[test]
fn tiny() {
    agree(&Shape::tiny(), 0..3000);
}

/// Every family, small, in both versions, against its stated verdict and the reference.
#[test]
fn families() {
    for family in FAMILIES {
        for verdict in Verdict::ALL {
            for n in family.smallest..=family.smallest + 3 {
                let Ok(text) = family.generate(n, verdict) else { continue };
                assert_eq!(difference(&text), None, "{} {n} {verdict:?}", family.name);
                let reached = common::reference::explicit_summaries(&common::parse(&text));
                assert_eq!(reached.violated(&common::parse(&text)), verdict == Verdict::Unsafe, "{} {n}", family.name);
            }
        }
    }
}

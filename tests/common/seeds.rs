//! Random programs by seed: a seed on which something differs is shrunk and printed, to be kept as a case.
//! `EPITOME_SEEDS=20` runs twenty times as many, for a long run by hand.

use super::shrink::shrink;
use epitome_benchmarks::{Shape, random_program};
use std::ops::Range;

/// How many times as many seeds the user wants.
pub fn times() -> u64 {
    std::env::var("EPITOME_SEEDS").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// No program of this shape and these seeds makes a difference.
pub fn agree(shape: &Shape, seeds: Range<u64>, difference: impl Fn(&str) -> Option<String>) {
    for seed in seeds.start..seeds.start + (seeds.end - seeds.start) * times() {
        no_difference(&random_program(seed, shape), &format!("seed {seed}"), &difference);
    }
}

/// The program makes no difference.
pub fn no_difference(text: &str, context: &str, difference: impl Fn(&str) -> Option<String>) {
    if let Some(found) = difference(text) {
        let small = shrink(text, |candidate| difference(candidate).is_some());
        panic!("{context}: {found}\nshrunk:\n{small}\n{:?}", difference(&small));
    }
}

//! Random programs of every shape, and every family, small.

use crate::common::families::small_programs;
use crate::common::{seeds, try_parse};
use crate::difference;
use epitome::syntax::Program;
use epitome_benchmarks::Shape;

fn difference_of(text: &str) -> Option<String> {
    difference(&Program::Bp(try_parse(text).ok()?))
}

fn agree(shape: &Shape, seeds: u64) {
    seeds::agree(shape, 0..seeds, difference_of);
}

#[test]
fn general() {
    agree(&Shape::general(), 400);
}

#[test]
fn hierarchical() {
    agree(&Shape::hierarchical(), 400);
}

#[test]
fn acyclic() {
    agree(&Shape::acyclic(), 400);
}

#[test]
fn deterministic() {
    agree(&Shape::deterministic(), 600);
}

#[test]
fn io_bounded() {
    agree(&Shape::io_bounded(), 400);
}

#[test]
fn tiny() {
    agree(&Shape::tiny(), 1000);
}

#[test]
fn families() {
    for (name, _, text) in small_programs() {
        assert_eq!(difference_of(&text), None, "{name}");
    }
}

//! Against all values of the variables, on random guards, and where these are too many.

use super::*;
use crate::classify::{Bounds, Determinism, classify};
use crate::model::{CallGraph, Ersm, build};
use crate::syntax::{Language, Program, Source};
use epitome_benchmarks::{Shape, SplitMix64, random_program};
use std::time::{Duration, Instant};

/// A random signal over so many inputs.
fn signal(circuit: &mut Circuit, rng: &mut SplitMix64, inputs: u64) -> Lit {
    let mut signals: Vec<Lit> = (0..inputs).map(|number| circuit.input(number as u32)).collect();
    for _ in 0..rng.below(8) + 1 {
        let mut any = || signals[rng.below(signals.len() as u64) as usize].negate_if(rng.chance(1, 2));
        let (a, b) = (any(), any());
        let made = if rng.chance(1, 4) { circuit.xor(a, b) } else { circuit.and(a, b) };
        signals.push(made);
    }
    signals[signals.len() - 1]
}

/// One object for all groups, as in a machine; groups come again.
#[test]
fn as_by_trying_all_values() {
    const INPUTS: u64 = 5;
    let mut rng = SplitMix64::new(1);
    let mut circuit = Circuit::new();
    let groups: Vec<Vec<Lit>> = (0..2_000)
        .map(|_| {
            let context = signal(&mut circuit, &mut rng, INPUTS);
            let mut rest = context;
            let mut guards = Vec::new();
            for _ in 0..rng.below(5) {
                let guard = signal(&mut circuit, &mut rng, INPUTS);
                let apart = rng.chance(1, 2);
                guards.push(if apart { circuit.and(rest, guard) } else { guard });
                rest = circuit.and(rest, !guard);
            }
            guards.push(rest);
            guards
        })
        .collect();
    let mut overlaps = Overlaps::new(&circuit);
    let mut found = [0, 0];
    for group in groups.iter().chain(&groups) {
        let holding =
            |values: u32| group.iter().filter(|guard| circuit.evaluate(**guard, |n| values >> n & 1 == 1)).count();
        let expected = (0..1 << INPUTS).any(|values| holding(values) > 1);
        assert_eq!(overlaps.two_of(group.iter().copied()), Some(expected), "{group:?}");
        found[usize::from(expected)] += 1;
    }
    assert!(found.iter().all(|&times| times > 400), "{found:?}");
}

fn model(text: &str, language: Language) -> Ersm {
    let source = Source::new("program", text);
    let (program, _) = Program::parse(&source, language).unwrap_or_else(|e| panic!("{}", e[0].render(&source)));
    build(&program).0
}

fn determinism(text: &str) -> Determinism {
    classify(&model(text, Language::Rsm), Bounds::default()).measures.deterministic
}

/// Some values and choices satisfy two guards at a vertex of a procedure that can be called.
fn has_overlap(ersm: &Ersm) -> bool {
    let edges = CallGraph::new(ersm).bottom_up.into_iter().map(|id| &ersm.procedure(id).edges);
    edges.flat_map(|edges| edges.iter().enumerate().map(move |(index, edge)| (edge, &edges[..index]))).any(
        |(edge, others)| {
            others.iter().filter(|other| other.from == edge.from).any(|other| {
                let inputs = ersm.circuit.support([edge.guard, other.guard]);
                (0..1u32 << inputs.len()).any(|values| {
                    let value = |n| inputs.binary_search(&n).is_ok_and(|place| values >> place & 1 == 1);
                    [edge, other].iter().all(|edge| ersm.circuit.evaluate(edge.guard, value))
                })
            })
        },
    )
}

/// Choices make programs nondeterministic as well, so the two agree one way in general and both ways where
/// nothing is chosen.
#[test]
fn random_programs() {
    let mut overlapping = 0;
    for seed in 0..300 {
        let ersm = model(&random_program(seed, &Shape::general()), Language::Bp);
        let found = classify(&ersm, Bounds::default()).measures.deterministic;
        let overlap = has_overlap(&ersm);
        overlapping += usize::from(overlap);
        assert!(found == Determinism::Nondeterministic || !overlap && found == Determinism::Deterministic, "{seed}");
        let ersm = model(&random_program(seed, &Shape::deterministic()), Language::Bp);
        assert!(!has_overlap(&ersm), "{seed}");
        assert_eq!(classify(&ersm, Bounds::default()).measures.deterministic, Determinism::Deterministic, "{seed}");
    }
    assert!((50..250).contains(&overlapping), "{overlapping}");
}

fn machine(variables: &str, guards: &[String]) -> String {
    let edges: Vec<String> = guards.iter().map(|guard| format!("e -> n when {guard};")).collect();
    format!("var {variables}; machine M {{ entry e; node n; {} }} init M.e;", edges.join("\n"))
}

fn list(n: usize, separator: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(separator)
}

/// Forty variables: all, some, none, exactly one of them.
#[test]
fn wide_guards() {
    let variables = list(40, ", ", |i| format!("v{i}"));
    let all = list(40, " & ", |i| format!("v{i}"));
    let none = list(40, " & ", |i| format!("!v{}", 39 - i));
    let some = list(40, " | ", |i| format!("v{i}"));
    assert_eq!(determinism(&machine(&variables, &[all.clone(), none.clone()])), Determinism::Deterministic);
    assert_eq!(determinism(&machine(&variables, &[some.clone(), none.clone()])), Determinism::Deterministic);
    assert_eq!(determinism(&machine(&variables, &[some, all])), Determinism::Nondeterministic);
    let only = |i: usize| list(40, " & ", |j| format!("{}v{j}", if i == j { "" } else { "!" }));
    let mut guards: Vec<String> = (0..40).map(only).collect();
    assert_eq!(determinism(&machine(&variables, &guards)), Determinism::Deterministic);
    guards.push(none);
    assert_eq!(determinism(&machine(&variables, &guards)), Determinism::Deterministic);
    guards.push("v7 & !v8".to_owned());
    assert_eq!(determinism(&machine(&variables, &guards)), Determinism::Nondeterministic);
}

/// Pigeons in one hole too few, split between two guards: given up, always after the same work.
#[test]
fn hard_guards_are_given_up() {
    const HOLES: usize = 14;
    let sits = |pigeon: usize, hole: usize| format!("p{pigeon}_{hole}");
    let variables = list(HOLES + 1, ", ", |pigeon| list(HOLES, ", ", |hole| sits(pigeon, hole)));
    let housed = list(HOLES + 1, " & ", |pigeon| format!("({})", list(HOLES, " | ", |hole| sits(pigeon, hole))));
    let pairs = (0..=HOLES).flat_map(|a| (0..a).map(move |b| (a, b)));
    let apart = |(a, b)| list(HOLES, " & ", |hole| format!("!({} & {})", sits(a, hole), sits(b, hole)));
    let alone: Vec<String> = pairs.map(apart).collect();
    let start = Instant::now();
    assert_eq!(determinism(&machine(&variables, &[housed, alone.join(" & ")])), Determinism::Unknown);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

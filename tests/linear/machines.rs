//! Random machines: several entries and exits, calls in circles, guards; over states and over labels.

use super::common::guarded_machines::guarded_machines;
use super::common::machines::random_machines;
use super::common::seeds::times;
use super::formulas::random_formula;
use super::linear;
use super::{check, difference};
use epitome::Engine;
use epitome::engine::expand::Algorithm;
use epitome::logic::{Alphabet, Linear, Stack};
use epitome::syntax::{Program, Source, rsm};
use epitome_benchmarks::SplitMix64;

fn parse(text: &str) -> rsm::Machines {
    let source = Source::new("test.rsm", text);
    rsm::parse(&source).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].render(&source))).0
}

fn agree(text: &str, seed: u64, alphabet: Alphabet, atoms: &[String]) {
    let program = Program::Rsm(parse(text));
    let mut random = SplitMix64::new(seed);
    for _ in 0..3 {
        let formula = random_formula(&mut random, atoms, 3);
        let stack = [Stack::Any, Stack::Any, Stack::Bounded, Stack::Unbounded][random.below(4) as usize];
        let linear = Linear { alphabet, ..linear(&formula, stack) };
        if let Some(found) = difference(&program, &linear, None) {
            panic!("seed {seed}: {found}\n{text}");
        }
    }
}

/// Names of nodes as atoms.
fn nodes(machines: &rsm::Machines) -> Vec<String> {
    let machines_of = machines.machines.iter();
    machines_of.flat_map(|m| m.nodes.iter().map(|node| machines.names.text(node.name).to_owned())).collect()
}

#[test]
fn engines_agree_on_machines_without_variables() {
    for seed in 0..100 * times() {
        let text = random_machines(seed);
        let mut atoms = nodes(&parse(&text));
        atoms.push("end".to_owned());
        agree(&text, seed, Alphabet::States, &atoms);
    }
}

/// Without recursion the explicit engine takes the nested search.
#[test]
fn engines_agree_on_hierarchies_without_variables() {
    let mut nested = 0;
    for seed in 10_000..10_000 + 150 * times() {
        let text = hierarchical(&random_machines(seed));
        let mut atoms = nodes(&parse(&text));
        atoms.push("end".to_owned());
        agree(&text, seed, Alphabet::States, &atoms);
        let program = Program::Rsm(parse(&text));
        let report = check(&program, &linear("G F end", Stack::Any), Engine::Expand(None));
        nested += usize::from(report.statistics.algorithm == Algorithm::Nested.name());
    }
    assert!(nested >= 100, "the nested search was used {nested} times");
}

/// The machines without the boxes that call an earlier machine, or their own.
fn hierarchical(text: &str) -> String {
    let mut machine = 0;
    let mut gone: Vec<String> = Vec::new();
    let mut kept = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("machine M") {
            machine = rest.trim_end_matches(" {").parse().unwrap_or(0);
            gone.clear();
        }
        let callee = line.trim().strip_prefix("box ").and_then(|rest| rest.split_once(": M"));
        if let Some((site, callee)) = callee
            && callee.trim_end_matches(';').parse::<u32>().is_ok_and(|callee| callee <= machine)
        {
            gone.push(format!("{site}."));
            continue;
        }
        if !(line.contains("->") && gone.iter().any(|site| line.contains(site.as_str()))) {
            kept.push(line);
        }
    }
    kept.join("\n")
}

#[test]
fn engines_agree_on_machines_with_variables() {
    for seed in 0..60 * times() {
        let text = guarded_machines(seed, true);
        let mut atoms = nodes(&parse(&text));
        atoms.extend(["g", "h", "M0.x", "call(M0)"].map(str::to_owned));
        agree(&text, seed, Alphabet::States, &atoms);
    }
}

#[test]
fn engines_agree_on_labels() {
    for seed in 0..80 * times() {
        let mut random = SplitMix64::new(seed);
        let mut used = Vec::new();
        let label = |line: &str| {
            let label = ["a", "b", "c"][random.below(3) as usize];
            match line.strip_suffix(';').filter(|_| line.contains("->") && random.chance(1, 2)) {
                Some(line) => {
                    used.push(label.to_owned());
                    format!("{line} label \"{label}\";")
                }
                None => line.to_owned(),
            }
        };
        let text = random_machines(seed).lines().map(label).collect::<Vec<_>>().join("\n");
        if !used.is_empty() {
            agree(&text, seed, Alphabet::Labels, &used);
        }
    }
}

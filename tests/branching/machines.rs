//! Random machines: several entries and exits, boxes, guards, variables; recursion as far as the stack stays small.

use super::common::flat::{Frame, Semantics};
use super::common::guarded_machines::guarded_machines;
use super::common::kripke::Graph;
use super::common::machines::{random_extended, random_machines};
use super::common::meaning::Meaning;
use super::common::seeds::times;
use super::formulas::{random_ctl, random_ctl_star};
use super::holds;
use epitome::model::Place;
use epitome::syntax::rsm::{Machines, parse};
use epitome::syntax::{Program, Source};
use epitome_automata::{Formulas, Logic, parse_in};
use epitome_benchmarks::SplitMix64;
use std::io::Write;

fn read(text: &str) -> Machines {
    let source = Source::new("test.rsm", text);
    parse(&source).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].render(&source))).0
}

/// The stacks that one step leads to: a call leads to the entry.
fn steps(meaning: &Meaning, stack: &[Frame]) -> Vec<Vec<Frame>> {
    let mut steps = Vec::new();
    for next in meaning.successors(stack) {
        match next[next.len() - 1].place {
            Place::Port(..) => steps.extend(meaning.successors(&next)),
            _ => steps.push(next),
        }
    }
    steps
}

/// All stacks, with the nodes as atoms, and globals; nothing if there are too many or they are too deep.
fn stacks(meaning: &Meaning, atoms: &[String], depth: usize, most: usize) -> Option<Graph> {
    let mut all: Vec<Vec<Frame>> = Vec::new();
    for frame in meaning.initial() {
        all.push(vec![frame]);
    }
    let initial = (0..all.len()).collect();
    let mut successors: Vec<Vec<usize>> = Vec::new();
    while successors.len() < all.len() {
        let own = successors.len();
        if all.len() > most || all[own].len() > depth {
            return None;
        }
        let mut next: Vec<usize> = Vec::new();
        for stack in steps(meaning, &all[own].clone()) {
            let number = all.iter().position(|known| *known == stack).unwrap_or_else(|| {
                all.push(stack);
                all.len() - 1
            });
            next.push(number);
        }
        if next.is_empty() {
            next.push(own);
        }
        successors.push(next);
    }
    let machines = &meaning.0;
    let holds = |stack: &Vec<Frame>, atom: &String| {
        let top = &stack[stack.len() - 1];
        let global = machines.globals.iter().position(|global| machines.names.text(global.name) == atom);
        match (global, top.place) {
            (Some(global), _) => top.state[global],
            (None, Place::Node(node)) => {
                machines.names.text(machines.machines[top.procedure as usize].nodes[node as usize].name) == atom
            }
            _ => false,
        }
    };
    let bit = |stack: &Vec<Frame>, (number, atom): (usize, &String)| u64::from(holds(stack, atom)) << number;
    let letter = |stack: &Vec<Frame>| atoms.iter().enumerate().map(|atom| bit(stack, atom)).sum();
    let letters = all.iter().map(letter).collect();
    Some(Graph { initial, successors, letters })
}

/// How many questions the reference could answer; printed, for runs with more seeds.
fn agree(texts: impl Iterator<Item = (u64, String)>, depth: usize) -> usize {
    let mut answered = 0;
    for (seed, text) in texts {
        let meaning = Meaning(read(&text));
        let machines = &meaning.0;
        let nodes = machines.machines.iter().flat_map(|machine| &machine.nodes).map(|node| node.name);
        let globals = machines.globals.iter().map(|global| global.name);
        let atoms: Vec<String> = nodes.chain(globals).map(|name| machines.names.text(name).to_owned()).collect();
        let program = Program::Rsm(read(&text));
        let mut random = SplitMix64::new(seed);
        for _ in 0..6 {
            let size = 1 + random.below(5);
            let formula = match random.chance(1, 3) {
                true => random_ctl_star(&mut random, &atoms, size.min(4)),
                false => random_ctl(&mut random, &atoms, size),
            };
            let mut formulas = Formulas::default();
            let parsed = parse_in(Logic::CtlStar, &formula, &mut formulas).unwrap_or_else(|e| panic!("{formula}: {e}"));
            let Some(graph) = stacks(&meaning, formulas.atoms(), depth, 150) else { break };
            let expected = graph.satisfies(&formulas, parsed.formula);
            assert_eq!(holds(&program, &formula), expected, "seed {seed}: {formula}\n{text}");
            answered += 1;
        }
    }
    let _ = writeln!(std::io::stdout(), "{answered} questions");
    answered
}

#[test]
fn machines_without_variables() {
    assert!(agree((0..400 * times()).map(|seed| (seed, random_machines(seed))), 5) > 500);
}

#[test]
fn machines_with_guards() {
    let texts = (10_000..10_000 + 200 * times()).map(|seed| (seed, guarded_machines(seed, false)));
    assert!(agree(texts, 5) > 200);
}

#[test]
fn machines_with_variables() {
    let guarded = (20_000..20_000 + 200 * times()).map(|seed| (seed, guarded_machines(seed, true)));
    let extended = (30_000..30_000 + 200 * times()).map(|seed| (seed, random_extended(seed)));
    assert!(agree(guarded.chain(extended), 4) > 100);
}

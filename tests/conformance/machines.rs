//! Machines: the same machine as `.rsm` and as a Boolean program must get the same answers, and the
//! relations of entries and exits must agree with plain tabulation where there are no variables.

use crate::ENGINES;
use epitome::Checker;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::syntax::{Language, Program, Source};
use epitome_benchmarks::SplitMix64;
use std::fmt::Write;

/// A random machine without variables: several entries and exits, boxes, recursion.
fn random_machines(seed: u64) -> String {
    let mut random = SplitMix64::new(seed);
    let machines = 1 + random.below(3);
    let sizes: Vec<(u64, u64)> = (0..machines).map(|_| (1 + random.below(3), 1 + random.below(3))).collect();
    let mut text = String::new();
    for (m, &(entries, exits)) in sizes.iter().enumerate() {
        let (nodes, boxes) = (random.below(5), random.below(4));
        let _ = writeln!(text, "machine M{m} {{");
        let list = |prefix: &str, n: u64| (0..n).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "  entry {};\n  exit {};", list("e", entries), list("x", exits));
        if nodes > 0 {
            let _ = writeln!(text, "  node {};", list("n", nodes));
        }
        let callees: Vec<u64> = (0..boxes).map(|_| random.below(machines)).collect();
        for (b, callee) in callees.iter().enumerate() {
            let _ = writeln!(text, "  box b{b}: M{callee};");
        }
        for _ in 0..4 + random.below(16) {
            let from = match random.below(3) {
                0 => format!("e{}", random.below(entries)),
                1 if nodes > 0 => format!("n{}", random.below(nodes)),
                _ if boxes > 0 => {
                    let b = random.below(boxes);
                    format!("b{b}.x{}", random.below(sizes[callees[b as usize] as usize].1))
                }
                _ => continue,
            };
            let to = match random.below(4) {
                0 => format!("x{}", random.below(exits)),
                1 if nodes > 0 => format!("n{}", random.below(nodes)),
                _ if boxes > 0 => {
                    let b = random.below(boxes);
                    format!("b{b}.e{}", random.below(sizes[callees[b as usize] as usize].0))
                }
                _ => continue,
            };
            let _ = writeln!(text, "  {from} -> {to};");
        }
        text.push_str("}\n");
    }
    text.push_str("init M0.e0;\n");
    text
}

#[test]
fn all_algorithms_agree_without_variables() {
    for seed in 0..3000 {
        let text = random_machines(seed);
        let source = Source::new("m.rsm", text.clone());
        let (program, _) =
            Program::parse(&source, Language::Rsm).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(&source)));
        let checker = Checker::new(&program);
        let answers = |engine| checker.reach(true, engine, &Limits::none(), &mut |_| ()).statements;
        let expected = answers(ENGINES[1].1);
        for (name, engine) in ENGINES {
            assert_eq!(answers(*engine), expected, "seed {seed}, {name}\n{text}");
        }
        // A run to every node that can be reached, replayed.
        for reached in expected.iter().filter(|r| r.reachable == Some(true)) {
            let label = text_of(&program, reached.procedure, reached.place);
            for (name, engine) in ENGINES {
                let report = checker.check(&Query::Label(label.clone()), *engine, &Limits::none(), &mut |_| ());
                assert!(report.is_ok_and(|r| r.run.is_some()), "seed {seed}, {name}, {label}\n{text}");
            }
        }
    }
}

fn text_of(program: &Program, procedure: u32, place: epitome::syntax::Place) -> String {
    let (Program::Rsm(machines), epitome::syntax::Place::Node(node)) = (program, place) else { panic!("a node") };
    let machine = &machines.machines[procedure as usize];
    format!("{}.{}", machines.names.text(machine.name), machines.names.text(machine.nodes[node as usize].name))
}

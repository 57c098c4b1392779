//! Machines: the same machine as `.rsm` and as a Boolean program must get the same answers, and the
//! relations of entries and exits must agree with plain tabulation where there are no variables.

use crate::ENGINES;
pub use crate::common::machines::{random_extended, random_machines};
use crate::common::read;
use crate::common::seeds::times;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::SourceRun;
use epitome::syntax::{Language, Place, Program, Role, Source};
use epitome::{Checker, Reached};
use epitome_benchmarks::{Verdict as Version, families_of_failures};
use std::collections::HashMap;

#[test]
fn all_algorithms_agree_without_variables() {
    for seed in 0..1200 * times() {
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
        // A run to every node that can be reached, replayed; shortest runs equally short.
        for reached in expected.iter().filter(|r| r.reachable == Some(true)) {
            let query = query(&program, reached);
            let lengths = ENGINES.iter().map(|(name, engine)| {
                let report = checker.check(&query, *engine, &Limits::none(), &mut |_| ());
                let run = report.ok().and_then(|report| report.run);
                (*name, run.map(|run| steps(&run)))
            });
            let lengths: HashMap<&str, Option<usize>> = lengths.collect();
            assert!(lengths.values().all(Option::is_some), "seed {seed}, {query}, {lengths:?}\n{text}");
            for other in ["expand components", "bdd", "bdd shortest"] {
                assert_eq!(lengths["expand shortest"], lengths[other], "seed {seed}, {query}, {other}\n{text}");
            }
        }
        calls_agree(&program, &checker, &expected, &format!("seed {seed}\n{text}"));
    }
}

/// Families of machines, small, in both versions: every engine gives the verdict that they state.
#[test]
fn families() {
    let mut asked = 0;
    for family in families_of_failures().filter(|family| family.language == "rsm") {
        for (n, version) in (0..4).flat_map(|more| Version::ALL.map(|version| (family.smallest + more, version))) {
            let text = family.generate(n, version).unwrap_or_else(|error| panic!("{error}"));
            let program = read(family.language, &text);
            let checker = Checker::new(&program);
            for (name, engine) in ENGINES {
                let report = checker.check(&Query::Failures, *engine, &Limits::none(), &mut |_| ());
                let violated = report.map(|report| report.found);
                assert_eq!(violated.ok(), Some(version == Version::Unsafe), "{} {n} {version:?}, {name}", family.name);
                asked += 1;
            }
        }
    }
    assert!(asked >= 24 * ENGINES.len(), "{asked}");
}

/// Transitions of a run outside of calls that return.
fn steps(run: &SourceRun) -> usize {
    let mut id = run.top();
    let mut steps = 0;
    loop {
        let fragment = run.fragment(id);
        steps += fragment.len() - 1;
        match fragment.inside(fragment.len() - 1) {
            Some(inside) => id = inside,
            None => return steps,
        }
    }
}

/// A machine that is not started is called if and only if one of its entries can be reached.
fn calls_agree(program: &Program, checker: &Checker<'_>, reached: &[Reached], context: &str) {
    let Program::Rsm(machines) = program else { panic!("machines") };
    for (index, machine) in machines.machines.iter().enumerate().skip(1) {
        let entries: Vec<u32> = machine.nodes_with(Role::Entry).collect();
        let is_entry = |r: &&Reached| matches!(r.place, Place::Node(node) if entries.contains(&node));
        let mut here = reached.iter().filter(|r| r.procedure as usize == index).filter(is_entry);
        let called = here.any(|r| r.reachable == Some(true));
        let query = Query::Call(machines.names.text(machine.name).to_owned());
        for (name, engine) in ENGINES {
            let report = checker.check(&query, *engine, &Limits::none(), &mut |_| ());
            let violated = report.as_ref().map(|report| report.run.is_some());
            assert_eq!(violated.ok(), Some(called), "{name}, {query}, {context}");
        }
    }
}

/// The question whether a node can be reached.
pub fn query(program: &Program, reached: &Reached) -> Query {
    Query::Label(text_of(program, reached.procedure, reached.place))
}

fn text_of(program: &Program, procedure: u32, place: Place) -> String {
    let (Program::Rsm(machines), Place::Node(node)) = (program, place) else { panic!("a node") };
    let machine = &machines.machines[procedure as usize];
    format!("{}.{}", machines.names.text(machine.name), machines.names.text(machine.nodes[node as usize].name))
}

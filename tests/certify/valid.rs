//! Every TRUE has a certificate, and every solver finds it valid.

use crate::common::language;
use crate::common::machines::{random_extended, random_machines};
use crate::common::seeds::times;
use crate::{finding, program, prove, reductions, written};
use epitome::certify::Finding;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::solver::SolverName;
use epitome::syntax::{Language, Program};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::{Shape, Verdict as Version, families_of_failures, generate, random_program};
use std::path::Path;
use std::time::{Duration, Instant};

/// The number of queries with a certificate, each checked by all solvers. Who proves, and what may be reduced, go by
/// the seed.
fn certified(text: &str, language: Language, queries: &[Query], seed: u64) -> usize {
    let program = program(text, language);
    let checker = Checker::new(&program).with_reductions(reductions(seed));
    let producer = SolverName::ALL[seed as usize % 3];
    let proofs = queries.iter().filter_map(|query| Some((query, prove(&checker, query, producer)?)));
    let valid = proofs.map(|(query, proof)| {
        written(&checker, text, query, &proof);
        for solver in SolverName::ALL {
            let found = finding(&checker, query, &proof, solver);
            assert_eq!(found, Finding::Valid, "{solver:?}, seed {seed}, {query}\n{text}\n{proof:?}");
        }
    });
    valid.count()
}

fn random(shape: &Shape, seeds: u64) {
    let seeds = seeds * times();
    let certified: usize =
        (0..seeds).map(|seed| certified(&random_program(seed, shape), Language::Bp, &[Query::Failures], seed)).sum();
    assert!(certified as u64 * 5 > seeds, "{certified} of {seeds}");
}

#[test]
fn general() {
    random(&Shape::general(), 200);
}

#[test]
fn hierarchical() {
    random(&Shape::hierarchical(), 150);
}

#[test]
fn deterministic() {
    random(&Shape::deterministic(), 200);
}

#[test]
fn io_bounded() {
    random(&Shape::io_bounded(), 150);
}

#[test]
fn tiny() {
    random(&Shape::tiny(), 800);
}

/// That each node is not reached and each machine not called, of machines with several entries and exits.
#[test]
fn machines() {
    let mut certificates = 0;
    for seed in 0..120 * times() {
        for text in [random_machines(seed), random_extended(seed)] {
            let Program::Rsm(machines) = program(&text, Language::Rsm) else { panic!("machines") };
            let name = |name| machines.names.text(name);
            let queries: Vec<Query> = machines
                .machines
                .iter()
                .flat_map(|machine| {
                    let labels = machine.nodes.iter().map(|n| format!("{}.{}", name(machine.name), name(n.name)));
                    labels.map(Query::Label).chain([Query::Call(name(machine.name).to_owned())])
                })
                .collect();
            certificates += certified(&text, Language::Rsm, &queries, seed);
        }
    }
    assert!(certificates > 300, "{certificates}");
}

#[test]
fn families() {
    let mut certificates = 0;
    for family in families_of_failures() {
        for n in family.smallest..=family.smallest + 2 {
            let Ok(text) = family.generate(n, Version::Safe) else { continue };
            // Three solvers, with `mod-ref` and without.
            for seed in 0..6 {
                let found = certified(&text, language(family.language), &[Query::Failures], seed);
                assert_eq!(found, 1, "{} {n} {seed}", family.name);
                certificates += found;
            }
        }
    }
    assert!(certificates > 300, "{certificates}");
}

/// Of all reductions a proof depends on `mod-ref` alone: the others are not applied.
#[test]
fn a_proof_is_the_same_whatever_is_reduced() {
    let text = generate("independent", 2, Version::Safe).expect("a family");
    let program = program(&text, Language::Bp);
    let proofs: Vec<_> = (0..64)
        .map(|number| {
            let checker = Checker::new(&program).with_reductions(reductions(number));
            let proof = prove(&checker, &Query::Failures, SolverName::Cadical).expect("it is safe");
            assert_eq!(finding(&checker, &Query::Failures, &proof, SolverName::Varisat), Finding::Valid, "{number}");
            proof
        })
        .collect();
    assert!(proofs[0] != proofs[1], "without `mod-ref` claims are about globals that a procedure does not touch");
    assert!((0..64).all(|number| proofs[number] == proofs[number % 2]));
}

/// Linear in a hierarchy: queries for twice as many procedures are twice as many.
#[test]
fn hierarchies_cost_linear_work() {
    let cost = |n: u32| {
        let program = program(&generate("tn", n, Version::Safe).expect("a family"), Language::Bp);
        let checker = Checker::new(&program);
        let proof = prove(&checker, &Query::Failures, SolverName::Batsat).expect("it is safe");
        let certified = checker.certify(&Query::Failures, &proof, SolverName::Varisat, &Limits::none());
        assert_eq!(certified.finding, Finding::Valid);
        (proof.claims() as f64, certified.cost.queries as f64, certified.cost.clauses as f64)
    };
    let (small, large) = (cost(20), cost(160));
    for ratio in [large.0 / small.0, large.1 / small.1, large.2 / small.2] {
        assert!(ratio < 8.5, "{small:?} {large:?}");
    }
}

/// Limits are kept: a check that is stopped says so.
#[test]
fn no_time_at_all() {
    let program = program(&generate("tn", 20, Version::Safe).expect("a family"), Language::Bp);
    let checker = Checker::new(&program);
    let proof = prove(&checker, &Query::Failures, SolverName::Batsat).expect("it is safe");
    let limits = Limits::none().with_timeout(Duration::ZERO);
    let found = checker.certify(&Query::Failures, &proof, SolverName::Cadical, &limits).finding;
    assert!(matches!(found, Finding::Unknown(_)), "{found:?}");
}

/// Programs that other people wrote (see `bench_programs.rs`), those that the engine proves in time.
#[test]
#[allow(clippy::print_stderr)]
fn programs_of_others() {
    let Some(folder) = std::env::var_os("EPITOME_BENCH") else {
        eprintln!("EPITOME_BENCH is not set: no programs of others are tested");
        return;
    };
    let folder = Path::new(&folder).join("bp");
    let table = std::fs::read_to_string(folder.join("EXPECTED.tsv")).unwrap();
    let mut certificates = 0;
    for row in table.lines().skip(1).map(|row| row.split('\t').map(str::trim).collect::<Vec<_>>()) {
        let [file, "TRUE", label] = row[..] else { continue };
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let query = if label.is_empty() { Query::Failures } else { Query::Label(label.to_owned()) };
        let program = program(&text, Language::Bp);
        let checker = Checker::new(&program);
        let limits = Limits::none().with_timeout(Duration::from_secs(60));
        let report = checker.check(&query, Engine::Prove(SolverName::Batsat), &limits, &mut |_| ()).unwrap();
        let Some(proof) = report.proof else {
            assert!(matches!(report.verdict, Verdict::Unknown(_)), "{file}: {:?}", report.verdict);
            eprintln!("{file}: {:?}", report.verdict);
            continue;
        };
        for solver in SolverName::ALL {
            let start = Instant::now();
            assert_eq!(finding(&checker, &query, &proof, solver), Finding::Valid, "{file} {solver:?}");
            eprintln!("{file}: {} claims, {solver:?} {:?}", proof.claims(), start.elapsed());
        }
        certificates += 1;
    }
    assert!(certificates > 5, "{certificates}");
}

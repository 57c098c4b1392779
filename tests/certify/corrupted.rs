//! Certificates with one thing changed: rejected, or still true.

use crate::common::seeds::times;
use crate::truth::Truth;
use crate::{finding, program, prove, reductions};
use epitome::Checker;
use epitome::certify::{Finding, Flaw};
use epitome::logic::Query;
use epitome::model::{Proof, ProofPlace};
use epitome::solver::SolverName;
use epitome::syntax::{Language, Program};
use epitome_benchmarks::{Shape, Verdict as Version, families_of_failures, random_program};

/// Every proof with one thing changed, and what was changed.
fn corruptions(proof: &Proof) -> Vec<(String, Proof)> {
    let mut all = Vec::new();
    let mut change = |what: String, change: &dyn Fn(&mut Proof)| {
        let mut changed = proof.clone();
        change(&mut changed);
        all.push((what, changed));
    };
    for (p, about) in proof.procedures.iter().enumerate() {
        change(format!("procedure {p}"), &|proof| _ = proof.procedures.remove(p));
        for cut in 0..about.cuts.len() {
            change(format!("cut {p} {cut}"), &|proof| _ = proof.procedures[p].cuts.remove(cut));
        }
        for (n, claim) in about.never.iter().enumerate() {
            change(format!("claim {p} {n}"), &|proof| _ = proof.procedures[p].never.remove(n));
            for l in 0..claim.before.len() {
                change(format!("before {p} {n} {l} dropped"), &|proof| {
                    proof.procedures[p].never[n].before.remove(l);
                });
                change(format!("before {p} {n} {l} flipped"), &|proof| {
                    proof.procedures[p].never[n].before[l].1 ^= true;
                });
            }
            for l in 0..claim.after.len() {
                change(format!("after {p} {n} {l} dropped"), &|proof| {
                    proof.procedures[p].never[n].after.remove(l);
                });
                change(format!("after {p} {n} {l} flipped"), &|proof| {
                    proof.procedures[p].never[n].after[l].1 ^= true;
                });
            }
            for l in 0..claim.places.len() {
                change(format!("place {p} {n} {l}"), &|proof| _ = proof.procedures[p].never[n].places.remove(l));
            }
            for place in [ProofPlace::Exit(0), ProofPlace::Cut(0), ProofPlace::Failure] {
                if !claim.places.contains(&place) {
                    change(format!("more {p} {n} {place}"), &|proof| {
                        proof.procedures[p].never[n].places.push(place);
                    });
                }
            }
        }
    }
    all
}

/// Corruptions that were tried and that were rejected. What may be reduced goes by the seed.
fn rejected(text: &str, solver: SolverName, seed: u64) -> (usize, usize) {
    let program = program(text, Language::Bp);
    let Program::Bp(syntax) = &program else { panic!("a Boolean program") };
    let checker = Checker::new(&program).with_reductions(reductions(seed));
    let Some(proof) = prove(&checker, &Query::Failures, SolverName::Batsat) else { return (0, 0) };
    let truth = Truth::new(syntax);
    assert!(truth.is_safe(), "{text}");
    assert_eq!(truth.refutes(&proof), None, "{text}\n{proof:?}");
    let all = corruptions(&proof);
    let mut count = 0;
    for (what, corrupted) in &all {
        match finding(&checker, &Query::Failures, corrupted, solver) {
            Finding::Valid => assert_eq!(truth.refutes(corrupted), None, "{what}\n{text}\n{corrupted:?}"),
            Finding::Invalid(_) => count += 1,
            Finding::Unknown(reason) => panic!("{reason}"),
        }
    }
    (all.len(), count)
}

/// Accepted ones are true, and most are rejected.
#[test]
fn what_is_accepted_is_true() {
    let (mut tried, mut count) = (0, 0);
    let shapes = [(Shape::tiny(), 400), (Shape::deterministic(), 60), (Shape::general(), 40)];
    for (shape, seeds) in shapes {
        for seed in 0..seeds * times() {
            let solver = SolverName::ALL[seed as usize % 3];
            let (all, rejected) = rejected(&random_program(seed, &shape), solver, seed);
            (tried, count) = (tried + all, count + rejected);
        }
    }
    assert!(tried > 2_000 && count * 2 > tried, "{count} of {tried}");
}

#[test]
fn families() {
    let (mut tried, mut count) = (0, 0);
    for family in families_of_failures().filter(|family| family.language == "bp") {
        let Ok(text) = family.generate(family.smallest + 1, Version::Safe) else { continue };
        // Brute force is for few variables.
        if program(&text, Language::Bp).scope_size(0) > 8 {
            continue;
        }
        for seed in 0..2 {
            let (all, rejected) = rejected(&text, SolverName::Varisat, seed);
            (tried, count) = (tried + all, count + rejected);
        }
    }
    assert!(tried > 400 && count * 2 > tried, "{count} of {tried}");
}

/// A loop that needs its invariant, a call that needs its summary, and a start that needs its value: without
/// any one claim there is no proof.
#[test]
fn every_claim_of_a_lean_proof_is_needed() {
    let text = "decl g := 0; decl n;
        void main() begin decl i; i := 0; while (*) do i := id(i); n := !n; od assert(!i & !g); end
        bool id(x) begin return x; end";
    let program = program(text, Language::Bp);
    let checker = Checker::new(&program);
    let proof = prove(&checker, &Query::Failures, SolverName::Batsat).expect("it is safe");
    let is_valid = |proof: &Proof| finding(&checker, &Query::Failures, proof, SolverName::Varisat) == Finding::Valid;
    // Leave out what is not needed; what is left is needed, all of it.
    let mut lean = proof.clone();
    for p in 0..lean.procedures.len() {
        for n in (0..lean.procedures[p].never.len()).rev() {
            let mut less = lean.clone();
            less.procedures[p].never.remove(n);
            if is_valid(&less) {
                lean = less;
            }
        }
    }
    assert!(is_valid(&lean) && lean.claims() >= 3, "{lean:?}");
    for (what, corrupted) in corruptions(&lean).into_iter().filter(|(what, _)| {
        what.starts_with("claim")
            || what.starts_with("cut")
            || what.starts_with("procedure")
            || what.ends_with("flipped")
    }) {
        assert!(!is_valid(&corrupted), "{what}\n{corrupted:?}");
    }
    // Each kind of flaw is told.
    let flaw = |proof: &Proof| match finding(&checker, &Query::Failures, proof, SolverName::Cadical) {
        Finding::Invalid(flaw) => flaw,
        other => panic!("{other:?}"),
    };
    assert!(matches!(flaw(&Proof::default()), Flaw::Start { .. }));
    let uncut = corruptions(&lean).into_iter().find(|(what, _)| what == "cut 0 0").expect("a loop");
    assert!(matches!(flaw(&uncut.1), Flaw::Misfit { .. }), "claims about a cut that is gone");
    let mut uncut = lean.clone();
    uncut.procedures[0].cuts.clear();
    uncut.procedures[0].never.retain(|claim| claim.places == [ProofPlace::Failure]);
    assert!(matches!(flaw(&uncut), Flaw::Loop { .. }));
    let mut bold = lean.clone();
    bold.procedures[1].never[0].before.clear();
    bold.procedures[1].never[0].after.clear();
    assert!(matches!(flaw(&bold), Flaw::Claim { claim: 0, place: ProofPlace::Exit(0), .. }));
}

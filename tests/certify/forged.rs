//! No certificate makes an unsafe program safe: not one of a similar program, not one that claims the best of
//! everything, not one made of random claims.

use crate::common::machines::random_extended;
use crate::common::reference::explicit_summaries;
use crate::common::seeds::times;
use crate::truth::Truth;
use crate::{common, finding, holds, parsed, program, prove, reductions, written};
use epitome::Checker;
use epitome::certify::{Finding, read};
use epitome::logic::Query;
use epitome::model::{BoxId, Ersm, Never, NodeId, ProcId, ProcedureProof, Proof, ProofPlace, Var, Vertex};
use epitome::solver::SolverName;
use epitome::syntax::{Language, Program};
use epitome_benchmarks::{Shape, SplitMix64, random_program};

/// The text with one of its words changed, as it may be a text of the same kind.
fn mutated(text: &str, random: &mut SplitMix64) -> String {
    const SWAPS: &[(&str, &str)] = &[
        (" 0", " 1"),
        (" 1", " 0"),
        ("(0", "(1"),
        ("(1", "(0"),
        ("!", ""),
        ("&", "|"),
        ("|", "&"),
        ("g0", "g1"),
        ("g1", "g0"),
        ("x0", "x1"),
        ("x1", "x0"),
        ("assume(", "assert("),
        ("assume(", "assume(1 | "),
        ("assert(", "assert(0 & "),
        ("assert(", "assert(!"),
        (":= ", ":= !"),
        (":= ", ":= * & "),
        ("(", "(!"),
        ("when ", "when !"),
        ("when ", "when 1 | "),
        ("-> n0", "-> n1"),
        ("-> n0", "-> e0"),
        ("-> n1", "-> e0"),
        ("e0", "e1"),
        ("x_0", "x_1"),
        ("skip", "assert(0)"),
    ];
    for _ in 0..20 {
        let (from, to) = SWAPS[random.below(SWAPS.len() as u64) as usize];
        let places: Vec<usize> = text.match_indices(from).map(|(at, _)| at).collect();
        if !places.is_empty() {
            let at = places[random.below(places.len() as u64) as usize];
            return format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
        }
    }
    text.to_owned()
}

/// What happened to certificates of one program presented for another.
#[derive(Debug, Default)]
struct Tally {
    unsafe_programs: u64,
    /// Those of them whose names fit.
    read: u64,
    valid: u64,
}

/// Presents certificates of a program for variants of it. A certificate that is valid is so for a safe one.
fn variants(
    text: &str,
    language: Language,
    query: &Query,
    is_safe: &dyn Fn(&str) -> bool,
    seed: u64,
    tally: &mut Tally,
) {
    let original = program(text, language);
    let checker = Checker::new(&original).with_reductions(reductions(seed));
    let Some(proof) = prove(&checker, query, SolverName::ALL[seed as usize % 3]) else { return };
    let certificate = written(&checker, text, query, &proof);
    let mut random = SplitMix64::new(seed);
    for round in 0..12 {
        let variant = (0..=round % 4).fold(text.to_owned(), |text, _| mutated(&text, &mut random));
        let Some(other) = parsed(&variant, language) else { continue };
        let other_checker = Checker::new(&other);
        let is_safe = is_safe(&variant);
        tally.unsafe_programs += u64::from(!is_safe);
        let Ok(certificate) = read(&certificate, other_checker.ersm()) else { continue };
        tally.read += u64::from(!is_safe);
        let solver = SolverName::ALL[(seed + round) as usize % 3];
        if finding(&other_checker, query, &certificate.proof, solver) == Finding::Valid {
            if let (Program::Bp(other), true) = (&other, other.scope_size(0) < 6) {
                assert_eq!(Truth::new(other).refutes(&certificate.proof), None, "{variant}\n{certificate:?}");
            }
            assert!(is_safe, "seed {seed}, {query}: valid for an unsafe program\n{variant}\n{:?}", certificate.proof);
            tally.valid += 1;
        }
    }
}

fn is_safe_program(text: &str) -> bool {
    let program = common::parse(text);
    !explicit_summaries(&program).violated(&program)
}

#[test]
fn certificates_of_similar_programs() {
    let mut tally = Tally::default();
    for (shape, seeds) in [(Shape::tiny(), 2000), (Shape::deterministic(), 300), (Shape::general(), 200)] {
        for seed in 0..seeds * times() {
            let text = random_program(seed, &shape);
            variants(&text, Language::Bp, &Query::Failures, &is_safe_program, seed, &mut tally);
        }
    }
    assert!(tally.read > 1_000 && tally.valid > 1_000, "{tally:?}");
}

/// A machine in which a node can be reached, and the same without one of its transitions, where it cannot.
#[test]
fn certificates_of_machines_without_a_transition() {
    let (mut presented, mut calls) = (0, 0);
    for seed in 0..600 * times() {
        let mut random = SplitMix64::new(seed);
        let text = (0..seed % 3).fold(random_extended(seed), |text, _| mutated(&text, &mut random));
        let Some(machines) = parsed(&text, Language::Rsm) else { continue };
        let checker = Checker::new(&machines);
        let labels = ["M0.n0", "M0.x_0", "M1.n0", "M1.x_0", "M2.x_0"].map(|node| Query::Label(node.to_owned()));
        let queries = labels.into_iter().chain(["M0", "M1", "M2"].map(|machine| Query::Call(machine.to_owned())));
        for query in queries.filter(|query| checker.resolve(query).is_ok() && !holds(&checker, query)) {
            let lines: Vec<&str> = text.lines().collect();
            for line in (0..lines.len()).filter(|&line| lines[line].contains("->") && !lines[line].contains("box")) {
                let less = [&lines[..line], &[""], &lines[line + 1..]].concat().join("\n");
                let safe = program(&less, Language::Rsm);
                let solver = SolverName::ALL[(seed as usize + line) % 3];
                let Some(proof) = prove(&Checker::new(&safe), &query, solver.other()) else { continue };
                let found = finding(&checker, &query, &proof, solver);
                assert!(matches!(found, Finding::Invalid(_)), "seed {seed}, {query}, line {line}\n{text}\n{proof:?}");
                presented += 1;
                calls += u64::from(matches!(query, Query::Call(_)));
            }
        }
    }
    assert!(presented > 700 && calls > 100, "{presented} {calls}");
}

/// A random choice.
fn one_of<T: Copy>(random: &mut SplitMix64, all: &[T]) -> Option<T> {
    (!all.is_empty()).then(|| all[random.below(all.len() as u64) as usize])
}

/// A random claim, mostly one that makes sense.
fn random_claim(ersm: &Ersm, about: &ProcedureProof, random: &mut SplitMix64) -> Never {
    let procedure = ersm.procedures.get(about.procedure.index());
    let locals = procedure.map_or(0, |p| p.locals.len() as u32) + u32::from(random.chance(1, 50));
    let globals = ersm.globals.len() as u32 + u32::from(random.chance(1, 50));
    let vars: Vec<Var> = (0..globals).map(Var::Global).chain((0..locals).map(Var::Local)).collect();
    let literals = |random: &mut SplitMix64, vars: &[Var]| -> Vec<(Var, bool)> {
        let count = random.below(3);
        (0..count).filter_map(|_| Some((one_of(random, vars)?, random.chance(1, 2)))).collect()
    };
    let inputs = procedure.map_or(&[][..], |p| &p.inputs[..]);
    let outputs = procedure.map_or(&[][..], |p| &p.outputs[..]);
    let seen = |locals: &[u32]| -> Vec<Var> {
        let is_seen = |var: &Var| matches!(var, Var::Global(_)) || locals.iter().any(|&l| *var == Var::Local(l));
        vars.iter().copied().filter(is_seen).collect()
    };
    let before = literals(random, &seen(inputs));
    let (place, after) = match random.below(3) {
        0 => (ProofPlace::Failure, Vec::new()),
        1 => (ProofPlace::Exit(random.below(2) as u32), literals(random, &seen(outputs))),
        _ => (ProofPlace::Cut(random.below(about.cuts.len() as u64 + 1) as u32), literals(random, &vars)),
    };
    let entries = random.chance(1, 8).then(|| vec![random.below(2) as u32]);
    Never { entries, before, places: vec![place], after }
}

fn random_vertex(random: &mut SplitMix64) -> Vertex {
    match random.below(6) {
        0 => Vertex::Call(BoxId(random.below(3) as u32), random.below(2) as u32),
        1 => Vertex::Return(BoxId(random.below(3) as u32), random.below(2) as u32),
        _ => Vertex::Node(NodeId(random.below(8) as u32)),
    }
}

/// For each procedure: every claim of failure denied, and random claims.
fn forgery(ersm: &Ersm, random: &mut SplitMix64) -> Proof {
    let count = ersm.procedures.len() + usize::from(random.chance(1, 20));
    let procedures = (0..count).map(|index| {
        let mut about = ProcedureProof { procedure: ProcId(index as u32), cuts: Vec::new(), never: Vec::new() };
        let nodes = ersm.procedures.get(index).map_or(0, |procedure| procedure.nodes.len() as u32);
        about.cuts = if random.chance(1, 2) {
            (0..nodes).map(|node| Vertex::Node(NodeId(node))).collect()
        } else {
            (0..random.below(3)).map(|_| random_vertex(random)).collect()
        };
        if random.chance(3, 4) {
            let places = vec![ProofPlace::Failure];
            about.never.push(Never { entries: None, before: Vec::new(), places, after: Vec::new() });
        }
        for _ in 0..random.below(5) {
            let claim = random_claim(ersm, &about, random);
            about.never.push(claim);
        }
        about
    });
    let mut proof = Proof { procedures: procedures.collect() };
    proof.procedures.retain(|_| random.chance(9, 10));
    proof
}

/// Forgeries for a program: how many there were if it is unsafe, and how many are proofs.
fn forged(text: &str, language: Language, query: &Query, is_safe: bool, seed: u64) -> (u64, u64) {
    let program = program(text, language);
    let checker = Checker::new(&program);
    let mut random = SplitMix64::new(seed);
    let (mut forged, mut valid) = (0, 0);
    for round in 0..8u64 {
        let proof = forgery(checker.ersm(), &mut random);
        let solver = SolverName::ALL[(seed + round) as usize % 3];
        let is_valid = finding(&checker, query, &proof, solver) == Finding::Valid;
        assert!(is_safe || !is_valid, "seed {seed}\n{text}\n{proof:?}");
        forged += u64::from(!is_safe);
        valid += u64::from(is_valid);
    }
    (forged, valid)
}

/// Random claims about unsafe programs are never a proof, and nothing panics.
#[test]
fn forgeries_for_unsafe_programs() {
    let (mut tried, mut valid) = (0, 0);
    for seed in 0..1_500 * times() {
        let text = random_program(seed, &Shape::tiny());
        let found = forged(&text, Language::Bp, &Query::Failures, is_safe_program(&text), seed);
        (tried, valid) = (tried + found.0, valid + found.1);
    }
    // The forger is not blind: some forgeries for safe programs are proofs.
    assert!(tried > 3_000 && valid > 50, "{tried} {valid}");
}

#[test]
fn forgeries_for_unsafe_machines() {
    let (mut tried, mut valid) = (0, 0);
    for seed in 0..1_500 * times() {
        let mut random = SplitMix64::new(seed);
        let text = (0..3).fold(random_extended(seed), |text, _| mutated(&text, &mut random));
        let Some(machines) = parsed(&text, Language::Rsm) else { continue };
        let query = Query::Label(["M0.n0", "M1.n0", "M1.x_0"][seed as usize % 3].to_owned());
        let checker = Checker::new(&machines);
        if checker.resolve(&query).is_err() {
            continue;
        }
        let found = forged(&text, Language::Rsm, &query, holds(&checker, &query), seed);
        (tried, valid) = (tried + found.0, valid + found.1);
    }
    assert!(tried > 1_000 && valid > 50, "{tried} {valid}");
}

/// A machine that comes back to its entry with another value, cut elsewhere: that it was entered does not mean
/// that control comes to the entry with the values of then.
#[test]
fn an_entry_inside_a_loop() {
    let text = "var g := 0; machine M { entry e; node n, ERROR;
        e -> n when !g do g := 1; n -> e; e -> ERROR when g; } init M.e;";
    let program = program(text, Language::Rsm);
    let checker = Checker::new(&program);
    assert!(!holds(&checker, &Query::Failures));
    let failure = Never { entries: None, before: vec![], places: vec![ProofPlace::Failure], after: vec![] };
    for node in 0..2 {
        let cuts = vec![Vertex::Node(NodeId(node))];
        let about = ProcedureProof { procedure: ProcId(0), cuts, never: vec![failure.clone()] };
        let proof = Proof { procedures: vec![about] };
        assert!(matches!(finding(&checker, &Query::Failures, &proof, SolverName::Varisat), Finding::Invalid(_)));
    }
}

/// A claim about one entry says nothing of another.
#[test]
fn entries_are_told_apart() {
    let failure = |entries| Never { entries, before: vec![], places: vec![ProofPlace::Failure], after: vec![] };
    // Where a run starts, whether some box calls the machine, the entries that a claim is about, and whether it is
    // a proof.
    let cases = [
        ("a", "", vec![0], true),
        ("a", "", vec![1], false),
        ("b", "", vec![0], false),
        ("b", "", vec![1], false),
        ("b", "", vec![0, 1], false),
        ("a, M.b", "", vec![0], false),
        ("a", "box c: M; b -> c.a; c.x -> x;", vec![0], true),
        ("b", "box c: M; b -> c.a; c.x -> x;", vec![0], false),
        ("a", "box c: M; a -> c.b; c.x -> x;", vec![0], false),
    ];
    for (start, calls, entries, is_proof) in cases {
        let text =
            format!("machine M {{ entry a, b; exit x; node ERROR; a -> x; b -> ERROR; {calls} }} init M.{start};");
        let program = program(&text, Language::Rsm);
        let checker = Checker::new(&program);
        let never = vec![failure(Some(entries.clone()))];
        let proof = Proof { procedures: vec![ProcedureProof { procedure: ProcId(0), cuts: vec![], never }] };
        let is_valid = finding(&checker, &Query::Failures, &proof, SolverName::Varisat) == Finding::Valid;
        assert_eq!(is_valid, is_proof, "{entries:?}\n{text}");
        assert!(!is_proof || holds(&checker, &Query::Failures));
    }
}

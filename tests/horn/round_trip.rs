//! Programs written as clauses and read again: the verdict stays, whatever was reduced before. The text is
//! the same each time and grows with the machine.

use crate::common::guarded_machines::guarded_machines;
use crate::{engines, parse, verdict};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::build;
use epitome::model::export::to_chc;
use epitome::reduce::Reductions;
use epitome::syntax::{Language, Program};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::{Shape, Verdict as Expected, families_of_failures, generate, random_program};

fn clauses(program: &Program, query: &Query, reductions: Reductions) -> String {
    let checker = Checker::new(program).with_reductions(reductions);
    checker.ask_about(query, |ersm, goal| to_chc(ersm, goal, "test", &|_| 1))
}

/// The verdict on a program, which is the one on its clauses too.
fn check(program: &Program, query: &Query, context: &str) -> Verdict {
    let expected = verdict(program, query, Engine::Auto);
    for reductions in [Reductions::all(), Reductions::none()] {
        let text = clauses(program, query, reductions);
        assert_eq!(text, clauses(program, query, reductions), "{context}");
        let written = parse(&text, Language::Horn);
        for engine in &engines()[1..] {
            assert_eq!(verdict(&written, &Query::Failures, *engine), expected, "{context}, {engine:?}\n{text}");
        }
    }
    expected
}

fn random_programs(shape: &Shape, count: u64) {
    let mut violated = 0;
    for seed in 0..count {
        let text = random_program(seed, shape);
        let program = parse(&text, Language::Bp);
        violated += u64::from(check(&program, &Query::Failures, &format!("seed {seed}\n{text}")) == Verdict::Violated);
    }
    assert!(violated > 0 && violated < count, "{violated} of {count} are violated");
}

#[test]
fn programs_keep_their_verdicts() {
    random_programs(&Shape::general(), 60);
    random_programs(&Shape::hierarchical(), 40);
    random_programs(&Shape::deterministic(), 40);
    random_programs(&Shape::io_bounded(), 40);
}

#[test]
fn families_keep_their_verdicts() {
    for family in families_of_failures() {
        for expected in Expected::ALL {
            let program = parse(
                &family.generate(family.smallest.max(2), expected).unwrap(),
                crate::common::language(family.language),
            );
            let violated = check(&program, &Query::Failures, family.name) == Verdict::Violated;
            assert_eq!(violated, expected == Expected::Unsafe, "{}", family.name);
        }
    }
}

/// Several entries, exits and starts; every node is asked for.
#[test]
fn machines_keep_their_answers() {
    let mut reached = [0, 0];
    for seed in 0..60 {
        let with_variables = seed % 4 > 0;
        let mut text = guarded_machines(seed, with_variables);
        if seed % 2 == 1 && text.contains("machine M1") {
            text += "init M1.e0;\n";
        }
        let program = parse(&text, Language::Rsm);
        let (ersm, _) = build(&program);
        for place in ersm.places.iter().take(6) {
            let label = format!("{}.{}", ersm.procedure_name(place.procedure), ersm.names.text(place.name));
            let context = format!("seed {seed}, {label}\n{text}");
            let verdict = check(&program, &Query::Label(label), &context);
            reached[usize::from(verdict == Verdict::Violated)] += 1;
        }
    }
    assert!(reached[0] > 50 && reached[1] > 50, "{reached:?}");
}

#[test]
fn calls_can_be_asked_for() {
    let text = "decl g := 0; void main() begin if (g) then p(); fi q(); end void p() begin skip; end
                void q() begin g := 1; end";
    let program = parse(text, Language::Bp);
    assert_eq!(check(&program, &Query::Call("p".to_owned()), "p"), Verdict::Holds);
    assert_eq!(check(&program, &Query::Call("q".to_owned()), "q"), Verdict::Violated);
}

/// Where nothing is looked for, nothing is found.
#[test]
fn a_program_without_assertions_holds() {
    let program = parse("void main() begin skip; end", Language::Bp);
    assert_eq!(check(&program, &Query::Failures, "nothing to find"), Verdict::Holds);
}

#[test]
fn the_text_grows_with_the_machine() {
    for (family, n) in [("tn", 100), ("adder", 16), ("independent", 20)] {
        let sizes = [n, 2 * n].map(|n| {
            let program = parse(&generate(family, n, Expected::Safe).unwrap(), Language::Bp);
            let (ersm, _) = build(&program);
            let values: usize =
                ersm.procedures().map(|(id, p)| (p.nodes.len() + p.edges.len()) * ersm.scope_size(id)).sum();
            let text = clauses(&program, &Query::Failures, Reductions::none()).len();
            (text as f64, (values + ersm.circuit.len() + ersm.size()) as f64)
        });
        let [(small, few), (large, many)] = sizes;
        assert!(large / small < 1.3 * many / few, "{family}: {small} to {large}, values {few} to {many}");
        assert!(large < 60.0 * many, "{family}: {large} characters for {many}");
    }
}

/// Circuits are shared: a chain of additions in one transition is not written out as a tree.
#[test]
fn large_blocks_stay_linear() {
    let size = |n: usize| {
        let steps: String = (0..n).map(|_| "a := a ^ b; b := a & c; c := b ^ a ^ c;").collect();
        let text = format!("decl a, b, c; void main() begin {steps} assert(a | b | c); end");
        let program = parse(&text, Language::Bp);
        let text = clauses(&program, &Query::Failures, Reductions::all());
        let written = parse(&text, Language::Horn);
        let report = Checker::new(&written).check(&Query::Failures, engines()[2], &Limits::none(), &mut |_| ());
        assert_eq!(report.unwrap().verdict, Verdict::Violated);
        text.len()
    };
    let (small, large) = (size(50), size(100));
    assert!(large < 3 * small, "{small} {large}");
}

//! What is worth a test of its own.

use super::{check, engines, holds, linear};
use epitome::Verdict;
use epitome::logic::{Alphabet, Blocked, Linear, Stack};
use epitome::syntax::{Language, Program, Source};
use epitome::temporal::Again;

fn parse(name: &str, text: &str) -> Program {
    let source = Source::new(name, text);
    let language = Language::of_file(name).expect("a known ending");
    Program::parse(&source, language).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source))).0
}

/// Entries may be come back to from inside, with values that a call does not give.
#[test]
fn an_entry_that_is_come_back_to_is_no_call() {
    let text = "machine M { var x := 0; entry e; exit o; box b: M; node n;
                e -> n when !x; n -> e do x := 1; e -> b.e when x; b.o -> o; } init M.e;";
    let program = parse("a.rsm", text);
    for (name, engine) in engines() {
        assert!(!holds(&program, &linear("F G x", Stack::Any), engine), "{name}");
        assert!(!holds(&program, &linear("F end", Stack::Unbounded), engine), "{name}");
        assert!(holds(&program, &linear("F end", Stack::Bounded), engine), "{name}");
    }
}

/// A run stays where a callee returns to a caller that cannot go on.
#[test]
fn a_run_can_be_blocked_behind_a_call() {
    let text = "var g := 0; machine M { entry e; exit o; box b: S; e -> b.e; b.o -> o when g; }
                machine S { entry e; exit o; e -> o {p}; } init M.e;";
    let text = text.replace("e -> o {p}", "e -> o").replace("exit o; e -> o; }", "exit o {p}; e -> o; }");
    let program = parse("a.rsm", &text);
    for (name, engine) in engines() {
        let report = check(&program, &linear("!F G p", Stack::Any), engine);
        assert_eq!((report.verdict, report.again), (Verdict::Violated, Some(Again::Stays)), "{name}");
        assert!(holds(&program, &linear("F G p", Stack::Any), engine), "{name}");
        let discarded = Linear { blocked: Blocked::Discard, ..linear("false", Stack::Any) };
        assert!(holds(&program, &discarded, engine), "{name}: no run is left");
    }
}

/// A run stays at a call that cannot begin, whatever its locals are.
#[test]
fn a_call_that_cannot_begin_is_blocked() {
    let text = |enforce: &str| {
        format!(
            "decl g := 0; void main() begin A: skip; B: f(*, g); C: skip; end
             void f(x, y) begin decl z := 0, u; enforce {enforce}; D: skip; end"
        )
    };
    for (enforce, blocks) in
        [("y", true), ("x", false), ("u", false), ("z", true), ("g", true), ("!g & (y | u)", false)]
    {
        let program = parse("a.bp", &text(enforce));
        for (name, engine) in engines() {
            assert_eq!(holds(&program, &linear("F end", Stack::Any), engine), !blocks, "{name}: {enforce}");
            assert_eq!(holds(&program, &linear("F G B", Stack::Any), engine), blocks, "{name}: {enforce}");
            let discarded = Linear { blocked: Blocked::Discard, ..linear("false", Stack::Any) };
            assert_eq!(holds(&program, &discarded, engine), blocks, "{name}: {enforce}");
        }
    }
}

/// A program that calls its own `main` ends only where the first one does.
#[test]
fn the_end_is_that_of_the_outermost_main() {
    let text = "decl g := 0; void main() begin if (!g) then g := 1; main(); L: while (1) do skip; od fi end";
    let program = parse("a.bp", text);
    for (name, engine) in engines() {
        assert!(!holds(&program, &linear("F end", Stack::Any), engine), "{name}");
        assert!(holds(&program, &linear("G !end", Stack::Any), engine), "{name}");
        assert!(holds(&program, &linear("F L", Stack::Any), engine), "{name}");
    }
}

/// Globals start with any value, where they have none.
#[test]
fn arbitrary_globals_have_all_values() {
    let program = parse("a.bp", "decl g, h; void main() begin L: h := g; goto L; end");
    for (name, engine) in engines() {
        for formula in ["F G g", "F G !g", "X h", "G (g -> F !h)"] {
            assert!(!holds(&program, &linear(formula, Stack::Any), engine), "{name}: {formula}");
        }
        assert!(holds(&program, &linear("X (g <-> h)", Stack::Any), engine), "{name}");
    }
}

/// Programs on which the relations of entries and exits were once taken for those of a machine without variables.
#[test]
fn variables_that_are_chosen_are_not_lost() {
    let chosen = parse("a.bp", "decl b := 0; void main() begin b := *; b := *; end");
    let swapped = parse("a.bp", "decl a := 0; decl b := 0; void main() begin b := *; a, b := b, a; L: goto L; end");
    for (name, engine) in engines() {
        assert!(!holds(&chosen, &linear("F b", Stack::Any), engine), "{name}");
        assert!(!holds(&swapped, &linear("false", Stack::Any), engine), "{name}");
    }
}

/// A run that is blocked is told from one that ends by where it is, not by whether any transition is left there.
#[test]
fn blocked_runs_are_discarded_wherever_they_are() {
    let nodes = parse("a.rsm", "machine M { entry e; node n; exit x; e -> n; e -> x; } init M.e;");
    let assumed = parse("a.c", "extern void __VERIFIER_assume(int); int main() { __VERIFIER_assume(0); return 0; }");
    for (name, engine) in engines() {
        for program in [&nodes, &assumed] {
            let discarded = Linear { blocked: Blocked::Discard, ..linear("F end", Stack::Any) };
            assert!(holds(program, &discarded, engine), "{name}");
            assert!(!holds(program, &linear("F end", Stack::Any), engine), "{name}");
        }
        assert!(holds(&assumed, &Linear::termination(), engine), "{name}");
    }
}

/// What an atom means must be clear, and its numbers must be ones that can be written down.
#[test]
fn atoms_that_are_not_clear_are_refused() {
    let program =
        parse("a.c", "int main() { for (int i = 0; i < 2; i++) {} for (int i = 0; i < 5; i++) {} return 0; }");
    let numbers = parse("a.c", "unsigned u; int main() { u = 4294967295u; while (1) {} }");
    for (program, atom) in [(&program, "i == 4"), (&numbers, "u*u*u*u*u > 5"), (&numbers, "w"), (&numbers, "u <")] {
        assert!(epitome::syntax::Atom::resolve(program, atom).is_err(), "{atom}");
    }
    for (name, engine) in engines() {
        assert!(
            holds(&numbers, &linear("F G \"u == 4294967295 && u + 1 > u && -u < 0 - 1\"", Stack::Any), engine),
            "{name}"
        );
    }
}

/// Over labels, what has none is not seen, and runs with finitely many do not count.
#[test]
fn transitions_without_labels_are_not_seen() {
    let text = "machine M { entry e; node n, m; e -> n label \"a\"; n -> m; m -> n label \"b\"; m -> m; } init M.e;";
    let program = parse("a.rsm", text);
    let over = |formula: &str| Linear { alphabet: Alphabet::Labels, ..linear(formula, Stack::Any) };
    for (name, engine) in engines() {
        assert!(holds(&program, &over("a & X G b"), engine), "{name}");
        assert!(holds(&program, &over("G F b"), engine), "{name}");
        assert!(!holds(&program, &over("G a"), engine), "{name}");
        assert!(!holds(&program, &linear("G F (n | e)", Stack::Any), engine), "{name}");
    }
}

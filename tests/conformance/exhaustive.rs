//! All tiny programs: every sequence of a few statements in one procedure, and every pair of bodies
//! of two procedures that call each other. The small scope is exhausted, so that no corner of the
//! language hides from chance.

use crate::common::shrink::shrink;
use crate::difference;

/// Statements over a global `g` and a local `x`; the second procedure is called with and without
/// using its result.
const STATEMENTS: [&str; 17] = [
    "g := !g;",
    "x := g;",
    "x := *;",
    "g, x := x, g;",
    "g := * constrain 'g | x;",
    "assume(x);",
    "assert(g | x);",
    "dead g;",
    "if (g) then x := 0; else skip; fi",
    "while (*) do g := x; od",
    "x := p(g);",
    "_ := p(x);",
    "goto L;",
    "return *;",
    "x := schoose[g, x];",
    "if (x) then g := 1; elsif (g) then return x; fi",
    "M: if (*) then goto M, L; fi",
];

fn check(text: &str) {
    if let Some(found) = difference(text) {
        let small = shrink(text, |candidate| difference(candidate).is_some());
        panic!("{found}\nshrunk:\n{small}");
    }
}

fn program(globals: &str, main: &str, p: &str) -> String {
    // A label may stand on one statement only.
    let (main, p) = (main.replacen("M:", "M0:", 1), p.replacen("M:", "M0:", 1));
    let (main, p) = (&main.replace("goto M,", "goto M0,"), &p.replace("goto M,", "goto M0,"));
    let main = &main.replacen("M:", "M1:", 1);
    let p = &p.replacen("M:", "M1:", 1);
    let body = |text: &str| text.replace("goto L;", "goto L; skip;");
    format!(
        "{globals} bool main() begin decl x; {} L: assert(g => x); end bool p(x) begin {} L: skip; end",
        body(main),
        body(p)
    )
}

/// Two statements in `main`, one in `p`: 17 · 17 · 17 programs with `g` open.
#[test]
fn two_statements_and_a_callee() {
    for a in STATEMENTS {
        for b in STATEMENTS {
            for c in STATEMENTS {
                check(&program("decl g;", &format!("{a} {b}"), c));
            }
        }
    }
}

/// The same under `enforce`, with one statement each.
#[test]
fn enforced() {
    for enforce in ["enforce g;", "enforce g | x;", "enforce *;"] {
        for a in STATEMENTS {
            for b in STATEMENTS {
                let plain = program("decl g;", a, b);
                check(&plain.replace("decl x;", &format!("decl x; {enforce}")));
                check(&plain.replace("bool p(x) begin", &format!("bool p(x) begin {enforce}")));
            }
        }
    }
}

/// One statement in `main` and two in `p`, with `g` fixed: recursion through `p`.
#[test]
fn a_callee_of_two_statements() {
    for a in ["x := p(g);", "_ := p(x);"] {
        for b in STATEMENTS {
            for c in STATEMENTS {
                for globals in ["decl g := 0;", "decl g := 1;"] {
                    check(&program(globals, a, &format!("{b} {c}")));
                }
            }
        }
    }
}

//! What is written for checkers of other languages means what the program means: C is read back and checked by
//! every engine, pushdown systems are searched by brute force (`common/pushdown.rs`), Promela is checked by SPIN
//! where it is installed.

#![allow(clippy::print_stderr, reason = "tests tell what they skip")]

mod common;

use common::pushdown::System;
use common::{families, parse, read, seeds};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::export::{question, to_c, to_pds, to_promela};
use epitome::reduce::Reductions;
use epitome::syntax::{self, bp};
use epitome::{Checker, Engine, Verdict, engine};
use epitome_benchmarks::{Shape, Verdict as Expected, families_of_failures, random_program};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

fn check(program: &syntax::Program, query: &Query, engine: Engine) -> Verdict {
    let report = Checker::new(program).check(query, engine, &Limits::none(), &mut |_| ());
    report.unwrap_or_else(|error| panic!("{error}")).verdict
}

fn fails(program: &syntax::Program, query: &Query) -> bool {
    check(program, query, Engine::Auto) == Verdict::Violated
}

/// The question about the reduced machine, and the program as written.
fn forms(program: &syntax::Program, query: &Query) -> Vec<bp::Program> {
    let asked = |reductions| {
        let checker = Checker::new(program).with_reductions(reductions);
        checker.ask_about(query, question).unwrap()
    };
    let mut forms = vec![asked(Reductions::all())];
    if let (syntax::Program::Bp(program), Query::Failures) = (program, query) {
        forms.push(program.clone());
    } else {
        forms.push(asked(Reductions::none()));
    }
    forms
}

fn engines() -> [Engine; 5] {
    [
        Engine::Auto,
        Engine::Expand(None),
        Engine::Tabulate(engine::tabulate::Options::default()),
        Engine::Summarize(engine::summarize::Options::default()),
        Engine::Quantify(engine::quantify::Options::default()),
    ]
}

/// The C of a program has its verdict, by these engines.
fn c_differs(text: &str, engines: &[Engine]) -> Option<String> {
    let program = read("bp", text);
    let expected = check(&program, &Query::Failures, Engine::Auto);
    for form in forms(&program, &Query::Failures) {
        let c = to_c(&form, "test");
        for &engine in engines {
            let found = check(&read("c", &c), &Query::Failures, engine);
            if found != expected && !matches!(found, Verdict::Unknown(_)) {
                return Some(format!("{found:?} by {engine:?}, not {expected:?}, of\n{c}"));
            }
        }
    }
    None
}

/// More variables are too many for brute force.
const MOST_VARIABLES: usize = 8;

/// The pushdown systems of a program have its verdict, as far as they are small; those are counted.
fn pds_differs(text: &str, compared: &AtomicUsize) -> Option<String> {
    let program = read("bp", text);
    let expected = fails(&program, &Query::Failures);
    forms(&program, &Query::Failures).into_iter().find_map(|form| {
        let pds = to_pds(&form, "test");
        let system = System::parse(&pds);
        if system.variables() > MOST_VARIABLES {
            return None;
        }
        compared.fetch_add(1, Ordering::Relaxed);
        let found = system.reaches("error");
        (found != expected).then(|| format!("{found}, not {expected}, of\n{pds}"))
    })
}

#[test]
fn c_has_the_same_verdict() {
    let automatic = |text: &str| c_differs(text, &[Engine::Auto]);
    for shape in [Shape::general(), Shape::hierarchical(), Shape::deterministic(), Shape::io_bounded()] {
        seeds::agree(&shape, 0..25, automatic);
    }
    seeds::agree(&Shape::tiny(), 0..30, |text| c_differs(text, &engines()));
}

#[test]
fn pushdown_systems_have_the_same_verdict() {
    let compared = AtomicUsize::new(0);
    seeds::agree(&Shape::tiny(), 0..400, |text| pds_differs(text, &compared));
    assert!(compared.into_inner() >= 300);
}

#[test]
fn families_have_the_same_verdict() {
    for family in families_of_failures() {
        for expected in Expected::ALL {
            let text = family.generate(family.smallest.max(2), expected).unwrap();
            let form = &forms(&read(family.language, &text), &Query::Failures)[0];
            let found = fails(&read("c", &to_c(form, family.name)), &Query::Failures);
            assert_eq!(found, expected == Expected::Unsafe, "{} in C", family.name);
        }
    }
    let compared = AtomicUsize::new(0);
    for (name, _, text) in families::small_programs() {
        assert_eq!(pds_differs(&text, &compared), None, "{name}");
    }
    assert!(compared.into_inner() >= 10);
}

/// Every construct, and names that mean something else elsewhere.
const PROGRAMS: [(&str, bool); 24] = [
    ("decl a := 0, b := 1; void main() begin a, b := b, a; assert(a & !b); end", false),
    ("decl a := 0, b := 1; void main() begin a, b := b, a; assert(b); end", true),
    ("decl a, b; void main() begin a, b := *, * constrain 'a != 'b & 'a != a; assert(a != b); assert(a | b); assert(a); end", true),
    ("decl a := 0, b; void main() begin a, b := *, * constrain 'a != 'b & 'a != a; assert(a & !b); end", false),
    ("decl a := 0; void main() begin decl x; a := 1 constrain 'a = x & a = 0; assert(x); end", false),
    ("decl a, b; void main() begin decl x; x := schoose[a, b]; assert((a => x) & (!a & b => !x)); end", false),
    ("decl a := 0, b := 0; void main() begin decl x; x := schoose[a, b]; assert(x); end", true),
    ("decl a := 1; void main() begin dead a; assert(a); end", true),
    ("decl a := 0; void main() begin goto L; L: assert(a); end", true),
    ("decl a := 0; void main() begin if (*) then L: goto L; fi assert(!a); M: a := !a & a; goto M; end", false),
    ("decl a; void main() begin enforce a; skip; assert(a); p(); assert(a); end void p() begin a := *; end", false),
    ("decl a; void main() begin enforce a; a := 0; assert(0); end", false),
    ("bool<3> p(x) begin return x, !x, *; end void main() begin decl a, b; a, _, b := p(1); a, b, _ := p(a); assert(a & !b); end", false),
    ("bool<2> p() begin end void main() begin decl a, b; a, b := p(); assert(a | b); end", true),
    ("bool p() begin end void main() begin decl a; a := p(); assert(!a); end", true),
    ("void main() begin goto 1, B; 1: skip; goto C; B: assert(1); goto 1; C: skip; end", false),
    ("void main() begin goto 1, B; 1: skip; goto C; B: skip; C: goto 1, E; E: assert(0); end", true),
    ("decl g := 0; void main() begin if (g) then ERROR: skip; elsif (!g & *) then g := 1; else while (*) do g := g; od fi print(g); end", false),
    ("decl g := 0; void main() begin while (!g) do if (*) then g := 1; fi od SLIC_ERROR: skip; end", true),
    (
        "decl {x > 0}, {x >= 0}, int, global, A, E, atoms, linux, q; void main() begin decl result1, choice1, new1, error, start;
         if ({x > 0} & !{x >= 0} & int & !global & A & !E & atoms & !linux & q & result1 != choice1 & new1 & error & !start) then
         assert(0); fi end",
        true,
    ),
    ("decl run := 1; void while_(int) begin assert(int); end void exit(double) begin while_(double); end void main() begin exit(run); end", false),
    ("decl run := 0; void printf(abort) begin assert(abort); end void main() begin printf(run | 0); end", true),
    ("decl g := 0; void main() begin if (*) then g := !g; main(); fi assert(!g | *); end", true),
    ("decl g := 0; void main(a) begin decl n := 0; if (*) then n := 1; main(n); fi assert(n | !n & (a | !a)); end", false),
];

#[test]
fn every_construct_keeps_its_meaning() {
    for (text, expected) in PROGRAMS {
        let program = read("bp", text);
        assert_eq!(fails(&program, &Query::Failures), expected, "{text}");
        assert_eq!(c_differs(text, &engines()), None, "{text}");
        assert_eq!(pds_differs(text, &AtomicUsize::new(0)), None, "{text}");
    }
}

#[test]
fn a_label_is_what_is_asked_for() {
    let text = "decl g := 0; void main() begin ERROR: skip; p(); if (g) then L: skip; fi M: skip; end
                void p() begin decl x; x := g; N: g := x ^ *; if (x) then O: skip; fi end";
    let program = read("bp", text);
    for (label, expected) in [("L", true), ("M", true), ("N", true), ("O", false), ("p.N", true), ("ERROR", true)] {
        let query = Query::Label(label.to_owned());
        assert_eq!(fails(&program, &query), expected, "{label}");
        for form in forms(&program, &query) {
            let c = to_c(&form, label);
            assert_eq!(fails(&read("c", &c), &Query::Failures), expected, "{label} in\n{c}");
            let pds = to_pds(&form, label);
            assert_eq!(System::parse(&pds).reaches("error"), expected, "{label} in\n{pds}");
        }
    }
}

#[test]
fn calls_that_must_not_be_made_are_what_is_asked_for() {
    let text = "extern void bad(void); extern _Bool __VERIFIER_nondet_bool(void);
                int main(void) { _Bool x = __VERIFIER_nondet_bool(); if (x && !x) bad(); return 0; }";
    for (text, expected) in [(text.to_owned(), false), (text.replace("x && !x", "x"), true)] {
        let program = read("c", &text);
        let query = Query::Call("bad".to_owned());
        assert_eq!(fails(&program, &query), expected);
        for form in forms(&program, &query) {
            assert_eq!(fails(&read("c", &to_c(&form, "bad")), &Query::Failures), expected);
        }
    }
}

/// Runs a program in a folder; nothing where it is not installed.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> Option<(bool, String)> {
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Some((output.status.success(), text))
}

#[test]
fn compilers_accept_the_c() {
    let folder = tempfile::tempdir().unwrap();
    let random = (0..10).map(|seed| random_program(seed, &Shape::general()));
    for text in PROGRAMS.iter().map(|(text, _)| (*text).to_owned()).chain(random) {
        std::fs::write(folder.path().join("p.c"), to_c(&parse(&text), "test")).unwrap();
        let strict = ["-fsyntax-only", "-std=c11", "-Werror", "-Wpedantic", "p.c"];
        let Some((accepted, messages)) = run(folder.path(), "gcc", &strict) else {
            return eprintln!("skipped: gcc is not installed");
        };
        assert!(accepted, "{messages}\nof {text}");
    }
}

/// What SPIN says of a program; nothing if it gives no answer.
fn spin(folder: &Path, promela: &str) -> Option<bool> {
    std::fs::write(folder.join("p.pml"), promela).unwrap();
    let (_, messages) = run(folder, "spin", &["-a", "p.pml"])?;
    let gcc = ["-O0", "-w", "-DSAFETY", "-DVECTORSZ=65536", "-o", "pan", "pan.c"];
    let (compiled, errors) = run(folder, "gcc", &gcc)?;
    assert!(compiled && !messages.contains("Error"), "{messages}\n{errors}\nof\n{promela}");
    let (_, answer) = run(folder, "./pan", &["-E", "-m1000000", "-w18"])?;
    match answer {
        answer if answer.contains("assertion violated") => Some(true),
        answer if answer.contains("errors: 0") && !answer.contains("max search depth too small") => Some(false),
        answer => {
            assert!(answer.contains("too many processes"), "{answer}\nof\n{promela}");
            None
        }
    }
}

#[test]
fn spin_has_the_same_verdict() {
    if Command::new("spin").arg("-V").output().is_err() || Command::new("gcc").arg("--version").output().is_err() {
        return eprintln!("skipped: spin or gcc is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let random = (0..6).map(|seed| random_program(seed, &Shape::tiny()));
    let odd = [1, 3, 6, 8, 9, 10, 12].map(|number: usize| PROGRAMS[number].0.to_owned());
    let mut answers = 0;
    for (number, text) in random.chain(odd).enumerate() {
        let program = read("bp", &text);
        let forms = forms(&program, &Query::Failures);
        let promela = to_promela(&forms[number % 2], "test");
        if let Some(found) = spin(folder.path(), &promela) {
            assert_eq!(found, fails(&program, &Query::Failures), "{promela}\nof {text}");
            answers += 1;
        }
    }
    assert!(answers >= 8, "only {answers} answers");
}

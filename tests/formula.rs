//! Questions as formulas (`encode --to cnf`), written as a file, read again and solved by another solver: they agree
//! with `check`; names tell what a model says; the same program gives the same bytes.

#[path = "common/mod.rs"]
mod common;
#[path = "common/output.rs"]
mod output;

use assert_cmd::Command;
use common::seeds::agree;
use epitome::engine::summarize::formula::Value;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::syntax::Program;
use epitome::{Checker, Engine, NamedFormula, Verdict};
use epitome_benchmarks::{Shape, Verdict as Version, families_of_failures, generate};
use epitome_encodings::{Cnf, Extent, UnfoldError, dimacs};
use output::{code, stderr, stdout};
use std::cell::Cell;
use varisat::ExtendFormula;

const MOST_CLAUSES: u64 = 30_000;

/// A model, by variable, of what is read from the file.
fn solve(cnf: &Cnf) -> Option<Vec<bool>> {
    let mut text = Vec::new();
    dimacs::write(&mut text, ["p cnf 0 0"], cnf).expect("a list takes all");
    let read = dimacs::read(&text[..]).expect("what was written");
    assert_eq!(&read, cnf);
    let mut solver = varisat::Solver::new();
    for clause in read.clauses() {
        let clause: Vec<varisat::Lit> = clause.iter().map(|&l| varisat::Lit::from_dimacs(l as isize)).collect();
        solver.add_clause(&clause);
    }
    solver.solve().expect("no limits").then(|| {
        let mut values = vec![false; read.variables() as usize + 1];
        for literal in solver.model().expect("a model").iter().filter(|literal| literal.is_positive()) {
            values[literal.to_dimacs() as usize] = true;
        }
        values
    })
}

/// What is counted against the depth, as the documentation says: a loop of three rounds comes to its head four times,
/// each loop of a procedure has a count of its own, wherever it is entered, the call that enters a recursion
/// is free, and what is called from outside begins anew.
#[test]
fn depth_counts_heads_of_loops_and_calls() {
    const COUNT: &str = "while (*) do a, b := !a, b ^ a; od";
    const AGAIN: &str = "while (*) do c, d := !c, d ^ c; od";
    const STEP: &str = "a, b := !a, b ^ a;";
    let cases = [
        (format!("{COUNT} assert(!(a & b));"), String::new(), 4),
        (format!("{COUNT} assume(a & b); {AGAIN} assert(!(c & d));"), String::new(), 4),
        (
            format!("while (*) do {STEP} c, d := 0, 0; {AGAIN} assume(c & d); od assert(!(a & b & c & d));"),
            String::new(),
            4,
        ),
        ("f(); assert(!(a & b));".to_owned(), format!("{STEP} if (*) then f(); fi"), 2),
        (
            "while (*) do c, d := !c, d ^ c; a, b := 0, 0; f(); assume(a & b); od assert(!(c & d));".to_owned(),
            format!("{STEP} if (*) then f(); fi"),
            4,
        ),
        (
            "f(); assert(!(a & b));".to_owned(),
            format!("{STEP} c, d := 0, 0; {AGAIN} assume(c & d); if (*) then f(); fi"),
            2 + 4,
        ),
    ];
    for (main, f, least) in cases {
        let text = format!("decl a := 0, b := 0, c := 0, d := 0; void main() begin {main} end void f() begin {f} end");
        let program = Program::Bp(common::parse(&text));
        let checker = Checker::new(&program);
        for depth in [least - 1, least] {
            let extent = Extent { depth: Some(depth), most_clauses: 1_000_000 };
            let named = checker.formula(&Query::Failures, extent).expect("it is small enough");
            assert_eq!(solve(&named.formula.cnf).is_some(), depth == least, "depth {depth}: {text}");
        }
    }
}

/// Loops of three rounds, `[` and `]` around what is in each round, one after the other and inside of each
/// other: depth 4 is enough for all of them, depth 3 for none.
fn loops(structure: &str, claim: &str) -> String {
    let count = structure.matches('[').count();
    let mut open: Vec<usize> = Vec::new();
    let (mut body, mut next) = (String::new(), 0);
    for sign in structure.chars() {
        if sign == '[' {
            body += &format!("a{next}, b{next} := 0, 0; while (!(a{next} & b{next})) do ");
            open.push(next);
            next += 1;
        } else if let Some(own) = open.pop() {
            body += &format!("a{own}, b{own} := !a{own}, b{own} ^ a{own}; od ");
        }
    }
    let names: Vec<String> = (0..count).map(|number| format!("a{number}, b{number}")).collect();
    format!("decl {}; void main() begin {body} assert({claim}); end", names.join(", "))
}

#[test]
fn every_loop_is_followed_to_the_depth() {
    for structure in ["[]", "[][]", "[][][]", "[[]]", "[[][]][]", "[][[]]", "[[[]]]", "[[]][[]]"] {
        for claim in ["a0 & b0", "!a0"] {
            let text = loops(structure, claim);
            let program = Program::Bp(common::parse(&text));
            let checker = Checker::new(&program);
            let is_violated = is_violated(&checker);
            assert_eq!(is_violated, claim == "!a0");
            for depth in [3, 4] {
                let extent = Extent { depth: Some(depth), most_clauses: 1_000_000 };
                let named = checker.formula(&Query::Failures, extent).expect("it is small enough");
                let found = solve(&named.formula.cnf).is_some();
                assert_eq!(found, is_violated && depth == 4, "depth {depth}: {text}");
            }
        }
    }
}

fn formula(checker: &Checker<'_>, depth: Option<u32>) -> Result<NamedFormula, UnfoldError> {
    checker.formula(&Query::Failures, Extent { depth, most_clauses: MOST_CLAUSES })
}

fn is_violated(checker: &Checker<'_>) -> bool {
    let report = checker.check(&Query::Failures, Engine::Expand(None), &Limits::none(), &mut |_| ());
    report.expect("a verdict").verdict == Verdict::Violated
}

#[test]
fn acyclic_programs_agree_with_check() {
    let (violated, compared) = (Cell::new(0), Cell::new(0));
    let shape = Shape::acyclic();
    agree(&shape, 0..400, |text| {
        let program = Program::Bp(common::parse(text));
        let checker = Checker::new(&program);
        let named = match formula(&checker, None) {
            Ok(named) => named,
            Err(UnfoldError::TooLarge { .. }) => return None,
            Err(UnfoldError::Cyclic) => return Some("an acyclic program has cycles".to_owned()),
        };
        let expected = is_violated(&checker);
        compared.set(compared.get() + 1);
        violated.set(violated.get() + u32::from(expected));
        let found = solve(&named.formula.cnf).is_some();
        (found != expected).then(|| format!("satisfiable: {found}, violated: {expected}"))
    });
    assert!(compared.get() > 300 && violated.get() > 100, "{compared:?} {violated:?}");
}

/// What is found within a depth is a violation; a formula that is not cut is exact; and every violation of a small
/// program is found at some depth.
#[test]
fn cyclic_programs_up_to_a_depth() {
    let (found_deeper, missed) = (Cell::new(0), Cell::new(0));
    for shape in [Shape::tiny(), Shape::general()] {
        agree(&shape, 0..250, |text| {
            let program = Program::Bp(common::parse(text));
            let checker = Checker::new(&program);
            let expected = is_violated(&checker);
            for depth in 0..8 {
                let Ok(named) = formula(&checker, Some(depth)) else {
                    missed.set(missed.get() + u32::from(expected));
                    return None;
                };
                match (solve(&named.formula.cnf).is_some(), expected, named.formula.is_cut) {
                    (true, false, _) => return Some(format!("satisfiable at depth {depth}, but nothing fails")),
                    (false, true, false) => return Some(format!("unsatisfiable at depth {depth}, but not cut")),
                    (true, true, _) => {
                        found_deeper.set(found_deeper.get() + u32::from(depth > 0));
                        return None;
                    }
                    (false, ..) => {}
                }
            }
            expected.then(|| "a violation that is not found at any depth".to_owned())
        });
    }
    assert!(found_deeper.get() > 5 && missed.get() < 20, "{found_deeper:?} {missed:?}");
}

#[test]
fn families_that_are_acyclic() {
    let mut compared = 0;
    for family in families_of_failures() {
        for version in Version::ALL {
            let Ok(text) = generate(family.name, family.smallest + 3, version) else { continue };
            let program = common::read(family.language, &text);
            if let Ok(named) = formula(&Checker::new(&program), None) {
                assert_eq!(solve(&named.formula.cnf).is_some(), version == Version::Unsafe, "{}", family.name);
                compared += 1;
            }
        }
    }
    assert!(compared >= 6, "{compared}");
}

/// The only failing values, read from a model by name, in the caller and in the callee.
#[test]
fn names_tell_the_values() {
    let text = "decl a, b; bool p(x, y) begin if (x) then return !y; fi return 0; end
                void main() begin decl r; r := p(b, a); assert(!r | a); end";
    let program = Program::Bp(common::parse(text));
    let named = formula(&Checker::new(&program), None).expect("acyclic");
    let model = solve(&named.formula.cnf).expect("it fails with a = 0 and b = 1");
    let value = |copy: &str, variable: &str| {
        let mut meanings = named.formula.meanings.iter().zip(&named.variables);
        let meaning =
            meanings.find(|(meaning, (name, _))| name == variable && named.copies[meaning.copy as usize] == copy);
        meaning.map(|(meaning, _)| match meaning.value {
            Value::Always(value) => value,
            Value::Literal(literal) => model[literal.unsigned_abs() as usize] == (literal > 0),
        })
    };
    assert_eq!((value("main", "a"), value("main", "b")), (Some(false), Some(true)));
    assert_eq!((value("p", "x"), value("p", "y")), (Some(true), Some(false)));
    assert_eq!(value("main", "r"), Some(true));
    assert_eq!(named.copies, ["", "main", "p"]);
}

fn encode(program: &str, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.args(["encode", "-", "--language", "bp", "--to", "cnf"]).args(arguments);
    command.write_stdin(program).output().expect("it runs")
}

const LOOP: &str = "decl g; void main() begin while (g) do g := *; od L: assert(*); end";

#[test]
fn the_same_bytes_twice_on_stdout_and_in_a_file() {
    let text = generate("depth", 5, Version::Safe).expect("a family");
    let [first, second] = [(); 2].map(|()| encode(&text, &[]));
    assert_eq!((code(&first), &first.stdout), (0, &second.stdout));
    assert!(stderr(&first).ends_with(" copies of procedures\n"), "{}", stderr(&first));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.cnf");
    let written = encode(&text, &["-o", file.to_str().expect("a plain name")]);
    assert_eq!((code(&written), stdout(&written)), (0, String::new()));
    assert_eq!(std::fs::read(&file).expect("it was written"), first.stdout);
    let read = dimacs::read(&first.stdout[..]).expect("it is DIMACS");
    assert!(solve(&read).is_none());
}

#[test]
fn messages() {
    let cases: [(&str, &[&str], &str); 5] = [
        (LOOP, &["--depth", "4294967295"], "written out, there may be "),
        (LOOP, &[], "the program has loops or recursion: say with --depth how deep"),
        (LOOP, &["--label", "LL"], "the program has no label `LL`"),
        (&generate("en", 40, Version::Safe).expect("a family"), &[], "written out, there may be "),
        (LOOP, &["--depth", "3", "-o", "/no/such/folder/x.cnf"], "cannot write /no/such/folder/x.cnf"),
    ];
    for (program, arguments, message) in cases {
        let output = encode(program, arguments);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
    let output = encode("decl g; void main() begin assert(g); end", &["--depth", "3"]);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).contains("note: --depth has no effect"), "{}", stderr(&output));
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    let output = command.args(["encode", "x.bp", "--to", "bp", "--depth", "3"]).output().expect("it runs");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--depth is about a question: it goes with --to cnf"), "{}", stderr(&output));
}

/// Nothing to find: a formula that is false, and exit status 0 all the same.
#[test]
fn nothing_to_find() {
    let output = encode("void main() begin skip; end", &[]);
    assert_eq!(code(&output), 0);
    let cnf = dimacs::read(&output.stdout[..]).expect("it is DIMACS");
    assert!(solve(&cnf).is_none());
}

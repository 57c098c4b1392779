//! What the list of families says of their classes is what `classify` measures of large members.

use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Usual};
use epitome_benchmarks::{FAMILIES, Verdict, generate};

/// Large enough that little between procedures is not taken for bounded.
const LARGE: u32 = 40;

#[test]
fn families_are_of_the_class_they_name() {
    let mut families = 0;
    // Questions of branching time and of open systems have bounds of their own.
    for family in FAMILIES.iter().filter(|family| family.question.is_none()) {
        let text = generate(family.name, LARGE.min(family.largest), Verdict::Safe).unwrap();
        let file = format!("program.{}", family.language);
        let source = Source::new(&file, &text);
        let (program, _) = Program::parse(&source, Language::of_file(&file).unwrap()).unwrap();
        let checker = Checker::new(&program);
        let row = &checker.class().row;
        let (class, bound) = family.theorem.split_once(": ").unwrap();
        let measured = row.name.to_string();
        let is_same = measured == class || measured.strip_prefix("deterministic ") == Some(class);
        assert!(is_same, "{}: {class}, but measured is {measured}", family.name);
        let theorem = match row.theorem.parse::<u32>() {
            Ok(number) => format!("Godefroid, Theorem {number}"),
            Err(_) => row.theorem.replace(' ', ", Theorem "),
        };
        assert!(bound.contains(&theorem), "{}: {bound}, but measured is {theorem}", family.name);
        families += 1;
    }
    assert!(families >= 20, "only {families} families were measured");
}

/// What makes a program look harder than what engines get of it: by program, its class as written and what is
/// left of it.
#[test]
fn what_does_not_matter_does_not_count() {
    let cases = [
        // A call and a loop behind a `return`.
        (
            "void main() begin decl x; p(x); end
             void p(x) begin decl y; y := x; assert(y); return; p(y); while (y) do y := *; od end",
            "I/O bounded ERSM",
            "I/O bounded deterministic acyclic EHSM",
        ),
        // Variables that nobody uses.
        ("decl a, b; void main() begin a := b; while (*) do ERROR: skip; od end", "I/O bounded EFSM", "FSM"),
        // `goto` and `assume`, of which a condition is made.
        (
            "decl a, b; void main() begin goto L, M; L: assume(a); b := 1; goto N; M: assume(!a); b := 0; N: assert(a = b); end",
            "acyclic bounded-depth EFSM",
            "I/O bounded deterministic acyclic EFSM",
        ),
        // Without a failure labels are asked for, and without labels nothing.
        ("decl a; void main() begin L: a := *; return; main(); end", "I/O bounded ERSM", "FSM"),
        ("decl a; void main() begin a := *; return; main(); end", "I/O bounded ERSM", "I/O bounded ERSM"),
    ];
    for (text, written, reduced) in cases {
        let (program, _) = Program::parse(&Source::new("program.bp", text), Language::Bp).unwrap();
        let checker = Checker::new(&program);
        let left = checker.leftover();
        assert_eq!((&checker.class().row.name[..], &left.class.row.name[..]), (written, reduced), "{text}");
        let question = match (text.contains("assert") || text.contains("ERROR"), text.contains("L:")) {
            (true, _) => Usual::Failures,
            (false, true) => Usual::Labels,
            (false, false) => Usual::Nothing,
        };
        assert_eq!(left.question, question, "{text}");
    }
}

/// `schoose[a, !a]`, as SLAM writes a condition, chooses nothing; nor do globals that only `main` uses pass
/// between procedures.
#[test]
fn as_written() {
    let class = |text: &str| {
        let (program, _) = Program::parse(&Source::new("program.bp", text), Language::Bp).unwrap();
        Checker::new(&program).class().row.name.clone()
    };
    let chosen =
        |value: &str| class(&format!("decl a, b; void main() begin b := {value}; p(b); end void p(x) begin skip; end"));
    assert_eq!(chosen("schoose[a, !a]"), "I/O bounded deterministic acyclic EHSM");
    assert_eq!(chosen("schoose[a & b, a = b]"), "acyclic bounded-depth EHSM");
    let globals: Vec<String> = (0..20).map(|number| format!("g{number}")).collect();
    let used = |by: &str| {
        let [main, p] = ["main", "p"].map(|name| if name == by { globals.join(" & ") } else { "g0".to_owned() });
        class(&format!(
            "decl {}; void main() begin while ({main}) do p(); od end void p() begin if ({p}) then g0 := 0; fi end",
            globals.join(", ")
        ))
    };
    assert_eq!((&used("main")[..], &used("p")[..]), ("deterministic I/O bounded EHSM", "deterministic EHSM"));
}

/// The depth of a hierarchy is that of its calls, not the number of its bodies (Godefroid, Theorem 4).
#[test]
fn depth_is_not_the_number_of_bodies() {
    let class = |depth: usize, calls: usize| {
        let globals = "a, b, c, d, e, f, g, h, i, j";
        let procedure =
            |level: usize| format!("void p{level}() begin {} end", format!("p{}();", level + 1).repeat(calls));
        let procedures: Vec<String> = (1..depth - 1).map(procedure).collect();
        let text = format!(
            "decl {globals}; void main() begin {} end {} void p{}() begin {globals} := b, c, d, e, f, g, h, i, j, *; end",
            "p1();".repeat(calls),
            procedures.join(" "),
            depth - 1
        );
        let (program, _) = Program::parse(&Source::new("program.bp", &text), Language::Bp).unwrap();
        let checker = Checker::new(&program);
        (checker.class().row.theorem, checker.class().plan.entrants[1].share)
    };
    // Many bodies at a small depth, few at a large one, and many at a large one. The plan goes by the bodies.
    assert_eq!([class(2, 1_100), class(20, 1), class(20, 2)], [("4", 3), ("4", 4), ("3", 3)]);
}

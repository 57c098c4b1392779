//! Loops that are squared: more rounds than the engine has patience with, choices in them, several
//! transitions on one vertex, inside of procedures. The verdict is that of the explicit engine, and
//! the runs, whose rounds are picked from the powers of a relation, replay.

use crate::{DEFAULT, check};
use epitome::engine::tabulate::{Method, Options};
use epitome::limits::Limits;
use epitome::reduce::{Reduction, Reductions};
use epitome::syntax::Language;
use epitome::{Engine, Verdict};

/// Checks with every method, with and without what makes loops of one vertex.
fn agrees(text: &str, language: Language, expected: Verdict) {
    let sets = [Reductions::all(), Reductions::none().with(Reduction::Compact), Reductions::none()];
    for reductions in sets {
        let explicit = check(text, language, Engine::Expand(None), reductions, &Limits::none());
        assert_eq!(explicit.verdict, expected, "{text}");
        for method in [Method::Auto, Method::Demanded, Method::Summarizing, Method::Shortest] {
            let engine = Engine::Tabulate(Options { method, ..DEFAULT });
            let found = check(text, language, engine, reductions, &Limits::none());
            assert_eq!(found.verdict, expected, "{method:?} {reductions:?}\n{text}");
        }
    }
}

fn both(text: impl Fn(&str) -> String, holds: &str, fails: &str) {
    agrees(&text(holds), Language::Bp, Verdict::Holds);
    agrees(&text(fails), Language::Bp, Verdict::Violated);
}

const BITS: usize = 7;

fn bits(separator: &str, part: impl Fn(usize) -> String) -> String {
    (0..BITS).map(part).collect::<Vec<_>>().join(separator)
}

/// A bit of x + 1.
fn next(i: usize) -> String {
    let lower = (0..i).map(|j| format!("x{j}")).collect::<Vec<_>>().join(" & ");
    if i == 0 { "!x0".to_owned() } else { format!("x{i} ^ ({lower})") }
}

/// `x0, x1, … := x + 1`.
fn increment() -> String {
    format!("{} := {};", bits(", ", |i| format!("x{i}")), bits(", ", next))
}

fn is(number: usize) -> String {
    bits(" & ", |i| format!("(x{i} = {})", number >> i & 1))
}

fn zeros() -> String {
    bits(", ", |i| format!("x{i} := 0"))
}

fn assign(number: usize) -> String {
    format!("{} := {};", bits(", ", |i| format!("x{i}")), bits(", ", |i| (number >> i & 1).to_string()))
}

/// A counter that stops by itself at 100, or is reset before, as the run likes.
#[test]
fn a_counter_that_may_be_reset() {
    let text = |claim: &str| {
        format!(
            "void main() begin decl {}; while (*) do if (!({})) then {} fi if (*) then {} fi od assert({claim}); end",
            zeros(),
            is(100),
            increment(),
            assign(3)
        )
    };
    both(text, &format!("!({})", is(101)), &format!("!({})", is(100)));
}

/// One step or two, by choice: all numbers, or the even ones only.
#[test]
fn a_counter_that_may_skip() {
    let text =
        |step: &str| format!("void main() begin decl {}; while (*) do {step} od assert(!({})); end", zeros(), is(101));
    let one = increment();
    both(text, &format!("{one} {one}"), &format!("{one} if (*) then {one} fi"));
}

/// Bits are chosen in the loop: parity is kept, whatever else happens.
#[test]
fn choices_in_the_loop() {
    let text = |claim: &str| {
        format!(
            "void main() begin decl {}, odd := 0, c; while (*) do c := *; x3, x4 := x4 ^ c, x3; odd := odd ^ c; \
             {} if (x0) then odd := !odd; else odd := odd; fi od assert({claim}); end",
            zeros(),
            "x5, x6 := schoose[x3, x4], *;"
        )
    };
    both(text, "odd = (x3 ^ x4)", "!(x3 & x4 & x5 & !x6 & !odd)");
}

/// The loop is in a procedure that assigns its input, is called twice, and writes a global.
#[test]
fn a_loop_in_a_procedure() {
    let text = |claim: &str| {
        let inputs = bits(", ", |i| format!("x{i}"));
        format!(
            "decl g := 0;
             void main() begin decl {}; {inputs} := count({inputs}, 0); assert({claim});
               {inputs} := count({inputs}, 1); assert(g | {claim}); end
             bool<{BITS}> count({inputs}, quick) begin
               while (!({}) & *) do {} if (quick) then g := *; fi od return {inputs}; end",
            zeros(),
            is(90),
            increment()
        )
    };
    both(text, &format!("!({})", is(91)), &format!("!({})", is(89)));
}

/// Recursion with a loop on each level: up in the loop, deeper by choice.
#[test]
fn a_loop_in_recursion() {
    let text = |claim: &str| {
        format!(
            "decl {};
             void main() begin if (*) then main(); fi rec(*); assert({claim}); end
             void rec(again) begin while (*) do if (!({})) then {} fi od
               if (again & {}) then rec(*); {} fi end",
            zeros(),
            is(60),
            increment(),
            is(60),
            assign(61)
        )
    };
    // A step from 61 is possible in the next round, but only up to 127 and round to 60.
    let text_small = |claim: &str| text(claim).replace(&assign(61), &assign(7));
    both(text_small, &format!("!({})", is(61)), &format!("!({})", is(60)));
    agrees(&text(&format!("!({})", is(126))), Language::Bp, Verdict::Violated);
}

/// Machines: two loops on one node, entered by two entries that exclude one loop each, left by two exits.
#[test]
fn loops_of_machines_with_entries_and_exits() {
    let text = |entry: &str, wanted: usize| {
        format!(
            "var {};
             machine Main {{ entry e; exit x; node ERROR; box b: Count(*, 1);
               e -> b.{entry}; b.low -> x; b.high -> ERROR when {}; b.high -> x; }}
             machine Count(in up, keep) {{ entry some, none; exit low, high; node n;
               some -> n do up := 1; none -> n do up := 0;
               n -> n when up & !({}) do {};
               n -> n when keep do up := up & *;
               n -> low when !x6; n -> high when x6; }}
             init Main.e;",
            zeros(),
            is(wanted),
            is(127),
            bits(", ", |i| format!("x{i} := {}", next(i)))
        )
    };
    agrees(&text("some", 100), Language::Rsm, Verdict::Violated);
    agrees(&text("some", 20), Language::Rsm, Verdict::Holds);
    agrees(&text("none", 100), Language::Rsm, Verdict::Holds);
}

/// Results go into globals that the callee writes as well; inputs are kept or assigned; arguments are
/// choices.
#[test]
fn results_into_globals() {
    let text = |claim: &str| {
        format!(
            "decl g, h := 0;
             void main() begin decl a; g, a := p(*, h | *); assert({claim}); h := q(a); assert(h = a | g); end
             bool<2> p(kept, changed) begin decl r; while (*) do changed, r := !changed, changed; g := !g; od
               g := kept; return kept ^ r ^ r, changed; end
             bool q(x) begin h := *; if (h) then x := x; fi return x; end"
        )
    };
    both(text, "g | !g", "g = a");
}

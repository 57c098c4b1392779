//! What reductions are for: the explicit engine has less to do, and answers stay. (That answers stay on
//! programs of every shape is tested in `conformance`.)

use epitome::engine::expand::Algorithm;
use epitome::limits::Limits;
use epitome::reduce::{Reduction, Reductions};
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine, Reachability};

fn reach(text: &str, reductions: Reductions) -> Reachability {
    let source = Source::new("t.bp", text);
    let (program, _) = Program::parse(&source, Language::Bp).unwrap_or_else(|e| panic!("{}", e[0].render(&source)));
    let checker = Checker::new(&program).with_reductions(reductions);
    checker.reach(true, Engine::Expand(Some(Algorithm::Forward)), &Limits::none(), &mut |_| ())
}

/// The answers with no reduction and with one; how many entries and rows they took.
fn compare(text: &str, reduction: Reduction) -> [(u64, u64); 2] {
    let plain = reach(text, Reductions::none());
    let reduced = reach(text, Reductions::none().with(reduction));
    assert_eq!(plain.statements, reduced.statements);
    assert!(plain.reductions.is_empty());
    assert_eq!(reduced.reductions.iter().map(|removed| removed.reduction).collect::<Vec<_>>(), [reduction]);
    [plain, reduced].map(|found| (found.statistics.entries, found.statistics.path_edges))
}

/// Eight globals take all values, and `p` is called with each: 256 calls, unless it is told that they
/// are none of its business.
#[test]
fn mod_ref_merges_calls() {
    let globals = "a, b, c, d, e, f, g, h";
    let text = format!(
        "decl {globals}, r; void main() begin {globals} := *, *, *, *, *, *, *, *;
         if (a ^ b ^ c ^ d ^ e ^ f ^ g ^ h) then skip; fi p(); p(); if (r & a) then L: skip; fi end
         void p() begin r := 1; q(r); end void q(x) begin if (x) then r := !r; fi end"
    );
    let [(plain, _), (reduced, _)] = compare(&text, Reduction::ModRef);
    assert!(plain > 512 && reduced <= 8, "{plain} and {reduced} entries");
}

/// The same globals are read once and never again: their values are forgotten, rows become one.
#[test]
fn live_ranges_merge_rows() {
    let globals = "a, b, c, d, e, f, g, h";
    let text = format!(
        "decl {globals}, r; void main() begin {globals} := *, *, *, *, *, *, *, *;
         r := a ^ b ^ c ^ d ^ e ^ f ^ g ^ h; {} if (r) then L: skip; fi end",
        "skip; ".repeat(20)
    );
    let [(_, plain), (_, reduced)] = compare(&text, Reduction::Live);
    assert!(plain > 20 * 256 && reduced < 1000, "{plain} and {reduced} rows");
}

/// A counter that decides nothing is not counted. (`L` cannot be reached, so everything is explored.)
#[test]
fn the_cone_leaves_counters_out() {
    let text = "decl a := 0, b := 0, c := 0, g := 0; void main() begin
                while (*) do a, b, c := !a, b ^ a, c ^ (a & b); od if (g) then L: skip; fi end";
    let [(_, plain), (_, reduced)] = compare(text, Reduction::Cone);
    assert!(plain > 2 * reduced, "{plain} and {reduced} rows");
}

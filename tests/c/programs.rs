//! Small programs, each about one thing, with their verdicts: by every engine that can, written out or not.

use crate::{epitome, folder, verdict};

const TRUE: &str = "Verdict: TRUE";
const FALSE: &str = "Verdict: FALSE(unreach-call)";

/// Both ways to treat small functions, and the engines.
fn all_say(text: &str, expected: &str) {
    for options in
        [&["--engine", "sat"][..], &["--engine", "bdd"], &["--no-inline"], &["--no-inline", "--engine", "bdd"], &[]]
    {
        assert_eq!(verdict(text, options), expected, "{options:?}\n{text}");
    }
}

#[test]
fn failures_are_calls_labels_and_assertions() {
    all_say("extern void reach_error(void); int main(void) { reach_error(); }", FALSE);
    all_say("void reach_error(void) {} int main(void) { reach_error(); return 0; }", FALSE);
    all_say("void __VERIFIER_error(); int main() { __VERIFIER_error(); }", FALSE);
    all_say("int main() { goto ERROR; ERROR: return 1; }", FALSE);
    all_say("#include <assert.h>\nint main(void) { int x = 3; assert(x == 3); x++; assert(x == 3); }", FALSE);
    all_say("#include <assert.h>\nint main(void) { int x = 3; assert(x == 3); }", TRUE);
    all_say("void reach_error(void) {} int main(void) { if (0) reach_error(); return 0; }", TRUE);
}

#[test]
fn runs_end_where_they_end() {
    let stops = "extern void abort(void); extern void exit(int); void reach_error(void) {}
        extern int __VERIFIER_nondet_int(void); void assume_abort_if_not(int c) { if (!c) { abort(); } }\n";
    let says = |body: &str, expected| all_say(&format!("{stops}int main(void) {{ {body} }}"), expected);
    says("abort(); reach_error();", TRUE);
    says("exit(3); reach_error();", TRUE);
    says("__VERIFIER_assume(0); reach_error();", TRUE);
    says("int x = __VERIFIER_nondet_int(); assume_abort_if_not(x > 5); if (x < 6) reach_error();", TRUE);
    says("int x = __VERIFIER_nondet_int(); assume_abort_if_not(x > 5); if (x < 7) reach_error();", FALSE);
}

#[test]
fn objects_are_cells() {
    let says = |body: &str, expected| {
        let text = format!(
            "struct p {{ int a; char b[3]; struct {{ short c; }} d; }} g = {{1, {{2, 3}}, {{4}}}};
             void reach_error(void) {{}} void check(int c) {{ if (!c) reach_error(); }}
             void swap(int *x, int *y) {{ int t = *x; *x = *y; *y = t; }}
             int sum(int a[], int n) {{ int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }}
             int main(void) {{ {body} return 0; }}"
        );
        all_say(&text, expected);
    };
    says("check(g.a == 1 && g.b[1] == 3 && g.b[2] == 0 && g.d.c == 4);", TRUE);
    says("struct p h = g; h.b[h.a] = 9; check(h.b[1] == 9 && g.b[1] == 3);", TRUE);
    says("int a = 1, b = 2; swap(&a, &b); check(a == 2 && b == 1);", TRUE);
    says("int a = 1; swap(&a, &g.a); swap(&a, &a); check(a == 1);", TRUE);
    says("int v[4] = {1, 2, 3, 4}; check(sum(v, 4) == 10);", TRUE);
    says(
        "int v[2][2] = {{1, 2}, {3, 4}}; int s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s += v[i][j]; check(s == 10);",
        TRUE,
    );
    says("int v[4] = {1, 2, 3, 4}; check(sum(v, 3) == 10);", FALSE);
    says("static int n = 5; n += 2; check(n == 7);", TRUE);
}

/// What C does not define is never guessed: it is a reason not to know.
#[test]
fn undefined_behaviour_is_not_an_answer() {
    let bounds = "int a[4]; int main(void) { int i = 0; while (i <= 4) a[i++] = 1; return 0; }";
    assert_eq!(verdict(bounds, &[]), "Verdict: UNKNOWN(undefined behaviour: array index out of bounds at line 1)");
    let division = "extern int __VERIFIER_nondet_int(void); int main(void) { return 1 / __VERIFIER_nondet_int(); }";
    assert_eq!(verdict(division, &[]), "Verdict: UNKNOWN(undefined behaviour: division by zero at line 1)");
    let shift = "int main(void) { int n = 40; return 1 << n; }";
    assert_eq!(verdict(shift, &[]), "Verdict: UNKNOWN(undefined behaviour: shift by too much at line 1)");
    let flexible = "struct p { int x, y; }; struct s { int n; struct p data[]; } s, t[2]; int get(void); int none[0];";
    for body in [
        "return s.data[0].y;",
        "s.data[1].x = 3;",
        "s.data[0] = s.data[1];",
        "t[get() & 1].data[get()].x = get();",
        "none[0] = get();",
        "return none[0]++;",
        "return *none;",
        "int *p = none; *p += 2;",
        "struct p q = t[1].data[0]; return q.x;",
    ] {
        let said = verdict(&format!("{flexible} int main(void) {{ {body} return 0; }}"), &[]);
        assert!(said.contains("array index out of bounds") || said.contains("not known at line 1"), "{body}: {said}");
    }
    // A failure before that is one all the same.
    let before =
        "void reach_error(void) {} int a[2]; int main(void) { int i = 5; if (i > 4) reach_error(); a[i] = 1; }";
    assert_eq!(verdict(before, &[]), FALSE);
}

/// The numbers are those of the search that found the run, where the property itself needs none.
#[test]
fn undefined_behaviour_has_its_statistics() {
    let text = "int a[4]; int main(void) { int i = 0; while (i <= BOUND) a[i++] = 1; return 0; }";
    for (bound, status) in [("4", 3), ("3", 0)] {
        let folder = folder(&[("a.c", &text.replace("BOUND", bound))]);
        let said = epitome(folder.path(), &["check", "a.c", "--engine", "expand", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&said.stdout).expect("one object");
        assert_eq!(said.status, status);
        let (algorithm, edges) = (&json["statistics"]["algorithm"], &json["statistics"]["path_edges"]);
        assert!(algorithm != "nothing to find" && edges.as_u64() > Some(5), "{algorithm} {edges}");
    }
}

#[test]
fn data_models_and_widths() {
    let long = "void reach_error(void) {} int main(void) { if (sizeof(long) == 8) reach_error(); }";
    assert_eq!(verdict(long, &[]), TRUE);
    assert_eq!(verdict(long, &["--32"]), TRUE);
    assert_eq!(verdict(long, &["--64"]), FALSE);
    assert_eq!(verdict(long, &["--data-model", "LP64"]), FALSE);
    assert_eq!(verdict(long, &["--data-model", "ilp32"]), TRUE);
    let wide = "void reach_error(void) {} int main(void) { int x = 100; x += 100; if (x < 0) reach_error(); }";
    assert_eq!(verdict(wide, &[]), TRUE);
    assert_eq!(verdict(wide, &["--int-width", "8"]), FALSE);
}

#[test]
fn overflows_and_termination() {
    let overflow = |body: &str| {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void); int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}"
        );
        verdict(&text, &["--property", "no-overflow"])
    };
    let violated = "Verdict: FALSE(no-overflow)";
    assert_eq!(overflow("x = x + 1;"), violated);
    assert_eq!(overflow("x = -x;"), violated);
    assert_eq!(overflow("if (x < 1000 && x > -1000) x = x * x - x;"), TRUE);
    assert_eq!(overflow("unsigned u = x; u = u * u + 1;"), TRUE);
    assert_eq!(overflow("short s = x; s++;"), TRUE);
    assert_eq!(overflow("if (x > 0 && x - 1 < 5) x++;"), TRUE);
    assert_eq!(overflow("x = (x < 0 || x > 5) ? 0 : x << 30;"), violated);
    assert_eq!(overflow("if (x) x = x / -1;"), violated);
    let ends = |body: &str| verdict(&format!("int main(void) {{ int x; {body} return 0; }}"), &["--property", "F end"]);
    assert_eq!(ends("if (x) x = 3;"), TRUE);
    assert_eq!(ends("for (x = 0; x < 9; x++) ;"), TRUE);
    // One run for each value that a variable may start with.
    let endless = "Verdict: FALSE(termination)";
    assert_eq!(ends("while (x == 5) ;"), endless);
    assert_eq!(ends("while (x == 5) x = 4;"), TRUE);
    let callee = "void f(void) { int y; while (y == 5) ; } int main(void) { f(); return 0; }";
    for options in [&["--property", "F end"][..], &["--property", "F end", "--no-inline"]] {
        assert_eq!(verdict(callee, options), endless, "{options:?}");
    }
}

#[test]
fn directives_need_headers_or_a_preprocessor() {
    let text = "#include <limits.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdlib.h>\n
        void reach_error(void) {} int main(void) { bool b = true; uint8_t u = 255; u++;
        if (b && u == 0 && INT_MAX == 2147483647 && INT64_MIN < 0) reach_error(); abort(); }";
    assert_eq!(verdict(text, &[]), FALSE);
}

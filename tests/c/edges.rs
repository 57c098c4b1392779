//! Edges of the language, each a program whose verdict gcc's own run of it tells: functions written out or not.

use crate::verdict;

const HEAD: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";

/// The verdicts, whichever way calls are treated.
fn all(options: &[&str], cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        for inline in [&[][..], &["--no-inline"]] {
            let said = verdict(&format!("{HEAD}{text}"), &[options, inline].concat());
            let said = said.trim_start_matches("Verdict: ");
            let short = said.split('(').next().unwrap_or("");
            assert!(short == *expected || said == *expected, "{inline:?}: {said} instead of {expected}\n{text}");
        }
    }
}

#[test]
fn static_variables_are_one_wherever_their_function_is_written_out() {
    all(
        &["--64"],
        &[
            (
                "int f(void) { static int n = 0; n++; return n; } int main() { f(); if (f() == 2) reach_error(); }",
                "FALSE",
            ),
            (
                "int n; void init(void) { static int c = 0; if (c == 0) { n++; c = 1; } }
             int main() { init(); init(); if (n != 1) reach_error(); }",
                "TRUE",
            ),
            (
                "int a, b; int f(int *p, int d) { static int n = 0; n++; *p = n; if (d) f(p, d - 1); return 0; }
             int main() { f(&a, 0); f(&b, 0); if (b != 2) reach_error(); }",
                "TRUE",
            ),
            ("int main() { for (int i = 0; i < 3; i++) { static int n; n++; if (n == 3) reach_error(); } }", "FALSE"),
        ],
    );
}

#[test]
fn whatever_is_evaluated_has_its_effects() {
    all(
        &["--64"],
        &[
            ("int f(void) { reach_error(); return 0; } int main() { double d = f(); }", "FALSE"),
            (
                "int g; int *f(void) { g = 1; return 0; } int main() { int *p = f(); if (g == 1) reach_error(); }",
                "UNKNOWN",
            ),
            ("int *h(void) { reach_error(); return 0; } void use(int *p) {} int main() { use(h()); }", "UNKNOWN"),
            ("void use(int *p) {} int main() { int i = 0, x; use((i = 1, &x)); if (i == 1) reach_error(); }", "FALSE"),
            ("void use(int *p) {} int main() { int i = 0, a[3]; use(a + i++); if (i == 1) reach_error(); }", "UNKNOWN"),
            (
                "int g; int f(void) { g = 1; return 0; } struct S { double d; int a; };
          int main() { struct S s = { f(), 5 }; if (g == 1 && s.a == 5) reach_error(); }",
                "FALSE",
            ),
            ("int main() { int n = 3; int a[n++]; if (n == 4) reach_error(); }", "UNKNOWN"),
        ],
    );
}

#[test]
fn sizeof_evaluates_nothing() {
    all(
        &["--64"],
        &[
            ("int main() { int i = 0; int n = sizeof(i++); if (i == 0 && n == 4) reach_error(); }", "FALSE"),
            ("int g; int f(void) { return ++g; } int main() { int n = sizeof(f()); if (g) reach_error(); }", "TRUE"),
            ("int main() { int x = 1; if (sizeof(!x) != 4 || sizeof(x == 2) != 4) reach_error(); }", "TRUE"),
            ("int main() { _Bool b = 1; if (sizeof(b) != 1 || sizeof(+b) != 4) reach_error(); }", "TRUE"),
            (
                "struct S { char a; struct { int b; char c; }; char d; }; int main() { if (sizeof(struct S) != 16) reach_error(); }",
                "TRUE",
            ),
        ],
    );
    all(&["--32"], &[("int main() { if (sizeof(struct { int a; long long b; }) != 12) reach_error(); }", "TRUE")]);
}

#[test]
fn results_and_objects_of_the_caller() {
    let f = "int f(int *p, int n) { if (n == 0) { *p = 3; return 1; } return f(p, n - 1); }";
    for body in [
        "int x = 0; x = f(&x, 2); if (x != 1) reach_error();",
        "int x = f(&x, 2); if (x != 1) reach_error();",
        "int a[2]; a[0] = f(a, 2); if (a[0] != 1) reach_error();",
        "struct { int x; } s; s.x = f(&s.x, 2); if (s.x != 1) reach_error();",
        "int x = 0, y; y = f(&x, 2); if (x != 3 || y != 1) reach_error();",
    ] {
        all(&["--64"], &[(&format!("{f} int main() {{ {body} }}"), "TRUE")]);
    }
}

#[test]
fn names_mean_what_they_mean_where_they_stand() {
    all(
        &["--64"],
        &[
            (
                "typedef int T; int f(T x) { return x; } int main() { typedef signed char T; if (f(300) == 300) reach_error(); }",
                "FALSE",
            ),
            (
                "typedef int T; int f(T x) { return x; } int main() { int T = 1; if (f(T) == 1) reach_error(); }",
                "FALSE",
            ),
            (
                "struct S { int b; }; int f(struct S *s) { return s->b; } struct S g = {7};
             int main() { struct S { char a; } s; if (f(&g) == 7) reach_error(); }",
                "FALSE",
            ),
            (
                "int f(int x) { return 1; } int g(int x) { return 2; }
             int main() { int (*f)(int) = g; if (f(0) == 2) reach_error(); }",
                "UNKNOWN",
            ),
            ("int x = 5; int x; int main() { if (x == 5) reach_error(); }", "FALSE"),
            ("extern int x; int x; int main() { if (x) reach_error(); }", "TRUE"),
            ("typedef struct S S; struct S { int a; }; int main() { S s = {4}; if (s.a != 4) reach_error(); }", "TRUE"),
            ("enum E; typedef enum E E; enum E { A = -1 }; int main() { E e = A; if (e >= 0) reach_error(); }", "TRUE"),
            ("enum { A = 3000000000u }; int main() { if (A > 0) reach_error(); }", "UNKNOWN"),
        ],
    );
}

#[test]
fn initialisers() {
    all(
        &["--64"],
        &[
            (
                "struct S { int a, b; }; struct S s = (struct S){1, 2}; int main() { if (s.b == 2) reach_error(); }",
                "FALSE",
            ),
            (
                "struct S { int a, b; }; int main() { struct S s = (struct S){.b = 2}; if (s.b != 2 || s.a) reach_error(); }",
                "TRUE",
            ),
            (
                "struct S { int a[2]; }; struct S s = {.a = {1, 2}, .a = {[1] = 5}};
             int main() { struct S t = {.a = {1, 2}, .a = {[1] = 5}};
               if (s.a[0] || s.a[1] != 5 || t.a[0] || t.a[1] != 5) reach_error(); }",
                "TRUE",
            ),
            ("int main() { int a[2] = {0, 9}; int x = (a[a[0]] = 1); if (x == 1) reach_error(); }", "FALSE"),
            (
                "struct S { int a; struct { int b, c; }; }; struct S s = {1, {2, 3}}; int main() { if (s.c != 3) reach_error(); }",
                "TRUE",
            ),
            ("int main() { int x = {}; int y[2] = {}; if (x || y[1]) reach_error(); }", "TRUE"),
        ],
    );
}

#[test]
fn functions_that_nobody_defines() {
    all(
        &["--64"],
        &[
            ("int abs(int); int main() { if (abs(-3) != 3) reach_error(); }", "UNKNOWN"),
            ("double sqrt(double); int main() { int r = sqrt(16); if (r != 4) reach_error(); }", "UNKNOWN"),
            ("int main() { if (__builtin_popcount(7) != 3) reach_error(); }", "UNKNOWN"),
            ("extern void die(void) __attribute__((noreturn)); int main() { die(); reach_error(); }", "TRUE"),
            ("_Noreturn void die(int); int main() { die(3); reach_error(); }", "TRUE"),
            ("int nondet_int(); int main() { if (nondet_int() == 3) reach_error(); }", "FALSE"),
            ("int main(int argc, char **argv) { if (argc < 0) reach_error(); }", "TRUE"),
        ],
    );
    all(
        &["--32"],
        &[("int main() { unsigned u = 0xffffffff; if (__builtin_expect(u, 0) < 0) reach_error(); }", "FALSE")],
    );
    all(
        &["--property", "G ! call(bad())"],
        &[
            ("void bad(void); int main() { bad(); }", "FALSE"),
            ("int bad(void); int main() { return bad(); }", "FALSE"),
            ("int bad(void); int main() { return 0; }", "TRUE"),
        ],
    );
}

#[test]
fn a_function_that_returns_nothing_gives_anything() {
    all(
        &[],
        &[(
            "int f(int c) { if (c) return 1; } int main() { int x = 0; x = f(0); if (x != 0) reach_error(); }",
            "FALSE",
        )],
    );
}

#[test]
fn pointers_that_are_other_names() {
    all(
        &["--64"],
        &[
            ("int main() { int x = 1; int *p = &x; *p = 2; if (x != 2 || p == 0) reach_error(); }", "TRUE"),
            ("int g; int *p = &g; int main() { *p = 7; if (g == 7 && p != (void *) 0) reach_error(); }", "FALSE"),
            ("int main() { int a[3] = {1, 2, 3}; if (*(a + 1) != 2 || *a != 1) reach_error(); }", "TRUE"),
            (
                "int s(int *p) { return p[0] + p[1]; } int main() { int a[3] = {1, 2, 3}; if (s(&a[0]) != 3 || s(a + 1) != 5 || s(&a[1]) != 5) reach_error(); }",
                "TRUE",
            ),
            ("int main() { int x = 257; if (*(char *) &x == 1) reach_error(); }", "UNKNOWN"),
            ("int main() { int x, y; int *p = &x; p = &y; *p = 1; if (y != 1) reach_error(); }", "UNKNOWN"),
            ("int main() { int x; int *p = &x; if (p == (int *) 5) reach_error(); }", "UNKNOWN"),
            (
                "int main() { void *p; unsigned long n; p = (void *) 0; n = (unsigned long) p; if (n || p) reach_error(); }",
                "TRUE",
            ),
            ("int main() { int x; void *p; p = &x; if (!p) reach_error(); }", "UNKNOWN"),
            ("int main() { int x = 5; void *p = &x; if (x != 5) reach_error(); }", "TRUE"),
            ("void *p; int main() { if (p != 0) reach_error(); }", "TRUE"),
            (
                "int main() { int a[2]; int i = __VERIFIER_nondet_int(); if (i < 0 || i > 1) return 0; *(a + i) = 3; if (a[i] != 3) reach_error(); }",
                "TRUE",
            ),
        ],
    );
}

#[test]
fn attributes_that_make_other_types() {
    all(
        &["--64"],
        &[
            (
                "typedef int wide __attribute__((mode(DI))); int main() { wide x = 1; x <<= 40; if (x == 0) reach_error(); }",
                "TRUE",
            ),
            (
                "typedef int v4 __attribute__((vector_size(16))); int main() { v4 x; if (sizeof(x) == 4) reach_error(); }",
                "UNKNOWN",
            ),
            (
                "struct S { char a; int b; } __attribute__((packed)); int main() { if (sizeof(struct S) == 8) reach_error(); }",
                "UNKNOWN",
            ),
        ],
    );
}

#[test]
fn overflows_wherever_they_are() {
    all(
        &["--property", "no-overflow"],
        &[
            (
                "int printf(const char *, ...); int main() { int x = __VERIFIER_nondet_int(); printf(\"%d\", x + 1); }",
                "FALSE",
            ),
            ("void exit(int); int main() { int x = __VERIFIER_nondet_int(); exit(x + 1); }", "FALSE"),
            ("int main() { int y = 0; return (2147483647 + 1) && y; }", "FALSE"),
            ("int main() { int y = 0; return (2147483647 + 1) ? y : 2; }", "FALSE"),
            ("int f() { return 1; } int main() { int x = __VERIFIER_nondet_int(); return f(x + 1); }", "FALSE"),
            ("int g = 2147483647 + 1; int main() { return 0; }", "UNKNOWN"),
            ("int main() { int x = __VERIFIER_nondet_int(); return sizeof(x + 1); }", "TRUE"),
        ],
    );
}

#[test]
fn shifts_of_negative_numbers_are_products() {
    all(
        &["--property", "no-overflow"],
        &[
            ("int main() { return -1 << 2; }", "TRUE"),
            ("int main() { int x = -1; return x << 31; }", "TRUE"),
            ("int main() { int x = -2; return x << 31; }", "FALSE"),
            ("int main() { int x = 1; return x << 31; }", "FALSE"),
            ("int main() { int x = __VERIFIER_nondet_int(); if (x < -4 || x > 3) return 0; return x << 29; }", "TRUE"),
            ("int main() { int x = __VERIFIER_nondet_int(); if (x < -5 || x > 3) return 0; return x << 29; }", "FALSE"),
        ],
    );
    all(&[], &[("int main() { int x = -1; if ((x << 2) != -4) reach_error(); }", "TRUE")]);
}

#[test]
fn static_assertions_hold_or_it_is_no_program() {
    for (holds, fails) in [
        ("static_assert(1 == 1); int main() {}", "static_assert(1 == 0); int main() {}"),
        ("static_assert(1 == 1, \"(\"); int main() {}", "static_assert(1 == 0, \"(\"); int main() {}"),
        ("_Static_assert(2 > 1); int main() {}", "_Static_assert(2 < 1); int main() {}"),
        ("_Static_assert(2 > 1, \"\"); int main() {}", "_Static_assert(2 < 1, \"\"); int main() {}"),
        ("void f(void) { static_assert(1); } int main() {}", "void f(void) { static_assert(0); } int main() {}"),
        ("int main() { static_assert ( (1, 1) ); }", "int main() { static_assert ( 0 ); }"),
        ("int main() { static_assert(sizeof(int) == 4); }", "int main() { static_assert(sizeof(int) == 8); }"),
        (
            "struct s { int a; static_assert(1); }; int main() {}",
            "struct s { int a; static_assert(0); }; int main() {}",
        ),
        ("int main() { for (static_assert(1); 0; ) ; }", "int main() { for (static_assert(0); 0; ) ; }"),
        (
            "#include <assert.h>\nstatic_assert(1, \"\"); int main() {}",
            "#include <assert.h>\nstatic_assert(0, \"\"); int main() {}",
        ),
    ] {
        assert_eq!(verdict(holds, &[]), "Verdict: TRUE", "{holds}");
        assert_eq!(verdict(fails, &[]), "", "{fails}");
    }
}

#[test]
fn wrong_texts_are_told() {
    let is_error = |text: &str| verdict(&format!("{HEAD}{text}"), &[]).is_empty();
    for text in [
        "struct A { int a, b; }; struct B { int a; }; int f(struct A x) { return x.b; } int main() { struct B b; b.a = 1; return f(b); }",
        "int a[5] = {[3 ... 1] = 1}; int main() {}",
    ] {
        assert!(is_error(text), "{text}");
    }
    all(&[], &[("int a[1 / 0]; int main() {}", "UNKNOWN")]);
}

#[test]
fn texts_in_assertions() {
    all(
        &[],
        &[
            ("void assert(int); int main() { int x = 1; assert(x && \"x is one\"); }", "TRUE"),
            ("void assert(int); int main() { assert(!\"never\"); }", "FALSE"),
        ],
    );
}

#[test]
fn effects_happen_once() {
    let s = "struct S { int m[2]; struct { int y; } x[2]; } s[3]; int i;";
    for body in
        ["*&s[i++].m[1] = 7; if (i == 1) reach_error();", "int k = 1; *&s[i++].m[k] = 7; if (i == 1) reach_error();"]
    {
        all(&["--64"], &[(&format!("{s} int main() {{ {body} }}"), "FALSE")]);
    }
    all(
        &["--64"],
        &[
            (
                "int g; int f(void) { g = 1; return 0; } void use(int *p) {} int main() { use((int[]){f()}); if (g) reach_error(); }",
                "UNKNOWN",
            ),
            (
                "int g, x; void use(int *p) {} int main() { use(_Generic(1, int: (g = 1, &x))); if (g) reach_error(); }",
                "UNKNOWN",
            ),
            (
                "int c; int main() { if (c) { for (int i = 0; i < 1; i++) { int n = sizeof(({ break; 1; })); } reach_error(); } }",
                "TRUE",
            ),
            (
                "int main() { for (;;) { int n = sizeof(({ int a = 1; a = 2; a = 3; a = 4; a = 5; break; 1; })); return 0; } }",
                "TRUE",
            ),
            ("int main() { int x = 1; if (sizeof(({ x == 1; })) != 4) reach_error(); }", "TRUE"),
        ],
    );
    all(
        &["--property", "no-overflow"],
        &[
            ("void use(int *p) {} int main() { int x = 2147483647; int a[3]; use(&a[(x + 1) & 1]); }", "FALSE"),
            ("int main() { int x = 2147483647; int a[3]; int *p = &a[(x + 1) & 1]; }", "FALSE"),
        ],
    );
    all(&["--property", "G ! call(bad())"], &[("int z; void bad(int x) {} int main() { bad(5 / z); }", "UNKNOWN")]);
}

#[test]
fn lengths_and_later_initialisers() {
    all(
        &["--64"],
        &[
            ("struct P { int x, y; } a[] = {1, 2, 3, 4}; int main() { if (sizeof a == 16) reach_error(); }", "FALSE"),
            (
                "int a[][2] = {1, 2, 3, 4, 5}; int main() { if (sizeof a != 24 || a[2][0] != 5 || a[2][1]) reach_error(); }",
                "TRUE",
            ),
            (
                "struct S { int a; int b[2]; } s = {.b = {1, 2}, .a = 3, {5}}; int main() { if (s.b[1] != 0) reach_error(); }",
                "TRUE",
            ),
            (
                "struct P { int x, y; }; int main() { struct P v[2] = {[1] = {1, 2}, [0] = {3, 4}, {5}}; if (v[1].y || v[1].x != 5) reach_error(); }",
                "TRUE",
            ),
            ("extern int a[]; int *p = a; int a[3]; int main() { *p = 4; if (a[0] == 4) reach_error(); }", "UNKNOWN"),
            (
                "extern int a[]; int a[3] = {1, 2, 3}; extern int a[]; int main() { if (a[2] == 3) reach_error(); }",
                "FALSE",
            ),
            (
                "int f(int n, int a[n]) { return a[n - 1]; } int main() { int b[2] = {1, 2}; if (f(2, b) != 2) reach_error(); }",
                "TRUE",
            ),
            (
                "int f(int a[][3]) { return a[1][2]; } int main() { int b[2][3] = {{1, 2, 3}, {4, 5, 6}}; if (f(b) != 6) reach_error(); }",
                "TRUE",
            ),
        ],
    );
}

#[test]
fn pointers_behind_arrays() {
    all(
        &["--64"],
        &[
            ("int g[2]; int f(int *p, int n) { return n ? *p : 0; } int main() { return f(g + 2, 0); }", "UNKNOWN"),
            (
                "int main() { int a[2][2] = {{1, 2}, {3, 4}}; int (*p)[2] = a + 2; int n = 0; if (n) (*p)[1] = 3; }",
                "UNKNOWN",
            ),
            ("int main() { int a[2] = {1, 2}; int b = 7; int *p = a + 2; if (*p == 7) reach_error(); }", "UNKNOWN"),
            ("int main() { int a[2] = {1, 2}; if (*&a[2] == 7) reach_error(); }", "UNKNOWN"),
            (
                "int s(int *p) { return p[0] + p[1]; } int main() { int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; if (s(&a[1][1]) != 11) reach_error(); }",
                "TRUE",
            ),
        ],
    );
}

#[test]
fn sizes_that_are_not_known_are_not_guessed() {
    all(
        &["--64"],
        &[
            (
                "#pragma pack(1)\nstruct S { char c; long l; }; int main() { if (sizeof(struct S) == 9) reach_error(); }",
                "UNKNOWN",
            ),
            (
                "struct S { char a; int b __attribute__((packed)); }; int main() { if (sizeof(struct S) != 5) reach_error(); }",
                "UNKNOWN",
            ),
            (
                "typedef int T __attribute__((aligned(16))); struct S { char c; T t; }; int main() { if (sizeof(struct S) != 32) reach_error(); }",
                "UNKNOWN",
            ),
            (
                "enum F { B } __attribute__((packed)); int main() { enum F f = 257; if (f != 1) reach_error(); }",
                "UNKNOWN",
            ),
        ],
    );
}

#[test]
fn constants_and_headers() {
    all(
        &["--64"],
        &[
            ("#include <stdint.h>\nint main() { if (UINT8_C(1) - 2 < 0) reach_error(); }", "FALSE"),
            ("#include <errno.h>\nint main() { if (errno != 0) reach_error(); }", "TRUE"),
            ("int main() { if (L'\\xff' != 255) reach_error(); }", "UNKNOWN"),
            ("int main() { if (__INT_MAX__ != 2147483647) reach_error(); }", "TRUE"),
            (
                "int main() { int x = 1, y = 0, z = 0; switch (x) { case 1: __attribute__((fallthrough) );\n case 2: y = 2; z = ((3)); } if (y == 2) reach_error(); }",
                "FALSE",
            ),
            (
                "extern void __VERIFIER_assume(int); int main() { __VERIFIER_assume(0x100000000LL); reach_error(); }",
                "TRUE",
            ),
            ("extern void __VERIFIER_assert(int); int main() { __VERIFIER_assert(0x100000000LL); }", "FALSE"),
        ],
    );
}

#[test]
fn functions_that_are_more_than_they_seem() {
    all(
        &["--64"],
        &[
            (
                "int g; __attribute__((constructor)) void init(void) { g = 1; } int main() { if (g == 1) reach_error(); }",
                "UNKNOWN",
            ),
            (
                "int f(void) { return 1; } int h(void) __attribute__((alias(\"f\"))); int main() { if (h() != 1) reach_error(); }",
                "UNKNOWN",
            ),
            (
                "void done(int *p) { reach_error(); } int main() { int x __attribute__((cleanup(done))) = 1; }",
                "UNKNOWN",
            ),
            ("void err(int, const char *, ...); int main() { err(1, 0); reach_error(); }", "UNKNOWN"),
        ],
    );
    let entry = "CHECK( init(foo()), LTL(G ! call(reach_error())) )";
    all(&["--property", entry], &[("void foo(int x) { if (x < 0) reach_error(); } int main() { foo(-1); }", "FALSE")]);
}

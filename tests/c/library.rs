//! Functions whose bodies are not in the text: what those of the library do and give is not guessed.

use crate::{epitome, folder, verdict};

const HEADERS: &str = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n";

/// The verdict of a program whose `main` has this body, without its reason and place.
fn says(headers: &str, body: &str) -> String {
    let said = verdict(&format!("{headers}int main(void) {{ {body} return 0; }}"), &["--64"]);
    let said = said.trim_start_matches("Verdict: ");
    let reason = said.split(" at line").next().unwrap_or(said);
    reason.strip_prefix("UNKNOWN(not supported: ").unwrap_or(reason).to_owned()
}

#[test]
fn results_are_not_guessed() {
    for (body, what) in [
        ("int r = printf(\"ab\"); assert(r == 2);", "the result of `printf`"),
        ("assert(putchar('a') == 'a');", "the result of `putchar`"),
        ("if (printf(\"a\") && 1) assert(0);", "the result of `printf`"),
        ("assert(lrand48() >= 0);", "a call of `lrand48`"),
        ("assert(isatty(0) < 2);", "a call of `isatty`"),
        ("int t = getpagesize(); assert(t > 0);", "a call of `getpagesize`"),
        ("assert(a_function_that_stdlib_may_have() > 0);", "a call of `a_function_that_stdlib_may_have`"),
        ("int n = 0; printf(\"abc%n\", &n); assert(n == 0);", "`printf` with `%n`, or with a format that is not known"),
        (
            "int n = 0; fprintf(stderr, \"%d\" \"%%%hhn\", 1, (char *) &n); assert(n == 0);",
            "`fprintf` with `%n`, or with a format that is not known",
        ),
        ("int x = 0; scanf(\"%d\", &x); assert(x == 0);", "a call of `scanf`"),
        ("assert(optind == 1);", "`optind`, a variable that is not of the program"),
    ] {
        assert_eq!(says(HEADERS, body), what, "{body}");
    }
    assert_eq!(
        says("#include <assert.h>\n#include <fenv.h>\n", "assert(fegetround() == 0);"),
        "a call of `fegetround`"
    );
    // A program that has its own declarations.
    let own = "void assert(int); long lrand48(void); int getchar(void); int fetestexcept(int);\n";
    for name in ["lrand48()", "getchar()", "fetestexcept(1)"] {
        let function = name.split('(').next().unwrap_or("");
        assert_eq!(says(own, &format!("assert({name} >= 0);")), format!("a call of `{function}`"));
    }
}

#[test]
fn printing_changes_nothing() {
    for body in [
        "int x = 3; printf(\"%d\\n\", x); puts(\"a\"); putchar('b'); (void) printf(\"c\"); assert(x == 3);",
        "int x = 1; x && printf(\"%s\", \"b\"); x || puts(\"c\"); x ? printf(\"d\") : puts(\"e\"); assert(x == 1);",
        "int x = 1; const char *f = \"a\"; printf(x ? \"%d\\n\" : \"%x\\n\", x); printf(f); fflush(stdout); assert(x == 1);",
        "int x = 1; fprintf(stderr, \"%d%% \\033[1mno\\n\", x); perror(\"p\"); fputs(\"q\", stderr); srand(3); assert(x);",
    ] {
        assert_eq!(says(HEADERS, body), "TRUE", "{body}");
    }
    assert_eq!(says(HEADERS, "int x = 0; x || puts(\"c\"); 1 && x++; assert(x == 0);"), "FALSE(unreach-call)");
}

/// What the program declares by itself gives any value, as in the competitions.
#[test]
fn own_functions_without_a_body_give_anything() {
    let head = "extern void reach_error(void); extern int own(void); extern int used(int);\n";
    assert_eq!(says(head, "if (own() == 5) reach_error();"), "FALSE(unreach-call)");
    assert_eq!(
        says(&format!("#include <stdio.h>\n{head}"), "if (used(own()) == 5) reach_error();"),
        "FALSE(unreach-call)"
    );
    assert_eq!(says(head, "int x = 1; used(x); if (x != 1) reach_error();"), "TRUE");
}

/// Texts that were preprocessed: their marks tell which functions are the library's.
#[test]
fn marks_tell_what_is_of_the_library() {
    let text = |mark: &str| {
        format!("# 1 \"a.c\"\n{mark}\nextern int magic(int);\n# 2 \"a.c\" 2\nextern void reach_error(void);\nextern int own(void);\n
            int main(void) {{ if (magic(own())) reach_error(); return 0; }}\n")
    };
    for (mark, expected) in [
        ("# 1 \"/opt/magic.h\" 1 3 4", "Verdict: UNKNOWN(not supported: a call of `magic` at line 8)"),
        ("# 1 \"/usr/include/magic.h\" 1", "Verdict: UNKNOWN(not supported: a call of `magic` at line 8)"),
        ("#line 1 \"/usr/include/magic.h\"", "Verdict: UNKNOWN(not supported: a call of `magic` at line 8)"),
        ("# 1 \"magic.h\" 1", "Verdict: FALSE(unreach-call)"),
        // Where marks are lost, names and attributes that headers use tell.
        ("extern int magic(int __x);", "Verdict: UNKNOWN(not supported: a call of `magic` at line 8)"),
        (
            "extern int magic(int) __attribute__ ((__nothrow__ , __leaf__));",
            "Verdict: UNKNOWN(not supported: a call of `magic` at line 8)",
        ),
    ] {
        let folder = folder(&[("a.i", &text(mark))]);
        let said = epitome(folder.path(), &["check", "a.i", "--trace", "none"]);
        assert_eq!(said.last_line(), expected, "{mark}");
    }
}

/// Whoever may have programs checked need not be allowed to read the files of the machine.
#[test]
fn files_of_others_are_not_shown() {
    let secret = tempfile::tempdir().expect("a folder");
    let file = secret.path().join("shadow");
    for text in ["hunter2:x:0:0:/root\n", "int a = hunter2;\n", "#hunter2\n", "#error hunter2\n", "\"hunter2\n"] {
        std::fs::write(&file, text).expect("can write");
        let program = format!("#include \"{}\"\nint main(void) {{ return 0; }}\n", file.display());
        let folder = folder(&[
            ("a.c", &program),
            ("own.h", "int b = mistyped;\n"),
            ("b.c", "#include \"own.h\"\nint main(void) {}\n"),
        ]);
        let said = epitome(folder.path(), &["check", "a.c"]);
        assert_eq!(said.status, 2, "{text}: {}", said.stdout);
        assert!(!said.stderr.contains("hunter2") && said.stderr.contains("a.c:1:"), "{text}: {}", said.stderr);
        let said = epitome(folder.path(), &["check", "b.c"]);
        assert!(said.stderr.contains("`mistyped` is not declared"), "{}", said.stderr);
    }
}

/// What the linker makes of a declaration is not guessed either, wherever in it that stands.
#[test]
fn names_for_the_linker_are_not_guessed() {
    let start = "void reach_error(void) {}\n";
    let by_itself = "a function that runs before or after `main`";
    for (declarations, body, what) in [
        ("static void c(void) __attribute__((constructor)); static void c(void) { reach_error(); }", "", by_itself),
        ("static void c(void) __attribute__((__destructor__)); static void c(void) { reach_error(); }", "", by_itself),
        ("__attribute__((constructor)) static void c(void); static void c(void) { reach_error(); }", "", by_itself),
        (
            "void c(void) { reach_error(); } void (*p)(void) __attribute__((section(\".init_array\"), used)) = c;",
            "",
            by_itself,
        ),
        (
            "int x = 1; extern int y __attribute__((alias(\"x\")));",
            "y = 2; if (x != 1) reach_error();",
            "`y`, a variable that is not of the program",
        ),
        (
            "int x __asm__(\"y\"); extern int y;",
            "y = 1; if (x) reach_error();",
            "`x`, which is another name of an object",
        ),
        (
            "static void c(void) { reach_error(); } extern void d(void) __asm__(\"c\");",
            "d();",
            "a call of `d`, which is another name of a function",
        ),
        (
            "void c(void) __asm__(\"d\"); void c(void) { reach_error(); } extern void d(void);",
            "d();",
            "a call of `d`, which is another name of a function",
        ),
        (
            "extern int w __attribute__((weak));",
            "if (&w != 0) reach_error();",
            "`w`, a variable that is not of the program",
        ),
    ] {
        assert_eq!(says(&format!("{start}{declarations}\n"), body), what, "{declarations}");
    }
    // A name that is the same, and a register that nobody uses.
    let harmless =
        "register int esp __asm__(\"esp\"); int x __asm__(\"x\"); __attribute__((section(\".data\"))) int y;\n";
    assert_eq!(says(&format!("{start}{harmless}"), "if (x + y != 0) reach_error();"), "TRUE");
}

//! Texts that are wrong, or that nobody wrote by hand: a message and a status, never a crash or a guess.

use crate::{epitome, folder};

fn check(text: &str) -> crate::Said {
    let folder = folder(&[("a.c", text)]);
    epitome(folder.path(), &["check", "a.c", "--timeout", "60s"])
}

#[test]
fn what_is_not_c_is_bad_input() {
    for (text, message) in [
        ("", "there is no function `main`"),
        ("int main(void) {", "this `{` is never closed"),
        ("int main(void) { ) }", "unexpected `)`"),
        ("int main(void) { return 0; } }", "nothing is open"),
        ("int main(void) { int x = ; }", "unexpected `;`"),
        ("int main(void) { return y; }", "`y` is not declared"),
        ("int counter; int main(void) { return countr; }", "did you mean `counter`?"),
        ("int main(void) { goto nowhere; }", "there is no label `nowhere`"),
        ("int main(void) { break; }", "`break` outside"),
        ("int main(void) { switch (1) { case 1: case 1: ; } }", "stands twice"),
        ("int f(int a) { return a; } int main(void) { return f(); }", "takes 1 arguments, not 0"),
        ("int main(void) { int a[2] = {1, 2, 3}; }", "more values than elements"),
        ("int main(void) { 3 = 4; }", "not an object that can be assigned"),
        ("int main(void) { char *s = \"abc; }", "not closed on its line"),
        ("int main(void) { /* }", "this comment is never closed"),
        ("#define f(x) (x\nint main(void) { return f(1); }", "unexpected `}`"),
        ("\u{0}\u{1}\u{2}", "unexpected"),
        ("extern int __overflow(int); int main(void) { return 0 }", "unexpected `}`"),
    ] {
        let said = check(text);
        assert_eq!((said.status, said.stdout.as_str()), (2, ""), "{text}: {}", said.stderr);
        assert!(said.stderr.contains(message), "{text}: {}", said.stderr);
        assert!(said.stderr.contains("a.c:"), "{}", said.stderr);
    }
}

#[test]
fn what_is_not_supported_is_unknown() {
    for (text, reason) in [
        ("int main(void) {\n float x = 1; return x; }", "floating point as a value at line 2"),
        ("int *p;\nint main(void) { return *p; }", "a pointer whose object is not known at line 2"),
        ("void *malloc(unsigned long); int main(void) { int *p = malloc(4); *p = 1; }", "a call of `malloc` at line 1"),
        ("union u { int a; char b; } u;\nint main(void) { return u.a; }", "unions"),
        ("int main(int n) { int a[n]; a[0] = 1; return 0; }", "array of variable length"),
        ("int main(void) { asm(\"nop\"); }", "`asm`"),
        ("int f(void); int (*g)(void) = f;\nint main(void) { return g(); }", "a call through a pointer"),
        ("int main(void) { int x = 1; return x ?: 2; }", "`x ?: y`"),
        ("__int128 x; int main(void) { return 0; }", "128-bit integers"),
        ("int a[100000][100000];\nint main(void) { return 0; }", "an object of that size"),
    ] {
        let said = check(text);
        assert_eq!(said.status, 3, "{text}: {} {}", said.stdout, said.stderr);
        let line = said.last_line();
        assert!(line.starts_with("Verdict: UNKNOWN(not supported: ") && line.contains(reason), "{text}: {line}");
        assert!(said.stderr.contains("not supported: "), "{}", said.stderr);
    }
    // What nobody calls may be anything.
    assert_eq!(check("float f(float x) { return x * 2; } int main(void) { return 0; }").last_line(), "Verdict: TRUE");
}

/// Nesting of all kinds, as deep as it gets.
#[test]
fn deep_texts_are_no_problem_or_not_supported() {
    let main = |body: String| format!("int main(void) {{ int a = 1; {body} return a; }}");
    let deep = 3_000;
    for (body, answers) in [
        (format!("a = {}1{};", "(".repeat(deep), ")".repeat(deep)), true),
        (format!("{};{}", "{".repeat(deep), "}".repeat(deep)), true),
        (format!("a = {}a;", "!".repeat(10 * deep)), true),
        (format!("a = {}a;", "- ".repeat(deep)), true),
        (format!("a = {}2;", "a ? 1 : ".repeat(deep)), true),
        (format!("a {};", "= a".repeat(deep)), true),
        (format!("a = a{};", " + a".repeat(deep)), true),
        (format!("{} a = 2;", "if (a == 3) a = 1; else ".repeat(deep)), true),
        (format!("{} a = 2;", "if (a) ".repeat(deep)), true),
        ("L0: ".replace('0', "1") + &(2..deep).map(|n| format!("L{n}: ")).collect::<String>() + ";", true),
        (format!("a = {}1{};", "(".repeat(100_000), ")".repeat(100_000)), false),
        (format!("{};{}", "{".repeat(100_000), "}".repeat(100_000)), false),
    ] {
        let said = check(&main(body.clone()));
        let shown: String = body.chars().take(40).collect();
        match answers {
            true => assert_eq!(said.last_line(), "Verdict: TRUE", "{shown} {}", said.stderr),
            false => assert!(said.last_line().contains("nested deeper than 10000"), "{shown} {}", said.stderr),
        }
    }
}

#[test]
fn ten_megabytes_are_read_or_refused() {
    let functions: String = (0..200_000).map(|n| format!("int f{n}(int x) {{ return x + {n}; }}\n")).collect();
    assert_eq!(check(&format!("{functions}int main(void) {{ return f7(1); }}")).last_line(), "Verdict: TRUE");
    let statement = "a = a + 1; ".repeat(900_000);
    let said = check(&format!("int main(void) {{ int a = 0; {statement} return a; }}"));
    assert!(said.last_line().contains("more than 1000000 tokens"), "{}", said.last_line());
    assert_eq!(check(&"(".repeat(10 << 20)).status, 3);
    assert_eq!(check(&"}".repeat(10 << 20)).status, 2);
    assert_eq!(check(&"\"".repeat(10 << 20)).status, 3);
}

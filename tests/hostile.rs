//! Inputs that nobody writes by hand: huge, deep, wide, broken, random. Each must end in seconds with
//! an answer or a message, never with a panic, a signal or an overflow of the stack.
//!
//! The large ones go through the binary, one process each; the many small ones through the library,
//! where a panic fails the test.

use assert_cmd::Command;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine};
use epitome_benchmarks::{Shape, random_program};
use std::fmt::Write;
use std::time::Duration;

/// How deep, how long, how many.
const MANY: usize = 100_000;

/// More than any input needs, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a command on a text and gives the exit code.
fn run(text: impl AsRef<[u8]>, language: &str, command: &[&str]) -> i32 {
    let file = tempfile::Builder::new().suffix(&format!(".{language}")).tempfile().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let mut epitome = Command::new(env!("CARGO_BIN_EXE_epitome"));
    let output = epitome.args(command).arg(file.path()).timeout(PATIENCE).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(!messages.contains("panicked"), "{messages}");
    let code = output.status.code().unwrap_or_else(|| panic!("{command:?}: {} {messages}", output.status));
    assert!([0, 10, 3, 2].contains(&code), "{command:?}: status {code}: {messages}");
    let complaints = messages.lines().any(|line| !line.starts_with("note: "));
    assert_eq!(code == 2, complaints, "{command:?}: status {code}: {messages}");
    code
}

fn check(text: impl AsRef<[u8]>) -> i32 {
    run(text, "bp", &["check"])
}

/// A program with two globals and this body of `main`.
fn main_with(body: &str) -> String {
    format!("decl g, h; void main() begin {body} end\n")
}

/// `before` and `after` many times around the `middle`.
fn nested(before: &str, middle: &str, after: &str) -> String {
    [&before.repeat(MANY), middle, &after.repeat(MANY)].concat()
}

/// A machine that reaches its node `ERROR` where the guard holds.
fn machine_with(guard: &str) -> String {
    format!("var g, h; machine M {{ entry e; node ERROR; e -> ERROR when {guard}; }} init M.e;\n")
}

/// Clauses with two predicates, and this term in the body of one that concludes `false`.
fn clauses_with(body: &str) -> String {
    format!(
        "(declare-fun P (Bool) Bool)(declare-fun Q () Bool)(assert (forall ((x Bool)) (P x)))\n\
         (assert (forall ((x Bool) (y Bool)) (=> (and (P x) {body}) false)))\n"
    )
}

fn list(count: usize, item: impl Fn(usize) -> String, separator: &str) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(separator)
}

#[test]
fn fifty_megabytes() {
    let mut text = "decl g;\nvoid main() begin p0(0); end\n".to_owned();
    let mut count = 0;
    while text.len() < 50_000_000 {
        let _ = writeln!(
            text,
            "void p{count}(a) begin\n  decl b, c;\n  b := !a & g;\n  if (b) then\n    c := *;\n    L{count}: g := c | b;\n  \
             else\n    while (a) do skip; a := 0; od\n  fi\n  p{}(b);\nend\n",
            count + 1
        );
        count += 1;
    }
    let _ = writeln!(text, "void p{count}(a) begin assert(a); end");
    // Where memory is short, saying so is an answer too.
    assert!([10, 3].contains(&check(text)));
}

#[test]
fn deep_nesting() {
    let cases = [
        ("if (g) then ", "assert(h); ", "fi "),
        ("if (*) then skip; else ", "assert(h); ", "fi "),
        ("while (g) do ", "assert(h); ", "od "),
    ];
    for (open, middle, close) in cases {
        let text = main_with(&nested(open, middle, close));
        for (command, status) in [("check", 10), ("reach", 0), ("classify", 0), ("graph", 0)] {
            assert_eq!(run(&text, "bp", &[command]), status, "{command} {open}");
        }
        for form in ["bp", "rsm"] {
            assert_eq!(run(&text, "bp", &["encode", "--to", form]), 0, "{form} {open}");
        }
        assert_eq!(check(main_with(&nested(open, middle, ""))), 2, "unclosed {open}");
        assert_eq!(check(main_with(&nested("", middle, close))), 2, "unopened {close}");
    }
    assert_eq!(check(main_with(&format!("if (g) then skip; {} fi", "elsif (h) then skip; ".repeat(MANY)))), 0);
}

#[test]
fn deep_and_long_expressions() {
    let cases = [
        (nested("(", "g", ")"), 10),
        (nested("!", "g", ""), 10),
        (nested("!(", "g", ")"), 10),
        (nested("(", "g", " & h)"), 10),
        (nested("", "g", " ^ h"), 10),
        (nested("(g | ", "h", ")"), 10),
        (nested("g <=> ", "h", ""), 10),
        (nested("", "g", " => h"), 0),
        (nested("", "g", " | !g"), 0),
    ];
    for (expression, status) in cases {
        assert_eq!(check(main_with(&format!("assert({expression});"))), status, "{}", &expression[..40]);
        let machine = machine_with(&format!("!({expression})"));
        assert_eq!(run(&machine, "rsm", &["check"]), status, "{}", &expression[..40]);
        for form in ["bp", "rsm"] {
            assert_eq!(run(&machine, "rsm", &["encode", "--to", form]), 0, "{form} {}", &expression[..40]);
        }
    }
    for broken in [nested("(", "g", ""), nested("", "g", ")"), nested("g &", "", ""), nested("schoose[", "g", "")] {
        assert_eq!(check(main_with(&format!("assert({broken});"))), 2, "{}", &broken[..40]);
        assert_eq!(run(machine_with(&broken), "rsm", &["check"]), 2, "{}", &broken[..40]);
    }
}

#[test]
fn many_labels_and_targets() {
    let labels = |after: &str| list(MANY, |index| format!("L{index}:{after}"), " ");
    let targets = list(MANY, |index| format!("L{index}"), ", ");
    assert_eq!(check(main_with(&format!("{} assert(g);", labels("")))), 10);
    assert_eq!(check(main_with(&format!("goto {targets}; {} assert(g);", labels(" skip;")))), 10);
    assert_eq!(run(main_with(&format!("goto {targets}; {} skip;", labels(""))), "bp", &["reach"]), 0);
    let maze = |index| format!("L{index}: goto L{}, L{};", index * 7919 % MANY, index * 31 % MANY);
    assert_eq!(check(main_with(&format!("goto L1; {} assert(g);", list(MANY, maze, " ")))), 0);
    assert_eq!(check(main_with(&"L: skip; ".repeat(MANY))), 2);
}

/// One step with more combinations of choices than there is time for: the limit holds inside it, too.
#[test]
fn many_choices_in_one_step() {
    let parity = main_with(&format!("g := *{}; assume(g); assert(h); g := 1;", " ^ h & *".repeat(40)));
    assert!([10, 3].contains(&run(parity, "bp", &["check", "--timeout", "1s"])));
    let nested = main_with(&format!("g := {}; assert(g);", nested("schoose[h, ", "0", "]")));
    assert!([10, 3].contains(&run(nested, "bp", &["check", "--timeout", "1s"])));
}

/// Comparing guards with each other is bounded.
#[test]
fn many_guards_at_one_node() {
    let edges = "e -> n when 0;\n".repeat(MANY);
    assert_eq!(run(format!("machine M {{ entry e; node n, ERROR; {edges} }} init M.e;"), "rsm", &["check"]), 0);
    let names = list(14, |i| format!("v{i}"), ", ");
    let guard = |i: usize| list(14, |bit| format!("v{bit} = {}", i >> bit & 1), " & ");
    let edges = list(2_000, |i| format!("e -> n when {};", guard(i)), "\n");
    let text = format!("var {names}; machine M {{ entry e; node n, ERROR; {edges} }} init M.e;");
    assert!([0, 3].contains(&run(text, "rsm", &["check", "--timeout", "10s"])));
}

/// As many errors or warnings as statements: the first few are told, the rest costs nothing.
#[test]
fn many_errors() {
    let labels = list(20_000, |i| format!("label{i}: skip;"), " ");
    let jumps = list(20_000, |i| format!("lable{i}"), ", ");
    assert_eq!(check(main_with(&format!("{labels} goto {jumps};"))), 2);
    assert_eq!(check(main_with(&list(20_000, |i| format!("assert(unknown{i});"), " "))), 2);
    assert_eq!(check(main_with(&list(20_000, |i| format!("unknown{i}();"), " "))), 2);
    let text = main_with(&list(MANY, |i| format!("ASYNC_{i}: skip;"), " "));
    assert_eq!(run(text, "bp", &["check", "--quiet"]), 0);
    assert_eq!(check("decl end; void main() begin decl while; x := 1; end"), 2);
}

#[test]
fn one_long_line() {
    let skips = "skip; ".repeat(20_000_000 / 6);
    let status = run(main_with(&format!("{skips} assert(g);")), "bp", &["check", "--trace", "none"]);
    assert!([10, 3].contains(&status));
    assert_eq!(check(main_with(&format!("{skips} assert(x);"))), 2);
    assert_eq!(check(format!("// {}\n", "x".repeat(20_000_000))), 2);
}

#[test]
fn nothing_to_read() {
    let cases =
        ["", " \n\t\r\n", "// a\n", "/* a */ // b", "/*", "decl g; /* a", "\0", "decl \0;", "\u{feff}", "{", "\""];
    for text in cases {
        assert_eq!(check(text), 2, "{text:?}");
        assert_eq!(run(text, "rsm", &["check"]), 2, "{text:?}");
    }
    assert_eq!(check("// a\n/* b */\n".repeat(MANY)), 2);
    assert_eq!(check("\0".repeat(MANY)), 2);
    assert_eq!(check("decl g; /* a\n".repeat(MANY)), 2);
}

#[test]
fn many_variables() {
    let names = |count: usize| list(count, |index| format!("v{index}"), ", ");
    let constants = list(2_000, |_| "0".to_owned(), ", ");
    let procedure = format!("void p({}) begin assert(v0 | v1999); end", names(2_000));
    assert_eq!(check(format!("void main() begin p({constants}); end {procedure}")), 10);
    assert_eq!(check(format!("void main() begin p({constants}, 0); end {procedure}")), 2);
    let main = "void main() begin v0 := v4999; assert(v0 = v4999); assert(v1 | v2); end";
    assert_eq!(check(format!("decl {}; {main}", names(5_000))), 10);
    let shift = format!("{} := {}, v0;", names(5_000), list(4_999, |index| format!("v{}", index + 1), ", "));
    let ones = list(5_000, |index| format!("v{index} := 1"), ", ");
    assert_eq!(check(format!("decl {ones}; void main() begin {shift} assert(v4998); end")), 0);
    assert_eq!(check(format!("decl {}; {main}", "v0, ".repeat(MANY) + "v1")), 2);
}

/// What is known where a call returns is joined over all entries at which it is called: once for each of them, not for
/// each pair.
#[test]
fn many_entries() {
    let entries = 2 * MANY;
    let names = list(entries, |entry| format!("e{entry}"), ", ");
    let calls = list(entries, |entry| format!("s -> b.e{entry};"), "\n");
    let steps = list(entries, |entry| format!("e{entry} -> x;"), "\n");
    let main = format!("machine Main {{ entry s; exit x; box b: Sub(); {calls} b.x -> x; }}");
    let sub = format!("machine Sub() {{ entry {names}; exit x; node n, ERROR; {steps} n -> ERROR when g; }}");
    assert_eq!(run(format!("var g := 0;\n{main}\n{sub}\ninit Main.s;\n"), "rsm", &["check"]), 0);
}

#[test]
fn a_chain_of_calls() {
    let chain = |call: &str, last: &str| {
        let procedures = list(MANY, |index| format!("void p{index}() begin {call} p{}(); end", index + 1), "\n");
        format!("decl g;\nvoid main() begin p0(); end\n{procedures}\nvoid p{MANY}() begin {last} end\n")
    };
    assert_eq!(check(chain("", "assert(g);")), 10);
    assert_eq!(check(chain("", "assert(g | !g);")), 0);
    assert_eq!(check(chain("assume(*);", "g := !g; assert(g);")), 10);
    assert_eq!(check(chain("p0();", "assert(g);")), 0); // it never gets to the end
    assert_eq!(run(chain("L: skip;", "L: skip;"), "bp", &["reach", "--lines"]), 0);
    let boxes = |index| format!("machine M{index} {{ entry e; exit x; box b: M{}; e -> b.e; b.x -> x; }}", index + 1);
    let last = format!("machine M{MANY} {{ entry e; node ERROR; exit x; e -> x; e -> ERROR; }} init M0.e;");
    assert_eq!(run(list(MANY, boxes, "\n") + &last, "rsm", &["check"]), 10);
}

#[test]
fn long_names() {
    let name = "x".repeat(1_000_000);
    assert_eq!(check(format!("decl {name}; void main() begin L{name}: assert({name}); end")), 10);
    assert_eq!(check(format!("decl {name}; void main() begin goto L{name}; assert({name}y); end")), 2);
    assert_eq!(check(format!("decl {{{name} ==}}; void main() begin assert({{{name} ==}}); end")), 10);
    assert_eq!(check(format!("{name}() begin end")), 2);
    let machine = format!("machine {name} {{ entry {name}; exit ERROR; {name} -> ERROR label \"{name}\"; }}");
    assert_eq!(run(format!("{machine} init {name}.{name};"), "rsm", &["check"]), 10);
    assert_eq!(run(format!("{machine} init {name}.y{name};"), "rsm", &["check"]), 2);
}

/// A stream of numbers from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.below(256) as u8).collect()
    }

    fn printable(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(b' ' + self.below(95) as u8)).collect()
    }

    fn soup(&mut self, words: &[&str], length: usize) -> String {
        (0..length).map(|_| words[self.below(words.len())]).collect::<Vec<_>>().join(" ")
    }
}

const PROGRAM_WORDS: &str = "decl begin end void bool skip print goto return if then elsif else fi while do od assert \
    assume call dead enforce constrain schoose env T F true false main p g h L 0 1 2 ( ) [ ] { } < > , ; : . := * ? ' ! \
    ~ & && | || ^ => -> = == != <=> <-> start_thread atomic_begin _ {x>y} \" // /* */ # @";

const MACHINE_WORDS: &str = "var machine entry exit node env box when do constrain label init in out true false T F \
    schoose _ M N e x n b g h 0 1 2 ( ) [ ] { } < > , ; : . := * ? ' ! ~ & | ^ => -> = != <=> \"a\" \" // /* */ #";

/// Clauses that are deep, wide, long or broken.
#[test]
fn horn_clauses() {
    let bodies = [
        nested("(not ", "x", ")"),
        nested("(and y ", "x", ")"),
        nested("(or (not y) (and x ", "y", "))"),
        nested("(ite x y ", "x", ")"),
        nested("(xor y (= x ", "y", "))"),
        nested("(let ((x (xor x y))) ", "x", ")"),
        nested("(let ((x (ite (xor x y) (and x y) (or x (not y))))) ", "x", ")"),
        nested("(exists ((x Bool)) (and x ", "y", "))"),
        nested("(! ", "x", " :named n)"),
        format!("(and {})", "x y ".repeat(MANY)),
        format!("(or {})", "x y ".repeat(MANY)),
        format!("(= {})", "x y ".repeat(MANY)),
        format!("(let ({}) z7)", list(MANY, |i| format!("(z{i} (or x y))"), " ")),
        format!(
            "(exists ({}) (and {}))",
            list(MANY, |i| format!("(z{i} Bool)"), ""),
            list(MANY, |i| format!("z{i}"), " ")
        ),
    ];
    for body in bodies {
        let code = run(clauses_with(&body), "smt2", &["check", "--timeout", "20s"]);
        assert!([0, 10, 3].contains(&code), "{}", &body[..80]);
    }
    let wide = format!("(declare-fun W ({}) Bool)(assert (W {}))", "Bool ".repeat(MANY), "true ".repeat(MANY));
    assert_eq!(run(wide, "smt2", &["check", "--timeout", "20s"]), 0);
    let chain = format!(
        "{}(assert R0)(assert (=> R{MANY} false)){}",
        list(MANY + 1, |i| format!("(declare-fun R{i} () Bool)"), "\n"),
        list(MANY, |i| format!("(assert (=> R{i} R{}))", i + 1), "\n")
    );
    assert!([10, 3].contains(&run(chain, "smt2", &["check", "--timeout", "20s", "--trace", "none"])));
    let calls = format!("(declare-fun P () Bool)(assert P)(assert (=> (and {}) false))", "P ".repeat(MANY));
    assert!([10, 3].contains(&run(calls, "smt2", &["check", "--timeout", "20s", "--trace", "none"])));
    let broken = [
        "(".repeat(MANY),
        ")".repeat(MANY),
        nested("(", "", ")"),
        nested("(assert ", "true", ")"),
        nested("(forall ((x Int)) ", "true", ")"),
        clauses_with(&nested("(and x ", "y", "")),
        clauses_with(&format!("|{}", "x".repeat(MANY))),
        clauses_with(&format!(
            "(exists ({}) (and {}))",
            list(40, |i| format!("(z{i} Bool)"), ""),
            list(40, |i| format!("(or (P z{i}) Q)"), " ")
        )),
        format!("(assert {})", "x".repeat(1_000_000)),
        "(assert (f))".repeat(MANY),
        "\0\u{1}\u{feff}(assert".to_owned(),
    ];
    for text in broken {
        assert_eq!(run(&text, "smt2", &["check"]), 2, "{}", &text[..text.len().min(80)]);
    }
}

const CLAUSE_WORDS: &str = "( ( ( ( ) ) ) ) (assert (declare-fun (declare-const (define-fun (forall (exists (let (! (query (rule \
    set-logic HORN Bool Int true false not and or => = xor distinct ite P Q x y z |x| |a b| | :named 12 #b1 \" ; _ @";

/// Reads a text in all languages, renders every message, and checks what turns out to be a program.
fn survive(bytes: &[u8]) {
    for language in [Language::Bp, Language::Rsm, Language::Horn] {
        let Ok(source) = Source::from_bytes("hostile", bytes.to_vec()) else { continue };
        match Program::parse(&source, language) {
            Err(errors) => {
                assert!(!errors.is_empty() && errors.len() <= 20, "{} errors", errors.len());
                assert!(errors.iter().all(|error| error.render(&source).contains("hostile:")));
            }
            Ok((program, _)) => {
                let checker = Checker::new(&program);
                let limits = Limits::none().with_timeout(Duration::from_millis(200));
                checker.check(&Query::Failures, Engine::Auto, &limits, &mut |_| ()).unwrap();
                checker.reach(true, Engine::Auto, &limits, &mut |_| ());
            }
        }
    }
}

#[test]
fn random_texts() {
    let mut random = Random(1);
    let program_words: Vec<&str> = PROGRAM_WORDS.split_whitespace().collect();
    let machine_words: Vec<&str> = MACHINE_WORDS.split_whitespace().collect();
    let clause_words: Vec<&str> = CLAUSE_WORDS.split_whitespace().collect();
    for round in 0..3_000 {
        survive(&random.bytes(round % 200));
        survive(random.printable(round % 300).as_bytes());
        for words in [&program_words, &machine_words] {
            let soup = random.soup(words, round % 100);
            survive(soup.as_bytes());
            // Inside of a body most of the words are expected somewhere.
            survive(main_with(&soup).as_bytes());
            survive(format!("var g; machine M {{ entry e; exit x; {soup} e -> x; }} init M.e;").as_bytes());
        }
    }
    for round in 0..3_000 {
        let soup = random.soup(&clause_words, round % 60);
        survive(soup.as_bytes());
        survive(clauses_with(&soup).as_bytes());
    }
    for language in ["bp", "rsm", "smt2"] {
        for text in [random.bytes(1_000_000), random.printable(1_000_000).into_bytes()] {
            assert_eq!(run(text, language, &["check"]), 2);
        }
        assert_eq!(run(random.soup(&program_words, 500_000), language, &["check"]), 2);
        assert_eq!(run(random.soup(&machine_words, 500_000), language, &["check"]), 2);
    }
}

/// Programs with one word deleted, doubled or exchanged: most of what people get wrong.
#[test]
fn damaged_programs() {
    let mut random = Random(2);
    for seed in 0..400 {
        let text = random_program(seed, &Shape::general());
        let words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '(', ')', ',']).collect();
        for _ in 0..8 {
            let mut damaged = words.clone();
            let (at, other) = (random.below(words.len()), random.below(words.len()));
            match random.below(3) {
                0 => drop(damaged.remove(at)),
                1 => damaged.insert(other, words[at]),
                _ => damaged.swap(at, other),
            }
            survive(damaged.concat().as_bytes());
        }
        survive(&text.as_bytes()[..random.below(text.len())]);
    }
}

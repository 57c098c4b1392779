//! Limits of the BDD engine: too little memory and too little time are answers, never an abort, and
//! thousands of variables do not overflow the stack.

use crate::{DEFAULT, check};
use assert_cmd::Command;
use epitome::limits::{Limits, Reason, resident_bytes};
use epitome::reduce::Reductions;
use epitome::syntax::Language;
use epitome::{Engine, Verdict};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const BDD: Engine = Engine::Tabulate(DEFAULT);

/// Two arbitrary numbers of n bits are multiplied: no order of variables has small diagrams.
fn multiplication(n: usize) -> String {
    let list = |name: char, count: usize| (0..count).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ");
    let sums = (0..2 * n).map(|i| format!("s{i} := 0")).collect::<Vec<_>>().join(", ");
    let mut text = format!("decl {}, {};\nvoid main() begin\n  decl {sums}, c;\n", list('a', n), list('b', n));
    for j in 0..n {
        text.push_str("  c := 0;\n");
        for i in 0..n {
            let (s, product) = (format!("s{}", i + j), format!("(a{i} & b{j})"));
            let _ = writeln!(text, "  {s}, c := {s} ^ {product} ^ c, ({s} & {product}) | (c & ({s} ^ {product}));");
        }
        let _ = writeln!(text, "  s{} := c;", n + j);
    }
    text + "  assert(s0 | !s0);\n  ERROR: assert(s0 = (a0 & b0));\nend\n"
}

fn stopped(text: &str, limits: &Limits) -> Verdict {
    check(text, Language::Bp, BDD, Reductions::none(), limits).verdict
}

/// Also with no memory at all, and with so little that not even the variables have room.
#[test]
fn too_little_memory() {
    let text = multiplication(16).replace("ERROR: ", "");
    let now = resident_bytes().unwrap_or(0);
    for more in [0, 1, 1_000, 100_000] {
        let verdict = stopped(&text, &Limits::none().with_memory(now + more));
        assert_eq!(verdict, Verdict::Unknown(Reason::Memory), "{more}");
    }
}

#[test]
fn too_little_time() {
    let text = multiplication(16).replace("ERROR: ", "");
    let start = Instant::now();
    let verdict = stopped(&text, &Limits::none().with_timeout(Duration::from_secs(1)));
    assert_eq!(verdict, Verdict::Unknown(Reason::Timeout));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn interruption() {
    let text = multiplication(16).replace("ERROR: ", "");
    let flag = Arc::new(AtomicBool::new(false));
    let limits = Limits::none().with_interrupt(flag.clone());
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        flag.store(true, Ordering::Relaxed);
    });
    let start = Instant::now();
    assert_eq!(stopped(&text, &limits), Verdict::Unknown(Reason::Interrupted));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    setter.join().expect("no panic");
}

/// The command line says so in its last line and its status, also where the order is changed.
#[test]
fn the_command_line_says_so() {
    let text = multiplication(16).replace("ERROR: ", "");
    let file = tempfile::Builder::new().suffix(".bp").tempfile().expect("a file");
    std::fs::write(file.path(), text).expect("it can be written");
    let cases: [(&[&str], &str); 5] = [
        (&["--memory", "5M"], "Verdict: UNKNOWN(memory)"),
        (&["--memory", "40M"], "Verdict: UNKNOWN(memory)"),
        (&["--memory", "90M"], "Verdict: UNKNOWN(memory)"),
        (&["--timeout", "1s"], "Verdict: UNKNOWN(timeout)"),
        (&["--timeout", "2s", "--bdd-reorder", "sift"], "Verdict: UNKNOWN(timeout)"),
    ];
    for (options, last) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.arg("check").arg(file.path()).args(["--engine", "bdd", "--reduce", "none"]).args(options);
        let output = command.timeout(Duration::from_secs(60)).output().expect("it ends");
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(3), "{options:?}: {stdout}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(stdout.lines().last(), Some(last), "{options:?}");
    }
}

/// A limited address space is lack of memory, not a panic of the library.
#[cfg(target_os = "linux")]
#[test]
fn too_little_address_space() {
    let file = tempfile::Builder::new().suffix(".bp").tempfile().expect("a file");
    std::fs::write(file.path(), "decl g; void main() begin assert(g | !g); end").expect("it can be written");
    let check = |stack: &str| {
        let script = format!("ulimit -v 500000; exec {} check \"$@\" --engine bdd", env!("CARGO_BIN_EXE_epitome"));
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).arg(file.path()).args(["--reduce", "none"]).env("OXIDD_STACK_SIZE", stack);
        let output = command.timeout(Duration::from_secs(60)).output().expect("it ends");
        String::from_utf8_lossy(&output.stdout).lines().last().map(str::to_owned)
    };
    assert_eq!(check("1073741824").as_deref(), Some("Verdict: UNKNOWN(memory)"));
    assert_eq!(check("1000000").as_deref(), Some("Verdict: TRUE"));
}

/// The library works by recursion over variables: 990 in the thread of the caller, more in one with a
/// larger stack.
#[test]
fn thousands_of_variables() {
    for n in [330, 340, 5_000, 20_000] {
        let list = |part: &dyn Fn(usize) -> String, separator| (0..n).map(part).collect::<Vec<_>>().join(separator);
        let names = list(&|i| format!("v{i}"), ", ");
        // Every variable in one set, and in one relation that copies half of them.
        let fixed = list(&|i| format!("v{i} := {}", i % 2), ", ");
        let text =
            format!("decl {fixed}; void main() begin p(); assert(!v0 | v{}); end void p() begin v0 := v1; end", n - 1);
        let verdict = if (n - 1) % 2 == 1 { Verdict::Holds } else { Verdict::Violated };
        assert_eq!(stopped(&text, &Limits::none()), verdict, "{n}");
        let text = format!("decl {names}; void main() begin v0 := v{}; assert(v0 = v1); end", n - 1);
        assert_eq!(stopped(&text, &Limits::none()), Verdict::Violated, "{n}");
    }
}

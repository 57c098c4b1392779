//! Labels of C: how often each is passed, and whether it can be, against gcc.
//!
//! A label stands before its statement (C11 6.8.1), so for gcc each becomes `L: hit(n);` before the statement.

use crate::common::read;
use crate::random::{compile_with, gcc_works, model_with, run};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::syntax::c::{DataModel, Settings};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::SplitMix64;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Counts who passes and tells it in the end.
const HITS: &str = "#include <stdio.h>
static unsigned long hits[1000];
void hit(int label) { hits[label]++; }
static void __attribute__((destructor)) tell(void) { for (int i = 0; i < 1000; i++) if (hits[i]) printf(\"M%d=%lu \", i, hits[i]); }
";

/// The program with labels `M0`, `M1`, … on some of its statements, and with loops that are jumped into and out of.
fn with_labels(seed: u64, program: &str) -> String {
    let mut random = SplitMix64::new(seed ^ 0x1abe1);
    let (mut text, mut labels) = (String::new(), 0);
    for line in program.lines() {
        let inner = line.trim_start();
        let margin = &line[..line.len() - inner.len()];
        let is_statement =
            ["for (", "if (", "switch (", "{ unsigned char", "g", "(g"].iter().any(|start| inner.starts_with(start));
        if !margin.is_empty() && is_statement && random.chance(1, 6) {
            let _ = writeln!(text, "{margin}{}", jumps(&mut random, &mut labels));
        }
        if !margin.is_empty() && is_statement && random.chance(1, 4) {
            let _ = writeln!(text, "{margin}M{labels}: {inner}");
            labels += 1;
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

/// A loop with labels on it and in it, which is mostly entered by a jump, and entered again.
fn jumps(random: &mut SplitMix64, labels: &mut u64) -> String {
    let [outer, own, inner, behind] = [0, 1, 2, 3].map(|label| *labels + label);
    *labels += 4;
    let rounds = 1 + random.below(4);
    let start = random.below(6);
    let leave = random.pick(&["break", "continue", "t += 2"]);
    let goal = [outer, own, inner][random.below(3) as usize];
    let first = if random.chance(2, 3) {
        format!("goto M{};", [outer, own, inner][random.below(3) as usize])
    } else {
        String::new()
    };
    let body = format!("if (t == {start}) {leave}; M{inner}: t++; if (u++ < 2 && g0 & 1) goto M{goal};");
    let repeated = match random.below(4) {
        0 => format!("while (t < {rounds}) {{ {body} }}").replace("continue", "t += 2"),
        1 => format!("do {{ {body} }} while (t++ < {rounds});"),
        2 => format!("for (; t < {rounds}; t++) {{ {body} }}"),
        _ => format!("if (t < {rounds}) {{ {body} }}").replace("break", "t++").replace("continue", "t++"),
    };
    format!("{{ unsigned char t = 0, u = 0; {first} M{outer}: M{own}: {repeated} M{behind}: ; }}")
}

/// The same text with a call behind each label.
fn instrumented(text: &str) -> String {
    let mut pieces = text.split(": ");
    let mut told = format!("extern void hit(int);\n{}", pieces.next().unwrap_or_default());
    for piece in pieces {
        let word = told.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let number = word.strip_prefix('M').and_then(|number| number.parse::<u64>().ok());
        told += &number.map_or_else(|| ": ".to_owned(), |number| format!(": hit({number}); "));
        told += piece;
    }
    told
}

/// How often labels are passed on a run on some inputs.
#[test]
fn labels_are_passed_as_often_as_gcc_says() {
    if !gcc_works(&["-m64"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut passed = 0;
    for seed in 3_000..3_000 + 25 * crate::common::seeds::times() {
        let text = with_labels(seed, &crate::generate::program(seed));
        let told = compile_with(folder.path(), &instrumented(&text), &["-m64"], HITS);
        told.unwrap_or_else(|said| panic!("seed {seed}: {said}\n{text}"));
        let mut random = SplitMix64::new(seed);
        for _ in 0..3 {
            let inputs = [random.next_u64(), random.below(4), random.next_u64(), random.next_u64()];
            let settings = Settings { data_model: DataModel::Lp64, inline: seed % 2 == 0, ..Settings::default() };
            let (printed, labels) = model_with(&text, settings, &inputs);
            let mut computed = printed;
            for (label, times) in &labels {
                let _ = write!(computed, "M{label}={times} ");
            }
            passed += labels.len();
            assert_eq!(computed, run(folder.path(), &inputs), "seed {seed}, inputs {inputs:?}\n{text}");
        }
    }
    assert!(passed > 300, "{passed}");
}

/// Whether labels can be passed, asked for by name, of programs with a single run.
#[test]
fn labels_are_reached_as_gcc_says() {
    if !gcc_works(&["-m64"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut answers = BTreeMap::new();
    for seed in 0..40 * crate::common::seeds::times() {
        let (mut random, mut labels) = (SplitMix64::new(seed), 0);
        let loops: Vec<String> = (0..3).map(|_| jumps(&mut random, &mut labels)).collect();
        let text =
            format!("int g0 = {};\nint main(void) {{\n  {}\n  return 0;\n}}\n", random.below(2), loops.join("\n  "));
        compile_with(folder.path(), &instrumented(&text), &["-m64"], HITS)
            .unwrap_or_else(|said| panic!("{said}\n{text}"));
        let told = run(folder.path(), &[]);
        let program = read("c", &text);
        let checker = Checker::new(&program);
        for label in 0..labels {
            let is_passed = told.split(' ').any(|word| word.starts_with(&format!("M{label}=")));
            for engine in [Engine::Expand(None), Engine::Auto] {
                let report = checker.check(&Query::Label(format!("M{label}")), engine, &Limits::none(), &mut |_| ());
                let expected = if is_passed { Verdict::Violated } else { Verdict::Holds };
                assert_eq!(report.expect("is checked").verdict, expected, "M{label}, {engine:?}\n{text}");
            }
            *answers.entry(is_passed).or_insert(0) += 1;
        }
    }
    assert!(answers[&true] > 100 && answers[&false] > 30, "{answers:?}");
}

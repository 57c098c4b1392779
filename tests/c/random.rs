//! Random programs, compiled and run on random inputs: the model computes the same, and its run replays.

use crate::common::seeds::times;
use crate::execute::execute;
use crate::generate::{self, GLOBALS};
use epitome::evidence::replay_c;
use epitome::model::build_c;
use epitome::syntax::c::{DataModel, Settings};
use epitome::syntax::{Program, Source, Var, c};
use epitome_benchmarks::SplitMix64;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Gives the numbers of its standard input.
const INPUTS: &str = "#include <stdio.h>
static unsigned long long next(void) { unsigned long long n = 0; if (scanf(\"%llu\", &n) != 1) n = 0; return n; }
int __VERIFIER_nondet_int(void) { return (int) next(); }
unsigned long long __VERIFIER_nondet_ulonglong(void) { return next(); }
_Bool __VERIFIER_nondet_bool(void) { return next() & 1; }
";

/// Compiles a program; what the compiler says if it does not.
fn compile(folder: &Path, text: &str, flags: &[&str]) -> Result<(), String> {
    compile_with(folder, text, flags, "")
}

/// The same with more of what the program calls.
pub fn compile_with(folder: &Path, text: &str, flags: &[&str], functions: &str) -> Result<(), String> {
    std::fs::write(folder.join("p.c"), text).expect("can write");
    std::fs::write(folder.join("inputs.c"), format!("{INPUTS}{functions}")).expect("can write");
    let arguments = ["-w", "-O0", "-fwrapv", "-o", "p", "p.c", "inputs.c"];
    let output = Command::new("gcc").args(flags).args(arguments).current_dir(folder).output();
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// What the compiled program prints.
pub fn run(folder: &Path, inputs: &[u64]) -> String {
    let mut child = Command::new(folder.join("p")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("runs");
    let text: String = inputs.iter().map(|input| format!("{input}\n")).collect();
    let mut stdin = child.stdin.take().expect("is piped");
    stdin.write_all(text.as_bytes()).expect("can write");
    drop(stdin);
    let output = child.wait_with_output().expect("ends");
    assert!(output.status.success(), "{:?}", output.status);
    String::from_utf8(output.stdout).expect("numbers")
}

/// What the model computes, as the program would print it.
fn model(text: &str, settings: Settings, inputs: &[u64]) -> String {
    model_with(text, settings, inputs).0
}

/// The same, and how often the run passes each label `M0`, `M1`, …
pub fn model_with(text: &str, settings: Settings, inputs: &[u64]) -> (String, BTreeMap<u64, u64>) {
    let source = Source::new("p.c", text);
    let (program, _) = c::parse(&source, None, settings).unwrap_or_else(|errors| {
        panic!("{}\nin\n{text}", errors.iter().map(|error| error.render(&source)).collect::<String>())
    });
    let (ersm, map) = build_c(&program);
    let executed = execute(&ersm, inputs, 1_000_000);
    assert!(executed.returned, "the run stops\n{text}");
    let run = map.lift(&executed.run);
    if let Err(mismatch) = replay_c(&program, &run) {
        panic!("does not replay: {mismatch}\n{text}");
    }
    let program = Program::C(program);
    let mut labels = BTreeMap::new();
    for fragment in &run.fragments {
        for step in 0..fragment.len() {
            let here = program.labels(fragment.procedure, *fragment.place(step)).into_iter();
            let numbers = here.filter_map(|label| label.strip_prefix('M')?.parse().ok());
            numbers.for_each(|label: u64| *labels.entry(label).or_insert(0) += 1);
        }
    }
    let Program::C(program) = program else { unreachable!("it was just put there") };
    let mut printed = String::new();
    for index in 0..GLOBALS as u32 {
        let bits = program.bits_of(program.main, Var::Global(index));
        let pattern: u64 = bits.clone().map(|bit| u64::from(executed.globals[bit]) << (bit - bits.start)).sum();
        let _ = write!(printed, "{:x} ", program.globals[index as usize].ty.number(pattern) as u64);
    }
    (printed, labels)
}

/// So many programs on so many inputs, from a seed.
fn compare(seeds: std::ops::Range<u64>, settings: Settings, flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = seeds.start..seeds.start + (seeds.end - seeds.start) * times();
    for seed in seeds {
        let text = generate::program(seed);
        compile(folder.path(), &text, flags).unwrap_or_else(|said| panic!("seed {seed}: {said}\n{text}"));
        let mut random = SplitMix64::new(seed ^ 0x5eed);
        for _ in 0..4 {
            let edge = [0, 1, u64::MAX, 0x7fff_ffff, 0x8000_0000][random.below(5) as usize];
            let inputs = [random.next_u64(), edge, random.next_u64(), random.next_u64()];
            let (expected, computed) = (
                run(folder.path(), &inputs),
                model(&text, Settings { inline: seed % 2 == 0, ..settings.clone() }, &inputs),
            );
            assert_eq!(computed, expected, "seed {seed}, inputs {inputs:?}\n{text}");
        }
    }
}

pub fn gcc_works(flags: &[&str]) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let works = compile(folder.path(), "int main(void) { return 0; }", flags).is_ok();
    if !works {
        eprintln!("skipped: there is no gcc that takes {flags:?}");
    }
    works
}

#[test]
fn random_programs_compute_what_gcc_says_with_64_bits() {
    if gcc_works(&["-m64"]) {
        compare(0..60, Settings { data_model: DataModel::Lp64, ..Settings::default() }, &["-m64"]);
    }
}

#[test]
fn random_programs_compute_what_gcc_says_with_32_bits() {
    if gcc_works(&["-m32"]) {
        compare(1000..1060, Settings::default(), &["-m32"]);
    }
}

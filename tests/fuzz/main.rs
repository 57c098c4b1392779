//! A fuzzer: texts made from the examples and golden cases, through every reader of the library.
//!
//! An input is a text of the corpus (`corpus.rs`) that was cut, spliced with others, nested or damaged
//! (`change.rs`). A front end (`fronts/`) reads it and says what is wrong: a panic, a message about a place
//! that the text does not have, what is printed and not read again, engines that differ. What is wrong is made small
//! (`small.rs`) and shown with its seed. No input may take long; what does is shown as it is.
//!
//! `EPITOME_FUZZ=100000` makes so many inputs, `EPITOME_FUZZ_SEED=7` others. An input that ends the process
//! (a stack that overflows, memory that runs out) is found in `target/tmp/fuzz-NAME`.

mod change;
#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod fronts;
mod small;

use change::Changes;
use epitome_benchmarks::SplitMix64;
use fronts::Front;
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::Duration;

/// Inputs in all, unless the user wants more.
const INPUTS: u64 = 5_000;

/// An input that takes longer hangs, on however busy a machine.
const LONGEST: Duration = Duration::from_secs(120);

/// So many kinds of findings are shown.
const MOST_FINDINGS: usize = 8;

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => otherwise,
    }
}

/// Gives a front end its share of the inputs.
fn fuzz(front: Front) {
    be_quiet_about_panics();
    let inputs = (number("EPITOME_FUZZ", INPUTS) * front.share).div_ceil(100);
    let first = number("EPITOME_FUZZ_SEED", 0) << 32;
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}", front.name));
    let changes = Changes::new((front.corpus)());
    let make = move |seed: u64| changes.input(&mut SplitMix64::new(seed));
    let (sender, receiver) = channel();
    let (name, survive, current) = (front.name, front.survive, file.clone());
    let worker = thread::Builder::new().name("fuzz".to_owned()).spawn(move || {
        let (mut findings, mut read): (BTreeMap<String, String>, u64) = Default::default();
        for seed in first..first + inputs {
            let input = make(seed);
            std::fs::write(&current, &input).expect("can write");
            if sender.send(seed).is_err() || findings.len() >= MOST_FINDINGS {
                break;
            }
            let treated = treated(survive, &input);
            read += u64::from(treated == Ok(true));
            if let Err(wrong) = treated {
                let kind = kind(&wrong);
                findings.entry(kind.clone()).or_insert_with(|| {
                    let fails = |input: &[u8]| {
                        let _ = sender.send(seed);
                        self::treated(survive, input).is_err_and(|wrong| self::kind(&wrong) == kind)
                    };
                    let small = small::shrink(&input, fails);
                    let shown = String::from_utf8_lossy(&small);
                    format!("{name}, seed {seed}: {wrong}\nshrunk ({:?}):\n{shown}\n", shown)
                });
            }
        }
        (findings, read)
    });
    let worker = worker.expect("a thread");
    let mut last = first;
    loop {
        match receiver.recv_timeout(LONGEST) {
            Ok(seed) => last = seed,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => panic!("{name}, seed {last}: takes too long: {}", file.display()),
        }
    }
    let (findings, read) = worker.join().expect("findings are caught");
    assert!(findings.is_empty(), "{}", findings.into_values().collect::<Vec<_>>().join("\n"));
    assert!(20 * read >= inputs, "{name}: only {read} of {inputs} inputs can be read at all");
    std::fs::remove_file(&file).expect("was written");
}

/// What is wrong with how an input is treated.
fn treated(survive: fn(&[u8]) -> Result<bool, String>, input: &[u8]) -> Result<bool, String> {
    catch_unwind(AssertUnwindSafe(|| survive(input)))
        .unwrap_or_else(|panic| Err(format!("panic {}: {}", LAST_PANIC.lock().expect("is free"), message(&*panic))))
}

fn message(panic: &dyn Any) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Findings with the same words, numbers aside, are one.
fn kind(wrong: &str) -> String {
    let line = wrong.lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_ascii_digit()).take(60).collect()
}

/// Where the last panic was.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Panics of what is tested are findings: they are shown in the end, not each time that shrinking meets them again.
fn be_quiet_about_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if matches!(thread::current().name(), None | Some("fuzz")) {
                let place = info.location().map_or_else(String::new, ToString::to_string);
                LAST_PANIC.lock().expect("is free").clone_from(&place);
            } else {
                usual(info);
            }
        }));
    });
}

#[test]
fn boolean_programs() {
    fuzz(fronts::BOOLEAN_PROGRAMS);
}

#[test]
fn machines() {
    fuzz(fronts::MACHINES);
}

#[test]
fn clauses() {
    fuzz(fronts::CLAUSES);
}

#[test]
fn c_programs() {
    fuzz(fronts::C_PROGRAMS);
}

#[test]
fn formulas() {
    fuzz(fronts::FORMULAS);
}

#[test]
fn questions() {
    fuzz(fronts::QUESTIONS);
}

#[test]
fn automata() {
    fuzz(fronts::AUTOMATA);
}

#[test]
fn properties() {
    fuzz(fronts::PROPERTIES);
}

#[test]
fn certificates() {
    fuzz(fronts::CERTIFICATES);
}

#[test]
fn records() {
    fuzz(fronts::RECORDS);
}

#[test]
fn tasks() {
    fuzz(fronts::TASKS);
}

/// Inputs that were findings once, shrunk, are survived by all front ends.
#[test]
fn kept() {
    be_quiet_about_panics();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/kept");
    let mut inputs = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("can be read").path();
        let input = std::fs::read(&path).expect("can be read");
        let ending = path.extension().expect("says what it is").to_str().expect("is text");
        for front in fronts::ALL.iter().filter(|front| front.endings.contains(&ending)) {
            assert!(treated(front.survive, &input).is_ok(), "{}: {:?}", path.display(), treated(front.survive, &input));
            inputs += 1;
        }
    }
    assert!(inputs > 0);
}

/// The fuzzer finds what is wrong, and makes it small.
#[test]
fn findings_are_found() {
    be_quiet_about_panics();
    let survive = |input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        assert!(!(text.contains("goto") && text.contains("od")), "jumps and loops");
        Ok(true)
    };
    let changes = Changes::new((fronts::BOOLEAN_PROGRAMS.corpus)());
    let inputs = (0..2_000).map(|seed| changes.input(&mut SplitMix64::new(seed)));
    let found = inputs.filter(|input| treated(survive, input).is_err()).take(3).collect::<Vec<_>>();
    assert_eq!(found.len(), 3);
    for input in found {
        let small = small::shrink(&input, |input| treated(survive, input).is_err());
        assert!(small.len() <= 8, "{}", String::from_utf8_lossy(&small));
    }
}

//! What is measured: searches through tiny relations, a long search through a small one, and squaring.
//!
//! A bit has two or three BDD variables side by side: its value now, (half-way,) and next. The most
//! significant bit is on top.

use crate::Outcome;
use crate::libraries::Library;
use std::time::Instant;

/// A piece of work.
pub enum Workload {
    /// Searches through all 256 functions from two bits to two bits, four variables in all.
    Tiny,
    /// A breadth-first search through a counter of so many bits, one value in each round.
    Search { bits: usize },
    /// The transitive closure of a counter of so many bits, by iterative squaring.
    Closure { bits: usize },
}

pub const WORKLOADS: [Workload; 3] = [Workload::Tiny, Workload::Search { bits: 14 }, Workload::Closure { bits: 20 }];

impl Workload {
    pub fn name(&self) -> String {
        match self {
            Workload::Tiny => "search, four variables".to_owned(),
            Workload::Search { bits } => format!("search, {bits}-bit counter"),
            Workload::Closure { bits } => format!("squaring, {bits}-bit counter"),
        }
    }

    /// BDD variables that it needs.
    pub fn variables(&self) -> usize {
        match self {
            Workload::Tiny => 2 * 2,
            Workload::Search { bits } => 2 * bits,
            Workload::Closure { bits } => 3 * bits,
        }
    }

    /// The seconds it takes, without making the relations, and what it gives.
    pub fn run<L: Library>(&self, library: &L) -> (f64, Outcome) {
        match *self {
            Workload::Tiny => {
                let relations: Vec<L::Set> = (0..256).map(|table| function(library, table)).collect();
                search(library, &relations, 2)
            }
            Workload::Search { bits } => search(library, &[successor(library, bits, 2)], bits),
            Workload::Closure { bits } => closure(library, &successor(library, bits, 3), bits),
        }
    }
}

/// The seconds that some work takes, and what its rounds and sets come to.
fn timed<L: Library>(library: &L, work: impl FnOnce() -> Vec<(u64, L::Set)>) -> (f64, Outcome) {
    let start = Instant::now();
    let results = work();
    let seconds = start.elapsed().as_secs_f64();
    let rounds = results.iter().map(|(rounds, _)| rounds).sum();
    (seconds, Outcome { rounds, count: results.iter().map(|(_, set)| library.count(set)).sum() })
}

/// The relation of a function from two bits to two bits, by its table of values, two bits each.
fn function<L: Library>(library: &L, table: usize) -> L::Set {
    let state = |copy: usize, value: usize| {
        let bit = |at: usize| library.literal(2 * at + copy, value >> at & 1 == 1);
        library.and(&bit(0), &bit(1))
    };
    let steps = (0..4).map(|value| library.and(&state(0, value), &state(1, table >> (2 * value))));
    steps.fold(library.constant(false), |relation, step| library.or(&relation, &step))
}

/// A counter that goes up by one, and ends at its largest value. The first copy of each bit is its value
/// now, the last copy its value next.
fn successor<L: Library>(library: &L, bits: usize, copies: usize) -> L::Set {
    let step = |bit: usize, now: bool, next: bool| {
        library.and(&library.literal(copies * bit, now), &library.literal(copies * bit + copies - 1, next))
    };
    // Of the bits below: they go up by one, or all of them from 1 to 0.
    let (mut up, mut over) = (library.constant(false), library.constant(true));
    for bit in (0..bits).rev() {
        let same = library.or(&step(bit, false, false), &step(bit, true, true));
        let carried = library.and(&step(bit, false, true), &over);
        up = library.or(&library.and(&same, &up), &carried);
        over = library.and(&step(bit, true, false), &over);
    }
    up
}

/// In each relation, rounds of image, renaming, difference and union from the state 0 until nothing is
/// new, and what was reached.
fn search<L: Library>(library: &L, relations: &[L::Set], bits: usize) -> (f64, Outcome) {
    let now: Vec<usize> = (0..bits).map(|bit| 2 * bit).collect();
    let back: Vec<(usize, usize)> = now.iter().map(|&now| (now + 1, now)).collect();
    let start = now.iter().map(|&now| library.literal(now, false));
    let start = start.fold(library.constant(true), |cube, literal| library.and(&cube, &literal));
    let (now, back, nothing) = (library.variables(&now), library.renaming(&back), library.constant(false));
    let through = |relation: &L::Set| {
        let (mut rounds, mut reached, mut new) = (0, start.clone(), start.clone());
        while new != nothing {
            let image = library.rename(library.and_exists(&new, relation, &now), &back);
            new = library.minus(&image, &reached);
            reached = library.or(&reached, &new);
            rounds += 1;
            library.tidy();
        }
        (rounds, reached)
    };
    timed(library, || relations.iter().map(through).collect())
}

/// Rounds of squaring until nothing is new, and the closure.
fn closure<L: Library>(library: &L, relation: &L::Set, bits: usize) -> (f64, Outcome) {
    let copy = |copy: usize| (0..bits).map(move |bit| 3 * bit + copy);
    let halfway = |from: usize| library.renaming(&copy(from).zip(copy(1)).collect::<Vec<_>>());
    let (first, second) = (halfway(2), halfway(0));
    let middle = library.variables(&copy(1).collect::<Vec<_>>());
    let square = || {
        let (mut rounds, mut whole, mut before) = (0, relation.clone(), library.constant(false));
        while whole != before {
            let halves = [&first, &second].map(|renaming| library.rename(whole.clone(), renaming));
            before = whole;
            whole = library.or(&before, &library.and_exists(&halves[0], &halves[1], &middle));
            rounds += 1;
        }
        vec![(rounds, whole)]
    };
    timed(library, square)
}

//! Families of machines without variables: the digital clock (Alur-HSM 1), AND-OR graphs as hierarchies (Alur-HSM, Theorem 2), and recursive
//! machines with many entries and exits (Alur-RSM 3).
//!
//! Why they keep their property: of the clock, no run comes to the node before the second exit of a minute. Of an AND-OR graph the winner is computed here. A call of the
//! machine with many exits that begins at entry i ends at exit i or, one level deeper, two exits after one where the next entry's call ends: so
//! i and the exit are both even or both odd.

use crate::SplitMix64;
use crate::families::Verdict;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A day of n hours of n minutes of n seconds.
pub(crate) fn clock(out: &mut String, n: u32, verdict: Verdict) {
    out.push_str("// ltl: G F midnight\n\n");
    let _ = write!(out, "machine Day {{\n  entry start;\n  node midnight, ERROR;\n");
    ring(out, n, "Hour", ["start", "midnight"]);
    let last = n - 1;
    let _ = write!(out, "  t{last}.late -> ERROR;\n  midnight -> t0.begin;\n}}\n\nmachine Hour {{\n");
    out.push_str("  entry begin {hour};\n  exit end, late;\n");
    ring(out, n, "Minute", ["begin", "end"]);
    let _ = write!(out, "  t{last}.late -> late;\n}}\n\nmachine Minute {{\n  entry begin;\n  exit end, late;\n");
    let _ = writeln!(out, "  node never{};", (1..n).map(|second| format!(", s{second}")).collect::<String>());
    let second = |number: u32| if number == 0 { "begin".to_owned() } else { format!("s{number}") };
    for number in 1..n {
        let _ = writeln!(out, "  {} -> {};", second(number - 1), second(number));
    }
    let late = if verdict == Verdict::Safe { "never".to_owned() } else { second(last) };
    let _ = write!(out, "  {} -> end;\n  {late} -> late;\n}}\n\ninit Day.start;\n", second(last));
}

/// So many boxes one after the other.
fn ring(out: &mut String, n: u32, inside: &str, [first, last]: [&str; 2]) {
    for number in 0..n {
        let _ = writeln!(out, "  box t{number}: {inside};");
    }
    let _ = writeln!(out, "  {first} -> t0.begin;");
    for number in 1..n {
        let _ = writeln!(out, "  t{}.end -> t{number}.begin;", number - 1);
    }
    let _ = writeln!(out, "  t{}.end -> {last};", n - 1);
}

/// A graph whose vertices belong to two players.
struct AndOr {
    is_and: Vec<bool>,
    next: Vec<[usize; 2]>,
    is_target: Vec<bool>,
}

impl AndOr {
    fn random(n: usize, seed: u64) -> AndOr {
        let mut random = SplitMix64::new(seed);
        let any = |random: &mut SplitMix64| random.below(n as u64) as usize;
        AndOr {
            is_and: (0..n).map(|_| random.chance(1, 2)).collect(),
            next: (0..n).map(|_| [any(&mut random), any(&mut random)]).collect(),
            is_target: (0..n).map(|vertex| vertex > 0 && random.chance(1, 4)).collect(),
        }
    }

    /// The first player can get to a target from the first vertex, in at most so many steps as there are vertices but one.
    fn is_won(&self) -> bool {
        let mut won = self.is_target.clone();
        for _ in 1..won.len() {
            let step = |vertex: usize| {
                let [a, b] = self.next[vertex].map(|next| won[next]);
                won[vertex] || if self.is_and[vertex] { a && b } else { a || b }
            };
            let next: Vec<bool> = (0..won.len()).map(step).collect();
            if next == won {
                break;
            }
            won = next;
        }
        won[0]
    }
}

/// The machine of a vertex in a round leads to its exit if the first player wins from there in the rounds that are left.
pub(crate) fn andor(out: &mut String, n: u32, verdict: Verdict) {
    let n = n as usize;
    let wanted = verdict == Verdict::Unsafe;
    // Half of all graphs are won, about; the first graph of that kind is the one.
    let graphs = (0..).map(|number| AndOr::random(n, number << 32 | n as u64));
    let Some(graph) = graphs.into_iter().find(|graph| graph.is_won() == wanted) else { return };
    let mut machines = String::new();
    let mut round = BTreeSet::from([0]);
    for number in 1..=n {
        let mut next = BTreeSet::new();
        for vertex in std::mem::take(&mut round) {
            let _ = write!(machines, "machine K{vertex}_{number} {{ entry i; exit o;");
            if graph.is_target[vertex] {
                machines.push_str(" i -> o;");
            } else if number < n {
                let [a, b] = graph.next[vertex];
                let _ = write!(machines, " box a: K{a}_{0}; box b: K{b}_{0};", number + 1);
                machines.push_str(match graph.is_and[vertex] {
                    true => " i -> a.i; a.o -> b.i; b.o -> o;",
                    false => " i -> a.i; i -> b.i; a.o -> o; b.o -> o;",
                });
                next.extend([a, b]);
            }
            machines.push_str(" }\n");
        }
        round = next;
    }
    out.push_str("machine Game { entry start; node ERROR; box first: K0_1; start -> first.i; first.o -> ERROR; }\n");
    out.push_str(&machines);
    out.push_str("\ninit Game.start;\n");
}

/// A machine with 2n entries and exits that calls itself.
pub(crate) fn theta(out: &mut String, n: u32, verdict: Verdict) {
    let all = 2 * n;
    let names = |letter: char| (0..all).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(", ");
    let asked = if verdict == Verdict::Safe { all - 1 } else { all - 2 };
    let _ = write!(
        out,
        "machine Main {{\n  entry start;\n  node ERROR;\n  box m: Many;\n  start -> m.e0;\n  m.x{asked} -> ERROR;\n}}\n\n\
         machine Many {{\n  entry {};\n  exit {};\n  box b: Many;\n",
        names('e'),
        names('x')
    );
    for i in 0..all {
        let after = (i + 1) % all;
        let _ = writeln!(out, "  e{i} -> x{i};\n  e{i} -> b.e{after};\n  b.x{i} -> x{after};");
    }
    out.push_str("}\n\ninit Main.start;\n");
}

//! How the cost of the BDD engine grows: counted, not timed, so that the answers are the same on every
//! machine.

use crate::{Checked, DEFAULT, check};
use epitome::engine::tabulate::{Options, Order};
use epitome::limits::Limits;
use epitome::reduce::Reductions;
use epitome::syntax::Language;
use epitome::{Engine, Verdict};
use epitome_benchmarks::{Verdict as Version, generate};

fn family_with(name: &str, n: u32, version: Version, options: Options, reductions: Reductions) -> Checked {
    let text = generate(name, n, version).expect("a family");
    // A thread of its own: a store that an earlier check left behind has nodes already.
    let work = || check(&text, Language::Bp, Engine::Tabulate(options), reductions, &Limits::none());
    let checked = std::thread::scope(|scope| scope.spawn(work).join()).expect("no panic");
    let expected = if version == Version::Safe { Verdict::Holds } else { Verdict::Violated };
    assert_eq!(checked.verdict, expected, "{name} {n} {version:?} {options:?}");
    checked
}

fn family(name: &str, n: u32, version: Version) -> Checked {
    family_with(name, n, version, DEFAULT, Reductions::all())
}

/// How many times as much.
fn ratio(large: u64, small: u64) -> f64 {
    large as f64 / small as f64
}

/// Ball, section 4, without the quadratic part: T(N), X(N), E(N) with 16 times as many procedures take 16
/// times as many rounds and no more nodes.
#[test]
fn hierarchies_cost_linear_work_and_constant_nodes() {
    for name in ["tn", "xn", "en"] {
        for version in Version::ALL {
            let [small, large] = [1_000, 16_000].map(|n| family(name, n, version));
            let (a, b) = (&small.statistics, &large.statistics);
            let context = format!("{name} {version:?}\n{a:?}\n{b:?}");
            assert!(ratio(b.iterations, a.iterations) < 16.5, "{context}");
            assert!(ratio(b.path_edges, a.path_edges) < 16.5, "{context}");
            assert_eq!(a.variables, b.variables, "{context}");
            assert!(b.peak_nodes <= a.peak_nodes + a.peak_nodes / 10 && b.peak_nodes < 2_000, "{context}");
            if let (Some(small), Some(large)) = (small.run, large.run) {
                let (small, large) = (small.stored_steps() as u64, large.stored_steps() as u64);
                assert!(ratio(large, small) < 16.5, "{context}: {small} and {large} steps");
            }
        }
    }
}

/// Loops of 2^n rounds take constantly many rounds of the search. So does recursion 2^n deep, after
/// the search that goes down call by call has used up its patience, which is constant, too.
#[test]
fn counters_take_few_rounds() {
    for n in (4..=20).step_by(4) {
        for name in ["ln", "updown"] {
            let safe = family(name, n, Version::Safe).statistics;
            assert!(safe.iterations <= 20, "{name} {n}: {safe:?}");
        }
        let safe = family("rn", n, Version::Safe).statistics;
        assert!(safe.iterations <= if n < 12 { 6_000 } else { 20 }, "rn {n}: {safe:?}");
    }
    for (name, n) in [("ln", 6), ("ln", 12), ("rn", 6), ("rn", 12), ("updown", 6), ("updown", 12)] {
        let found = family(name, n, Version::Unsafe);
        assert!(found.statistics.iterations <= 200, "{name} {n}: {:?}", found.statistics);
        // The unsafe versions of the loops fail only after all rounds.
        let steps = found.run.map_or(0.0, |run| run.full_length(|_, _| true));
        assert!(name == "rn" || steps >= 2f64.powi(n as i32), "{name} {n}: {steps} steps");
    }
}

/// Nodes grow with at most this power of the size. They are counted with their garbage: a program of n
/// steps over sets of n nodes makes about n^2.
fn nodes_grow(name: &str, sizes: &[u32], power: f64, reductions: Reductions) {
    let nodes = |n: u32| family_with(name, n, Version::Safe, DEFAULT, reductions).statistics.peak_nodes;
    let all: Vec<u64> = sizes.iter().map(|&n| nodes(n)).collect();
    let (first, last) = (sizes[0], sizes[sizes.len() - 1]);
    let found = ratio(all[all.len() - 1], all[0]).log2() / ratio(last.into(), first.into()).log2();
    assert!(found <= power, "{name} {sizes:?}: {all:?} nodes, power {found:.2}");
}

/// What theory says is linear: the set of values of a counter, of two numbers with their sum, of variables that
/// have nothing to do with each other. (All nodes of a search are more: one such set for each vertex.)
#[test]
fn sets_are_linear() {
    for name in ["ln", "adder", "independent"] {
        let nodes = |n| family(name, n, Version::Safe).statistics.largest_nodes;
        let [a, b, c] = [16, 32, 64].map(nodes);
        assert!(a > 0 && c - b <= 2 * (b - a) + 2, "{name}: {a}, {b} and {c} nodes");
    }
}

/// Bits of a counter in a loop that is squared. The powers of its relation are linear each, and there
/// are n of them.
#[test]
fn nodes_of_counters() {
    nodes_grow("ln", &[8, 16, 32, 64], 2.2, Reductions::all());
    // Without compaction there is nothing to square: 2^n rounds, a few nodes each.
    for n in [6, 10] {
        let slow = family_with("ln", n, Version::Safe, DEFAULT, Reductions::none()).statistics;
        assert!(slow.peak_nodes < 10 << n, "ln {n}: {slow:?}");
    }
}

/// Sums bit by bit: variables that belong together must be together in the order.
#[test]
fn nodes_of_adders() {
    nodes_grow("adder", &[8, 16, 32, 64], 2.2, Reductions::all());
    nodes_grow("adder", &[8, 16, 32], 2.2, Reductions::none());
}

/// Up to 130 variables that have nothing to do with each other, 2^65 states.
#[test]
fn nodes_of_independent_variables() {
    nodes_grow("independent", &[8, 16, 32, 65], 2.2, Reductions::all());
    let states = family("independent", 65, Version::Safe).statistics;
    assert!(states.iterations < 65 * 10, "{states:?}");
}

/// Old and new values apart: to know that n variables are what they were when the procedure was entered
/// takes 2^n nodes; side by side it takes 3n. (An adder, one bit at a time, is only a little larger.)
#[test]
fn old_and_new_values_belong_together() {
    let n = 9;
    let names: Vec<String> = (0..n).map(|i| format!("g{i}")).collect();
    let names = names.join(", ");
    let text = format!("decl {names};\nvoid main() begin\n  p();\nend\nvoid p() begin\n  {names} := {names};\n");
    let text = format!("{text}  if (g0 & !g0) then ERROR: skip; fi\nend\n");
    let largest = |order| {
        let engine = Engine::Tabulate(Options { order, ..DEFAULT });
        check(&text, Language::Bp, engine, Reductions::none(), &Limits::none()).statistics.largest_nodes
    };
    assert!(largest(Order::Declaration) > 1 << n);
    for order in [Order::Interleaved, Order::Dependency] {
        assert!(largest(order) <= 3 * n, "{order:?}: {}", largest(order));
    }
    let adder = |order| {
        let options = Options { order, ..DEFAULT };
        family_with("adder", 16, Version::Safe, options, Reductions::none()).statistics.peak_nodes
    };
    let apart = adder(Order::Declaration);
    for order in [Order::Interleaved, Order::Dependency] {
        assert!(ratio(apart, adder(order)) > 1.05, "adder: {apart} and {} nodes", adder(order));
    }
}

/// The same answers in every order of variables, at very different cost: 2^n nodes to know that x and y are
/// equal unless each bit of x is next to that of y.
#[test]
fn orders_matter() {
    let n = 12;
    let names = |name: char| (0..n).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ");
    let (x, y) = (names('x'), names('y'));
    let claim = (0..n).map(|i| format!("(x{i} = y{i})")).collect::<Vec<_>>().join(" & ");
    for (claim, verdict) in [(claim.clone(), Verdict::Holds), (format!("!({claim})"), Verdict::Violated)] {
        let text = format!("decl {x}, {y};\nvoid main() begin\n  {y} := {x};\n  assert({claim});\nend\n");
        let nodes = |order| {
            let engine = Engine::Tabulate(Options { order, ..DEFAULT });
            let work = || check(&text, Language::Bp, engine, Reductions::none(), &Limits::none());
            let checked = std::thread::scope(|scope| scope.spawn(work).join()).expect("no panic");
            assert_eq!(checked.verdict, verdict, "{order:?}");
            checked.statistics.peak_nodes
        };
        let [declaration, interleaved, dependency] =
            [Order::Declaration, Order::Interleaved, Order::Dependency].map(nodes);
        assert!(declaration > 1 << n && interleaved > 1 << n, "{declaration} {interleaved}");
        assert!(dependency < 4_000, "{dependency}");
    }
}

//! The order by dependency brings together what is connected, and every order is a permutation.

use super::*;
use crate::engine::tabulate::tests::program;

/// Pairs that are declared apart: all x, then all y, each pair in one assignment.
fn pairs(n: usize) -> Ersm {
    let names = |name: char| (0..n).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ");
    let copies: String = (0..n).map(|i| format!("  y{i} := x{i};\n")).collect();
    program(&format!("decl {}, {};\nvoid main() begin\n{copies}end\n", names('x'), names('y')))
}

fn is_permutation(rank: &[u32]) -> bool {
    let mut sorted = rank.to_vec();
    sorted.sort_unstable();
    sorted.iter().enumerate().all(|(place, &rank)| place == rank as usize)
}

#[test]
fn connected_variables_are_neighbours() {
    for n in [2, 5, 16, 40] {
        let ersm = pairs(n);
        let declared = arrange(&ersm, Order::Interleaved);
        let pulled = arrange(&ersm, Order::Dependency);
        assert!(is_permutation(&declared) && is_permutation(&pulled));
        assert_eq!(declared, (0..2 * n as u32).collect::<Vec<_>>());
        for i in 0..n {
            assert_eq!(declared[i].abs_diff(declared[n + i]), n as u32);
            assert_eq!(pulled[i].abs_diff(pulled[n + i]), 1, "pair {i} of {n}: {pulled:?}");
        }
    }
}

/// A call connects what it reads and what it writes.
#[test]
fn calls_connect() {
    let ersm = program(
        "decl g0, g1, g2, g3, g4, g5;
         void main() begin g0 := p(g5); end
         bool p(a) begin return a; end",
    );
    let rank = arrange(&ersm, Order::Dependency);
    assert_eq!(rank[0].abs_diff(rank[5]), 1, "{rank:?}");
}

/// Bits that a call adds stay together, though all calls go through the same inputs, whose slots are
/// those of other bits, and all bits are connected with the carry.
#[test]
fn calls_do_not_tear_apart() {
    let text = epitome_benchmarks::generate("adder", 30, epitome_benchmarks::Verdict::Safe).unwrap();
    let rank = arrange(&program(&text), Order::Dependency);
    for bit in 0..30 {
        let places: Vec<u32> = (0..3).map(|variable| rank[3 * bit + variable]).collect();
        let width = places.iter().max().unwrap() - places.iter().min().unwrap();
        // The carry, which all of them are connected with, may be between.
        assert!(width <= 4, "bit {bit}: {places:?}");
    }
}

/// An order that is good already is left alone; where nothing is connected there is nothing to do.
#[test]
fn good_orders_are_left_alone() {
    let chain = program("decl a, b, c, d; void main() begin b := a; c := b; d := c; end");
    assert_eq!(arrange(&chain, Order::Dependency), [0, 1, 2, 3]);
    let apart = program("decl a, b, c, d; void main() begin a := *; b := 1; end");
    assert_eq!(arrange(&apart, Order::Dependency), [0, 1, 2, 3]);
    assert!(arrange(&program("void main() begin skip; end"), Order::Dependency).is_empty());
}

/// The span never grows, on programs of any kind.
#[test]
fn spans_shrink() {
    for seed in 0..300 {
        let shape = epitome_benchmarks::Shape { globals: 12, locals: 8, ..epitome_benchmarks::Shape::general() };
        let ersm = program(&epitome_benchmarks::random_program(seed, &shape));
        let (declared, pulled) = (arrange(&ersm, Order::Declaration), arrange(&ersm, Order::Dependency));
        assert!(is_permutation(&pulled), "seed {seed}");
        let bonds = without_hubs(Bonds::of(&ersm).list, pulled.len());
        assert!(span(&bonds, &pulled) <= span(&bonds, &declared), "seed {seed}");
    }
}

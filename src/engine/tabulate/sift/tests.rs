//! Sifting finds good orders, keeps groups together and changes no function.

use super::*;
use crate::engine::tabulate::bdd::Bdd;

/// (x0 & y0) | (x1 & y1) | …, all x declared before all y: 2^(n+1) - 2 nodes, 2n if pairs are together.
fn pairs(store: &Store, n: u32, x: impl Fn(u32) -> Var, y: impl Fn(u32) -> Var) -> Bdd {
    (0..n).fold(store.bottom(), |set, i| {
        let pair = store.and(&store.variable(x(i)), &store.variable(y(i))).unwrap_or_else(|_| unreachable!());
        store.or(&set, &pair).unwrap_or_else(|_| unreachable!())
    })
}

fn values(store: &Store, f: &Bdd, variables: u32) -> Vec<bool> {
    let valuation = |row: u32| (0..variables).map(move |variable| (variable, row >> variable & 1 == 1));
    (0..1 << variables).map(|row| store.contains(f, valuation(row))).collect()
}

#[test]
fn sifting_brings_pairs_together() {
    for n in [4, 6, 8, 10] {
        let store = Store::new(2 * n as usize, 1 << 16, 1 << 10).unwrap();
        let f = pairs(&store, n, |i| i, |i| n + i);
        assert_eq!(store.size(&f), (2 << n) - 2);
        sift(&store, &[], || true);
        assert_eq!(store.size(&f), 2 * n as usize, "{:?}", store.reorder(|levels| levels.order()));
    }
}

#[test]
fn sifting_changes_no_function() {
    let n = 5;
    let store = Store::new(2 * n as usize, 1 << 14, 1 << 10).unwrap();
    let f = pairs(&store, n, |i| i, |i| n + i);
    let g = pairs(&store, n, |i| 2 * i, |i| 2 * i + 1);
    let both = store.iff(&f, &g).unwrap();
    let before = [&f, &g, &both].map(|set| values(&store, set, 2 * n));
    sift(&store, &[], || true);
    assert_eq!([&f, &g, &both].map(|set| values(&store, set, 2 * n)), before);
    // Nothing that was computed before the change is taken for an answer after it.
    assert!(store.iff(&f, &g).unwrap() == both);
    let swap = Store::substitution((0..n).flat_map(|i| [(i, store.variable(n + i)), (n + i, store.variable(i))]));
    assert!(store.substitute(&f, &swap).unwrap() == f);
    let picked = store.pick(&both).unwrap();
    assert!(store.contains(&both, picked.into_iter().enumerate().map(|(v, value)| (v as Var, value))));
}

/// Without time the order stays as it is, or becomes better.
#[test]
fn sifting_ends_when_time_is_up() {
    let n = 8;
    let store = Store::new(2 * n as usize, 1 << 16, 1 << 10).unwrap();
    let f = pairs(&store, n, |i| i, |i| n + i);
    let before = store.size(&f);
    sift(&store, &[], || false);
    assert_eq!(store.reorder(|levels| levels.order()), (0..2 * n).collect::<Vec<_>>());
    let looks = std::cell::Cell::new(0);
    let has_time = || looks.replace(looks.get() + 1) < 10;
    sift(&store, &[], has_time);
    assert!(looks.get() < 20 && store.size(&f) <= before);
}

/// Groups move as one, in their own order; here the best place of a group is next to its partner.
#[test]
fn groups_stay_together() {
    let n: u32 = 6;
    let store = Store::new(6 * n as usize, 1 << 16, 1 << 10).unwrap();
    // The slots 0..2n with three variables each; slot i belongs to slot n + i.
    let groups: Vec<Vec<Var>> = (0..2 * n).map(|slot| vec![3 * slot, 3 * slot + 1, 3 * slot + 2]).collect();
    let f = pairs(&store, n, |i| 3 * i + 1, |i| 3 * (n + i) + 1);
    sift(&store, &groups, || true);
    assert_eq!(store.size(&f), 2 * n as usize);
    let order = store.reorder(|levels| levels.order());
    for group in &groups {
        let place = order.iter().position(|variable| variable == &group[0]).unwrap();
        assert_eq!(&order[place..place + 3], &group[..]);
    }
}

/// Groups whose variables are apart (all old values before all new ones) are brought together.
#[test]
fn groups_come_together() {
    let n: u32 = 5;
    let store = Store::new(3 * n as usize, 1 << 14, 1 << 10).unwrap();
    let groups: Vec<Vec<Var>> = (0..n).map(|slot| vec![slot, n + slot, 2 * n + slot]).collect();
    let same = (0..n).fold(store.top(), |set, i| {
        let equal = store.iff(&store.variable(n + i), &store.variable(2 * n + i)).unwrap();
        store.and(&set, &equal).unwrap()
    });
    let before = store.size(&same);
    sift(&store, &groups, || true);
    assert_eq!(store.size(&same), 3 * n as usize);
    assert!(before > 2 * store.size(&same), "{before}");
}

/// The library ends the process when it runs out of nodes while it changes the order: a store without
/// enough room for the next change is left as it is.
#[test]
fn full_stores_are_left_alone() {
    let n: u32 = 12;
    for room in [300, 1_000, 5_000] {
        let store = Store::new(n as usize, room, 64).unwrap();
        let mut random = epitome_benchmarks::SplitMix64::new(room as u64);
        // Sets of random valuations, as many as there is room for.
        let mut sets = vec![store.bottom()];
        while let Some(last) = sets.last() {
            let row = random.below(1 << n) as u32;
            let cube = store.cube((0..n).map(|variable| (variable, row >> variable & 1 == 1)));
            let Ok(larger) = cube.and_then(|cube| store.or(last, &cube)) else { break };
            sets.push(larger);
        }
        let before: Vec<_> = sets.iter().rev().take(3).map(|set| values(&store, set, n)).collect();
        sift(&store, &[], || true);
        let after: Vec<_> = sets.iter().rev().take(3).map(|set| values(&store, set, n)).collect();
        assert!(before == after, "{room}");
        // With room again it goes on where it was.
        let kept = sets.swap_remove(sets.len() / 2);
        sets.clear();
        let before = (store.size(&kept), values(&store, &kept, n));
        sift(&store, &[], || true);
        assert!(store.size(&kept) <= before.0 && values(&store, &kept, n) == before.1, "{room}");
    }
}

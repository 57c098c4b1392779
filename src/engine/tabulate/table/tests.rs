//! Additions are disjoint, refer to earlier ones, and each is worked on once.

use super::*;

#[test]
fn additions_are_disjoint_and_worked_on_once() {
    let store = Store::new(2, 1 << 10, 1 << 6).unwrap();
    let mut table = Table::new(&store, 1, true);
    let (x, y) = (store.variable(0), store.variable(1));
    assert!(table.add(&store, 0, &x, Cause::Start).unwrap());
    assert!(!table.add(&store, 0, &x, Cause::Start).unwrap());
    assert!(table.add(&store, 0, &y, Cause::Start).unwrap());
    let (fresh, range) = table.take(&store, 0);
    assert!(fresh == store.or(&x, &y).unwrap());
    assert_eq!(range, 0..2);
    assert_eq!(table.count, 2);
    // The second addition is what the first did not have.
    assert!(table.additions[0][1].set == store.minus(&y, &x).unwrap());
    let (nothing, range) = table.take(&store, 0);
    assert!(store.is_empty(&nothing) && range.is_empty());
    assert!(table.add(&store, 0, &store.top(), Cause::Start).unwrap());
    let (rest, range) = table.take(&store, 0);
    assert!(rest == store.nor(&x, &y).unwrap());
    assert_eq!(range, 2..3);
    let (all, range) = table.all(0);
    assert!(all == store.top());
    assert_eq!(range, 0..3);
}

/// Without runs to tell nothing is kept but the path edges.
#[test]
fn additions_are_kept_only_where_runs_are_wanted() {
    let store = Store::new(1, 1 << 10, 1 << 6).unwrap();
    let mut table = Table::new(&store, 1, false);
    assert!(table.add(&store, 0, &store.variable(0), Cause::Start).unwrap());
    assert!(table.additions.is_empty());
    let (fresh, range) = table.take(&store, 0);
    assert!(fresh == store.variable(0) && range.is_empty());
    assert_eq!(table.count, 1);
}

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

/// The first of many additions is found by asking for a few unions.
#[test]
fn the_first_of_many_additions() {
    let (bits, rows) = (9, 1 << 9);
    let store = Store::new(bits, 1 << 14, 1 << 10).unwrap();
    let valuation = |row: u32| (0..bits as u32).map(move |bit| (bit, row >> bit & 1 == 1));
    let mut table = Table::new(&store, 1, true);
    let order = |index: u32| index * 77 % rows;
    for index in 0..rows {
        let set = store.cube(valuation(order(index))).unwrap();
        assert!(table.add(&store, 0, &set, Cause::Start).unwrap());
    }
    for range in [0..rows, 3..rows - 5, 100..110, 200..201, 7..7, 255..257] {
        for index in (0..rows).step_by(13).chain(range.clone().step_by(3)) {
            let mut asked = 0;
            let found = table.first(&store, 0, &range, &Limits::none(), |set| {
                asked += 1;
                Ok(store.contains(set, valuation(order(index))).then_some(()))
            });
            let found = found.unwrap_or_else(|_| unreachable!()).map(|((), place)| place);
            assert_eq!(found, Some(index).filter(|index| range.contains(index)), "{range:?}");
            assert!(range.len() < 16 || asked < 5 * bits, "{range:?}: {asked}");
        }
    }
}

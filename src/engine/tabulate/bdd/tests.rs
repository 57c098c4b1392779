//! Every operation against truth tables, in every order of the variables.

use super::*;

/// Variables of the functions under test.
const WIDTH: u32 = 3;
const ROWS: u32 = 1 << WIDTH;

/// A function as the list of its values: bit r for the valuation whose variable v is bit v of r.
type Table = u32;

fn bit(row: u32, variable: Var) -> bool {
    row >> variable & 1 == 1
}

fn make(store: &Store, table: Table) -> Bdd {
    let mut set = store.bottom();
    for row in (0..ROWS).filter(|&row| bit(table, row)) {
        let cube = store.cube((0..WIDTH).map(|variable| (variable, bit(row, variable)))).unwrap();
        set = store.or(&set, &cube).unwrap();
    }
    set
}

fn table(store: &Store, f: &Bdd) -> Table {
    let value = |row| store.contains(f, (0..WIDTH).map(|variable| (variable, bit(row, variable))));
    (0..ROWS).map(|row| u32::from(value(row)) << row).sum()
}

fn from_rows(value: impl Fn(u32) -> bool) -> Table {
    (0..ROWS).map(|row| u32::from(value(row)) << row).sum()
}

/// Forgets the variables of a mask.
fn forget(f: Table, mask: u32) -> Table {
    from_rows(|row| (0..ROWS).any(|other| (row ^ other) & !mask == 0 && bit(f, other)))
}

fn in_all_orders(test: impl Fn(&Store)) {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let store = Store::new(WIDTH as usize, 1 << 12, 1 << 8).unwrap();
        // What exists before the change of order must survive it.
        let old: Vec<Bdd> = (0..1 << ROWS).map(|f| make(&store, f)).collect();
        store.reorder(|levels| levels.arrange(&order)).unwrap();
        assert_eq!(store.reorder(|levels| levels.order()), order);
        assert!(
            old.iter().enumerate().all(|(f, old)| table(&store, old) == f as Table && *old == make(&store, f as Table))
        );
        test(&store);
    }
}

/// Some functions to combine with all others: few enough for every pair and every set of variables.
const PARTNERS: [Table; 8] = [0x00, 0xff, 0xaa, 0x96, 0xe8, 0x1b, 0x40, 0xd7];

#[test]
fn operations_of_two() {
    in_all_orders(|store| {
        for f in 0..1 << ROWS {
            let left = make(store, f);
            assert_eq!(table(store, &left), f);
            assert_eq!(table(store, &store.not(&left).unwrap()), !f & 0xff);
            assert_eq!(store.is_empty(&left), f == 0);
            for g in PARTNERS {
                let right = make(store, g);
                let is = |made: Made, expected: Table| {
                    assert_eq!(table(store, &made.unwrap()), expected & 0xff, "{f:x} {g:x}")
                };
                is(store.and(&left, &right), f & g);
                is(store.or(&left, &right), f | g);
                is(store.nor(&left, &right), !(f | g));
                is(store.minus(&left, &right), f & !g);
                is(store.minus(&right, &left), g & !f);
                is(store.iff(&left, &right), !(f ^ g));
            }
        }
    });
}

#[test]
fn quantification_and_relational_products() {
    in_all_orders(|store| {
        for mask in 0..ROWS {
            let cube = store.variables((0..WIDTH).filter(|&variable| bit(mask, variable))).unwrap();
            for f in 0..1 << ROWS {
                let left = make(store, f);
                assert_eq!(table(store, &store.exists(&left, &cube).unwrap()), forget(f, mask));
                for g in PARTNERS {
                    let product = store.and_exists(&left, &make(store, g), &cube).unwrap();
                    assert_eq!(table(store, &product), forget(f & g, mask), "{f:x} {g:x} {mask:x}");
                }
            }
        }
    });
}

/// All at once: two variables that change places, three in a circle, functions of the variables they
/// replace, constants.
#[test]
fn substitution_is_simultaneous() {
    let replacements: [[Table; 3]; 6] = [
        [0xcc, 0xaa, 0xf0],
        [0xcc, 0xf0, 0xaa],
        [0xcc & 0xf0, !0xaa & 0xff, 0xf0],
        [0x96, 0xe8, 0x00],
        [0xff, 0xaa, 0xaa],
        [0xaa, 0xcc, 0xf0],
    ];
    in_all_orders(|store| {
        for functions in replacements {
            let pairs = functions.iter().enumerate().map(|(variable, &f)| (variable as Var, make(store, f)));
            let substitution = Store::substitution(pairs);
            for f in 0..1 << ROWS {
                let image =
                    |row| (0..3).map(|variable| u32::from(bit(functions[variable], row)) << variable).sum::<u32>();
                let expected = from_rows(|row| bit(f, image(row)));
                assert_eq!(table(store, &store.substitute(&make(store, f), &substitution).unwrap()), expected);
            }
        }
    });
}

#[test]
fn cubes_and_cofactors() {
    in_all_orders(|store| {
        for mask in 0..ROWS {
            for values in (0..ROWS).filter(|values| values & !mask == 0) {
                let literals = (0..WIDTH).filter(|&v| bit(mask, v)).map(|v| (v, bit(values, v)));
                let cube = store.cube(literals).unwrap();
                assert_eq!(table(store, &cube), from_rows(|row| row & mask == values));
                assert_eq!(store.size(&cube), mask.count_ones() as usize);
                for f in 0..1 << ROWS {
                    let cofactor = store.restrict(&make(store, f), &cube).unwrap();
                    assert_eq!(table(store, &cofactor), from_rows(|row| bit(f, row & !mask | values)));
                }
            }
        }
    });
}

#[test]
fn what_is_picked_is_in_the_set() {
    in_all_orders(|store| {
        assert_eq!(store.pick(&store.bottom()), None);
        for f in 1..1 << ROWS {
            let picked = store.pick(&make(store, f)).unwrap();
            let row: u32 = (0..WIDTH).map(|variable| u32::from(picked[variable as usize]) << variable).sum();
            assert!(bit(f, row), "{row} is not in {f:x}");
        }
    });
}

/// What `extend` gives is what was new, and the whole is the union.
#[test]
fn extension_gives_what_is_new() {
    in_all_orders(|store| {
        for f in 0..1 << ROWS {
            for g in PARTNERS {
                let mut whole = make(store, g);
                let new = store.extend(&mut whole, &make(store, f)).unwrap();
                assert_eq!(table(store, &whole), f | g);
                assert_eq!(new.map_or(0, |new| table(store, &new)), f & !g);
            }
        }
    });
}

/// A store that is full says so, forgets what nobody needs, and goes on.
#[test]
fn full_stores_say_so_and_recover() {
    let pairs = 10;
    let store = Store::new(2 * pairs as usize, 600, 64).unwrap();
    // All of one half before all of the other: 2^11 nodes.
    let large = || {
        let mut set = store.bottom();
        for i in 0..pairs {
            set = store.or(&set, &store.and(&store.variable(i), &store.variable(pairs + i))?)?;
        }
        Ok::<Bdd, Halt>(set)
    };
    assert!(large().is_err());
    let small = store.and(&store.variable(0), &store.variable(pairs)).unwrap();
    assert_eq!(store.size(&small), 2);
    assert!(large().is_err());
}

/// A small store is used again: what an earlier search left in it, more variables included, changes
/// nothing.
#[test]
fn spare_stores_are_as_good_as_new() {
    for variables in [9, 3, 5, 12] {
        let store = Store::new(variables, REUSED, 1 << 8).unwrap();
        for f in [0x96, 0xe8, 0x17] {
            let made = make(&store, f);
            assert_eq!(table(&store, &made), f);
            assert!(store.pick(&made).is_some());
        }
        let last = store.variable(variables as Var - 1);
        assert_eq!(store.size(&store.or(&last, &store.variable(0)).unwrap()), 2);
    }
}

//! Every variable has a place of its own, in every order; procedures share their slots.

use super::*;
use crate::engine::tabulate::tests::{machines, program};

const ORDERS: [Order; 3] = [Order::Declaration, Order::Interleaved, Order::Dependency];

const PROGRAM: &str = "
    decl g, h;
    void main() begin decl a, b, c; c := p(*, g | *); a := b; end
    bool p(x, y) begin decl z; z := x; return z & y; end";

fn all_variables(layout: &Layout) -> Vec<bdd::Var> {
    let moments = [Moment::Entry, Moment::Now, Moment::Next];
    let slots = (0..layout.slots).flat_map(|slot| moments.map(|moment| layout.variable(slot, moment)));
    let tags = (0..layout.tags).map(|bit| layout.tag(bit));
    tags.chain(slots).chain((0..layout.choices).map(|choice| layout.choice(choice))).collect()
}

#[test]
fn variables_have_places_of_their_own() {
    let ersm = program(PROGRAM);
    for order in ORDERS {
        let layout = Layout::new(&ersm, order);
        let mut all = all_variables(&layout);
        assert_eq!(all.len(), layout.variables());
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(place, &variable)| place == variable as usize), "{order:?} {all:?}");
    }
}

/// The locals of one procedure are where those of the other are.
#[test]
fn procedures_share_slots() {
    let ersm = program(PROGRAM);
    let layout = Layout::new(&ersm, Order::default());
    let most = ersm.procedures.iter().map(|procedure| procedure.locals.len()).max().unwrap_or(0);
    assert_eq!(layout.slots as usize, 2 + most);
    assert_eq!((layout.slot(Var::Global(1)), layout.slot(Var::Local(1))), (1, 3));
    let many: String = (0..100).map(|i| format!("void q{i}(x, y) begin decl z; z := x; end\n")).collect();
    let larger = Layout::new(&program(&format!("{PROGRAM}\n{many}")), Order::default());
    assert_eq!(larger.variables(), layout.variables());
}

/// Old and new value are neighbours unless the order is that of declaration.
#[test]
fn moments_are_interleaved_or_apart() {
    let ersm = program(PROGRAM);
    for order in ORDERS {
        let layout = Layout::new(&ersm, order);
        let distance = if order == Order::Declaration { layout.slots } else { 1 };
        for slot in 0..layout.slots {
            assert_eq!(layout.next(slot), layout.now(slot) + distance);
            assert_eq!(layout.now(slot), layout.entry(slot) + distance);
        }
        assert!(layout.groups().iter().all(|group| group.len() == 3 && group.is_sorted()));
    }
}

#[test]
fn entries_have_tags() {
    assert_eq!([0, 1, 2, 3, 4, 5, 8, 9].map(bits_to_choose), [0, 0, 1, 2, 2, 3, 3, 4]);
    let ersm = machines("machine M { entry a, b, c; exit x; a -> x; b -> x; c -> x; } init M.a;");
    assert_eq!(Layout::new(&ersm, Order::default()).tags, 2);
    assert_eq!(Layout::new(&program(PROGRAM), Order::default()).tags, 0);
}

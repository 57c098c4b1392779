//! Orders of the variables: as declared, or so that variables that depend on each other are near.
//!
//! The heuristic is FORCE (Aloul, Markov and Sakallah 2003): every assignment, guard and call pulls
//! the variables it connects to their centre of gravity, again and again, while the sum of the spans
//! shrinks. It needs time linear in the connections, and starts from the order of declaration.

use crate::model::{CallBox, Ersm, Leaf, Var};
use epitome_encodings::Lit;
use rustc_hash::FxHashSet;

/// How BDD variables are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As declared; all old values before all new ones.
    Declaration,
    /// As declared; old and new value of each variable side by side.
    Interleaved,
    /// Variables that depend on each other near each other, side by side likewise.
    #[default]
    Dependency,
}

impl Order {
    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Order::Declaration => "declaration",
            Order::Interleaved => "interleaved",
            Order::Dependency => "dependency",
        }
    }
}

/// Rounds of pulling at most.
const ROUNDS: usize = 100;

/// A variable with more bonds than this says nothing about who belongs together: the carry of an adder is
/// connected with every bit, and would pull all of them into one place, in any order.
const MOST_BONDS: usize = 8;

/// The place of each slot.
pub(super) fn arrange(ersm: &Ersm, order: Order) -> Vec<u32> {
    let locals = ersm.procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0);
    let slots = ersm.globals.len() + locals;
    let mut rank: Vec<u32> = (0..slots as u32).collect();
    if order != Order::Dependency || slots < 3 {
        return rank;
    }
    let bonds = without_hubs(Bonds::of(ersm).list, slots);
    let mut best = span(&bonds, &rank);
    for _ in 0..ROUNDS {
        let pulled = pull(&bonds, &rank);
        let new = span(&bonds, &pulled);
        if new >= best {
            break;
        }
        (best, rank) = (new, pulled);
    }
    rank
}

/// The bonds without variables that have too many of them.
fn without_hubs(bonds: Vec<Box<[u32]>>, slots: usize) -> Vec<Box<[u32]>> {
    let mut degrees = vec![0; slots];
    bonds.iter().flatten().for_each(|&slot| degrees[slot as usize] += 1);
    let few = |bond: Box<[u32]>| -> Box<[u32]> {
        bond.into_iter().filter(|&slot| degrees[slot as usize] <= MOST_BONDS).collect()
    };
    bonds.into_iter().map(few).filter(|bond| bond.len() > 1).collect()
}

/// Sum over all bonds of the distance between their ends.
fn span(bonds: &[Box<[u32]>], rank: &[u32]) -> u64 {
    let distance = |bond: &[u32]| {
        let places = bond.iter().map(|&slot| rank[slot as usize]);
        u64::from(places.clone().max().unwrap_or(0) - places.min().unwrap_or(0))
    };
    bonds.iter().map(|bond| distance(bond)).sum()
}

/// Every slot goes to the mean of the centres of its bonds.
fn pull(bonds: &[Box<[u32]>], rank: &[u32]) -> Vec<u32> {
    let mut sums = vec![(0.0f64, 0u32); rank.len()];
    for bond in bonds {
        let centre = bond.iter().map(|&slot| f64::from(rank[slot as usize])).sum::<f64>() / bond.len() as f64;
        for &slot in bond.iter() {
            let (sum, count) = &mut sums[slot as usize];
            *sum += centre;
            *count += 1;
        }
    }
    let place = |slot: usize| match sums[slot] {
        (_, 0) => f64::from(rank[slot]),
        (sum, count) => sum / f64::from(count),
    };
    let mut sorted: Vec<u32> = (0..rank.len() as u32).collect();
    sorted.sort_by(|&a, &b| {
        let (a, b) = (a as usize, b as usize);
        place(a).total_cmp(&place(b)).then(rank[a].cmp(&rank[b]))
    });
    let mut pulled = vec![0; rank.len()];
    for (place, slot) in sorted.into_iter().enumerate() {
        pulled[slot as usize] = place as u32;
    }
    pulled
}

/// What connects slots: a guard, a variable with what its new value is made of, or a call.
struct Bonds<'e> {
    ersm: &'e Ersm,
    list: Vec<Box<[u32]>>,
    seen: FxHashSet<(Option<Var>, Lit)>,
}

impl<'e> Bonds<'e> {
    fn of(ersm: &'e Ersm) -> Bonds<'e> {
        let mut bonds = Bonds { ersm, list: Vec::new(), seen: FxHashSet::default() };
        for procedure in &ersm.procedures {
            for edge in &procedure.edges {
                bonds.add(None, edge.guard);
                edge.assignments.iter().for_each(|&(var, value)| bonds.add(Some(var), value));
            }
            procedure.boxes.iter().for_each(|site| bonds.add_call(site));
        }
        bonds
    }

    /// What a call reads and what it writes is connected by the callee. (Not with the callee's own
    /// variables: procedures share their slots, so that the few slots of inputs would pull everything
    /// towards them, and bits of numbers that are added by calls would end up number after number.)
    fn add_call(&mut self, site: &CallBox) {
        let arguments = site.arguments.iter().copied().filter(|argument| argument.as_constant().is_none());
        let read = self.variables(arguments);
        self.connect(read.into_iter().chain(site.results.iter().flatten().copied()));
    }

    fn add(&mut self, target: Option<Var>, value: Lit) {
        if value.as_constant().is_some() || !self.seen.insert((target, value)) {
            return;
        }
        let read = self.variables([value]);
        self.connect(read.into_iter().chain(target));
    }

    fn variables(&self, values: impl IntoIterator<Item = Lit>) -> Vec<Var> {
        let leaves = self.ersm.circuit.support(values).into_iter().map(Leaf::from_number);
        let variables = leaves.filter_map(|leaf| match leaf {
            Leaf::Var(var) => Some(var),
            Leaf::Choice(_) => None,
        });
        variables.collect()
    }

    fn connect(&mut self, variables: impl Iterator<Item = Var>) {
        let mut slots: Vec<u32> = variables.map(|var| self.ersm.bit(var) as u32).collect();
        slots.sort_unstable();
        slots.dedup();
        if slots.len() > 1 {
            self.list.push(slots.into());
        }
    }
}

#[cfg(test)]
mod tests;

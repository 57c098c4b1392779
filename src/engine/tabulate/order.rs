//! Orders of the variables: as declared, or so that variables that depend on each other are near.
//!
//! The heuristic is FORCE (Aloul, Markov and Sakallah 2003): every assignment, guard and argument pulls
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

/// The place of each slot.
pub(super) fn arrange(ersm: &Ersm, order: Order) -> Vec<u32> {
    let locals = ersm.procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0);
    let slots = ersm.globals.len() + locals;
    let mut rank: Vec<u32> = (0..slots as u32).collect();
    if order != Order::Dependency || slots < 3 {
        return rank;
    }
    let bonds = Bonds::of(ersm).list;
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

/// What connects slots: a guard, or a variable with what its new value is made of.
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

    fn add_call(&mut self, site: &CallBox) {
        let callee = self.ersm.procedure(site.callee);
        for (&input, &argument) in callee.inputs.iter().zip(&site.arguments) {
            self.add(Some(Var::Local(input)), argument);
        }
        for (&output, target) in callee.outputs.iter().zip(&site.results) {
            if let Some(target) = target {
                self.list.push([self.ersm.bit(Var::Local(output)) as u32, self.ersm.bit(*target) as u32].into());
            }
        }
    }

    fn add(&mut self, target: Option<Var>, value: Lit) {
        if value.as_constant().is_some() || !self.seen.insert((target, value)) {
            return;
        }
        let leaves = self.ersm.circuit.support([value]).into_iter().map(Leaf::from_number);
        let variables = leaves.filter_map(|leaf| match leaf {
            Leaf::Var(var) => Some(var),
            Leaf::Choice(_) => None,
        });
        let mut slots: Vec<u32> = variables.chain(target).map(|var| self.ersm.bit(var) as u32).collect();
        slots.sort_unstable();
        slots.dedup();
        if slots.len() > 1 {
            self.list.push(slots.into());
        }
    }
}

#[cfg(test)]
mod tests;

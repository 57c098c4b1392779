//! Orders of the variables: as declared, or so that variables that depend on each other are near.
//!
//! The heuristic is FORCE (Aloul, Markov and Sakallah 2003): every assignment, guard and call, and every
//! small term within them, pulls the variables it connects to their centre of gravity, again and again, while the sum of the spans
//! shrinks. It needs time linear in the connections, and starts from the order of
//! declaration. Where variables are digits of numbers, numbers are arranged, and then their digits.

use crate::model::{CallBox, Ersm, Leaf, Var};
use epitome_encodings::{Gate, Lit};
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// All of them.
    pub const ALL: [Order; 3] = [Order::Declaration, Order::Interleaved, Order::Dependency];

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Order::Declaration => "declaration",
            Order::Interleaved => "interleaved",
            Order::Dependency => "dependency",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Order::Declaration => "As declared; all old values before all new ones",
            Order::Interleaved => "As declared; old and new value side by side",
            Order::Dependency => "Variables that depend on each other side by side",
        }
    }
}

/// A variable with so many times as many bonds as others have on average is a hub.
const HUB: usize = 3;

/// Terms of so many variables are bonds of their own.
const LARGEST_TERM: usize = 4;

/// Rounds of pulling at most.
const ROUNDS: usize = 100;

/// The place of each slot.
pub(super) fn arrange(ersm: &Ersm, order: Order) -> Vec<u32> {
    let locals = ersm.procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0);
    let slots = ersm.globals.len() + locals;
    let declared: Vec<u32> = (0..slots as u32).collect();
    if order != Order::Dependency || slots < 3 {
        return declared;
    }
    let bonds = Bonds::of(ersm).list;
    match Words::of(ersm, slots) {
        Some(words) => {
            let rank = near(words.bonds(&bonds), words.slots.len());
            words.arrange(&rank)
        }
        None => near(bonds, slots),
    }
}

/// Places of so many things, such that those with bonds are near each other.
fn near(bonds: Vec<Box<[u32]>>, things: usize) -> Vec<u32> {
    let mut rank: Vec<u32> = (0..things as u32).collect();
    let bonds = without_hubs(bonds, things);
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

/// Numbers: which slots are the digits of one, as far as reductions have left them, by slot.
///
/// Sums and comparisons of wide numbers look at digits of the same weight together; a narrow one is rather a state of
/// some machine, all of whose digits say something together.
struct Words {
    /// Slots of each number.
    slots: Vec<Vec<u32>>,
    word_of: Vec<u32>,
}

/// Numbers of up to so many digits are narrow.
const NARROW: usize = 4;

impl Words {
    /// The numbers of a machine, if it has any.
    fn of(ersm: &Ersm, slots: usize) -> Option<Words> {
        // Procedures share the slots of locals; the one with most of them decides.
        let most = ersm.procedures.iter().max_by_key(|procedure| procedure.locals.len())?;
        let digits = ersm.globals.iter().chain(&most.locals).map(|variable| variable.digit);
        let mut words = Words { slots: Vec::new(), word_of: Vec::with_capacity(slots) };
        let mut last = None;
        for (slot, digit) in (0..).zip(digits) {
            if last.is_none_or(|last| digit <= last) || slot as usize == ersm.globals.len() {
                words.slots.push(Vec::new());
            }
            last = Some(digit);
            words.word_of.push(words.slots.len() as u32 - 1);
            words.slots.last_mut()?.push(slot);
        }
        words.slots.iter().any(|slots| slots.len() > 1).then_some(words)
    }

    /// The places of all slots, from those of the numbers: narrow ones first, then the others digit by digit.
    fn arrange(&self, rank: &[u32]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.slots.len() as u32).collect();
        order.sort_by_key(|&word| rank[word as usize]);
        let words = |narrow: bool| {
            let slots = order.iter().map(|&word| &self.slots[word as usize]);
            slots.filter(move |slots| (slots.len() <= NARROW) == narrow)
        };
        let widest = words(false).map(Vec::len).max().unwrap_or(0);
        let wide = (0..widest).flat_map(|digit| words(false).filter_map(move |slots| slots.get(digit)));
        let mut places = vec![0; self.word_of.len()];
        for (place, &slot) in (0..).zip(words(true).flatten().chain(wide)) {
            places[slot as usize] = place;
        }
        places
    }

    /// What connects slots connects numbers.
    fn bonds(&self, bonds: &[Box<[u32]>]) -> Vec<Box<[u32]>> {
        let words = bonds.iter().map(|bond| {
            let mut words: Vec<u32> = bond.iter().map(|&slot| self.word_of[slot as usize]).collect();
            words.sort_unstable();
            words.dedup();
            words.into_boxed_slice()
        });
        words.filter(|bond| bond.len() > 1).collect()
    }
}

/// A variable that is connected with nearly everything (a carry, a flag) is taken out of its bonds: it
/// would pull the others towards itself, and by different amounts, away from each other.
fn without_hubs(bonds: Vec<Box<[u32]>>, slots: usize) -> Vec<Box<[u32]>> {
    let mut degree = vec![0usize; slots];
    bonds.iter().flatten().for_each(|&slot| degree[slot as usize] += 1);
    let most = HUB * degree.iter().sum::<usize>() / slots;
    let rest = bonds.iter().map(|bond| bond.iter().copied().filter(|&slot| degree[slot as usize] <= most).collect());
    let rest: Vec<Box<[u32]>> = rest.collect();
    rest.into_iter().filter(|bond| bond.len() > 1).collect()
}

/// Sum over all bonds of the distance between their ends, by their weight.
fn span(bonds: &[Box<[u32]>], rank: &[u32]) -> f64 {
    let distance = |bond: &[u32]| {
        let places = bond.iter().map(|&slot| rank[slot as usize]);
        f64::from(places.clone().max().unwrap_or(0) - places.min().unwrap_or(0)) * weight(bond)
    };
    bonds.iter().map(|bond| distance(bond)).sum()
}

/// A bond of many variables says little about any two of them.
fn weight(bond: &[u32]) -> f64 {
    (bond.len() as f64).powi(2).recip()
}

/// Every slot goes to the mean of the centres of its bonds.
fn pull(bonds: &[Box<[u32]>], rank: &[u32]) -> Vec<u32> {
    let mut sums = vec![(0.0f64, 0.0f64); rank.len()];
    for bond in bonds {
        let centre = bond.iter().map(|&slot| f64::from(rank[slot as usize])).sum::<f64>() / bond.len() as f64;
        for &slot in bond.iter() {
            let (sum, count) = &mut sums[slot as usize];
            *sum += centre * weight(bond);
            *count += weight(bond);
        }
    }
    let place = |slot: usize| match sums[slot] {
        (_, 0.0) => f64::from(rank[slot]),
        (sum, weight) => sum / weight,
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

/// Arguments and where results go.
type Passed = (Box<[Lit]>, Box<[Option<Var>]>);

/// What connects slots: a guard, or a variable with what its new value is made of.
struct Bonds<'e> {
    ersm: &'e Ersm,
    list: Vec<Box<[u32]>>,
    seen: FxHashSet<(Option<Var>, Lit)>,
    calls: FxHashSet<Passed>,
}

impl<'e> Bonds<'e> {
    fn of(ersm: &'e Ersm) -> Bonds<'e> {
        let (list, seen, calls) = Default::default();
        let mut bonds = Bonds { ersm, list, seen, calls };
        for procedure in &ersm.procedures {
            for edge in &procedure.edges {
                bonds.add(None, edge.guard);
                edge.assignments.iter().for_each(|&(var, value)| bonds.add(Some(var), value));
            }
            procedure.boxes.iter().for_each(|site| bonds.add_call(site));
        }
        bonds
    }

    /// A call connects what its arguments read with what takes its results. (The callee's variables share
    /// their slots with all other locals of the same number, and would connect anything with anything.)
    fn add_call(&mut self, site: &CallBox) {
        if self.calls.insert((site.arguments.clone(), site.results.clone())) {
            let values = site.arguments.iter().copied().filter(|value| value.as_constant().is_none());
            self.connect(values, site.results.iter().flatten().copied());
        }
    }

    fn add(&mut self, target: Option<Var>, value: Lit) {
        if value.as_constant().is_none() && self.seen.insert((target, value)) {
            self.connect([value], target);
            self.connect_terms(value);
        }
    }

    /// What a term within the values reads belongs together: `a = b & c = d` connects a with b and c with d.
    fn connect_terms(&mut self, value: Lit) {
        let mut reads: FxHashMap<usize, Option<Vec<u32>>> = FxHashMap::default();
        for gate in self.ersm.circuit.cone([value]) {
            let slots = match self.ersm.circuit.gate_at(gate) {
                Gate::False => Some(Vec::new()),
                Gate::Input(number) => Some(match Leaf::from_number(number) {
                    Leaf::Var(var) => vec![self.ersm.bit(var) as u32],
                    Leaf::Choice(_) => Vec::new(),
                }),
                Gate::And(a, b) => {
                    let both = reads[&a.gate()].iter().zip(&reads[&b.gate()]).next();
                    both.map(|(a, b)| {
                        let mut slots = [&a[..], b].concat();
                        slots.sort_unstable();
                        slots.dedup();
                        slots
                    })
                }
            };
            let slots = slots.filter(|slots| slots.len() <= LARGEST_TERM);
            if let Some(slots) = slots.as_ref().filter(|slots| slots.len() > 1 && gate != value.gate()) {
                self.list.push(slots.as_slice().into());
            }
            reads.insert(gate, slots);
        }
    }

    /// What the values read belongs together with the targets.
    fn connect(&mut self, values: impl IntoIterator<Item = Lit>, targets: impl IntoIterator<Item = Var>) {
        let leaves = self.ersm.circuit.support(values).into_iter().map(Leaf::from_number);
        let variables = leaves.filter_map(|leaf| match leaf {
            Leaf::Var(var) => Some(var),
            Leaf::Choice(_) => None,
        });
        let mut slots: Vec<u32> = variables.chain(targets).map(|var| self.ersm.bit(var) as u32).collect();
        slots.sort_unstable();
        slots.dedup();
        if slots.len() > 1 {
            self.list.push(slots.into());
        }
    }
}

#[cfg(test)]
mod tests;

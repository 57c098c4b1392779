//! Transfer functions (Ball, Table 3): the relation of a transition, kept in parts.
//!
//! The relation mentions the values after the step only of the variables that the transition assigns;
//! all others keep their value by not being mentioned. It is a conjunction: the guard, and for each
//! assigned variable that its new value is what the circuit says. Conjuncts are multiplied as long as
//! the product stays small; where it does not they are applied one after the other, and a variable is
//! forgotten as soon as no later part mentions it (partitioned relations, early quantification).
//!
//! A choice that is assigned to a variable as it is (`x := *`) needs no BDD variable of its own: the
//! new value of `x` *is* the choice.
//!
//! Transitions with the same guard and assignments share one relation, in whatever procedure they are.

use super::bdd::{self, Bdd, Halt, Made, Memo, Store, Substitution};
use super::layout::{Layout, Slot};
use crate::model::{Edge, Ersm, Leaf, Var};
use epitome_encodings::{Gate, Lit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Parts are multiplied up to this many nodes.
const LARGEST_PART: usize = 2_000;

/// The relation of a transition.
pub(super) struct Transfer {
    /// Each part with the variables that no later part mentions and that are not needed after it.
    parts: Vec<(Bdd, Bdd)>,
    /// New values become values.
    advance: Option<Rc<Substitution>>,
    pub(super) assigned: Box<[Slot]>,
    memo: Memo,
}

impl Transfer {
    /// The parts of the relation, without what is forgotten after each.
    pub(super) fn relation(&self) -> impl Iterator<Item = &Bdd> {
        self.parts.iter().map(|(part, _)| part)
    }

    /// The set of all successors: Ball's Join.
    pub(super) fn image(&self, store: &Store, set: &Bdd) -> Made {
        self.memo.get((set, set), || {
            let mut set = set.clone();
            for (part, forget) in &self.parts {
                set = store.and_exists(&set, part, forget)?;
            }
            match &self.advance {
                Some(advance) => store.substitute(&set, advance),
                None => Ok(set),
            }
        })
    }
}

/// Makes BDDs of circuits, and transfers of transitions, each once.
pub(super) struct Transfers<'e> {
    pub(super) ersm: &'e Ersm,
    pub(super) store: &'e Store,
    pub(super) layout: &'e Layout,
    /// Gates that depend on no choice.
    gates: FxHashMap<usize, Bdd>,
    known: FxHashMap<Content, Rc<Transfer>>,
    advances: FxHashMap<Box<[Slot]>, Rc<Substitution>>,
}

/// A guard and assignments.
type Content = (Lit, Box<[(Var, Lit)]>);

/// A choice that is the new value of a slot, or the negation of it.
type Aliases = FxHashMap<u32, (Slot, bool)>;

impl<'e> Transfers<'e> {
    pub(super) fn new(ersm: &'e Ersm, store: &'e Store, layout: &'e Layout) -> Transfers<'e> {
        let (gates, known, advances) = Default::default();
        Transfers { ersm, store, layout, gates, known, advances }
    }

    pub(super) fn of_edge(&mut self, edge: &Edge) -> Result<Rc<Transfer>, Halt> {
        let key = (edge.guard, edge.assignments.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let transfer = Rc::new(self.build(edge.guard, &edge.assignments)?);
        self.known.insert(key, transfer.clone());
        Ok(transfer)
    }

    /// The substitution that turns new values of these slots into values.
    pub(super) fn advance(&mut self, slots: &[Slot]) -> Option<Rc<Substitution>> {
        if slots.is_empty() {
            return None;
        }
        let (store, layout) = (self.store, self.layout);
        let advance = self.advances.entry(slots.into()).or_insert_with(|| {
            let pairs = slots.iter().map(|&slot| (layout.next(slot), store.variable(layout.now(slot))));
            Rc::new(Store::substitution(pairs))
        });
        Some(advance.clone())
    }

    fn build(&mut self, guard: Lit, assignments: &[(Var, Lit)]) -> Result<Transfer, Halt> {
        let aliases = self.aliases(assignments);
        let mut conjuncts = Vec::new();
        if guard.as_constant() != Some(true) {
            conjuncts.push((self.function(guard, &aliases)?, self.mentioned(guard, &aliases)));
        }
        for &(var, value) in assignments {
            let slot = self.layout.slot(var);
            if self.choice_of(value).is_some_and(|choice| aliases.get(&choice).is_some_and(|alias| alias.0 == slot)) {
                continue;
            }
            let function = self.function(value, &aliases)?;
            let new = self.store.variable(self.layout.next(slot));
            conjuncts.push((self.store.iff(&new, &function)?, self.mentioned(value, &aliases)));
        }
        let mut assigned: Vec<Slot> = assignments.iter().map(|&(var, _)| self.layout.slot(var)).collect();
        assigned.sort_unstable();
        let mut forgotten: FxHashSet<bdd::Var> = assigned.iter().map(|&slot| self.layout.now(slot)).collect();
        let first_choice = self.layout.choice(0);
        forgotten.extend(conjuncts.iter().flat_map(|(_, mentioned)| mentioned).filter(|&&v| v >= first_choice));
        let parts = schedule(self.store, conjuncts, forgotten, first_choice)?;
        Ok(Transfer { parts, advance: self.advance(&assigned), assigned: assigned.into(), memo: Memo::default() })
    }

    /// The choice that a signal is, as it is or negated.
    fn choice_of(&self, value: Lit) -> Option<u32> {
        match self.ersm.circuit.gate(value) {
            Gate::Input(number) => match Leaf::from_number(number) {
                Leaf::Choice(choice) => Some(choice),
                Leaf::Var(_) => None,
            },
            _ => None,
        }
    }

    fn aliases(&self, assignments: &[(Var, Lit)]) -> Aliases {
        let mut aliases = Aliases::default();
        for &(var, value) in assignments {
            if let Some(choice) = self.choice_of(value) {
                aliases.entry(choice).or_insert((self.layout.slot(var), value.is_negated()));
            }
        }
        aliases
    }

    fn leaf(&self, number: u32, aliases: &Aliases) -> (bdd::Var, bool) {
        match Leaf::from_number(number) {
            Leaf::Var(var) => (self.layout.now(self.layout.slot(var)), false),
            Leaf::Choice(choice) => match aliases.get(&choice) {
                Some(&(slot, negated)) => (self.layout.next(slot), negated),
                None => (self.layout.choice(choice), false),
            },
        }
    }

    /// BDD variables that a signal may depend on.
    pub(super) fn mentioned(&self, value: Lit, aliases: &Aliases) -> Vec<bdd::Var> {
        let support = self.ersm.circuit.support([value]).into_iter();
        support.map(|number| self.leaf(number, aliases).0).collect()
    }

    /// The BDD of a signal over the values now and the choices.
    pub(super) fn function(&mut self, value: Lit, aliases: &Aliases) -> Made {
        if let Some(constant) = value.as_constant() {
            return Ok(self.store.constant(constant));
        }
        if !self.gates.contains_key(&value.gate()) {
            let mut own: FxHashMap<usize, Bdd> = FxHashMap::default();
            for gate in self.ersm.circuit.cone([value]) {
                if self.gates.contains_key(&gate) {
                    continue;
                }
                let (bdd, is_free) = self.gate(gate, &own, aliases)?;
                if is_free { &mut self.gates } else { &mut own }.insert(gate, bdd);
            }
            if let Some(bdd) = own.remove(&value.gate()) {
                return if value.is_negated() { self.store.not(&bdd) } else { Ok(bdd) };
            }
        }
        let bdd = self.gates[&value.gate()].clone();
        if value.is_negated() { self.store.not(&bdd) } else { Ok(bdd) }
    }

    /// The BDD of a gate whose operands are known, and whether it depends on no choice.
    fn gate(&self, gate: usize, own: &FxHashMap<usize, Bdd>, aliases: &Aliases) -> Result<(Bdd, bool), Halt> {
        let store = self.store;
        match self.ersm.circuit.gate_at(gate) {
            Gate::False => Ok((store.bottom(), true)),
            Gate::Input(number) => {
                let (variable, negated) = self.leaf(number, aliases);
                Ok((store.literal(variable, !negated), matches!(Leaf::from_number(number), Leaf::Var(_))))
            }
            Gate::And(a, b) => {
                let operand = |lit: Lit| match self.gates.get(&lit.gate()) {
                    Some(bdd) => (bdd, true),
                    None => (&own[&lit.gate()], false),
                };
                let ((f, f_free), (g, g_free)) = (operand(a), operand(b));
                let bdd = match (a.is_negated(), b.is_negated()) {
                    (false, false) => store.and(f, g),
                    (false, true) => store.minus(f, g),
                    (true, false) => store.minus(g, f),
                    (true, true) => store.nor(f, g),
                };
                Ok((bdd?, f_free && g_free))
            }
        }
    }
}

/// Multiplies conjuncts while the product is small, and finds where each variable can be forgotten.
fn schedule(
    store: &Store,
    conjuncts: Vec<(Bdd, Vec<bdd::Var>)>,
    forgotten: FxHashSet<bdd::Var>,
    first_choice: bdd::Var,
) -> Result<Vec<(Bdd, Bdd)>, Halt> {
    let mut parts: Vec<(Bdd, FxHashSet<bdd::Var>)> = Vec::new();
    for (conjunct, mentioned) in conjuncts {
        if let Some((part, variables)) = parts.last_mut() {
            let product = store.and(part, &conjunct)?;
            if store.size(&product) <= LARGEST_PART {
                *part = product;
                variables.extend(mentioned);
                continue;
            }
        }
        parts.push((conjunct, mentioned.into_iter().collect()));
    }
    if parts.is_empty() && !forgotten.is_empty() {
        parts.push((store.top(), FxHashSet::default()));
    }
    if let [(part, variables)] = &mut parts[..] {
        // The choices of a relation in one part are forgotten once and for all.
        let choices = variables.extract_if(|&v| v >= first_choice);
        *part = store.exists(part, &store.variables(choices)?)?;
    }
    // From the last part to the first: a variable is forgotten with the last part that mentions it,
    // and with the first one if none does.
    let mut open = forgotten;
    let mut scheduled = Vec::with_capacity(parts.len());
    for (index, (part, variables)) in parts.into_iter().enumerate().rev() {
        let now: Vec<bdd::Var> = open.iter().copied().filter(|v| index == 0 || variables.contains(v)).collect();
        now.iter().for_each(|v| {
            open.remove(v);
        });
        scheduled.push((part, store.variables(now)?));
    }
    scheduled.reverse();
    Ok(scheduled)
}

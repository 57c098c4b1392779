//! The rounds of a loop that was squared, one by one.
//!
//! The powers of the loop's relation tell that some values lead to others in at most 2^k rounds. A
//! loop of one transition without choices is simply executed. For others a middle is picked, so that
//! both halves take at most 2^(k-1) rounds, and so on down to single rounds.

use super::closure::Closure;
use super::layout::Slot;
use super::machine::{Machine, VertexId};
use super::point::{Bits, Facts};
use super::search::Stop;
use crate::limits::Limits;
use crate::model::{Leaf, Var};
use epitome_encodings::{Gate, Lit};
use rustc_hash::FxHashMap;

/// Rounds between two looks at the limits.
const INTERVAL: usize = 1 << 14;

/// The loops of a vertex.
pub(super) struct Rounds<'r, 'e> {
    pub(super) machine: &'r Machine<'e>,
    pub(super) vertex: VertexId,
    pub(super) closure: &'r Closure,
    /// Slots in scope.
    pub(super) scope: &'r [Slot],
    pub(super) limits: &'r Limits,
}

impl Rounds<'_, '_> {
    /// The values after each round, from `first` (left out) to `last`, which is at most the given power
    /// away.
    pub(super) fn between(&self, first: &Bits, last: &Bits, power: usize) -> Result<Vec<Bits>, Stop> {
        match self.function() {
            Some(function) => self.execute(&function, first, last),
            None => self.halve(first, last, power),
        }
    }

    /// The loop as a function, if it is one transition without choices.
    fn function(&self) -> Option<Function> {
        let mut loops = self.machine.steps(self.vertex).iter().filter(|step| step.to == self.vertex);
        let (step, None) = (loops.next()?, loops.next()) else { return None };
        let procedure = self.machine.ersm.procedure(self.machine.places[self.vertex as usize].procedure);
        let edge = &procedure.edges[step.edge as usize];
        edge.choices.is_empty().then(|| Function::new(self.machine, &edge.assignments))
    }

    fn execute(&self, function: &Function, first: &Bits, last: &Bits) -> Result<Vec<Bits>, Stop> {
        let mut rounds: Vec<Bits> = Vec::new();
        let mut gates = vec![false; function.gates.len()];
        let mut now = first.clone();
        while now != *last {
            self.look(&rounds)?;
            function.apply(&mut now, &mut gates);
            rounds.push(now.clone());
        }
        Ok(rounds)
    }

    /// Looks at the limits now and then, and before the list grows.
    fn look(&self, rounds: &Vec<Bits>) -> Result<(), Stop> {
        let grows = rounds.len() == rounds.capacity() && rounds.len() >= INTERVAL;
        if grows || rounds.len().is_multiple_of(INTERVAL) {
            let growth = if grows { 2 * rounds.capacity() * size_of::<Bits>() } else { 0 };
            self.limits.check(growth).map_err(Stop::Limit)?;
        }
        Ok(())
    }

    fn halve(&self, first: &Bits, last: &Bits, power: usize) -> Result<Vec<Bits>, Stop> {
        let mut rounds = Vec::new();
        let mut open = vec![(first.clone(), last.clone(), power)];
        while let Some((a, b, power)) = open.pop() {
            self.look(&rounds)?;
            if a == b {
                continue;
            }
            if power == 0 {
                rounds.push(b);
            } else if self.leads(power - 1, &a, &b) {
                open.push((a, b, power - 1));
            } else {
                let middle = self.middle(power - 1, &a, &b)?;
                open.push((middle.clone(), b, power - 1));
                open.push((a, middle, power - 1));
            }
        }
        Ok(rounds)
    }

    /// The power relates the one to the other.
    fn leads(&self, power: usize, first: &Bits, last: &Bits) -> bool {
        let (store, layout) = (self.machine.store, self.machine.layout);
        let now = self.scope.iter().map(|&slot| (layout.now(slot), first.get(slot)));
        let next = self.closure.slots.iter().map(|&slot| (layout.next(slot), last.get(slot)));
        store.contains(&self.closure.powers[power], now.chain(next))
    }

    /// Values to which the power leads from the first, and from which it leads to the last.
    fn middle(&self, power: usize, first: &Bits, last: &Bits) -> Result<Bits, Stop> {
        let (store, layout, closure) = (self.machine.store, self.machine.layout, self.closure);
        let relation = &closure.powers[power];
        let kept: Vec<Slot> =
            self.scope.iter().copied().filter(|slot| closure.slots.binary_search(slot).is_err()).collect();
        let from_first = Facts::new(layout).now(self.scope, first).restrict(store, relation)?;
        let to_last = Facts::new(layout).now(&kept, last).next(closure.slots.iter(), last).restrict(store, relation)?;
        let both = store.and(&closure.as_now(store, &from_first)?, &to_last)?;
        let values = store.pick(&both).ok_or(Stop::Unexplained)?;
        let mut middle = first.clone();
        for &slot in closure.slots.iter() {
            middle.set(slot, values[layout.now(slot) as usize]);
        }
        Ok(middle)
    }
}

/// Assignments as a list of gates.
struct Function {
    gates: Vec<Operation>,
    /// Slots with the gates they become, negated or not.
    assigned: Vec<(Slot, usize, bool)>,
}

enum Operation {
    Constant,
    Load(Slot),
    And(usize, bool, usize, bool),
}

impl Function {
    fn new(machine: &Machine<'_>, assignments: &[(Var, Lit)]) -> Function {
        let circuit = &machine.ersm.circuit;
        let mut places: FxHashMap<usize, usize> = FxHashMap::from_iter([(0, 0)]);
        let mut gates = vec![Operation::Constant];
        for gate in circuit.cone(assignments.iter().map(|(_, value)| *value)) {
            let operation = match circuit.gate_at(gate) {
                Gate::Input(number) => match Leaf::from_number(number) {
                    Leaf::Var(var) => Operation::Load(machine.layout.slot(var)),
                    Leaf::Choice(_) => Operation::Constant,
                },
                Gate::And(a, b) => Operation::And(places[&a.gate()], a.is_negated(), places[&b.gate()], b.is_negated()),
                Gate::False => Operation::Constant,
            };
            places.insert(gate, gates.len());
            gates.push(operation);
        }
        let assigned = assignments
            .iter()
            .map(|&(var, value)| (machine.layout.slot(var), places[&value.gate()], value.is_negated()));
        let assigned = assigned.collect();
        Function { gates, assigned }
    }

    fn apply(&self, bits: &mut Bits, values: &mut [bool]) {
        for (index, gate) in self.gates.iter().enumerate() {
            values[index] = match *gate {
                Operation::Constant => false,
                Operation::Load(slot) => bits.get(slot),
                Operation::And(a, not_a, b, not_b) => (values[a] ^ not_a) & (values[b] ^ not_b),
            };
        }
        for &(slot, gate, negated) in &self.assigned {
            bits.set(slot, values[gate] ^ negated);
        }
    }
}

//! Which holes of a body have to be looked into, and which of them under the same number.
//!
//! A hole that gives back nothing that matters need not be looked into if its predicate is total: it gives
//! back something. So a hole is *asked* where it is active and something is claimed of what it gives back. If all that
//! is claimed goes into one disjunction, the first claim is enough. Holes that are never asked together share a
//! number; where one of them is always asked, the last one is what is left.

use super::demand::Uses;
use crate::need::Need;
use crate::{Circuit, Gate, Lit, PredicateId, System};
use rustc_hash::FxHashMap;

/// Knows that signals of the system's circuit (which may have grown since) cannot all be true. To say no is always right.
pub type Contradiction<'c> = dyn FnMut(&Circuit, &[Lit]) -> bool + 'c;

/// The holes of a body, as they are asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Asking {
    /// By number: holes of which at most one is asked, with where it is; the last one, if `always`, where no other is.
    pub(super) slots: Vec<Slot>,
    /// By hole: the one argument of which something is claimed, and what, wherever it is asked.
    pub(super) claimed: Vec<Option<Claimed>>,
}

/// An argument and the value that is asked for.
pub(super) type Claimed = (usize, bool);

#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    pub(super) holes: Vec<(usize, Lit)>,
    pub(super) always: bool,
}

pub(super) struct Planner<'p> {
    pub(super) system: &'p System,
    /// The system's circuit, grown.
    pub(super) circuit: &'p mut Circuit,
    pub(super) needs: &'p [Vec<Need>],
    pub(super) contradiction: &'p mut Contradiction<'p>,
}

/// Holes of a body up to which pairs of them are asked about.
const MOST_HOLES: usize = 200;

impl Planner<'_> {
    /// How the holes of a predicate are asked; `claimed` is what is claimed wherever it is asked itself.
    pub(super) fn plan(&mut self, predicate: PredicateId, uses: &Uses, claimed: Option<Claimed>) -> Asking {
        let system = self.system;
        let body = system.body(predicate);
        let claims: Vec<Option<Vec<(usize, Lit)>>> =
            (0..body.holes.len()).map(|hole| self.claims(predicate, uses, hole)).collect();
        let groups = self.disjunctions(predicate, uses, &claims);
        let mut asked: Vec<Lit> = Vec::with_capacity(body.holes.len());
        let mut before: FxHashMap<usize, Lit> = FxHashMap::default();
        for (hole, claims) in claims.iter().enumerate() {
            let active = body.holes[hole].active;
            let Some(claims) = claims else {
                asked.push(active);
                continue;
            };
            let any = claims.iter().fold(Lit::FALSE, |any, (_, claim)| self.circuit.or(any, *claim));
            let mut here = self.circuit.and(active, any);
            if let Some(group) = groups[hole] {
                let earlier = before.entry(group).or_insert(Lit::FALSE);
                here = self.circuit.and(here, !*earlier);
                *earlier = self.circuit.or(*earlier, any);
            }
            asked.push(here);
        }
        let mut given = vec![body.guard];
        given.extend(claimed.map(|(place, value)| body.arguments[place].negate_if(!value)));
        let slots = self.slots(&asked, &given);
        let single = |(hole, claims): (usize, &Option<Vec<(usize, Lit)>>)| match claims.as_deref() {
            Some(&[(place, claim)]) => Some((place, claim == body.holes[hole].arguments[place])),
            _ => None,
        };
        Asking { slots, claimed: claims.iter().enumerate().map(single).collect() }
    }

    /// What is claimed where a hole is asked: the arguments with the claims, as signals. Nothing if it has to be
    /// asked wherever it is active.
    fn claims(&self, predicate: PredicateId, uses: &Uses, hole: usize) -> Option<Vec<(usize, Lit)>> {
        let system = self.system;
        let callee = system.callees(predicate)[hole];
        let outputs = system.outputs_if_total(callee)?;
        let mut claims = Vec::new();
        for place in outputs {
            let argument = system.body(predicate).holes[hole].arguments[place];
            if !uses.is_given(&system.circuit, argument, hole, place) {
                return None;
            }
            match self.needs[callee.index()][place] {
                Need { one: true, zero: true } => return None,
                Need { one: true, .. } => claims.push((place, argument)),
                Need { zero: true, .. } => claims.push((place, !argument)),
                _ => {}
            }
        }
        Some(claims)
    }

    /// By hole: the disjunction, if any, of which its one claim is a part, and nothing else is.
    fn disjunctions(
        &self,
        predicate: PredicateId,
        uses: &Uses,
        claims: &[Option<Vec<(usize, Lit)>>],
    ) -> Vec<Option<usize>> {
        let body = self.system.body(predicate);
        let circuit = &self.system.circuit;
        // By gate: how often it is used, and the last gate that does, with the sign.
        let mut users: FxHashMap<usize, (u32, usize, bool)> = FxHashMap::default();
        let mut roots = vec![body.guard];
        roots.extend(
            body.arguments
                .iter()
                .copied()
                .zip(&self.needs[predicate.index()])
                .filter(|(_, need)| **need != Need::default())
                .map(|(a, _)| a),
        );
        for (hole, it) in body.holes.iter().enumerate() {
            roots.push(it.active);
            let asked = it.arguments.iter().enumerate();
            roots.extend(asked.filter(|&(place, &a)| !uses.is_given(circuit, a, hole, place)).map(|(_, &a)| a));
        }
        for root in &roots {
            users.entry(root.gate()).or_insert((0, 0, false)).0 += 2;
        }
        for gate in circuit.cone(roots.iter().copied()) {
            if let Gate::And(a, b) = circuit.gate_at(gate) {
                for operand in [a, b] {
                    let user = users.entry(operand.gate()).or_insert((0, 0, false));
                    *user = (user.0 + 1, gate, operand.is_negated());
                }
            }
        }
        let top = |claims: &Option<Vec<(usize, Lit)>>| {
            let &[(_, claim)] = claims.as_deref()? else { return None };
            // The disjunction of a and b is not (not a and not b).
            let &(1, mut gate, sign) = users.get(&claim.gate())? else { return None };
            if sign == claim.is_negated() {
                return None;
            }
            while let Some(&(1, user, false)) = users.get(&gate) {
                gate = user;
            }
            Some(gate)
        };
        claims.iter().map(top).collect()
    }

    fn slots(&mut self, asked: &[Lit], given: &[Lit]) -> Vec<Slot> {
        let mut slots: Vec<Slot> = Vec::new();
        let is_small = asked.len() <= MOST_HOLES;
        for (hole, &here) in asked.iter().enumerate().filter(|(_, here)| **here != Lit::FALSE) {
            let fitting = slots.iter().position(|slot| {
                is_small
                    && slot.holes.iter().all(|&(_, other)| {
                        let all = [given, &[other, here]].concat();
                        self.circuit.and(other, here) == Lit::FALSE || (self.contradiction)(self.circuit, &all)
                    })
            });
            match fitting {
                Some(slot) => slots[slot].holes.push((hole, here)),
                None => slots.push(Slot { holes: vec![(hole, here)], always: false }),
            }
        }
        for slot in &mut slots {
            let mut all = given.to_vec();
            all.extend(slot.holes.iter().map(|(_, here)| !*here));
            slot.always = all.contains(&Lit::FALSE) || (is_small && (self.contradiction)(self.circuit, &all));
        }
        slots
    }
}

//! Random small systems, and what can be derived in them by definition.

use super::random::Random;
use epitome_encodings::{Body, Components, Hole, Lit, PredicateId, System};
use std::collections::{HashMap, HashSet};

pub const INPUTS: u32 = 3;

/// Whom a predicate may call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// Anybody.
    Any,
    /// Those before it.
    Before,
    /// Those before it, and itself once.
    Loops,
}

/// Two arguments each; the last predicate is the root.
pub fn random_system(random: &mut Random, predicates: usize, calls: Calls) -> (System, PredicateId) {
    let mut system = System::default();
    for own in 0..predicates {
        let mut known: Vec<Lit> = (0..INPUTS).map(|number| system.circuit.input(number)).collect();
        known.push(Lit::TRUE);
        for _ in 0..random.below(6) {
            let mut pick = || known[random.below(known.len())].negate_if(random.below(2) == 0);
            let (a, b) = (pick(), pick());
            let next = if random.below(2) == 0 { system.circuit.and(a, b) } else { system.circuit.xor(a, b) };
            known.push(next);
        }
        let mut pick = || known[random.below(known.len())].negate_if(random.below(2) == 0);
        let arguments = [pick(), pick()].into();
        let guard = pick();
        let loops = usize::from(calls == Calls::Loops && random.below(2) == 0);
        let others = if calls != Calls::Any && own == 0 { 0 } else { random.below(3) };
        let count = others + loops;
        let holes = (0..count).map(|_| {
            let mut pick = || known[random.below(known.len())].negate_if(random.below(2) == 0);
            Hole { active: pick(), arguments: [pick(), pick()].into() }
        });
        let holes = holes.collect();
        let called = if calls == Calls::Any { predicates } else { own };
        let callees = (0..others).map(|_| PredicateId(random.below(called) as u32));
        let callees = callees.chain((0..loops).map(|_| PredicateId(own as u32))).collect();
        system.add(Body { arguments, guard, holes }, callees);
    }
    (system, PredicateId(predicates as u32 - 1))
}

/// The points that can be derived with so much depth left, by definition.
pub struct Reference<'s> {
    system: &'s System,
    inputs: u32,
    components: Components,
    depth: u32,
    known: HashMap<(PredicateId, u32), HashSet<u32>>,
}

impl Reference<'_> {
    fn points(&mut self, predicate: PredicateId, left: u32) -> HashSet<u32> {
        if let Some(points) = self.known.get(&(predicate, left)) {
            return points.clone();
        }
        let (body, circuit) = (self.system.body(predicate), &self.system.circuit);
        let number = |signals: &[Lit], values: u32| {
            let value = |signal: Lit| circuit.evaluate(signal, |number| values >> number & 1 == 1);
            signals.iter().enumerate().fold(0, |all, (bit, &signal)| all | u32::from(value(signal)) << bit)
        };
        let mut points = HashSet::new();
        for values in (0..1u32 << self.inputs).filter(|&values| number(&[body.guard], values) == 1) {
            let holes = body.holes.iter().zip(self.system.callees(predicate));
            let active: Vec<_> = holes.filter(|(hole, _)| number(&[hole.active], values) == 1).collect();
            let fits = active.into_iter().all(|(hole, &callee)| {
                let is_inner = self.components.of[callee.index()] == self.components.of[predicate.index()];
                let inside = match (is_inner, left) {
                    (true, 0) => return false,
                    (true, left) => self.points(callee, left - 1),
                    (false, _) => self.points(callee, self.depth),
                };
                inside.contains(&number(&hole.arguments, values))
            });
            if fits {
                points.insert(number(&body.arguments, values));
            }
        }
        self.known.insert((predicate, left), points.clone());
        points
    }
}

pub fn reference(system: &System, root: PredicateId, depth: u32) -> HashSet<u32> {
    let callee = |caller: usize, n: usize| Some(system.callees(PredicateId(caller as u32)).get(n)?.index());
    let components = Components::new(system.len(), [root.index()], callee);
    let inputs = system.bodies().iter().flat_map(|body| system.circuit.support(body.signals())).max();
    let inputs = inputs.map_or(0, |last| last + 1);
    Reference { system, inputs, components, depth, known: HashMap::new() }.points(root, depth)
}

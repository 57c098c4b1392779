//! Summary systems: predicates over Boolean vectors, each defined by a body with holes.
//!
//! A predicate holds of a vector of arguments if some values of the body's inputs give these arguments,
//! make its guard true, and for each hole that is active the predicate called there holds of the hole's
//! arguments. What is asked of a system is the least solution: what can be derived in finitely many steps.
//! (These are Horn clauses over Booleans, all clauses of a predicate in one circuit; Godefroid 3.1 has
//! them as summary edges, Theorem 6 as the formula of a procedure.)
//!
//! Arguments are signals, not only inputs: what a body computes needs no variable and no equation.
//! Predicates with the same body share it, whoever they call, so that a hundred thousand similar
//! predicates have the clauses of one.

use crate::{Circuit, Components, Lit};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A predicate of a [`System`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

impl PredicateId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The use of a predicate in a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hole {
    /// Where it is used.
    pub active: Lit,
    /// What it is asked for.
    pub arguments: Box<[Lit]>,
}

/// The definition of a predicate, whoever it calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Body {
    /// What the predicate holds of…
    pub arguments: Box<[Lit]>,
    /// …where this is true…
    pub guard: Lit,
    /// …and what is asked for here holds.
    pub holes: Box<[Hole]>,
}

impl Body {
    /// All its signals.
    pub fn signals(&self) -> impl Iterator<Item = Lit> + '_ {
        let of_holes = self.holes.iter().flat_map(|hole| hole.arguments.iter().copied().chain([hole.active]));
        self.arguments.iter().copied().chain([self.guard]).chain(of_holes)
    }
}

/// A body, and the predicates called in its holes.
#[derive(Clone, Debug)]
pub struct Predicate {
    body: u32,
    /// One for each hole.
    pub callees: Box<[PredicateId]>,
    /// Arguments that it gives back for any values of the others.
    outputs: Option<Range<u32>>,
}

/// Predicates with their bodies.
///
/// ```
/// use epitome_encodings::{Body, Hole, Lit, PredicateId, System};
/// // even(x) holds of 0, and of 1 if it holds of 1.
/// let mut system = System::default();
/// let [x, again] = [0, 1].map(|number| system.circuit.input(number));
/// let guard = system.circuit.or(!x, again);
/// let hole = Hole { active: again, arguments: [x].into() };
/// let even = system.add(Body { arguments: [x].into(), guard, holes: [hole].into() }, [PredicateId(0)].into());
/// assert_eq!(system.callees(even), [even]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The signals of all bodies. Each body has inputs of its own, numbered from 0.
    pub circuit: Circuit,
    predicates: Vec<Predicate>,
    bodies: Vec<Body>,
    index: FxHashMap<Body, u32>,
}

impl System {
    /// Adds a predicate. It may call some that are added later.
    ///
    /// # Panics
    /// If there is not one predicate for each hole.
    pub fn add(&mut self, body: Body, callees: Box<[PredicateId]>) -> PredicateId {
        assert_eq!(body.holes.len(), callees.len(), "a predicate for each hole");
        let next = self.bodies.len() as u32;
        let number = *self.index.entry(body).or_insert_with_key(|body| {
            self.bodies.push(body.clone());
            next
        });
        self.predicates.push(Predicate { body: number, callees, outputs: None });
        PredicateId(self.predicates.len() as u32 - 1)
    }

    /// Says that a predicate is total: whatever the other arguments are, it holds for some values of these.
    pub fn set_total(&mut self, predicate: PredicateId, outputs: Range<usize>) {
        self.predicates[predicate.index()].outputs = Some(outputs.start as u32..outputs.end as u32);
    }

    /// The arguments for which a predicate has values whatever the others are, if somebody knows.
    pub fn outputs_if_total(&self, predicate: PredicateId) -> Option<Range<usize>> {
        let outputs = self.predicates[predicate.index()].outputs.clone()?;
        Some(outputs.start as usize..outputs.end as usize)
    }

    /// Number of predicates.
    pub fn len(&self) -> usize {
        self.predicates.len()
    }

    /// No predicate at all.
    pub fn is_empty(&self) -> bool {
        self.predicates.is_empty()
    }

    /// The bodies, each once.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The number of a predicate's body.
    pub fn body_number(&self, predicate: PredicateId) -> usize {
        self.predicates[predicate.index()].body as usize
    }

    /// The body of a predicate.
    pub fn body(&self, predicate: PredicateId) -> &Body {
        &self.bodies[self.body_number(predicate)]
    }

    /// Who calls whom, from a root down: the components of predicates that call each other.
    pub fn components(&self, root: PredicateId) -> Components {
        let callee = |caller: usize, n: usize| Some(self.predicates[caller].callees.get(n)?.index());
        Components::new(self.len(), [root.index()], callee)
    }

    /// The predicates called in the holes of a predicate.
    pub fn callees(&self, predicate: PredicateId) -> &[PredicateId] {
        &self.predicates[predicate.index()].callees
    }
}

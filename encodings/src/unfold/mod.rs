//! A system as one formula: a copy of the callee's body for each hole of each copy, from a root down.
//!
//! The formula is satisfiable exactly if the root has a derivation, and a model is one (Godefroid, Theorem
//! 4: acyclic hierarchies of bounded depth are in NP). Where predicates call each other, holes within the
//! component are opened only up to a depth and closed below it, which is bounded model checking for
//! recursion.
//!
//! Bodies are rebuilt in one circuit rather than as clauses: an argument that is an input of the body is
//! replaced by what the hole asks for, so that most arguments cost nothing, constants run down the calls,
//! and a call that cannot happen has no copy. What remains are *claims*, clauses over signals:
//!
//! - the root's guard is true;
//! - if a copy is used, its guard is true and its arguments are what the hole asks for;
//! - a copy is used if the copy around it is and the hole is active;
//! - a hole that is closed is not active in a copy that is used.
//!
//! Encoded by polarity, all that is said of a copy hangs on the one literal "it is used": where it is false
//! the clauses of the copy are true with all its gates false, and a solver has no work there.

mod size;

use crate::{
    Circuit, Clauses, Components, Encoder, Encoding, Gate, Hole, Lit, Polarity, PredicateId, Substitution, System,
    Values, Variables,
};
use std::fmt;

/// Why there is no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnfoldError {
    /// Predicates call each other, and no depth is given.
    Cyclic,
    /// It could have more clauses than wanted.
    TooLarge {
        /// So many are possible, if not more; more than can be counted if this is the largest number.
        clauses: u64,
    },
}

impl fmt::Display for UnfoldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnfoldError::Cyclic => f.write_str("there are cycles, and no depth is given"),
            UnfoldError::TooLarge { clauses: u64::MAX } => f.write_str("there are more clauses than can be counted"),
            UnfoldError::TooLarge { clauses } => write!(f, "there may be {clauses} clauses or more"),
        }
    }
}

impl std::error::Error for UnfoldError {}

/// How far to unfold.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// How deep holes are opened within a component of predicates that call each other: so many, one inside
    /// the other, counted anew wherever a component is entered, which is not counted itself. At depth 0 a predicate of
    /// the component uses no other one.
    pub depth: Option<u32>,
    /// Clauses that the formula may have. They are estimated, from above, before anything is built.
    pub most_clauses: u64,
}

/// A copy of a body.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Whose body it is.
    pub predicate: PredicateId,
    /// It is used.
    pub used: Lit,
    /// The inputs of the body, by number, in the circuit of the unfolding.
    pub inputs: Box<[(u32, Lit)]>,
    /// The arguments.
    pub arguments: Box<[Lit]>,
    /// The instance in each hole; none if the hole is closed, or never active.
    pub holes: Box<[Option<u32>]>,
}

/// An unfolded system.
///
/// ```
/// use epitome_encodings::{Body, Cnf, Encoding, Extent, Hole, Lit, System, Unfolding, Variables};
/// // The root asks whether "not" holds of (1, 0).
/// let mut system = System::default();
/// let x = system.circuit.input(0);
/// let not = system.add(Body { arguments: [x, !x].into(), guard: Lit::TRUE, holes: [].into() }, [].into());
/// let hole = Hole { active: Lit::TRUE, arguments: [Lit::TRUE, Lit::FALSE].into() };
/// let root = system.add(Body { arguments: [].into(), guard: Lit::TRUE, holes: [hole].into() }, [not].into());
/// let unfolding = Unfolding::new(&system, root, Extent { depth: None, most_clauses: 100 }).unwrap();
/// let mut cnf = Cnf::default();
/// unfolding.encode(Encoding::PlaistedGreenbaum, &mut Variables::default(), &mut cnf);
/// assert_eq!((unfolding.instances.len(), cnf.len()), (2, 0));
/// ```
#[derive(Clone, Debug)]
pub struct Unfolding {
    /// The signals of all instances.
    pub circuit: Circuit,
    /// One signal of each is true.
    pub claims: Vec<Box<[Lit]>>,
    /// The root first, callers before callees.
    pub instances: Vec<Instance>,
    /// Some hole is closed because of the depth: there may be deeper derivations.
    pub is_cut: bool,
}

impl Unfolding {
    /// Unfolds a system from a root, whose arguments may be any.
    pub fn new(system: &System, root: PredicateId, extent: Extent) -> Result<Unfolding, UnfoldError> {
        let same = extent.depth.map(|depth| move |_| depth);
        Unfolding::within(system, root, same.as_ref().map(|same| same as &dyn Fn(usize) -> u32), extent.most_clauses)
    }

    /// The same with a depth for each predicate, that for derivations which enter its component by it.
    pub fn to_depths(
        system: &System,
        root: PredicateId,
        depths: &[u32],
        most_clauses: u64,
    ) -> Result<Unfolding, UnfoldError> {
        Unfolding::within(system, root, Some(&|predicate| depths[predicate]), most_clauses)
    }

    fn within(
        system: &System,
        root: PredicateId,
        depth: Option<DepthOf<'_>>,
        most_clauses: u64,
    ) -> Result<Unfolding, UnfoldError> {
        let components = system.components(root);
        let clauses = size::clauses(system, root, &components, depth, most_clauses)?;
        if clauses > most_clauses {
            return Err(UnfoldError::TooLarge { clauses });
        }
        let mut builder = Builder {
            system,
            components: &components,
            depth: depth.unwrap_or(&|_| 0),
            substitution: Substitution::new(&system.circuit),
            supports: vec![None; system.bodies().len()],
            next_input: 0,
            image: Vec::new(),
            open: Vec::new(),
            unfolding: Unfolding { circuit: Circuit::new(), claims: Vec::new(), instances: Vec::new(), is_cut: false },
        };
        builder.copy(root, Lit::TRUE, None, (builder.depth)(root.index()));
        let mut place = 0;
        while let Some((holes, left)) = builder.open.get_mut(place).map(std::mem::take) {
            let inside = holes.iter().enumerate().map(|(number, hole)| builder.fill(place, number, hole, left));
            builder.unfolding.instances[place].holes = inside.collect();
            place += 1;
        }
        Ok(builder.unfolding)
    }

    /// Hands the clauses to the sink. The encoder tells the variables of signals.
    pub fn encode(&self, encoding: Encoding, variables: &mut Variables, sink: &mut (impl Clauses + ?Sized)) -> Encoder {
        let mut encoder = Encoder::new(encoding);
        let signals: Vec<(Lit, Polarity)> =
            self.claims.iter().flatten().map(|&signal| (signal, Polarity::Positive)).collect();
        encoder.encode_all(&self.circuit, &signals, variables, sink);
        let mut clause = Vec::new();
        for claim in &self.claims {
            clause.clear();
            clause.extend(claim.iter().filter_map(|&signal| encoder.literal(signal)));
            sink.add(&clause);
        }
        encoder
    }

    /// The values of all signals in a model of the clauses. Inputs on which nothing depends are 0.
    pub fn values(&self, encoder: &Encoder, literal: impl Fn(i32) -> bool) -> Values {
        let variable = |number| self.circuit.find_input(number).and_then(|input| encoder.literal(input));
        Values::new(&self.circuit, |number| variable(number).is_some_and(&literal))
    }
}

/// What is open of an instance: its holes, and how deep those of its component may still be opened.
type Open = (Box<[Hole]>, u32);

/// By predicate: how deep holes are opened in its component, where that is entered by this predicate.
type DepthOf<'d> = &'d dyn Fn(usize) -> u32;

struct Builder<'s> {
    system: &'s System,
    components: &'s Components,
    depth: DepthOf<'s>,
    substitution: Substitution<'s>,
    /// By body: the inputs it depends on.
    supports: Vec<Option<Box<[u32]>>>,
    next_input: u32,
    /// By input of the body that is copied: what replaces it.
    image: Vec<Option<Lit>>,
    /// By instance.
    open: Vec<Open>,
    unfolding: Unfolding,
}

impl Builder<'_> {
    /// What a hole of an instance is filled with.
    fn fill(&mut self, instance: usize, number: usize, hole: &Hole, left: u32) -> Option<u32> {
        let caller = self.unfolding.instances[instance].predicate;
        let callee = self.system.callees(caller)[number];
        let used = self.unfolding.instances[instance].used;
        let is_inner = self.components.of[caller.index()] == self.components.of[callee.index()];
        let is_possible = hole.active != Lit::FALSE && used != Lit::FALSE;
        match (is_possible, is_inner) {
            (false, _) => None,
            (true, true) if left == 0 => {
                self.unfolding.is_cut = true;
                self.claim(&[!used, !hole.active]);
                None
            }
            (true, _) => {
                let active = self.unfolding.circuit.and(used, hole.active);
                let left = if is_inner { left - 1 } else { (self.depth)(callee.index()) };
                (active != Lit::FALSE).then(|| self.copy(callee, active, Some(&hole.arguments), left))
            }
        }
    }

    /// Copies the body of a predicate that is asked for these arguments.
    fn copy(&mut self, predicate: PredicateId, used: Lit, asked: Option<&[Lit]>, left: u32) -> u32 {
        let (system, number) = (self.system, self.system.body_number(predicate));
        let body = system.body(predicate);
        let support =
            self.supports[number].get_or_insert_with(|| system.circuit.support(body.signals()).into()).clone();
        self.image.clear();
        self.image.resize(support.last().map_or(0, |&last| last as usize + 1), None);
        for (argument, &asked) in body.arguments.iter().zip(asked.unwrap_or_default()) {
            if let Gate::Input(number) = system.circuit.gate(*argument) {
                self.image[number as usize].get_or_insert(asked.negate_if(argument.is_negated()));
            }
        }
        let circuit = &mut self.unfolding.circuit;
        let inputs = support.iter().map(|&number| {
            let replaced = self.image[number as usize].get_or_insert_with(|| {
                self.next_input += 1;
                circuit.input(self.next_input - 1)
            });
            (number, *replaced)
        });
        let inputs: Box<[(u32, Lit)]> = inputs.collect();
        let signals: Vec<Lit> = body.signals().collect();
        let mut rebuilt = self
            .substitution
            .substitute_all(circuit, &signals, |number| self.image.get(number as usize).copied().flatten())
            .into_iter();
        let arguments: Box<[Lit]> = rebuilt.by_ref().take(body.arguments.len()).collect();
        let guard = rebuilt.next().unwrap_or(Lit::FALSE);
        let holes = body.holes.iter().map(|hole| {
            let arguments = rebuilt.by_ref().take(hole.arguments.len()).collect();
            Hole { arguments, active: rebuilt.next().unwrap_or(Lit::FALSE) }
        });
        let holes: Box<[Hole]> = holes.collect();
        self.claim(&[!used, guard]);
        for (&argument, &asked) in arguments.iter().zip(asked.unwrap_or_default()) {
            self.claim(&[!used, !argument, asked]);
            self.claim(&[!used, argument, !asked]);
        }
        self.unfolding.instances.push(Instance { predicate, used, inputs, arguments, holes: [].into() });
        self.open.push((holes, left));
        self.unfolding.instances.len() as u32 - 1
    }

    /// One of the signals is true.
    fn claim(&mut self, signals: &[Lit]) {
        let is_trivial = signals.iter().any(|&signal| signal == Lit::TRUE || signals.contains(&!signal));
        if !is_trivial {
            let mut claim: Vec<Lit> = signals.iter().copied().filter(|&signal| signal != Lit::FALSE).collect();
            claim.sort_unstable();
            claim.dedup();
            self.unfolding.claims.push(claim.into());
        }
    }
}

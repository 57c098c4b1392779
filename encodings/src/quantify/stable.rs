//! Do deeper derivations add anything? As a quantified formula, after Basler, Kroening and Weissenbacher
//! (SAT-based Summarization for Boolean Programs, SPIN 2007).
//!
//! What a predicate of a component can be derived for within a depth is a formula with inputs of its own, an
//! unfolding. That the next depth adds nothing, *for all* derivations of the deeper unfolding *there is* one of the
//! shallower with the same arguments, takes one alternation. If it is so for all predicates of the component, and
//! what is below the component is complete, the shallower unfoldings are the least solution: they are closed under
//! the bodies.

use crate::{Circuit, Lit, PredicateId, Qbf, Quantifier, Substitution, System, UnfoldError, Unfolding};

/// True exactly if what the predicate holds of by derivations of the depths `deep` it holds of by those of the depths
/// `shallow`. (Depths as in [`Unfolding::to_depths`].)
///
/// ```
/// use epitome_encodings::{Body, Hole, Lit, PredicateId, System, adds_nothing};
/// // reached(x) holds of 1, and of 0 if it holds of 1.
/// let mut system = System::default();
/// let [x, again] = [0, 1].map(|number| system.circuit.input(number));
/// let guard = system.circuit.xor(x, again);
/// let hole = Hole { active: again, arguments: [Lit::TRUE].into() };
/// let reached = system.add(Body { arguments: [x].into(), guard, holes: [hole].into() }, [PredicateId(0)].into());
/// let is_enough = |depth| adds_nothing(&system, reached, [&[depth], &[depth + 1]], 100).unwrap().is_true();
/// assert_eq!([0, 1].map(is_enough), [false, true]);
/// ```
pub fn adds_nothing(
    system: &System,
    predicate: PredicateId,
    [shallow, deep]: [&[u32]; 2],
    most_clauses: u64,
) -> Result<Qbf, UnfoldError> {
    let unfold = |depths| Unfolding::to_depths(system, predicate, depths, most_clauses);
    let (shallow, deep) = (unfold(shallow)?, unfold(deep)?);
    let mut circuit = Circuit::new();
    let given = Derivation::new(&mut circuit, 0, &deep);
    let found = Derivation::new(&mut circuit, given.inputs.len() as u32, &shallow);
    let mut matrix = found.is_one;
    for (&given, &found) in given.arguments.iter().zip(&found.arguments) {
        let same = circuit.iff(given, found);
        matrix = circuit.and(matrix, same);
    }
    let matrix = circuit.or(!given.is_one, matrix);
    Ok(Qbf::new(circuit, [(Quantifier::Forall, given.inputs), (Quantifier::Exists, found.inputs)], matrix))
}

/// An unfolding among others in one circuit.
struct Derivation {
    inputs: Vec<u32>,
    /// The values of the inputs are a derivation…
    is_one: Lit,
    /// …of the predicate for these.
    arguments: Vec<Lit>,
}

impl Derivation {
    /// Its inputs are numbered from `first`.
    fn new(circuit: &mut Circuit, first: u32, unfolding: &Unfolding) -> Derivation {
        let signals: Vec<Lit> =
            unfolding.claims.iter().flatten().chain(&unfolding.instances[0].arguments).copied().collect();
        let own = unfolding.circuit.support(signals.iter().copied());
        let image: Vec<Lit> = (0..).zip(&own).map(|(place, _)| circuit.input(first + place)).collect();
        let input = |number| own.binary_search(&number).ok().map(|place| image[place]);
        let mut rebuilt = Substitution::new(&unfolding.circuit).substitute_all(circuit, &signals, input).into_iter();
        let mut is_one = Lit::TRUE;
        for claim in &unfolding.claims {
            let holds = rebuilt.by_ref().take(claim.len()).fold(Lit::FALSE, |any, signal| circuit.or(any, signal));
            is_one = circuit.and(is_one, holds);
        }
        let inputs = (0..own.len() as u32).map(|place| first + place).collect();
        Derivation { inputs, is_one, arguments: rebuilt.collect() }
    }
}

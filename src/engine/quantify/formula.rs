//! The whole question as one quantified formula, for solvers elsewhere, with what its inputs stand for.

use super::contradictions::Contradictions;
use crate::engine::system::{Argument, Named, Translation, total};
use crate::limits::Limits;
use crate::model::{Ersm, Goal, ProcId, Var, Vertex};
use epitome_encodings::{
    Circuit, Gate, Lit, Modular, Origin, PredicateId, Qbf, Recursive, Squared, System, modular, square,
};
use rustc_hash::FxHashMap;

/// The question as a quantified formula.
#[derive(Clone, Debug)]
pub struct Formula {
    /// True exactly if what is looked for can be reached.
    pub qbf: Qbf,
    /// What its inputs stand for, outermost first. Procedures that are opened in the same block share
    /// inputs, so that one can have several meanings.
    pub meanings: Vec<(u32, Meaning)>,
}

/// What an input stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A bit of which call is looked into.
    Call(u32),
    /// A variable of a procedure on arrival at a vertex; nothing if at the entry.
    Variable(ProcId, Var, Option<Vertex>),
    /// A variable of a procedure in the middle of a path that goes round a loop.
    Middle(ProcId, Var),
    /// A bit of the place of the middle.
    MiddlePlace(ProcId, u32),
    /// A way is chosen in a procedure.
    Way(ProcId),
    /// A way is chosen where the program starts.
    Start,
}

/// The formula of a question.
pub fn formula(ersm: &Ersm, goal: &Goal) -> Result<Formula, Recursive> {
    let (translation, mut system) = Translation::new(ersm, goal);
    let limits = Limits::none();
    translation.tell_totals(&mut system, &totals(ersm, &limits));
    let squared = square(&system, translation.root)?;
    let mut contradictions = Contradictions::new(&limits);
    let mut oracle = |circuit: &Circuit, signals: &[Lit]| contradictions.among(circuit, signals);
    let encoded = modular(&squared.system, squared.root, &[], &mut oracle)?;
    let mut reader =
        Reader { translation: &translation, system: &system, squared: &squared, names: FxHashMap::default() };
    let meanings = reader.meanings(&encoded);
    Ok(Formula { qbf: encoded.qbf, meanings })
}

/// By procedure: it always comes back.
pub(super) fn totals(ersm: &Ersm, limits: &Limits) -> Vec<bool> {
    let mut contradictions = Contradictions::new(limits);
    total(ersm, &mut |circuit, signals| contradictions.among(circuit, signals))
}

struct Reader<'r, 'e> {
    translation: &'r Translation<'e>,
    system: &'r System,
    squared: &'r Squared,
    names: FxHashMap<ProcId, Vec<Named>>,
}

impl Reader<'_, '_> {
    fn meanings(&mut self, encoded: &Modular) -> Vec<(u32, Meaning)> {
        let circuit = &encoded.circuit;
        let mut meanings = Vec::new();
        for height in &encoded.heights {
            let first = meanings.len();
            for (predicate, inputs) in &height.opened {
                let named = self.named(*predicate);
                for (number, signal) in inputs {
                    // What is requested is a gate, and has its meaning where it was chosen.
                    if let Gate::Input(input) = circuit.gate(*signal) {
                        meanings.push((input, named(*number)));
                    }
                }
            }
            meanings[first..].sort_by_key(|(input, _)| *input);
            meanings.extend((0..).zip(&height.choices).map(|(bit, &input)| (input, Meaning::Call(bit))));
        }
        let quantified: Vec<u32> = encoded.qbf.prefix().iter().flat_map(|block| block.inputs.clone()).collect();
        let quantified: rustc_hash::FxHashSet<u32> = quantified.into_iter().collect();
        meanings.retain(|(input, _)| quantified.contains(input));
        meanings
    }

    /// The meanings of a body's inputs.
    fn named(&mut self, predicate: PredicateId) -> impl Fn(u32) -> Meaning + 'static {
        let origin = self.squared.origins[predicate.index()];
        let (before, is_own) = match origin {
            Origin::Same(before) => (before, self.squared.handed_on[before.index()].is_none()),
            Origin::Start(before) | Origin::Step(before) => (before, true),
            Origin::Path(before, _) => (before, false),
        };
        let procedure = self.translation.procedure(before);
        let mut named: FxHashMap<u32, Meaning> = FxHashMap::default();
        if let (Some(procedure), true) = (procedure, is_own) {
            let translation = self.translation;
            let names = self.names.entry(procedure).or_insert_with(|| translation.names(procedure));
            named.extend(names.iter().map(|&(input, var, at)| (input, Meaning::Variable(procedure, var, at))));
        } else if let Some(procedure) = procedure {
            named.extend(self.middle(origin, before, procedure));
        }
        let other = procedure.map_or(Meaning::Start, Meaning::Way);
        move |input| named.get(&input).copied().unwrap_or(other)
    }

    /// The meanings of the inputs of a path's body: after the arguments, where its middle is.
    fn middle(&self, origin: Origin, before: PredicateId, procedure: ProcId) -> Vec<(u32, Meaning)> {
        let Some(handed_on) = &self.squared.handed_on[before.index()] else { return Vec::new() };
        let arguments = self.translation.interfaces[procedure.index()].arguments();
        let varying = arguments.into_iter().zip(handed_on).filter(|(_, handed_on)| !**handed_on).map(|(it, _)| it);
        let varying: Vec<Argument> = varying.collect();
        // Constants have no inputs.
        let own_hole = self.system.callees(before).iter().position(|callee| *callee == before);
        let asked = own_hole.map_or(&[][..], |hole| &self.system.body(before).holes[hole].arguments);
        let asked = asked.iter().zip(handed_on).filter(|(_, handed_on)| !**handed_on);
        let is_free: Vec<bool> = asked.map(|(signal, _)| signal.as_constant().is_none()).collect();
        let first = match origin {
            Origin::Path(..) => handed_on.len() + varying.len(),
            _ => handed_on.len(),
        };
        let varying = varying.into_iter().zip(is_free).filter(|(_, is_free)| *is_free).map(|(argument, _)| argument);
        let meaning = |argument| match argument {
            Argument::Value(var) => Some(Meaning::Middle(procedure, var)),
            Argument::Place(bit) => Some(Meaning::MiddlePlace(procedure, bit)),
            _ => None,
        };
        (first as u32..).zip(varying).filter_map(|(input, argument)| Some((input, meaning(argument)?))).collect()
    }
}

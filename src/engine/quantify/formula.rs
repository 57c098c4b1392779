//! The whole question as one quantified formula, for solvers elsewhere, with what its inputs stand for.

use super::contradictions::Contradictions;
use super::{Encoding, flat};
use crate::engine::system::{Argument, Named, Translation, total};
use crate::limits::Limits;
use crate::model::{CallGraph, Ersm, Goal, ProcId, Var, Vertex};
use epitome_encodings::{
    Circuit, Gate, Lit, Modular, Origin, PredicateId, Qbf, Recursive, Squared, System, modular, square,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The question as a quantified formula.
#[derive(Clone, Debug)]
pub struct Formula {
    /// True exactly if what is looked for can be reached.
    pub qbf: Qbf,
    /// What its inputs stand for, outermost first. Procedures that are opened in the same block share
    /// inputs, so that one can have several meanings.
    pub meanings: Vec<(u32, Meaning)>,
    /// The names of the bits of a configuration, for the flat encoding.
    pub configuration: Vec<String>,
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
    /// A bit of a configuration, by its number.
    Bit(u32),
    /// Something that a step chooses.
    Step,
}

/// The formula of a question.
pub fn formula(ersm: &Ersm, goal: &Goal, encoding: Encoding) -> Result<Formula, Recursive> {
    match encoding {
        Encoding::Modular => by_procedures(ersm, goal),
        Encoding::Flat => by_configurations(ersm, goal),
    }
}

fn by_configurations(ersm: &Ersm, goal: &Goal) -> Result<Formula, Recursive> {
    if CallGraph::new(ersm).recursive {
        return Err(Recursive);
    }
    let layout = flat::Layout::new(ersm);
    let (system, root) = flat::system(ersm, goal, &layout);
    let squared = square(&system, root)?;
    let mut contradictions = Contradictions::new(&Limits::none());
    let mut oracle = |circuit: &Circuit, signals: &[Lit]| contradictions.among(circuit, signals);
    let encoded = modular(&squared.system, squared.root, &[], &mut oracle)?;
    let configuration = layout.names(ersm);
    let bits = configuration.len() as u32;
    let named = |predicate: PredicateId| {
        let origin = squared.origins[predicate.index()];
        // Arguments come first; then, in the body of a path, its middle.
        let first = match origin {
            Origin::Path(..) => 2 * bits,
            Origin::Same(flat::REACHED) => bits,
            _ => 0,
        };
        move |input: u32| match input.checked_sub(first) {
            Some(bit) if bit < bits => Meaning::Bit(bit),
            _ => Meaning::Step,
        }
    };
    let meanings = meanings(&encoded, named);
    Ok(Formula { qbf: encoded.qbf, meanings, configuration })
}

fn by_procedures(ersm: &Ersm, goal: &Goal) -> Result<Formula, Recursive> {
    let (translation, mut system) = Translation::new(ersm, goal);
    let limits = Limits::none();
    translation.tell_totals(&mut system, &totals(ersm, &limits));
    let squared = square(&system, translation.root)?;
    let mut contradictions = Contradictions::new(&limits);
    let mut oracle = |circuit: &Circuit, signals: &[Lit]| contradictions.among(circuit, signals);
    let encoded = modular(&squared.system, squared.root, &[], &mut oracle)?;
    let mut reader =
        Reader { translation: &translation, system: &system, squared: &squared, names: FxHashMap::default() };
    let meanings = meanings(&encoded, |predicate| reader.named(predicate));
    Ok(Formula { qbf: encoded.qbf, meanings, configuration: Vec::new() })
}

/// What the inputs of a formula stand for, if `named` tells it of the inputs of each body.
fn meanings<N: Fn(u32) -> Meaning>(encoded: &Modular, mut named: impl FnMut(PredicateId) -> N) -> Vec<(u32, Meaning)> {
    let circuit = &encoded.circuit;
    let mut meanings = Vec::new();
    for height in &encoded.heights {
        let first = meanings.len();
        for (predicate, inputs) in &height.opened {
            let named = named(*predicate);
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
    let quantified = encoded.qbf.prefix().iter().flat_map(|block| block.inputs.iter().copied());
    let quantified: FxHashSet<u32> = quantified.collect();
    meanings.retain(|(input, _)| quantified.contains(input));
    meanings
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
    /// The meanings of a body's inputs.
    fn named(&mut self, predicate: PredicateId) -> Box<dyn Fn(u32) -> Meaning> {
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
        Box::new(move |input| named.get(&input).copied().unwrap_or(other))
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

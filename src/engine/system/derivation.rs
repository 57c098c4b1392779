//! From a derivation to a run: every fact of a procedure is a piece of one of its activations.
//!
//! A fact's inputs choose one path through the procedure's body. The hole for the procedure itself leads to
//! the piece before it, back to the entry; the other holes are calls, and the insides of these. A fact that
//! is used twice is one fragment.

use super::body::{Origin, Plan};
use super::fact::{Fact, FactId};
use super::translate::Translation;
use crate::engine::{News, Progress};
use crate::limits::{Limits, Reason};
use crate::model::{Fragment, FragmentId, NodeSet, ProcId, Run, Vertex};
use epitome_encodings::{System, Values};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Plans that are remembered.
const MOST_PLANS: usize = 256;

/// Pieces between two looks at the limits.
const INTERVAL: usize = 1024;

const MISTAKE: Reason = Reason::Internal("no path through a derivation");

/// A vertex of a path, its values, and the fact inside it.
type Place = (Vertex, Vec<bool>, Option<FactId>);

struct Reader<'r, 'e> {
    translation: &'r Translation<'e>,
    facts: &'r [Fact],
    plans: FxHashMap<ProcId, Rc<(System, Plan)>>,
    pieces: usize,
    limits: &'r Limits,
}

/// The run of which a fact of the root tells.
pub(in crate::engine) fn run_of(
    translation: &Translation<'_>,
    facts: &[Fact],
    root: FactId,
    limits: &Limits,
) -> Result<Run<Vertex>, Reason> {
    let mut reader = Reader::new(translation, facts, limits);
    let main = reader.main(root)?;
    let mut fragments: Vec<Fragment<Vertex>> = Vec::new();
    let mut known: FxHashMap<FactId, FragmentId> = FxHashMap::default();
    let mut stack: Vec<(FactId, Vec<Place>, usize)> = vec![(main, reader.activation(main)?, 0)];
    while let Some((fact, places, next)) = stack.last_mut() {
        let inside = places[*next..].iter().position(|(.., inside)| inside.is_some_and(|f| !known.contains_key(&f)));
        if let Some(offset) = inside {
            *next += offset;
            let inside = places[*next].2.unwrap_or(main);
            let activation = reader.activation(inside)?;
            stack.push((inside, activation, 0));
            continue;
        }
        let id = FragmentId(fragments.len() as u32);
        fragments.push(reader.fragment(*fact, places, &known)?);
        known.insert(*fact, id);
        stack.pop();
    }
    Ok(Run { fragments })
}

/// Tells what a fact of the root is a find of, before there is a run to it: that takes time, too. Where all targets
/// are looked for it is noted, as well.
pub(in crate::engine) fn tell_find(
    translation: &Translation<'_>,
    facts: &[Fact],
    root: FactId,
    limits: &Limits,
    reached: &mut NodeSet,
    progress: Progress<'_>,
) -> Result<(), Reason> {
    if !translation.goal.all {
        progress(News::Found);
        return Ok(());
    }
    let (procedure, vertex) = Reader::new(translation, facts, limits).target(root)?;
    if let Vertex::Node(node) = vertex
        && reached.insert(procedure, node)
    {
        progress(News::Reached(procedure, node));
    }
    Ok(())
}

impl<'r, 'e> Reader<'r, 'e> {
    fn new(translation: &'r Translation<'e>, facts: &'r [Fact], limits: &'r Limits) -> Reader<'r, 'e> {
        Reader { translation, facts, plans: FxHashMap::default(), pieces: 0, limits }
    }

    /// The fact of the procedure in which the run starts.
    fn main(&self, root: FactId) -> Result<FactId, Reason> {
        let &[(_, main)] = &*self.facts[root as usize].holes else { return Err(MISTAKE) };
        Ok(main)
    }

    /// Where the run ends: in the innermost of the calls in which the target is found.
    fn target(&mut self, root: FactId) -> Result<(ProcId, Vertex), Reason> {
        let mut id = self.main(root)?;
        loop {
            self.count()?;
            let fact = &self.facts[id as usize];
            let procedure = self.translation.procedure(fact.predicate).ok_or(MISTAKE)?;
            let plan = self.plan(procedure);
            let values = Values::new(&plan.0.circuit, |number| fact.inputs.get_or_false(number as usize));
            match *plan.1.ends.iter().find(|(on, ..)| values.get(*on)).ok_or(MISTAKE)? {
                (_, stop, None) => return Ok((procedure, plan.1.stops[stop].vertex)),
                (_, _, Some(hole)) => id = filled(fact, hole)?,
            }
        }
    }

    /// Looks at the limits now and then.
    fn count(&mut self) -> Result<(), Reason> {
        self.pieces += 1;
        if self.pieces.is_multiple_of(INTERVAL) { self.limits.check(0) } else { Ok(()) }
    }

    fn plan(&mut self, procedure: ProcId) -> Rc<(System, Plan)> {
        if self.plans.len() >= MOST_PLANS {
            self.plans.clear();
        }
        let translation = self.translation;
        self.plans.entry(procedure).or_insert_with(|| Rc::new(translation.plan(procedure))).clone()
    }

    /// The whole activation that ends with a fact.
    fn activation(&mut self, last: FactId) -> Result<Vec<Place>, Reason> {
        let mut backward: Vec<Place> = Vec::new();
        let mut fact = Some(last);
        while let Some(id) = fact {
            self.count()?;
            // The head at which the piece ends is where the one after it begins.
            fact = self.piece(id, id != last, &mut backward)?;
        }
        backward.reverse();
        Ok(backward)
    }

    /// Appends a piece, from its end back; gives the fact before it, if it begins at a head.
    fn piece(&mut self, id: FactId, is_continued: bool, backward: &mut Vec<Place>) -> Result<Option<FactId>, Reason> {
        let fact = &self.facts[id as usize];
        let procedure = self.translation.procedure(fact.predicate).ok_or(MISTAKE)?;
        let plan = self.plan(procedure);
        let (system, plan) = (&plan.0, &plan.1);
        let values = Values::new(&system.circuit, |number| fact.inputs.get_or_false(number as usize));
        let &(_, mut stop, target) = plan.ends.iter().find(|(on, ..)| values.get(*on)).ok_or(MISTAKE)?;
        let mut inside = match target {
            Some(hole) => Some(filled(fact, hole)?),
            None => None,
        };
        let mut is_dropped = is_continued;
        loop {
            let here = &plan.stops[stop];
            if !is_dropped {
                let state = here.state.iter().map(|&signal| values.get(signal)).collect();
                backward.push((here.vertex, state, inside.take()));
            }
            is_dropped = false;
            let &(_, origin) = here.origins.iter().find(|(chosen, _)| values.get(*chosen)).ok_or(MISTAKE)?;
            match origin {
                Origin::Entry => return Ok(None),
                Origin::Head(_) => return Ok(Some(filled(fact, plan.own_hole)?)),
                Origin::Step(from) => stop = from,
                Origin::Return(from, hole) => {
                    stop = from;
                    inside = Some(filled(fact, hole)?);
                }
            }
        }
    }

    fn fragment(
        &self,
        fact: FactId,
        places: &[Place],
        known: &FxHashMap<FactId, FragmentId>,
    ) -> Result<Fragment<Vertex>, Reason> {
        let procedure = self.translation.procedure(self.facts[fact as usize].predicate).ok_or(MISTAKE)?;
        let ersm = self.translation.ersm;
        let scope = &self.translation.interfaces[procedure.index()].scope;
        let variables = ersm.scope_size(procedure);
        let mut fragment = Fragment::new(procedure.0, variables);
        for (vertex, state, inside) in places.iter().filter(|(vertex, ..)| !matches!(vertex, Vertex::Return(..))) {
            let mut words = vec![0u64; variables.div_ceil(64)];
            for (&var, &value) in scope.iter().zip(state) {
                let bit = ersm.bit(var);
                words[bit / 64] |= u64::from(value) << (bit % 64);
            }
            fragment.push(*vertex, &words, inside.and_then(|fact| known.get(&fact).copied()));
        }
        Ok(fragment)
    }
}

/// The fact by which a hole of a fact is filled.
fn filled(fact: &Fact, hole: usize) -> Result<FactId, Reason> {
    fact.holes.iter().find(|(other, _)| *other == hole).map(|(_, fact)| *fact).ok_or(MISTAKE)
}

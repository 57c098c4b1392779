//! The lemmas in the end, as a proof about the machine.
//!
//! A lemma is a cube over the arguments of a predicate (`interface`). Bits that tell entries and places apart
//! become lists of them. What nobody sees at a place was free there when the lemma was proved, so it says
//! nothing: an exit shows results only, and where the target is found no values are told.

use super::cube::Cube;
use super::summary::{ANY, Summary};
use crate::engine::system::Interface;
use crate::engine::system::Translation;
use crate::model::{Never, ProcedureProof, Proof, ProofPlace, Var};
use epitome_encodings::PredicateId;
use rustc_hash::FxHashSet;

/// The lemmas for any depth. (The root's are left out: they follow at once.)
pub(super) fn proof(translation: &Translation<'_>, summaries: &[Summary]) -> Proof {
    let mut procedures = Vec::new();
    for (index, summary) in summaries.iter().enumerate() {
        let Some(procedure) = translation.procedure(PredicateId(index as u32)) else { continue };
        let interface = &translation.interfaces[procedure.index()];
        let entries = translation.ersm.procedure(procedure).entries.len();
        let lemmas = summary.lemmas.iter().filter(|lemma| lemma.level == ANY);
        let mut never: Vec<Never> = lemmas.flat_map(|lemma| claims(interface, entries, &lemma.cube)).collect();
        // Lemmas that differ only in what nobody sees say the same.
        let mut told: FxHashSet<Never> = FxHashSet::default();
        never.retain(|claim| told.insert(claim.clone()));
        if !never.is_empty() {
            procedures.push(ProcedureProof { procedure, cuts: interface.heads.clone(), never });
        }
    }
    procedures.sort_unstable_by_key(|claims| claims.procedure);
    Proof { procedures }
}

/// Bits of a number that a cube fixes.
#[derive(Default)]
struct Bits {
    fixed: usize,
    values: usize,
}

impl Bits {
    fn fix(&mut self, bit: usize, value: bool) {
        self.fixed |= 1 << bit;
        self.values |= usize::from(value) << bit;
    }

    fn fits(&self, number: usize) -> bool {
        number & self.fixed == self.values
    }
}

/// What a lemma says: of exits, of heads, and of the target; once, where it says the same.
fn claims(interface: &Interface, entries: usize, cube: &Cube) -> Vec<Never> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let (mut tag, mut place, mut target) = (Bits::default(), Bits::default(), None);
    let (known, tags) = (interface.constant.len() + interface.entered.len(), interface.tags as usize);
    let places = known + tags + usize::from(interface.has_target_bit());
    let values = places + interface.place_bits() as usize;
    for (argument, value) in cube.literals() {
        if argument < interface.constant.len() {
            before.push((interface.constant[argument], value));
        } else if argument < known {
            before.push((interface.entered[argument - interface.constant.len()], value));
        } else if argument < known + tags {
            tag.fix(argument - known, value);
        } else if argument < places {
            target = Some(value);
        } else if argument < values {
            place.fix(argument - places, value);
        } else {
            after.push((interface.values[argument - values], value));
        }
    }
    let listed = (tag.fixed != 0).then(|| (0..entries).filter(|&entry| tag.fits(entry)).map(|e| e as u32).collect());
    let exits = interface.exits.len();
    let (at_exits, at_heads): (Vec<usize>, Vec<usize>) = (0..interface.places())
        .filter(|&number| target != Some(true) && place.fits(number))
        .partition(|&number| number < exits);
    let results: Vec<(Var, bool)> = after.iter().copied().filter(|(var, _)| interface.is_result(*var)).collect();
    let found = (interface.finds && target != Some(false)).then_some(ProofPlace::Failure);
    let groups = [
        (found.into_iter().collect::<Vec<ProofPlace>>(), Vec::new()),
        (at_exits.into_iter().map(|number| ProofPlace::Exit(number as u32)).collect(), results),
        (at_heads.into_iter().map(|number| ProofPlace::Cut((number - exits) as u32)).collect(), after),
    ];
    let mut claims: Vec<Never> = Vec::new();
    for (places, after) in groups.into_iter().filter(|(places, _)| !places.is_empty()) {
        match claims.iter_mut().find(|claim| claim.after == after) {
            Some(claim) => claim.places.extend(places),
            None => claims.push(Never { entries: listed.clone(), before: before.clone(), places, after }),
        }
    }
    // No entry has such a number: nothing is said.
    claims.retain(|claim| claim.entries.as_ref().is_none_or(|entries| !entries.is_empty()));
    claims
}

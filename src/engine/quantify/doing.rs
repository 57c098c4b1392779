//! What the engine does where it may take long, in a sentence for people: outside hierarchies without loops its bounds
//! are those of theorems that count all values there could be, where other engines look at those that occur.

use super::recursion::Recursion;
use crate::engine::system::Translation;
use epitome_encodings::{PredicateId, System};

/// Which theorem it goes by, and what that costs; nothing for hierarchies without loops, for which one
/// formula is enough.
pub(super) fn doing(
    translation: &Translation<'_>,
    system: &System,
    recursion: Option<&Recursion<'_>>,
) -> Option<String> {
    let advice = "engines sat, bdd and expand look at what occurs, and may answer sooner";
    if let Some(recursion) = recursion {
        let bits = recursion.widest();
        return Some(format!(
            "engine qbf finds the summary edges of recursive procedures one by one, a formula for each (Godefroid \
             Theorem 8); they differ in up to {bits} bits, so there may be 2^{bits} of them; {advice}"
        ));
    }
    let ids = (0..system.len() as u32).map(PredicateId);
    let loops = ids.filter(|&id| {
        let procedure = translation.procedure(id);
        procedure.is_some_and(|procedure| !translation.interfaces[procedure.index()].heads.is_empty())
    });
    let bits = loops.map(|id| system.body(id).arguments.len()).max()?;
    Some(format!(
        "engine qbf squares the steps of loops, with {bits} bits of state, into a formula for all 2^{bits} rounds there \
         may be (Godefroid Theorem 7); {advice}"
    ))
}

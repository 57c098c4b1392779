//! MOD/REF (Ball 3.3): each procedure is told which globals it, with all it calls, reads or writes.
//!
//! Engines that summarise procedures then leave the other globals out: they are hidden from the callee and
//! keep the caller's values around the call, so that calls that differ only in them are one call. The
//! machine itself stays as it is; the way back is the identity.

use super::{Back, Draft};
use crate::model::{CallGraph, footprints};

pub(super) fn mod_ref(draft: &mut Draft<'_>) -> Option<Back> {
    let calls = CallGraph::new(&draft.ersm);
    let mut footprints = footprints(&draft.ersm, &calls);
    let globals = draft.ersm.globals.len();
    let mut changed = false;
    for id in calls.bottom_up {
        // One that is concerned with all of them has nothing to tell.
        if let Some(footprint) = footprints[id.index()].take().filter(|footprint| footprint.used.len() < globals) {
            draft.ersm.to_mut().procedures[id.index()].footprint = Some(footprint);
            changed = true;
        }
    }
    changed.then(Back::neutral)
}

#[cfg(test)]
mod tests {
    use crate::reduce::tests::program;
    use crate::reduce::{Reduction, Reductions, reduce};

    /// `main` uses all globals; `p` one, and writes none; `q` none of its own but what `p` uses.
    #[test]
    fn globals_that_are_not_used_are_told() {
        let (ersm, goal) = program(
            "decl a, b, c; void main() begin a := b; c := 1; q(); assert(a); end
             void p() begin if (b) then skip; fi end void q() begin p(); end",
        );
        let reduced = reduce(&ersm, &goal, Reductions::none().with(Reduction::ModRef));
        let told = |index: usize| reduced.ersm().procedures[index].footprint.as_ref();
        assert_eq!(told(0), None);
        assert_eq!(told(1).map(|f| (&*f.used, &*f.written)), Some((&[1][..], &[][..])));
        assert_eq!(told(2), told(1));
        assert_eq!(reduced.removed[0].hidden, 4);
        assert!(!reduced.is_exact());
    }
}

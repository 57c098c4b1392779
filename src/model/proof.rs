//! Proofs that nothing of what is looked for can be found: for each procedure what never happens.
//!
//! A proof is to TRUE what a run is to FALSE. Its claims speak of the machine as it was built, not of a
//! reduced one: "entered by such an entry with such values, control never comes to such a place with such
//! values". Claims of all procedures together are inductive: each follows from the others by looking at the
//! paths of one procedure alone, where loops are cut and calls do what the claims about the callee leave open.
//! (They are the summaries of Godefroid 3.1, as CNFs that include them.)

use super::ersm::{ProcId, Vertex};
use crate::syntax::Var;

/// What never happens in a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The procedures of which something is claimed, in increasing order.
    pub procedures: Vec<ProcedureProof>,
}

/// What never happens in a procedure. One that nobody calls is entered only where a computation starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcedureProof {
    /// The procedure.
    pub procedure: ProcId,
    /// Where its loops are cut: every cycle goes through one of these.
    pub cuts: Vec<Vertex>,
    /// The claims.
    pub never: Vec<Never>,
}

/// A claim: this never happens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Never {
    /// It is entered by one of these (places in its list of entries); by any if there is no list…
    pub entries: Option<Vec<u32>>,
    /// …with these values of globals and inputs…
    pub before: Vec<(Var, bool)>,
    /// …and control comes to one of these places…
    pub places: Vec<ProofPlace>,
    /// …with these values.
    pub after: Vec<(Var, bool)>,
}

/// Where control comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofPlace {
    /// The exit with this place in the list of exits.
    Exit(u32),
    /// The cut with this place in the list of cuts.
    Cut(u32),
    /// Something that is looked for is found, here or in what is called.
    Failure,
}

impl Never {
    /// It speaks of this entry.
    pub fn has_entry(&self, entry: u32) -> bool {
        self.entries.as_ref().is_none_or(|entries| entries.contains(&entry))
    }
}

impl Proof {
    /// How much it claims.
    pub fn claims(&self) -> usize {
        self.procedures.iter().map(|procedure| procedure.never.len()).sum()
    }
}

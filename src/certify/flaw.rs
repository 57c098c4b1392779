//! Why a certificate is not accepted.

use super::names::Naming;
use crate::model::{Ersm, Never, ProcId, ProofPlace, Vertex};
use crate::syntax::Span;

/// What is wrong with a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It speaks of something that is not there.
    Misfit {
        /// The procedure that it speaks of, perhaps not one of the machine.
        procedure: ProcId,
        /// The claim, by its place in the list.
        claim: Option<usize>,
        /// What is not there.
        what: String,
    },
    /// A loop without a cut.
    Loop {
        /// The procedure.
        procedure: ProcId,
        /// A vertex on the loop, or after it.
        vertex: Vertex,
    },
    /// A claim that does not follow from the others.
    Claim {
        /// The procedure.
        procedure: ProcId,
        /// The claim, by its place in the list.
        claim: usize,
        /// The place at which it does not hold.
        place: ProofPlace,
    },
    /// A computation starts here, and no claims exclude that it finds what is looked for.
    Start {
        /// The procedure.
        procedure: ProcId,
    },
}

impl Flaw {
    fn procedure(&self) -> ProcId {
        match *self {
            Flaw::Misfit { procedure, .. }
            | Flaw::Loop { procedure, .. }
            | Flaw::Claim { procedure, .. }
            | Flaw::Start { procedure } => procedure,
        }
    }

    /// In a few words.
    pub fn summary(&self, ersm: &Ersm) -> String {
        let name = match ersm.procedures.get(self.procedure().index()) {
            Some(_) => ersm.procedure_name(self.procedure()),
            None => "?",
        };
        match self {
            Flaw::Misfit { claim: Some(claim), .. } => format!("claim {claim} of {name} does not fit"),
            Flaw::Misfit { claim: None, .. } => format!("claims of {name} do not fit"),
            Flaw::Loop { .. } => format!("a loop of {name} is not cut"),
            Flaw::Claim { claim, .. } => format!("claim {claim} of {name} does not follow"),
            Flaw::Start { .. } => format!("failure from {name} is not excluded"),
        }
    }

    /// More of it; `claim` is the claim it is about, if it is about one.
    pub fn details(&self, ersm: &Ersm, claim: Option<&Never>) -> String {
        match (self, claim) {
            (Flaw::Misfit { what, .. }, _) => what.clone(),
            (Flaw::Loop { .. }, _) => "every loop has to go through one of the cuts".to_owned(),
            (Flaw::Start { .. }, _) => "its claims allow that a computation starts there and fails".to_owned(),
            (Flaw::Claim { procedure, place, .. }, Some(claim)) => {
                let naming = Naming::new(ersm);
                let scope = naming.scope(*procedure);
                let values = |values: &[(crate::model::Var, bool)]| -> String {
                    let each = values.iter().map(|&(var, v)| format!(" {}={}", scope.name(var), u8::from(v)));
                    each.collect()
                };
                let with = |list: String| if list.is_empty() { list } else { format!(" with{list}") };
                let (before, after) = (with(values(&claim.before)), with(values(&claim.after)));
                let entry = match &claim.entries {
                    Some(entries) => format!(" by entry {entries:?}"),
                    None => String::new(),
                };
                format!("entered{entry}{before}, it may come to {place}{after}, as far as the claims tell")
            }
            (Flaw::Claim { place, .. }, None) => format!("it may come to {place}, as far as the claims tell"),
        }
    }

    /// The number of the claim, if it is about one.
    pub fn claim(&self) -> Option<(ProcId, usize)> {
        match *self {
            Flaw::Claim { procedure, claim, .. } | Flaw::Misfit { procedure, claim: Some(claim), .. } => {
                Some((procedure, claim))
            }
            _ => None,
        }
    }

    /// Where it is in the source.
    pub fn span(&self, ersm: &Ersm) -> Option<Span> {
        let procedure = ersm.procedures.get(self.procedure().index())?;
        let node = match *self {
            Flaw::Loop { vertex: Vertex::Node(node), .. } => procedure.nodes.get(node.index()),
            Flaw::Claim { place: ProofPlace::Exit(exit), .. } => {
                procedure.exits.get(exit as usize).and_then(|node| procedure.nodes.get(node.index()))
            }
            _ => None,
        };
        Some(node.map_or(procedure.span, |node| node.span))
    }
}

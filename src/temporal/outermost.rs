//! A program ends where its outermost procedure does. A procedure in which runs start and that is also called gets a copy
//! for the start, so that an exit of the copy is an end, and an exit of the original never is.

use crate::model::{Ersm, ProcId};

/// A machine whose initial procedures are never called.
#[derive(Clone, Debug)]
pub struct Outermost {
    /// The machine.
    pub ersm: Ersm,
    /// By procedure: the procedure it is, or is a copy of.
    pub origin: Vec<ProcId>,
    /// By procedure: runs start in it, and nobody calls it.
    pub outer: Vec<bool>,
}

impl Outermost {
    /// Copies what must be copied.
    pub fn new(ersm: &Ersm) -> Outermost {
        let called = ersm.called();
        let mut all = Outermost {
            ersm: ersm.clone(),
            origin: (0..ersm.procedures.len()).map(ProcId::from).collect(),
            outer: vec![false; ersm.procedures.len()],
        };
        let mut copies: Vec<Option<ProcId>> = vec![None; ersm.procedures.len()];
        for index in 0..ersm.initial.len() {
            let (procedure, _) = ersm.initial[index];
            if called[procedure.index()] {
                let copy = *copies[procedure.index()].get_or_insert_with(|| {
                    all.ersm.procedures.push(ersm.procedure(procedure).clone());
                    all.origin.push(procedure);
                    all.outer.push(true);
                    ProcId::from(all.ersm.procedures.len() - 1)
                });
                all.ersm.initial[index].0 = copy;
            } else {
                all.outer[procedure.index()] = true;
            }
        }
        all
    }
}

//! A machine together with what is claimed of its procedures, in order of the places the claims are about.

use super::flaw::Flaw;
use super::scope::Scope;
use crate::model::{
    CallGraph, Ersm, Footprint, Goal, Never, ProcId, Procedure, ProcedureProof, Proof, ProofPlace, Var, Vertex,
    footprints,
};

/// The claims about a procedure.
pub(super) struct Claims<'e> {
    pub(super) proof: &'e ProcedureProof,
    /// By place: the numbers of the claims about it.
    exits: Vec<Vec<u32>>,
    cuts: Vec<Vec<u32>>,
    failure: Vec<u32>,
}

impl<'e> Claims<'e> {
    /// The claims about a place.
    pub(super) fn at(&self, place: ProofPlace) -> impl Iterator<Item = &'e Never> + '_ {
        let numbers = match place {
            ProofPlace::Exit(number) => self.exits.get(number as usize).map_or(&[][..], Vec::as_slice),
            ProofPlace::Cut(number) => self.cuts.get(number as usize).map_or(&[][..], Vec::as_slice),
            ProofPlace::Failure => &self.failure,
        };
        let proof = self.proof;
        numbers.iter().map(|&number| &proof.never[number as usize])
    }
}

/// A machine with claims that make sense, true or not.
pub(super) struct Machine<'e> {
    pub(super) ersm: &'e Ersm,
    pub(super) goal: &'e Goal,
    footprints: Vec<Option<Footprint>>,
    /// By procedure: some box calls it.
    pub(super) is_called: Vec<bool>,
    /// By procedure: what is looked for may be found in it or what it calls.
    pub(super) finds: Vec<bool>,
    /// By procedure: the globals that claims about it or its callees speak of though it is not concerned with them.
    besides: Vec<Vec<u32>>,
    /// By procedure.
    pub(super) claims: Vec<Option<Claims<'e>>>,
}

impl<'e> Machine<'e> {
    /// Every claim is about places and variables that there are.
    pub(super) fn new(ersm: &'e Ersm, goal: &'e Goal, proof: &'e Proof) -> Result<Machine<'e>, Flaw> {
        let calls = CallGraph::new(ersm);
        let footprints = footprints(ersm, &calls);
        let besides = besides(&calls, &footprints, ersm.globals.len(), proof);
        let mut machine = Machine {
            ersm,
            goal,
            footprints,
            besides,
            is_called: ersm.called(),
            finds: goal.finding(ersm),
            claims: (0..ersm.procedures.len()).map(|_| None).collect(),
        };
        for proof in &proof.procedures {
            let misfit = |claim: Option<usize>, what: &str| Flaw::Misfit {
                procedure: proof.procedure,
                claim,
                what: what.to_owned(),
            };
            // Of a procedure that no computation comes to nothing is known, its footprint included.
            let Some(Some(_)) = calls.component.get(proof.procedure.index()) else {
                return Err(misfit(None, "it is never called, nothing can be claimed of it"));
            };
            if machine.claims[proof.procedure.index()].is_some() {
                return Err(misfit(None, "its claims are in two places"));
            }
            let claims = machine.sorted(proof).map_err(|(claim, what)| misfit(claim, what))?;
            machine.claims[proof.procedure.index()] = Some(claims);
        }
        Ok(machine)
    }

    /// The variables of a procedure.
    pub(super) fn scope(&self, id: ProcId) -> Scope<'_> {
        let (footprint, besides) = (self.footprints[id.index()].as_ref(), &self.besides[id.index()]);
        Scope::new(self.ersm.procedure(id), footprint, besides, self.ersm.globals.len())
    }

    /// The globals that a procedure and its callees may write.
    pub(super) fn written(&self, id: ProcId) -> Vec<u32> {
        match &self.footprints[id.index()] {
            Some(footprint) => footprint.written.to_vec(),
            None => (0..self.ersm.globals.len() as u32).collect(),
        }
    }

    /// A computation may start in this procedure at the entry with this place.
    pub(super) fn starts_at(&self, id: ProcId, entry: u32) -> bool {
        let node = self.ersm.procedure(id).entries.get(entry as usize);
        node.is_some_and(|&node| self.ersm.initial.contains(&(id, node)))
    }

    fn sorted(&self, proof: &'e ProcedureProof) -> Result<Claims<'e>, (Option<usize>, &'static str)> {
        let procedure = self.ersm.procedure(proof.procedure);
        let mut cuts = proof.cuts.clone();
        cuts.sort_unstable();
        if cuts.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err((None, "a cut is listed twice"));
        }
        if !cuts.iter().all(|&cut| self.has(procedure, cut)) {
            return Err((None, "a cut is not one of its vertices"));
        }
        let scope = self.scope(proof.procedure);
        let mut claims = Claims {
            proof,
            exits: vec![Vec::new(); procedure.exits.len()],
            cuts: vec![Vec::new(); proof.cuts.len()],
            failure: Vec::new(),
        };
        for (number, claim) in proof.never.iter().enumerate() {
            let fail = |what| Err((Some(number), what));
            if claim.entries.iter().flatten().any(|&entry| entry as usize >= procedure.entries.len()) {
                return fail("it has no such entry");
            }
            if !claim.before.iter().all(|&(var, _)| scope.is_entering(var)) {
                return fail("a variable has no value on entry");
            }
            for &place in &claim.places {
                let list = match place {
                    ProofPlace::Exit(number) => claims.exits.get_mut(number as usize),
                    ProofPlace::Cut(number) => claims.cuts.get_mut(number as usize),
                    ProofPlace::Failure => Some(&mut claims.failure),
                };
                let Some(list) = list else { return fail("it has no such place") };
                list.push(number as u32);
                let is_seen = |var: Var| match place {
                    ProofPlace::Exit(_) => scope.is_leaving(var),
                    ProofPlace::Cut(_) => scope.index(var).is_some(),
                    ProofPlace::Failure => false,
                };
                if !claim.after.iter().all(|&(var, _)| is_seen(var)) {
                    return fail("a variable has no value at the place");
                }
            }
        }
        Ok(claims)
    }

    fn has(&self, procedure: &Procedure, vertex: Vertex) -> bool {
        let callee = |site: usize| procedure.boxes.get(site).map(|site| self.ersm.procedure(site.callee));
        match vertex {
            Vertex::Node(node) => node.index() < procedure.nodes.len(),
            Vertex::Call(site, entry) => callee(site.index()).is_some_and(|p| (entry as usize) < p.entries.len()),
            Vertex::Return(site, exit) => callee(site.index()).is_some_and(|p| (exit as usize) < p.exits.len()),
        }
    }
}

/// By procedure: the globals, of so many, that claims about it or its callees speak of though it is not concerned with
/// them; in increasing order.
fn besides(calls: &CallGraph, footprints: &[Option<Footprint>], globals: usize, proof: &Proof) -> Vec<Vec<u32>> {
    let mut claimed: Vec<Vec<u32>> = vec![Vec::new(); footprints.len()];
    for about in proof.procedures.iter().filter(|about| about.procedure.index() < footprints.len()) {
        let literals = about.never.iter().flat_map(|claim| claim.before.iter().chain(&claim.after));
        let named = literals.filter_map(|(var, _)| match *var {
            Var::Global(global) if (global as usize) < globals => Some(global),
            _ => None,
        });
        let list = &mut claimed[about.procedure.index()];
        list.extend(named);
        list.sort_unstable();
        list.dedup();
    }
    let besides = |(index, footprint): (usize, &Option<Footprint>)| {
        // Where it is not known it is all of them.
        let Some(footprint) = footprint else { return Vec::new() };
        let of_callees = calls.callees[index].iter().flat_map(|callee| &claimed[callee.index()]);
        let all = claimed[index].iter().chain(of_callees).copied();
        let mut list: Vec<u32> = all.filter(|global| footprint.used.binary_search(global).is_err()).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    footprints.iter().enumerate().map(besides).collect()
}

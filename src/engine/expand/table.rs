//! The bottom-up table for I/O bounded, deterministic, acyclic hierarchies (Godefroid Theorem 5).
//!
//! Callees before callers, each procedure runs once for every value of its inputs and of the globals
//! that it (with its callees) reads or writes; calls inside are looked up. Then the computation itself
//! is followed from the initial states through the table, to see which of the tabulated states are
//! really reached. The table is the state store of the deterministic algorithm, filled beforehand; calls
//! hide the globals that the callee never uses, so that what they look up is in it.

use super::compile::{Kind, PlaceId};
use super::deterministic::{Deterministic, Problem};
use super::masks::Masks;
use super::store::RowId;
use super::valuation::{Cell, set};
use crate::engine::watch::Watch;
use crate::model::{CallGraph, ProcId, footprints};

const NONE: RowId = RowId::MAX;

/// Fills the table, then follows the computation. `enumerated` as in the deterministic algorithm.
pub(super) fn run(search: &mut Deterministic<'_>, enumerated: &[usize], watch: &mut Watch<'_>) -> Result<(), Problem> {
    let calls = CallGraph::new(search.compiled.ersm);
    let footprints = footprints(search.compiled.ersm, &calls);
    search.counting = false;
    search.masks = Some(Masks::new(search.compiled.ersm, footprints.iter().map(Option::as_ref)));
    for &procedure in &calls.bottom_up {
        if let Some(footprint) = &footprints[procedure.index()] {
            tabulate(search, procedure, &footprint.used, watch)?;
        }
    }
    let starts = search.starts(enumerated);
    for (place, cells) in &starts {
        search.run_from(*place, cells, watch)?;
    }
    follow(search, &starts, watch)
}

/// Runs a procedure for every value of its inputs.
fn tabulate(
    search: &mut Deterministic<'_>,
    procedure: ProcId,
    globals: &[u32],
    watch: &mut Watch<'_>,
) -> Result<(), Problem> {
    let compiled = search.compiled;
    let ersm = compiled.ersm;
    let locals = ersm.procedure(procedure).inputs.iter().map(|&input| ersm.globals.len() + input as usize);
    let bits: Vec<usize> = globals.iter().map(|&global| global as usize).chain(locals).collect();
    for entry in &ersm.procedure(procedure).entries {
        let place = compiled.node_base[procedure.index()] + entry.0;
        for values in 0..1u64 << bits.len() {
            let mut cells = compiled.initial_locals(procedure.index()).to_vec();
            for (index, &bit) in bits.iter().enumerate() {
                set(&mut cells, bit, Some(values >> index & 1 == 1));
            }
            search.run_from(place, &cells, watch)?;
        }
    }
    Ok(())
}

/// Marks what the computation reaches, each activation once.
fn follow(
    search: &mut Deterministic<'_>,
    starts: &[(PlaceId, Vec<Cell>)],
    watch: &mut Watch<'_>,
) -> Result<(), Problem> {
    let mut seen = vec![false; search.rows.len()];
    for (place, cells) in starts {
        let Ok((start, _)) = search.rows.insert(u64::from(*place), cells) else { continue };
        // Entry row, call row, and the row where the activation stands.
        let mut stack: Vec<(RowId, RowId, RowId)> = vec![(start, NONE, start)];
        while let Some(&(_, _, row)) = stack.last() {
            if row == NONE {
                stack.pop();
                continue;
            }
            let new = !std::mem::replace(&mut seen[row as usize], true);
            let called = match search.kind(row) {
                Kind::Call(site) => new && watch.wants_call(search.compiled.sites[site as usize].callee),
                _ => false,
            };
            if called || new && watch.reach(search.rows.header(row) as u32) {
                let frames: Vec<(RowId, RowId)> = stack.iter().map(|&(entry, call, _)| (entry, call)).collect();
                search.remember(&frames, row);
                return Err(Problem::Found(row));
            }
            if let Some(top) = stack.last_mut() {
                top.2 = if new { search.next[row as usize] } else { NONE };
            }
            if let Some(&entry) = search.called.get(&row).filter(|_| new) {
                stack.push((entry, row, entry));
            }
        }
    }
    Ok(())
}

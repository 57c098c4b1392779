//! Invariants of loops of C programs, from a proof: what its claims say about the heads of loops, as C expressions.
//!
//! A claim says that certain bits never have certain values together where a loop is cut. Where all of them belong to
//! variables that can be named there it becomes a clause like `(x & 3U) != 2U || y != 0`. Claims that speak of how a
//! function was entered are left out: an invariant holds however control comes by. (Of `main`, whose start is known, it
//! is enough that they speak of values that globals start with.)

use crate::model::{Never, ProcId, Proof, ProofPlace, SourceMap, Vertex};
use crate::syntax::c::{Function, Loop, Program, mask};
use crate::syntax::{Place, Span, Var};
use std::collections::BTreeMap;

/// More clauses than this help nobody.
const MOST_CLAUSES: usize = 200;

/// An invariant: the loop, its function, and what holds whenever its condition is about to be evaluated.
pub type LoopInvariant = (Span, String, String);

/// The invariants of a proof about a program.
pub fn loop_invariants(program: &Program, map: &SourceMap, proof: &Proof) -> Vec<LoopInvariant> {
    let mut invariants = Vec::new();
    for claims in &proof.procedures {
        let index = claims.procedure.index();
        let function = &program.functions[index];
        let landing = function.landing();
        for (cut, vertex) in claims.cuts.iter().enumerate() {
            let Vertex::Node(node) = *vertex else { continue };
            let Some(Place::Statement(statement)) = map.place(index, node.index()) else { continue };
            let is_here = |l: &&Loop| l.frame == 0 && landing[l.statement as usize] == Some(statement);
            let Some(user_loop) = function.loops.iter().find(is_here) else { continue };
            let place = ProofPlace::Cut(cut as u32);
            let claimed = claims.never.iter().filter(|never| never.places.contains(&place));
            let claimed = claimed.filter(|never| always_entered(program, claims.procedure, never));
            let (single, several): (Vec<&Never>, Vec<&Never>) = claimed.partition(|never| never.after.len() == 1);
            // Of single bits that never have a value it is known which they have.
            let known = single.iter().map(|never| (never.after[0].0, !never.after[0].1));
            let known = words(program, index, user_loop, known, true);
            let mut clauses: Vec<String> =
                known.iter().flatten().map(|(&cell, &known)| has(program, index, cell, known)).collect();
            clauses.extend(several.iter().filter_map(|never| clause(program, index, user_loop, never)));
            if !clauses.is_empty() && clauses.len() <= MOST_CLAUSES {
                let value = clauses.iter().map(|clause| format!("({clause})")).collect::<Vec<_>>().join(" && ");
                let name = program.names.text(function.name).to_owned();
                invariants.push((user_loop.span, name, value));
            }
        }
    }
    invariants.sort();
    invariants
}

/// The claim speaks of every way to enter the procedure.
fn always_entered(program: &Program, procedure: ProcId, never: &Never) -> bool {
    let starts_so = |&(var, value): &(Var, bool)| {
        let Var::Global(bit) = var else { return false };
        let at = program.globals.partition_point(|variable| variable.first_bit <= bit) - 1;
        let variable = &program.globals[at];
        variable.initial.is_some_and(|initial| (initial >> (bit - variable.first_bit) & 1 == 1) == value)
    };
    never.before.is_empty() || procedure.index() == program.main && never.before.iter().all(starts_so)
}

/// Bits of variables, and the values they have.
type Words = BTreeMap<Var, (u64, u64)>;

/// Bits put together by variables that can be named at the loop; of others nothing is said (`partial`), or nothing at
/// all.
fn words(
    program: &Program,
    index: usize,
    user_loop: &Loop,
    bits: impl IntoIterator<Item = (Var, bool)>,
    partial: bool,
) -> Option<Words> {
    let mut words = Words::new();
    for (var, value) in bits {
        let (cell, bit) = cell_of(program, &program.functions[index], var);
        if program.variable(index, cell).is_written && user_loop.visible.binary_search(&cell).is_ok() {
            let (bits, values) = words.entry(cell).or_default();
            *bits |= 1 << bit;
            *values |= u64::from(value) << bit;
        } else if !partial {
            return None;
        }
    }
    Some(words)
}

/// What the claim excludes, as a clause over variables that can be named at the loop.
fn clause(program: &Program, index: usize, user_loop: &Loop, never: &Never) -> Option<String> {
    let words = words(program, index, user_loop, never.after.iter().copied(), false)?;
    let tests = words.iter().map(|(&cell, &(bits, values))| {
        let variable = program.variable(index, cell);
        let name = program.names.text(variable.name);
        let suffix = if variable.ty.bits > 32 { "ULL" } else { "U" };
        match bits == mask(variable.ty.bits) {
            true => format!("{name} != {}", variable.ty.number(values)),
            false => format!("({name} & {bits}{suffix}) != {values}{suffix}"),
        }
    });
    Some(tests.collect::<Vec<_>>().join(" || "))
}

/// Some bits of a variable have these values: a range, if these are all above a certain one and zero.
fn has(program: &Program, index: usize, cell: Var, (bits, values): (u64, u64)) -> String {
    let variable = program.variable(index, cell);
    let name = program.names.text(variable.name);
    let all = mask(variable.ty.bits);
    let suffix = if variable.ty.bits > 32 { "ULL" } else { "U" };
    let rest = all & !bits;
    match (rest.checked_add(1).is_some_and(u64::is_power_of_two), values) {
        _ if bits == all => format!("{name} == {}", variable.ty.number(values)),
        (true, 0) if variable.ty.is_signed() => format!("{name} >= 0 && {name} <= {rest}"),
        (true, 0) => format!("{name} <= {rest}{suffix}"),
        _ => format!("({name} & {bits}{suffix}) == {values}{suffix}"),
    }
}

/// The variable that a Boolean variable of the model is a bit of, and which bit.
fn cell_of(program: &Program, function: &Function, var: Var) -> (Var, u32) {
    let (bit, variables) = match var {
        Var::Global(bit) => (bit, &program.globals),
        Var::Local(bit) => (bit, &function.locals),
    };
    let at = variables.partition_point(|variable| variable.first_bit <= bit) - 1;
    let cell = if matches!(var, Var::Global(_)) { Var::Global(at as u32) } else { Var::Local(at as u32) };
    (cell, bit - variables[at].first_bit)
}

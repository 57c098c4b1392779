//! Invariants of loops of C programs, from a proof: what its claims say about the heads of loops, as C expressions.
//!
//! A claim says that certain bits never have certain values together where a loop is cut. Where all of them belong to
//! variables that can be named there it becomes a clause like `(x & 3U) != 2U || y != 0`. Claims that speak of how a
//! function was entered are left out: an invariant holds however control comes by. (Of `main`, whose start is known, it
//! is enough that they speak of values that globals start with.)

use crate::model::{Never, ProcId, Proof, ProofPlace, SourceMap, Vertex};
use crate::syntax::c::{Function, IntType, Loop, Program, Variable, mask};
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
            let is_exact = |l: &&Loop| !program.inexact.contains(&l.span);
            let is_here = |l: &&Loop| l.frame == 0 && is_exact(l) && landing[l.statement as usize] == Some(statement);
            let Some(user_loop) = function.loops.iter().find(is_here) else { continue };
            let place = ProofPlace::Cut(cut as u32);
            let claimed = claims.never.iter().filter(|never| never.places.contains(&place));
            let claimed = claimed.filter(|never| always_entered(program, claims.procedure, never));
            let (single, several): (Vec<&Never>, Vec<&Never>) = claimed.partition(|never| never.after.len() == 1);
            // Of single bits that never have a value it is known which they have.
            let named = Named { program, function, user_loop };
            let known = single.iter().filter_map(|never| named.bit((never.after[0].0, !never.after[0].1)));
            let known = words(known);
            let mut clauses: Vec<String> = known.iter().map(|(&cell, &known)| named.has(cell, known)).collect();
            clauses.extend(several.iter().filter_map(|never| named.clause(never)));
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
        let (at, bit) = cell_of(&program.globals, bit);
        program.globals[at as usize].initial.is_some_and(|initial| (initial >> bit & 1 == 1) == value)
    };
    never.before.is_empty() || procedure.index() == program.main && never.before.iter().all(starts_so)
}

/// The variable that a Boolean variable of the model is a bit of, and which bit.
fn cell_of(variables: &[Variable], bit: u32) -> (u32, u32) {
    let at = variables.partition_point(|variable| variable.first_bit <= bit) - 1;
    (at as u32, bit - variables[at].first_bit)
}

/// A bit of a variable, and its value.
type Bit = (Var, u32, bool);

/// Bits put together by their variables: which, and the values they have.
fn words(bits: impl IntoIterator<Item = Bit>) -> BTreeMap<Var, (u64, u64)> {
    let mut words: BTreeMap<Var, (u64, u64)> = BTreeMap::new();
    for (cell, bit, value) in bits {
        let (bits, values) = words.entry(cell).or_default();
        *bits |= 1 << bit;
        *values |= u64::from(value) << bit;
    }
    words
}

/// What can be named at a loop.
struct Named<'p> {
    program: &'p Program,
    function: &'p Function,
    user_loop: &'p Loop,
}

impl Named<'_> {
    fn variable(&self, cell: Var) -> &Variable {
        match cell {
            Var::Global(index) => &self.program.globals[index as usize],
            Var::Local(index) => &self.function.locals[index as usize],
        }
    }

    /// The bit of a variable that a Boolean variable of the model is, if that variable has a name here.
    fn bit(&self, (var, value): (Var, bool)) -> Option<Bit> {
        let (cell, bit) = match var {
            Var::Global(bit) => {
                let (at, bit) = cell_of(&self.program.globals, bit);
                (Var::Global(at), bit)
            }
            Var::Local(bit) => {
                let (at, bit) = cell_of(&self.function.locals, bit);
                (Var::Local(at), bit)
            }
        };
        let has_name = self.variable(cell).is_written && self.user_loop.visible.binary_search(&cell).is_ok();
        has_name.then_some((cell, bit, value))
    }

    /// What the claim excludes, as a clause, if everything in it has a name.
    fn clause(&self, never: &Never) -> Option<String> {
        let bits = never.after.iter().map(|&bit| self.bit(bit)).collect::<Option<Vec<_>>>()?;
        let tests = words(bits).into_iter().map(|(cell, (bits, values))| {
            let (name, ty, suffix) = self.parts(cell);
            match bits == mask(ty.bits) {
                true => format!("{name} != {}", ty.number(values)),
                false => format!("({name} & {bits}{suffix}) != {values}{suffix}"),
            }
        });
        Some(tests.collect::<Vec<_>>().join(" || "))
    }

    /// Some bits of a variable have these values: a range, if these are all above a certain one and zero.
    fn has(&self, cell: Var, (bits, values): (u64, u64)) -> String {
        let (name, ty, suffix) = self.parts(cell);
        let rest = mask(ty.bits) & !bits;
        match (rest.checked_add(1).is_some_and(u64::is_power_of_two), values) {
            _ if rest == 0 => format!("{name} == {}", ty.number(values)),
            (true, 0) if ty.is_signed() => format!("{name} >= 0 && {name} <= {rest}"),
            (true, 0) => format!("{name} <= {rest}{suffix}"),
            _ => format!("({name} & {bits}{suffix}) == {values}{suffix}"),
        }
    }

    /// Name and type of a variable, and the suffix of constants that are compared with it.
    fn parts(&self, cell: Var) -> (&str, IntType, &'static str) {
        let variable = self.variable(cell);
        let suffix = if variable.ty.bits > 32 { "ULL" } else { "U" };
        (self.program.names.text(variable.name), variable.ty, suffix)
    }
}

//! What atoms of a formula are in the model: signals at nodes, from what they say of places and variables of the source.

use super::CheckError;
use crate::logic::{Alphabet, Linear};
use crate::model::{Ersm, Leaf, SourceMap, Var};
use crate::syntax::{Atom, Program};
use crate::temporal::{Letter, Letters, Outermost};
use epitome_encodings::Lit;

/// The atoms of a property in a program.
///
/// # Errors
/// If the program has no such thing.
pub(super) fn resolve(program: &Program, linear: &Linear) -> Result<Vec<Atom>, CheckError> {
    let resolve = |text: &String| Atom::resolve(program, text);
    let atoms: Result<Vec<Atom>, String> = linear.atoms.iter().map(resolve).collect();
    atoms.map_err(|message| CheckError::NoSuchPlace { message })
}

/// What an automaton reads of the runs of a machine.
///
/// # Errors
/// If the program does not have what the property speaks of.
pub(super) fn letters(
    program: &Program,
    map: &SourceMap,
    base: &mut Outermost,
    linear: &Linear,
) -> Result<Letters, CheckError> {
    match linear.alphabet {
        Alphabet::States => Ok(states(program, map, base, &resolve(program, linear)?)),
        Alphabet::Labels => labels(&base.ersm, linear),
    }
}

fn states(program: &Program, map: &SourceMap, base: &mut Outermost, atoms: &[Atom]) -> Letters {
    let Outermost { ersm, origin, outer } = base;
    let mut letters = Vec::with_capacity(origin.len());
    for (&origin, &outer) in origin.iter().zip(&*outer) {
        let mut own: Vec<Option<Letter>> = Vec::new();
        for node in 0..map.places[origin.index()].len() {
            let Some(place) = map.place(origin.index(), node) else {
                own.push(None);
                continue;
            };
            let letter = atoms.iter().map(|atom| match atom.variable_in(origin.0) {
                Some(variable) => is_not_zero(program, ersm, origin.0, variable),
                None => Lit::constant(atom.holds_at(program, origin.0, place, outer)),
            });
            own.push(Some(letter.collect()));
        }
        letters.push(own);
    }
    Letters::States(letters)
}

/// Some bit of a variable is set.
fn is_not_zero(program: &Program, ersm: &mut Ersm, procedure: u32, variable: usize) -> Lit {
    let (bits, _) = program.bits_of(procedure, variable, 0);
    let globals = ersm.globals.len();
    let mut any = Lit::FALSE;
    for bit in bits {
        let var = match bit.checked_sub(globals) {
            Some(local) => Var::Local(local as u32),
            None => Var::Global(bit as u32),
        };
        let leaf = ersm.leaf(Leaf::Var(var));
        any = ersm.circuit.or(any, leaf);
    }
    any
}

/// Labels are atoms; one holds at a time.
fn labels(ersm: &Ersm, linear: &Linear) -> Result<Letters, CheckError> {
    let names: Vec<&str> = linear.atoms.iter().map(String::as_str).collect();
    let edges = || ersm.procedures.iter().flat_map(|procedure| &procedure.edges);
    let text = |label| ersm.names.text(label);
    if let Some(name) = names.iter().find(|name| !edges().any(|edge| edge.label.map(text) == Some(**name))) {
        return Err(CheckError::NoSuchPlace { message: format!("no transition of the program has the label \"{name}\"") });
    }
    let letter = |label| -> Letter { names.iter().map(|name| Lit::constant(text(label) == *name)).collect() };
    let procedures = ersm.procedures.iter();
    let letters = procedures.map(|procedure| procedure.edges.iter().map(|edge| edge.label.map(letter)).collect());
    Ok(Letters::Labels(letters.collect()))
}

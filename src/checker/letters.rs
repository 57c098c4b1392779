//! What atoms of a formula are in the model: signals at nodes, from what they say of places and variables of the source.

use super::CheckError;
use crate::logic::{Alphabet, Linear};
use crate::model::{Ersm, Leaf, SourceMap, Var};
use crate::syntax::{Atom, Comparison, Operator, Program, Term, Variables, variable_in};
use crate::temporal::{Letter, Letters, Outermost, State};
use epitome_encodings::{Circuit, Lit, Word};

/// The atoms of a property in a program.
///
/// # Errors
/// If the program has no such thing.
fn resolve(program: &Program, atoms: &[String]) -> Result<Vec<Atom>, CheckError> {
    let resolve = |text: &String| Atom::resolve(program, text);
    let atoms: Result<Vec<Atom>, String> = atoms.iter().map(resolve).collect();
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
    let refused = |message: &str| Err(CheckError::NoSuchPlace { message: message.to_owned() });
    match (linear.alphabet, program) {
        (Alphabet::States, _) => Ok(Letters::States(states(program, map, base, &linear.atoms)?)),
        (_, program) if program.is_clauses() => refused(NO_RUNS),
        (Alphabet::Labels, Program::Rsm(_)) => labels(&base.ersm, linear),
        (Alphabet::Labels, _) => refused("only transitions of machines have labels: --over labels is for them"),
    }
}

const NO_RUNS: &str = "Horn clauses have no runs: temporal properties are not for them";

/// What the atoms of a property are in the states of a machine.
///
/// # Errors
/// If the program has no such thing.
pub(super) fn states(
    program: &Program,
    map: &SourceMap,
    base: &mut Outermost,
    atoms: &[String],
) -> Result<Vec<Vec<Option<State>>>, CheckError> {
    if program.is_clauses() {
        return Err(CheckError::NoSuchPlace { message: NO_RUNS.to_owned() });
    }
    let atoms = resolve(program, atoms)?;
    let Outermost { ersm, origin, outer } = base;
    let mut letters = Vec::with_capacity(origin.len());
    for (&origin, &outer) in origin.iter().zip(&*outer) {
        let mut own: Vec<Option<State>> = Vec::new();
        for node in 0..map.places[origin.index()].len() {
            let Some(place) = map.place(origin.index(), node) else {
                own.push(None);
                continue;
            };
            let letter = atoms.iter().map(|atom| match atom {
                Atom::Variable(variables) => {
                    let word = word(program, ersm, origin.0, variables).unwrap_or_default();
                    ersm.circuit.any(&word)
                }
                Atom::Compares(comparison) => {
                    let value = compare(program, ersm, origin.0, comparison);
                    ersm.circuit.any(&value.unwrap_or_default())
                }
                _ => Lit::constant(atom.holds_at(program, origin.0, place, outer)),
            });
            let letter = letter.collect();
            own.push(Some(State { letter, is_end: program.ends_at(origin.0, place, outer) }));
        }
        letters.push(own);
    }
    Ok(letters)
}

/// A variable as a signed word, if it is in scope.
fn word(program: &Program, ersm: &mut Ersm, procedure: u32, variables: &Variables) -> Option<Word> {
    let (bits, ty) = program.bits_of(procedure, variable_in(variables, procedure)?, 0);
    let globals = ersm.globals.len();
    let var = |bit: usize| match bit.checked_sub(globals) {
        Some(local) => Var::Local(local as u32),
        None => Var::Global(bit as u32),
    };
    let mut word: Word = bits.map(|bit| ersm.leaf(Leaf::Var(var(bit)))).collect();
    if !ty.is_signed() {
        word.push(Lit::FALSE);
    }
    Some(word)
}

/// The value of an expression as a signed word that is long enough for it, if all its variables are in scope.
fn compare(program: &Program, ersm: &mut Ersm, procedure: u32, comparison: &Comparison) -> Option<Word> {
    let mut stack: Vec<Word> = Vec::new();
    for term in &comparison.terms {
        let value = match term {
            Term::Number(number) => {
                let mut word = Circuit::number(*number, 64);
                word.push(Lit::FALSE);
                word
            }
            Term::Variable(variables) => word(program, ersm, procedure, variables)?,
            Term::Not => {
                let operand = stack.pop()?;
                let any = ersm.circuit.any(&operand);
                vec![!any, Lit::FALSE]
            }
            Term::Negate => {
                let operand = stack.pop()?;
                let longer = ersm.circuit.resize(&operand, operand.len() + 1, true);
                ersm.circuit.negate(&longer)
            }
            Term::Binary(operator) => {
                let (right, left) = (stack.pop()?, stack.pop()?);
                binary(&mut ersm.circuit, *operator, &left, &right)
            }
        };
        stack.push(value);
    }
    stack.pop()
}

fn binary(circuit: &mut Circuit, operator: Operator, left: &[Lit], right: &[Lit]) -> Word {
    let bits = match operator {
        Operator::Multiply => left.len() + right.len(),
        _ => left.len().max(right.len()) + 1,
    };
    let [a, b] = [left, right].map(|word| circuit.resize(word, bits, true));
    let truth = match operator {
        Operator::Add => return circuit.add(&a, &b, Lit::FALSE).0,
        Operator::Subtract => return circuit.subtract(&a, &b).0,
        Operator::Multiply => return circuit.multiply(&a, &b),
        Operator::Or | Operator::And => {
            let [a, b] = [&a, &b].map(|word| circuit.any(word));
            if operator == Operator::And { circuit.and(a, b) } else { circuit.or(a, b) }
        }
        Operator::Equal => circuit.equal(&a, &b),
        Operator::NotEqual => !circuit.equal(&a, &b),
        Operator::Less => circuit.less(&a, &b, true),
        Operator::GreaterEqual => !circuit.less(&a, &b, true),
        Operator::Greater => circuit.less(&b, &a, true),
        Operator::LessEqual => !circuit.less(&b, &a, true),
    };
    vec![truth, Lit::FALSE]
}

/// Labels are atoms; one holds at a time.
fn labels(ersm: &Ersm, linear: &Linear) -> Result<Letters, CheckError> {
    let names: Vec<&str> = linear.atoms.iter().map(String::as_str).collect();
    let edges = || ersm.procedures.iter().flat_map(|procedure| &procedure.edges);
    let text = |label| ersm.names.text(label);
    if let Some(name) = names.iter().find(|name| !edges().any(|edge| edge.label.map(text) == Some(**name))) {
        return Err(CheckError::NoSuchPlace {
            message: format!("no transition of the program has the label \"{name}\""),
        });
    }
    let letter = |label| -> Letter { names.iter().map(|name| Lit::constant(text(label) == *name)).collect() };
    let procedures = ersm.procedures.iter();
    let letters = procedures.map(|procedure| procedure.edges.iter().map(|edge| edge.label.map(letter)).collect());
    Ok(Letters::Labels(letters.collect()))
}

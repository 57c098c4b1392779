//! The variables that a property speaks of: those of its formula, or of the assertion that fails.

use crate::cli::findings::Findings;
use crate::evidence::last_place;
use crate::logic::{Alphabet, Query};
use crate::syntax::{Atom, Program, Term};

/// Variables: globals, and locals of a procedure, by their places in the scope.
pub(super) fn variables(found: &Findings<'_>) -> Vec<(Option<u32>, usize)> {
    let &Findings { program, query, report, .. } = found;
    match query {
        Query::Linear(linear) if linear.alphabet == Alphabet::States => of_atoms(program, &linear.atoms),
        Query::Branching(branching) => of_atoms(program, &branching.atoms),
        Query::Linear(_) => Vec::new(),
        _ => {
            let run = report.run.as_ref().or(report.undefined.as_ref());
            let Some((procedure, place)) = run.map(last_place) else { return Vec::new() };
            let owner = |variable: usize| (variable >= program.global_count()).then_some(procedure);
            program.tested_at(procedure, place).into_iter().map(|variable| (owner(variable), variable)).collect()
        }
    }
}

fn of_atoms(program: &Program, atoms: &[String]) -> Vec<(Option<u32>, usize)> {
    let mut found = Vec::new();
    for atom in atoms.iter().filter_map(|atom| Atom::resolve(program, atom).ok()) {
        match atom {
            Atom::Variable(variables) => found.extend(variables),
            Atom::Compares(comparison) => found.extend(comparison.terms.into_iter().flat_map(|term| match term {
                Term::Variable(variables) => variables,
                _ => Vec::new(),
            })),
            Atom::At(..) | Atom::In(_) | Atom::Call(_) | Atom::End => {}
        }
    }
    found
}

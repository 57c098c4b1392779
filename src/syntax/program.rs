//! A program in any of the languages, and what the rest of the tool asks of it.

use super::bp;
use super::diagnostic::Diagnostic;
use super::expr::Var;
use super::horn;
use super::place::Place;
use super::rsm;
use super::source::{Source, Span};

/// Labels (or names or propositions of nodes) that mean failure by default.
pub const FAILURE_LABELS: [&str; 2] = ["ERROR", "SLIC_ERROR"];

/// A language that programs are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Boolean programs, `.bp`.
    Bp,
    /// Machines, `.rsm`.
    Rsm,
    /// Horn clauses, `.smt2`, which become a Boolean program.
    Horn,
}

impl Language {
    /// The language of a file, by the end of its name.
    pub fn of_file(name: &str) -> Option<Language> {
        match name.rsplit('.').next() {
            Some("bp") => Some(Language::Bp),
            Some("rsm") => Some(Language::Rsm),
            Some("smt2") => Some(Language::Horn),
            _ => None,
        }
    }
}

/// A program as written.
#[derive(Clone, Debug)]
pub enum Program {
    /// A Boolean program, or Horn clauses read as one.
    Bp(bp::Program),
    /// Machines.
    Rsm(rsm::Machines),
}

impl Program {
    /// Reads a text. On success the list holds warnings and notes, on failure errors as well.
    pub fn parse(source: &Source, language: Language) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
        match language {
            Language::Bp => bp::parse(source).map(|(program, notes)| (Program::Bp(program), notes)),
            Language::Horn => horn::parse(source).map(|(program, notes)| (Program::Bp(program), notes)),
            Language::Rsm => rsm::parse(source).map(|(machines, notes)| (Program::Rsm(machines), notes)),
        }
    }

    /// It was written as Horn clauses.
    pub fn is_clauses(&self) -> bool {
        matches!(self, Program::Bp(program) if program.origin == bp::Origin::Clauses)
    }

    /// Name of a procedure or machine.
    pub fn procedure_name(&self, procedure: u32) -> &str {
        match self {
            Program::Bp(program) => program.names.text(program.procedures[procedure as usize].name),
            Program::Rsm(machines) => machines.names.text(machines.machines[procedure as usize].name),
        }
    }

    /// Number of global variables.
    pub fn global_count(&self) -> usize {
        match self {
            Program::Bp(program) => program.globals.len(),
            Program::Rsm(machines) => machines.globals.len(),
        }
    }

    /// Number of variables in a procedure's scope.
    pub fn scope_size(&self, procedure: u32) -> usize {
        self.global_count()
            + match self {
                Program::Bp(program) => program.procedures[procedure as usize].locals.len(),
                Program::Rsm(machines) => machines.machines[procedure as usize].locals.len(),
            }
    }

    /// Name of a variable by its place in a procedure's scope, globals first.
    pub fn variable_name(&self, procedure: u32, place: usize) -> &str {
        let var = match place.checked_sub(self.global_count()) {
            Some(local) => Var::Local(local as u32),
            None => Var::Global(place as u32),
        };
        match self {
            Program::Bp(program) => program.var_name(procedure as usize, var),
            Program::Rsm(machines) => machines.var_name(procedure as usize, var),
        }
    }

    /// What a place is called: the labels of a statement, the name and propositions of a node.
    pub fn names_at(&self, procedure: u32, place: Place) -> Vec<&str> {
        match (self, place) {
            (Program::Rsm(machines), Place::Node(node)) => {
                let node = &machines.machines[procedure as usize].nodes[node as usize];
                std::iter::once(&node.name).chain(&node.propositions).map(|name| machines.names.text(*name)).collect()
            }
            _ => self.labels(procedure, place),
        }
    }

    /// The procedure that is called at a place.
    pub fn called_at(&self, procedure: u32, place: Place) -> Option<&str> {
        match (self, place) {
            (Program::Bp(program), Place::Statement(statement)) => {
                match program.procedures[procedure as usize].body[statement as usize].kind {
                    bp::Kind::Call { callee, .. } => Some(self.procedure_name(callee)),
                    _ => None,
                }
            }
            (Program::Rsm(machines), Place::Port(site, _)) => {
                Some(self.procedure_name(machines.machines[procedure as usize].boxes[site as usize].callee))
            }
            _ => None,
        }
    }

    /// The place is part of the call before it: of clauses, the check of what a predicate returned, which stands
    /// where the call does.
    pub fn belongs_to_call(&self, procedure: u32, place: Place) -> bool {
        let (Program::Bp(program), Place::Statement(statement)) = (self, place) else { return false };
        match program.procedures[procedure as usize].body.get(..=statement as usize) {
            Some([.., call, check]) if program.origin == bp::Origin::Clauses => {
                let kinds = (&call.kind, &check.kind);
                matches!(kinds, (bp::Kind::Call { .. }, bp::Kind::Assume(_))) && call.span == check.span
            }
            _ => false,
        }
    }

    /// Labels at a place of a Boolean program.
    pub fn labels(&self, procedure: u32, place: Place) -> Vec<&str> {
        match (self, place) {
            (Program::Bp(program), Place::Statement(statement)) => {
                let labels = program.procedures[procedure as usize].labels.iter();
                labels
                    .filter(|label| label.statement == statement && !label.is_internal)
                    .map(|label| program.names.text(label.name))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Where a place stands.
    pub fn span(&self, procedure: u32, place: Place) -> Span {
        let at = procedure as usize;
        match (self, place) {
            (Program::Bp(program), Place::Statement(index) | Place::Failed(index)) => {
                program.procedures[at].body[index as usize].span
            }
            (Program::Bp(program), _) => program.procedures[at].end_span,
            (Program::Rsm(machines), Place::Node(node)) => machines.machines[at].nodes[node as usize].span,
            (Program::Rsm(machines), Place::Port(site, _)) => machines.machines[at].boxes[site as usize].span,
            (Program::Rsm(machines), _) => machines.machines[at].span,
        }
    }
}

//! A program in any of the languages, and what the rest of the tool asks of it.

use super::bp;
use super::c;
use super::diagnostic::Diagnostic;
use super::expr::{Op, Var};
use super::horn;
use super::place::Place;
use super::rsm;
use super::source::{Source, Span};
use std::ops::Range;

/// Labels (or names or propositions of nodes) that mean failure by default.
pub const FAILURE_LABELS: [&str; 2] = ["ERROR", "SLIC_ERROR"];

/// Functions of C whose call means failure by default.
pub const FAILURE_CALLS: [&str; 4] = ["reach_error", "__VERIFIER_error", "__assert_fail", "__assert"];

/// A language that programs are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Boolean programs, `.bp`.
    Bp,
    /// Machines, `.rsm`.
    Rsm,
    /// Horn clauses, `.smt2`, which become a Boolean program.
    Horn,
    /// C, `.c` and `.i`.
    C,
}

impl Language {
    /// The language of a file, by the end of its name, in letters of any case.
    pub fn of_file(name: &str) -> Option<Language> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "bp" => Some(Language::Bp),
            "rsm" => Some(Language::Rsm),
            "smt2" => Some(Language::Horn),
            "c" | "i" => Some(Language::C),
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
    /// A C program.
    C(c::Program),
}

impl Program {
    /// Reads a text. On success the list holds warnings and notes, on failure errors as well.
    pub fn parse(source: &Source, language: Language) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
        match language {
            Language::Bp => bp::parse(source).map(|(program, notes)| (Program::Bp(program), notes)),
            Language::Horn => horn::parse(source).map(|(program, notes)| (Program::Bp(program), notes)),
            Language::Rsm => rsm::parse(source).map(|(machines, notes)| (Program::Rsm(machines), notes)),
            Language::C => {
                let read = c::parse(source, None, c::Settings::default());
                read.map(|(program, notes)| (Program::C(program), notes))
            }
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
            Program::C(program) => program.names.text(program.functions[procedure as usize].name),
        }
    }

    /// Name of the procedure that a place belongs to: of C, also one that is written out in another.
    pub fn procedure_at(&self, procedure: u32, place: Place) -> &str {
        match (self, place) {
            (Program::C(program), Place::Statement(statement) | Place::Failed(statement)) => {
                program.names.text(program.function_at(procedure as usize, statement as usize))
            }
            _ => self.procedure_name(procedure),
        }
    }

    /// The frame of a place: which call of C that is written out it belongs to, and the calls around it.
    pub fn frame(&self, procedure: u32, place: Place) -> (u32, usize) {
        let (Program::C(program), Place::Statement(statement) | Place::Failed(statement)) = (self, place) else {
            return (0, 0);
        };
        let function = &program.functions[procedure as usize];
        let frame = function.body.get(statement as usize).map_or(0, |statement| statement.frame);
        (frame, function.frames.get(frame as usize).map_or(0, |frame| frame.depth as usize))
    }

    /// Number of global variables.
    pub fn global_count(&self) -> usize {
        match self {
            Program::Bp(program) => program.globals.len(),
            Program::Rsm(machines) => machines.globals.len(),
            Program::C(program) => program.globals.len(),
        }
    }

    /// Number of variables in a procedure's scope.
    pub fn scope_size(&self, procedure: u32) -> usize {
        self.global_count()
            + match self {
                Program::Bp(program) => program.procedures[procedure as usize].locals.len(),
                Program::Rsm(machines) => machines.machines[procedure as usize].locals.len(),
                Program::C(program) => program.functions[procedure as usize].locals.len(),
            }
    }

    /// The bits of a variable in a packed valuation, by its place in a procedure's scope, and what numbers they stand
    /// for. No bits: a variable that the user did not write, or not in this frame.
    pub fn bits_of(&self, procedure: u32, place: usize, frame: u32) -> (Range<usize>, c::IntType) {
        match self {
            Program::C(program) => {
                let var = self.var(place);
                let variable = program.variable(procedure as usize, var);
                let bits = program.bits_of(procedure as usize, var);
                let is_seen = matches!(var, Var::Global(_)) || variable.frame == frame;
                (if variable.is_written && is_seen { bits } else { 0..0 }, variable.ty)
            }
            _ => (place..place + 1, c::IntType::BOOL),
        }
    }

    /// What a trace tells of variables in C, where a variable has no value before it is assigned: those that the
    /// statement reads, and those that it assigns, by their places in the procedure's scope.
    pub fn uses_at(&self, procedure: u32, place: Place) -> [Vec<usize>; 2] {
        let (Program::C(program), Place::Statement(statement)) = (self, place) else { return [Vec::new(), Vec::new()] };
        let kind = &program.functions[procedure as usize].body[statement as usize].kind;
        let globals = program.globals.len();
        [program.read_by(kind), program.assigned_by(kind)].map(|vars| {
            let place = |var| match var {
                Var::Global(index) => index as usize,
                Var::Local(index) => globals + index as usize,
            };
            vars.into_iter().map(place).collect()
        })
    }

    /// The variables that have a value when a procedure is entered, by their places in its scope.
    pub fn known_at_entry(&self, procedure: u32) -> Range<usize> {
        match self {
            Program::C(program) => 0..program.globals.len() + program.functions[procedure as usize].parameters,
            _ => 0..self.scope_size(procedure),
        }
    }

    fn var(&self, place: usize) -> Var {
        match place.checked_sub(self.global_count()) {
            Some(local) => Var::Local(local as u32),
            None => Var::Global(place as u32),
        }
    }

    /// Name of a variable by its place in a procedure's scope, globals first.
    pub fn variable_name(&self, procedure: u32, place: usize) -> &str {
        let var = self.var(place);
        match self {
            Program::Bp(program) => program.var_name(procedure as usize, var),
            Program::Rsm(machines) => machines.var_name(procedure as usize, var),
            Program::C(program) => program.names.text(program.variable(procedure as usize, var).name),
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
            (Program::C(program), Place::Statement(statement)) => {
                match program.functions[procedure as usize].body[statement as usize].kind {
                    c::Kind::Call { callee, .. } => Some(self.procedure_name(callee)),
                    c::Kind::Stop { function } | c::Kind::Enter { function } | c::Kind::Input { function, .. } => {
                        Some(program.names.text(function))
                    }
                    _ => None,
                }
            }
            (Program::Rsm(machines), Place::Port(site, _)) => {
                Some(self.procedure_name(machines.machines[procedure as usize].boxes[site as usize].callee))
            }
            _ => None,
        }
    }

    /// The place is not told in traces: of clauses, the check of what a predicate returned, which stands where its call
    /// does; of C, what has become a statement of its own on the way.
    pub fn is_silent(&self, procedure: u32, place: Place) -> bool {
        let Place::Statement(statement) = place else { return false };
        let program = match self {
            Program::Bp(program) => program,
            Program::C(program) => return !program.functions[procedure as usize].body[statement as usize].is_told,
            Program::Rsm(_) => return false,
        };
        match program.procedures[procedure as usize].body.get(..=statement as usize) {
            Some([.., call, check]) if program.origin == bp::Origin::Clauses => {
                let kinds = (&call.kind, &check.kind);
                matches!(kinds, (bp::Kind::Call { .. }, bp::Kind::Assume(_))) && call.span == check.span
            }
            _ => false,
        }
    }

    /// Labels at a place of a Boolean or C program.
    pub fn labels(&self, procedure: u32, place: Place) -> Vec<&str> {
        match (self, place) {
            (Program::Bp(program), Place::Statement(statement)) => {
                let labels = program.procedures[procedure as usize].labels.iter();
                labels
                    .filter(|label| label.statement == statement && !label.is_internal)
                    .map(|label| program.names.text(label.name))
                    .collect()
            }
            (Program::C(program), Place::Statement(statement)) => {
                let labels = program.functions[procedure as usize].labels.iter();
                let here = labels.filter(|label| label.statement == statement);
                here.map(|label| program.names.text(label.name)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What is wrong at a place of C where a check failed.
    pub fn hazard(&self, procedure: u32, place: Place) -> Option<c::Hazard> {
        let (Program::C(program), Place::Failed(statement)) = (self, place) else { return None };
        match program.functions[procedure as usize].body.get(statement as usize)?.kind {
            c::Kind::Check { hazard, .. } => Some(hazard),
            _ => None,
        }
    }

    /// The variables of an assertion that has failed at a place, by their places in the procedure's scope.
    pub fn tested_at(&self, procedure: u32, place: Place) -> Vec<usize> {
        let Place::Failed(statement) = place else { return Vec::new() };
        let Program::Bp(program) = self else {
            let [read, _] = self.uses_at(procedure, Place::Statement(statement));
            return read;
        };
        let bp::Kind::Assert(condition) = program.procedures[procedure as usize].body[statement as usize].kind else {
            return Vec::new();
        };
        let variable = |op: &Op| match *op {
            Op::Var(Var::Global(index)) => Some(index as usize),
            Op::Var(Var::Local(index)) => Some(program.globals.len() + index as usize),
            _ => None,
        };
        program.exprs.ops(condition).iter().filter_map(variable).collect()
    }

    /// Where the head of a procedure stands.
    pub fn head(&self, procedure: u32) -> Span {
        let at = procedure as usize;
        match self {
            Program::Bp(program) => program.procedures[at].span,
            Program::Rsm(machines) => machines.machines[at].span,
            Program::C(program) => program.functions[at].span,
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
            (Program::C(program), Place::Statement(index) | Place::Failed(index)) => {
                program.functions[at].body[index as usize].span
            }
            (Program::C(program), _) => program.functions[at].end_span,
            (Program::Rsm(machines), Place::Node(node)) => machines.machines[at].nodes[node as usize].span,
            (Program::Rsm(machines), Place::Port(site, _)) => machines.machines[at].boxes[site as usize].span,
            (Program::Rsm(machines), _) => machines.machines[at].span,
        }
    }
}

//! Atoms of formulas: what a name in a formula says of a state of a program.
//!
//! A state is a place of a procedure and the values of the variables in its scope; calls that wait are not looked at. So
//! a local variable is what it is while its procedure runs, and false elsewhere.

use super::comparison::{Comparison, Variables};
use super::{FAILURE_CALLS, Place, Program, Role, most_similar};

/// Values of comparisons have at most so many bits.
const MOST_BITS: usize = 127;

/// What an atom says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A variable is not zero: by procedure (in all if there is none), the place of the variable in its scope.
    Variable(Variables),
    /// An expression over variables is not zero; where one of them is not in scope it is not true.
    Compares(Comparison),
    /// Control is at a place of this name, perhaps of one procedure: a label, a node, a proposition.
    At(Option<String>, String),
    /// Control is in this procedure.
    In(String),
    /// This procedure is called.
    Call(String),
    /// The program has come to its end.
    End,
}

impl Atom {
    /// The meaning of an atom in a program.
    ///
    /// # Errors
    /// What the program does not have, with advice.
    pub fn resolve(program: &Program, text: &str) -> Result<Atom, String> {
        if text == "end" {
            return Ok(Atom::End);
        }
        let argument = |word: &str| text.strip_prefix(word)?.strip_prefix('(')?.strip_suffix(')');
        if let Some(name) = argument("in") {
            let name = name.strip_suffix("()").unwrap_or(name).to_owned();
            return if program.has_procedure(&name) { Ok(Atom::In(name)) } else { Err(program.no_procedure(&name)) };
        }
        if let Some(name) = argument("call") {
            let name = name.strip_suffix("()").unwrap_or(name).to_owned();
            program.find_procedure(&name)?;
            return Ok(Atom::Call(name));
        }
        if let Some(name) = argument("at").or_else(|| argument("label")) {
            return program.place_atom(name).ok_or_else(|| program.no_place(name));
        }
        let (procedure, name) = split(text);
        let is_label = text.contains('@');
        program.is_one_variable(procedure, name)?;
        let variable = if is_label { None } else { program.variable_atom(procedure, name) };
        if let Some(atom) = variable.or_else(|| program.place_atom(text)) {
            return Ok(atom);
        }
        if text.contains(|c: char| "<>=!&|+-*()".contains(c)) {
            let variable = |name: &str| {
                program.is_one_variable(split(name).0, split(name).1)?;
                match program.variable_atom(split(name).0, split(name).1) {
                    Some(Atom::Variable(variables)) => Ok(variables),
                    _ => Err(program.no_atom(name)),
                }
            };
            let comparison =
                Comparison::parse(text, variable).map_err(|message| format!("the atom \"{text}\": {message}"))?;
            let bits = |variables: &Variables| {
                let bits = |&(procedure, place): &(Option<u32>, usize)| {
                    program.bits_of(procedure.unwrap_or(0), place, 0).0.len()
                };
                variables.iter().map(bits).max().unwrap_or(0)
            };
            return match comparison.bits(bits) {
                0..=MOST_BITS => Ok(Atom::Compares(comparison)),
                _ => Err(format!("the atom \"{text}\": its numbers get too large")),
            };
        }
        Err(program.no_atom(text))
    }

    /// An atom about places holds at this one; `outermost`: the procedure is not called by any other.
    pub fn holds_at(&self, program: &Program, procedure: u32, place: Place, outermost: bool) -> bool {
        match self {
            Atom::Variable(_) | Atom::Compares(_) => false,
            Atom::At(within, name) => {
                within.as_ref().is_none_or(|within| program.procedure_at(procedure, place) == within)
                    && program.names_at(procedure, place).iter().any(|other| is_name(other, name))
            }
            Atom::In(name) => program.procedure_at(procedure, place) == name,
            Atom::Call(name) => program.call_at(procedure, place, outermost) == Some(name.as_str()),
            Atom::End => program.ends_at(procedure, place, outermost),
        }
    }
}

/// The variable that is meant in a procedure, by its place in the scope.
pub fn variable_in(variables: &Variables, procedure: u32) -> Option<usize> {
    let (_, place) = variables.iter().find(|(within, _)| within.is_none_or(|within| within == procedure))?;
    Some(*place)
}

/// Procedure and name, as they are written together.
fn split(text: &str) -> (Option<&str>, &str) {
    let joint = ["::", ".", "@", ":"].iter().filter_map(|joint| Some((text.rfind(joint)?, joint.len()))).max();
    joint.map_or((None, text), |(at, length)| (Some(text[..at].trim_end_matches(':')), &text[at + length..]))
}

/// Names that are no plain words are in braces.
fn is_name(name: &str, text: &str) -> bool {
    name == text || name.strip_prefix('{').and_then(|name| name.strip_suffix('}')) == Some(text)
}

impl Program {
    fn procedure_count(&self) -> u32 {
        match self {
            Program::Bp(program) => program.procedures.len() as u32,
            Program::Rsm(machines) => machines.machines.len() as u32,
            Program::C(program) => program.functions.len() as u32,
        }
    }

    fn has_procedure(&self, name: &str) -> bool {
        (0..self.procedure_count()).any(|procedure| self.procedure_name(procedure) == name)
    }

    /// There is something of this name that can be called, though it need not be called anywhere, nor have a body.
    ///
    /// # Errors
    /// If there is not, with advice.
    pub fn find_procedure(&self, name: &str) -> Result<(), String> {
        let is_known = self.has_procedure(name) || self.is_declared(name) || self.calls(name);
        if is_known { Ok(()) } else { Err(self.no_procedure(name)) }
    }

    /// A function of C that may not run, or has no body.
    fn is_declared(&self, name: &str) -> bool {
        match self {
            Program::C(program) => program.names.find(name).is_some_and(|name| program.declared.contains(&name)),
            _ => false,
        }
    }

    /// Statements and nodes of a procedure.
    fn places(&self, procedure: u32) -> impl Iterator<Item = Place> {
        let (count, place): (_, fn(u32) -> Place) = match self {
            Program::Bp(program) => (program.procedures[procedure as usize].body.len(), Place::Statement),
            Program::Rsm(machines) => (machines.machines[procedure as usize].nodes.len(), Place::Node),
            Program::C(program) => (program.functions[procedure as usize].body.len(), Place::Statement),
        };
        (0..count as u32).map(place)
    }

    fn all_places(&self) -> impl Iterator<Item = (u32, Place)> {
        (0..self.procedure_count()).flat_map(|procedure| self.places(procedure).map(move |place| (procedure, place)))
    }

    /// Something of this name is called somewhere, though it need not be a procedure of the program.
    fn calls(&self, name: &str) -> bool {
        self.all_places().any(|(procedure, place)| self.called_at(procedure, place) == Some(name))
    }

    /// A function of C may have several variables of one name, in different blocks: which one is meant cannot be told.
    fn is_one_variable(&self, procedure: Option<&str>, name: &str) -> Result<(), String> {
        let Program::C(_) = self else { return Ok(()) };
        let globals = self.global_count();
        let is_meant = |id: &u32| procedure.is_none_or(|procedure| self.procedure_name(*id) == procedure);
        for id in (0..self.procedure_count()).filter(is_meant) {
            let named =
                |&place: &usize| self.variable_name(id, place) == name && !self.bits_of(id, place, 0).0.is_empty();
            if (globals..self.scope_size(id)).filter(named).count() > 1 {
                let function = self.procedure_name(id);
                return Err(format!("`{function}` has several variables `{name}`: which one is meant cannot be told"));
            }
        }
        Ok(())
    }

    fn variable_atom(&self, procedure: Option<&str>, name: &str) -> Option<Atom> {
        let named = |procedure: u32, place: &usize| is_name(self.variable_name(procedure, *place), name);
        let is_own = |procedure: u32, place: usize| match self {
            // Of C, what the user did not write, and functions that are written out, are not seen.
            Program::C(_) => !self.bits_of(procedure, place, 0).0.is_empty(),
            _ => true,
        };
        let globals = self.global_count();
        if procedure.is_none() && self.procedure_count() > 0 {
            let global = (0..globals).find(|place| named(0, place) && is_own(0, *place));
            if let Some(global) = global {
                return Some(Atom::Variable(vec![(None, global)]));
            }
        }
        let mut locals = Vec::new();
        for id in 0..self.procedure_count() {
            if procedure.is_none_or(|procedure| self.procedure_name(id) == procedure) {
                let mut places = globals..self.scope_size(id);
                let local = places.find(|place| named(id, place) && is_own(id, *place));
                locals.extend(local.map(|local| (Some(id), local)));
            }
        }
        (!locals.is_empty()).then_some(Atom::Variable(locals))
    }

    fn place_atom(&self, text: &str) -> Option<Atom> {
        let (procedure, name) = split(text);
        [(None, text), (procedure, name)].into_iter().find_map(|(procedure, name)| {
            let atom = Atom::At(procedure.map(str::to_owned), name.to_owned());
            let holds = self.all_places().any(|(procedure, place)| atom.holds_at(self, procedure, place, false));
            holds.then_some(atom)
        })
    }

    /// What is called in a state: of machines, in the state that a call leads to.
    fn call_at(&self, procedure: u32, place: Place, outermost: bool) -> Option<&str> {
        match (self, place) {
            (Program::Rsm(machines), Place::Node(node)) => {
                let role = machines.machines[procedure as usize].nodes[node as usize].role;
                (role == Role::Entry && !outermost).then(|| self.procedure_name(procedure))
            }
            _ => self.called_at(procedure, place),
        }
    }

    /// The whole run ends here.
    pub fn ends_at(&self, procedure: u32, place: Place, outermost: bool) -> bool {
        match (self, place) {
            (_, Place::Failed(_)) => true,
            (_, Place::End) => outermost,
            (Program::Rsm(machines), Place::Node(node)) => {
                outermost && machines.machines[procedure as usize].nodes[node as usize].role == Role::Exit
            }
            (Program::C(program), Place::Statement(statement)) => {
                program.functions[procedure as usize].body[statement as usize].kind.is_stop()
            }
            _ => false,
        }
    }

    fn no_procedure(&self, name: &str) -> String {
        let names = (0..self.procedure_count()).map(|procedure| self.procedure_name(procedure));
        let (what, declared): (_, Vec<&str>) = match self {
            Program::C(c) => ("function", c.declared.iter().map(|&name| c.names.text(name)).collect()),
            _ => ("procedure", Vec::new()),
        };
        missing(&format!("no {what} `{name}`"), name, names.chain(FAILURE_CALLS).chain(declared))
    }

    fn no_place(&self, name: &str) -> String {
        let names = self.all_places().flat_map(|(procedure, place)| self.names_at(procedure, place));
        missing(&format!("no label `{name}`"), split(name).1, names)
    }

    fn no_atom(&self, name: &str) -> String {
        let labels = self.all_places().flat_map(|(procedure, place)| self.names_at(procedure, place));
        let scopes = (0..self.procedure_count()).map(|procedure| (procedure, self.scope_size(procedure)));
        let variables = scopes.flat_map(|(procedure, size)| (0..size).map(move |place| (procedure, place)));
        let variables = variables.map(|(procedure, place)| self.variable_name(procedure, place));
        let what = match self {
            Program::Rsm(_) => "variable, node or proposition",
            _ => "variable or label",
        };
        missing(&format!("no {what} `{name}`"), split(name).1, variables.chain(labels))
    }
}

fn missing<'n>(what: &str, name: &str, names: impl Iterator<Item = &'n str>) -> String {
    let advice = most_similar(name, names).map_or(String::new(), |similar| format!("; did you mean `{similar}`?"));
    format!("the program has {what}{advice}")
}

//! All configurations of a Boolean program, with whole call stacks, and the steps between them ([`super::semantics`], which shares
//! nothing with the library but the syntax tree). A configuration without a successor stays.

use super::kripke::Graph;
use super::semantics::{Bits, Semantics, State, Step};
use epitome::logic::Blocked;
use epitome::syntax::Var;
use epitome::syntax::bp::Program;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Frame {
    procedure: usize,
    place: usize,
    locals: Bits,
}

/// What the active activation is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Doing {
    Running,
    /// It has come to its end, with these results.
    Ended(Bits),
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Configuration {
    globals: Bits,
    stack: Vec<Frame>,
    doing: Doing,
}

impl Configuration {
    /// The program ends here.
    fn is_end(&self) -> bool {
        self.doing == Doing::Failed || matches!(self.doing, Doing::Ended(_)) && self.stack.len() == 1
    }
}

struct Builder<'p> {
    semantics: Semantics<'p>,
    program: &'p Program,
    numbers: HashMap<Configuration, usize>,
    all: Vec<Configuration>,
}

/// The configurations of a program with the atoms that hold in them: globals, locals as `procedure.local`, `in(procedure)` and `end`.
/// Nothing if the stack gets deeper than this, or there are too many configurations. Runs that are blocked may be discarded.
pub fn configurations(
    program: &Program,
    atoms: &[String],
    (depth, most): (usize, usize),
    blocked: Blocked,
) -> Option<Graph> {
    let mut builder = Builder { semantics: Semantics::new(program), program, numbers: HashMap::new(), all: Vec::new() };
    let mut initial = Vec::new();
    for globals in builder.semantics.initial_globals() {
        for arguments in builder.semantics.initial_arguments() {
            for start in builder.enter(&[], program.main, globals, arguments) {
                initial.push(builder.number(start));
            }
        }
    }
    let mut successors = Vec::new();
    while successors.len() < builder.all.len() {
        let at = builder.all[successors.len()].clone();
        if at.stack.len() > depth || builder.all.len() > most {
            return None;
        }
        let next = builder.next(&at);
        let mut next: Vec<usize> = next.into_iter().map(|next| builder.number(next)).collect();
        // A run that cannot go on stays, or does not count.
        let stays = at.is_end() || blocked == Blocked::Stutter;
        if next.is_empty() && stays {
            next.push(successors.len());
        }
        successors.push(next);
    }
    let letters = builder.all.iter().map(|at| builder.letter(at, atoms)).collect();
    Some(Graph { initial, successors, letters })
}

impl Builder<'_> {
    fn number(&mut self, configuration: Configuration) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(configuration.clone()).or_insert(next);
        if number == next {
            self.all.push(configuration);
        }
        number
    }

    /// The configurations in which control rests at a place; at the end of a procedure, with any results.
    fn at(&self, below: &[Frame], procedure: usize, place: usize, state: State) -> Vec<Configuration> {
        let mut stack = below.to_vec();
        stack.push(Frame { procedure, place, locals: state.locals });
        let syntax = &self.program.procedures[procedure];
        let make = |doing| Configuration { globals: state.globals, stack: stack.clone(), doing };
        match place == syntax.body.len() {
            true => (0..1 << syntax.results).map(|results| make(Doing::Ended(results))).collect(),
            false => vec![make(Doing::Running)],
        }
    }

    fn enter(&self, below: &[Frame], procedure: usize, globals: Bits, arguments: Bits) -> Vec<Configuration> {
        let entries = self.semantics.entries(procedure, globals, arguments).into_iter();
        entries.flat_map(|(place, state)| self.at(below, procedure, place, state)).collect()
    }

    fn next(&self, at: &Configuration) -> Vec<Configuration> {
        let (&Frame { procedure, place, locals }, below) = at.stack.split_last().expect("a stack has a frame");
        match at.doing {
            Doing::Failed => Vec::new(),
            Doing::Ended(results) => {
                let Some((caller, below)) = below.split_last() else { return Vec::new() };
                let after = self.semantics.returned(caller.procedure, caller.place, caller.locals, at.globals, results);
                after.map_or(Vec::new(), |(place, state)| self.at(below, caller.procedure, place, state))
            }
            Doing::Running => {
                let steps = self.semantics.steps(procedure, place, State { globals: at.globals, locals });
                steps
                    .into_iter()
                    .flat_map(|step| match step {
                        Step::Go { place, state } => self.at(below, procedure, place, state),
                        Step::Call { callee, globals, arguments } => self.enter(&at.stack, callee, globals, arguments),
                        Step::End { globals, results } => {
                            vec![Configuration { globals, stack: at.stack.clone(), doing: Doing::Ended(results) }]
                        }
                        Step::Fail => vec![Configuration { doing: Doing::Failed, ..at.clone() }],
                    })
                    .collect()
            }
        }
    }

    fn letter(&self, at: &Configuration, atoms: &[String]) -> u64 {
        let top = at.stack[at.stack.len() - 1];
        let holds = |atom: &String| match atom.as_str() {
            "end" => at.is_end(),
            atom => match atom.strip_prefix("in(").and_then(|rest| rest.strip_suffix(')')) {
                Some(name) => self.name(top.procedure) == name,
                None => self.variable(at, top, atom),
            },
        };
        atoms.iter().enumerate().fold(0, |letter, (number, atom)| letter | u64::from(holds(atom)) << number)
    }

    fn name(&self, procedure: usize) -> &str {
        self.program.names.text(self.program.procedures[procedure].name)
    }

    /// A global, or a local as `procedure.local`, which is false elsewhere.
    fn variable(&self, at: &Configuration, top: Frame, atom: &str) -> bool {
        match atom.split_once('.') {
            None => {
                let named = |index: &usize| self.program.var_name(0, Var::Global(*index as u32)) == atom;
                let index = (0..self.program.globals.len()).find(named).expect("a global");
                at.globals >> index & 1 == 1
            }
            Some((procedure, local)) => {
                let locals = &self.program.procedures[top.procedure].locals;
                let named = |index: &usize| self.program.var_name(top.procedure, Var::Local(*index as u32)) == local;
                let index = (0..locals.len()).find(named);
                self.name(top.procedure) == procedure && index.is_some_and(|index| top.locals >> index & 1 == 1)
            }
        }
    }
}

//! A brute-force reference for formulas of linear time, on programs whose stack stays small.
//!
//! All configurations are enumerated, with whole call stacks (`common::semantics`, which shares nothing with the library but
//! the syntax tree); a configuration without a successor stays. Runs that violate a formula are found without automata of
//! the library: at each configuration the truth of every temporal part of the formula is guessed, guesses are
//! kept consistent from step to step by the expansion laws, and eventualities must be met again and again (Lichtenstein and
//! Pnueli).

use crate::common::semantics::{Bits, Semantics, State, Step};
use epitome::syntax::Var;
use epitome::syntax::bp::Program;
use epitome_automata::{Binary, Formula, Formulas, Node, Unary};
use epitome_encodings::Components;
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

/// The configurations of a program, numbered, with what follows each and which atoms hold there.
pub struct Graph {
    initial: Vec<usize>,
    successors: Vec<Vec<usize>>,
    letters: Vec<u64>,
}

struct Builder<'p> {
    semantics: Semantics<'p>,
    program: &'p Program,
    numbers: HashMap<Configuration, usize>,
    all: Vec<Configuration>,
}

impl Graph {
    /// Nothing if the stack gets deeper than this, or there are too many configurations.
    pub fn new(program: &Program, atoms: &[String], depth: usize, most: usize) -> Option<Graph> {
        let mut builder =
            Builder { semantics: Semantics::new(program), program, numbers: HashMap::new(), all: Vec::new() };
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
            // A run that cannot go on stays; one whose call cannot begin (`enforce`) does not count.
            let calls = at.doing == Doing::Running && builder.is_call(&at);
            if next.is_empty() && !calls {
                next.push(successors.len());
            }
            successors.push(next);
        }
        let letters = builder.all.iter().map(|at| builder.letter(at, atoms)).collect();
        Some(Graph { initial, successors, letters })
    }

    /// Some run does not satisfy the formula.
    pub fn violates(&self, formulas: &Formulas, formula: Formula) -> bool {
        let parts = formulas.parts(formula);
        let is_temporal = |part: &&Formula| match formulas.node(**part) {
            Node::Unary(operator, _) => operator != Unary::Not,
            Node::Binary(operator, ..) => {
                !matches!(operator, Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff)
            }
            _ => false,
        };
        let temporal: Vec<Formula> = parts.iter().filter(is_temporal).copied().collect();
        let guesses = 1usize << temporal.len();
        // Truth of all parts, by configuration and guess.
        let truth = |state: usize, guess: usize| -> HashMap<Formula, bool> {
            let mut truth: HashMap<Formula, bool> = HashMap::new();
            for &part in &parts {
                let value = match (temporal.iter().position(|t| *t == part), formulas.node(part)) {
                    (Some(index), _) => guess >> index & 1 == 1,
                    (None, Node::Constant(value)) => value,
                    (None, Node::Atom(atom)) => self.letters[state] >> atom.0 & 1 == 1,
                    (None, Node::Unary(_, inner)) => !truth[&inner],
                    (None, Node::Binary(operator, a, b)) => {
                        let (a, b): (bool, bool) = (truth[&a], truth[&b]);
                        match operator {
                            Binary::And => a && b,
                            Binary::Or => a || b,
                            Binary::Xor => a != b,
                            Binary::Implies => !a || b,
                            _ => a == b,
                        }
                    }
                };
                truth.insert(part, value);
            }
            truth
        };
        let number = |state: usize, guess: usize| state * guesses + guess;
        let all: Vec<HashMap<Formula, bool>> =
            (0..self.successors.len() * guesses).map(|node| truth(node / guesses, node % guesses)).collect();
        let follows = |node: usize, next: usize| {
            let (now, then) = (&all[node], &all[next]);
            temporal.iter().all(|&part| {
                let later = then[&part];
                let expected = match formulas.node(part) {
                    Node::Unary(Unary::Next, a) => then[&a],
                    Node::Unary(Unary::Finally, a) => now[&a] || later,
                    Node::Unary(_, a) => now[&a] && later,
                    Node::Binary(Binary::Until | Binary::WeakUntil, a, b) => now[&b] || now[&a] && later,
                    Node::Binary(_, a, b) => now[&b] && (now[&a] || later),
                    _ => later,
                };
                now[&part] == expected
            })
        };
        let edges: Vec<Vec<usize>> = (0..all.len())
            .map(|node| {
                let next = self.successors[node / guesses].iter();
                let next = next.flat_map(|&state| (0..guesses).map(move |guess| number(state, guess)));
                next.filter(|&next| follows(node, next)).collect()
            })
            .collect();
        let starts = self.initial.iter().flat_map(|&state| (0..guesses).map(move |guess| number(state, guess)));
        let starts: Vec<usize> = starts.filter(|&node| !all[node][&formula]).collect();
        let components = Components::new(all.len(), starts, |node, n| edges[node].get(n).copied());
        let mut met = vec![0usize; components.count as usize];
        let mut cycles = vec![false; components.count as usize];
        for &node in &components.bottom_up {
            let own = components.of[node].expect("was reached") as usize;
            if edges[node].iter().any(|next| components.of[*next] == Some(own as u32)) {
                cycles[own] = true;
            }
            for (index, &part) in temporal.iter().enumerate() {
                let now = &all[node];
                let is_met = match formulas.node(part) {
                    Node::Unary(Unary::Next, _) => true,
                    Node::Unary(Unary::Finally, a) => !now[&part] || now[&a],
                    Node::Unary(_, a) => now[&part] || !now[&a],
                    Node::Binary(Binary::Until, _, b) => !now[&part] || now[&b],
                    Node::Binary(Binary::WeakUntil, a, b) => now[&part] || !now[&a] && !now[&b],
                    Node::Binary(Binary::Release, _, b) => now[&part] || !now[&b],
                    Node::Binary(_, a, b) => !now[&part] || now[&a] && now[&b],
                    _ => true,
                };
                met[own] |= usize::from(is_met) << index;
            }
        }
        (0..met.len()).any(|component| cycles[component] && met[component] == guesses - 1)
    }
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

    fn is_call(&self, at: &Configuration) -> bool {
        let top = at.stack[at.stack.len() - 1];
        let body = &self.program.procedures[top.procedure].body;
        matches!(body[top.place].kind, epitome::syntax::bp::Kind::Call { .. })
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
            "end" => at.doing == Doing::Failed || matches!(at.doing, Doing::Ended(_)) && at.stack.len() == 1,
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

//! Whether claims about a small Boolean program are true, by brute force.
//!
//! For each procedure and each way to enter it, values that never occur included, all that can happen: the
//! statements that control comes to with the values there, what it returns, and whether it fails. Calls are
//! answered by what is known so far, until nothing is added.

use crate::common::semantics::{Bits, Semantics, State, Step};
use epitome::model::{Never, ProcId, Proof, ProofPlace, SourceMap, Var, Vertex, build_bp};
use epitome::syntax::Place;
use epitome::syntax::bp::{Kind, Program};
use std::collections::{BTreeMap, BTreeSet};

/// What a procedure is entered with: globals and arguments.
type Input = (usize, Bits, Bits);

/// What can happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Happens {
    comes_to: BTreeSet<(usize, State)>,
    /// Globals and results.
    returns: BTreeSet<(Bits, Bits)>,
    fails: bool,
}

/// All that can happen in a program.
pub struct Truth<'p> {
    program: &'p Program,
    map: SourceMap,
    happens: BTreeMap<Input, Happens>,
}

impl<'p> Truth<'p> {
    pub fn new(program: &'p Program) -> Truth<'p> {
        let semantics = Semantics::new(program);
        let mut happens: BTreeMap<Input, Happens> = BTreeMap::new();
        let calls = |callee: usize| {
            let mut statements = program.procedures.iter().flat_map(|procedure| &procedure.body);
            statements.any(|s| matches!(s.kind, Kind::Call { callee: other, .. } if other as usize == callee))
        };
        for (index, procedure) in program.procedures.iter().enumerate() {
            // One that is not called is entered at the start only.
            let globals = match calls(index) {
                true => (0..1 << program.globals.len()).collect(),
                false => semantics.initial_globals(),
            };
            for globals in globals {
                for arguments in 0..1 << procedure.parameters {
                    happens.insert((index, globals, arguments), Happens::default());
                }
            }
        }
        loop {
            let more = happens.keys().map(|&input| (input, explore(&semantics, input, &happens))).collect();
            if more == happens {
                return Truth { program, map: build_bp(program).1, happens };
            }
            happens = more;
        }
    }

    /// The program does not fail.
    pub fn is_safe(&self) -> bool {
        let semantics = Semantics::new(self.program);
        let mut starts = semantics.initial_globals().into_iter().flat_map(|globals| {
            let arguments = semantics.initial_arguments().into_iter();
            arguments.map(move |arguments| (self.program.main, globals, arguments)).collect::<Vec<_>>()
        });
        starts.all(|start| !self.happens[&start].fails)
    }

    /// The first claim that is not true.
    pub fn refutes(&self, proof: &Proof) -> Option<(ProcId, usize)> {
        proof.procedures.iter().find_map(|about| {
            let is_false = |claim: &Never| self.happens_indeed(about.procedure, &about.cuts, claim);
            about.never.iter().position(is_false).map(|number| (about.procedure, number))
        })
    }

    /// What is claimed never to happen happens.
    fn happens_indeed(&self, procedure: ProcId, cuts: &[Vertex], claim: &Never) -> bool {
        let index = procedure.index();
        let locals = self.program.procedures[index].locals.len();
        let fits = |globals: Bits, values: Bits, first: usize, literals: &[(Var, bool)]| {
            literals.iter().all(|&(var, value)| match var {
                Var::Global(global) => (globals >> global & 1 == 1) == value,
                Var::Local(local) => (values >> (local as usize - first) & 1 == 1) == value,
            })
        };
        let entered = self.happens.iter().filter(|((other, globals, arguments), _)| {
            *other == index && claim.has_entry(0) && fits(*globals, *arguments, 0, &claim.before)
        });
        // A result has any value before the procedure returns.
        let is_result = |var: Var| matches!(var, Var::Local(local) if local as usize >= locals);
        let seen: Vec<(Var, bool)> = claim.after.iter().copied().filter(|(var, _)| !is_result(*var)).collect();
        entered.flat_map(|(_, happens)| claim.places.iter().map(move |place| (happens, place))).any(
            |(happens, place)| match *place {
                ProofPlace::Failure => happens.fails,
                ProofPlace::Exit(_) => happens.returns.iter().any(|&(g, r)| fits(g, r, locals, &claim.after)),
                ProofPlace::Cut(cut) => {
                    let Vertex::Node(node) = cuts[cut as usize] else { panic!("a cut at a port") };
                    let Some(Place::Statement(statement)) = self.map.place(index, node.index()) else {
                        panic!("a cut at no statement")
                    };
                    let mut states = happens.comes_to.iter().filter(|(place, _)| *place == statement as usize);
                    states.any(|(_, state)| fits(state.globals, state.locals, 0, &seen))
                }
            },
        )
    }
}

/// One pass through a procedure, with what is known of others.
fn explore(semantics: &Semantics<'_>, input: Input, known: &BTreeMap<Input, Happens>) -> Happens {
    let (procedure, globals, arguments) = input;
    let mut found = known[&input].clone();
    let mut open = semantics.entries(procedure, globals, arguments);
    let mut seen = BTreeSet::new();
    while let Some((place, state)) = open.pop() {
        if !seen.insert((place, state)) {
            continue;
        }
        found.fails |= is_error(semantics.program, procedure, place);
        for step in semantics.steps(procedure, place, state) {
            match step {
                Step::Go { place, state } => open.push((place, state)),
                Step::Call { callee, globals, arguments } => {
                    let inside = &known[&(callee, globals, arguments)];
                    found.fails |= inside.fails;
                    let back = inside.returns.iter();
                    open.extend(back.filter_map(|&(g, r)| semantics.returned(procedure, place, state.locals, g, r)));
                }
                Step::End { globals, results } => _ = found.returns.insert((globals, results)),
                Step::Fail => found.fails = true,
            }
        }
    }
    found.comes_to.extend(seen);
    found
}

fn is_error(program: &Program, procedure: usize, place: usize) -> bool {
    let labels = program.procedures[procedure].labels.iter().filter(|label| label.statement as usize == place);
    labels.map(|label| program.names.text(label.name)).any(|name| ["ERROR", "SLIC_ERROR"].contains(&name))
}

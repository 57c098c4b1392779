//! Clauses to a Boolean program.
//!
//! A predicate is a procedure that returns some tuple of which the predicate can be derived: it chooses a
//! clause, calls the predicates of the body, and returns the head's arguments where the constraint holds. The
//! clauses that conclude `false` are the ways through `main`, each with a failing assertion at its end. So a
//! derivation of `false` is a run that fails and the other way round: calls are nested as a derivation's tree.
//!
//! Places are those of the text, so that a trace shows the clauses and atoms that were used. The label of a clause
//! is that of its last statement: control comes there where the body can be derived, so that a label that can be
//! reached is a clause that can be used. Where the choice between clauses leads is an internal label.

use super::clauses::Clause;
use super::commands::Script;
use super::declarations::Predicate;
use super::legal::Names;
use super::schedule::{Condition, Placed, Step, schedule};
use super::sharing::Sharing;
use super::store::{Node, Store, Term};
use crate::syntax::bp::{Kind, Label, Origin, Procedure, Program, Statement, Target};
use crate::syntax::expr::{Binary, Expr, Op, Var};
use crate::syntax::source::Span;
use crate::syntax::variable::Variable;
use rustc_hash::FxHashMap;

/// The program of a text's clauses; `end` is the end of the text.
pub(super) fn translate(mut script: Script<'_>, end: Span) -> Program {
    let mut program = Program { origin: Origin::Clauses, ..Program::default() };
    let main = script.declarations.predicates.len();
    let mut clauses: Vec<Vec<(usize, usize, usize)>> = vec![Vec::new(); main + 1];
    let mut number = 0;
    for (assertion, (store, list)) in script.assertions.iter().enumerate() {
        for (index, clause) in list.iter().enumerate() {
            number += 1;
            let predicate = clause.head.and_then(|head| match store.node(head) {
                Node::Atom(predicate, _) => Some(*predicate as usize),
                _ => None,
            });
            clauses[predicate.unwrap_or(main)].push((number, assertion, index));
        }
    }
    let mut names = Names::default();
    names.fresh("main");
    let query = Predicate { name: "main", arity: 0, span: end };
    for (predicate, clauses) in script.declarations.predicates.iter().chain([&query]).zip(clauses) {
        let name = match std::ptr::eq(predicate, &query) {
            true => "main".to_owned(),
            false => names.fresh(predicate.name),
        };
        let mut builder = Builder::new(&mut program, &name, predicate);
        builder.choose(clauses.len(), predicate.span);
        let mut starts = Vec::new();
        for (number, assertion, index) in clauses {
            let (store, list) = &mut script.assertions[assertion];
            starts.push(builder.clause(number, store, &list[index]));
        }
        builder.chosen(starts);
        let procedure = builder.procedure;
        program.procedures.push(procedure);
    }
    program.main = main;
    program
}

/// A procedure under construction.
struct Builder<'p> {
    program: &'p mut Program,
    procedure: Procedure,
    names: Names,
    /// Variables of the same name in different clauses share a local: by name, and how many variables of
    /// that name the clause had before.
    locals: FxHashMap<(String, usize), u32>,
    /// What choosing between the clauses is, if there are several.
    several: bool,
}

/// Locals of a clause's variables.
#[derive(Default)]
struct Frame {
    local: FxHashMap<u32, u32>,
    count: FxHashMap<String, usize>,
}

impl<'p> Builder<'p> {
    fn new(program: &'p mut Program, name: &str, predicate: &Predicate<'_>) -> Builder<'p> {
        let procedure = Procedure {
            name: program.names.intern(name),
            results: predicate.arity,
            parameters: 0,
            locals: Vec::new(),
            enforce: None,
            body: Vec::new(),
            labels: Vec::new(),
            span: predicate.span,
            end_span: predicate.span,
        };
        Builder { program, procedure, names: Names::default(), locals: FxHashMap::default(), several: false }
    }

    /// Chooses one of the clauses. A predicate without any derives nothing; where nothing concludes `false`
    /// there is nothing to do.
    fn choose(&mut self, clauses: usize, span: Span) {
        self.several = clauses > 1;
        if clauses == 0 {
            let never = self.program.exprs.constant(false);
            self.push(Kind::Assume(never), span);
        } else if self.several {
            self.push(Kind::Goto(Box::default()), span);
        }
    }

    /// Says where the choice leads, when the labels are known.
    fn chosen(&mut self, starts: Vec<u32>) {
        if let Some(Statement { kind: Kind::Goto(labels), .. }) = self.procedure.body.first_mut() {
            *labels = starts.into();
        }
    }

    /// A label of the next statement.
    fn label(&mut self, name: &str, is_internal: bool, span: Span) {
        let (name, statement) = (self.program.names.intern(name), self.procedure.body.len() as u32);
        self.procedure.labels.push(Label { name, statement, is_internal, span });
    }

    fn push(&mut self, kind: Kind, span: Span) {
        self.procedure.body.push(Statement { kind, span });
    }

    /// The statements of a clause; gives the label of the first one.
    fn clause(&mut self, number: usize, store: &mut Store, clause: &Clause) -> u32 {
        let start = self.procedure.labels.len() as u32;
        let head = clause.head.and_then(|head| match store.node(head) {
            Node::Atom(_, arguments) => Some((arguments.clone(), store.span(head).unwrap_or(clause.span))),
            _ => None,
        });
        let mut roots: Vec<Term> = clause.constraints.iter().map(|(term, _)| *term).collect();
        roots.extend(head.iter().flat_map(|(arguments, _)| arguments));
        roots.extend(&clause.body);
        let sharing = Sharing::new(store, &roots);
        let steps = schedule(store, &sharing, clause);
        let mut frame = Frame::default();
        if self.several && !steps.is_empty() {
            self.label(&format!("try{number}"), true, clause.span);
        }
        for placed in steps {
            self.step(store, &sharing, &mut frame, placed);
        }
        self.label(&format!("clause{number}"), false, clause.span);
        match head {
            Some((arguments, span)) => {
                let values =
                    arguments.iter().map(|&term| self.value(store, &sharing, &mut frame, term, false)).collect();
                self.push(Kind::Return(values), span);
            }
            None => {
                let never = self.program.exprs.constant(false);
                self.push(Kind::Assert(never), clause.span);
                if self.several {
                    // What stands below is another clause.
                    self.push(Kind::Return(Box::default()), clause.span);
                }
            }
        }
        start
    }

    fn step(&mut self, store: &Store, sharing: &Sharing, frame: &mut Frame, (step, span): Placed) {
        let kind = match step {
            Step::Call(atom, targets) => {
                let &Node::Atom(predicate, _) = store.node(atom) else { return };
                let targets: Box<[Target]> =
                    targets.iter().map(|&variable| Some(self.local(store, frame, variable))).collect();
                Kind::Call { callee: predicate, arguments: Box::default(), targets }
            }
            Step::Assume(conditions) => {
                let mut ops = Vec::new();
                for (index, &condition) in conditions.iter().enumerate() {
                    self.condition(store, sharing, frame, condition, &mut ops);
                    ops.extend((index > 0).then_some(Op::Binary(Binary::And)));
                }
                Kind::Assume(self.program.exprs.add(ops))
            }
            Step::Assign(values) => {
                let mut targets = Vec::new();
                let mut assigned = Vec::new();
                for (variable, term, defines) in values {
                    assigned.push(self.value(store, sharing, frame, term, defines));
                    targets.push(Some(self.local(store, frame, variable)));
                }
                Kind::Assign { targets: targets.into(), values: assigned.into(), constrain: None }
            }
        };
        self.push(kind, span);
    }

    fn condition(
        &mut self,
        store: &Store,
        sharing: &Sharing,
        frame: &mut Frame,
        condition: Condition,
        ops: &mut Vec<Op>,
    ) {
        match condition {
            Condition::Holds(term) => sharing.write(store, term, false, |v| self.local(store, frame, v), ops),
            // A variable that is a condition itself reads best alone.
            Condition::Is(variable, value @ (Term::TRUE | Term::FALSE)) => {
                ops.push(Op::Var(self.local(store, frame, variable)));
                ops.extend((value == Term::FALSE).then_some(Op::Not));
            }
            Condition::Is(variable, term) | Condition::Defines(variable, term) => {
                let defines = matches!(condition, Condition::Defines(..));
                ops.push(Op::Var(self.local(store, frame, variable)));
                sharing.write(store, term.positive(), defines, |v| self.local(store, frame, v), ops);
                ops.push(Op::Binary(if term.is_negated() { Binary::NotEqual } else { Binary::Equal }));
            }
        }
    }

    fn value(&mut self, store: &Store, sharing: &Sharing, frame: &mut Frame, term: Term, defines: bool) -> Expr {
        let mut ops = Vec::new();
        sharing.write(store, term, defines, |v| self.local(store, frame, v), &mut ops);
        self.program.exprs.add(ops)
    }

    /// The local of a clause's variable.
    fn local(&mut self, store: &Store, frame: &mut Frame, variable: u32) -> Var {
        if let Some(&local) = frame.local.get(&variable) {
            return Var::Local(local);
        }
        let symbol = &store.variables[variable as usize];
        let count = frame.count.entry(symbol.clone()).or_insert(0);
        let key = (symbol.clone(), *count);
        *count += 1;
        let local = *self.locals.entry(key).or_insert_with(|| {
            let name = self.program.names.intern(&self.names.fresh(symbol));
            self.procedure.locals.push(Variable { name, initial: None, span: self.procedure.span });
            self.procedure.locals.len() as u32 - 1
        });
        frame.local.insert(variable, local);
        Var::Local(local)
    }
}

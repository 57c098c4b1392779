//! Transitions and arguments as expressions: what to do about choices.
//!
//! In a text every `*` is a choice of its own, in the model guard and right-hand sides may share one.
//! A choice that stands in one place is written `*`. One that stands in several is read off the
//! variable that takes it: where `x := c` is an assignment, `c` is `'x` under `constrain`, the value
//! of `x` after the step; where there is none, a local variable is added that takes it. Parts of the
//! guard that read such a choice move into `constrain`, and a right-hand side that does becomes
//! `y := * constrain 'y = …`. So a transition stays one transition, and its steps are the same.
//!
//! Arguments cannot be constrained; a choice they share is a variable that is assigned before the call.

use super::circuit_expr::{Term, TooLarge, Writer, conjuncts};
use super::scope::Scope;
use crate::model::{CallBox, Edge, Var};
use crate::syntax::{Binary, Op, Owner};
use epitome_encodings::Lit;
use rustc_hash::FxHashMap;

/// A transition without its ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// Where it can be taken; always if none.
    pub(super) when: Option<Vec<Op>>,
    /// Variables and the values they take, all at once.
    pub(super) assignments: Vec<(Var, Vec<Op>)>,
    /// What holds of old and new values; only where something is assigned.
    pub(super) constrain: Option<Vec<Op>>,
}

/// Arguments of a call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// Variables that take choices before the call.
    pub(super) choices: Vec<(Var, Owner)>,
    /// The arguments.
    pub(super) values: Vec<Vec<Op>>,
}

/// The transition in the terms of the scope; its own variables for choices start with number `first`.
pub(super) fn step(
    writer: &mut Writer<'_>,
    scope: &mut Scope<'_>,
    edge: &Edge,
    first: usize,
) -> Result<Step, TooLarge> {
    let guard = writer.write(edge.guard, |var| scope.var(var))?;
    let mut values = Vec::with_capacity(edge.assignments.len());
    for &(var, value) in &edge.assignments {
        values.push((scope.var(var), writer.write(value, |var| scope.var(var))?));
    }
    let shared = shared(values.iter().map(|(_, terms)| terms).chain([&guard]));
    let mut carriers = Carriers { owners: &edge.choices, of: FxHashMap::default() };
    for choice in &shared {
        let taker = values.iter().find(|(_, terms)| terms[..] == [Term::Choice(*choice)]);
        let var = taker.map(|(var, _)| *var);
        let var = var.unwrap_or_else(|| {
            let var = scope.auxiliary(first + values.len() - edge.assignments.len());
            values.push((var, vec![Term::Choice(*choice)]));
            var
        });
        carriers.of.insert(*choice, var);
    }
    Ok(carriers.step(edge.guard, &guard, values))
}

/// The arguments in the terms of the scope.
pub(super) fn arguments(writer: &mut Writer<'_>, scope: &mut Scope<'_>, site: &CallBox) -> Result<Arguments, TooLarge> {
    let mut values = Vec::with_capacity(site.arguments.len());
    for &argument in &site.arguments {
        values.push(writer.write(argument, |var| scope.var(var))?);
    }
    let shared = shared(values.iter());
    let mut carriers = Carriers { owners: &site.choices, of: FxHashMap::default() };
    let mut choices = Vec::with_capacity(shared.len());
    for (number, &choice) in shared.iter().enumerate() {
        let var = scope.auxiliary(number);
        choices.push((var, carriers.owner(choice)));
        carriers.of.insert(choice, var);
    }
    Ok(Arguments { choices, values: values.iter().map(|terms| carriers.ops(terms, Op::Var)).collect() })
}

/// Conjunction of two conditions.
pub(super) fn and(left: Option<Vec<Op>>, right: Vec<Op>) -> Option<Vec<Op>> {
    let Some(mut ops) = left else { return Some(right) };
    ops.extend(right);
    ops.push(Op::Binary(Binary::And));
    Some(ops)
}

/// The choices that stand in several places, increasing.
fn shared<'t>(trees: impl Iterator<Item = &'t Vec<Term>>) -> Vec<u32> {
    let mut choices: Vec<u32> = trees.flatten().filter_map(choice).collect();
    choices.sort_unstable();
    let repeated = choices.chunk_by(|a, b| a == b).filter(|run| run.len() > 1);
    repeated.map(|run| run[0]).collect()
}

fn choice(term: &Term) -> Option<u32> {
    match term {
        Term::Choice(choice) => Some(*choice),
        Term::Op(_) => None,
    }
}

/// The shared choices of a transition or call and the variables that take them.
struct Carriers<'e> {
    owners: &'e [Owner],
    of: FxHashMap<u32, Var>,
}

impl Carriers<'_> {
    fn owner(&self, choice: u32) -> Owner {
        self.owners.get(choice as usize).copied().unwrap_or(Owner::System)
    }

    /// The tree reads a shared choice.
    fn is_read_by(&self, terms: &[Term]) -> bool {
        !self.of.is_empty() && terms.iter().filter_map(choice).any(|choice| self.of.contains_key(&choice))
    }

    /// The tree with shared choices read off their variables and all others written.
    fn ops(&self, terms: &[Term], read: impl Fn(Var) -> Op) -> Vec<Op> {
        let op = |term: &Term| match *term {
            Term::Op(op) => op,
            Term::Choice(choice) => self.of.get(&choice).map_or(Op::Choice(self.owner(choice)), |var| read(*var)),
        };
        terms.iter().map(op).collect()
    }

    fn step(&self, guard: Lit, terms: &[Term], values: Vec<(Var, Vec<Term>)>) -> Step {
        let mut step = Step::default();
        if guard != Lit::TRUE {
            for part in conjuncts(terms) {
                let ops = self.ops(part, Op::Next);
                let side = if self.is_read_by(part) { &mut step.constrain } else { &mut step.when };
                *side = and(side.take(), ops);
            }
        }
        for (var, terms) in values {
            let carried = match terms[..] {
                [Term::Choice(choice)] if self.of.get(&choice) == Some(&var) => Some(self.owner(choice)),
                _ => None,
            };
            let value = match carried {
                Some(owner) => vec![Op::Choice(owner)],
                None if self.is_read_by(&terms) => {
                    let mut equation = vec![Op::Next(var)];
                    equation.extend(self.ops(&terms, Op::Next));
                    equation.push(Op::Binary(Binary::Equal));
                    step.constrain = and(step.constrain.take(), equation);
                    vec![Op::Choice(Owner::System)]
                }
                None => self.ops(&terms, Op::Var),
            };
            step.assignments.push((var, value));
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::RSM;
    use super::super::scope::globals;
    use super::*;
    use crate::model::{Ersm, build_rsm};
    use crate::syntax::{Source, rsm};

    fn build(text: &str) -> Ersm {
        build_rsm(&rsm::parse(&Source::new("t.rsm", text)).unwrap().0).0
    }

    fn first_step(ersm: &Ersm) -> (Step, usize) {
        let (names, _) = globals(ersm, &RSM, &[]);
        let procedure = &ersm.procedures[0];
        let mut scope = Scope::new(&names, ersm, procedure);
        scope.keep_rest();
        let step = step(&mut Writer::new(&ersm.circuit), &mut scope, &procedure.edges[0], 0).unwrap();
        (step, scope.locals.len())
    }

    const X: Var = Var::Local(0);
    const Y: Var = Var::Local(1);
    const STAR: Op = Op::Choice(Owner::System);

    #[test]
    fn a_choice_in_one_place_is_a_star() {
        let ersm = build("machine M { var x, y; entry e; e -> e when x | env do x := *, y := x & *; } init M.e;");
        let (step, locals) = first_step(&ersm);
        assert_eq!(step.when.unwrap()[1], Op::Choice(Owner::Environment));
        assert_eq!(step.assignments[0], (X, vec![STAR]));
        assert_eq!((step.constrain, locals), (None, 2));
    }

    #[test]
    fn a_shared_choice_is_read_off_the_variable_that_takes_it() {
        let ersm = build("machine M { var x, y; entry e; e -> e when y do x := env constrain 'x != x; } init M.e;");
        let (step, locals) = first_step(&ersm);
        assert_eq!(step.when, Some(vec![Op::Var(Y)]));
        assert_eq!(step.assignments, [(X, vec![Op::Choice(Owner::Environment)])]);
        let differ = Op::Binary(Binary::NotEqual);
        assert!(matches!(step.constrain.as_deref(), Some([a, b, c]) if *c == differ
            && [*a, *b].contains(&Op::Next(X)) && [*a, *b].contains(&Op::Var(X))));
        assert_eq!(locals, 2);
    }

    #[test]
    fn a_choice_that_nothing_takes_gets_a_variable() {
        let mut ersm = build("machine M { var x, y; entry e; e -> e do x := y | *, y := 0; } init M.e;");
        let value = ersm.procedures[0].edges[0].assignments[0].1;
        let other = ersm.circuit.and(value, !value);
        assert_eq!(other, Lit::FALSE);
        ersm.procedures[0].edges[0].assignments[1].1 = !value;
        let (step, locals) = first_step(&ersm);
        let auxiliary = Var::Local(2);
        assert_eq!(step.assignments, [(X, vec![STAR]), (Y, vec![STAR]), (auxiliary, vec![STAR])]);
        assert_eq!((step.when, locals), (None, 3));
        let constrain = step.constrain.unwrap();
        assert_eq!(constrain.iter().filter(|op| **op == Op::Next(auxiliary)).count(), 2);
    }
}

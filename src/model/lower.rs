//! Expressions to circuits, one transition at a time. Used by the builders of both languages.
//!
//! A [`Step`] collects a transition's guard, assignments and choices. Every `*` in it becomes a choice
//! input of its own, numbered in the order of lowering: a choice is fresh each time it is evaluated.
//! `constrain` and `enforce` speak of the values after the step, so they are compositions: the
//! circuits of the assigned values stand in place of the variables.
//!
//! Expressions are in postfix order, so lowering is a loop with a stack and never recursion.

use super::ersm::{Edge, Ersm, Leaf, Vertex};
use crate::syntax::{Binary, Expr, Exprs, Name, Op, Owner, Span, Var};
use epitome_encodings::Lit;

/// A transition under construction: its choices are numbered as they come up.
pub(super) struct Step {
    pub(super) guard: Lit,
    pub(super) assignments: Vec<(Var, Lit)>,
    pub(super) choices: Vec<Owner>,
}

impl Step {
    /// A step that is always possible and changes nothing.
    pub(super) fn new() -> Step {
        Step { guard: Lit::TRUE, assignments: Vec::new(), choices: Vec::new() }
    }

    /// The signal of an expression over the values before the step.
    pub(super) fn lower(&mut self, ersm: &mut Ersm, exprs: &Exprs, expr: Expr) -> Lit {
        self.lower_with(ersm, exprs, expr, |_, _| None)
    }

    /// The step exists only where the expression holds; primed variables have their new values, all
    /// others the old ones.
    pub(super) fn constrain(&mut self, ersm: &mut Ersm, exprs: &Exprs, expr: Expr) {
        let after = NewValues::of(&self.assignments);
        let holds = self.lower_with(ersm, exprs, expr, |var, primed| if primed { after.get(var) } else { None });
        self.guard = ersm.circuit.and(self.guard, holds);
    }

    /// The step exists only where the expression holds of the values after it.
    pub(super) fn enforce(&mut self, ersm: &mut Ersm, exprs: &Exprs, expr: Expr) {
        let after = NewValues::of(&self.assignments);
        let holds = self.lower_with(ersm, exprs, expr, |var, _| after.get(var));
        self.guard = ersm.circuit.and(self.guard, holds);
    }

    /// A fresh choice.
    pub(super) fn choice(&mut self, ersm: &mut Ersm, owner: Owner) -> Lit {
        let leaf = Leaf::Choice(self.choices.len() as u32);
        self.choices.push(owner);
        ersm.leaf(leaf)
    }

    /// The finished transition.
    pub(super) fn into_edge(self, from: Vertex, to: Vertex, label: Option<Name>, span: Span) -> Edge {
        Edge {
            from,
            to,
            guard: self.guard,
            assignments: self.assignments.into(),
            choices: self.choices.into(),
            label,
            span,
        }
    }

    /// `value` gives the signal of a variable, primed or not, where it is not the variable itself.
    fn lower_with(
        &mut self,
        ersm: &mut Ersm,
        exprs: &Exprs,
        expr: Expr,
        value: impl Fn(Var, bool) -> Option<Lit>,
    ) -> Lit {
        let mut stack: Vec<Lit> = Vec::new();
        for &op in exprs.ops(expr) {
            let right = if op.arity() > 0 { stack.pop().unwrap_or(Lit::FALSE) } else { Lit::FALSE };
            let left = if op.arity() > 1 { stack.pop().unwrap_or(Lit::FALSE) } else { right };
            let lit = match op {
                Op::Const(value) => Lit::constant(value),
                Op::Choice(owner) => self.choice(ersm, owner),
                Op::Var(var) => value(var, false).unwrap_or_else(|| ersm.leaf(Leaf::Var(var))),
                Op::Next(var) => value(var, true).unwrap_or_else(|| ersm.leaf(Leaf::Var(var))),
                Op::Not => !right,
                Op::Choose => {
                    let choice = self.choice(ersm, Owner::System);
                    let unless = ersm.circuit.and(!right, choice);
                    ersm.circuit.or(left, unless)
                }
                Op::Binary(Binary::And) => ersm.circuit.and(left, right),
                Op::Binary(Binary::Or) => ersm.circuit.or(left, right),
                Op::Binary(Binary::Implies) => ersm.circuit.implies(left, right),
                Op::Binary(Binary::Xor | Binary::NotEqual) => ersm.circuit.xor(left, right),
                Op::Binary(Binary::Iff | Binary::Equal) => ersm.circuit.iff(left, right),
            };
            stack.push(lit);
        }
        stack.pop().unwrap_or(Lit::FALSE)
    }
}

/// What the variables become in a step, sorted by variable: a step may assign thousands.
struct NewValues(Vec<(Var, Lit)>);

impl NewValues {
    fn of(assignments: &[(Var, Lit)]) -> NewValues {
        let mut values = assignments.to_vec();
        values.sort_by_key(|(var, _)| *var);
        NewValues(values)
    }

    /// The value a variable takes, if it is assigned.
    fn get(&self, var: Var) -> Option<Lit> {
        let at = self.0.partition_point(|(other, _)| *other < var);
        self.0.get(at).filter(|(other, _)| *other == var).map(|(_, value)| *value)
    }
}

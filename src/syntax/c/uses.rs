//! Which variables a statement names: what it reads, and what it assigns. Elements of arrays whose index is computed are
//! not named.

use super::super::expr::Var;
use super::expr::{Expr, Op};
use super::tree::{Kind, Program, Target};

impl Program {
    /// The variables that a statement reads.
    pub fn read_by(&self, kind: &Kind) -> Vec<Var> {
        let expressions: &[Expr] = match kind {
            Kind::Assign { target: Target::Element { index, .. }, value } => &[*index, *value],
            Kind::Assign { target: Target::Cell(_), value } | Kind::Return(Some(value)) => &[*value],
            Kind::Branch { condition, .. } | Kind::Assume(condition) | Kind::Check { condition, .. } => &[*condition],
            Kind::Call { arguments, .. } => arguments,
            _ => &[],
        };
        let ops = expressions.iter().flat_map(|&expression| self.exprs.ops(expression));
        let read = ops.filter_map(|op| match op {
            Op::Read(var) => Some(*var),
            _ => None,
        });
        read.collect()
    }

    /// The variables that a statement assigns; of a call, those that take its results.
    pub fn assigned_by(&self, kind: &Kind) -> Vec<Var> {
        match kind {
            Kind::Assign { target: Target::Cell(var), .. } | Kind::Input { target: var, .. } => vec![*var],
            Kind::Call { targets, .. } => targets.iter().flatten().copied().collect(),
            _ => Vec::new(),
        }
    }
}

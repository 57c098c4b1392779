//! The body of a function under construction.

use super::super::expr::Var;
use super::super::names::Name;
use super::super::source::Span;
use super::expr::Expr;
use super::tree::{Frame, Function, Hazard, Kind, Label, Loop, Statement, Target, Variable};
use super::types::IntType;
use super::unit::{Result, Unit};
use super::value::Value;
use rustc_hash::FxHashMap;

/// A jump whose goal is not known yet.
pub(super) const OPEN: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Body {
    pub(super) statements: Vec<Statement>,
    pub(super) locals: Vec<Variable>,
    pub(super) parameters: usize,
    pub(super) results: Vec<u32>,
    pub(super) labels: Vec<Label>,
    pub(super) loops: Vec<Loop>,
    /// Functions that are written out here, the function itself first; and the one that is being written.
    pub(super) frames: Vec<Frame>,
    pub(super) frame: u32,
    /// The source statement that is being treated, and the full expression in it.
    pub(super) span: Span,
    pub(super) expression: Span,
    /// Control may come by more than once: in a loop, or after a label.
    pub(super) may_repeat: bool,
    pub(super) context: Context,
}

/// What jumps in one function mean: a function that is written out in another has its own.
#[derive(Clone, Default)]
pub(super) struct Context {
    /// The type that `return` returns.
    pub(super) returns: Option<IntType>,
    /// What takes the result of a function that is written out, and jumps to its end.
    pub(super) result: Option<Var>,
    pub(super) exits: Option<Vec<usize>>,
    /// Jumps to labels, to be set at the end.
    pub(super) gotos: Vec<(usize, String, lang_c::span::Span)>,
    pub(super) label_index: FxHashMap<String, u32>,
    /// Jumps out of and to the end of the loops and switches around.
    pub(super) breaks: Vec<Vec<usize>>,
    pub(super) continues: Vec<Vec<usize>>,
    /// Cases of the switches around.
    pub(super) switches: Vec<Switch>,
}

/// A `switch` under construction.
#[derive(Clone, Default)]
pub(super) struct Switch {
    /// The type in which values are compared.
    pub(super) ty: Option<IntType>,
    /// Lowest and highest value, and where it goes.
    pub(super) cases: Vec<(i128, i128, u32)>,
    pub(super) default: Option<u32>,
}

impl<'a> Unit<'a> {
    /// Where the next statement will stand.
    pub(super) fn here(&self) -> u32 {
        self.body.statements.len() as u32
    }

    /// Appends a statement.
    pub(super) fn emit(&mut self, kind: Kind, is_told: bool) -> usize {
        self.body.statements.push(Statement { kind, span: self.body.span, is_told, frame: self.body.frame });
        self.body.statements.len() - 1
    }

    /// What follows belongs to this statement, and to this full expression in it.
    pub(super) fn at(&mut self, statement: lang_c::span::Span, expression: lang_c::span::Span) {
        (self.body.span, self.body.expression) = (self.located(statement), self.located(expression));
    }

    /// A place of the user's text; it is noted if something else stands there.
    pub(super) fn located(&mut self, span: lang_c::span::Span) -> Span {
        let (span, is_exact) = self.origin.span(span);
        if !is_exact {
            self.program.inexact.insert(span);
        }
        span
    }

    /// An expression of the program; what can be wrong with it is checked first.
    pub(super) fn expression(&mut self, value: Value) -> Expr {
        self.check(&value.hazards);
        self.program.exprs.add(&value.ops)
    }

    /// Checks what must hold, each condition once.
    pub(super) fn check(&mut self, hazards: &[(Hazard, Vec<super::expr::Op>)]) {
        for (index, (hazard, ops)) in hazards.iter().enumerate() {
            if !hazards[..index].contains(&(*hazard, ops.clone())) {
                let condition = self.program.exprs.add(ops);
                let check = self.emit(Kind::Check { condition, hazard: *hazard }, false);
                self.body.statements[check].span = self.body.expression;
            }
        }
    }

    /// Assigns a value of the target's type.
    pub(super) fn assign(&mut self, target: Target, value: Value, is_told: bool) {
        let value = self.expression(value);
        self.emit(Kind::Assign { target, value }, is_told);
    }

    /// The value as it is now, whatever happens to the variables it reads.
    pub(super) fn save(&mut self, value: Value) -> Value {
        let ty = value.ty;
        let var = self.temporary(ty);
        self.assign(Target::Cell(var), value, false);
        Value::read(var, ty)
    }

    /// A jump whose goal is set later.
    pub(super) fn jump(&mut self) -> usize {
        self.emit(Kind::Goto(OPEN), false)
    }

    /// Lets open jumps go to a statement.
    pub(super) fn land(&mut self, jumps: &[usize], at: u32) {
        for &jump in jumps {
            match &mut self.body.statements[jump].kind {
                Kind::Goto(goal) => *goal = at,
                Kind::Branch { then, otherwise, .. } => {
                    for goal in [then, otherwise] {
                        if *goal == OPEN {
                            *goal = at;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// A branch that goes on here if the condition holds and, later, elsewhere if not.
    pub(super) fn branch(&mut self, condition: Value, is_told: bool) -> usize {
        let condition = self.expression(condition.test());
        let then = self.here() + 1;
        self.emit(Kind::Branch { condition, then, otherwise: OPEN }, is_told)
    }

    /// Lets jumps to labels go there.
    pub(super) fn set_gotos(&mut self) -> Result<()> {
        for (jump, label, at) in std::mem::take(&mut self.body.context.gotos) {
            match self.body.context.label_index.get(&label) {
                Some(&statement) => self.land(&[jump], statement),
                None => return self.wrong(at, format!("there is no label `{label}` in this function")),
            }
        }
        Ok(())
    }

    /// The function as it stands, all jumps set.
    pub(super) fn finish(&mut self, name: Name, span: Span, end_span: Span) -> Result<Function> {
        self.set_gotos()?;
        let body = std::mem::take(&mut self.body);
        Ok(Function {
            name,
            locals: body.locals,
            parameters: body.parameters,
            results: body.results,
            body: body.statements,
            labels: body.labels,
            loops: body.loops,
            frames: body.frames,
            span,
            end_span,
        })
    }
}

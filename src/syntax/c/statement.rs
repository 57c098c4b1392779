//! Statements (C11 6.8): structure becomes jumps.

use super::body::Switch;
use super::expr::Binary;
use super::tree::{Kind, Label as UserLabel, Loop, Target};
use super::types::IntType;
use super::unit::{Result, Scope, Unit};
use super::value::Value;
use lang_c::ast::{BlockItem, Expression, ForInitializer, Label, LabeledStatement, Statement, SwitchStatement};
use lang_c::span::{Node, Span};

impl<'a> Unit<'a> {
    pub(super) fn block_item(&mut self, item: &'a Node<BlockItem>) -> Result<()> {
        match &item.node {
            BlockItem::Declaration(declaration) => self.declaration(declaration),
            BlockItem::StaticAssert(assertion) => self.static_assertion(assertion),
            BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    pub(super) fn statement(&mut self, node: &'a Node<Statement>) -> Result<()> {
        let span = node.span;
        match &node.node {
            Statement::Compound(items) => {
                self.scopes.push(Scope::default());
                items.iter().try_for_each(|item| self.block_item(item))?;
                self.scopes.pop();
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(expression)) => {
                self.at(span, expression.span);
                self.effect(expression)
            }
            Statement::Labeled(labeled) => self.labeled(&labeled.node),
            Statement::If(conditional) => {
                let parts = &conditional.node;
                let condition = self.head(span, &parts.condition)?;
                let branch = self.branch(condition, true);
                self.statement(&parts.then_statement)?;
                match &parts.else_statement {
                    None => self.land(&[branch], self.here()),
                    Some(otherwise) => {
                        let over = self.jump();
                        self.land(&[branch], self.here());
                        self.statement(otherwise)?;
                        self.land(&[over], self.here());
                    }
                }
                Ok(())
            }
            Statement::While(parts) => {
                let before = self.enter_loop();
                let start = self.here();
                self.user_loop(start, span);
                let condition = self.head(span, &parts.node.expression)?;
                let branch = self.branch(condition, true);
                self.statement(&parts.node.statement)?;
                self.leave_loop(before, start, &[branch], start);
                Ok(())
            }
            Statement::DoWhile(parts) => {
                let before = self.enter_loop();
                let start = self.here();
                self.statement(&parts.node.statement)?;
                let continued = self.here();
                self.user_loop(continued, span);
                self.at(parts.node.expression.span, parts.node.expression.span);
                let condition = self.value(&parts.node.expression)?;
                let branch = self.branch(condition, true);
                self.leave_loop(before, continued, &[branch], start);
                Ok(())
            }
            Statement::For(parts) => {
                self.scopes.push(Scope::default());
                match &parts.node.initializer.node {
                    ForInitializer::Empty => {}
                    ForInitializer::StaticAssert(assertion) => self.static_assertion(assertion)?,
                    ForInitializer::Expression(first) => {
                        self.at(first.span, first.span);
                        self.effect(first)?;
                    }
                    ForInitializer::Declaration(declaration) => self.declaration(declaration)?,
                }
                let before = self.enter_loop();
                let start = self.here();
                self.user_loop(start, span);
                let mut exits = Vec::new();
                if let Some(condition) = &parts.node.condition {
                    self.at(condition.span, condition.span);
                    let condition = self.value(condition)?;
                    exits.push(self.branch(condition, true));
                }
                self.statement(&parts.node.statement)?;
                let continued = self.here();
                if let Some(step) = &parts.node.step {
                    self.at(step.span, step.span);
                    self.effect(step)?;
                }
                self.leave_loop(before, continued, &exits, start);
                self.scopes.pop();
                Ok(())
            }
            Statement::Switch(parts) => self.switch(&parts.node, span),
            Statement::Goto(label) => {
                let jump = self.jump();
                self.body.context.gotos.push((jump, label.node.name.clone(), label.span));
                Ok(())
            }
            Statement::Continue => {
                let jump = self.jump();
                match self.body.context.continues.last_mut() {
                    Some(jumps) => jumps.push(jump),
                    None => return self.wrong(span, "`continue` outside of a loop"),
                }
                Ok(())
            }
            Statement::Break => {
                let jump = self.jump();
                match self.body.context.breaks.last_mut() {
                    Some(jumps) => jumps.push(jump),
                    None => return self.wrong(span, "`break` outside of a loop or `switch`"),
                }
                Ok(())
            }
            Statement::Return(value) => {
                self.at(span, value.as_ref().map_or(span, |value| value.span));
                let value = match (value, self.body.context.returns) {
                    (Some(value), Some(ty)) => Some(self.value(value)?.convert(ty)),
                    (Some(value), None) => {
                        self.effect(value)?;
                        None
                    }
                    (None, _) => None,
                };
                if self.body.context.exits.is_some() {
                    self.return_from_inlined(value);
                } else {
                    let value = value.map(|value| self.expression(value));
                    self.emit(Kind::Return(value), true);
                }
                Ok(())
            }
            Statement::Asm(_) => self.unsupported(span, "`asm`"),
        }
    }

    /// The condition of a statement. In traces it stands for the statement, whose text is cut after it.
    fn head(&mut self, statement: Span, condition: &'a Node<Expression>) -> Result<Value> {
        self.at(Span::span(statement.start, condition.span.end + 1), condition.span);
        self.value(condition)
    }

    fn user_loop(&mut self, statement: u32, span: Span) {
        let (span, frame, visible) = (self.located(span), self.body.frame, self.visible());
        self.body.loops.push(Loop { statement, span, visible, frame });
    }

    /// What is declared in a loop is declared anew every time.
    fn enter_loop(&mut self) -> bool {
        self.body.context.breaks.push(Vec::new());
        self.body.context.continues.push(Vec::new());
        std::mem::replace(&mut self.body.may_repeat, true)
    }

    /// Ends a loop: back to the start; `exits` and breaks land behind it.
    fn leave_loop(&mut self, before: bool, continued: u32, exits: &[usize], start: u32) {
        let continues = self.body.context.continues.pop().unwrap_or_default();
        self.land(&continues, continued);
        self.emit(Kind::Goto(start), false);
        let breaks = self.body.context.breaks.pop().unwrap_or_default();
        let here = self.here();
        self.land(&breaks, here);
        self.land(exits, here);
        self.body.may_repeat = before;
    }

    fn labeled(&mut self, labeled: &'a LabeledStatement) -> Result<()> {
        let span = labeled.label.span;
        let here = self.here();
        match &labeled.label.node {
            Label::Identifier(name) => {
                let text = &name.node.name;
                if self.body.context.label_index.insert(text.clone(), here).is_some() {
                    return self.wrong(span, format!("label `{text}` is defined twice"));
                }
                // Whatever follows can be reached again from below.
                self.body.may_repeat = true;
                self.at(labeled.statement.span, labeled.statement.span);
                let name = self.program.names.intern(text);
                self.emit(Kind::Skip, false);
                let span = self.span(span);
                self.body.labels.push(UserLabel { name, statement: here, span });
            }
            Label::Case(value) => {
                let number = self.case_number(value)?;
                self.case(number, number, span)?;
            }
            Label::CaseRange(range) => {
                let (low, high) = (self.case_number(&range.node.low)?, self.case_number(&range.node.high)?);
                self.case(low, high, span)?;
            }
            Label::Default => match self.body.context.switches.last_mut() {
                Some(switch) if switch.default.is_some() => return self.wrong(span, "this `default` stands twice"),
                Some(switch) => switch.default = Some(here),
                None => return self.wrong(span, "`default` outside of a `switch`"),
            },
        }
        self.statement(&labeled.statement)
    }

    /// The number of a `case`, in the type of its switch.
    fn case_number(&mut self, value: &'a Node<Expression>) -> Result<i128> {
        let (number, ty) = self.constant(value)?;
        let switch_type = self.body.context.switches.last().and_then(|switch| switch.ty).unwrap_or(ty);
        Ok(Value::constant(number, ty).convert(switch_type).number().unwrap_or(number))
    }

    fn case(&mut self, low: i128, high: i128, span: Span) -> Result<()> {
        let here = self.here();
        match self.body.context.switches.last_mut() {
            Some(switch) if switch.cases.iter().any(|case| case.0 <= high && low <= case.1) => {
                self.wrong(span, "this `case` stands twice")
            }
            Some(switch) => {
                switch.cases.push((low, high, here));
                Ok(())
            }
            None => self.wrong(span, "`case` outside of a `switch`"),
        }
    }

    /// Jumps to the tests, which stand behind the body: only there all cases are known.
    fn switch(&mut self, parts: &'a SwitchStatement, span: Span) -> Result<()> {
        let value = self.head(span, &parts.expression)?;
        let head = (self.body.span, self.body.expression);
        let ty = value.ty.promoted(self.widths.int);
        let var = self.temporary(ty);
        self.assign(Target::Cell(var), value.convert(ty), true);
        let value = Value::read(var, ty);
        let to_tests = self.jump();
        self.body.context.switches.push(Switch { ty: Some(ty), ..Switch::default() });
        self.body.context.breaks.push(Vec::new());
        self.statement(&parts.statement)?;
        let over = self.jump();
        self.land(&[to_tests], self.here());
        let switch = self.body.context.switches.pop().unwrap_or_default();
        (self.body.span, self.body.expression) = head;
        for (low, high, goal) in switch.cases {
            let test = self.is_case(&value, low, high, ty);
            let condition = self.expression(test);
            let otherwise = self.here() + 1;
            self.emit(Kind::Branch { condition, then: goal, otherwise }, false);
        }
        let end = self.jump();
        match switch.default {
            Some(default) => self.land(&[end], default),
            None => self.land(&[end], end as u32 + 1),
        }
        let breaks = self.body.context.breaks.pop().unwrap_or_default();
        self.land(&breaks, self.here());
        self.land(&[over], self.here());
        Ok(())
    }

    fn is_case(&self, value: &Value, low: i128, high: i128, ty: IntType) -> Value {
        let constant = |number| Value::constant(number, ty);
        if low == high {
            return value.clone().binary(Binary::Equal, constant(low), ty);
        }
        let above = constant(low).binary(Binary::LessOrEqual, value.clone(), ty);
        above.logical(Binary::And, value.clone().binary(Binary::LessOrEqual, constant(high), ty))
    }
}

//! Functions that are small and do not call themselves are written out where they are called.
//!
//! Programs are full of functions like `assume(cond)`, one call of which is one test: as procedures they cost every
//! engine a summary and a copy of the state, written out they are a guard. Their statements remember whose they are
//! ([`Frame`]), so that traces, witnesses and messages speak of the function as the user wrote it.

use super::super::expr::Var;
use super::super::source::Span;
use super::body::Context;
use super::call::{Argument, Want};
use super::place::nth;
use super::tree::{Frame, Kind, Target};
use super::types::Type;
use super::unit::{Definition, Entity, Result, Scope, Unit};
use super::value::Value;
use lang_c::ast::{CallExpression, Expression, Statement};
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

/// Statements and calls of a function that is written out, with those of the functions written out in it.
const LARGEST: usize = 40;

/// Calls may be written out inside of each other so deep.
const DEEPEST: u32 = 16;

/// How large a function is and whom it calls.
#[derive(Default)]
struct Measure {
    size: usize,
    calls: Vec<String>,
}

impl<'ast> Visit<'ast> for Measure {
    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast lang_c::span::Span) {
        self.size += usize::from(!matches!(statement, Statement::Compound(_)));
        visit::visit_statement(self, statement, span);
    }

    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast lang_c::span::Span) {
        self.size += 1;
        if let Expression::Identifier(name) = &call.callee.node {
            self.calls.push(name.node.name.clone());
        }
        visit::visit_call_expression(self, call, span);
    }
}

fn measure(definition: &Definition<'_>) -> Measure {
    let mut measure = Measure::default();
    measure.visit_function_definition(&definition.node.node, &definition.node.span);
    measure
}

/// The functions that a function calls by their names.
pub(super) fn calls(definition: &Definition<'_>) -> Vec<String> {
    measure(definition).calls
}

/// The functions to be written out: small with everything that is written out in them, and not recursive. Decided from
/// the bottom up: a function is ready when all functions it calls are decided.
pub(super) fn inlinable(definitions: &FxHashMap<String, Definition<'_>>) -> FxHashSet<String> {
    let mut open: FxHashMap<&str, Measure> = FxHashMap::default();
    for (name, definition) in definitions {
        open.insert(name, measure(definition));
    }
    let mut small: FxHashMap<String, usize> = FxHashMap::default();
    loop {
        let is_ready = |measure: &Measure| measure.calls.iter().all(|call| !open.contains_key(call.as_str()));
        let ready: Vec<&str> = open.iter().filter(|(_, measure)| is_ready(measure)).map(|(name, _)| *name).collect();
        if ready.is_empty() {
            // What is left is recursive or calls what is.
            return small.into_keys().collect();
        }
        for name in ready {
            let Some(measure) = open.remove(name) else { continue };
            let inner = measure.calls.iter().filter_map(|call| small.get(call)).sum::<usize>();
            if measure.size + inner <= LARGEST {
                small.insert(name.to_owned(), measure.size + inner);
            }
        }
    }
}

impl<'a> Unit<'a> {
    /// A call of this function is written out here.
    pub(super) fn is_inlined(&self, name: &str) -> bool {
        self.inlinable.contains(name)
            && self.body.frames.get(self.body.frame as usize).is_none_or(|f| f.depth < DEEPEST)
    }

    /// Writes a function out; its value, if it has one.
    pub(super) fn inline(
        &mut self,
        definition: Definition<'a>,
        mut handed: Vec<Argument>,
        want: Want,
    ) -> Result<Option<Value>> {
        let function = self.program.names.intern(definition.name());
        let result = match (&definition.signature.result, want) {
            (Type::Int(ty), Want::Into(var @ Var::Local(_), wanted)) if wanted == *ty => Some((var, *ty)),
            (Type::Int(ty), Want::Nothing) => Some((self.temporary(*ty), *ty)),
            (Type::Int(ty), _) => Some((self.result_of(definition.name(), *ty), *ty)),
            _ => None,
        };
        for argument in &mut handed {
            if let Argument::Cells(cells) = argument {
                for value in cells {
                    self.check(&value.hazards);
                    *value = value.bare();
                }
            }
        }
        self.emit(Kind::Enter { function }, true);
        let outer = self.enter_frame(Frame { function, depth: self.depth() + 1 });
        // The function sees nothing of its caller.
        let callers = self.scopes.split_off(1);
        self.scopes.push(Scope::default());
        for (argument, (name, ty)) in handed.into_iter().zip(&definition.signature.parameters) {
            let name = name.as_deref().unwrap_or_default();
            let entity = match argument {
                Argument::Cells(cells) => {
                    let first = self.object(name, ty, false, definition.node.span)?;
                    for (cell, value) in cells.into_iter().enumerate() {
                        self.assign(Target::Cell(nth(first, cell)), value, false);
                    }
                    Entity::Object(first, ty.clone())
                }
                Argument::Pointer(Some((place, element, count)), _) => Entity::Pointer(place.first, element, count),
                // Whoever uses it is told that it is not supported.
                Argument::Pointer(None, _) => Entity::Object(Var::Local(0), ty.clone()),
            };
            self.declare(name, entity);
        }
        self.body.context.result = result.map(|(var, _)| var);
        self.body.context.returns = result.map(|(_, ty)| ty);
        self.statement(&definition.node.node.statement)?;
        // Control that comes here brings no value.
        if let Some(result) = self.body.context.result {
            self.emit(Kind::Forget(vec![result]), false);
        }
        self.scopes.truncate(1);
        self.scopes.extend(callers);
        self.leave_frame(outer)?;
        Ok(result.map(|(var, ty)| Value::read(var, ty)))
    }

    /// How deep calls are written out here.
    fn depth(&self) -> u32 {
        self.body.frames.get(self.body.frame as usize).map_or(0, |frame| frame.depth)
    }

    fn enter_frame(&mut self, frame: Frame) -> (Context, u32, (Span, Span), bool) {
        self.body.frames.push(frame);
        let number = self.body.frames.len() as u32 - 1;
        let context = Context { exits: Some(Vec::new()), ..Context::default() };
        (
            std::mem::replace(&mut self.body.context, context),
            std::mem::replace(&mut self.body.frame, number),
            (self.body.span, self.body.expression),
            // Its variables are arbitrary every time it is called.
            std::mem::replace(&mut self.body.may_repeat, true),
        )
    }

    fn leave_frame(&mut self, (context, frame, span, may_repeat): (Context, u32, (Span, Span), bool)) -> Result<()> {
        self.set_gotos()?;
        let exits = self.body.context.exits.take().unwrap_or_default();
        // Back in the caller's statement: something to come back to.
        self.body.frame = frame;
        (self.body.span, self.body.expression) = span;
        self.land(&exits, self.here());
        self.body.context = context;
        self.body.may_repeat = may_repeat;
        Ok(())
    }

    /// `return` in a function that is written out: the result is kept, and control goes to its end.
    pub(super) fn return_from_inlined(&mut self, value: Option<Value>) {
        if let (Some(value), Some(result)) = (value, self.body.context.result) {
            self.assign(Target::Cell(result), value, true);
        } else {
            self.emit(Kind::Skip, true);
        }
        let jump = self.jump();
        if let Some(exits) = &mut self.body.context.exits {
            exits.push(jump);
        }
    }
}

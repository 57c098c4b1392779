//! Functions that are small and do not call themselves are written out where they are called.
//!
//! Programs are full of functions like `assume(cond)`, one call of which is one test: as procedures they cost every
//! engine a summary and a copy of the state, written out they are a guard. Their statements remember whose they are
//! ([`Frame`]), so that traces, witnesses and messages speak of the function as the user wrote it.

use super::super::expr::Var;
use super::super::source::Span;
use super::body::Context;
use super::call::Want;
use super::place::nth;
use super::tree::{Frame, Kind, Target};
use super::types::Type;
use super::unit::{Entity, Result, Scope, Unit, declared_name};
use super::value::Value;
use lang_c::ast::{CallExpression, Expression, FunctionDefinition, Statement};
use lang_c::span::Node;
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

/// The functions to be written out: small with everything that is written out in them, and not recursive. Decided from
/// the bottom up: a function is ready when all functions it calls are decided.
pub(super) fn inlinable(definitions: &FxHashMap<String, &Node<FunctionDefinition>>) -> FxHashSet<String> {
    let mut open: FxHashMap<&str, Measure> = FxHashMap::default();
    for (name, definition) in definitions {
        let mut measure = Measure::default();
        measure.visit_function_definition(&definition.node, &definition.span);
        open.insert(name, measure);
    }
    let mut small: FxHashMap<String, usize> = FxHashMap::default();
    loop {
        let is_ready = |measure: &Measure| measure.calls.iter().all(|call| !open.contains_key(call.as_str()));
        let ready: Vec<&str> = open.iter().filter(|(_, measure)| is_ready(measure)).map(|(name, _)| *name).collect();
        if ready.is_empty() {
            // What is left is recursive or calls what is.
            return small.into_keys().filter(|name| name != "main").collect();
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
        definition: &'a Node<FunctionDefinition>,
        call: &'a CallExpression,
        want: Want,
    ) -> Result<Option<Value>> {
        let signature = self.signature(definition)?;
        let name = declared_name(&definition.node.declarator.node).unwrap_or_default();
        let function = self.program.names.intern(name);
        let mut scope = Scope::default();
        let mut handed = Vec::new();
        for (number, (argument, (parameter, ty))) in call.arguments.iter().zip(&signature.parameters).enumerate() {
            let later_effects = call.arguments[number + 1..].iter().any(|later| self.has_effects(later));
            let text = parameter.clone().unwrap_or_default();
            let entity = match ty {
                Type::Int(to) => {
                    let mut value = self.value(argument)?.convert(*to);
                    if value.reads() && later_effects {
                        value = self.save(value);
                    }
                    handed.push((text.clone(), ty.clone(), vec![value]));
                    None
                }
                Type::Struct(_) => {
                    let place = self.place(argument)?;
                    let place = self.settled(place);
                    let mut cells = Vec::new();
                    for (cell, (_, ty)) in place.ty.layout().into_iter().enumerate() {
                        let value = self.read(&place.part(cell, Type::Int(ty)), argument.span)?;
                        cells.push(self.save(value));
                    }
                    handed.push((text.clone(), ty.clone(), cells));
                    None
                }
                Type::Pointer(pointee) => {
                    let pointed = self.resolved(argument, pointee)?;
                    Some(pointed.map_or(Entity::Object(Var::Local(0), ty.clone()), |(place, element, count)| {
                        Entity::Pointer(place.first, element, count)
                    }))
                }
                other => return self.unsupported(argument.span, format!("{} as an argument", other.describe())),
            };
            if let Some(entity) = entity {
                scope.names.insert(text, entity);
            }
        }
        let extra: Vec<_> = call.arguments.iter().skip(signature.parameters.len()).collect();
        for extra in extra.into_iter().filter(|extra| self.has_effects(extra)).collect::<Vec<_>>() {
            self.effect(extra)?;
        }
        self.emit(Kind::Enter { function }, true);
        let outer = self.enter_frame(Frame { function, depth: self.depth() + 1 });
        // The function sees nothing of its caller.
        let callers = self.scopes.split_off(1);
        for (text, ty, cells) in handed {
            let first = self.object(&text, &ty, false, definition.span)?;
            for (cell, value) in cells.into_iter().enumerate() {
                self.assign(Target::Cell(nth(first, cell)), value, false);
            }
            scope.names.insert(text, Entity::Object(first, ty));
        }
        let result = match &signature.result {
            Type::Int(ty) => {
                self.body.context.returns = Some(*ty);
                let into = match want {
                    Want::Into(var, wanted) if wanted == *ty && matches!(var, Var::Local(_)) => var,
                    _ => self.temporary(*ty),
                };
                self.body.context.result = Some(into);
                Some(Value::read(into, *ty))
            }
            Type::Void => None,
            other => {
                return self.unsupported(definition.span, format!("a function that returns {}", other.describe()));
            }
        };
        self.scopes.push(scope);
        self.statement(&definition.node.statement)?;
        self.scopes.truncate(1);
        self.scopes.extend(callers);
        self.leave_frame(outer)?;
        Ok(result)
    }

    /// How deep calls are written out here.
    fn depth(&self) -> u32 {
        self.body.frames.get(self.body.frame as usize).map_or(0, |frame| frame.depth)
    }

    fn enter_frame(&mut self, frame: Frame) -> (Context, u32, Span, bool) {
        self.body.frames.push(frame);
        let number = self.body.frames.len() as u32 - 1;
        let context = Context { exits: Some(Vec::new()), ..Context::default() };
        (
            std::mem::replace(&mut self.body.context, context),
            std::mem::replace(&mut self.body.frame, number),
            self.body.span,
            // Its variables are arbitrary every time it is called.
            std::mem::replace(&mut self.body.may_repeat, true),
        )
    }

    fn leave_frame(&mut self, (context, frame, span, may_repeat): (Context, u32, Span, bool)) -> Result<()> {
        self.set_gotos()?;
        let exits = self.body.context.exits.take().unwrap_or_default();
        // Back in the caller's statement: something to come back to.
        self.body.frame = frame;
        self.body.span = span;
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

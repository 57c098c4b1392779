//! Calls: of functions of the text, of those that everybody knows, and of those that nobody defines.

use super::super::diagnostic::{Diagnostic, Severity};
use super::super::expr::Var;
use super::expr::{Expr, Op};
use super::library::{Known, is_library, known};
use super::place::{Place, is_plain, nth};
use super::tree::Kind;
use super::types::{IntType, Signature, Type};
use super::unit::{Binding, Definition, Entity, Result, Unit};
use super::value::Value;
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span};
use std::rc::Rc;

/// What becomes of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Nothing,
    Value,
    /// It goes to a variable of this type; if it has another one, it is given as a value.
    Into(Var, IntType),
}

/// An object that a pointer points to, the type of its elements, and how many there are.
pub(super) type Pointed = (Place, Type, usize);

/// What a call hands over for one parameter.
pub(super) enum Argument {
    /// The cells of an integer or a structure.
    Cells(Vec<Value>),
    /// A pointer, to this object if that is known.
    Pointer(Option<Pointed>, Span),
}

impl<'a> Unit<'a> {
    /// Calls a function; its value, if it has one.
    pub(super) fn call(&mut self, call: &'a CallExpression, span: Span, want: Want) -> Result<Option<Value>> {
        let Expression::Identifier(name) = &call.callee.node else {
            return self.unsupported(span, "a call through a pointer");
        };
        let name = &name.node.name;
        // A variable may have the name of a function.
        let declared = match self.find(name) {
            Some(Entity::Function(Type::Function(signature))) => Some(signature.clone()),
            None => None,
            Some(_) => return self.unsupported(span, "a call through a pointer"),
        };
        if self.aliases.contains(name) {
            return self.unsupported(span, format!("a call of `{name}`, which is another name of a function"));
        }
        if let Some(definition) = self.definitions.get(name).cloned() {
            return self.call_defined(name, definition, call, span, want);
        }
        let meaning = known(name, &self.widths);
        let mut values = Vec::new();
        match meaning {
            Some(Known::Prints(_)) if want != Want::Nothing => {
                return self.unsupported(span, format!("the result of `{name}`"));
            }
            Some(Known::Prints(Some(format))) if writes_back(&call.arguments, format) => {
                return self.unsupported(span, format!("`{name}` with `%n`, or with a format that is not known"));
            }
            Some(Known::Stops | Known::Prints(_)) => {
                call.arguments.iter().try_for_each(|argument| self.effect(argument))?;
            }
            // What is asserted may be explained by a text.
            Some(Known::Assert | Known::Assume) => {
                for argument in call.arguments.iter().take(1) {
                    let value = self.truth(argument)?;
                    // `assert` is a macro, whatever it is declared as.
                    let parameter = declared.as_ref().and_then(|signature| signature.parameters.first());
                    values.push(match parameter {
                        Some((_, Type::Int(ty))) if name != "assert" => value.convert(*ty),
                        _ => value,
                    });
                }
            }
            Some(_) => values = self.values(&call.arguments)?,
            None => return self.call_undefined(name, declared, call, span, want),
        }
        let first = values.into_iter().next();
        if !matches!(meaning, Some(Known::Stops | Known::Input(_))) {
            self.enter_nothing(name, matches!(meaning, Some(Known::Prints(_))));
        }
        match (meaning, first) {
            (Some(Known::Assume), Some(condition)) => {
                let condition = self.expression(condition.test());
                self.emit(Kind::Assume(condition), true);
                Ok(None)
            }
            (Some(Known::Assert), Some(condition)) => {
                let branch = self.branch(condition.not(), true);
                let function = if name == "assert" { "__assert_fail" } else { "reach_error" };
                self.stop(function);
                self.land(&[branch], self.here());
                Ok(None)
            }
            (Some(Known::Same), Some(value)) => Ok(Some(value.convert(IntType::signed(self.widths.long)))),
            (Some(Known::Stops), _) => {
                self.stop(name);
                Ok(Some(Value::constant(0, IntType::signed(self.widths.int))))
            }
            // Nobody wants its result.
            (Some(Known::Prints(_)), _) => Ok(None),
            (Some(Known::Input(ty)), _) => {
                let ty = match declared.as_ref().map(|signature| &signature.result) {
                    Some(Type::Int(ty)) => *ty,
                    _ => ty,
                };
                Ok(Some(self.input(ty, name, span, want)))
            }
            _ => self.wrong(span, format!("`{name}` needs an argument")),
        }
    }

    /// A function is called whose body is not looked at.
    fn enter_nothing(&mut self, function: &str, is_told: bool) {
        let function = self.program.names.intern(function);
        self.emit(Kind::Enter { function }, is_told);
    }

    /// The run ends, in a function that does not return.
    fn stop(&mut self, function: &str) {
        let function = self.program.names.intern(function);
        self.emit(Kind::Stop { function }, true);
    }

    /// A value that comes from outside.
    fn input(&mut self, ty: IntType, function: &str, call: Span, want: Want) -> Value {
        let target = match want {
            Want::Into(var, wanted) if wanted == ty => var,
            _ => self.result_of(function, ty),
        };
        let (function, call) = (self.program.names.intern(function), self.span(call));
        self.emit(Kind::Input { target, function, call }, true);
        Value::read(target, ty)
    }

    /// Values in order; one that a later one could change is kept in a variable of ours.
    fn values(&mut self, nodes: &'a [Node<Expression>]) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let value = self.value(node)?;
            values.push(self.kept(value, &nodes[index + 1..]));
        }
        Ok(values)
    }

    /// A value that stays as it is while the rest is evaluated.
    fn kept(&mut self, value: Value, rest: &'a [Node<Expression>]) -> Value {
        if value.reads() && rest.iter().any(|later| self.has_effects(later)) { self.save(value) } else { value }
    }

    /// A function that the program declares and nobody defines changes nothing that can be seen and returns
    /// any value: so said the rules of the competition's first years, and programs of that time rely on it.
    /// One of the library does what its manual says; a function that is not declared at all is one, if
    /// headers were read that should declare it.
    fn call_undefined(
        &mut self,
        name: &str,
        declared: Option<Rc<Signature>>,
        call: &'a CallExpression,
        span: Span,
        want: Want,
    ) -> Result<Option<Value>> {
        let is_of_header = self.library.contains(name) || declared.is_none() && self.origin.has_headers;
        if is_of_header && !name.contains("nondet") || is_library(name) {
            return self.unsupported(span, format!("a call of `{name}`"));
        }
        for argument in &call.arguments {
            let value = self.value(argument);
            match value {
                Ok(value) => self.check(&value.hazards),
                Err(error) => {
                    let message = format!("a call of `{name}`, which is not defined ({})", error.message);
                    return Err(Diagnostic { message, ..error });
                }
            }
        }
        if self.never_return.contains(name) {
            self.stop(name);
            return Ok(Some(Value::constant(0, IntType::signed(self.widths.int))));
        }
        if self.noted.insert(name.to_owned()) {
            let message =
                format!("function `{name}` is not defined: it is taken to change nothing and return anything");
            self.notes.push(self.origin.told(span, Diagnostic::note(self.span(span), message)));
        }
        let result = declared.map_or(Type::Int(IntType::signed(self.widths.int)), |signature| signature.result.clone());
        match result {
            Type::Void => {
                self.enter_nothing(name, true);
                let name = self.program.names.intern(name);
                self.program.externals.push((name, None));
                Ok(None)
            }
            Type::Int(ty) => Ok(Some(self.input(ty, name, span, want))),
            other => self.unsupported(span, format!("a call of `{name}`, which returns {}", other.describe())),
        }
    }

    /// Calls a function of the text, or writes it out here.
    fn call_defined(
        &mut self,
        name: &str,
        definition: Definition<'a>,
        call: &'a CallExpression,
        span: Span,
        want: Want,
    ) -> Result<Option<Value>> {
        let signature = &definition.signature;
        let (given, wanted) = (call.arguments.len(), signature.parameters.len());
        if given < wanted || given > wanted && !signature.open {
            return self.wrong(span, format!("`{name}` takes {wanted} arguments, not {given}"));
        }
        if !matches!(signature.result, Type::Int(_) | Type::Void) {
            return self.unsupported(span, format!("a function that returns {}", signature.result.describe()));
        }
        let handed = self.arguments(call, signature)?;
        if self.is_inlined(name) { self.inline(definition, handed, want) } else { self.enter(definition, handed, want) }
    }

    /// What is handed over for each parameter, in order; a value that a later argument could change is kept in a
    /// variable of ours.
    fn arguments(&mut self, call: &'a CallExpression, signature: &Signature) -> Result<Vec<Argument>> {
        let mut handed = Vec::new();
        for (number, (argument, (_, ty))) in call.arguments.iter().zip(&signature.parameters).enumerate() {
            handed.push(match ty {
                Type::Int(ty) => {
                    let value = self.value(argument)?.convert(*ty);
                    Argument::Cells(vec![self.kept(value, &call.arguments[number + 1..])])
                }
                Type::Struct(_) => {
                    let place = self.place(argument)?;
                    if place.ty != *ty {
                        return self.wrong(argument.span, "the parameter is of another type");
                    }
                    let place = self.settled(place);
                    let mut cells = Vec::new();
                    for (cell, (_, ty)) in place.ty.layout().into_iter().enumerate() {
                        let value = self.read(&place.part(cell, Type::Int(ty)), argument.span)?;
                        cells.push(self.save(value));
                    }
                    Argument::Cells(cells)
                }
                Type::Pointer(pointee) => {
                    let pointed = if self.has_effects(argument) { None } else { self.resolved(argument, pointee)? };
                    if pointed.is_none() && !is_plain(argument) {
                        self.effect(argument)?;
                    }
                    Argument::Pointer(pointed, argument.span)
                }
                other => return self.unsupported(argument.span, format!("{} as an argument", other.describe())),
            });
        }
        call.arguments.iter().skip(signature.parameters.len()).try_for_each(|extra| self.effect(extra))?;
        Ok(handed)
    }

    /// Calls an instance of a function; its value, if it has one.
    fn enter(&mut self, definition: Definition<'a>, handed: Vec<Argument>, want: Want) -> Result<Option<Value>> {
        let mut values = Vec::new();
        let mut bindings = Vec::new();
        let mut objects: Vec<(usize, Var, usize)> = Vec::new();
        for (number, argument) in handed.into_iter().enumerate() {
            bindings.push(match argument {
                Argument::Cells(cells) => {
                    values.extend(cells);
                    Binding::Value
                }
                Argument::Pointer(None, _) => Binding::Value,
                Argument::Pointer(Some(pointed), span) => self.binding(number, pointed, span, &mut objects)?,
            });
        }
        // What goes back to the caller's objects must not hide the result.
        let is_object = |var| objects.iter().any(|&(_, first, cells)| (0..cells).any(|cell| nth(first, cell) == var));
        let result = match (&definition.signature.result, want) {
            (Type::Int(ty), Want::Into(var, wanted)) if wanted == *ty && !is_object(var) => Some((var, *ty)),
            (Type::Int(ty), Want::Into(..) | Want::Value) => Some((self.result_of(definition.name(), *ty), *ty)),
            _ => None,
        };
        let mut targets = Vec::new();
        if definition.signature.result != Type::Void {
            targets.push(result.map(|(var, _)| var));
        }
        let callee = self.instance(definition, bindings);
        let mut arguments: Vec<Expr> = values.into_iter().map(|value| self.expression(value)).collect();
        for (_, first, cells) in objects {
            for var in (0..cells).map(|cell| nth(first, cell)) {
                arguments.push(self.program.exprs.add(&[Op::Read(var)]));
                targets.push(Some(var));
            }
        }
        self.emit(Kind::Call { callee, arguments, targets }, true);
        Ok(result.map(|(var, ty)| Value::read(var, ty)))
    }

    /// What the callee sees of an object that a pointer points to.
    fn binding(
        &mut self,
        number: usize,
        (place, element, count): Pointed,
        span: Span,
        objects: &mut Vec<(usize, Var, usize)>,
    ) -> Result<Binding> {
        let cells = element.cells().unwrap_or(0) * count;
        let Var::Local(first) = place.first else { return Ok(Binding::Global(place.first, element, count)) };
        let range = |first: Var, cells: usize| match first {
            Var::Local(first) => first as usize..first as usize + cells,
            Var::Global(_) => 0..0,
        };
        for &(earlier, other, other_cells) in objects.iter() {
            let (ours, theirs) = (range(place.first, cells), range(other, other_cells));
            if other == place.first && other_cells == cells {
                return Ok(Binding::Copied(earlier, element, count));
            }
            if ours.start < theirs.end && theirs.start < ours.end {
                return self.unsupported(span, "pointers to overlapping objects");
            }
        }
        objects.push((number, Var::Local(first), cells));
        Ok(Binding::Copied(number, element, count))
    }

    /// The object of that type that a pointer argument points to. One that cannot be resolved may still be one that
    /// nobody uses.
    pub(super) fn resolved(&mut self, argument: &'a Node<Expression>, pointee: &Type) -> Result<Option<Pointed>> {
        use Expression::{BinaryOperator, Identifier, Member, UnaryOperator};
        let simple = matches!(argument.node, Identifier(_) | UnaryOperator(_) | Member(_) | BinaryOperator(_));
        let pointed = match if simple { self.pointed(argument) } else { Ok(None) } {
            Err(error) if error.severity == Severity::Unsupported => None,
            pointed => pointed?,
        };
        Ok(pointed.filter(|(place, element, count)| place.is_fixed() && element == pointee && *count > 0))
    }
}

/// Printing these arguments may assign something to one of them, by `%n`; of a format that is not written there it is
/// not known.
fn writes_back(arguments: &[Node<Expression>], format: usize) -> bool {
    let Some((format, rest)) = arguments.get(format..).and_then(<[_]>::split_first) else { return false };
    let mut open = vec![format];
    while let (Some(format), false) = (open.pop(), rest.is_empty()) {
        match &format.node {
            Expression::StringLiteral(parts) if !has_count(&written(&parts.node)) => {}
            Expression::Conditional(either) => {
                open.extend([&*either.node.then_expression, &*either.node.else_expression]);
            }
            _ => return true,
        }
    }
    false
}

/// What stands between the quotes.
pub(super) fn written(parts: &[String]) -> String {
    parts.iter().filter_map(|part| part.split_once('"')?.1.strip_suffix('"')).collect()
}

/// A format, as it is written, asks for the number of characters so far: `%n`, `%-3.4hhn`. What it would mean
/// with a part of this written as a number, as `\x6e`, is not looked at: it may.
fn has_count(format: &str) -> bool {
    const BETWEEN: &str = "-+ #0123456789.*'$hlLqjztI";
    let number = |rest: &str| match rest.strip_prefix(['x', 'u', 'U']) {
        Some(digits) => {
            let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
            u32::from_str_radix(&digits[..end], 16).unwrap_or('n'.into())
        }
        None => {
            let end = rest.find(|c: char| !c.is_digit(8)).unwrap_or(rest.len());
            u32::from_str_radix(&rest[..end.min(3)], 8).unwrap_or(0)
        }
    };
    let is_part = |c: char| c == '%' || c == 'n' || BETWEEN.contains(c);
    let mut counts = format.split('\\').skip(1).any(|rest| char::from_u32(number(rest)).is_none_or(is_part));
    let mut pieces = format.split('%').skip(1);
    while let Some(piece) = pieces.next() {
        // `%%` is a sign like others.
        if piece.is_empty() {
            pieces.next();
        }
        let letter = piece.find(|c: char| !BETWEEN.contains(c));
        counts |= letter.is_some_and(|at| piece[at..].starts_with('n'));
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::has_count;

    #[test]
    fn formats_that_count() {
        for format in ["%n", "abc%d%n", "%-5.3hhn", "%%%n", "%1$n", r"\x25n", r"\45n", r"%\63n"] {
            assert!(has_count(format), "{format}");
        }
        for format in ["", r"%d\n", "%%n", "100%", "%5d no", r#"\"%c\"\n"#, r"\033[1m%s\033[0m\n", r"\0"] {
            assert!(!has_count(format), "{format}");
        }
    }
}

//! A Boolean program in C, with the conventions of SV-COMP: for CBMC and every verifier that takes part there.
//!
//! What must not be reached is a call of `reach_error`. What is arbitrary is `__VERIFIER_nondet_bool()`: globals
//! where `main` begins, locals in each call. Statements stand in their order and `goto` goes from one to
//! another. A procedure that returns one value is a function that does; several values come back in global
//! variables, which are read at once. `constrain` and `assume` end the run with `abort`, as the conventions want.

use super::flat::{Act, Assignment, Flat, Line, Place};
use super::formula::{Formula, Part, Signs};
use super::names::C;
use super::peer_names::PeerNames;
use crate::syntax::bp::{Program, Target};
use crate::syntax::{Expr, Var};
use std::fmt::Write;

/// The program in C; `about` is told in a comment at the top.
///
/// ```
/// use epitome::model::export::to_c;
/// use epitome::syntax::{Source, bp};
/// let (program, _) = bp::parse(&Source::new("a.bp", "decl g := 0; void main() begin assert(!g); end")).unwrap();
/// let text = to_c(&program, "a.bp");
/// assert!(text.contains("_Bool g = 0;") && text.contains("if (g) reach_error();"), "{text}");
/// ```
pub fn to_c(program: &Program, about: &str) -> String {
    let names = PeerNames::new(program, &C, "", "p_");
    let (result, new) = (names.stem("result"), names.stem("new"));
    let mut writer = Writer { program, names, result, new, procedure: 0, out: String::new() };
    writer.head(about);
    for procedure in 0..program.procedures.len() {
        let heading = writer.heading(procedure);
        let _ = writeln!(writer.out, "{heading};");
    }
    for procedure in 0..program.procedures.len() {
        writer.procedure = procedure;
        writer.function();
    }
    writer.main();
    writer.out
}

const ARBITRARY: &str = "__VERIFIER_nondet_bool()";

struct Writer<'p> {
    program: &'p Program,
    names: PeerNames,
    /// How names of variables for results begin…
    result: String,
    /// …and of those for new values.
    new: String,
    /// The procedure that is being written.
    procedure: usize,
    out: String,
}

impl Writer<'_> {
    fn head(&mut self, about: &str) {
        for line in about.lines() {
            let _ = writeln!(self.out, "// {}", line.trim_end_matches('\\'));
        }
        self.out.push_str(
            "// reach_error is called exactly where what is looked for can be reached (FALSE).\n\
             // cbmc FILE.c --unwind 10 --no-unwinding-assertions: VERIFICATION FAILED means FALSE;\n\
             // cbmc FILE.c --unwind 10 --unwinding-assertions: VERIFICATION SUCCESSFUL means TRUE.\n\
             // Other verifiers: property G ! call(reach_error()), 32 bits. epitome check FILE.c reads it, too.\n\n\
             extern void abort(void);\n\
             extern void __assert_fail(const char *, const char *, unsigned int, const char *) \
             __attribute__((__nothrow__, __leaf__, __noreturn__));\n\
             extern _Bool __VERIFIER_nondet_bool(void);\n\
             void reach_error(void) { __assert_fail(\"0\", \"program\", 0, \"reach_error\"); }\n\
             void assume_abort_if_not(int condition) { if (!condition) abort(); }\n\n",
        );
        for (global, name) in self.program.globals.iter().zip(&self.names.globals) {
            let _ = match global.initial {
                Some(value) => writeln!(self.out, "_Bool {name} = {};", u8::from(value)),
                None => writeln!(self.out, "_Bool {name};"),
            };
        }
        let most = self.program.procedures.iter().map(|p| p.results).filter(|&results| results > 1).max();
        for number in 1..=most.unwrap_or(0) {
            let _ = writeln!(self.out, "_Bool {}{number};", self.result);
        }
    }

    fn heading(&self, procedure: usize) -> String {
        let syntax = &self.program.procedures[procedure];
        let parameters = &self.names.locals[procedure][..syntax.parameters];
        let list = match parameters {
            [] => "void".to_owned(),
            some => some.iter().map(|name| format!("_Bool {name}")).collect::<Vec<_>>().join(", "),
        };
        let result = if syntax.results == 1 { "_Bool" } else { "void" };
        format!("{result} {}({list})", self.names.procedures[procedure])
    }

    fn function(&mut self) {
        let syntax = &self.program.procedures[self.procedure];
        let heading = self.heading(self.procedure);
        let _ = writeln!(self.out, "\n{heading} {{");
        let locals = syntax.locals.iter().zip(&self.names.locals[self.procedure]).skip(syntax.parameters);
        for (local, name) in locals {
            let initial = local.initial.map_or(ARBITRARY.to_owned(), |value| u8::from(value).to_string());
            let _ = writeln!(self.out, "  _Bool {name} = {initial};");
        }
        let flat = Flat::new(self.program, syntax);
        let labelled = flat.labelled();
        if flat.start != flat.lines.first().map(|line| line.at) {
            self.jump(flat.start, None);
        }
        for (line, below) in flat.with_next() {
            if labelled[line.at as usize] {
                let _ = writeln!(self.out, "L{}:", line.at);
            }
            self.line(line, below);
        }
        self.out.push_str("end:\n");
        self.enforce();
        match syntax.results {
            0 => self.out.push_str("  return;\n"),
            1 => _ = writeln!(self.out, "  return {ARBITRARY};"),
            results => {
                for number in 1..=results {
                    let _ = writeln!(self.out, "  {}{number} = {ARBITRARY};", self.result);
                }
                self.out.push_str("  return;\n");
            }
        }
        self.out.push_str("}\n");
    }

    /// An assumption at each point.
    fn enforce(&mut self) {
        if let Some(enforce) = self.program.procedures[self.procedure].enforce {
            let enforce = self.value(enforce);
            let _ = writeln!(self.out, "  assume_abort_if_not({enforce});");
        }
    }

    fn line(&mut self, line: &Line<'_>, below: Place) {
        self.enforce();
        if line.fails {
            self.out.push_str("  reach_error();\n");
            return;
        }
        let next = match &line.act {
            Act::Go(next) => *next,
            Act::Choose(places) => return self.choose(places, below),
            Act::Branch { condition, yes, no } => {
                let condition = self.value(*condition);
                let _ = writeln!(self.out, "  if ({condition}) goto {};", label(*yes));
                *no
            }
            Act::Assert(condition, next) => {
                let failure = self.text(&self.formula(*condition).negated(), &[]);
                let _ = writeln!(self.out, "  if ({failure}) reach_error();");
                *next
            }
            Act::Assume(condition, next) => {
                let condition = self.value(*condition);
                let _ = writeln!(self.out, "  assume_abort_if_not({condition});");
                *next
            }
            Act::Assign(assignment, next) => {
                self.assign(assignment);
                *next
            }
            Act::Forget(vars, next) => {
                for &var in *vars {
                    let _ = writeln!(self.out, "  {} = {ARBITRARY};", self.names.var(self.procedure, var));
                }
                *next
            }
            Act::Call { callee, arguments, targets, next } => {
                self.call(*callee, arguments, targets);
                *next
            }
            Act::Return(values) => return self.leave(values),
        };
        self.jump(next, below);
    }

    /// One of the places; the last needs no question.
    fn choose(&mut self, places: &[Place], below: Place) {
        let Some((&last, others)) = places.split_last() else { return };
        for &place in others {
            let _ = writeln!(self.out, "  if ({ARBITRARY}) goto {};", label(place));
        }
        self.jump(last, below);
    }

    fn jump(&mut self, place: Place, below: Place) {
        if place != below {
            let _ = writeln!(self.out, "  goto {};", label(place));
        }
    }

    fn assign(&mut self, assignment: &Assignment<'_>) {
        let pairs: Vec<(Var, Expr)> = assignment.pairs().collect();
        let name = |writer: &Self, var: Var| writer.names.var(writer.procedure, var).to_owned();
        if assignment.is_sequential(&self.program.exprs) {
            for (var, value) in pairs {
                let _ = writeln!(self.out, "  {} = {};", name(self, var), self.value(value));
            }
            return;
        }
        self.out.push_str("  {\n");
        for (number, &(_, value)) in pairs.iter().enumerate() {
            let _ = writeln!(self.out, "    _Bool {}{number} = {};", self.new, self.value(value));
        }
        if let Some(constrain) = assignment.constrain {
            let vars: Vec<Var> = pairs.iter().map(|(var, _)| *var).collect();
            let _ = writeln!(self.out, "    assume_abort_if_not({});", self.text(&self.formula(constrain), &vars));
        }
        for (number, &(var, _)) in pairs.iter().enumerate() {
            let _ = writeln!(self.out, "    {} = {}{number};", name(self, var), self.new);
        }
        self.out.push_str("  }\n");
    }

    fn call(&mut self, callee: usize, arguments: &[Expr], targets: &[Target]) {
        let arguments: Vec<String> = arguments.iter().map(|&argument| self.value(argument)).collect();
        let call = format!("{}({});", self.names.procedures[callee], arguments.join(", "));
        let target = |target: &Target| target.map(|var| self.names.var(self.procedure, var));
        let _ = match targets.first().and_then(target) {
            Some(only) if self.program.procedures[callee].results == 1 => writeln!(self.out, "  {only} = {call}"),
            _ => writeln!(self.out, "  {call}"),
        };
        if self.program.procedures[callee].results > 1 {
            for (number, target) in targets.iter().enumerate() {
                if let Some(name) = target.map(|var| self.names.var(self.procedure, var)) {
                    let _ = writeln!(self.out, "  {name} = {}{};", self.result, number + 1);
                }
            }
        }
    }

    fn leave(&mut self, values: &[Expr]) {
        if let &[value] = values {
            let _ = writeln!(self.out, "  return {};", self.value(value));
            return;
        }
        for (number, &value) in values.iter().enumerate() {
            let _ = writeln!(self.out, "  {}{} = {};", self.result, number + 1, self.value(value));
        }
        self.out.push_str("  return;\n");
    }

    /// The start: arbitrary values for what has none.
    fn main(&mut self) {
        self.out.push_str("\nint main(void) {\n");
        for (global, name) in self.program.globals.iter().zip(&self.names.globals) {
            if global.initial.is_none() {
                let _ = writeln!(self.out, "  {name} = {ARBITRARY};");
            }
        }
        let main = self.program.main;
        let arguments = vec![ARBITRARY; self.program.procedures[main].parameters].join(", ");
        let _ = writeln!(self.out, "  {}({arguments});\n  return 0;\n}}", self.names.procedures[main]);
    }

    fn value(&self, expr: Expr) -> String {
        self.text(&self.formula(expr), &[])
    }

    fn formula(&self, expr: Expr) -> Formula {
        Formula::new(&self.program.exprs, expr, &mut 0)
    }

    /// An expression; these variables have new values.
    fn text(&self, formula: &Formula, changed: &[Var]) -> String {
        let mut text = String::new();
        formula.write(&mut text, &Signs::OF_C, |out, part| match part {
            Part::Const(value) => out.push(if value { '1' } else { '0' }),
            Part::Var(var) => out.push_str(self.names.var(self.procedure, var)),
            Part::Next(var) => match changed.iter().position(|other| *other == var) {
                Some(number) => _ = write!(out, "{}{number}", self.new),
                None => out.push_str(self.names.var(self.procedure, var)),
            },
            Part::Choice(_) | Part::Not | Part::Join(_) => out.push_str(ARBITRARY),
        });
        text
    }
}

fn label(place: Place) -> String {
    place.map_or("end".to_owned(), |at| format!("L{at}"))
}

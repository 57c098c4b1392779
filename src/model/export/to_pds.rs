//! A Boolean program as a symbolic pushdown system, for Moped.
//!
//! There is one control state, `q`. A stack symbol is a line of a procedure, with the values of its locals; a rule
//! replaces the symbol on top, and its expression relates the values before it to those after it:
//! `x` is the value before, `x'` the value after in the symbol on top, `x''` that in the symbol below, of a caller.
//! What an expression does not mention becomes arbitrary. So a choice is a global variable that no rule
//! determines, and results are global variables that only a return determines and only the line after the call
//! reads. All that keeps its value has to be mentioned.
//!
//! The grammar is that of Moped's own parser, version 1 (`pdsparse.y`, `pdslex.l`); it has no constants, which
//! [`super::formula`] folds away. What must not be reached leads to one symbol, `error`.

use super::flat::{Act, Assignment, Flat, Place};
use super::formula::{Formula, Part, Signs};
use super::names::PDS;
use super::peer_names::PeerNames;
use crate::syntax::bp::{Program, Target};
use crate::syntax::{Expr, Var, Variable};
use std::fmt::Write;

/// The program as a pushdown system; `about` is told in a comment at the top.
///
/// ```
/// use epitome::model::export::to_pds;
/// use epitome::syntax::{Source, bp};
/// let (program, _) = bp::parse(&Source::new("a.bp", "decl g := 0; void main() begin assert(!g); end")).unwrap();
/// let text = to_pds(&program, "a.bp");
/// assert!(text.contains("q <main.0> --> q <error> ((g))"), "{text}");
/// ```
pub fn to_pds(program: &Program, about: &str) -> String {
    let names = PeerNames::new(program, &PDS, "", "");
    let (result, choice) = (names.stem("result"), names.stem("choice"));
    let starts = program.procedures.iter().map(|syntax| Flat::new(program, syntax).start);
    let first = names.procedures.iter().zip(starts).map(|(name, start)| symbol(name, start)).collect();
    let mut writer = Writer { program, names, first, result, choice, procedure: 0, choices: 0, rules: String::new() };
    writer.start();
    let mut symbols = Vec::with_capacity(program.procedures.len());
    for procedure in 0..program.procedures.len() {
        writer.procedure = procedure;
        symbols.push(writer.rules());
    }
    writer.head(about, &symbols) + &writer.rules
}

const SIGNS: Signs = Signs { and: " & ", or: " | ", same: " <=> ", differ: " ^ " };

struct Writer<'p> {
    program: &'p Program,
    names: PeerNames,
    /// Where each procedure begins.
    first: Vec<String>,
    /// How names of variables for results begin…
    result: String,
    /// …and of those for choices.
    choice: String,
    /// The procedure that is being written.
    procedure: usize,
    /// How many choices a rule has at most.
    choices: u32,
    rules: String,
}

/// The conditions of a rule, all of which hold; nothing if one never does.
type Rule = Option<Vec<String>>;

impl<'p> Writer<'p> {
    fn head(&self, about: &str, symbols: &[Vec<String>]) -> String {
        let mut out = String::new();
        about.lines().for_each(|line| _ = writeln!(out, "# {line}"));
        out.push_str(
            "# moped -s0 FILE.pds -r q:error\n\
             # YES.: what is looked for can be reached (FALSE). NO.: it cannot (TRUE).\n\
             # The symbol p.N is line N of procedure p; x is a value before a rule, x' after it on top, x'' below that.\n\n",
        );
        let results = self.program.procedures.iter().map(|p| p.results).max().unwrap_or(0);
        let mut globals = self.names.globals.clone();
        globals.extend((1..=results).map(|number| format!("{}{number}", self.result)));
        globals.extend((1..=self.choices).map(|number| format!("{}{number}", self.choice)));
        if !globals.is_empty() {
            let _ = writeln!(out, "global\n  bool {};", globals.join(", "));
        }
        for (procedure, symbols) in symbols.iter().enumerate() {
            let locals = &self.names.locals[procedure];
            if !locals.is_empty() {
                let name = &self.names.procedures[procedure];
                let _ = writeln!(out, "local {name} ({})\n  bool {};", symbols.join(", "), locals.join(", "));
            }
        }
        out.push_str("\n(q <start>)\n\n");
        out
    }

    /// Variables have their values when `main` begins.
    fn start(&mut self) {
        let main = self.program.main;
        let globals = self.program.globals.iter().zip(&self.names.globals);
        let locals = self.program.procedures[main].locals.iter().zip(&self.names.locals[main]);
        let conditions = globals.chain(locals).filter_map(|(variable, name)| initial(variable, name)).collect();
        let to = self.first[main].clone();
        self.rule("start", &to, Some(conditions));
    }

    /// The rules of a procedure, and its symbols.
    fn rules(&mut self) -> Vec<String> {
        let flat = Flat::new(self.program, &self.program.procedures[self.procedure]);
        let mut symbols = Vec::new();
        for line in &flat.lines {
            let from = self.symbol(Some(line.at));
            if line.fails {
                self.step(&from, "error", |_, _| Some(Vec::new()));
            } else {
                self.act(&from, &line.act, &mut symbols);
            }
            symbols.push(from);
        }
        let end = self.symbol(None);
        self.step(&end, "", |writer, _| Some(writer.kept_globals()));
        symbols.push(end);
        symbols
    }

    fn act(&mut self, from: &str, act: &Act<'p>, symbols: &mut Vec<String>) {
        match act {
            Act::Go(next) => self.go(from, *next, &[], |_, _| Some(Vec::new())),
            Act::Choose(places) => {
                places.iter().for_each(|&place| self.go(from, place, &[], |_, _| Some(Vec::new())));
            }
            Act::Branch { condition, yes, no } => {
                self.go(from, *yes, &[], |writer, choices| writer.holds(*condition, true, choices));
                self.go(from, *no, &[], |writer, choices| writer.holds(*condition, false, choices));
            }
            Act::Assert(condition, next) => {
                self.go(from, *next, &[], |writer, choices| writer.holds(*condition, true, choices));
                self.step(from, "error", |writer, choices| writer.holds(*condition, false, choices));
            }
            Act::Assume(condition, next) => {
                self.go(from, *next, &[], |writer, choices| writer.holds(*condition, true, choices));
            }
            Act::Assign(assignment, next) => {
                let changed: Vec<Var> = assignment.pairs().map(|(var, _)| var).collect();
                self.go(from, *next, &changed, |writer, choices| writer.assigned(assignment, choices));
            }
            Act::Forget(vars, next) => self.go(from, *next, vars, |_, _| Some(Vec::new())),
            Act::Call { callee, arguments, targets, next } => {
                let back = format!("{from}.back");
                self.call(from, &back, *callee, arguments);
                self.back(&back, targets, *next);
                symbols.push(back);
            }
            Act::Return(values) => self.step(from, "", |writer, choices| {
                let mut conditions = writer.kept_globals();
                for (number, &value) in values.iter().enumerate() {
                    let name = format!("{}{}", writer.result, number + 1);
                    conditions.extend(writer.takes(&format!("{name}'"), value, choices));
                }
                Some(conditions)
            }),
        }
    }

    /// A rule to another line, at which all other variables have the values they had.
    fn go(&mut self, from: &str, to: Place, changed: &[Var], conditions: impl FnOnce(&Self, &mut u32) -> Rule) {
        let to = self.symbol(to);
        self.step(from, &to, |writer, choices| {
            let mut conditions = conditions(writer, choices)?;
            conditions.extend(writer.kept(changed));
            Some(conditions)
        });
    }

    /// A rule from a line, at which `enforce` holds.
    fn step(&mut self, from: &str, to: &str, conditions: impl FnOnce(&Self, &mut u32) -> Rule) {
        let mut choices = 0;
        let enforce = self.program.procedures[self.procedure].enforce;
        let enforced = enforce.map_or(Some(Vec::new()), |enforce| self.holds(enforce, true, &mut choices));
        let rule = enforced.and_then(|mut all| {
            all.extend(conditions(self, &mut choices)?);
            Some(all)
        });
        self.choices = self.choices.max(choices);
        self.rule(from, to, rule);
    }

    fn rule(&mut self, from: &str, to: &str, rule: Rule) {
        let Some(conditions) = rule else { return };
        let _ = write!(self.rules, "q <{from}> --> q <{to}>");
        if !conditions.is_empty() {
            let _ = write!(self.rules, " ({})", conditions.join(" & "));
        }
        self.rules.push('\n');
    }

    fn call(&mut self, from: &str, back: &str, callee: usize, arguments: &[Expr]) {
        let to = format!("{} {back}", self.first[callee]);
        let (syntax, locals) = (&self.program.procedures[callee], self.names.locals[callee].clone());
        self.step(from, &to, |writer, choices| {
            let mut conditions = writer.kept_globals();
            for (&argument, name) in arguments.iter().zip(&locals) {
                conditions.extend(writer.takes(&format!("{name}'"), argument, choices));
            }
            let others = syntax.locals.iter().zip(&locals).skip(syntax.parameters);
            conditions.extend(others.filter_map(|(variable, name)| initial(variable, name)));
            conditions.extend(writer.names.locals[writer.procedure].iter().map(|name| equal(name, "''")));
            Some(conditions)
        });
    }

    /// The results are there. This is no point of the procedure: `enforce` has to hold at the next.
    fn back(&mut self, back: &str, targets: &[Target], next: Place) {
        let changed: Vec<Var> = targets.iter().flatten().copied().collect();
        let results = targets.iter().enumerate().filter_map(|(number, target)| Some(((*target)?, number + 1)));
        let name = |var: Var| self.names.var(self.procedure, var);
        let mut conditions: Vec<String> =
            results.map(|(var, number)| format!("({}' <=> {}{number})", name(var), self.result)).collect();
        conditions.extend(self.kept(&changed));
        self.rule(back, &self.symbol(next), Some(conditions));
    }

    /// All variables but these have the values they had.
    fn kept(&self, changed: &[Var]) -> Vec<String> {
        let globals = (0..self.names.globals.len() as u32).map(Var::Global);
        let locals = (0..self.names.locals[self.procedure].len() as u32).map(Var::Local);
        let kept = globals.chain(locals).filter(|var| !changed.contains(var));
        kept.map(|var| equal(self.names.var(self.procedure, var), "'")).collect()
    }

    fn kept_globals(&self) -> Vec<String> {
        self.names.globals.iter().map(|name| equal(name, "'")).collect()
    }

    /// The condition has the value.
    fn holds(&self, condition: Expr, value: bool, choices: &mut u32) -> Rule {
        let formula = Formula::new(&self.program.exprs, condition, choices);
        let formula = if value { formula } else { formula.negated() };
        match formula.constant() {
            Some(constant) => constant.then(Vec::new),
            None if formula.is_free() => Some(Vec::new()),
            None => Some(vec![format!("({})", self.text(&formula))]),
        }
    }

    /// The new values, and what is demanded of them.
    fn assigned(&self, assignment: &Assignment<'_>, choices: &mut u32) -> Rule {
        let mut conditions = Vec::new();
        for (var, value) in assignment.pairs() {
            let name = self.names.var(self.procedure, var);
            conditions.extend(self.takes(&format!("{name}'"), value, choices));
        }
        match assignment.constrain {
            None => Some(conditions),
            Some(constrain) => {
                conditions.extend(self.holds(constrain, true, choices)?);
                Some(conditions)
            }
        }
    }

    /// A variable takes a value; nothing is said of it if that is arbitrary.
    fn takes(&self, name: &str, value: Expr, choices: &mut u32) -> Option<String> {
        let formula = Formula::new(&self.program.exprs, value, choices);
        match formula.constant() {
            Some(true) => Some(name.to_owned()),
            Some(false) => Some(format!("!{name}")),
            None if formula.is_free() => None,
            None => Some(format!("({name} <=> ({}))", self.text(&formula))),
        }
    }

    fn text(&self, formula: &Formula) -> String {
        let mut text = String::new();
        formula.write(&mut text, &SIGNS, |out, part| match part {
            Part::Var(var) => out.push_str(self.names.var(self.procedure, var)),
            Part::Next(var) => _ = write!(out, "{}'", self.names.var(self.procedure, var)),
            Part::Choice(number) => _ = write!(out, "{}{}", self.choice, number + 1),
            Part::Const(_) | Part::Not | Part::Join(_) => {}
        });
        text
    }

    fn symbol(&self, place: Place) -> String {
        symbol(&self.names.procedures[self.procedure], place)
    }
}

/// A stack symbol: names of procedures have no dots.
fn symbol(procedure: &str, place: Place) -> String {
    place.map_or(format!("{procedure}.end"), |at| format!("{procedure}.{at}"))
}

/// A variable keeps its value.
fn equal(name: &str, mark: &str) -> String {
    format!("({name}{mark} <=> {name})")
}

/// A variable has the value that it starts with.
fn initial(variable: &Variable, name: &str) -> Option<String> {
    variable.initial.map(|value| if value { format!("{name}'") } else { format!("!{name}'") })
}

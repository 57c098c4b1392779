//! A Boolean program in Promela, for SPIN.
//!
//! A procedure is a kind of process: a call starts one and waits until it is gone (the caller is then the youngest
//! process again, `_nr_pr == _pid + 1`), so that one process is active at any time and nothing is interleaved.
//! Results come back in global variables, as `run` gives none. A call that never returns blocks its callers, and a
//! false assumption blocks everything: both are invalid end states, which `pan -E` does not report.
//!
//! A choice is made before the statement that reads it, and is forgotten after it. What a statement does then is
//! one `d_step`, and so one state.

use super::flat::{Act, Assignment, Flat, Line, Place};
use super::formula::{Formula, Part, Signs};
use super::names::PROMELA;
use super::peer_names::PeerNames;
use crate::syntax::bp::{Program, Target};
use crate::syntax::{Expr, Var, Variable};
use std::fmt::Write;

/// The program in Promela; `about` is told in a comment at the top.
///
/// ```
/// use epitome::model::export::to_promela;
/// use epitome::syntax::{Source, bp};
/// let (program, _) = bp::parse(&Source::new("a.bp", "decl g := 0; void main() begin assert(!g); end")).unwrap();
/// let text = to_promela(&program, "a.bp");
/// assert!(text.contains("bit v_g = 0;") && text.contains(":: else -> goto failure"), "{text}");
/// ```
pub fn to_promela(program: &Program, about: &str) -> String {
    let names = PeerNames::new(program, &PROMELA, "v_", "p_");
    let mut writer = Writer { program, names, procedure: 0, choices: 0, news: 0, body: String::new() };
    for procedure in 0..program.procedures.len() {
        writer.procedure = procedure;
        writer.process();
    }
    writer.init();
    writer.head(about) + &writer.body
}

struct Writer<'p> {
    program: &'p Program,
    names: PeerNames,
    /// The procedure that is being written.
    procedure: usize,
    /// How many choices a statement has at most…
    choices: u32,
    /// …and how many new values are kept.
    news: usize,
    body: String,
}

/// An expression and the choices that have to be made for it.
struct Value {
    formula: Formula,
    text: String,
}

/// The choices of one statement.
type Choices = u32;

impl Writer<'_> {
    fn head(&self, about: &str) -> String {
        let mut out = String::new();
        for line in about.lines() {
            let _ = writeln!(out, "// {}", line.trim_end_matches('\\'));
        }
        out.push_str(
            "// spin -a FILE.pml && gcc -O2 -DSAFETY -DVECTORSZ=65536 -o pan pan.c && ./pan -E -m1000000\n\
             // \"assertion violated\": what is looked for can be reached (FALSE).\n\
             // \"errors: 0\" without \"max search depth too small\": it cannot (TRUE).\n\
             // \"too many processes\": recursion is deeper than SPIN's 255 processes; no answer.\n\n\
             inline arbitrary(x) { if :: x = 0 :: x = 1 fi }\n\n",
        );
        for (global, name) in self.program.globals.iter().zip(&self.names.globals) {
            let _ = writeln!(out, "bit {name}{};", initial(global));
        }
        let results = self.program.procedures.iter().map(|p| p.results).max().unwrap_or(0);
        let hidden = [("result", results), ("choice", self.choices as usize), ("new", self.news)];
        for (stem, count) in hidden {
            (1..=count).for_each(|number| _ = writeln!(out, "bit {stem}{number};"));
        }
        out
    }

    fn process(&mut self) {
        let syntax = &self.program.procedures[self.procedure];
        let names = &self.names.locals[self.procedure];
        let parameters: Vec<String> = names[..syntax.parameters].iter().map(|name| format!("bit {name}")).collect();
        let name = &self.names.procedures[self.procedure];
        let _ = writeln!(self.body, "\nproctype {name}({}) {{", parameters.join("; "));
        let locals = || syntax.locals.iter().zip(names).skip(syntax.parameters);
        for (local, name) in locals() {
            let _ = writeln!(self.body, "  bit {name}{};", initial(local));
        }
        for (_, name) in locals().filter(|(local, _)| local.initial.is_none()) {
            let _ = writeln!(self.body, "  arbitrary({name});");
        }
        let flat = Flat::new(self.program, syntax);
        let labelled = flat.labelled();
        if flat.start != flat.lines.first().map(|line| line.at) {
            self.jump(flat.start, None);
        }
        for (line, below) in flat.with_next() {
            if labelled[line.at as usize] {
                // SPIN lets nothing jump to a `d_step`, and wants something behind every label.
                let _ = writeln!(self.body, "L{}:\n  skip;", line.at);
            }
            self.line(line, below);
        }
        self.body.push_str("exit:\n  skip;\n");
        self.enforce();
        for number in 1..=syntax.results {
            let _ = writeln!(self.body, "  arbitrary(result{number});");
        }
        self.body.push_str("  goto done;\nfailure:\n  assert(false);\ndone:\n  skip\n}\n");
    }

    fn enforce(&mut self) {
        if let Some(enforce) = self.program.procedures[self.procedure].enforce {
            self.assume(enforce);
        }
    }

    fn line(&mut self, line: &Line<'_>, below: Place) {
        self.enforce();
        if line.fails {
            self.body.push_str("  goto failure;\n");
            return;
        }
        let next = match &line.act {
            Act::Go(next) => *next,
            Act::Choose(places) => {
                let branches: Vec<String> = places.iter().map(|place| format!(":: goto {}", label(*place))).collect();
                let _ = writeln!(self.body, "  if {} fi;", branches.join(" "));
                return;
            }
            Act::Branch { condition, yes, no } => return self.branch(*condition, &label(*yes), &label(*no)),
            Act::Assert(condition, next) => return self.branch(*condition, &label(*next), "failure"),
            Act::Assume(condition, next) => {
                self.assume(*condition);
                *next
            }
            Act::Assign(assignment, next) => {
                self.assign(assignment);
                *next
            }
            Act::Forget(vars, next) => {
                for &var in *vars {
                    let _ = writeln!(self.body, "  arbitrary({});", self.names.var(self.procedure, var));
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

    /// A plain `goto` can make a loop of one step, which SPIN refuses as unconditional.
    fn jump(&mut self, place: Place, below: Place) {
        if place != below {
            let _ = writeln!(self.body, "  if :: goto {} fi;", label(place));
        }
    }

    fn branch(&mut self, condition: Expr, yes: &str, no: &str) {
        let mut choices = 0;
        let condition = self.value(condition, &mut choices, &[]);
        if condition.formula.is_free() {
            let _ = writeln!(self.body, "  if :: goto {yes} :: goto {no} fi;");
            return;
        }
        self.choose(choices);
        let forget = forget(choices).concat();
        let _ =
            writeln!(self.body, "  if :: {} -> {forget}goto {yes} :: else -> {forget}goto {no} fi;", condition.text);
    }

    fn assume(&mut self, condition: Expr) {
        let mut choices = 0;
        let condition = self.value(condition, &mut choices, &[]);
        self.choose(choices);
        self.at_once(vec![format!("({}); ", condition.text)], choices);
    }

    fn assign(&mut self, assignment: &Assignment<'_>) {
        let pairs: Vec<(Var, Expr)> = assignment.pairs().collect();
        let vars: Vec<Var> = pairs.iter().map(|(var, _)| *var).collect();
        let names: Vec<String> = vars.iter().map(|&var| self.names.var(self.procedure, var).to_owned()).collect();
        let mut choices = 0;
        let values: Vec<Value> = pairs.iter().map(|&(_, value)| self.value(value, &mut choices, &[])).collect();
        let constrain = assignment.constrain.map(|constrain| self.value(constrain, &mut choices, &vars));
        if let ([name], [value], None) = (&names[..], &values[..], &constrain)
            && value.formula.is_free()
        {
            let _ = writeln!(self.body, "  arbitrary({name});");
            return;
        }
        self.choose(choices);
        if assignment.is_sequential(&self.program.exprs) {
            let steps = names.iter().zip(&values).map(|(name, value)| format!("{name} = {}; ", value.text));
            return self.at_once(steps.collect(), choices);
        }
        self.news = self.news.max(names.len());
        let news = 1..=names.len();
        let evaluate = news.clone().zip(&values).map(|(number, value)| format!("new{number} = {}; ", value.text));
        self.at_once(evaluate.collect(), 0);
        let mut steps: Vec<String> = constrain.iter().map(|condition| format!("({}); ", condition.text)).collect();
        steps.extend(news.clone().zip(&names).map(|(number, name)| format!("{name} = new{number}; ")));
        steps.extend(news.map(|number| format!("new{number} = 0; ")));
        self.at_once(steps, choices);
    }

    /// The results are read as soon as the process is gone, and nothing remembers them.
    fn call(&mut self, callee: usize, arguments: &[Expr], targets: &[Target]) {
        let mut choices = 0;
        let arguments: Vec<String> =
            arguments.iter().map(|&argument| self.value(argument, &mut choices, &[]).text).collect();
        self.choose(choices);
        let name = &self.names.procedures[callee];
        let run = format!("run {name}({})", arguments.join(", "));
        self.start(&run, choices);
        let mut steps = vec!["(_nr_pr == _pid + 1); ".to_owned()];
        for (number, target) in targets.iter().enumerate() {
            if let Some(var) = target {
                let name = self.names.var(self.procedure, *var);
                steps.push(format!("{name} = result{}; ", number + 1));
            }
        }
        let results = self.program.procedures[callee].results;
        steps.extend((1..=results).map(|number| format!("result{number} = 0; ")));
        self.at_once(steps, 0);
    }

    fn leave(&mut self, values: &[Expr]) {
        let mut choices = 0;
        let values: Vec<Value> = values.iter().map(|&value| self.value(value, &mut choices, &[])).collect();
        self.choose(choices);
        let steps = values.iter().enumerate().map(|(number, value)| format!("result{} = {}; ", number + 1, value.text));
        self.at_once(steps.collect(), choices);
        self.body.push_str("  goto done;\n");
    }

    /// The start: arbitrary values for what has none.
    fn init(&mut self) {
        self.body.push_str("\ninit {\n");
        for (global, name) in self.program.globals.iter().zip(&self.names.globals) {
            if global.initial.is_none() {
                let _ = writeln!(self.body, "  arbitrary({name});");
            }
        }
        let main = self.program.main;
        let parameters = self.program.procedures[main].parameters;
        self.choose(parameters as u32);
        let arguments: Vec<String> = (1..=parameters).map(|number| format!("choice{number}")).collect();
        let run = format!("run {}({})", self.names.procedures[main], arguments.join(", "));
        self.start(&run, parameters as u32);
        self.body.push_str("  skip\n}\n");
    }

    /// Starts a process, which does not see the choices of its arguments.
    fn start(&mut self, run: &str, choices: Choices) {
        let _ = match choices {
            0 => writeln!(self.body, "  {run};"),
            _ => writeln!(self.body, "  atomic {{ {run}; {}}};", forget(choices).concat()),
        };
    }

    /// Makes choices.
    fn choose(&mut self, choices: Choices) {
        self.choices = self.choices.max(choices);
        for number in 1..=choices {
            let _ = writeln!(self.body, "  arbitrary(choice{number});");
        }
    }

    /// Steps that are one, after which choices are forgotten.
    fn at_once(&mut self, mut steps: Vec<String>, choices: Choices) {
        steps.extend(forget(choices));
        let _ = match &steps[..] {
            [] => return,
            [only] => writeln!(self.body, "  {}", only.trim_end()),
            _ => writeln!(self.body, "  d_step {{ {}}};", steps.concat()),
        };
    }

    /// An expression with the next choices; these variables have new values.
    fn value(&self, expr: Expr, choices: &mut Choices, changed: &[Var]) -> Value {
        let formula = Formula::new(&self.program.exprs, expr, choices);
        let mut text = String::new();
        formula.write(&mut text, &Signs::OF_C, |out, part| match part {
            Part::Const(value) => out.push(if value { '1' } else { '0' }),
            Part::Var(var) => out.push_str(self.names.var(self.procedure, var)),
            Part::Next(var) => match changed.iter().position(|other| *other == var) {
                Some(number) => _ = write!(out, "new{}", number + 1),
                None => out.push_str(self.names.var(self.procedure, var)),
            },
            Part::Choice(number) => _ = write!(out, "choice{}", number + 1),
            Part::Not | Part::Join(_) => {}
        });
        Value { formula, text }
    }
}

/// Steps that forget the choices of a statement.
fn forget(choices: Choices) -> Vec<String> {
    (1..=choices).map(|number| format!("choice{number} = 0; ")).collect()
}

fn initial(variable: &Variable) -> &'static str {
    match variable.initial {
        None => "",
        Some(false) => " = 0",
        Some(true) => " = 1",
    }
}

fn label(place: Place) -> String {
    place.map_or("exit".to_owned(), |at| format!("L{at}"))
}

//! Writes a program so that parsing it gives the same program again.

use super::{Kind, Program, Statement, Target, Variable};
use crate::syntax::expr::{Expr, Var};
use crate::syntax::expr_print::write_expr;

/// The program as text, one statement a line.
///
/// ```
/// use epitome::syntax::{Source, bp};
/// let source = Source::new("a.bp", "decl g; main() begin if (!g) then L: g:=1; fi end");
/// let (program, _) = bp::parse(&source).unwrap();
/// assert_eq!(bp::print(&program), "decl g;\n\nvoid main() begin\n  if (!g) then\n    L: g := 1;\n  fi\nend\n");
/// ```
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    for global in &program.globals {
        declaration(&mut out, program, global, "");
    }
    for procedure in 0..program.procedures.len() {
        if !out.is_empty() {
            out.push('\n');
        }
        Printer { program, procedure, out: &mut out, depth: 1, next_label: 0 }.procedure();
    }
    out
}

fn declaration(out: &mut String, program: &Program, variable: &Variable, indent: &str) {
    let initial = match variable.initial {
        None => "",
        Some(false) => " := 0",
        Some(true) => " := 1",
    };
    out.push_str(&format!("{indent}decl {}{initial};\n", program.names.text(variable.name)));
}

/// Indentation stops here: a program nested a hundred thousand deep must not print quadratically.
const DEEPEST_INDENT: usize = 40;

struct Printer<'a> {
    program: &'a Program,
    procedure: usize,
    out: &'a mut String,
    depth: usize,
    next_label: usize,
}

impl Printer<'_> {
    fn procedure(&mut self) {
        let procedure = &self.program.procedures[self.procedure];
        let names = &self.program.names;
        let kind = match procedure.results {
            0 => "void".to_owned(),
            1 => "bool".to_owned(),
            n => format!("bool<{n}>"),
        };
        let parameters: Vec<&str> =
            procedure.locals[..procedure.parameters].iter().map(|v| names.text(v.name)).collect();
        self.out.push_str(&format!("{kind} {}({}) begin\n", names.text(procedure.name), parameters.join(", ")));
        for local in &procedure.locals[procedure.parameters..] {
            declaration(self.out, self.program, local, "  ");
        }
        if let Some(enforce) = procedure.enforce {
            self.out.push_str("  enforce ");
            self.expr(enforce);
            self.out.push_str(";\n");
        }
        for (index, statement) in procedure.body.iter().enumerate() {
            self.statement(index, statement);
        }
        self.out.push_str("end\n");
    }

    fn statement(&mut self, index: usize, statement: &Statement) {
        if matches!(statement.kind, Kind::Elsif { .. } | Kind::Else { .. } | Kind::Fi | Kind::Od { .. }) {
            self.depth -= 1;
        }
        for _ in 0..self.depth.min(DEEPEST_INDENT) {
            self.out.push_str("  ");
        }
        let labels = &self.program.procedures[self.procedure].labels;
        while let Some(label) = labels.get(self.next_label).filter(|l| l.statement as usize == index) {
            self.out.push_str(self.program.names.text(label.name));
            self.out.push_str(": ");
            self.next_label += 1;
        }
        self.kind(&statement.kind);
        self.out.push('\n');
        if matches!(statement.kind, Kind::If { .. } | Kind::Elsif { .. } | Kind::Else { .. } | Kind::While { .. }) {
            self.depth += 1;
        }
    }

    fn kind(&mut self, kind: &Kind) {
        match kind {
            Kind::Skip => self.out.push_str("skip;"),
            Kind::Print(values) => self.call_like("print", values),
            Kind::Goto(labels) => {
                let procedure = &self.program.procedures[self.procedure];
                let names: Vec<&str> =
                    labels.iter().map(|&l| self.program.names.text(procedure.labels[l as usize].name)).collect();
                self.out.push_str(&format!("goto {};", names.join(", ")));
            }
            Kind::Return(values) if values.is_empty() => self.out.push_str("return;"),
            Kind::Return(values) => self.list("return ", values, ";"),
            Kind::Assign { targets, values, constrain } => {
                self.targets(targets);
                self.list("", values, "");
                if let Some(constrain) = constrain {
                    self.around(" constrain ", *constrain, "");
                }
                self.out.push(';');
            }
            Kind::Call { callee, arguments, targets } => {
                if !targets.is_empty() {
                    self.targets(targets);
                }
                self.call_like(self.program.names.text(self.program.procedures[*callee as usize].name), arguments);
            }
            Kind::Assert(condition) => self.around("assert(", *condition, ");"),
            Kind::Assume(condition) => self.around("assume(", *condition, ");"),
            Kind::Dead(vars) if vars.is_empty() => self.out.push_str("dead _;"),
            Kind::Dead(vars) => {
                let names: Vec<&str> = vars.iter().map(|&v| self.program.var_name(self.procedure, v)).collect();
                self.out.push_str(&format!("dead {};", names.join(", ")));
            }
            Kind::If { condition, .. } => self.around("if (", *condition, ") then"),
            Kind::Elsif { condition, .. } => self.around("elsif (", *condition, ") then"),
            Kind::Else { .. } => self.out.push_str("else"),
            Kind::Fi => self.out.push_str("fi"),
            Kind::While { condition, .. } => self.around("while (", *condition, ") do"),
            Kind::Od { .. } => self.out.push_str("od"),
        }
    }

    fn expr(&mut self, expr: Expr) {
        let (program, procedure) = (self.program, self.procedure);
        write_expr(self.out, &program.exprs, expr, |var: Var| program.var_name(procedure, var));
    }

    fn around(&mut self, before: &str, expr: Expr, after: &str) {
        self.out.push_str(before);
        self.expr(expr);
        self.out.push_str(after);
    }

    fn list(&mut self, before: &str, values: &[Expr], after: &str) {
        self.out.push_str(before);
        for (index, &value) in values.iter().enumerate() {
            self.around(if index > 0 { ", " } else { "" }, value, "");
        }
        self.out.push_str(after);
    }

    fn call_like(&mut self, name: &str, arguments: &[Expr]) {
        self.out.push_str(name);
        self.list("(", arguments, ");");
    }

    fn targets(&mut self, targets: &[Target]) {
        let names: Vec<&str> =
            targets.iter().map(|t| t.map_or("_", |var| self.program.var_name(self.procedure, var))).collect();
        self.out.push_str(&format!("{} := ", names.join(", ")));
    }
}

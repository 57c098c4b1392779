//! Writes machines so that parsing them gives the same machines again.
//!
//! Nodes keep their order, because it is their numbering: neighbours of one kind share a statement.
//! Lines end near column 100 (a file of a million nodes should still open in an editor).

use super::{CallBox, End, Machine, Machines, Node, Role, Transition, Variable};
use crate::syntax::expr::{Expr, Owner, Var};
use crate::syntax::expr_print::write_expr;

/// The machines as text.
///
/// ```
/// use epitome::syntax::{Source, rsm};
/// let source = Source::new("a.rsm", "init M.e; machine M { e->n when g&1; node n{p}; entry e; } var g:=0;");
/// let (machines, _) = rsm::parse(&source).unwrap();
/// assert_eq!(
///     rsm::print(&machines),
///     "var g := 0;\n\nmachine M {\n  node n {p};\n  entry e;\n  e -> n when g & 1;\n}\n\ninit M.e;\n"
/// );
/// ```
pub fn print(machines: &Machines) -> String {
    let mut out = String::new();
    list(&mut out, "var", machines.globals.iter().map(|variable| declaration(machines, variable)));
    for index in 0..machines.machines.len() {
        blank_line(&mut out);
        Printer { machines, index, machine: &machines.machines[index], out: &mut out }.machine();
    }
    blank_line(&mut out);
    let starts = machines.initial.iter().map(|&(index, node)| {
        let machine = &machines.machines[index as usize];
        let entry = &machine.nodes[node as usize];
        format!("{}.{}", machines.names.text(machine.name), machines.names.text(entry.name))
    });
    list(&mut out, "init", starts);
    out
}

fn blank_line(out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
}

/// `x` or `x := 0`.
fn declaration(machines: &Machines, variable: &Variable) -> String {
    let initial = match variable.initial {
        None => "",
        Some(false) => " := 0",
        Some(true) => " := 1",
    };
    format!("{}{initial}", machines.names.text(variable.name))
}

/// Writes `head a, b, c;`, in several statements if it is long, or nothing for an empty list.
fn list(out: &mut String, head: &str, items: impl Iterator<Item = String>) {
    const LONGEST_LINE: usize = 100;
    let mut width = 0;
    for item in items {
        if width > 0 && width + 2 + item.len() < LONGEST_LINE {
            out.push_str(", ");
            width += 2 + item.len();
        } else {
            if width > 0 {
                out.push_str(";\n");
            }
            out.push_str(head);
            out.push(' ');
            width = head.len() + 1 + item.len();
        }
        out.push_str(&item);
    }
    if width > 0 {
        out.push_str(";\n");
    }
}

struct Printer<'a> {
    machines: &'a Machines,
    index: usize,
    machine: &'a Machine,
    out: &'a mut String,
}

impl Printer<'_> {
    fn machine(&mut self) {
        self.head();
        let machine = self.machine;
        let others = &machine.locals[machine.inputs + machine.outputs..];
        list(self.out, "  var", others.iter().map(|variable| declaration(self.machines, variable)));
        for run in machine.nodes.chunk_by(|a, b| (a.role, a.owner) == (b.role, b.owner)) {
            list(self.out, node_words(&run[0]), run.iter().map(|node| node_text(self.machines, node)));
        }
        for site in &machine.boxes {
            self.call_box(site);
        }
        for transition in &machine.transitions {
            self.transition(transition);
        }
        self.out.push_str("}\n");
    }

    /// `machine M(in a, b; out r, s) {`
    fn head(&mut self) {
        let machine = self.machine;
        let (inputs, rest) = machine.locals.split_at(machine.inputs);
        let parts: Vec<String> = [("in", inputs), ("out", &rest[..machine.outputs])]
            .iter()
            .filter(|(_, variables)| !variables.is_empty())
            .map(|(word, variables)| {
                let texts: Vec<String> = variables.iter().map(|v| declaration(self.machines, v)).collect();
                format!("{word} {}", texts.join(", "))
            })
            .collect();
        let parameters = if parts.is_empty() { String::new() } else { format!("({})", parts.join("; ")) };
        self.out.push_str(&format!("machine {}{parameters} {{\n", self.machines.names.text(machine.name)));
    }

    /// `box b: Sub(x, !y -> g, _);`
    fn call_box(&mut self, site: &CallBox) {
        let names = &self.machines.names;
        let callee = names.text(self.machines.machines[site.callee as usize].name);
        self.out.push_str(&format!("  box {}: {callee}", names.text(site.name)));
        if !site.arguments.is_empty() || !site.targets.is_empty() {
            for (place, &argument) in site.arguments.iter().enumerate() {
                self.around(if place == 0 { "(" } else { ", " }, argument);
            }
            let arrow = if site.arguments.is_empty() { "(-> " } else { " -> " };
            for (place, target) in site.targets.iter().enumerate() {
                self.out.push_str(if place == 0 { arrow } else { ", " });
                self.out.push_str(target.map_or("_", |var| self.machines.var_name(self.index, var)));
            }
            self.out.push(')');
        }
        self.out.push_str(";\n");
    }

    /// `a -> b when E do x := E constrain E label "text";`
    fn transition(&mut self, transition: &Transition) {
        let ends = [self.end(transition.from), self.end(transition.to)].join(" -> ");
        self.out.push_str("  ");
        self.out.push_str(&ends);
        if let Some(guard) = transition.guard {
            self.around(" when ", guard);
        }
        for (place, &(var, value)) in transition.assignments.iter().enumerate() {
            self.out.push_str(if place == 0 { " do " } else { ", " });
            self.out.push_str(self.machines.var_name(self.index, var));
            self.around(" := ", value);
        }
        if let Some(constrain) = transition.constrain {
            self.around(" constrain ", constrain);
        }
        if let Some(label) = transition.label {
            self.out.push_str(&format!(" label \"{}\"", self.machines.names.text(label)));
        }
        self.out.push_str(";\n");
    }

    fn end(&self, end: End) -> String {
        let names = &self.machines.names;
        match end {
            End::Node(node) => names.text(self.machine.nodes[node as usize].name).to_owned(),
            End::Port(site, node) => {
                let site = &self.machine.boxes[site as usize];
                let port = &self.machines.machines[site.callee as usize].nodes[node as usize];
                format!("{}.{}", names.text(site.name), names.text(port.name))
            }
        }
    }

    fn around(&mut self, before: &str, expr: Expr) {
        self.out.push_str(before);
        let (machines, index) = (self.machines, self.index);
        write_expr(self.out, &machines.exprs, expr, |var: Var| machines.var_name(index, var));
    }
}

/// The words before a list of nodes.
fn node_words(node: &Node) -> &'static str {
    match (node.owner, node.role) {
        (Owner::System, Role::Entry) => "  entry",
        (Owner::System, Role::Inner) => "  node",
        (Owner::Environment, Role::Entry) => "  env entry",
        (Owner::Environment, Role::Inner) => "  env node",
        (_, Role::Exit) => "  exit",
    }
}

/// `n` or `n {p, q}`.
fn node_text(machines: &Machines, node: &Node) -> String {
    let name = machines.names.text(node.name);
    if node.propositions.is_empty() {
        return name.to_owned();
    }
    let propositions: Vec<&str> = node.propositions.iter().map(|&name| machines.names.text(name)).collect();
    format!("{name} {{{}}}", propositions.join(", "))
}

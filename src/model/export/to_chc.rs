//! A question about a machine as constrained Horn clauses, for Z3 Spacer, Golem, Eldarica and others.
//!
//! A vertex is a relation between the values with which its procedure was entered and the values there
//! (`chc_relations`). A transition is a clause, from the relation of its source to that of its target; a call
//! goes from the call port to the return port where the callee's exit relates the values; a procedure fails if
//! what is looked for is reached in it, or in a procedure that it calls; and `false` follows where a
//! computation starts in a procedure that fails. So the clauses are unsatisfiable exactly if what is looked for
//! can be reached. Their size is that of the machine, values at its vertices included.

use super::chc_clause::Clause;
use super::chc_relations::Relations;
use crate::model::{BoxId, Edge, Ersm, Goal, Initial, Leaf, NodeId, ProcId, Var, Vertex};
use crate::syntax::Span;
use epitome_encodings::{Gate, Lit};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The question whether something of the goal can be reached, in SMT-LIB. `about` is told in comments at the
/// top, `line` gives the line of a place in the source.
///
/// ```
/// use epitome::model::{Goal, NodeSet, build_bp, export::to_chc};
/// use epitome::syntax::{Source, bp};
/// let (program, _) = bp::parse(&Source::new("a.bp", "void main() begin assert(0); end")).unwrap();
/// let (ersm, _) = build_bp(&program);
/// let mut targets = NodeSet::new(&ersm);
/// ersm.failures.iter().for_each(|failure| _ = targets.insert(failure.procedure, failure.node));
/// let text = to_chc(&ersm, &Goal { targets, calls: Vec::new(), all: false }, "a.bp", &|_| 1);
/// assert!(text.contains("(set-logic HORN)") && text.contains("(=> (and main!fails)\n    false)"));
/// ```
pub fn to_chc(ersm: &Ersm, goal: &Goal, about: &str, line: &dyn Fn(Span) -> usize) -> String {
    let relations = Relations::new(ersm, goal);
    let mut writer = Writer { relations: &relations, ersm, out: String::new() };
    writer.head(about);
    for (id, _) in ersm.procedures() {
        writer.declarations(id, line);
    }
    for (id, _) in ersm.procedures() {
        writer.procedure(id);
    }
    writer.queries();
    writer.out.push_str("\n(check-sat)\n");
    writer.out
}

struct Writer<'e> {
    relations: &'e Relations<'e>,
    ersm: &'e Ersm,
    out: String,
}

/// New values of a procedure's variables, by the names of their variables in the clause.
type NewValues = FxHashMap<Var, String>;

impl Writer<'_> {
    fn head(&mut self, about: &str) {
        for line in about.lines() {
            let _ = writeln!(self.out, "; {line}");
        }
        self.out.push_str(
            "; unsat: what is looked for can be reached (FALSE). sat: it cannot (TRUE).\n\
             ;\n\
             ; p!atN is node N of procedure p, p!callB.E and p!returnB.X are the ports of its call B, p!exitX is its\n\
             ; exit X as callers see it, p!fails says that what is looked for is found in p or in what it calls.\n\
             ; Arguments: entry!I, the bits of the entry's number; variables that p never changes; x!in, the value\n\
             ; of x when p was entered; x, its value here.\n\
             (set-logic HORN)\n",
        );
    }

    fn declare(&mut self, name: &str, arguments: &[String], what: &str) {
        let sorts = vec!["Bool"; arguments.len()].join(" ");
        let _ = write!(self.out, "(declare-fun {name} ({sorts}) Bool) ; {what}");
        if !arguments.is_empty() {
            let _ = write!(self.out, ": {}", arguments.join(" "));
        }
        self.out.push('\n');
    }

    fn declarations(&mut self, id: ProcId, line: &dyn Fn(Span) -> usize) {
        let (relations, procedure) = (self.relations, self.ersm.procedure(id));
        let _ = writeln!(self.out, "\n; procedure {}", relations.of(id).name);
        let entry = self.entry_names(id);
        for vertex in self.vertices(id) {
            let mut arguments = entry.clone();
            arguments.extend(relations.values(id, vertex).map(|var| relations.variable(id, var).to_owned()));
            let what = match vertex {
                Vertex::Node(node) => format!("line {}", line(procedure.nodes[node.index()].span)),
                Vertex::Call(site, _) | Vertex::Return(site, _) => {
                    format!("call of {}", relations.of(procedure.boxes[site.index()].callee).name)
                }
            };
            self.declare(&relations.vertex(id, vertex), &arguments, &what);
        }
        for (index, &exit) in procedure.exits.iter().enumerate().filter(|_| relations.of(id).is_called) {
            let mut arguments = entry.clone();
            arguments.extend(relations.results(id, exit).map(|var| relations.variable(id, var).to_owned()));
            self.declare(&relations.exit(id, index), &arguments, "exit");
        }
        if relations.of(id).finds {
            self.declare(&relations.fails(id), &entry, "fails");
        }
    }

    /// All vertices: nodes, then the ports of each call.
    fn vertices(&self, id: ProcId) -> Vec<Vertex> {
        let procedure = self.ersm.procedure(id);
        let mut vertices: Vec<Vertex> = (0..procedure.nodes.len()).map(|node| Vertex::Node(node.into())).collect();
        for (site, call) in procedure.boxes.iter().enumerate() {
            let callee = self.ersm.procedure(call.callee);
            vertices.extend((0..callee.entries.len() as u32).map(|entry| Vertex::Call(site.into(), entry)));
            vertices.extend((0..callee.exits.len() as u32).map(|exit| Vertex::Return(site.into(), exit)));
        }
        vertices
    }

    /// Names of the arguments that say how a procedure was entered.
    fn entry_names(&self, id: ProcId) -> Vec<String> {
        let interface = self.relations.of(id);
        let variable = |var: &Var| self.relations.variable(id, *var);
        let tags = (0..interface.tags).map(|bit| format!("entry!{bit}"));
        let constant = interface.constant.iter().map(|var| variable(var).to_owned());
        tags.chain(constant).chain(interface.entered.iter().map(|var| format!("{}!in", variable(var)))).collect()
    }

    /// The relation of a vertex applied to the values there, some of them new.
    fn at(&self, clause: &mut Clause, id: ProcId, vertex: Vertex, new: &NewValues) -> String {
        let mut arguments = self.entry_names(id);
        let value = |var: Var| match new.get(&var) {
            Some(name) => name.clone(),
            None => self.relations.variable(id, var).to_owned(),
        };
        arguments.extend(self.relations.values(id, vertex).map(value));
        apply(clause, &self.relations.vertex(id, vertex), arguments)
    }

    /// Name of a circuit's input in the scope of a procedure.
    fn leaf(&self, id: ProcId, leaf: Leaf) -> String {
        match leaf {
            Leaf::Var(var) => self.relations.variable(id, var).to_owned(),
            Leaf::Choice(index) => format!("choice!{index}"),
        }
    }

    fn finish(&mut self, clause: Clause, id: ProcId, head: &str) {
        let mut out = std::mem::take(&mut self.out);
        clause.write(&mut out, &self.ersm.circuit, |leaf| self.leaf(id, leaf), head);
        self.out = out;
    }

    fn procedure(&mut self, id: ProcId) {
        let (relations, procedure) = (self.relations, self.ersm.procedure(id));
        let _ = writeln!(self.out, "\n; procedure {}", relations.of(id).name);
        for entry in 0..procedure.entries.len() {
            self.entry(id, entry);
        }
        for edge in &procedure.edges {
            self.edge(id, edge);
        }
        for site in 0..procedure.boxes.len() {
            self.calls(id, site.into());
        }
        for (index, &exit) in procedure.exits.iter().enumerate().filter(|_| relations.of(id).is_called) {
            let mut clause = Clause::default();
            let body = self.at(&mut clause, id, Vertex::Node(exit), &NewValues::default());
            clause.atom(body);
            let mut arguments = self.entry_names(id);
            arguments.extend(relations.results(id, exit).map(|var| relations.variable(id, var).to_owned()));
            let head = apply(&mut clause, &relations.exit(id, index), arguments);
            self.finish(clause, id, &head);
        }
        let nodes = (0..procedure.nodes.len()).map(NodeId::from);
        for target in nodes.filter(|&node| relations.goal.targets.contains(id, node)) {
            self.fails(id, Vertex::Node(target), None);
        }
    }

    /// A procedure is entered: by anybody with any values, or where a computation starts.
    fn entry(&mut self, id: ProcId, entry: usize) {
        let (relations, procedure) = (self.relations, self.ersm.procedure(id));
        let interface = relations.of(id);
        let node = procedure.entries[entry];
        if !interface.is_called && !self.ersm.initial.contains(&(id, node)) {
            return;
        }
        let mut clause = Clause::default();
        let vertex = Vertex::Node(node);
        let head = self.at(&mut clause, id, vertex, &NewValues::default());
        for bit in 0..interface.tags {
            clause.fixed(&format!("entry!{bit}"), entry >> bit & 1 == 1);
        }
        for &var in &interface.entered {
            if relations.is_live(id, vertex, var) {
                let name = relations.variable(id, var);
                clause.equal(name, &format!("{name}!in"));
            }
        }
        if !interface.is_called {
            self.initial(&mut clause, id, interface.constant.iter().copied(), "");
        }
        let fresh = relations.values(id, vertex).filter(|var| !interface.entered.contains(var));
        self.initial(&mut clause, id, fresh, "");
        self.finish(clause, id, &head);
    }

    /// These variables have the values that they start with.
    fn initial(&self, clause: &mut Clause, id: ProcId, variables: impl Iterator<Item = Var>, suffix: &str) {
        for var in variables {
            let initial = match var {
                Var::Global(index) => self.ersm.globals[index as usize].initial,
                Var::Local(index) => self.ersm.procedure(id).locals[index as usize].initial,
            };
            if let Initial::Fixed(value) = initial {
                clause.fixed(&format!("{}{suffix}", self.relations.variable(id, var)), value);
            }
        }
    }

    fn edge(&mut self, id: ProcId, edge: &Edge) {
        let mut clause = Clause::default();
        let mut new = NewValues::default();
        let body = self.at(&mut clause, id, edge.from, &new);
        clause.atom(body);
        clause.signal(None, edge.guard);
        for &(var, value) in &edge.assignments {
            if self.relations.is_live(id, edge.to, var) {
                let name = format!("{}!new", self.relations.variable(id, var));
                clause.signal(Some(name.clone()), value);
                new.insert(var, name);
            }
        }
        let head = self.at(&mut clause, id, edge.to, &new);
        self.finish(clause, id, &head);
    }

    /// A box: control comes back from each exit, and what the callee finds is found.
    fn calls(&mut self, id: ProcId, site: BoxId) {
        let (relations, procedure) = (self.relations, self.ersm.procedure(id));
        let callee = procedure.boxes[site.index()].callee;
        for entry in 0..self.ersm.procedure(callee).entries.len() as u32 {
            let port = Vertex::Call(site, entry);
            for exit in 0..self.ersm.procedure(callee).exits.len() {
                self.call(id, site, entry, exit);
            }
            if relations.goal.calls.contains(&callee) {
                self.fails(id, port, None);
            }
            if relations.of(callee).finds {
                self.fails(id, port, Some((site, entry)));
            }
        }
    }

    /// The arguments by which a callee is entered, in the terms of the caller.
    fn passed(&self, clause: &mut Clause, id: ProcId, site: BoxId, entry: u32) -> Vec<String> {
        let call = &self.ersm.procedure(id).boxes[site.index()];
        let callee = self.relations.of(call.callee);
        let inputs = &self.ersm.procedure(call.callee).inputs;
        let mut arguments: Vec<String> = (0..callee.tags).map(|bit| (entry >> bit & 1 == 1).to_string()).collect();
        for &var in callee.constant.iter().chain(&callee.entered) {
            arguments.push(match var {
                Var::Global(_) => clause.variable(self.relations.variable(id, var)),
                Var::Local(local) => {
                    let position = inputs.iter().position(|&input| input == local).unwrap_or(0);
                    let value = call.arguments.get(position).copied().unwrap_or(Lit::FALSE);
                    match self.ersm.circuit.gate(value) {
                        Gate::Input(number) if !value.is_negated() => {
                            clause.variable(self.leaf(id, Leaf::from_number(number)))
                        }
                        _ => {
                            let name = clause.variable(format!("argument!{position}"));
                            clause.signal(Some(name.clone()), value);
                            name
                        }
                    }
                }
            });
        }
        arguments
    }

    fn call(&mut self, id: ProcId, site: BoxId, entry: u32, exit: usize) {
        let (relations, call) = (self.relations, &self.ersm.procedure(id).boxes[site.index()]);
        let callee = self.ersm.procedure(call.callee);
        let mut clause = Clause::default();
        let mut new = NewValues::default();
        let body = self.at(&mut clause, id, Vertex::Call(site, entry), &new);
        clause.atom(body);
        let mut arguments = self.passed(&mut clause, id, site, entry);
        let kept = relations.of(call.callee);
        let mut output: FxHashMap<u32, String> = FxHashMap::default();
        for (&var, name) in kept.constant.iter().chain(&kept.entered).zip(&arguments[kept.tags as usize..]) {
            if let (Var::Local(local), true) = (var, kept.constant.contains(&var)) {
                output.insert(local, name.clone());
            }
        }
        for var in relations.results(call.callee, callee.exits[exit]) {
            let name = match var {
                Var::Global(_) => {
                    let name = format!("{}!new", relations.variable(id, var));
                    new.insert(var, name.clone());
                    name
                }
                Var::Local(local) => {
                    let name = format!("result!{local}");
                    output.insert(local, name.clone());
                    name
                }
            };
            arguments.push(name);
        }
        let summary = apply(&mut clause, &relations.exit(call.callee, exit), arguments);
        clause.atom(summary);
        // Two results may be one value, but a head has every variable once.
        let back = Vertex::Return(site, exit as u32);
        for (&local, target) in callee.outputs.iter().zip(&call.results) {
            if let (Some(target), Some(value)) =
                (target.filter(|&var| relations.is_live(id, back, var)), output.get(&local))
            {
                let name = clause.variable(format!("{}!result", relations.variable(id, target)));
                clause.equal(&name, value);
                new.insert(target, name);
            }
        }
        let head = self.at(&mut clause, id, back, &new);
        self.finish(clause, id, &head);
    }

    /// What is looked for is found at a vertex, or in a procedure that is called there.
    fn fails(&mut self, id: ProcId, vertex: Vertex, call: Option<(BoxId, u32)>) {
        let relations = self.relations;
        let mut clause = Clause::default();
        let body = self.at(&mut clause, id, vertex, &NewValues::default());
        clause.atom(body);
        if let Some((site, entry)) = call {
            let callee = self.ersm.procedure(id).boxes[site.index()].callee;
            let arguments = self.passed(&mut clause, id, site, entry);
            let found = apply(&mut clause, &relations.fails(callee), arguments);
            clause.atom(found);
        }
        let head = apply(&mut clause, &relations.fails(id), self.entry_names(id));
        self.finish(clause, id, &head);
    }

    /// Computations start with the initial values, and nothing may fail.
    fn queries(&mut self) {
        self.out.push_str("\n; where computations start\n");
        let relations = self.relations;
        for &(id, node) in &self.ersm.initial {
            let interface = relations.of(id);
            if !interface.finds {
                continue;
            }
            let mut clause = Clause::default();
            let atom = apply(&mut clause, &relations.fails(id), self.entry_names(id));
            clause.atom(atom);
            if interface.is_called {
                let entry = self.ersm.procedure(id).entries.iter().position(|&entry| entry == node).unwrap_or(0);
                for bit in 0..interface.tags {
                    clause.fixed(&format!("entry!{bit}"), entry >> bit & 1 == 1);
                }
                self.initial(&mut clause, id, interface.constant.iter().copied(), "");
                self.initial(&mut clause, id, interface.entered.iter().copied(), "!in");
            }
            self.finish(clause, id, "false");
        }
    }
}

/// A relation applied to variables of the clause or constants.
fn apply(clause: &mut Clause, relation: &str, arguments: Vec<String>) -> String {
    for argument in arguments.iter().filter(|argument| !matches!(argument.as_str(), "true" | "false")) {
        clause.variable(argument);
    }
    match arguments.is_empty() {
        true => relation.to_owned(),
        false => format!("({relation} {})", arguments.join(" ")),
    }
}

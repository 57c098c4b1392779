//! Any model as a graph for Graphviz: one cluster for each procedure.
//!
//! Shapes: a house for entries, a double circle for exits, a diamond where the environment chooses, a
//! red octagon for what must not be reached, an ellipse for all other nodes, a record for boxes, with
//! a field for each entry and exit where the callee has several. A point leads to each start. Edges
//! carry `[guard] assignments "label"` in the names of the source; a choice that stands in several
//! places has a number. Long texts are cut: a graph is to look at.

use super::circuit_expr::{Term, terms, text};
use super::source_names::SourceNames;
use crate::model::{BoxId, CallBox, Edge, Ersm, Node, NodeId, Owner, ProcId, Procedure, Var, Vertex};
use crate::syntax::{Name, Op};
use epitome_encodings::Lit;
use std::fmt::Write;

/// Longer texts on edges and boxes are cut.
const LONGEST: usize = 80;
/// Expressions with more operators and operands are not written at all.
const LARGEST: usize = 60;

/// The model as a Graphviz graph. `text` gives what the source says at a node, to be shown with its name.
///
/// ```
/// use epitome::{model::{build_rsm, export::to_dot}, syntax::{Source, rsm}};
/// let (machines, _) = rsm::parse(&Source::new("a.rsm", "machine M { entry e; e -> e; } init M.e;")).unwrap();
/// let dot = to_dot(&build_rsm(&machines).0, &|_, _| None);
/// assert!(dot.contains("subgraph \"cluster_M\" {"));
/// ```
pub fn to_dot(ersm: &Ersm, text: &dyn Fn(ProcId, NodeId) -> Option<String>) -> String {
    let mut out = String::from("digraph ersm {\n  node [fontname=\"Helvetica\"];\n");
    out.push_str("  edge [fontname=\"Helvetica\", fontsize=10];\n");
    let source = SourceNames::new(ersm);
    let names: Vec<Vec<Option<Name>>> = ersm.procedures().map(|(id, _)| source.of_nodes(ersm, id)).collect();
    for (id, procedure) in ersm.procedures() {
        Cluster { ersm, source: &source, names: &names, text, id, procedure, out: &mut out }.write();
    }
    for (index, (procedure, node)) in ersm.initial.iter().enumerate() {
        line(&mut out, 2, format_args!("init{index} [shape=point, label=\"\"];"));
        line(&mut out, 2, format_args!("init{index} -> {};", node_id(*procedure, *node)));
    }
    out.push_str("}\n");
    out
}

fn line(out: &mut String, indent: usize, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    _ = writeln!(out, "{:indent$}{text}", "");
}

fn node_id(procedure: ProcId, node: NodeId) -> String {
    format!("p{}_n{}", procedure.0, node.0)
}

fn box_id(procedure: ProcId, site: BoxId) -> String {
    format!("p{}_b{}", procedure.0, site.0)
}

/// A string between quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', ""))
}

/// A text inside of a record's label.
fn field(text: &str) -> String {
    let mut field = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        if matches!(c, '\\' | '"' | '{' | '}' | '|' | '<' | '>') {
            field.push('\\');
        }
        field.push(c);
    }
    field
}

fn shortened(text: String) -> String {
    if text.chars().count() <= LONGEST { text } else { text.chars().take(LONGEST - 1).chain(['…']).collect() }
}

/// The choices of an edge or box.
struct Choices<'e> {
    owners: &'e [Owner],
    /// How often each stands in the texts.
    counts: Vec<u32>,
}

impl<'e> Choices<'e> {
    fn new<'t>(owners: &'e [Owner], trees: impl Iterator<Item = &'t Option<Vec<Term>>>) -> Choices<'e> {
        let mut counts = vec![0; owners.len()];
        for term in trees.flatten().flatten() {
            if let Term::Choice(choice) = term
                && let Some(count) = counts.get_mut(*choice as usize)
            {
                *count += 1;
            }
        }
        Choices { owners, counts }
    }

    fn text(&self, choice: u32) -> String {
        let word = match self.owners.get(choice as usize) {
            Some(Owner::Environment) => "env",
            _ => "*",
        };
        match self.counts.get(choice as usize) {
            Some(2..) => format!("{word}{}", choice + 1),
            _ => word.to_owned(),
        }
    }
}

/// The part of the graph for one procedure.
struct Cluster<'a> {
    ersm: &'a Ersm,
    source: &'a SourceNames,
    /// What the source calls the nodes, by procedure.
    names: &'a [Vec<Option<Name>>],
    text: &'a dyn Fn(ProcId, NodeId) -> Option<String>,
    id: ProcId,
    procedure: &'a Procedure,
    out: &'a mut String,
}

impl Cluster<'_> {
    fn write(&mut self) {
        let name = self.ersm.procedure_name(self.id);
        line(self.out, 2, format_args!("subgraph {} {{", quoted(&format!("cluster_{name}"))));
        let title = shortened(self.title(name));
        line(self.out, 4, format_args!("label={};", quoted(&title)));
        for (node, shape) in self.shapes().into_iter().enumerate() {
            let node = NodeId::from(node);
            let label = self.node_label(node);
            line(self.out, 4, format_args!("{} [label={label}, {shape}];", node_id(self.id, node)));
        }
        for (index, site) in self.procedure.boxes.iter().enumerate() {
            let label = self.box_label(index, site);
            line(self.out, 4, format_args!("{} [shape=record, label=\"{label}\"];", box_id(self.id, index.into())));
        }
        line(self.out, 2, format_args!("}}"));
        for edge in &self.procedure.edges {
            let label = self.edge_label(edge);
            let label = if label.is_empty() { label } else { format!(" [label={}]", quoted(&label)) };
            line(self.out, 2, format_args!("{} -> {}{label};", self.end(edge.from), self.end(edge.to)));
        }
    }

    /// `p(a, b) -> r`
    fn title(&self, name: &str) -> String {
        let list = |locals: &[u32]| {
            let names: Vec<&str> =
                locals.iter().map(|&local| self.ersm.variable_name(self.id, Var::Local(local))).collect();
            names.join(", ")
        };
        let inputs = list(&self.procedure.inputs);
        let outputs = list(&self.procedure.outputs);
        if outputs.is_empty() { format!("{name}({inputs})") } else { format!("{name}({inputs}) -> {outputs}") }
    }

    fn node_name(&self, procedure: ProcId, node: NodeId) -> String {
        let name = self.names[procedure.index()][node.index()];
        match name {
            Some(name) => self.ersm.names.text(name).to_owned(),
            None => self.source.plain_name(self.ersm, procedure, node),
        }
    }

    /// The name, and the propositions below it.
    fn node_label(&self, node: NodeId) -> String {
        let name = self.names[self.id.index()][node.index()];
        let others = self.procedure.nodes[node.index()].propositions.iter().filter(|p| Some(**p) != name);
        let others: Vec<&str> = others.map(|name| self.ersm.names.text(*name)).collect();
        let mut label = match ((self.text)(self.id, node), name) {
            (Some(text), Some(_)) => format!("{}: {text}", self.node_name(self.id, node)),
            (Some(text), None) => text,
            (None, _) => self.node_name(self.id, node),
        };
        if !others.is_empty() {
            label = format!("{label}\n{{{}}}", others.join(", "));
        }
        quoted(&shortened(label))
    }

    /// How each node looks; what is said last counts.
    fn shapes(&self) -> Vec<&'static str> {
        let own = |node: &Node| if node.owner == Owner::Environment { "shape=diamond" } else { "shape=ellipse" };
        let mut shapes: Vec<&str> = self.procedure.nodes.iter().map(own).collect();
        let roles = [(&self.procedure.exits, "shape=doublecircle"), (&self.procedure.entries, "shape=invhouse")];
        for (nodes, shape) in roles {
            nodes.iter().for_each(|node| shapes[node.index()] = shape);
        }
        for node in self.source.failures(self.id) {
            shapes[node.index()] = "shape=octagon, style=filled, fillcolor=\"#ffb3b3\", color=red";
        }
        shapes
    }

    /// `b: Sub(x, !y -> g)` between the callee's entries and exits, where there are several.
    fn box_label(&self, index: usize, site: &CallBox) -> String {
        let name = site.name.map_or_else(|| format!("b{}", index + 1), |name| self.ersm.names.text(name).to_owned());
        let callee = self.ersm.procedure(site.callee);
        let trees: Vec<_> = site.arguments.iter().map(|lit| self.tree(*lit)).collect();
        let choices = Choices::new(&site.choices, trees.iter());
        let arguments: Vec<String> = trees.iter().map(|tree| self.text(tree, &choices)).collect();
        let result = |var: &Option<Var>| var.map_or("_", |var| self.ersm.variable_name(self.id, var));
        let results: Vec<&str> = site.results.iter().map(result).collect();
        let arrow = if results.is_empty() { "" } else { " -> " };
        let inside = format!("{}{arrow}{}", arguments.join(", "), results.join(", "));
        let middle = shortened(format!("{name}: {}({inside})", self.ersm.procedure_name(site.callee)));
        let ports = |nodes: &[NodeId], letter: char| {
            let port = |(rank, node): (usize, &NodeId)| {
                format!("<{letter}{rank}> {}", field(&shortened(self.node_name(site.callee, *node))))
            };
            let ports: Vec<String> = nodes.iter().enumerate().map(port).collect();
            (nodes.len() > 1).then(|| format!("{{{}}}", ports.join("|")))
        };
        let rows = [ports(&callee.entries, 'e'), Some(field(&middle)), ports(&callee.exits, 'x')];
        let rows: Vec<String> = rows.into_iter().flatten().collect();
        format!("{{{}}}", rows.join("|"))
    }

    fn end(&self, vertex: Vertex) -> String {
        let port = |site: BoxId, letter: char, rank: u32, nodes: &[NodeId]| {
            let id = box_id(self.id, site);
            if nodes.len() > 1 { format!("{id}:{letter}{rank}") } else { id }
        };
        let callee = |site: BoxId| self.ersm.procedure(self.procedure.boxes[site.index()].callee);
        match vertex {
            Vertex::Node(node) => node_id(self.id, node),
            Vertex::Call(site, rank) => port(site, 'e', rank, &callee(site).entries),
            Vertex::Return(site, rank) => port(site, 'x', rank, &callee(site).exits),
        }
    }

    fn edge_label(&self, edge: &Edge) -> String {
        let guard = if edge.guard == Lit::TRUE { None } else { Some(self.tree(edge.guard)) };
        let values: Vec<_> = edge.assignments.iter().map(|(_, lit)| self.tree(*lit)).collect();
        let choices = Choices::new(&edge.choices, guard.iter().chain(&values));
        let mut parts: Vec<String> = guard.iter().map(|tree| format!("[{}]", self.text(tree, &choices))).collect();
        let assignments = edge.assignments.iter().zip(&values).map(|((var, _), tree)| {
            format!("{} := {}", self.ersm.variable_name(self.id, *var), self.text(tree, &choices))
        });
        let assignments: Vec<String> = assignments.collect();
        parts.extend((!assignments.is_empty()).then(|| assignments.join(", ")));
        parts.extend(edge.label.map(|name| format!("\"{}\"", self.ersm.names.text(name))));
        shortened(parts.join(" "))
    }

    /// The tree of a signal, if it is short enough to show.
    fn tree(&self, lit: Lit) -> Option<Vec<Term>> {
        terms(&self.ersm.circuit, lit, LARGEST, |var| var)
    }

    fn text(&self, tree: &Option<Vec<Term>>, choices: &Choices<'_>) -> String {
        let Some(terms) = tree else { return "…".to_owned() };
        text(terms, |term| match term {
            Term::Op(Op::Var(var)) => self.ersm.variable_name(self.id, var).to_owned(),
            Term::Choice(choice) => choices.text(choice),
            Term::Op(_) => String::new(),
        })
    }
}

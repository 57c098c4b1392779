//! Any model as a picture, before it is drawn: procedures with nodes and boxes, and arrows between them, with their texts in the names of the source.
//!
//! Arrows carry `[guard] assignments "label"`; a choice that stands in several places has a number. Long texts are cut: a picture is to look at.

use super::circuit_expr::{Term, terms, text};
use super::source_names::SourceNames;
use crate::model::{BoxId, CallBox, Edge, Ersm, Node, NodeId, Owner, ProcId, Procedure, Var, Vertex};
use crate::syntax::{Name, Op};
use epitome_encodings::Lit;

/// Longer texts on edges and boxes are cut.
const LONGEST: usize = 80;
/// Expressions with more operators and operands are not written at all.
const LARGEST: usize = 60;

/// A picture of a model.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// What it shows.
    pub subject: Subject,
    /// By procedure.
    pub procedures: Vec<Picture>,
    /// Where runs start.
    pub starts: Vec<(ProcId, NodeId)>,
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The inside of procedures.
    Flow,
    /// Who calls whom: one picture, whose nodes are procedures.
    Calls,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What it is in the model.
    pub id: ProcId,
    /// Its name.
    pub name: String,
    /// Its name with inputs and outputs.
    pub title: String,
    /// By node.
    pub nodes: Vec<Shown>,
    /// By box.
    pub boxes: Vec<ShownBox>,
    /// Its transitions.
    pub arrows: Vec<Arrow>,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What it says; propositions are in a second line.
    pub label: String,
    /// What it is.
    pub shape: Shape,
    /// Where it stands in the source, if that is known.
    pub position: Option<String>,
    /// Control never comes here.
    pub is_dead: bool,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A node.
    Plain,
    /// Calls begin here.
    Entry,
    /// Calls end here.
    Exit,
    /// The environment chooses here.
    Environment,
    /// What must not be reached.
    Failure,
}

/// A box.
#[derive(Clone, Debug)]
pub struct ShownBox {
    /// What is called.
    pub callee: ProcId,
    /// The names of the callee's entries, if there are several.
    pub entries: Vec<String>,
    /// `b: Sub(x, !y -> g)`
    pub text: String,
    /// The names of the callee's exits, if there are several.
    pub exits: Vec<String>,
    /// Where it stands in the source, if that is known.
    pub position: Option<String>,
    /// Control never comes here.
    pub is_dead: bool,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Where it begins.
    pub from: Vertex,
    /// Where it leads.
    pub to: Vertex,
    /// What it says; perhaps nothing.
    pub label: String,
}

impl Picture {
    /// What an arrow says, with the exit that it comes from and the entry that it leads to, where there are several.
    pub(super) fn says(&self, arrow: &Arrow) -> String {
        let mut parts = Vec::new();
        if let Vertex::Return(site, rank) = arrow.from {
            parts.extend(self.boxes[site.index()].exits.get(rank as usize).map(|exit| format!("{exit}:")));
        }
        parts.extend(Some(arrow.label.clone()).filter(|label| !label.is_empty()));
        if let Vertex::Call(site, rank) = arrow.to {
            parts.extend(self.boxes[site.index()].entries.get(rank as usize).map(|entry| format!("→ {entry}")));
        }
        parts.join(" ")
    }

    /// Where boxes stand in the source; of programs, where the statement does that makes the call.
    pub(super) fn positions_of_boxes(&self) -> Vec<Option<&str>> {
        let mut positions: Vec<Option<&str>> = self.boxes.iter().map(|site| site.position.as_deref()).collect();
        for arrow in &self.arrows {
            if let (Vertex::Node(node), Vertex::Call(site, _)) = (arrow.from, arrow.to) {
                let own = &mut positions[site.index()];
                *own = own.or(self.nodes[node.index()].position.as_deref());
            }
        }
        positions
    }
}

impl Drawing {
    /// The picture of a model. `text` gives what the source says at a node, to be shown with its name.
    pub fn new(ersm: &Ersm, text: &dyn Fn(ProcId, NodeId) -> Option<String>) -> Drawing {
        let source = SourceNames::new(ersm);
        let names: Vec<Vec<Option<Name>>> = ersm.procedures().map(|(id, _)| source.of_nodes(ersm, id)).collect();
        let picture = |(id, procedure)| Painter { ersm, source: &source, names: &names, text, id, procedure }.picture();
        let procedures = ersm.procedures().map(picture).collect();
        Drawing { subject: Subject::Flow, procedures, starts: ersm.initial.clone() }
    }

    /// With the positions of nodes and boxes in the source; a box stands where its calls do.
    pub fn with_positions(mut self, position: &dyn Fn(ProcId, Vertex) -> Option<String>) -> Drawing {
        for picture in &mut self.procedures {
            let id = picture.id;
            for (index, node) in picture.nodes.iter_mut().enumerate() {
                node.position = position(id, Vertex::Node(NodeId::from(index)));
            }
            for (index, site) in picture.boxes.iter_mut().enumerate() {
                site.position = position(id, Vertex::Call(BoxId::from(index), 0));
            }
        }
        self
    }

    /// Marks places to which control never comes, by their positions.
    pub fn fade(&mut self, is_dead: impl Fn(&str) -> bool) {
        for picture in &mut self.procedures {
            let of_boxes = picture.positions_of_boxes().into_iter().map(|position| position.is_some_and(&is_dead));
            let of_boxes: Vec<bool> = of_boxes.collect();
            picture.boxes.iter_mut().zip(of_boxes).for_each(|(site, is_dead)| site.is_dead = is_dead);
            picture.nodes.iter_mut().for_each(|node| node.is_dead = node.position.as_deref().is_some_and(&is_dead));
        }
    }

    /// Leaves out the other procedures.
    pub fn retain(&mut self, is_wanted: impl Fn(&Picture) -> bool) {
        self.procedures.retain(is_wanted);
        self.starts.retain(|(procedure, _)| self.procedures.iter().any(|picture| picture.id == *procedure));
    }
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

/// Paints a procedure.
struct Painter<'a> {
    ersm: &'a Ersm,
    source: &'a SourceNames,
    /// What the source calls the nodes, by procedure.
    names: &'a [Vec<Option<Name>>],
    text: &'a dyn Fn(ProcId, NodeId) -> Option<String>,
    id: ProcId,
    procedure: &'a Procedure,
}

impl Painter<'_> {
    fn picture(&self) -> Picture {
        let name = self.ersm.procedure_name(self.id);
        let shown =
            |(node, shape)| Shown { label: self.node_label(NodeId::from(node)), shape, position: None, is_dead: false };
        let arrow = |edge: &Edge| Arrow { from: edge.from, to: edge.to, label: self.edge_label(edge) };
        Picture {
            id: self.id,
            name: name.to_owned(),
            title: shortened(self.title(name)),
            nodes: self.shapes().into_iter().enumerate().map(shown).collect(),
            boxes: self.procedure.boxes.iter().enumerate().map(|(index, site)| self.shown_box(index, site)).collect(),
            arrows: self.procedure.edges.iter().map(arrow).collect(),
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
        shortened(label)
    }

    /// What each node is; what is said last counts.
    fn shapes(&self) -> Vec<Shape> {
        let own = |node: &Node| if node.owner == Owner::Environment { Shape::Environment } else { Shape::Plain };
        let mut shapes: Vec<Shape> = self.procedure.nodes.iter().map(own).collect();
        for (nodes, shape) in [(&self.procedure.exits, Shape::Exit), (&self.procedure.entries, Shape::Entry)] {
            nodes.iter().for_each(|node| shapes[node.index()] = shape);
        }
        for node in self.source.failures(self.id) {
            shapes[node.index()] = Shape::Failure;
        }
        shapes
    }

    fn shown_box(&self, index: usize, site: &CallBox) -> ShownBox {
        let name = site.name.map_or_else(|| format!("b{}", index + 1), |name| self.ersm.names.text(name).to_owned());
        let callee = self.ersm.procedure(site.callee);
        let trees: Vec<_> = site.arguments.iter().map(|lit| self.tree(*lit)).collect();
        let choices = Choices::new(&site.choices, trees.iter());
        let arguments: Vec<String> = trees.iter().map(|tree| self.text(tree, &choices)).collect();
        let result = |var: &Option<Var>| var.map_or("_", |var| self.ersm.variable_name(self.id, var));
        let results: Vec<&str> = site.results.iter().map(result).collect();
        let arrow = if results.is_empty() { "" } else { " -> " };
        let inside = format!("{}{arrow}{}", arguments.join(", "), results.join(", "));
        let ports = |nodes: &[NodeId]| match nodes {
            [] | [_] => Vec::new(),
            nodes => nodes.iter().map(|node| shortened(self.node_name(site.callee, *node))).collect(),
        };
        ShownBox {
            callee: site.callee,
            entries: ports(&callee.entries),
            text: shortened(format!("{name}: {}({inside})", self.ersm.procedure_name(site.callee))),
            exits: ports(&callee.exits),
            position: None,
            is_dead: false,
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

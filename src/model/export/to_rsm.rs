//! Any model as machines: one machine for each procedure, with the same nodes, boxes and transitions.
//!
//! The format describes the model, so this is the way back from `build_rsm`, and for what came from
//! machines it gives the same machines again. From other languages it takes over the names and, as
//! propositions, the labels; a proposition that has the name of a variable is left out, because both
//! share one name space. Nodes that must not be reached carry the proposition `ERROR`.

use super::circuit_expr::{TooLarge, Writer};
use super::names::{Namer, RSM};
use super::normal::normal;
use super::scope::{Scope, declarations, globals};
use super::source_names::{SourceNames, means_failure};
use super::steps::{Arguments, arguments, step};
use crate::model::{BoxId, Edge, Ersm, NodeId, Owner, ProcId, Procedure, Vertex};
use crate::syntax::FAILURE_LABELS;
use crate::syntax::rsm::{CallBox, End, Machine, Machines, Node, Role, Transition};
use crate::syntax::{Name, Op, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// The machines that describe a model.
///
/// ```
/// use epitome::model::{build_bp, export::to_rsm};
/// use epitome::syntax::{Source, bp, rsm};
/// let (program, _) = bp::parse(&Source::new("a.bp", "decl g; void main() begin assert(g); end")).unwrap();
/// let text = rsm::print(&to_rsm(&build_bp(&program).0).unwrap());
/// assert!(text.contains("n1 -> failed3 when !g;"), "{text}");
/// ```
pub fn to_rsm(ersm: &Ersm) -> Result<Machines, TooLarge> {
    let ersm = &*normal(ersm);
    let (scope, declared) = globals(ersm, &RSM, &FAILURE_LABELS);
    let mut exporter = Exporter {
        ersm,
        globals: &scope,
        writer: Writer::new(&ersm.circuit),
        source: SourceNames::new(ersm),
        propositions: propositions(ersm),
        out: Machines::default(),
    };
    exporter.out.globals = declarations(&mut exporter.out.names, declared);
    let mut names = Namer::new(&RSM);
    for (id, procedure) in ersm.procedures() {
        let name = exporter.out.names.intern(&names.fresh(ersm.names.text(procedure.name)));
        exporter.machine(id, procedure, name)?;
    }
    exporter.out.initial = ersm.initial.iter().map(|(procedure, node)| (procedure.0, node.0)).collect();
    if exporter.out.initial.is_empty() {
        let name = exporter.out.names.intern(&names.fresh("nothing"));
        exporter.idle(name);
    }
    Ok(exporter.out)
}

/// The new names of all propositions: different ones stay different.
fn propositions(ersm: &Ersm) -> FxHashMap<Name, String> {
    let mut names = Namer::new(&RSM);
    let mut new = FxHashMap::default();
    let mut odd = Vec::new();
    let mut seen = FxHashSet::default();
    let nodes = ersm.procedures.iter().flat_map(|procedure| &procedure.nodes);
    for &name in nodes.flat_map(|node| &node.propositions).filter(|name| seen.insert(**name)) {
        match names.exactly(ersm.names.text(name)) {
            Some(text) => _ = new.insert(name, text),
            None => odd.push(name),
        }
    }
    FAILURE_LABELS.iter().for_each(|word| names.reserve(word));
    new.extend(odd.into_iter().map(|name| (name, names.fresh(ersm.names.text(name)))));
    new
}

struct Exporter<'e> {
    ersm: &'e Ersm,
    globals: &'e Namer<'e>,
    writer: Writer<'e>,
    source: SourceNames,
    propositions: FxHashMap<Name, String>,
    out: Machines,
}

impl Exporter<'_> {
    fn machine(&mut self, id: ProcId, procedure: &Procedure, name: Name) -> Result<(), TooLarge> {
        let mut scope = Scope::new(self.globals, self.ersm, procedure);
        scope.keep_inputs(procedure);
        procedure.outputs.iter().for_each(|&output| scope.keep(output));
        scope.keep_rest();
        let (nodes, box_names) = self.members(id, procedure, &mut scope);
        let mut calls = Vec::with_capacity(procedure.boxes.len());
        for site in &procedure.boxes {
            calls.push(arguments(&mut self.writer, &mut scope, site)?);
        }
        let mut transitions = Vec::with_capacity(procedure.edges.len());
        for edge in &procedure.edges {
            transitions.extend(self.transition(procedure, &mut scope, &calls, edge)?);
        }
        let boxes = procedure.boxes.iter().zip(calls).zip(box_names).map(|((site, call), name)| CallBox {
            name,
            callee: site.callee.0,
            arguments: call.values.into_iter().map(|ops| self.out.exprs.add(ops)).collect(),
            targets: site.results.iter().map(|result| result.map(|var| scope.var(var))).collect(),
            span: Span::default(),
        });
        let machine = Machine {
            name,
            inputs: procedure.inputs.len(),
            outputs: procedure.outputs.len(),
            nodes,
            boxes: boxes.collect(),
            transitions,
            locals: declarations(&mut self.out.names, scope.locals),
            span: Span::default(),
        };
        self.out.machines.push(machine);
        Ok(())
    }

    /// Nodes and the names of boxes: what the source calls something keeps its name.
    fn members(&mut self, id: ProcId, procedure: &Procedure, scope: &mut Scope<'_>) -> (Vec<Node>, Vec<Name>) {
        let ersm = self.ersm;
        let mut names = Namer::new(&RSM);
        FAILURE_LABELS.iter().for_each(|word| names.reserve(word));
        let mut known = FxHashSet::default();
        let given = self.source.of_nodes(ersm, id).into_iter().map(|name| {
            let text = ersm.names.text(name?);
            // Words of failure are reserved, and only failures are called by them.
            if means_failure(text) { known.insert(text).then(|| text.to_owned()) } else { names.exactly(text) }
        });
        let given: Vec<Option<String>> = given.collect();
        let boxes = procedure.boxes.iter().enumerate().map(|(index, site)| match site.name {
            Some(name) => names.fresh(ersm.names.text(name)),
            None => names.fresh(&format!("b{}", index + 1)),
        });
        let boxes: Vec<Name> = boxes.map(|text| self.out.names.intern(&text)).collect();
        let roles = roles(procedure);
        let mut nodes = Vec::with_capacity(procedure.nodes.len());
        for (index, text) in given.into_iter().enumerate() {
            let text = text.unwrap_or_else(|| names.fresh(&self.source.plain_name(ersm, id, index.into())));
            let propositions = self.node_propositions(id, procedure, scope, index, &text);
            nodes.push(Node {
                name: self.out.names.intern(&text),
                role: roles[index],
                owner: procedure.nodes[index].owner,
                propositions,
                span: Span::default(),
            });
        }
        // Variables that are added later differ from all propositions.
        for &name in nodes.iter().flat_map(|node| &node.propositions) {
            scope.names.reserve(self.out.names.text(name));
        }
        (nodes, boxes)
    }

    /// The propositions of a node with this name: those that are no variables, and failure.
    fn node_propositions(
        &mut self,
        id: ProcId,
        procedure: &Procedure,
        scope: &Scope<'_>,
        index: usize,
        name: &str,
    ) -> Vec<Name> {
        let fails = self.source.failures(id).contains(&NodeId::from(index));
        let keeps = |text: &str| if means_failure(text) { fails } else { !scope.names.has(text) };
        let texts = procedure.nodes[index].propositions.iter().filter_map(|name| self.propositions.get(name));
        let mut texts: Vec<&str> = texts.map(String::as_str).filter(|text| keeps(text)).collect();
        if fails && !means_failure(name) && !texts.iter().any(|text| means_failure(text)) {
            texts.push(FAILURE_LABELS[0]);
        }
        let mut seen = FxHashSet::default();
        texts.retain(|text| seen.insert(*text));
        texts.into_iter().map(|text| self.out.names.intern(text)).collect()
    }

    fn transition(
        &mut self,
        procedure: &Procedure,
        scope: &mut Scope<'_>,
        calls: &[Arguments],
        edge: &Edge,
    ) -> Result<Option<Transition>, TooLarge> {
        let (Some(from), Some(to)) = (self.end(procedure, edge.from), self.end(procedure, edge.to)) else {
            return Ok(None);
        };
        let taken: &[_] = match edge.to {
            Vertex::Call(site, _) => &calls[site.index()].choices,
            _ => &[],
        };
        let step = step(&mut self.writer, scope, edge, taken.len())?;
        let exprs = &mut self.out.exprs;
        let guard = step.when.map(|ops| exprs.add(ops));
        let choices = taken.iter().map(|&(var, owner)| (var, vec![Op::Choice(owner)]));
        let assignments = step.assignments.into_iter().chain(choices);
        let assignments = assignments.map(|(var, ops)| (var, exprs.add(ops))).collect();
        let constrain = step.constrain.map(|ops| exprs.add(ops));
        let label = edge.label.map(|name| self.ersm.names.text(name).replace('"', "'").replace(['\n', '\r'], " "));
        let label = label.map(|text| self.out.names.intern(&text));
        Ok(Some(Transition { from, to, guard, assignments, constrain, label, span: Span::default() }))
    }

    /// A node, or a port with the callee's node; nothing for a port that the callee does not have.
    fn end(&self, procedure: &Procedure, vertex: Vertex) -> Option<End> {
        let callee = |site: BoxId| self.ersm.procedure(procedure.boxes[site.index()].callee);
        Some(match vertex {
            Vertex::Node(node) => End::Node(node.0),
            Vertex::Call(site, entry) => End::Port(site.0, callee(site).entries.get(entry as usize)?.0),
            Vertex::Return(site, exit) => End::Port(site.0, callee(site).exits.get(exit as usize)?.0),
        })
    }

    /// A model without runs: the format wants a start, so there is one where nothing happens.
    fn idle(&mut self, name: Name) {
        let node = Node {
            name: self.out.names.intern("start"),
            role: Role::Entry,
            owner: Owner::System,
            propositions: Vec::new(),
            span: Span::default(),
        };
        self.out.initial.push((self.out.machines.len() as u32, 0));
        self.out.machines.push(Machine {
            name,
            locals: Vec::new(),
            inputs: 0,
            outputs: 0,
            nodes: vec![node],
            boxes: Vec::new(),
            transitions: Vec::new(),
            span: Span::default(),
        });
    }
}

fn roles(procedure: &Procedure) -> Vec<Role> {
    let mut roles = vec![Role::Inner; procedure.nodes.len()];
    procedure.exits.iter().for_each(|exit| roles[exit.index()] = Role::Exit);
    procedure.entries.iter().for_each(|entry| roles[entry.index()] = Role::Entry);
    roles
}

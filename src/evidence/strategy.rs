//! A pruned module as a machine in the `.rsm` format, with the formula about it: what the user can read, and check like any other closed machine.
//!
//! The machine has no variables. Nodes have the names of their places, and in comments their values and what the environment disables. Atoms of the formula become
//! propositions, whose names the formula is changed to.

use crate::logic::Branching;
use crate::syntax::{Place, Program, rsm};
use crate::temporal::{ModuleState, Pruned, PrunedEnd, PrunedNode, PrunedRole, SourceStrategy};
use epitome_automata::{Formulas, Logic, Node, parse_in};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A closed machine and a formula about it.
#[derive(Clone, Debug)]
pub struct PrunedText {
    /// The machine.
    pub machine: String,
    /// The formula, over propositions of the machine.
    pub formula: String,
    /// By atom of the formula as it was asked: the proposition.
    pub atoms: Vec<String>,
    /// By machine: its name, and those of its nodes.
    pub names: Vec<(String, Vec<String>)>,
}

/// Writes a strategy; `line` is the line of a place.
pub fn strategy_text(
    program: &Program,
    formula: &Branching,
    strategy: &SourceStrategy,
    line: &dyn Fn(u32, Place) -> usize,
) -> PrunedText {
    let mut taken = FxHashSet::default();
    let atoms: Vec<String> = formula.atoms.iter().map(|atom| fresh_atom(atom, &mut taken)).collect();
    let writer = Writer { program, line, atoms: &atoms, names: names(program, strategy, &atoms, line) };
    let formula = renamed(formula, &atoms);
    let mut machine = format!("// ctl: {formula}\n// ctl expected: FALSE\n");
    for index in 0..strategy.machines.len() {
        writer.machine(strategy, index, &mut machine);
    }
    let (first, node) = strategy.initial;
    let (name, nodes) = &writer.names[first];
    let _ = writeln!(machine, "\ninit {name}.{};", nodes[node]);
    let names = writer.names;
    PrunedText { machine, formula, atoms, names }
}

/// The formula over other atoms.
fn renamed(formula: &Branching, atoms: &[String]) -> String {
    let mut old = Formulas::default();
    let Ok(parsed) = parse_in(Logic::CtlStar, &formula.text, &mut old) else { return formula.text.clone() };
    let mut new = Formulas::default();
    let mut images = vec![None; parsed.formula.index() + 1];
    for part in old.parts(parsed.formula) {
        let image = |part: epitome_automata::Formula| images[part.index()].unwrap_or(part);
        let node = match old.node(part) {
            Node::Constant(value) => Node::Constant(value),
            Node::Atom(atom) => {
                let text = &old.atoms()[atom.0 as usize];
                let place = formula.atoms.iter().position(|other| other == text);
                Node::Atom(new.atom(place.map_or(text.as_str(), |place| &atoms[place])))
            }
            Node::Unary(operator, inner) => Node::Unary(operator, image(inner)),
            Node::Binary(operator, left, right) => Node::Binary(operator, image(left), image(right)),
        };
        images[part.index()] = Some(new.add(node));
    }
    images[parsed.formula.index()].map_or(formula.text.clone(), |image| new.show(image).to_string())
}

/// Words that mean something in formulas.
const WORDS: [&str; 30] = [
    "A", "E", "X", "F", "G", "U", "W", "R", "M", "V", "S", "AX", "AF", "AG", "EX", "EF", "EG", "true", "false", "and",
    "or", "not", "xor", "implies", "iff", "end", "at", "in", "call", "label",
];

/// A name that comes close to a text, is not taken, and means nothing in formulas.
fn fresh_atom(text: &str, taken: &mut FxHashSet<String>) -> String {
    let name = fresh(text, taken);
    if WORDS.contains(&name.as_str()) { fresh(&format!("{name}_1"), taken) } else { name }
}

/// A name that comes close to a text and is not taken.
fn fresh(text: &str, taken: &mut FxHashSet<String>) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let mut name: String = text.chars().map(keep).collect();
    name = name.trim_end_matches('_').to_owned();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'n');
    }
    if rsm::KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    let mut own = name.clone();
    let mut number = 2;
    while !taken.insert(own.clone()) {
        own = format!("{name}_{number}");
        number += 1;
    }
    own
}

/// Names of all machines, and of their nodes.
fn names(
    program: &Program,
    strategy: &SourceStrategy,
    atoms: &[String],
    line: &dyn Fn(u32, Place) -> usize,
) -> Vec<(String, Vec<String>)> {
    let mut taken = FxHashSet::default();
    let machine = |machine: &Pruned<Place>| {
        let mut own = FxHashSet::default();
        let node = |node: &PrunedNode<Place>| {
            let mut name = fresh(&place_name(program, &node.state, line), &mut own);
            // In a formula, a name is that of a node as well as that of a proposition.
            while atoms.iter().zip(&node.atoms).any(|(atom, holds)| *atom == name && !holds) {
                name = fresh(&format!("{name}_node"), &mut own);
            }
            name
        };
        let nodes = machine.nodes.iter().map(node).collect();
        (fresh(program.procedure_name(machine.procedure), &mut taken), nodes)
    };
    strategy.machines.iter().map(machine).collect()
}

/// What a place is called: by its name, or else by its line.
pub fn place_name(program: &Program, state: &ModuleState<Place>, line: &dyn Fn(u32, Place) -> usize) -> String {
    let (procedure, place) = (state.procedure, state.place);
    match (program, place, program.names_at(procedure, place).first()) {
        (Program::Rsm(machines), Place::Node(node), _) => {
            let nodes = &machines.machines[procedure as usize].nodes;
            machines.names.text(nodes[node as usize].name).to_owned()
        }
        (_, Place::Statement(_), Some(name)) => (*name).to_owned(),
        (_, Place::End, _) => format!("end_of_{}", program.procedure_name(procedure)),
        (_, Place::Failed(_), _) => format!("failed_in_line_{}", line(procedure, place)),
        _ => format!("line_{}", line(procedure, place)),
    }
}

/// The variables of a state that have values.
pub fn state_values(program: &Program, state: &ModuleState<Place>) -> String {
    let procedure = state.procedure;
    let own = |variable: usize| {
        let (bits, ty) = program.bits_of(procedure, variable, 0);
        let value = |bit: usize| state.values.get(bit).copied().flatten();
        let mut pattern = 0;
        for (digit, bit) in bits.clone().enumerate() {
            pattern |= u64::from(value(bit)?) << digit;
        }
        (!bits.is_empty()).then(|| format!("{}={}", program.variable_name(procedure, variable), ty.number(pattern)))
    };
    (0..program.scope_size(procedure)).filter_map(own).collect::<Vec<_>>().join(" ")
}

struct Writer<'w> {
    program: &'w Program,
    line: &'w dyn Fn(u32, Place) -> usize,
    atoms: &'w [String],
    names: Vec<(String, Vec<String>)>,
}

impl Writer<'_> {
    fn machine(&self, strategy: &SourceStrategy, index: usize, out: &mut String) {
        let machine = &strategy.machines[index];
        let (name, nodes) = &self.names[index];
        let _ = writeln!(out, "\nmachine {name} {{");
        for (node, own) in machine.nodes.iter().zip(nodes) {
            let role = match node.role {
                PrunedRole::Entry => "entry",
                PrunedRole::Exit => "exit",
                PrunedRole::Inner => "node",
            };
            let held = node.atoms.iter().zip(self.atoms).filter(|(holds, _)| **holds);
            let held: Vec<&str> = held.map(|(_, name)| name.as_str()).collect();
            let held = if held.is_empty() { String::new() } else { format!(" {{{}}}", held.join(", ")) };
            let _ = writeln!(out, "  {role} {own}{held};{}", self.comment(node));
        }
        // A machine must have the propositions that are asked about.
        let never =
            |atom: usize| !strategy.machines.iter().any(|machine| machine.nodes.iter().any(|node| node.atoms[atom]));
        let unseen = (0..self.atoms.len()).filter(|&atom| index == strategy.initial.0 && never(atom));
        let unseen: Vec<&str> = unseen.map(|atom| self.atoms[atom].as_str()).collect();
        if !unseen.is_empty() {
            let _ = writeln!(
                out,
                "  node {} {{{}}};  // not part of it: nowhere",
                self.unused("nowhere", nodes),
                unseen.join(", ")
            );
        }
        for (site, &inside) in machine.boxes.iter().enumerate() {
            let _ = writeln!(out, "  box {}: {};", self.site(nodes, site), self.names[inside].0);
        }
        for &(from, to) in &machine.edges {
            let [from, to] = [from, to].map(|end| match end {
                PrunedEnd::Node(node) => nodes[node].clone(),
                PrunedEnd::Call(site, node) | PrunedEnd::Return(site, node) => {
                    format!("{}.{}", self.site(nodes, site), self.names[machine.boxes[site]].1[node])
                }
            });
            let _ = writeln!(out, "  {from} -> {to};");
        }
        let _ = writeln!(out, "}}");
    }

    /// The name of a box, which no node has.
    fn site(&self, nodes: &[String], site: usize) -> String {
        self.unused(&format!("call_{}", site + 1), nodes)
    }

    fn unused(&self, name: &str, nodes: &[String]) -> String {
        let mut name = name.to_owned();
        while nodes.contains(&name) {
            name.push('_');
        }
        name
    }

    fn comment(&self, node: &PrunedNode<Place>) -> String {
        let mut comment = format!("  // line {}", (self.line)(node.state.procedure, node.state.place));
        let values = state_values(self.program, &node.state);
        if !values.is_empty() {
            let _ = write!(comment, ", {values}");
        }
        if !node.disabled.is_empty() {
            let gone: Vec<String> = node.disabled.iter().map(|state| self.described(state)).collect();
            let _ = write!(comment, "; disabled: {}", gone.join(", "));
        }
        comment
    }

    fn described(&self, state: &ModuleState<Place>) -> String {
        described(self.program, state, self.line)
    }
}

/// A state in a few words.
pub fn described(program: &Program, state: &ModuleState<Place>, line: &dyn Fn(u32, Place) -> usize) -> String {
    let values = state_values(program, state);
    let name = place_name(program, state, line);
    if values.is_empty() { name } else { format!("{name} ({values})") }
}

//! Names to indices, once everything is declared: callees of boxes, ends of transitions, `init`.
//!
//! A port `b.e` is resolved in the machine that the box `b` is mapped to: an exit where a transition
//! starts, an entry where it ends. All look-ups are in hash maps; lists are walked only to advise.

use super::body::{Member, Unresolved, UnresolvedEnd};
use super::parser::{Parser, UnresolvedInit};
use super::{End, Machine, Role};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::names::Name;
use crate::syntax::similar::most_similar;
use crate::syntax::source::Span;
use rustc_hash::FxHashSet;

/// Which end of a transition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    From,
    To,
}

impl Side {
    /// What a port at this end must be.
    fn role(self) -> Role {
        match self {
            Side::From => Role::Exit,
            Side::To => Role::Entry,
        }
    }
}

impl Parser<'_> {
    /// Resolves all names of the file and checks what depends on them.
    pub(super) fn resolve(&mut self) {
        let all = std::mem::take(&mut self.unresolved);
        // Ports need the callees of boxes, so these come first.
        let callees: Vec<Vec<Option<u32>>> = (0..all.len()).map(|machine| self.boxes(machine, &all)).collect();
        for (machine, own) in all.iter().enumerate() {
            for (index, &[from, to]) in own.ends.iter().enumerate() {
                if self.full() {
                    return;
                }
                let from = self.end(&all, &callees, machine, from, Side::From);
                let to = self.end(&all, &callees, machine, to, Side::To);
                let transition = &mut self.machines.machines[machine].transitions[index];
                (transition.from, transition.to) = (from.unwrap_or(transition.from), to.unwrap_or(transition.to));
            }
        }
        self.starts(&all);
    }

    /// The callees of a machine's boxes, with the lengths of their lists checked.
    fn boxes(&mut self, machine: usize, all: &[Unresolved]) -> Vec<Option<u32>> {
        let mut callees = Vec::with_capacity(all[machine].callees.len());
        for (index, &(name, span)) in all[machine].callees.iter().enumerate() {
            let callee = self.by_name.get(&name).copied();
            match callee {
                Some(callee) => {
                    if !all[callee as usize].incomplete {
                        self.check_lengths(machine, index, callee as usize);
                    }
                    self.machines.machines[machine].boxes[index].callee = callee;
                }
                None => self.unknown_machine(name, span),
            }
            callees.push(callee);
        }
        callees
    }

    fn check_lengths(&mut self, machine: usize, index: usize, callee: usize) {
        if self.full() {
            return;
        }
        let site = &self.machines.machines[machine].boxes[index];
        let callee = &self.machines.machines[callee];
        let name = self.machines.names.text(callee.name);
        if site.arguments.len() != callee.inputs {
            let message = format!("`{name}` takes {}, not {}", count(callee.inputs, "argument"), site.arguments.len());
            self.errors.push(Diagnostic::error(site.span, message, "wrong number of arguments"));
        }
        if site.targets.len() != callee.outputs {
            let message = format!("`{name}` gives {}, not {}", count(callee.outputs, "result"), site.targets.len());
            let error = Diagnostic::error(site.span, message, "wrong number of results");
            self.errors.push(error.with_help("write `_` for a result that is not wanted: `box b: M(x -> _, y);`"));
        }
    }

    fn unknown_machine(&mut self, name: Name, span: Span) {
        if self.lost_machine || self.full() {
            return;
        }
        let text = self.machines.names.text(name);
        let known = self.machines.machines.iter().map(|machine| machine.name);
        let error = Diagnostic::error(span, format!("unknown machine `{text}`"), "no machine of this name");
        self.errors.push(self.advise(error, name, known));
    }

    /// The same error with the most similar of the candidates as advice.
    fn advise(&self, error: Diagnostic, name: Name, candidates: impl Iterator<Item = Name>) -> Diagnostic {
        let names = &self.machines.names;
        match most_similar(names.text(name), candidates.map(|candidate| names.text(candidate))) {
            Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
            None => error,
        }
    }

    fn end(
        &mut self,
        all: &[Unresolved],
        callees: &[Vec<Option<u32>>],
        machine: usize,
        end: UnresolvedEnd,
        side: Side,
    ) -> Option<End> {
        let own = &self.machines.machines[machine];
        let error = match (all[machine].members.get(&end.name).copied(), end.port) {
            (Some(Member::Node(node)), None) if side == Side::To || own.nodes[node as usize].role != Role::Exit => {
                return Some(End::Node(node));
            }
            (Some(Member::Box(site)), Some(port)) => {
                let callee = callees[machine][site as usize]? as usize;
                match self.port(&all[callee], callee, port, end.span, side) {
                    Ok(node) => return Some(End::Port(site, node)),
                    Err(error) => error,
                }
            }
            (Some(Member::Node(_)), None) => Some(self.starts_at_exit(end)),
            (Some(Member::Node(_)), Some(_)) => Some(self.port_of_node(end)),
            (Some(Member::Box(site)), None) => {
                let callee = callees[machine][site as usize].map(|callee| &self.machines.machines[callee as usize]);
                Some(self.box_without_port(end, callee, side))
            }
            (None, _) => (!all[machine].incomplete).then(|| self.unknown_member(end, own)),
        };
        self.errors.extend(error);
        None
    }

    /// The node of a callee that a port names, or the error unless it may be the fault of another.
    fn port(
        &self,
        callee: &Unresolved,
        index: usize,
        port: Name,
        span: Span,
        side: Side,
    ) -> Result<u32, Option<Diagnostic>> {
        let machine = &self.machines.machines[index];
        let (machine_name, text) = (self.machines.names.text(machine.name), self.machines.names.text(port));
        let role = side.role();
        let node = match callee.members.get(&port) {
            Some(&Member::Node(node)) => Some(node),
            _ if callee.incomplete => return Err(None),
            _ => None,
        };
        let help = match side {
            Side::From => "a transition leaves a box at an exit of its machine",
            Side::To => "a transition enters a box at an entry of its machine",
        };
        Err(Some(match node.map(|node| (node, machine.nodes[node as usize].role)) {
            Some((node, found)) if found == role => return Ok(node),
            Some((_, found)) => {
                let message = format!("`{text}` is {} of `{machine_name}`", describe(found));
                Diagnostic::error(span, message, format!("expected {}", describe(role))).with_help(help)
            }
            None => {
                let message = format!("`{machine_name}` has no {} `{text}`", word(role));
                let known = machine.nodes_with(role).map(|node| machine.nodes[node as usize].name);
                self.advise(Diagnostic::error(span, message, "unknown port"), port, known)
            }
        }))
    }

    fn starts_at_exit(&self, end: UnresolvedEnd) -> Diagnostic {
        let text = self.machines.names.text(end.name);
        Diagnostic::error(end.span, format!("a transition starts at the exit `{text}`"), "an exit has no transitions")
            .with_help(format!("the run goes on in the machine that called, from the port `b.{text}` of its box"))
    }

    fn port_of_node(&self, end: UnresolvedEnd) -> Diagnostic {
        let text = self.machines.names.text(end.name);
        Diagnostic::error(end.span, format!("`{text}` is a node, not a box"), "only boxes have ports")
    }

    fn box_without_port(&self, end: UnresolvedEnd, callee: Option<&Machine>, side: Side) -> Diagnostic {
        let text = self.machines.names.text(end.name);
        let kind = word(side.role());
        let error = Diagnostic::error(end.span, format!("`{text}` is a box, not a node"), format!("which {kind}?"));
        let port = callee.and_then(|machine| Some(&machine.nodes[machine.nodes_with(side.role()).next()? as usize]));
        match port {
            Some(port) => error.with_help(format!("name the {kind}: `{text}.{}`", self.machines.names.text(port.name))),
            None => error,
        }
    }

    fn unknown_member(&self, end: UnresolvedEnd, machine: &Machine) -> Diagnostic {
        let text = self.machines.names.text(end.name);
        let owner = self.machines.names.text(machine.name);
        let kind = if end.port.is_some() { "box" } else { "node" };
        let error =
            Diagnostic::error(end.span, format!("unknown {kind} `{text}`"), format!("not declared in `{owner}`"));
        let boxes = machine.boxes.iter().map(|site| site.name);
        match end.port {
            Some(_) => self.advise(error, end.name, boxes),
            None => self.advise(error, end.name, machine.nodes.iter().map(|node| node.name)),
        }
    }

    /// `init`: each start is an entry, and there is at least one.
    fn starts(&mut self, all: &[Unresolved]) {
        let mut seen = FxHashSet::default();
        for start in std::mem::take(&mut self.initial) {
            if self.full() {
                return;
            }
            match self.by_name.get(&start.machine).copied() {
                Some(machine) if seen.insert((machine, start.node)) => self.start(all, machine, &start),
                Some(_) => self.notes.push(Diagnostic::warning(start.span, "this start is given twice")),
                None => self.unknown_machine(start.machine, start.span),
            }
        }
        if !self.has_init && !self.lost_machine {
            self.missing_init();
        }
        self.note_inputs();
    }

    /// Nobody gives arguments to a machine where a run starts.
    fn note_inputs(&mut self) {
        let mut seen = FxHashSet::default();
        for &(index, _) in &self.machines.initial {
            let machine = &self.machines.machines[index as usize];
            if machine.inputs > 0 && seen.insert(index) {
                let name = self.machines.names.text(machine.name);
                let note = format!("the inputs of `{name}` start with arbitrary values");
                self.notes.push(Diagnostic::note(machine.span, note));
            }
        }
    }

    fn start(&mut self, all: &[Unresolved], index: u32, start: &UnresolvedInit) {
        let machine = &self.machines.machines[index as usize];
        let (owner, text) = (self.machines.names.text(start.machine), self.machines.names.text(start.node));
        let entries = machine.nodes_with(Role::Entry).map(|node| machine.nodes[node as usize].name);
        match all[index as usize].members.get(&start.node) {
            Some(&Member::Node(node)) if machine.nodes[node as usize].role == Role::Entry => {
                self.machines.initial.push((index, node));
            }
            Some(_) => {
                let error =
                    Diagnostic::error(start.span, format!("`{owner}.{text}` is not an entry"), "expected an entry");
                self.errors
                    .push(error.with_help(format!("a run starts at an entry: declare `entry {text};` in `{owner}`")));
            }
            None if all[index as usize].incomplete => {}
            None => {
                let error = Diagnostic::error(start.span, format!("`{owner}` has no entry `{text}`"), "unknown entry");
                self.errors.push(self.advise(error, start.node, entries));
            }
        }
    }

    fn missing_init(&mut self) {
        let end = Span::new(self.cursor.span().start, self.cursor.span().start);
        let first = self.machines.machines.iter().find_map(|machine| {
            let entry = machine.nodes_with(Role::Entry).next()?;
            Some((machine.name, machine.nodes[entry as usize].name))
        });
        let names = &self.machines.names;
        let help = match first {
            Some((machine, entry)) => format!("for example `init {}.{};`", names.text(machine), names.text(entry)),
            None => "a file is `machine M { entry e; … } init M.e;`".to_owned(),
        };
        let error = Diagnostic::error(end, "the file does not say where a run starts", "expected `init`");
        self.errors.push(error.with_help(help));
    }
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Entry => "entry",
        Role::Exit => "exit",
        Role::Inner => "inner node",
    }
}

fn describe(role: Role) -> &'static str {
    match role {
        Role::Entry => "an entry",
        Role::Exit => "an exit",
        Role::Inner => "an inner node",
    }
}

/// `1 argument`, `2 arguments`.
fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

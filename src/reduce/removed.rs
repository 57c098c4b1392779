//! What a reduction has removed, for statistics: the difference of two counts.

use super::Reduction;
use crate::model::{Ersm, Leaf};
use epitome_encodings::{Gate, Lit};
use std::fmt;
use std::time::Duration;

/// What is counted of a machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Size {
    procedures: usize,
    nodes: usize,
    transitions: usize,
    variables: usize,
    assignments: usize,
    reads: usize,
    forgotten: usize,
    pub(super) hidden: usize,
}

impl Size {
    /// Counts; values only where a reduction is about them.
    pub(super) fn of(ersm: &Ersm, values: bool) -> Size {
        let mut size = Size { procedures: ersm.procedures.len(), variables: ersm.globals.len(), ..Size::default() };
        let mut reads = Reads { ersm, known: vec![UNKNOWN; if values { ersm.circuit.len() } else { 0 }] };
        for procedure in &ersm.procedures {
            size.nodes += procedure.nodes.len();
            size.transitions += procedure.edges.len();
            size.variables += procedure.locals.len();
            let hidden = |used: usize| ersm.globals.len() - used;
            size.hidden += procedure.footprint.as_ref().map_or(0, |footprint| hidden(footprint.used.len()));
            if !values {
                continue;
            }
            for edge in &procedure.edges {
                size.reads += reads.of(edge.guard);
                for (_, lit) in &edge.assignments {
                    size.assign(ersm, *lit, &mut reads);
                }
            }
            for call in &procedure.boxes {
                call.arguments.iter().for_each(|lit| size.assign(ersm, *lit, &mut reads));
                size.assignments += call.results.iter().flatten().count();
            }
        }
        size
    }

    /// A value that goes somewhere; one that is chosen freely only forgets what was there.
    fn assign(&mut self, ersm: &Ersm, lit: Lit, reads: &mut Reads<'_>) {
        let chosen =
            matches!(ersm.circuit.gate(lit), Gate::Input(leaf) if matches!(Leaf::from_number(leaf), Leaf::Choice(_)));
        if chosen {
            self.forgotten += 1;
        } else {
            self.assignments += 1;
            self.reads += reads.of(lit);
        }
    }
}

/// How many variables signals read.
struct Reads<'e> {
    ersm: &'e Ersm,
    /// By gate.
    known: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl Reads<'_> {
    fn of(&mut self, lit: Lit) -> usize {
        if lit.as_constant().is_some() {
            return 0;
        }
        if self.known[lit.gate()] == UNKNOWN {
            let is_var = |number: &u32| matches!(Leaf::from_number(*number), Leaf::Var(_));
            self.known[lit.gate()] = self.ersm.circuit.support([lit]).iter().filter(|n| is_var(n)).count() as u32;
        }
        self.known[lit.gate()] as usize
    }
}

/// What a reduction has removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The reduction.
    pub reduction: Reduction,
    /// Procedures that are gone.
    pub procedures: usize,
    /// Nodes that are gone.
    pub nodes: usize,
    /// Transitions that are gone.
    pub transitions: usize,
    /// Globals and locals that are gone.
    pub variables: usize,
    /// Assignments, arguments and results that are gone or became free choices. (These and reads are
    /// counted for constants and live ranges only.)
    pub assignments: usize,
    /// Variables that guards, assignments and arguments no longer read.
    pub reads: usize,
    /// Values that are now forgotten where nobody reads them any more.
    pub forgotten: usize,
    /// Globals hidden from procedures, counted for each procedure.
    pub hidden: usize,
    /// How long it took.
    pub time: Duration,
}

impl Removed {
    pub(super) fn between(reduction: Reduction, before: &Size, after: &Size, time: Duration) -> Removed {
        Removed {
            reduction,
            procedures: before.procedures.saturating_sub(after.procedures),
            nodes: before.nodes.saturating_sub(after.nodes),
            transitions: before.transitions.saturating_sub(after.transitions),
            variables: before.variables.saturating_sub(after.variables),
            assignments: before.assignments.saturating_sub(after.assignments),
            reads: before.reads.saturating_sub(after.reads),
            forgotten: after.forgotten.saturating_sub(before.forgotten),
            hidden: after.hidden.saturating_sub(before.hidden),
            time,
        }
    }

    /// The counts with their names.
    pub fn counts(&self) -> [(&'static str, usize); 8] {
        [
            ("procedures", self.procedures),
            ("nodes", self.nodes),
            ("transitions", self.transitions),
            ("variables", self.variables),
            ("assignments", self.assignments),
            ("reads", self.reads),
            ("forgotten", self.forgotten),
            ("hidden", self.hidden),
        ]
    }
}

impl fmt::Display for Removed {
    /// What is not nothing: `2 procedures, 1 variable`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for (name, count) in self.counts().into_iter().filter(|(_, count)| *count > 0) {
            let name = if count == 1 { name.strip_suffix('s').unwrap_or(name) } else { name };
            write!(f, "{comma}{count} {name}")?;
            comma = ", ";
        }
        if comma.is_empty() { f.write_str("nothing") } else { Ok(()) }
    }
}

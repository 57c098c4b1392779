//! Reductions: each makes the machine smaller, keeps the answer, and returns the way back.
//!
//! They are applied once each, in the order of [`Reduction::ALL`]: constants first, because they cut
//! branches; then what cannot be reached goes; compaction makes one step of many; the cone of
//! influence drops what the question does not depend on; live ranges forget values that nobody reads
//! any more; MOD/REF tells engines what a callee is not concerned with. A run of the reduced machine is
//! lifted by executing it again on the original one (`retrace`), guided by the composed way back.

mod back;
mod compact;
mod cone;
mod constants;
mod exclusive;
mod forget;
mod known;
mod live;
mod mod_ref;
mod partition;
mod rebuild;
mod regions;
mod removed;
mod retrace;
mod signature;
mod symbolic;
mod table;
mod unreachable;
mod variables;

pub use back::{Back, ProcedureBack};
pub use compact::compact;
pub use removed::Removed;
pub use retrace::{RetraceError, retrace};
pub use table::Table;

use crate::limits::Limits;
use crate::model::{Ersm, Flow, Goal, NodeId, NodeSet, ProcId, Run, Vertex};
use removed::Size;
use std::borrow::Cow;
use std::time::Instant;

/// A machine and what is looked for in it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The machine.
    pub ersm: Ersm,
    /// What is looked for.
    pub goal: Goal,
}

/// What a reduction gives: the smaller task and the way back.
#[derive(Clone, Debug)]
pub struct Step {
    /// The task that is left.
    pub task: Task,
    /// The way back to the one before.
    pub back: Back,
}

/// A task in the hands of the reductions: borrowed until one of them changes it, because most machines are
/// large and most reductions find little to do.
#[derive(Debug)]
struct Draft<'t> {
    ersm: Cow<'t, Ersm>,
    goal: Cow<'t, Goal>,
    /// The vertices that control can come to, where constants found out and changed nothing.
    reached: Option<(Flow, Vec<bool>)>,
}

impl<'t> Draft<'t> {
    fn new(ersm: Cow<'t, Ersm>, goal: Cow<'t, Goal>) -> Draft<'t> {
        Draft { ersm, goal, reached: None }
    }

    fn into_task(self) -> Task {
        Task { ersm: self.ersm.into_owned(), goal: self.goal.into_owned() }
    }
}

/// A reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Constant propagation.
    Constants,
    /// Unreachable procedures and code.
    Unreachable,
    /// Compaction of acyclic runs of nodes.
    Compact,
    /// Cone of influence of the query.
    Cone,
    /// Live ranges.
    Live,
    /// Globals that a callee is not concerned with.
    ModRef,
}

impl Reduction {
    /// All of them, in the order in which they are applied.
    pub const ALL: [Reduction; 6] = [
        Reduction::Constants,
        Reduction::Unreachable,
        Reduction::Compact,
        Reduction::Cone,
        Reduction::Live,
        Reduction::ModRef,
    ];

    /// The name by which users switch it on and off.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Constants => "constants",
            Reduction::Unreachable => "unreachable",
            Reduction::Compact => "compact",
            Reduction::Cone => "cone",
            Reduction::Live => "live",
            Reduction::ModRef => "mod-ref",
        }
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Reduction::Constants => "Constant propagation through the whole program",
            Reduction::Unreachable => "Unreachable procedures and code",
            Reduction::Compact => "Acyclic runs of statements become one step",
            Reduction::Cone => "Cone of influence of the query",
            Reduction::Live => "Live ranges: values nobody reads are forgotten",
            Reduction::ModRef => "Globals a procedure does not use are kept out of its summaries",
        }
    }

    /// Changes the draft and gives the way back; `None` if there was nothing to change.
    fn apply(self, draft: &mut Draft<'_>) -> Option<Back> {
        match self {
            Reduction::Constants => constants::constants(draft),
            Reduction::Unreachable => unreachable::unreachable(draft),
            Reduction::Compact => Some(compact::compact_draft(draft)),
            Reduction::Cone => cone::cone(draft),
            Reduction::Live => live::live(draft),
            Reduction::ModRef => mod_ref::mod_ref(draft),
        }
    }
}

/// A set of reductions.
///
/// ```
/// use epitome::reduce::{Reduction, Reductions};
/// let some = Reductions::all().without(Reduction::Compact);
/// assert!(some.contains(Reduction::Live) && !some.contains(Reduction::Compact));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions(u8);

impl Reductions {
    /// All of them.
    pub fn all() -> Reductions {
        Reduction::ALL.into_iter().fold(Reductions::none(), Reductions::with)
    }

    /// None of them.
    pub fn none() -> Reductions {
        Reductions(0)
    }

    /// The set with one more.
    pub fn with(self, reduction: Reduction) -> Reductions {
        Reductions(self.0 | 1 << reduction as u8)
    }

    /// The set without one.
    pub fn without(self, reduction: Reduction) -> Reductions {
        Reductions(self.0 & !(1 << reduction as u8))
    }

    /// What is in one of the sets.
    pub fn union(self, other: Reductions) -> Reductions {
        Reductions(self.0 | other.0)
    }

    /// What is in this set and not in the other.
    pub fn difference(self, other: Reductions) -> Reductions {
        Reductions(self.0 & !other.0)
    }

    /// The reduction is in the set.
    pub fn contains(self, reduction: Reduction) -> bool {
        self.0 >> reduction as u8 & 1 == 1
    }
}

/// What is left to ask, and the way back.
#[derive(Clone, Debug)]
pub struct Reduced<'e> {
    original: &'e Ersm,
    goal: &'e Goal,
    /// The smaller task and the way back from it; `None` if no reduction changed anything.
    smaller: Option<Step>,
    /// The way back is the identity, and runs have the values they have in the original machine.
    exact: bool,
    /// What each reduction removed, in the order in which they were applied.
    pub removed: Vec<Removed>,
}

/// Applies reductions to a machine and a goal.
pub fn reduce<'e>(ersm: &'e Ersm, goal: &'e Goal, on: Reductions) -> Reduced<'e> {
    reduce_and_look(ersm, goal, on, |_| ())
}

/// The same, with a look at what is left of control and variables before values are forgotten: what is
/// forgotten is chosen, so that a machine that chooses nothing does not look so afterwards.
pub fn reduce_and_look<'e>(ersm: &'e Ersm, goal: &'e Goal, on: Reductions, look: impl FnOnce(&Ersm)) -> Reduced<'e> {
    let mut reduced = Reduced { original: ersm, goal, smaller: None, exact: true, removed: Vec::new() };
    // Without a question there is nothing to make smaller.
    if on == Reductions::none() || goal.targets.is_empty() && goal.calls.is_empty() {
        look(ersm);
        return reduced;
    }
    let mut look = Some(look);
    let mut draft = Draft::new(Cow::Borrowed(ersm), Cow::Borrowed(goal));
    let mut all: Option<Back> = None;
    for reduction in Reduction::ALL.into_iter().filter(|reduction| on.contains(*reduction)) {
        if matches!(reduction, Reduction::Live | Reduction::ModRef) {
            look.take().into_iter().for_each(|look| look(&draft.ersm));
        }
        let values = matches!(reduction, Reduction::Constants | Reduction::Live);
        let before = Size::of(&draft.ersm, values);
        let start = Instant::now();
        let back = reduction.apply(&mut draft);
        let changed = back.is_some();
        all = Back::compose(all, back);
        let time = start.elapsed();
        let after = if changed { Size::of(&draft.ersm, values) } else { before.clone() };
        reduced.removed.push(Removed::between(reduction, &before, &after, time));
    }
    look.into_iter().for_each(|look| look(&draft.ersm));
    let Some(mut back) = all else { return reduced };
    let hides = draft.ersm.procedures.iter().any(|procedure| procedure.footprint.is_some());
    reduced.exact = back.is_neutral() && !hides;
    if back.is_neutral() && hides {
        back = Back::identity(ersm);
    }
    reduced.smaller = Some(Step { task: draft.into_task(), back });
    reduced
}

impl Reduced<'_> {
    /// The machine to ask about.
    pub fn ersm(&self) -> &Ersm {
        self.smaller.as_ref().map_or(self.original, |step| &step.task.ersm)
    }

    /// What to look for in it.
    pub fn goal(&self) -> &Goal {
        self.smaller.as_ref().map_or(self.goal, |step| &step.task.goal)
    }

    /// The way back; `None` if runs are runs of the original machine as they are.
    pub fn back(&self) -> Option<&Back> {
        self.smaller.as_ref().map(|step| &step.back).filter(|back| !back.is_neutral())
    }

    /// Runs of the reduced machine are runs of the original one as they are.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The nodes of the original machine that are reached if these nodes of the reduced one are. Targets
    /// that were removed cannot be reached.
    pub fn lift_reached(&self, reached: &NodeSet) -> NodeSet {
        let Some(back) = self.back() else { return reached.clone() };
        let mut lifted = NodeSet::new(self.original);
        for (index, procedure) in back.procedures.iter().enumerate() {
            for (node, original) in procedure.nodes.iter().enumerate() {
                if reached.contains(index.into(), node.into()) {
                    lifted.insert(procedure.procedure, *original);
                }
            }
        }
        lifted
    }

    /// The node of the original machine that a node of the reduced one stands for.
    pub fn lift_node(&self, procedure: ProcId, node: NodeId) -> (ProcId, NodeId) {
        let Some(back) = self.back() else { return (procedure, node) };
        let back = &back.procedures[procedure.index()];
        (back.procedure, back.nodes[node.index()])
    }

    /// The run of the original machine that a run of the reduced one stands for.
    pub fn lift_run(&self, run: Run<Vertex>, limits: &Limits) -> Result<Run<Vertex>, RetraceError> {
        match &self.smaller {
            Some(step) if !self.exact => retrace(self.original, &step.task.ersm, &step.back, &run, limits),
            _ => Ok(run),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Ersm, Goal, NodeSet, build_bp, build_rsm};
    use crate::syntax::{Source, bp, rsm};

    /// A Boolean program and the question whether it can fail.
    pub(super) fn program(text: &str) -> (Ersm, Goal) {
        let source = Source::new("t.bp", text);
        let (program, _) = bp::parse(&source).unwrap_or_else(|e| panic!("{}", e[0].render(&source)));
        let (ersm, _) = build_bp(&program);
        let mut targets = NodeSet::new(&ersm);
        ersm.failures.iter().for_each(|failure| _ = targets.insert(failure.procedure, failure.node));
        (ersm, Goal { targets, calls: Vec::new(), all: false })
    }

    /// Machines and the question which nodes can be reached.
    pub(super) fn machine(text: &str) -> (Ersm, Goal) {
        let source = Source::new("t.rsm", text);
        let (machines, _) = rsm::parse(&source).unwrap_or_else(|e| panic!("{}", e[0].render(&source)));
        let (ersm, _) = build_rsm(&machines);
        let mut targets = NodeSet::new(&ersm);
        ersm.places.iter().for_each(|place| _ = targets.insert(place.procedure, place.node));
        (ersm, Goal { targets, calls: Vec::new(), all: true })
    }
}

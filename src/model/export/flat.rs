//! A Boolean program without nesting: what each statement does, and the statements that may follow.
//!
//! Most languages have no `elsif`, and all have jumps; so whoever translates a program goes through these lines,
//! in their order, and needs to know nothing of branches and loops.

use crate::syntax::bp::{Kind, Procedure, Program, Target};
use crate::syntax::{Expr, Exprs, FAILURE_LABELS, Op, Var};

/// Where control goes: a line, or the procedure's end.
pub(super) type Place = Option<u32>;

/// The body of a procedure.
pub(super) struct Flat<'p> {
    /// Where control is first.
    pub(super) start: Place,
    /// Every line once, increasing.
    pub(super) lines: Vec<Line<'p>>,
}

/// A statement at which control can rest.
pub(super) struct Line<'p> {
    /// Its number, which is that of its statement.
    pub(super) at: u32,
    /// It must not be reached.
    pub(super) fails: bool,
    /// What it does.
    pub(super) act: Act<'p>,
}

/// What a line does.
pub(super) enum Act<'p> {
    Go(Place),
    Choose(Vec<Place>),
    Branch {
        condition: Expr,
        yes: Place,
        no: Place,
    },
    Assert(Expr, Place),
    Assume(Expr, Place),
    Assign(Assignment<'p>, Place),
    /// The variables become arbitrary.
    Forget(&'p [Var], Place),
    Call {
        callee: usize,
        arguments: &'p [Expr],
        targets: &'p [Target],
        next: Place,
    },
    Return(&'p [Expr]),
}

/// Variables that take values at once.
#[derive(Clone, Copy)]
pub(super) struct Assignment<'p> {
    pub(super) targets: &'p [Target],
    pub(super) values: &'p [Expr],
    pub(super) constrain: Option<Expr>,
}

impl Assignment<'_> {
    /// Variables and their values.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Var, Expr)> {
        self.targets.iter().zip(self.values).filter_map(|(target, &value)| Some(((*target)?, value)))
    }

    /// One after the other is the same as all at once: no value reads a variable before it in the list.
    pub(super) fn is_sequential(&self, exprs: &Exprs) -> bool {
        let reads = |value: Expr, var: Var| exprs.ops(value).contains(&Op::Var(var));
        let pairs: Vec<(Var, Expr)> = self.pairs().collect();
        let overtaken =
            |(index, &(_, value)): (usize, &(Var, Expr))| pairs[..index].iter().any(|&(v, _)| reads(value, v));
        self.constrain.is_none() && !pairs.iter().enumerate().any(overtaken)
    }
}

impl Act<'_> {
    /// Where control may go from here in the same procedure.
    fn places(&self) -> Vec<Place> {
        match self {
            Act::Go(next) | Act::Assert(_, next) | Act::Assume(_, next) => vec![*next],
            Act::Assign(_, next) | Act::Forget(_, next) | Act::Call { next, .. } => vec![*next],
            Act::Choose(places) => places.clone(),
            Act::Branch { yes, no, .. } => vec![*yes, *no],
            Act::Return(_) => vec![None],
        }
    }
}

impl<'p> Flat<'p> {
    pub(super) fn new(program: &'p Program, procedure: &'p Procedure) -> Flat<'p> {
        let landing = procedure.landing();
        let is_failure = |name| FAILURE_LABELS.contains(&program.names.text(name));
        let failures = procedure.labels.iter().filter(|label| !label.is_internal && is_failure(label.name));
        let mut fails = vec![false; procedure.body.len()];
        failures.for_each(|label| fails[label.statement as usize] = true);
        let mut lines = Vec::new();
        for (index, statement) in procedure.body.iter().enumerate() {
            let next = landing[index + 1];
            let act = match &statement.kind {
                Kind::Else { .. } | Kind::Fi | Kind::Od { .. } => continue,
                Kind::Skip | Kind::Print(_) => Act::Go(next),
                Kind::Goto(labels) => {
                    let place = |&label: &u32| landing[procedure.labels[label as usize].statement as usize];
                    match &labels[..] {
                        [only] => Act::Go(place(only)),
                        _ => Act::Choose(labels.iter().map(place).collect()),
                    }
                }
                Kind::Return(values) => Act::Return(values),
                Kind::Assign { targets, values, constrain } => {
                    Act::Assign(Assignment { targets, values, constrain: *constrain }, next)
                }
                Kind::Call { callee, arguments, targets } => {
                    Act::Call { callee: *callee as usize, arguments, targets, next }
                }
                Kind::Assert(condition) => Act::Assert(*condition, next),
                Kind::Assume(condition) => Act::Assume(*condition, next),
                Kind::Dead(vars) => Act::Forget(vars, next),
                Kind::If { condition, .. } | Kind::Elsif { condition, .. } | Kind::While { condition, .. } => {
                    let no = procedure.otherwise(index, &landing);
                    Act::Branch { condition: *condition, yes: next, no }
                }
            };
            lines.push(Line { at: index as u32, fails: fails[index], act });
        }
        Flat { start: landing[0], lines }
    }

    /// Each line with the one that stands below it.
    pub(super) fn with_next(&self) -> impl Iterator<Item = (&Line<'p>, Place)> {
        let below = self.lines.iter().skip(1).map(|line| Some(line.at)).chain([None]);
        self.lines.iter().zip(below)
    }

    /// By number: control comes to the line by a jump, not only from the line above it. Where control is first
    /// if that is not the first line, too; and, last, the end.
    pub(super) fn labelled(&self) -> Vec<bool> {
        let end = self.lines.last().map_or(0, |line| line.at as usize + 1);
        let mut labelled = vec![false; end + 1];
        let mut mark = |place: Place| labelled[place.map_or(end, |at| at as usize)] = true;
        for (line, below) in self.with_next() {
            let places = line.act.places();
            // An assertion is a branch, too.
            if places != [below] || matches!(line.act, Act::Assert(..)) {
                places.into_iter().for_each(&mut mark);
            }
        }
        if self.start != self.lines.first().map(|line| line.at) {
            mark(self.start);
        }
        labelled
    }
}

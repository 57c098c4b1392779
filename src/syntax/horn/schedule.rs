//! In which order a clause is carried out.
//!
//! Predicates of the body are called first, in the order of the text: what they return gives most variables
//! their values. Between the calls and after them a conjunct of the constraint is checked as soon as all its
//! variables have values, which prunes early; an equation that determines a variable assigns it, so that
//! nothing is guessed and tested later. Only when neither is possible some variables are left open, those of
//! the conjunct that needs the fewest: they have any values, as variables have that nobody assigned.

use super::clauses::Clause;
use super::sharing::Sharing;
use super::store::{Node, Store, Term};
use crate::syntax::source::Span;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A condition on the variables.
#[derive(Clone, Copy, Debug)]
pub(super) enum Condition {
    Holds(Term),
    /// The variable has the value of the term.
    Is(u32, Term),
    /// The same where the variable was made for the term.
    Defines(u32, Term),
}

/// A step of a clause.
#[derive(Debug)]
pub(super) enum Step {
    /// Call the predicate of this atom; its arguments go to these variables.
    Call(Term, Vec<u32>),
    Assume(Vec<Condition>),
    /// Variables take values at once; `true` where it is the definition of the variable.
    Assign(Vec<(u32, Term, bool)>),
}

/// A step and its place in the text.
pub(super) type Placed = (Step, Span);

struct Conjunct {
    condition: Condition,
    span: Span,
    variables: Vec<u32>,
    /// How many of them have no value yet.
    unknown: usize,
    /// How many of these are made for terms that are not assigned yet.
    undefined: usize,
    done: bool,
}

/// Puts a clause in order.
pub(super) fn schedule(store: &mut Store, sharing: &Sharing, clause: &Clause) -> Vec<Placed> {
    let mut scheduler = Scheduler {
        known: vec![false; store.variables.len()],
        made: vec![false; store.variables.len()],
        uses: vec![Vec::new(); store.variables.len()],
        conjuncts: Vec::new(),
        checks: Vec::new(),
        determined: Vec::new(),
        fewest: BinaryHeap::new(),
        steps: Vec::new(),
        store,
        sharing,
    };
    for &(variable, _) in &sharing.defined {
        scheduler.made[variable as usize] = true;
    }
    for &(term, span) in &clause.constraints {
        let condition = scheduler.condition(term);
        scheduler.add(condition, span);
    }
    for &(variable, term) in &sharing.defined {
        let span = scheduler.store.span(term).unwrap_or(clause.span);
        scheduler.add(Condition::Defines(variable, term), span);
    }
    for &atom in &clause.body {
        scheduler.check();
        scheduler.call(atom, clause.span);
    }
    loop {
        scheduler.check();
        if !scheduler.assign() && !scheduler.leave_open() {
            return scheduler.steps;
        }
    }
}

struct Scheduler<'s> {
    store: &'s mut Store,
    sharing: &'s Sharing,
    known: Vec<bool>,
    /// The variable was made for a term.
    made: Vec<bool>,
    /// Conjuncts by variable.
    uses: Vec<Vec<u32>>,
    conjuncts: Vec<Conjunct>,
    /// Conjuncts all of whose variables have values.
    checks: Vec<u32>,
    /// Conjuncts with one variable that has none.
    determined: Vec<u32>,
    /// Conjuncts by the number of their variables without values, some out of date.
    fewest: BinaryHeap<Reverse<(usize, usize, u32)>>,
    steps: Vec<Placed>,
}

impl Scheduler<'_> {
    /// What a conjunct says, as an equation if it is one.
    fn condition(&self, term: Term) -> Condition {
        let variable = |term: Term| match *self.store.node(term) {
            Node::Var(variable) => Some(variable),
            _ => None,
        };
        if let Some(variable) = variable(term) {
            return Condition::Is(variable, Term::TRUE.negate_if(term.is_negated()));
        }
        match *self.store.node(term) {
            Node::Equal(a, b) => match (variable(a), variable(b)) {
                (Some(variable), _) => Condition::Is(variable, b.negate_if(term.is_negated())),
                (_, Some(variable)) => Condition::Is(variable, a.negate_if(term.is_negated())),
                _ => Condition::Holds(term),
            },
            _ => Condition::Holds(term),
        }
    }

    fn add(&mut self, condition: Condition, span: Span) {
        let mut variables = Vec::new();
        match condition {
            Condition::Holds(term) => self.sharing.support(self.store, term, false, &mut variables),
            Condition::Is(variable, term) | Condition::Defines(variable, term) => {
                let defines = matches!(condition, Condition::Defines(..));
                self.sharing.support(self.store, term, defines, &mut variables);
                variables.push(variable);
            }
        }
        variables.sort_unstable();
        variables.dedup();
        let unknown: Vec<u32> = variables.iter().copied().filter(|&variable| !self.known[variable as usize]).collect();
        let index = self.conjuncts.len() as u32;
        unknown.iter().for_each(|&variable| self.uses[variable as usize].push(index));
        let undefined = unknown.iter().filter(|&&variable| self.made[variable as usize]).count();
        let own = usize::from(matches!(condition, Condition::Defines(..)));
        let conjunct =
            Conjunct { condition, span, variables, unknown: unknown.len(), undefined: undefined - own, done: false };
        self.conjuncts.push(conjunct);
        self.changed(index);
    }

    /// Looks at a conjunct again after some variable of it has got a value.
    fn changed(&mut self, index: u32) {
        let conjunct = &self.conjuncts[index as usize];
        match conjunct.unknown {
            _ if conjunct.done => return,
            0 => self.checks.push(index),
            1 => self.determined.push(index),
            _ => {}
        }
        self.fewest.push(Reverse((conjunct.undefined, conjunct.unknown, index)));
    }

    fn know(&mut self, variable: u32) {
        if std::mem::replace(&mut self.known[variable as usize], true) {
            return;
        }
        for index in std::mem::take(&mut self.uses[variable as usize]) {
            let conjunct = &mut self.conjuncts[index as usize];
            conjunct.unknown -= 1;
            let is_own = matches!(conjunct.condition, Condition::Defines(own, _) if own == variable);
            conjunct.undefined -= usize::from(self.made[variable as usize] && !is_own);
            self.changed(index);
        }
    }

    /// Calls a predicate. An argument that is a variable without a value takes what is returned; what is
    /// returned for any other goes to a new variable, which is compared.
    fn call(&mut self, atom: Term, place: Span) {
        let Node::Atom(_, arguments) = self.store.node(atom).clone() else { return };
        let span = self.store.span(atom).unwrap_or(place);
        let mut targets = Vec::new();
        let mut taken: FxHashSet<u32> = FxHashSet::default();
        let mut compared = Vec::new();
        for &argument in &arguments {
            let free = match *self.store.node(argument) {
                Node::Var(variable) if !argument.is_negated() && !self.known[variable as usize] => Some(variable),
                _ => None,
            };
            let target = free.filter(|&variable| taken.insert(variable)).unwrap_or_else(|| {
                let variable = self.new_variable();
                compared.push(Condition::Is(variable, argument));
                variable
            });
            targets.push(target);
        }
        self.steps.push((Step::Call(atom, targets.clone()), span));
        targets.into_iter().for_each(|variable| self.know(variable));
        compared.into_iter().for_each(|condition| self.add(condition, span));
    }

    fn new_variable(&mut self) -> u32 {
        self.store.variable("result");
        self.known.push(false);
        self.made.push(false);
        self.uses.push(Vec::new());
        self.store.variables.len() as u32 - 1
    }

    /// Checks all that can be checked.
    fn check(&mut self) {
        let mut conditions = Vec::new();
        let mut place: Option<Span> = None;
        for index in std::mem::take(&mut self.checks) {
            let conjunct = &mut self.conjuncts[index as usize];
            if !std::mem::replace(&mut conjunct.done, true) {
                conditions.push(conjunct.condition);
                place = Some(place.map_or(conjunct.span, |place| place.to(conjunct.span)));
            }
        }
        self.steps.extend(place.map(|place| (Step::Assume(conditions), place)));
    }

    /// Assigns all variables that are determined now; false if there are none.
    fn assign(&mut self) -> bool {
        let mut values: Vec<(u32, Term, bool)> = Vec::new();
        let mut assigned: Vec<u32> = Vec::new();
        let mut place: Option<Span> = None;
        let mut taken = Vec::new();
        for index in std::mem::take(&mut self.determined) {
            let conjunct = &self.conjuncts[index as usize];
            if conjunct.done || conjunct.unknown != 1 {
                continue;
            }
            let Some(value) = self.value_of(conjunct) else { continue };
            // Another equation for the same variable is a check afterwards.
            if self.known[value.0 as usize] {
                continue;
            }
            self.known[value.0 as usize] = true;
            assigned.push(value.0);
            values.push(value);
            place = Some(place.map_or(conjunct.span, |place| place.to(conjunct.span)));
            taken.push(index);
        }
        let Some(place) = place else { return false };
        self.steps.push((Step::Assign(values), place));
        taken.into_iter().for_each(|index| self.conjuncts[index as usize].done = true);
        for variable in assigned {
            self.known[variable as usize] = false;
            self.know(variable);
        }
        true
    }

    /// The variable that an equation determines, with its value.
    fn value_of(&self, conjunct: &Conjunct) -> Option<(u32, Term, bool)> {
        let (variable, term, defines) = match conjunct.condition {
            Condition::Holds(_) => return None,
            Condition::Is(variable, term) => (variable, term, false),
            Condition::Defines(variable, term) => (variable, term, true),
        };
        let unknown = *conjunct.variables.iter().find(|&&variable| !self.known[variable as usize])?;
        if let Node::Var(other) = *self.store.node(term)
            && other == unknown
            && other != variable
        {
            // The equation read from right to left.
            let value = self.store.find_variable(variable)?.negate_if(term.is_negated());
            return Some((other, value, false));
        }
        let mut support = Vec::new();
        self.sharing.support(self.store, term, defines, &mut support);
        (unknown == variable && !support.contains(&variable)).then_some((variable, term, defines))
    }

    /// Leaves the variables open that the least demanding conjunct needs; false if all is done.
    fn leave_open(&mut self) -> bool {
        while let Some(Reverse((undefined, unknown, index))) = self.fewest.pop() {
            let conjunct = &self.conjuncts[index as usize];
            if conjunct.done || (conjunct.undefined, conjunct.unknown) != (undefined, unknown) {
                continue;
            }
            // An equation leaves its variable to be assigned.
            let kept = match conjunct.condition {
                Condition::Is(variable, _) | Condition::Defines(variable, _) if unknown > 1 => Some(variable),
                _ => None,
            };
            let open: Vec<u32> = conjunct.variables.iter().copied().filter(|&v| Some(v) != kept).collect();
            open.into_iter().for_each(|variable| self.know(variable));
            return true;
        }
        false
    }
}

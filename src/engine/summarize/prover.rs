//! A predicate's own solver: its body, and at each hole what is known of the predicate called there.
//!
//! A solver can be let to one predicate after the other, if they have the same body: everything else it knows is
//! said under a switch of the *tenant*. To start a solver takes as long as dozens of tiny queries.
//!
//! A lemma of a predicate in the same component counts only up to its level, so its clause has a switch for
//! that level; switching on a level switches on all higher ones. Lemmas of other predicates are told only if
//! they hold for any depth. A query for derivations of level n uses lemmas of level n - 1 at the holes.

use super::cube::Cube;
use super::shape::Shape;
use super::summary::{ANY, Lemma, Level, Summary};
use crate::engine::system::Point;
use crate::limits::Reason;
use crate::solver::Solver;
use std::rc::Rc;

/// Temporary switches after which a solver is made anew.
const MOST_TEMPORARY: u32 = 2_000;

/// A tenant counts as so many of them.
const TEMPORARY_FOR_A_TENANT: u32 = 20;

pub(super) struct Prover {
    shape: Rc<Shape>,
    solver: Box<dyn Solver>,
    variables: i32,
    /// Whether the hole calls a predicate of the same component.
    inner: Box<[bool]>,
    /// By hole: how many of its predicate's news are told.
    told: Box<[usize]>,
    /// Switches: no inner holes at all, then lemmas of level 0 and more, of level 1 and more, …
    switches: Vec<i32>,
    temporary: u32,
    /// The switch of the tenant.
    tenant: i32,
    /// The temporary switch of the last query. (It is retired at the next one: the model is still read.)
    last: Option<i32>,
}

/// What a query found.
pub(super) enum Answer {
    /// A model is in the solver.
    Yes,
    /// No: the part of the cube that it takes, and whether the level mattered.
    No(Cube, bool),
}

impl Prover {
    pub(super) fn new(shape: Rc<Shape>, mut solver: Box<dyn Solver>, inner: Box<[bool]>) -> Prover {
        shape.load(&mut *solver);
        solver.add(&[shape.guard]);
        let mut prover = Prover {
            variables: shape.variables,
            shape,
            solver,
            inner: [].into(),
            told: [].into(),
            switches: Vec::new(),
            temporary: 0,
            tenant: 0,
            last: None,
        };
        prover.move_in(inner);
        prover
    }

    /// It has served long enough: what was switched off for ever makes it slow.
    pub(super) fn is_old(&self) -> bool {
        self.temporary >= MOST_TEMPORARY
    }

    /// The same solver for another predicate with the same body.
    pub(super) fn let_to(mut self, inner: Box<[bool]>) -> Prover {
        self.temporary += TEMPORARY_FOR_A_TENANT;
        if let Some(last) = self.last.take() {
            self.solver.add(&[-last]);
        }
        self.solver.add(&[-self.tenant]);
        self.switches.clear();
        self.move_in(inner);
        self
    }

    fn move_in(&mut self, inner: Box<[bool]>) {
        self.tenant = self.switch();
        self.told = vec![0; inner.len()].into();
        self.inner = inner;
        if self.inner.contains(&true) {
            let none = self.switch();
            self.switches.push(none);
            for (hole, _) in self.shape.holes.iter().zip(&self.inner).filter(|(_, inner)| **inner) {
                self.solver.add(&[-none, -self.tenant, -hole.active]);
            }
        }
    }

    fn switch(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    /// The switch for lemmas of this level and more.
    fn level_switch(&mut self, level: Level) -> i32 {
        let place = level as usize + 1;
        while self.switches.len() <= place {
            let next = self.switch();
            if let Some(&last) = self.switches.last() {
                self.solver.add(&[-last, next]);
            }
            self.switches.push(next);
        }
        self.switches[place]
    }

    /// Tells the news of the predicate called in a hole.
    pub(super) fn tell(&mut self, hole: usize, callee: &Summary) {
        for place in self.told[hole]..callee.news.len() {
            let Lemma { cube, level, .. } = &callee.news[place];
            let switch = match *level {
                ANY => None,
                _ if !self.inner[hole] => continue,
                level => Some(self.level_switch(level)),
            };
            self.exclude(hole, cube, switch);
        }
        self.told[hole] = callee.news.len();
    }

    /// The hole does not ask for a point of the cube (if a switch is on).
    fn exclude(&mut self, hole: usize, cube: &Cube, switch: Option<i32>) {
        let hole = &self.shape.holes[hole];
        let mut clause = vec![-self.tenant, -hole.active];
        clause.extend(switch.map(|switch| -switch));
        clause.extend(cube.literals().map(|(index, value)| signed(hole.arguments[index], !value)));
        self.solver.add(&clause);
    }

    /// A switch for the assumption that some holes ask for no point of some cubes. It is the only one of its
    /// kind: those before it are off for ever. (Otherwise the solver would decide each of them in every query.)
    pub(super) fn suppose(&mut self, holes: &[usize], cubes: &[Cube]) -> i32 {
        if let Some(last) = self.last.take() {
            self.solver.add(&[-last]);
        }
        let temporary = self.switch();
        self.temporary += 1;
        self.last = Some(temporary);
        for &hole in holes {
            cubes.iter().for_each(|cube| self.exclude(hole, cube, Some(temporary)));
        }
        temporary
    }

    /// Can a point of the cube be derived, as far as is known, if what is supposed is true?
    pub(super) fn ask(
        &mut self,
        cube: &Cube,
        level: Level,
        supposed: Option<i32>,
        fixed: &[(usize, Point)],
    ) -> Result<Answer, Reason> {
        let mut assumptions: Vec<i32> = Vec::with_capacity(cube.len() + 2);
        let switch = match level {
            ANY => None,
            _ if self.switches.is_empty() => None,
            0 => Some(self.switches[0]),
            _ => Some(self.level_switch(level - 1)),
        };
        assumptions.push(self.tenant);
        assumptions.extend(switch);
        assumptions.extend(supposed);
        for (hole, point) in fixed {
            let hole = &self.shape.holes[*hole];
            assumptions.push(hole.active);
            assumptions.extend(hole.arguments.iter().enumerate().map(|(index, &a)| signed(a, point.get(index))));
        }
        assumptions.extend(cube.literals().map(|(index, value)| signed(self.shape.arguments[index], value)));
        if self.solver.solve(&assumptions)? {
            return Ok(Answer::Yes);
        }
        let needed = |(index, value): &(usize, bool)| self.solver.failed(signed(self.shape.arguments[*index], *value));
        let core = Cube::new(cube.literals().filter(needed));
        Ok(Answer::No(core, switch.is_some_and(|switch| self.solver.failed(switch))))
    }

    /// Conflicts of its solver so far.
    pub(super) fn conflicts(&self) -> u64 {
        self.solver.conflicts()
    }

    /// The arguments in the model.
    pub(super) fn point(&self) -> Point {
        Point::new(self.shape.arguments.iter().map(|&argument| self.solver.value(argument)))
    }

    /// The active holes in the model, with what they ask for.
    pub(super) fn requests(&self) -> Vec<(usize, Point)> {
        let active = self.shape.holes.iter().enumerate().filter(|(_, hole)| self.solver.value(hole.active));
        active.map(|(index, hole)| (index, Point::new(hole.arguments.iter().map(|&a| self.solver.value(a))))).collect()
    }

    /// The inputs in the model, by number.
    pub(super) fn inputs(&self) -> Point {
        let mut values = vec![false; self.shape.input_count as usize];
        for &(number, literal) in &self.shape.inputs {
            values[number as usize] = self.solver.value(literal);
        }
        Point::new(values.into_iter())
    }
}

fn signed(literal: i32, value: bool) -> i32 {
    if value { literal } else { -literal }
}

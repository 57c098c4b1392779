//! A second opinion on runs: what a language means on stacks, written for clarity and not for speed.
//!
//! A [`Semantics`] lists all successors of a stack of activations. A flat run is a path of stacks. A
//! [`Sketch`] is the same run as a graph of fragments, easy to change; [`fold`] makes it from a path,
//! [`expand`] gives the path back, and [`Sketch::run`] is what replay reads. So replay accepts a
//! sketch if and only if what it expands to is a path.

use epitome::model::{Fragment, FragmentId, Place, Run, SourceRun};
use epitome::syntax::{Expr, Exprs, Op, Var};

/// One activation: where it is and the values of all variables in its scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub procedure: u32,
    pub place: Place,
    pub state: Vec<bool>,
}

/// What a program means.
pub trait Semantics {
    /// Every way to start.
    fn initial(&self) -> Vec<Frame>;
    /// Every stack that one step leads to.
    fn successors(&self, stack: &[Frame]) -> Vec<Vec<Frame>>;
    /// How many variables a procedure has in scope.
    fn scope(&self, procedure: u32) -> Option<usize>;
    /// Places to try in mutations.
    fn places(&self) -> Vec<Place>;
}

/// All valuations of so many variables.
pub fn valuations(variables: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1u64 << variables).map(move |word| (0..variables).map(|bit| word >> bit & 1 == 1).collect())
}

/// Every list of values that a list of expressions can have: all choices are tried.
pub fn outcomes(exprs: &Exprs, list: &[Expr], leaf: impl Fn(Var, bool) -> bool) -> Vec<Vec<bool>> {
    let is_choice = |op: &&Op| matches!(op, Op::Choice(_) | Op::Choose);
    let choices = list.iter().map(|&expr| exprs.ops(expr).iter().filter(is_choice).count()).sum();
    let mut found = Vec::new();
    for choices in valuations(choices) {
        let mut choices = choices.into_iter();
        let values: Vec<bool> = list.iter().map(|&e| evaluate(exprs.ops(e), &leaf, &mut choices)).collect();
        if !found.contains(&values) {
            found.push(values);
        }
    }
    found
}

fn evaluate(ops: &[Op], leaf: &impl Fn(Var, bool) -> bool, choices: &mut impl Iterator<Item = bool>) -> bool {
    let mut stack: Vec<bool> = Vec::new();
    for &op in ops {
        let value = match op {
            Op::Const(value) => value,
            Op::Choice(_) => choices.next().unwrap(),
            Op::Var(var) => leaf(var, false),
            Op::Next(var) => leaf(var, true),
            Op::Not => !stack.pop().unwrap(),
            Op::Binary(binary) => {
                let right = stack.pop().unwrap();
                binary.apply(stack.pop().unwrap(), right)
            }
            Op::Choose => {
                let (choice, zero, one) = (choices.next().unwrap(), stack.pop().unwrap(), stack.pop().unwrap());
                one || !zero && choice
            }
        };
        stack.push(value);
    }
    stack.pop().unwrap()
}

/// The index of a variable in a state.
pub fn slot(globals: usize, var: Var) -> usize {
    match var {
        Var::Global(index) => index as usize,
        Var::Local(index) => globals + index as usize,
    }
}

/// A fragment, easy to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub procedure: u32,
    pub steps: Vec<(Place, Vec<bool>, Option<usize>)>,
}

/// A run, easy to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    pub parts: Vec<Part>,
}

impl Sketch {
    /// The run that replay reads.
    pub fn run(&self) -> SourceRun {
        let fragments = self.parts.iter().map(|part| {
            let variables = part.steps.first().map_or(0, |step| step.1.len());
            let mut fragment = Fragment::new(part.procedure, variables);
            for (place, state, inside) in &part.steps {
                fragment.push(*place, &pack(state), inside.map(|id| FragmentId(id as u32)));
            }
            fragment
        });
        Run { fragments: fragments.collect() }
    }
}

fn pack(state: &[bool]) -> Vec<u64> {
    state.chunks(64).map(|chunk| chunk.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit))).collect()
}

/// A path of stacks as a graph: equal insides are shared.
pub fn fold(path: &[Vec<Frame>]) -> Sketch {
    let mut done: Vec<Part> = Vec::new();
    let mut open: Vec<Part> = Vec::new();
    for stack in path {
        while open.len() > stack.len() {
            close(&mut open, &mut done);
        }
        let frame = stack.last().unwrap();
        if open.len() < stack.len() {
            open.push(Part { procedure: frame.procedure, steps: Vec::new() });
        }
        open.last_mut().unwrap().steps.push((frame.place, frame.state.clone(), None));
    }
    while open.len() > 1 {
        close(&mut open, &mut done);
    }
    done.append(&mut open);
    Sketch { parts: done }
}

fn close(open: &mut Vec<Part>, done: &mut Vec<Part>) {
    let part = open.pop().unwrap();
    let id = done.iter().position(|known| *known == part).unwrap_or_else(|| {
        done.push(part);
        done.len() - 1
    });
    open.last_mut().unwrap().steps.last_mut().unwrap().2 = Some(id);
}

/// The path of stacks that a sketch stands for, if it stands for one at all.
pub fn expand(semantics: &impl Semantics, sketch: &Sketch) -> Option<Vec<Vec<Frame>>> {
    let ordered = |(index, part): (usize, &Part)| part.steps.iter().all(|step| step.2.is_none_or(|id| id < index));
    if !sketch.parts.iter().enumerate().all(ordered) {
        return None;
    }
    let mut path = Vec::new();
    expand_part(semantics, sketch, sketch.parts.len().checked_sub(1)?, &mut Vec::new(), &mut path)?;
    Some(path)
}

fn expand_part(
    semantics: &impl Semantics,
    sketch: &Sketch,
    index: usize,
    stack: &mut Vec<Frame>,
    path: &mut Vec<Vec<Frame>>,
) -> Option<()> {
    let part = &sketch.parts[index];
    let scope = semantics.scope(part.procedure)?;
    part.steps.first()?;
    for (place, state, inside) in &part.steps {
        if state.iter().skip(scope).any(|&extra| extra) {
            return None;
        }
        let mut state = state.clone();
        state.resize(scope, false);
        stack.push(Frame { procedure: part.procedure, place: *place, state });
        path.push(stack.clone());
        if let Some(inside) = *inside {
            expand_part(semantics, sketch, inside, stack, path)?;
        }
        stack.pop();
    }
    Some(())
}

/// The path starts as the program does and each stack is a successor of the one before.
pub fn is_path(semantics: &impl Semantics, path: &[Vec<Frame>]) -> bool {
    let starts = path[0].len() == 1 && semantics.initial().contains(&path[0][0]);
    starts && path.windows(2).all(|pair| semantics.successors(&pair[0]).contains(&pair[1]))
}

/// A small generator of random numbers (splitmix64), so that a seed names a run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// A random path of at most so many stacks. Deep stacks are left rather than deepened.
pub fn random_path(semantics: &impl Semantics, random: &mut Random, length: usize) -> Vec<Vec<Frame>> {
    let initial = semantics.initial();
    let mut path = vec![vec![initial[random.below(initial.len())].clone()]];
    while path.len() < length {
        let stack = path.last().unwrap();
        let mut successors = semantics.successors(stack);
        if stack.len() >= 4 {
            successors.retain(|next| next.len() <= 4);
        }
        if successors.is_empty() {
            break;
        }
        let chosen = random.below(successors.len());
        path.push(successors.swap_remove(chosen));
    }
    path
}

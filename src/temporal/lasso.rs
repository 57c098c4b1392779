//! Lassos: infinite runs that repeat themselves, and the way back to them from the runs that answer a
//! [`Question`].

use super::question::{Growth, Question};
use crate::model::{Fragment, FragmentId, NodeId, Run, SourceMap, Vertex};
use crate::model::{Place, SourceRun};

/// A run that goes on for ever, as the run until it begins to repeat itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso<P> {
    /// The run, once through what is repeated.
    pub run: Run<P>,
    /// How it goes on.
    pub again: Again,
}

/// How a run repeats itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It stays in its last state, from which no step leads.
    Stays,
    /// Its last place and state are those of this step of the same activation, the innermost one.
    Loops {
        /// The step.
        step: usize,
    },
    /// The call at its last place begins as this activation did, one of those that are never left.
    Grows {
        /// The fragment of the activation.
        activation: FragmentId,
    },
}

/// A lasso in source terms.
pub type SourceLasso = Lasso<Place>;

impl Lasso<Vertex> {
    /// The lasso in source terms.
    pub fn lift(&self, map: &SourceMap) -> SourceLasso {
        let again = match self.again {
            Again::Loops { step } => {
                let (innermost, _) = self.run.last();
                let fragment = self.run.fragment(innermost);
                let kept = (0..step).filter(|&step| map.place_of(fragment.procedure, *fragment.place(step)).is_some());
                Again::Loops { step: kept.count() }
            }
            again => again,
        };
        Lasso { run: map.lift(&self.run), again }
    }
}

/// Where a run of the question guessed: the fragment, and the step after the guess.
struct Guess {
    fragment: usize,
    step: usize,
}

impl Question<'_> {
    /// The lasso of the original machine that a run of the question stands for; nothing if it stands for none, which is a
    /// mistake of whoever made the run.
    pub fn lasso(&self, run: &Run<Vertex>) -> Option<Lasso<Vertex>> {
        let guess = self.guess(run)?;
        let above = &self.product.above;
        let stays = match run.fragments[guess.fragment].place(guess.step) {
            Vertex::Node(node) => {
                above.procedures[run.fragments[guess.fragment].procedure as usize].stuck == Some(*node)
            }
            Vertex::Call(..) | Vertex::Return(..) => false,
        };
        let (innermost, _) = run.last();
        let mut first = 0;
        let mut fragments: Vec<Fragment<Vertex>> = Vec::with_capacity(run.fragments.len());
        for (index, fragment) in run.fragments.iter().enumerate() {
            let guessed = (index == guess.fragment).then_some(guess.step);
            let (back, start) = self.back(fragment, guessed);
            if guessed.is_some() {
                first = start;
            }
            fragments.push(back);
        }
        let again = match (stays, self.growth) {
            (true, _) => Again::Stays,
            (false, Growth::Bounded) => Again::Loops { step: first },
            (false, Growth::Unbounded) => {
                // The entry that comes back belongs to the next round.
                let run = Run { fragments }.without(innermost)?;
                let activation = FragmentId(guess.fragment as u32 - u32::from(guess.fragment > innermost.index()));
                return Some(Lasso { run, again: Again::Grows { activation } });
            }
        };
        Some(Lasso { run: Run { fragments }, again })
    }

    /// The guess is on the way to the innermost place.
    fn guess(&self, run: &Run<Vertex>) -> Option<Guess> {
        let mut id = run.top();
        loop {
            let fragment = run.fragment(id);
            let is_guessed = |&step: &usize| fragment.bit(step, self.guessed as usize);
            if let Some(step) = (0..fragment.len()).find(is_guessed) {
                // A fragment that begins after the guess is above it.
                return (step > 0).then_some(Guess { fragment: id.index(), step });
            }
            id = fragment.inside(fragment.len() - 1)?;
        }
    }

    /// A fragment of the original machine, and the number that the step after the guess has in it.
    fn back(&self, fragment: &Fragment<Vertex>, guessed: Option<usize>) -> (Fragment<Vertex>, usize) {
        let above = &self.product.above;
        let own = &above.procedures[fragment.procedure as usize];
        let globals = above.globals;
        let mut back = Fragment::new(own.procedure.0, globals + own.locals);
        let mut start = 0;
        let mut state = vec![0u64; back.width()];
        for step in 0..fragment.len() {
            if Some(step) == guessed {
                start = back.len();
            }
            let next = (step + 1 < fragment.len()).then(|| *fragment.place(step + 1));
            // Of the two states around the guess the second is kept.
            if guessed == Some(step + 1) {
                continue;
            }
            let vertex = match *fragment.place(step) {
                Vertex::Node(node) => match own.vertex(node) {
                    // In front of a call there is the call.
                    Some(Vertex::Call(..)) if matches!(next, Some(Vertex::Call(..))) => continue,
                    Some(vertex) => vertex,
                    None => continue,
                },
                port => port,
            };
            state.fill(0);
            let mut set = |bit: usize, value: bool| state[bit / 64] |= u64::from(value) << (bit % 64);
            (0..globals).for_each(|global| set(global, fragment.bit(step, global)));
            let first = self.ersm.globals.len();
            (0..own.locals).for_each(|local| set(globals + local, fragment.bit(step, first + local)));
            back.push(vertex, &state, fragment.inside(step));
        }
        (back, start)
    }
}

impl super::product::ProcedureAbove {
    /// What a node was; nothing if there was no such node.
    fn vertex(&self, node: NodeId) -> Option<Vertex> {
        if node.index() < self.nodes {
            return Some(Vertex::Node(node));
        }
        self.calls.iter().find(|(own, _)| *own == node).map(|(_, call)| *call)
    }
}

/// Activations of a lasso that grows which each round adds to the stack.
pub fn growth(run: &SourceRun, activation: FragmentId) -> usize {
    let mut id = run.top();
    let mut calls = 0;
    let mut counts = false;
    loop {
        counts |= id == activation;
        calls += usize::from(counts);
        let fragment = run.fragment(id);
        match fragment.inside(fragment.len() - 1) {
            Some(inside) => id = inside,
            None => return calls,
        }
    }
}

//! What engines get: the machine that the reductions leave for a question, and its class, by which the plan is made.
//!
//! The class of the program as written says what its author has to expect; engines never see that program. So
//! plans are made by the class of what is left. It is measured before values are forgotten and globals
//! hidden, which change no class but for that what is forgotten is chosen.

use super::{Checker, Engine};
use crate::classify::{Class, classify};
use crate::engine::expand::Algorithm;
use crate::engine::tabulate::Method;
use crate::logic::Query;
use crate::model::{Goal, NodeSet};
use crate::reduce::{Reduced, Reduction, Reductions, reduce, reduce_and_look};

/// The question that is asked of a program where nobody asks another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usual {
    /// Whether an assertion can fail or a label `ERROR` be reached.
    Failures,
    /// Which labels, or nodes of machines, can be reached: the program has nothing that fails.
    Labels,
    /// It has no labels either.
    Nothing,
}

/// What is left of a program for the usual question.
#[derive(Clone, Debug)]
pub struct Leftover {
    /// The question.
    pub question: Usual,
    /// The class of what is left.
    pub class: Class,
}

impl Checker<'_> {
    /// What is left of the program for the usual question. (Without any question, all of it.)
    pub fn leftover(&self) -> Leftover {
        let failures = self.goal(&Query::Failures);
        let mut labels = NodeSet::new(&self.ersm);
        self.ersm.places.iter().for_each(|place| _ = labels.insert(place.procedure, place.node));
        let (question, goal) = match (failures.targets.is_empty(), labels.is_empty()) {
            (false, _) => (Usual::Failures, failures),
            (true, false) => (Usual::Labels, Goal { targets: labels, calls: Vec::new(), all: true }),
            (true, true) => return Leftover { question: Usual::Nothing, class: self.class().clone() },
        };
        let forgetting = Reductions::none().with(Reduction::Live).with(Reduction::ModRef);
        let left = reduce(&self.ersm, &goal, self.reductions.difference(forgetting));
        Leftover { question, class: classify(left.ersm(), self.bounds) }
    }

    /// What is left of the model and the goal, and its class, if the engine goes by it.
    pub(super) fn prepare<'g>(&'g self, engine: Engine, goal: &'g Goal) -> (Reduced<'g>, Option<Class>) {
        if !matches!(engine, Engine::Auto | Engine::Expand(None | Some(Algorithm::Table))) {
            return (self.reduce(engine, goal), None);
        }
        let mut class = None;
        let look = |ersm: &_| class = Some(classify(ersm, self.bounds));
        let reduced = reduce_and_look(&self.ersm, goal, self.reductions_for(engine), look);
        (reduced, class)
    }

    /// What is left of the model and the goal.
    pub(super) fn reduce<'g>(&'g self, engine: Engine, goal: &'g Goal) -> Reduced<'g> {
        reduce(&self.ersm, goal, self.reductions_for(engine))
    }

    /// Steps of a compacted machine are not steps of the source, so who wants the shortest run does without.
    fn reductions_for(&self, engine: Engine) -> Reductions {
        match engine {
            Engine::Expand(Some(Algorithm::Shortest)) => self.reductions.without(Reduction::Compact),
            Engine::Tabulate(options) if options.method == Method::Shortest => {
                self.reductions.without(Reduction::Compact)
            }
            // MOD/REF changes nothing: it tells what is so.
            Engine::Prove(_) => self.reductions.difference(Reductions::all().without(Reduction::ModRef)),
            Engine::Auto | Engine::Expand(_) | Engine::Tabulate(_) | Engine::Summarize(_) | Engine::Quantify(_) => {
                self.reductions
            }
        }
    }
}

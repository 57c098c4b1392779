//! A module as a graph of configurations, on the fly: states with the whole stack of calls below them, and what the environment chooses between. Recursion is followed
//! down to a depth.

use super::super::offers::{From, Offers};
use super::super::structure::{Structure, Target};
use crate::limits::Reason;
use rustc_hash::FxHashMap;

/// Calls inside of each other that are followed.
const DEEPEST: u32 = 200;

/// A configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Configuration {
    state: u32,
    /// The stack: 0 is empty.
    stack: u32,
}

/// Configurations found so far.
pub(super) struct Flat<'s> {
    structure: &'s Structure,
    offers: &'s Offers,
    all: Vec<Configuration>,
    numbers: FxHashMap<Configuration, u32>,
    /// By stack but the empty one: the call on top, the stack below it, and how many calls it has.
    stacks: Vec<(u32, u32, u32)>,
    stack_numbers: FxHashMap<(u32, u32), u32>,
    /// By configuration: its offers, if they are known.
    known: Vec<Option<Vec<Vec<u32>>>>,
}

impl<'s> Flat<'s> {
    pub(super) fn new(structure: &'s Structure, offers: &'s Offers) -> Flat<'s> {
        Flat {
            structure,
            offers,
            all: Vec::new(),
            numbers: FxHashMap::default(),
            stacks: Vec::new(),
            stack_numbers: FxHashMap::default(),
            known: Vec::new(),
        }
    }

    /// The configuration of a state without calls below.
    pub(super) fn start(&mut self, state: u32) -> u32 {
        self.number(Configuration { state, stack: 0 })
    }

    /// The state of a configuration.
    pub(super) fn state(&self, configuration: u32) -> u32 {
        self.all[configuration as usize].state
    }

    /// The structure that they belong to.
    pub(super) fn structure(&self) -> &'s Structure {
        self.structure
    }

    /// The offers in a state that is no exit of a call, if there is more than one.
    pub(super) fn offers_of(&self, state: u32) -> Option<&'s [Box<[Target]>]> {
        self.offers.at(From::State(state))
    }

    /// How many there are so far.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    fn number(&mut self, configuration: Configuration) -> u32 {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(configuration).or_insert(next);
        if number == next {
            self.all.push(configuration);
            self.known.push(None);
        }
        number
    }

    /// What the environment chooses between: sets of successors, each ordered. Who cannot go on stays.
    pub(super) fn offers(&mut self, configuration: u32) -> Result<Vec<Vec<u32>>, Reason> {
        if let Some(known) = &self.known[configuration as usize] {
            return Ok(known.clone());
        }
        let Configuration { state, stack } = self.all[configuration as usize];
        let structure = self.structure;
        let is_exit = structure.states[state as usize].is_exit;
        let below = stack.checked_sub(1).filter(|_| is_exit).map(|stack| self.stacks[stack as usize]);
        let (from, all, stack): (From, &[Target], u32) = match below {
            Some((call, stack, _)) => {
                let returns = &structure.calls[call as usize].returns;
                let place = returns.binary_search_by_key(&state, |(exit, _)| *exit);
                (From::Exit(call, state), place.map_or(&[], |place| &returns[place].1), stack)
            }
            None => (From::State(state), &structure.next[state as usize], stack),
        };
        let offers: Vec<Vec<u32>> = match self.offers.at(from) {
            Some(offers) => offers.iter().map(|offer| self.targets(offer, stack)).collect::<Result<_, Reason>>()?,
            None if all.is_empty() => vec![vec![configuration]],
            None => vec![self.targets(all, stack)?],
        };
        self.known[configuration as usize] = Some(offers.clone());
        Ok(offers)
    }

    fn targets(&mut self, targets: &[Target], stack: u32) -> Result<Vec<u32>, Reason> {
        let depth = stack.checked_sub(1).map_or(0, |stack| self.stacks[stack as usize].2);
        let mut numbers = Vec::with_capacity(targets.len());
        for &target in targets {
            numbers.push(match target {
                Target::State(state) => self.number(Configuration { state, stack }),
                Target::Call(call) => {
                    if depth == DEEPEST {
                        return Err(Reason::NotSupported(format!(
                            "calls deeper than {DEEPEST} in open systems, but for EF p, AG EF p and formulas without E"
                        )));
                    }
                    let next = self.stacks.len() as u32 + 1;
                    let inner = *self.stack_numbers.entry((call, stack)).or_insert(next);
                    if inner == next {
                        self.stacks.push((call, stack, depth + 1));
                    }
                    let state = self.structure.calls[call as usize].entry;
                    self.number(Configuration { state, stack: inner })
                }
            });
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }
}

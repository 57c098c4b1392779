//! Possibly, against every environment: the least fixpoint of Theorem 5.3, with summaries.
//!
//! A state is *safe* if every tree that an environment leaves of the module contains a goal: it is a goal, or every offer of the environment contains
//! a safe successor. For the stack below only matters which exits are safe, and the more are, the better: so a state has a monotone function of exits, a call has
//! the function of its entry with what follows its returns in the place of exits, and all are one least fixpoint, recursion or not. A
//! component with one exit has three functions, so that every value changes at most twice and the time is linear.

use super::super::offers::{From, Offers};
use super::super::structure::{Structure, Target};
use super::when::When;
use crate::limits::{Limits, Reason};
use std::collections::VecDeque;

/// Looks at the limits every so many steps.
const INTERVAL: usize = 4096;

/// When states and calls are safe.
pub(super) struct Possible<'s> {
    structure: &'s Structure,
    offers: &'s Offers,
    /// By state and call.
    when: Vec<When>,
    /// By state: an offer that is as good as all, or was when it was looked at last.
    least_offer: Vec<u32>,
}

impl<'s> Possible<'s> {
    /// Solves the fixpoint; `is_goal` tells the goals.
    pub(super) fn new(
        structure: &'s Structure,
        offers: &'s Offers,
        is_goal: impl Fn(u32) -> bool,
        limits: &Limits,
    ) -> Result<Possible<'s>, Reason> {
        let (states, vertices) = (structure.states.len(), structure.vertices());
        let mut possible =
            Possible { structure, offers, when: vec![When::never(); vertices], least_offer: vec![0; states] };
        let users = possible.users();
        let mut changed = VecDeque::new();
        for state in 0..states as u32 {
            let when = match (is_goal(state), structure.states[state as usize].is_exit) {
                (true, _) => When::always(),
                (false, true) => When::at(state),
                (false, false) => continue,
            };
            possible.when[state as usize] = when;
            changed.push_back(state);
        }
        let mut work = 0usize;
        while let Some(vertex) = changed.pop_front() {
            for &user in &users[vertex as usize] {
                work += 1;
                if work.is_multiple_of(INTERVAL) {
                    limits.check(vertices * 64)?;
                }
                if let Some(when) = possible.again(user, vertex)? {
                    possible.when[user as usize] = when;
                    changed.push_back(user);
                }
            }
        }
        Ok(possible)
    }

    /// By vertex: those whose functions depend on its function.
    fn users(&self) -> Vec<Vec<u32>> {
        let structure = self.structure;
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); structure.vertices()];
        for (state, next) in (0..).zip(&structure.next) {
            next.iter().for_each(|&target| users[structure.vertex(target)].push(state));
        }
        for (call, at) in structure.calls.iter().zip(structure.states.len() as u32..) {
            users[call.entry as usize].push(at);
            for &target in call.returns.iter().flat_map(|(_, targets)| targets) {
                users[structure.vertex(target)].push(at);
            }
        }
        users
    }

    /// The function of a vertex, if it is another one now that the function of a vertex that it depends on has changed.
    fn again(&mut self, user: u32, changed: u32) -> Result<Option<When>, Reason> {
        let old = &self.when[user as usize];
        if old.is_always() {
            return Ok(None);
        }
        let new = match (user as usize).checked_sub(self.structure.states.len()) {
            Some(call) => self.call(call as u32)?,
            None if self.structure.states[user as usize].is_exit => return Ok(None),
            None => match self.offers.at(From::State(user)) {
                None => old.or(&self.when[changed as usize])?,
                Some(offers) => {
                    // All offers are not better than the least one.
                    if self.any(&offers[self.least_offer[user as usize] as usize])? == *old {
                        return Ok(None);
                    }
                    let mut all = When::always();
                    let mut least = 0;
                    for (number, offer) in (0..).zip(offers) {
                        let own = self.any(offer)?;
                        let both = all.and(&own)?;
                        if both == own {
                            least = number;
                        }
                        all = both;
                        if all.is_never() {
                            break;
                        }
                    }
                    self.least_offer[user as usize] = least;
                    all
                }
            },
        };
        Ok((new != self.when[user as usize]).then_some(new))
    }

    fn call(&self, call: u32) -> Result<When, Reason> {
        let entry = self.structure.calls[call as usize].entry;
        self.when[entry as usize].substitute(|exit| self.returned(call, exit))
    }

    /// When the step out of an exit, back to a call, is safe.
    pub(super) fn returned(&self, call: u32, exit: u32) -> Result<When, Reason> {
        let returns = &self.structure.calls[call as usize].returns;
        let Ok(place) = returns.binary_search_by_key(&exit, |(exit, _)| *exit) else { return Ok(When::never()) };
        match self.offers.at(From::Exit(call, exit)) {
            None => self.any(&returns[place].1),
            Some(offers) => {
                let mut all = When::always();
                for offer in offers {
                    all = all.and(&self.any(offer)?)?;
                }
                Ok(all)
            }
        }
    }

    fn any(&self, targets: &[Target]) -> Result<When, Reason> {
        let mut any = When::never();
        for &target in targets {
            any = any.or(self.of(target))?;
            if any.is_always() {
                break;
            }
        }
        Ok(any)
    }

    /// When a state or call is safe.
    pub(super) fn of(&self, target: Target) -> &When {
        &self.when[self.structure.vertex(target)]
    }
}

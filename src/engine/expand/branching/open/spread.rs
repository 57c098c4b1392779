//! How threads go on from a node: which offers the environment leaves, and which child it sends each thread to.
//!
//! An offer is left if a thread goes there, and if none goes anywhere, one is left. Threads that watch all runs go to every child that is left. What [`Foresight`] knows to
//! be impossible is left out, and of children that are alike, and have no thread yet, the first is taken.

use super::foresight::{Foresight, merged};
use super::tableau::{Thread, Way, too_many_ways};
use super::watch::Steps;
use crate::limits::{Limits, Reason};

/// Ways to send threads to children at one node.
const MOST_MOVES: usize = 100_000;

/// By child that is left, the threads that are sent there alone.
pub(super) type Sent = Vec<(u32, Steps)>;

/// What can be chosen: an offer, and a child in it.
type Choice = (usize, u32);

/// All ways to leave offers and to send threads to children.
pub(super) fn spread(
    way: &Way,
    offers: &[Vec<u32>],
    foresight: &mut Foresight<'_, '_>,
    limits: &Limits,
) -> Result<Vec<Sent>, Reason> {
    let mut targets: Vec<Thread> = way.some.iter().map(|(_, thread)| *thread).collect();
    targets.sort_unstable();
    targets.dedup();
    let everywhere: Vec<Thread> = way.all.iter().map(|(_, thread)| *thread).collect();
    let choices: Vec<Choice> =
        offers.iter().enumerate().flat_map(|(number, offer)| offer.iter().map(move |&child| (number, child))).collect();
    let is_simple = offers.len() == 1 || offers.iter().all(|offer| offer.len() == 1);
    let mut partial: Vec<Vec<Choice>> = vec![Vec::new()];
    for (at, &thread) in targets.iter().enumerate() {
        let mut longer = Vec::new();
        for own in partial {
            limits.check(longer.len() * 32)?;
            for (number, &choice) in choices.iter().enumerate() {
                let is_new = |choice: &Choice| !own.contains(choice);
                let has_twin = |other: &Choice| is_new(other) && foresight.are_alike(other.1, choice.1);
                if is_simple && is_new(&choice) && choices[..number].iter().any(has_twin) {
                    continue;
                }
                let there = (0..at).filter(|&other| own[other].1 == choice.1).map(|other| targets[other]);
                let there: Vec<Thread> = there.chain([thread]).collect();
                if foresight.is_possible(choice.1, merged(&everywhere, &there).into())? {
                    longer.push([&own[..], &[choice]].concat());
                }
            }
            if longer.len() > MOST_MOVES {
                return Err(too_many_ways());
            }
        }
        partial = longer;
    }
    let mut all = Vec::new();
    for chosen in partial {
        let mut left: Vec<usize> = chosen.iter().map(|choice| choice.0).collect();
        left.sort_unstable();
        left.dedup();
        let families: Vec<Vec<usize>> =
            if left.is_empty() { (0..offers.len()).map(|offer| vec![offer]).collect() } else { vec![left] };
        for family in families {
            let mut children: Vec<u32> = family.iter().flat_map(|&offer| offers[offer].iter().copied()).collect();
            children.sort_unstable();
            children.dedup();
            let here = |child: u32, thread: Thread| {
                let place = targets.iter().position(|&target| target == thread);
                place.is_some_and(|place| chosen[place].1 == child)
            };
            let mut is_possible = true;
            let mut sent: Sent = Vec::with_capacity(children.len());
            for child in children {
                let steps: Steps = way.some.iter().copied().filter(|(_, thread)| here(child, *thread)).collect();
                let own: Vec<Thread> = steps.iter().map(|(_, thread)| *thread).collect();
                is_possible = is_possible && foresight.is_possible(child, merged(&everywhere, &own).into())?;
                sent.push((child, steps));
            }
            if is_possible {
                all.push(sent);
            }
        }
    }
    Ok(all)
}

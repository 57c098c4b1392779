//! What the environment chooses between (Kupferman 2, where it is a set of successors for each state).
//!
//! An *offer* is a set of successors that the environment can leave the system with; it can also leave it with those of several offers. A state without
//! choices of the environment has one offer, all its successors; a state of the environment in the sense of the paper has an offer for each successor.

use super::structure::Target;
use crate::limits::Reason;
use rustc_hash::FxHashMap;

/// Offers at one state that are made of choices in several transitions.
const MOST_OFFERS: usize = 1024;

/// Where a step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum From {
    /// In this state.
    State(u32),
    /// In an exit, from which this call goes on.
    Exit(u32, u32),
}

/// The offers wherever the environment has a choice: elsewhere all successors are one offer.
#[derive(Clone, Debug, Default)]
pub(super) struct Offers {
    all: FxHashMap<From, Vec<Box<[Target]>>>,
}

impl Offers {
    /// Notes the offers of alternatives, each with its group: of every group some alternative is left.
    pub(super) fn insert(&mut self, from: From, alternatives: Vec<(u32, Vec<Target>)>) -> Result<(), Reason> {
        let mut families: Vec<(u32, Vec<Vec<Target>>)> = Vec::new();
        for (group, mut targets) in alternatives {
            targets.sort_unstable();
            targets.dedup();
            match families.iter_mut().find(|(other, _)| *other == group) {
                Some((_, family)) => family.push(targets),
                None => families.push((group, vec![targets])),
            }
        }
        let mut offers: Vec<Vec<Target>> = vec![Vec::new()];
        for (_, family) in families {
            if offers.len() > 1 && offers.len() * family.len() > MOST_OFFERS {
                let why = format!("more than {MOST_OFFERS} choices of the environment in one state");
                return Err(Reason::NotSupported(why));
            }
            let with = |offer: &Vec<Target>| family.iter().map(|own| union(offer, own)).collect::<Vec<_>>();
            offers = offers.iter().flat_map(with).collect();
            offers.sort_unstable();
            offers.dedup();
        }
        // Nobody may be left with nothing.
        offers.retain(|offer| !offer.is_empty());
        // What others make together is no choice of its own.
        let is_made = |offer: &Vec<Target>| {
            if offer.len() == 1 || offers.len() > MOST_OFFERS {
                return false;
            }
            let parts = offers.iter().filter(|other| *other != offer && other.iter().all(|t| offer.contains(t)));
            let made = parts.fold(Vec::new(), |all, part| union(&all, part));
            made == *offer
        };
        let own: Vec<Box<[Target]>> =
            offers.iter().filter(|offer| !is_made(offer)).map(|offer| offer.clone().into()).collect();
        if own.len() > 1 {
            self.all.insert(from, own);
        }
        Ok(())
    }

    /// The offers, if there is more than one.
    pub(super) fn at(&self, from: From) -> Option<&[Box<[Target]>]> {
        self.all.get(&from).map(Vec::as_slice)
    }
}

/// All of two ordered lists.
fn union(a: &[Target], b: &[Target]) -> Vec<Target> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

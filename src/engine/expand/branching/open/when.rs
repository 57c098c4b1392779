//! Monotone functions of exits: when something can be enforced, by what can be enforced at the exits.

use crate::limits::Reason;

/// More sets than this are given up on.
const MOST_SETS: usize = 1000;

/// The least sets of exits that are enough, in order; none contains another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct When(Vec<Box<[u32]>>);

impl When {
    pub(super) fn never() -> When {
        When(Vec::new())
    }

    pub(super) fn always() -> When {
        When(vec![Box::default()])
    }

    /// If it can be enforced at this exit.
    pub(super) fn at(exit: u32) -> When {
        When(vec![Box::new([exit])])
    }

    pub(super) fn is_never(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_always(&self) -> bool {
        self.0.first().is_some_and(|set| set.is_empty())
    }

    /// It can be enforced, if it can be at these exits, in order.
    pub(super) fn holds(&self, exits: &[u32]) -> bool {
        self.0.iter().any(|set| set.iter().all(|exit| exits.binary_search(exit).is_ok()))
    }

    pub(super) fn or(&self, other: &When) -> Result<When, Reason> {
        match (self.is_always() || other.is_never(), other.is_always() || self.is_never()) {
            (true, _) => Ok(self.clone()),
            (_, true) => Ok(other.clone()),
            _ => When::least(self.0.iter().chain(&other.0).cloned().collect()),
        }
    }

    pub(super) fn and(&self, other: &When) -> Result<When, Reason> {
        if self.is_never() || other.is_always() {
            return Ok(self.clone());
        }
        if other.is_never() || self.is_always() {
            return Ok(other.clone());
        }
        if self.0.len() * other.0.len() > MOST_SETS * MOST_SETS {
            return Err(too_many());
        }
        let both = |a: &[u32], b: &[u32]| {
            let mut all = [a, b].concat();
            all.sort_unstable();
            all.dedup();
            Box::from(all)
        };
        When::least(self.0.iter().flat_map(|a| other.0.iter().map(move |b| both(a, b))).collect())
    }

    /// With something else in the place of each exit.
    pub(super) fn substitute(&self, exit: impl Fn(u32) -> Result<When, Reason>) -> Result<When, Reason> {
        let mut all = When::never();
        for set in &self.0 {
            let mut own = When::always();
            for &part in set {
                own = own.and(&exit(part)?)?;
            }
            all = all.or(&own)?;
        }
        Ok(all)
    }

    fn least(mut sets: Vec<Box<[u32]>>) -> Result<When, Reason> {
        sets.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then(a.cmp(b)));
        sets.dedup();
        let mut least: Vec<Box<[u32]>> = Vec::new();
        for set in sets {
            let contains = |other: &[u32]| other.iter().all(|exit| set.binary_search(exit).is_ok());
            if !least.iter().any(|other| contains(other)) {
                least.push(set);
            }
        }
        if least.len() > MOST_SETS { Err(too_many()) } else { Ok(When(least)) }
    }
}

fn too_many() -> Reason {
    Reason::NotSupported(format!("a procedure whose exits matter in more than {MOST_SETS} ways to the environment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_of_functions() {
        let [a, b, c] = [1, 2, 3].map(When::at);
        let ab = a.and(&b).unwrap();
        assert_eq!(ab.or(&a).unwrap(), a, "absorption");
        assert_eq!(a.or(&b).unwrap().and(&a).unwrap(), a);
        let both = a.or(&b).unwrap().and(&c).unwrap();
        assert!(both.holds(&[2, 3]) && !both.holds(&[1, 2]) && !both.holds(&[3]));
        let replaced =
            both.substitute(|exit| Ok(if exit == 3 { When::always() } else { When::at(exit + 10) })).unwrap();
        assert_eq!(replaced, When::at(11).or(&When::at(12)).unwrap());
        assert!(When::never().and(&a).unwrap().is_never() && When::always().or(&a).unwrap().is_always());
    }
}

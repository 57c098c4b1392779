//! Runs, stored as directed acyclic graphs.
//!
//! A run can be exponentially longer than the program: N procedures that each call the next twice
//! make 2^N calls. So the inside of a call is a [`Fragment`] of its own, stored once for each
//! procedure, input and output, and steps refer to it. The same shape serves the model
//! (`Run<Vertex>`) and the source (`Run<Place>`); lifting maps the places and keeps the shape.

use rustc_hash::FxHashMap;

/// A fragment of a [`Run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FragmentId(pub u32);

impl FragmentId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A run: fragments, of which the last is the outermost. A fragment refers only to fragments before
/// it, so that increasing index visits the inside of a call before the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<P> {
    /// The fragments.
    pub fragments: Vec<Fragment<P>>,
}

/// A path through one activation of one procedure, from its entry. It ends at an exit, or, where the
/// run stops inside, at the place where it stops or at the call that is never left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fragment<P> {
    /// Index of the procedure.
    pub procedure: u32,
    places: Vec<P>,
    /// The fragment inside the step from this place to the next, plus one; 0 for a plain step.
    insides: Vec<u32>,
    /// Packed valuations of the scope, globals first: `width` words for each place.
    states: Vec<u64>,
    width: usize,
}

impl<P> Fragment<P> {
    /// An empty fragment of a procedure with `variables` variables in scope.
    pub fn new(procedure: u32, variables: usize) -> Fragment<P> {
        Fragment::with_capacity(procedure, variables.div_ceil(64), 0)
    }

    /// An empty fragment with valuations of this many words, and room for so many places.
    pub fn with_capacity(procedure: u32, width: usize, places: usize) -> Fragment<P> {
        Fragment {
            procedure,
            places: Vec::with_capacity(places),
            insides: Vec::with_capacity(places),
            states: Vec::with_capacity(places * width),
            width,
        }
    }

    /// Appends a place with the valuation at it.
    pub fn push(&mut self, place: P, state: &[u64], inside: Option<FragmentId>) {
        debug_assert_eq!(state.len(), self.width);
        self.places.push(place);
        self.insides.push(inside.map_or(0, |id| id.0 + 1));
        self.states.extend_from_slice(state);
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// No place at all.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Place number `step`.
    pub fn place(&self, step: usize) -> &P {
        &self.places[step]
    }

    /// The fragment that runs between this place and the next (or, after the last, for ever).
    pub fn inside(&self, step: usize) -> Option<FragmentId> {
        self.insides[step].checked_sub(1).map(FragmentId)
    }

    /// The packed valuation at a place.
    pub fn state(&self, step: usize) -> &[u64] {
        &self.states[step * self.width..(step + 1) * self.width]
    }

    /// Words of the valuation at each place.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Each place has a valuation of this width. It may not hold after a push of another width, which
    /// only debug builds refuse.
    pub fn is_packed(&self) -> bool {
        self.states.len() == self.places.len() * self.width
    }

    /// Gives a variable its last value from the first place on.
    pub fn keep(&mut self, bit: usize) {
        if let Some(last) = self.len().checked_sub(1) {
            let value = u64::from(self.bit(last, bit)) << (bit % 64);
            for step in 0..last {
                let word = &mut self.states[step * self.width + bit / 64];
                *word = *word & !(1 << (bit % 64)) | value;
            }
        }
    }

    /// The value of one variable at a place.
    pub fn bit(&self, step: usize, bit: usize) -> bool {
        self.states[step * self.width + bit / 64] >> (bit % 64) & 1 == 1
    }
}

impl<P> Run<P> {
    /// The outermost fragment.
    pub fn top(&self) -> FragmentId {
        FragmentId(self.fragments.len() as u32 - 1)
    }

    /// A fragment.
    pub fn fragment(&self, id: FragmentId) -> &Fragment<P> {
        &self.fragments[id.index()]
    }

    /// The innermost place of the run: follows calls that are never left.
    pub fn last(&self) -> (FragmentId, usize) {
        let mut id = self.top();
        loop {
            let fragment = self.fragment(id);
            let step = fragment.len() - 1;
            match fragment.inside(step) {
                Some(inside) => id = inside,
                None => return (id, step),
            }
        }
    }

    /// The run without the fragment where it ends: it ends at the call into it. Nothing if there is no such call.
    pub fn without(mut self, last: FragmentId) -> Option<Run<P>> {
        let is_caller = |fragment: &Fragment<P>| fragment.insides.last() == Some(&(last.0 + 1));
        let caller = self.fragments.iter_mut().find(|fragment| is_caller(fragment))?;
        *caller.insides.last_mut()? = 0;
        self.fragments.remove(last.index());
        for inside in self.fragments.iter_mut().flat_map(|fragment| &mut fragment.insides) {
            *inside -= u32::from(*inside > last.0 + 1);
        }
        Some(self)
    }

    /// The same run with equal fragments stored once, and by fragment which one it is. Those that the run does not leave stay apart.
    pub fn shared(mut self) -> (Run<P>, Vec<FragmentId>)
    where
        P: Clone + Eq + std::hash::Hash,
    {
        let mut is_open = vec![false; self.fragments.len()];
        let mut next = Some(self.top());
        while let Some(id) = next {
            is_open[id.index()] = true;
            let fragment = self.fragment(id);
            next = fragment.inside(fragment.len() - 1);
        }
        let mut known: FxHashMap<Fragment<P>, FragmentId> = FxHashMap::default();
        let (mut kept, mut numbers) = (Vec::new(), Vec::new());
        for (mut fragment, is_open) in std::mem::take(&mut self.fragments).into_iter().zip(is_open) {
            for inside in fragment.insides.iter_mut().filter(|inside| **inside > 0) {
                *inside = numbers.get(*inside as usize - 1).map_or(0, |number: &FragmentId| number.0 + 1);
            }
            let own = FragmentId(kept.len() as u32);
            let number = if is_open { own } else { *known.entry(fragment.clone()).or_insert(own) };
            if number == own {
                kept.push(fragment);
            }
            numbers.push(number);
        }
        (Run { fragments: kept }, numbers)
    }

    /// Places stored, each once.
    pub fn stored_steps(&self) -> usize {
        self.fragments.iter().map(Fragment::len).sum()
    }

    /// Places of the run that `counts`, with every call written out (infinite if beyond counting).
    pub fn full_length(&self, counts: impl Fn(u32, &P) -> bool) -> f64 {
        let mut lengths: Vec<f64> = Vec::with_capacity(self.fragments.len());
        for fragment in &self.fragments {
            let inside: f64 = (0..fragment.len()).filter_map(|s| fragment.inside(s)).map(|f| lengths[f.index()]).sum();
            let own = fragment.places.iter().filter(|place| counts(fragment.procedure, place)).count();
            lengths.push(own as f64 + inside);
        }
        lengths.last().copied().unwrap_or(0.0)
    }

    /// The same run over other places. `lift` gives the place above, or `None` for a place that the
    /// level above does not have; the call of such a place moves to the last place that is kept.
    pub fn lift<Q>(&self, mut lift: impl FnMut(u32, &P) -> Option<Q>) -> Run<Q> {
        let fragments = self.fragments.iter().map(|fragment| {
            let mut lifted = Fragment::with_capacity(fragment.procedure, fragment.width, fragment.len());
            for step in 0..fragment.len() {
                match lift(fragment.procedure, fragment.place(step)) {
                    Some(place) => lifted.push(place, fragment.state(step), fragment.inside(step)),
                    None => {
                        if let (Some(last), Some(inside)) = (lifted.insides.last_mut(), fragment.inside(step)) {
                            *last = inside.0 + 1;
                        }
                    }
                }
            }
            lifted
        });
        Run { fragments: fragments.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of 300 levels calls the one below twice.
    #[test]
    fn exponential_runs_stay_small() {
        let mut fragments = vec![Fragment::new(0, 1)];
        fragments[0].push('x', &[0], None);
        for level in 1..=300u32 {
            let mut fragment = Fragment::new(level, 1);
            let below = Some(FragmentId(level - 1));
            fragment.push('a', &[0], below);
            fragment.push('b', &[1], below);
            fragment.push('c', &[0], None);
            fragments.push(fragment);
        }
        let run = Run { fragments };
        assert_eq!(run.stored_steps(), 901);
        assert!(run.full_length(|_, _| true) > 2f64.powi(300));
        assert_eq!(run.last(), (FragmentId(300), 2));
    }
}

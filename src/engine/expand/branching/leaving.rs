//! By which exits positions can leave their activation (Alur-HSM 4.1: MAYBE): found backwards from the exits, calls being stepped over by
//! what their entries reach. Recursion makes this a fixpoint, over all positions at once.

use super::paths::{Begins, INTERVAL, Link, Over, Paths, Way};
use super::structure::Target;
use crate::limits::{Limits, Reason};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Finds the exits by which positions can leave.
pub(super) struct Leaving<'p, 's> {
    paths: &'p mut Paths<'s>,
    limits: &'p Limits,
    /// By vertex: the states that lead to it.
    before: Vec<Vec<u32>>,
    /// By state: the calls that enter it.
    callers: Vec<Vec<u32>>,
    /// By position: the positions of calls that it comes after, with the ways inside.
    after: FxHashMap<u32, Vec<(u32, Way)>>,
    news: VecDeque<Way>,
    /// Where ways are told, the shortest are found first (Knuth's generalization of Dijkstra's algorithm): how they may begin, and
    /// their lengths.
    maybe: Vec<(Way, Begins)>,
    shortest: BinaryHeap<Reverse<(u64, usize)>>,
}

impl<'p, 's> Leaving<'p, 's> {
    pub(super) fn new(paths: &'p mut Paths<'s>, limits: &'p Limits) -> Leaving<'p, 's> {
        let structure = paths.structure;
        let mut before = vec![Vec::new(); structure.vertices()];
        for (state, next) in structure.next.iter().enumerate() {
            next.iter().for_each(|&target| before[structure.vertex(target)].push(state as u32));
        }
        let mut callers = vec![Vec::new(); structure.states.len()];
        for (call, inside) in structure.calls.iter().enumerate() {
            callers[inside.entry as usize].push(call as u32);
        }
        Leaving {
            paths,
            limits,
            before,
            callers,
            after: FxHashMap::default(),
            news: VecDeque::new(),
            maybe: Vec::new(),
            shortest: BinaryHeap::new(),
        }
    }

    pub(super) fn saturate(mut self) -> Result<(), Reason> {
        let structure = self.paths.structure;
        for state in (0..structure.states.len() as u32).filter(|&state| structure.states[state as usize].is_exit) {
            for at in 0..self.paths.width as u32 {
                let reading = self.paths.reading(state);
                let is_open = !reading.next[at as usize].is_empty() || reading.forever[at as usize];
                if is_open && !reading.done[at as usize] {
                    let exit = self.paths.position(Target::State(state), at);
                    self.add(exit, exit, self.paths.accepting[at as usize], Begins::AtExit);
                }
            }
        }
        let mut work = 0;
        loop {
            while let Some(way) = self.news.pop_front() {
                work += 1;
                if work % INTERVAL == 0 {
                    self.limits.check(self.news.capacity() * 12 + self.shortest.capacity() * 16)?;
                }
                self.tell(way);
            }
            let Some(Reverse((length, index))) = self.shortest.pop() else { break };
            let (way, begins) = self.maybe[index];
            self.settle(way, begins, length);
        }
        Ok(())
    }

    fn add(&mut self, from: u32, exit: u32, passes: bool, begins: Begins) {
        let way = Way { from, exit, passes };
        if self.paths.ways.is_none() {
            self.settle(way, begins, 0);
        } else if !self.is_known(way) {
            let link = |link, then: Way| self.paths.length_of(link, then.from).saturating_add(self.paths.length(then));
            let length = match begins {
                Begins::AtExit => 0,
                Begins::Step(then) => link(Link::Step, then),
                Begins::Over { inside, then } => link(Link::Over(inside), then),
            };
            self.shortest.push(Reverse((length, self.maybe.len())));
            self.maybe.push((way, begins));
        }
    }

    /// A way as good is known.
    fn is_known(&self, way: Way) -> bool {
        let known = self.paths.leaves[way.from as usize].get(&way.exit);
        known.is_some_and(|&before| before || !way.passes)
    }

    fn settle(&mut self, way: Way, begins: Begins, length: u64) {
        if self.is_known(way) {
            return;
        }
        self.paths.leaves[way.from as usize].insert(way.exit, way.passes);
        if let Some(ways) = &mut self.paths.ways {
            ways.insert(way, (begins, length));
        }
        self.news.push_back(way);
    }

    fn tell(&mut self, way: Way) {
        let Way { from, exit, passes } = way;
        let (target, at) = self.paths.split(from);
        let vertex = self.paths.structure.vertex(target);
        for index in 0..self.before[vertex].len() {
            let state = self.before[vertex][index];
            for before in 0..self.paths.reading(state).before[at as usize].len() {
                let before = self.paths.reading(state).before[at as usize][before];
                let passes = passes || self.paths.accepting[before as usize];
                let before = self.paths.position(Target::State(state), before);
                self.add(before, exit, passes, Begins::Step(way));
            }
        }
        for index in 0..self.after.get(&from).map_or(0, Vec::len) {
            let (call, inside) = self.after[&from][index];
            self.add(call, exit, passes || inside.passes, Begins::Over { inside, then: way });
        }
        if let Target::State(state) = target {
            for index in 0..self.callers[state as usize].len() {
                self.step_over(self.callers[state as usize][index], at, way);
            }
        }
    }

    /// A call at a state of the automaton can be left.
    fn step_over(&mut self, call: u32, at: u32, inside: Way) {
        let from = self.paths.position(Target::Call(call), at);
        let (Target::State(state), left) = self.paths.split(inside.exit) else { return };
        let Way { exit, passes, .. } = inside;
        for &target in self.paths.targets(call, exit) {
            for index in 0..self.paths.reading(state).next[left as usize].len() {
                let to = self.paths.position(target, self.paths.reading(state).next[left as usize][index]);
                self.paths.over.entry(from).or_default().push(Over { to, passes, exit });
                self.after.entry(to).or_default().push((from, inside));
                let known: Vec<(u32, bool)> =
                    self.paths.leaves[to as usize].iter().map(|(&exit, &passes)| (exit, passes)).collect();
                for (exit, beyond) in known {
                    let then = Way { from: to, exit, passes: beyond };
                    self.add(from, exit, passes || beyond, Begins::Over { inside, then });
                }
            }
        }
    }
}

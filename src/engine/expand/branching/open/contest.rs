//! The prunings of a module against a formula, as a game (Kupferman, Theorem 3.1): the product of the automaton of all prunings with the tree automaton of the
//! negation, and its emptiness, on the fly.
//!
//! The environment builds a tree in which the formula does not hold: at every node it says how threads go on ([`Tableau`]), leaves some
//! offers, and sends threads to children. Its opponent goes to a child. The environment wins if on the branch that comes about all threads are content
//! ([`Watch`]). The game is solved again and again while it grows: if the environment wins though it gives up wherever the game is not known yet, or loses
//! though it is given that, the rest does not matter.

use super::foresight::Foresight;
use super::parity::{Position, Solution, solve};
use super::spread::spread;
use super::tableau::Tableau;
use super::watch::{Memory, Steps, Watch};
use crate::limits::{Limits, Reason};
use rustc_hash::{FxHashMap, FxHashSet};

/// The first size at which the game is solved.
const FIRST_SIZE: usize = 1000;

/// Nodes of a tree that is written down.
const LARGEST_TREE: u64 = 1_000_000;

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    configuration: u32,
    memory: Memory,
    /// The tree begins here.
    is_root: bool,
}

/// A game in the making.
pub(super) struct Contest<'c, 'f, 's> {
    foresight: &'c mut Foresight<'f, 's>,
    tableau: &'c Tableau<'c>,
    watch: Watch,
    /// By configuration and stage that is an atom: it holds.
    atom: &'c dyn Fn(u32, usize) -> bool,
    /// What is claimed of the root.
    root: (usize, bool),
    limits: &'c Limits,
    places: Vec<Place>,
    numbers: FxHashMap<Place, u32>,
    /// By place: sets of places that the environment can lead to, as far as that is known.
    moves: Vec<Vec<u32>>,
    sets: Vec<Vec<u32>>,
    set_numbers: FxHashMap<Vec<u32>, u32>,
    /// Places whose moves are out of reach.
    beyond: FxHashSet<u32>,
}

/// A tree that was found, folded up: by node its configuration and its children. The first is the root.
pub(super) struct Tree {
    pub(super) configurations: Vec<u32>,
    pub(super) children: Vec<Vec<u32>>,
}

impl<'c, 'f, 's> Contest<'c, 'f, 's> {
    pub(super) fn new(
        foresight: &'c mut Foresight<'f, 's>,
        tableau: &'c Tableau<'c>,
        atom: &'c dyn Fn(u32, usize) -> bool,
        root: (usize, bool),
        limits: &'c Limits,
    ) -> Contest<'c, 'f, 's> {
        let watch = Watch::new(tableau);
        Contest {
            foresight,
            tableau,
            watch,
            atom,
            root,
            limits,
            places: Vec::new(),
            numbers: FxHashMap::default(),
            moves: Vec::new(),
            sets: Vec::new(),
            set_numbers: FxHashMap::default(),
            beyond: FxHashSet::default(),
        }
    }

    /// How many places there are.
    pub(super) fn size(&self) -> usize {
        self.places.len()
    }

    /// A tree that starts in a configuration and is as it is claimed, if there is one.
    pub(super) fn tree(&mut self, start: u32, progress: &mut dyn FnMut(u64)) -> Result<Option<Tree>, Reason> {
        let memory = self.watch.start();
        let root = self.place(Place { configuration: start, memory, is_root: true });
        let (mut known, mut wanted) = (root as usize, FIRST_SIZE);
        let mut why = Reason::TooManyStates;
        loop {
            while known < self.places.len() && self.places.len() < wanted {
                match self.expand(known as u32) {
                    // The game may be decided without it.
                    Err(reason @ Reason::NotSupported(_)) => {
                        self.beyond.insert(known as u32);
                        why = reason;
                    }
                    expanded => expanded?,
                }
                known += 1;
                self.limits.check(self.places.len() * 200)?;
                if self.places.len() as u64 > self.limits.patience() {
                    return Err(Reason::Patience);
                }
            }
            progress(self.places.len() as u64);
            let solution = self.solve(known, false)?;
            if solution.wins[root as usize] {
                return self.fold(root, &solution).map(Some);
            }
            let is_all = known == self.places.len();
            if is_all && self.beyond.is_empty() || !self.solve(known, true)?.wins[root as usize] {
                return Ok(None);
            }
            if is_all {
                return Err(why);
            }
            wanted = 2 * self.places.len();
        }
    }

    fn place(&mut self, place: Place) -> u32 {
        let next = self.places.len() as u32;
        let number = *self.numbers.entry(place.clone()).or_insert(next);
        if number == next {
            self.places.push(place);
            self.moves.push(Vec::new());
        }
        number
    }

    /// Nothing is left to watch: any tree will do.
    fn is_done(&self, place: u32) -> bool {
        let Place { memory, is_root, .. } = &self.places[place as usize];
        memory.is_empty() && !is_root
    }

    /// Finds the moves of the environment.
    fn expand(&mut self, number: u32) -> Result<(), Reason> {
        if self.is_done(number) {
            return Ok(());
        }
        let Place { configuration, memory, is_root } = self.places[number as usize].clone();
        let atom = |stage: usize| (self.atom)(self.foresight.flat.state(configuration), stage);
        let threads = self.watch.threads(&memory);
        let ways = self.tableau.ways(&threads, is_root.then_some(self.root), &atom, self.limits)?;
        let offers = self.foresight.flat.offers(configuration)?;
        let mut moves = Vec::new();
        for way in ways {
            for sent in spread(&way, &offers, self.foresight, self.limits)? {
                let mut set = Vec::with_capacity(sent.len());
                for (child, some) in sent {
                    let steps: Steps = way.all.iter().chain(&some).copied().collect();
                    let memory = self.watch.step(&memory, &steps);
                    set.push(self.place(Place { configuration: child, memory, is_root: false }));
                }
                set.sort_unstable();
                set.dedup();
                let next = self.sets.len() as u32;
                let own = *self.set_numbers.entry(set.clone()).or_insert(next);
                if own == next {
                    self.sets.push(set);
                }
                moves.push(own);
            }
        }
        moves.sort_unstable();
        moves.dedup();
        self.moves[number as usize] = moves;
        Ok(())
    }

    /// Solves what is known of the game; the rest is given to the environment or not.
    fn solve(&self, known: usize, rest: bool) -> Result<Solution, Reason> {
        let places = self.places.len();
        let (lost, won) = ((places + self.sets.len()) as u32, (places + self.sets.len()) as u32 + 1);
        let mut positions = Vec::with_capacity(places + self.sets.len() + 2);
        for (number, place) in self.places.iter().enumerate() {
            let next = match () {
                () if self.is_done(number as u32) => vec![won],
                () if number >= known || self.beyond.contains(&(number as u32)) => vec![if rest { won } else { lost }],
                () if self.moves[number].is_empty() => vec![lost],
                () => self.moves[number].iter().map(|set| set + places as u32).collect(),
            };
            positions.push(Position { even: true, priority: place.memory.priority, next });
        }
        let last = u32::MAX;
        positions.extend(self.sets.iter().map(|set| Position { even: false, priority: last, next: set.clone() }));
        positions.push(Position { even: true, priority: 1, next: vec![lost] });
        positions.push(Position { even: true, priority: 0, next: vec![won] });
        solve(&positions, self.limits)
    }

    /// The tree of a solution, with nodes that behave alike put together.
    fn fold(&mut self, root: u32, solution: &Solution) -> Result<Tree, Reason> {
        let mut tree = Tree { configurations: Vec::new(), children: Vec::new() };
        // By place, or by configuration where any tree will do: its node.
        let mut nodes: FxHashMap<(u32, bool), u32> = FxHashMap::default();
        let mut order: Vec<(u32, bool)> = Vec::new();
        let key = |contest: &Contest<'_, '_, '_>, place: u32| match contest.is_done(place) {
            true => (contest.places[place as usize].configuration, true),
            false => (place, false),
        };
        let first = key(self, root);
        nodes.insert(first, 0);
        order.push(first);
        let mut at = 0;
        while at < order.len() {
            self.limits.check(order.len() * 100)?;
            if order.len() as u64 > self.limits.patience().min(LARGEST_TREE) {
                return Err(Reason::TooManyStates);
            }
            let (number, is_free) = order[at];
            let next: Vec<(u32, bool)> = match is_free {
                true => {
                    let mut all: Vec<u32> = self.foresight.flat.offers(number)?.concat();
                    all.sort_unstable();
                    all.dedup();
                    all.into_iter().map(|child| (child, true)).collect()
                }
                false => {
                    let chosen = self.moves[number as usize][solution.moves[number as usize] as usize];
                    self.sets[chosen as usize].iter().map(|&child| key(self, child)).collect()
                }
            };
            let mut children = Vec::with_capacity(next.len());
            for child in next {
                let fresh = order.len() as u32;
                let node = *nodes.entry(child).or_insert(fresh);
                if node == fresh {
                    order.push(child);
                }
                children.push(node);
            }
            tree.configurations.push(if is_free { number } else { self.places[number as usize].configuration });
            tree.children.push(children);
            at += 1;
        }
        Ok(tree.quotient())
    }
}

impl Tree {
    /// Puts nodes together that are the same configuration and have the same children, as far as can be told.
    fn quotient(self) -> Tree {
        let Tree { configurations, children } = self;
        let mut classes = configurations.clone();
        let mut count = 0;
        loop {
            let mut numbers: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
            let mut refined = Vec::with_capacity(classes.len());
            for (class, own) in classes.iter().zip(&children) {
                let mut next: Vec<u32> = own.iter().map(|&child| classes[child as usize]).collect();
                next.sort_unstable();
                next.dedup();
                let fresh = numbers.len() as u32;
                refined.push(*numbers.entry((*class, next)).or_insert(fresh));
            }
            classes = refined;
            if numbers.len() == count {
                break;
            }
            count = numbers.len();
        }
        let mut tree = Tree { configurations: vec![0; count], children: vec![Vec::new(); count] };
        for (node, &class) in classes.iter().enumerate() {
            let mut own: Vec<u32> = children[node].iter().map(|&child| classes[child as usize]).collect();
            own.sort_unstable();
            own.dedup();
            tree.configurations[class as usize] = configurations[node];
            tree.children[class as usize] = own;
        }
        tree
    }
}

//! An accepted run from a configuration, as moves on a structure: the lasso behind "some run from here" (Alur-RSM 3.2).
//!
//! A configuration is a state and the calls that are waiting below it. If its position has an accepted run that never leaves the
//! activation, that run goes through steps, over calls and into calls to where it can stay for ever, or to a cycle with an accepting
//! state, whichever is nearer: a cycle that goes into calls grows the stack, another one does not. Otherwise it leaves the
//! activation by an exit, and the caller's position after it is asked.

use super::paths::{Begins, Link, Paths, Way};
use super::structure::Target;
use epitome_encodings::Components;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A part of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
    /// To a state of the same activation.
    Go(u32),
    /// Into a call.
    Into(u32),
    /// Over a call: into it, along this way, and out again.
    Over(u32, Way),
    /// Out of the activation, by the exit where control is.
    Out,
    /// Up to a call.
    Before(u32),
}

/// How a run goes on for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// It stays in its last state.
    Stays,
    /// The moves from this one on come back to where they began, in the same activation.
    Loops(usize),
    /// The moves from this one on begin in the activation that the move before it entered, and enter another such.
    Grows(usize),
}

/// A run from a configuration on.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    pub(super) moves: Vec<Move>,
    pub(super) round: Round,
}

/// A position in an activation, and how it came about that those above were left.
struct Node {
    /// Calls that are waiting.
    depth: usize,
    position: u32,
    /// The node before, and the exit.
    origin: Option<(usize, u32)>,
}

/// A step between positions.
#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    link: Link,
}

/// An accepted run from a state with these calls waiting, the innermost last; nothing if there is none.
pub(super) fn trail(paths: &Paths<'_>, waiting: &[u32], state: u32) -> Option<Trail> {
    let mut search = Search { paths, moves: Vec::new() };
    let start = paths.position(Target::State(state), 0);
    let mut nodes: Vec<Node> = vec![Node { depth: waiting.len(), position: start, origin: None }];
    let mut seen: FxHashSet<(usize, u32)> = FxHashSet::default();
    let mut next = 0;
    while let Some(&Node { depth, position, .. }) = nodes.get(next) {
        if paths.accepted[position as usize] {
            search.leave(&nodes, next);
            let round = search.lasso(position)?;
            return Some(Trail { moves: search.moves, round });
        }
        let mut exits: Vec<u32> = paths.leaves(position).filter(|_| depth > 0).collect();
        exits.sort_unstable();
        for exit in exits {
            let targets = paths.targets(waiting[depth - 1], exit);
            if targets.is_empty() && paths.after(exit, targets) == Err(true) {
                search.leave(&nodes, next);
                search.way(paths.way(position, exit)?);
                return Some(Trail { moves: search.moves, round: Round::Stays });
            }
            for after in paths.positions_after(exit, targets) {
                if seen.insert((depth - 1, after)) {
                    nodes.push(Node { depth: depth - 1, position: after, origin: Some((next, exit)) });
                }
            }
        }
        next += 1;
    }
    None
}

struct Search<'s> {
    paths: &'s Paths<'s>,
    moves: Vec<Move>,
}

impl Search<'_> {
    /// The moves that leave activations, up to a node.
    fn leave(&mut self, nodes: &[Node], last: usize) {
        let mut path = vec![last];
        while let Some((before, _)) = nodes[path[path.len() - 1]].origin {
            path.push(before);
        }
        for &node in path.iter().rev() {
            let Node { position, origin, .. } = nodes[node];
            let Some((before, exit)) = origin else { continue };
            if let Some(way) = self.paths.way(nodes[before].position, exit) {
                self.way(way);
            }
            self.moves.push(Move::Out);
            self.arrive(position);
        }
    }

    /// The moves of a way out, without leaving.
    fn way(&mut self, mut way: Way) {
        while let Some(begins) = self.paths.begins(way) {
            way = match begins {
                Begins::AtExit => return,
                Begins::Step(then) => then,
                Begins::Over { inside, then } => {
                    if let (Target::Call(call), _) = self.paths.split(way.from) {
                        self.moves.push(Move::Over(call, inside));
                    }
                    then
                }
            };
            self.arrive(way.from);
        }
    }

    /// The move to a position, if it is a state.
    fn arrive(&mut self, position: u32) {
        if let (Target::State(state), _) = self.paths.split(position) {
            self.moves.push(Move::Go(state));
        }
    }

    fn edge(&mut self, edge: &Edge) {
        match (edge.link, self.paths.split(edge.from).0) {
            (Link::Into, Target::Call(call)) => self.moves.push(Move::Into(call)),
            (Link::Over(way), Target::Call(call)) => {
                self.moves.push(Move::Over(call, way));
                self.arrive(edge.to);
            }
            _ => self.arrive(edge.to),
        }
    }

    /// The moves of an accepted run from a position that has one.
    fn lasso(&mut self, start: u32) -> Option<Round> {
        let reached = Reached::new(self.paths, start);
        let (index, round) = reached.nearest(self.paths)?;
        reached.path(index).iter().for_each(|edge| self.edge(edge));
        let Some(mut round) = round else {
            let last = reached.positions[index];
            let end = self.paths.ends(last)?;
            if let (Target::Call(call), at) = self.paths.split(last) {
                self.moves.push(Move::Into(call));
                self.way(self.paths.way(self.paths.entry(call, at), end)?);
            }
            return Some(Round::Stays);
        };
        let is_state = |edge: &Edge| matches!(self.paths.split(edge.to).0, Target::State(_));
        let grows = round.iter().position(|edge| matches!(edge.link, Link::Into));
        // A round begins where an activation does, or else in a state, or else (in machines) at a call.
        let turn = match (grows, round.last().is_some_and(is_state)) {
            (Some(into), _) => Some(into),
            (None, true) => None,
            (None, false) => round.iter().position(is_state),
        };
        if let Some(turn) = turn {
            round[..=turn].iter().for_each(|edge| self.edge(edge));
            round.rotate_left(turn + 1);
        }
        let head = round.last().map(|edge| self.paths.split(edge.to).0);
        let before = head.and_then(|head| if let Target::Call(call) = head { Some(Move::Before(call)) } else { None });
        self.moves.extend(before);
        let first = self.moves.len();
        round.iter().for_each(|edge| self.edge(edge));
        self.moves.extend(before);
        Some(if grows.is_some() { Round::Grows(first) } else { Round::Loops(first) })
    }
}

/// Positions in the order of their distance (Dijkstra's algorithm).
struct Nearest {
    open: BinaryHeap<Reverse<(u64, usize)>>,
    /// What is open, by number: a position, and how it is reached.
    edges: Vec<(u32, Option<Edge>)>,
    seen: FxHashSet<u32>,
    distance: u64,
}

impl Nearest {
    fn from(start: u32) -> Nearest {
        let open = BinaryHeap::from([Reverse((0, 0))]);
        Nearest { open, edges: vec![(start, None)], seen: FxHashSet::default(), distance: 0 }
    }

    /// The next position, and how it is reached.
    fn next(&mut self) -> Option<(u32, Option<Edge>)> {
        loop {
            let Reverse((distance, number)) = self.open.pop()?;
            let (position, edge) = self.edges[number];
            if self.seen.insert(position) {
                self.distance = distance;
                return Some((position, edge));
            }
        }
    }

    /// An edge of this length leads on from the last position.
    fn add(&mut self, edge: Edge, length: u64) {
        if !self.seen.contains(&edge.to) {
            self.open.push(Reverse((self.distance.saturating_add(length), self.edges.len())));
            self.edges.push((edge.to, Some(edge)));
        }
    }
}

/// The positions with accepted runs that can be reached from one, the nearest first.
struct Reached {
    positions: Vec<u32>,
    /// By position, how it was reached.
    by: Vec<Option<Edge>>,
    index: FxHashMap<u32, usize>,
    /// By position, its steps, and whether they pass through an accepting state.
    steps: Vec<Vec<(Edge, bool)>>,
}

impl Reached {
    fn new(paths: &Paths<'_>, start: u32) -> Reached {
        let mut reached =
            Reached { positions: Vec::new(), by: Vec::new(), index: FxHashMap::default(), steps: Vec::new() };
        let mut nearest = Nearest::from(start);
        while let Some((from, by)) = nearest.next() {
            let mut steps = Vec::new();
            paths.steps(from, |to, passes, link| {
                if paths.accepted[to as usize] {
                    let edge = Edge { from, to, link };
                    steps.push((edge, passes || paths.is_accepting(from)));
                    nearest.add(edge, paths.length_of(link, to));
                }
            });
            reached.index.insert(from, reached.positions.len());
            reached.positions.push(from);
            reached.by.push(by);
            reached.steps.push(steps);
        }
        reached
    }

    /// The nearest position where the run can stay, or where a round begins, with the round.
    fn nearest(&self, paths: &Paths<'_>) -> Option<(usize, Option<Vec<Edge>>)> {
        let successor = |vertex: usize, n: usize| self.steps[vertex].get(n).map(|(edge, _)| self.index[&edge.to]);
        let components = Components::new(self.positions.len(), 0..self.positions.len(), successor);
        for (vertex, &position) in self.positions.iter().enumerate() {
            if paths.ends(position).is_some() {
                return Some((vertex, None));
            }
            let own = components.of[vertex];
            let again = |(edge, passes): &&(Edge, bool)| *passes && components.of[self.index[&edge.to]] == own;
            if let Some((first, _)) = self.steps[vertex].iter().find(again) {
                let is_inside = |vertex: usize| components.of[vertex] == own;
                return Some((vertex, Some(self.round(paths, *first, position, is_inside)?)));
            }
        }
        None
    }

    /// From an edge back to a position, within a component.
    fn round(&self, paths: &Paths<'_>, first: Edge, back: u32, is_inside: impl Fn(usize) -> bool) -> Option<Vec<Edge>> {
        let mut by: FxHashMap<u32, Option<Edge>> = FxHashMap::default();
        let mut nearest = Nearest::from(first.to);
        while !by.contains_key(&back) {
            let (position, edge) = nearest.next()?;
            by.insert(position, edge);
            for (edge, _) in
                self.steps[self.index[&position]].iter().filter(|(edge, _)| is_inside(self.index[&edge.to]))
            {
                nearest.add(*edge, paths.length_of(edge.link, edge.to));
            }
        }
        let mut round = Vec::new();
        let mut at = back;
        while let Some(edge) = by.get(&at).copied().flatten() {
            round.push(edge);
            at = edge.from;
        }
        round.push(first);
        round.reverse();
        Some(round)
    }

    /// The edges that lead to a position.
    fn path(&self, mut vertex: usize) -> Vec<Edge> {
        let mut path = Vec::new();
        while let Some(edge) = self.by[vertex] {
            path.push(edge);
            vertex = self.index[&edge.from];
        }
        path.reverse();
        path
    }
}

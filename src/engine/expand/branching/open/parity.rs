//! Parity games, by Zielonka's algorithm: who wins from where, and how.
//!
//! Two players move a token along edges for ever. *Even* wins if the least priority that is seen again and again is even. The recursion is over priorities alone, so it
//! is as deep as there are priorities.

use crate::limits::{Limits, Reason};

/// A position.
#[derive(Clone, Debug)]
pub(super) struct Position {
    /// Even moves here.
    pub(super) even: bool,
    pub(super) priority: u32,
    /// Where to; at least one.
    pub(super) next: Vec<u32>,
}

/// What was found out.
pub(super) struct Solution {
    /// By position: Even wins.
    pub(super) wins: Vec<bool>,
    /// By position of Even from which it wins: the move, as a place in the list of successors.
    pub(super) moves: Vec<u32>,
}

/// Solves a game.
pub(super) fn solve(positions: &[Position], limits: &Limits) -> Result<Solution, Reason> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); positions.len()];
    for (number, position) in (0..).zip(positions) {
        position.next.iter().for_each(|&next| before[next as usize].push(number));
    }
    let solution = Solution { wins: vec![false; positions.len()], moves: vec![0; positions.len()] };
    let mut solver = Solver { positions, before, solution, limits };
    let wins = solver.solve(vec![true; positions.len()])?;
    solver.solution.wins = wins;
    Ok(solver.solution)
}

struct Solver<'g> {
    positions: &'g [Position],
    before: Vec<Vec<u32>>,
    solution: Solution,
    limits: &'g Limits,
}

impl Solver<'_> {
    /// By position of a part of the game: Even wins there.
    fn solve(&mut self, mut part: Vec<bool>) -> Result<Vec<bool>, Reason> {
        let mut wins = vec![false; part.len()];
        loop {
            self.limits.check(0)?;
            let inside = || (0..part.len()).filter(|&position| part[position]);
            let Some(least) = inside().map(|position| self.positions[position].priority).min() else { return Ok(wins) };
            let even = least.is_multiple_of(2);
            let mut attracted = vec![false; part.len()];
            let goal: Vec<usize> = inside().filter(|&position| self.positions[position].priority == least).collect();
            for &position in &goal {
                attracted[position] = true;
                self.decide(position, |next| part[next]);
            }
            self.attract(&part, &mut attracted, even);
            let rest: Vec<bool> = part.iter().zip(&attracted).map(|(part, gone)| *part && !gone).collect();
            let below = self.solve(rest.clone())?;
            let mut lost: Vec<bool> =
                (0..part.len()).map(|position| rest[position] && below[position] != even).collect();
            if !lost.contains(&true) {
                (0..part.len()).filter(|&position| part[position]).for_each(|position| wins[position] = even);
                return Ok(wins);
            }
            self.attract(&part, &mut lost, !even);
            for position in (0..part.len()).filter(|&position| lost[position]) {
                wins[position] = !even;
                part[position] = false;
            }
        }
    }

    /// Any move to where something holds.
    fn decide(&mut self, position: usize, good: impl Fn(usize) -> bool) {
        if let Some(at) = self.positions[position].next.iter().position(|&next| good(next as usize)) {
            self.solution.moves[position] = at as u32;
        }
    }

    /// Adds the positions of a part from which a player can enforce that a set is reached.
    fn attract(&mut self, part: &[bool], set: &mut [bool], even: bool) {
        let mut left: Vec<u32> = vec![0; part.len()];
        for position in (0..part.len()).filter(|&position| part[position]) {
            let next = self.positions[position].next.iter();
            left[position] = next.filter(|&&next| part[next as usize]).count() as u32;
        }
        let mut open: Vec<usize> = (0..part.len()).filter(|&position| set[position]).collect();
        while let Some(position) = open.pop() {
            for at in 0..self.before[position].len() {
                let other = self.before[position][at] as usize;
                if !part[other] || set[other] {
                    continue;
                }
                left[other] -= 1;
                if self.positions[other].even == even || left[other] == 0 {
                    set[other] = true;
                    open.push(other);
                    if self.positions[other].even == even {
                        self.decide(other, |next| next == position);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(positions: &[(bool, u32, &[u32])]) -> Solution {
        let position = |&(even, priority, next): &(bool, u32, &[u32])| Position { even, priority, next: next.to_vec() };
        let positions: Vec<Position> = positions.iter().map(position).collect();
        solve(&positions, &Limits::none()).expect("no limits")
    }

    #[test]
    fn winners_and_moves() {
        // Even leaves the odd loop for the even one; Odd does the opposite.
        let solution = game(&[(true, 1, &[0, 1]), (true, 0, &[1]), (false, 0, &[2, 3]), (true, 1, &[3])]);
        assert_eq!(solution.wins, [true, true, false, false]);
        assert_eq!(solution.moves[0], 1);
    }

    #[test]
    fn the_least_priority_counts() {
        let solution = game(&[(true, 2, &[1]), (false, 1, &[0, 2]), (true, 0, &[1])]);
        assert_eq!(solution.wins, [false, false, false], "Odd goes to and fro without the last");
        let solution = game(&[(true, 2, &[1]), (false, 1, &[2]), (true, 0, &[1])]);
        assert_eq!(solution.wins, [true; 3]);
    }
}

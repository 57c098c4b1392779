//! A solver for quantified formulas over circuits, by counterexamples on incremental SAT.
//!
//! The formula is a game: block by block, the player *exists* chooses inputs so that the matrix becomes true,
//! *forall* so that it becomes false. Each block has a SAT solver of its own (`level`) that knows what its owner
//! needs: the matrix with all inner blocks left open, and the lemmas. What it proposes is played on by the
//! next block. If the owner of the innermost block can win, the gates that matter are the reason (`game`); if
//! a solver finds no move, its core is. A reason speaks of gates that are known by then, not of inputs: all moves that
//! give these gates the same values lose likewise, and the lemma says so once. This is clausal abstraction
//! (Rabe and Tentrup, FMCAD 2015) on circuits (Tentrup, SAT 2016; Janota, SAT 2018): memory is linear in the
//! formula and its lemmas for each block, any number of blocks is possible, and nothing recurses.
//!
//! Where there are few blocks a lemma comes with a copy of the matrix for the move that won, which the loser has to
//! satisfy from then on (counterexample-guided expansion: Janota, Klieber, Marques-Silva and Clarke, SAT 2012):
//! with three blocks a copy says all there is to say about a move. Formulas with many blocks are better off
//! without.
//!
//! Gates are rebuilt first so that what is known early is a gate of its own: the operands of a wide
//! conjunction are sorted by block.

mod external;
mod game;
mod level;

pub use external::{External, Format};

use super::SolverName;
use crate::limits::{Limits, Reason};
use epitome_encodings::{Qbf, Quantifier};
use game::Game;
use level::Level;

/// Blocks of a formula up to which moves are expanded. (Measured: random clausal formulas and programs with three
/// blocks take two to thirteen times as long without; encodings with many blocks, most of a copy then being open,
/// ten times as long with it.)
const MOST_BLOCKS: usize = 3;

/// What is known of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The formula is true.
    pub is_true: bool,
    /// How the outermost block is chosen by its owner, if the owner wins: inputs with their values.
    pub first_move: Vec<(u32, bool)>,
    /// Queries to SAT solvers.
    pub queries: u64,
    /// Lemmas learned.
    pub lemmas: u64,
}

/// Decides a formula.
///
/// ```
/// use epitome::{limits::Limits, solver::qbf};
/// use epitome_encodings::{Circuit, Qbf, Quantifier};
/// let mut circuit = Circuit::new();
/// let (x, y) = (circuit.input(0), circuit.input(1));
/// let both = circuit.or(x, y);
/// let qbf = Qbf::new(circuit, [(Quantifier::Exists, vec![0]), (Quantifier::Forall, vec![1])], both);
/// let answer = qbf::solve(&qbf, &Limits::none()).unwrap();
/// assert_eq!((answer.is_true, answer.first_move), (true, vec![(0, true)]));
/// ```
pub fn solve(qbf: &Qbf, limits: &Limits) -> Result<Answer, Reason> {
    if let Some(is_true) = qbf.matrix().as_constant() {
        return Ok(Answer { is_true, first_move: Vec::new(), queries: 0, lemmas: 0 });
    }
    let mut game = Game::new(qbf);
    let mut levels = Vec::with_capacity(game.blocks());
    for block in 0..game.blocks() {
        limits.check(0)?;
        levels.push(Level::new(&game, block, SolverName::Cadical, limits));
    }
    play(&mut game, &mut levels)
}

/// Plays until the outermost block is decided.
fn play(game: &mut Game, levels: &mut [Level]) -> Result<Answer, Reason> {
    let (mut block, mut queries, mut lemmas) = (0, 0, 0);
    let expands = levels.len() <= MOST_BLOCKS;
    loop {
        queries += 1;
        let owner = game.owner(block);
        let mut winner = owner;
        let mut reason = match levels[block].propose(game)? {
            true if block + 1 < levels.len() => {
                block += 1;
                continue;
            }
            true => game.reason_of_win(block),
            false => {
                winner = owner.dual();
                levels[block].core(game)
            }
        };
        // Back to the innermost block whose owner can do something about it.
        loop {
            if block == 0 {
                let first_move = if winner == game.owner(0) { game.moves(0) } else { Vec::new() };
                return Ok(Answer { is_true: winner == Quantifier::Exists, first_move, queries, lemmas });
            }
            block -= 1;
            if game.owner(block) != winner {
                break;
            }
            reason = game.reason_before(block, &reason);
        }
        lemmas += 1;
        levels[block].learn(&reason);
        if expands && block + 1 < levels.len() {
            levels[block].expand(game);
        }
    }
}

#[cfg(test)]
mod tests;

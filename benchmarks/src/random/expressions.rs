//! Random expressions over the variables in scope, in every spelling the language has.

use super::splitmix::SplitMix64;

/// What an expression may use.
#[derive(Clone, Copy)]
pub(super) struct Vocabulary<'v> {
    /// Names of variables.
    pub(super) variables: &'v [String],
    /// `*`, `?`, `env` and `schoose`.
    pub(super) choices: bool,
    /// `'x`, as after `constrain`.
    pub(super) primes: bool,
}

const CONSTANTS: [&str; 8] = ["0", "1", "0", "1", "F", "T", "false", "true"];
const CHOICES: [&str; 5] = ["*", "*", "*", "?", "env"];
const OPERATORS: [&str; 18] =
    ["&", "&", "&&", "|", "|", "||", "^", "^", "=", "==", "!=", "!=", "=>", "->", "<=>", "<->", "&", "|"];

impl Vocabulary<'_> {
    /// The same without choices.
    pub(super) fn determined(self) -> Self {
        Vocabulary { choices: false, ..self }
    }

    /// An expression with at most 2^`depth` operands.
    pub(super) fn expression(self, rng: &mut SplitMix64, depth: u32) -> String {
        if depth == 0 || rng.chance(2, 5) {
            return self.leaf(rng);
        }
        match rng.below(12) {
            0 if self.choices => {
                format!("schoose[{}, {}]", self.expression(rng, depth - 1), self.expression(rng, depth - 1))
            }
            0..=3 => format!("{}{}", rng.pick(&["!", "!", "!", "~"]), self.operand(rng, depth - 1)),
            _ => {
                let left = self.operand(rng, depth - 1);
                let operator = rng.pick(&OPERATORS);
                format!("{left} {operator} {}", self.operand(rng, depth - 1))
            }
        }
    }

    /// An expression that holds more often than not, for conditions that block the run.
    pub(super) fn likely(self, rng: &mut SplitMix64) -> String {
        format!("{} | {}", self.operand(rng, 1), self.operand(rng, 1))
    }

    /// An operand, mostly with the parentheses that keep it together.
    fn operand(self, rng: &mut SplitMix64, depth: u32) -> String {
        let text = self.expression(rng, depth);
        if text.contains(' ') && rng.chance(3, 4) { format!("({text})") } else { text }
    }

    fn leaf(self, rng: &mut SplitMix64) -> String {
        let kind = rng.below(16);
        if self.choices && kind == 0 {
            return (*rng.pick(&CHOICES)).to_owned();
        }
        if self.variables.is_empty() || kind == 1 {
            return (*rng.pick(&CONSTANTS)).to_owned();
        }
        let name = &self.variables[rng.below(self.variables.len() as u64) as usize];
        if self.primes && rng.chance(1, 2) { format!("'{name}") } else { name.clone() }
    }
}

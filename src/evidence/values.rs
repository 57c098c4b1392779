//! States as packed bits, and the values an expression can take in them.
//!
//! A choice is made anew each time it is evaluated and stands at one place of one expression, so the
//! operands of an operator never share a choice. Hence the *set* of values of an expression follows
//! from the sets of its operands, exactly, and a step with many choices is decided in one pass over
//! its expressions, without trying the choices.

use super::mismatch::Rule;
use crate::syntax::{Binary, Expr, Exprs, Op, Var};

/// The set of values an expression can take: bit 0 for false, bit 1 for true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Possible(u8);

impl Possible {
    const ANY: Possible = Possible(0b11);

    fn only(value: bool) -> Possible {
        Possible(1 << u8::from(value))
    }

    fn contains(self, value: bool) -> bool {
        self.0 >> u8::from(value) & 1 == 1
    }

    fn negate(self) -> Possible {
        Possible(self.0 >> 1 | (self.0 & 1) << 1)
    }

    /// All results of an operator on values of the two sets.
    fn combine(self, binary: Binary, other: Possible) -> Possible {
        let (either, both) = (self.0 | other.0, self.0 & other.0);
        match binary {
            // False where one can be false, true where both can be true; and dually.
            Binary::And => Possible(either & 0b01 | both & 0b10),
            Binary::Or => Possible(both & 0b01 | either & 0b10),
            Binary::Implies => {
                let not = self.negate();
                Possible(not.0 & other.0 & 0b01 | (not.0 | other.0) & 0b10)
            }
            Binary::Iff | Binary::Equal => self.compare(other),
            Binary::Xor | Binary::NotEqual => self.compare(other.negate()),
        }
    }

    /// All results of comparing values of the two sets.
    fn compare(self, other: Possible) -> Possible {
        let (same, different) = (self.0 & other.0 != 0, self.negate().0 & other.0 != 0);
        Possible(u8::from(different) | u8::from(same) << 1)
    }

    /// `schoose[self, other]`: 1 if the first, else 0 if the second, else anything.
    fn choose(self, other: Possible) -> Possible {
        let (zero, one, unless) = (self.0 & 1, self.0 >> 1, other.0 & 1);
        Possible(zero | (one | zero & unless) << 1)
    }
}

/// Reads a bit of a packed valuation.
fn bit(state: &[u64], index: usize) -> bool {
    state[index / 64] >> (index % 64) & 1 == 1
}

fn set_bit(state: &mut [u64], index: usize, value: bool) {
    let mask = 1 << (index % 64);
    state[index / 64] = if value { state[index / 64] | mask } else { state[index / 64] & !mask };
}

/// No bit is set from `variables` on.
pub(super) fn within(state: &[u64], variables: usize) -> bool {
    variables.is_multiple_of(64) || state.last().is_none_or(|word| word >> (variables % 64) == 0)
}

/// What expressions and variables mean in a state: a packed valuation, globals first.
#[derive(Clone, Copy)]
pub(super) struct Meaning<'p> {
    exprs: &'p Exprs,
    globals: usize,
}

impl<'p> Meaning<'p> {
    /// The meaning of a program's expressions, where it has so many globals.
    pub(super) fn new(exprs: &'p Exprs, globals: usize) -> Meaning<'p> {
        Meaning { exprs, globals }
    }

    /// The number of globals.
    pub(super) fn globals(self) -> usize {
        self.globals
    }

    /// The expressions.
    pub(super) fn exprs(self) -> &'p Exprs {
        self.exprs
    }

    /// The bit of a state in which the value of a variable is.
    pub(super) fn bit_of(self, var: Var) -> usize {
        match var {
            Var::Global(index) => index as usize,
            Var::Local(index) => self.globals + index as usize,
        }
    }

    /// The variable that a bit stands for.
    pub(super) fn var_of(self, bit: usize) -> Var {
        match bit.checked_sub(self.globals) {
            Some(local) => Var::Local(local as u32),
            None => Var::Global(bit as u32),
        }
    }

    /// The value of a variable.
    pub(super) fn value(self, state: &[u64], var: Var) -> bool {
        bit(state, self.bit_of(var))
    }

    /// Gives a variable a value.
    pub(super) fn set(self, state: &mut [u64], var: Var, value: bool) {
        set_bit(state, self.bit_of(var), value);
    }

    /// An expression can have this value.
    pub(super) fn can_be(self, expr: Expr, state: &[u64], value: bool) -> bool {
        self.possible(expr, state, state).contains(value)
    }

    /// An expression over the values before and, primed, after a step can be true.
    pub(super) fn can_hold_across(self, expr: Expr, before: &[u64], after: &[u64]) -> bool {
        self.possible(expr, before, after).contains(true)
    }

    fn possible(self, expr: Expr, before: &[u64], after: &[u64]) -> Possible {
        if let Some(value) = self.known(expr, before, after) {
            return Possible::only(value);
        }
        let leaf = |op| match op {
            Op::Const(value) => Possible::only(value),
            Op::Var(var) => Possible::only(self.value(before, var)),
            Op::Next(var) => Possible::only(self.value(after, var)),
            _ => Possible::ANY,
        };
        self.exprs.fold(expr, leaf, apply)
    }

    /// The value of an expression without choices, if it is not too deep. Replaying a run of millions of
    /// steps does little else, so the stack is one word of bits below the top, and an operand that meets
    /// its operator at once, as in long conjunctions, never goes there.
    fn known(self, expr: Expr, before: &[u64], after: &[u64]) -> Option<bool> {
        let ops = self.exprs.ops(expr);
        let (mut below, mut height, mut top) = (0u64, 0, false);
        let mut at = 0;
        while let Some(&op) = ops.get(at) {
            at += 1;
            let leaf = match op {
                Op::Const(value) => value,
                Op::Var(var) => self.value(before, var),
                Op::Next(var) => self.value(after, var),
                Op::Not => {
                    top = !top;
                    continue;
                }
                Op::Binary(binary) => {
                    top = binary.apply(below & 1 == 1, top);
                    below >>= 1;
                    height -= 1;
                    continue;
                }
                Op::Choice(_) | Op::Choose => return None,
            };
            match ops.get(at) {
                Some(Op::Binary(binary)) if height > 0 => {
                    top = binary.apply(top, leaf);
                    at += 1;
                    while let Some([Op::Var(var), Op::Binary(Binary::And)]) = ops.get(at..at + 2) {
                        top &= self.value(before, *var);
                        at += 2;
                    }
                }
                _ if height == u64::BITS => return None,
                _ => {
                    below = below << 1 | u64::from(top);
                    top = leaf;
                    height += 1;
                }
            }
        }
        Some(top)
    }

    /// Both states have the same globals.
    pub(super) fn same_globals(self, a: &[u64], b: &[u64]) -> bool {
        let (whole, rest) = (self.globals / 64, self.globals % 64);
        a[..whole] == b[..whole] && (rest == 0 || (a[whole] ^ b[whole]) << (64 - rest) == 0)
    }

    /// The state after a call: the caller's, with the callee's globals, and then with the callee's
    /// outputs (its locals from `outputs` on) in the targets, in order.
    pub(super) fn returned(self, caller: &[u64], callee: &[u64], outputs: usize, targets: &[Option<Var>]) -> Vec<u64> {
        let mut state = caller.to_vec();
        let (whole, rest) = (self.globals / 64, self.globals % 64);
        state[..whole].copy_from_slice(&callee[..whole]);
        if rest != 0 {
            let mask = (1 << rest) - 1;
            state[whole] = state[whole] & !mask | callee[whole] & mask;
        }
        for (output, target) in targets.iter().enumerate() {
            if let Some(var) = *target {
                set_bit(&mut state, self.bit_of(var), bit(callee, self.globals + outputs + output));
            }
        }
        state
    }
}

/// What an operator makes of its operands (the left one is the right one where there is only one).
fn apply(op: Op, left: Possible, right: Possible) -> Possible {
    match op {
        Op::Binary(binary) => left.combine(binary, right),
        Op::Choose => left.choose(right),
        _ => right.negate(),
    }
}

/// The differences between the states before and after a step, of which each must be explained by
/// an assignment.
pub(super) struct Changes<'a> {
    meaning: Meaning<'a>,
    before: &'a [u64],
    after: &'a [u64],
    unexplained: Vec<u64>,
}

impl<'a> Changes<'a> {
    /// All differences between two states of one scope.
    pub(super) fn new(meaning: Meaning<'a>, before: &'a [u64], after: &'a [u64]) -> Changes<'a> {
        let unexplained = before.iter().zip(after).map(|(a, b)| a ^ b).collect();
        Changes { meaning, before, after, unexplained }
    }

    /// The variable takes a value of the expression, which is over the state before.
    pub(super) fn assign(&mut self, var: Var, expr: Expr) -> Result<(), Rule> {
        if !self.meaning.can_be(expr, self.before, self.meaning.value(self.after, var)) {
            return Err(Rule::Value(var));
        }
        self.forget(var);
        Ok(())
    }

    /// The variable takes any value.
    pub(super) fn forget(&mut self, var: Var) {
        set_bit(&mut self.unexplained, self.meaning.bit_of(var), false);
    }

    /// `constrain`, if there is one, can hold.
    pub(super) fn constrain(&self, condition: Option<Expr>) -> Result<(), Rule> {
        let holds = condition.is_none_or(|c| self.meaning.can_hold_across(c, self.before, self.after));
        if holds { Ok(()) } else { Err(Rule::Constrain) }
    }

    /// No difference is left.
    pub(super) fn finish(self) -> Result<(), Rule> {
        match self.unexplained.iter().position(|&word| word != 0) {
            None => Ok(()),
            Some(word) => {
                let bit = word * 64 + self.unexplained[word].trailing_zeros() as usize;
                Err(Rule::Unchanged(self.meaning.var_of(bit)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The set formulas against all pairs of values, for all pairs of sets that are not empty.
    #[test]
    fn sets_of_results_are_exact() {
        let sets = [Possible(1), Possible(2), Possible(3)];
        let values = |set: Possible| [false, true].into_iter().filter(move |&value| set.contains(value));
        for (a, b) in sets.into_iter().flat_map(|a| sets.map(|b| (a, b))) {
            let pairs = || values(a).flat_map(|x| values(b).map(move |y| (x, y)));
            for op in
                [Binary::And, Binary::Or, Binary::Implies, Binary::Xor, Binary::NotEqual, Binary::Iff, Binary::Equal]
            {
                let expected = pairs().fold(0, |set, (x, y)| set | Possible::only(op.apply(x, y)).0);
                assert_eq!(a.combine(op, b), Possible(expected), "{op:?} {a:?} {b:?}");
            }
            let choose = |x: bool, y: bool| if x || y { Possible::only(x) } else { Possible::ANY };
            assert_eq!(a.choose(b), Possible(pairs().fold(0, |set, (x, y)| set | choose(x, y).0)));
        }
    }

    /// The fast evaluation against the plain one, on random expressions without choices.
    #[test]
    fn known_values_are_the_values() {
        use epitome_benchmarks::SplitMix64;
        let mut random = SplitMix64::new(7);
        let binaries =
            [Binary::And, Binary::And, Binary::Or, Binary::Implies, Binary::Xor, Binary::Iff, Binary::NotEqual];
        for round in 0..20_000 {
            let (mut ops, mut height) = (Vec::new(), 0);
            let longest = 1 + round % 150;
            while ops.len() < longest || height != 1 {
                let grow = height < 2 || ops.len() < longest && random.chance(1, 2);
                match random.below(8) {
                    0 if height > 0 => ops.push(Op::Not),
                    1 if grow => ops.push(Op::Const(random.chance(1, 2))),
                    2 if grow => ops.push(Op::Next(Var::Local(random.below(5) as u32))),
                    _ if grow => ops.push(Op::Var(Var::Global(random.below(5) as u32))),
                    n => ops.push(Op::Binary(binaries[n as usize % binaries.len()])),
                }
                height = height + 1 - ops[ops.len() - 1].arity();
            }
            let mut exprs = Exprs::default();
            let expr = exprs.add(ops);
            let meaning = Meaning::new(&exprs, 5);
            let (before, after) = ([random.below(1 << 10)], [random.below(1 << 10)]);
            let leaf = |op| match op {
                Op::Const(value) => value,
                Op::Next(var) => meaning.value(&after, var),
                Op::Var(var) => meaning.value(&before, var),
                _ => panic!("not a leaf"),
            };
            let apply = |op, left: bool, right: bool| match op {
                Op::Binary(binary) => binary.apply(left, right),
                _ => !right,
            };
            let plain = exprs.fold(expr, leaf, apply);
            assert_eq!(meaning.known(expr, &before, &after).unwrap_or(plain), plain);
            assert_eq!(meaning.possible(expr, &before, &after), Possible::only(plain));
        }
    }
}

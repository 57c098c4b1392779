//! Arithmetic on words: circuits for what a processor does with integers.
//!
//! A word is a list of signals, the lowest bit first; arithmetic is modulo two to the power of its length, two's
//! complement where a sign matters. The circuits are the plain ones (ripple carry, shift and add, restoring division,
//! barrel shifters): solvers see through them best, and constants fold them away.

use crate::circuit::{Circuit, Lit};

/// A word, lowest bit first.
pub type Word = Vec<Lit>;

impl Circuit {
    /// A number as a word.
    pub fn number(value: u64, bits: usize) -> Word {
        (0..bits).map(|bit| Lit::constant(bit < 64 && value >> bit & 1 == 1)).collect()
    }

    /// Sum, and carry out of the highest bit; `carry` goes into the lowest.
    pub fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Word, Lit) {
        let mut carry = carry;
        let mut sum = Word::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            let both = self.and(a, b);
            let passed = self.and(half, carry);
            carry = self.or(both, passed);
        }
        (sum, carry)
    }

    /// Difference, and whether `a` is at least `b`, as unsigned words.
    pub fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Lit) {
        let flipped: Word = b.iter().map(|&bit| !bit).collect();
        self.add(a, &flipped, Lit::TRUE)
    }

    /// Two's complement.
    pub fn negate(&mut self, a: &[Lit]) -> Word {
        let zero = Circuit::number(0, a.len());
        self.subtract(&zero, a).0
    }

    /// The word, or its negation where `condition` holds.
    pub fn negate_word_if(&mut self, condition: Lit, a: &[Lit]) -> Word {
        let flipped: Word = a.iter().map(|&bit| self.xor(bit, condition)).collect();
        let zero = Circuit::number(0, a.len());
        self.add(&flipped, &zero, condition).0
    }

    /// Product, as long as the operands.
    pub fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let mut product = Circuit::number(0, a.len());
        for (shift, &bit) in b.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let part: Word = a[..a.len() - shift].iter().map(|&a| self.and(a, bit)).collect();
            let sum = self.add(&product[shift..], &part, Lit::FALSE).0;
            product.truncate(shift);
            product.extend(sum);
        }
        product
    }

    /// Quotient and remainder of unsigned words; of a zero divisor nobody asks.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let bits = a.len();
        let mut wide: Word = b.to_vec();
        wide.push(Lit::FALSE);
        let mut rest = Circuit::number(0, bits + 1);
        let mut quotient = Circuit::number(0, bits);
        for bit in (0..bits).rev() {
            rest.pop();
            rest.insert(0, a[bit]);
            let (difference, fits) = self.subtract(&rest, &wide);
            quotient[bit] = fits;
            rest = self.choose(fits, &difference, &rest);
        }
        rest.pop();
        (quotient, rest)
    }

    /// Quotient and remainder of signed words, rounding towards zero.
    pub fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let (sign_a, sign_b) = (top(a), top(b));
        let (positive_a, positive_b) = (self.negate_word_if(sign_a, a), self.negate_word_if(sign_b, b));
        let (quotient, rest) = self.divide(&positive_a, &positive_b);
        let sign = self.xor(sign_a, sign_b);
        (self.negate_word_if(sign, &quotient), self.negate_word_if(sign_a, &rest))
    }

    /// Shifts to higher bits, by an amount less than the length (or so much that nothing is left).
    pub fn shift_left(&mut self, a: &[Lit], amount: &[Lit]) -> Word {
        let reversed: Word = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&reversed, amount, Lit::FALSE);
        shifted.reverse();
        shifted
    }

    /// Shifts to lower bits; `fill` comes in from above.
    pub fn shift_right(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Word {
        let mut word = a.to_vec();
        for (stage, &bit) in amount.iter().enumerate() {
            let by = if stage < usize::BITS as usize - 1 { 1usize << stage } else { usize::MAX };
            let moved: Word = (0..word.len())
                .map(|at| at.checked_add(by).and_then(|at| word.get(at)).copied().unwrap_or(fill))
                .collect();
            word = self.choose(bit, &moved, &word);
        }
        word
    }

    /// `then` where the condition holds, else `otherwise`.
    pub fn choose(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Word {
        then.iter().zip(otherwise).map(|(&a, &b)| self.ite(condition, a, b)).collect()
    }

    /// The words are equal.
    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(Lit::TRUE, |equal, (&a, &b)| {
            let same = self.iff(a, b);
            self.and(equal, same)
        })
    }

    /// `a < b`, as signed or unsigned words.
    pub fn less(&mut self, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
        let mut less = Lit::FALSE;
        for (bit, (&x, &y)) in a.iter().zip(b).enumerate() {
            // The sign weighs the other way round.
            let (x, y) = if signed && bit + 1 == a.len() { (y, x) } else { (x, y) };
            let differ = self.xor(x, y);
            less = self.ite(differ, y, less);
        }
        less
    }

    /// Some bit is set.
    pub fn any(&mut self, a: &[Lit]) -> Lit {
        a.iter().fold(Lit::FALSE, |any, &bit| self.or(any, bit))
    }

    /// The word with another length: cut, or filled with zeros or copies of its sign.
    pub fn resize(&self, a: &[Lit], bits: usize, signed: bool) -> Word {
        let fill = if signed { top(a) } else { Lit::FALSE };
        a.iter().copied().chain(std::iter::repeat(fill)).take(bits).collect()
    }
}

fn top(a: &[Lit]) -> Lit {
    a.last().copied().unwrap_or(Lit::FALSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BITS: usize = 4;

    /// All pairs of words of four bits: each circuit against what the machine computes.
    #[test]
    fn circuits_compute_what_the_machine_does() {
        let mut circuit = Circuit::new();
        let [a, b]: [Word; 2] =
            [0, BITS].map(|from| (from..from + BITS).map(|bit| circuit.input(bit as u32)).collect());
        let (sum, _) = circuit.add(&a, &b, Lit::FALSE);
        let (difference, at_least) = circuit.subtract(&a, &b);
        let product = circuit.multiply(&a, &b);
        let (quotient, rest) = circuit.divide(&a, &b);
        let (signed_quotient, signed_rest) = circuit.divide_signed(&a, &b);
        let (left, right) = (circuit.shift_left(&a, &b), circuit.shift_right(&a, &b, Lit::FALSE));
        let arithmetic = circuit.shift_right(&a, &b, a[BITS - 1]);
        let tests = [circuit.equal(&a, &b), circuit.less(&a, &b, false), circuit.less(&a, &b, true), at_least];
        for (x, y) in (0..16u64).flat_map(|x| (0..16u64).map(move |y| (x, y))) {
            let read = |word: &Word| {
                let bit = |lit: Lit| circuit.evaluate(lit, |input| (x | y << BITS) >> input & 1 == 1);
                word.iter().enumerate().map(|(at, &lit)| u64::from(bit(lit)) << at).sum::<u64>()
            };
            let signed = |n: u64| (n as i64) << 60 >> 60;
            assert_eq!(read(&sum), (x + y) & 15);
            assert_eq!(read(&difference), x.wrapping_sub(y) & 15);
            assert_eq!(read(&product), (x * y) & 15);
            if let (Some(whole), Some(part)) = (x.checked_div(y), x.checked_rem(y)) {
                assert_eq!((read(&quotient), read(&rest)), (whole, part));
                assert_eq!(read(&signed_quotient), (signed(x) / signed(y)) as u64 & 15);
                assert_eq!(read(&signed_rest), (signed(x) % signed(y)) as u64 & 15);
            }
            assert_eq!(read(&left), x << y & 15);
            assert_eq!(read(&right), x >> y);
            assert_eq!(read(&arithmetic), (signed(x) >> y) as u64 & 15);
            let expected = [x == y, x < y, signed(x) < signed(y), x >= y];
            assert_eq!(read(&tests.to_vec()), expected.iter().zip(0..).map(|(&e, at)| u64::from(e) << at).sum());
        }
    }
}

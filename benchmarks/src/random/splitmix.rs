//! SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
//!
//! Ten lines that anybody can write again: a seed must mean the same program in every version and in
//! every tool, and no library promises that.

/// A stream of pseudorandom numbers.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream of this seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0 (by the high half of a product; the bias is below n / 2^64).
    pub fn below(&mut self, n: u64) -> u64 {
        debug_assert!(n > 0);
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A number from 0 to `n`, 0 less often than the others.
    pub fn at_most(&mut self, n: u32) -> u32 {
        let first = self.below(u64::from(n) + 1);
        (if first > 0 { first } else { self.below(u64::from(n) + 1) }) as u32
    }

    /// True in `times` of `of` cases.
    pub fn chance(&mut self, times: u64, of: u64) -> bool {
        self.below(of) < times
    }

    /// One of the items, of which there is at least one.
    pub fn pick<'t, T: ?Sized>(&mut self, items: &[&'t T]) -> &'t T {
        items[self.below(items.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that other implementations publish for this seed.
    #[test]
    fn known_stream() {
        let mut rng = SplitMix64::new(1_234_567);
        let numbers: Vec<u64> = (0..5).map(|_| rng.next_u64()).collect();
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn ranges() {
        let mut rng = SplitMix64::new(1);
        let mut seen = [0; 4];
        (0..1000).for_each(|_| seen[rng.at_most(3) as usize] += 1);
        assert!(seen.iter().all(|&times| times > 30), "{seen:?}");
        assert_eq!(rng.at_most(0), 0);
    }
}

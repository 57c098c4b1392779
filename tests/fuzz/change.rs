//! Inputs from the texts of a corpus: cut, spliced, repeated, nested, damaged.

use epitome_benchmarks::SplitMix64;

/// Longer inputs are cut.
const LONGEST: usize = 20_000;

/// Numbers at which something may be too large, and others.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "255",
    "256",
    "65536",
    "1048576",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e308",
    "007",
];

/// Characters that some reader may not expect.
const CHARACTERS: &[&str] = &["\0", "\u{feff}", "\u{7f}", "é", "→", "\u{202e}", "\r", "\t", "\\", "\"", "'", "`", "$"];

const PAIRS: &[(&str, &str)] =
    &[("(", ")"), ("!", ""), ("{", "}"), ("[", "]"), ("begin ", " end"), ("(not ", ")"), ("G ", "")];

/// What makes inputs of a corpus.
pub struct Changes {
    texts: Vec<Vec<u8>>,
}

impl Changes {
    pub fn new(texts: Vec<Vec<u8>>) -> Changes {
        assert!(!texts.is_empty(), "a corpus has texts");
        Changes { texts }
    }

    /// A text of the corpus after a few changes; one of twenty is left as it is.
    pub fn input(&self, random: &mut SplitMix64) -> Vec<u8> {
        let mut input = self.text(random).to_vec();
        if random.chance(1, 20) {
            return input;
        }
        for _ in 0..=random.below(4) {
            self.change(random, &mut input);
            input.truncate(LONGEST);
        }
        input
    }

    fn text(&self, random: &mut SplitMix64) -> &[u8] {
        &self.texts[random.below(self.texts.len() as u64) as usize]
    }

    fn change(&self, random: &mut SplitMix64, input: &mut Vec<u8>) {
        let cuts = cuts(input);
        let at = cuts[random.below(cuts.len() as u64) as usize];
        let end = end(random, &cuts, at);
        let piece = input[at..end].to_vec();
        match random.below(16) {
            // Of the input itself: tokens are lost, doubled, moved, repeated.
            0 | 1 => drop(input.splice(at..end, [])),
            2 => insert(input, end, &piece),
            3 => {
                input.splice(at..end, []);
                let cuts = self::cuts(input);
                insert(input, cuts[random.below(cuts.len() as u64) as usize], &piece);
            }
            4 if random.chance(1, 8) => insert(input, at, &piece.repeat(1 + random.below(200) as usize)),
            // Of others: a token, some lines, the whole rest.
            4..=7 => {
                let other = self.text(random);
                let cuts = self::cuts(other);
                let from = cuts[random.below(cuts.len() as u64) as usize];
                let to = self::end(random, &cuts, from);
                let replaced = if random.chance(1, 2) { at..end } else { at..at };
                input.splice(replaced, other[from..to].iter().copied());
            }
            8 => {
                let other = self.text(random);
                let lines: Vec<&[u8]> = other.split_inclusive(|&byte| byte == b'\n').collect();
                let line = lines.get(random.below(lines.len().max(1) as u64) as usize).copied().unwrap_or_default();
                let start = input[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
                insert(input, start, line);
            }
            9 => {
                let other = self.text(random);
                let cuts = self::cuts(other);
                let from = cuts[random.below(cuts.len() as u64) as usize];
                input.splice(at.., other[from..].iter().copied());
            }
            10 => drop(input.splice(at..end, random.pick(NUMBERS).bytes())),
            11 => {
                let depth = if random.chance(1, 8) { 1 + random.below(3_000) } else { 1 + random.below(4) };
                let (open, close) = PAIRS[random.below(PAIRS.len() as u64) as usize];
                insert(input, end, close.repeat(depth as usize).as_bytes());
                insert(input, at, open.repeat(depth as usize).as_bytes());
            }
            // Bytes.
            12 => insert(input, at, random.pick(CHARACTERS).as_bytes()),
            13 => input.truncate(at),
            _ => {
                let at = random.below(input.len() as u64 + 1) as usize;
                let byte = random.below(128) as u8;
                match input.get_mut(at) {
                    Some(changed) if random.chance(1, 2) => *changed = byte,
                    Some(changed) if random.chance(1, 2) => *changed ^= 1 << random.below(8),
                    Some(_) if random.chance(1, 2) => drop(input.remove(at)),
                    _ => input.insert(at, byte),
                }
            }
        }
    }
}

/// Where a piece that begins at a cut ends: mostly after a few tokens.
fn end(random: &mut SplitMix64, cuts: &[usize], at: usize) -> usize {
    let from = cuts.partition_point(|&cut| cut < at);
    let most = if random.chance(1, 8) { 60 } else { 4 };
    cuts[(from + 1 + random.below(most) as usize).min(cuts.len() - 1)]
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

/// Where tokens begin, and the end: words, signs and blanks, one character each unless they are words.
pub fn cuts(input: &[u8]) -> Vec<usize> {
    let of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let is_cut = |at: &usize| *at == 0 || !(of_word(input[at - 1]) && of_word(input[*at]));
    (0..input.len()).filter(is_cut).chain([input.len()]).collect()
}

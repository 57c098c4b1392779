//! Makes an input small: lines, then tokens, then bytes are left out as long as it fails.

use crate::change::cuts;

/// More tries are not made.
const MOST_TRIES: usize = 3_000;

/// The smallest input found for which `fails` holds, as it does for this one.
pub fn shrink(input: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut tries = 0;
    loop {
        let before = best.len();
        for cuts in [lines, cuts, bytes] {
            leave_out(&mut best, cuts, &mut |candidate| {
                tries += 1;
                tries <= MOST_TRIES && fails(candidate)
            });
        }
        if best.len() == before || tries > MOST_TRIES {
            return best;
        }
    }
}

/// Leaves out pieces between cuts: half of them, then a quarter, down to single ones.
fn leave_out(best: &mut Vec<u8>, cuts: fn(&[u8]) -> Vec<usize>, fails: &mut impl FnMut(&[u8]) -> bool) {
    let mut size = cuts(best).len() / 2;
    while size > 0 {
        let mut from = 0;
        loop {
            let cuts = cuts(best);
            if from + 1 >= cuts.len() {
                break;
            }
            let piece = cuts[from]..cuts[(from + size).min(cuts.len() - 1)];
            let candidate = [&best[..piece.start], &best[piece.end..]].concat();
            if fails(&candidate) {
                *best = candidate;
            } else {
                from += size;
            }
        }
        size /= 2;
    }
}

fn lines(input: &[u8]) -> Vec<usize> {
    let starts = (1..input.len()).filter(|&at| input[at - 1] == b'\n');
    [0].into_iter().chain(starts).chain([input.len()]).collect()
}

fn bytes(input: &[u8]) -> Vec<usize> {
    (0..=input.len()).collect()
}

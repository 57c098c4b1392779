//! A quantified formula of each size and verdict: pairs of variables, of which the second must be chosen equal to the first. It is true where who
//! chooses the second variable has seen the first (forall x exists y), and false where it comes before (exists y forall x).

use crate::{Player, Verdict, qbf_ctl, qbf_exits, qbf_program};

/// The prefix and the clauses for so many pairs.
fn formula(pairs: u32, is_true: bool) -> (Vec<(u32, Player)>, Vec<[i32; 2]>) {
    let pair = |pair: u32| {
        let (x, y) = ((2 * pair + 1, Player::Forall), (2 * pair + 2, Player::Exists));
        if is_true { [x, y] } else { [y, x] }
    };
    let equal = |pair: u32| {
        let (x, y) = (2 * pair as i32 + 1, 2 * pair as i32 + 2);
        [[-x, y], [x, -y]]
    };
    ((0..pairs).flat_map(pair).collect(), (0..pairs).flat_map(equal).collect())
}

/// A formula as a program.
type Translation = fn(&[(u32, Player)], &[[i32; 2]]) -> String;

const PROGRAM: Translation = |prefix, clauses| qbf_program("", prefix, clauses.iter().map(|clause| &clause[..]), None);
const SINGLE_EXITS: Translation = |prefix, clauses| qbf_ctl("", prefix, clauses.iter().map(|clause| &clause[..]), None);
const EXITS: Translation = |prefix, clauses| qbf_exits("", prefix, clauses.iter().map(|clause| &clause[..]), None);

/// What a translation makes of the formula, from a word on.
fn translated(translation: Translation, pairs: u32, is_true: bool, start: &str) -> String {
    let (prefix, clauses) = formula(pairs, is_true);
    let text = translation(&prefix, &clauses);
    text.find(start).map_or(String::new(), |start| text[start..].to_owned())
}

/// As a program, which reaches `ERROR` if the formula is true.
pub(crate) fn program(out: &mut String, pairs: u32, verdict: Verdict) {
    out.push_str(&translated(PROGRAM, pairs, verdict == Verdict::Unsafe, "void main"));
}

/// As a hierarchy with single exits, of which a formula holds if the quantified one is true.
pub(crate) fn with_single_exits(out: &mut String, pairs: u32, verdict: Verdict) {
    out.push_str(&translated(SINGLE_EXITS, pairs, verdict == Verdict::Safe, "machine"));
}

/// The formula.
pub(crate) fn with_single_exits_ctl(pairs: u32, verdict: Verdict) -> String {
    let start = "// ctl: ";
    let text = translated(SINGLE_EXITS, pairs, verdict == Verdict::Safe, start);
    text.lines().next().and_then(|line| line.strip_prefix(start)).unwrap_or_default().to_owned()
}

/// As a hierarchy with many exits, of which a fixed formula holds if the quantified one is true.
pub(crate) fn with_exits(out: &mut String, pairs: u32, verdict: Verdict) {
    out.push_str(&translated(EXITS, pairs, verdict == Verdict::Safe, "machine"));
}

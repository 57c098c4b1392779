//! "Did you mean …?": the most similar of a list of names.

/// The candidate closest to `text`, if it is close enough to be a likely misspelling. Looks at a
/// bounded number of candidates: advice is not worth a second on a program of a million names.
pub fn most_similar<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MOST_CANDIDATES: usize = 2_000;
    const LONGEST: usize = 64;
    if text.len() > LONGEST {
        return None;
    }
    // A word of one or two letters is one letter away from anything; only its case may be wrong.
    let close_enough = match text.chars().count() {
        0..=2 => 0,
        3 => 1,
        length => (length / 3).max(2),
    };
    let mut close: Vec<(usize, &str)> = candidates
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|c| c.len() <= LONGEST)
        .map(|candidate| (distance(&text.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= close_enough)
        .collect();
    close.sort();
    close.first().map(|(_, candidate)| *candidate)
}

/// Edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_likely_misspellings() {
        assert_eq!(most_similar("conut", ["count", "other"]), Some("count"));
        assert_eq!(most_similar("x", ["longer", "y"]), None);
        assert_eq!(most_similar("r", ["R", "Q"]), Some("R"));
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}

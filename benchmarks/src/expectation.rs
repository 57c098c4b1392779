//! The verdict that a program itself says a checker must give: its comment `// expected: TRUE`.
//!
//! People write the comment by hand, so its case and blanks are free. What was meant as one and is not
//! understood is an error rather than nothing: an experiment would silently check less than its author
//! believes.

use crate::families::Verdict;
use std::ops::Range;

/// A comment that is like `// expected: TRUE`, with something else in the verdict's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadExpectation {
    /// The bytes of the program where the verdict should be.
    pub place: Range<usize>,
}

/// What the first comment `// expected: TRUE` or `// expected: FALSE` of a program says, if it has one.
///
/// `expect` and `/*` will do as well, and `SAFE` and `UNSAFE`, all in any case.
///
/// ```
/// use epitome_benchmarks::{Verdict, expected};
/// assert_eq!(expected("// expected: FALSE\nvoid main() begin assert(0); end"), Ok(Some(Verdict::Unsafe)));
/// assert_eq!(expected("void main() begin skip; end"), Ok(None));
/// assert_eq!(expected("// Expected: Treu").unwrap_err().place, 13..17);
/// ```
pub fn expected(program: &str) -> Result<Option<Verdict>, BadExpectation> {
    let Some(place) = program.lines().find_map(stated) else { return Ok(None) };
    let word = place.split(|c: char| c.is_whitespace() || "(,;.*".contains(c)).next().unwrap_or("");
    let start = place.as_ptr().addr() - program.as_ptr().addr();
    verdict(word).map(Some).ok_or(BadExpectation { place: start..start + place.len() })
}

/// What follows `expected:` in the comment of a line, if the comment begins with that.
fn stated(line: &str) -> Option<&str> {
    let start = ["//", "/*"].iter().filter_map(|sign| line.find(sign)).min()?;
    let (word, said) = line[start + 2..].split_once(':')?;
    let is_one = ["expected", "expect"].iter().any(|name| word.trim().eq_ignore_ascii_case(name));
    is_one.then(|| said.trim().trim_end_matches("*/").trim_end())
}

/// `reachable` and the like are not among the words: of a label it means FALSE, of the end of a program nothing.
fn verdict(word: &str) -> Option<Verdict> {
    let named = |names: [&str; 2]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    match word {
        _ if named(["TRUE", "SAFE"]) => Some(Verdict::Safe),
        _ if named(["FALSE", "UNSAFE"]) => Some(Verdict::Unsafe),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_blanks_are_free() {
        for text in [
            "// expected: TRUE",
            "  //Expected :true",
            "//\tEXPECT: Safe",
            "/* expected:TRUE*/",
            "L: // expected: safe",
        ] {
            assert_eq!(expected(text), Ok(Some(Verdict::Safe)), "{text}");
        }
        for text in ["// expected: FALSE(unreach-call)", "// expected: false, says the author", "// Expect: UNSAFE."] {
            assert_eq!(expected(text), Ok(Some(Verdict::Unsafe)), "{text}");
        }
        assert_eq!(expected("// expected: TRUE\n// expected: FALSE"), Ok(Some(Verdict::Safe)), "the first counts");
    }

    #[test]
    fn other_words_in_its_place_are_errors() {
        for said in ["Treu", "TRUELY", "TRUE?", "TRUE/FALSE", "UNKNOWN", "reachable", "not TRUE", ""] {
            for text in [format!("decl g;\n// expected: {said}\n// expected: TRUE"), format!("/* Expect: {said} */")] {
                let place = expected(&text).unwrap_err().place;
                assert_eq!(&text[place], said, "{text}");
            }
        }
    }

    #[test]
    fn prose_is_no_expectation() {
        for text in
            ["// I expected: TRUE", "// expected TRUE here", "// unexpected: TRUE", "expected: TRUE", "/ /", "//"]
        {
            assert_eq!(expected(text), Ok(None), "{text}");
        }
    }
}

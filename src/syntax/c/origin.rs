//! From the text that is parsed back to the text the user wrote.
//!
//! Without a preprocessor they are the same but for what the headers declare, which stands in front. With one, its
//! line marks say which line of the file a line comes from. Within a line the words before the first macro and those
//! after the last one are the same in both; what is between stands for what is between, as a whole. What comes from
//! a file that is included stands for the line that includes it.

use super::super::source::{Source, Span};
use std::ops::Range;

/// Longer lines are not compared word by word.
const LONGEST: usize = 10_000;

/// Where the parsed text comes from.
pub(super) enum Origin<'s> {
    /// The user's text, after so many bytes of our own.
    After(usize),
    /// What a preprocessor made of the user's text.
    Preprocessed(Lines<'s>),
}

pub(super) struct Lines<'s> {
    source: &'s Source,
    parsed: String,
    starts: Vec<usize>,
    /// For each line the line of the user's text, from one, and whether it is that line's text.
    lines: Vec<(usize, bool)>,
}

impl<'s> Origin<'s> {
    /// Reads the line marks of a preprocessor's output: `# 12 "file"`. The file itself is the first that is named.
    pub(super) fn of_preprocessed(source: &'s Source, output: &str) -> Origin<'s> {
        let (mut starts, mut lines) = (Vec::new(), Vec::new());
        let (mut main, mut here, mut line, mut including) = (None, None, 0, 1);
        let mut start = 0;
        for text in output.split_inclusive('\n') {
            starts.push(start);
            start += text.len();
            let is_main = here == main;
            match mark(text) {
                Some((number, file)) => {
                    main = main.or(Some(file));
                    if is_main {
                        including = line;
                    }
                    (here, line) = (Some(file), number);
                    lines.push((including, false));
                }
                None => {
                    lines.push(if is_main { (line, true) } else { (including, false) });
                    line += 1;
                }
            }
        }
        Origin::Preprocessed(Lines { source, parsed: output.to_owned(), starts, lines })
    }

    /// The place in the user's text, and whether its start is exact.
    pub(super) fn span(&self, span: lang_c::span::Span) -> (Span, bool) {
        match self {
            Origin::After(before) => {
                let own = |at: usize| at.saturating_sub(*before) as u32;
                (Span::new(own(span.start), own(span.end)), span.start >= *before)
            }
            Origin::Preprocessed(lines) => {
                let (start, is_exact) = lines.place(span.start);
                let (end, _) = lines.place(span.end.max(span.start + 1) - 1);
                (Span::new(start.start as u32, end.end.max(start.start + 1) as u32), is_exact)
            }
        }
    }
}

/// `# 12 "file" 1 3`.
fn mark(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("#line "))?;
    let (number, rest) = rest.split_once(' ').unwrap_or((rest.trim_end(), ""));
    let file = rest.strip_prefix('"')?.rsplit_once('"')?.0;
    Some((number.parse().ok()?, file))
}

impl Lines<'_> {
    /// What a byte of the parsed text stands for, and whether it is the byte itself.
    fn place(&self, at: usize) -> (Range<usize>, bool) {
        let index = self.starts.partition_point(|&start| start <= at).saturating_sub(1);
        let (line, is_own) = self.lines[index];
        if line == 0 || line > self.source.line_count() {
            return (0..1, false);
        }
        let (written, start) = (self.source.line(line), self.source.line_start(line));
        let whole = start + written.len() - written.trim_start().len()..start + written.trim_end().len();
        let parsed = self.parsed[self.starts[index]..].lines().next().unwrap_or("");
        let at = at - self.starts[index];
        if !is_own || written.len().max(parsed.len()) > LONGEST {
            return (whole, false);
        }
        let (ours, theirs) = (words(written), words(parsed));
        let same = |(a, b): &(&Range<usize>, &Range<usize>)| written[(*a).clone()] == parsed[(*b).clone()];
        let before = ours.iter().zip(&theirs).take_while(same).count();
        let rest = ours.len().min(theirs.len()) - before;
        let after = ours.iter().rev().zip(theirs.iter().rev()).take(rest).take_while(same).count();
        let Some(word) = theirs.iter().position(|word| at < word.end) else { return (whole, false) };
        let own = match word {
            _ if word < before => Some(&ours[word]),
            _ if word >= theirs.len() - after => Some(&ours[word + ours.len() - theirs.len()]),
            _ => None,
        };
        if let Some(own) = own {
            let inside = at.saturating_sub(theirs[word].start);
            return (start + own.start + inside..start + own.start + inside + 1, true);
        }
        let Some(first) = ours.get(before).filter(|_| before + after < ours.len()) else { return (whole, false) };
        // A bracket that is opened is closed, too.
        let nesting = |word: &Range<usize>| match &written[word.clone()] {
            "(" => 1,
            ")" => -1,
            _ => 0,
        };
        let mut last = ours.len() - after - 1;
        let mut open: i32 = ours[before..=last].iter().map(nesting).sum();
        while open > 0 && last + 1 < ours.len() {
            last += 1;
            open += nesting(&ours[last]);
        }
        (start + first.start..start + ours[last].end, false)
    }
}

/// The words of a line: names and numbers, texts, other characters one by one; comments are none.
fn words(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            _ if rest.starts_with(b"//") => rest.len(),
            _ if rest.starts_with(b"/*") => line[at + 2..].find("*/").map_or(rest.len(), |end| end + 4),
            b'"' | b'\'' => {
                let mut escaped = false;
                let closes = |&other: &u8| {
                    let closes = other == byte && !escaped;
                    escaped = other == b'\\' && !escaped;
                    closes
                };
                rest[1..].iter().position(closes).map_or(rest.len(), |end| end + 2)
            }
            byte if is_part(byte) => rest.iter().take_while(|&&byte| is_part(byte)).count(),
            _ => 1,
        };
        if !byte.is_ascii_whitespace() && !rest.starts_with(b"//") && !rest.starts_with(b"/*") {
            words.push(at..at + length);
        }
        at += length;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that a part of a preprocessor's output stands for.
    fn origin(text: &str, output: &str, part: &str) -> (String, bool) {
        let source = Source::new("a.c", text);
        let start = output.find(part).expect("is there");
        let origin = Origin::of_preprocessed(&source, output);
        let (span, is_exact) = origin.span(lang_c::span::Span::span(start, start + part.len()));
        (source.slice(span).to_owned(), is_exact)
    }

    #[test]
    fn words_around_macros_are_themselves() {
        let text = "#define M 10\n#include \"b.h\"\n  f(x, 1); g(M); /* h */ h(y);\n";
        let output = "# 1 \"a.c\"\n\n# 1 \"b.h\" 1\nint b;\n# 3 \"a.c\" 2\n  f(x, 1); g(10); h(y);\n";
        let is = |part: &str, expected: &str, is_exact| {
            assert_eq!(origin(text, output, part), (expected.to_owned(), is_exact), "{part}");
        };
        is("f(x, 1);", "f(x, 1);", true);
        is("g(10)", "g(M)", true);
        is("10", "M", false);
        is("h(y);", "h(y);", true);
        is("int b;", "#include \"b.h\"", false);
    }
}

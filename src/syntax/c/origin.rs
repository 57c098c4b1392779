//! From the text that is parsed back to the text the user wrote.
//!
//! Without a preprocessor they are the same but for what the headers declare, which stands in front. With one, its
//! line marks say which line of the file a line comes from; columns stay where no macro stands before them, and where
//! the text there is another one the whole line is meant.

use super::super::source::{Source, Span};

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
    /// For each line the line of the user's text, from one; 0 for lines of headers.
    lines: Vec<usize>,
}

impl<'s> Origin<'s> {
    /// Reads the line marks of a preprocessor's output: `# 12 "file"`. The file itself is the first that is named.
    pub(super) fn of_preprocessed(source: &'s Source, output: &str) -> Origin<'s> {
        let (mut starts, mut lines) = (Vec::new(), Vec::new());
        let (mut main, mut here, mut line) = (None, None, 0);
        let mut start = 0;
        for text in output.split_inclusive('\n') {
            starts.push(start);
            start += text.len();
            match mark(text) {
                Some((number, file)) => {
                    main = main.or(Some(file));
                    (here, line) = (Some(file), number);
                    lines.push(0);
                }
                None => {
                    lines.push(if here == main { line } else { 0 });
                    line += 1;
                }
            }
        }
        Origin::Preprocessed(Lines { source, parsed: output.to_owned(), starts, lines })
    }

    /// The place in the user's text.
    pub(super) fn span(&self, span: lang_c::span::Span) -> Span {
        match self {
            Origin::After(before) => {
                Span::new(span.start.saturating_sub(*before) as u32, span.end.saturating_sub(*before) as u32)
            }
            Origin::Preprocessed(lines) => {
                let (start, end) = (lines.offset(span.start), lines.offset(span.end.max(span.start + 1) - 1));
                Span::new(start as u32, (end + 1).max(start + 1) as u32)
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
    fn offset(&self, at: usize) -> usize {
        let index = self.starts.partition_point(|&start| start <= at).saturating_sub(1);
        let line = self.lines[index];
        if line == 0 || line > self.source.line_count() {
            return 0;
        }
        let text = self.source.line(line);
        let start = self.source.line_start(line);
        let column = at - self.starts[index];
        let word = |text: &str, at: usize| text.as_bytes().get(at..(at + 4).min(text.len())).map(<[u8]>::to_vec);
        let parsed = self.parsed[self.starts[index]..].lines().next().unwrap_or("");
        match word(text, column) {
            Some(found) if Some(&found) == word(parsed, column).as_ref() => start + column,
            _ => start + text.len() - text.trim_start().len(),
        }
    }
}

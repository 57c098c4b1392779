//! Source texts and places in them.
//!
//! A [`Span`] is a pair of byte offsets, eight bytes wherever it is stored; lines and columns are
//! computed only when somebody reads a message. Lines and columns count from one, columns in
//! characters, as editors show them.

use std::fmt;
use std::sync::OnceLock;

/// Characters are counted once for each so many bytes: pictures and pages ask for many columns, and a line may have megabytes.
const BLOCK: usize = 1 << 10;

/// A half-open range of bytes of a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// A place as a person names it: line and column, from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A named text with an index of its lines.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    /// How many characters begin before each block of bytes.
    counted: OnceLock<Vec<u32>>,
}

/// A file that cannot be a source text at all.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NotText {
    /// Offsets are 32 bits wide.
    #[error("{name}: the file has {size} bytes; at most 4 GiB can be read")]
    TooLarge {
        /// File name.
        name: String,
        /// Its size.
        size: usize,
    },
    /// Programs are UTF-8.
    #[error("{name}:{line}:{column}: the file is not UTF-8 text (byte 0x{byte:02x} at offset {offset})")]
    NotUtf8 {
        /// File name.
        name: String,
        /// Line of the first bad byte.
        line: usize,
        /// Column (in bytes) of the first bad byte.
        column: usize,
        /// The byte.
        byte: u8,
        /// Its offset.
        offset: usize,
    },
}

impl NotText {
    /// A byte at this offset is not UTF-8.
    pub(super) fn at(name: impl Into<String>, bytes: &[u8], offset: usize) -> NotText {
        let line_start = bytes[..offset].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        NotText::NotUtf8 {
            name: name.into(),
            line: bytes[..offset].iter().filter(|&&b| b == b'\n').count() + 1,
            column: offset - line_start + 1,
            byte: bytes[offset],
            offset,
        }
    }
}

impl Source {
    /// Takes the bytes of a file as a source text.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Source, NotText> {
        let name = name.into();
        if u32::try_from(bytes.len()).is_err() {
            return Err(NotText::TooLarge { name, size: bytes.len() });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(name, text)),
            Err(error) => Err(NotText::at(name, error.as_bytes(), error.utf8_error().valid_up_to())),
        }
    }

    /// A source text from a string (of less than 4 GiB).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        Source { name: name.into(), text, line_starts, counted: OnceLock::new() }
    }

    /// The name shown in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1] as usize;
        let end = (offset as usize).min(self.text.len()).max(start);
        Position { line, column: self.characters_before(end) - self.characters_before(start) + 1 }
    }

    /// How many characters begin before a byte.
    fn characters_before(&self, offset: usize) -> usize {
        // All bytes of a character but the first are 0b10xxxxxx.
        let begin = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        let bytes = self.text.as_bytes();
        let counted = self.counted.get_or_init(|| {
            let sums =
                bytes.chunks(BLOCK).scan(0, |sum, block| Some(std::mem::replace(sum, *sum + begin(block) as u32)));
            sums.collect()
        });
        let block = offset / BLOCK;
        match counted.get(block) {
            Some(&before) => before as usize + begin(&bytes[block * BLOCK..offset]),
            // The end of a text of whole blocks.
            None => {
                counted.last().map_or(0, |&before| before as usize)
                    + begin(&bytes[block.saturating_sub(1) * BLOCK..offset])
            }
        }
    }

    /// The line a byte offset is on, from one.
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The byte at which a line starts, by number from one.
    pub fn line_start(&self, number: usize) -> usize {
        self.line_starts[number - 1] as usize
    }

    /// A line's text without its end, by number from one.
    pub fn line(&self, number: usize) -> &str {
        let start = self.line_starts[number - 1] as usize;
        let end = self.line_starts.get(number).map_or(self.text.len(), |&next| next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The first line of a span's text.
    pub fn first_line(&self, span: Span) -> &str {
        self.slice(span).lines().next().unwrap_or("")
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("x", "ab\nç d\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(3), Position { line: 2, column: 1 });
        assert_eq!(source.position(5), Position { line: 2, column: 2 });
        assert_eq!(source.line(2), "ç d");
        assert_eq!(source.position(8).line, 3);
    }

    #[test]
    fn columns_of_long_lines() {
        for text in ["aç€".repeat(700), "x".repeat(2 * BLOCK), "\n".repeat(BLOCK) + &"ç".repeat(BLOCK), String::new()]
        {
            let source = Source::new("x", text.as_str());
            for offset in (0..=text.len()).filter(|&offset| text.is_char_boundary(offset)) {
                let line = text[..offset].rfind('\n').map_or(0, |end| end + 1);
                assert_eq!(
                    source.position(offset as u32).column,
                    text[line..offset].chars().count() + 1,
                    "at {offset}"
                );
            }
        }
    }

    #[test]
    fn bad_bytes_are_named() {
        let error = Source::from_bytes("f", b"ab\n\xff".to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "f:2:1: the file is not UTF-8 text (byte 0xff at offset 3)");
    }
}

//! Words of SMT-LIB 2.6: parentheses, symbols, `|quoted symbols|`, keywords, constants, comments.
//!
//! `|x|` and `x` are the same symbol, so the bars are no part of a word's text. A byte that can begin no
//! word is a word of its own: whoever meets it says where it stands.

use crate::syntax::source::Span;

/// Kinds of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Open,
    Close,
    Symbol,
    /// `:named` and the like.
    Keyword,
    /// A number, a string, or anything else that is not Boolean.
    Constant,
    /// A quoted symbol or string that is never closed.
    Unclosed,
    /// What SMT-LIB does not know.
    Other,
    End,
}

/// A word and its place, bars and quotes included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// Gives the words of a text one by one.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        // Editors on some systems put a byte order mark first.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, at }
    }

    pub(super) fn next_word(&mut self) -> Word {
        self.skip_blank();
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let kind = match rest.first() {
            None => Kind::End,
            Some(b'(') => self.take(1, Kind::Open),
            Some(b')') => self.take(1, Kind::Close),
            Some(b'|') => self.enclosed(b'|', Kind::Symbol),
            Some(b'"') => self.enclosed(b'"', Kind::Constant),
            Some(b':') => self.take(1 + symbol_length(&rest[1..]), Kind::Keyword),
            Some(b'0'..=b'9' | b'#') => self.take(1 + symbol_length(&rest[1..]), Kind::Constant),
            Some(_) => match symbol_length(rest) {
                0 => self.take(self.text[start..].chars().next().map_or(1, char::len_utf8), Kind::Other),
                length => self.take(length, Kind::Symbol),
            },
        };
        Word { kind, span: Span::new(start as u32, self.at as u32) }
    }

    fn take(&mut self, length: usize, kind: Kind) -> Kind {
        self.at += length;
        kind
    }

    /// `""` inside a string is read as two strings, which is good enough for what is ignored.
    fn enclosed(&mut self, close: u8, kind: Kind) -> Kind {
        match self.text.as_bytes()[self.at + 1..].iter().position(|&byte| byte == close) {
            Some(length) => self.take(length + 2, kind),
            None => self.take(self.text.len() - self.at, Kind::Unclosed),
        }
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            match rest.first() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b';') => self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
                _ => return,
            }
        }
    }
}

/// Length of the simple symbol, or the rest of one, at the beginning of a text.
fn symbol_length(bytes: &[u8]) -> usize {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(byte);
    bytes.iter().position(|byte| !part(byte)).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_all_kinds() {
        let text = "(a!1 |b c| :named 12 #b01 \"s\") ; comment )\n=> [";
        let mut lexer = Lexer::new(text);
        let mut words = Vec::new();
        loop {
            let word = lexer.next_word();
            words.push((word.kind, &text[word.span.start as usize..word.span.end as usize]));
            if word.kind == Kind::End {
                break;
            }
        }
        let expected = [
            (Kind::Open, "("),
            (Kind::Symbol, "a!1"),
            (Kind::Symbol, "|b c|"),
            (Kind::Keyword, ":named"),
            (Kind::Constant, "12"),
            (Kind::Constant, "#b01"),
            (Kind::Constant, "\"s\""),
            (Kind::Close, ")"),
            (Kind::Symbol, "=>"),
            (Kind::Other, "["),
            (Kind::End, ""),
        ];
        assert_eq!(words, expected);
        assert_eq!(Lexer::new("|never").next_word().kind, Kind::Unclosed);
    }
}

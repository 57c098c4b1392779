//! Words and signs of the two textual languages, read on demand (a program of fifty megabytes is
//! never held as a list of tokens).
//!
//! The languages differ in two points: in Boolean programs `{any text}` is an identifier (Ball
//! Fig. 2) and `->` is implication; in machines braces enclose bodies and propositions, and `->` is
//! the arrow of a transition (implication is `=>`). [`Dialect`] says which.

use super::diagnostic::Diagnostic;
use super::source::Span;
use std::fmt;

/// What kind of word or sign a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Ident,
    Number,
    Str,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Less,
    Greater,
    Comma,
    Semicolon,
    Colon,
    Dot,
    Becomes,
    Star,
    Question,
    Prime,
    Not,
    And,
    Or,
    Xor,
    Implies,
    Arrow,
    Iff,
    Equal,
    NotEqual,
    Other,
    End,
}

impl Kind {
    /// How a message names the kind.
    pub fn describe(self) -> &'static str {
        match self {
            Kind::Ident => "a name",
            Kind::Number => "a number",
            Kind::Str => "a string",
            Kind::LParen => "`(`",
            Kind::RParen => "`)`",
            Kind::LBracket => "`[`",
            Kind::RBracket => "`]`",
            Kind::LBrace => "`{`",
            Kind::RBrace => "`}`",
            Kind::Less => "`<`",
            Kind::Greater => "`>`",
            Kind::Comma => "`,`",
            Kind::Semicolon => "`;`",
            Kind::Colon => "`:`",
            Kind::Dot => "`.`",
            Kind::Becomes => "`:=`",
            Kind::Star => "`*`",
            Kind::Question => "`?`",
            Kind::Prime => "`'`",
            Kind::Not => "`!`",
            Kind::And => "`&`",
            Kind::Or => "`|`",
            Kind::Xor => "`^`",
            Kind::Implies => "`=>`",
            Kind::Arrow => "`->`",
            Kind::Iff => "`<->`",
            Kind::Equal => "`=`",
            Kind::NotEqual => "`!=`",
            Kind::Other => "an unknown character",
            Kind::End => "the end of the file",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe())
    }
}

/// One word or sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// Its place.
    pub span: Span,
}

/// Which language is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Boolean programs.
    Program,
    /// Machines.
    Machine,
}

/// Reads tokens from a text.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
    /// A comment, string or braced name that is never closed.
    unclosed: Option<Diagnostic>,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`.
    pub fn new(text: &'a str, dialect: Dialect) -> Lexer<'a> {
        // A byte order mark is not part of the program.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, at, dialect, unclosed: None }
    }

    /// The error for a comment, string or braced name that never ends, if the lexer met one.
    pub fn take_unclosed(&mut self) -> Option<Diagnostic> {
        self.unclosed.take()
    }

    /// The next token; [`Kind::End`] for ever at the end.
    pub fn next_token(&mut self) -> Token {
        self.skip_blank();
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let kind = match rest.first() {
            None => Kind::End,
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => {
                self.at += run(rest, in_word);
                Kind::Ident
            }
            Some(b'0'..=b'9') => {
                self.at += run(rest, in_word);
                let digits = self.text.as_bytes()[start..self.at].iter().all(u8::is_ascii_digit);
                if digits { Kind::Number } else { Kind::Other }
            }
            Some(b'{') if self.dialect == Dialect::Program => self.enclosed(b'}', Kind::Ident, "braced name"),
            Some(b'"') => self.enclosed(b'"', Kind::Str, "string"),
            Some(_) => self.sign(),
        };
        Token { kind, span: Span::new(start as u32, self.at as u32) }
    }

    fn sign(&mut self) -> Kind {
        let rest = &self.text[self.at..];
        let (length, kind) = match rest.as_bytes() {
            [b'-', b'>', ..] if self.dialect == Dialect::Machine => (2, Kind::Arrow),
            bytes => ascii_sign(bytes).unwrap_or_else(|| other_sign(rest)),
        };
        self.at += length;
        kind
    }

    /// A token that runs to the byte `close` on the same line.
    fn enclosed(&mut self, close: u8, kind: Kind, what: &str) -> Kind {
        let rest = &self.text.as_bytes()[self.at + 1..];
        match rest.iter().position(|&b| b == close || b == b'\n') {
            Some(length) if rest[length] == close => {
                self.at += length + 2;
                kind
            }
            found => {
                let start = self.at;
                self.at += 1 + found.unwrap_or(rest.len());
                self.report_unclosed(start, what, close as char);
                Kind::Other
            }
        }
    }

    fn report_unclosed(&mut self, start: usize, what: &str, close: impl fmt::Display) {
        let span = Span::new(start as u32, start as u32 + 1);
        let mut error =
            Diagnostic::error(span, format!("this {what} is never closed"), format!("expected `{close}` after this"));
        if what == "braced name" {
            error = error.with_help("`{any text}` is a name; the body of a procedure stands between `begin` and `end`");
        }
        self.unclosed.get_or_insert(error);
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            self.at += run(&bytes[self.at..], |b| b.is_ascii_whitespace());
            match &bytes[self.at..] {
                [b'/', b'/', rest @ ..] => self.at += 2 + run(rest, |b| b != b'\n'),
                [b'/', b'*', ..] => match self.text[self.at + 2..].find("*/") {
                    Some(length) => self.at += length + 4,
                    None => {
                        self.report_unclosed(self.at, "comment", "*/");
                        self.at = bytes.len();
                    }
                },
                _ => return,
            }
        }
    }
}

/// The sign at the start of these bytes and its length, longest first where one begins another. (A match on
/// bytes, because every token comes here: comparing with a list of strings took half the time of reading.)
fn ascii_sign(bytes: &[u8]) -> Option<(usize, Kind)> {
    Some(match bytes {
        [b'<', b'=' | b'-', b'>', ..] => (3, Kind::Iff),
        [b':', b'=', ..] => (2, Kind::Becomes),
        [b'=' | b'-', b'>', ..] => (2, Kind::Implies),
        [b'=', b'=', ..] => (2, Kind::Equal),
        [b'!', b'=', ..] => (2, Kind::NotEqual),
        [b'&', b'&', ..] => (2, Kind::And),
        [b'|', b'|', ..] => (2, Kind::Or),
        [b'(', ..] => (1, Kind::LParen),
        [b')', ..] => (1, Kind::RParen),
        [b'[', ..] => (1, Kind::LBracket),
        [b']', ..] => (1, Kind::RBracket),
        [b'{', ..] => (1, Kind::LBrace),
        [b'}', ..] => (1, Kind::RBrace),
        [b'<', ..] => (1, Kind::Less),
        [b'>', ..] => (1, Kind::Greater),
        [b',', ..] => (1, Kind::Comma),
        [b';', ..] => (1, Kind::Semicolon),
        [b':', ..] => (1, Kind::Colon),
        [b'.', ..] => (1, Kind::Dot),
        [b'*', ..] => (1, Kind::Star),
        [b'?', ..] => (1, Kind::Question),
        [b'\'', ..] => (1, Kind::Prime),
        [b'!' | b'~', ..] => (1, Kind::Not),
        [b'&', ..] => (1, Kind::And),
        [b'|', ..] => (1, Kind::Or),
        [b'^', ..] => (1, Kind::Xor),
        [b'=', ..] => (1, Kind::Equal),
        _ => return None,
    })
}

/// The sign of logic at the start of a text, or a character that is none, and its length.
fn other_sign(text: &str) -> (usize, Kind) {
    let Some(first) = text.chars().next() else { return (0, Kind::Other) };
    let kind = match first {
        '¬' => Kind::Not,
        '∧' => Kind::And,
        '∨' => Kind::Or,
        '≠' => Kind::NotEqual,
        '→' => Kind::Implies,
        '↔' => Kind::Iff,
        '⊕' => Kind::Xor,
        _ => Kind::Other,
    };
    (first.len_utf8(), kind)
}

/// The byte can stand inside a name.
fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Length of the longest prefix whose bytes all satisfy `keep`.
fn run(bytes: &[u8], keep: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&b| !keep(b)).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str, dialect: Dialect) -> Vec<Kind> {
        let mut lexer = Lexer::new(text, dialect);
        std::iter::from_fn(|| Some(lexer.next_token().kind)).take_while(|k| *k != Kind::End).collect()
    }

    #[test]
    fn longest_sign_wins() {
        use Kind::*;
        assert_eq!(
            kinds("<=> <-> < := : => = == != !", Dialect::Program),
            [Iff, Iff, Less, Becomes, Colon, Implies, Equal, Equal, NotEqual, Not]
        );
    }

    #[test]
    fn dialects() {
        assert_eq!(kinds("{*p==*q}", Dialect::Program), [Kind::Ident]);
        assert_eq!(kinds("{p}", Dialect::Machine), [Kind::LBrace, Kind::Ident, Kind::RBrace]);
        assert_eq!(kinds("->", Dialect::Program), [Kind::Implies]);
        assert_eq!(kinds("->", Dialect::Machine), [Kind::Arrow]);
    }

    #[test]
    fn comments_and_odd_bytes() {
        assert_eq!(kinds("/* a */ x // y\n \0 z", Dialect::Program), [Kind::Ident, Kind::Other, Kind::Ident]);
        let mut lexer = Lexer::new("a /* b", Dialect::Program);
        lexer.next_token();
        assert_eq!(lexer.next_token().kind, Kind::End);
        assert!(lexer.take_unclosed().is_some());
    }
}

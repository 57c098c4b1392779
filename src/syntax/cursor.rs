//! A place in a token stream: the current token and the one after it, with the checks and messages
//! that every parser of ours needs.

use super::diagnostic::{Diagnostic, shorten};
use super::lexer::{Dialect, Kind, Lexer, Token};
use super::source::{Source, Span};
use rustc_hash::FxHashSet;

/// Reads a source token by token with one token of lookahead.
pub struct Cursor<'a> {
    source: &'a Source,
    lexer: Lexer<'a>,
    current: Token,
    next: Token,
    previous: Span,
    keywords: FxHashSet<&'static str>,
}

impl<'a> Cursor<'a> {
    /// A cursor at the first token. `keywords` may not be names.
    pub fn new(source: &'a Source, dialect: Dialect, keywords: &'static [&'static str]) -> Cursor<'a> {
        let mut lexer = Lexer::new(source.text(), dialect);
        let current = lexer.next_token();
        let next = lexer.next_token();
        Cursor { source, lexer, current, next, previous: Span::default(), keywords: keywords.iter().copied().collect() }
    }

    /// The text that is read.
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// Kind of the current token.
    pub fn kind(&self) -> Kind {
        self.current.kind
    }

    /// Place of the current token.
    pub fn span(&self) -> Span {
        self.current.span
    }

    /// Place of the token before the current one.
    pub fn previous_span(&self) -> Span {
        self.previous
    }

    /// Text of the current token.
    pub fn text(&self) -> &'a str {
        self.source.slice(self.current.span)
    }

    /// The token after the current one.
    pub fn peek(&self) -> Token {
        self.next
    }

    /// Goes to the next token.
    pub fn advance(&mut self) {
        self.previous = self.current.span;
        self.current = self.next;
        self.next = self.lexer.next_token();
    }

    /// The current token is this word.
    pub fn at_word(&self, word: &str) -> bool {
        self.kind() == Kind::Ident && self.text() == word
    }

    /// The current token is a word of the language and so not a name.
    pub fn at_keyword(&self) -> bool {
        self.kind() == Kind::Ident && self.keywords.contains(self.text())
    }

    /// Takes a token of this kind if it is the current one.
    pub fn eat(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// Takes this word if it is the current token.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token of this kind or says what was found instead.
    pub fn expect(&mut self, kind: Kind) -> Result<Span, Diagnostic> {
        let span = self.span();
        if self.eat(kind) { Ok(span) } else { Err(self.unexpected(kind.describe())) }
    }

    /// Takes this word or says what was found instead.
    pub fn expect_word(&mut self, word: &str) -> Result<Span, Diagnostic> {
        let span = self.span();
        if self.eat_word(word) { Ok(span) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// Takes a name (not a word of the language).
    pub fn expect_name(&mut self, what: &str) -> Result<(&'a str, Span), Diagnostic> {
        if self.kind() != Kind::Ident {
            return Err(self.unexpected(what));
        }
        if self.at_keyword() {
            let advice = format!("`{}` is a word of the language and cannot be a name", self.text());
            return Err(self.unexpected(what).with_help(advice));
        }
        let found = (self.text(), self.span());
        self.advance();
        Ok(found)
    }

    /// The error for the current token where `expected` should stand.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let message = match self.kind() {
            Kind::End => "unexpected end of the file".to_owned(),
            Kind::Other => format!("unexpected character {:?}", self.text().chars().next().unwrap_or(' ')),
            _ => format!("unexpected `{}`", shorten(self.text(), 40)),
        };
        Diagnostic::error(self.span(), message, format!("expected {expected}"))
    }

    /// The lexer's own error (something never closed), if it met one.
    pub fn take_unclosed(&mut self) -> Option<Diagnostic> {
        self.lexer.take_unclosed()
    }
}

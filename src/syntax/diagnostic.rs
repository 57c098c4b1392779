//! What a user is told about a text: message, place, the line itself with a caret, and advice.
//!
//! The rendering is ours rather than a crate's because hostile inputs must stay readable: a line of
//! fifty megabytes is cut to a window around the caret, control characters are shown as `␀`-style
//! pictures, and the column in the header is always the true one.

use super::source::{Source, Span};
use std::fmt::Write;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text is accepted; the user may want to know.
    Note,
    /// The text is accepted but probably not what was meant.
    Warning,
    /// The text may be a program, but this cannot be treated: there is no verdict.
    Unsupported,
    /// The text is not a program.
    Error,
}

/// At most so many errors, and so many notes, are reported about one text. What goes beyond is not even
/// put into words: a generated program can have a million errors.
pub const MOST_ERRORS: usize = 20;

/// One message about one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What stands under the caret: usually what was expected.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error with what was expected (may be empty).
    pub fn error(span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, span, message: message.into(), label: label.into(), help: None }
    }

    /// A warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, span, message: message.into(), label: String::new(), help: None }
    }

    /// A note.
    pub fn note(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Note, span, message: message.into(), label: String::new(), help: None }
    }

    /// What cannot be treated, and where.
    pub fn unsupported(span: Span, what: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Unsupported, span, message: what.into(), label: String::new(), help: None }
    }

    /// The same with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The message as people read it, without colours.
    ///
    /// ```
    /// use epitome::syntax::{Diagnostic, Source, Span};
    /// let source = Source::new("a.bp", "decl g\n");
    /// let error = Diagnostic::error(Span::new(6, 7), "unexpected end of line", "expected `;`");
    /// assert_eq!(
    ///     error.render(&source),
    ///     "error: unexpected end of line\n --> a.bp:1:7\n  |\n1 | decl g\n  |       ^ expected `;`\n"
    /// );
    /// ```
    pub fn render(&self, source: &Source) -> String {
        let position = source.position(self.span.start);
        let word = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Unsupported => "not supported",
            Severity::Error => "error",
        };
        let window = Window::around(source.line(position.line), position.column - 1, self.width(source));
        let number = position.line.to_string();
        let margin = " ".repeat(number.len());
        let message = shorten(&self.message, LONGEST_MESSAGE);
        let mut text = format!("{word}: {message}\n{margin}--> {}:{position}\n", source.name());
        let _ = writeln!(text, "{margin} |\n{number} | {}", window.text);
        let label =
            if self.label.is_empty() { String::new() } else { format!(" {}", shorten(&self.label, LONGEST_MESSAGE)) };
        let _ = writeln!(text, "{margin} | {}{}{label}", " ".repeat(window.indent), "^".repeat(window.carets));
        if let Some(help) = &self.help {
            let _ = writeln!(text, "{margin} = help: {}", shorten(help, LONGEST_MESSAGE));
        }
        text
    }

    /// Characters of the span on its first line.
    fn width(&self, source: &Source) -> usize {
        let text = source.slice(self.span);
        text.split('\n').next().unwrap_or("").chars().take(WINDOW).count().max(1)
    }
}

const WINDOW: usize = 120;

/// Messages quote names, and a name can have megabytes.
const LONGEST_MESSAGE: usize = 240;

/// The text, or its beginning and `…`.
pub fn shorten(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The part of a line that is shown, and where the carets go.
struct Window {
    text: String,
    indent: usize,
    carets: usize,
}

impl Window {
    fn around(line: &str, column: usize, width: usize) -> Window {
        let from = column.saturating_sub(WINDOW / 2);
        let mut chars = line.chars().skip(from);
        let mut text: String = chars.by_ref().take(WINDOW).map(printable).collect();
        let mut indent = column - from;
        if from > 0 {
            text.insert(0, '…');
            indent += 1;
        }
        if chars.next().is_some() {
            text.push('…');
        }
        let room = text.chars().count().saturating_sub(indent).max(1);
        Window { text, indent, carets: width.min(room) }
    }
}

/// Control characters as pictures, so that a NUL byte or an escape sequence cannot harm a terminal.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if (c as u32) < 0x20 => char::from_u32(0x2400 + c as u32).unwrap_or('?'),
        c if c.is_control() => '?',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let source = Source::new("x", format!("{}!{}", "a".repeat(5000), "b".repeat(5000)));
        let text = Diagnostic::error(Span::new(5000, 5001), "m", "here").render(&source);
        assert!(text.contains("x:1:5001"));
        assert!(text.lines().all(|line| line.chars().count() < 140), "{text}");
        let caret = text.lines().nth(4).and_then(|l| l.chars().position(|c| c == '^')).unwrap();
        assert_eq!(text.lines().nth(3).and_then(|l| l.chars().nth(caret)), Some('!'));
    }

    #[test]
    fn control_characters_are_pictures() {
        let source = Source::new("x", "a\0b");
        assert!(Diagnostic::error(Span::new(1, 2), "m", "").render(&source).contains("a␀b"));
    }
}

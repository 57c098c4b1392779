//! The text before it is parsed: comments and directives become blanks, brackets are counted.
//!
//! The parser wants plain C and recurses over its nesting. So comments and `#` lines are blanked (offsets stay true),
//! brackets must match and may be nested so deep only, and the longest declaration tells how much stack the parser may
//! need: nothing in it can be nested deeper than it has tokens. It knows static assertions as C11 writes them: what C23
//! leaves out is inserted.

use super::super::diagnostic::Diagnostic;
use super::super::source::Span;

/// Brackets may be nested so deep.
const DEEPEST: usize = 10_000;

/// Tokens of one declaration or function.
const MOST_TOKENS: usize = 1_000_000;

/// A text that the parser can be given.
#[derive(Default)]
pub(super) struct Plain {
    /// The original without comments and directives, and with what is inserted.
    pub(super) text: String,
    /// What is inserted, in order: where in the original, and what.
    pub(super) insertions: Vec<(usize, String)>,
    /// Headers, as in `#include <stdlib.h>`.
    pub(super) headers: Vec<(String, Span)>,
    /// The first directive that only a preprocessor understands.
    pub(super) directive: Option<Span>,
    /// Tokens of the longest declaration.
    pub(super) tokens: usize,
    /// Structures may be packed.
    pub(super) is_packed: bool,
}

/// The text needs a preprocessor, or the built-in headers.
pub(super) fn has_directives(text: &str) -> bool {
    let meant = |line: &str| {
        let word = line.trim_start().strip_prefix('#').map(str::trim_start);
        word.is_some_and(|word| !is_idle(word))
    };
    text.lines().any(meant) || text.contains("\\\n") || has_macros(text)
}

/// Names that compilers define: `__LINE__`, `__INT_MAX__`.
fn has_macros(text: &str) -> bool {
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c: char| !is_word(c)).any(|word| {
        let inner = word.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
        inner.is_some_and(|inner| inner.starts_with(|c: char| c.is_ascii_uppercase()) && inner.chars().all(is_upper))
    })
}

/// Line numbers, pragmas and the like: nothing that changes the program.
fn is_idle(directive: &str) -> bool {
    let word: String = directive.chars().take_while(|c| c.is_alphanumeric()).collect();
    matches!(word.as_str(), "line" | "pragma" | "ident" | "") || word.starts_with(|c: char| c.is_ascii_digit())
}

/// Blanks comments and directives, and checks what would be hard to say later.
pub(super) fn plain(text: &str) -> Result<Plain, Diagnostic> {
    let mut plain = Plain::default();
    let mut bytes = text.as_bytes().to_vec();
    let mut nesting = Nesting::default();
    let (mut at, mut fresh_line) = (0, true);
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => {
                let close = text[at + 2..].find("*/").map(|close| at + 2 + close + 2);
                let unclosed = || error(at, "this comment is never closed", "expected `*/`");
                blank(&mut bytes, at, close.ok_or_else(unclosed)?)
            }
            (b'/', Some(b'/')) => {
                let end = line_end(&bytes, at);
                blank(&mut bytes, at, end)
            }
            (b'#', _) if fresh_line => {
                let end = line_end(&bytes, at);
                plain.directive(text, at, end);
                blank(&mut bytes, at, end)
            }
            // Brackets as those write them who do not have them (C11 6.4.6).
            (b'<', Some(b':' | b'%')) | (b':' | b'%', Some(b'>')) => {
                bytes[at] = match (bytes[at], bytes[at + 1]) {
                    (b'<', b':') => b'[',
                    (b'<', _) => b'{',
                    (b':', _) => b']',
                    _ => b'}',
                };
                bytes[at + 1] = b' ';
                nesting.byte(at, bytes[at])?;
                at + 2
            }
            (quote @ (b'"' | b'\''), _) => {
                nesting.token(at)?;
                literal_end(&bytes, at, quote)?
            }
            (byte, _) if byte.is_ascii_whitespace() => at + 1,
            (byte, _) => {
                let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
                let more = bytes[at + 1..].iter().take_while(|&&next| part(byte) && part(next)).count();
                let end = at + 1 + more;
                match &bytes[at..end] {
                    b"__attribute__" | b"__attribute"
                        if is_fallthrough(&bytes[end..]) || bytes[..at].trim_ascii_end().ends_with(b":") =>
                    {
                        let close = end + closing_position(&bytes[end..]);
                        blank(&mut bytes, at, close)
                    }
                    b"__attribute__" | b"__attribute" if follows_tag(&bytes[..at]) => {
                        let what = "an attribute between `struct` and its name";
                        return Err(Diagnostic::unsupported(Span::new(at as u32, end as u32), what));
                    }
                    // One thread's own variable is a variable like others where there is one thread.
                    b"__thread" => blank(&mut bytes, at, end),
                    // Pragmas say nothing to us, and an empty declaration nothing to anybody.
                    b"_Pragma" => {
                        let close = end + closing_position(&bytes[end..]);
                        plain.is_packed |= text[at..close].contains("pack");
                        blank(&mut bytes, at, close)
                    }
                    b";" if nesting.most == 0 => blank(&mut bytes, at, end),
                    b"$" => {
                        return Err(Diagnostic::unsupported(Span::new(at as u32, end as u32), "a name with `$`"));
                    }
                    word @ (b"static_assert" | b"_Static_assert")
                        if bytes[end..].trim_ascii_start().first() == Some(&b'(') =>
                    {
                        let is_new = word.len() < b"_Static_assert".len();
                        nesting.static_assertion(at)?;
                        if is_new {
                            plain.insertions.push((at, "_".to_owned()));
                            bytes[at] = b'S';
                        }
                        end
                    }
                    _ => {
                        if nesting.byte(at, byte)? {
                            plain.insertions.push((at, ", \"\"".to_owned()));
                        }
                        end
                    }
                }
            }
        };
        let passed = &bytes[at..end];
        fresh_line = match passed.iter().rposition(|&byte| byte == b'\n') {
            Some(newline) => passed[newline..].iter().all(u8::is_ascii_whitespace),
            None => fresh_line && passed.iter().all(u8::is_ascii_whitespace),
        };
        at = end;
    }
    nesting.end()?;
    plain.tokens = nesting.most;
    plain.text = String::from_utf8(bytes).unwrap_or_default();
    for (at, inserted) in plain.insertions.iter().rev() {
        plain.text.insert_str(*at, inserted);
    }
    Ok(plain)
}

/// `((fallthrough))` says nothing to us, and stands where the parser does not expect it, like the attributes of labels.
fn is_fallthrough(rest: &[u8]) -> bool {
    let start: Vec<u8> =
        rest.iter().copied().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'_').take(15).collect();
    start == b"((fallthrough))"
}

/// The length of a text up to the bracket that closes its first one.
fn closing_position(text: &[u8]) -> usize {
    let mut depth = 0;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return at + 1,
            b')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn follows_tag(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let word = before.rsplit(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').next();
    matches!(word, Some(b"struct" | b"union" | b"enum"))
}

fn error(at: usize, message: impl Into<String>, label: &str) -> Diagnostic {
    Diagnostic::error(Span::new(at as u32, at as u32 + 1), message, label)
}

/// Spaces instead of everything but the ends of lines.
fn blank(bytes: &mut [u8], from: usize, to: usize) -> usize {
    bytes[from..to].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    to
}

/// The end of a line, a backslash before it joining it with the next.
fn line_end(bytes: &[u8], from: usize) -> usize {
    let is_end = |&at: &usize| bytes[at] == b'\n' && !bytes[..at].trim_ascii_end().ends_with(b"\\");
    (from..bytes.len()).find(is_end).unwrap_or(bytes.len())
}

fn literal_end(bytes: &[u8], from: usize, quote: u8) -> Result<usize, Diagnostic> {
    let mut at = from + 1;
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(&byte) if byte == quote => return Ok(at + 1),
            Some(b'\n') | None => {
                let quote = if quote == b'"' { "expected `\"`" } else { "expected `'`" };
                return Err(error(from, "this literal is not closed on its line", quote));
            }
            Some(_) => at += 1,
        }
    }
}

impl Plain {
    fn directive(&mut self, text: &str, at: usize, end: usize) {
        let span = Span::new(at as u32, end as u32);
        let word = text[at + 1..end].trim_start();
        self.is_packed |= word.starts_with("pragma") && word.contains("pack");
        let header = word.strip_prefix("include").map(str::trim_start).and_then(|rest| {
            let close = if rest.starts_with('<') { '>' } else { '"' };
            Some(rest.strip_prefix(['<', '"'])?.split_once(close)?.0.to_owned())
        });
        match header {
            Some(header) => self.headers.push((header, span)),
            None if is_idle(word) => {}
            None => self.directive = self.directive.or(Some(span)),
        }
    }
}

/// Open brackets, and the tokens of the declaration that is being read.
#[derive(Default)]
struct Nesting {
    open: Vec<(usize, u8)>,
    /// Static assertions that are open: how many brackets are open around them, and whether a message has come.
    assertions: Vec<(usize, bool)>,
    tokens: usize,
    most: usize,
}

impl Nesting {
    fn token(&mut self, at: usize) -> Result<(), Diagnostic> {
        self.tokens += 1;
        self.most = self.most.max(self.tokens);
        match self.tokens > MOST_TOKENS {
            true => {
                let message = format!("a function or declaration of more than {MOST_TOKENS} tokens");
                Err(Diagnostic::unsupported(Span::new(at as u32, at as u32 + 1), message))
            }
            false => Ok(()),
        }
    }

    fn static_assertion(&mut self, at: usize) -> Result<(), Diagnostic> {
        self.assertions.push((self.open.len(), false));
        self.token(at)
    }

    /// A bracket or another character; whether it ends a static assertion without a message.
    fn byte(&mut self, at: usize, byte: u8) -> Result<bool, Diagnostic> {
        self.token(at)?;
        let mut lacks_message = false;
        match byte {
            b'(' | b'[' | b'{' if self.open.len() == DEEPEST => {
                let message = format!("brackets nested deeper than {DEEPEST} levels");
                return Err(Diagnostic::unsupported(Span::new(at as u32, at as u32 + 1), message));
            }
            b'(' | b'[' | b'{' => self.open.push((at, byte)),
            b')' | b']' | b'}' => match self.open.pop() {
                Some((_, open)) if closing(open) == byte => {}
                Some((_, open)) => {
                    let expected = format!("expected `{}`", closing(open) as char);
                    return Err(error(at, format!("unexpected `{}`", byte as char), &expected));
                }
                None => return Err(error(at, format!("unexpected `{}`: nothing is open", byte as char), "")),
            },
            _ => {}
        }
        if let Some((around, has_message)) = self.assertions.last_mut() {
            match byte {
                b',' if self.open.len() == *around + 1 => *has_message = true,
                b')' if self.open.len() == *around => {
                    lacks_message = !*has_message;
                    self.assertions.pop();
                }
                _ => {}
            }
        }
        if self.open.is_empty() && matches!(byte, b';' | b'}') {
            self.tokens = 0;
        }
        Ok(lacks_message)
    }

    fn end(&self) -> Result<(), Diagnostic> {
        match self.open.last() {
            Some(&(at, open)) => {
                let message = format!("this `{}` is never closed", open as char);
                Err(error(at, message, &format!("expected `{}` later", closing(open) as char)))
            }
            None => Ok(()),
        }
    }
}

fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_directives_are_blanks() {
        let text = "#include <stdlib.h>\nint a; // b\n# 1 \"x.c\"\n/* c\n */ char *s = \"//\";\n";
        let plain = plain(text).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(plain.text.len(), text.len());
        assert_eq!(plain.text.split_whitespace().collect::<Vec<_>>(), ["int", "a;", "char", "*s", "=", "\"//\";"]);
        assert_eq!(plain.text.matches('\n').count(), text.matches('\n').count());
        assert_eq!(plain.headers[0].0, "stdlib.h");
        assert!(plain.directive.is_none());
        assert!(has_directives(text) && !has_directives("# 1 \"x.c\"\n#pragma once\n"));
    }

    #[test]
    fn static_assertions_are_those_of_c11() {
        let text = "static_assert(f(1, 2)); _Static_assert (1, \")\"); static_assert ( (0) /* , */ );";
        let expected =
            "_Static_assert(f(1, 2), \"\"); _Static_assert (1, \")\"); _Static_assert ( (0)         , \"\");";
        assert_eq!(plain(text).map(|plain| plain.text).ok().as_deref(), Some(expected));
    }

    #[test]
    fn brackets_must_match() {
        let message = |text: &str| plain(text).err().map(|error| error.message);
        assert_eq!(message("int f() { ( ] }").as_deref(), Some("unexpected `]`"));
        assert_eq!(message("int f() { ").as_deref(), Some("this `{` is never closed"));
        assert_eq!(message("}").as_deref(), Some("unexpected `}`: nothing is open"));
        assert_eq!(message("/*").as_deref(), Some("this comment is never closed"));
        assert!(message(&"(".repeat(20_000)).is_some_and(|message| message.contains("nested deeper")));
        assert_eq!(message("int a; /* { */ char c = '{';"), None);
    }
}

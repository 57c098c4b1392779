//! Bytes of a file as a text of a language.
//!
//! Programs are UTF-8, but their comments may be in any character set: old ones are often in Latin-1. A byte
//! that is no UTF-8 becomes a question mark, so that all places stay where they are, and the words of the
//! text tell whether it stands in one of them.

use super::lexer::{Dialect, Lexer};
use super::source::{NotText, Source, Span};
use super::{Language, horn, lexer};

/// The text of a program.
///
/// # Errors
/// If it is too large, or has bytes outside of comments that are no UTF-8.
pub fn decode(name: &str, bytes: Vec<u8>, language: Language) -> Result<Source, NotText> {
    if u32::try_from(bytes.len()).is_err() || std::str::from_utf8(&bytes).is_ok() {
        return Source::from_bytes(name, bytes);
    }
    let (mut text, mut strange) = (String::with_capacity(bytes.len()), Vec::new());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for _ in chunk.invalid() {
            strange.push(text.len() as u32);
            text.push('?');
        }
    }
    let inside = |word: Span| {
        let next = strange.partition_point(|&at| at < word.start);
        strange.get(next).copied().filter(|&at| at < word.end)
    };
    let first = match language {
        Language::Bp => words(&text, Dialect::Program).find_map(inside),
        Language::Rsm => words(&text, Dialect::Machine).find_map(inside),
        Language::Horn => horn::words(&text).find_map(inside),
        Language::C => strange.first().copied(),
    };
    match first {
        Some(offset) => Err(NotText::at(name, &bytes, offset as usize)),
        None => Ok(Source::new(name, text)),
    }
}

/// The words and signs of a text.
fn words(text: &str, dialect: Dialect) -> impl Iterator<Item = Span> {
    let mut lexer = Lexer::new(text, dialect);
    std::iter::from_fn(move || Some(lexer.next_token()).filter(|token| token.kind != lexer::Kind::End))
        .map(|token| token.span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_may_be_in_any_character_set() {
        for (language, text) in [
            (Language::Bp, &b"// caf\xe9 \xff\nvoid main() begin /* \xfc */ {a b}: skip; end"[..]),
            (Language::Rsm, b"machine m { entry e; /* \xe9\n */ } // \xe9"),
            (Language::Horn, b"; \xe9\n(check-sat)"),
        ] {
            let source = decode("f", text.to_vec(), language).unwrap();
            assert_eq!(source.text().len(), text.len());
            assert_eq!(source.text().matches('?').count(), text.iter().filter(|byte| !byte.is_ascii()).count());
        }
    }

    #[test]
    fn elsewhere_they_are_errors_with_their_place() {
        for (language, text, place) in [
            (Language::Bp, &b"// \xe9\ndecl \xe9;"[..], "f:2:6: "),
            (Language::Bp, b"decl {a \xe9};", "f:1:9: "),
            (Language::Rsm, b"machine m\xe9 {}", "f:1:10: "),
            (Language::Horn, b"; \xe9\n(|\xe9|)", "f:2:3: "),
            (Language::C, b"// \xe9", "f:1:4: "),
        ] {
            let error = decode("f", text.to_vec(), language).unwrap_err().to_string();
            assert!(error.starts_with(place), "{error}");
        }
    }
}

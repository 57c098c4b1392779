//! The card at the top of a page: what was asked, of which file, by which command, when and with what result. Enough to ask again.

use super::escape;
use crate::cli::testimony;
use crate::syntax::Source;
use std::fmt::Write;

/// Facts with their names, in the order in which they are shown.
#[derive(Default)]
pub(super) struct Card {
    rows: String,
}

impl Card {
    /// A fact that is text.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.html(name, &escape(text));
    }

    /// A fact that is text to be read letter by letter.
    pub(super) fn code(&mut self, name: &str, text: &str) {
        self.html(name, &format!("<code>{}</code>", escape(text)));
    }

    fn html(&mut self, name: &str, html: &str) {
        let _ = writeln!(self.rows, "<dt>{name}</dt><dd>{html}</dd>");
    }

    /// The file, and the hash of its bytes.
    pub(super) fn file(&mut self, file: &str, source: Option<&Source>) {
        self.code("File", if file == "-" { "standard input" } else { file });
        if let Some(hash) = testimony::digest(file, source) {
            self.code("SHA-256", &hash);
        }
    }

    /// By which program, by which command, when.
    pub(super) fn origin(&mut self) {
        let button = "<button type=\"button\" class=\"screen\" id=\"copy\">copy</button>";
        self.html("Command", &format!("<code id=\"command\">{}</code> {button}", escape(&command())));
        self.text("Version", concat!("Epitome ", env!("CARGO_PKG_VERSION")));
        self.text("Date", &testimony::creation_time());
    }

    /// The card as HTML, below a heading that is HTML already.
    pub(super) fn to_html(&self, heading: &str, sentences: &[String]) -> String {
        let mut said = String::new();
        for sentence in sentences {
            let _ = writeln!(said, "<p>{}</p>", escape(sentence));
        }
        format!(
            "<header class=\"card\">\n<h1>{heading}</h1>\n{said}<dl class=\"facts\">\n{}</dl>\n</header>\n",
            self.rows
        )
    }
}

/// The command line of this process, as a shell takes it.
fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("epitome".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("a/b.bp"), "a/b.bp");
        assert_eq!(quoted("G !p"), "'G !p'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}

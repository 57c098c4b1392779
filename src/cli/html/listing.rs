//! A source text as numbered lines, each with room for signs in front of it.

use super::escape;
use crate::syntax::Source;
use std::fmt::Write;

/// More lines are not shown.
const MOST_LINES: usize = 50_000;

/// What is known of a line: the class of its colour, and a sign that says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) class: &'static str,
    pub(super) sign: &'static str,
    pub(super) word: &'static str,
}

/// The lines of a text as HTML; `mark` is asked about each by its number, from one.
pub(super) fn listing(source: &Source, mark: impl Fn(usize) -> Option<Mark>) -> String {
    let mut html = String::from(
        "<div class=\"listing mono\" id=\"source\" role=\"group\" aria-label=\"source\" tabindex=\"0\">\n",
    );
    let mut lines = source.text().lines();
    for (index, line) in lines.by_ref().take(MOST_LINES).enumerate() {
        let number = index + 1;
        let (class, sign, title) = match mark(number) {
            Some(mark) => (format!(" {}", mark.class), mark.sign, format!(" title=\"{}\"", mark.word)),
            None => Default::default(),
        };
        let _ = writeln!(
            html,
            "<div class=\"line{class}\" id=\"L{number}\"{title}><span class=\"sign\">{sign}</span><span class=\"number\">{number}</span>\
             <span class=\"code\">{}</span></div>",
            escape(line)
        );
    }
    let more = lines.count();
    if more > 0 {
        let _ = writeln!(html, "<div class=\"line faint\">… {more} more lines are not shown</div>");
    }
    html + "</div>\n"
}

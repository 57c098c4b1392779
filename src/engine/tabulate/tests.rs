//! What the unit tests of this engine share.

use crate::model::{Ersm, build};
use crate::syntax::{Language, Program, Source};

/// The machine of a Boolean program, as it is.
pub(super) fn program(text: &str) -> Ersm {
    model(text, Language::Bp)
}

/// The machine of a text in the language of machines.
pub(super) fn machines(text: &str) -> Ersm {
    model(text, Language::Rsm)
}

fn model(text: &str, language: Language) -> Ersm {
    let source = Source::new("test", text);
    let (program, _) = Program::parse(&source, language).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(&source)));
    build(&program).0
}

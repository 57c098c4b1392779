//! What the integration tests share: a brute-force reference checker, a shrinker, random machines.
#![allow(dead_code)] // each test uses its part

pub mod ball;
pub mod configurations;
pub mod families;
pub mod flat;
pub mod guarded_machines;
pub mod kripke;
pub mod labels;
pub mod machines;
pub mod meaning;
pub mod pushdown;
pub mod reference;
pub mod seeds;
pub mod semantics;
pub mod shrink;

use epitome::syntax::bp::{self, Program};
use epitome::syntax::{self, Diagnostic, Language, Source};

/// The program, or the messages of the parser.
pub fn try_parse(text: &str) -> Result<Program, String> {
    let source = Source::new("test.bp", text);
    let rendered = |errors: Vec<Diagnostic>| errors.iter().map(|error| error.render(&source)).collect();
    bp::parse(&source).map(|(program, _)| program).map_err(rendered)
}

/// The program; a test that writes one that does not parse fails with the messages.
pub fn parse(text: &str) -> Program {
    try_parse(text).unwrap_or_else(|messages| panic!("{messages}\nin\n{text}"))
}

/// The language of files with this ending.
pub fn language(ending: &str) -> Language {
    Language::of_file(&format!("test.{ending}")).unwrap_or_else(|| panic!("no language has files .{ending}"))
}

/// A program of the language of files with this ending.
pub fn read(ending: &str, text: &str) -> syntax::Program {
    let source = Source::new(format!("test.{ending}"), text);
    let program = syntax::Program::parse(&source, language(ending));
    program.unwrap_or_else(|errors| panic!("{}\nin\n{text}", errors[0].render(&source))).0
}
